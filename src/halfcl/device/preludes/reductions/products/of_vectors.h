/* Facts of vectors of n halves each, in each matrix of a stack, by lanes; and the elements as
 * doubles, which a library multiplies. These lie in C's order: vector by vector if a vector's
 * elements are adjacent, otherwise element by element. In the second case adjacent work-items
 * read adjacent vectors. Where elements can be read in pairs, a work-item takes two that are
 * adjacent: of one vector, or of two vectors. C++ only. */
HCI_FUNCTION void hcr_take_fact(unsigned int bits, unsigned int *word, hci_ulong *count)
{
    *word = hcr_both(*word, hcr_fact(bits));
    *count += (bits & 0x7fff) != 0;
}

HCI_FUNCTION double hcr_double(unsigned int bits)
{
    return (double)hci_device_convert_float((unsigned short)bits, hci_RTE);
}

/* Write the two halves of a word as doubles. */
HCI_FUNCTION void hcr_write_pair(double *to, unsigned int pair)
{
    double2 two;
    two.x = hcr_double(pair & 0xffff);
    two.y = hcr_double(pair >> 16);
    *(double2 *)to = two;
}

HCR_KERNEL hck(hci_ulong vectors, hci_ulong n, HCR_ARRAY(x), hci_long step, hci_long next,
               hci_long stack, HCR_GLOBAL unsigned int *out, hci_ulong out_0, double *doubles,
               hci_ulong doubles_0, hci_ulong results)
{
    HCR_SHARED(unsigned int, facts, 2 * HCR_GROUP);
    HCR_SHARED(hci_ulong, counts, 2 * HCR_GROUP);
    const int across = HCR_GROUP / HCR_LANES;
    int item = HCR_ITEM;
    bool is_along = step == 1;
    hci_long odd = (hci_long)x_0 | stack | (is_along ? next | (hci_long)n : step);
    bool are_pairs = odd % 2 == 0 && (is_along || (next == 1 && vectors % 2 == 0));
    int each = are_pairs && !is_along ? 2 : 1; /* vectors of a work-item */
    int lane = is_along ? item % HCR_LANES : item / across;
    hci_ulong which = is_along ? item / HCR_LANES : item % across;
    hci_ulong result = ((hci_ulong)HCR_GROUP_X * across + which) * each;
    unsigned int word[2] = {0, 0};
    hci_ulong count[2] = {0, 0};
    if (result < results) {
        hci_ulong matrix = result / vectors, vector = result % vectors;
        HCR_GLOBAL const unsigned short *from =
            x + ((hci_long)x_0 + (hci_long)matrix * stack + (hci_long)vector * next);
        double *to = doubles + doubles_0;
        to += is_along ? result * n : matrix * n * vectors + vector;
        if (are_pairs && is_along) {
#pragma unroll 8
            for (hci_ulong k = 2 * lane; k < n; k += 2 * HCR_LANES) {
                unsigned int pair = *(HCR_GLOBAL const unsigned int *)(from + k);
                hcr_take_fact(pair & 0xffff, &word[0], &count[0]);
                hcr_take_fact(pair >> 16, &word[0], &count[0]);
                hcr_write_pair(to + k, pair);
            }
        } else if (are_pairs) {
#pragma unroll 8
            for (hci_ulong k = lane; k < n; k += HCR_LANES) {
                unsigned int pair =
                    *(HCR_GLOBAL const unsigned int *)(from + (hci_long)k * step);
                hcr_take_fact(pair & 0xffff, &word[0], &count[0]);
                hcr_take_fact(pair >> 16, &word[1], &count[1]);
                hcr_write_pair(to + k * vectors, pair);
            }
        } else {
            hci_ulong to_step = is_along ? 1 : vectors;
#pragma unroll 4
            for (hci_ulong k = lane; k < n; k += HCR_LANES) {
                unsigned int bits = from[(hci_long)k * step];
                hcr_take_fact(bits, &word[0], &count[0]);
                to[k * to_step] = hcr_double(bits);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        facts[k * HCR_GROUP + item] = word[k];
        counts[k * HCR_GROUP + item] = count[k];
    }
    HCR_BARRIER;
    if (lane != 0 || result >= results)
        return;
    int apart = is_along ? 1 : across;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        for (int other = 1; other < HCR_LANES; ++other) {
            int place = k * HCR_GROUP + item + other * apart;
            word[k] = hcr_both(word[k], facts[place]);
            count[k] += counts[place];
        }
        if (k < each)
            out[out_0 + result + k] = word[k] | (2 * count[k] > n ? HCR_DENSE : 0);
    }
}
