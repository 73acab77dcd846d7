/* Facts of vectors of n halves each, in each matrix of a stack, by lanes. If the elements of a
 * vector are not adjacent, adjacent work-items read adjacent vectors. */
HCR_KERNEL hck(hci_ulong vectors, hci_ulong n, HCR_ARRAY(x), hci_long step, hci_long next,
               hci_long stack, HCR_GLOBAL unsigned int *out, hci_ulong out_0, hci_ulong results)
{
    HCR_SHARED(unsigned int, facts, HCR_GROUP);
    HCR_SHARED(hci_ulong, counts, HCR_GROUP);
    const int across = HCR_GROUP / HCR_LANES;
    int item = HCR_ITEM;
    bool is_along = step == 1;
    int lane = is_along ? item % HCR_LANES : item / across;
    hci_ulong first = (hci_ulong)HCR_GROUP_X * across;
    hci_ulong result = first + (is_along ? item / HCR_LANES : item % across);
    unsigned int word = 0;
    hci_ulong count = 0;
    if (result < results) {
        HCR_GLOBAL const unsigned short *from = x + (hci_long)x_0;
        from += (hci_long)(result / vectors) * stack + (hci_long)(result % vectors) * next;
#pragma unroll 4
        for (hci_ulong k = lane; k < n; k += HCR_LANES) {
            unsigned int bits = from[(hci_long)k * step];
            word = hcr_both(word, hcr_fact(bits));
            count += (bits & 0x7fff) != 0;
        }
    }
    facts[item] = word;
    counts[item] = count;
    HCR_BARRIER;
    if (lane == 0 && result < results) {
        int apart = is_along ? 1 : across;
        for (int k = 1; k < HCR_LANES; ++k) {
            word = hcr_both(word, facts[item + k * apart]);
            count += counts[item + k * apart];
        }
        out[out_0 + result] = word | (2 * count > n ? HCR_DENSE : 0);
    }
}
