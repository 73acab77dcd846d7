/* Constants of kernels, by the command at the head of tools/tune_constants.c */
#ifndef HALFCL_TUNED_H
#define HALFCL_TUNED_H

/* 2^(i/32), about. */
static const float exp_powers[] = {
    0x1p+0f,        0x1.059b0cp+0f, 0x1.0b559p+0f,  0x1.113022p+0f, 0x1.172b7p+0f,
    0x1.1d4862p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,  0x1.306ff8p+0f, 0x1.371a6cp+0f,
    0x1.3dea54p+0f, 0x1.44e084p+0f, 0x1.4bfdc8p+0f, 0x1.5342c2p+0f, 0x1.5ab096p+0f,
    0x1.6247fp+0f,  0x1.6a09ep+0f,  0x1.71f76p+0f,  0x1.7a113p+0f,  0x1.8258c6p+0f,
    0x1.8ace5p+0f,  0x1.93738cp+0f, 0x1.9c491ap+0f, 0x1.a5503ep+0f, 0x1.ae89f8p+0f,
    0x1.b7f76ap+0f, 0x1.c199c2p+0f, 0x1.cb720ep+0f, 0x1.d5819p+0f,  0x1.dfc982p+0f,
    0x1.ea4aecp+0f, 0x1.f5075ep+0f};

/* 2^f on [0, 1), powers 0 to 5. */
static const float exp2_polynomial[] = {0x1p+0f,        0x1.62e4c8p-1f, 0x1.ebdab6p-3f,
                                        0x1.c91d8ap-5f, 0x1.277fe6p-7f, 0x1.e9620cp-10f};

/* 2^(i/32), about. */
static const float exp10_powers[] = {
    0x1p+0f,        0x1.059b0ep+0f, 0x1.0b5588p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f,
    0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,  0x1.306fe2p+0f, 0x1.371a74p+0f,
    0x1.3dea68p+0f, 0x1.44e082p+0f, 0x1.4bfdbep+0f, 0x1.5342bp+0f,  0x1.5ab07ep+0f,
    0x1.6247eap+0f, 0x1.6a09e6p+0f, 0x1.71f75ap+0f, 0x1.7a114ap+0f, 0x1.825888p+0f,
    0x1.8ace6p+0f,  0x1.93737cp+0f, 0x1.9c4916p+0f, 0x1.a5503cp+0f, 0x1.ae8a02p+0f,
    0x1.b7f77p+0f,  0x1.c199cp+0f,  0x1.cb7212p+0f, 0x1.d5819p+0f,  0x1.dfc974p+0f,
    0x1.ea4afap+0f, 0x1.f50766p+0f};

/* log2(10), and what it lacks. */
static const float exp10_octaves[] = {0x1.a934fp+1f, 0x1.2f3466p-24f};

/* (2^f - 1) / f on [-1/64, 1/64], powers 0 to 2. */
static const float exp10_growth[] = {0x1.62e43p-1f, 0x1.ebfce4p-3f, 0x1.c6a43ep-5f};

/* The logarithm of 2. */
static const float natural_octave[] = {0x1.62e43p-1f};

/* 1 / x, about, for each 32nd of [1, 2). */
static const float natural_inverses[] = {
    0x1p+0f,        0x1.e912fep-1f, 0x1.dae608p-1f, 0x1.cd856p-1f,  0x1.c0e0a6p-1f,
    0x1.b4e828p-1f, 0x1.a98f1p-1f,  0x1.9ec8f2p-1f, 0x1.948b14p-1f, 0x1.8acbc8p-1f,
    0x1.81817p-1f,  0x1.78a4dcp-1f, 0x1.702de2p-1f, 0x1.681684p-1f, 0x1.6057f8p-1f,
    0x1.58ed36p-1f, 0x1.51d07p-1f,  0x1.4afd68p-1f, 0x1.446fa2p-1f, 0x1.3e22c6p-1f,
    0x1.38138cp-1f, 0x1.323e26p-1f, 0x1.2c9fa8p-1f, 0x1.273538p-1f, 0x1.21fb5ap-1f,
    0x1.1cf064p-1f, 0x1.181186p-1f, 0x1.135c8ep-1f, 0x1.0ecf58p-1f, 0x1.0a67fep-1f,
    0x1.0624dep-1f, 0x1p-1f};

