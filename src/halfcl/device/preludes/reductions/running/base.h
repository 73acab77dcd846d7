/* Running sums. Sums of a chunk's elements are integers in units of 2^-24, which have 60 bits
 * for 2^20 elements; the sum of the chunks before it is an integer of any length. */

typedef struct {
    hci_long sum;
    unsigned int seen;
} hcr_partial;

/* The sum that a chunk begins with. is_short: it has 60 bits. */
typedef struct {
    hci_wide sum;
    unsigned int seen;
    bool is_short;
} hcr_before;

HCI_FUNCTION void hcr_add(hcr_partial *p, unsigned int bits)
{
    unsigned int field = bits >> 10 & 31, digits = bits & 0x3ff;
    unsigned int minus = bits & 0x8000;
    hci_long size = (hci_long)(field != 0 ? digits | 0x400 : digits)
                    << (field != 0 ? field - 1 : 0);
    if (field == 31) {
        size = 0;
        p->seen |= digits != 0 ? hci_SEEN_NAN
                   : minus     ? hci_SEEN_MINUS_INFINITY
                               : hci_SEEN_PLUS_INFINITY;
    }
    p->sum += minus ? -size : size;
    p->seen |= minus ? hci_SEEN_MINUS : hci_SEEN_PLUS;
}

/* Add so many bins, from the first on, each a distance further: the sum that a chunk begins
 * with. */
HCI_FUNCTION hcr_total hcr_of_chunks(HCR_GLOBAL const hci_long *bins, hci_ulong first,
                                     hci_ulong step, hci_ulong count, hci_ulong result,
                                     hci_ulong results)
{
    hcr_total t = hcr_nothing();
    hci_ulong chunks = HCR_GROUPS_Y + HCR_BEGUN;
    for (hci_ulong c = first; c < count; c += step) {
        hci_ulong place = c * results + result;
#pragma unroll
        for (int k = 0; k < HCR_BINS; ++k)
            t.bin[k] += bins[place + k * chunks * results];
        t.seen |= (unsigned int)bins[place + HCR_BINS * chunks * results];
    }
    return t;
}

HCI_FUNCTION hcr_before hcr_before_of(const hcr_total *t)
{
    const hci_long most = (hci_long)1 << 59;
    hcr_before b = {hci_device_sum_total(t->bin[0], t->bin[1], t->bin[2]), t->seen, false};
    hci_long low = (hci_long)b.sum.low;
    hci_ulong sign = low < 0 ? ~(hci_ulong)0 : 0;
    b.is_short = b.sum.middle == sign && b.sum.high == sign && -most < low && low < most;
    return b;
}

HCI_FUNCTION hcr_out hcr_running_sum(const hcr_before *before, hcr_partial p, int rounding)
{
    hci_rounding mode = (hci_rounding)rounding;
    unsigned int seen = before->seen | p.seen;
    if (before->is_short)
        return (hcr_out)hci_device_round_few((hci_long)before->sum.low + p.sum, seen, 1,
                                             HCR_TYPE, mode);
    hci_wide sum = hci_wide_sum(before->sum, hci_wide_of_units(p.sum, 0));
    return (hcr_out)hci_device_round_sum(sum, seen, 1, hci_SUMS_UNIT, false, HCR_TYPE, mode);
}

#define HCR_RUNNING                                                                            \
    hci_ulong results, hci_ulong n, hci_ulong each, HCR_ARRAY(x),                              \
        HCR_GLOBAL const hci_long *bins, hci_ulong bins_0, HCR_GLOBAL hcr_out *out,            \
        hci_ulong out_0, int rounding
