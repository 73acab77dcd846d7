/* Tests every operation of the vocabulary (simd/VOCABULARY.md) for one instruction set, against
 * plain C, lane by lane, on special values and random ones. It is the body of a target
 * (targets/body.h). vocabulary.def has a row per operation. */
#include <math.h>
#include <stdio.h>

#include "simd/simd.h"
#include "tests/testing.h"

typedef struct {
    halfcl_rounding mode;
    size_t n, words;                /* of incomplete vectors: 1 to 2 LANES, 1 to 2 WORDS */
    uint16_t halves[3][LANES];      /* any */
    float h[3][LANES];              /* the same as floats */
    float f[3][LANES];              /* any */
    float g[3][LANES];              /* in [2^-30, 2^30] */
    float moderate[1][LANES];       /* up to 90 */
    float tiny[LANES], near[LANES]; /* near 2^-14; near numbers of 12 bits */
    double d[LANES], e[LANES];      /* any; in float's range */
    int32_t i[3][LANES];
    int16_t w[2][WORDS];
    uint8_t truths[WORDS];
    int64_t memory[LANES];
} input;

typedef struct {
    float f[3 * LANES + 1];
    double d[LANES + 1];
    uint16_t h[2 * LANES + 1];
    int32_t i[LANES + 1];
    int16_t w[WORDS + 1];
    uint8_t truths[2 * WORDS];
    int64_t raw[LANES];
    unsigned bits, flags; /* flags: the exceptions that the hardware does not record */
} output;

static float table[1 << 17]; /* indexed by them */

/* Inputs. */

static float quiet_float(uint32_t bits)
{
    float x = float_of_bits(bits);
    return isnan(x) ? NAN : x;
}

static float pick_float(void)
{
    static const float corners[] = {0,         1,         2,        0.5f,     1.5f,
                                    2.5f,      0x1p-14f,  0x1p-24f, 0x1p-25f, 0x1p-126f,
                                    0x1p-149f, 65504,     65520,    0x1p16f,  0x1.fffffep127f,
                                    0x1p23f,   0x1.8p22f, 0x1p24f,  INFINITY, NAN};
    uint64_t r = random_bits();
    float sign = r & 1 ? -1 : 1;
    switch (r >> 8 & 3) {
    case 0:
        return sign * corners[(r >> 16) % (sizeof corners / sizeof *corners)];
    case 1: /* near a half or a midpoint of two */
        return quiet_float((uint32_t)((r >> 16 & 0xfff1f000) + (r >> 50 & 7) - 4));
    case 2: /* near 1, often equal */
        return sign * (1 + (float)(r >> 16 & 3) * 0x1p-23f);
    default:
        return quiet_float((uint32_t)(r >> 16));
    }
}

static uint16_t pick_quiet_half(void)
{
    uint16_t half = pick_half();
    return half_is_nan(half) ? half | HALF_QUIET : half;
}

static double pick_double(double most)
{
    uint64_t r = random_bits();
    double x = r & 3 ? double_of_bits(random_bits()) : pick_float();
    return isnan(x) ? NAN : most == 0 || (fabs(x) < most && fabs(x) > 1 / most) ? x : 1.25;
}

static int32_t pick_integer(void)
{
    static const int32_t corners[] = {0, 1, -1, INT32_MIN, INT32_MAX, 1 << 18, -(1 << 18), 4};
    uint64_t r = random_bits();
    return r & 1 ? (int32_t)(r >> 8) >> (r >> 40 & 31) : corners[r >> 8 & 7];
}

static void pick_input(input *in)
{
    in->n = 1 + random_bits() % (2 * LANES);
    in->words = 1 + random_bits() % (2 * WORDS);
    for (int k = 0; k < LANES; k++) {
        for (int l = 0; l < 3; l++) {
            in->halves[l][k] = pick_quiet_half();
            in->h[l][k] = halfcl_to_float(in->halves[l][k]);
            in->f[l][k] = pick_float();
            in->g[l][k] = ldexpf(1 + (float)(random_bits() >> 41) * 0x1p-23f,
                                 (int)(random_bits() % 61) - 30);
            in->i[l][k] = pick_integer();
        }
        in->moderate[0][k] = (float)((int)(random_bits() % 1441) - 720) / 8;
        in->tiny[k] = (random_bits() & 1 ? -0x1p-14f : 0x1p-14f) *
                      (1 - (float)(random_bits() % 64) * 0x1p-16f);
        in->near[k] = quiet_float((uint32_t)(random_bits() & 0x7ffff000) +
                                  (uint32_t)(random_bits() & 15) - 8);
        in->d[k] = pick_double(0);
        in->e[k] = pick_double(0x1p100);
        in->memory[k] = random_bits() & 1 ? (int64_t)random_bits()
                                          : (int64_t)random_bits() >> (random_bits() & 63);
    }
    for (int k = 0; k < WORDS; k++) {
        in->w[0][k] = (int16_t)random_bits();
        in->w[1][k] = random_bits() & 3 ? (int16_t)random_bits() : in->w[0][k];
        in->truths[k] = random_bits() & 1 ? (uint8_t)random_bits() : 0;
    }
}

