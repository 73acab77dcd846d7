/* ------------------------------------------------------------ images in C++ */

/* An image in memory: texels lie step bytes apart along x, y, z and layers. channel: the
   channel of each component, -1 for a component that is always 0, -2 for one that is always 1;
   greatest: the code that stands for 1, or 0 without codes; shift: of packed channels. */
struct hc_image {
    unsigned char *texels;
    hc_long step[4];
    int size[3], dims, layers, type, order, alpha, channel[4], greatest[4], shift[4];
    int channels, bytes; /* bits of a channel, or of all packed channels */
    int is_packed, is_srgb;
};

/* Types of channels, by OpenCL's numbers. */
#define HCI_SNORM_INT8 0x10D0
#define HCI_SNORM_INT16 0x10D1
#define HCI_SIGNED_INT8 0x10D7
#define HCI_SIGNED_INT32 0x10D9
#define HCI_HALF_FLOAT 0x10DD
#define HCI_FLOAT 0x10DE

HCI_FUNCTION bool hci_is_encoded(const hc_image &a, int k)
{
    return a.is_srgb && k < 3;
}

HCI_FUNCTION hci_layout hci_layout_of(const hc_image &a)
{
    hci_layout own;
    for (int d = 0; d < 3; ++d)
        own.size[d] = a.size[d];
    own.dims = a.dims;
    own.layers = a.layers;
    own.alpha = a.alpha;
    for (int k = 0; k < 4; ++k) {
        bool is_code = a.channel[k] >= 0 && a.greatest[k] > 0 && !hci_is_encoded(a, k);
        own.divisor[k] = is_code ? (unsigned int)a.greatest[k] : 1;
    }
    return own;
}

HCI_FUNCTION unsigned char *hci_texel_at(const hc_image &a, const int *texel)
{
    unsigned char *at = a.texels;
    for (int d = 0; d < 4; ++d)
        at += texel[d] * a.step[d];
    return at;
}

/* Bytes as an unsigned number, and as a signed one. */
HCI_FUNCTION hc_uint hci_bits_at(const unsigned char *at, int bytes)
{
    return bytes == 1 ? *at : bytes == 2 ? *(const hc_ushort *)at : *(const hc_uint *)at;
}
HCI_FUNCTION int hci_signed_at(const unsigned char *at, int bytes)
{
    return bytes == 1 ? (hc_char)*at : bytes == 2 ? *(const short *)at : *(const int *)at;
}
HCI_FUNCTION void hci_put(unsigned char *at, int bytes, hc_uint bits)
{
    if (bytes == 1)
        *at = (hc_uchar)bits;
    else if (bytes == 2)
        *(hc_ushort *)at = (hc_ushort)bits;
    else
        *(hc_uint *)at = bits;
}

/* A component: a code, or its number. Signed codes are at least that of -1. */
HCI_FUNCTION float hci_value_at(const hc_image &a, const unsigned char *texel, int k)
{
    int channel = a.channel[k];
    if (channel < 0)
        return channel == -2 ? 1.0f : 0.0f;
    if (a.is_packed)
        return (float)(hci_bits_at(texel, a.bytes) >> a.shift[k] & (hc_uint)a.greatest[k]);
    const unsigned char *at = texel + channel * a.bytes;
    if (hci_is_encoded(a, k))
        return hci_srgb_linear[*at];
    if (a.type == HCI_SNORM_INT8 || a.type == HCI_SNORM_INT16)
        return (float)hcl_max(hci_signed_at(at, a.bytes), -a.greatest[k]);
    hc_uint bits = hci_bits_at(at, a.bytes);
    if (a.type == HCI_HALF_FLOAT)
        return __half2float(__ushort_as_half((hc_ushort)bits));
    return a.type == HCI_FLOAT ? __uint_as_float(bits) : (float)bits;
}

HCI_FUNCTION void hci_fetch(const hc_image &a, const int *texel, const unsigned int *,
                            float *values)
{
    const unsigned char *at = hci_texel_at(a, texel);
    for (int k = 0; k < 4; ++k)
        values[k] = hci_value_at(a, at, k);
}

HCL_FUNCTION void hci_fetch_integers(const hc_image &a, const int *texel, T *values)
{
    const unsigned char *at = hci_texel_at(a, texel);
    for (int k = 0; k < 4; ++k) {
        int channel = a.channel[k];
        const unsigned char *own = at + channel * a.bytes;
        values[k] = channel < 0               ? (T)(channel == -2)
                    : hcl_is_signed<T>::value ? (T)hci_signed_at(own, a.bytes)
                                              : (T)hci_bits_at(own, a.bytes);
    }
}

#define HCI_SAMPLING HCI_SELDOM
HCI_SAMPLE(const hc_image &)
HCI_SAMPLE_INTEGERS(const hc_image &, int, hci_fetch_integers)
HCI_SAMPLE_INTEGERS(const hc_image &, hc_uint, hci_fetch_integers)

/* ------------------------------------------------------------ reads */

HCI_FUNCTION hci_coordinate hci_coordinate_of(int x)
{
    return hci_coordinate_of_int(x);
}
HCI_FUNCTION hci_coordinate hci_coordinate_of(float x)
{
    return hci_coordinate_of_float(x);
}
HCL_FUNCTION void hci_coordinates(T x, hci_coordinate *c)
{
    c[0] = hci_coordinate_of(x);
}
HCL_OF_VECTORS void hci_coordinates(hc_vector<T, n> x, hci_coordinate *c)
{
    for (int d = 0; d < n && d < 3; ++d)
        c[d] = hci_coordinate_of(x.s[d]);
}

