/* Combine the chunks' bins into results. */
HCR_KERNEL hck(hci_ulong results, hci_ulong chunks, HCR_GLOBAL const hci_long *in,
               hci_ulong in_0, HCR_GLOBAL hcr_out *out, HCR_LAST)
{
    HCR_ROOM
    const int across = HCR_GROUP / HCR_LANES;
    int item = HCR_ITEM, lane = item / across;
    hci_ulong result = (hci_ulong)HCR_GROUP_X * across + item % across;
    hcr_total t = hcr_nothing();
    if (result < results) {
#pragma unroll 4
        for (hci_ulong chunk = lane; chunk < chunks; chunk += HCR_LANES) {
            hci_ulong place = in_0 + chunk * results + result, step = chunks * results;
#pragma unroll
            for (int k = 0; k < HCR_BINS; ++k)
                t.bin[k] += in[place + k * step];
            t.seen |= (unsigned int)in[place + HCR_BINS * step];
        }
    }
    HCR_JOIN(&t, item, lane, across);
    if (result < results && lane == 0)
        hcr_store(&t, result, results, 0, 1, out, HCR_LAST_ARGUMENTS);
}
