/* Products of many halves, each rounded once. A product is significand 2^exponent, with a
 * significand of 128 bits whose highest bit is set, so that nothing overflows or underflows.
 * Truncating a product changes it by less than 2^-127 of it.
 *
 * is_cut: whether bits were truncated. Then the product of the factors' odd parts has more
 * than 128 bits, so that the product is never a rounding boundary. Zeros, infinities and NaNs
 * are noted separately. */

typedef struct {
    hci_ulong low, high;
    hci_long exponent;
    unsigned int seen;
    bool is_cut, is_negative;
    hci_ulong count;
} hcr_product;

#define HCR_SEEN_ZERO 128 /* as in csrc/exact/sum.h */

/* Significands of so many halves fit into 64 bits. */
#define HCR_AT_ONCE 5

HCI_FUNCTION hcr_product hcr_one(void)
{
    hcr_product p = {0, (hci_ulong)1 << 63, -127, 0, false, false, 0};
    return p;
}

/* The upper 128 bits of a number that is not 0, and whether there were others. */
HCI_FUNCTION void hcr_set(hcr_product *p, hci_wide x, bool is_cut)
{
    int zeros = hci_wide_leading_zeros(x);
    x = hci_wide_shifted(x, zeros);
    p->low = x.middle;
    p->high = x.high;
    p->exponent += 64 - zeros;
    p->is_cut |= is_cut || x.low != 0;
}

HCI_FUNCTION void hcr_times(hcr_product *p, hci_ulong word)
{
    hci_wide x = {p->low, p->high, 0};
    hcr_set(p, hci_wide_product(x, word), false);
}

/* Multiply by a factor, whose significand goes to word. */
HCI_FUNCTION void hcr_factor(hcr_product *p, hci_ulong *word, unsigned int bits)
{
    unsigned int field = bits >> 10 & 31, digits = bits & 0x3ff;
    p->is_negative ^= (bits & 0x8000) != 0;
    ++p->count;
    if (field == 31) {
        p->seen |= digits != 0     ? hci_SEEN_NAN
                   : bits & 0x8000 ? hci_SEEN_MINUS_INFINITY
                                   : hci_SEEN_PLUS_INFINITY;
    } else if ((bits & 0x7fff) == 0) {
        p->seen |= HCR_SEEN_ZERO;
    } else {
        *word *= field != 0 ? digits | 0x400 : digits;
        p->exponent += (int)(field != 0 ? field : 1) - 25;
    }
}

/* The product of two: the upper 192 of 256 bits, and whether there were others. */
HCI_FUNCTION void hcr_merge(hcr_product *p, const hcr_product *q)
{
    hci_wide x = {p->low, p->high, 0};
    hci_wide lower = hci_wide_product(x, q->low), shifted = {lower.middle, lower.high, 0};
    p->exponent += q->exponent + 64;
    p->seen |= q->seen;
    p->is_negative ^= q->is_negative;
    p->count += q->count;
    hcr_set(p, hci_wide_sum(hci_wide_product(x, q->high), shifted),
            q->is_cut || lower.low != 0);
}

#if HCR_RESULT >= HCR_AS_HALF
HCI_FUNCTION hcr_out hcr_rounded(const hcr_product *p, hci_rounding mode)
{
    hci_format f = hci_format_of(HCR_TYPE);
    bool is_infinite = (p->seen & hci_SEEN_SPECIAL) != 0,
         is_zero = (p->seen & HCR_SEEN_ZERO) != 0;
    hci_ulong sign = p->is_negative ? f.sign : 0;
    if ((p->seen & hci_SEEN_NAN) != 0 || (is_infinite && is_zero))
        return (hcr_out)(f.infinity | f.quiet);
    if (is_infinite || is_zero)
        return (hcr_out)(sign | (is_infinite ? f.infinity : 0));
    const hci_long most = 8000;
    hci_long exponent = p->exponent > most ? most : p->exponent < -most ? -most : p->exponent;
    hci_cut_wide x = {{p->low, p->high, 0}, p->is_cut};
    return (hcr_out)hci_round_wide(x, (int)exponent, p->is_negative, false, f, mode);
}
#endif

#if HCR_RESULT == HCR_AS_STATES
/* The odd part, which has at most so many bits, or otherwise does not matter. */
HCI_FUNCTION hci_long hcr_odd_part(const hcr_product *p)
{
    const hci_ulong short_part = 1 << 12;
    hci_ulong high = p->high;
    if (p->is_cut || p->low != 0)
        return (hci_long)short_part + 1;
    while ((high & 1) == 0)
        high >>= 1;
    return (hci_long)(high > short_part ? short_part + 1 : high);
}

