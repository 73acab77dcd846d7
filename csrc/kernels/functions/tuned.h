/* Constants of kernels. Made by the command at the head of tools/tune_constants.c. */
#ifndef HALFCL_KERNELS_FUNCTIONS_TUNED_H
#define HALFCL_KERNELS_FUNCTIONS_TUNED_H

/* 2^(i/32), about. */
static const float exp_powers[] = {
    0x1p+0f,        0x1.059b0cp+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f,
    0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,  0x1.306fep+0f,  0x1.371a74p+0f,
    0x1.3dea64p+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f,
    0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f,
    0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f,
    0x1.b7f77p+0f,  0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f,
    0x1.ea4afap+0f, 0x1.f50766p+0f};

/* 2^f on [0, 1), powers 0 to 5. */
static const float exp2_polynomial[] = {0x1p+0f,        0x1.62e4dap-1f, 0x1.ebdabap-3f,
                                        0x1.c91894p-5f, 0x1.2789dap-7f, 0x1.e98cf8p-10f};

/* 2^(i/32), about. */
static const float exp10_powers[] = {
    0x1p+0f,        0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f,
    0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,  0x1.306fep+0f,  0x1.371a74p+0f,
    0x1.3dea6ap+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f,
    0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f,
    0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f,
    0x1.b7f77p+0f,  0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f,
    0x1.ea4afap+0f, 0x1.f50766p+0f};

/* log2(10), and its rounding error. */
static const float exp10_octaves[] = {0x1.a934fp+1f, 0x1.2ef8a8p-24f};

/* (2^f - 1) / f on [-1/64, 1/64], powers 0 to 2. */
static const float exp10_growth[] = {0x1.62e444p-1f, 0x1.ec55c6p-3f, 0x1.c7277ep-5f};

/* log(2). */
static const float natural_octave[] = {0x1.62e43p-1f};

/* 1 / x, about, for each 32nd of [1, 2). */
static const float natural_inverses[] = {
    0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
    0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
    0x1.818174p-1f, 0x1.78a4cep-1f, 0x1.702df8p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
    0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
    0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
    0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c86p-1f, 0x1.0ecf56p-1f, 0x1.0a681p-1f,
    0x1.0624dep-1f, 0x1p-1f};

/* log(1 / inverse), about. */
static const float natural_steps[] = {
    0x0p+0f,        0x1.77459cp-5f, 0x1.341d74p-4f, 0x1.a926d8p-4f, 0x1.0d77e8p-3f,
    0x1.44d2b4p-3f, 0x1.7ab89p-3f,  0x1.af3c92p-3f, 0x1.e27076p-3f, 0x1.0a325p-2f,
    0x1.229436p-2f, 0x1.3a64bcp-2f, 0x1.51aafep-2f, 0x1.686c8p-2f,  0x1.7eafb8p-2f,
    0x1.94793ep-2f, 0x1.a9ceccp-2f, 0x1.beb4dap-2f, 0x1.d32fe8p-2f, 0x1.e74426p-2f,
    0x1.faf586p-2f, 0x1.0723e6p-1f, 0x1.109f3cp-1f, 0x1.19ee6ap-1f, 0x1.23130ep-1f,
    0x1.2c0eap-1f,  0x1.34e26ep-1f, 0x1.3d901ep-1f, 0x1.4618bep-1f, 0x1.4e7d82p-1f,
    0x1.56bf9cp-1f, 0x1.62e43p-1f};

/* log(1 + s) / s, powers 0 to 2. */
static const float natural_slope[] = {0x1p+0f, -0x1p-1f, 0x1.550f28p-2f};

/* log2(2). */
static const float binary_octave[] = {0x1p+0f};

/* 1 / x, about, for each 32nd of [1, 2). */
static const float binary_inverses[] = {
    0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
    0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
    0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
    0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
    0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
    0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a681p-1f,
    0x1.0624dep-1f, 0x1p-1f};

/* log2(1 / inverse), about. */
static const float binary_steps[] = {
    0x0p+0f,        0x1.0eb392p-4f, 0x1.bc841cp-4f, 0x1.32aea2p-3f, 0x1.84c2bep-3f,
    0x1.d49eep-3f,  0x1.11307ep-2f, 0x1.37124ap-2f, 0x1.5c01a2p-2f, 0x1.800a5ap-2f,
    0x1.a3375ep-2f, 0x1.c592fcp-2f, 0x1.e726aap-2f, 0x1.03fda8p-1f, 0x1.140cap-1f,
    0x1.23c41cp-1f, 0x1.3327c8p-1f, 0x1.423b08p-1f, 0x1.51011ap-1f, 0x1.5f7cfep-1f,
    0x1.6db194p-1f, 0x1.7ba192p-1f, 0x1.894f76p-1f, 0x1.96bdacp-1f, 0x1.a3ee8p-1f,
    0x1.b0e414p-1f, 0x1.bda07p-1f,  0x1.ca258cp-1f, 0x1.d6754p-1f,  0x1.e29144p-1f,
    0x1.ee7b44p-1f, 0x1p+0f};

/* log2(1 + s) / s, powers 0 to 2. */
static const float binary_slope[] = {0x1.715476p+0f, -0x1.714476p-1f, 0x1.ec709ep-2f};

/* log10(2). */
static const float decimal_octave[] = {0x1.344136p-2f};

