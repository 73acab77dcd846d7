/* ------------------------------------------------------------ address spaces in CUDA C++ */

/* The memory that a pointer points to. */
HCI_FUNCTION void *hcl_address_to_global(const void *p)
{
    return __isGlobal(p) ? (void *)p : nullptr;
}
HCI_FUNCTION void *hcl_address_to_local(const void *p)
{
    return __isShared(p) ? (void *)p : nullptr;
}
HCI_FUNCTION void *hcl_address_to_private(const void *p)
{
    return __isLocal(p) ? (void *)p : nullptr;
}
HCI_FUNCTION hc_uint hcl_address_get_fence(const void *p)
{
    return __isShared(p) ? 1 : 2;
}