/* Helpers that several rows use. */

static float vf_lane(vf v, int k)
{
    float at[LANES];
    vf_put(at, v);
    return at[k];
}

static bool is_close(double x, double slack)
{
    return fabs(x - 1) <= slack;
}

static bool is_hard(float x, uint32_t slack)
{
    uint32_t last = bits_of_float(x) & 0xfff;
    return last < slack || last >= 0x1000 - slack;
}

static int32_t clamped_integer(int64_t x)
{
    return (int32_t)(x > 1 << 18 ? 1 << 18 : x < -(1 << 18) ? -(1 << 18) : x);
}

static float integer_by(float x, halfcl_rounding mode)
{
    float below = floorf(x), rest = x - below;
    if (!(fabsf(x) < 0x1p23f))
        return x;
    bool odd = below / 2 != floorf(below / 2);
    bool up = mode == HALFCL_RTP   ? rest > 0
              : mode == HALFCL_RTZ ? x < 0 && rest > 0
              : mode == HALFCL_RTN ? false
                                   : rest > 0.5f || (rest == 0.5f && odd);
    return copysignf(below + up, x);
}

static __attribute__((noinline)) float fma_by(volatile float a, volatile float b,
                                              volatile float c, halfcl_rounding mode)
{
    halfcl_env env;
    halfcl_enter(&env, mode);
    volatile float result = halfcl_fmaf(a, b, c);
    halfcl_leave(&env);
    return result;
}

static float fma_odd(float a, float b, float c)
{
    float down = fma_by(a, b, c, HALFCL_RTN), up = fma_by(a, b, c, HALFCL_RTP);
    return down == up ? down : float_of_bits(bits_of_float(down) | 1);
}

