/* ------------------------------------------------------------ functions of integers */

HCL_FUNCTION HCL_BITS(T) hcl_abs(T x)
{
    return (HCL_BITS(T))(x < 0 ? 0 - (hc_ulong)x : (hc_ulong)x);
}
HCL_FUNCTION HCL_BITS(T) hcl_abs_diff(T x, T y)
{
    return (HCL_BITS(T))(x > y ? (hc_ulong)x - (hc_ulong)y : (hc_ulong)y - (hc_ulong)x);
}

template <typename T> struct hcl_limits {
    static constexpr HCL_BITS(T) ones = (HCL_BITS(T)) ~(HCL_BITS(T))0;
    static constexpr T greatest = (T)(hcl_is_signed<T>::value ? ones >> 1 : ones);
    static constexpr T least = (T)(hcl_is_signed<T>::value ? (HCL_BITS(T)) ~(ones >> 1) : 0);
};

HCL_FUNCTION T hcl_add_sat(T x, T y)
{
    T sum = (T)((hc_ulong)x + (hc_ulong)y);
    if (!hcl_is_signed<T>::value)
        return sum < x ? hcl_limits<T>::greatest : sum;
    if (((x ^ sum) & (y ^ sum)) < 0)
        return x < 0 ? hcl_limits<T>::least : hcl_limits<T>::greatest;
    return sum;
}
HCL_FUNCTION T hcl_sub_sat(T x, T y)
{
    T rest = (T)((hc_ulong)x - (hc_ulong)y);
    if (!hcl_is_signed<T>::value)
        return x < y ? (T)0 : rest;
    if (((x ^ y) & (x ^ rest)) < 0)
        return x < 0 ? hcl_limits<T>::least : hcl_limits<T>::greatest;
    return rest;
}
HCL_FUNCTION T hcl_hadd(T x, T y)
{
    return (T)((x >> 1) + (y >> 1) + (x & y & 1));
}
HCL_FUNCTION T hcl_rhadd(T x, T y)
{
    return (T)((x >> 1) + (y >> 1) + ((x | y) & 1));
}
HCL_FUNCTION T hcl_popcount(T x)
{
    return (T)__popcll((hc_ulong)(HCL_BITS(T))x);
}
HCL_FUNCTION T hcl_clz(T x)
{
    return (T)(__clzll((hc_long)(HCL_BITS(T))x) - (64 - 8 * (int)sizeof(T)));
}
HCL_FUNCTION T hcl_ctz(T x)
{
    hc_ulong bits = (HCL_BITS(T))x;
    return (T)(bits == 0 ? 8 * (int)sizeof(T) : 63 - __clzll((hc_long)(bits & (0 - bits))));
}
HCL_FUNCTION T hcl_parity(T x)
{
    return (T)(hcl_popcount(x) & 1);
}
HCL_FUNCTION T hcl_ffs(T x)
{
    return x == 0 ? (T)0 : (T)(hcl_ctz(x) + 1);
}
HCL_FUNCTION T hcl_bitreverse(T x)
{
    HCL_BITS(T) bits = (HCL_BITS(T))x, result = 0;
    for (int k = 0; k < 8 * (int)sizeof(T); ++k)
        result = (HCL_BITS(T))(result << 1 | (bits >> k & 1));
    return (T)result;
}
HCL_FUNCTION T hcl_bswap(T x)
{
    HCL_BITS(T) bits = (HCL_BITS(T))x, result = 0;
    for (int k = 0; k < 8 * (int)sizeof(T); k += 8)
        result = (HCL_BITS(T))(result << 8 | (bits >> k & 0xff));
    return (T)result;
}
HCL_FUNCTION T hcl_rotate(T x, T count)
{
    HCL_BITS(T) bits = (HCL_BITS(T))x;
    int last = 8 * (int)sizeof(T) - 1, left = (int)(count & (T)last);
    return (T)(HCL_BITS(T))((hc_ulong)bits << left |
                            (hc_ulong)bits >> ((last + 1 - left) & last));
}

