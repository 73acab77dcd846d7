/* Exact reductions of arrays of halves. A language's prelude and these macros configure a
 * kernel:
 *
 * HCR_SUM        1 if there is a sum of the elements
 * HCR_PRODUCTS   1 if there is a sum of products of two arrays, 2 of squares
 * HCR_WHERE      1 if a mask selects the elements that count
 * HCR_WIDE       1 to read eight halves at once; for columns 1 or 2 to read two or four
 * HCR_GROUP      work-items per work-group
 * HCR_LANES      work-items per result
 * HCR_FEW        1 if integers of 32 bits hold the bins of a work-group
 * HCR_RESULT     the result: HCR_AS_BINS, for another kernel, HCR_AS_STATES, or a number
 * HCR_STATISTIC  the statistic
 * HCR_ROW        for short rows the number of halves per row; 0 if unknown
 * HCR_TOGETHER   for short rows the greatest number of halves per work-group
 * HCR_BEGUN      for running sums 1 if the first chunk begins with bins, too
 * HCR_IN_DOUBLE  1 to add products in double where doubles are fast
 *
 * The elements of a result are split into chunks, with a row of work-groups for each. */
#define HCR_AS_BINS 0
#define HCR_AS_STATES 1
#define HCR_AS_HALF 2
#define HCR_AS_FLOAT 3
#define HCR_AS_DOUBLE 4

#define HCR_OF_SUM 0
#define HCR_OF_PRODUCTS 1
#define HCR_OF_MEAN 2
#define HCR_OF_VARIANCE 3
#define HCR_OF_DEVIATION 4
#define HCR_OF_NORM 5

/* The bins: 3 for sums, 5 for products, and the count. */
#define HCR_OF_SUMS (3 * HCR_SUM)
#define HCR_OF_BOTH (HCR_OF_SUMS + 5 * (HCR_PRODUCTS != 0))
#define HCR_BINS (HCR_OF_BOTH + HCR_WHERE)

/* Signs distinguish +0 from -0; sums of squares are never -0. */
#define HCR_SIGNS (HCR_PRODUCTS != 2)

/* True if 64 bits suffice for a total, and for the number that it is rounded to. */
#define HCR_IS_SUM (HCR_STATISTIC == HCR_OF_SUM && HCR_RESULT >= HCR_AS_HALF)
#define HCR_IS_MEAN                                                                            \
    (HCR_STATISTIC == HCR_OF_MEAN && (HCR_RESULT == HCR_AS_HALF || HCR_RESULT == HCR_AS_FLOAT))
#define HCR_ROUND_FEW (HCR_FEW && (HCR_IS_SUM || HCR_IS_MEAN))

/* The shift of the seen bits of products, next to those of sums. */
#define HCR_SEEN_PRODUCTS 8

#define HCR_DOUBLE (HC_FAST_DOUBLE && HCR_IN_DOUBLE)

#if HCR_FEW
typedef int hcr_bin;
#else
typedef hci_long hcr_bin;
#endif

#if HCR_RESULT == HCR_AS_HALF
typedef unsigned short hcr_out;
#define HCR_TYPE hci_HALF
#elif HCR_RESULT == HCR_AS_FLOAT
typedef unsigned int hcr_out;
#define HCR_TYPE hci_FLOAT
#elif HCR_RESULT == HCR_AS_DOUBLE
typedef hci_ulong hcr_out;
#define HCR_TYPE hci_DOUBLE
#else
typedef hci_long hcr_out;
#endif

typedef struct {
    hcr_bin bin[HCR_BINS];
    unsigned int seen;
} hcr_total;

HCI_FUNCTION hcr_total hcr_nothing(void)
{
    hcr_total t;
#pragma unroll
    for (int k = 0; k < HCR_BINS; ++k)
        t.bin[k] = 0;
    t.seen = 0;
    return t;
}

/* ------------------------------------------------------------ work-items */

