HCI_FUNCTION hci_vf hci_vf_widen(hci_vh v)
{
    return vload_half(0, (const __private half *)&v);
}

/* NaNs are the device's. */
HCI_FUNCTION hci_vh hci_rounded_half(hci_vf v, hci_rounding mode)
{
    hci_vh result;
    __private half *place = (__private half *)&result;
    if (mode == hci_RTE)
        vstore_half_rte(v, 0, place);
    else if (mode == hci_RTZ)
        vstore_half_rtz(v, 0, place);
    else if (mode == hci_RTP)
        vstore_half_rtp(v, 0, place);
    else
        vstore_half_rtn(v, 0, place);
    return result;
}
