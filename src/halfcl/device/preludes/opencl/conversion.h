/* These are operators, since compilers vectorise them in divergent code, too, but not
   functions. */
HCI_FUNCTION hci_vf hci_vf_widen(hci_vh v)
{
    return (float)as_half(v);
}

/* Round to nearest, and correct by the error in other modes. NaNs are the device's. */
HCI_FUNCTION hci_vh hci_rounded_half(hci_vf v, hci_rounding mode)
{
    half nearest = (half)v;
    float back = (float)nearest;
    bool is_above = mode == hci_RTZ ? hci_vf_abs(back) > hci_vf_abs(v) : back > v;
    return hci_half_beside(as_ushort(nearest), back < v, is_above, mode);
}
