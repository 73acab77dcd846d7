HCI_FUNCTION hci_vf hci_vf_div(hci_vf a, hci_vf b)
{
    return a / b;
}

HCI_FUNCTION hci_vf hci_vn_root_where(hci_vm m, hci_vf y, hci_vf a)
{
    return m ? sqrt(y) : a;
}

HCI_FUNCTION hci_vf hci_root(hci_vf a, hci_rounding mode)
{
    (void)mode;
    return sqrt(a);
}