HCL_FUNCTION hc_float4 hcl_read_imagef(const hc_image &a, hc_uint sampler, T at, int to_odd = 0)
{
    hci_coordinate c[3];
    hc_float4 r;
    hci_coordinates(at, c);
    hci_sample(a, sampler, c, to_odd, r.s);
    return r;
}
HCL_FUNCTION hc_half4 hcl_read_imageh(const hc_image &a, hc_uint sampler, T at)
{
    hc_float4 color = hcl_read_imagef(a, sampler, at, 1);
    hc_half4 r;
    for (int k = 0; k < 4; ++k)
        r.s[k] = __float2half_rn(color.s[k]);
    return r;
}
#define HCL_READ_INTEGERS(name, T)                                                             \
    template <typename At>                                                                     \
    HCI_FUNCTION hc_vector<T, 4> name(const hc_image &a, hc_uint sampler, At at)               \
    {                                                                                          \
        hci_coordinate c[3];                                                                   \
        hc_vector<T, 4> r;                                                                     \
        hci_coordinates(at, c);                                                                \
        hci_sample(a, sampler, c, r.s);                                                        \
        return r;                                                                              \
    }
HCL_READ_INTEGERS(hcl_read_imagei, int)
HCL_READ_INTEGERS(hcl_read_imageui, hc_uint)

/* ------------------------------------------------------------ writes */

/* A texel's address, or null outside of the image. */
HCL_FUNCTION unsigned char *hci_written(const hc_image &a, T at)
{
    hci_coordinate c[3];
    int texel[4];
    hci_coordinates(at, c);
    hci_layout own = hci_layout_of(a);
    hci_places found = hci_find(own, HCI_NO_SAMPLER, c);
    return hci_corner(own, &found, 0, texel) ? hci_texel_at(a, texel) : nullptr;
}

/* The component for a channel; -1 if there is none. */
HCI_FUNCTION int hci_component_of(const hc_image &a, int channel)
{
    for (int k = 0; k < 4; ++k)
        if (a.channel[k] == channel)
            return k;
    return -1;
}

/* The nearest code; signed ones have one more below that of -1. The product of a float and a
   code is exact in double. */
HCI_FUNCTION hc_uint hci_code_of(float x, int greatest, bool is_signed)
{
    double scaled = x != x ? 0 : __dmul_rn((double)x, (double)greatest);
    double least = is_signed ? -greatest - 1 : 0;
    scaled = scaled < least ? least : scaled > greatest ? (double)greatest : scaled;
    return (hc_uint)(int)rint(scaled);
}

HCI_FUNCTION hc_uint hci_srgb_code_of(float x)
{
    int low = 0, high = 255;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (x >= hci_srgb_least[middle - 1])
            low = middle;
        else
            high = middle - 1;
    }
    return (hc_uint)low;
}

/* The channel's bits for a component's number. */
HCI_FUNCTION hc_uint hci_bits_of(const hc_image &a, int k, float x)
{
    if (hci_is_encoded(a, k))
        return hci_srgb_code_of(x);
    if (a.greatest[k] > 0)
        return hci_code_of(x, a.greatest[k],
                           a.type == HCI_SNORM_INT8 || a.type == HCI_SNORM_INT16);
    return a.type == HCI_HALF_FLOAT ? __half_as_ushort(__float2half_rn(x)) : __float_as_uint(x);
}
HCI_FUNCTION hc_uint hci_bits_of(const hc_image &a, int k, __half x)
{
    return a.type == HCI_HALF_FLOAT ? __half_as_ushort(x) : hci_bits_of(a, k, __half2float(x));
}

/* The number, saturated. */
HCI_FUNCTION hc_uint hci_bits_of(const hc_image &a, int, int x)
{
    int greatest = (int)(0x7fffffffu >> (32 - 8 * a.bytes));
    return (hc_uint)hcl_min(hcl_max(x, -greatest - 1), greatest);
}
HCI_FUNCTION hc_uint hci_bits_of(const hc_image &a, int, hc_uint x)
{
    return hcl_min(x, 0xffffffffu >> (32 - 8 * a.bytes));
}

template <typename T, typename At>
HCI_FUNCTION void hcl_write_image(const hc_image &a, At at, hc_vector<T, 4> color)
{
    unsigned char *texel = hci_written(a, at);
    hc_uint packed = 0;
    if (!texel)
        return;
    for (int channel = 0; channel < a.channels; ++channel) {
        int k = hci_component_of(a, channel);
        hc_uint bits = k < 0 ? 0 : hci_bits_of(a, k, color.s[k]);
        if (a.is_packed)
            packed |= k < 0 ? 0 : bits << a.shift[k];
        else
            hci_put(texel + channel * a.bytes, a.bytes, bits);
    }
    if (a.is_packed)
        hci_put(texel, a.bytes, packed);
}

/* ------------------------------------------------------------ queries */

HCI_FUNCTION int hcl_get_image_width(const hc_image &a)
{
    return a.size[0];
}
HCI_FUNCTION int hcl_get_image_height(const hc_image &a)
{
    return a.size[1];
}
HCI_FUNCTION int hcl_get_image_depth(const hc_image &a)
{
    return a.size[2];
}
HCI_FUNCTION hc_ulong hcl_get_image_array_size(const hc_image &a)
{
    return (hc_ulong)a.layers;
}
HCI_FUNCTION int hcl_get_image_channel_data_type(const hc_image &a)
{
    return a.type;
}
HCI_FUNCTION int hcl_get_image_channel_order(const hc_image &a)
{
    return a.order;
}
template <int n> HCI_FUNCTION hc_vector<int, n> hcl_get_image_dim(const hc_image &a)
{
    hc_vector<int, n> r;
    HCL_EACH(k < a.dims ? a.size[k] : 0)
}