/* A double-double, as the bits of two doubles: high in [1, 2), and the remainder. */
HCI_FUNCTION void hcr_write_product(HCR_GLOBAL hcr_out *to, const hcr_product *p)
{
    hci_ulong sign = p->is_negative ? (hci_ulong)1 << 63 : 0, low = 0;
    hci_ulong left = p->high << 53 | p->low >> 11; /* units of 2^-116 */
    if (left != 0) {
        int zeros = hci_leading_zeros(left);
        low = sign | (hci_ulong)(1023 - 116 + 63 - zeros) << 52 | (left << zeros << 1) >> 12;
    }
    to[0] = (hci_long)(sign | (hci_ulong)1023 << 52 | (p->high << 1) >> 12);
    to[1] = (hci_long)low;
    to[2] = p->exponent + 127;
    to[3] = hcr_odd_part(p);
    to[4] = 0;
    to[5] = (hci_long)p->seen;
}
#endif

/* A product as integers, as chunks and lanes pass it on. */
#define HCR_WORDS 5

typedef struct {
    hci_long word[HCR_WORDS];
} hcr_packed;

#define HCR_IS_NEGATIVE 256
#define HCR_IS_CUT 512

HCI_FUNCTION hcr_packed hcr_pack_product(const hcr_product *p)
{
    unsigned int flags = p->seen;
    flags |= p->is_negative ? HCR_IS_NEGATIVE : 0;
    flags |= p->is_cut ? HCR_IS_CUT : 0;
    hcr_packed words = {{(hci_long)p->low, (hci_long)p->high, p->exponent, (hci_long)flags,
                         (hci_long)p->count}};
    return words;
}

HCI_FUNCTION hcr_product hcr_unpack_product(const hcr_packed *words)
{
    unsigned int flags = (unsigned int)words->word[3];
    hcr_product p = hcr_one();
    p.low = (hci_ulong)words->word[0];
    p.high = (hci_ulong)words->word[1];
    p.exponent = words->word[2];
    p.seen = flags & 255;
    p.is_negative = (flags & HCR_IS_NEGATIVE) != 0;
    p.is_cut = (flags & HCR_IS_CUT) != 0;
    p.count = (hci_ulong)words->word[4];
    return p;
}

HCI_FUNCTION void hcr_store_product(hcr_product *p, hci_ulong result, hci_ulong results,
                                    hci_ulong chunk, hci_ulong chunks, HCR_GLOBAL hcr_out *out,
                                    HCR_LAST)
{
    (void)count, (void)ddof, (void)rounding, (void)initial, (void)initial_seen;
#if HCR_RESULT == HCR_AS_BINS
    hci_ulong place = out_0 + chunk * results + result, step = chunks * results;
    hcr_packed words = hcr_pack_product(p);
    for (int k = 0; k < HCR_WORDS; ++k)
        out[place + k * step] = words.word[k];
#elif HCR_RESULT == HCR_AS_STATES
    hcr_write_product(out + out_0 + result * 7, p);
    out[out_0 + result * 7 + 6] = (hci_long)p->count;
#else
    if (initial_seen != 0) {
        hci_ulong word = 1;
        hcr_factor(p, &word, (unsigned int)initial);
        hcr_times(p, word);
    }
    out[out_0 + result] = hcr_rounded(p, (hci_rounding)rounding);
#endif
}

/* ------------------------------------------------------------ lanes */

#if HCR_LANES > 1
/* Multiply the products of a result's lanes, which are adjacent, in the first lane. All
 * work-items of a work-group take part. */
HCI_FUNCTION void hcr_join_products(hcr_product *p, HCR_SHARED_POINTER(hci_long) room, int item,
                                    int lane)
{
    for (int part = HCR_LANES / 2; part > 0; part /= 2) {
        if (lane >= part && lane < 2 * part) {
            hcr_packed words = hcr_pack_product(p);
            for (int k = 0; k < HCR_WORDS; ++k)
                room[k * HCR_GROUP + item] = words.word[k];
        }
        HCR_BARRIER;
        if (lane < part) {
            hcr_packed words;
            for (int k = 0; k < HCR_WORDS; ++k)
                words.word[k] = room[k * HCR_GROUP + item + part];
            hcr_product q = hcr_unpack_product(&words);
            hcr_merge(p, &q);
        }
        HCR_BARRIER;
    }
}
#define HCR_PRODUCT_ROOM HCR_SHARED(hci_long, room, HCR_WORDS *HCR_GROUP);
#define HCR_JOIN_PRODUCTS(p, item, lane) hcr_join_products(p, room, item, lane)
#else
#define HCR_PRODUCT_ROOM
#define HCR_JOIN_PRODUCTS(p, item, lane)
#endif
