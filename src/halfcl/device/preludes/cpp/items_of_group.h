/* ------------------------------------------------------------ items of a work-group in C++ */

HCI_FUNCTION hc_uint hc_item()
{
    return (hc_uint)hcl_get_local_linear_id();
}
HCI_FUNCTION hc_uint hc_items()
{
    return (hc_uint)hcl_group_size();
}
HCI_FUNCTION hc_uint hc_item_at(hc_ulong x, hc_ulong y = 0, hc_ulong z = 0)
{
    return (hc_uint)(x + blockDim.x * (y + blockDim.y * z));
}
