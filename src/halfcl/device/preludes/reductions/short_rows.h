/* Rows of few halves each, in sequence, in C++: sums without a mask, as halves.
 *
 * A work-group reads as many rows as fit into its memory, so that neighbours read neighbours.
 * Then each work-item adds up rows of its own, since making a result takes as long as adding
 * up a row. Sums are in double, which holds the sum of 2^12 halves exactly; a zero has the
 * sign of IEEE 754's sequential sum, which is that of the exact one. */

HCI_FUNCTION double hcr_add_half(double sum, unsigned int bits)
{
    return sum + hci_device_convert_float((unsigned short)bits, hci_RTE);
}

/* flip: the sign bits if the elements' signs are to be flipped. Work-items begin at different
 * words, in an order that does not matter, to avoid conflicts of memory banks. */
HCI_FUNCTION double hcr_sum_of_row(const unsigned short *row, int n, int item,
                                   unsigned int flip)
{
    double sum = -0.0;
    if (((size_t)row / 2 | n) & 1) {
        for (int k = 0; k < n; ++k)
            sum = hcr_add_half(sum, row[k] ^ flip);
        return sum;
    }
    const unsigned int *words = (const unsigned int *)row;
    int half = n / 2, start = half & 1 ? 0 : item % half;
#pragma unroll 4
    for (int k = 0; k < half; ++k) {
        unsigned int word = words[start] ^ flip * 0x10001;
        start = start + 1 == half ? 0 : start + 1;
        sum = hcr_add_half(hcr_add_half(sum, word & 0xffff), word >> 16);
    }
    return sum;
}

/* Round once: first to a float, to odd. */
HCI_FUNCTION unsigned short hcr_half_of(double sum, hci_rounding mode)
{
    float cut = __double2float_rz(sum);
    if (sum != cut)
        cut = sum != sum ? HCI_NAN : __int_as_float(__float_as_int(cut) | 1);
    return hci_device_convert_half_float(cut, mode);
}

/* Grid: work-groups of `each` rows. */
HCR_KERNEL hck(hci_ulong results, hci_ulong given, hci_ulong each, HCR_ARRAY(x),
               HCR_GLOBAL hcr_out *out, HCR_LAST)
{
    HCR_SHARED(hcr_pack, room, HCR_TOGETHER / 8 + 1);
    const int n = HCR_ROW ? HCR_ROW : (int)given;
    int item = HCR_ITEM;
    hci_ulong row = HCR_GROUP_X * each, left = results - row, first = x_0 + row * n;
    int rows = (int)(left < each ? left : each);
    hci_ulong end = first + rows * n, pack = first / 8, from = (first + 7) / 8, to = end / 8;
    unsigned short *halves = (unsigned short *)room;
#pragma unroll 8
    for (hci_ulong i = from + item; i < to; i += HCR_GROUP)
        room[i - pack] = ((const hcr_pack *)x)[i];
    /* Halves outside of whole packs. */
    hci_ulong stop = 8 * from < end ? 8 * from : end, rest = 8 * (to > from ? to : from);
    if (first + item < stop)
        halves[first + item - 8 * pack] = x[first + item];
    if (rest + item < end)
        halves[rest + item - 8 * pack] = x[rest + item];
    HCR_BARRIER;
    /* When rounding down, a zero is -0 unless all elements are +0: the same as rounding up
     * with all signs flipped. */
    unsigned int flip = rounding == hci_RTN ? 0x8000 : 0;
    for (int r = item; r < rows; r += HCR_GROUP) {
        double sum = hcr_sum_of_row(halves + (first & 7) + r * n, n, item, flip);
        out[out_0 + row + r] = hcr_half_of(flip ? -sum : sum, (hci_rounding)rounding);
    }
    (void)count, (void)ddof, (void)initial, (void)initial_seen;
}
