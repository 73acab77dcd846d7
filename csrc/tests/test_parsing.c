/* Tests halfcl_parse: its value, the number of characters read, and the rounded half; and
 * halfcl_print. */
#include "tests/testing.h"

static const struct {
    const char *text;
    size_t length; /* read */
    uint16_t rte, rtz, rtp, rtn;
} texts[] = {
    {"0", 1, 0, 0, 0, 0},
    {"-0.0e5", 6, 0x8000, 0x8000, 0x8000, 0x8000},
    {"1", 1, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"1.h", 3, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {".5H", 3, 0x3800, 0x3800, 0x3800, 0x3800},
    {"  +2e0h \n", 9, 0x4000, 0x4000, 0x4000, 0x4000},
    {"0.1", 3, 0x2e66, 0x2e66, 0x2e67, 0x2e66},
    {"-0.1", 4, 0xae66, 0xae66, 0xae66, 0xae67},
    {"65504", 5, 0x7bff, 0x7bff, 0x7bff, 0x7bff},
    {"65519.999999999999999999999999999999999999", 42, 0x7bff, 0x7bff, 0x7c00, 0x7bff},
    {"65520", 5, 0x7c00, 0x7bff, 0x7c00, 0x7bff},
    {"1e5", 3, 0x7c00, 0x7bff, 0x7c00, 0x7bff},
    {"-1e999999999999999999999999", 27, 0xfc00, 0xfbff, 0xfbff, 0xfc00},
    {"1e-99999999999", 14, 0, 0, 1, 0},
    {"0e99999999999", 13, 0, 0, 0, 0},
    {"2.98023223876953125e-8", 22, 0, 0, 1, 0},
    {"2.980232238769531250000000000000000001e-8", 41, 1, 0, 1, 0},
    {"5.9604644775390625e-8", 21, 1, 1, 1, 1},
    {"1.00048828125", 13, 0x3c00, 0x3c00, 0x3c01, 0x3c00},
    {"1.000488281250000000000000000000000000001", 41, 0x3c01, 0x3c00, 0x3c01, 0x3c00},
    {"100000e-5", 9, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"0.00001e5", 9, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"1e", 1, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"1e+", 1, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"1_0", 1, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"0x", 1, 0, 0, 0, 0},
    {"0x1", 3, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"0x1h", 3, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"-0x1.8P-3h", 10, 0xb200, 0xb200, 0xb200, 0xb200},
    {"0x1.ffcp15", 10, 0x7bff, 0x7bff, 0x7bff, 0x7bff},
    {"0x1.ffdffffffffffffffffffffp15", 30, 0x7bff, 0x7bff, 0x7c00, 0x7bff},
    {"0x1.ffep15", 10, 0x7c00, 0x7bff, 0x7c00, 0x7bff},
    {"0x1p-25", 7, 0, 0, 1, 0},
    {"0x1.00000000000000000000000001p-25", 34, 1, 0, 1, 0},
    {"0x.001p99999999999999999999", 27, 0x7c00, 0x7bff, 0x7c00, 0x7bff},
    {"0x1p-99999999999999999999", 25, 0, 0, 1, 0},
    {"0x100000000000000000000p-80", 27, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
    {"inf", 3, 0x7c00, 0x7c00, 0x7c00, 0x7c00},
    {"-Infinity", 9, 0xfc00, 0xfc00, 0xfc00, 0xfc00},
    {"infinite", 3, 0x7c00, 0x7c00, 0x7c00, 0x7c00},
    {" NaN ", 5, 0x7e00, 0x7e00, 0x7e00, 0x7e00},
    {"", 0, 0, 0, 0, 0},
    {" ", 0, 0, 0, 0, 0},
    {".", 0, 0, 0, 0, 0},
    {"-.e5", 0, 0, 0, 0, 0},
    {"h", 0, 0, 0, 0, 0},
    {"e5", 0, 0, 0, 0, 0},
};

static void check_text(const char *text, size_t size, size_t length, const uint16_t *expected)
{
    double value = 0;
    size_t read = halfcl_parse(text, size, &value);
    if (read != length && failed("halfcl_parse", halfcl_available(0), 0))
        printf("read %zu of %.40s\n", read, text);
    for (int mode = 0; mode < 4 && length > 0; ++mode) {
        uint16_t half = halfcl_from_double(value, (halfcl_rounding)mode, NULL);
        if (half != expected[mode] && failed("halfcl_parse", halfcl_available(0), mode))
            printf("%.60s gave %04x (%a), not %04x\n", text, half, value, expected[mode]);
    }
}

/* Tests all non-negative halves, the midpoints after them, and numbers slightly on each
 * side. */
static void test_all_halves(void)
{
    for (unsigned half = 0; half < 0x7c00; ++half) {
        uint16_t low = (uint16_t)half, up = (uint16_t)(half + 1), even = half & 1 ? up : low;
        double next = up == 0x7c00 ? 65536 : half_value(up);
        char text[120];
        size_t size = (size_t)sprintf(text, "%.30f", half_value(half));
        check_text(text, size, size, (uint16_t[]){low, low, low, low});
        size = (size_t)sprintf(text, "%.26f", (half_value(half) + next) / 2);
        check_text(text, size, size, (uint16_t[]){even, low, up, low});
        size += (size_t)sprintf(text + size, "0000000000000001");
        check_text(text, size, size, (uint16_t[]){up, low, up, low});
        size = (size_t)sprintf(text, "%.60f", (half_value(half) + next) / 2 - 0x1p-60);
        if (half < 0x1400) /* the double is exact */
            check_text(text, size, size, (uint16_t[]){low, low, up, low});
        size = (size_t)sprintf(text, "%a", (half_value(half) + next) / 2);
        check_text(text, size, size, (uint16_t[]){even, low, up, low});
    }
}

/* Returns how many digits a text has from the first that is not 0 on, without zeros at the end.
 */
static int count_digits(const char *text, size_t length)
{
    int digits = 0, zeros = 0;
    for (size_t i = 0; i < length && text[i] != 'e'; ++i) {
        if (text[i] < '0' || text[i] > '9')
            continue;
        zeros = text[i] == '0' ? zeros + 1 : 0;
        digits += digits > 0 || text[i] != '0';
    }
    return digits - zeros;
}

static uint16_t half_of_text(const char *text, size_t length)
{
    double value = 0;
    unsigned flags = 0;
    return halfcl_parse(text, length, &value) == length
               ? halfcl_from_double(value, HALFCL_RTE, &flags)
               : 0xffff;
}

/* Tests that texts are those of the halves, and no longer than the shortest of printf's. */
static void test_printing(void)
{
    for (unsigned half = 0; half <= 0x7c00; ++half) {
        char text[HALFCL_PRINTED], formatted[64];
        int digits = 0;
        size_t length = halfcl_print((uint16_t)half, half % 2 ? 0x3c00 : 0x7c00, text), size;
        do
            size = (size_t)sprintf(formatted, "%.*e", digits++, half_value(half));
        while (half && half_of_text(formatted, size) != half);
        if ((half_of_text(text, length) != half || count_digits(text, length) > digits) &&
            failed("halfcl_print", halfcl_available(0), 0))
            printf("%04x was printed as %.*s\n", half, (int)length, text);
    }
}

/* Tests 0.000...01e1000005, with a million zeros, and similar texts. */
static void test_long(void)
{
    enum { ZEROS = 1000000 };
    const uint16_t ten_thousand[] = {0x70e2, 0x70e2, 0x70e2, 0x70e2};
    const uint16_t one[] = {0x3c00, 0x3c00, 0x3c01, 0x3c00};
    char *text = malloc(ZEROS + 40);
    memset(text, '0', ZEROS + 2);
    text[1] = '.';
    size_t size = ZEROS + 2 + (size_t)sprintf(text + ZEROS + 2, "1e1000005");
    check_text(text, size, size, ten_thousand);
    text[0] = '1';
    size = ZEROS + 2 + (size_t)sprintf(text + ZEROS + 2, "1");
    check_text(text, size, size, one);
    memset(text, '0', ZEROS);
    text[0] = '1';
    size = ZEROS + (size_t)sprintf(text + ZEROS, "e-999995");
    check_text(text, size, size, ten_thousand);
    free(text);
}

void test_parsing(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        check_text(texts[i].text, strlen(texts[i].text), texts[i].length, &texts[i].rte);
    test_all_halves();
    test_printing();
    test_long();
}
