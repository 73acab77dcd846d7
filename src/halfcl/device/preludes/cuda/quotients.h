/* Rounds as in statistics.h, by one division in double. The quotient, or its root, is compared
 * with a number m of at most 12 bits: a half, or a midpoint of two. So x is compared with
 * divisor m or divisor m^2, of at most 49 bits. With 50 bits, rounded to odd, it compares with
 * these as before; and unless they are equal, they differ by 2^-50 of it at least, and x /
 * divisor from m or m^2 likewise, and the root from m by 2^-51. The quotient and its root in
 * double have errors of 2^-53 each, so that they compare with m as the exact ones do, and they
 * are m if those are. It remains to round the double to half, first to a float, to odd. */
HCI_FUNCTION hci_ulong hci_half_of_quotient(hci_leading_bits x, hci_ulong divisor, bool root,
                                            bool negative, hci_rounding mode)
{
    if (divisor >> 25 != 0 || (divisor == 1 && !root))
        return hci_half_of_quotient_of_integers(x, divisor, root, negative, mode);
    hci_ulong bits = x.whole >> 14 | (hci_ulong)(x.rest || x.whole << 50 != 0);
    int exponent = x.exponent + 14, is_odd = exponent & 1;
    double whole = __dsub_rn(__longlong_as_double((hci_long)(0x433ull << 52 | bits)), 0x1p52);
    double size = __ddiv_rn(is_odd && root ? __dadd_rn(whole, whole) : whole, (double)divisor);
    if (root) {
        size = __dsqrt_rn(size);
        exponent = (exponent - is_odd) / 2;
    }
    unsigned int high = (unsigned int)__double2hiint(size);
    unsigned int low = (unsigned int)__double2loint(size);
    unsigned int digits =
        (high << 3 | low >> 29) + ((unsigned int)(exponent + 127 - 1023) << 23);
    float value = __uint_as_float(digits | (unsigned int)(low << 3 != 0));
    return hci_rounded_half(negative ? -value : value, mode);
}