HCL_FUNCTION T hcl_mul_hi(T x, T y)
{
    if (sizeof(T) < 8) {
        hc_ulong product = (hc_ulong)x * (hc_ulong)y;
        return (T)(product >> (8 * (int)sizeof(T) & 63));
    }
    hc_ulong high = __umul64hi((hc_ulong)x, (hc_ulong)y);
    return (T)(high - (x < 0 ? (hc_ulong)y : 0) - (y < 0 ? (hc_ulong)x : 0));
}
HCL_FUNCTION T hcl_mad_hi(T x, T y, T z)
{
    return (T)((hc_ulong)hcl_mul_hi(x, y) + (hc_ulong)z);
}
HCL_FUNCTION T hcl_mad_sat(T x, T y, T z)
{
    T greatest = hcl_limits<T>::greatest, least = hcl_limits<T>::least;
    hc_ulong low = (hc_ulong)x * (hc_ulong)y, sum = low + (hc_ulong)z;
    if (!hcl_is_signed<T>::value) {
        bool fits =
            sizeof(T) < 8 ? sum <= (hc_ulong)greatest : hcl_mul_hi(x, y) == 0 && sum >= low;
        return fits ? (T)sum : greatest;
    }
    if (sizeof(T) < 8) {
        hc_long exact = (hc_long)sum;
        return exact > (hc_long)greatest ? greatest : exact < (hc_long)least ? least : (T)exact;
    }
    hc_long high = (hc_long)((hc_ulong)hcl_mul_hi(x, y) + (sum < low) - (z < 0));
    return high == (hc_long)sum >> 63 ? (T)sum : high < 0 ? least : greatest;
}
HCL_FUNCTION T hcl_mul24(T x, T y)
{
    return (T)((hc_ulong)x * (hc_ulong)y);
}
HCL_FUNCTION T hcl_mad24(T x, T y, T z)
{
    return (T)((hc_ulong)x * (hc_ulong)y + (hc_ulong)z);
}
#define HCL_UPSAMPLE(result, high, low)                                                        \
    HCI_FUNCTION result hcl_upsample(high x, low y)                                            \
    {                                                                                          \
        return (result)((hc_ulong)x << 8 * sizeof(low) | y);                                   \
    }
HCL_UPSAMPLE(short, hc_char, hc_uchar)
HCL_UPSAMPLE(hc_ushort, hc_uchar, hc_uchar)
HCL_UPSAMPLE(int, short, hc_ushort)
HCL_UPSAMPLE(hc_uint, hc_ushort, hc_ushort)
HCL_UPSAMPLE(hc_long, int, hc_uint)
HCL_UPSAMPLE(hc_ulong, hc_uint, hc_uint)
template <typename T, typename U, int n>
HCI_FUNCTION auto hcl_upsample(hc_vector<T, n> x, hc_vector<U, n> y)
{
    hc_vector<decltype(hcl_upsample(T(), U())), n> r;
    HCL_EACH(hcl_upsample(x.s[k], y.s[k]))
}

/* ------------------------------------------------------------ functions of float and double */

HCL_FUNCTION T hcl_max(T x, T y)
{
    return x < y ? y : x;
}
HCL_FUNCTION T hcl_min(T x, T y)
{
    return y < x ? y : x;
}
HCL_FUNCTION T hcl_clamp(T x, T low, T high)
{
    return hcl_min(hcl_max(x, low), high);
}
HCL_FUNCTION T hcl_step(T edge, T x)
{
    return x < edge ? (T)0 : (T)1;
}
HCL_FUNCTION T hcl_sign(T x)
{
    return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? x : (T)0;
}

#define HCL_OWN(name, of_float, of_double)                                                     \
    HCI_FUNCTION float hcl_##name(float x)                                                     \
    {                                                                                          \
        return of_float(x);                                                                    \
    }                                                                                          \
    HCI_FUNCTION double hcl_##name(double x)                                                   \
    {                                                                                          \
        return of_double(x);                                                                   \
    }
HCL_OWN(ceil, ceilf, ceil)
HCL_OWN(floor, floorf, floor)
HCL_OWN(trunc, truncf, trunc)
HCL_OWN(rint, rintf, rint)
HCL_OWN(round, roundf, round)
HCL_OWN(fabs, fabsf, fabs)
HCL_OWN(sqrt, __fsqrt_rn, __dsqrt_rn)

