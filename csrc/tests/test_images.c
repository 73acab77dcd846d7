/* Tests images: reads against integer arithmetic and against sums in integers (exact/image.h),
 * on memory that ends where the texels do; writes against reads. */
#include <math.h>

#include "exact/image.h"
#include "tests/testing.h"

enum { WIDTH = 5, HEIGHT = 4, DEPTH = 3, SAMPLES = 700, UNIT = 64 };

static const halfcl_addressing addressings[] = {
    HALFCL_ADDRESS_NONE, HALFCL_ADDRESS_CLAMP_TO_EDGE, HALFCL_ADDRESS_CLAMP,
    HALFCL_ADDRESS_REPEAT, HALFCL_ADDRESS_MIRRORED_REPEAT};

/* Returns an RGBA image of so many dimensions, of half or UNORM_INT8. */
static halfcl_image make_image(int dims, halfcl_channel_type type)
{
    ptrdiff_t size = type == HALFCL_HALF_FLOAT ? 8 : 4;
    halfcl_image image = {
        .size = {WIDTH, dims > 1 ? HEIGHT : 1, dims > 2 ? DEPTH : 1},
        .step = {size, size * WIDTH, size * WIDTH * HEIGHT, 0},
        .dims = dims,
        .type = type,
        .channels = 4,
        .components = {0, 1, 2, 3},
        .border_alpha = true,
    };
    image.texels = malloc((size_t)(size * WIDTH * image.size[1] * image.size[2]));
    return image;
}

static size_t count_channels(const halfcl_image *image)
{
    return (size_t)(4 * image->size[0] * image->size[1] * image->size[2]);
}

static int floor_quotient(int x, int d)
{
    return x / d - (x % d < 0);
}

static int wrapped(int i, int size, halfcl_addressing addressing)
{
    if (addressing == HALFCL_ADDRESS_REPEAT)
        return (i % size + size) % size;
    if (addressing == HALFCL_ADDRESS_CLAMP_TO_EDGE ||
        addressing == HALFCL_ADDRESS_MIRRORED_REPEAT)
        return i < 0 ? 0 : i >= size ? size - 1 : i;
    return i < 0 || i >= size ? -1 : i;
}

/* ------------------------------------------------------------ integers */

/* Converts a coordinate in units of 1 / UNIT: of texels, or of the whole image. Returns twice
 * the index and the weight of the second texel in units of 1 / UNIT. */
static void place(int s, int size, const halfcl_sampler *sampler, int *index, int *weight)
{
    int u = sampler->normalized ? s * size : s, period = size * UNIT;
    if (sampler->addressing == HALFCL_ADDRESS_REPEAT)
        u = (u % period + period) % period;
    if (sampler->addressing == HALFCL_ADDRESS_MIRRORED_REPEAT) {
        u = (u % (2 * period) + 2 * period) % (2 * period);
        u = u > period ? 2 * period - u : u;
    }
    int first = floor_quotient(u - UNIT / 2, UNIT);
    weight[1] = u - UNIT / 2 - first * UNIT;
    weight[0] = UNIT - weight[1];
    for (int side = 0; side < 2; ++side)
        index[side] = wrapped(first + side, size, sampler->addressing);
}

/* Returns the code of a channel of a two-dimensional image of UNORM_INT8. */
static int code_at(const halfcl_image *image, int x, int y, int channel)
{
    if (x < 0 || y < 0)
        return channel == 3 ? 255 : 0;
    return ((const uint8_t *)image->texels)[4 * (y * WIDTH + x) + channel];
}

/* Returns sum / divisor as a double on the same side of all halves. */
static double quotient_to_odd(int64_t sum, int64_t divisor)
{
    int64_t scaled = (sum << 30) / divisor, rest = (sum << 30) % divisor;
    return ldexp((double)(scaled * 2 + (rest != 0)), -31);
}

