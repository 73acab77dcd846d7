/* Coefficients of polynomials, by the command: python tools/make_polynomials.py */
#ifndef HALFCL_COEFFICIENTS_H
#define HALFCL_COEFFICIENTS_H

/* 2^f on [0, 1], powers [0, 1, 2, 3, 4, 5];
 * relative error 2^-23.6. */
static const float exp2_fraction[] = {0x1.fffffe0000000p-1f, 0x1.62e4ea0000000p-1f,
                                      0x1.ebd6c40000000p-3f, 0x1.c949900000000p-5f,
                                      0x1.26bcce0000000p-7f, 0x1.ebab520000000p-10f};

/* log(1 + s / log2_scale) / s on [-0.0245, 0.045], powers [0, 1, 2, 3];
 * relative error 2^-24.8. */
static const float log_slope[] = {0x1.65827c0000000p-1f, -0x1.f345320000000p-3f,
                                  0x1.d1341a0000000p-4f, -0x1.ea25640000000p-5f};

/* log2(1 + s / log2_scale) / s on [-0.0245, 0.045], powers [0, 1, 2, 3];
 * relative error 2^-24.0. */
static const float log2_slope[] = {0x1.01e3840000000p+0f, -0x1.6825ba0000000p-2f,
                                   0x1.4fb3220000000p-3f, -0x1.645cdc0000000p-4f};

/* atan(sqrt x) / sqrt x - 1 on [0, 1], powers [1, 2, 3, 4, 5, 6, 7, 8, 9];
 * absolute error 2^-28.7. */
static const float atan_growth[] = {
    -0x1.5555400000000p-2f, 0x1.9992680000000p-3f,  -0x1.24265a0000000p-3f,
    0x1.c0cbfe0000000p-4f,  -0x1.58c9540000000p-4f, 0x1.dccd220000000p-5f,
    -0x1.016dc00000000p-5f, 0x1.6a01620000000p-7f,  -0x1.ddfe6e0000000p-10f};

/* the same over pi, of 1 - x, minus 1/4, on [0, 1], powers [1, 2, 3, 4, 5, 6, 7, 8];
 * absolute error 2^-27.7. */
static const float atanpi_growth[] = {0x1.7419040000000p-5f,   0x1.d0d9100000000p-7f,
                                      0x1.4a41b40000000p-8f,   0x1.669ca40000000p-9f,
                                      -0x1.08fda20000000p-10f, 0x1.9f29200000000p-9f,
                                      -0x1.181b760000000p-9f,  0x1.db7f880000000p-11f};

/* log2(1 + s / log2_scale) / s - 1 on [-0.0245, 0.045], powers [0, 1, 2, 3, 4];
 * absolute error 2^-32.3. */
static const float log2_correction[] = {0x1.e384fc0000000p-8f, -0x1.6825bc0000000p-2f,
                                        0x1.4f4daa0000000p-3f, -0x1.5f36000000000p-4f,
                                        0x1.7e1fb40000000p-5f};

/* 2^f - 1 on [-0.0375, 0.0375], powers [1, 2, 3];
 * absolute error 2^-28.2. */
static const float exp2_growth[] = {0x1.62e4300000000p-1f, 0x1.ec01be0000000p-3f,
                                    0x1.c6b1320000000p-5f};

static const float log2_scale = 0x1.6ea0000000000p+0f;

/* log2_scale / x, nearly, for each 32nd of [1, 2). */
static const float log2_factors[] = {
    0x1.6ea0000000000p+0f, 0x1.5fc9400000000p+0f, 0x1.5480c00000000p+0f, 0x1.4b20400000000p+0f,
    0x1.43a8600000000p+0f, 0x1.388ac00000000p+0f, 0x1.3103c00000000p+0f, 0x1.2970c00000000p+0f,
    0x1.2209e00000000p+0f, 0x1.1cdb800000000p+0f, 0x1.13e0800000000p+0f, 0x1.1048200000000p+0f,
    0x1.0692400000000p+0f, 0x1.00e2400000000p+0f, 0x1.f66e000000000p-1f, 0x1.f1be800000000p-1f,
    0x1.e42e800000000p-1f, 0x1.dbd7800000000p-1f, 0x1.d313c00000000p-1f, 0x1.c75d600000000p-1f,
    0x1.c092000000000p-1f, 0x1.b9c9400000000p-1f, 0x1.aca6800000000p-1f, 0x1.a658c00000000p-1f,
    0x1.9c6a000000000p-1f, 0x1.9c6a000000000p-1f, 0x1.9658000000000p-1f, 0x1.8a71e00000000p-1f,
    0x1.80b9800000000p-1f, 0x1.80b9800000000p-1f, 0x1.7921800000000p-1f, 0x1.6ea0000000000p-1f};

/* log2(log2_scale / factor). */
static const float log2_steps[] = {0x0.0p+0f,
                                   0x1.e84c000000000p-5f,
                                   0x1.b4ca000000000p-4f,
                                   0x1.2ce7000000000p-3f,
                                   0x1.704e000000000p-3f,
                                   0x1.d790000000000p-3f,
                                   0x1.0fcc000000000p-2f,
                                   0x1.34f2000000000p-2f,
                                   0x1.5a2c800000000p-2f,
                                   0x1.74cd800000000p-2f,
                                   0x1.a420800000000p-2f,
                                   0x1.b781800000000p-2f,
                                   0x1.ed27800000000p-2f,
                                   0x1.06c0c00000000p-1f,
                                   0x1.173c800000000p-1f,
                                   0x1.1e28400000000p-1f,
                                   0x1.3290400000000p-1f,
                                   0x1.3f65c00000000p-1f,
                                   0x1.4d21400000000p-1f,
                                   0x1.5fe3800000000p-1f,
                                   0x1.6afe400000000p-1f,
                                   0x1.7640000000000p-1f,
                                   0x1.8c8bc00000000p-1f,
                                   0x1.977d400000000p-1f,
                                   0x1.a911800000000p-1f,
                                   0x1.a911800000000p-1f,
                                   0x1.b405800000000p-1f,
                                   0x1.c9f9800000000p-1f,
                                   0x1.dc67c00000000p-1f,
                                   0x1.dc67c00000000p-1f,
                                   0x1.eb21800000000p-1f,
                                   0x1.0000000000000p+0f};

/* 2^(i/16). */
static const float exp2_steps[] = {
    0x1.0000000000000p+0f, 0x1.0b55860000000p+0f, 0x1.172b840000000p+0f, 0x1.2387a60000000p+0f,
    0x1.306fe00000000p+0f, 0x1.3dea640000000p+0f, 0x1.4bfdae0000000p+0f, 0x1.5ab07e0000000p+0f,
    0x1.6a09e60000000p+0f, 0x1.7a11480000000p+0f, 0x1.8ace540000000p+0f, 0x1.9c49180000000p+0f,
    0x1.ae89fa0000000p+0f, 0x1.c199be0000000p+0f, 0x1.d5818e0000000p+0f, 0x1.ea4afa0000000p+0f};

#endif