#define HCL_OF_TWO(name, of_float, of_double)                                                  \
    HCI_FUNCTION float name(float x, float y)                                                  \
    {                                                                                          \
        return of_float(x, y);                                                                 \
    }                                                                                          \
    HCI_FUNCTION double name(double x, double y)                                               \
    {                                                                                          \
        return of_double(x, y);                                                                \
    }
HCL_OF_TWO(hcl_copysign, copysignf, copysign)
HCL_OF_TWO(hcl_fmax, fmaxf, fmax)
HCL_OF_TWO(hcl_fmin, fminf, fmin)
HCL_OF_TWO(hcl_fmod, fmodf, fmod)
HCL_OF_TWO(hcl_remainder, remainderf, remainder)
HCL_OF_TWO(hcl_nextafter, nextafterf, nextafter)
HCL_OF_TWO(hcl_divide_wide, __fdiv_rn, __ddiv_rn)
HCL_OF_TWO(hcl_subtract_wide, __fsub_rn, __dsub_rn)

/* Bounds that are NaN do not count. */
HCI_FUNCTION float hcl_clamp(float x, float low, float high)
{
    return fminf(fmaxf(x, low), high);
}
HCI_FUNCTION double hcl_clamp(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

HCI_FUNCTION float hcl_fma(float x, float y, float z)
{
    return __fmaf_rn(x, y, z);
}
HCI_FUNCTION double hcl_fma(double x, double y, double z)
{
    return __fma_rn(x, y, z);
}

HCL_FUNCTION int hcl_ilogb(T x)
{
    if (x == 0)
        return -2147483647 - 1;
    if (hcl_exponent(x) == 1)
        return 2147483647;
    int exponent;
    (void)frexp((double)x, &exponent);
    return exponent - 1;
}
HCL_FUNCTION T hcl_logb(T x)
{
    if (hcl_exponent(x) == 1)
        return hcl_fabs(x);
    return x == 0 ? (T)-HCI_INFINITY : (T)hcl_ilogb(x);
}
HCL_FUNCTION T hcl_frexp(T x, int *p)
{
    *p = 0;
    if (x == 0 || hcl_exponent(x) == 1)
        return x;
    return (T)frexp((double)x, p);
}
HCL_FUNCTION T hcl_modf(T x, T *p)
{
    *p = hcl_trunc(x);
    return hcl_copysign(hcl_exponent(x) == 1 && x == x ? (T)0 : (T)(x - *p), x);
}
template <typename T, typename S, int n>
HCI_FUNCTION hc_vector<T, n> hcl_frexp(hc_vector<T, n> x, hc_vector<S, n> *p)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_frexp(x.s[k], &p->s[k]))
}
HCL_OF_VECTORS hc_vector<T, n> hcl_modf(hc_vector<T, n> x, hc_vector<T, n> *p)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_modf(x.s[k], &p->s[k]))
}

HCL_FUNCTION T hcl_fdim(T x, T y)
{
    return x > y ? hcl_subtract_wide(x, y) : x <= y ? (T)0 : x + y;
}
HCL_FUNCTION T hcl_maxmag(T x, T y)
{
    T a = hcl_fabs(x), b = hcl_fabs(y);
    return a > b ? x : b > a ? y : hcl_fmax(x, y);
}
HCL_FUNCTION T hcl_minmag(T x, T y)
{
    T a = hcl_fabs(x), b = hcl_fabs(y);
    return a < b ? x : b < a ? y : hcl_fmin(x, y);
}
HCI_FUNCTION float hcl_ldexp(float x, int n)
{
    return ldexpf(x, n);
}
HCI_FUNCTION double hcl_ldexp(double x, int n)
{
    return ldexp(x, n);
}
HCI_FUNCTION float hcl_nan(hc_uint code)
{
    return hcl_as<float>((code & 0x3fffffu) | 0x7fc00000u);
}
HCI_FUNCTION double hcl_nan(hc_ulong code)
{
    return hcl_as<double>((code & 0x7ffffffffffffull) | 0x7ff8000000000000ull);
}
HCL_OF_VECTORS auto hcl_nan(hc_vector<T, n> code)
{
    hc_vector<decltype(hcl_nan(T())), n> r;
    HCL_EACH(hcl_nan(code.s[k]))
}
HCL_FUNCTION T hcl_fract(T x, T *p)
{
    T whole = hcl_floor(x), part = hcl_subtract_wide(x, whole);
    *p = whole;
    if (x == 0 || (hcl_exponent(x) == 1 && x == x))
        return hcl_copysign((T)0, x);
    return part >= (T)1 ? hcl_nextafter((T)1, (T)0) : part;
}
/* The remainder of the nearest quotient, of which p gets the lowest seven bits, with its sign.
   All steps are exact. */