static void test_planes_of_codes(const halfcl_isa *isa)
{
    halfcl_image image = make_image(2, HALFCL_UNORM_INT8);
    static float coordinates[SAMPLES][2];
    static uint16_t out[SAMPLES][4];
    const halfcl_coordinates where = {coordinates, 2, false};
    for (size_t i = 0; i < count_channels(&image); ++i)
        image.texels[i] = (char)random_bits();
    for (int trial = 0; trial < 40; ++trial) {
        halfcl_rounding mode = (halfcl_rounding)(trial % 4);
        halfcl_sampler sampler = {trial % 5 > 2 || trial % 3, addressings[trial % 5],
                                  HALFCL_LINEAR};
        int steps[SAMPLES][2];
        for (int i = 0; i < SAMPLES; ++i) {
            for (int d = 0; d < 2; ++d) {
                steps[i][d] = (int)(random_bits() % (16 * UNIT)) - 8 * UNIT;
                coordinates[i][d] = (float)steps[i][d] / UNIT;
            }
        }
        halfcl_read_image(isa, &image, &sampler, &where, out, HALFCL_HALF, SAMPLES, mode);
        for (int i = 0; i < SAMPLES * 4; ++i) {
            int x[2], y[2], a[2], b[2];
            int64_t sum = 0;
            unsigned flags = 0;
            place(steps[i / 4][0], WIDTH, &sampler, x, a);
            place(steps[i / 4][1], HEIGHT, &sampler, y, b);
            for (int k = 0; k < 4; ++k)
                sum +=
                    (int64_t)a[k & 1] * b[k >> 1] * code_at(&image, x[k & 1], y[k >> 1], i % 4);
            double exact = quotient_to_odd(sum, 255 * UNIT * UNIT);
            uint16_t wanted = halfcl_from_double(exact, mode, &flags);
            if (out[i / 4][i % 4] != wanted && failed("images of codes", isa, (int)mode))
                printf("%g %g: %#x, not %#x\n", (double)coordinates[i / 4][0],
                       (double)coordinates[i / 4][1], out[i / 4][i % 4], wanted);
        }
    }
    free(image.texels);
}

/* ------------------------------------------------------------ any coordinates */

static float pick_coordinate(void)
{
    static const float corners[] = {0,     0x1p-149f, 0x1p-60f,  -0x1p-30f, 0.5f,
                                    1,     -1,        2,         1.5f,      0x1p24f,
                                    3e38f, 0x1p31f,   -INFINITY, INFINITY,  NAN};
    uint64_t r = random_bits();
    if ((r & 7) == 0)
        return corners[(r >> 8) % (sizeof corners / sizeof *corners)];
    float x = (float)(r >> 40) * 0x1p-24f;
    return r & 8 ? x : (x - 0.5f) * 16;
}

static int divisor_of(const halfcl_image *image)
{
    return image->type == HALFCL_UNORM_INT8 ? UINT8_MAX : 1;
}

/* Returns a channel as a code, or as its half. */
static double channel_at(const halfcl_image *image, const char *texel, int k)
{
    if (image->type == HALFCL_UNORM_INT8)
        return ((const uint8_t *)texel)[k];
    return (double)halfcl_to_float(((const uint16_t *)(const void *)texel)[k]);
}

/* Reads a sample with every step in integers; returns its exceptions. */
static unsigned read_exactly(const halfcl_image *image, const halfcl_sampler *sampler,
                             const float *coordinate, halfcl_rounding mode, uint16_t *color)
{
    unsigned flags = 0;
    exact_place places[3];
    for (int d = 0; d < image->dims; ++d)
        places[d] = exact_place_of((double)coordinate[d], image->size[d], sampler);
    for (int k = 0; k < 4; ++k) {
        double texels[8];
        for (int corner = 0; corner < 1 << image->dims; ++corner) {
            bool inside = true;
            const char *at = image->texels;
            for (int d = 0; d < image->dims; ++d) {
                int32_t index = places[d].index[corner >> d & 1];
                inside &= index >= 0;
                at += (index < 0 ? 0 : index) * image->step[d];
            }
            texels[corner] = inside ? channel_at(image, at, k) : k == 3 ? divisor_of(image) : 0;
        }
        double sum = exact_blend(texels, places, image->dims, (uint32_t)divisor_of(image));
        color[k] = halfcl_from_double(sum, mode, &flags);
    }
    return flags;
}

static void test_any_coordinates(const halfcl_isa *isa, int dims)
{
    halfcl_image image = make_image(dims, HALFCL_HALF_FLOAT);
    static float coordinates[SAMPLES][3];
    static uint16_t out[SAMPLES][4];
    const halfcl_coordinates where = {coordinates, 3, false};
    for (int trial = 0; trial < 20; ++trial) {
        halfcl_rounding mode = (halfcl_rounding)(trial % 4);
        halfcl_sampler sampler = {trial % 5 > 2 || trial % 2, addressings[trial % 5],
                                  HALFCL_LINEAR};
        for (size_t i = 0; i < count_channels(&image); ++i)
            ((uint16_t *)(void *)image.texels)[i] =
                trial % 3 ? (uint16_t)(0x3000 + (random_bits() & 0x8fff)) : pick_half();
        for (int i = 0; i < SAMPLES * 3; ++i)
            coordinates[i / 3][i % 3] = pick_coordinate();
        halfcl_read_image(isa, &image, &sampler, &where, out, HALFCL_HALF, SAMPLES, mode);
        for (int i = 0; i < SAMPLES; ++i) {
            uint16_t wanted[4];
            read_exactly(&image, &sampler, coordinates[i], mode, wanted);
            for (int k = 0; k < 4; ++k) {
                if (!same_half(out[i][k], wanted[k]) && failed("images", isa, (int)mode))
                    printf("%dD %#x, %a %a %a: %#x, not %#x\n", dims, sampler.addressing,
                           (double)coordinates[i][0], (double)coordinates[i][1],
                           (double)coordinates[i][2], out[i][k], wanted[k]);
            }
        }
    }
    free(image.texels);
}

