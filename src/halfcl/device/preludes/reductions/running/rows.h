/* Running sums along rows of n halves each, in sequence. Each lane takes EACH elements of a
 * row, one lane after another, and then the next ones. Wide: rows, chunks and memory consist
 * of whole packs. */

#define HCR_EACH 8

#if HCR_LANES > 1
/* The sum of all lanes before this one, plus the carried sum, to which the sum of all lanes is
 * added. All work-items of a work-group take part. */
HCI_FUNCTION hcr_partial hcr_before_lane(hcr_partial own, hcr_partial *carried,
                                         HCR_SHARED_POINTER(hcr_bin) room, int item, int lane)
{
    HCR_SHARED_POINTER(hcr_bin) seen = room + HCR_GROUP;
    hcr_partial up_to = own, before = *carried;
    int last = item - lane + HCR_LANES - 1;
    room[item] = own.sum;
    seen[item] = own.seen;
    HCR_BARRIER;
    for (int apart = 1; apart < HCR_LANES; apart *= 2) {
        if (lane >= apart) {
            up_to.sum += room[item - apart];
            up_to.seen |= (unsigned int)seen[item - apart];
        }
        HCR_BARRIER;
        room[item] = up_to.sum;
        seen[item] = up_to.seen;
        HCR_BARRIER;
    }
    before.sum += up_to.sum - own.sum;
    before.seen |= lane > 0 ? (unsigned int)seen[item - 1] : 0;
    carried->sum += room[last];
    carried->seen |= (unsigned int)seen[last];
    HCR_BARRIER;
    return before;
}

/* Pass the first lane's value to all lanes. */
HCI_FUNCTION void hcr_tell(hcr_total *t, HCR_SHARED_POINTER(hcr_bin) room, int item, int lane)
{
    HCR_BARRIER;
    if (lane == 0) {
#pragma unroll
        for (int k = 0; k < HCR_BINS; ++k)
            room[k * HCR_GROUP + item] = t->bin[k];
        room[HCR_BINS * HCR_GROUP + item] = t->seen;
    }
    HCR_BARRIER;
#pragma unroll
    for (int k = 0; k < HCR_BINS; ++k)
        t->bin[k] = room[k * HCR_GROUP + item - lane];
    t->seen = (unsigned int)room[HCR_BINS * HCR_GROUP + item - lane];
    HCR_BARRIER;
}
#define HCR_BEFORE_LANE(own, carried) hcr_before_lane(own, carried, room, item, lane)
#define HCR_TELL(t) hcr_tell(t, room, item, lane)
#else
HCI_FUNCTION hcr_partial hcr_before_lane(hcr_partial own, hcr_partial *carried)
{
    hcr_partial before = *carried;
    carried->sum += own.sum;
    carried->seen |= own.seen;
    return before;
}
#define HCR_BEFORE_LANE(own, carried) hcr_before_lane(own, carried)
#define HCR_TELL(t)
#endif

/* Put so many halves into the lower bits of words. */
HCI_FUNCTION void hcr_read_few(unsigned int *bits, HCR_GLOBAL const unsigned short *from,
                               int count)
{
#if HCR_WIDE
    if (count > 0) {
        hcr_pack pack = *(HCR_GLOBAL const hcr_pack *)from;
        unsigned int word[4] = {pack.x, pack.y, pack.z, pack.w};
#pragma unroll
        for (int j = 0; j < HCR_EACH; ++j)
            bits[j] = word[j / 2] >> 16 * (j & 1) & 0xffff;
    }
#else
#pragma unroll
    for (int j = 0; j < HCR_EACH; ++j) {
        if (j < count)
            bits[j] = from[j];
    }
#endif
}

HCI_FUNCTION void hcr_write_few(const hcr_out *result, HCR_GLOBAL hcr_out *to, int count)
{
#if HCR_WIDE && HCR_RESULT == HCR_AS_HALF
    if (count > 0) {
        hcr_pack pack;
        pack.x = result[0] | (unsigned int)result[1] << 16;
        pack.y = result[2] | (unsigned int)result[3] << 16;
        pack.z = result[4] | (unsigned int)result[5] << 16;
        pack.w = result[6] | (unsigned int)result[7] << 16;
        *(HCR_GLOBAL hcr_pack *)to = pack;
    }
#else
#pragma unroll
    for (int j = 0; j < HCR_EACH; ++j) {
        if (j < count)
            to[j] = result[j];
    }
#endif
}

/* Grid: rows, and chunks of `each` elements. */
HCR_KERNEL hck(HCR_RUNNING)
{
    HCR_ROOM
    int item = HCR_ITEM, lane = item % HCR_LANES;
    hci_ulong row = (hci_ulong)HCR_GROUP_X * (HCR_GROUP / HCR_LANES) + item / HCR_LANES;
    hci_ulong chunk = HCR_GROUP_Y, before_it = chunk + HCR_BEGUN;
    hci_ulong first = chunk * each, stop = first + each < n ? first + each : n;
    bool is_there = row < results;
    hcr_total t = hcr_nothing();
    if (before_it > 0) {
        if (is_there)
            t = hcr_of_chunks(bins + bins_0, lane, HCR_LANES, before_it, row, results);
        HCR_JOIN(&t, item, lane, 1);
        HCR_TELL(&t);
    }
    hcr_before before = hcr_before_of(&t);
    hcr_partial carried = {0, 0};
    for (hci_ulong tile = first; tile < stop; tile += HCR_LANES * HCR_EACH) {
        hci_ulong at = tile + lane * HCR_EACH, place = row * n + at;
        int count = !is_there || at >= stop ? 0
                    : stop - at < HCR_EACH  ? (int)(stop - at)
                                            : HCR_EACH;
        unsigned int bits[HCR_EACH];
        hcr_out result[HCR_EACH];
        hcr_partial own = {0, 0};
        hcr_read_few(bits, x + x_0 + place, count);
        HCR_UNROLL
        for (int j = 0; j < HCR_EACH; ++j) {
            if (j < count)
                hcr_add(&own, bits[j]);
        }
        own = HCR_BEFORE_LANE(own, &carried);
        HCR_UNROLL
        for (int j = 0; j < HCR_EACH; ++j) {
            if (j < count) {
                hcr_add(&own, bits[j]);
                result[j] = hcr_running_sum(&before, own, rounding);
            }
        }
        hcr_write_few(result, out + out_0 + place, count);
    }
}
