/* Products of rows of n halves, or of blocks of n rows of columns. Lanes take the halves of a
 * chunk in turns, and chunks those of a result, so that neighbours read neighbours. */
HCR_KERNEL hck(hci_ulong results, hci_ulong n, hci_ulong chunks, HCR_ARRAY(x) HCR_MASK,
               HCR_GLOBAL hcr_out *out, HCR_LAST, hci_ulong columns)
{
    HCR_PRODUCT_ROOM
    int item = HCR_ITEM, lane = item % HCR_LANES;
    hci_ulong own = (hci_ulong)HCR_GROUP_X * (HCR_GROUP / HCR_LANES) + item / HCR_LANES;
    hci_ulong result = columns == 1 ? own / chunks : own % results;
    hci_ulong chunk = columns == 1 ? own % chunks : own / results;
    bool is_there = own < results * chunks;
    hci_ulong first = result / columns * n * columns + result % columns;
    hci_ulong step = chunks * HCR_LANES, at = chunk * HCR_LANES + lane;
    hcr_product p = hcr_one();
    while (is_there && at < n) {
        hci_ulong word = 1;
        for (int k = 0; k < HCR_AT_ONCE && at < n; ++k, at += step) {
            hci_ulong place = first + at * columns;
            if (HCR_M(m[m_0 + place]))
                hcr_factor(&p, &word, x[x_0 + place]);
        }
        hcr_times(&p, word);
    }
    HCR_JOIN_PRODUCTS(&p, item, lane);
    if (is_there && lane == 0)
        hcr_store_product(&p, result, results, chunk, chunks, out, HCR_LAST_ARGUMENTS);
}