/* ------------------------------------------------------------ planes */

/* The first few bits decide most results of a kernel in float: these are images and places for
 * which they do not. */

static uint16_t pick_texel(int kind)
{
    static const uint16_t far[] = {0x7bff, 0xfbff, 0x0001, 0x8001, 0x0400, 0x3c00, 0x0000};
    uint64_t r = random_bits();
    switch (kind) {
    case 0: /* from 0 to 1 */
        return (uint16_t)(r % 0x3c01);
    case 1: /* of similar size, of either sign */
        return (uint16_t)(0x3800 + (r & 0x87ff));
    case 2:
        return pick_half();
    case 3: /* neighbours */
        return (uint16_t)(0x3bfe + r % 4);
    case 4: /* as far apart as possible, and numbers that may cancel */
        return far[r % (sizeof far / sizeof *far)];
    case 5: /* near the least normal number */
        return (uint16_t)(0x0200 + (r & 0x85ff));
    default: /* mostly one colour */
        return r % 8 ? 0xb555 : (uint16_t)(r >> 32 & 0xbbff);
    }
}

static int pick_code(int kind, int shade)
{
    uint64_t r = random_bits();
    return kind == 6 ? shade : kind % 2 ? (int)(r % 256) : (int)(r % 3) * 127 + 1;
}

/* shade: a code, for images of one colour. */
static void fill_image(halfcl_image *image, int kind, int shade)
{
    for (size_t i = 0; i < count_channels(image); ++i) {
        if (image->type == HALFCL_HALF_FLOAT)
            ((uint16_t *)(void *)image->texels)[i] = pick_texel(kind);
        else
            image->texels[i] = (char)pick_code(kind, shade);
    }
}

static float some_ulps_away(float x)
{
    int steps = (int)(random_bits() % 7) - 3;
    for (; steps != 0; steps -= steps > 0 ? 1 : -1)
        x = nextafterf(x, steps > 0 ? INFINITY : -INFINITY);
    return x;
}

/* Returns an x coordinate for which some channel is next to a number of 12 bits. */
static float aimed_at(const halfcl_image *image, float down)
{
    int x = (int)(random_bits() % (WIDTH - 1)), k = (int)(random_bits() % 4);
    double y = fmin(fmax((double)down - 0.5, 0), HEIGHT - 1), column[2];
    int row = (int)fmin(floor(y), HEIGHT - 2);
    for (int side = 0; side < 2; ++side) {
        const char *upper = image->texels + image->step[0] * (x + side) + image->step[1] * row;
        double first = channel_at(image, upper, k);
        double second = channel_at(image, upper + image->step[1], k);
        column[side] = (first + (y - row) * (second - first)) / divisor_of(image);
    }
    double between = (double)(random_bits() >> 40) * 0x1p-24;
    double near = column[0] + between * (column[1] - column[0]);
    int exponent;
    double part = frexp(near, &exponent), target = ldexp(rint(ldexp(part, 12)), exponent - 12);
    double weight = (target - column[0]) / (column[1] - column[0]);
    return weight >= 0 && weight <= 1 ? some_ulps_away((float)(x + 0.5 + weight)) : 1.25f;
}

static void pick_place(const halfcl_image *image, float *place)
{
    uint64_t r = random_bits();
    place[1] = (float)(r >> 40) * 0x1p-24f * (HEIGHT + 1) - 0.5f;
    place[0] = (float)(r & 0xffffff) * 0x1p-24f * (WIDTH + 1) - 0.5f;
    if (r >> 24 & 1)
        place[0] = aimed_at(image, place[1]);
    else if ((r >> 25 & 3) == 0)
        place[r >> 27 & 1] = some_ulps_away((float)(r >> 28 & 15) / 4);
    else if ((r >> 25 & 31) == 1)
        place[r >> 30 & 1] = pick_coordinate();
}

