/* A work-group computes a tile of the result. It reads parts of the rows and columns that the
 * tile needs into shared memory, as floats; each work-item has EACH x EACH results, which are
 * ACROSS columns and DOWN rows apart. */
#define HCR_EACH 2
#define HCR_ACROSS 16
#define HCR_DOWN (HCR_GROUP / HCR_ACROSS)
#define HCR_DEPTH 32

HCI_FUNCTION float hcr_float_at(HCR_GLOBAL const unsigned short *from, hci_long place,
                                bool is_there)
{
    return is_there ? hci_device_convert_float(from[place], hci_RTE) : 0;
}

HCR_KERNEL hck(HCR_MATRICES, HCR_GLOBAL hcr_out *out, hci_ulong out_0, int rounding)
{
    HCR_SHARED(float, left, HCR_EACH * HCR_DOWN * (HCR_DEPTH + 1));
    HCR_SHARED(float, right, HCR_EACH * HCR_ACROSS * (HCR_DEPTH + 1));
    const int high = HCR_EACH * HCR_DOWN, wide = HCR_EACH * HCR_ACROSS, pitch = HCR_DEPTH + 1;
    int item = HCR_ITEM, i = item / HCR_ACROSS, j = item % HCR_ACROSS;
    hci_ulong across = (columns + wide - 1) / wide, down = (rows + high - 1) / high;
    hci_ulong tile = HCR_GROUP_X, stack = tile / across / down;
    hci_ulong row = tile / across % down * high, column = tile % across * wide;
    HCR_GLOBAL const unsigned short *xs = HCR_VECTOR(x, row, stack);
    HCR_GLOBAL const unsigned short *ys = HCR_VECTOR(y, column, stack);
    hci_product_bins bins[HCR_EACH * HCR_EACH];
    hcr_total t[HCR_EACH * HCR_EACH];
#pragma unroll
    for (int e = 0; e < HCR_EACH * HCR_EACH; ++e) {
        bins[e] = hci_device_product_start();
        t[e] = hcr_nothing();
    }
    /* Neighbours read neighbours, in whichever way the matrices lie. */
    bool x_along = x_step == 1 || x_next != 1, y_along = y_step == 1 && y_next != 1;
    int full = 0;
    for (hci_ulong k = 0; k < n; k += HCR_DEPTH) {
        for (int at = item; at < high * HCR_DEPTH; at += HCR_GROUP) {
            int r = x_along ? at / HCR_DEPTH : at % high,
                d = x_along ? at % HCR_DEPTH : at / high;
            left[r * pitch + d] = hcr_float_at(xs, r * x_next + (hci_long)(k + d) * x_step,
                                               row + r < rows && k + d < n);
        }
        for (int at = item; at < wide * HCR_DEPTH; at += HCR_GROUP) {
            int c = y_along ? at / HCR_DEPTH : at % wide,
                d = y_along ? at % HCR_DEPTH : at / wide;
            right[c * pitch + d] = hcr_float_at(ys, c * y_next + (hci_long)(k + d) * y_step,
                                                column + c < columns && k + d < n);
        }
        HCR_BARRIER;
        int depth = n - k < HCR_DEPTH ? (int)(n - k) : HCR_DEPTH;
        for (int d = 0; d < depth; ++d) {
            float a[HCR_EACH], b[HCR_EACH];
#pragma unroll
            for (int e = 0; e < HCR_EACH; ++e) {
                a[e] = left[(i + e * HCR_DOWN) * pitch + d];
                b[e] = right[(j + e * HCR_ACROSS) * pitch + d];
            }
#pragma unroll
            for (int e = 0; e < HCR_EACH * HCR_EACH; ++e)
                bins[e] = hci_device_product_take(bins[e], a[e / HCR_EACH], b[e % HCR_EACH]);
        }
        HCR_BARRIER;
        full += HCR_DEPTH;
        if (full == HCR_FULL || k + HCR_DEPTH >= n) {
            full = 0;
#pragma unroll
            for (int e = 0; e < HCR_EACH * HCR_EACH; ++e) {
                hcr_running r = {bins[e], 0, 0, 0};
                hcr_flush(&r, &t[e]);
                bins[e] = r.products;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < HCR_EACH * HCR_EACH; ++e) {
        hci_ulong r = row + i + e / HCR_EACH * HCR_DOWN;
        hci_ulong c = column + j + e % HCR_EACH * HCR_ACROSS;
        if (r < rows && c < columns) {
            hcr_vectors v = {HCR_VECTOR(x, r, stack), HCR_VECTOR(y, c, stack), x_step, y_step,
                             n};
            out[out_0 + (stack * rows + r) * columns + c] =
                (hcr_out)hcr_rounded(&t[e], v, (hci_rounding)rounding);
        }
    }
}