#if HCR_DOUBLE
/* Sums in double. Each is a multiple of 2^-24 below 2^28 for 2^12 halves, and exact. Products
 * are split into bins, as in statistics.h: they are below 2^32, and multiples of 2^-48. For
 * 2^12 of them the first bin, whose last place is 2^-7, stays in its binade: 32 + 12 <= 51 - 7;
 * and the rests, which are at most 2^-8, have a sum of 2^(-8 + 12 + 48) units. */
#define HCR_MOST_PRODUCTS 4096
#define HCR_FIRST 0x1.8p45

typedef double hcr_sum_bins;
typedef struct {
    double first, rest;
} hcr_product_bins;

HCI_FUNCTION hcr_sum_bins hcr_sum_start(void)
{
    return 0;
}

HCI_FUNCTION hcr_product_bins hcr_product_start(void)
{
    hcr_product_bins p = {HCR_FIRST, 0};
    return p;
}

HCI_FUNCTION hcr_sum_bins hcr_sum_take(hcr_sum_bins sum, double x)
{
    return __dadd_rn(sum, x);
}

HCI_FUNCTION hcr_product_bins hcr_product_take(hcr_product_bins p, double x, double y)
{
    double first = __fma_rn(x, y, p.first);
    double rest = __fma_rn(x, y, __dsub_rn(p.first, first));
    hcr_product_bins sum = {first, __dadd_rn(p.rest, rest)};
    return sum;
}

typedef double hcr_number;

/* The numbers of units, in the bins of sums in float. */
HCI_FUNCTION void hcr_flush_sum(hcr_sum_bins sum, hcr_total *t)
{
    unsigned int special = hci_device_bin_special((float)sum);
    hci_long units = special ? 0 : (hci_long)(sum * 0x1p24);
    t->seen |= special;
    t->bin[0] += (hcr_bin)(units >> 28);
    t->bin[1] += (hcr_bin)(units >> 15 & 0x1fff);
    t->bin[2] += (hcr_bin)(units & 0x7fff);
}

HCI_FUNCTION void hcr_flush_products(hcr_product_bins p, hcr_total *t)
{
    unsigned int special = hci_device_bin_special((float)p.first);
    hci_long first = __double_as_longlong(p.first) - __double_as_longlong(HCR_FIRST);
    hci_long rest = special ? 0 : (hci_long)(p.rest * 0x1p48);
    first = special ? 0 : first;
    t->seen |= special << HCR_SEEN_PRODUCTS;
    t->bin[HCR_OF_SUMS] += (hcr_bin)(first >> 24);
    t->bin[HCR_OF_SUMS + 1] += (hcr_bin)(first >> 8 & 0xffff);
    t->bin[HCR_OF_SUMS + 2] += (hcr_bin)((first & 0xff) << 8) + (hcr_bin)(rest >> 33);
    t->bin[HCR_OF_SUMS + 3] += (hcr_bin)(rest >> 17 & 0xffff);
    t->bin[HCR_OF_SUMS + 4] += (hcr_bin)(rest & 0x1ffff);
}
#else
#define HCR_MOST_PRODUCTS 128

typedef hci_sum_bins hcr_sum_bins;
typedef hci_product_bins hcr_product_bins;
#define hcr_sum_start hci_device_sum_start
#define hcr_product_start hci_device_product_start
#define hcr_sum_take hci_device_sum_take
#define hcr_product_take hci_device_product_take
typedef float hcr_number;

HCI_FUNCTION void hcr_flush_sum(hcr_sum_bins bins, hcr_total *t)
{
    hci_sum_units s = hci_device_sum_units(bins);
    t->seen |= hci_device_bin_special(bins.high);
    t->bin[0] += s.high;
    t->bin[1] += s.middle;
    t->bin[2] += s.low;
}

HCI_FUNCTION void hcr_flush_products(hcr_product_bins bins, hcr_total *t)
{
    hci_product_units p = hci_device_product_units(bins);
    t->seen |= hci_device_bin_special(bins.first) << HCR_SEEN_PRODUCTS;
    t->bin[HCR_OF_SUMS] += p.first;
    t->bin[HCR_OF_SUMS + 1] += p.second;
    t->bin[HCR_OF_SUMS + 2] += p.third;
    t->bin[HCR_OF_SUMS + 3] += p.fourth;
    t->bin[HCR_OF_SUMS + 4] += p.last;
}
#endif

