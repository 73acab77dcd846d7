/* Functions of OpenCL C that C++ lacks: hcl_NAME is OpenCL's NAME. */
#define HCL_FUNCTION template <typename T> HCI_FUNCTION
#define HCL_OF_VECTORS template <typename T, int n> HCI_FUNCTION
#define HCL_EACH(value)                                                                        \
    for (int k = 0; k < n; ++k)                                                                \
        r.s[k] = value;                                                                        \
    return r;

typedef signed char hc_char;
typedef unsigned char hc_uchar;
typedef unsigned short hc_ushort;
typedef unsigned int hc_uint;
typedef long long hc_long;
typedef unsigned long long hc_ulong;

#define HCL_VECTORS(name, type)                                                                \
    typedef hc_vector<type, 2> name##2;                                                        \
    typedef hc_vector<type, 3> name##3;                                                        \
    typedef hc_vector<type, 4> name##4;                                                        \
    typedef hc_vector<type, 8> name##8;                                                        \
    typedef hc_vector<type, 16> name##16;
HCL_VECTORS(hc_char, hc_char)
HCL_VECTORS(hc_uchar, hc_uchar)
HCL_VECTORS(hc_short, short)
HCL_VECTORS(hc_ushort, hc_ushort)
HCL_VECTORS(hc_int, int)
HCL_VECTORS(hc_uint, hc_uint)
HCL_VECTORS(hc_long, hc_long)
HCL_VECTORS(hc_ulong, hc_ulong)
HCL_VECTORS(hc_float, float)
HCL_VECTORS(hc_double, double)

/* Constants: compilers for GPUs compute no infinity in a table. */
#define HCL_INFINITY __builtin_bit_cast(float, 0x7f800000)
#define HCL_NAN __builtin_bit_cast(float, 0x7fc00000)

/* Integer types by size. */
template <int size> struct hcl_of_size;
template <> struct hcl_of_size<1> {
    typedef hc_char has_sign;
    typedef hc_uchar bits;
    typedef int twice;
};
template <> struct hcl_of_size<2> {
    typedef short has_sign;
    typedef hc_ushort bits;
    typedef int twice;
};
template <> struct hcl_of_size<4> {
    typedef int has_sign;
    typedef hc_uint bits;
    typedef hc_long twice;
};
template <> struct hcl_of_size<8> {
    typedef hc_long has_sign;
    typedef hc_ulong bits;
    typedef hc_long twice;
};
#define HCL_SIGNED(T) typename hcl_of_size<sizeof(T)>::has_sign
#define HCL_BITS(T) typename hcl_of_size<sizeof(T)>::bits

template <typename T> struct hcl_is_signed {
    static constexpr bool value = (T)-1 < (T)0;
};

/* ------------------------------------------------------------ vectors */

/* Return the bits as another type. */
template <typename To, typename From> HCI_FUNCTION To hcl_as(From x)
{
    static_assert(sizeof(To) == sizeof(From), "as_type: of types of one size");
    union Both {
        From from;
        To to;
        __device__ Both()
        {
        }
    } both;
    both.from = x;
    return both.to;
}

template <int n, typename T> HCI_FUNCTION hc_vector<T, n> hcl_splat(T x)
{
    hc_vector<T, n> r;
    HCL_EACH(x)
}

/* Components; a missing one is 0. */
template <int... at, typename T, int n>
HCI_FUNCTION hc_vector<T, (int)sizeof...(at)> hcl_pick(hc_vector<T, n> x)
{
    hc_vector<T, (int)sizeof...(at)> r = {{(at < n ? x.s[at < n ? at : 0] : T())...}};
    return r;
}

template <int... at, typename T, int n>
HCI_FUNCTION hc_vector<T, (int)sizeof...(at)> hcl_set(hc_vector<T, n> &x,
                                                      hc_vector<T, (int)sizeof...(at)> value)
{
    const int places[] = {at...};
    for (int k = 0; k < (int)sizeof...(at); ++k)
        if (places[k] < n)
            x.s[places[k]] = value.s[k];
    return value;
}

/* (type)(a, b, ...) */
template <int at, typename T, int n> HCI_FUNCTION void hcl_fill(hc_vector<T, n> &)
{
}
template <int at, typename T, int n, typename... More>
HCI_FUNCTION void hcl_fill(hc_vector<T, n> &r, T x, More... more);
template <int at, typename T, int n, int m, typename... More>
HCI_FUNCTION void hcl_fill(hc_vector<T, n> &r, hc_vector<T, m> x, More... more)
{
    for (int k = 0; k < m; ++k)
        r.s[at + k] = x.s[k];
    hcl_fill<at + m>(r, more...);
}
template <int at, typename T, int n, typename... More>
HCI_FUNCTION void hcl_fill(hc_vector<T, n> &r, T x, More... more)
{
    r.s[at] = x;
    hcl_fill<at + 1>(r, more...);
}
template <typename T, int n, typename... Parts>
HCI_FUNCTION hc_vector<T, n> hcl_make(Parts... parts)
{
    hc_vector<T, n> r;
    hcl_fill<0>(r, parts...);
    return r;
}