/* The logarithm of 1 / inverse, about. */
static const float natural_steps[] = {
    0x0p+0f,        0x1.77482p-5f,  0x1.341d94p-4f, 0x1.a92746p-4f, 0x1.0d77bcp-3f,
    0x1.44d2a4p-3f, 0x1.7ab8aep-3f, 0x1.af3c92p-3f, 0x1.e27066p-3f, 0x1.0a31ep-2f,
    0x1.229434p-2f, 0x1.3a6496p-2f, 0x1.51ab3cp-2f, 0x1.686c82p-2f, 0x1.7eafe6p-2f,
    0x1.94796p-2f,  0x1.a9cfp-2f,   0x1.beb4d8p-2f, 0x1.d32f66p-2f, 0x1.e7443ap-2f,
    0x1.faf54ap-2f, 0x1.0723fcp-1f, 0x1.109f6ep-1f, 0x1.19ee56p-1f, 0x1.231318p-1f,
    0x1.2c0eaap-1f, 0x1.34e27p-1f,  0x1.3d901p-1f,  0x1.4618bep-1f, 0x1.4e7db8p-1f,
    0x1.56bfa8p-1f, 0x1.62e43p-1f};

/* log(1 + s) / s, powers 0 to 2. */
static const float natural_slope[] = {0x1p+0f, -0x1p-1f, 0x1.5561d6p-2f};

/* The logarithm of 2. */
static const float binary_octave[] = {0x1p+0f};

/* 1 / x, about, for each 32nd of [1, 2). */
static const float binary_inverses[] = {
    0x1p+0f,        0x1.e9131cp-1f, 0x1.dae5f8p-1f, 0x1.cd856ap-1f, 0x1.c0e06ep-1f,
    0x1.b4e80cp-1f, 0x1.a98f2ep-1f, 0x1.9ec8cap-1f, 0x1.948b12p-1f, 0x1.8acb8cp-1f,
    0x1.818192p-1f, 0x1.78a4c8p-1f, 0x1.702df8p-1f, 0x1.681682p-1f, 0x1.605818p-1f,
    0x1.58ed44p-1f, 0x1.51d07cp-1f, 0x1.4afd74p-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
    0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fd4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
    0x1.1cf06cp-1f, 0x1.181174p-1f, 0x1.135c8p-1f,  0x1.0ecf4ep-1f, 0x1.0a6814p-1f,
    0x1.0624ep-1f,  0x1p-1f};

/* The logarithm of 1 / inverse, about. */
static const float binary_steps[] = {
    0x0p+0f,        0x1.0eb392p-4f, 0x1.bc84a6p-4f, 0x1.32aee4p-3f, 0x1.84c2bep-3f,
    0x1.d49f1ap-3f, 0x1.11317ap-2f, 0x1.37125p-2f,  0x1.5c01c2p-2f, 0x1.800a9ap-2f,
    0x1.a3375ap-2f, 0x1.c592fcp-2f, 0x1.e726b6p-2f, 0x1.03fd94p-1f, 0x1.140cdap-1f,
    0x1.23c4ecp-1f, 0x1.3327c8p-1f, 0x1.423af8p-1f, 0x1.5100fap-1f, 0x1.5f7d04p-1f,
    0x1.6db198p-1f, 0x1.7ba188p-1f, 0x1.894f74p-1f, 0x1.96bda6p-1f, 0x1.a3ee8p-1f,
    0x1.b0e418p-1f, 0x1.bda05cp-1f, 0x1.ca258ap-1f, 0x1.d6753cp-1f, 0x1.e2913cp-1f,
    0x1.ee7b3cp-1f, 0x1p+0f};