static void test_planes(const halfcl_isa *isa, halfcl_channel_type type, int calls)
{
    enum { MODES = 4, KINDS = 7, MOST = 300 };
    halfcl_image image = make_image(2, type);
    static float places[MOST][2];
    static uint16_t out[MOST + 1][4];
    const halfcl_coordinates where = {places, 2, false};
    for (int call = 0; call < calls; ++call) {
        halfcl_rounding mode = (halfcl_rounding)(call % MODES);
        halfcl_sampler sampler = {false, addressings[1 + call / 64 % 2], HALFCL_LINEAR};
        size_t n = 1 + random_bits() % (random_bits() % 4 ? 12 : MOST);
        unsigned wanted_flags = 0, flags;
        fill_image(&image, call / MODES % KINDS, call / (MODES * KINDS) % 256);
        for (size_t i = 0; i < n; ++i)
            pick_place(&image, places[i]);
        out[n][0] = 0x1234;
        flags = halfcl_read_image(isa, &image, &sampler, &where, out, HALFCL_HALF, n, mode);
        for (size_t i = 0; i < n; ++i) {
            uint16_t wanted[4];
            wanted_flags |= read_exactly(&image, &sampler, places[i], mode, wanted);
            for (int k = 0; k < 4; ++k) {
                if (!same_half(out[i][k], wanted[k]) && failed("planes", isa, (int)mode))
                    printf("%#x %a %a: %#x, not %#x\n", type, (double)places[i][0],
                           (double)places[i][1], out[i][k], wanted[k]);
            }
        }
        if ((flags != wanted_flags || out[n][0] != 0x1234) && failed("planes", isa, (int)mode))
            printf("%#x: exceptions %#x, not %#x\n", type, flags, wanted_flags);
    }
    free(image.texels);
}

/* ------------------------------------------------------------ writes, misuse */

static void test_writes(const halfcl_isa *isa)
{
    halfcl_image image = make_image(2, HALFCL_HALF_FLOAT);
    static int32_t coordinates[SAMPLES][2];
    static uint16_t colors[SAMPLES][4], out[SAMPLES][4];
    const halfcl_coordinates where = {coordinates, 2, true};
    size_t dropped, outside = 0;
    uint16_t last[HEIGHT][WIDTH] = {{0}};
    for (int i = 0; i < SAMPLES; ++i) {
        int x = coordinates[i][0] = (int32_t)(random_bits() % 9) - 2;
        int y = coordinates[i][1] =
            random_bits() % 50 ? (int32_t)(random_bits() % 4) : INT32_MIN;
        for (int k = 0; k < 4; ++k)
            colors[i][k] = (uint16_t)(i + k);
        bool inside = x >= 0 && x < WIDTH && y >= 0;
        outside += !inside;
        if (inside)
            last[y][x] = (uint16_t)i;
    }
    memset(image.texels, 0, count_channels(&image) * 2);
    halfcl_write_image(isa, &image, &where, colors, HALFCL_HALF, SAMPLES, HALFCL_RTE, &dropped);
    halfcl_read_image(isa, &image, NULL, &where, out, HALFCL_HALF, SAMPLES, HALFCL_RTE);
    for (int i = 0; i < SAMPLES; ++i) {
        int x = coordinates[i][0], y = coordinates[i][1];
        bool inside = x >= 0 && x < WIDTH && y >= 0;
        uint16_t wanted = inside ? (uint16_t)(last[y][x] + 3) : 0x3c00;
        if (out[i][3] != wanted && failed("written images", isa, 0))
            printf("%d %d: %d, not %d\n", x, y, out[i][3], wanted);
    }
    if (dropped != outside && failed("written images", isa, 0))
        printf("%zu dropped, not %zu\n", dropped, outside);
    free(image.texels);
}

static void test_image_misuse(const halfcl_isa *isa)
{
    halfcl_image image = make_image(1, HALFCL_HALF_FLOAT);
    float coordinate = 0;
    uint16_t out[4] = {1, 1, 1, 1};
    size_t dropped;
    const halfcl_coordinates where = {&coordinate, 1, false};
    const halfcl_sampler repeated = {false, HALFCL_ADDRESS_REPEAT, HALFCL_NEAREST};
    const halfcl_sampler usual = {false, HALFCL_ADDRESS_CLAMP, HALFCL_NEAREST};
    bool refused = halfcl_read_image(isa, &image, &repeated, &where, out, HALFCL_HALF, 1,
                                     HALFCL_RTE) == HALFCL_MISUSE &&
                   halfcl_read_image(isa, &image, &usual, &where, out, HALFCL_INT32, 1,
                                     HALFCL_RTE) == HALFCL_MISUSE &&
                   halfcl_write_image(isa, &image, &where, out, HALFCL_HALF, 1, HALFCL_RTE,
                                      &dropped) == HALFCL_MISUSE;
    if ((!refused || out[0] != 1) && failed("misused images", isa, 0))
        printf("not refused\n");
    free(image.texels);
}

void test_images(void)
{
    const halfcl_isa *isa;
    for (size_t k = 0; (isa = halfcl_available(k)); ++k) {
        test_planes_of_codes(isa);
        for (int dims = 1; dims <= 3; ++dims)
            test_any_coordinates(isa, dims);
        test_planes(isa, HALFCL_HALF_FLOAT, 4000 / one_in);
        test_planes(isa, HALFCL_UNORM_INT8, 4 * 7 * 256 / one_in);
        test_writes(isa);
        test_image_misuse(isa);
    }
}
