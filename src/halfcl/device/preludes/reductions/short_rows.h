/* Rows of few halves each, in sequence, in C++, without a mask.
 *
 * A work-group reads as many rows as fit into its memory, so that neighbours read neighbours.
 * Then each work-item reduces rows of its own, since making a result takes as long as adding
 * up a row. */

/* Start at different words in neighbouring work-items, in an order that does not matter, to
 * avoid conflicts of memory banks. */
#define HCR_EACH_WORD(half, item, statement)                                                   \
    int start = (half) & 1 ? 0 : (item) % (half);                                              \
    _Pragma("unroll 4") for (int k = 0; k < (half); ++k)                                       \
    {                                                                                          \
        statement;                                                                             \
        start = start + 1 == (half) ? 0 : start + 1;                                           \
    }

/* Return whether the halves of a row are those of whole words. */
HCI_FUNCTION bool hcr_is_whole(const unsigned short *row, int n)
{
    return (((size_t)row / 2 | n) & 1) == 0;
}

/* Round to a float, to odd, by integers: conversions of doubles take four times as long. x is
 * 0, special, or in the range of normal floats. */
HCI_FUNCTION float hcr_float_to_odd(double x)
{
    unsigned int high = (unsigned int)__double2hiint(x), low = (unsigned int)__double2loint(x);
    unsigned int sign = high & 0x80000000, size = high & 0x7fffffff;
    unsigned int bits = (size << 3 | low >> 29) - (896u << 23);
    bits |= low << 3 != 0;
    bits = size == 0 ? 0 : size < 0x7ff00000 ? bits : x == x ? 0x7f800000 : 0x7fc00000;
    return __uint_as_float(bits | sign);
}

HCI_FUNCTION unsigned short hcr_half_of(double sum, hci_rounding mode)
{
    return hci_device_convert_half_float(hcr_float_to_odd(sum), mode);
}

/* Return x / divisor with an error of 2^-53, or exactly if it is a double: the correction of
 * the first quotient, of an error of 2 places, is wrong by 2^-50 of a place at most. inverse:
 * 1 / divisor, rounded. */
HCI_FUNCTION double hcr_quotient(double x, double divisor, double inverse)
{
    double quotient = __dmul_rn(x, inverse), rest = __fma_rn(-quotient, divisor, x);
    return x != 0 && rest == rest ? __fma_rn(rest, inverse, quotient) : quotient;
}

#if !HCR_PRODUCTS
/* Sums are in double, which holds the sum of 2^12 halves exactly; a zero has the sign of IEEE
 * 754's sequential sum, which is that of the exact one. A sum has 47 bits: it differs from n
 * times a half, or a midpoint of two, by 2^-48 of it at least, and its quotient in double
 * compares with these as the exact one. */

HCI_FUNCTION double hcr_add_half(double sum, unsigned int bits)
{
    return sum + hci_device_convert_float((unsigned short)bits, hci_RTE);
}

/* flip: the sign bits if the elements' signs are to be flipped. */
HCI_FUNCTION double hcr_sum_of_row(const unsigned short *row, int n, int item,
                                   unsigned int flip)
{
    double sum = -0.0;
    if (!hcr_is_whole(row, n)) {
        for (int k = 0; k < n; ++k)
            sum = hcr_add_half(sum, row[k] ^ flip);
        return sum;
    }
    const unsigned int *words = (const unsigned int *)row;
    HCR_EACH_WORD(n / 2, item, {
        unsigned int word = words[start] ^ flip * 0x10001;
        sum = hcr_add_half(hcr_add_half(sum, word & 0xffff), word >> 16);
    })
    return sum;
}

/* When rounding down, a zero is -0 unless all elements are +0: the same as rounding up with all
 * signs flipped. */
HCI_FUNCTION unsigned short hcr_result_of_row(const unsigned short *row, int n, int item,
                                              double inverse, hci_rounding mode)
{
    unsigned int flip = mode == hci_RTN ? 0x8000 : 0;
    double sum = hcr_sum_of_row(row, n, item, flip);
    if (HCR_STATISTIC == HCR_OF_MEAN)
        sum = hcr_quotient(sum, n, inverse);
    return hcr_half_of(flip ? -sum : sum, mode);
}
#else
HCI_FUNCTION hcr_running hcr_running_of_row(const unsigned short *a, const unsigned short *b,
                                            int n, int item)
{
    hcr_running r = hcr_start();
    if (!hcr_is_whole(a, n) || !hcr_is_whole(b, n)) {
        for (int k = 0; k < n; ++k)
            hcr_take_one(&r, a[k], HCR_Y(b[k]), 1);
        r.any |= r.any << 16;
        r.all &= r.all << 16 | 0xffff;
        return r;
    }
    const unsigned int *as = (const unsigned int *)a, *bs = (const unsigned int *)b;
    HCR_EACH_WORD(n / 2, item, hcr_take_word(&r, as[start], HCR_Y(bs[start]), 0xffffffff))
    (void)bs;
    return r;
}

#if HCR_DOUBLE
/* Return a + b, rounded to odd. */
HCI_FUNCTION double hcr_sum_to_odd(double a, double b)
{
    bool is_exact = __dadd_rd(a, b) == __dadd_ru(a, b);
    hci_long bits = __double_as_longlong(__dadd_rz(a, b));
    return __longlong_as_double(is_exact ? bits : bits | 1);
}

/* Return the 50 leading bits of a number that is rounded to odd, rounded to odd. Quotients of
 * these compare with halves and squares of halves as they should: see quotients.h. */
HCI_FUNCTION double hcr_leading_bits(double x)
{
    hci_long bits = __double_as_longlong(x);
    return __longlong_as_double((bits & ~(hci_long)7) | (hci_long)((bits & 7) != 0) << 3);
}

