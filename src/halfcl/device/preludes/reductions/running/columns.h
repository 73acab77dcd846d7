/* Running sums down columns: n rows in sequence, each of so many columns; and many such
 * blocks. Grid: columns, and chunks of `each` rows. */

#define HCR_AHEAD 4 /* rows that are read before any is added */

HCR_KERNEL hck(HCR_RUNNING, hci_ulong columns)
{
    hci_ulong column = (hci_ulong)HCR_GROUP_X * HCR_GROUP + HCR_ITEM;
    hci_ulong chunk = HCR_GROUP_Y;
    hci_ulong row = chunk * each, stop = row + each < n ? row + each : n;
    hcr_partial p = {0, 0};
    if (column >= results)
        return;
    hcr_total t = hcr_of_chunks(bins + bins_0, 0, 1, chunk + HCR_BEGUN, column, results);
    hcr_before before = hcr_before_of(&t);
    hci_ulong at = column / columns * n * columns + column % columns + row * columns;
    while (row < stop) {
        unsigned int bits[HCR_AHEAD];
        int whole = row + HCR_AHEAD <= stop ? HCR_AHEAD : 1;
#pragma unroll
        for (int j = 0; j < HCR_AHEAD; ++j) {
            if (j < whole)
                bits[j] = x[x_0 + at + j * columns];
        }
#pragma unroll
        for (int j = 0; j < HCR_AHEAD; ++j) {
            if (j < whole) {
                hcr_add(&p, bits[j]);
                out[out_0 + at + j * columns] = hcr_running_sum(&before, p, rounding);
            }
        }
        row += whole;
        at += whole * columns;
    }
}
