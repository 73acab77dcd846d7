/* Made by tools/make_special_numbers.py. */
#ifndef HALFCL_KERNELS_NUMBERS_SPECIAL_COEFFICIENTS_H
#define HALFCL_KERNELS_NUMBERS_SPECIAL_COEFFICIENTS_H

static const double erf_series[] = {
    0x1.20dd750429b6dp+0,   -0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,
    -0x1.b82ce31288b51p-6,  0x1.565bcd0e6a53fp-8,   -0x1.c02db40040b86p-11,
    0x1.f9a326f9b89b7p-14,  -0x1.f4d25c3e0c2ebp-17, 0x1.b9e6c9dc651a3p-20,
    -0x1.5f742ec43e71ap-23, 0x1.fcc5720624c1cp-27,  -0x1.51d7181c5d36dp-30,
    0x1.9e6ad5e55a730p-34,
};

static const double erfc_scaled[] = {
    0x1.3c24d628d2216p+0,   -0x1.b611a46e0f956p-4,  0x1.db125e5875e72p-8,
    0x1.0dd518c02030ep-5,   -0x1.2c8a547065119p-5,  0x1.a7a88896739a5p-6,
    -0x1.c7f6d4709c4b7p-7,  0x1.83f4e4b35e263p-8,   -0x1.ff9f0bfb8ff45p-10,
    0x1.dce26ce2f61c1p-12,  -0x1.9bafbbf323e05p-15, -0x1.85aff8f696efdp-17,
    0x1.9a2ec39dfe4c9p-18,  -0x1.65d88a4090c52p-21, -0x1.32c763af45b5fp-22,
    0x1.a8fd18189a8ddp-24,  0x1.c37df6a779c94p-28,  -0x1.28c4da4151d73p-27,
    0x1.97f442139bb02p-32,  0x1.7c435af1aa2e9p-31,  -0x1.34f7d763e1fa3p-34,
    -0x1.d89a10e7b18f7p-35, 0x1.697d2e2eb95c5p-38,  0x1.b50456d03c309p-39,
};

static const double log_gamma_slope[] = {
    0x1.eeb95b094c191p-2,   -0x1.c0638869c10cfp-4,  0x1.21e54ef6e4f18p-5,
    -0x1.b0cefbe6d1d10p-7,  0x1.5c4dfcb462e79p-8,   -0x1.252cb00185b51p-9,
    0x1.fc3849ae816edp-11,  -0x1.c1966bed6acbdp-12, 0x1.93b8582d5591fp-13,
    -0x1.6eb4ec1508975p-14, 0x1.501e00f7d6837p-15,  -0x1.365b9d87147fdp-16,
    0x1.20573fa129f75p-17,  -0x1.0d46f8cb967dcp-18, 0x1.f905c74bb36e8p-20,
    -0x1.db9898ac9f01ep-21, 0x1.c39012dd2afc9p-22,  -0x1.ac13b8c8794acp-23,
    0x1.84f21b4fc1b48p-24,  -0x1.72459cf9e0509p-25, 0x1.ce4be2a245895p-26,
    -0x1.bbe1a4296ee81p-27, -0x1.67763f84b930bp-31, 0x1.7fc07fb67e029p-32,
    0x1.56f640b9225a6p-28,  -0x1.4ce3791507e0cp-29, -0x1.81994ce6b4c4bp-30,
    0x1.778a3e830eb48p-31,  0x1.da4f0c0220fccp-32,  -0x1.ccdc3a9dde0b2p-33,
};

static const double stirling[] = {
    0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
    -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10,
    0x1.a41a41a41a41ap-8,   -0x1.e4286cb0f5398p-6, 0x1.6fe96381e0680p-3,
};

static const double sine_of_pi[] = {
    0x1.921fb54442d18p+1,   -0x1.4abbce625be53p+2,  0x1.466bc6775aae2p+1,
    -0x1.32d2cce62bd86p-1,  0x1.50783487ee782p-4,   -0x1.e3074fde8871fp-8,
    0x1.e8f434d018d63p-12,  -0x1.6fadb9f155744p-16, 0x1.aaec32af93359p-21,
    -0x1.8a404211f9547p-26, 0x1.2877020d52cf0p-31,  -0x1.7215f879e1ac9p-37,
};

static const double atanh_series[] = {
    0x1.5555555555555p-1, 0x1.999999999999ap-2, 0x1.2492492492492p-2, 0x1.c71c71c71c71cp-3,
    0x1.745d1745d1746p-3, 0x1.3b13b13b13b14p-3, 0x1.1111111111111p-3, 0x1.e1e1e1e1e1e1ep-4,
    0x1.af286bca1af28p-4, 0x1.8618618618618p-4, 0x1.642c8590b2164p-4,
};

static const double exp_series[] = {
    0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.5555555555555p-5,  0x1.1111111111111p-7,
    0x1.6c16c16c16c17p-10, 0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-16, 0x1.71de3a556c734p-19,
    0x1.27e4fb7789f5cp-22, 0x1.ae64567f544e4p-26, 0x1.1eed8eff8d898p-29, 0x1.6124613a86d09p-33,
};

#endif
