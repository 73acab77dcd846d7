HCI_FUNCTION hci_vf hci_vn_positive_fma_odd(hci_vf a, hci_vf b, hci_vf c)
{
    int down = __float_as_int(__fmaf_rd(a, b, c)), up = __float_as_int(__fmaf_ru(a, b, c));
    return __int_as_float(down | ((down ^ up) & 1));
}

HCI_FUNCTION hci_vf hci_vf_widen(hci_vh v)
{
    return __half2float(__ushort_as_half(v));
}

/* NaNs are as the processor returns them. */
HCI_FUNCTION hci_vh hci_rounded_half(hci_vf v, hci_rounding mode)
{
    __half result = mode == hci_RTE   ? __float2half_rn(v)
                    : mode == hci_RTZ ? __float2half_rz(v)
                    : mode == hci_RTP ? __float2half_ru(v)
                                      : __float2half_rd(v);
    return __half_as_ushort(result);
}

HCI_FUNCTION hci_vh hci_device_add(hci_vh x, hci_vh y, hci_rounding mode)
{
    if (mode != hci_RTE)
        return hci_rounded_sum(hci_vf_widen(x), hci_vf_widen(y), mode);
    return __half_as_ushort(__hadd_rn(__ushort_as_half(x), __ushort_as_half(y)));
}

HCI_FUNCTION hci_vh hci_device_subtract(hci_vh x, hci_vh y, hci_rounding mode)
{
    if (mode != hci_RTE)
        return hci_rounded_sum(hci_vf_widen(x), -hci_vf_widen(y), mode);
    return __half_as_ushort(__hsub_rn(__ushort_as_half(x), __ushort_as_half(y)));
}

HCI_FUNCTION hci_vh hci_device_multiply(hci_vh x, hci_vh y, hci_rounding mode)
{
    if (mode != hci_RTE)
        return hci_rounded_half(__fmul_rn(hci_vf_widen(x), hci_vf_widen(y)), mode);
    return __half_as_ushort(__hmul_rn(__ushort_as_half(x), __ushort_as_half(y)));
}

HCI_FUNCTION hci_vh hci_device_fma(hci_vh x, hci_vh y, hci_vh z, hci_rounding mode)
{
    if (mode != hci_RTE)
        return hci_rounded_half(
            hci_vf_fma_odd(hci_vf_widen(x), hci_vf_widen(y), hci_vf_widen(z), mode), mode);
    return __half_as_ushort(
        __hfma(__ushort_as_half(x), __ushort_as_half(y), __ushort_as_half(z)));
}

/* Rounding twice in one direction is like rounding once. A sum rounds to half toward zero, and
 * is corrected by its error; a conversion that rounds up or down takes four times as long.
 * Products use one conversion instruction, so that both units have work. */
HCI_FUNCTION hci_vh hci_rounded_sum(hci_vf a, hci_vf b, hci_rounding mode)
{
    float sum = mode == hci_RTE   ? __fadd_rn(a, b)
                : mode == hci_RTZ ? __fadd_rz(a, b)
                : mode == hci_RTP ? __fadd_ru(a, b)
                                  : __fadd_rd(a, b);
#if __CUDA_ARCH__ >= 800
    if (mode == hci_RTP || mode == hci_RTN) {
        unsigned int cut;
        asm("cvt.rz.f16x2.f32 %0, 0f00000000, %1;" : "=r"(cut) : "f"(sum));
        float whole = hci_vf_widen((hci_vh)cut), low = mode == hci_RTP ? whole : sum,
              high = mode == hci_RTP ? sum : whole;
        asm("{\n.reg .pred p;\nsetp.lt.f32 p, %1, %2;\n@p add.u32 %0, %0, 1;\n}"
            : "+r"(cut)
            : "f"(low), "f"(high));
        return (hci_vh)cut;
    }
#endif
    return hci_rounded_half(sum, mode);
}

HCI_FUNCTION hci_vf hci_vf_scale(hci_vf a, hci_vf b)
{
    unsigned int shifted = __float_as_uint(__fadd_rd(b, 0x1.8p23f));
    float scaled = __uint_as_float(__float_as_uint(a) + (shifted << 23));
    return __fmaf_rn(b, 0.0f, scaled);
}

HCI_FUNCTION hci_vf hci_limit_exponent(hci_vf x)
{
#if __CUDA_ARCH__ >= 800
    float result;
    asm("{\n.reg .f32 t;\nmin.NaN.f32 t, %1, 0f42000000;\nmax.NaN.f32 %0, t, 0fC2000000;\n}"
        : "=f"(result)
        : "f"(x));
    return result;
#else
    return x > 32.0f ? 32.0f : x < -32.0f ? -32.0f : x;
#endif
}

/* Accurate within 2^-22, which is enough for every use. */
HCI_FUNCTION hci_vf hci_vf_reciprocal_estimate(hci_vf a)
{
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
}

HCI_FUNCTION hci_vf hci_vf_rsqrt_estimate(hci_vf a)
{
    float result;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
}

/* An estimate and a step of Newton's method; if that is NaN or 0, the estimate. */
HCI_FUNCTION hci_vf hci_vf_div(hci_vf a, hci_vf b)
{
    float inverse = hci_vf_reciprocal_estimate(b), quotient = __fmul_rn(a, inverse);
    float rest = __fmaf_rn(-quotient, b, a), result = __fmaf_rn(rest, inverse, quotient);
    return quotient == 0 || rest != rest ? quotient : result;
}