/* Return n products - sum^2, rounded to odd, for n <= 64. The sum of the products' first bins
 * is below 2^(6 + 39) units of 2^-7, and that of the rests at most 2^(6 + 40) units of 2^-48,
 * so that n times each is exact. The sum has at most 2^(6 + 40) units of 2^-24; its square has
 * an error of at most 2^38 units of 2^-48, and so has the difference of the two greater
 * numbers. With n times the rests, the three are below 2^53 together, and their sum is exact.
 */
HCI_FUNCTION double hcr_variation(double first, double rest, double sum, double n)
{
    double square = __dmul_rn(sum, sum), below = __fma_rn(sum, sum, -square);
    double all = __dmul_rn(n, first), high = __dsub_rn(all, square);
    double part = __dsub_rn(high, all); /* the error of high is exact, too */
    double low = __dadd_rn(__dsub_rn(all, __dsub_rn(high, part)), __dsub_rn(-square, part));
    return hcr_sum_to_odd(high, __dsub_rn(__fma_rn(n, rest, low), below));
}

/* Return a float that compares with halves, and with midpoints of two, as the root of x, for x
 * that compares with their squares as it should. The root with 14 bits is nearer to the exact
 * one than any other of 13 bits; if it is one of them, its square decides. */
HCI_FUNCTION float hcr_root(double x)
{
    float near = __fsqrt_rn(hcr_float_to_odd(x));
    int bits = (__float_as_int(near) + 0x200) & ~0x3ff;
    double cut = __int_as_float(bits), rest = __fma_rn(-cut, cut, x);
    return x != x ? HCI_NAN : __int_as_float(bits + (rest > 0) - (rest < 0));
}

/* Return the statistic of a row with such sums, as a float that rounds to the same half. */
HCI_FUNCTION float hcr_statistic(hcr_running r, int n, double divisor, double inverse)
{
    double first = __dsub_rn(r.products.first, HCR_FIRST), rest = r.products.rest;
    bool is_special = first - first != 0;
#if HCR_SUM
    double size = hcr_leading_bits(hcr_variation(first, rest, r.sum, n));
    size = is_special ? HCI_NAN : hcr_quotient(size, divisor, inverse);
    return HCR_STATISTIC == HCR_OF_DEVIATION ? hcr_root(size) : hcr_float_to_odd(size);
#else
    double total = is_special ? first : hcr_sum_to_odd(first, rest);
    (void)n, (void)divisor, (void)inverse;
    return HCR_STATISTIC == HCR_OF_NORM ? hcr_root(total) : hcr_float_to_odd(total);
#endif
}

HCI_FUNCTION unsigned short hcr_result_of_running(hcr_running r, int n, double divisor,
                                                  double inverse, hci_rounding mode)
{
    float result = hcr_statistic(r, n, divisor, inverse);
    const unsigned int signs = 0x80008000;
    bool is_minus = (r.any & signs) != 0 && (mode == hci_RTN || (r.all & signs) == signs);
    if (HCR_SIGNS && result == 0)
        return is_minus ? 0x8000 : 0;
    return hci_device_convert_half_float(result, mode);
}
#endif
#endif

/* Copy halves to a work-group's memory, and return where the first one lies. */
HCI_FUNCTION const unsigned short *hcr_copy(hcr_pack *room, const unsigned short *x,
                                            hci_ulong first, hci_ulong end, int item)
{
    hci_ulong pack = first / 8, from = (first + 7) / 8, to = end / 8;
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
    return halves + (first & 7);
}

/* Grid: work-groups of `each` rows. */
HCR_KERNEL hck(hci_ulong results, hci_ulong length, hci_ulong each, HCR_ARRAY(x) HCR_SECOND,
               HCR_GLOBAL hcr_out *out, HCR_LAST)
{
    HCR_SHARED(hcr_pack, x_room, HCR_TOGETHER / 8 + 1);
    HCR_READ_Y(HCR_SHARED(hcr_pack, y_room, HCR_TOGETHER / 8 + 1);)
    const int n = HCR_ROW ? HCR_ROW : (int)length;
    int item = HCR_ITEM;
    hci_ulong row = HCR_GROUP_X * each, left = results - row, first = row * n;
    int rows = (int)(left < each ? left : each);
    hci_ulong end = first + rows * n;
    const unsigned short *xs = hcr_copy(x_room, x, x_0 + first, x_0 + end, item);
    HCR_READ_Y(const unsigned short *ys = hcr_copy(y_room, y, y_0 + first, y_0 + end, item);)
    hci_rounding mode = (hci_rounding)rounding;
    hci_long freedom = (hci_long)count > ddof ? (hci_long)count - ddof : 0;
    double divisor = HCR_STATISTIC == HCR_OF_MEAN ? n : (double)(n * freedom);
    double inverse = __ddiv_rn(1, divisor);
    (void)divisor, (void)inverse, (void)mode, (void)initial, (void)initial_seen;
    HCR_BARRIER;
    for (int r = item; r < rows; r += HCR_GROUP) {
#if !HCR_PRODUCTS
        out[out_0 + row + r] = hcr_result_of_row(xs + r * n, n, item, inverse, mode);
#else
        hcr_running sums = hcr_running_of_row(
            xs + r * n, HCR_PRODUCTS == 1 ? HCR_Y(ys + r * n) : xs + r * n, n, item);
#if HCR_DOUBLE
        out[out_0 + row + r] = hcr_result_of_running(sums, n, divisor, inverse, mode);
#else
        hcr_total t = hcr_nothing();
        hcr_flush(&sums, &t);
        hcr_end(&sums, &t, 0x80008000);
        hcr_store(&t, row + r, results, 0, 1, out, HCR_LAST_ARGUMENTS);
#endif
#endif
    }
}
