/* Coefficients of polynomials, by the command: python tools/make_polynomials.py */
#ifndef HALFCL_COEFFICIENTS_H
#define HALFCL_COEFFICIENTS_H

/* 2^f on [0, 1], powers [0, 1, 2, 3, 4, 5];
 * relative error 2^-23.6. */
static const float exp2_fraction[] = {0x1.fffffe0000000p-1f, 0x1.62e4ea0000000p-1f,
                                      0x1.ebd6c40000000p-3f, 0x1.c949900000000p-5f,
                                      0x1.26bcce0000000p-7f, 0x1.ebab520000000p-10f};

/* log(1 + s / (23/16)) / s on [-0.0245, 0.045], powers [0, 1, 2, 3];
 * relative error 2^-25.6. */
static const float log_slope[] = {0x1.642c860000000p-1f, -0x1.ef8bfa0000000p-3f,
                                  0x1.cba0900000000p-4f, -0x1.d4eb6a0000000p-5f};

/* log2(1 + s / (23/16)) / s on [-0.0245, 0.045], powers [0, 1, 2, 3];
 * relative error 2^-26.2. */
static const float log2_slope[] = {0x1.00ecd80000000p+0f, -0x1.6576380000000p-2f,
                                   0x1.4b95ce0000000p-3f, -0x1.52437e0000000p-4f};

/* log10(1 + s / (23/16)) / s on [-0.0245, 0.045], powers [0, 1, 2, 3];
 * relative error 2^-24.4. */
static const float log10_slope[] = {0x1.355e660000000p-2f, -0x1.ae6d140000000p-4f,
                                    0x1.8f15f40000000p-5f, -0x1.9447c20000000p-6f};

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

/* (1 - h)^(-2/3) - 1 on [-0.1075, 0.1075], powers [1, 2, 3, 4, 5];
 * absolute error 2^-25.3. */
static const float cbrt_growth[] = {0x1.5555580000000p-1f, 0x1.1c6eb80000000p-1f,
                                    0x1.f99fe00000000p-2f, 0x1.d631960000000p-2f,
                                    0x1.b947b40000000p-2f};

/* log2(1 + s / (23/16)) / s - 1 on [-0.0245, 0.045], powers [0, 1, 2, 3, 4];
 * absolute error 2^-32.5. */
static const float log2_correction[] = {0x1.d9afc00000000p-9f, -0x1.65760a0000000p-2f,
                                        0x1.4b8f5e0000000p-3f, -0x1.5a252a0000000p-4f,
                                        0x1.7a3d380000000p-5f};

/* 2^f - 1 on [-0.0375, 0.0375], powers [1, 2, 3];
 * absolute error 2^-28.2. */
static const float exp2_growth[] = {0x1.62e4300000000p-1f, 0x1.ec01be0000000p-3f,
                                    0x1.c6b1320000000p-5f};

/* 23/16 / x, nearly, for each 32nd of [1, 2). */
static const float log2_factors[] = {
    0x1.7000000000000p+0f, 0x1.5fa2800000000p+0f, 0x1.57a9a00000000p+0f, 0x1.4be6000000000p+0f,
    0x1.438e400000000p+0f, 0x1.3a36200000000p+0f, 0x1.30c8e00000000p+0f, 0x1.2b3a800000000p+0f,
    0x1.24a0200000000p+0f, 0x1.1dc1c00000000p+0f, 0x1.13bf200000000p+0f, 0x1.0e71c00000000p+0f,
    0x1.088ec00000000p+0f, 0x1.0536200000000p+0f, 0x1.f74f400000000p-1f, 0x1.f020800000000p-1f,
    0x1.e9a9000000000p-1f, 0x1.dc05000000000p-1f, 0x1.d2c5200000000p-1f, 0x1.c953e00000000p-1f,
    0x1.c10a600000000p-1f, 0x1.b858c00000000p-1f, 0x1.b167800000000p-1f, 0x1.a886e00000000p-1f,
    0x1.a4eb800000000p-1f, 0x1.996ba00000000p-1f, 0x1.9747800000000p-1f, 0x1.906c400000000p-1f,
    0x1.840a000000000p-1f, 0x1.840a000000000p-1f, 0x1.783e800000000p-1f, 0x1.7000000000000p-1f};

/* log2(23/16 / factor). */
static const float log2_steps[] = {0x0.0p+0f,
                                   0x1.0cd0000000000p-4f,
                                   0x1.9454000000000p-4f,
                                   0x1.3114000000000p-3f,
                                   0x1.7c4c000000000p-3f,
                                   0x1.d2e2000000000p-3f,
                                   0x1.1671000000000p-2f,
                                   0x1.319f000000000p-2f,
                                   0x1.5296000000000p-2f,
                                   0x1.75ad000000000p-2f,
                                   0x1.aa5b000000000p-2f,
                                   0x1.c70a000000000p-2f,
                                   0x1.e78d000000000p-2f,
                                   0x1.fa5b000000000p-2f,
                                   0x1.18b5800000000p-1f,
                                   0x1.2353800000000p-1f,
                                   0x1.2d04800000000p-1f,
                                   0x1.41e3000000000p-1f,
                                   0x1.5061800000000p-1f,
                                   0x1.5f7a000000000p-1f,
                                   0x1.6cfc000000000p-1f,
                                   0x1.7b6d000000000p-1f,
                                   0x1.872a000000000p-1f,
                                   0x1.9673800000000p-1f,
                                   0x1.9cc1000000000p-1f,
                                   0x1.b137000000000p-1f,
                                   0x1.b516800000000p-1f,
                                   0x1.c1a1000000000p-1f,
                                   0x1.d8d5800000000p-1f,
                                   0x1.d8d5800000000p-1f,
                                   0x1.efa2800000000p-1f,
                                   0x1.0000000000000p+0f};

/* 2^(i/16). */
static const float exp2_steps[] = {
    0x1.0000000000000p+0f, 0x1.0b55860000000p+0f, 0x1.172b840000000p+0f, 0x1.2387a60000000p+0f,
    0x1.306fe00000000p+0f, 0x1.3dea640000000p+0f, 0x1.4bfdae0000000p+0f, 0x1.5ab07e0000000p+0f,
    0x1.6a09e60000000p+0f, 0x1.7a11480000000p+0f, 0x1.8ace540000000p+0f, 0x1.9c49180000000p+0f,
    0x1.ae89fa0000000p+0f, 0x1.c199be0000000p+0f, 0x1.d5818e0000000p+0f, 0x1.ea4afa0000000p+0f};

#endif
