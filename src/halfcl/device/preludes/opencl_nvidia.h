/* By the instructions that CUDA has for it. Rounded twice alike it is as if rounded once. */
HCI_FUNCTION hci_vh hci_rounded_sum(hci_vf a, hci_vf b, hci_rounding mode)
{
    float sum = a + b;
    if (mode == hci_RTZ)
        __asm__("add.rz.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    else if (mode == hci_RTP)
        __asm__("add.rp.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    else if (mode == hci_RTN)
        __asm__("add.rm.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    return hci_rounded_half(sum, mode);
}