HCL_FUNCTION T hcl_remquo(T x, T y, int *p)
{
    double a = fabs((double)x), b = fabs((double)y);
    *p = 0;
    if (x != x || y != y || y == 0 || hcl_exponent(x) == 1)
        return (T)HCL_NAN;
    if (hcl_exponent(y) == 1 || a <= b / 4)
        return x;
    double scale = b > 0x1p1000 ? 0x1p-20 : 1; /* or 128 b would overflow */
    b = __dmul_rn(b, scale);
    double rest = fmod(__dmul_rn(a, scale), __dmul_rn(b, 128));
    int quotient = 0;
    for (int k = 6; k >= 0; --k) {
        double part = __dmul_rn(b, (double)(1 << k));
        if (rest >= part) {
            rest = __dsub_rn(rest, part);
            quotient += 1 << k;
        }
    }
    double missing = __dsub_rn(b, rest);
    if (rest > missing || (rest == missing && quotient % 2 && rest > 0)) {
        rest = -missing;
        ++quotient;
    }
    bool is_negative = hcl_as<HCL_SIGNED(T)>(x) < 0;
    *p = is_negative != (hcl_as<HCL_SIGNED(T)>(y) < 0) ? -(quotient & 127) : quotient & 127;
    rest = __ddiv_rn(rest, scale);
    return (T)(is_negative ? -rest : rest);
}
HCL_OF_VECTORS hc_vector<T, n> hcl_fract(hc_vector<T, n> x, hc_vector<T, n> *p)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_fract(x.s[k], &p->s[k]))
}
template <typename T, typename S, int n>
HCI_FUNCTION hc_vector<T, n> hcl_remquo(hc_vector<T, n> x, hc_vector<T, n> y,
                                        hc_vector<S, n> *p)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_remquo(x.s[k], y.s[k], &p->s[k]))
}

/* Functions whose results OpenCL leaves open: of doubles, and rounded once more for float. */
HCL_FUNCTION T hcl_recip(T x)
{
    return hcl_divide_wide((T)1, x);
}
HCL_FUNCTION T hcl_rsqrt(T x)
{
    return (T)__ddiv_rn(1, __dsqrt_rn((double)x));
}
HCL_FUNCTION T hcl_degrees(T x)
{
    return (T)__dmul_rn((double)x, 180 / 3.14159265358979323846);
}
HCL_FUNCTION T hcl_radians(T x)
{
    return (T)__dmul_rn((double)x, 3.14159265358979323846 / 180);
}
HCL_FUNCTION T hcl_mix(T x, T y, T a)
{
    double step = __dmul_rn(__dsub_rn((double)y, (double)x), (double)a);
    return (T)__dadd_rn((double)x, step);
}
HCL_FUNCTION T hcl_smoothstep(T low, T high, T x)
{
    double t =
        __ddiv_rn(__dsub_rn((double)x, (double)low), __dsub_rn((double)high, (double)low));
    t = t <= 0 ? 0 : t >= 1 ? 1 : t;
    return (T)__dmul_rn(__dmul_rn(t, t), __dsub_rn(3, __dmul_rn(2, t)));
}
HCI_FUNCTION float hcl_dot(float x, float y)
{
    return (float)__dmul_rn(x, y);
}
HCI_FUNCTION double hcl_dot(double x, double y)
{
    return __dmul_rn(x, y);
}
HCL_OF_VECTORS T hcl_dot(hc_vector<T, n> x, hc_vector<T, n> y)
{
    double r = __dmul_rn((double)x.s[0], (double)y.s[0]);
    for (int k = 1; k < n; ++k)
        r = __dadd_rn(r, __dmul_rn((double)x.s[k], (double)y.s[k]));
    return (T)r;
}
/* Dot products of bytes, in vectors and packed into integers. */
#define HCL_DOT_OF_BYTES(x_type, y_type, result)                                               \
    HCI_FUNCTION result hcl_dot(hc_vector<x_type, 4> x, hc_vector<y_type, 4> y)                \
    {                                                                                          \
        result sum = 0;                                                                        \
        for (int k = 0; k < 4; ++k)                                                            \
            sum += (result)x.s[k] * (result)y.s[k];                                            \
        return sum;                                                                            \
    }                                                                                          \
    HCI_FUNCTION result hcl_dot_acc_sat(hc_vector<x_type, 4> x, hc_vector<y_type, 4> y,        \
                                        result sum)                                            \
    {                                                                                          \
        return hcl_add_sat<result>(hcl_dot(x, y), sum);                                        \
    }
