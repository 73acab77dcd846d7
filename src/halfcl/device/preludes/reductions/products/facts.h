/* The facts of a vector in one word: the bits of its greatest magnitude; the power of two, in
 * units of 2^-24, that divides all its elements, as 63 minus the exponent (0 if all are
 * zeros); the signs of the elements; and whether more than half of the elements are not zero.
 */
#define HCR_GREATEST 0x7fffu
#define HCR_POWER(word) (63 - (int)((word) >> 15 & 63))
#define HCR_PLUS (1u << 21)
#define HCR_MINUS (1u << 22)
#define HCR_BOTH_SIGNS (HCR_PLUS | HCR_MINUS)
#define HCR_DENSE (1u << 23)

/* The facts of a vector of one half. */
HCI_FUNCTION unsigned int hcr_fact(unsigned int bits)
{
    unsigned int size = bits & 0x7fff, field = size >> 10, digits = size & 0x3ff;
    unsigned int sign = bits & 0x8000 ? HCR_MINUS : HCR_PLUS;
    if (size == 0)
        return sign;
    digits |= field != 0 ? 0x400 : 0;
    int power =
        (field != 0 ? (int)field - 1 : 0) + 63 - hci_leading_zeros(digits & (0 - digits));
    return size | (unsigned int)(63 - power) << 15 | sign;
}

/* The facts of both together, except for HCR_DENSE. */
HCI_FUNCTION unsigned int hcr_both(unsigned int a, unsigned int b)
{
    const unsigned int divisor = 63u << 15;
    unsigned int size =
        (a & HCR_GREATEST) > (b & HCR_GREATEST) ? a & HCR_GREATEST : b & HCR_GREATEST;
    unsigned int power = (a & divisor) > (b & divisor) ? a & divisor : b & divisor;
    return size | power | ((a | b) & HCR_BOTH_SIGNS);
}
