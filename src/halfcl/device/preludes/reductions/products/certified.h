/* Round the product of matrices that a library has computed in double, wherever that decides
 * the rounding to half; elsewhere, lanes compute the exact sum. C++ only.
 *
 * How far is c from the exact sum s of n products? The products have 22 bits and are exact in
 * double, so that only additions round, in whatever order the library makes them. Each partial
 * sum is at most
 * most = n (greatest of the row) (greatest of the column)
 * except for earlier rounding errors, and an addition changes it by less than 2^-52 of it, to
 * nearest or not. For n - 1 additions |c - s| <= (n - 1) 2^-52 most (1 + 2^-52)^n, and for n <
 * 2^40 twice n 2^-52 most is greater than that plus the rounding error of c -+ that, which is
 * 2^-53 of at most 2 most. So s lies in between; if both ends round to the same half, that is
 * s rounded.
 *
 * If the row's elements are multiples of 2^p and the column's of 2^q, all partial sums are
 * multiples of 2^(p+q), and if most < 2^53 2^(p+q), doubles hold them: c is s. Then ties and
 * halves are decided, too.
 *
 * Infinities and NaNs do not depend on the order: c is infinite if all infinite products have
 * one sign, and NaN if not or if there is a NaN.
 *
 * Most ends are rounded by way of floats, which is faster: the greatest float that is at most
 * the lower end, and the least one that is at least the upper end. If both of these round to
 * the same half, so does everything between them. */

/* Round a finite double that is not 0 once. */
HCI_FUNCTION unsigned int hcr_half_of(double x, hci_rounding mode)
{
    hci_ulong bits = (hci_ulong)__double_as_longlong(x), leading = (hci_ulong)1 << 52;
    int exponent = (int)(bits >> 52 & 0x7ff);
    unsigned flags = 0;
    return (unsigned int)hci_round_to_format(hci_format_of(hci_HALF), bits >> 63,
                                             (bits & (leading - 1)) | leading, 53,
                                             exponent - 1075, mode, &flags);
}

/* Round a sum that is zero and begins with +0: it is negative only when rounding down, and if
 * a product has a minus sign. Whether one has is known if the row or the column has one sign,
 * or if a product is not zero, so that one is negative: two sets of more than half of the
 * elements have common elements. */
HCI_FUNCTION bool hcr_is_certain_zero(unsigned int row, unsigned int column, hci_rounding mode,
                                      unsigned int *result)
{
    unsigned int one = row & HCR_BOTH_SIGNS, other = column & HCR_BOTH_SIGNS;
    bool are_mixed = one == HCR_BOTH_SIGNS && other == HCR_BOTH_SIGNS;
    *result = mode == hci_RTN && one != other ? 0x8000 : 0;
    if (mode != hci_RTN || !are_mixed)
        return true;
    *result = 0x8000;
    return (row & column & HCR_DENSE) != 0;
}

/* Find a result's place. Numbers of 32 bits are divided in a third of the time. */
HCI_FUNCTION void hcr_find_place(hci_ulong result, hci_ulong rows, hci_ulong columns,
                                 hci_ulong *row, hci_ulong *column, hci_ulong *stack)
{
    if ((result | rows | columns) >> 32 == 0) {
        unsigned int k = (unsigned int)result / (unsigned int)columns;
        *column = (unsigned int)result - k * (unsigned int)columns;
        *stack = k / (unsigned int)rows;
        *row = k - (unsigned int)*stack * (unsigned int)rows;
        return;
    }
    *column = result % columns;
    *row = result / columns % rows;
    *stack = result / columns / rows;
}

