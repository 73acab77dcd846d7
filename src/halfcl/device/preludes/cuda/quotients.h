/* Rounds as in statistics.h, by one division in double. The quotient, or its root, is compared
 * with numbers m of at most 12 bits: halves, and midpoints of two.
 *
 * Divisors below 2^25: x is compared with divisor m or divisor m^2, of at most 49 bits. With 50
 * bits, rounded to odd, it compares with these as before; and unless they are equal, they
 * differ by 2^-50 of it at least, and x / divisor from m or m^2 likewise, and the root from m
 * by 2^-51. The quotient and its root in double have errors of 2^-53 each, so that they compare
 * with m as the exact ones do, and they are m if those are.
 *
 * Greater ones: the 53 leading bits of x are exact up to 2^-52 of it, and so are the product of
 * the divisors and the quotient. Their errors and the root's are below 2^-49 together, and the
 * result is decided if it is further from every m, by 128 places. The rest is for integers.
 *
 * It remains to round the double to half, first to a float, to odd. */
HCI_FUNCTION bool hci_half_of_quotient(hci_leading_bits x, hci_ulong first, hci_ulong second,
                                       bool root, bool negative, hci_rounding mode,
                                       hci_ulong *result)
{
    const hci_long margin = 128, below_half = (1ll << 41) - 1;
    if (first == 1 && second == 1 && !root)
        return hci_halve_by_integers(x, first, second, root, negative, mode, result);
    double divisor = __dmul_rn(__ull2double_rn(first), __ull2double_rn(second));
    bool is_short = divisor < 0x1p25;
    int cut = is_short ? 14 : 11, exponent = x.exponent + cut, is_odd = exponent & 1;
    hci_ulong bits = x.whole >> cut;
    if (is_short)
        bits |= (hci_ulong)(x.rest || x.whole << 50 != 0);
    double size = __ull2double_rn(bits);
    size = __ddiv_rn(is_odd && root ? __dadd_rn(size, size) : size, divisor);
    if (root) {
        size = __dsqrt_rn(size);
        exponent = (exponent - is_odd) / 2;
    }
    hci_long places = __double_as_longlong(size), beyond = places & below_half;
    bool is_decided = margin < beyond && beyond < below_half - margin;
    if (!is_short && (!is_decided || (places >> 52) + exponent < 1023 - 120))
        return hci_halve_by_integers(x, first, second, root, negative, mode, result);
    unsigned int digits =
        (unsigned int)(places >> 29) + ((unsigned int)(exponent + 127 - 1023) << 23);
    float value = __uint_as_float(digits | (unsigned int)((places & 0x1fffffff) != 0));
    *result = hci_rounded_half(negative ? -value : value, mode);
    return true;
}