HCL_DOT_OF_BYTES(hc_uchar, hc_uchar, hc_uint)
HCL_DOT_OF_BYTES(hc_char, hc_char, int)
HCL_DOT_OF_BYTES(hc_uchar, hc_char, int)
HCL_DOT_OF_BYTES(hc_char, hc_uchar, int)
#define HCL_DOT_OF_PACKED(name, x_type, y_type, result)                                        \
    HCI_FUNCTION result hcl_dot_4x8packed_##name(hc_uint x, hc_uint y)                         \
    {                                                                                          \
        return hcl_dot(hcl_as<hc_vector<x_type, 4>>(x), hcl_as<hc_vector<y_type, 4>>(y));      \
    }                                                                                          \
    HCI_FUNCTION result hcl_dot_acc_sat_4x8packed_##name(hc_uint x, hc_uint y, result sum)     \
    {                                                                                          \
        return hcl_add_sat<result>(hcl_dot_4x8packed_##name(x, y), sum);                       \
    }
HCL_DOT_OF_PACKED(uu_uint, hc_uchar, hc_uchar, hc_uint)
HCL_DOT_OF_PACKED(ss_int, hc_char, hc_char, int)
HCL_DOT_OF_PACKED(us_int, hc_uchar, hc_char, int)
HCL_DOT_OF_PACKED(su_int, hc_char, hc_uchar, int)

HCL_OF_VECTORS hc_vector<T, n> hcl_cross(hc_vector<T, n> x, hc_vector<T, n> y)
{
    hc_vector<T, n> r = {};
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        r.s[k] = (T)__dsub_rn(__dmul_rn((double)x.s[i], (double)y.s[j]),
                              __dmul_rn((double)x.s[j], (double)y.s[i]));
    }
    return r;
}