/* The state of a work-item since the last flush. any and all combine the bits of all words;
 * only the elements' sign bits are used. */
typedef struct {
#if HCR_SUM
    hcr_sum_bins sum;
#endif
#if HCR_PRODUCTS
    hcr_product_bins products;
#endif
    unsigned int any, all;
    int count;
} hcr_running;

HCI_FUNCTION void hcr_begin(hcr_running *r)
{
#if HCR_SUM
    r->sum = hcr_sum_start();
#endif
#if HCR_PRODUCTS
    r->products = hcr_product_start();
#endif
}

HCI_FUNCTION hcr_running hcr_start(void)
{
    hcr_running r;
    hcr_begin(&r);
    r.any = 0;
    r.all = 0xffffffff;
    r.count = 0;
    return r;
}

/* Add one element, whose halves are the lowest bits of a and b. */
HCI_FUNCTION void hcr_take(hcr_running *r, unsigned int a, unsigned int b)
{
    hcr_number x = hci_device_convert_float((unsigned short)a, hci_RTE);
#if HCR_SUM
    r->sum = hcr_sum_take(r->sum, x);
#endif
#if HCR_PRODUCTS == 1
    hcr_number y = hci_device_convert_float((unsigned short)b, hci_RTE);
    r->products = hcr_product_take(r->products, x, y);
#elif HCR_PRODUCTS == 2
    r->products = hcr_product_take(r->products, x, x);
#endif
    (void)b;
}

/* Note the signs of a word's elements that are selected by ones in kept. */
HCI_FUNCTION void hcr_note(hcr_running *r, unsigned int a, unsigned int b, unsigned int kept)
{
#if HCR_SIGNS
    unsigned int signs = HCR_PRODUCTS == 1 ? a ^ b : a;
    r->any |= signs & kept;
    r->all &= signs | ~kept;
#endif
    (void)r, (void)a, (void)b, (void)kept;
}

/* The 16 bits that a mask's byte selects. */
#define HCR_KEPT(byte) ((byte) ? 0xffffu : 0u)

/* Add the two elements of a word that are selected by ones in kept. */
HCI_FUNCTION void hcr_take_word(hcr_running *r, unsigned int a, unsigned int b,
                                unsigned int kept)
{
    hcr_note(r, a, b, kept);
    hcr_take(r, a & kept & 0xffff, b & kept & 0xffff);
    hcr_take(r, (a & kept) >> 16, (b & kept) >> 16);
}

/* Add the bins to the total, and clear the bins. */
HCI_FUNCTION void hcr_flush(hcr_running *r, hcr_total *t)
{
#if HCR_SUM
    hcr_flush_sum(r->sum, t);
#endif
#if HCR_PRODUCTS
    hcr_flush_products(r->products, t);
#endif
    hcr_begin(r);
}

/* Finish a work-item. signs: the elements' sign bits in words. */
HCI_FUNCTION void hcr_end(hcr_running *r, hcr_total *t, unsigned int signs)
{
#if HCR_SIGNS
    unsigned int seen = (r->all & signs) != signs ? hci_SEEN_PLUS : 0;
    seen |= (r->any & signs) != 0 ? hci_SEEN_MINUS : 0;
    t->seen |= HCR_PRODUCTS ? seen << HCR_SEEN_PRODUCTS : seen;
#endif
#if HCR_WHERE
    t->bin[HCR_OF_BOTH] += r->count;
#endif
    (void)r, (void)t, (void)signs;
}

/* ------------------------------------------------------------ lanes */

#ifdef HCR_LANE_BEHIND
/* Add the totals of lanes at a distance. */
HCI_FUNCTION void hcr_shuffle(hcr_total *t, int apart)
{
#pragma unroll
    for (int k = 0; k < HCR_BINS; ++k)
        t->bin[k] += HCR_LANE_BEHIND(t->bin[k], apart);
    t->seen |= HCR_LANE_BEHIND(t->seen, apart);
}
#endif

