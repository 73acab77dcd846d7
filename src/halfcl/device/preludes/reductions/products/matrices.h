/* Products of stacks of matrices: x has so many rows, y so many columns, of n halves each.
 * Distances between elements: in a row of x and a column of y (step), between rows and columns
 * (next), and between matrices of a stack. A result is the exact sum of products of a row and
 * a column. */

#define HCR_STEPS(name) hci_long name##_step, hci_long name##_next, hci_long name##_stack
#define HCR_MATRICES                                                                           \
    hci_ulong rows, hci_ulong columns, hci_ulong n, HCR_ARRAY(x), HCR_STEPS(x), HCR_ARRAY(y),  \
        HCR_STEPS(y)

/* A row and a column. */
typedef struct {
    HCR_GLOBAL const unsigned short *x, *y;
    hci_long x_step, y_step;
    hci_ulong n;
} hcr_vectors;

#define HCR_VECTOR(name, k, stack)                                                             \
    (name + (hci_long)name##_0 + (hci_long)(k) * name##_next + (hci_long)(stack) * name##_stack)

/* Round a total. Sums begin with +0: zeros are negative only when rounding down, and if a
 * product has a minus sign; the products' signs are examined then. */
HCI_FUNCTION unsigned int hcr_rounded(const hcr_total *t, hcr_vectors v, hci_rounding mode)
{
    hci_wide sum =
        hci_device_product_total(t->bin[0], t->bin[1], t->bin[2], t->bin[3], t->bin[4]);
    unsigned int seen = t->seen >> HCR_SEEN_PRODUCTS | hci_SEEN_PLUS;
    if (mode == hci_RTN && hci_wide_is_zero(sum) && !(seen & hci_SEEN_SPECIAL)) {
#pragma unroll 1
        for (hci_ulong k = 0; k < v.n && !(seen & hci_SEEN_MINUS); ++k) {
            unsigned int a = v.x[(hci_long)k * v.x_step], b = v.y[(hci_long)k * v.y_step];
            seen |= (a ^ b) & 0x8000 ? hci_SEEN_MINUS : 0;
        }
    }
    return (unsigned int)hci_device_round_sum(sum, seen, 1, hci_PRODUCT_UNIT, false, hci_HALF,
                                              mode);
}

#define HCR_FULL 128 /* products per bin */
#define HCR_AHEAD 4  /* pairs that are read before any is added */

/* Add the products of a row and a column, from one on, each a distance further. */
HCI_FUNCTION hcr_total hcr_dot(hcr_vectors v, hci_ulong first, hci_ulong step)
{
    hcr_running r = hcr_start();
    hcr_total t = hcr_nothing();
    hci_ulong k = first;
    while (k < v.n) {
        for (int taken = 0; taken < HCR_FULL && k < v.n;) {
            unsigned int a[HCR_AHEAD], b[HCR_AHEAD];
            int whole = k + (HCR_AHEAD - 1) * step < v.n ? HCR_AHEAD : 1;
#pragma unroll
            for (int j = 0; j < HCR_AHEAD; ++j) {
                if (j < whole) {
                    a[j] = v.x[(hci_long)(k + j * step) * v.x_step];
                    b[j] = v.y[(hci_long)(k + j * step) * v.y_step];
                }
            }
#pragma unroll
            for (int j = 0; j < HCR_AHEAD; ++j) {
                if (j < whole)
                    hcr_take(&r, a[j], b[j]);
            }
            taken += whole;
            k += whole * step;
        }
        hcr_flush(&r, &t);
    }
    return t;
}
