//= widths
/* Functions of whole vectors. The arithmetic is that of the functions of one half. */
#define hci_widths(DEFINE) DEFINE(2) DEFINE(3) DEFINE(4) DEFINE(8) DEFINE(16)
#if HCI_NEAREST_ONLY
#undef hci_widths
#define hci_widths(DEFINE) DEFINE() DEFINE(2) DEFINE(3) DEFINE(4) DEFINE(8) DEFINE(16)
#endif
#if defined(__clang__) && __clang_major__ >= 13
#define HCI_STRICT _Pragma("clang fp contract(off) reassociate(off)")
#else
#define HCI_STRICT
#endif
/* Conversions are operators where there are such: compilers vectorise them, too. */
#ifdef __has_builtin
#if __has_builtin(__builtin_convertvector)
#define HCI_CONVERTED(x, type) __builtin_convertvector(x, type)
#endif
#endif
#ifndef HCI_CONVERTED
#define HCI_CONVERTED(x, type) convert_##type(x)
#endif
#define HCI_CONVERT(x, type, n) HCI_CONVERT_##n(x, type##n)
#define HCI_CONVERT_(x, type) ((type)(x))
#define HCI_CONVERT_2(x, type) HCI_CONVERTED(x, type)
#define HCI_CONVERT_3(x, type) HCI_CONVERTED(x, type)
#define HCI_CONVERT_4(x, type) HCI_CONVERTED(x, type)
#define HCI_CONVERT_8(x, type) HCI_CONVERTED(x, type)
#define HCI_CONVERT_16(x, type) HCI_CONVERTED(x, type)

/* The device's own operations on halves, to nearest. */
#if HCI_NEAREST_ONLY && defined(HC_NATIVE_ARITHMETIC)
#define HCI_NATIVE(name, operator, n)                                                          \
    HCI_OVERLOAD ushort##n hci_device_##name##_vector(ushort##n x, ushort##n y,                \
                                                      hci_rounding mode)                       \
    {                                                                                          \
        HCI_STRICT(void) mode;                                                                 \
        return as_ushort##n(as_half##n(x) operator as_half##n(y));                             \
    }
#endif

//= vector_add
#define HCI_VECTOR_ADD(n)                                                                      \
    HCI_OVERLOAD float##n hci_vector_add(float##n a, float##n b)                               \
    {                                                                                          \
        HCI_STRICT                                                                             \
        return a + b;                                                                          \
    }
hci_widths(HCI_VECTOR_ADD)

//= vector_mul
/* Without the pragma, a sum with a zero is never fused with another operation. */
#if defined(__clang__) && __clang_major__ >= 13
#define HCI_VECTOR_MUL(n)                                                                      \
    HCI_OVERLOAD float##n hci_vector_mul(float##n a, float##n b)                               \
    {                                                                                          \
        HCI_STRICT                                                                             \
        return a * b;                                                                          \
    }
