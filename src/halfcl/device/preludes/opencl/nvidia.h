/* PTX has sums, products and fused operations of halves, to nearest. */
HCI_FUNCTION hci_vh hci_device_add(hci_vh x, hci_vh y, hci_rounding mode)
{
    hci_vh sum;
    if (mode != hci_RTE)
        return hci_rounded_sum(hci_vf_widen(x), hci_vf_widen(y), mode);
    __asm__("add.rn.f16 %0, %1, %2;" : "=h"(sum) : "h"(x), "h"(y));
    return sum;
}

HCI_FUNCTION hci_vh hci_device_subtract(hci_vh x, hci_vh y, hci_rounding mode)
{
    hci_vh rest;
    if (mode != hci_RTE)
        return hci_rounded_sum(hci_vf_widen(x), -hci_vf_widen(y), mode);
    __asm__("sub.rn.f16 %0, %1, %2;" : "=h"(rest) : "h"(x), "h"(y));
    return rest;
}

HCI_FUNCTION hci_vh hci_device_multiply(hci_vh x, hci_vh y, hci_rounding mode)
{
    hci_vh product;
    if (mode != hci_RTE)
        return hci_rounded_half(hci_vf_mul(hci_vf_widen(x), hci_vf_widen(y)), mode);
    __asm__("mul.rn.f16 %0, %1, %2;" : "=h"(product) : "h"(x), "h"(y));
    return product;
}

HCI_FUNCTION hci_vh hci_device_fma(hci_vh x, hci_vh y, hci_vh z, hci_rounding mode)
{
    hci_vh sum;
    if (mode != hci_RTE)
        return hci_rounded_half(
            hci_vf_fma_odd(hci_vf_widen(x), hci_vf_widen(y), hci_vf_widen(z), mode), mode);
    __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(sum) : "h"(x), "h"(y), "h"(z));
    return sum;
}

/* PTX has sums in each mode; rounding twice in one direction is like rounding once. A sum
 * rounds to half toward zero, and is corrected by its error; a conversion that rounds up or
 * down takes four times as long. Products use one conversion instruction, so that both units
 * have work. */
HCI_FUNCTION hci_vh hci_rounded_sum(hci_vf a, hci_vf b, hci_rounding mode)
{
    float sum = a + b;
    if (mode == hci_RTZ)
        __asm__("add.rz.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    else if (mode == hci_RTP)
        __asm__("add.rp.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    else if (mode == hci_RTN)
        __asm__("add.rm.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
#if HC_COMPUTE_CAPABILITY >= 800
    if (mode == hci_RTP || mode == hci_RTN) {
        unsigned int cut;
        __asm__("cvt.rz.f16x2.f32 %0, 0f00000000, %1;" : "=r"(cut) : "f"(sum));
        float whole = hci_vf_widen((hci_vh)cut), low = mode == hci_RTP ? whole : sum,
              high = mode == hci_RTP ? sum : whole;
        __asm__("{\n.reg .pred p;\nsetp.lt.f32 p, %1, %2;\n@p add.u32 %0, %0, 1;\n}"
                : "+r"(cut)
                : "f"(low), "f"(high));
        return (hci_vh)cut;
    }
#endif
    return hci_rounded_half(sum, mode);
}

/* Not by floats: for these ptxas (12.9, driver 580) makes +0 of x == x ? 1.0f : -0.0f. */
HCI_FUNCTION bool hci_device_isequal(hci_vh x, hci_vh y, hci_rounding mode)
{
    int truth;
    (void)mode;
    __asm__("{\n.reg .pred p;\nsetp.eq.f16 p, %1, %2;\nselp.b32 %0, 1, 0, p;\n}"
            : "=r"(truth)
            : "h"(x), "h"(y));
    return truth != 0;
}

HCI_FUNCTION bool hci_device_isnotequal(hci_vh x, hci_vh y, hci_rounding mode)
{
    int truth;
    (void)mode;
    __asm__("{\n.reg .pred p;\nsetp.neu.f16 p, %1, %2;\nselp.b32 %0, 1, 0, p;\n}"
            : "=r"(truth)
            : "h"(x), "h"(y));
    return truth != 0;
}

HCI_FUNCTION bool hci_device_isgreater(hci_vh x, hci_vh y, hci_rounding mode)
{
    int truth;
    (void)mode;
    __asm__("{\n.reg .pred p;\nsetp.gt.f16 p, %1, %2;\nselp.b32 %0, 1, 0, p;\n}"
            : "=r"(truth)
            : "h"(x), "h"(y));
    return truth != 0;
}

HCI_FUNCTION bool hci_device_isgreaterequal(hci_vh x, hci_vh y, hci_rounding mode)
{
    int truth;
    (void)mode;
    __asm__("{\n.reg .pred p;\nsetp.ge.f16 p, %1, %2;\nselp.b32 %0, 1, 0, p;\n}"
            : "=r"(truth)
            : "h"(x), "h"(y));
    return truth != 0;
}

HCI_FUNCTION bool hci_device_isless(hci_vh x, hci_vh y, hci_rounding mode)
{
    int truth;
    (void)mode;
    __asm__("{\n.reg .pred p;\nsetp.lt.f16 p, %1, %2;\nselp.b32 %0, 1, 0, p;\n}"
            : "=r"(truth)
            : "h"(x), "h"(y));
    return truth != 0;
}

HCI_FUNCTION bool hci_device_islessequal(hci_vh x, hci_vh y, hci_rounding mode)
{
    int truth;
    (void)mode;
    __asm__("{\n.reg .pred p;\nsetp.le.f16 p, %1, %2;\nselp.b32 %0, 1, 0, p;\n}"
            : "=r"(truth)
            : "h"(x), "h"(y));
    return truth != 0;
}