/* An array that is a value. */
template <typename T, int n> struct hcl_array {
    T s[n];
};
/* A value as an object until the expression ends, since a part of it may be assigned. */
HCL_FUNCTION T &hcl_object(T &&value)
{
    return value;
}

/* Assign a value, an array's elements one by one. */
HCL_FUNCTION void hcl_assign(T &to, const T &from)
{
    to = from;
}
template <typename T, int n> HCI_FUNCTION void hcl_assign(T (&to)[n], const T (&from)[n])
{
    for (int k = 0; k < n; ++k)
        hcl_assign(to[k], from[k]);
}

/* ------------------------------------------------------------ operators */

/* Division by zero, which is undefined, returns 0. */
HCL_FUNCTION T hcl_divide(T a, T b)
{
    if (b == 0)
        return 0;
    if (hcl_is_signed<T>::value && b == (T)-1)
        return (T)(0 - (hc_ulong)a);
    return a / b;
}

HCL_FUNCTION T hcl_remainder(T a, T b)
{
    return b == 0 || (hcl_is_signed<T>::value && b == (T)-1) ? (T)0 : (T)(a % b);
}

/* Shifts by the count modulo the number of bits. */
template <typename T, typename C> HCI_FUNCTION T hcl_left(T a, C count)
{
    return (T)((hc_ulong)a << (count & (C)(8 * sizeof(T) - 1)));
}

template <typename T, typename C> HCI_FUNCTION T hcl_right(T a, C count)
{
    return (T)(a >> (count & (C)(8 * sizeof(T) - 1)));
}

#define HCL_OPERATOR(op, value)                                                                \
    HCL_OF_VECTORS hc_vector<T, n> operator op(hc_vector<T, n> a, hc_vector<T, n> b)           \
    {                                                                                          \
        hc_vector<T, n> r;                                                                     \
        HCL_EACH((T)(value))                                                                   \
    }
HCL_OPERATOR(+, (hc_ulong)a.s[k] + (hc_ulong)b.s[k])
HCL_OPERATOR(-, (hc_ulong)a.s[k] - (hc_ulong)b.s[k])
HCL_OPERATOR(*, (hc_ulong)a.s[k] * (hc_ulong)b.s[k])
HCL_OPERATOR(/, hcl_divide(a.s[k], b.s[k]))
HCL_OPERATOR(%, hcl_remainder(a.s[k], b.s[k]))
HCL_OPERATOR(&, a.s[k] & b.s[k])
HCL_OPERATOR(|, a.s[k] | b.s[k])
HCL_OPERATOR(^, a.s[k] ^ b.s[k])

#define HCL_SHIFT(name)                                                                        \
    template <typename T, typename C, int n>                                                   \
    HCI_FUNCTION hc_vector<T, n> name(hc_vector<T, n> a, hc_vector<C, n> count)                \
    {                                                                                          \
        hc_vector<T, n> r;                                                                     \
        HCL_EACH(name(a.s[k], count.s[k]))                                                     \
    }
HCL_SHIFT(hcl_left)
HCL_SHIFT(hcl_right)

HCL_OF_VECTORS hc_vector<T, n> operator~(hc_vector<T, n> a)
{
    hc_vector<T, n> r;
    HCL_EACH((T)~a.s[k])
}

HCL_FUNCTION T hcl_negative(T a)
{
    return (T)(0 - (hc_ulong)a);
}
HCI_FUNCTION float hcl_negative(float a)
{
    return -a;
}
HCI_FUNCTION double hcl_negative(double a)
{
    return -a;
}
HCL_OF_VECTORS hc_vector<T, n> hcl_negative(hc_vector<T, n> a)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_negative(a.s[k]))
}

/* Halves are compared as halves, since a compiler may be wrong about floats made of them. */
#ifdef HCL_NO_HALF_OPERATORS
#define HCL_COMPARISON(operation, name)                                                        \
    HCI_FUNCTION bool operation(const __half &a, const __half &b)                              \
    {                                                                                          \
        return name(a, b);                                                                     \
    }
HCL_COMPARISON(operator==, __heq)
HCL_COMPARISON(operator!=, __hneu)
HCL_COMPARISON(operator<, __hlt)
HCL_COMPARISON(operator<=, __hle)
HCL_COMPARISON(operator>, __hgt)
HCL_COMPARISON(operator>=, __hge)
#endif