/* 1 / x, about, for each 32nd of [1, 2). */
static const float decimal_inverses[] = {
    0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
    0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b14p-1f, 0x1.8acb9p-1f,
    0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702df6p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
    0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd88p-1f, 0x1.446f8cp-1f, 0x1.3e22ccp-1f,
    0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
    0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a6814p-1f,
    0x1.0624dep-1f, 0x1p-1f};

/* log10(1 / inverse), about. */
static const float decimal_steps[] = {
    0x0p+0f,        0x1.45f5p-6f,   0x1.0ba016p-5f, 0x1.714838p-5f, 0x1.d41d54p-5f,
    0x1.1a2342p-4f, 0x1.48f3eep-4f, 0x1.76913cp-4f, 0x1.a30a7ep-4f, 0x1.ce6e46p-4f,
    0x1.f8c966p-4f, 0x1.11143p-3f,  0x1.254b5ap-3f, 0x1.390f66p-3f, 0x1.4c658p-3f,
    0x1.5f5242p-3f, 0x1.71da1ap-3f, 0x1.8400a8p-3f, 0x1.95cb14p-3f, 0x1.a73beap-3f,
    0x1.b856ccp-3f, 0x1.c91f16p-3f, 0x1.d997cap-3f, 0x1.e9c3cep-3f, 0x1.f9a5e8p-3f,
    0x1.04a056p-2f, 0x1.0c4b44p-2f, 0x1.13d4fp-2f,  0x1.1b3e7ap-2f, 0x1.2288d6p-2f,
    0x1.29b522p-2f, 0x1.344136p-2f};

/* log10(1 + s) / s, powers 0 to 2. */
static const float decimal_slope[] = {0x1.bcb79cp-2f, -0x1.bcab6cp-3f, 0x1.238d8ep-3f};

/* ((1 - h)^(-2/3) - 1) / h on [-0.11, 0.11], powers 0 to 4. */
static const float cbrt_growth[] = {0x1.555556p-1f, 0x1.1c6f98p-1f, 0x1.f9a7d2p-2f,
                                    0x1.d57b6ap-2f, 0x1.b6cf58p-2f};

/* tanh(x) / x - 1 in pieces, powers 0 to 3. */
static const float tanh_growth[] = {
    -0x1p-26f,       -0x1.594028p-15f, -0x1.4575bcp-11f, -0x1.ef6d72p-10f, -0x1.caa26ep-10f,
    0x1.0c2fep-8f,   0x1.44ed5ep-6f,   0x1.8215cp-5f,    0x1.5935acp-4f,   0x1.0444b8p-3f,
    0x1.5d1562p-3f,  0x1.ada40ap-3f,   0x1.ef22eap-3f,   0x1.0ee536p-2f,   0x1.1c282ep-2f,
    0x1.1fc4c8p-2f,  0x1.1aac78p-2f,   0x1.0e29b4p-2f,   0x1.f7362p-3f,    0x1.c8a97p-3f,
    0x1.93166cp-3f,  0x1.589426p-3f,   0x1.1ae302p-3f,   0x1.b6e0bcp-4f,   0x1.36bd4p-4f,
    0x1.6e3cbp-5f,   0x1.cac9e8p-7f,   -0x1.065cd8p-6f,  -0x1.720294p-5f,  -0x1.2c6d56p-4f,
    -0x1.9b9168p-4f, -0x1.03235ep-3f,  0x0p+0f,          0x1.5a9c6cp-10f,  0x1.2ca62ap-7f,
    0x1.45710cp-6f,  0x1.3f4814p-6f,   -0x1.bcbe9cp-8f,  -0x1.0be76ap-4f,  -0x1.36d734p-3f,
    -0x1.03ef88p-2f, -0x1.6e4ce8p-2f,  -0x1.cec7bep-2f,  -0x1.0eff0ep-1f,  -0x1.2c6946p-1f,
    -0x1.3faff4p-1f, -0x1.49dfp-1f,    -0x1.4c7996p-1f,  -0x1.491dacp-1f,  -0x1.4152f8p-1f,
    -0x1.3669d2p-1f, -0x1.297642p-1f,  -0x1.1b5116p-1f,  -0x1.0c9eb8p-1f,  -0x1.fbafbp-2f,
    -0x1.dea40ap-2f, -0x1.c28edap-2f,  -0x1.a7bad8p-2f,  -0x1.8e53d2p-2f,  -0x1.766f06p-2f,
    -0x1.6011aep-2f, -0x1.4b35f2p-2f,  -0x1.37ce9ap-2f,  -0x1.25c9c8p-2f,  -0x1.55bap-2f,
    -0x1.64edc4p-2f, -0x1.89d5f4p-2f,  -0x1.a8c158p-2f,  -0x1.a8e872p-2f,  -0x1.80817ap-2f,
    -0x1.35e32p-2f,  -0x1.b10784p-3f,  -0x1.e2eaf8p-4f,  -0x1.1525p-5f,    0x1.1a13e2p-5f,
    0x1.5cd2b4p-4f,  0x1.e9c7a6p-4f,   0x1.1f65e4p-3f,   0x1.343d58p-3f,   0x1.393edcp-3f,
    0x1.3356e4p-3f,  0x1.26659p-3f,    0x1.1549aep-3f,   0x1.02112ap-3f,   0x1.dc4adap-4f,
    0x1.b4e92ep-4f,  0x1.8f2742p-4f,   0x1.6bb15cp-4f,   0x1.4adda4p-4f,   0x1.2cc8f6p-4f,
    0x1.116b72p-4f,  0x1.f14d58p-5f,   0x1.c49f1ap-5f,   0x1.9c69a4p-5f,   0x1.7846bcp-5f,
    0x1.57d1d8p-5f,  0x1.e5251cp-7f,   0x1.31a3cp-4f,    0x1.0b578ep-3f,   0x1.45eb86p-3f,
    0x1.47509ap-3f,  0x1.1ecbc4p-3f,   0x1.c1bff2p-4f,   0x1.3e3002p-4f,   0x1.921c76p-5f,
    0x1.b06a1ap-6f,  0x1.445974p-7f,   -0x1.39308cp-10f, -0x1.085fa6p-7f,  -0x1.856f42p-7f,
    -0x1.be4762p-7f, -0x1.cb1c52p-7f,  -0x1.bd4352p-7f,  -0x1.a09808p-7f,  -0x1.7cd176p-7f,
    -0x1.56c7c6p-7f, -0x1.315eb6p-7f,  -0x1.0e30d6p-7f,  -0x1.dc0ecp-8f,   -0x1.a25466p-8f,
    -0x1.6f297ep-8f, -0x1.42304ap-8f,  -0x1.1ae134p-8f,  -0x1.f1497ep-9f,  -0x1.b5c63cp-9f,
    -0x1.821906p-9f, -0x1.553ae2p-9f,  -0x1.2e40cap-9f};