/* log(1 + s) / s, powers 0 to 2. */
static const float binary_slope[] = {0x1.715482p+0f, -0x1.71518ep-1f, 0x1.ec6f5ep-2f};

/* The logarithm of 2. */
static const float decimal_octave[] = {0x1.344136p-2f};

/* 1 / x, about, for each 32nd of [1, 2). */
static const float decimal_inverses[] = {
    0x1p+0f,        0x1.e912cep-1f, 0x1.dae606p-1f, 0x1.cd84eap-1f, 0x1.c0e09p-1f,
    0x1.b4e7f6p-1f, 0x1.a98eeep-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb8cp-1f,
    0x1.818138p-1f, 0x1.78a47ep-1f, 0x1.702df6p-1f, 0x1.681686p-1f, 0x1.605828p-1f,
    0x1.58ed4p-1f,  0x1.51d086p-1f, 0x1.4afd64p-1f, 0x1.446f8p-1f,  0x1.3e22f2p-1f,
    0x1.381384p-1f, 0x1.323e34p-1f, 0x1.2c9fc8p-1f, 0x1.2734d4p-1f, 0x1.21fb6p-1f,
    0x1.1cf068p-1f, 0x1.181194p-1f, 0x1.135c78p-1f, 0x1.0ecf4ap-1f, 0x1.0a680cp-1f,
    0x1.0624dep-1f, 0x1p-1f};

/* The logarithm of 1 / inverse, about. */
static const float decimal_steps[] = {
    0x0p+0f,        0x1.45fb5ap-6f, 0x1.0ba026p-5f, 0x1.714c26p-5f, 0x1.d41cb8p-5f,
    0x1.1a2488p-4f, 0x1.48f418p-4f, 0x1.76913cp-4f, 0x1.a30a98p-4f, 0x1.ce6e64p-4f,
    0x1.f8cb6p-4f,  0x1.1114d2p-3f, 0x1.254b58p-3f, 0x1.390f94p-3f, 0x1.4c658cp-3f,
    0x1.5f52p-3f,   0x1.71da04p-3f, 0x1.84010ap-3f, 0x1.95cb44p-3f, 0x1.a73b86p-3f,
    0x1.b856ccp-3f, 0x1.c91f1p-3f,  0x1.d9978cp-3f, 0x1.e9c458p-3f, 0x1.f9a63p-3f,
    0x1.04a06ep-2f, 0x1.0c4b3cp-2f, 0x1.13d4eep-2f, 0x1.1b3e98p-2f, 0x1.2288e8p-2f,
    0x1.29b522p-2f, 0x1.344136p-2f};

/* log(1 + s) / s, powers 0 to 2. */
static const float decimal_slope[] = {0x1.bcb79p-2f, -0x1.bcba7ap-3f, 0x1.287696p-3f};

/* ((1 - h)^(-2/3) - 1) / h on [-0.11, 0.11], powers 0 to 4. */
static const float cbrt_growth[] = {0x1.555556p-1f, 0x1.1c6f98p-1f, 0x1.f9a7d2p-2f,
                                    0x1.d57b6ap-2f, 0x1.b6cf58p-2f};

/* (sin(r) - r) / r^3 on [0, pi/2], in powers 0 to 3 of r^2. */
static const float sin_growth[] = {-0x1.555552p-3f, 0x1.110f98p-7f, -0x1.9f9ed6p-13f,
                                   0x1.60cb8ap-19f};

/* sin(pi f) / f on [0, 1/2], in powers 0 to 4 of f^2. */
static const float sinpi_slope[] = {0x1.921fb6p+1f, -0x1.4abbeep+2f, 0x1.466ed4p+1f,
                                    -0x1.32dd7p-1f, 0x1.463338p-4f};

/* cos(pi f) / (1/4 - f^2) on [0, 1/2], in powers 0 to 4 of f^2. */
static const float cospi_slope[] = {0x1p+2f, -0x1.de9e6p+1f, 0x1.472a78p+0f, -0x1.d47958p-3f,
                                    0x1.8bef9ap-6f};

#endif
