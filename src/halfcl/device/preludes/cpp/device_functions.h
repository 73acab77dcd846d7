/* ------------------------------------------------------------ functions left to the device */

/* OpenCL leaves the last bits of these to each device: hcl_device_NAME is OpenCL's NAME, and is
   CUDA's own function. */
#define HCL_DEVICE_1(name, of_float, of_double)                                                \
    HCI_FUNCTION float hcl_device_##name(float x)                                              \
    {                                                                                          \
        return of_float;                                                                       \
    }                                                                                          \
    HCI_FUNCTION double hcl_device_##name(double x)                                            \
    {                                                                                          \
        return of_double;                                                                      \
    }                                                                                          \
    HCL_VECTORS_OF_1(hcl_device_##name)
#define HCL_DEVICE_2(name, of_float, of_double)                                                \
    HCI_FUNCTION float hcl_device_##name(float x, float y)                                     \
    {                                                                                          \
        return of_float;                                                                       \
    }                                                                                          \
    HCI_FUNCTION double hcl_device_##name(double x, double y)                                  \
    {                                                                                          \
        return of_double;                                                                      \
    }                                                                                          \
    HCL_VECTORS_OF_2(hcl_device_##name)
#define HCL_DEVICE_OWN_1(name) HCL_DEVICE_1(name, name##f(x), name(x))
#define HCL_DEVICE_OWN_2(name) HCL_DEVICE_2(name, name##f(x, y), name(x, y))
#define HCL_OVER_PI 0.31830988618379067154

HCL_DEVICE_OWN_1(acos)
HCL_DEVICE_OWN_1(acosh)
HCL_DEVICE_OWN_1(asin)
HCL_DEVICE_OWN_1(asinh)
HCL_DEVICE_OWN_1(atan)
HCL_DEVICE_OWN_1(atanh)
HCL_DEVICE_OWN_1(cbrt)
HCL_DEVICE_OWN_1(cos)
HCL_DEVICE_OWN_1(cosh)
HCL_DEVICE_OWN_1(cospi)
HCL_DEVICE_OWN_1(erf)
HCL_DEVICE_OWN_1(erfc)
HCL_DEVICE_OWN_1(exp)
HCL_DEVICE_OWN_1(exp10)
HCL_DEVICE_OWN_1(exp2)
HCL_DEVICE_OWN_1(expm1)
HCL_DEVICE_OWN_1(lgamma)
HCL_DEVICE_OWN_1(log)
HCL_DEVICE_OWN_1(log10)
HCL_DEVICE_OWN_1(log1p)
HCL_DEVICE_OWN_1(log2)
HCL_DEVICE_OWN_1(rsqrt)
HCL_DEVICE_OWN_1(sin)
HCL_DEVICE_OWN_1(sinh)
HCL_DEVICE_OWN_1(sinpi)
HCL_DEVICE_OWN_1(sqrt)
HCL_DEVICE_OWN_1(tan)
HCL_DEVICE_OWN_1(tanh)
HCL_DEVICE_OWN_1(tgamma)
HCL_DEVICE_1(acospi, acosf(x) * (float)HCL_OVER_PI, acos(x) * HCL_OVER_PI)
HCL_DEVICE_1(asinpi, asinf(x) * (float)HCL_OVER_PI, asin(x) * HCL_OVER_PI)
HCL_DEVICE_1(atanpi, atanf(x) * (float)HCL_OVER_PI, atan(x) * HCL_OVER_PI)
HCL_DEVICE_1(tanpi, sinpif(x) / cospif(x), sinpi(x) / cospi(x))
HCL_DEVICE_1(degrees, x *(float)(180 * HCL_OVER_PI), x * (180 * HCL_OVER_PI))
HCL_DEVICE_1(radians, x *(float)(1 / (180 * HCL_OVER_PI)), x * (1 / (180 * HCL_OVER_PI)))
HCL_DEVICE_1(recip, 1 / x, 1 / x)
HCL_DEVICE_OWN_2(atan2)
HCL_DEVICE_OWN_2(hypot)
HCL_DEVICE_OWN_2(pow)
HCL_DEVICE_2(atan2pi, atan2f(x, y) * (float)HCL_OVER_PI, atan2(x, y) * HCL_OVER_PI)
HCL_DEVICE_2(powr, x < 0 ? HCL_NAN : powf(x, y), x < 0 ? (double)HCL_NAN : pow(x, y))
HCL_DEVICE_2(divide, x / y, x / y)

HCL_FUNCTION T hcl_device_mad(T x, T y, T z)
{
    return x * y + z;
}
HCL_FUNCTION T hcl_device_mix(T x, T y, T a)
{
    return x + (y - x) * a;
}
HCL_FUNCTION T hcl_device_smoothstep(T low, T high, T x)
{
    T t = hcl_clamp((x - low) / (high - low), (T)0, (T)1);
    return t * t * (3 - 2 * t);
}
HCL_VECTORS_OF_3(hcl_device_mad)
HCL_VECTORS_OF_3(hcl_device_mix)
HCL_VECTORS_OF_3(hcl_device_smoothstep)

HCL_FUNCTION T hcl_device_pown(T x, int exponent)
{
    return hcl_device_pow(x, (T)exponent);
}
HCL_FUNCTION T hcl_device_rootn(T x, int degree)
{
    if (degree == 0 || (x < 0 && degree % 2 == 0))
        return (T)HCL_NAN;
    T root = hcl_device_pow(hcl_fabs(x), (T)1 / (T)degree);
    return degree % 2 ? hcl_copysign(root, x) : root;
}
HCL_OF_VECTORS hc_vector<T, n> hcl_device_pown(hc_vector<T, n> x, hc_vector<int, n> exponent)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_device_pown(x.s[k], exponent.s[k]))
}
HCL_OF_VECTORS hc_vector<T, n> hcl_device_rootn(hc_vector<T, n> x, hc_vector<int, n> degree)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_device_rootn(x.s[k], degree.s[k]))
}