/* sinh(x) / x - 1 in pieces, powers 0 to 4 of r. */
static const float sinh_growth[] = {
    0x1p-23f,        0x1.a3db7p-6f,   0x1.ad908ep-4f,  0x1.f6025ep-3f,  0x1.d696ap-2f,
    0x1.898ecp-1f,   0x1.33d7cap+0f,  0x1.cddc9ap+0f,  0x1.51390ap+1f,  0x1.e3ccfap+1f,
    0x1.5713dp+2f,   0x1.e30c7p+2f,   0x1.5297dp+3f,   0x1.d997eap+3f,  0x1.4aee24p+4f,
    0x1.ce8d62p+4f,  0x1.4386e8p+5f,  0x1.c52502p+5f,  0x1.3dd52ep+6f,  0x1.be9acap+6f,
    0x1.3a5394p+7f,  0x1.bb3d04p+7f,  0x1.390e0ap+8f,  0x1.baf67cp+8f,  0x1.39e5d6p+9f,
    0x1.bd9058p+9f,  0x1.3cb12ep+10f, 0x1.c2cfc4p+10f, 0x1.4148acp+11f, 0x1.ca81bep+11f,
    0x1.478c2cp+12f, 0x1.d47ec2p+12f, 0x0p+0f,         0x1.0ec1eap-3f,  0x1.1b4d22p-2f,
    0x1.c9b1d6p-2f,  0x1.51b5fap-1f,  0x1.df176p-1f,   0x1.4dc066p+0f,  0x1.cd687p+0f,
    0x1.3e2694p+1f,  0x1.b6dc28p+1f,  0x1.2f31d2p+2f,  0x1.a3eff4p+2f,  0x1.239876p+3f,
    0x1.9611ap+3f,   0x1.1b80d8p+4f,  0x1.8ce2ep+4f,   0x1.167c08p+5f,  0x1.87b3c6p+5f,
    0x1.140f98p+6f,  0x1.85e642p+6f,  0x1.13d60cp+7f,  0x1.86f5f4p+7f,  0x1.158278p+8f,
    0x1.8a8bfcp+8f,  0x1.18dc7ep+9f,  0x1.9062c8p+9f,  0x1.1dbc2p+10f,  0x1.984b12p+10f,
    0x1.2405aep+11f, 0x1.a22502p+11f, 0x1.2ba73cp+12f, 0x1.addcd8p+12f, 0x1.5509c2p-3f,
    0x1.6519a2p-3f,  0x1.9658bp-3f,   0x1.eddee4p-3f,  0x1.3b0622p-2f,  0x1.9ef7fp-2f,
    0x1.170a3p-1f,   0x1.7c5f76p-1f,  0x1.059b8ep+0f,  0x1.6a1f9ep+0f,  0x1.f7af34p+0f,
    0x1.5f95dep+1f,  0x1.ec5c3ep+1f,  0x1.59a96cp+2f,  0x1.e67e9cp+2f,  0x1.5714c6p+3f,
    0x1.e4d238p+3f,  0x1.572becp+4f,  0x1.e69cbp+4f,   0x1.59afdcp+5f,  0x1.eb6c22p+5f,
    0x1.5deafap+6f,  0x1.f2f01p+6f,   0x1.642204p+7f,  0x1.fcf60ep+7f,  0x1.6c101p+8f,
    0x1.04acf6p+9f,  0x1.75a26p+9f,   0x1.0c020cp+10f, 0x1.80ce46p+10f, 0x1.147772p+11f,
    0x1.8d8f88p+11f, 0x1.d0f2a2p-10f, 0x1.b333bep-7f,  0x1.cc0942p-6f,  0x1.77d3fap-5f,
    0x1.19fcdap-4f,  0x1.97d18ep-4f,  0x1.22092ap-3f,  0x1.998c28p-3f,  0x1.205436p-2f,
    0x1.95ca0cp-2f,  0x1.1dd59cp-1f,  0x1.931f12p-1f,  0x1.1ca3c8p+0f,  0x1.92a482p+0f,
    0x1.1d34c2p+1f,  0x1.94a652p+1f,  0x1.1f7292p+2f,  0x1.98f394p+2f,  0x1.233c5cp+3f,
    0x1.a0189ap+3f,  0x1.288c32p+4f,  0x1.a7de7cp+4f,  0x1.2f36fep+5f,  0x1.b245dcp+5f,
    0x1.373ff8p+6f,  0x1.be8868p+6f,  0x1.408cc8p+7f,  0x1.cca17p+7f,   0x1.4b3162p+8f,
    0x1.dc9bc4p+8f,  0x1.5720a2p+9f,  0x1.ee71c2p+9f,  0x1.798a28p-9f,  0x1.209deap-7f,
    0x1.50c968p-7f,  0x1.a3fafap-7f,  0x1.13f89cp-6f,  0x1.75c2d2p-6f,  0x1.024d6p-5f,
    0x1.67dd74p-5f,  0x1.f78afcp-5f,  0x1.63de2p-4f,   0x1.f577c2p-4f,  0x1.638bb2p-3f,
    0x1.f7395ep-3f,  0x1.66ba2cp-2f,  0x1.fe355ap-2f,  0x1.6ae8f2p-1f,  0x1.0310a2p+0f,
    0x1.71d67ep+0f,  0x1.08be52p+1f,  0x1.7b3efcp+1f,  0x1.0edf82p+2f,  0x1.83f9ccp+2f,
    0x1.16b59p+3f,   0x1.8f89d2p+3f,  0x1.1f04dep+4f,  0x1.9d491ap+4f,  0x1.28a0ecp+5f,
    0x1.ac53dcp+5f,  0x1.34bde8p+6f,  0x1.bc9ec2p+6f,  0x1.410472p+7f,  0x1.ce6b1ep+7f};

