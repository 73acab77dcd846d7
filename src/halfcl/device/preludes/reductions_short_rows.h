/* Rows of few halves each, one after the other, for CUDA: sums without a mask, as halves.
 *
 * A group brings as many rows as there is room for, so that neighbours read neighbours. Then
 * each item has rows of its own: what makes results of sums is as long as to add up a row. They
 * are in double, which holds the sum of 2^12 halves exactly; a zero has the sign that IEEE
 * 754's sums have one after the other, which is that of the exact one. */

HCI_FUNCTION double hcr_add_half(double sum, unsigned int bits)
{
    return sum + hci_device_convert_float((unsigned short)bits, hci_RTE);
}

/* flip: the signs' bits where those of the elements are to be turned. Items begin at different
 * words, whose order is no matter, so that they do not wait for one bank of memory. */
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

/* Rounded once: to a float it is made odd. */
HCI_FUNCTION unsigned short hcr_half_of(double sum, hci_rounding mode)
{
    float cut = __double2float_rz(sum);
    if (sum != cut)
        cut = sum != sum ? HCI_NAN : __int_as_float(__float_as_int(cut) | 1);
    return hci_device_convert_half_float(cut, mode);
}

/* Groups of each rows. */
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
    /* What is in no whole pack. */
    hci_ulong stop = 8 * from < end ? 8 * from : end, rest = 8 * (to > from ? to : from);
    if (first + item < stop)
        halves[first + item - 8 * pack] = x[first + item];
    if (rest + item < end)
        halves[rest + item - 8 * pack] = x[rest + item];
    HCR_BARRIER;
    /* Down, a zero that is no sum of +0 alone is -0: as up of all with the other sign. */
    unsigned int flip = rounding == hci_RTN ? 0x8000 : 0;
    for (int r = item; r < rows; r += HCR_GROUP) {
        double sum = hcr_sum_of_row(halves + (first & 7) + r * n, n, item, flip);
        out[out_0 + row + r] = hcr_half_of(flip ? -sum : sum, (hci_rounding)rounding);
    }
    (void)count, (void)ddof, (void)initial, (void)initial_seen;
}
