HCI_FUNCTION hci_vf hci_vf_widen(hci_vh v)
{
    return convert_float(as_half(v));
}

/* NaNs are the device's. */
HCI_FUNCTION hci_vh hci_rounded_half(hci_vf v, hci_rounding mode)
{
    return as_ushort(mode == hci_RTE   ? convert_half_rte(v)
                     : mode == hci_RTZ ? convert_half_rtz(v)
                     : mode == hci_RTP ? convert_half_rtp(v)
                                       : convert_half_rtn(v));
}
