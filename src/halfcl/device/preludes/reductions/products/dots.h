/* Each result is computed by the lanes of a work-group that share it. */
HCR_KERNEL hck(HCR_MATRICES, HCR_GLOBAL hcr_out *out, hci_ulong out_0, int rounding,
               hci_ulong results)
{
    HCR_ROOM
    int item = HCR_ITEM, lane = item % HCR_LANES;
    hci_ulong result = (hci_ulong)HCR_GROUP_X * (HCR_GROUP / HCR_LANES) + item / HCR_LANES;
    hci_ulong column = result % columns, row = result / columns % rows;
    hci_ulong stack = result / columns / rows;
    hcr_total t = hcr_nothing();
    hcr_vectors v = {x, y, x_step, y_step, n};
    if (result < results) {
        v.x = HCR_VECTOR(x, row, stack);
        v.y = HCR_VECTOR(y, column, stack);
        t = hcr_dot(v, lane, HCR_LANES);
    }
    HCR_JOIN(&t, item, lane, 1);
    if (result < results && lane == 0)
        out[out_0 + result] = (hcr_out)hcr_rounded(&t, v, (hci_rounding)rounding);
}