#if HCR_LANES > 1
/* Add the totals of a result's lanes, which are step work-items apart, in the first lane. All
 * work-items of a work-group take part. */
HCI_FUNCTION void hcr_join(hcr_total *t, HCR_SHARED_POINTER(hcr_bin) room, int item, int lane,
                           int step)
{
    for (int part = HCR_LANES / 2; part > 0; part /= 2) {
#ifdef HCR_LANE_BEHIND
        if (step == 1 && part < 32) {
            hcr_shuffle(t, part);
            continue;
        }
#endif
        if (lane >= part && lane < 2 * part) {
#pragma unroll
            for (int k = 0; k < HCR_BINS; ++k)
                room[k * HCR_GROUP + item] = t->bin[k];
            room[HCR_BINS * HCR_GROUP + item] = (hcr_bin)t->seen;
        }
        HCR_BARRIER;
        if (lane < part) {
            int other = item + part * step;
#pragma unroll
            for (int k = 0; k < HCR_BINS; ++k)
                t->bin[k] += room[k * HCR_GROUP + other];
            t->seen |= (unsigned int)room[HCR_BINS * HCR_GROUP + other];
        }
        HCR_BARRIER;
    }
}
#define HCR_ROOM HCR_SHARED(hcr_bin, room, (HCR_BINS + 1) * HCR_GROUP);
#define HCR_JOIN(t, item, lane, step) hcr_join(t, room, item, lane, step)

/* Pass the totals of first lanes to the first work-items, so that these make the results side
 * by side. All work-items of a work-group take part. */
HCI_FUNCTION void hcr_gather(hcr_total *t, HCR_SHARED_POINTER(hcr_bin) room, int item)
{
    if (item % HCR_LANES == 0) {
        int place = item / HCR_LANES;
#pragma unroll
        for (int k = 0; k < HCR_BINS; ++k)
            room[k * HCR_GROUP + place] = t->bin[k];
        room[HCR_BINS * HCR_GROUP + place] = (hcr_bin)t->seen;
    }
    HCR_BARRIER;
    if (item < HCR_GROUP / HCR_LANES) {
#pragma unroll
        for (int k = 0; k < HCR_BINS; ++k)
            t->bin[k] = room[k * HCR_GROUP + item];
        t->seen = (unsigned int)room[HCR_BINS * HCR_GROUP + item];
    }
}
#else
#define HCR_ROOM
#define HCR_JOIN(t, item, lane, step)
#endif

/* ------------------------------------------------------------ results */

/* The arguments that turn a total into a result: the number of elements without a mask, the
 * number subtracted from it for variances, the mode, and one more element in units of 2^-24
 * with its kind. */
#define HCR_LAST                                                                               \
    hci_ulong out_0, hci_ulong count, hci_long ddof, int rounding, hci_long initial,           \
        unsigned int initial_seen
#define HCR_LAST_ARGUMENTS out_0, count, ddof, rounding, initial, initial_seen

#if HCR_RESULT == HCR_AS_STATES
HCI_FUNCTION void hcr_write_state(HCR_GLOBAL hcr_out *to, hci_wide sum, unsigned int seen)
{
    to[0] = (hci_long)(sum.low & 0xffffffff);
    to[1] = (hci_long)(sum.low >> 32);
    to[2] = (hci_long)(sum.middle & 0xffffffff);
    to[3] = (hci_long)(sum.middle >> 32);
    to[4] = (hci_long)sum.high;
    to[5] = (hci_long)seen;
}
#endif

