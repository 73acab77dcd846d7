/* By operators, since compilers vectorize these where work-items part, too, and no functions.
 */
HCI_FUNCTION hci_vf hci_vf_widen(hci_vh v)
{
    return (float)as_half(v);
}

/* To nearest, and where that is not the mode, what it is shows the way. NaNs are the device's.
 */
HCI_FUNCTION hci_vh hci_rounded_half(hci_vf v, hci_rounding mode)
{
    half nearest = (half)v;
    float back = (float)nearest;
    bool is_above = mode == hci_RTZ ? hci_vf_abs(back) > hci_vf_abs(v) : back > v;
    return hci_half_beside(as_ushort(nearest), back < v, is_above, mode);
}