/* Returns a + b rounded to odd in double; unchanged if it is a zero, infinite or a NaN. */
static __attribute__((noinline)) double odd_sum(volatile double a, volatile double b)
{
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    volatile double sum = a + b, moved = sum - a;
    volatile double rest = (a - (sum - moved)) + (b - moved);
    halfcl_leave(&env);
    if (sum == 0 || isnan(sum) || isinf(sum))
        return a + b;
    uint64_t bits = bits_of_double(sum);
    if (rest != 0 && (bits & 1) == 0)
        bits += (rest > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    return double_of_bits(bits);
}

static void put_half(vf v, const input *in, output *out)
{
    acc seen = acc_none();
    vh_store(out->h, vf_narrow(v, in->mode, &seen));
    acc_tiny(&seen, v);
    out->flags = acc_flags(seen);
}

static void narrow_where(const input *in, output *out)
{
    acc seen = acc_none();
    vf v = vf_load(in->f[0]);
    vm lanes = vi_less(vi_load_32(in->i[0]), vi_load_32(in->i[1]));
    memcpy(out->h, in->halves[1], sizeof in->halves[1]);
    vf_narrow_where(out->h, lanes, v, in->mode, &seen);
    acc_tiny(&seen, vf_select(lanes, v, vf_set(1)));
    out->flags = acc_flags(seen);
}

static void put_halves(vf v, vf w, const input *in, output *out)
{
    acc seen = acc_none();
    vh low = vf_narrow(v, in->mode, &seen), high = vf_narrow(w, in->mode, &seen);
    acc_tiny_pair(&seen, v, w, low, high);
    vh_store(out->h, low);
    vh_store(out->h + LANES, high);
    out->flags = acc_flags(seen);
}

/* Returns halves some of which equal those of halves[0]. */
static const uint16_t *equal_in_part(const input *in)
{
    static uint16_t halves[LANES];
    EACH(k, LANES) halves[k] = in->halves[in->i[0][k] < in->i[1][k] ? 0 : 1][k];
    return halves;
}

/* Returns an element of a square of halves, with padding between rows, that is not
 * symmetric. */
static uint16_t square_element(const input *in, size_t row, size_t column)
{
    return (uint16_t)(in->halves[0][row % LANES] + 31 * row + 517 * column);
}

static void turn_square(const input *in, output *out)
{
    uint16_t from[8][9], to[8][11];
    EACH(i, 8)
    {
        EACH(j, 8) from[i][j] = square_element(in, (size_t)i, (size_t)j);
    }
    vh_transpose(to, sizeof *to, from, sizeof *from);
    EACH(k, LANES) out->h[k] = to[k % 8][in->n % 8];
}

/* Returns the address of lane k's four elements: addresses overlap, in no order. The first
 * element is 4 bytes further. */
static const uint16_t *pair_place(const input *in, int k)
{
    static uint16_t halves[2 * LANES + 10];
    EACH(l, 2 * LANES + 10) halves[l] = in->halves[l % 3][l / 3 % LANES];
    return halves + in->words * (size_t)(1 + k / 4) % LANES;
}

static void load_pairs(void (*load)(char *const *, ptrdiff_t, vf *, vf *), const input *in,
                       output *out)
{
    char *at[LANES / 4];
    vf left, right;
    EACH(k, LANES / 4) at[k] = (char *)(uintptr_t)pair_place(in, 4 * k);
    load(at, 4, &left, &right);
    vf_put(out->f, left);
    vf_put(out->f + LANES, right);
}

static void gather_pairs(const input *in, output *out)
{
    vf first, second;
    vf_gather_pairs(table, vh_load(in->halves[0]), &first, &second);
    vf_put(out->f, first);
    vf_put(out->f + LANES, second);
}

static void sums_of_lanes(const input *in, output *out)
{
    vf rows[LANES];
    EACH(k, LANES)
    {
        float row[LANES];
        EACH(l, LANES) row[l] = (float)(in->i[0][l] % 1024 * (k + 1));
        rows[k] = vf_load(row);
    }
    vf_put(out->f, vf_sums_of_lanes(rows));
}

static void put_masks(const input *in, output *out)
{
    vi first = vi_load_32(in->i[0]), second = vi_load_32(in->i[1]);
    vm_put((char *)out->raw, 0, vi_less(first, second));
    vm_put((char *)out->raw, LANES, vi_less(second, vi_load_32(in->i[2])));
}

/* Fixes of a logarithm, of rsqrt, of tanh, and of the hyperbolic cosine with an exception. */
#define FIXED(FIX)                                                                             \
    FIX(0, 0, POLE_AT_0)                                                                       \
    FIX(1, FIXES(ITS_NAN, ITS_INF, A_NAN, PLUS_0, A_NAN),                                      \
        POLE_AT_0 | INVALID_AT_MINUS_INF | INVALID_BELOW_0)                                    \
    FIX(2, FIXES(ITS_NAN, HALF_PI, MINUS_INF, ITSELF, MINUS_1) | FIX_AT_1(PLUS_0),             \
        INVALID_AT_INF)

static void fix_all(const input *in, output *out)
{
    vf results = vf_load(in->g[0]), x = vf_load(in->h[0]);
#define FIX(at, fixes, raises)                                                                 \
    vf_put(out->f + (at) * LANES, vf_fixed(results, x, fixes, raises));
    FIXED(FIX)
#undef FIX
}

static float fixed_lane(float result, float x, int fixes, int raises, unsigned *flags)
{
    int at = isnan(x)         ? 0
             : x == 0         ? 8
             : x == 1         ? 12
             : x == -INFINITY ? 16
             : x == INFINITY  ? 20
                              : 24;
    int exception = isnan(x)         ? 0
                    : x == 0         ? POLE_AT_0
                    : x == -INFINITY ? INVALID_AT_MINUS_INF
                    : x == INFINITY  ? INVALID_AT_INF
                                     : INVALID_BELOW_0;
    const float values[] = {[AS_COMPUTED] = result,
                            [ITSELF] = x,
                            [ITS_NAN] = NAN,
                            [A_NAN] = NAN,
                            [MINUS_INF] = -INFINITY,
                            [PLUS_INF] = INFINITY,
                            [ITS_INF] = copysignf(INFINITY, x),
                            [PLUS_0] = 0,
                            [MINUS_1] = -1,
                            [PLUS_1] = 1,
                            [HALF_PI] = 0x1.921fb6p0f};
    if (isgreater(x, 0) && x != INFINITY)
        return x == 1 ? values[fixes >> at & 0xf] : result;
    if (raises & exception)
        *flags |= exception == POLE_AT_0 ? HALFCL_DIVBYZERO : HALFCL_INVALID;
    return values[fixes >> at & 0xf];
}

static void expect_fixed(const input *in, output *out, int k)
{
#define FIX(at, fixes, raises)                                                                 \
    out->f[(at) * LANES + k] = fixed_lane(in->g[0][k], in->h[0][k], fixes, raises, &out->flags);
    FIXED(FIX)
#undef FIX
}

#if HAVE_HALVES

/* Returns WORDS halves, of two of the operands, with one quiet NaN. */
static vw joined_halves(const input *in, int l)
{
    return vh_join(vh_load(in->halves[l]), vh_load(in->halves[(l + 1) % 3]));
}

static uint16_t word_lane(const input *in, int l, int k)
{
    return in->halves[(l + k / LANES) % 3][k % LANES];
}

static int16_t one_nan(uint16_t half)
{
    return (int16_t)(half_is_nan(half) ? HALF_NAN : half);
}

static void put_words(vw v, output *out)
{
    uint16_t halves[WORDS];
    vw_store(halves, v);
    EACH(k, WORDS) out->w[k] = one_nan(halves[k]);
}

static void expect_word(double value, const input *in, output *out, int k)
{
    out->w[k] = one_nan(halfcl_from_double(value, in->mode, &out->flags));
}

/* Returns a, with 0 where the bits of the mask are at least limit, as unsigned words. */
static vw zero_from(vw a, int mask, int limit)
{
    return vw_select(vw_not_below(vw_and(a, vw_set(mask)), vw_set(limit)), vw_set(0), a);
}

#endif

#if HAVE_QUIET_HALVES
static double exponent_or_infinity(double x)
{
    return x == 0 ? -INFINITY : isnan(x) ? NAN : isinf(x) ? INFINITY : logb(x);
}

#endif

/* The rows. */

enum { TRIALS = 1000 };

typedef enum {
    EXACT,     /* no exceptions */
    FLAGS,     /* the exceptions of C */
    ANY_FLAGS, /* not compared */
    STATIC /* to nearest without exceptions, in every mode if the set can; otherwise in one mode
            */
} kind;

#define F(v) vf_put(out->f, v)
#define D(low, high) (vd_store(out->d, low), vd_store(out->d + LANES / 2, high))
#define I(v) vi_store_32(out->i, v)
#define W(v) vw_store(out->w, v)
#define T(m) (out->bits = vm_bits(m))
#define WT(m) wm_store(out->truths, m)
#define BIT(truth) (out->bits |= (unsigned)!!(truth) << k)
#define DOUBLE(value)                                                                          \
    if (k < LANES / 2)                                                                         \
    out->d[k] = value
#define COLOR(value)                                                                           \
    if (k < 4)                                                                                 \
    out->d[k] = value
#define EACH_WORD                                                                              \
    for (int k = 0, x, y; k < WORDS && (x = in->w[0][k], y = in->w[1][k], (void)(x + y), 1);   \
         k++)
#define X joined_halves(in, 0)
#define Y joined_halves(in, 1)
#define Z joined_halves(in, 2)
#define H(v) put_words(v, out)
#define EACH_HALF(...)                                                                         \
    EACH(k, WORDS)                                                                             \
    {                                                                                          \
        double x = half_value(word_lane(in, 0, k)), y = half_value(word_lane(in, 1, k));       \
        double z = half_value(word_lane(in, 2, k));                                            \
        (void)x, (void)y, (void)z;                                                             \
        __VA_ARGS__;                                                                           \
    }
#define EXPECT(value) EACH_HALF(expect_word(value, in, out, k))
#define A vf_load(in->f[0])
#define B vf_load(in->f[1])
#define C vf_load(in->f[2])
#define HA vf_load(in->h[0])
#define HB vf_load(in->h[1])
#define HC vf_load(in->h[2])
#define G vf_load(in->g[0])
#define NEAR vf_load(in->near)
#define DA vd_load(in->d)
#define DB vd_load(in->e)
#define CA vc_load(in->d)
#define CB vc_load(in->e)
#define IA vi_load_32(in->i[0])
#define IB vi_load_32(in->i[1])
#define M vi_less(IA, IB)
#define N vi_less(IB, vi_load_32(in->i[2]))
#define WA vw_load(in->w[0])
#define WB vw_load(in->w[1])
#define WM vw_greater(WA, WB)
#define expect_half_at(value, k, offset)                                                       \
    (out->h[(k) + (offset)] = halfcl_from_double(value, in->mode, &out->flags))
#define expect_pairs(left, right) (out->f[k] = left, out->f[LANES + k] = right)
#define expect_half(value, k) expect_half_at(value, k, 0)

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#define TEST(operation, kind, vectors, ...)                                                    \
    static void PASTE(run_, __LINE__)(const input *in, output *out)                            \
    {                                                                                          \
        (void)in;                                                                              \
        vectors;                                                                               \
    }                                                                                          \
    static void PASTE(expect_, __LINE__)(const input *in, output *out)                         \
    {                                                                                          \
        EACH(k, LANES)                                                                         \
        {                                                                                      \
            float a = in->f[0][k], b = in->f[1][k], c = in->f[2][k];                           \
            float ha = in->h[0][k], hb = in->h[1][k], hc = in->h[2][k];                        \
            double p = in->d[k], q = in->e[k];                                                 \
            int32_t i = in->i[0][k], j = in->i[1][k];                                          \
            bool m = i < j, n = j < in->i[2][k];                                               \
            (void)a, (void)b, (void)c, (void)ha, (void)hb, (void)hc, (void)p, (void)q;         \
            (void)i, (void)j, (void)m, (void)n, (void)out;                                     \
            __VA_ARGS__;                                                                       \
        }                                                                                      \
    }
#include "tests/vocabulary.def"
#undef TEST

typedef struct {
    const char *operation;
    kind kind;
    void (*run)(const input *in, output *out), (*expect)(const input *in, output *out);
} row;

static const row rows[] = {
#define TEST(operation, kind, ...)                                                             \
    {#operation, kind, PASTE(run_, __LINE__), PASTE(expect_, __LINE__)},
#include "tests/vocabulary.def"
#undef TEST
};

/* Comparison. */

static bool same_floats(const float *x, const float *y, int n)
{
    for (int k = 0; k < n; k++) {
        if (bits_of_float(x[k]) != bits_of_float(y[k]) && !(isnan(x[k]) && isnan(y[k])))
            return false;
    }
    return true;
}

static bool same_doubles(const double *x, const double *y, int n)
{
    for (int k = 0; k < n; k++) {
        if (bits_of_double(x[k]) != bits_of_double(y[k]) && !(isnan(x[k]) && isnan(y[k])))
            return false;
    }
    return true;
}

static bool same_output(const output *x, const output *y)
{
    for (int k = 0; k < 2 * LANES + 1; k++) {
        if (!same_half(x->h[k], y->h[k]))
            return false;
    }
    return same_floats(x->f, y->f, 3 * LANES + 1) && same_doubles(x->d, y->d, LANES + 1) &&
           memcmp(x->i, y->i, sizeof x->i) == 0 && memcmp(x->w, y->w, sizeof x->w) == 0 &&
           memcmp(x->truths, y->truths, sizeof x->truths) == 0 &&
           memcmp(x->raw, y->raw, sizeof x->raw) == 0 && x->bits == y->bits;
}

static void apply(void (*f)(const input *, output *), const input *in, output *out,
                  halfcl_rounding mode)
{
    halfcl_env env;
    halfcl_enter(&env, mode);
    f(in, out);
    out->flags |= halfcl_leave(&env);
}

static bool passes(const row *r, const input *in)
{
    output got, expected;
    memset(&got, 0, sizeof got);
    memset(&expected, 0, sizeof expected);
    apply(r->run, in, &got, in->mode);
    apply(r->expect, in, &expected, r->kind == STATIC ? HALFCL_RTE : in->mode);
    if (r->kind == EXACT || (r->kind == STATIC && HAVE_STATIC_ROUNDING))
        expected.flags = 0;
    bool same_flags = r->kind == ANY_FLAGS || (r->kind == STATIC && !HAVE_STATIC_ROUNDING) ||
                      got.flags == expected.flags;
    return same_flags && same_output(&got, &expected);
}

#define DEFINE_TEST(target)                                                                    \
    void test_vocabulary_##target(const halfcl_isa *isa)                                       \
    {                                                                                          \
        static bool wrong[sizeof rows / sizeof *rows];                                         \
        static input in;                                                                       \
        for (int i = 0; i < 1 << 17; i++)                                                      \
            table[i] = (float)i;                                                               \
        for (int trial = 0; trial < TRIALS; trial++) {                                         \
            pick_input(&in);                                                                   \
            for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {                          \
                bool one_mode = rows[k].kind == STATIC && !HAVE_STATIC_ROUNDING;               \
                in.mode = one_mode ? HALFCL_RTE : (halfcl_rounding)(trial % 4);                \
                if (wrong[k] || passes(&rows[k], &in))                                         \
                    continue;                                                                  \
                wrong[k] = true;                                                               \
                if (failed("vocabulary", isa, in.mode))                                        \
                    printf("%s\n", rows[k].operation);                                         \
            }                                                                                  \
        }                                                                                      \
    }
#define DEFINE_TEST_OF(target) DEFINE_TEST(target)
DEFINE_TEST_OF(HALFCL_TARGET)