#else
#define HCI_VECTOR_MUL(n)                                                                      \
    HCI_OVERLOAD float##n hci_vector_mul(float##n a, float##n b)                               \
    {                                                                                          \
        return fma(a, b, (float##n)(-0.0f));                                                   \
    }
#endif
    hci_widths(HCI_VECTOR_MUL)

//= vector_widen
#if defined(HC_NATIVE_CONVERSION)
#define HCI_VECTOR_WIDEN(n)                                                                    \
    HCI_OVERLOAD float##n hci_vector_widen(ushort##n v)                                        \
    {                                                                                          \
        return HCI_CONVERT(as_half##n(v), float, n);                                           \
    }
#else
#define HCI_VECTOR_WIDEN(n)                                                                    \
    HCI_OVERLOAD float##n hci_vector_widen(ushort##n v)                                        \
    {                                                                                          \
        int##n bits = HCI_CONVERT(v, int, n), magnitude = bits & hci_HALF_MAGNITUDE;           \
        int##n normal = (magnitude << hci_FLOAT_CUT) + (112 << 23);                            \
        normal += (magnitude >= hci_HALF_INF) & (112 << 23);                                   \
        float##n subnormal =                                                                   \
            hci_vector_mul(HCI_CONVERT(magnitude, float, n), (float##n)(0x1p-24f));            \
        normal = magnitude < hci_HALF_MIN_NORMAL ? as_int##n(subnormal) : normal;              \
        return as_float##n(normal | ((bits & hci_HALF_SIGN) << 16));                           \
    }
#endif
        hci_widths(HCI_VECTOR_WIDEN)

//= vector_beside
#if !HCI_NEAREST_ONLY
/* Vectors of truths, and their results, have all bits alike. */
#define HCI_VECTOR_BESIDE(n)                                                                   \
    HCI_OVERLOAD ushort##n hci_vector_beside(ushort##n nearest, int##n is_below,               \
                                             int##n is_above, hci_rounding mode)               \
    {                                                                                          \
        int##n bits = HCI_CONVERT(nearest, int, n), up = ((bits << 16) >> 31) | 1;             \
        bits += mode == hci_RTP   ? up & is_below                                              \
                : mode == hci_RTN ? -(up & is_above)                                           \
                : mode == hci_RTZ ? is_above                                                   \
                                  : (int##n)(0);                                               \
        return HCI_CONVERT(bits, ushort, n);                                                   \
    }
            hci_widths(HCI_VECTOR_BESIDE)
#endif

//= vector_rounded
#if HCI_NEAREST_ONLY
#define HCI_VECTOR_ROUNDED(n)                                                                  \
    HCI_OVERLOAD ushort##n hci_vector_rounded(float##n v, hci_rounding mode)                   \
    {                                                                                          \
        (void)mode;                                                                            \
        return as_ushort##n(HCI_CONVERT(v, half, n));                                          \
    }
#elif defined(HC_NATIVE_CONVERSION)
#define HCI_VECTOR_ROUNDED(n)                                                                  \
    HCI_OVERLOAD ushort##n hci_vector_rounded(float##n v, hci_rounding mode)                   \
    {                                                                                          \
        half##n nearest = HCI_CONVERT(v, half, n);                                             \
        float##n back = HCI_CONVERT(nearest, float, n);                                        \
        int##n is_above = mode == hci_RTZ ? fabs(back) > fabs(v) : back > v;                   \
        return hci_vector_beside(as_ushort##n(nearest), back < v, is_above, mode);             \
    }
#else
#define HCI_VECTOR_ROUNDED(n)                                                                  \
    HCI_OVERLOAD ushort##n hci_vector_rounded(float##n v, hci_rounding mode)                   \
    {                                                                                          \
        int##n magnitude = as_int##n(v) & hci_FLOAT_MAGNITUDE, sign = as_int##n(v) >> 31;      \
        int##n away = mode == hci_RTP ? ~sign : mode == hci_RTN ? sign : (int##n)(0);          \
        int##n bump =                                                                          \
            mode == hci_RTE ? ((magnitude >> hci_FLOAT_CUT) & 1) + 0xfff : away & 0x1fff;      \
        int##n most = mode == hci_RTE                                                          \
                          ? (int##n)(hci_HALF_INF)                                             \
                          : hci_HALF_LARGEST - (away | (magnitude >= hci_FLOAT_INF));          \
        int##n normal = as_int##n(as_uint##n(magnitude) + as_uint##n(bump));                   \
        normal = (normal >> hci_FLOAT_CUT) - (112 << 10);                                      \
        normal = normal < most ? normal : most;                                                \
        float##n size = as_float##n(magnitude), sum = hci_vector_add(size, (float##n)(0.5f));  \
        int##n units = as_int##n(sum) - 0x3f000000;                                            \
        if (mode != hci_RTE) {                                                                 \
            float##n rest = hci_vector_add(size, -hci_vector_add(sum, (float##n)(-0.5f)));     \
            units += (~away & (rest < 0.0f)) - (away & (rest > 0.0f));                         \
        }                                                                                      \
        normal = magnitude < hci_FLOAT_HALF_MIN ? units : normal;                              \
        normal |= sign & hci_HALF_SIGN;                                                        \
        normal = magnitude > hci_FLOAT_INF ? (int##n)(hci_HALF_NAN) : normal;                  \
        return HCI_CONVERT(normal, ushort, n);                                                 \
    }
#endif
                hci_widths(HCI_VECTOR_ROUNDED)

//= vector_rounded_sum
#if HCI_NEAREST_ONLY
#define HCI_VECTOR_ROUNDED_SUM(n)                                                              \
    HCI_OVERLOAD ushort##n hci_vector_rounded_sum(float##n a, float##n b, hci_rounding mode)   \
    {                                                                                          \
        return hci_vector_rounded(hci_vector_add(a, b), mode);                                 \
    }
#else
#define HCI_VECTOR_ROUNDED_SUM(n)                                                              \
    HCI_OVERLOAD ushort##n hci_vector_rounded_sum(float##n a, float##n b, hci_rounding mode)   \
    {                                                                                          \
        float##n sum = mode == hci_RTN ? -hci_vector_add(-a, -b) : hci_vector_add(a, b);       \
        ushort##n nearest = hci_vector_rounded(sum, hci_RTE);                                  \
        if (mode == hci_RTE)                                                                   \
            return nearest;                                                                    \
        int##n sign = mode == hci_RTZ ? as_int##n(sum) & ~hci_FLOAT_MAGNITUDE : (int##n)(0);   \
        float##n x = as_float##n(as_int##n(a) ^ sign), y = as_float##n(as_int##n(b) ^ sign);   \
        float##n all = as_float##n(as_int##n(hci_vector_widen(nearest)) ^ sign);               \
        float##n less_x = hci_vector_add(all, -x), less_y = hci_vector_add(all, -y);           \
        return hci_vector_beside(nearest, (less_x < y) | (less_y < x),                         \
                                 (less_x > y) | (less_y > x), mode);                           \
    }
#endif
                    hci_widths(HCI_VECTOR_ROUNDED_SUM)

//= vector_zero_sum
/* A sum that is rounded down: zeros that cancel are negative. */
#if HCI_NEAREST_ONLY
#define HCI_VECTOR_ZERO_SUM(n)                                                                 \
    HCI_OVERLOAD float##n hci_vector_zero_sum(float##n sum, float##n a, float##n b,            \
                                              float##n result, hci_rounding mode)              \
    {                                                                                          \
        (void)sum, (void)a, (void)b, (void)mode;                                               \
        return result;                                                                         \
    }
#else
#define HCI_VECTOR_ZERO_SUM(n)                                                                 \
    HCI_OVERLOAD float##n hci_vector_zero_sum(float##n sum, float##n a, float##n b,            \
                                              float##n result, hci_rounding mode)              \
    {                                                                                          \
        if (mode != hci_RTN)                                                                   \
            return result;                                                                     \
        return ((sum == 0.0f) & ((as_int##n(a) | as_int##n(b)) < 0)) ? (float##n)(-0.0f)       \
                                                                     : result;                 \
    }
#endif
                        hci_widths(HCI_VECTOR_ZERO_SUM)

//= vector_sum_to_odd
#define HCI_VECTOR_SUM_TO_ODD(n)                                                               \
    HCI_OVERLOAD float##n hci_vector_sum_to_odd(float##n a, float##n b, hci_rounding mode)     \
    {                                                                                          \
        float##n sum = hci_vector_add(a, b), moved = hci_vector_add(sum, -a);                  \
        float##n rest = hci_vector_add(a, -hci_vector_add(sum, -moved));                       \
        rest = hci_vector_add(rest, hci_vector_add(b, -moved));                                \
        int##n odd = (as_int##n(sum) + ((as_int##n(sum) ^ as_int##n(rest)) >> 31)) | 1;        \
        float##n result = ((rest < 0.0f) | (rest > 0.0f)) ? as_float##n(odd) : sum;            \
        return hci_vector_zero_sum(sum, a, b, result, mode);                                   \
    }
                            hci_widths(HCI_VECTOR_SUM_TO_ODD)

//= device_convert_float_vector
#define HCI_CONVERT_FLOAT(n)                                                                   \
    HCI_OVERLOAD float##n hci_device_convert_float_vector(ushort##n x, hci_rounding mode)      \
    {                                                                                          \
        (void)mode;                                                                            \
        return hci_vector_widen(x);                                                            \
    }
                                hci_widths(HCI_CONVERT_FLOAT)

//= device_convert_half_float_vector
#if HCI_NEAREST_ONLY
#define HCI_CONVERT_HALF_FLOAT(n)                                                              \
    HCI_OVERLOAD ushort##n hci_device_convert_half_float_vector(float##n x, hci_rounding mode) \
    {                                                                                          \
        (void)mode;                                                                            \
        return as_ushort##n(HCI_CONVERT(x, half, n));                                          \
    }
#else
#define HCI_CONVERT_HALF_FLOAT(n)                                                              \
    HCI_OVERLOAD ushort##n hci_device_convert_half_float_vector(float##n x, hci_rounding mode) \
    {                                                                                          \
        int##n magnitude = as_int##n(x) & hci_FLOAT_MAGNITUDE;                                 \
        int##n least = as_int##n((float##n)(0x1p-40f));                                        \
        int##n size = ((magnitude != 0) & (magnitude < least)) ? least : magnitude;            \
        size |= as_int##n(x) & ~hci_FLOAT_MAGNITUDE;                                           \
        return hci_vector_rounded(as_float##n(size), mode);                                    \
    }
#endif
                                    hci_widths(HCI_CONVERT_HALF_FLOAT)

//= device_convert_half_int_vector
#define HCI_CONVERT_HALF_INT(n)                                                                \
    HCI_OVERLOAD ushort##n hci_device_convert_half_int_vector(int##n x, hci_rounding mode)     \
    {                                                                                          \
        int##n clamped = x < 1 << 18 ? x : (int##n)(1 << 18);                                  \
        clamped = clamped > -(1 << 18) ? clamped : (int##n)(-(1 << 18));                       \
        return hci_vector_rounded(HCI_CONVERT(clamped, float, n), mode);                       \
    }
                                        hci_widths(HCI_CONVERT_HALF_INT)

//= device_convert_half_uint_vector
#define HCI_CONVERT_HALF_UINT(n)                                                               \
    HCI_OVERLOAD ushort##n hci_device_convert_half_uint_vector(uint##n x, hci_rounding mode)   \
    {                                                                                          \
        uint##n clamped = x < 1u << 18 ? x : (uint##n)(1u << 18);                              \
        return hci_vector_rounded(HCI_CONVERT(clamped, float, n), mode);                       \
    }
                                            hci_widths(HCI_CONVERT_HALF_UINT)

//= device_convert_half_small_vector
#define HCI_CONVERT_HALF_SMALL(type, n)                                                        \
    HCI_OVERLOAD ushort##n hci_device_convert_half_small_vector(type##n x, hci_rounding mode)  \
    {                                                                                          \
        return hci_vector_rounded(HCI_CONVERT(x, float, n), mode);                             \
    }
#define HCI_CONVERT_HALF_SMALLS(n)                                                             \
    HCI_CONVERT_HALF_SMALL(char, n)                                                            \
    HCI_CONVERT_HALF_SMALL(uchar, n)                                                           \
    HCI_CONVERT_HALF_SMALL(short, n)                                                           \
    HCI_CONVERT_HALF_SMALL(ushort, n)
                                                hci_widths(HCI_CONVERT_HALF_SMALLS)

//= device_negative_vector
#define HCI_NEGATIVE(n)                                                                        \
    HCI_OVERLOAD ushort##n hci_device_negative_vector(ushort##n x, hci_rounding mode)          \
    {                                                                                          \
        (void)mode;                                                                            \
        return x ^ (ushort)hci_HALF_SIGN;                                                      \
    }
                                                    hci_widths(HCI_NEGATIVE)

//= device_add_vector
#ifdef HCI_NATIVE
#define HCI_ADD(n) HCI_NATIVE(add, +, n)
#else
#define HCI_ADD(n)                                                                             \
    HCI_OVERLOAD ushort##n hci_device_add_vector(ushort##n x, ushort##n y, hci_rounding mode)  \
    {                                                                                          \
        return hci_vector_rounded_sum(hci_vector_widen(x), hci_vector_widen(hci_summand(y)),   \
                                      mode);                                                   \
    }
#endif
                                                        hci_widths(HCI_ADD)

//= device_subtract_vector
#ifdef HCI_NATIVE
#define HCI_SUBTRACT(n) HCI_NATIVE(subtract, -, n)
#else
#define HCI_SUBTRACT(n)                                                                        \
    HCI_OVERLOAD ushort##n hci_device_subtract_vector(ushort##n x, ushort##n y,                \
                                                      hci_rounding mode)                       \
    {                                                                                          \
        return hci_vector_rounded_sum(hci_vector_widen(x), -hci_vector_widen(hci_summand(y)),  \
                                      mode);                                                   \
    }
#endif
                                                            hci_widths(HCI_SUBTRACT)

//= device_multiply_vector
#ifdef HCI_NATIVE
#define HCI_MULTIPLY(n) HCI_NATIVE(multiply, *, n)
#else
#define HCI_MULTIPLY(n)                                                                        \
    HCI_OVERLOAD ushort##n hci_device_multiply_vector(ushort##n x, ushort##n y,                \
                                                      hci_rounding mode)                       \
    {                                                                                          \
        return hci_vector_rounded(hci_vector_mul(hci_vector_widen(x), hci_vector_widen(y)),    \
                                  mode);                                                       \
    }
#endif
                                                                hci_widths(HCI_MULTIPLY)

//= device_fma_vector
#define HCI_FMA(n)                                                                             \
    HCI_OVERLOAD ushort##n hci_device_fma_vector(ushort##n x, ushort##n y, ushort##n z,        \
                                                 hci_rounding mode)                            \
    {                                                                                          \
        float##n product = hci_vector_mul(hci_vector_widen(x), hci_vector_widen(y));           \
        return hci_vector_rounded(hci_vector_sum_to_odd(product, hci_vector_widen(z), mode),   \
                                  mode);                                                       \
    }
                                                                    hci_widths(HCI_FMA)

//= device_mad_vector
#define HCI_MAD(n)                                                                             \
    HCI_OVERLOAD ushort##n hci_device_mad_vector(ushort##n x, ushort##n y, ushort##n z,        \
                                                 hci_rounding mode)                            \
    {                                                                                          \
        return hci_device_fma_vector(x, y, z, mode);                                           \
    }
                                                                        hci_widths(HCI_MAD)

//= device_divide_vector
#ifdef HC_NATIVE_DIVISION
#define HCI_VECTOR_QUOTIENT(n) q = a / b
#else
#define HCI_VECTOR_QUOTIENT(n)                                                                 \
    for (unsigned int k = 0; k < sizeof(q) / sizeof(float); ++k)                               \
    ((float *)&q)[k] = hci_vf_div(((float *)&a)[k], ((float *)&b)[k])
#endif
#define HCI_DIVIDE(n)                                                                          \
    HCI_OVERLOAD ushort##n hci_device_divide_vector(ushort##n x, ushort##n y,                  \
                                                    hci_rounding mode)                         \
    {                                                                                          \
        float##n a = hci_vector_widen(x), b = hci_vector_widen(y), q;                          \
        HCI_VECTOR_QUOTIENT(n);                                                                \
        return hci_vector_rounded(q, mode);                                                    \
    }
                                                                            hci_widths(
                                                                                HCI_DIVIDE)

//= device_fabs_vector
#define HCI_FABS(n)                                                                            \
    HCI_OVERLOAD ushort##n hci_device_fabs_vector(ushort##n x, hci_rounding mode)              \
    {                                                                                          \
        (void)mode;                                                                            \
        return x & (ushort)hci_HALF_MAGNITUDE;                                                 \
    }
                                                                                hci_widths(
                                                                                    HCI_FABS)

//= device_positive_vector
#define HCI_POSITIVE(n)                                                                        \
    HCI_OVERLOAD ushort##n hci_device_positive_vector(ushort##n x, hci_rounding mode)          \
    {                                                                                          \
        (void)mode;                                                                            \
        return x;                                                                              \
    }
                                                                                    hci_widths(
                                                                                        HCI_POSITIVE)
