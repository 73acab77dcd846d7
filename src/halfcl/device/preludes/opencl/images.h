/* ------------------------------------------------------------ images of OpenCL */

/* True if the border of an image with such an order of channels is opaque. */
HCI_FUNCTION int hci_is_opaque(int order)
{
    switch (order) {
    case 0x10B0: /* R */
    case 0x10B2: /* RG */
    case 0x10B4: /* RGB */
    case 0x10B9: /* LUMINANCE */
    case 0x10BF: /* sRGB */
        return 1;
    }
    return 0;
}

HCI_FUNCTION hci_layout hci_layout_made(int width, int height, int depth, int dims, int layers,
                                        int order, int type)
{
    hci_layout own;
    own.size[0] = width;
    own.size[1] = height;
    own.size[2] = depth;
    own.dims = dims;
    own.layers = layers;
    own.alpha = hci_is_opaque(order);
    for (int k = 0; k < 4; ++k)
        own.divisor[k] = hci_divisor_of(order, type, k);
    return own;
}

/* Convert numbers close to codes into codes. */
HCI_FUNCTION void hci_codes_of(float4 color, const uint *divisor, float *values)
{
    values[0] = color.x;
    values[1] = color.y;
    values[2] = color.z;
    values[3] = color.w;
    for (int k = 0; k < 4; ++k)
        if (divisor[k] != 1)
            values[k] = rint(values[k] * (float)divisor[k]);
}

#define HCI_SAMPLING HCI_CALLED /* inlined, it takes compilers three times as long */
#define HCI_ONE(convert, at) c[0] = convert(at);
#define HCI_TWO(convert, at)                                                                   \
    c[0] = convert(at.x);                                                                      \
    c[1] = convert(at.y);
#define HCI_FOUR(convert, at)                                                                  \
    HCI_TWO(convert, at)                                                                       \
    c[2] = convert(at.z);