/* Functions that store a second result. */
HCL_FUNCTION T hcl_device_sincos(T x, T *p)
{
    *p = hcl_device_cos(x);
    return hcl_device_sin(x);
}
HCL_FUNCTION T hcl_device_lgamma_r(T x, int *p)
{
    bool is_whole = hcl_floor(x) == x && hcl_exponent(x) != 1;
    bool is_odd = x < 0 && hcl_fabs(hcl_fmod(hcl_floor(x), (T)2)) == 1;
    *p = is_whole && x <= 0 ? 0 : is_odd ? -1 : 1;
    return hcl_device_lgamma(x);
}
HCL_OF_VECTORS hc_vector<T, n> hcl_device_sincos(hc_vector<T, n> x, hc_vector<T, n> *p)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_device_sincos(x.s[k], &p->s[k]))
}
template <typename T, typename S, int n>
HCI_FUNCTION hc_vector<T, n> hcl_device_lgamma_r(hc_vector<T, n> x, hc_vector<S, n> *p)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_device_lgamma_r(x.s[k], &p->s[k]))
}

/* Geometric functions. */
HCL_FUNCTION T hcl_device_dot(T x, T y)
{
    return x * y;
}
HCL_FUNCTION T hcl_device_length(T x)
{
    return hcl_fabs(x);
}
HCL_FUNCTION T hcl_device_distance(T x, T y)
{
    return hcl_fabs(x - y);
}
HCL_FUNCTION T hcl_device_normalize(T x)
{
    return x == 0 || x != x ? x : hcl_copysign((T)1, x);
}
HCL_OF_VECTORS T hcl_device_dot(hc_vector<T, n> x, hc_vector<T, n> y)
{
    T r = x.s[0] * y.s[0];
    for (int k = 1; k < n; ++k)
        r += x.s[k] * y.s[k];
    return r;
}
/* Scaled by the largest component, so that squares neither overflow nor vanish. */
HCL_OF_VECTORS T hcl_device_length(hc_vector<T, n> x)
{
    T largest = 0, sum = 0;
    for (int k = 0; k < n; ++k)
        largest = hcl_fmax(largest, hcl_fabs(x.s[k]));
    if (largest == 0)
        return hcl_device_dot(x, x);
    if (hcl_exponent(largest) == 1)
        return largest;
    for (int k = 0; k < n; ++k)
        sum += x.s[k] / largest * (x.s[k] / largest);
    return largest * hcl_device_sqrt(sum);
}
HCL_OF_VECTORS T hcl_device_distance(hc_vector<T, n> x, hc_vector<T, n> y)
{
    hc_vector<T, n> r;
    for (int k = 0; k < n; ++k)
        r.s[k] = x.s[k] - y.s[k];
    return hcl_device_length(r);
}
HCL_OF_VECTORS hc_vector<T, n> hcl_device_normalize(hc_vector<T, n> x)
{
    T length = hcl_device_length(x);
    hc_vector<T, n> r = x;
    for (int k = 0; k < n && length != 0; ++k)
        r.s[k] = x.s[k] / length;
    return r;
}
HCL_OF_VECTORS hc_vector<T, n> hcl_device_cross(hc_vector<T, n> x, hc_vector<T, n> y)
{
    hc_vector<T, n> r = {};
    for (int k = 0; k < 3; ++k)
        r.s[k] = x.s[(k + 1) % 3] * y.s[(k + 2) % 3] - x.s[(k + 2) % 3] * y.s[(k + 1) % 3];
    return r;
}