/* cosh(x) in pieces, powers 0 to 4 of r. */
static const float cosh_polynomial[] = {
    0x1p+0f,         0x1.13c7e8p+0f,  0x1.522e2ep+0f,  0x1.c4d774p+0f,  0x1.3ebe04p+1f,
    0x1.cc5232p+1f,  0x1.5084c4p+2f,  0x1.eee1bp+2f,   0x1.6cdc8p+3f,   0x1.0d555ap+4f,
    0x1.8ddbbep+4f,  0x1.25ef0ep+5f,  0x1.b25cc6p+5f,  0x1.40f55p+6f,   0x1.da55e6p+6f,
    0x1.5e8204p+7f,  0x1.0301e4p+8f,  0x1.7ec98ep+8f,  0x1.1adc7ap+9f,  0x1.a20aa8p+9f,
    0x1.34e9a4p+10f, 0x1.c88b16p+10f, 0x1.515d16p+11f, 0x1.f29752p+11f, 0x1.706f58p+12f,
    0x1.10417ap+13f, 0x1.925e3p+13f,  0x1.2954a4p+14f, 0x1.b76d1ap+14f, 0x1.44b704p+15f,
    0x1.dfe5c4p+15f, 0x1.629f0cp+16f, 0x0p+0f,         0x1.9a3fd8p-2f,  0x1.b9f2dap-1f,
    0x1.7588fcp+0f,  0x1.23e95ep+1f,  0x1.ba2a46p+1f,  0x1.4a6024p+2f,  0x1.eab958p+2f,
    0x1.6b743ep+3f,  0x1.0cdb5ap+4f,  0x1.8d88fcp+4f,  0x1.25d2e6p+5f,  0x1.b24982p+5f,
    0x1.40eea6p+6f,  0x1.da511ep+6f,  0x1.5e803cp+7f,  0x1.030128p+8f,  0x1.7ec8dcp+8f,
    0x1.1adc1ap+9f,  0x1.a20a2ep+9f,  0x1.34e95ap+10f, 0x1.c88aa4p+10f, 0x1.515cc2p+11f,
    0x1.f296d8p+11f, 0x1.706fp+12f,   0x1.10413ap+13f, 0x1.925dd4p+13f, 0x1.29545ap+14f,
    0x1.b76caep+14f, 0x1.44b6b6p+15f, 0x1.dfe552p+15f, 0x1.629eb6p+16f, 0x1.00003p-1f,
    0x1.13c734p-1f,  0x1.522d68p-1f,  0x1.c4d712p-1f,  0x1.3eae22p+0f,  0x1.cc51b2p+0f,
    0x1.508422p+1f,  0x1.eee19p+1f,   0x1.6cdbbp+2f,   0x1.0d54a4p+3f,  0x1.8ddbdcp+3f,
    0x1.25eefep+4f,  0x1.b25c1ep+4f,  0x1.40f496p+5f,  0x1.da5596p+5f,  0x1.5e816ap+6f,
    0x1.03016cp+7f,  0x1.7ec914p+7f,  0x1.1adc06p+8f,  0x1.a20a2p+8f,   0x1.34e9e6p+9f,
    0x1.c88a5ep+9f,  0x1.515c94p+10f, 0x1.f296aep+10f, 0x1.706eb2p+11f, 0x1.10410ap+12f,
    0x1.925e42p+12f, 0x1.29545cp+13f, 0x1.b76cdap+13f, 0x1.44b676p+14f, 0x1.dfe4e8p+14f,
    0x1.629e8cp+15f, -0x1.00bd9p-15f, 0x1.121638p-4f,  0x1.274e36p-3f,  0x1.f33ca6p-3f,
    0x1.8606cap-2f,  0x1.277b52p-1f,  0x1.b987dp-1f,   0x1.47ebfap+0f,  0x1.e5bbdep+0f,
    0x1.674c28p+1f,  0x1.09a596p+2f,  0x1.88b294p+2f,  0x1.2234f6p+3f,  0x1.ace68cp+3f,
    0x1.3cf7dep+4f,  0x1.d46df2p+4f,  0x1.5a26dp+5f,   0x1.ff965p+5f,   0x1.7a088ap+6f,
    0x1.175b06p+7f,  0x1.9cd57p+7f,   0x1.31145cp+8f,  0x1.c2e278p+8f,  0x1.4d2e36p+9f,
    0x1.ec66b6p+9f,  0x1.6bdb8ep+10f, 0x1.0cdf08p+11f, 0x1.8d62f6p+11f, 0x1.25a5c6p+12f,
    0x1.b1f952p+12f, 0x1.40aeecp+13f, 0x1.d9f26p+13f,  0x1.56bd4ap-5f,  0x1.710192p-5f,
    0x1.c4688cp-5f,  0x1.2e914ep-4f,  0x1.ab0cbap-4f,  0x1.33a43ep-3f,  0x1.c2083ep-3f,
    0x1.4a83p-2f,    0x1.e8145ap-2f,  0x1.686464p-1f,  0x1.0992ep+0f,   0x1.888b58p+0f,
    0x1.225ceep+1f,  0x1.ad593ep+1f,  0x1.3cda12p+2f,  0x1.d4affp+2f,   0x1.5a6214p+3f,
    0x1.ffaaf4p+3f,  0x1.7a3282p+4f,  0x1.176b52p+5f,  0x1.9c488ep+5f,  0x1.313804p+6f,
    0x1.c31836p+6f,  0x1.4d3ed8p+7f,  0x1.ecb4cap+7f,  0x1.6c04dp+8f,   0x1.0ca39cp+9f,
    0x1.8d5d3p+9f,   0x1.25887cp+10f, 0x1.b23cd2p+10f, 0x1.40e31ep+11f, 0x1.da1a24p+11f};