#define HCI_READ(name, IMAGE, T, AT, convert, FILL, given, call)                               \
    HCI_OVERLOAD T##4 name(read_only IMAGE a, given AT at)                                     \
    {                                                                                          \
        hci_coordinate c[3];                                                                   \
        T out[4];                                                                              \
        FILL(convert, at)                                                                      \
        call;                                                                                  \
        return (T##4)(out[0], out[1], out[2], out[3]);                                         \
    }
#define HCI_NOTHING
#define HCI_GIVEN uint s,
/* Most samplers are constants: compilers then drop the other branch with its functions. */
#define HCI_SAMPLE_AT(sample, near)                                                            \
    if (hci_is_near(s))                                                                        \
        near;                                                                                  \
    else                                                                                       \
        sample
#define HCI_READ_FLOATS(name, to_odd, IMAGE, FILL, n)                                          \
    HCI_READ(name, IMAGE, float, int##n, hci_coordinate_of_int, FILL, HCI_NOTHING,             \
             hci_near(a, HCI_NO_SAMPLER, c, to_odd, out))
#define HCI_SAMPLE_FLOATS(name, to_odd, IMAGE, FILL, n)                                        \
    HCI_READ(name, IMAGE, float, int##n, hci_coordinate_of_int, FILL, HCI_GIVEN,               \
             HCI_SAMPLE_AT(hci_sample(a, s, c, to_odd, out), hci_near(a, s, c, to_odd, out)))  \
    HCI_READ(name, IMAGE, float, float##n, hci_coordinate_of_float, FILL, HCI_GIVEN,           \
             HCI_SAMPLE_AT(hci_sample(a, s, c, to_odd, out), hci_near(a, s, c, to_odd, out)))
#define HCI_SAMPLE_WHOLE(name, IMAGE, T, FILL, n)                                              \
    HCI_READ(name, IMAGE, T, int##n, hci_coordinate_of_int, FILL, HCI_GIVEN,                   \
             hci_sample(a, s, c, out))                                                         \
    HCI_READ(name, IMAGE, T, float##n, hci_coordinate_of_float, FILL, HCI_GIVEN,               \
             hci_sample(a, s, c, out))

/* Define the functions of a kind of image. AT: a texel's coordinate. */
#define HCI_IMAGE(IMAGE, dims, height, depth, layers, AT, FILL, n)                             \
    HCI_OVERLOAD hci_layout hci_layout_of(read_only IMAGE a)                                   \
    {                                                                                          \
        return hci_layout_made(get_image_width(a), height, depth, dims, layers,                \
                               get_image_channel_order(a), get_image_channel_data_type(a));    \
    }                                                                                          \
    HCI_OVERLOAD void hci_fetch(read_only IMAGE a, const int *texel, const uint *divisor,      \
                                float *values)                                                 \
    {                                                                                          \
        hci_codes_of(read_imagef(a, AT), divisor, values);                                     \
    }                                                                                          \
    HCI_OVERLOAD void hci_fetch_i(read_only IMAGE a, const int *texel, int *values)            \
    {                                                                                          \
        int4 found = read_imagei(a, AT);                                                       \
        values[0] = found.x, values[1] = found.y, values[2] = found.z, values[3] = found.w;    \
    }                                                                                          \
    HCI_OVERLOAD void hci_fetch_ui(read_only IMAGE a, const int *texel, uint *values)          \
    {                                                                                          \
        uint4 found = read_imageui(a, AT);                                                     \
        values[0] = found.x, values[1] = found.y, values[2] = found.z, values[3] = found.w;    \
    }                                                                                          \
    HCI_SAMPLE(read_only IMAGE)                                                                \
    HCI_SAMPLE_NEAR(read_only IMAGE)                                                           \
    HCI_SAMPLE_INTEGERS(read_only IMAGE, int, hci_fetch_i)                                     \
    HCI_SAMPLE_INTEGERS(read_only IMAGE, uint, hci_fetch_ui)                                   \
    HCI_READ_FLOATS(hc_read_imagef, 0, IMAGE, FILL, n)                                         \
    HCI_READ_FLOATS(hc_read_image_odd, 1, IMAGE, FILL, n)

#define HCI_SAMPLED_IMAGE(IMAGE, dims, height, depth, layers, AT, FILL, n)                     \
    HCI_IMAGE(IMAGE, dims, height, depth, layers, AT, FILL, n)                                 \
    HCI_SAMPLE_FLOATS(hc_read_imagef, 0, IMAGE, FILL, n)                                       \
    HCI_SAMPLE_FLOATS(hc_read_image_odd, 1, IMAGE, FILL, n)                                    \
    HCI_SAMPLE_WHOLE(hc_read_imagei, IMAGE, int, FILL, n)                                      \
    HCI_SAMPLE_WHOLE(hc_read_imageui, IMAGE, uint, FILL, n)

/* The kinds that functions have as parameters. */
#ifdef HCI_OF_image1d_t
HCI_SAMPLED_IMAGE(image1d_t, 1, 1, 1, 0, texel[0], HCI_ONE, )
#endif
#ifdef HCI_OF_image2d_t
HCI_SAMPLED_IMAGE(image2d_t, 2, get_image_height(a), 1, 0, (int2)(texel[0], texel[1]), HCI_TWO,
                  2)
#endif
#ifdef HCI_OF_image2d_array_t
HCI_SAMPLED_IMAGE(image2d_array_t, 2, get_image_height(a), 1, (int)get_image_array_size(a),
                  (int4)(texel[0], texel[1], texel[3], 0), HCI_FOUR, 4)
#endif
#ifdef HCI_OF_image3d_t
HCI_SAMPLED_IMAGE(image3d_t, 3, get_image_height(a), get_image_depth(a), 0,
                  (int4)(texel[0], texel[1], texel[2], 0), HCI_FOUR, 4)
#endif
#ifdef HCI_OF_image1d_buffer_t
HCI_IMAGE(image1d_buffer_t, 1, 1, 1, 0, texel[0], HCI_ONE, )
#endif
#ifdef HCI_OF_image1d_array_t
HCI_SAMPLED_IMAGE(image1d_array_t, 1, 1, 1, (int)get_image_array_size(a),
                  (int2)(texel[0], texel[3]), HCI_TWO, 2)
#endif