/* Arithmetic in a rounding mode; compilers do not contract it. */
#define HCL_IN_MODE(mode, own)                                                                 \
    HCL_ARITHMETIC(add_wide_##mode, __fadd_##own, __dadd_##own)                                \
    HCL_ARITHMETIC(subtract_wide_##mode, __fsub_##own, __dsub_##own)                           \
    HCL_ARITHMETIC(multiply_wide_##mode, __fmul_##own, __dmul_##own)                           \
    HCL_ARITHMETIC(divide_wide_##mode, __fdiv_##own, __ddiv_##own)                             \
    HCI_FUNCTION float hc_fma_wide_##mode(float a, float b, float c)                           \
    {                                                                                          \
        return __fmaf_##own(a, b, c);                                                          \
    }                                                                                          \
    HCI_FUNCTION double hc_fma_wide_##mode(double a, double b, double c)                       \
    {                                                                                          \
        return __fma_##own(a, b, c);                                                           \
    }                                                                                          \
    HCL_VECTORS_OF_3(hc_fma_wide_##mode)                                                       \
    HCL_CONVERSION(to_float_##mode, float, int, __int2float_##own)                             \
    HCL_CONVERSION(to_float_##mode, float, hc_uint, __uint2float_##own)                        \
    HCL_CONVERSION(to_float_##mode, float, hc_long, __ll2float_##own)                          \
    HCL_CONVERSION(to_float_##mode, float, hc_ulong, __ull2float_##own)                        \
    HCL_CONVERSION(to_float_##mode, float, double, __double2float_##own)                       \
    HCL_CONVERSION(to_double_##mode, double, int, (double))                                    \
    HCL_CONVERSION(to_double_##mode, double, hc_uint, (double))                                \
    HCL_CONVERSION(to_double_##mode, double, hc_long, __ll2double_##own)                       \
    HCL_CONVERSION(to_double_##mode, double, hc_ulong, __ull2double_##own)                     \
    HCL_CONVERSION(to_double_##mode, double, float, (double))                                  \
    HCL_VECTOR_CONVERSION(to_float_##mode, float)                                              \
    HCL_VECTOR_CONVERSION(to_double_##mode, double)
#define HCL_ARITHMETIC(name, of_float, of_double)                                              \
    HCL_OF_TWO(hc_##name, of_float, of_double)                                                 \
    HCL_VECTORS_OF_2(hc_##name)
#define HCL_CONVERSION(name, to, from, own)                                                    \
    HCI_FUNCTION to hc_##name(from x)                                                          \
    {                                                                                          \
        return own(x);                                                                         \
    }
#define HCL_VECTOR_CONVERSION(name, to)                                                        \
    HCL_OF_VECTORS hc_vector<to, n> hc_##name(hc_vector<T, n> x)                               \
    {                                                                                          \
        hc_vector<to, n> r;                                                                    \
        HCL_EACH(hc_##name(x.s[k]))                                                            \
    }
#define HCL_VECTORS_OF_1(name)                                                                 \
    HCL_OF_VECTORS auto name(hc_vector<T, n> x)                                                \
    {                                                                                          \
        hc_vector<decltype(name(T())), n> r;                                                   \
        HCL_EACH(name(x.s[k]))                                                                 \
    }
#define HCL_VECTORS_OF_2(name)                                                                 \
    HCL_OF_VECTORS auto name(hc_vector<T, n> x, hc_vector<T, n> y)                             \
    {                                                                                          \
        hc_vector<decltype(name(T(), T())), n> r;                                              \
        HCL_EACH(name(x.s[k], y.s[k]))                                                         \
    }
#define HCL_VECTORS_OF_3(name)                                                                 \
    HCL_OF_VECTORS hc_vector<T, n> name(hc_vector<T, n> x, hc_vector<T, n> y,                  \
                                        hc_vector<T, n> z)                                     \
    {                                                                                          \
        hc_vector<T, n> r;                                                                     \
        HCL_EACH(name(x.s[k], y.s[k], z.s[k]))                                                 \
    }
HCL_IN_MODE(rte, rn)
HCL_IN_MODE(rtz, rz)
HCL_IN_MODE(rtp, ru)
HCL_IN_MODE(rtn, rd)

HCL_VECTORS_OF_1(hcl_abs)
HCL_VECTORS_OF_1(hcl_popcount)
HCL_VECTORS_OF_1(hcl_clz)
HCL_VECTORS_OF_1(hcl_ctz)
HCL_VECTORS_OF_1(hcl_sign)
HCL_VECTORS_OF_1(hcl_ceil)
HCL_VECTORS_OF_1(hcl_floor)
HCL_VECTORS_OF_1(hcl_trunc)
HCL_VECTORS_OF_1(hcl_rint)
HCL_VECTORS_OF_1(hcl_round)
HCL_VECTORS_OF_1(hcl_fabs)
HCL_VECTORS_OF_1(hcl_sqrt)
HCL_VECTORS_OF_1(hcl_ilogb)
HCL_VECTORS_OF_1(hcl_logb)
HCL_VECTORS_OF_2(hcl_abs_diff)
HCL_VECTORS_OF_2(hcl_add_sat)
HCL_VECTORS_OF_2(hcl_sub_sat)
HCL_VECTORS_OF_2(hcl_hadd)
HCL_VECTORS_OF_2(hcl_rhadd)
HCL_VECTORS_OF_2(hcl_rotate)
HCL_VECTORS_OF_2(hcl_mul_hi)
HCL_VECTORS_OF_2(hcl_mul24)
HCL_VECTORS_OF_2(hcl_max)
HCL_VECTORS_OF_2(hcl_min)
HCL_VECTORS_OF_2(hcl_step)
HCL_VECTORS_OF_2(hcl_copysign)
HCL_VECTORS_OF_2(hcl_fmax)
HCL_VECTORS_OF_2(hcl_fmin)
HCL_VECTORS_OF_2(hcl_fmod)
HCL_VECTORS_OF_2(hcl_remainder)
HCL_VECTORS_OF_2(hcl_nextafter)
HCL_VECTORS_OF_2(hcl_fdim)
HCL_VECTORS_OF_2(hcl_maxmag)
HCL_VECTORS_OF_2(hcl_minmag)
HCL_VECTORS_OF_2(hcl_divide_wide)
HCL_VECTORS_OF_1(hcl_recip)
HCL_VECTORS_OF_1(hcl_rsqrt)
HCL_VECTORS_OF_1(hcl_degrees)
HCL_VECTORS_OF_1(hcl_radians)
HCL_VECTORS_OF_3(hcl_mix)
HCL_VECTORS_OF_3(hcl_smoothstep)
template <typename T, int n>
HCI_FUNCTION hc_vector<T, n> hcl_ldexp(hc_vector<T, n> x, hc_vector<int, n> exponent)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_ldexp(x.s[k], exponent.s[k]))
}
HCL_VECTORS_OF_3(hcl_bitselect)
HCL_VECTORS_OF_3(hcl_clamp)
HCL_VECTORS_OF_3(hcl_fma)
HCL_VECTORS_OF_3(hcl_mad_hi)
HCL_VECTORS_OF_3(hcl_mad_sat)
HCL_VECTORS_OF_3(hcl_mad24)

/* ------------------------------------------------------------ conversions */

/* Conversions as in C: integers modulo their number of bits. */
template <typename To, typename From> HCI_FUNCTION To hcl_to(From x)
{
    return (To)x;
}
template <typename To, typename From, int n>
HCI_FUNCTION hc_vector<To, n> hcl_to(hc_vector<From, n> x)
{
    hc_vector<To, n> r;
    HCL_EACH((To)x.s[k])
}

/* Round to odd: truncated, with the last bit set if anything was lost, so that rounding again
   is correct. */
HCI_FUNCTION float hcl_odd_float(double x)
{
    float f = __double2float_rz(x);
    return (double)f == x || x != x ? f : __int_as_float(__float_as_int(f) | 1);
}
HCL_VECTORS_OF_1(hcl_odd_float)

/* Whole numbers of float and double in a mode, by its number; saturated. */
HCL_FUNCTION T hcl_whole(T x, int mode)
{
    return mode == 0   ? hcl_rint(x)
           : mode == 1 ? hcl_trunc(x)
           : mode == 2 ? hcl_ceil(x)
                       : hcl_floor(x);
}
template <typename To, int mode, typename From> HCI_FUNCTION To hcl_to_whole(From x)
{
    return (To)hcl_whole(x, mode);
}
template <typename To, int mode, typename From> HCI_FUNCTION To hcl_to_sat(From x)
{
    To greatest = hcl_limits<To>::greatest, least = hcl_limits<To>::least;
    From whole = hcl_whole(x, mode);
    if (x != x)
        return 0;
    if (whole >= (From)(greatest / 2 + 1) * 2)
        return greatest;
    return whole < (From)least ? least : (To)whole;
}
template <typename To, typename From> HCI_FUNCTION To hcl_integer_to_sat(From x)
{
    To greatest = hcl_limits<To>::greatest, least = hcl_limits<To>::least;
    if (x < 0)
        return !hcl_is_signed<To>::value || (hc_long)x < (hc_long)least ? least : (To)x;
    return (hc_ulong)x > (hc_ulong)greatest ? greatest : (To)x;
}
#define HCL_CONVERSION_OF_VECTORS(name)                                                        \
    template <typename To, int mode, typename From, int n>                                     \
    HCI_FUNCTION hc_vector<To, n> name(hc_vector<From, n> x)                                   \
    {                                                                                          \
        hc_vector<To, n> r;                                                                    \
        for (int k = 0; k < n; ++k)                                                            \
            r.s[k] = name<To, mode>(x.s[k]);                                                   \
        return r;                                                                              \
    }
HCL_CONVERSION_OF_VECTORS(hcl_to_whole)
HCL_CONVERSION_OF_VECTORS(hcl_to_sat)
template <typename To, typename From, int n>
HCI_FUNCTION hc_vector<To, n> hcl_integer_to_sat(hc_vector<From, n> x)
{
    hc_vector<To, n> r;
    HCL_EACH(hcl_integer_to_sat<To>(x.s[k]))
}