/* erf(x) / x - 1 in pieces, powers 0 to 3. */
static const float erf_growth[] = {
    0x1.06ebacp-3f,  0x1.06e966p-3f,  0x1.06c124p-3f,  0x1.061fbp-3f,   0x1.04afe2p-3f,
    0x1.025b84p-3f,  0x1.ff175p-4f,   0x1.faab64p-4f,  0x1.fb0d5p-4f,   0x1.0284fap-3f,
    0x1.0f0b54p-3f,  0x1.25c6bp-3f,   0x1.48e8a6p-3f,  0x1.79c1cp-3f,   0x1.b875f2p-3f,
    0x1.01ec34p-2f,  0x1.2cba3ap-2f,  0x1.5ae0c4p-2f,  0x1.8a3c9ap-2f,  0x1.b8809cp-2f,
    0x1.e36cfap-2f,  0x1.048092p-1f,  0x1.13d166p-1f,  0x1.1f1b28p-1f,  0x1.2613e6p-1f,
    0x1.28b358p-1f,  0x1.27286ep-1f,  0x1.21d1bap-1f,  0x1.192b46p-1f,  0x1.0dc2f8p-1f,
    0x1.002be6p-1f,  0x1.e1e88cp-2f,  0x0p+0f,         0x1.edd0e8p-13f, 0x1.0527f6p-9f,
    0x1.9e17a4p-8f,  0x1.b7516ap-7f,  0x1.6ea38cp-6f,  0x1.00218p-5f,   0x1.30e406p-5f,
    0x1.2dfd08p-5f,  0x1.b71088p-6f,  0x1.0c083cp-8f,  -0x1.108cacp-5f, -0x1.606de2p-4f,
    -0x1.3a8c28p-3f, -0x1.df08f2p-3f, -0x1.4b9a6ep-2f, -0x1.ad74d2p-2f, -0x1.084abep-1f,
    -0x1.384162p-1f, -0x1.64961ap-1f, -0x1.8b9cb2p-1f, -0x1.ac1e3ap-1f, -0x1.c5636ep-1f,
    -0x1.d7313ep-1f, -0x1.e1ba8cp-1f, -0x1.e58b04p-1f, -0x1.e36abep-1f, -0x1.dc4ae4p-1f,
    -0x1.d12858p-1f, -0x1.c2fb9ep-1f, -0x1.b2aa34p-1f, -0x1.a0fd6p-1f,  -0x1.80d28cp-2f,
    -0x1.85d8cp-2f,  -0x1.93d05p-2f,  -0x1.a8b1fap-2f, -0x1.c139bcp-2f, -0x1.d96cc6p-2f,
    -0x1.ed1734p-2f, -0x1.f84d78p-2f, -0x1.f7df06p-2f, -0x1.e9ae62p-2f, -0x1.cce30cp-2f,
    -0x1.a1f2bcp-2f, -0x1.6a84c4p-2f, -0x1.2935ep-2f,  -0x1.c28edap-3f, -0x1.2c8bb2p-3f,
    -0x1.2ec782p-4f, -0x1.2d867ap-8f, 0x1.e085b4p-5f,  0x1.d2d55p-4f,   0x1.480bcp-3f,
    0x1.9308d8p-3f,  0x1.caa2p-3f,    0x1.f013b8p-3f,  0x1.02a7b4p-2f,  0x1.065a72p-2f,
    0x1.04665ep-2f,  0x1.fc1f56p-3f,  0x1.e90298p-3f,  0x1.d1864ap-3f,  0x1.b7661p-3f,
    0x1.9c0634p-3f,  0x1.e1b64p-8f,   0x1.3609a2p-5f,  0x1.2e480ep-4f,  0x1.b2665p-4f,
    0x1.10a7bap-3f,  0x1.3b3db6p-3f,  0x1.579b76p-3f,  0x1.655e64p-3f,  0x1.650ffcp-3f,
    0x1.58083ep-3f,  0x1.40406p-3f,   0x1.201c4p-3f,   0x1.f4637ap-4f,  0x1.a22586p-4f,
    0x1.4e3e9ap-4f,  0x1.f989d8p-5f,  0x1.61f0fcp-5f,  0x1.b4bf74p-6f,  0x1.96da9p-7f,
    0x1.4cf2ap-11f,  -0x1.1d2a6p-7f,  -0x1.01ec2cp-6f, -0x1.537aa8p-6f, -0x1.87fbcap-6f,
    -0x1.a48316p-6f, -0x1.ae12f8p-6f, -0x1.a949b8p-6f, -0x1.9a3f8cp-6f, -0x1.84609p-6f,
    -0x1.6a6f3p-6f,  -0x1.4e8c14p-6f, -0x1.32481cp-6f};

