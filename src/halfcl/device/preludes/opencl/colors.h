/* ------------------------------------------------------------ colours of images */

/* The divisor of component k's codes; 1 for floats. */
HCI_FUNCTION uint hci_divisor_of(int order, int type, int k)
{
    int is_srgb = order >= 0x10BF && order <= 0x10C2;
    switch (type) {
    case 0x10D0: /* SNORM_INT8 */
        return 127;
    case 0x10D1: /* SNORM_INT16 */
        return 32767;
    case 0x10D2: /* UNORM_INT8 */
        return is_srgb && k < 3 ? 1 : 255;
    case 0x10D3: /* UNORM_INT16 */
        return 65535;
    case 0x10D4: /* UNORM_SHORT_565 */
        return k == 1 ? 63 : k < 3 ? 31 : 1;
    case 0x10D5: /* UNORM_SHORT_555 */
        return k < 3 ? 31 : 1;
    case 0x10D6: /* UNORM_INT_101010 */
        return k < 3 ? 1023 : 1;
    case 0x10E0: /* UNORM_INT_101010_2 */
        return k < 3 ? 1023 : 3;
    }
    return 1;
}

#ifdef HCI_COLORS
/* A code divided by that of 1; rounded to odd, or to nearest. */
HCI_FUNCTION float hci_number_of_code(float code, uint divisor, int to_odd)
{
    if (divisor == 1 || code == 0)
        return code;
    ulong size = (ulong)fabs(code) << 47, bits = size / divisor | (size % divisor != 0);
    int shift = 40 - (int)clz(bits);
    ulong top = bits >> shift, rest = bits - (top << shift), middle = (ulong)1 << (shift - 1);
    top = to_odd ? top | (rest != 0) : top + (rest > middle || (rest == middle && (top & 1)));
    float number = (float)(uint)top * as_float((uint)(shift - 47 + 127) << 23);
    return code < 0 ? -number : number;
}

/* The code that is nearest to a number, ties to even; 0 of NaN. */
HCI_FUNCTION float hci_code_of_number(float x, uint divisor, int is_signed)
{
    float d = (float)divisor, y = x != x ? 0.0f : clamp(x, -2.0f, 2.0f);
    float product = y * d, error = fma(y, d, -product), code = rint(product);
    if (error != 0 && fabs(product - floor(product)) == 0.5f)
        code = floor(product) + (error > 0 ? 1.0f : 0.0f);
    return clamp(code, is_signed ? -d - 1 : 0.0f, d);
}

/* A colour as halfcl decodes it: what a device has read, close to the codes, made exact. */
HCI_FUNCTION float4 hc_color_read(float4 color, int order, int type, int to_odd)
{
    float values[4] = {color.x, color.y, color.z, color.w};
    for (int k = 0; k < 4; ++k) {
        uint divisor = hci_divisor_of(order, type, k);
        if (divisor != 1)
            values[k] = hci_number_of_code(rint(values[k] * (float)divisor), divisor, to_odd);
    }
    return (float4)(values[0], values[1], values[2], values[3]);
}

/* A colour that every device encodes as halfcl does: numbers of codes. */
HCI_FUNCTION float4 hc_color_written(float4 color, int order, int type)
{
    float values[4] = {color.x, color.y, color.z, color.w};
    int is_signed = type == 0x10D0 || type == 0x10D1;
    for (int k = 0; k < 4; ++k) {
        uint divisor = hci_divisor_of(order, type, k);
        if (divisor != 1)
            values[k] = hci_number_of_code(hci_code_of_number(values[k], divisor, is_signed),
                                           divisor, 0);
    }
    return (float4)(values[0], values[1], values[2], values[3]);
}
#endif