/* Comparisons and logic: for scalars they return bool, for vectors -1 and 0 in integers of the
   same size. */
#define HCL_TRUTH_OF_TWO(name, value)                                                          \
    HCL_FUNCTION bool hcl_##name(T a, T b)                                                     \
    {                                                                                          \
        return value;                                                                          \
    }                                                                                          \
    HCL_OF_VECTORS hc_vector<HCL_SIGNED(T), n> hcl_##name(hc_vector<T, n> a,                   \
                                                          hc_vector<T, n> b)                   \
    {                                                                                          \
        hc_vector<HCL_SIGNED(T), n> r;                                                         \
        HCL_EACH((HCL_SIGNED(T))(hcl_##name(a.s[k], b.s[k]) ? -1 : 0))                         \
    }
HCL_TRUTH_OF_TWO(isequal, a == b)
HCL_TRUTH_OF_TWO(isnotequal, a != b)
HCL_TRUTH_OF_TWO(isless, a < b)
HCL_TRUTH_OF_TWO(islessequal, a <= b)
HCL_TRUTH_OF_TWO(isgreater, a > b)
HCL_TRUTH_OF_TWO(isgreaterequal, a >= b)
HCL_TRUTH_OF_TWO(islessgreater, a<b || a> b)
HCL_TRUTH_OF_TWO(isordered, a == a && b == b)
HCL_TRUTH_OF_TWO(isunordered, a != a || b != b)
HCL_TRUTH_OF_TWO(and, a != T() && b != T())
HCL_TRUTH_OF_TWO(or, a != T() || b != T())

/* True if the exponent's bits are all ones, and true if they are all zeros. */
HCI_FUNCTION int hcl_exponent(__half x)
{
    int bits = __half_as_ushort(x) >> 10 & 31;
    return bits == 31 ? 1 : bits == 0 ? -1 : 0;
}
HCI_FUNCTION int hcl_exponent(float x)
{
    int bits = __float_as_int(x) >> 23 & 255;
    return bits == 255 ? 1 : bits == 0 ? -1 : 0;
}
HCI_FUNCTION int hcl_exponent(double x)
{
    int bits = (int)(__double_as_longlong(x) >> 52 & 2047);
    return bits == 2047 ? 1 : bits == 0 ? -1 : 0;
}

#define HCL_TRUTH_OF_ONE(name, value)                                                          \
    HCL_FUNCTION bool hcl_##name(T a)                                                          \
    {                                                                                          \
        return value;                                                                          \
    }                                                                                          \
    HCL_OF_VECTORS hc_vector<HCL_SIGNED(T), n> hcl_##name(hc_vector<T, n> a)                   \
    {                                                                                          \
        hc_vector<HCL_SIGNED(T), n> r;                                                         \
        HCL_EACH((HCL_SIGNED(T))(hcl_##name(a.s[k]) ? -1 : 0))                                 \
    }
HCL_TRUTH_OF_ONE(not, a == T())
HCL_TRUTH_OF_ONE(isnan, a != a)
HCL_TRUTH_OF_ONE(isfinite, hcl_exponent(a) != 1)
HCL_TRUTH_OF_ONE(isinf, hcl_exponent(a) == 1 && a == a)
HCL_TRUTH_OF_ONE(isnormal, hcl_exponent(a) == 0)
HCL_TRUTH_OF_ONE(signbit, hcl_as<HCL_SIGNED(T)>(a) < 0)

HCL_FUNCTION int hcl_any(T x)
{
    return x < 0;
}
HCL_FUNCTION int hcl_all(T x)
{
    return x < 0;
}
HCL_OF_VECTORS int hcl_any(hc_vector<T, n> x)
{
    int r = 0;
    for (int k = 0; k < n; ++k)
        r |= x.s[k] < 0;
    return r;
}
HCL_OF_VECTORS int hcl_all(hc_vector<T, n> x)
{
    int r = 1;
    for (int k = 0; k < n; ++k)
        r &= x.s[k] < 0;
    return r;
}

template <typename T, typename C> HCI_FUNCTION T hcl_select(T a, T b, C c)
{
    return c != 0 ? b : a;
}
template <typename T, typename C, int n>
HCI_FUNCTION hc_vector<T, n> hcl_select(hc_vector<T, n> a, hc_vector<T, n> b, hc_vector<C, n> c)
{
    hc_vector<T, n> r;
    HCL_EACH((HCL_SIGNED(C))c.s[k] < 0 ? b.s[k] : a.s[k])
}

HCL_FUNCTION T hcl_bitselect(T a, T b, T c)
{
    typedef HCL_BITS(T) U;
    U x = hcl_as<U>(a), y = hcl_as<U>(b), z = hcl_as<U>(c);
    return hcl_as<T>((U)((x & ~z) | (y & z)));
}