/* atan(x) / x - 1 in pieces, powers 0 to 2. */
static const float atan_growth_in_pieces[] = {
    -0x1.21f108p-26f, 0x1.2693bap-21f, 0x1.4c7816p-17f, 0x1.a80c52p-15f,  0x1.4c15fcp-13f,
    0x1.9003b6p-12f,  0x1.9255a6p-11f, 0x1.69dbd6p-10f, 0x1.2a27ccp-9f,   0x1.cb5c38p-9f,
    0x1.4f43eep-8f,   0x1.d453aap-8f,  0x1.3b444p-7f,   0x1.9b6132p-7f,   0x1.0542d6p-6f,
    0x1.4433dp-6f,    0x1.89fc28p-6f,  0x1.d63514p-6f,  0x1.1410fcp-5f,   0x1.3f7b4cp-5f,
    0x1.6ce936p-5f,   0x1.9be40ep-5f,  0x1.cbf242p-5f,  0x1.fc9a92p-5f,   0x1.16b35ap-4f,
    0x1.2ef2c6p-4f,   0x1.46d684p-4f,  0x1.5e2daap-4f,  0x1.74cbep-4f,    0x1.8a89acp-4f,
    0x1.9f4488p-4f,   0x1.b2ded8p-4f,  0x0p+0f,         -0x1.ba3642p-15f, -0x1.bc8c7p-12f,
    -0x1.735cbp-10f,  -0x1.b234dap-9f, -0x1.9fc92p-8f,  -0x1.5ed6eap-7f,  -0x1.0f1104p-6f,
    -0x1.880dfcp-6f,  -0x1.0d64bap-5f, -0x1.638b0cp-5f, -0x1.c5b834p-5f,  -0x1.19811p-4f,
    -0x1.55165ep-4f,  -0x1.94e3a6p-4f, -0x1.d81706p-4f, -0x1.0efaa6p-3f,  -0x1.32c8eap-3f,
    -0x1.571252p-3f,  -0x1.7b73f8p-3f, -0x1.9f9218p-3f, -0x1.c31986p-3f,  -0x1.e5c096p-3f,
    -0x1.03a3d6p-2f,  -0x1.13bc9ep-2f, -0x1.2314c8p-2f, -0x1.319b3p-2f,   -0x1.3f430ap-2f,
    -0x1.4c0386p-2f,  -0x1.57d768p-2f, -0x1.62bc92p-2f, -0x1.6cb3ap-2f,   -0x1.0dd15ep-2f,
    -0x1.53df0ap-2f,  -0x1.50315cp-2f, -0x1.49ef4ep-2f, -0x1.4169c2p-2f,  -0x1.36d85cp-2f,
    -0x1.2a2958p-2f,  -0x1.1bf398p-2f, -0x1.0c564p-2f,  -0x1.f73d06p-3f,  -0x1.d41d5p-3f,
    -0x1.afe39ap-3f,  -0x1.8b10dep-3f, -0x1.661fa6p-3f, -0x1.417e6p-3f,   -0x1.1d99f8p-3f,
    -0x1.f542c2p-4f,  -0x1.b1f9e4p-4f, -0x1.71aec2p-4f, -0x1.34b46p-4f,   -0x1.f68b5ep-5f,
    -0x1.8b0ffp-5f,   -0x1.271b42p-5f, -0x1.9562d2p-6f, -0x1.d6edb6p-7f,  -0x1.40621p-8f,
    0x1.e9ad18p-9f,   0x1.7a16d8p-7f,  0x1.30142ap-6f,  0x1.97084ep-6f,   0x1.f2a79ap-6f,
    0x1.21daa4p-5f};

