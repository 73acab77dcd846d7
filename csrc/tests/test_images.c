/* Images: reads against integer arithmetic and against sums in integers (exact/image.h), on
 * memory that ends where the texels do; writes against reads. */
#include <math.h>

#include "exact/image.h"
#include "tests/testing.h"

enum { WIDTH = 5, HEIGHT = 4, DEPTH = 3, SAMPLES = 700, UNIT = 64 };

static const halfcl_addressing addressings[] = {
    HALFCL_ADDRESS_NONE, HALFCL_ADDRESS_CLAMP_TO_EDGE, HALFCL_ADDRESS_CLAMP,
    HALFCL_ADDRESS_REPEAT, HALFCL_ADDRESS_MIRRORED_REPEAT};

/* An RGBA image of so many dimensions, of half or UNORM_INT8. */
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

/* A coordinate in units of 1 / UNIT: of texels, or of the whole image. Twice the index and the
 * weight in units of 1 / UNIT of the second one. */
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

/* The code of a channel of an image of UNORM_INT8 in two dimensions. */
static int code_at(const halfcl_image *image, int x, int y, int channel)
{
    if (x < 0 || y < 0)
        return channel == 3 ? 255 : 0;
    return ((const uint8_t *)image->texels)[4 * (y * WIDTH + x) + channel];
}

/* sum / divisor as a double on the same side of all halves. */
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

/* A sample, every step in integers. */
static void read_exactly(const halfcl_image *image, const halfcl_sampler *sampler,
                         const float *coordinate, halfcl_rounding mode, uint16_t *color)
{
    exact_place places[3];
    for (int d = 0; d < image->dims; ++d)
        places[d] = exact_place_of((double)coordinate[d], image->size[d], sampler);
    for (int k = 0; k < 4; ++k) {
        double texels[8];
        unsigned flags = 0;
        for (int corner = 0; corner < 1 << image->dims; ++corner) {
            bool inside = true;
            const char *at = image->texels + 2 * k;
            for (int d = 0; d < image->dims; ++d) {
                int32_t index = places[d].index[corner >> d & 1];
                inside &= index >= 0;
                at += (index < 0 ? 0 : index) * image->step[d];
            }
            uint16_t half = inside ? *(const uint16_t *)(const void *)at : k == 3 ? 0x3c00 : 0;
            texels[corner] = (double)halfcl_to_float(half);
        }
        color[k] =
            halfcl_from_double(exact_blend(texels, places, image->dims, 1), mode, &flags);
    }
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
        test_writes(isa);
        test_image_misuse(isa);
    }
}