/* True if c decides the result. */
HCI_FUNCTION bool hcr_is_certain(double c, unsigned int row, unsigned int column, hci_ulong n,
                                 hci_rounding mode, unsigned int *result)
{
    const unsigned int infinity = 0x7c00;
    unsigned int a = row & HCR_GREATEST, b = column & HCR_GREATEST;
    bool is_finite = -1e300 < c && c < 1e300;
    if (a >= infinity || b >= infinity) {
        *result = c != c ? 0x7e00 : c > 0 ? 0x7c00 : 0xfc00;
        return !is_finite;
    }
    double greatest = (double)hci_device_convert_float((unsigned short)a, hci_RTE) *
                      (double)hci_device_convert_float((unsigned short)b, hci_RTE);
    double most = (double)n * greatest;
    /* most divided by 2^(p+q); 0 for zeros. */
    double units = most * 0x1p48 / (double)((hci_ulong)1 << (HCR_POWER(row) & 63)) /
                   (double)((hci_ulong)1 << (HCR_POWER(column) & 63));
    bool is_exact = units < 0x1p53;
    if (c == 0)
        return is_exact && hcr_is_certain_zero(row, column, mode, result);
    double radius = is_exact ? 0 : 2 * (double)n * 0x1p-52 * most;
    double low = c - radius, high = c + radius;
    if (!is_finite || !(low > 0 || high < 0))
        return false;
    *result = hci_rounded_half(__double2float_rd(low), mode);
    if (*result == hci_rounded_half(__double2float_ru(high), mode))
        return true;
    *result = hcr_half_of(low, mode);
    return radius == 0 || *result == hcr_half_of(high, mode);
}

/* counts: numbers of elements that each block computes exactly; or null. */
HCR_KERNEL hck(HCR_MATRICES, const double *c, hci_ulong c_0, const unsigned int *row_facts,
               hci_ulong row_facts_0, hci_ulong row_stack, const unsigned int *column_facts,
               hci_ulong column_facts_0, hci_ulong column_stack, unsigned int *counts,
               hci_ulong counts_0, hcr_out *out, hci_ulong out_0, int rounding,
               hci_ulong results)
{
    HCR_ROOM
    HCR_SHARED(int, open, HCR_GROUP);
    int item = HCR_ITEM, lane = item % HCR_LANES;
    hci_ulong first = (hci_ulong)HCR_GROUP_X * HCR_GROUP, result = first + item;
    hci_rounding mode = (hci_rounding)rounding;
    open[item] = 0;
    if (result < results) {
        hci_ulong column, row, stack;
        hcr_find_place(result, rows, columns, &row, &column, &stack);
        unsigned int half = 0;
        open[item] = !hcr_is_certain(
            c[c_0 + result], row_facts[row_facts_0 + stack * row_stack + row],
            column_facts[column_facts_0 + stack * column_stack + column], n, mode, &half);
        out[out_0 + result] = (hcr_out)half;
    }
    int is_any = __syncthreads_or(open[item]);
    if (counts != 0 && !is_any && item == 0)
        counts[counts_0 + HCR_GROUP_X] = 0;
    if (!is_any)
        return;
    /* Compact their list in place: its end never passes the entries still to be read. */
    HCR_SHARED(int, length, 1);
    if (item == 0) {
        int found = 0;
        for (int k = 0; k < HCR_GROUP; ++k)
            if (open[k])
                open[found++] = k;
        length[0] = found;
        if (counts != 0)
            counts[counts_0 + HCR_GROUP_X] = found;
    }
    HCR_BARRIER;
    for (int done = 0; done < length[0]; done += HCR_GROUP / HCR_LANES) {
        int place = done + item / HCR_LANES;
        bool is_there = place < length[0];
        hcr_total t = hcr_nothing();
        hcr_vectors v = {x, y, x_step, y_step, n};
        if (is_there) {
            result = first + open[place];
            v.x = HCR_VECTOR(x, result / columns % rows, result / columns / rows);
            v.y = HCR_VECTOR(y, result % columns, result / columns / rows);
            t = hcr_dot(v, lane, HCR_LANES);
        }
        HCR_JOIN(&t, item, lane, 1);
        if (is_there && lane == 0)
            out[out_0 + result] = (hcr_out)hcr_rounded(&t, v, mode);
    }
}