/* (sin(r) - r) / r^3 on [0, pi/2], in powers 0 to 3 of r^2. */
static const float sin_growth[] = {-0x1.55555p-3f, 0x1.11104p-7f, -0x1.9fb61ep-13f,
                                   0x1.60cc88p-19f};

/* sin(pi f) / f on [0, 1/2], in powers 0 to 4 of f^2. */
static const float sinpi_slope[] = {0x1.921fb6p+1f, -0x1.4abbeep+2f, 0x1.466ed4p+1f,
                                    -0x1.32dd7p-1f, 0x1.463338p-4f};

/* cos(pi f) / (1/4 - f^2) on [0, 1/2], in powers 0 to 4 of f^2. */
static const float cospi_slope[] = {0x1p+2f, -0x1.de9e6p+1f, 0x1.472a78p+0f, -0x1.d47958p-3f,
                                    0x1.8bef9ap-6f};

/* (sin(r) - r) / r^3 on [0, pi/2], in powers 0 to 4 of r^2, by another search: see
 * the head of the tool. */
static const float cos_growth[] = {-0x1.55557ap-3f, 0x1.1113fcp-7f, -0x1.a0768p-13f,
                                   0x1.7ae29cp-19f, -0x1.55d77ep-25f};

/* (e^r - 1 - r) / r^2 on [-log(2)/2, log(2)/2], powers 0 to 4. */
static const float expm1_growth[] = {0x1p-1f, 0x1.5554dp-3f, 0x1.555562p-5f, 0x1.12757ep-7f,
                                     0x1.6c8adap-10f};

/* 1 / x, about, for each 32nd of [1, 2). */
static const float log1p_inverses[] = {
    0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
    0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
    0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.605842p-1f,
    0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
    0x1.381382p-1f, 0x1.323e2cp-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
    0x1.1cf06ap-1f, 0x1.18118cp-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a681p-1f,
    0x1.0624ep-1f,  0x1p-1f};

/* log(1 / inverse), about. */
static const float log1p_steps[] = {
    0x0p+0f,        0x1.77459cp-5f, 0x1.341d74p-4f, 0x1.a926d8p-4f, 0x1.0d77e8p-3f,
    0x1.44d2b4p-3f, 0x1.7ab89p-3f,  0x1.af3c92p-3f, 0x1.e27076p-3f, 0x1.0a325p-2f,
    0x1.22941ep-2f, 0x1.3a64c6p-2f, 0x1.51aad8p-2f, 0x1.686c8p-2f,  0x1.7eaf56p-2f,
    0x1.94793ep-2f, 0x1.a9ceccp-2f, 0x1.beb4dap-2f, 0x1.d32fe8p-2f, 0x1.e74426p-2f,
    0x1.faf586p-2f, 0x1.0723f2p-1f, 0x1.109f3cp-1f, 0x1.19ee6ap-1f, 0x1.23130ep-1f,
    0x1.2c0eap-1f,  0x1.34e278p-1f, 0x1.3d9024p-1f, 0x1.4618bep-1f, 0x1.4e7d82p-1f,
    0x1.56bf98p-1f, 0x1.62e43p-1f};

/* (log(1 + s) - s) / s^2 on [-1/64, 1/32], powers 0 to 2. */
static const float log1p_slope[] = {-0x1.fffedp-2f, 0x1.556e36p-2f, -0x1.f5c8fap-3f};

/* asin(x) / x - 1, or (asin(x) - pi/2) / sqrt(1 - x), in pieces, powers 0 to 2. */
static const float asin_in_pieces[] = {
    0x0p+0f,          0x1.bd729p-23f,   0x1.fc65e8p-19f, 0x1.4c0088p-16f, 0x1.0b467p-14f,
    0x1.4ea908p-13f,  0x1.63d1fp-12f,   0x1.534e4ep-11f, 0x1.2b3e5cp-10f, -0x1.91ef12p+0f,
    -0x1.91e03ep+0f,  -0x1.91cf44p+0f,  -0x1.91bc2ap+0f, -0x1.91a6f6p+0f, -0x1.918fbp+0f,
    -0x1.917668p+0f,  -0x1.915b26p+0f,  -0x1.913dfcp+0f, -0x1.911ef6p+0f, -0x1.90fe28p+0f,
    -0x1.90db9ep+0f,  -0x1.90b76ap+0f,  -0x1.90919ep+0f, -0x1.906a46p+0f, -0x1.904176p+0f,
    -0x1.90173ap+0f,  -0x1.8feba4p+0f,  -0x1.8fbecp+0f,  -0x1.8f90ap+0f,  -0x1.8f615p+0f,
    -0x1.8f30dep+0f,  -0x1.8eff56p+0f,  0x0p+0f,         -0x1.4d695p-16f, -0x1.5340cep-13f,
    -0x1.21909ep-11f, -0x1.5c12acp-10f, -0x1.59d266p-9f, -0x1.3136acp-8f, -0x1.f11a36p-8f,
    -0x1.7e28b2p-7f,  0x1.a6cff4p-3f,   0x1.a3c986p-3f,  0x1.a0a758p-3f,  0x1.9d6f44p-3f,
    0x1.9a25b8p-3f,   0x1.96ce6cp-3f,   0x1.936d72p-3f,  0x1.900502p-3f,  0x1.8c9826p-3f,
    0x1.8928b2p-3f,   0x1.85b906p-3f,   0x1.824a5ap-3f,  0x1.7ede48p-3f,  0x1.7b7632p-3f,
    0x1.7812c4p-3f,   0x1.74b54p-3f,    0x1.715e1ep-3f,  0x1.6e0e3ap-3f,  0x1.6ac5eap-3f,
    0x1.6785e8p-3f,   0x1.644e6ap-3f,   0x1.611fccp-3f,  0x1.5dfa3cp-3f,  0x1.555ddp-3f,
    0x1.56581ep-3f,   0x1.593ebap-3f,   0x1.5e23ecp-3f,  0x1.651feep-3f,  0x1.6e54a8p-3f,
    0x1.79f254p-3f,   0x1.883664p-3f,   0x1.996ffcp-3f,  -0x1.d6164ep-5f, -0x1.c2555cp-5f,
    -0x1.afd26p-5f,   -0x1.9e75a2p-5f,  -0x1.8e43e6p-5f, -0x1.7ecc82p-5f, -0x1.7058d6p-5f,
    -0x1.62b608p-5f,  -0x1.55d648p-5f,  -0x1.49a9b8p-5f, -0x1.3e24f2p-5f, -0x1.333a9ep-5f,
    -0x1.28e084p-5f,  -0x1.1f0d32p-5f,  -0x1.15b686p-5f, -0x1.0cd534p-5f, -0x1.0460dcp-5f,
    -0x1.f8a606p-6f,  -0x1.e9497p-6f,   -0x1.daa15ep-6f, -0x1.cca1fap-6f, -0x1.bf416ap-6f,
    -0x1.b275fap-6f};