HCI_FUNCTION void hcr_store(const hcr_total *t, hci_ulong result, hci_ulong results,
                            hci_ulong chunk, hci_ulong chunks, HCR_GLOBAL hcr_out *out,
                            HCR_LAST)
{
#if HCR_RESULT == HCR_AS_BINS
    (void)count, (void)ddof, (void)rounding, (void)initial, (void)initial_seen;
    hci_ulong place = out_0 + chunk * results + result, step = chunks * results;
#pragma unroll
    for (int k = 0; k < HCR_BINS; ++k)
        out[place + k * step] = t->bin[k];
    out[place + HCR_BINS * step] = (hci_long)t->seen;
#else
    unsigned int seen = (t->seen & 255) | initial_seen;
    hci_rounding mode = (hci_rounding)rounding;
    (void)seen, (void)mode, (void)chunk, (void)chunks, (void)ddof;
#if HCR_WHERE
    count = (hci_ulong)t->bin[HCR_OF_BOTH];
#endif
#if HCR_SUM
    hci_long high = t->bin[0], middle = t->bin[1], low = t->bin[2];
#if HCR_ROUND_FEW
    hci_long few = high * (1 << 28) + middle * (1 << 15) + low + initial;
#endif
    hci_wide sum =
        hci_wide_sum(hci_device_sum_total(high, middle, low), hci_wide_of_units(initial, 0));
    (void)sum;
#endif
#if HCR_PRODUCTS
    unsigned int also_seen = t->seen >> HCR_SEEN_PRODUCTS | initial_seen;
    hci_wide products = hci_device_product_total(
        t->bin[HCR_OF_SUMS], t->bin[HCR_OF_SUMS + 1], t->bin[HCR_OF_SUMS + 2],
        t->bin[HCR_OF_SUMS + 3], t->bin[HCR_OF_SUMS + 4]);
#endif
#if HCR_RESULT == HCR_AS_STATES
    hci_ulong place = out_0 + result * (6 * HCR_SUM + 6 * (HCR_PRODUCTS != 0) + 1);
#if HCR_SUM
    hcr_write_state(out + place, sum, seen);
    place += 6;
#endif
#if HCR_PRODUCTS
    hcr_write_state(out + place, products, also_seen);
    place += 6;
#endif
    out[place] = (hci_long)count;
#elif HCR_STATISTIC == HCR_OF_SUM || HCR_STATISTIC == HCR_OF_MEAN
    hci_ulong n = HCR_STATISTIC == HCR_OF_SUM ? 1 : count;
#if HCR_ROUND_FEW
    out[out_0 + result] = (hcr_out)hci_device_round_few(few, seen, n, HCR_TYPE, mode);
#else
    out[out_0 + result] =
        (hcr_out)hci_device_round_sum(sum, seen, n, hci_SUMS_UNIT, false, HCR_TYPE, mode);
#endif
#elif HCR_STATISTIC == HCR_OF_PRODUCTS || HCR_STATISTIC == HCR_OF_NORM
    out[out_0 + result] = (hcr_out)hci_device_round_sum(
        products, also_seen, 1, hci_PRODUCT_UNIT, HCR_STATISTIC == HCR_OF_NORM, HCR_TYPE, mode);
#else
    hci_ulong freedom = (hci_long)count > ddof ? count - (hci_ulong)ddof : 0;
    out[out_0 + result] =
        (hcr_out)hci_device_round_variance(sum, products, seen | also_seen, count, freedom,
                                           HCR_STATISTIC == HCR_OF_DEVIATION, HCR_TYPE, mode);
#endif
#endif
}

/* ------------------------------------------------------------ arrays */

#define HCR_ARRAY(name) HCR_GLOBAL const unsigned short *name, hci_ulong name##_0
#if HCR_PRODUCTS == 1
#define HCR_SECOND , HCR_ARRAY(y)
#define HCR_Y(value) value
#define HCR_READ_Y(statement) statement
#else
#define HCR_SECOND
#define HCR_Y(value) 0
#define HCR_READ_Y(statement)
#endif
#if HCR_WHERE
#define HCR_MASK , HCR_GLOBAL const unsigned char *m, hci_ulong m_0
#define HCR_M(value) value
#define HCR_READ_M(statement) statement
#else
#define HCR_MASK
#define HCR_M(value) 1
#define HCR_READ_M(statement)
#endif

/* Add one element, which counts if kept is not 0. */
HCI_FUNCTION void hcr_take_one(hcr_running *r, unsigned int a, unsigned int b, int kept)
{
    unsigned int bits = HCR_KEPT(kept);
    hcr_note(r, a, b, bits);
    hcr_take(r, a & bits, b & bits);
    r->count += kept != 0;
}