/* acos(x) / sqrt(1 - x) in pieces, powers 0 to 2. */
static const float acos_in_pieces[] = {
    0x1.921fb4p+0f,  0x1.921f9ap+0f,  0x1.921ee6p+0f,  0x1.921d4p+0f,   0x1.921a2ap+0f,
    0x1.92157p+0f,   0x1.920eep+0f,   0x1.92065ap+0f,  0x1.91fbc4p+0f,  0x1.91ef12p+0f,
    0x1.91e03ep+0f,  0x1.91cf44p+0f,  0x1.91bc2ap+0f,  0x1.91a6f6p+0f,  0x1.918fbp+0f,
    0x1.917668p+0f,  0x1.915b26p+0f,  0x1.913d48p+0f,  0x1.911ef6p+0f,  0x1.90fe28p+0f,
    0x1.90db9ep+0f,  0x1.90b76ap+0f,  0x1.90919ep+0f,  0x1.906a46p+0f,  0x1.904176p+0f,
    0x1.90173ap+0f,  0x1.8feba4p+0f,  0x1.8fbecp+0f,   0x1.8f90ap+0f,   0x1.8f615p+0f,
    0x1.8f30dep+0f,  0x1.8eff56p+0f,  -0x1.b75d56p-3f, -0x1.b743b2p-3f, -0x1.b64f1cp-3f,
    -0x1.b50a3cp-3f, -0x1.b3550ep-3f, -0x1.b14bfep-3f, -0x1.aefbfcp-3f, -0x1.ac7158p-3f,
    -0x1.a9b5p-3f,   -0x1.a6cff4p-3f, -0x1.a3c986p-3f, -0x1.a0a758p-3f, -0x1.9d6f44p-3f,
    -0x1.9a25b6p-3f, -0x1.96ce6cp-3f, -0x1.936d72p-3f, -0x1.900502p-3f, -0x1.8c914ap-3f,
    -0x1.8928b2p-3f, -0x1.85b906p-3f, -0x1.824a5ap-3f, -0x1.7ede48p-3f, -0x1.7b7632p-3f,
    -0x1.7812c4p-3f, -0x1.74b54p-3f,  -0x1.715e1ep-3f, -0x1.6e0e3ap-3f, -0x1.6ac5eap-3f,
    -0x1.6785e8p-3f, -0x1.644e6ap-3f, -0x1.611fccp-3f, -0x1.5dfa3cp-3f, 0x1.72acaep-4f,
    0x1.5ebe8ep-4f,  0x1.470cc4p-4f,  0x1.374972p-4f,  0x1.28240ap-4f,  0x1.1a1a34p-4f,
    0x1.0d0e0ep-4f,  0x1.00ec58p-4f,  0x1.eb36e2p-5f,  0x1.d6164ep-5f,  0x1.c2555cp-5f,
    0x1.afd26p-5f,   0x1.9e75a2p-5f,  0x1.8e25e6p-5f,  0x1.7ecc82p-5f,  0x1.7058d6p-5f,
    0x1.62b608p-5f,  0x1.55e6a8p-5f,  0x1.49a9b8p-5f,  0x1.3e24f2p-5f,  0x1.333a9ep-5f,
    0x1.28e084p-5f,  0x1.1f0d32p-5f,  0x1.15b686p-5f,  0x1.0cd534p-5f,  0x1.0460dcp-5f,
    0x1.f8a606p-6f,  0x1.e9497p-6f,   0x1.daa15ep-6f,  0x1.cca1fap-6f,  0x1.bf416ap-6f,
    0x1.b275fap-6f};

#endif
