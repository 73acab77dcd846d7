/* What halfcl's functions for devices are made of. Made by tools/make_device.py from csrc/: not
 * to be edited. A line "//=" has the names that the declaration after it defines, without hci_.
 */

//= exp2m1_growth
HCI_TABLE(float, hci_exp2m1_growth, []) = {
    0x1.0c1cb6p-15f,  0x1.0e76dp-15f,   0x1.237d26p-15f,  0x1.5e8752p-15f,  0x1.d420ecp-15f,
    0x1.4cf984p-14f,  0x1.e3779ep-14f,  0x1.5cd0c2p-13f,  0x1.edbedep-13f,  0x1.55c42ap-12f,
    0x1.ce82b8p-12f,  0x1.32627p-11f,   0x1.8e315ep-11f,  0x1.fcda42p-11f,  0x1.4001p-10f,
    0x1.8d2bc2p-10f,  0x0p+0f,          -0x1.efda1ap-11f, -0x1.95a2aep-11f, -0x1.45fe12p-11f,
    -0x1.0073c6p-11f, -0x1.88f3acp-12f, -0x1.2338e8p-12f, -0x1.9cb63ap-13f, -0x1.12517ap-13f,
    -0x1.4927b8p-14f, -0x1.427d16p-15f, -0x1.3653eap-17f, 0x1.65afeap-17f,  0x1.80b4a2p-16f,
    0x1.ebcc14p-16f,  0x1.099b52p-15f,  0x1.ebfd86p-3f,   0x1.ebebd8p-3f,   0x1.ebb7e2p-3f,
    0x1.eb5fbcp-3f,   0x1.eae212p-3f,   0x1.ea3d82p-3f,   0x1.e97124p-3f,   0x1.e879f4p-3f,
    0x1.e7582p-3f,    0x1.e6097p-3f,    0x1.e48c5ep-3f,   0x1.e2df46p-3f,   0x1.e1007ep-3f,
    0x1.deee42p-3f,   0x1.dca6e6p-3f,   0x1.da287cp-3f,   0x0p+0f,          0x1.dfac94p-3f,
    0x1.e121fp-3f,    0x1.e283f4p-3f,   0x1.e3d1cap-3f,   0x1.e50a98p-3f,   0x1.e62d76p-3f,
    0x1.e7397ep-3f,   0x1.e82dbep-3f,   0x1.e9093ep-3f,   0x1.e9cafep-3f,   0x1.ea71f6p-3f,
    0x1.eafd16p-3f,   0x1.eb6b4ap-3f,   0x1.ebbc82p-3f,   0x1.ebec62p-3f,   0x1.c06dbcp-5f,
    0x1.cea96ep-5f,   0x1.d6c31cp-5f,   0x1.df03e2p-5f,   0x1.e76c0cp-5f,   0x1.effca2p-5f,
    0x1.f8741p-5f,    0x1.00ccc2p-4f,   0x1.0553cep-4f,   0x1.09f094p-4f,   0x1.0ea386p-4f,
    0x1.136d1ep-4f,   0x1.184dbcp-4f,   0x1.1d45eap-4f,   0x1.2255fap-4f,   0x1.277e88p-4f,
    0x0p+0f,          0x1.5f6f0ep-5f,   0x1.657858p-5f,   0x1.6b9e24p-5f,   0x1.71e0f8p-5f,
    0x1.78418p-5f,    0x1.7ec01ap-5f,   0x1.855d86p-5f,   0x1.8c1a52p-5f,   0x1.92f71ep-5f,
    0x1.99f486p-5f,   0x1.a1132p-5f,    0x1.a8536ep-5f,   0x1.afb672p-5f,   0x1.b74886p-5f,
    0x1.bee6d8p-5f};

//= exp10m1_growth
/* (10^r - 1) / r - EXP10M1_SLOPE in pieces, powers 0 to 2. */
HCI_TABLE(float, hci_exp10m1_growth, []) = {
    0x1.637bf4p-12f,  0x1.648cbap-12f,  0x1.6dbc3ap-12f, 0x1.87897cp-12f, 0x1.baf26ap-12f,
    0x1.08b9fcp-11f,  0x1.4a878ap-11f,  0x1.a826fp-11f,  0x1.13923ap-10f, 0x1.66ab2cp-10f,
    0x1.d06fd8p-10f,  0x1.2a0cd6p-9f,   0x1.7a85bcp-9f,  0x1.db698p-9f,   0x1.274aaap-8f,
    0x1.6afecp-8f,    0x0p+0f,          -0x1.91b5b6p-9f, -0x1.4345a2p-9f, -0x1.fc031cp-10f,
    -0x1.830422p-10f, -0x1.1aaee8p-10f, -0x1.84254p-11f, -0x1.e0b1ap-12f, -0x1.df33c2p-13f,
    -0x1.82ebcp-15f,  0x1.87edbcp-14f,  0x1.997c38p-13f, 0x1.1590dcp-12f, 0x1.4276a8p-12f,
    0x1.59d2fcp-12f,  0x1.626dbap-12f,  0x1.535382p+1f,  0x1.5346dcp+1f,  0x1.5321c8p+1f,
    0x1.52e2dcp+1f,   0x1.528922p+1f,   0x1.52139ap+1f,  0x1.51813ap+1f,  0x1.50d0f8p+1f,
    0x1.5001b8p+1f,   0x1.4f125ep+1f,   0x1.4e01c2p+1f,  0x1.4cceb4p+1f,  0x1.4b77fap+1f,
    0x1.49fc52p+1f,   0x1.485a72p+1f,   0x1.469104p+1f,  0x0p+0f,         0x1.4a917cp+1f,
    0x1.4b9a96p+1f,   0x1.4c9606p+1f,   0x1.4d8336p+1f,  0x1.4e6184p+1f,  0x1.4f304ep+1f,
    0x1.4feee8p+1f,   0x1.509ca8p+1f,   0x1.5138d8p+1f,  0x1.51c2cp+1f,   0x1.5239a2p+1f,
    0x1.529cbap+1f,   0x1.52eb3ep+1f,   0x1.53245cp+1f,  0x1.53474p+1f,   0x1.04b892p+1f,
    0x1.091584p+1f,   0x1.0dcddap+1f,   0x1.129d78p+1f,  0x1.178464p+1f,  0x1.1c832ap+1f,
    0x1.219a78p+1f,   0x1.26ca72p+1f,   0x1.2c13e4p+1f,  0x1.31772p+1f,   0x1.36f4b6p+1f,
    0x1.3c8d28p+1f,   0x1.42410ap+1f,   0x1.4810e6p+1f,  0x1.4dfd3ep+1f,  0x1.5406aep+1f,
    0x0p+0f,          0x1.90db5ep+0f,   0x1.97db84p+0f,  0x1.9efd2cp+0f,  0x1.a6414p+0f,
    0x1.ada83ap+0f,   0x1.b532ecp+0f,   0x1.bce1c8p+0f,  0x1.c4b5d8p+0f,  0x1.ccaf9ap+0f,
    0x1.d4cfdcp+0f,   0x1.dd176ap+0f,   0x1.e58714p+0f,  0x1.ee1fb8p+0f,  0x1.f6e1ap+0f,
    0x1.ffce44p+0f};

//= log2p1_inverses
/* 1 / x, about, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_log2p1_inverses,
          []) = {0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e068p-1f,
                 0x1.b4e83p-1f,  0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
                 0x1.81818p-1f,  0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
                 0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
                 0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
                 0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a6812p-1f,
                 0x1.0624e4p-1f, 0x1p-1f};

//= log2p1_steps
/* log2(1 / inverse), about. */
HCI_TABLE(float, hci_log2p1_steps,
          []) = {0x0p+0f,        0x1.0eb392p-4f, 0x1.bc841cp-4f, 0x1.32aea2p-3f, 0x1.84c2f6p-3f,
                 0x1.d49e58p-3f, 0x1.11307ep-2f, 0x1.37124ap-2f, 0x1.5c01a2p-2f, 0x1.800a5ap-2f,
                 0x1.a3376p-2f,  0x1.c592fcp-2f, 0x1.e726aap-2f, 0x1.03fda8p-1f, 0x1.140cap-1f,
                 0x1.23c41cp-1f, 0x1.3327c8p-1f, 0x1.423b08p-1f, 0x1.51011ap-1f, 0x1.5f7cfep-1f,
                 0x1.6db194p-1f, 0x1.7ba192p-1f, 0x1.894f76p-1f, 0x1.96bdacp-1f, 0x1.a3ee8p-1f,
                 0x1.b0e414p-1f, 0x1.bda07p-1f,  0x1.ca258cp-1f, 0x1.d6753ep-1f, 0x1.e2914p-1f,
                 0x1.ee7b34p-1f, 0x1p+0f};

//= log2p1_growth
/* log2(1 + s) / s - LOG2P1_SLOPE, powers 0 to 3. */
HCI_TABLE(float, hci_log2p1_growth, []) = {0x1.1d925a0000000p-14f, -0x1.7154b60000000p-1f,
                                           0x1.ec7e1a0000000p-2f, -0x1.6848040000000p-2f};

//= log10p1_inverses
/* 1 / x, about, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_log10p1_inverses,
          []) = {0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd856ap-1f, 0x1.c0e07p-1f,
                 0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec75ep-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
                 0x1.818172p-1f, 0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
                 0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f96p-1f, 0x1.3e22ccp-1f,
                 0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
                 0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a680ep-1f,
                 0x1.0624dep-1f, 0x1p-1f};

//= log10p1_steps
/* log10(1 / inverse), about. */
HCI_TABLE(float, hci_log10p1_steps,
          []) = {0x0p+0f,        0x1.45f5p-6f,   0x1.0ba016p-5f, 0x1.714836p-5f, 0x1.d41d54p-5f,
                 0x1.1a2342p-4f, 0x1.48f3eep-4f, 0x1.7697dp-4f,  0x1.a30a9cp-4f, 0x1.ce6e46p-4f,
                 0x1.f8c98ap-4f, 0x1.11143p-3f,  0x1.254b4cp-3f, 0x1.390f66p-3f, 0x1.4c658p-3f,
                 0x1.5f5242p-3f, 0x1.71da1ap-3f, 0x1.840112p-3f, 0x1.95cb08p-3f, 0x1.a73beap-3f,
                 0x1.b856ccp-3f, 0x1.c91f16p-3f, 0x1.d997cap-3f, 0x1.e9c3cep-3f, 0x1.f9a5e8p-3f,
                 0x1.04a056p-2f, 0x1.0c4b44p-2f, 0x1.13d4fp-2f,  0x1.1b3e74p-2f, 0x1.2288dep-2f,
                 0x1.29b522p-2f, 0x1.344136p-2f};

//= log10p1_growth
/* log10(1 + s) / s - LOG10P1_SLOPE, powers 0 to 3. */
HCI_TABLE(float, hci_log10p1_growth, []) = {0x1.ec51ce0000000p-16f, -0x1.bcb7fe0000000p-3f,
                                            0x1.2882940000000p-3f, -0x1.b1d2360000000p-4f};

//= tan_growth
/* tan(r) / r - 1 in pieces, powers 0 to 3. */
HCI_TABLE(float, hci_tan_growth, []) = {
    0x1.3fdbe4p-24f,  -0x1.a4910ap-25f, -0x1.056962p-20f, -0x1.5b6206p-18f, -0x1.1b2f76p-16f,
    -0x1.6446cp-15f,  -0x1.7dc3fep-14f, -0x1.6ef1d8p-13f, -0x1.463554p-12f, -0x1.11854ep-11f,
    -0x1.b66a96p-11f, -0x1.53029cp-10f, -0x1.fd5caep-10f, -0x1.75b4ccp-9f,  -0x1.0cd84ap-8f,
    -0x1.7c7ecap-8f,  -0x1.0988acp-7f,  -0x1.6e3fd2p-7f,  -0x1.f415a4p-7f,  -0x1.5277dap-6f,
    -0x1.c6c772p-6f,  -0x1.2f912ap-5f,  -0x1.932a28p-5f,  -0x1.0a79cep-4f,  -0x1.5eece4p-4f,
    -0x1.ccb55ap-4f,  -0x1.2dad7ep-3f,  -0x1.8a5bccp-3f,  -0x1.016ed8p-2f,  -0x1.4fde1ap-2f,
    -0x1.b62478p-2f,  0x0p+0f,          0x1.4b6c84p-24f,  0x1.1fa316p-17f,  0x1.3ffb2p-14f,
    0x1.161184p-12f,  0x1.515208p-11f,  0x1.51c1f8p-10f,  0x1.2c4aecp-9f,   0x1.ecbd48p-9f,
    0x1.7da88cp-8f,   0x1.1b34b4p-7f,   0x1.96abe4p-7f,   0x1.1c82a2p-6f,   0x1.85ea36p-6f,
    0x1.06b864p-5f,   0x1.5d2be8p-5f,   0x1.cac8d2p-5f,   0x1.2a8a6cp-4f,   0x1.8171dap-4f,
    0x1.ee54cep-4f,   0x1.3b38ecp-3f,   0x1.902734p-3f,   0x1.fa01cap-3f,   0x1.3ef4d4p-2f,
    0x1.911924p-2f,   0x1.f7729p-2f,    0x1.3b892ep-1f,   0x1.8b3338p-1f,   0x1.eed076p-1f,
    0x1.35d06ep+0f,   0x1.8433c8p+0f,   0x1.e6f3d4p+0f,   0x0p+0f,          0x1.554db6p-2f,
    0x1.550968p-2f,   0x1.531092p-2f,   0x1.5025d2p-2f,   0x1.4bf63ap-2f,   0x1.4666ap-2f,
    0x1.3f52ep-2f,    0x1.368cep-2f,    0x1.2bdb4ap-2f,   0x1.1ef7fp-2f,    0x1.0f8ddp-2f,
    0x1.fa6d24p-3f,   0x1.ceeefcp-3f,   0x1.9b7b66p-3f,   0x1.5eb308p-3f,   0x1.16f182p-3f,
    0x1.847e9ap-4f,   0x1.79009cp-5f,   -0x1.7e25a6p-7f,  -0x1.47290cp-4f,  -0x1.48f9fep-3f,
    -0x1.068c3cp-2f,  -0x1.7b079ap-2f,  -0x1.02d648p-1f,  -0x1.5589e4p-1f,  -0x1.b8749p-1f,
    -0x1.178d3ap+0f,  -0x1.5eeef2p+0f,  -0x1.b51f06p+0f,  -0x1.0eca8p+1f,   -0x1.4e5bd2p+1f,
    0x0p+0f,          0x1.cd5fc2p-9f,   0x1.cd5468p-7f,   0x1.ceeafp-6f,    0x1.5d8b2cp-5f,
    0x1.d69a4cp-5f,   0x1.29da08p-4f,   0x1.6afcd8p-4f,   0x1.af511p-4f,    0x1.f77fd8p-4f,
    0x1.2221a2p-3f,   0x1.4b34c2p-3f,   0x1.776cd2p-3f,   0x1.a74c06p-3f,   0x1.db6646p-3f,
    0x1.0a3252p-2f,   0x1.2984bep-2f,   0x1.4c1ab6p-2f,   0x1.7278cap-2f,   0x1.9d315ap-2f,
    0x1.ccfd52p-2f,   0x1.0156dp-1f,    0x1.1f9e4ep-1f,   0x1.41e966p-1f,   0x1.68eac6p-1f,
    0x1.95788ap-1f,   0x1.c895ep-1f,    0x1.01befcp+0f,   0x1.23d93ep+0f,   0x1.4b871p+0f,
    0x1.79ee9p+0f,    0x1.b07e8cp+0f,   0x0p+0f};

//= tanpi_growth
/* tan(pi f) / f - TANPI_SLOPE in pieces, powers 0 to 3. */
HCI_TABLE(float, hci_tanpi_growth, []) = {
    0x1.f69cfp-12f,   0x1.f6a488p-12f, 0x1.f3e794p-12f, 0x1.e80928p-12f,  0x1.c70b5ap-12f,
    0x1.7f111p-12f,   0x1.eda64p-13f,  0x1.880d4cp-17f, -0x1.6ecd86p-12f, -0x1.db68e6p-11f,
    -0x1.c6c3a8p-10f, -0x1.80525p-9f,  -0x1.2f2b48p-8f, -0x1.c974dap-8f,  -0x1.4e692cp-7f,
    -0x1.dd7972p-7f,  -0x1.4e9d4ap-6f, -0x1.ce0f7ap-6f, -0x1.3b25a2p-5f,  -0x1.a9899cp-5f,
    -0x1.1cd9fep-4f,  -0x1.7a9bd6p-4f, -0x1.f427c6p-4f, -0x1.48a80cp-3f,  -0x1.ae0d2p-3f,
    -0x1.185908p-2f,  -0x1.6c6f5ap-2f, -0x1.d8a1cep-2f, -0x1.31ee4ap-1f,  -0x1.8b8fd2p-1f,
    -0x1.ff157ap-1f,  -0x1.358b4ep+0f, 0x1.80fdbcp-21f, 0x1.3b0c26p-14f,  0x1.600024p-11f,
    0x1.319d28p-9f,   0x1.72439p-8f,   0x1.71e4ecp-7f,  0x1.484394p-6f,   0x1.0cd9aap-5f,
    0x1.9f675p-5f,    0x1.335abap-4f,  0x1.b7f1b8p-4f,  0x1.32b97ep-3f,   0x1.a2cb92p-3f,
    0x1.190eb8p-2f,   0x1.73f6e4p-2f,  0x1.e68c52p-2f,  0x1.3b1d8ap-1f,   0x1.94d42cp-1f,
    0x1.023efep+0f,   0x1.478f1cp+0f,  0x1.9d70ap+0f,   0x1.03d96ep+1f,   0x1.45863ep+1f,
    0x1.96ab3ep+1f,   0x1.faebdp+1f,   0x1.3b696p+2f,   0x1.880882p+2f,   0x1.e6e7bap+2f,
    0x1.2e4664p+3f,   0x1.775a96p+3f,  0x1.d259c2p+3f,  0x1.12781cp+4f,   0x1.47d294p+3f,
    0x1.4a5f32p+3f,   0x1.48b28ep+3f,  0x1.46153cp+3f,  0x1.42567ap+3f,   0x1.3d6962p+3f,
    0x1.371844p+3f,   0x1.2f4accp+3f,  0x1.25d772p+3f,  0x1.1a7fc2p+3f,   0x1.0cfe84p+3f,
    0x1.fa01acp+2f,   0x1.d447c2p+2f,  0x1.a7e428p+2f,  0x1.73bf7cp+2f,   0x1.368dbcp+2f,
    0x1.dd886cp+1f,   0x1.3519f6p+1f,  0x1.bdbbe6p-1f,  -0x1.e2d2ap-1f,   -0x1.8996f8p+1f,
    -0x1.65615cp+2f,  -0x1.115404p+3f, -0x1.811014p+3f, -0x1.029e38p+4f,  -0x1.50f646p+4f,
    -0x1.ae0f4ep+4f,  -0x1.0e7de4p+5f, -0x1.50c426p+5f, -0x1.a03702p+5f,  -0x1.ffca52p+5f,
    -0x1.29ff68p+6f,  0x1.55caf2p-2f,  0x1.528fe4p+0f,  0x1.5303fap+1f,   0x1.ffb62ep+1f,
    0x1.583844p+2f,   0x1.b3543ep+2f,  0x1.08af86p+3f,  0x1.3a6858p+3f,   0x1.6e735ep+3f,
    0x1.a590cap+3f,   0x1.e04826p+3f,  0x1.0f97fap+4f,  0x1.317866p+4f,   0x1.562456p+4f,
    0x1.7e078ap+4f,   0x1.a99cf8p+4f,  0x1.d9718cp+4f,  0x1.0713d4p+5f,   0x1.243daep+5f,
    0x1.44a3aep+5f,   0x1.68c58ep+5f,  0x1.91394p+5f,   0x1.beaf88p+5f,   0x1.f1f9b6p+5f,
    0x1.16087p+6f,    0x1.370f62p+6f,  0x1.5cc4a4p+6f,  0x1.88004cp+6f,   0x1.b9c8c8p+6f,
    0x1.f35ea4p+6f,   0x1.1b25ep+7f,   0x1.37c43ep+7f};

//= asinpi_in_pieces
/* asin(x) / (pi x) - ASINPI_SLOPE, or (asin(x) / pi - 1/2) / sqrt(1 - x), powers 0 to 2. */
HCI_TABLE(float, hci_asinpi_in_pieces, []) = {
    0x1.836f18p-17f,  0x1.859e0ep-17f,  0x1.abd64ep-17f,  0x1.2b6c72p-16f,  0x1.0c19f8p-15f,
    0x1.059fb8p-14f,  0x1.f5c606p-14f,  0x1.c880fp-13f,   0x1.895712p-12f,  -0x1.ffc208p-2f,
    -0x1.ffaf24p-2f,  -0x1.ff9986p-2f,  -0x1.ff8132p-2f,  -0x1.ff6632p-2f,  -0x1.ff489p-2f,
    -0x1.ff285cp-2f,  -0x1.ff05a6p-2f,  -0x1.fee082p-2f,  -0x1.feb902p-2f,  -0x1.fe8f3ap-2f,
    -0x1.fe634p-2f,   -0x1.fe3528p-2f,  -0x1.fe0506p-2f,  -0x1.fdd2eep-2f,  -0x1.fd9ef4p-2f,
    -0x1.fd692ep-2f,  -0x1.fd31acp-2f,  -0x1.fcf886p-2f,  -0x1.fcbdcap-2f,  -0x1.fc818ap-2f,
    -0x1.fc43dap-2f,  -0x1.fc149cp-2f,  -0x1.7d8a9ap-24f, -0x1.a44ec8p-18f, -0x1.af86c8p-15f,
    -0x1.70c166p-13f, -0x1.bbc36ep-12f, -0x1.b8894ep-11f, -0x1.84cdcap-10f, -0x1.3c9d8ep-9f,
    -0x1.e6cc06p-9f,  0x1.0d2a8ep-4f,   0x1.0b3d62p-4f,   0x1.093ec6p-4f,   0x1.07321ap-4f,
    0x1.051a62p-4f,   0x1.02f9fap-4f,   0x1.00d328p-4f,   0x1.fd4f8p-5f,    0x1.f8f2f8p-5f,
    0x1.f4936p-5f,    0x1.f0332ap-5f,   0x1.ebd482p-5f,   0x1.e77938p-5f,   0x1.e322c4p-5f,
    0x1.ded27p-5f,    0x1.da895ep-5f,   0x1.d648b2p-5f,   0x1.d210fep-5f,   0x1.cde352p-5f,
    0x1.c9bffp-5f,    0x1.c5a75cp-5f,   0x1.c19a26p-5f,   0x1.be9784p-5f,   0x1.b2b052p-5f,
    0x1.b3e0dap-5f,   0x1.b79392p-5f,   0x1.bdd05ep-5f,   0x1.c6bbfcp-5f,   0x1.d27p-5f,
    0x1.e13b7p-5f,    0x1.f366b4p-5f,   0x1.04ab4ap-4f,   -0x1.2b3c6cp-6f,  -0x1.1ea8e8p-6f,
    -0x1.12e12p-6f,   -0x1.07d3dap-6f,  -0x1.fae446p-7f,  -0x1.e75adcp-7f,  -0x1.d4f3ap-7f,
    -0x1.c397bep-7f,  -0x1.b333bep-7f,  -0x1.a3b4bap-7f,  -0x1.95098p-7f,   -0x1.872504p-7f,
    -0x1.79f7a4p-7f,  -0x1.6d7526p-7f,  -0x1.6191ep-7f,   -0x1.564348p-7f,  -0x1.4b8018p-7f,
    -0x1.413eccp-7f,  -0x1.377808p-7f,  -0x1.2e237ap-7f,  -0x1.253a44p-7f,  -0x1.1cb642p-7f,
    -0x1.1692e4p-7f};

//= acospi_in_pieces
/* -asin(x) / (pi x), or acos(x) / pi / sqrt(1 - x), in pieces, powers 0 to 2. */
HCI_TABLE(float, hci_acospi_in_pieces, []) = {
    -0x1.45f306p-2f, -0x1.45f308p-2f, -0x1.45f358p-2f,  -0x1.45f4aep-2f, -0x1.45f85ep-2f,
    -0x1.46005ap-2f, -0x1.460f5cp-2f, -0x1.46291p-2f,   -0x1.465256p-2f, 0x1.ffc208p-2f,
    0x1.ffaf24p-2f,  0x1.ff9986p-2f,  0x1.ff8132p-2f,   0x1.ff6632p-2f,  0x1.ff489p-2f,
    0x1.ff285cp-2f,  0x1.ff05a6p-2f,  0x1.fee082p-2f,   0x1.feb902p-2f,  0x1.fe8f3ap-2f,
    0x1.fe634p-2f,   0x1.fe3528p-2f,  0x1.fe0506p-2f,   0x1.fdd2eep-2f,  0x1.fd9ef4p-2f,
    0x1.fd692ep-2f,  0x1.fd31acp-2f,  0x1.fcf886p-2f,   0x1.fcbdcap-2f,  0x1.fc818ap-2f,
    0x1.fc43dap-2f,  0x1.fc149cp-2f,  -0x1.a19be2p-19f, 0x1.d8d10cp-18f, 0x1.b0d0c6p-15f,
    0x1.70f462p-13f, 0x1.bb7c8p-12f,  0x1.b889bep-11f,  0x1.84c9e4p-10f, 0x1.3c9d0ap-9f,
    0x1.e6ccecp-9f,  -0x1.0d2a8ep-4f, -0x1.0b3d62p-4f,  -0x1.093ec6p-4f, -0x1.07321ap-4f,
    -0x1.051a62p-4f, -0x1.02f9fap-4f, -0x1.00d328p-4f,  -0x1.fd4f8p-5f,  -0x1.f8f2f8p-5f,
    -0x1.f4936p-5f,  -0x1.f03322p-5f, -0x1.ebd482p-5f,  -0x1.e77938p-5f, -0x1.e322c4p-5f,
    -0x1.ded27p-5f,  -0x1.da895ep-5f, -0x1.d648b2p-5f,  -0x1.d210fep-5f, -0x1.cde352p-5f,
    -0x1.c9bffp-5f,  -0x1.c5a75cp-5f, -0x1.c19a26p-5f,  -0x1.be9784p-5f, -0x1.b16432p-5f,
    -0x1.b1d84cp-5f, -0x1.b7518cp-5f, -0x1.bdd164p-5f,  -0x1.c6b736p-5f, -0x1.d27004p-5f,
    -0x1.e13b2p-5f,  -0x1.f366a2p-5f, -0x1.04ab58p-4f,  0x1.2b3c6cp-6f,  0x1.1ea8e8p-6f,
    0x1.12e12p-6f,   0x1.07d3dap-6f,  0x1.fae446p-7f,   0x1.e75adcp-7f,  0x1.d4f3ap-7f,
    0x1.c397bep-7f,  0x1.b333bep-7f,  0x1.a3b4bap-7f,   0x1.950ap-7f,    0x1.872504p-7f,
    0x1.79f7a4p-7f,  0x1.6d7526p-7f,  0x1.6191ep-7f,    0x1.564348p-7f,  0x1.4b8018p-7f,
    0x1.413eccp-7f,  0x1.377808p-7f,  0x1.2e237ap-7f,   0x1.253a44p-7f,  0x1.1cb642p-7f,
    0x1.1692e4p-7f};

//= atanpi_growth_in_pieces
/* atan(x) / (pi x) - ATANPI_SLOPE in pieces, powers 0 to 2. */
HCI_TABLE(float, hci_atanpi_growth_in_pieces, []) = {
    0x1.83c10ep-17f, 0x1.893b0ap-17f,  0x1.ed284p-17f,   0x1.d018fep-16f,  0x1.04062ap-14f,
    0x1.15c2a4p-13f, 0x1.0c9332p-12f,  0x1.d9391ap-12f,  0x1.81f87p-11f,   0x1.27a5ep-10f,
    0x1.ae2e9ap-10f, 0x1.2bd76ap-9f,   0x1.932648p-9f,   0x1.06c916p-8f,   0x1.4d909p-8f,
    0x1.9daa4cp-8f,  0x1.f699a4p-8f,   0x1.2bd5dcp-7f,   0x1.600018p-7f,   0x1.97476cp-7f,
    0x1.d12304p-7f,  0x1.067acap-6f,   0x1.25133p-6f,    0x1.440d8p-6f,    0x1.631e6ep-6f,
    0x1.81fdfcp-6f,  0x1.a068a2p-6f,   0x1.be201ap-6f,   0x1.daebf8p-6f,   0x1.f699f8p-6f,
    0x1.087f14p-5f,  0x1.11f4dap-5f,   -0x1.fa3d78p-23f, -0x1.16d792p-16f, -0x1.1acb1p-13f,
    -0x1.d989p-12f,  -0x1.1499e6p-10f, -0x1.08ca56p-9f,  -0x1.bf2c76p-9f,  -0x1.59583ap-8f,
    -0x1.f376cp-8f,  -0x1.573d96p-7f,  -0x1.c4e90ap-7f,  -0x1.20f99cp-6f,  -0x1.66917ep-6f,
    -0x1.b272d2p-6f, -0x1.01d96p-5f,   -0x1.2ca80cp-5f,  -0x1.591f06p-5f,  -0x1.86b6dcp-5f,
    -0x1.b4eb28p-5f, -0x1.e33c7cp-5f,  -0x1.089d5p-4f,   -0x1.1f3b8ap-4f,  -0x1.354ad2p-4f,
    -0x1.4aa2a6p-4f, -0x1.5f20f6p-4f,  -0x1.72a9f4p-4f,  -0x1.8527dp-4f,   -0x1.968a4p-4f,
    -0x1.a6c614p-4f, -0x1.b5d49ep-4f,  -0x1.c3b332p-4f,  -0x1.cd5888p-4f,  -0x1.b26048p-4f,
    -0x1.b0e684p-4f, -0x1.ac0ea6p-4f,  -0x1.a41baap-4f,  -0x1.9939a8p-4f,  -0x1.8ba6eap-4f,
    -0x1.7ba0dp-4f,  -0x1.69824ep-4f,  -0x1.559f6ep-4f,  -0x1.4052eep-4f,  -0x1.29f7f6p-4f,
    -0x1.12e76ap-4f, -0x1.f6eb4ep-5f,  -0x1.c7e15ap-5f,  -0x1.993d88p-5f,  -0x1.6b7b4ep-5f,
    -0x1.3f040ap-5f, -0x1.142ee8p-5f,  -0x1.d682f2p-6f,  -0x1.88e314p-6f,  -0x1.3fc32ap-6f,
    -0x1.f6b15p-7f,  -0x1.7771ap-7f,   -0x1.01cca2p-7f,  -0x1.2b49c8p-8f,  -0x1.960732p-10f,
    0x1.397a2ep-10f, 0x1.e23106p-9f,   0x1.83868ep-8f,   0x1.034998p-7f,   0x1.3d996ep-7f,
    0x1.64f0d4p-7f};

//= atanh_in_pieces
/* atanh(x) / x - 1, or log(1 + x) / 2, in pieces, powers 0 to 3. */
HCI_TABLE(float, hci_atanh_in_pieces, []) = {
    0x1.3f85acp-24f, -0x1.65d936p-23f, -0x1.c30bf8p-19f, -0x1.329d0cp-16f, -0x1.01f6d2p-14f,
    -0x1.51c5p-13f,  -0x1.7bb5dcp-12f, -0x1.81d566p-11f, -0x1.6d47c4p-10f, -0x1.4881fcp-9f,
    -0x1.1c5e8cp-8f, -0x1.de608cp-8f,  -0x1.89c294p-7f,  -0x1.3ef314p-6f,  -0x1.fed2e8p-6f,
    -0x1.9605f4p-5f, 0x1.2fda76p-9f,   0x1.69adf8p-9f,   0x1.a9275ap-9f,   0x1.ee43c4p-9f,
    0x1.1c7d18p-8f,  0x1.449e2cp-8f,   0x1.6f7bc2p-8f,   0x1.9d0aap-8f,    0x1.cd3dfap-8f,
    0x1.0003e2p-7f,  0x1.1aac76p-7f,   0x1.3690c2p-7f,   0x1.53a888p-7f,   0x1.71eb4ap-7f,
    0x1.915062p-7f,  0x1.a9a206p-7f,   0x1.ca0064p-23f,  0x1.8f236ep-16f,  0x1.c195eep-13f,
    0x1.8ed79p-11f,  0x1.f1e06ap-10f,  0x1.027f36p-8f,   0x1.e04714p-8f,   0x1.9ebcp-7f,
    0x1.54867p-6f,   0x1.0dbb9cp-5f,   0x1.a0597p-5f,    0x1.3b53aep-4f,   0x1.d73f7p-4f,
    0x1.5cec3cp-3f,  0x1.00eaf8p-2f,   0x1.79729p-2f,    0x1.ebce7cp-2f,   0x1.e942a2p-2f,
    0x1.e69ffcp-2f,  0x1.e3e922p-2f,   0x1.e1207ap-2f,   0x1.de4844p-2f,   0x1.db6292p-2f,
    0x1.d87154p-2f,  0x1.d5764ep-2f,   0x1.d2732p-2f,    0x1.cf694ep-2f,   0x1.cc5a36p-2f,
    0x1.c94718p-2f,  0x1.c6311cp-2f,   0x1.c3194cp-2f,   0x1.c0c60ap-2f,   0x1.554426p-2f,
    0x1.5418aep-2f,  0x1.5025a6p-2f,   0x1.494582p-2f,   0x1.3f008ep-2f,   0x1.30a232p-2f,
    0x1.1d2a4p-2f,   0x1.033728p-2f,   0x1.c1ccf6p-3f,   0x1.674ec8p-3f,   0x1.dfe316p-4f,
    0x1.4845ecp-5f,  -0x1.fed394p-5f,  -0x1.9834p-3f,    -0x1.892186p-2f,  -0x1.4532fp-1f,
    -0x1.766704p-3f, -0x1.6cd548p-3f,  -0x1.637ebep-3f,  -0x1.5a65cp-3f,   -0x1.518b94p-3f,
    -0x1.48f0eep-3f, -0x1.4095d4p-3f,  -0x1.387a04p-3f,  -0x1.309cbcp-3f,  -0x1.28fcf8p-3f,
    -0x1.2199a2p-3f, -0x1.1a7156p-3f,  -0x1.138298p-3f,  -0x1.0ccbe8p-3f,  -0x1.064bap-3f,
    -0x1.018d6ap-3f, 0x1.a83ea4p-8f,   0x1.a936d2p-6f,   0x1.ada75cp-5f,   0x1.483d1p-4f,
    0x1.c141ecp-4f,  0x1.227cbap-3f,   0x1.6b813p-3f,    0x1.bddd2ep-3f,   0x1.0e2144p-2f,
    0x1.450b96p-2f,  0x1.85dc28p-2f,   0x1.d36cfp-2f,    0x1.18c40ap-1f,   0x1.52a67ep-1f,
    0x1.9ae416p-1f,  0x1.f66e32p-1f,   0x1.87c34p-5f,    0x1.6fc8b4p-5f,   0x1.59b8dep-5f,
    0x1.45640ep-5f,  0x1.329f68p-5f,   0x1.214558p-5f,   0x1.113416p-5f,   0x1.024e0ap-5f,
    0x1.e8f0acp-6f,  0x1.cf35f4p-6f,   0x1.b741a4p-6f,   0x1.a0ecfap-6f,   0x1.8c154p-6f,
    0x1.789b72p-6f,  0x1.666314p-6f,   0x1.597cacp-6f};

//= asinh_in_pieces
/* asinh(x) / x - 1, and (asinh(1 / v) - log(2 / v)) / v, in pieces, powers 0 to 3. */
HCI_TABLE(float, hci_asinh_in_pieces, []) = {
    -0x1.002dd2p-24f, -0x1.088278p-24f, -0x1.400cdep-20f, -0x1.968402p-18f, -0x1.36ff62p-16f,
    -0x1.6869c2p-15f, -0x1.5d0442p-14f, -0x1.293b1ep-13f, -0x1.ca97d4p-13f, -0x1.4651a8p-12f,
    -0x1.b11adp-12f,  -0x1.0da9e4p-11f, -0x1.3b8a02p-11f, -0x1.59a8f2p-11f, -0x1.5e48d2p-11f,
    -0x1.3ede66p-11f, -0x1.e10ebap-12f, -0x1.a205b2p-13f, 0x1.8d9766p-13f,  0x1.7c6efp-11f,
    0x1.754c3ap-10f,  0x1.2d18eap-9f,   0x1.b7ab84p-9f,   0x1.2d93e4p-8f,   0x1.8bf504p-8f,
    0x1.f6f268p-8f,   0x1.3729f4p-7f,   0x1.78da46p-7f,   0x1.c043f2p-7f,   0x1.0687ecp-6f,
    0x1.2f6ccp-6f,    0x1.4fa8cep-6f,   -0x1.3dd466p-40f, -0x1.82d0e4p-28f, -0x1.d1b38ep-23f,
    -0x1.c163e8p-20f, -0x1.d36ddcp-18f, -0x1.5bb3eap-16f, -0x1.a21b22p-15f, -0x1.b181eep-14f,
    -0x1.92bfd4p-13f, -0x1.57b088p-12f, -0x1.12011p-11f,  -0x1.9d279p-11f,  -0x1.293a7p-10f,
    -0x1.9ae8e2p-10f, -0x1.126416p-9f,  -0x1.638c64p-9f,  -0x1.c09242p-9f,  -0x1.144fc4p-8f,
    -0x1.4d3508p-8f,  -0x1.8a2018p-8f,  -0x1.ca0cbp-8f,   -0x1.05ea5cp-7f,  -0x1.271d4p-7f,
    -0x1.47f97cp-7f,  -0x1.67d7b6p-7f,  -0x1.86131ep-7f,  -0x1.a20d4cp-7f,  -0x1.bb316ep-7f,
    -0x1.d0f6bep-7f,  -0x1.e2e266p-7f,  -0x1.f088b2p-7f,  -0x1.f7d26p-7f,   0x1.57234cp-24f,
    0x1.276b4p-17f,   0x1.40bdf8p-14f,  0x1.0ba31ep-12f,  0x1.32ad74p-11f,  0x1.1d4b38p-10f,
    0x1.cf7026p-10f,  0x1.5576dcp-9f,   0x1.d27816p-9f,   0x1.2b9ef2p-8f,   0x1.6d076ap-8f,
    0x1.a7ee56p-8f,   0x1.d66dd6p-8f,   0x1.f2957ep-8f,   0x1.f6b8d2p-8f,   0x1.ddb2fap-8f,
    0x1.a31c7ep-8f,   0x1.43715ap-8f,   0x1.784ebcp-9f,   0x1.76bae2p-13f,  -0x1.9cdf2cp-9f,
    -0x1.d1e864p-8f,  -0x1.7ebf3ep-7f,  -0x1.13d0aap-6f,  -0x1.712b08p-6f,  -0x1.d6ae2ap-6f,
    -0x1.21c188p-5f,  -0x1.5b61e2p-5f,  -0x1.97c0fcp-5f,  -0x1.d6669cp-5f,  -0x1.0b6dccp-4f,
    -0x1.2415c2p-4f,  0x1p-2f,          0x1.ffb66cp-3f,   0x1.fff2c4p-3f,   0x1.001148p-2f,
    0x1.0035aep-2f,   0x1.007faap-2f,   0x1.01001ap-2f,   0x1.01c828p-2f,   0x1.02e7c6p-2f,
    0x1.046c62p-2f,   0x1.065fcep-2f,   0x1.08c77cp-2f,   0x1.0ba418p-2f,   0x1.0ef17cp-2f,
    0x1.12a6fap-2f,   0x1.16b7d2p-2f,   0x1.1b13fep-2f,   0x1.1fa8eap-2f,   0x1.24626ap-2f,
    0x1.292b8p-2f,    0x1.2def2ep-2f,   0x1.32991ep-2f,   0x1.37163ep-2f,   0x1.3b5526p-2f,
    0x1.3f466ep-2f,   0x1.42dcdap-2f,   0x1.460d8p-2f,    0x1.48cfb8p-2f,   0x1.4b1d14p-2f,
    0x1.4cf14p-2f,    0x1.4e49d6p-2f,   0x1.4efc5cp-2f,   -0x1.556236p-3f,  -0x1.564032p-3f,
    -0x1.591058p-3f,  -0x1.5d93d2p-3f,  -0x1.638b46p-3f,  -0x1.6aa3cp-3f,   -0x1.727bcap-3f,
    -0x1.7aa922p-3f,  -0x1.82bea2p-3f,  -0x1.8a51d6p-3f,  -0x1.910002p-3f,  -0x1.96721cp-3f,
    -0x1.9a5fd8p-3f,  -0x1.9c916ap-3f,  -0x1.9ce05p-3f,   -0x1.9b370ep-3f,  -0x1.979028p-3f,
    -0x1.91f482p-3f,  -0x1.8a794ap-3f,  -0x1.813dc2p-3f,  -0x1.7668e6p-3f,  -0x1.6a2732p-3f,
    -0x1.5ca88cp-3f,  -0x1.4e1e72p-3f,  -0x1.3eba66p-3f,  -0x1.2eacacp-3f,  -0x1.1e233ep-3f,
    -0x1.0d4916p-3f,  -0x1.f88b54p-4f,  -0x1.d6752cp-4f,  -0x1.b49b04p-4f,  -0x1.9b758cp-4f,
    -0x1.7f3a92p-23f, -0x1.1a64dap-15f, -0x1.229cd8p-12f, -0x1.e20cd6p-11f, -0x1.1838e2p-9f,
    -0x1.0ad2e2p-8f,  -0x1.bf2aa4p-8f,  -0x1.569228p-7f,  -0x1.eaeef4p-7f,  -0x1.4df24ap-6f,
    -0x1.b3b8f6p-6f,  -0x1.12a292p-5f,  -0x1.50540ap-5f,  -0x1.91d524p-5f,  -0x1.d5f63ep-5f,
    -0x1.0dc018p-4f,  -0x1.30a232p-4f,  -0x1.531208p-4f,  -0x1.748ddp-4f,   -0x1.94a31cp-4f,
    -0x1.b2f12ap-4f,  -0x1.cf293cp-4f,  -0x1.e90f08p-4f,  -0x1.003bb2p-3f,  -0x1.0aa39cp-3f,
    -0x1.13b8d6p-3f,  -0x1.1b7b7p-3f,   -0x1.21f0bp-3f,   -0x1.27225p-3f,   -0x1.2b1d9cp-3f,
    -0x1.2df292p-3f,  -0x1.2f5f02p-3f,  0x1.3e005ep-9f,   0x1.3c8904p-7f,   0x1.395caep-6f,
    0x1.cebceap-6f,   0x1.2de80ap-5f,   0x1.6f28ap-5f,    0x1.aa2f26p-5f,   0x1.de4234p-5f,
    0x1.057076p-4f,   0x1.17e3a6p-4f,   0x1.267394p-4f,   0x1.31323ep-4f,   0x1.38479cp-4f,
    0x1.3bed3ep-4f,   0x1.3c6a78p-4f,   0x1.3a101cp-4f,   0x1.3534b2p-4f,   0x1.2e3118p-4f,
    0x1.255d62p-4f,   0x1.1b0eb2p-4f,   0x1.0f9538p-4f,   0x1.033afap-4f,   0x1.ec85e2p-5f,
    0x1.d1d134p-5f,   0x1.b6bfcap-5f,   0x1.9baab6p-5f,   0x1.80dcc8p-5f,   0x1.6693b8p-5f,
    0x1.4d013p-5f,    0x1.344c0cp-5f,   0x1.1c91acp-5f,   0x1.0b7896p-5f,   -0x1.83c23ap-4f,
    -0x1.7d4fc6p-4f,  -0x1.76f7dep-4f,  -0x1.6c5da2p-4f,  -0x1.5db7bep-4f,  -0x1.4b98a6p-4f,
    -0x1.367722p-4f,  -0x1.1eda14p-4f,  -0x1.0552bp-4f,   -0x1.d4e4ecp-5f,  -0x1.9d8f64p-5f,
    -0x1.65b226p-5f,  -0x1.2e4352p-5f,  -0x1.f0380ap-6f,  -0x1.87e828p-6f,  -0x1.24c658p-6f,
    -0x1.8f7556p-7f,  -0x1.c5c132p-8f,  -0x1.12a01ap-9f,  0x1.2b0754p-9f,   0x1.968ec4p-8f,
    0x1.3d1e5ep-7f,   0x1.a0bcc6p-7f,   0x1.f6c76ep-7f,   0x1.200354p-6f,   0x1.3ead18p-6f,
    0x1.57d90cp-6f,   0x1.6c01acp-6f,   0x1.7ba17ep-6f,   0x1.873094p-6f,   0x1.8f224cp-6f,
    0x1.930246p-6f};

//= asinh_inverses
/* 1 / x, about, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_asinh_inverses,
          []) = {0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
                 0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
                 0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.60593cp-1f,
                 0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
                 0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb56p-1f,
                 0x1.1cf0eap-1f, 0x1.181182p-1f, 0x1.135d2ep-1f, 0x1.0ecf56p-1f, 0x1.0a681p-1f,
                 0x1.0624dep-1f, 0x1p-1f};

//= asinh_steps
/* log(1 / inverse), about. */
HCI_TABLE(float, hci_asinh_steps,
          []) = {0x0p+0f,        0x1.77459cp-5f, 0x1.341d74p-4f, 0x1.a926d8p-4f, 0x1.0d77e8p-3f,
                 0x1.44d2b4p-3f, 0x1.7ab89p-3f,  0x1.af3c92p-3f, 0x1.e27076p-3f, 0x1.0a325p-2f,
                 0x1.22941ep-2f, 0x1.3a64c6p-2f, 0x1.51aad8p-2f, 0x1.686c8p-2f,  0x1.7eabep-2f,
                 0x1.94793ep-2f, 0x1.a9ceccp-2f, 0x1.beb4dap-2f, 0x1.d32fe8p-2f, 0x1.e74426p-2f,
                 0x1.faf586p-2f, 0x1.0723e6p-1f, 0x1.109f3cp-1f, 0x1.19ee6ap-1f, 0x1.23134ap-1f,
                 0x1.2c0dccp-1f, 0x1.34e288p-1f, 0x1.3d8f28p-1f, 0x1.4618bep-1f, 0x1.4e7d82p-1f,
                 0x1.56bf9cp-1f, 0x1.62e43p-1f};

//= acosh_inverses
/* 1 / x, about, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_acosh_inverses,
          []) = {0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd84e8p-1f, 0x1.c0e07p-1f,
                 0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
                 0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
                 0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
                 0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
                 0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a65ep-1f,
                 0x1.0624dep-1f, 0x1p-1f};

//= acosh_steps
/* log(1 / inverse), about. */
HCI_TABLE(float, hci_acosh_steps,
          []) = {0x0p+0f,        0x1.77459cp-5f, 0x1.341d74p-4f, 0x1.a926d8p-4f, 0x1.0d77e8p-3f,
                 0x1.44d2b4p-3f, 0x1.7ab89p-3f,  0x1.af3c92p-3f, 0x1.e27076p-3f, 0x1.0a325p-2f,
                 0x1.22941ep-2f, 0x1.3a64c6p-2f, 0x1.51ab58p-2f, 0x1.686c8p-2f,  0x1.7eaf84p-2f,
                 0x1.94793ep-2f, 0x1.a9ceccp-2f, 0x1.beb4dap-2f, 0x1.d32fe8p-2f, 0x1.e74426p-2f,
                 0x1.faf586p-2f, 0x1.0723e6p-1f, 0x1.109f3cp-1f, 0x1.19ee6ap-1f, 0x1.23130ep-1f,
                 0x1.2c0eap-1f,  0x1.34e288p-1f, 0x1.3d9024p-1f, 0x1.4618bep-1f, 0x1.4e81bap-1f,
                 0x1.56bf9cp-1f, 0x1.62e43p-1f};

//= erfc_in_pieces
/* erfc(x) in pieces of 33/256, powers 0 to 5 of r. */
HCI_TABLE(float, hci_erfc_in_pieces, []) = {
    0x1p+0f,          0x1.b5effcp-1f,   0x1.6e4a08p-1f,   0x1.2b3c6ep-1f,   0x1.dd0edap-2f,
    0x1.72b7d8p-2f,   0x1.189dfcp-2f,   0x1.9d8712p-3f,   0x1.28674p-3f,    0x1.9d1d2cp-4f,
    0x1.17c3c2p-4f,   0x1.7010b8p-5f,   0x1.d62fbep-6f,   0x1.238248p-6f,   0x1.5ec068p-7f,
    0x1.996b32p-8f,   0x1.cf80d4p-9f,   0x1.fcd172p-10f,  0x1.0ec294p-10f,  0x1.17525ep-11f,
    0x1.17457ap-12f,  0x1.0e9382p-13f,  0x1.fc01dep-15f,  0x1.ce047ap-16f,  0x1.970b08p-17f,
    0x1.5b5b3ep-18f,  0x1.1f186ep-19f,  0x1.cb9c2ap-21f,  0x1.644404p-22f,  0x1.0b6992p-23f,
    0x1.84b38ap-25f,  0x1.1185cap-26f,  -0x1.20dd54p+0f,  -0x1.1c1acep+0f,  -0x1.0e4a08p+0f,
    -0x1.f17ae4p-1f,  -0x1.bada5ap-1f,  -0x1.7d568cp-1f,  -0x1.3da26ep-1f,  -0x1.ffd95cp-2f,
    -0x1.8eef36p-2f,  -0x1.2cc0fp-2f,   -0x1.b6a856p-3f,  -0x1.3570c4p-3f,  -0x1.a64de6p-4f,
    -0x1.16bf4ep-4f,  -0x1.63f3f6p-5f,  -0x1.b7af4cp-6f,  -0x1.06ae14p-6f,  -0x1.2f9af6p-7f,
    -0x1.536fc2p-8f,  -0x1.6f177cp-9f,  -0x1.8005fp-10f,  -0x1.849a96p-11f, -0x1.7c629ap-12f,
    -0x1.682b6p-13f,  -0x1.49e178p-14f, -0x1.244354p-15f, -0x1.f4f13p-17f,  -0x1.9f46f6p-18f,
    -0x1.4d0232p-19f, -0x1.024f1cp-20f, -0x1.83a202p-22f, -0x1.19582ap-23f, 0x1.ed5fccp-18f,
    0x1.24f12p-3f,    0x1.16be1ap-2f,   0x1.80cb6cp-2f,   0x1.c8b0c2p-2f,   0x1.eb92fcp-2f,
    0x1.eb5646p-2f,   0x1.cddc46p-2f,   0x1.9b671cp-2f,   0x1.5ceb94p-2f,   0x1.1abb3ap-2f,
    0x1.b6c79ap-3f,   0x1.46a036p-3f,   0x1.d31ebcp-4f,   0x1.41316cp-4f,   0x1.a9167p-5f,
    0x1.0ee3aap-5f,   0x1.4ca946p-6f,   0x1.89cc64p-7f,   0x1.c18b26p-8f,   0x1.ef068cp-9f,
    0x1.06fcd2p-9f,   0x1.0daefcp-10f,  0x1.0af4fep-11f,  0x1.fe461ap-13f,  0x1.d6eb8cp-14f,
    0x1.a3b8c6p-15f,  0x1.695354p-16f,  0x1.2c7972p-17f,  0x1.e2ca26p-19f,  0x1.76bccap-20f,
    0x1.1910c8p-21f,  0x1.8180eap-2f,   0x1.6e3666p-2f,   0x1.38832ap-2f,   0x1.d0da36p-3f,
    0x1.14858ap-3f,   0x1.57f44cp-5f,   -0x1.4c9facp-5f,  -0x1.acedaap-4f,  -0x1.2bbb4ap-3f,
    -0x1.533a9p-3f,   -0x1.53bae4p-3f,  -0x1.37a58cp-3f,  -0x1.0a739ep-3f,  -0x1.acf34ap-4f,
    -0x1.471b84p-4f,  -0x1.daad7cp-5f,  -0x1.48b0c4p-5f,  -0x1.b366b4p-6f,  -0x1.144aacp-6f,
    -0x1.506c3ap-7f,  -0x1.896a72p-8f,  -0x1.ba3bf8p-9f,  -0x1.de2ddap-10f, -0x1.f1a686p-11f,
    -0x1.f2bc7p-12f,  -0x1.e1869ap-13f, -0x1.c00b64p-14f, -0x1.91e72ep-15f, -0x1.5ba512p-16f,
    -0x1.220c8ap-17f, -0x1.d2ed88p-19f, -0x1.6af97ap-20f, 0x1.4bd07ap-8f,   -0x1.117ea2p-4f,
    -0x1.0ca8c6p-3f,  -0x1.638c82p-3f,  -0x1.76ae38p-3f,  -0x1.6536e2p-3f,  -0x1.25b36ap-3f,
    -0x1.a39a0ap-4f,  -0x1.e817aap-5f,  -0x1.1ccbep-6f,   0x1.d2f2fep-7f,   0x1.27df84p-5f,
    0x1.844ffap-5f,   0x1.96bfd4p-5f,   0x1.7787aep-5f,   0x1.3ccbe6p-5f,   0x1.f12c88p-6f,
    0x1.6e5fd4p-6f,   0x1.fe75ecp-7f,   0x1.51868ap-7f,   0x1.a9c0b6p-8f,   0x1.004898p-8f,
    0x1.2728bp-9f,    0x1.45c436p-10f,  0x1.58e5e4p-11f,  0x1.5e9f58p-12f,  0x1.56906ep-13f,
    0x1.41dc8ap-14f,  0x1.22e774p-15f,  0x1.fa3578p-17f,  0x1.a82cf6p-18f,  0x1.4c819ep-19f,
    -0x1.20b68p-3f,   -0x1.a6a9bcp-4f,  -0x1.56c478p-4f,  -0x1.2b2a7p-5f,   -0x1.4520e6p-8f,
    0x1.15f53ap-5f,   0x1.bdb3a4p-5f,   0x1.1e5022p-4f,   0x1.1d1ae4p-4f,   0x1.d4adecp-5f,
    0x1.5fc434p-5f,   0x1.aa4bcp-6f,    0x1.4460e8p-7f,   -0x1.ad6e32p-10f, -0x1.2dba22p-7f,
    -0x1.9d97e6p-7f,  -0x1.aac206p-7f,  -0x1.7ae2ep-7f,   -0x1.33c0dap-7f,  -0x1.c98322p-8f,
    -0x1.3fce5ep-8f,  -0x1.a49682p-9f,  -0x1.061e68p-9f,  -0x1.36a3e4p-10f, -0x1.5ef6eap-11f,
    -0x1.7a54dp-12f,  -0x1.86aa5cp-13f, -0x1.82300ep-14f, -0x1.6e40ecp-15f, -0x1.4d75d2p-16f,
    -0x1.23c41p-17f,  -0x1.28069ap-18f};

//= tgamma_in_pieces
/* gamma(x) in pieces of 1/8, powers 0 to 5 of r. */
HCI_TABLE(float, hci_tgamma_in_pieces, []) = {
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x1.39b4e8p+0f,   0x1.16f376p+0f,  0x1p+0f,         0x1.e22c1ap-1f,
    0x1.d013fcp-1f,  0x1.c71faep-1f,   0x1.c5bf8ap-1f,  0x1.cb0bc8p-1f,  0x1.d68f5ep-1f,
    0x1.e82a0cp-1f,  0x1p+0f,          0x1.0f38cep+0f,  0x1.220c7ep+0f,  0x1.38e5c8p+0f,
    0x1.544fa6p+0f,  0x1.74f994p+0f,   0x1.9bbd72p+0f,  0x1.c9a76ap+0f,  0x1p+1f,
    0x1.202c5cp+1f,  0x1.464e0ep+1f,   0x1.7390dcp+1f,  0x1.a9639p+1f,   0x1.e98792p+1f,
    0x1.1b123ep+2f,  0x1.48f056p+2f,   0x1.8p+2f,       0x1.c2454ep+2f,  0x1.091f6ap+3f,
    0x1.39823ap+3f,  0x1.74371ep+3f,   0x1.bba2dcp+3f,  0x1.09611ap+4f,  0x1.3ea8d2p+4f,
    0x1.8p+4f,       0x1.d05778p+4f,   0x1.19b162p+5f,  0x1.56e67p+5f,   0x1.a2be02p+5f,
    0x1.007a26p+6f,  0x1.3b235p+6f,    0x1.845dc2p+6f,  0x1.ep+6f,       0x1.29780ap+7f,
    0x1.71b8dp+7f,   0x1.ccc5a6p+7f,   0x1.1fe2a2p+8f,  0x1.68abc6p+8f,  0x1.c502c2p+8f,
    0x1.1d34dap+9f,  0x1.68p+9f,       0x1.c77fcep+9f,  0x1.20d862p+10f, 0x1.6f2d8p+10f,
    0x1.d3d046p+10f, 0x1.2aae4p+11f,   0x1.7e3a54p+11f, 0x1.ea32d6p+11f, 0x1.3bp+12f,
    0x1.95add4p+12f, 0x1.05c41ap+13f,  0x1.527df2p+13f, 0x1.b69342p+13f, 0x1.1cae16p+14f,
    0x1.72488p+14f,  0x1.e28a0ap+14f,  0x1.3bp+15f,     0x1.9c048cp+15f, 0x1.0df23ap+16f,
    0x1.625bdap+16f, 0x1.d1fc76p+16f,  0x1.32ebbp+17f,  0x1.94ff4cp+17f, 0x1.0ba892p+18f,
    0x1.626p+18f,    0x1.d5f52ep+18f,  0x1.382014p+19f, 0x1.9f43a4p+19f, 0x1.14ade6p+20f,
    0x1.71438ep+20f, 0x1.ed9726p+20f,  0x1.4a6414p+21f, 0x1.baf8p+21f,   0x1.296528p+22f,
    0x1.8fe918p+22f, 0x1.0d45dcp+23f,  0x1.6b243ep+23f, 0x1.ea6dbap+23f, 0x1.4ba18ep+24f,
    0x1.c1200cp+24f, 0x1.308a8p+25f,   0x1.9d90acp+25f, 0x1.192fe6p+26f, 0x1.7edf54p+26f,
    0x1.05020cp+27f, 0x1.6453b8p+27f,  0x1.e71548p+27f, 0x1.4d55c8p+28f, 0x1.c8cfcp+28f,
    0x1.3967a2p+29f, 0x1.ae9158p+29f,  0x1.2820bcp+30f, 0x1.97d334p+30f, 0x1.192a1p+31f,
    0x1.8424f4p+31f, 0x1.0c3b08p+32f,  0x1.7328ccp+32f, 0x1.011702p+33f, 0x1.64905cp+33f,
    0x1.ef16bap+33f, 0x1.581a34p+34f,  0x1.dedba4p+34f, 0x1.4d8fc2p+35f, 0x1.d1366p+35f,
    0x1.44c3b2p+36f, 0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         -0x1.54a44ep+0f,
    -0x1.c0901p-1f,  -0x1.2789f4p-1f,  -0x1.76a40ap-2f, -0x1.a6398cp-3f, -0x1.3df9fp-4f,
    0x1.08ea86p-5f,  0x1.0e742ep-3f,   0x1.d1cd74p-3f,  0x1.4ad1b8p-2f,  0x1.b0ee6p-2f,
    0x1.0f6fd4p-1f,  0x1.4c22p-1f,     0x1.9078b8p-1f,  0x1.de9586p-1f,  0x1.1c757ep+0f,
    0x1.512cap+0f,   0x1.8f2934p+0f,   0x1.d8773p+0f,   0x1.17cfdp+1f,   0x1.4bd96p+1f,
    0x1.8a3a92p+1f,  0x1.d54548p+1f,   0x1.17eb8p+2f,   0x1.4ebe0ap+2f,  0x1.914e2p+2f,
    0x1.e25964p+2f,  0x1.22a572p+3f,   0x1.5f342p+3f,   0x1.a985a2p+3f,  0x1.027ac2p+4f,
    0x1.3ade5ep+4f,  0x1.8096bap+4f,   0x1.d6ffc4p+4f,  0x1.212cb2p+5f,  0x1.640346p+5f,
    0x1.b76f3ep+5f,  0x1.0fe55cp+6f,   0x1.5150fep+6f,  0x1.a38578p+6f,  0x1.0585a2p+7f,
    0x1.46d8f6p+7f,  0x1.9977dep+7f,   0x1.01179p+8f,   0x1.43972cp+8f,  0x1.983902p+8f,
    0x1.02138ep+9f,  0x1.47091cp+9f,   0x1.9f5482p+9f,  0x1.084d3p+10f,  0x1.5119e6p+10f,
    0x1.aedb16p+10f, 0x1.13e9a8p+11f,  0x1.6219c8p+11f, 0x1.c75c1cp+11f, 0x1.255e48p+12f,
    0x1.7abf7ap+12f, 0x1.e9eb48p+12f,  0x1.3d76aap+13f, 0x1.9c331ep+13f, 0x1.0c1946p+14f,
    0x1.5d629cp+14f, 0x1.c8235ep+14f,  0x1.2a48cp+15f,  0x1.86cd24p+15f, 0x1.007364p+16f,
    0x1.5126aap+16f, 0x1.bbfec6p+16f,  0x1.24d652p+17f, 0x1.82eb1ap+17f, 0x1.000764p+18f,
    0x1.536152p+18f, 0x1.c294e6p+18f,  0x1.2b9452p+19f, 0x1.8efb8p+19f,  0x1.0a1772p+20f,
    0x1.6376f2p+20f, 0x1.db914p+20f,   0x1.3e98aap+21f, 0x1.ab7fdp+21f,  0x1.1f3ab6p+22f,
    0x1.8285ap+22f,  0x1.04703p+23f,   0x1.5f7556p+23f, 0x1.daf268p+23f, 0x1.415a4ep+24f,
    0x1.b3733ep+24f, 0x1.276cfep+25f,  0x1.91639ep+25f, 0x1.1109f2p+26f, 0x1.73f202p+26f,
    0x1.fb557ep+26f, 0x1.5a71bap+27f,  0x1.d9c0c4p+27f, 0x1.4453f6p+28f, 0x1.bc9dcep+28f,
    0x1.312234p+29f, 0x1.a353c6p+29f,  0x1.2079d6p+30f, 0x1.8d634ep+30f, 0x1.120892p+31f,
    0x1.7a6212p+31f, 0x1.0589aap+32f,  0x1.69f722p+32f, 0x1.f5872ep+32f, 0x1.5bd816p+33f,
    0x1.e30c78p+33f, 0x1.4fc6b4p+34f,  0x1.d352bcp+34f, 0x1.458fp+35f,   0x1.c616e6p+35f,
    0x1.3d05c4p+36f, 0x1.bb2154p+36f,  0x1.36073cp+37f, 0x1.b2443p+37f,  0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x1.23d298p+1f,  0x1.71e4ecp+0f,  0x1.fa4824p-1f,
    0x1.7308eep-1f,  0x1.21d5dap-1f,   0x1.e1a6a4p-2f,  0x1.a8bd9cp-2f,  0x1.8c1f6ap-2f,
    0x1.845838p-2f,  0x1.8d98fcp-2f,   0x1.a5b974p-2f,  0x1.cc3ae8p-2f,  0x1.00b924p-1f,
    0x1.236072p-1f,  0x1.4f28fp-1f,    0x1.856a9cp-1f,  0x1.c84294p-1f,  0x1.0d0e86p+0f,
    0x1.3f1852p+0f,  0x1.7c2e34p+0f,   0x1.c6df48p+0f,  0x1.112572p+1f,  0x1.491cf6p+1f,
    0x1.8dc9b2p+1f,  0x1.e24714p+1f,   0x1.252ca6p+2f,  0x1.657008p+2f,  0x1.b4f2fep+2f,
    0x1.0bc68cp+3f,  0x1.4904bap+3f,   0x1.954aa6p+3f,  0x1.f475c6p+3f,  0x1.35c152p+4f,
    0x1.805c08p+4f,  0x1.de065ep+4f,   0x1.29f786p+5f,  0x1.744a7ap+5f,  0x1.d23c5p+5f,
    0x1.24982cp+6f,  0x1.70106cp+6f,   0x1.cff6bcp+6f,  0x1.2513eap+7f,  0x1.730f24p+7f,
    0x1.d6c17p+7f,   0x1.2b4006p+8f,   0x1.7d3adap+8f,  0x1.e6a2f8p+8f,  0x1.373b18p+9f,
    0x1.8edcbcp+9f,  0x1.0016acp+10f,  0x1.497a54p+10f, 0x1.a8b49cp+10f, 0x1.123de8p+11f,
    0x1.62d294p+11f, 0x1.cbebcap+11f,  0x1.2a9e02p+12f, 0x1.84742cp+12f, 0x1.fa3ba2p+12f,
    0x1.4a6e44p+13f, 0x1.b01b2ap+13f,  0x1.1b02ecp+14f, 0x1.735d56p+14f, 0x1.e817ccp+14f,
    0x1.41486p+15f,  0x1.a7ab36p+15f,  0x1.17c8b4p+16f, 0x1.721d16p+16f, 0x1.ea6096p+16f,
    0x1.455fcap+17f, 0x1.b070b4p+17f,  0x1.1fcef8p+18f, 0x1.7faa8cp+18f, 0x1.001e72p+19f,
    0x1.567028p+19f, 0x1.ca858ap+19f,  0x1.336cbp+20f,  0x1.9ccfa8p+20f, 0x1.159032p+21f,
    0x1.75c6dp+21f,  0x1.f808d6p+21f,  0x1.544d06p+22f, 0x1.cc2568p+22f, 0x1.37832cp+23f,
    0x1.a656bp+23f,  0x1.1eae14p+24f,  0x1.85b0cp+24f,  0x1.0933ep+25f,  0x1.696c7p+25f,
    0x1.ed2de2p+25f, 0x1.50e8f4p+26f,  0x1.cce25ep+26f, 0x1.3b9f38p+27f, 0x1.b0d1aep+27f,
    0x1.29221ap+28f, 0x1.9872e2p+28f,  0x1.1910bap+29f, 0x1.834478p+29f, 0x1.0b1e6ap+30f,
    0x1.70e8e2p+30f, 0x1.fe1356p+30f,  0x1.6107d2p+31f, 0x1.e93abap+31f, 0x1.535dbep+32f,
    0x1.d7569ep+32f, 0x1.47ae1p+33f,   0x1.c8180ap+33f, 0x1.3dc4d2p+34f, 0x1.bb43d4p+34f,
    0x1.357bep+35f,  0x1.b09d84p+35f,  0x1.2eaf9p+36f,  0x1.a7fe72p+36f, 0x1.29457cp+37f,
    0x1.a14436p+37f, 0x1.25251ap+38f,  0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    -0x1.848cb6p+1f, -0x1.99e478p+0f,  -0x1.cd533ap-1f, -0x1.139f3ep-1f, -0x1.4d984ap-2f,
    -0x1.8e1fbcp-3f, -0x1.b771ep-4f,   -0x1.7152ecp-5f, 0x1.9dbb08p-9f,  0x1.680baap-5f,
    0x1.4e294ep-4f,  0x1.e7b676p-4f,   0x1.455f48p-3f,  0x1.9fed4p-3f,   0x1.03f49cp-2f,
    0x1.41145ep-2f,  0x1.8a0606p-2f,   0x1.e23ffap-2f,  0x1.26670ep-1f,  0x1.67a72cp-1f,
    0x1.b7b302p-1f,  0x1.0d2488p+0f,   0x1.4a053cp+0f,  0x1.95672p+0f,   0x1.f30b72p+0f,
    0x1.33bcd8p+1f,  0x1.7c5972p+1f,   0x1.d70a04p+1f,  0x1.2460dcp+2f,  0x1.6baac4p+2f,
    0x1.c54c7p+2f,   0x1.1b26c4p+3f,   0x1.6277ccp+3f,  0x1.bcb72ep+3f,  0x1.1788bap+4f,
    0x1.6025fap+4f,  0x1.bc81cp+4f,    0x1.1921cap+5f,  0x1.644db2p+5f,  0x1.c4824p+5f,
    0x1.1fe61p+6f,   0x1.6f159ap+6f,   0x1.d4efb2p+6f,  0x1.2c18fp+7f,   0x1.80cd82p+7f,
    0x1.ee51cep+7f,  0x1.3e2094p+8f,   0x1.9a3706p+8f,  0x1.08eedp+9f,   0x1.56ddaep+9f,
    0x1.bc7acp+9f,   0x1.209a28p+10f,  0x1.776c44p+10f, 0x1.e9377ep+10f, 0x1.3f4b54p+11f,
    0x1.a1817cp+11f, 0x1.116498p+12f,  0x1.66a4ccp+12f, 0x1.d7452ep+12f, 0x1.361b18p+13f,
    0x1.98cc9ap+13f, 0x1.0ddb12p+14f,  0x1.64d62ap+14f, 0x1.d89b6ap+14f, 0x1.3965d2p+15f,
    0x1.a05246p+15f, 0x1.14f05ep+16f,  0x1.70fc9ap+16f, 0x1.ec5222p+16f, 0x1.48ee8ep+17f,
    0x1.b8267ap+17f, 0x1.26e7bap+18f,  0x1.8bc12p+18f,  0x1.09ead4p+19f, 0x1.65cfa6p+19f,
    0x1.e22742p+19f, 0x1.454d1cp+20f,  0x1.b78616p+20f, 0x1.295216p+21f, 0x1.92c8f6p+21f,
    0x1.112f5cp+22f, 0x1.730684p+22f,  0x1.f8943ep+22f, 0x1.5789cp+23f,  0x1.d46222p+23f,
    0x1.3fae7cp+24f, 0x1.b4f302p+24f,  0x1.2af594p+25f, 0x1.99a09ap+25f, 0x1.18f544p+26f,
    0x1.81d64ep+26f, 0x1.094368p+27f,  0x1.6d2aa8p+27f, 0x1.f7441p+27f,  0x1.5b3696p+28f,
    0x1.df9cfep+28f, 0x1.4ba64p+29f,   0x1.cb213ep+29f, 0x1.3e2d46p+30f, 0x1.b980bcp+30f,
    0x1.32a074p+31f, 0x1.aa63dep+31f,  0x1.28c56p+32f,  0x1.9d951ep+32f, 0x1.207b2cp+33f,
    0x1.92ddep+33f,  0x1.199624p+34f,  0x1.8a0986p+34f, 0x1.13fe26p+35f, 0x1.83061p+35f,
    0x1.0fa068p+36f, 0x1.7da4cp+36f,   0x1.0c6368p+37f, 0x1.79db82p+37f, 0x1.0a3e98p+38f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x1.0c8fbp+2f,   0x1.f1f1a2p+0f,
    0x1.f9b984p-1f,  0x1.1b07ep-1f,    0x1.4e78dep-2f,  0x1.b054ccp-3f,  0x1.345394p-3f,
    0x1.a7b8bcp-4f,  0x1.7e3488p-4f,   0x1.2b289p-4f,   0x1.305e96p-4f,  0x1.2b70eap-4f,
    0x1.660534p-4f,  0x1.98c5bp-4f,    0x1.96e84ap-4f,  0x1.21dadep-3f,  0x1.4e33f8p-3f,
    0x1.85a542p-3f,  0x1.d770e4p-3f,   0x1.35dd1cp-2f,  0x1.728492p-2f,  0x1.9c507ep-2f,
    0x1.079e5ep-1f,  0x1.5baebp-1f,    0x1.a1495ap-1f,  0x1.09605ep+0f,  0x1.44154p+0f,
    0x1.8fa1dcp+0f,  0x1.e5d97cp+0f,   0x1.39702cp+1f,  0x1.8bd2bap+1f,  0x1.00fab8p+2f,
    0x1.3edb5cp+2f,  0x1.8a3e6p+2f,    0x1.0134acp+3f,  0x1.411e86p+3f,  0x1.a6067ep+3f,
    0x1.0a0434p+4f,  0x1.51ae6ep+4f,   0x1.a7a088p+4f,  0x1.1d3adep+5f,  0x1.6cc038p+5f,
    0x1.cd6b24p+5f,  0x1.2d0e6ep+6f,   0x1.802f9ep+6f,  0x1.eef756p+6f,  0x1.4554dep+7f,
    0x1.9eb924p+7f,  0x1.11de04p+8f,   0x1.64be8ap+8f,  0x1.cf6d6ap+8f,  0x1.2d62bcp+9f,
    0x1.89404ap+9f,  0x1.022ac2p+10f,  0x1.53f27ep+10f, 0x1.be4b6ap+10f, 0x1.2a62bp+11f,
    0x1.862b72p+11f, 0x1.025ee8p+12f,  0x1.565c52p+12f, 0x1.c9f9ep+12f,  0x1.2b3b4ap+13f,
    0x1.8fd5eap+13f, 0x1.0c2536p+14f,  0x1.6119dap+14f, 0x1.d7c0ap+14f,  0x1.3d5bf4p+15f,
    0x1.ab8be4p+15f, 0x1.1cb4e2p+16f,  0x1.7eeeb4p+16f, 0x1.00e0a8p+17f, 0x1.5d2702p+17f,
    0x1.d0a91ep+17f, 0x1.3b40cp+18f,   0x1.aa5d2ep+18f, 0x1.1f5146p+19f, 0x1.89d36ep+19f,
    0x1.0a63e6p+20f, 0x1.67f11p+20f,   0x1.e850cp+20f,  0x1.4ee6b4p+21f, 0x1.c7041ap+21f,
    0x1.374518p+22f, 0x1.aadcd4p+22f,  0x1.226c2cp+23f, 0x1.8f69fcp+23f, 0x1.11a4a8p+24f,
    0x1.78f334p+24f, 0x1.03f792p+25f,  0x1.6505b6p+25f, 0x1.eb2d86p+25f, 0x1.546d1cp+26f,
    0x1.d6a948p+26f, 0x1.42b1a8p+27f,  0x1.be46b8p+27f, 0x1.357e92p+28f, 0x1.b038c2p+28f,
    0x1.2ab48cp+29f, 0x1.a0b5ccp+29f,  0x1.22a366p+30f, 0x1.95c64p+30f,  0x1.1abc9p+31f,
    0x1.8a1f74p+31f, 0x1.138adp+32f,   0x1.7fc1b2p+32f, 0x1.0ed172p+33f, 0x1.7a6cf8p+33f,
    0x1.08a3f4p+34f, 0x1.7508f4p+34f,  0x1.06cdaep+35f, 0x1.71e968p+35f, 0x1.05227ap+36f,
    0x1.6e6cb8p+36f, 0x1.029414p+37f,  0x1.6d9428p+37f, 0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         -0x1.68f36ap+2f,  -0x1.1cadf2p+1f, -0x1.f801fap-1f, -0x1.ee8bd2p-2f,
    -0x1.0165bap-2f, -0x1.19a9b4p-3f,  -0x1.474126p-4f, -0x1.5e6002p-5f, -0x1.a443dep-6f,
    -0x1.4ad3acp-7f, -0x1.4d2caep-10f, 0x1.164e56p-7f,  0x1.4ea514p-7f,  0x1.1b6104p-6f,
    0x1.feb1acp-6f,  0x1.2add92p-5f,   0x1.69bdfep-5f,  0x1.a01c44p-5f,  0x1.25f07ep-4f,
    0x1.78b41ep-4f,  0x1.012862p-3f,   0x1.4b9fd4p-3f,  0x1.98a49ep-3f,  0x1.f947c4p-3f,
    0x1.13d154p-2f,  0x1.6a2986p-2f,   0x1.c83d86p-2f,  0x1.4856ap-1f,   0x1.6255c4p-1f,
    0x1.de0beap-1f,  0x1.49e6dcp+0f,   0x1.89e87cp+0f,  0x1.fdee56p+0f,  0x1.326a4p+1f,
    0x1.86344ep+1f,  0x1.ee03d2p+1f,   0x1.4a308cp+2f,  0x1.a53176p+2f,  0x1.1c36aep+3f,
    0x1.67c33ep+3f,  0x1.d2ca56p+3f,   0x1.1d5926p+4f,  0x1.6b5caap+4f,  0x1.ca4e74p+4f,
    0x1.329cfcp+5f,  0x1.a86ce6p+5f,   0x1.08465cp+6f,  0x1.515746p+6f,  0x1.d06c0cp+6f,
    0x1.1f79c4p+7f,  0x1.7ac454p+7f,   0x1.fdab84p+7f,  0x1.5ca85p+8f,   0x1.cfa82ap+8f,
    0x1.3300f4p+9f,  0x1.8748dp+9f,    0x1.098ba2p+10f, 0x1.65d434p+10f, 0x1.cd09f6p+10f,
    0x1.3b990ep+11f, 0x1.93f0b2p+11f,  0x1.12f8d4p+12f, 0x1.6ea896p+12f, 0x1.d639e2p+12f,
    0x1.5300fp+13f,  0x1.c09ecep+13f,  0x1.272446p+14f, 0x1.855718p+14f, 0x1.0c62b8p+15f,
    0x1.65cbe2p+15f, 0x1.e9cb14p+15f,  0x1.4ed498p+16f, 0x1.beb026p+16f, 0x1.27c65cp+17f,
    0x1.a23d1p+17f,  0x1.1b2ce4p+18f,  0x1.781166p+18f, 0x1.00afbp+19f,  0x1.5f3232p+19f,
    0x1.dd94fap+19f, 0x1.4474bep+20f,  0x1.cb717cp+20f, 0x1.3ab914p+21f, 0x1.af8584p+21f,
    0x1.267e7p+22f,  0x1.9c8ecep+22f,  0x1.15b10cp+23f, 0x1.865282p+23f, 0x1.049fe8p+24f,
    0x1.64033p+24f,  0x1.fe9a6cp+24f,  0x1.60a5e6p+25f, 0x1.e631a6p+25f, 0x1.54de6ap+26f,
    0x1.cfeca2p+26f, 0x1.477778p+27f,  0x1.bbdb5cp+27f, 0x1.408cbep+28f, 0x1.c0efep+28f,
    0x1.321accp+29f, 0x1.b2deaep+29f,  0x1.2e3ab2p+30f, 0x1.ae817cp+30f, 0x1.272596p+31f,
    0x1.9ccadep+31f, 0x1.1f48dp+32f,   0x1.98d982p+32f, 0x1.247706p+33f, 0x1.98eff6p+33f,
    0x1.1be3c6p+34f, 0x1.9100dap+34f,  0x1.1ffd5p+35f,  0x1.9667b6p+35f, 0x1.1ec50cp+36f,
    0x1.9859c2p+36f, 0x0p+0f,          0x0p+0f,         0x0p+0f,         0x0p+0f,
    0x0p+0f,         0x0p+0f,          0x0p+0f};

//= lgamma_in_pieces
/* log(gamma(x)), below 4 over (x - 1) (x - 2), in eighths of octaves, powers 0 to 4 of r. */
HCI_TABLE(float, hci_lgamma_in_pieces, []) = {
    0x1.a4982ap-2f,   0x1.8e9332p-2f,   0x1.7b6fdep-2f,   0x1.6a97b2p-2f,   0x1.5b9c82p-2f,
    0x1.4e2b6ap-2f,   0x1.4204a4p-2f,   0x1.36f62p-2f,    0x1.0ea68ep+1f,   0x1.677f44p+1f,
    0x1.c7db2ap+1f,   0x1.177846p+2f,   0x1.4e0dfep+2f,   0x1.876b28p+2f,   0x1.c35702p+2f,
    0x1.00d08ep+3f,   0x1.319398p+3f,   0x1.760f04p+3f,   0x1.be199ap+3f,   0x1.04ac08p+4f,
    0x1.2bbfe4p+4f,   0x1.542946p+4f,   0x1.7dcde4p+4f,   0x1.a89734p+4f,   0x1.eabffp+4f,
    0x1.2329ep+5f,    0x1.52af58p+5f,   0x1.83c4fap+5f,   0x1.b6472p+5f,    0x1.ea17f8p+5f,
    0x1.0f8f18p+6f,   0x1.2aa208p+6f,   0x1.5437c6p+6f,   0x1.8d528cp+6f,   0x1.c82308p+6f,
    0x1.023f74p+7f,   0x1.2121aap+7f,   0x1.40a98ap+7f,   0x1.60cabep+7f,   0x1.817a64p+7f,
    0x1.b3795p+7f,    0x1.f7c7e2p+7f,   0x1.1ee4a4p+8f,   0x1.42a9dcp+8f,   0x1.67225cp+8f,
    0x1.8c3fb2p+8f,   0x1.b1f596p+8f,   0x1.d83972p+8f,   0x1.094acap+9f,   0x1.3104cap+9f,
    0x1.59977ap+9f,   0x1.82ee18p+9f,   0x1.acf782p+9f,   0x1.d7a55ap+9f,   0x1.0175b2p+10f,
    0x1.175f8cp+10f,  0x1.38b94p+10f,   0x1.66026p+10f,   0x1.9423d6p+10f,  0x1.c308fp+10f,
    0x1.f2a098p+10f,  0x1.116e3cp+11f,  0x1.29d82ep+11f,  0x1.4288e2p+11f,  0x1.680cbcp+11f,
    0x1.9ae336p+11f,  0x1.ce91f2p+11f,  0x1.0181fcp+12f,  0x1.1c1442p+12f,  0x1.36f898p+12f,
    0x1.5228e6p+12f,  0x1.6d9feap+12f,  0x1.974d2ep+12f,  0x1.cfb01cp+12f,  0x1.04758ep+13f,
    0x1.2174c2p+13f,  0x1.3ecd28p+13f,  0x1.5c7794p+13f,  0x1.7a6df4p+13f,  0x1.98ab04p+13f,
    0x1.c68154p+13f,  0x1.023822p+14f,  0x1.219b9ep+14f,  0x1.4160cap+14f,  0x1.617f6ep+14f,
    0x1.81ef7ep+14f,  0x1.a2abcap+14f,  0x1.c3aec6p+14f,  0x1.f5adf2p+14f,  0x1.1c9456p+15f,
    0x1.3ebdb4p+15f,  0x1.6148cp+15f,   0x1.842cf4p+15f,  0x1.a7632ep+15f,  0x1.cae554p+15f,
    0x1.eeae28p+15f,  0x1.126b0cp+16f,  0x1.36ee4p+16f,   0x1.5bdd72p+16f,  0x1.812e52p+16f,
    0x1.a6d85cp+16f,  0x1.ccd466p+16f,  0x1.f31c5ep+16f,  0x1.0cd582p+17f,  0x0p+0f,
    0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,
    0x0p+0f,          0x0p+0f,          0x1.7dc032p-1f,   0x1.6d9928p-1f,   0x1.5f6d78p-1f,
    0x1.52d85p-1f,    0x1.478f8cp-1f,   0x1.3d5ad2p-1f,   0x1.340ef8p-1f,   0x1.2b898p-1f,
    0x1.1ffc12p-1f,   0x1.12733p-1f,    0x1.069fc6p-1f,   0x1.f85342p-2f,   0x1.e5a06ep-2f,
    0x1.d4c5cp-2f,    0x1.c57824p-2f,   0x1.b77c8cp-2f,   -0x1.7b5ee8p-4f,  -0x1.476d12p-4f,
    -0x1.1e890cp-4f,  -0x1.fb3d9cp-5f,  -0x1.c5443ep-5f,  -0x1.9852f6p-5f,  -0x1.7267bcp-5f,
    -0x1.520ca6p-5f,  0x1.531e76p+0f,   0x1.72ff0cp+0f,   0x1.8f5aaep+0f,   0x1.a8e418p+0f,
    0x1.c01dbap+0f,   0x1.d568ap+0f,    0x1.e9137cp+0f,   0x1.fb56b2p+0f,   0x1.0a406cp+1f,
    0x1.194f7ap+1f,   0x1.26c8bep+1f,   0x1.32f98p+1f,    0x1.3e1ae4p+1f,   0x1.485856p+1f,
    0x1.51d398p+1f,   0x1.5aa774p+1f,   0x1.66d988p+1f,   0x1.757d8p+1f,    0x1.82a088p+1f,
    0x1.8e8a5ep+1f,   0x1.997066p+1f,   0x1.a37b6cp+1f,   0x1.accb56p+1f,   0x1.b57988p+1f,
    0x1.c17b8cp+1f,   0x1.cfeb6p+1f,    0x1.dce452p+1f,   0x1.e8ab76p+1f,   0x1.f37466p+1f,
    0x1.fd66bp+1f,    0x1.0350c6p+2f,   0x1.079e7cp+2f,   0x1.0d93a6p+2f,   0x1.14beb6p+2f,
    0x1.1b30cap+2f,   0x1.210bc8p+2f,   0x1.26690ep+2f,   0x1.2b5c12p+2f,   0x1.2ff41ap+2f,
    0x1.343d58p+2f,   0x1.3a2ca2p+2f,   0x1.41514ep+2f,   0x1.47be38p+2f,   0x1.4d94f2p+2f,
    0x1.52eea4p+2f,   0x1.57de9cp+2f,   0x1.5c7402p+2f,   0x1.60baf6p+2f,   0x1.66a754p+2f,
    0x1.6dc8d2p+2f,   0x1.743328p+2f,   0x1.7a07c2p+2f,   0x1.7f5faap+2f,   0x1.844e1ep+2f,
    0x1.88e236p+2f,   0x1.8d2806p+2f,   0x1.9312ecp+2f,   0x1.9a32d4p+2f,   0x1.a09c4p+2f,
    0x1.a66f6cp+2f,   0x1.abc67p+2f,    0x1.b0b42p+2f,    0x1.b5479p+2f,    0x1.b98ccep+2f,
    0x1.bf76fap+2f,   0x1.c69618p+2f,   0x1.ccfe8p+2f,    0x1.d2d182p+2f,   0x1.d82816p+2f,
    0x1.dd1564p+2f,   0x1.e1a88p+2f,    0x1.e5ed76p+2f,   0x1.ebd744p+2f,   0x1.f2f5fcp+2f,
    0x1.f95e12p+2f,   0x1.ff30d2p+2f,   0x1.023ep+3f,     0x1.04ba24p+3f,   0x1.07039ep+3f,
    0x1.092606p+3f,   0x1.0c1ad6p+3f,   0x1.0faa18p+3f,   0x1.12de1p+3f,    0x1.15c75ep+3f,
    0x1.18727cp+3f,   0x1.1ae9p+3f,     0x1.1d326ep+3f,   0x1.1f54ccp+3f,   0x1.224992p+3f,
    0x1.25d8c8p+3f,   0x1.290cb4p+3f,   0x1.2bf5fap+3f,   0x1.2ea112p+3f,   0x1.31178ep+3f,
    0x1.3360f8p+3f,   0x1.358352p+3f,   0x0p+0f,          0x0p+0f,          0x0p+0f,
    0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,
    -0x1.14f7ecp-1f,  -0x1.e2b88cp-2f,  -0x1.aa45e8p-2f,  -0x1.7c8b54p-2f,  -0x1.56d642p-2f,
    -0x1.373c26p-2f,  -0x1.1c6f54p-2f,  -0x1.054fcap-2f,  -0x1.d11d94p-3f,  -0x1.939c6ap-3f,
    -0x1.630c66p-3f,  -0x1.3bd14ep-3f,  -0x1.1b8a2ap-3f,  -0x1.00922ep-3f,  -0x1.d37b98p-4f,
    -0x1.ac649p-4f,   0x1.d71d56p-6f,   0x1.6e4fecp-6f,   0x1.23f7d8p-6f,   0x1.dada1cp-7f,
    0x1.8891ap-7f,    0x1.495b78p-7f,   0x1.175a54p-7f,   0x1.df3e2cp-8f,   0x1.0f5fc2p-3f,
    0x1.dfb8aap-4f,   0x1.ad9a7cp-4f,   0x1.84f6cep-4f,   0x1.63472cp-4f,   0x1.47038ap-4f,
    0x1.2ed59ep-4f,   0x1.1a0dbep-4f,   0x1.ff651p-5f,    0x1.c6b47ap-5f,   0x1.994378p-5f,
    0x1.7431c4p-5f,   0x1.55088ap-5f,   0x1.3adfbp-5f,    0x1.24644p-5f,    0x1.10ebfep-5f,
    0x1.f05b5cp-6f,   0x1.ba99a6p-6f,   0x1.8f7daep-6f,   0x1.6c1ebep-6f,   0x1.4e58c6p-6f,
    0x1.34fb64p-6f,   0x1.1f9d8cp-6f,   0x1.0cbe5ap-6f,   0x1.e9103cp-7f,   0x1.b4e3c2p-7f,
    0x1.8ad3e4p-7f,   0x1.682182p-7f,   0x1.4ac6b8p-7f,   0x1.3224b8p-7f,   0x1.1d0db8p-7f,
    0x1.0a809p-7f,    0x1.e55f16p-8f,   0x1.b21b4ep-8f,   0x1.8885b6p-8f,   0x1.65e2e2p-8f,
    0x1.4925p-8f,     0x1.30ef5cp-8f,   0x1.1bc4a6p-8f,   0x1.0921f4p-8f,   0x1.e3a5dcp-9f,
    0x1.b057cp-9f,    0x1.872e2ep-9f,   0x1.651b5ep-9f,   0x1.489faep-9f,   0x1.3035c2p-9f,
    0x1.1b2cacp-9f,   0x1.088a44p-9f,   0x1.e2aa52p-10f,  0x1.afe954p-10f,  0x1.86db7cp-10f,
    0x1.64a4acp-10f,  0x1.47e8fep-10f,  0x1.2f8c48p-10f,  0x1.1ac20ep-10f,  0x1.081346p-10f,
    0x1.e271d2p-11f,  0x1.af75eap-11f,  0x1.86336p-11f,   0x1.63f776p-11f,  0x1.47e582p-11f,
    0x1.2f9b48p-11f,  0x1.1a3df6p-11f,  0x1.0817ep-11f,   0x1.e241c6p-12f,  0x1.af7a04p-12f,
    0x1.8638dep-12f,  0x1.64c54ep-12f,  0x1.479c82p-12f,  0x1.2ff07ap-12f,  0x1.1a5ef8p-12f,
    0x1.0892e8p-12f,  0x1.e236a6p-13f,  0x1.af9f5ep-13f,  0x1.86329cp-13f,  0x1.643dp-13f,
    0x1.47f5a4p-13f,  0x1.2fda3cp-13f,  0x1.1ac5eep-13f,  0x1.083e44p-13f,  0x1.e1f99cp-14f,
    0x1.af5228p-14f,  0x1.85e73p-14f,   0x1.63c852p-14f,  0x1.4808f2p-14f,  0x1.2f4e02p-14f,
    0x1.1a9034p-14f,  0x1.08c2a4p-14f,  0x1.e2444ap-15f,  0x1.af6c9p-15f,   0x1.869a82p-15f,
    0x1.647ee2p-15f,  0x1.474618p-15f,  0x1.2fa8acp-15f,  0x1.1aadfp-15f,   0x1.085546p-15f,
    0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,
    0x0p+0f,          0x0p+0f,          0x0p+0f,          0x1.41cc9ep-1f,   0x1.f8081ep-2f,
    0x1.944f32p-2f,   0x1.4adbecp-2f,   0x1.12c1a4p-2f,   0x1.d01664p-3f,   0x1.8c3358p-3f,
    0x1.565726p-3f,   0x1.12c148p-3f,   0x1.b2562p-4f,    0x1.5b7938p-4f,   0x1.1b6ea4p-4f,
    0x1.d65f54p-5f,   0x1.8bc68cp-5f,   0x1.50ef7ep-5f,   0x1.22015cp-5f,   -0x1.4e9e84p-7f,
    -0x1.d2cc12p-8f,  -0x1.516a68p-8f,  -0x1.f64aaap-9f,  -0x1.7f0e84p-9f,  -0x1.2a37b2p-9f,
    -0x1.d7cf88p-10f, -0x1.7c1f7ep-10f, -0x1.7e89cap-7f,  -0x1.2aa836p-7f,  -0x1.df4f16p-8f,
    -0x1.89120ep-8f,  -0x1.4826a6p-8f,  -0x1.160f9p-8f,   -0x1.dd1d46p-9f,  -0x1.9de87ap-9f,
    -0x1.5477fep-9f,  -0x1.0d1dep-9f,   -0x1.b4451p-10f,  -0x1.688754p-10f, -0x1.2f03eep-10f,
    -0x1.026f7ap-10f, -0x1.bdadfep-11f, -0x1.841bd8p-11f, -0x1.41191ep-11f, -0x1.feb6e8p-12f,
    -0x1.9fe9a8p-12f, -0x1.5943d6p-12f, -0x1.234c2ep-12f, -0x1.f1b938p-13f, -0x1.ae22acp-13f,
    -0x1.775f8p-13f,  -0x1.37da9ap-13f, -0x1.f16796p-14f, -0x1.964892p-14f, -0x1.51f0fep-14f,
    -0x1.1d72dp-14f,  -0x1.e8c83ap-15f, -0x1.a68676p-15f, -0x1.7184bcp-15f, -0x1.332056p-15f,
    -0x1.eb0056p-16f, -0x1.919092p-16f, -0x1.4e5332p-16f, -0x1.1acbb4p-16f, -0x1.e43f48p-17f,
    -0x1.a3a1c2p-17f, -0x1.6f676ep-17f, -0x1.31086ap-17f, -0x1.e7b1f2p-18f, -0x1.8f25bp-18f,
    -0x1.4c5456p-18f, -0x1.195b62p-18f, -0x1.e25042p-19f, -0x1.a1451ap-19f, -0x1.6d29c2p-19f,
    -0x1.2fe072p-19f, -0x1.e618ccp-20f, -0x1.8dafb4p-20f, -0x1.4b44ep-20f,  -0x1.18441ep-20f,
    -0x1.e133a4p-21f, -0x1.a13f7cp-21f, -0x1.6d72e4p-21f, -0x1.2f36fep-21f, -0x1.e54848p-22f,
    -0x1.8d6cd4p-22f, -0x1.4b1454p-22f, -0x1.182b78p-22f, -0x1.e030eap-23f, -0x1.a04002p-23f,
    -0x1.6c5e66p-23f, -0x1.2edf6ap-23f, -0x1.e50ef2p-24f, -0x1.8cd0e8p-24f, -0x1.4a6218p-24f,
    -0x1.18483p-24f,  -0x1.dfd214p-25f, -0x1.9fd61p-25f,  -0x1.6c7824p-25f, -0x1.2ebb7ap-25f,
    -0x1.e4aed8p-26f, -0x1.8c9056p-26f, -0x1.4acb36p-26f, -0x1.183b64p-26f, -0x1.df27e8p-27f,
    -0x1.a030bp-27f,  -0x1.6c1c0cp-27f, -0x1.2eaf64p-27f, -0x1.e44218p-28f, -0x1.8d162ap-28f,
    -0x1.4abbdap-28f, -0x1.17bd82p-28f, -0x1.e0c53p-29f,  -0x1.9fe31ep-29f, -0x1.6a90a6p-29f,
    -0x1.2ec9a2p-29f, -0x1.e4eaf2p-30f, -0x1.8ca456p-30f, -0x1.4a95e2p-30f, -0x1.1876c6p-30f,
    -0x1.df9eb6p-31f, -0x1.a048aep-31f, -0x1.6bc69ap-31f, 0x0p+0f,          0x0p+0f,
    0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,
    0x0p+0f,          -0x1.bc344p-1f,   -0x1.37f13ap-1f,  -0x1.c59f6cp-2f,  -0x1.5361ep-2f,
    -0x1.02fd0ap-2f,  -0x1.96b2a6p-3f,  -0x1.438196p-3f,  -0x1.06e338p-3f,  -0x1.8b5aeap-4f,
    -0x1.10666ap-4f,  -0x1.8ad192p-5f,  -0x1.269d3ep-5f,  -0x1.c25ddcp-6f,  -0x1.5f6696p-6f,
    -0x1.171494p-6f,  -0x1.c1ff9cp-7f,  0x1.e7fccap-9f,   0x1.42eaa2p-9f,   0x1.8b845ap-10f,
    0x1.e960e8p-11f,  0x1.74115p-11f,   0x1.87d2a4p-12f,  0x1.1e3992p-11f,  0x1.d59a1p-12f,
    0x1.894c96p-10f,  0x1.0443dap-10f,  0x1.782a06p-11f,  0x1.e33792p-12f,  0x1.dd97dcp-12f,
    0x1.fb875ep-13f,  0x1.620ffep-12f,  0x1.5ebe3cp-13f,  0x1.23c774p-13f,  0x1.7a8a8cp-14f,
    0x1.561112p-14f,  0x1.dfeefcp-16f,  0x1.725254p-14f,  0x1.db2b7p-15f,   0x1.b4bad6p-15f,
    0x1.5e73bep-15f,  0x1.2394c8p-16f,  0x1.3106e4p-16f,  0x1.8563fep-17f,  0x1.807fdep-19f,
    0x1.279e96p-18f,  0x1.500f4ep-17f,  -0x1.b2ad8ep-18f, -0x1.80adb8p-18f, 0x1.153ap-19f,
    0x1.99d7bep-20f,  0x1.c9322ep-21f,  0x1.1edc4ep-21f,  0x1.021406p-19f,  0x1.26b038p-20f,
    -0x1.23bf1p-21f,  -0x1.1920c2p-22f, 0x1.5ddbf6p-22f,  0x1.f9771p-24f,   0x1.2d354cp-24f,
    0x1.31aa9cp-22f,  0x1.dbb6a6p-23f,  -0x1.91aac2p-26f, 0x1.5bebbep-28f,  0x1.9cd45p-23f,
    0x1.28aa72p-25f,  0x1.8fd17ap-25f,  0x1.b1026ap-26f,  0x1.23d93p-26f,   -0x1.562d46p-30f,
    -0x1.34fbacp-30f, -0x1.31c792p-30f, 0x1.fa7e1cp-26f,  0x1.73ac7p-28f,   0x1.529222p-29f,
    0x1.b322a8p-35f,  0x1.fee854p-30f,  0x1.da486p-29f,   0x1.e841e6p-29f,  0x1.468e56p-30f,
    0x1.9f58eap-28f,  0x1.783d34p-32f,  0x1.ee5508p-32f,  0x1.1c2a58p-31f,  0x1.e3641p-31f,
    0x1.40b3aep-33f,  0x1.9f50cp-34f,   0x1.7b6b4ap-31f,  0x1.233a54p-31f,  0x1.3fb9c2p-35f,
    0x1.61cf3ep-36f,  0x1.4c6536p-35f,  -0x1.12d2c8p-34f, 0x1.cbae2cp-35f,  -0x1.24ca96p-34f,
    0x1.a6a922p-35f,  -0x1.3a4564p-35f, 0x1.a1fe8ep-39f,  -0x1.9faadap-39f, 0x1.fa9654p-39f,
    0x1.bf92a6p-39f,  0x1.6189e4p-38f,  -0x1.01ac98p-37f, -0x1.2ab5c6p-38f, 0x1.59b64cp-39f,
    0x1.fccd28p-41f,  0x1.aaf9fp-42f,   0x1.5262fep-40f,  0x1.cc834p-40f,   -0x1.689e44p-41f,
    0x1.5a9c1ep-41f,  0x1.bdd5ap-46f,   -0x1.5f0ddap-40f, -0x1.d2a18cp-49f, 0x1.0c6acp-49f,
    -0x1.f5007ap-44f, -0x1.106f66p-44f, 0x1.b0fa5cp-43f,  -0x1.f7eeeap-45f, -0x1.7fcc16p-45f,
    -0x1.edb234p-49f, 0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,
    0x0p+0f,          0x0p+0f,          0x0p+0f,          0x0p+0f,          0x1.47c394p+0f,
    0x1.b29a76p-1f,   0x1.2e546cp-1f,   0x1.64d296p-2f,   0x1.99e906p-3f,   0x1.85b55cp-3f,
    0x1.951a6cp-4f,   0x1.296f2ep-5f,   0x1.464344p-4f,   0x1.5d42ap-5f,    0x1.8b79dp-6f,
    0x1.51c87ap-6f,   0x1.aa7c26p-7f,   0x1.3c3db8p-7f,   0x1.552c7ep-7f,   0x1.e91f8ep-8f};

//= EXP2M1_CASES
#define hci_EXP2M1_CASES (3)

//= exp2m1_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_exp2m1_cases, []) = {0x1.4fcp-12f,     0x1.d17ffep-13f, -0x1.184p-14f,
                                          -0x1.847ffep-15f, -0x1.cfcp-10f,   -0x1.414002p-10f};

//= LOG2P1_CASES
#define hci_LOG2P1_CASES (6)

//= log2p1_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_log2p1_cases, []) = {0x1.d18p-13f,     0x1.4fc002p-12f,  0x1.ec4p-12f,
                                          0x1.62fffep-11f,  0x1.fecp-8f,      0x1.6f0002p-7f,
                                          -0x1.848p-15f,    -0x1.184002p-14f, -0x1.414p-10f,
                                          -0x1.cfbffep-10f, -0x1.73cp-6f,     -0x1.0f4002p-5f};

//= LOG10P1_CASES
#define hci_LOG10P1_CASES (6)

//= log10p1_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_log10p1_cases, []) = {
    0x1.ep-13f,  0x1.a0dffep-14f, 0x1.f44p+6f, 0x1.0cdffep+1f,  -0x1.77p-13f, -0x1.45bffep-14f,
    -0x1.42p-8f, -0x1.185ffep-9f, -0x1.fdp-6f, -0x1.c11ffap-7f, -0x1.8d8p-2f, -0x1.b4fffep-3f};

//= TANPI_CASES
#define hci_TANPI_CASES (3)

//= tanpi_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_tanpi_cases, []) = {0x1.53p-13f,     0x1.0a4002p-11f, 0x1.8b8p-13f,
                                         0x1.36a002p-11f, 0x1.8d4p-11f,    0x1.380002p-9f};

//= ATANPI_CASES
#define hci_ATANPI_CASES (3)

//= atanpi_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_atanpi_cases, []) = {0x1.0a4p-11f,    0x1.52fffep-13f, 0x1.38p-9f,
                                          0x1.8d3ffep-11f, 0x1.748p+6f,     0x1.fc8002p-2f};

//= ERFC_CASES
#define hci_ERFC_CASES (9)

//= erfc_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_erfc_cases,
          []) = {0x1.c5cp-13f,   0x1.ffdffep-1f, 0x1.c5cp-12f,   0x1.ffbffep-1f, 0x1.c5cp-11f,
                 0x1.ff7ffep-1f, 0x1.c5cp-10f,   0x1.fefffep-1f, 0x1.c5cp-9f,    0x1.fdfffep-1f,
                 -0x1.c5cp-12f,  0x1.002002p+0f, -0x1.c5cp-11f,  0x1.004002p+0f, -0x1.c5cp-10f,
                 0x1.008002p+0f, -0x1.c5cp-9f,   0x1.010002p+0f};

//= TGAMMA_CASES
#define hci_TGAMMA_CASES (3)

//= tgamma_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_tgamma_cases, []) = {0x1.3fp-15f,    0x1.9adffep+14f, 0x1.dd4p-8f,
                                          0x1.118002p+7f, -0x1.3f8p-15f,   -0x1.9a4002p+14f};

//= LGAMMA_CASES
#define hci_LGAMMA_CASES (3)

//= lgamma_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_lgamma_cases, []) = {0x1.aep-13f,    0x1.0fbffep+3f, 0x1.198p-12f,
                                          0x1.072002p+3f, -0x1.decp-14f,  0x1.228002p+3f};

//= ASINH_CASES
#define hci_ASINH_CASES (2)

//= asinh_cases
/* Halves, and their results. */
HCI_TABLE(float, hci_asinh_cases, []) = {0x1.06p+7f, 0x1.645ffep+2f, 0x1.028p+8f,
                                         0x1.8fdffep+2f};

//= rounding RTE RTZ RTP RTN
typedef enum { hci_RTE, hci_RTZ, hci_RTP, hci_RTN } hci_rounding;

//= INVALID
#define hci_INVALID (1)

//= OVERFLOW
#define hci_OVERFLOW (4)

//= UNDERFLOW
#define hci_UNDERFLOW (8)

//= type HALF BOOL INT8 UINT8 INT16 UINT16 INT32 UINT32 INT64 UINT64 FLOAT DOUBLE
//= TYPES
/* The type of an operand's elements. A bool is a byte, 0 or 1. */
typedef enum {
    hci_HALF,
    hci_BOOL,
    hci_INT8,
    hci_UINT8,
    hci_INT16,
    hci_UINT16,
    hci_INT32,
    hci_UINT32,
    hci_INT64,
    hci_UINT64,
    hci_FLOAT,
    hci_DOUBLE,
    hci_TYPES
} hci_type;

//= FROM_ZERO
#define hci_FROM_ZERO (2)

//= HALF_SIGN
#define hci_HALF_SIGN (0x8000)

//= HALF_MAGNITUDE
#define hci_HALF_MAGNITUDE (0x7fff)

//= HALF_INF
#define hci_HALF_INF (0x7c00)

//= HALF_QUIET
#define hci_HALF_QUIET (0x0200)

//= HALF_NAN
#define hci_HALF_NAN (0x7e00)

//= HALF_LARGEST
#define hci_HALF_LARGEST (0x7bff)

//= HALF_ONE
#define hci_HALF_ONE (0x3c00)

//= HALF_MIN_NORMAL
#define hci_HALF_MIN_NORMAL (0x0400)

//= FLOAT_MAGNITUDE
#define hci_FLOAT_MAGNITUDE (0x7fffffff)

//= FLOAT_INF
#define hci_FLOAT_INF (0x7f800000)

//= FLOAT_QUIET
#define hci_FLOAT_QUIET (0x00400000)

//= FLOAT_HALF_MIN
#define hci_FLOAT_HALF_MIN (0x38800000)

//= FLOAT_CUT
#define hci_FLOAT_CUT (13)

//= half_is_nan
HCI_FUNCTION bool hci_half_is_nan(unsigned short half_)
{
    return (half_ & hci_HALF_MAGNITUDE) > hci_HALF_INF;
}

//= rounds_away
/* Returns whether a directed mode rounds a value between two neighbours to the one of larger
 * magnitude. */
HCI_FUNCTION unsigned int hci_rounds_away(unsigned int negative, hci_rounding mode)
{
    return (negative & (mode == hci_RTN)) | (~negative & 1 & (mode == hci_RTP));
}

//= vh
typedef unsigned short hci_vh;

//= vf
typedef float hci_vf;

//= vi
typedef int hci_vi;

//= vm
typedef bool hci_vm;

//= vw
typedef short hci_vw;

//= wm
typedef bool hci_wm;

//= vi_set
/* 32-bit integers and truths. */
HCI_FUNCTION hci_vi hci_vi_set(int x)
{
    return x;
}

//= vi_select
HCI_FUNCTION hci_vi hci_vi_select(hci_vm m, hci_vi a, hci_vi b)
{
    return m ? a : b;
}

//= vi_min
HCI_FUNCTION hci_vi hci_vi_min(hci_vi a, hci_vi b)
{
    return a < b ? a : b;
}

//= vi_max
HCI_FUNCTION hci_vi hci_vi_max(hci_vi a, hci_vi b)
{
    return a > b ? a : b;
}

//= vi_equal
HCI_FUNCTION hci_vm hci_vi_equal(hci_vi a, hci_vi b)
{
    return a == b;
}

//= vi_add
HCI_FUNCTION hci_vi hci_vi_add(hci_vi a, hci_vi b)
{
    return (hci_vi)((unsigned int)a + (unsigned int)b);
}

//= vi_sub
HCI_FUNCTION hci_vi hci_vi_sub(hci_vi a, hci_vi b)
{
    return (hci_vi)((unsigned int)a - (unsigned int)b);
}

//= vi_and
HCI_FUNCTION hci_vi hci_vi_and(hci_vi a, hci_vi b)
{
    return a & b;
}

//= vi_or
HCI_FUNCTION hci_vi hci_vi_or(hci_vi a, hci_vi b)
{
    return a | b;
}

//= vi_xor
HCI_FUNCTION hci_vi hci_vi_xor(hci_vi a, hci_vi b)
{
    return a ^ b;
}

//= vi_shift_left
HCI_FUNCTION hci_vi hci_vi_shift_left(hci_vi a, int count)
{
    return (hci_vi)((unsigned int)a << count);
}

//= vi_shift_right
HCI_FUNCTION hci_vi hci_vi_shift_right(hci_vi a, int count)
{
    return a >> count;
}

//= vi_less
HCI_FUNCTION hci_vm hci_vi_less(hci_vi a, hci_vi b)
{
    return a < b;
}

//= vi_below
HCI_FUNCTION hci_vm hci_vi_below(hci_vi a, hci_vi b)
{
    return (unsigned int)a < (unsigned int)b;
}

//= vi_highest
HCI_FUNCTION hci_vi hci_vi_highest(hci_vi a, hci_vi b)
{
    return (unsigned int)a > (unsigned int)b ? a : b;
}

//= vi_has_none
HCI_FUNCTION hci_vm hci_vi_has_none(hci_vi a, int bits)
{
    return (a & bits) == 0;
}

//= vi_has
HCI_FUNCTION hci_vm hci_vi_has(hci_vi a, int bit)
{
    return (a & bit) != 0;
}

//= vm_none
HCI_FUNCTION hci_vm hci_vm_none(void)
{
    return false;
}

//= vm_and
HCI_FUNCTION hci_vm hci_vm_and(hci_vm a, hci_vm b)
{
    return a && b;
}

//= vm_and_not
HCI_FUNCTION hci_vm hci_vm_and_not(hci_vm a, hci_vm b)
{
    return a && !b;
}

//= vm_or
HCI_FUNCTION hci_vm hci_vm_or(hci_vm a, hci_vm b)
{
    return a || b;
}

//= vm_not
HCI_FUNCTION hci_vm hci_vm_not(hci_vm a)
{
    return !a;
}

//= vm_any
HCI_FUNCTION bool hci_vm_any(hci_vm a)
{
    return a;
}

//= vf_bits
/* Floats as their bits. */
HCI_FUNCTION hci_vi hci_vf_bits(hci_vf a)
{
    return (hci_vi)hci_bits_of_float(a);
}

//= vf_of_bits
HCI_FUNCTION hci_vf hci_vf_of_bits(hci_vi a)
{
    return hci_float_of_bits((unsigned int)a);
}

//= magnitude_bits
HCI_FUNCTION hci_vi hci_magnitude_bits(hci_vf a)
{
    return hci_vf_bits(a) & hci_FLOAT_MAGNITUDE;
}

//= sign_bits
HCI_FUNCTION hci_vi hci_sign_bits(hci_vf a)
{
    return hci_vf_bits(a) & ~hci_FLOAT_MAGNITUDE;
}

//= vf_set
HCI_FUNCTION hci_vf hci_vf_set(float x)
{
    return x;
}

//= vf_abs
HCI_FUNCTION hci_vf hci_vf_abs(hci_vf a)
{
    return hci_vf_of_bits(hci_magnitude_bits(a));
}

//= vf_copysign
HCI_FUNCTION hci_vf hci_vf_copysign(hci_vf a, hci_vf b)
{
    return hci_vf_of_bits(hci_magnitude_bits(a) | hci_sign_bits(b));
}

//= vf_select
HCI_FUNCTION hci_vf hci_vf_select(hci_vm m, hci_vf a, hci_vf b)
{
    return m ? a : b;
}

//= vf_zero_where
HCI_FUNCTION hci_vf hci_vf_zero_where(hci_vm m, hci_vf a)
{
    return m ? 0.0f : a;
}

//= vf_sign
HCI_FUNCTION hci_vm hci_vf_sign(hci_vf a)
{
    return hci_vf_bits(a) < 0;
}

//= vf_special
HCI_FUNCTION hci_vm hci_vf_special(hci_vf a)
{
    return hci_magnitude_bits(a) >= hci_FLOAT_INF;
}

//= vf_zero_or_special
HCI_FUNCTION hci_vm hci_vf_zero_or_special(hci_vf a)
{
    return hci_vf_special(a) || hci_magnitude_bits(a) == 0;
}

//= vf_unordered
HCI_FUNCTION hci_vm hci_vf_unordered(hci_vf a, hci_vf b)
{
    return hci_magnitude_bits(a) > hci_FLOAT_INF || hci_magnitude_bits(b) > hci_FLOAT_INF;
}

//= vf_of_int
HCI_FUNCTION hci_vf hci_vf_of_int(hci_vi a)
{
    return (float)a;
}

//= vf_add
/* Floats, rounded to nearest. */
HCI_FUNCTION hci_vf hci_vf_add(hci_vf a, hci_vf b)
{
    return hci_float_add(a, b);
}

//= vf_sub
HCI_FUNCTION hci_vf hci_vf_sub(hci_vf a, hci_vf b)
{
    return hci_float_add(a, -b);
}

//= vf_mul
HCI_FUNCTION hci_vf hci_vf_mul(hci_vf a, hci_vf b)
{
    return hci_float_mul(a, b);
}

//= vf_fma
HCI_FUNCTION hci_vf hci_vf_fma(hci_vf a, hci_vf b, hci_vf c)
{
    return hci_float_fma(a, b, c);
}

//= vf_fnma
HCI_FUNCTION hci_vf hci_vf_fnma(hci_vf a, hci_vf b, hci_vf c)
{
    return hci_float_fma(-a, b, c);
}

//= vf_min
HCI_FUNCTION hci_vf hci_vf_min(hci_vf a, hci_vf b)
{
    return a < b ? a : b;
}

//= vf_max
HCI_FUNCTION hci_vf hci_vf_max(hci_vf a, hci_vf b)
{
    return a > b ? a : b;
}

//= vf_less
HCI_FUNCTION hci_vm hci_vf_less(hci_vf a, hci_vf b)
{
    return a < b;
}

//= vf_less_equal
HCI_FUNCTION hci_vm hci_vf_less_equal(hci_vf a, hci_vf b)
{
    return a <= b;
}

//= vf_equal
HCI_FUNCTION hci_vm hci_vf_equal(hci_vf a, hci_vf b)
{
    return a == b;
}

//= vf_rint
HCI_FUNCTION hci_vf hci_vf_rint(hci_vf a)
{
    return hci_float_rint(a);
}

//= vf_trunc
HCI_FUNCTION hci_vf hci_vf_trunc(hci_vf a)
{
    return hci_float_trunc(a);
}

//= vf_ceil
HCI_FUNCTION hci_vf hci_vf_ceil(hci_vf a)
{
    return hci_float_ceil(a);
}

//= vf_floor
HCI_FUNCTION hci_vf hci_vf_floor(hci_vf a)
{
    return hci_float_floor(a);
}

//= vn_add
HCI_FUNCTION hci_vf hci_vn_add(hci_vf a, hci_vf b)
{
    return hci_float_add(a, b);
}

//= vn_sub
HCI_FUNCTION hci_vf hci_vn_sub(hci_vf a, hci_vf b)
{
    return hci_float_add(a, -b);
}

//= vn_mul
HCI_FUNCTION hci_vf hci_vn_mul(hci_vf a, hci_vf b)
{
    return hci_float_mul(a, b);
}

//= vn_fma
HCI_FUNCTION hci_vf hci_vn_fma(hci_vf a, hci_vf b, hci_vf c)
{
    return hci_float_fma(a, b, c);
}

//= vn_fnma
HCI_FUNCTION hci_vf hci_vn_fnma(hci_vf a, hci_vf b, hci_vf c)
{
    return hci_float_fma(-a, b, c);
}

//= vn_fms
HCI_FUNCTION hci_vf hci_vn_fms(hci_vf a, hci_vf b, hci_vf c)
{
    return hci_float_fma(a, b, -c);
}

//= vn_min
HCI_FUNCTION hci_vf hci_vn_min(hci_vf a, hci_vf b)
{
    return a < b ? a : b;
}

//= vn_max
HCI_FUNCTION hci_vf hci_vn_max(hci_vf a, hci_vf b)
{
    return a > b ? a : b;
}

//= vn_least_abs
HCI_FUNCTION hci_vf hci_vn_least_abs(hci_vf a, hci_vf b)
{
    return hci_vf_min(hci_vf_abs(a), hci_vf_abs(b));
}

//= vn_within
HCI_FUNCTION hci_vf hci_vn_within(hci_vf a, hci_vf b)
{
    return hci_vf_copysign(hci_vf_min(hci_vf_abs(a), hci_vf_abs(b)), a);
}

//= vn_mul_where
HCI_FUNCTION hci_vf hci_vn_mul_where(hci_vm m, hci_vf a, hci_vf b)
{
    return m ? hci_float_mul(a, b) : a;
}

//= vn_complement_where
HCI_FUNCTION hci_vf hci_vn_complement_where(hci_vm m, hci_vf a, hci_vf c)
{
    return m ? hci_float_add(c, -a) : a;
}

//= rounded_to_odd
/* Returns value rounded to odd, if rest is its error after rounding to nearest, or has the sign
 * of that error. */
HCI_FUNCTION hci_vf hci_rounded_to_odd(hci_vf value, hci_vf rest)
{
    bool inexact = rest < 0 || rest > 0, beyond = (hci_vf_bits(value) ^ hci_vf_bits(rest)) < 0;
    return inexact ? hci_vf_of_bits((hci_vf_bits(value) - beyond) | 1) : value;
}

//= rest_of_sum
/* Returns a + b - sum, where sum is a + b to nearest. */
HCI_FUNCTION hci_vf hci_rest_of_sum(hci_vf a, hci_vf b, hci_vf sum)
{
    hci_vf moved = hci_vf_sub(sum, a);
    return hci_vf_add(hci_vf_sub(a, hci_vf_sub(sum, moved)), hci_vf_sub(b, moved));
}

//= rest_of_fma
/* Returns a b + c - sum, or a number of that sign, if |a b| <= |c| or c is 0, or the sum has
 * few bits: sum - c is exact then. */
HCI_FUNCTION hci_vf hci_rest_of_fma(hci_vf a, hci_vf b, hci_vf c, hci_vf sum)
{
    return hci_vf_fma(a, b, hci_vf_sub(c, sum));
}

//= vn_fma_up
/* The directed sums of the kernels meet this condition. */
HCI_FUNCTION hci_vf hci_vn_fma_up(hci_vf a, hci_vf b, hci_vf c)
{
    hci_vf sum = hci_vf_fma(a, b, c);
    bool below = hci_rest_of_fma(a, b, c, sum) > 0;
    return hci_vf_of_bits(hci_vf_bits(sum) + (sum < 0 ? -below : below));
}

//= vn_fma_down
HCI_FUNCTION hci_vf hci_vn_fma_down(hci_vf a, hci_vf b, hci_vf c)
{
    return -hci_vn_fma_up(-a, b, -c);
}

//= vn_fma_cut
HCI_FUNCTION hci_vf hci_vn_fma_cut(hci_vf a, hci_vf b, hci_vf c)
{
    hci_vf sum = hci_vf_fma(a, b, c), rest = hci_rest_of_fma(a, b, c, sum);
    bool beyond = sum < 0 ? rest > 0 : rest < 0;
    return hci_vf_of_bits(hci_vf_bits(sum) - beyond);
}

//= vn_fnma_cut
HCI_FUNCTION hci_vf hci_vn_fnma_cut(hci_vf a, hci_vf b, hci_vf c)
{
    return hci_vn_fma_cut(-a, b, c);
}

//= vn_mul_cut
HCI_FUNCTION hci_vf hci_vn_mul_cut(hci_vf a, hci_vf b)
{
    return hci_vn_fma_cut(a, b,
                          hci_vf_copysign(0, hci_vf_of_bits(hci_vf_bits(a) ^ hci_vf_bits(b))));
}

//= vn_positive_fma_odd
HCI_FUNCTION hci_vf hci_vn_positive_fma_odd(hci_vf a, hci_vf b, hci_vf c)
{
    hci_vf sum = hci_vf_fma(a, b, c);
    return hci_rounded_to_odd(sum, hci_rest_of_fma(a, b, c, sum));
}

//= sum_to_odd
/* The sum of halves, fit for one rounding to half: rounding to nearest is innocuous here (see
 * arithmetic.h). Zeros that cancel are negative in rtn. */
HCI_FUNCTION hci_vf hci_sum_to_odd(hci_vf a, hci_vf b, hci_rounding mode)
{
    hci_vf sum = hci_vf_add(a, b);
    bool minus = mode == hci_RTN && sum == 0 && (hci_vf_sign(a) || hci_vf_sign(b));
    return minus ? -0.0f : hci_rounded_to_odd(sum, hci_rest_of_sum(a, b, sum));
}

//= vf_sum
HCI_FUNCTION hci_vf hci_vf_sum(hci_vf a, hci_vf b, hci_rounding mode)
{
    return mode == hci_RTE ? hci_vf_add(a, b) : hci_sum_to_odd(a, b, mode);
}

//= vf_difference
HCI_FUNCTION hci_vf hci_vf_difference(hci_vf a, hci_vf b, hci_rounding mode)
{
    return hci_vf_sum(a, -b, mode);
}

//= vf_fma_odd
HCI_FUNCTION hci_vf hci_vf_fma_odd(hci_vf a, hci_vf b, hci_vf c, hci_rounding mode)
{
    return hci_sum_to_odd(hci_vf_mul(a, b), c, mode);
}

//= vf_reciprocal_estimate
HCI_FUNCTION hci_vf hci_vf_reciprocal_estimate(hci_vf a)
{
    hci_vf x = hci_vf_of_bits(0x7ef311c7 - hci_magnitude_bits(a)), size = hci_vf_abs(a);
    x = hci_vf_mul(x, hci_vf_fnma(size, x, hci_vf_set(2)));
    x = hci_vf_mul(x, hci_vf_fnma(size, x, hci_vf_set(2)));
    x = size == 0 ? HCI_INFINITY : size == HCI_INFINITY ? 0 : x;
    return hci_vf_copysign(a != a ? a : x, a);
}

//= vf_rsqrt_estimate
HCI_FUNCTION hci_vf hci_vf_rsqrt_estimate(hci_vf a)
{
    hci_vf x = hci_vf_of_bits(hci_vi_sub(0x5f375a86, hci_vf_bits(a) >> 1)),
           half_ = hci_vf_mul(a, hci_vf_set(0.5f));
    x = hci_vf_mul(x, hci_vf_fnma(hci_vf_mul(half_, x), x, hci_vf_set(1.5f)));
    x = hci_vf_mul(x, hci_vf_fnma(hci_vf_mul(half_, x), x, hci_vf_set(1.5f)));
    return a == 0 ? HCI_INFINITY : x;
}

//= quotient_by_estimate
/* a / b if the estimate of 1 / b is finite and not 0. */
HCI_FUNCTION hci_vf hci_quotient_by_estimate(hci_vf a, hci_vf b, hci_vf estimate)
{
    hci_vf inverse = hci_vf_fma(estimate, hci_vf_fnma(b, estimate, hci_vf_set(1)), estimate);
    hci_vf quotient = hci_vf_mul(a, inverse);
    return hci_vf_fma(hci_vf_fnma(quotient, b, a), inverse, quotient);
}

//= vf_div
/* The quotient of halves and similar numbers, with a relative error of little more than 2^-24:
 * on the right side of every number at which half rounds (arithmetic.h). Zeros, infinities and
 * NaNs are those of a times the estimate. */
HCI_FUNCTION hci_vf hci_vf_div(hci_vf a, hci_vf b)
{
    hci_vf estimate = hci_vf_reciprocal_estimate(b);
    bool plain = hci_vf_zero_or_special(a) || hci_vf_zero_or_special(b);
    return plain ? hci_vf_mul(a, estimate) : hci_quotient_by_estimate(a, b, estimate);
}

//= vn_div
HCI_FUNCTION hci_vf hci_vn_div(hci_vf a, hci_vf b)
{
    return hci_vf_div(a, b);
}

//= vn_quotient
HCI_FUNCTION hci_vf hci_vn_quotient(hci_vf a, hci_vf b)
{
    return hci_vf_div(a, b);
}

//= vn_inverse_where
HCI_FUNCTION hci_vf hci_vn_inverse_where(hci_vm m, hci_vf a)
{
    return m ? hci_vf_div(1, a) : a;
}

//= vf_rcbrt_estimate
HCI_FUNCTION hci_vf hci_vf_rcbrt_estimate(hci_vf a)
{
    unsigned int bits = hci_bits_of_float(a), third = 0x5555;
    unsigned int high = (bits >> 16) * third & 0xffff0000, low = (bits & 0xffff) * third >> 16;
    return hci_float_of_bits(0x54a14000 - (high | low));
}

//= vn_root_where
/* An estimate and a step of Heron's method. */
HCI_FUNCTION hci_vf hci_vn_root_where(hci_vm m, hci_vf y, hci_vf a)
{
    hci_vf inverse = hci_vf_rsqrt_estimate(y), root = hci_vf_mul(y, inverse);
    root = hci_vf_fma(hci_vf_mul(inverse, hci_vf_set(0.5f)), hci_vf_fnma(root, root, y), root);
    return m ? root : a;
}

//= vf_sqrt
HCI_FUNCTION hci_vf hci_vf_sqrt(hci_vf a)
{
    return hci_vn_root_where(true, a, a);
}

//= vf_exponent
HCI_FUNCTION hci_vf hci_vf_exponent(hci_vf a)
{
    return hci_vf_of_int((hci_vf_bits(a) >> 23) - 127);
}

//= vf_significand
HCI_FUNCTION hci_vf hci_vf_significand(hci_vf a)
{
    return hci_vf_of_bits((hci_vf_bits(a) & 0x007fffff) | 0x3f800000);
}

//= vf_scale
HCI_FUNCTION hci_vf hci_vf_scale(hci_vf a, hci_vf b)
{
    hci_vi shifted = hci_vf_bits(hci_vf_add(hci_vf_floor(b), 0x1.8p23f));
    hci_vf scaled =
        hci_vf_of_bits((hci_vi)(hci_bits_of_float(a) + ((unsigned int)shifted << 23)));
    return hci_vf_fma(b, 0, scaled);
}

//= vn_exponent
HCI_FUNCTION hci_vf hci_vn_exponent(hci_vf a)
{
    return hci_vf_exponent(a);
}

//= vn_significand
HCI_FUNCTION hci_vf hci_vn_significand(hci_vf a)
{
    return hci_bits_of_float(a) - 1 >= hci_FLOAT_INF - 1 ? HCI_NAN : hci_vf_significand(a);
}

//= vn_scale
/* For any b: finite results stay within 2^100, on the right side of half's range and inside
 * float's. */
HCI_FUNCTION hci_vf hci_vn_scale(hci_vf a, hci_vf b)
{
    hci_vf scaled = hci_vf_scale(a, b > 99 ? 99 : b < -99 ? -99 : b);
    return hci_vf_special(b) && b == b ? hci_vf_max(b, 0) : scaled;
}

//= vf_gather
/* Tables. */
HCI_FUNCTION hci_vf hci_vf_gather(HCI_POINTER(float) table, hci_vi index)
{
    return table[index];
}

//= vf_look_up16
HCI_FUNCTION hci_vf hci_vf_look_up16(HCI_POINTER(float) table, hci_vi index)
{
    return table[index & 15];
}

//= vf_look_up32
HCI_FUNCTION hci_vf hci_vf_look_up32(HCI_POINTER(float) table, hci_vi index)
{
    return table[index & 31];
}

//= vf_widen
/* Halves to floats: the bits of normal ones are shifted, subnormal ones are integers in units
 * of 2^-24. */
HCI_FUNCTION hci_vf hci_vf_widen(hci_vh v)
{
    int magnitude = v & hci_HALF_MAGNITUDE;
    int normal =
        (magnitude << hci_FLOAT_CUT) + (magnitude >= hci_HALF_INF ? 224 << 23 : 112 << 23);
    float subnormal = hci_float_mul((float)magnitude, 0x1p-24f);
    int bits = magnitude < hci_HALF_MIN_NORMAL ? hci_vf_bits(subnormal) : normal;
    return hci_vf_of_bits(bits | (int)((unsigned int)(v & hci_HALF_SIGN) << 16));
}

//= normal_half
/* Rounds a magnitude to a normal half or infinity: it adds the rounding increment below the
 * last place, and a carry into the exponent is right. Overflow gives infinity, or the largest
 * half in the modes that round toward it. */
HCI_FUNCTION int hci_normal_half(int magnitude, bool away, hci_rounding mode)
{
    bool nearest = mode == hci_RTE;
    int bump = nearest ? 0xfff + ((magnitude >> hci_FLOAT_CUT) & 1) : away ? 0x1fff : 0;
    int half_bits = (hci_vi_add(magnitude, bump) >> hci_FLOAT_CUT) - (112 << 10);
    int most = nearest || away || magnitude >= hci_FLOAT_INF ? hci_HALF_INF : hci_HALF_LARGEST;
    return half_bits < most ? half_bits : most;
}

//= subnormal_half
/* Rounds a magnitude below 2^-14: the sum with 1/2, whose last place is that of subnormal
 * halves, rounds to nearest; in other modes its error says whether to correct it. */
HCI_FUNCTION int hci_subnormal_half(hci_vf size, bool away, hci_rounding mode)
{
    hci_vf sum = hci_vf_add(size, 0.5f), rest = hci_vf_sub(size, hci_vf_sub(sum, 0.5f));
    int units = hci_vf_bits(sum) - 0x3f000000;
    return mode == hci_RTE ? units : away ? units + (rest > 0) : units - (rest < 0);
}

//= half_beside
/* Returns nearest, a half rounded to nearest, corrected for the mode: itself, or its neighbour
 * if it lies below or above the exact value. In rtz is_above compares magnitudes. */
HCI_FUNCTION hci_vh hci_half_beside(hci_vh nearest, bool is_below, bool is_above,
                                    hci_rounding mode)
{
    int up = (hci_vw)nearest < 0 ? -1 : 1;
    return (hci_vh)(mode == hci_RTP   ? nearest + (is_below ? up : 0)
                    : mode == hci_RTN ? nearest - (is_above ? up : 0)
                    : mode == hci_RTZ ? nearest - is_above
                                      : nearest);
}

//= rounded_half
/* Rounds a float to half. It is 0, or at least 2^-126. */
HCI_FUNCTION hci_vh hci_rounded_half(hci_vf v, hci_rounding mode)
{
    int magnitude = hci_magnitude_bits(v), sign = (int)((unsigned int)hci_sign_bits(v) >> 16);
    bool away = sign ? mode == hci_RTN : mode == hci_RTP;
    int result = magnitude < hci_FLOAT_HALF_MIN ? hci_subnormal_half(hci_vf_abs(v), away, mode)
                                                : hci_normal_half(magnitude, away, mode);
    return magnitude > hci_FLOAT_INF ? hci_HALF_NAN : (hci_vh)(result | sign);
}

//= vi_round
/* Rounds to integer in the mode; infinities and NaNs give INT32_MIN. */
HCI_FUNCTION hci_vi hci_vi_round(hci_vf v, hci_rounding mode)
{
    hci_vf whole = mode == hci_RTE   ? hci_vf_rint(v)
                   : mode == hci_RTZ ? hci_vf_trunc(v)
                   : mode == hci_RTP ? hci_vf_ceil(v)
                                     : hci_vf_floor(v);
    return hci_vf_special(v) ? (-2147483647 - 1) : (hci_vi)whole;
}

//= vw_set
/* 16-bit integers. */
HCI_FUNCTION hci_vw hci_vw_set(int x)
{
    return (hci_vw)x;
}

//= vw_and
HCI_FUNCTION hci_vw hci_vw_and(hci_vw a, hci_vw b)
{
    return (hci_vw)(a & b);
}

//= vw_or
HCI_FUNCTION hci_vw hci_vw_or(hci_vw a, hci_vw b)
{
    return (hci_vw)(a | b);
}

//= vw_xor
HCI_FUNCTION hci_vw hci_vw_xor(hci_vw a, hci_vw b)
{
    return (hci_vw)(a ^ b);
}

//= vw_add
HCI_FUNCTION hci_vw hci_vw_add(hci_vw a, hci_vw b)
{
    return (hci_vw)(a + b);
}

//= vw_sub
HCI_FUNCTION hci_vw hci_vw_sub(hci_vw a, hci_vw b)
{
    return (hci_vw)(a - b);
}

//= vw_max
HCI_FUNCTION hci_vw hci_vw_max(hci_vw a, hci_vw b)
{
    return a > b ? a : b;
}

//= vw_select
HCI_FUNCTION hci_vw hci_vw_select(hci_wm m, hci_vw a, hci_vw b)
{
    return m ? a : b;
}

//= vw_equal
HCI_FUNCTION hci_wm hci_vw_equal(hci_vw a, hci_vw b)
{
    return a == b;
}

//= vw_greater
HCI_FUNCTION hci_wm hci_vw_greater(hci_vw a, hci_vw b)
{
    return a > b;
}

//= vw_negative
HCI_FUNCTION hci_wm hci_vw_negative(hci_vw a)
{
    return a < 0;
}

//= wm_and
HCI_FUNCTION hci_wm hci_wm_and(hci_wm a, hci_wm b)
{
    return a && b;
}

//= wm_or
HCI_FUNCTION hci_wm hci_wm_or(hci_wm a, hci_wm b)
{
    return a || b;
}

//= wm_xor
HCI_FUNCTION hci_wm hci_wm_xor(hci_wm a, hci_wm b)
{
    return a != b;
}

//= wm_not
HCI_FUNCTION hci_wm hci_wm_not(hci_wm a)
{
    return !a;
}

//= wm_any
HCI_FUNCTION bool hci_wm_any(hci_wm a)
{
    return a;
}

//= vw_ordered
HCI_FUNCTION hci_vw hci_vw_ordered(hci_vw a, int offset)
{
    return hci_vw_select(hci_vw_negative(a), hci_vw_sub(hci_vw_set(hci_HALF_SIGN + offset), a),
                         hci_vw_add(a, hci_vw_set(offset)));
}

//= vf_zero
HCI_FUNCTION hci_vm hci_vf_zero(hci_vf a)
{
    return hci_vf_equal(a, hci_vf_set(0));
}

//= vf_flipped
HCI_FUNCTION hci_vf hci_vf_flipped(hci_vf a, hci_vi sign)
{
    return hci_vf_of_bits(
        hci_vi_xor(hci_vf_bits(a), hci_vi_and(sign, hci_vi_set((-2147483647 - 1)))));
}

//= infinity_to_zero
HCI_FUNCTION hci_vf hci_infinity_to_zero(hci_vf a)
{
    return hci_vf_zero_where(hci_vf_equal(hci_vf_abs(a), hci_vf_set(HCI_INFINITY)), a);
}

//= vf_above_trunc
HCI_FUNCTION hci_vf hci_vf_above_trunc(hci_vf a)
{
    hci_vf finite = hci_infinity_to_zero(a);
    return hci_vf_sub(finite, hci_vf_trunc(finite));
}

//= vf_above_floor
HCI_FUNCTION hci_vf hci_vf_above_floor(hci_vf a)
{
    hci_vf finite = hci_infinity_to_zero(a);
    return hci_vf_sub(finite, hci_vf_floor(finite));
}

//= vn_off_integer
HCI_FUNCTION hci_vf hci_vn_off_integer(hci_vf a)
{
    hci_vf finite = hci_infinity_to_zero(a);
    return hci_vf_sub(finite, hci_vf_rint(finite));
}

//= vf_muladd
HCI_FUNCTION hci_vf hci_vf_muladd(hci_vf a, hci_vf b, hci_vf c)
{
    return 1 ? hci_vf_fma(a, b, c) : hci_vf_add(hci_vf_mul(a, b), c);
}

//= vf_nmuladd
HCI_FUNCTION hci_vf hci_vf_nmuladd(hci_vf a, hci_vf b, hci_vf c)
{
    return 1 ? hci_vf_fnma(a, b, c) : hci_vf_sub(c, hci_vf_mul(a, b));
}

//= vf_hard_cases
HCI_FUNCTION hci_vm hci_vf_hard_cases(hci_vf v, int slack, hci_vm exact_case)
{
    hci_vi moved = hci_vi_add(hci_vf_bits(v), hci_vi_set(slack));
    return hci_vm_and_not(hci_vi_has_none(moved, 0x1000 - 2 * slack), exact_case);
}

//= vf_clear
HCI_FUNCTION hci_vm hci_vf_clear(hci_vf v, int slack)
{
    return hci_vm_not(hci_vf_hard_cases(v, slack, hci_vm_none()));
}

//= vf_clear_above
HCI_FUNCTION hci_vm hci_vf_clear_above(hci_vf v, int units)
{
    return hci_vm_not(hci_vi_has_none(hci_vf_bits(v), 0x1000 - units));
}

//= vf_ldexp
/* Beyond +-60 all products of halves are out of half's range, just as with +-60; and within it
 * they are floats. */
HCI_FUNCTION hci_vf hci_vf_ldexp(hci_vf a, hci_vi n)
{
    hci_vi clamped = hci_vi_max(hci_vi_min(n, hci_vi_set(60)), hci_vi_set(-60));
    return hci_vf_mul(
        a, hci_vf_of_bits(hci_vi_shift_left(hci_vi_add(clamped, hci_vi_set(127)), 23)));
}

//= fix AS_COMPUTED ITSELF ITS_NAN A_NAN MINUS_INF PLUS_INF ITS_INF PLUS_0 MINUS_1
//= PLUS_1 HALF_PI
typedef enum {
    hci_AS_COMPUTED = 0,
    hci_ITSELF = 1,
    hci_ITS_NAN = 2,
    hci_A_NAN = 3,
    hci_MINUS_INF = 4,
    hci_PLUS_INF = 5,
    hci_ITS_INF = 6,
    hci_PLUS_0 = 8,
    hci_MINUS_1 = 9,
    hci_PLUS_1 = 10,
    hci_HALF_PI = 13
} hci_fix;

//= POLE_AT_0
#define hci_POLE_AT_0 (1 << 0)

//= INVALID_AT_MINUS_INF
#define hci_INVALID_AT_MINUS_INF (1 << 5)

//= INVALID_BELOW_0
#define hci_INVALID_BELOW_0 (1 << 6)

//= INVALID_AT_INF
#define hci_INVALID_AT_INF (1 << 7)

//= fixed_by
HCI_FUNCTION hci_vf hci_fixed_by(hci_fix how, hci_vf result, hci_vf x)
{
    switch (how) {
    case hci_ITSELF:
        return x;
    case hci_ITS_NAN:
        return hci_vf_of_bits(hci_vi_or(hci_vf_bits(x), hci_vi_set(hci_FLOAT_QUIET)));
    case hci_A_NAN:
        return hci_vf_set(HCI_NAN);
    case hci_MINUS_INF:
        return hci_vf_set(-HCI_INFINITY);
    case hci_PLUS_INF:
        return hci_vf_set(HCI_INFINITY);
    case hci_ITS_INF:
        return hci_vf_copysign(hci_vf_set(HCI_INFINITY), x);
    case hci_PLUS_0:
        return hci_vf_set(0);
    case hci_MINUS_1:
        return hci_vf_set(-1);
    case hci_PLUS_1:
        return hci_vf_set(1);
    case hci_HALF_PI:
        return hci_vf_set(0x1.921fb6p0f);
    default:
        return result;
    }
}

//= fixed_special
HCI_SELDOM hci_vf hci_fixed_special(hci_vf result, hci_vf x, int fixes)
{
    result = x == 1 ? hci_fixed_by((hci_fix)(fixes >> 12 & 0xf), result, x) : result;
    result = x == 0 ? hci_fixed_by((hci_fix)(fixes >> 8 & 0xf), result, x) : result;
    result = x < 0 ? hci_fixed_by((hci_fix)(fixes >> 24 & 0xf), result, x) : result;
    result =
        x == -HCI_INFINITY ? hci_fixed_by((hci_fix)(fixes >> 16 & 0xf), result, x) : result;
    result = x == HCI_INFINITY ? hci_fixed_by((hci_fix)(fixes >> 20 & 0xf), result, x) : result;
    return x != x ? hci_fixed_by((hci_fix)(fixes & 0xf), result, x) : result;
}

//= vf_fixed
/* Returns the result of a function of x, with these fixes. If these are NaN for infinities,
 * too, adding 0 x makes it: for finite x that is 0 and does not matter, since no function here
 * has zeros of another sign than x. */
HCI_FUNCTION hci_vf hci_vf_fixed(hci_vf result, hci_vf x, int fixes, int raises)
{
    const int infinities = fixes >> 16 & 0xff, below_0 = fixes >> 24 & 0xf;
    const int at_1 = fixes >> 12 & 0xf;
    (void)raises;
    if (infinities == (hci_A_NAN | hci_A_NAN << 4) && below_0 == hci_AS_COMPUTED) {
        result = hci_vf_fma(x, 0, result);
        return x == 0 ? hci_fixed_by((hci_fix)(fixes >> 8 & 0xf), result, x) : result;
    }
    unsigned int bits = hci_bits_of_float(x), size = bits << 1;
    bool special = below_0 ? bits - 1 >= hci_FLOAT_INF - 1
                           : size - 1 >= 2 * (unsigned int)hci_FLOAT_INF - 1;
    return special || (at_1 != 0 && x == 1) ? hci_fixed_special(result, x, fixes) : result;
}

//= magnitude_of
/* On sets with arithmetic on halves these replace the loops that follow. */
HCI_FUNCTION hci_vw hci_magnitude_of(hci_vw a)
{
    return hci_vw_and(a, hci_vw_set(hci_HALF_MAGNITUDE));
}

//= NANS_ABOVE
#define hci_NANS_ABOVE (hci_HALF_INF - 0x8000)

//= NANS_BELOW
#define hci_NANS_BELOW (0x7fff - hci_HALF_INF)

//= is_nan
HCI_FUNCTION hci_wm hci_is_nan(hci_vw a)
{
    return hci_vw_greater(hci_magnitude_of(a), hci_vw_set(hci_HALF_INF));
}

//= is_unordered
HCI_FUNCTION hci_wm hci_is_unordered(hci_vw a, hci_vw b)
{
    return hci_wm_or(hci_is_nan(a), hci_is_nan(b));
}

//= is_ordered
HCI_FUNCTION hci_wm hci_is_ordered(hci_vw a, hci_vw b)
{
    return hci_wm_not(hci_is_unordered(a, b));
}

//= any_nan
HCI_FUNCTION bool hci_any_nan(hci_vw a, hci_vw b)
{
    return (hci_wm_any(hci_is_unordered(a, b)));
}

//= is_inf
HCI_FUNCTION hci_wm hci_is_inf(hci_vw a)
{
    return hci_vw_equal(hci_magnitude_of(a), hci_vw_set(hci_HALF_INF));
}

//= is_finite
HCI_FUNCTION hci_wm hci_is_finite(hci_vw a)
{
    return hci_vw_greater(hci_vw_set(hci_HALF_INF), hci_magnitude_of(a));
}

//= is_number_key
/* Returns whether an integer in that order, with NaNs above, is the key of a number. */
HCI_FUNCTION hci_wm hci_is_number_key(hci_vw key)
{
    return hci_wm_not(hci_vw_greater(key, hci_vw_set(hci_HALF_INF + hci_NANS_ABOVE)));
}

//= is_equal
HCI_FUNCTION hci_wm hci_is_equal(hci_vw a, hci_vw b)
{
    return hci_wm_and(hci_vw_equal(hci_vw_ordered(a, 0), hci_vw_ordered(b, 0)),
                      hci_wm_not(hci_is_nan(a)));
}

//= is_not_equal
HCI_FUNCTION hci_wm hci_is_not_equal(hci_vw a, hci_vw b)
{
    return hci_wm_not(hci_is_equal(a, b));
}

//= is_less
/* With NaNs above, a smaller key is never that of a NaN. */
HCI_FUNCTION hci_wm hci_is_less(hci_vw a, hci_vw b)
{
    hci_vw x = hci_vw_ordered(a, hci_NANS_ABOVE), y = hci_vw_ordered(b, hci_NANS_ABOVE);
    return hci_wm_and(hci_vw_greater(y, x), hci_is_number_key(y));
}

//= is_less_or_greater
HCI_FUNCTION hci_wm hci_is_less_or_greater(hci_vw a, hci_vw b)
{
    hci_vw x = hci_vw_ordered(a, hci_NANS_ABOVE), y = hci_vw_ordered(b, hci_NANS_ABOVE);
    return hci_wm_and(hci_wm_not(hci_vw_equal(x, y)),
                      hci_wm_and(hci_is_number_key(x), hci_is_number_key(y)));
}

//= is_greater
HCI_FUNCTION hci_wm hci_is_greater(hci_vw a, hci_vw b)
{
    return hci_is_less(b, a);
}

//= is_less_equal
HCI_FUNCTION hci_wm hci_is_less_equal(hci_vw a, hci_vw b)
{
    hci_vw x = hci_vw_ordered(a, hci_NANS_ABOVE), next = hci_vw_ordered(b, hci_NANS_ABOVE + 1);
    return hci_wm_and(
        hci_vw_greater(next, x),
        hci_wm_not(hci_vw_greater(next, hci_vw_set(hci_HALF_INF + hci_NANS_ABOVE + 1))));
}

//= is_greater_equal
HCI_FUNCTION hci_wm hci_is_greater_equal(hci_vw a, hci_vw b)
{
    return hci_is_less_equal(b, a);
}

//= is_normal
HCI_FUNCTION hci_wm hci_is_normal(hci_vw a)
{
    hci_vw magnitude = hci_magnitude_of(a);
    return hci_wm_and(hci_vw_greater(magnitude, hci_vw_set(hci_HALF_MIN_NORMAL - 1)),
                      hci_is_finite(a));
}

//= is_true
HCI_FUNCTION hci_wm hci_is_true(hci_vw a)
{
    return hci_vw_greater(hci_magnitude_of(a), hci_vw_set(0));
}

//= is_false
HCI_FUNCTION hci_wm hci_is_false(hci_vw a)
{
    return hci_vw_equal(hci_magnitude_of(a), hci_vw_set(0));
}

//= both_true
HCI_FUNCTION hci_wm hci_both_true(hci_vw a, hci_vw b)
{
    return hci_wm_and(hci_is_true(a), hci_is_true(b));
}

//= either_true
HCI_FUNCTION hci_wm hci_either_true(hci_vw a, hci_vw b)
{
    return hci_is_true(hci_vw_or(a, b));
}

//= one_true
HCI_FUNCTION hci_wm hci_one_true(hci_vw a, hci_vw b)
{
    return hci_wm_xor(hci_is_true(a), hci_is_true(b));
}

//= quiet
/* Makes NaNs quiet, for functions that select a number and not bits. */
HCI_FUNCTION hci_vw hci_quiet(hci_vw a)
{
    return hci_vw_select(hci_is_nan(a), hci_vw_or(a, hci_vw_set(hci_HALF_QUIET)), a);
}

//= product
HCI_FUNCTION hci_vf hci_product(hci_vf a, hci_vf b, hci_rounding mode)
{
    (void)mode;
    return hci_vf_mul(a, b);
}

//= quotient
HCI_FUNCTION hci_vf hci_quotient(hci_vf a, hci_vf b, hci_rounding mode)
{
    (void)mode;
    return hci_vf_div(a, b);
}

//= square_of
HCI_FUNCTION hci_vf hci_square_of(hci_vf a, hci_rounding mode)
{
    (void)mode;
    return hci_vf_mul(a, a);
}

//= reciprocal_of
HCI_FUNCTION hci_vf hci_reciprocal_of(hci_vf a, hci_rounding mode)
{
    (void)mode;
    return hci_vf_div(hci_vf_set(1), a);
}

//= root_by_estimate
/* The square root of y > 0: an estimate and a step of Heron's method, within 2^-27 before the
 * last rounding. */
HCI_FUNCTION hci_vf hci_root_by_estimate(hci_vf y)
{
    hci_vf inverse = hci_vf_rsqrt_estimate(y), root = hci_vn_mul(y, inverse);
    return hci_vn_fma(hci_vn_mul(inverse, hci_vf_set(0.5f)), hci_vn_fnma(root, root, y), root);
}

//= ROOT_BY_ESTIMATE
#define hci_ROOT_BY_ESTIMATE (1 * 1)

//= root
HCI_FUNCTION hci_vf hci_root(hci_vf a, hci_rounding mode)
{
    (void)mode;
    if (!hci_ROOT_BY_ESTIMATE)
        return hci_vf_sqrt(a);
    return hci_vf_fixed(hci_root_by_estimate(a), a,
                        ((hci_ITS_NAN) | (hci_ITSELF) << 8 | (hci_A_NAN) << 16 |
                         (hci_ITSELF) << 20 | (hci_A_NAN) << 24),
                        hci_INVALID_AT_MINUS_INF | hci_INVALID_BELOW_0);
}

//= positive_difference
/* The difference if it is positive, otherwise +0; NaN if an operand is. If not positive, it is
 * the difference of 0 and -0, which is +0 in every mode. */
HCI_FUNCTION hci_vf hci_positive_difference(hci_vf a, hci_vf b, hci_rounding mode)
{
    hci_vm not_positive = hci_vf_less_equal(a, b);
    return hci_vf_difference(hci_vf_select(not_positive, hci_vf_set(0), a),
                             hci_vf_select(not_positive, hci_vf_set(-0.0f), b), mode);
}

//= flip_sign
HCI_FUNCTION hci_vw hci_flip_sign(hci_vw a)
{
    return hci_vw_xor(a, hci_vw_set(hci_HALF_SIGN));
}

//= clear_sign
HCI_FUNCTION hci_vw hci_clear_sign(hci_vw a)
{
    return hci_vw_and(a, hci_vw_set(hci_HALF_MAGNITUDE));
}

//= same
HCI_FUNCTION hci_vw hci_same(hci_vw a)
{
    return a;
}

//= exp2_fraction
HCI_TABLE(float, hci_exp2_fraction, []) = {0x1.fffffe0000000p-1f, 0x1.62e4ea0000000p-1f,
                                           0x1.ebd6c40000000p-3f, 0x1.c949900000000p-5f,
                                           0x1.26bcce0000000p-7f, 0x1.ebab520000000p-10f};

//= log_slope
/* log(1 + s / log2_scale) / s on [-0.0245, 0.045], powers [0, 1, 2, 3];
 * relative error 2^-24.8. */
HCI_TABLE(float, hci_log_slope, []) = {0x1.65827c0000000p-1f, -0x1.f345320000000p-3f,
                                       0x1.d1341a0000000p-4f, -0x1.ea25640000000p-5f};

//= log2_slope
/* log2(1 + s / log2_scale) / s on [-0.0245, 0.045], powers [0, 1, 2, 3];
 * relative error 2^-24.0. */
HCI_TABLE(float, hci_log2_slope, []) = {0x1.01e3840000000p+0f, -0x1.6825ba0000000p-2f,
                                        0x1.4fb3220000000p-3f, -0x1.645cdc0000000p-4f};

//= atan_growth
/* atan(sqrt x) / sqrt x - 1 on [0, 1], powers [1, 2, 3, 4, 5, 6, 7, 8, 9];
 * absolute error 2^-28.7. */
HCI_TABLE(float, hci_atan_growth,
          []) = {-0x1.5555400000000p-2f, 0x1.9992680000000p-3f,  -0x1.24265a0000000p-3f,
                 0x1.c0cbfe0000000p-4f,  -0x1.58c9540000000p-4f, 0x1.dccd220000000p-5f,
                 -0x1.016dc00000000p-5f, 0x1.6a01620000000p-7f,  -0x1.ddfe6e0000000p-10f};

//= atanpi_growth
/* atan(sqrt(1 - x)) / (pi sqrt(1 - x)) - 1/4 on [0, 1], powers [1, 2, 3, 4, 5, 6, 7, 8];
 * absolute error 2^-27.7. */
HCI_TABLE(float, hci_atanpi_growth, []) = {0x1.7419040000000p-5f,   0x1.d0d9100000000p-7f,
                                           0x1.4a41b40000000p-8f,   0x1.669ca40000000p-9f,
                                           -0x1.08fda20000000p-10f, 0x1.9f29200000000p-9f,
                                           -0x1.181b760000000p-9f,  0x1.db7f880000000p-11f};

//= log2_correction
/* log2(1 + s / log2_scale) / s - 1 on [-0.0245, 0.045], powers [0, 1, 2, 3, 4];
 * absolute error 2^-32.3. */
HCI_TABLE(float, hci_log2_correction, []) = {0x1.e384fc0000000p-8f, -0x1.6825bc0000000p-2f,
                                             0x1.4f4daa0000000p-3f, -0x1.5f36000000000p-4f,
                                             0x1.7e1fb40000000p-5f};

//= power_correction
/* log2(1 + s / power_scale) / s - 1 on [-0.0241, 0.0241], powers [0, 1, 2, 3];
 * absolute error 2^-28.9. */
HCI_TABLE(float, hci_power_correction, []) = {0x1.d4c6900000000p-11f, -0x1.6386ba0000000p-2f,
                                              0x1.48ecc00000000p-3f, -0x1.5645140000000p-4f};

//= exp2_growth
/* 2^f - 1 on [-0.0375, 0.0375], powers [1, 2, 3];
 * absolute error 2^-28.2. */
HCI_TABLE(float, hci_exp2_growth, []) = {0x1.62e4300000000p-1f, 0x1.ec01be0000000p-3f,
                                         0x1.c6b1320000000p-5f};

//= log2_scale
#define hci_log2_scale ((float)(0x1.6ea0000000000p+0f))

//= log2_factors
/* log2_scale / x, nearly, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_log2_factors, []) = {
    0x1.6ea0000000000p+0f, 0x1.5fc9400000000p+0f, 0x1.5480c00000000p+0f, 0x1.4b20400000000p+0f,
    0x1.43a8600000000p+0f, 0x1.388ac00000000p+0f, 0x1.3103c00000000p+0f, 0x1.2970c00000000p+0f,
    0x1.2209e00000000p+0f, 0x1.1cdb800000000p+0f, 0x1.13e0800000000p+0f, 0x1.1048200000000p+0f,
    0x1.0692400000000p+0f, 0x1.00e2400000000p+0f, 0x1.f66e000000000p-1f, 0x1.f1be800000000p-1f,
    0x1.e42e800000000p-1f, 0x1.dbd7800000000p-1f, 0x1.d313c00000000p-1f, 0x1.c75d600000000p-1f,
    0x1.c092000000000p-1f, 0x1.b9c9400000000p-1f, 0x1.aca6800000000p-1f, 0x1.a658c00000000p-1f,
    0x1.9c6a000000000p-1f, 0x1.9c6a000000000p-1f, 0x1.9658000000000p-1f, 0x1.8a71e00000000p-1f,
    0x1.80b9800000000p-1f, 0x1.80b9800000000p-1f, 0x1.7921800000000p-1f, 0x1.6ea0000000000p-1f};

//= log2_steps
/* log2(log2_scale / factor). */
HCI_TABLE(float, hci_log2_steps, []) = {0x0.0p+0f,
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

//= power_scale
#define hci_power_scale ((float)(0x1.7100000000000p+0f))

//= power_cells
#define hci_power_cells ((float)(0x1.e000000000000p+4f))

//= power_factors
/* power_scale / x, nearly, for x near i / 30, indexed by the last 5 bits of i. */
HCI_TABLE(float, hci_power_factors, []) = {
    0x1.5a00000000000p+0f, 0x1.4f80000000000p+0f, 0x1.4580000000000p+0f, 0x1.3c80000000000p+0f,
    0x1.3380000000000p+0f, 0x1.2b00000000000p+0f, 0x1.2380000000000p+0f, 0x1.1c00000000000p+0f,
    0x1.1500000000000p+0f, 0x1.0e00000000000p+0f, 0x1.0780000000000p+0f, 0x1.0180000000000p+0f,
    0x1.f700000000000p-1f, 0x1.ec00000000000p-1f, 0x1.e100000000000p-1f, 0x1.d700000000000p-1f,
    0x1.cd00000000000p-1f, 0x1.c400000000000p-1f, 0x1.bb00000000000p-1f, 0x1.b200000000000p-1f,
    0x1.aa00000000000p-1f, 0x1.a200000000000p-1f, 0x1.9a00000000000p-1f, 0x1.9300000000000p-1f,
    0x1.8b00000000000p-1f, 0x1.8400000000000p-1f, 0x1.7e00000000000p-1f, 0x1.7700000000000p-1f,
    0x1.7100000000000p-1f, 0x1.7100000000000p-1f, 0x1.7100000000000p+0f, 0x1.6500000000000p+0f};

//= power_steps
/* log2(power_scale / factor), to 2^-19. */
HCI_TABLE(float, hci_power_steps, []) = {0x1.7c50000000000p-4f,
                                         0x1.1935000000000p-3f,
                                         0x1.729d000000000p-3f,
                                         0x1.c575000000000p-3f,
                                         0x1.0d59000000000p-2f,
                                         0x1.36c2000000000p-2f,
                                         0x1.5c49800000000p-2f,
                                         0x1.82cb800000000p-2f,
                                         0x1.a7aa000000000p-2f,
                                         0x1.cd7a000000000p-2f,
                                         0x1.f17a000000000p-2f,
                                         0x1.09c0c00000000p-1f,
                                         0x1.1b2b000000000p-1f,
                                         0x1.2b80400000000p-1f,
                                         0x1.3c34000000000p-1f,
                                         0x1.4bb8c00000000p-1f,
                                         0x1.5b92c00000000p-1f,
                                         0x1.6a23000000000p-1f,
                                         0x1.78fe400000000p-1f,
                                         0x1.8827800000000p-1f,
                                         0x1.95e5800000000p-1f,
                                         0x1.a3e6800000000p-1f,
                                         0x1.b22cc00000000p-1f,
                                         0x1.bee5000000000p-1f,
                                         0x1.cdb4800000000p-1f,
                                         0x1.dae9c00000000p-1f,
                                         0x1.e66cc00000000p-1f,
                                         0x1.f416000000000p-1f,
                                         0x1.0000000000000p+0f,
                                         0x1.0000000000000p+0f,
                                         0x0.0p+0f,
                                         0x1.86bc000000000p-5f};

//= power_rests
/* The errors of power_steps. */
HCI_TABLE(float, hci_power_rests, []) = {-0x1.ffa64c0000000p-21f,
                                         -0x1.305f740000000p-24f,
                                         -0x1.0548f40000000p-22f,
                                         0x1.92f8940000000p-21f,
                                         -0x1.bd4e260000000p-22f,
                                         0x1.e62fb80000000p-21f,
                                         0x1.aee6000000000p-21f,
                                         0x1.f95ea20000000p-22f,
                                         0x1.b1c4180000000p-22f,
                                         0x1.79a87e0000000p-21f,
                                         0x1.e291f00000000p-21f,
                                         -0x1.496e360000000p-22f,
                                         -0x1.8627860000000p-26f,
                                         -0x1.71810a0000000p-22f,
                                         -0x1.48ce900000000p-22f,
                                         -0x1.4063300000000p-23f,
                                         0x1.4aa45c0000000p-24f,
                                         -0x1.f902700000000p-23f,
                                         -0x1.6037660000000p-21f,
                                         -0x1.3b65000000000p-21f,
                                         0x1.b56fd60000000p-21f,
                                         -0x1.4864980000000p-24f,
                                         -0x1.9767980000000p-21f,
                                         0x1.9d1c460000000p-24f,
                                         0x1.d0290e0000000p-22f,
                                         -0x1.eace420000000p-22f,
                                         -0x1.2070a00000000p-22f,
                                         -0x1.0e96a00000000p-23f,
                                         0x0.0p+0f,
                                         0x0.0p+0f,
                                         0x0.0p+0f,
                                         -0x1.5d36640000000p-22f};

//= powers_above
/* 2^(i/16) plus 2 units of the last place. */
HCI_TABLE(float, hci_powers_above, []) = {
    0x1.0000020000000p+0f, 0x1.0b558a0000000p+0f, 0x1.172b880000000p+0f, 0x1.2387aa0000000p+0f,
    0x1.306fe40000000p+0f, 0x1.3dea680000000p+0f, 0x1.4bfdb20000000p+0f, 0x1.5ab0820000000p+0f,
    0x1.6a09ea0000000p+0f, 0x1.7a114c0000000p+0f, 0x1.8ace580000000p+0f, 0x1.9c491c0000000p+0f,
    0x1.ae89fe0000000p+0f, 0x1.c199c20000000p+0f, 0x1.d581920000000p+0f, 0x1.ea4afe0000000p+0f};

//= atan2_growth_in_pieces
/* atan(x) / x - 1 for x within 1/62 of k / 31, by powers 0 to 3 and k. */
HCI_TABLE(float, hci_atan2_growth_in_pieces, []) = {0x0.0p+0f,
                                                    -0x1.5d8c6e0000000p-23f,
                                                    -0x1.a716360000000p-19f,
                                                    -0x1.0b4b400000000p-16f,
                                                    -0x1.9577440000000p-15f,
                                                    -0x1.d04ece0000000p-14f,
                                                    -0x1.baa7680000000p-13f,
                                                    -0x1.71884e0000000p-12f,
                                                    -0x1.15f54a0000000p-11f,
                                                    -0x1.7f04f20000000p-11f,
                                                    -0x1.e77d8c0000000p-11f,
                                                    -0x1.1ee5600000000p-10f,
                                                    -0x1.35ecc80000000p-10f,
                                                    -0x1.2c0b7e0000000p-10f,
                                                    -0x1.e6d7680000000p-11f,
                                                    -0x1.f77bd00000000p-12f,
                                                    0x1.0978ec0000000p-12f,
                                                    0x1.59f3960000000p-10f,
                                                    0x1.69eabe0000000p-9f,
                                                    0x1.2e33cc0000000p-8f,
                                                    0x1.c3cca40000000p-8f,
                                                    0x1.3b55c20000000p-7f,
                                                    0x1.a388b60000000p-7f,
                                                    0x1.0d26b00000000p-6f,
                                                    0x1.4f92da0000000p-6f,
                                                    0x1.98a7ea0000000p-6f,
                                                    0x1.e7e7ee0000000p-6f,
                                                    0x1.1e5eb00000000p-5f,
                                                    0x1.4b40400000000p-5f,
                                                    0x1.7a3e640000000p-5f,
                                                    0x1.aafad80000000p-5f,
                                                    0x1.dd15c00000000p-5f,
                                                    0x0.0p+0f,
                                                    0x1.874cbc0000000p-16f,
                                                    0x1.a89a3e0000000p-13f,
                                                    0x1.6095b60000000p-11f,
                                                    0x1.90e64c0000000p-10f,
                                                    0x1.7105820000000p-9f,
                                                    0x1.27aa060000000p-8f,
                                                    0x1.ac39b00000000p-8f,
                                                    0x1.1e679a0000000p-7f,
                                                    0x1.665d540000000p-7f,
                                                    0x1.a671560000000p-7f,
                                                    0x1.d6689a0000000p-7f,
                                                    0x1.ede7560000000p-7f,
                                                    0x1.e4f2340000000p-7f,
                                                    0x1.b46c3e0000000p-7f,
                                                    0x1.5669f80000000p-7f,
                                                    0x1.8cea9e0000000p-8f,
                                                    0x1.afbaae0000000p-15f,
                                                    -0x1.f24c200000000p-8f,
                                                    -0x1.14ddee0000000p-6f,
                                                    -0x1.c72a000000000p-6f,
                                                    -0x1.48fcb20000000p-5f,
                                                    -0x1.b9a5780000000p-5f,
                                                    -0x1.1a2dec0000000p-4f,
                                                    -0x1.5be40e0000000p-4f,
                                                    -0x1.a13e220000000p-4f,
                                                    -0x1.e980380000000p-4f,
                                                    -0x1.19f7760000000p-3f,
                                                    -0x1.3fe9f60000000p-3f,
                                                    -0x1.6640d00000000p-3f,
                                                    -0x1.8caae60000000p-3f,
                                                    -0x1.b2ddda0000000p-3f,
                                                    -0x1.555d340000000p-2f,
                                                    -0x1.568d180000000p-2f,
                                                    -0x1.5a47b00000000p-2f,
                                                    -0x1.6038420000000p-2f,
                                                    -0x1.67faa60000000p-2f,
                                                    -0x1.710cfc0000000p-2f,
                                                    -0x1.7ad8b60000000p-2f,
                                                    -0x1.84bcaa0000000p-2f,
                                                    -0x1.8e17280000000p-2f,
                                                    -0x1.964f4e0000000p-2f,
                                                    -0x1.9cdcfe0000000p-2f,
                                                    -0x1.a14ede0000000p-2f,
                                                    -0x1.a34e5c0000000p-2f,
                                                    -0x1.a2a12c0000000p-2f,
                                                    -0x1.9f29ee0000000p-2f,
                                                    -0x1.98e5ba0000000p-2f,
                                                    -0x1.8fe99e0000000p-2f,
                                                    -0x1.845ebe0000000p-2f,
                                                    -0x1.767e380000000p-2f,
                                                    -0x1.668cd20000000p-2f,
                                                    -0x1.54d6ea0000000p-2f,
                                                    -0x1.41acc20000000p-2f,
                                                    -0x1.2d5f360000000p-2f,
                                                    -0x1.183d2a0000000p-2f,
                                                    -0x1.0291660000000p-2f,
                                                    -0x1.d9421e0000000p-3f,
                                                    -0x1.ad555a0000000p-3f,
                                                    -0x1.81cb100000000p-3f,
                                                    -0x1.5702e60000000p-3f,
                                                    -0x1.2d4db00000000p-3f,
                                                    -0x1.04ee120000000p-3f,
                                                    -0x1.bc328e0000000p-4f,
                                                    0x1.4957fa0000000p-8f,
                                                    0x1.a5113c0000000p-6f,
                                                    0x1.a069e00000000p-5f,
                                                    0x1.3297aa0000000p-4f,
                                                    0x1.8e668a0000000p-4f,
                                                    0x1.e1e3ae0000000p-4f,
                                                    0x1.15d4460000000p-3f,
                                                    0x1.35585e0000000p-3f,
                                                    0x1.4f2e8e0000000p-3f,
                                                    0x1.6338b20000000p-3f,
                                                    0x1.7186c60000000p-3f,
                                                    0x1.7a510a0000000p-3f,
                                                    0x1.7df1300000000p-3f,
                                                    0x1.7cda420000000p-3f,
                                                    0x1.7792120000000p-3f,
                                                    0x1.6ea8640000000p-3f,
                                                    0x1.62b14c0000000p-3f,
                                                    0x1.543f020000000p-3f,
                                                    0x1.43dda60000000p-3f,
                                                    0x1.320f940000000p-3f,
                                                    0x1.1f4b320000000p-3f,
                                                    0x1.0bf98a0000000p-3f,
                                                    0x1.f0eaf20000000p-4f,
                                                    0x1.ca180e0000000p-4f,
                                                    0x1.a3f97a0000000p-4f,
                                                    0x1.7ef5320000000p-4f,
                                                    0x1.5b5a8a0000000p-4f,
                                                    0x1.3964780000000p-4f,
                                                    0x1.193c580000000p-4f,
                                                    0x1.f5f8c60000000p-5f,
                                                    0x1.bd64720000000p-5f,
                                                    0x1.88c2180000000p-5f};

//= atan2pi_growth_in_pieces
/* atan(x) / (pi x) - 1/4 for x within 1/62 of k / 31, by powers 0 to 3 and k. */
HCI_TABLE(float, hci_atan2pi_growth_in_pieces,
          []) = {0x1.17cc1c0000000p-4f,  0x1.17cc0e0000000p-4f,  0x1.17cb0e0000000p-4f,
                 0x1.17c6ca0000000p-4f,  0x1.17bbfa0000000p-4f,  0x1.17a7280000000p-4f,
                 0x1.1785a80000000p-4f,  0x1.17567c0000000p-4f,  0x1.171b280000000p-4f,
                 0x1.16d8460000000p-4f,  0x1.1695c20000000p-4f,  0x1.165ed20000000p-4f,
                 0x1.1641800000000p-4f,  0x1.164e140000000p-4f,  0x1.16962c0000000p-4f,
                 0x1.172bd80000000p-4f,  0x1.18209c0000000p-4f,  0x1.1984960000000p-4f,
                 0x1.1b65b80000000p-4f,  0x1.1dcf360000000p-4f,  0x1.20c91a0000000p-4f,
                 0x1.2458160000000p-4f,  0x1.287d720000000p-4f,  0x1.2d37360000000p-4f,
                 0x1.32805c0000000p-4f,  0x1.38512e0000000p-4f,  0x1.3e9fa60000000p-4f,
                 0x1.455fde0000000p-4f,  0x1.4c847c0000000p-4f,  0x1.53ff240000000p-4f,
                 0x1.5bc0d40000000p-4f,  0x1.63ba4c0000000p-4f,  0x0.0p+0f,
                 0x1.e74db40000000p-18f, 0x1.0e62f60000000p-14f, 0x1.c0f5040000000p-13f,
                 0x1.fe63160000000p-12f, 0x1.d5e05e0000000p-11f, 0x1.7873ee0000000p-10f,
                 0x1.109c9e0000000p-9f,  0x1.6ca86a0000000p-9f,  0x1.c847680000000p-9f,
                 0x1.0ceff60000000p-8f,  0x1.2b78a00000000p-8f,  0x1.3a6d9a0000000p-8f,
                 0x1.34b9f00000000p-8f,  0x1.15d6200000000p-8f,  0x1.b3f9860000000p-9f,
                 0x1.f95ec40000000p-10f, 0x1.12e2480000000p-16f, -0x1.3d39700000000p-9f,
                 -0x1.6084940000000p-8f, -0x1.21c42c0000000p-7f, -0x1.a2e1380000000p-7f,
                 -0x1.1929280000000p-6f, -0x1.6748360000000p-6f, -0x1.baf2d20000000p-6f,
                 -0x1.09a0020000000p-5f, -0x1.37a0400000000p-5f, -0x1.6702da0000000p-5f,
                 -0x1.9753b60000000p-5f, -0x1.c8245e0000000p-5f, -0x1.f90d800000000p-5f,
                 -0x1.14d83e0000000p-4f, -0x1.b313f40000000p-4f, -0x1.b421360000000p-4f,
                 -0x1.b8e60a0000000p-4f, -0x1.c075f60000000p-4f, -0x1.ca56860000000p-4f,
                 -0x1.d5e4200000000p-4f, -0x1.e25cce0000000p-4f, -0x1.eef4620000000p-4f,
                 -0x1.fadd300000000p-4f, -0x1.02aa220000000p-3f, -0x1.06d64c0000000p-3f,
                 -0x1.09aaa20000000p-3f, -0x1.0af0400000000p-3f, -0x1.0a82040000000p-3f,
                 -0x1.084d320000000p-3f, -0x1.044fea0000000p-3f, -0x1.fd2f3c0000000p-4f,
                 -0x1.ee7cfa0000000p-4f, -0x1.dcd1c60000000p-4f, -0x1.c885280000000p-4f,
                 -0x1.b1f86c0000000p-4f, -0x1.9991ac0000000p-4f, -0x1.7fb7fa0000000p-4f,
                 -0x1.64cfae0000000p-4f, -0x1.49380a0000000p-4f, -0x1.2d49180000000p-4f,
                 -0x1.1152760000000p-4f, -0x1.eb35060000000p-5f, -0x1.b4bc520000000p-5f,
                 -0x1.7fa1ac0000000p-5f, -0x1.4c39fa0000000p-5f, -0x1.1ac8ec0000000p-5f,
                 0x1.0e5b480000000p-7f,  0x1.0a893a0000000p-7f,  0x1.091ef20000000p-6f,
                 0x1.865ffa0000000p-6f,  0x1.fb3e140000000p-6f,  0x1.32c8f20000000p-5f,
                 0x1.61be620000000p-5f,  0x1.89de640000000p-5f,  0x1.aac3f20000000p-5f,
                 0x1.c447e80000000p-5f,  0x1.d67f1a0000000p-5f,  0x1.e1aff40000000p-5f,
                 0x1.e64db20000000p-5f,  0x1.e4eaa80000000p-5f,  0x1.de31060000000p-5f,
                 0x1.d2d7e60000000p-5f,  0x1.c39bce0000000p-5f,  0x1.b137060000000p-5f,
                 0x1.9c5bdc0000000p-5f,  0x1.85b0540000000p-5f,  0x1.6dcb3c0000000p-5f,
                 0x1.5532280000000p-5f,  0x1.3c59020000000p-5f,  0x1.23a1b40000000p-5f,
                 0x1.0b5d300000000p-5f,  0x1.e798d00000000p-6f,  0x1.ba43b20000000p-6f,
                 0x1.8f06100000000p-6f,  0x1.66149a0000000p-6f,  0x1.3f90b00000000p-6f,
                 0x1.1b8bb20000000p-6f,  0x1.f413400000000p-7f};

//= polynomial
HCI_FUNCTION hci_vf hci_polynomial(hci_vf x, HCI_POINTER(float) c, int n)
{
    hci_vf sum = hci_vf_set(c[n - 1]);
    for (int i = n - 2; i >= 0; --i)
        sum = hci_vn_fma(sum, x, hci_vf_set(c[i]));
    return sum;
}

//= passing_lanes
/* Returns the lanes that pass the rounding test: the results are within slack units of the
 * exact ones, or, if slack is negative, above them by more than 0 and less than so many
 * units. */
HCI_FUNCTION hci_vm hci_passing_lanes(hci_vf results, int slack)
{
    return slack < 0 ? hci_vf_clear_above(results, -slack) : hci_vf_clear(results, slack);
}

//= approximation
/* Results of a rounding_loop. */
typedef struct {
    hci_vf result;
    hci_vm clear, decided;
} hci_approximation;

//= piecewise_at
/* Defines a function of x that rounds correctly, for kernels made of functions: value, or
 * looked up in the table of that number. */
HCI_FUNCTION hci_vf hci_piecewise_at(hci_vf x, hci_vi piece, HCI_POINTER(float) c, int n)
{
    hci_vf sum = hci_vf_look_up32(c + 32 * (n - 1), piece);
    for (int i = n - 2; i >= 0; --i)
        sum = hci_vn_fma(sum, x, hci_vf_look_up32(c + 32 * i, piece));
    return sum;
}

//= piecewise
/* The sum of piecewise_at, where k is the integer nearest to scale * x. */
HCI_FUNCTION hci_vf hci_piecewise(hci_vf x, float scale, HCI_POINTER(float) c, int n)
{
    hci_vf shifted = hci_vn_fma(x, hci_vf_set(scale), hci_vf_set(0x1.8p23f));
    return hci_piecewise_at(x, hci_vf_bits(shifted), c, n);
}

//= inexact_fma_odd
/* a * b + c rounded to odd, if it is inexact. */
HCI_FUNCTION hci_vf hci_inexact_fma_odd(hci_vf a, hci_vf b, hci_vf c)
{
    return hci_vf_of_bits(hci_vi_or(hci_vf_bits(hci_vn_fma_cut(a, b, c)), hci_vi_set(1)));
}

//= exp_powers
HCI_TABLE(float, hci_exp_powers,
          []) = {0x1p+0f,        0x1.059b0cp+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f,
                 0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,  0x1.306fep+0f,  0x1.371a74p+0f,
                 0x1.3dea64p+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f,
                 0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f,
                 0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f,
                 0x1.b7f77p+0f,  0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f,
                 0x1.ea4afap+0f, 0x1.f50766p+0f};

//= exp2_polynomial
/* 2^f on [0, 1), powers 0 to 5. */
HCI_TABLE(float, hci_exp2_polynomial, []) = {0x1p+0f,        0x1.62e4dap-1f, 0x1.ebdabap-3f,
                                             0x1.c91894p-5f, 0x1.2789dap-7f, 0x1.e98cf8p-10f};

//= exp10_powers
/* 2^(i/32), about. */
HCI_TABLE(float, hci_exp10_powers,
          []) = {0x1p+0f,        0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f,
                 0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,  0x1.306fep+0f,  0x1.371a74p+0f,
                 0x1.3dea6ap+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f,
                 0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f,
                 0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f,
                 0x1.b7f77p+0f,  0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f,
                 0x1.ea4afap+0f, 0x1.f50766p+0f};

//= exp10_octaves
/* log2(10), and its rounding error. */
HCI_TABLE(float, hci_exp10_octaves, []) = {0x1.a934fp+1f, 0x1.2ef8a8p-24f};

//= exp10_growth
/* (2^f - 1) / f on [-1/64, 1/64], powers 0 to 2. */
HCI_TABLE(float, hci_exp10_growth, []) = {0x1.62e444p-1f, 0x1.ec55c6p-3f, 0x1.c7277ep-5f};

//= natural_octave
/* log(2). */
HCI_TABLE(float, hci_natural_octave, []) = {0x1.62e43p-1f};

//= natural_inverses
/* 1 / x, about, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_natural_inverses,
          []) = {0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
                 0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
                 0x1.818174p-1f, 0x1.78a4cep-1f, 0x1.702df8p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
                 0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
                 0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
                 0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c86p-1f, 0x1.0ecf56p-1f, 0x1.0a681p-1f,
                 0x1.0624dep-1f, 0x1p-1f};

//= natural_steps
/* log(1 / inverse), about. */
HCI_TABLE(float, hci_natural_steps,
          []) = {0x0p+0f,        0x1.77459cp-5f, 0x1.341d74p-4f, 0x1.a926d8p-4f, 0x1.0d77e8p-3f,
                 0x1.44d2b4p-3f, 0x1.7ab89p-3f,  0x1.af3c92p-3f, 0x1.e27076p-3f, 0x1.0a325p-2f,
                 0x1.229436p-2f, 0x1.3a64bcp-2f, 0x1.51aafep-2f, 0x1.686c8p-2f,  0x1.7eafb8p-2f,
                 0x1.94793ep-2f, 0x1.a9ceccp-2f, 0x1.beb4dap-2f, 0x1.d32fe8p-2f, 0x1.e74426p-2f,
                 0x1.faf586p-2f, 0x1.0723e6p-1f, 0x1.109f3cp-1f, 0x1.19ee6ap-1f, 0x1.23130ep-1f,
                 0x1.2c0eap-1f,  0x1.34e26ep-1f, 0x1.3d901ep-1f, 0x1.4618bep-1f, 0x1.4e7d82p-1f,
                 0x1.56bf9cp-1f, 0x1.62e43p-1f};

//= natural_slope
/* log(1 + s) / s, powers 0 to 2. */
HCI_TABLE(float, hci_natural_slope, []) = {0x1p+0f, -0x1p-1f, 0x1.550f28p-2f};

//= binary_octave
/* log2(2). */
HCI_TABLE(float, hci_binary_octave, []) = {0x1p+0f};

//= binary_inverses
/* 1 / x, about, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_binary_inverses,
          []) = {0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
                 0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
                 0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
                 0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
                 0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
                 0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a681p-1f,
                 0x1.0624dep-1f, 0x1p-1f};

//= binary_steps
/* log2(1 / inverse), about. */
HCI_TABLE(float, hci_binary_steps,
          []) = {0x0p+0f,        0x1.0eb392p-4f, 0x1.bc841cp-4f, 0x1.32aea2p-3f, 0x1.84c2bep-3f,
                 0x1.d49eep-3f,  0x1.11307ep-2f, 0x1.37124ap-2f, 0x1.5c01a2p-2f, 0x1.800a5ap-2f,
                 0x1.a3375ep-2f, 0x1.c592fcp-2f, 0x1.e726aap-2f, 0x1.03fda8p-1f, 0x1.140cap-1f,
                 0x1.23c41cp-1f, 0x1.3327c8p-1f, 0x1.423b08p-1f, 0x1.51011ap-1f, 0x1.5f7cfep-1f,
                 0x1.6db194p-1f, 0x1.7ba192p-1f, 0x1.894f76p-1f, 0x1.96bdacp-1f, 0x1.a3ee8p-1f,
                 0x1.b0e414p-1f, 0x1.bda07p-1f,  0x1.ca258cp-1f, 0x1.d6754p-1f,  0x1.e29144p-1f,
                 0x1.ee7b44p-1f, 0x1p+0f};

//= binary_slope
/* log2(1 + s) / s, powers 0 to 2. */
HCI_TABLE(float, hci_binary_slope, []) = {0x1.715476p+0f, -0x1.714476p-1f, 0x1.ec709ep-2f};

//= decimal_octave
/* log10(2). */
HCI_TABLE(float, hci_decimal_octave, []) = {0x1.344136p-2f};

//= decimal_inverses
/* 1 / x, about, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_decimal_inverses,
          []) = {0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
                 0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b14p-1f, 0x1.8acb9p-1f,
                 0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702df6p-1f, 0x1.681682p-1f, 0x1.605816p-1f,
                 0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd88p-1f, 0x1.446f8cp-1f, 0x1.3e22ccp-1f,
                 0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
                 0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a6814p-1f,
                 0x1.0624dep-1f, 0x1p-1f};

//= decimal_steps
/* log10(1 / inverse), about. */
HCI_TABLE(float, hci_decimal_steps,
          []) = {0x0p+0f,        0x1.45f5p-6f,   0x1.0ba016p-5f, 0x1.714838p-5f, 0x1.d41d54p-5f,
                 0x1.1a2342p-4f, 0x1.48f3eep-4f, 0x1.76913cp-4f, 0x1.a30a7ep-4f, 0x1.ce6e46p-4f,
                 0x1.f8c966p-4f, 0x1.11143p-3f,  0x1.254b5ap-3f, 0x1.390f66p-3f, 0x1.4c658p-3f,
                 0x1.5f5242p-3f, 0x1.71da1ap-3f, 0x1.8400a8p-3f, 0x1.95cb14p-3f, 0x1.a73beap-3f,
                 0x1.b856ccp-3f, 0x1.c91f16p-3f, 0x1.d997cap-3f, 0x1.e9c3cep-3f, 0x1.f9a5e8p-3f,
                 0x1.04a056p-2f, 0x1.0c4b44p-2f, 0x1.13d4fp-2f,  0x1.1b3e7ap-2f, 0x1.2288d6p-2f,
                 0x1.29b522p-2f, 0x1.344136p-2f};

//= decimal_slope
/* log10(1 + s) / s, powers 0 to 2. */
HCI_TABLE(float, hci_decimal_slope, []) = {0x1.bcb79cp-2f, -0x1.bcab6cp-3f, 0x1.238d8ep-3f};

//= cbrt_growth
/* ((1 - h)^(-2/3) - 1) / h on [-0.11, 0.11], powers 0 to 4. */
HCI_TABLE(float, hci_cbrt_growth, []) = {0x1.555556p-1f, 0x1.1c6f98p-1f, 0x1.f9a7d2p-2f,
                                         0x1.d57b6ap-2f, 0x1.b6cf58p-2f};

//= tanh_growth
/* tanh(x) / x - 1 in pieces, powers 0 to 3. */
HCI_TABLE(float, hci_tanh_growth, []) = {
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

//= sinh_growth
/* sinh(x) / x - 1 in pieces, powers 0 to 4 of r. */
HCI_TABLE(float, hci_sinh_growth, []) = {
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

//= cosh_polynomial
/* cosh(x) in pieces, powers 0 to 4 of r. */
HCI_TABLE(float, hci_cosh_polynomial, []) = {
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

//= erf_growth
/* erf(x) / x - 1 in pieces, powers 0 to 3. */
HCI_TABLE(float, hci_erf_growth, []) = {
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

//= atan_growth_in_pieces
/* atan(x) / x - 1 in pieces, powers 0 to 2. */
HCI_TABLE(float, hci_atan_growth_in_pieces, []) = {
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

//= sin_growth
/* (sin(r) - r) / r^3 on [0, pi/2], in powers 0 to 3 of r^2. */
HCI_TABLE(float, hci_sin_growth, []) = {-0x1.55555p-3f, 0x1.11104p-7f, -0x1.9fb61ep-13f,
                                        0x1.60cc88p-19f};

//= sinpi_slope
/* sin(pi f) / f on [0, 1/2], in powers 0 to 4 of f^2. */
HCI_TABLE(float, hci_sinpi_slope, []) = {0x1.921fb6p+1f, -0x1.4abbeep+2f, 0x1.466ed4p+1f,
                                         -0x1.32dd7p-1f, 0x1.463338p-4f};

//= cospi_slope
/* cos(pi f) / (1/4 - f^2) on [0, 1/2], in powers 0 to 4 of f^2. */
HCI_TABLE(float, hci_cospi_slope, []) = {0x1p+2f, -0x1.de9e6p+1f, 0x1.472a78p+0f,
                                         -0x1.d47958p-3f, 0x1.8bef9ap-6f};

//= cos_growth
/* (sin(r) - r) / r^3 on [0, pi/2], in powers 0 to 4 of r^2, by another search: see
 * the head of the tool. */
HCI_TABLE(float, hci_cos_growth, []) = {-0x1.55557ap-3f, 0x1.1113fcp-7f, -0x1.a0768p-13f,
                                        0x1.7ae29cp-19f, -0x1.55d77ep-25f};

//= expm1_growth
/* (e^r - 1 - r) / r^2 on [-log(2)/2, log(2)/2], powers 0 to 4. */
HCI_TABLE(float, hci_expm1_growth, []) = {0x1p-1f, 0x1.5554dp-3f, 0x1.555562p-5f,
                                          0x1.12757ep-7f, 0x1.6c8adap-10f};

//= log1p_inverses
/* 1 / x, about, for each 32nd of [1, 2). */
HCI_TABLE(float, hci_log1p_inverses,
          []) = {0x1p+0f,        0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f,
                 0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f, 0x1.948b1p-1f,  0x1.8acb9p-1f,
                 0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.605842p-1f,
                 0x1.58ed24p-1f, 0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f,
                 0x1.381382p-1f, 0x1.323e2cp-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f, 0x1.21fb78p-1f,
                 0x1.1cf06ap-1f, 0x1.18118cp-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a681p-1f,
                 0x1.0624ep-1f,  0x1p-1f};

//= log1p_steps
/* log(1 / inverse), about. */
HCI_TABLE(float, hci_log1p_steps,
          []) = {0x0p+0f,        0x1.77459cp-5f, 0x1.341d74p-4f, 0x1.a926d8p-4f, 0x1.0d77e8p-3f,
                 0x1.44d2b4p-3f, 0x1.7ab89p-3f,  0x1.af3c92p-3f, 0x1.e27076p-3f, 0x1.0a325p-2f,
                 0x1.22941ep-2f, 0x1.3a64c6p-2f, 0x1.51aad8p-2f, 0x1.686c8p-2f,  0x1.7eaf56p-2f,
                 0x1.94793ep-2f, 0x1.a9ceccp-2f, 0x1.beb4dap-2f, 0x1.d32fe8p-2f, 0x1.e74426p-2f,
                 0x1.faf586p-2f, 0x1.0723f2p-1f, 0x1.109f3cp-1f, 0x1.19ee6ap-1f, 0x1.23130ep-1f,
                 0x1.2c0eap-1f,  0x1.34e278p-1f, 0x1.3d9024p-1f, 0x1.4618bep-1f, 0x1.4e7d82p-1f,
                 0x1.56bf98p-1f, 0x1.62e43p-1f};

//= log1p_slope
/* (log(1 + s) - s) / s^2 on [-1/64, 1/32], powers 0 to 2. */
HCI_TABLE(float, hci_log1p_slope, []) = {-0x1.fffedp-2f, 0x1.556e36p-2f, -0x1.f5c8fap-3f};

//= asin_in_pieces
/* asin(x) / x - 1, or (asin(x) - pi/2) / sqrt(1 - x), in pieces, powers 0 to 2. */
HCI_TABLE(float, hci_asin_in_pieces, []) = {
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

//= acos_in_pieces
/* acos(x) / sqrt(1 - x) in pieces, powers 0 to 2. */
HCI_TABLE(float, hci_acos_in_pieces, []) = {
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

//= LOG_ADD_SLACK
#define hci_LOG_ADD_SLACK (16)

//= log2_of_e
#define hci_log2_of_e ((float)(1.44269504088896340736f))

//= log_of_2
#define hci_log_of_2 ((float)(0.69314718055994530942f))

//= approximate_exp2
/* 2^floor(x) 2^f, where f is x minus its floor. */
HCI_FUNCTION hci_vf hci_approximate_exp2(hci_vf x)
{
    return hci_vn_scale(hci_polynomial(hci_vf_above_floor(x), hci_exp2_fraction,
                                       sizeof(hci_exp2_fraction) / sizeof *(hci_exp2_fraction)),
                        x);
}

//= log_parts
/* The logarithm to a base: x = 2^exponent m, and with a factor near scale / m, such that s =
 * factor * m - scale is exact, log x = octave * (exponent + log2(scale / factor)) + log(1 + s /
 * scale), where octave is log 2 and the last term is s * slope. Around 1 the first term is
 * exactly 0. For 0, negative numbers, infinity and NaN the exponent or m is infinite or NaN. */
typedef struct {
    hci_vf octaves, factor, s;
} hci_log_parts;

//= log_parts_of
HCI_FUNCTION hci_log_parts hci_log_parts_of(hci_vf x)
{
    hci_vf m = hci_vn_significand(x);
    hci_vi interval = hci_vi_shift_right(hci_vf_bits(m), 23 - 5);
    hci_vf octaves = hci_vn_add(hci_vn_exponent(x), hci_vf_look_up32(hci_log2_steps, interval));
    hci_vf factor = hci_vf_look_up32(hci_log2_factors, interval);
    return HCI_MAKE(hci_log_parts){octaves, factor,
                                   hci_vn_fma(m, factor, hci_vf_set(-hci_log2_scale))};
}

//= log_of_parts
HCI_FUNCTION hci_vf hci_log_of_parts(hci_log_parts x, float octave, HCI_POINTER(float) slope)
{
    return hci_vn_fma(x.s, hci_polynomial(x.s, slope, 4),
                      hci_vn_mul(x.octaves, hci_vf_set(octave)));
}

//= log_above_1
/* log(1 + t), for 0 <= t <= 1. */
HCI_FUNCTION hci_vf hci_log_above_1(hci_vf t, float octave, HCI_POINTER(float) slope)
{
    hci_vf sum = hci_vn_add(hci_vf_set(1), t),
           lost = hci_vn_sub(t, hci_vn_sub(sum, hci_vf_set(1)));
    hci_log_parts parts = hci_log_parts_of(sum);
    parts.s = hci_vn_fma(lost, parts.factor, parts.s);
    return hci_log_of_parts(parts, octave, slope);
}

//= log_add
/* The sum is not the larger argument alone: it differs from that by at least 2^-18 of it, and
 * no half is so near to another. It is a hard case if it has lost more than a bit. */
HCI_FUNCTION hci_vf hci_log_add(hci_vf x, hci_vf y, hci_vf power, float octave,
                                HCI_POINTER(float) slope)
{
    hci_vf more = hci_vn_max(x, y), size = hci_vf_abs(more),
           log = hci_log_above_1(power, octave, slope);
    hci_vf sum = hci_vn_add(more, hci_vn_max(log, hci_vn_mul(size, hci_vf_set(0x1p-18f))));
    hci_vm small = hci_vf_less(hci_vn_mul(hci_vf_abs(sum), hci_vf_set(1.5f)), size);
    return hci_vf_select(hci_vm_or(small, hci_vf_special(hci_vn_add(x, y))),
                         hci_vf_set(HCI_NAN), sum);
}

//= gap_between
/* Returns less - more, as far as it matters, and its rounding error. */
HCI_FUNCTION hci_vf hci_gap_between(hci_vf x, hci_vf y, hci_vf *lost)
{
    hci_vf more = hci_vn_max(x, y), less = hci_vn_min(x, y), gap = hci_vn_sub(less, more);
    *lost = hci_vn_sub(hci_vn_sub(less, gap), more);
    return hci_vn_max(gap, hci_vf_set(-64));
}

//= logaddexp_fast
HCI_FUNCTION hci_vf hci_logaddexp_fast(hci_vf x, hci_vf y, hci_vm *exact_case)
{
    (void)exact_case;
    const hci_vf octaves = hci_vf_set(hci_log2_of_e), octaves_low = hci_vf_set(0x1.4ae0cp-26f);
    hci_vf lost, gap = hci_gap_between(x, y, &lost), t = hci_vn_mul(gap, octaves);
    hci_vf rest =
        hci_vn_fma(gap, octaves_low, hci_vn_fma(gap, octaves, hci_vn_sub(hci_vf_set(0), t)));
    hci_vf power = hci_approximate_exp2(t);
    power = hci_vn_fma(power, hci_vn_fma(rest, hci_vf_set(hci_log_of_2), lost), power);
    return hci_log_add(x, y, power, hci_log_of_2, hci_log_slope);
}

//= logaddexp2_fast
HCI_FUNCTION hci_vf hci_logaddexp2_fast(hci_vf x, hci_vf y, hci_vm *exact_case)
{
    (void)exact_case;
    hci_vf lost, gap = hci_gap_between(x, y, &lost), power = hci_approximate_exp2(gap);
    power = hci_vn_fma(power, hci_vn_mul(lost, hci_vf_set(hci_log_of_2)), power);
    return hci_log_add(x, y, power, 1, hci_log2_slope);
}

//= power_parts
/* 2^k (power + power * growth), where k is x in units that double the function, with 5 bits of
 * fraction, and power is 2 to that fraction. */
typedef struct {
    hci_vf k, power;
} hci_power_parts;

//= limit_exponent
/* If scaling is not an instruction, exponents must stay in float's range: beyond +-32 all
 * powers here are beyond half's range, as they are at +-32. */
HCI_FUNCTION hci_vf hci_limit_exponent(hci_vf x)
{
    const hci_vf limit = hci_vf_set(32), other = hci_vf_set(-32);
    if (0)
        return x;
    return hci_vf_select(hci_vf_less(limit, x), limit,
                         hci_vf_select(hci_vf_less(x, other), other, x));
}

//= at_infinities
/* Infinities differ from numbers only if the mode keeps the numbers' results finite and above
 * 0. */
HCI_FUNCTION hci_vf hci_at_infinities(hci_vf power, hci_vf x, hci_rounding mode)
{
    if (0 || mode == hci_RTE)
        return power;
    if (mode == hci_RTP)
        return hci_vf_zero_where(hci_vf_equal(x, hci_vf_set(-HCI_INFINITY)), power);
    return hci_vf_select(hci_vf_equal(x, hci_vf_set(HCI_INFINITY)), x, power);
}

//= power_parts_of
/* Far below half's range k is clamped, since subnormal floats take the processor hundreds of
 * cycles; except for -infinity, which is more as an unsigned integer. With infinite k growth is
 * NaN, and vf_scale is still right. */
HCI_FUNCTION hci_power_parts hci_power_parts_of(hci_vf x, float octaves,
                                                HCI_POINTER(float) powers)
{
    const hci_vf shift = hci_vf_set(0x1.8p18f), least = hci_vf_set(0x1.8p18f - 100);
    hci_vf shifted = hci_vn_fma(x, hci_vf_set(octaves), shift);
    if (0)
        shifted = hci_vf_of_bits(hci_vi_highest(hci_vf_bits(shifted), hci_vf_bits(least)));
    return HCI_MAKE(hci_power_parts){hci_vn_sub(shifted, shift),
                                     hci_vf_look_up32(powers, hci_vf_bits(shifted))};
}

//= power_of_e
/* growth = r + r^2 / 2 for r = x - log(2) k. The sum is rounded to odd: near 1 many results
 * rounded to nearest would be equal to numbers at which half rounds. */
HCI_FUNCTION hci_vf hci_power_of_e(hci_vf x, hci_rounding mode)
{
    hci_vf near = hci_limit_exponent(x);
    hci_power_parts parts = hci_power_parts_of(near, hci_log2_of_e, hci_exp_powers);
    hci_vf r = hci_vn_fnma(parts.k, hci_vf_set(hci_log_of_2), near);
    hci_vf growth = hci_vn_fma(hci_vn_mul(hci_vf_set(0.5f), r), r, r);
    hci_vf power = hci_vn_positive_fma_odd(parts.power, growth, parts.power);
    return hci_at_infinities(hci_vf_scale(power, parts.k), x, mode);
}

//= power_of_10
/* growth = 2^f - 1 for f = log2(10) x - k. Rounding down gives the exact results, except for
 * 10. Far below half's range, where k is clamped, the sum may be negative. */
HCI_FUNCTION hci_vf hci_power_of_10(hci_vf x, hci_rounding mode)
{
    hci_vf near = hci_limit_exponent(x);
    hci_power_parts parts = hci_power_parts_of(near, hci_exp10_octaves[0], hci_exp10_powers);
    hci_vf f = hci_vn_fms(near, hci_vf_set(hci_exp10_octaves[0]), parts.k);
    f = hci_vn_fma(near, hci_vf_set(hci_exp10_octaves[1]), f);
    hci_vf growth =
        hci_vn_mul(f, hci_polynomial(f, hci_exp10_growth,
                                     sizeof(hci_exp10_growth) / sizeof *(hci_exp10_growth)));
    hci_vf result = hci_vf_scale(hci_vn_fma_down(parts.power, growth, parts.power), parts.k);
    result = hci_vf_select(hci_vf_equal(x, hci_vf_set(1)), hci_vf_set(10), hci_vf_abs(result));
    return hci_at_infinities(result, x, mode);
}

//= power_of_e_less_1
/* 2^k - 1 + 2^k (e^r - 1), where k is the integer nearest to x in octaves, and r the rest. Both
 * sums are rounded up, which keeps tiny results above x, and others above -1. Beyond 12 the
 * result overflows half or rounds as the one at 12. */
HCI_FUNCTION hci_vf hci_power_of_e_less_1(hci_vf x, hci_rounding mode)
{
    (void)mode;
    const hci_vf shift = hci_vf_set(0x1.8p23f), one = hci_vf_set(1);
    hci_vf near = hci_vn_within(x, hci_vf_set(12));
    hci_vf k = hci_vn_sub(hci_vn_fma(near, hci_vf_set(hci_log2_of_e), shift), shift),
           power = hci_vn_scale(one, k);
    hci_vf r = hci_vn_fnma(k, hci_vf_set(hci_log_of_2), near);
    hci_vf rise = hci_inexact_fma_odd(
        hci_vn_mul(r, r),
        hci_polynomial(r, hci_expm1_growth,
                       sizeof(hci_expm1_growth) / sizeof *(hci_expm1_growth)),
        r);
    hci_vf result = hci_vn_fma_up(power, rise, hci_vn_sub(power, one));
    return hci_vf_fixed(result, x,
                        ((hci_ITS_NAN) | (hci_ITSELF) << 8 | (hci_MINUS_1) << 16 |
                         (hci_ITS_INF) << 20 | (hci_AS_COMPUTED) << 24),
                        0);
}

//= power_of_2
/* 2^floor(x) 2^f, where f is x minus its floor. */
HCI_FUNCTION hci_vf hci_power_of_2(hci_vf x, hci_rounding mode)
{
    hci_vf near = hci_limit_exponent(x), f = hci_vf_above_floor(near),
           slope = hci_polynomial(f, hci_exp2_polynomial + 1, 5);
    hci_vf power = hci_vn_positive_fma_odd(slope, f, hci_vf_set(hci_exp2_polynomial[0]));
    return hci_at_infinities(hci_vf_scale(power, near), x, mode);
}

//= LOG_FIXES
#define hci_LOG_FIXES                                                                          \
    (0 ? 0                                                                                     \
       : ((hci_ITS_NAN) | (hci_MINUS_INF) << 8 | (hci_A_NAN) << 16 | (hci_PLUS_INF) << 20 |    \
          (hci_A_NAN) << 24))

//= log_of
/* For x = 2^exponent m, octave * exponent + log(1 / inverse) + log(1 + s), where s is inverse m
 * - 1. Around 1 the first two terms give exactly 0. The significand of negative numbers is
 * invalid. */
HCI_FUNCTION hci_vf hci_log_of(hci_vf x, HCI_POINTER(float) octave, HCI_POINTER(float) inverses,
                               HCI_POINTER(float) steps, HCI_POINTER(float) slope)
{
    hci_vf m = hci_vf_significand(x);
    hci_vi interval = hci_vi_shift_right(hci_vf_bits(m), 23 - 5);
    hci_vf s = hci_vn_fma(m, hci_vf_look_up32(inverses, interval), hci_vf_set(-1));
    hci_vf log = hci_vn_fma(hci_vn_exponent(x), hci_vf_set(octave[0]),
                            hci_vf_look_up32(steps, interval));
    log = hci_vn_fma(s, hci_polynomial(s, slope, 3), log);
    return hci_vf_fixed(log, x, hci_LOG_FIXES, hci_POLE_AT_0);
}

//= natural_log
HCI_FUNCTION hci_vf hci_natural_log(hci_vf x, hci_rounding mode)
{
    (void)mode;
    return hci_log_of(x, hci_natural_octave, hci_natural_inverses, hci_natural_steps,
                      hci_natural_slope);
}

//= binary_log
HCI_FUNCTION hci_vf hci_binary_log(hci_vf x, hci_rounding mode)
{
    (void)mode;
    return hci_log_of(x, hci_binary_octave, hci_binary_inverses, hci_binary_steps,
                      hci_binary_slope);
}

//= decimal_log
/* One half has a logarithm so near to a number at which half rounds that no constants were
 * found that are right for it, too. */
HCI_FUNCTION hci_vf hci_decimal_log(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf log = hci_log_of(x, hci_decimal_octave, hci_decimal_inverses, hci_decimal_steps,
                            hci_decimal_slope);
    return hci_vf_select(hci_vf_equal(x, hci_vf_set(126.0625f)), hci_vf_set(0x1.0cdffep1f),
                         log);
}

//= natural_log_above_1
/* The logarithm of 1 + x with s + s^2 slope. If the first two terms give 0, s is x, so the
 * rounding of 1 + x does not matter; rounding down keeps tiny results below x. */
HCI_FUNCTION hci_vf hci_natural_log_above_1(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf above = hci_vn_fma_up(x, hci_vf_set(1), hci_vf_set(1)),
           m = hci_vf_significand(above);
    hci_vi interval = hci_vi_shift_right(hci_vf_bits(m), 23 - 5);
    hci_vf s = hci_vn_fma(m, hci_vf_look_up32(hci_log1p_inverses, interval), hci_vf_set(-1));
    hci_vf log = hci_vn_fma(hci_vn_exponent(above), hci_vf_set(hci_natural_octave[0]),
                            hci_vf_look_up32(hci_log1p_steps, interval));
    s = hci_vf_select(hci_vf_zero(log), x, s);
    log = hci_inexact_fma_odd(
        hci_vn_mul(s, s),
        hci_polynomial(s, hci_log1p_slope, sizeof(hci_log1p_slope) / sizeof *(hci_log1p_slope)),
        hci_vn_add(log, s));
    log = hci_vf_fixed(log, above,
                       ((hci_ITS_NAN) | (hci_MINUS_INF) << 8 | (hci_A_NAN) << 16 |
                        (hci_PLUS_INF) << 20 | (hci_A_NAN) << 24) |
                           ((hci_PLUS_0) << 12),
                       hci_POLE_AT_0 | hci_INVALID_AT_MINUS_INF | hci_INVALID_BELOW_0);
    return hci_vf_copysign(log, x);
}

//= erf_of
HCI_FUNCTION hci_vf hci_erf_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    const float most = 2.625f;
    hci_vf size = hci_vn_least_abs(x, hci_vf_set(most));
    hci_vf growth = hci_piecewise(size, 31 / most, hci_erf_growth, 4);
    hci_vf result = hci_inexact_fma_odd(size, growth, size);
    return hci_vf_fixed(hci_vf_copysign(result, x), x,
                        ((hci_ITS_NAN) | (hci_ITSELF) << 8 | (hci_MINUS_1) << 16 |
                         (hci_PLUS_1) << 20 | (hci_AS_COMPUTED) << 24),
                        0);
}

//= gamma_sign
/* The sign of gamma(x): 0 if it has none, at its poles; 1 for -inf and NaN. */
HCI_FUNCTION hci_vi hci_gamma_sign(hci_vf x)
{
    const hci_vf zero = hci_vf_set(0);
    hci_vf below = hci_vf_floor(x), half_ = hci_vf_mul(below, hci_vf_set(0.5f));
    hci_vm even = hci_vf_equal(hci_vf_floor(half_), half_), pole = hci_vf_equal(x, below);
    hci_vi sign = hci_vi_select(even, hci_vi_set(1), hci_vi_set(-1));
    sign = hci_vi_select(pole, hci_vi_set(0), sign);
    return hci_vi_select(hci_vm_or(hci_vf_less(zero, x), hci_vf_special(x)), hci_vi_set(1),
                         sign);
}

//= sign_if_odd
HCI_FUNCTION hci_vi hci_sign_if_odd(hci_vf shifted)
{
    return hci_vi_shift_left(hci_vf_bits(shifted), 31);
}

//= flip_if_odd
HCI_FUNCTION hci_vf hci_flip_if_odd(hci_vf f, hci_vf shifted)
{
    return hci_vf_of_bits(hci_vi_xor(hci_vf_bits(f), hci_sign_if_odd(shifted)));
}

//= half_turns
#define hci_half_turns ((float)(0x1.45f306p-2f))

//= less_half_turns
/* x - pi k, where pi is a sum of two floats. */
HCI_FUNCTION hci_vf hci_less_half_turns(hci_vf x, hci_vf k)
{
    hci_vf rest = hci_vn_fnma(k, hci_vf_set(0x1.921fb6p+1f), x);
    return hci_vn_fnma(k, hci_vf_set(-0x1.777a5cp-24f), rest);
}

//= sine_to_odd
/* sin(r) = r + r^3 growth(r^2) rounded to odd, since it is inexact except at 0, for |r| up to
 * pi / 2; with the other sign if the integer in shifted is odd. The sum is truncated so that it
 * stays below |r|, and does not reach 1 too early. n: the number of growth's powers. */
HCI_FUNCTION hci_vf hci_sine_to_odd(hci_vf r, hci_vf shifted, HCI_POINTER(float) growth, int n)
{
    hci_vf square = hci_vn_mul(r, r);
    hci_vf sum = hci_vn_fma_cut(hci_vn_mul(r, square), hci_polynomial(square, growth, n), r);
    return hci_vf_of_bits(
        hci_vi_or(hci_vi_xor(hci_vf_bits(sum), hci_sign_if_odd(shifted)), hci_vi_set(1)));
}

//= sin_of
/* (-1)^k sin(r) for x = pi k + r. */
HCI_FUNCTION hci_vf hci_sin_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf shifted = hci_vn_fma(x, hci_vf_set(hci_half_turns), hci_vf_set(0x1.8p23f));
    hci_vf r = hci_less_half_turns(x, hci_vn_sub(shifted, hci_vf_set(0x1.8p23f)));
    return hci_vf_fixed(hci_sine_to_odd(r, shifted, hci_sin_growth, 4), x,
                        ((hci_ITS_NAN) | (hci_ITSELF) << 8 | (hci_A_NAN) << 16 |
                         (hci_A_NAN) << 20 | (hci_AS_COMPUTED) << 24),
                        hci_INVALID_AT_MINUS_INF | hci_INVALID_AT_INF);
}

//= cos_of
/* (-1)^k sin(r) for x = pi (k - 1/2) + r. */
HCI_FUNCTION hci_vf hci_cos_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf shifted = hci_vn_fma_up(x, hci_vf_set(hci_half_turns), hci_vf_set(0x1.8p23f));
    hci_vf k = hci_vn_sub(shifted, hci_vf_set(0x1.8p23f));
    hci_vf r = hci_less_half_turns(x, hci_vn_sub(k, hci_vf_set(0.5f)));
    return hci_vf_fixed(hci_sine_to_odd(r, shifted, hci_cos_growth, 5), x,
                        ((hci_ITS_NAN) | (hci_PLUS_1) << 8 | (hci_A_NAN) << 16 |
                         (hci_A_NAN) << 20 | (hci_AS_COMPUTED) << 24),
                        hci_INVALID_AT_MINUS_INF | hci_INVALID_AT_INF);
}

//= sinpi_of
/* (-1)^k sin(pi f) for x = k + f, which has zeros with the sign of x where f is zero. */
HCI_FUNCTION hci_vf hci_sinpi_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf f = hci_vn_off_integer(x), square = hci_vn_mul(f, f);
    hci_vf flipped = hci_flip_if_odd(f, hci_vn_add(x, hci_vf_set(0x1.8p23f)));
    hci_vf sine = hci_vn_mul_cut(
        flipped, hci_polynomial(square, hci_sinpi_slope,
                                sizeof(hci_sinpi_slope) / sizeof *(hci_sinpi_slope)));
    sine = hci_vf_select(hci_vf_zero(f), hci_vf_copysign(hci_vf_set(0), x), sine);
    return hci_vf_fixed(sine, x,
                        ((hci_ITS_NAN) | (0) << 8 | (hci_A_NAN) << 16 | (hci_A_NAN) << 20 |
                         (hci_AS_COMPUTED) << 24),
                        hci_INVALID_AT_MINUS_INF | hci_INVALID_AT_INF);
}

//= cospi_of
/* (-1)^k cos(pi f), with the factor 1/4 - f^2 that has its zeros. It is truncated so that it
 * does not reach 1 too early. Adding 0 makes zeros positive. */
HCI_FUNCTION hci_vf hci_cospi_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf f = hci_vn_off_integer(x), square = hci_vn_mul(f, f), quarter = hci_vf_set(0.25f);
    hci_vf factor = hci_vn_fnma_cut(f, f, quarter);
    factor = hci_flip_if_odd(factor, hci_vn_add(x, hci_vf_set(0x1.8p23f)));
    hci_vf cosine =
        hci_vn_fma(factor,
                   hci_polynomial(square, hci_cospi_slope,
                                  sizeof(hci_cospi_slope) / sizeof *(hci_cospi_slope)),
                   hci_vf_set(0));
    return hci_vf_fixed(cosine, x,
                        ((hci_ITS_NAN) | (0) << 8 | (hci_A_NAN) << 16 | (hci_A_NAN) << 20 |
                         (hci_AS_COMPUTED) << 24),
                        hci_INVALID_AT_MINUS_INF | hci_INVALID_AT_INF);
}

//= degrees_of
HCI_FUNCTION hci_vf hci_degrees_of(hci_vf radians, hci_rounding mode)
{
    (void)mode;
    return hci_vf_mul(radians, hci_vf_set(0x1.ca5dc2p+5f));
}

//= radians_of
HCI_FUNCTION hci_vf hci_radians_of(hci_vf degrees, hci_rounding mode)
{
    (void)mode;
    return hci_vf_mul(degrees, hci_vf_set(0x1.1df468p-6f));
}

//= vf_minus
HCI_FUNCTION hci_vf hci_vf_minus(hci_vf x)
{
    return hci_vf_of_bits(hci_vi_xor(hci_vf_bits(x), hci_vi_set((-2147483647 - 1))));
}

//= nearest_of_12_bits
/* The number of 12 bits nearest to |v|. */
HCI_FUNCTION hci_vf hci_nearest_of_12_bits(hci_vf v)
{
    hci_vi bits = hci_vi_add(hci_vf_bits(hci_vf_abs(v)), hci_vi_set(0x800));
    return hci_vf_of_bits(hci_vi_and(bits, hci_vi_set(~0xfff)));
}

//= nudge
/* Returns the number, or the float next to it, if the exact value is above or below. */
HCI_FUNCTION hci_vf hci_nudge(hci_vf number, hci_vm above, hci_vm below)
{
    hci_vi one = hci_vi_set(1), zero = hci_vi_set(0), bits = hci_vf_bits(number);
    bits = hci_vi_add(bits, hci_vi_select(above, one, zero));
    return hci_vf_of_bits(hci_vi_sub(bits, hci_vi_select(below, one, zero)));
}

//= approximate_root
HCI_FUNCTION hci_vf hci_approximate_root(hci_vf square)
{
    hci_vf inverse = hci_vf_rsqrt_estimate(square), root = hci_vf_mul(square, inverse);
    hci_vf rest = hci_vf_fnma(root, inverse, hci_vf_set(1));
    return hci_vf_fma(hci_vf_mul(root, hci_vf_set(0.5f)), rest, root);
}

//= inverse_root
HCI_FUNCTION hci_vf hci_inverse_root(hci_vf sum)
{
    hci_vf inverse = hci_vf_rsqrt_estimate(sum);
    hci_vf rest = hci_vf_fnma(hci_vf_mul(sum, inverse), inverse, hci_vf_set(1));
    return hci_vf_fma(hci_vf_mul(inverse, hci_vf_set(0.5f)), rest, inverse);
}

//= piecewise_of
HCI_FUNCTION hci_vf hci_piecewise_of(int pieces, hci_vf x, hci_vi piece, HCI_POINTER(float) c,
                                     int n)
{
    hci_vi k = hci_vi_and(piece, hci_vi_set(pieces - 1));
    hci_vf sum = hci_vf_gather(c + pieces * (n - 1), k);
    for (int i = n - 2; i >= 0; --i)
        sum = hci_vn_fma(sum, x, hci_vf_gather(c + pieces * i, k));
    return sum;
}

//= case_of
/* Returns the result for x if x is one of the cases, which are count pairs of an argument and
 * its result; otherwise the approximation. */
HCI_FUNCTION hci_vf hci_case_of(hci_vf hci_approximation, hci_vf x, HCI_POINTER(float) cases,
                                int count)
{
    for (int i = 0; i < count; ++i)
        hci_approximation = hci_vf_select(hci_vf_equal(x, hci_vf_set(cases[2 * i])),
                                          hci_vf_set(cases[2 * i + 1]), hci_approximation);
    return hci_approximation;
}

//= CASES_SLACK
#define hci_CASES_SLACK (4)

//= with_cases
HCI_FUNCTION hci_vf hci_with_cases(hci_vf hci_approximation, hci_vf x, HCI_POINTER(float) cases,
                                   int count)
{
    if (hci_vm_any(hci_vf_hard_cases(hci_approximation, hci_CASES_SLACK, hci_vm_none())))
        return hci_case_of(hci_approximation, x, cases, count);
    return hci_approximation;
}

//= add_growth
/* Returns x (slope + growth). slope has 13 bits: if x is as short as a half, there is one
 * rounding. */
HCI_FUNCTION hci_vf hci_add_growth(hci_vf x, float slope, hci_vf growth)
{
    return hci_vn_fma(x, growth, hci_vn_mul(x, hci_vf_set(slope)));
}

//= inverse_by_estimate
/* Returns 1 / x for x other than 0. */
HCI_FUNCTION hci_vf hci_inverse_by_estimate(hci_vf x)
{
    return hci_quotient_by_estimate(hci_vf_set(1), x, hci_vf_reciprocal_estimate(x));
}

//= root_or_0
/* Returns the root of x > 0, otherwise 0. */
HCI_FUNCTION hci_vf hci_root_or_0(hci_vf x)
{
    hci_vm positive = hci_vf_less(hci_vf_set(0), x);
    return hci_vf_zero_where(hci_vm_not(positive),
                             hci_root_by_estimate(hci_vf_select(positive, x, hci_vf_set(1))));
}

//= power_less_1
/* Returns 2^k - 1 + 2^k rise, where k is the integer in shifted. */
HCI_FUNCTION hci_vf hci_power_less_1(hci_vf shifted, hci_vf rise)
{
    hci_vi exponent = hci_vi_shift_left(hci_vf_bits(shifted), 23);
    hci_vf power = hci_vf_of_bits(hci_vi_add(exponent, hci_vi_set(0x3f800000)));
    return hci_vn_fma(power, rise, hci_vn_sub(power, hci_vf_set(1)));
}

//= power_of_2_less_1
/* x = k + r. Beyond 17 the result overflows half or rounds as the one at 17 does. */
HCI_FUNCTION hci_vf hci_power_of_2_less_1(hci_vf x, hci_rounding mode)
{
    (void)mode;
    const hci_vf shift = hci_vf_set(0x1.8p23f);
    hci_vf near = hci_vn_within(x, hci_vf_set(17)), shifted = hci_vn_add(near, shift);
    hci_vf r = hci_vn_sub(near, hci_vn_sub(shifted, shift));
    hci_vf rise =
        hci_add_growth(r, 0x1.62e0000000000p-1f, hci_piecewise(r, 30, hci_exp2m1_growth, 3));
    hci_vf result =
        hci_with_cases(hci_power_less_1(shifted, rise), x, hci_exp2m1_cases, hci_EXP2M1_CASES);
    return hci_vf_fixed(result, x,
                        ((hci_ITS_NAN) | (hci_ITSELF) << 8 | (hci_MINUS_1) << 16 |
                         (hci_ITS_INF) << 20 | (hci_AS_COMPUTED) << 24),
                        0);
}

//= power_of_10_less_1
/* x = log10(2) k + r, where log10(2) is a sum of two floats. */
HCI_FUNCTION hci_vf hci_power_of_10_less_1(hci_vf x, hci_rounding mode)
{
    (void)mode;
    const hci_vf shift = hci_vf_set(0x1.8p23f);
    hci_vf near = hci_vn_within(x, hci_vf_set(6)),
           shifted = hci_vn_fma(near, hci_vf_set(0x1.a934fp+1f), shift);
    hci_vf k = hci_vn_sub(shifted, shift), r = hci_vn_fnma(k, hci_vf_set(0x1.3441p-2f), near);
    r = hci_vn_fnma(k, hci_vf_set(0x1.a84fbcp-21f), r);
    hci_vf rise =
        hci_add_growth(r, 0x1.26b0000000000p+1f, hci_piecewise(r, 98, hci_exp10m1_growth, 3));
    return hci_vf_fixed(hci_power_less_1(shifted, rise), x,
                        ((hci_ITS_NAN) | (hci_ITSELF) << 8 | (hci_MINUS_1) << 16 |
                         (hci_ITS_INF) << 20 | (hci_AS_COMPUTED) << 24),
                        0);
}

//= log_above_1_of
/* Returns the logarithm of 1 + x, as log_of does. If exponent and step give 0, s is x, so the
 * rounding of 1 + x does not matter. */
HCI_FUNCTION hci_vf hci_log_above_1_of(hci_vf x, float octave, HCI_POINTER(float) inverses,
                                       HCI_POINTER(float) steps, float slope,
                                       HCI_POINTER(float) growth, HCI_POINTER(float) cases,
                                       int count)
{
    hci_vf above = hci_vn_add(x, hci_vf_set(1)), m = hci_vn_significand(above);
    hci_vi interval = hci_vi_shift_right(hci_vf_bits(m), 23 - 5);
    hci_vf s = hci_vn_fma(m, hci_vf_look_up32(inverses, interval), hci_vf_set(-1));
    hci_vf log = hci_vn_fma(hci_vn_exponent(above), hci_vf_set(octave),
                            hci_vf_look_up32(steps, interval));
    s = hci_vf_select(hci_vf_zero(log), x, s);
    log = hci_vn_add(log, hci_add_growth(s, slope, hci_polynomial(s, growth, 4)));
    log = hci_with_cases(log, x, cases, count);
    log = hci_vf_fixed(log, above,
                       ((hci_ITS_NAN) | (hci_MINUS_INF) << 8 | (hci_A_NAN) << 16 |
                        (hci_PLUS_INF) << 20 | (hci_A_NAN) << 24),
                       0);
    return hci_vf_copysign(log, x);
}

//= binary_log_above_1
HCI_FUNCTION hci_vf hci_binary_log_above_1(hci_vf x, hci_rounding mode)
{
    (void)mode;
    return hci_log_above_1_of(x, 1, hci_log2p1_inverses, hci_log2p1_steps,
                              0x1.7150000000000p+0f, hci_log2p1_growth, hci_log2p1_cases,
                              hci_LOG2P1_CASES);
}

//= decimal_log_above_1
HCI_FUNCTION hci_vf hci_decimal_log_above_1(hci_vf x, hci_rounding mode)
{
    (void)mode;
    return hci_log_above_1_of(x, hci_decimal_octave[0], hci_log10p1_inverses, hci_log10p1_steps,
                              0x1.bcb0000000000p-2f, hci_log10p1_growth, hci_log10p1_cases,
                              hci_LOG10P1_CASES);
}

//= turn_if_odd
/* Returns the tangent t, or that of the angle plus a right angle if the number of right angles
 * is odd. */
HCI_FUNCTION hci_vf hci_turn_if_odd(hci_vf t, hci_vf shifted)
{
    hci_vm odd = hci_vi_has(hci_vf_bits(shifted), 1);
    return hci_vf_select(odd, hci_vf_minus(hci_inverse_by_estimate(t)), t);
}

//= tan_of
/* x = (pi / 2) k + r. */
HCI_FUNCTION hci_vf hci_tan_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    const hci_vf shift = hci_vf_set(0x1.8p23f), half_ = hci_vf_set(0.5f);
    hci_vf shifted = hci_vn_fma(x, hci_vf_set(2 * hci_half_turns), shift);
    hci_vf r = hci_less_half_turns(x, hci_vn_mul(hci_vn_sub(shifted, shift), half_));
    hci_vf t = hci_vn_fma(r, hci_piecewise(hci_vf_abs(r), 38, hci_tan_growth, 4), r);
    return hci_vf_select(hci_vf_zero(x), x, hci_turn_if_odd(t, shifted));
}

//= tanpi_of
/* |x| = k / 2 + f; then the sign of x is added. Zeros and poles alternate in sign. */
HCI_FUNCTION hci_vf hci_tanpi_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    const hci_vf shift = hci_vf_set(0x1.8p23f);
    hci_vf size = hci_vf_abs(x), shifted = hci_vn_fma(size, hci_vf_set(2), shift),
           k = hci_vn_sub(shifted, shift);
    hci_vf f = hci_vn_fnma(k, hci_vf_set(0.5f), size);
    hci_vf t = hci_add_growth(f, 0x1.9210000000000p+1f,
                              hci_piecewise(hci_vf_abs(f), 124, hci_tanpi_growth, 4));
    t = hci_with_cases(hci_turn_if_odd(t, shifted), size, hci_tanpi_cases, hci_TANPI_CASES);
    hci_vm pole = hci_vi_has(hci_vf_bits(shifted), 1);
    hci_vf bound = hci_vf_flipped(hci_vf_select(pole, hci_vf_set(HCI_INFINITY), hci_vf_set(0)),
                                  hci_vi_shift_left(hci_vf_bits(shifted), 30));
    return hci_vf_flipped(hci_vf_select(hci_vf_zero(f), bound, t), hci_vf_bits(x));
}

//= asinpi_of
/* Up to 8.5/31 the result is x (slope + growth); beyond, 1/2 - sqrt(1 - |x|) factor. */
HCI_FUNCTION hci_vf hci_asinpi_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf size = hci_vf_abs(x), root = hci_root_or_0(hci_vn_sub(hci_vf_set(1), size));
    hci_vm steep = hci_vf_less(hci_vf_set(8.5f / 31), size);
    hci_vf factor = hci_vf_select(steep, root, size);
    hci_vf start = hci_vf_select(steep, hci_vf_set(0.5f),
                                 hci_vn_mul(size, hci_vf_set(0x1.45f0000000000p-2f)));
    hci_vf angle = hci_vn_fma(factor, hci_piecewise(size, 31, hci_asinpi_in_pieces, 3), start);
    angle = hci_vf_select(hci_vf_less_equal(size, hci_vf_set(1)), angle, hci_vf_set(HCI_NAN));
    return hci_vf_copysign(angle, x);
}

//= acospi_of
/* Up to 8.5/31 the result is 1/2 - x factor; beyond, sqrt(1 - |x|) factor, or 1 minus that.
 * Tiny x change the result as little as somewhat larger ones do. */
HCI_FUNCTION hci_vf hci_acospi_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf size = hci_vf_abs(x), root = hci_root_or_0(hci_vn_sub(hci_vf_set(1), size));
    hci_vm steep = hci_vf_less(hci_vf_set(8.5f / 31), size);
    hci_vf factor = hci_vf_select(steep, root, hci_vf_max(size, hci_vf_set(0x1p-16f)));
    factor = hci_vf_zero_where(hci_vf_zero(x), hci_vf_copysign(factor, x));
    hci_vf far = hci_vf_select(hci_vf_sign(x), hci_vf_set(1), hci_vf_set(0));
    hci_vf start = hci_vf_select(steep, far, hci_vf_set(0.5f));
    hci_vf angle = hci_vn_fma(factor, hci_piecewise(size, 31, hci_acospi_in_pieces, 3), start);
    return hci_vf_select(hci_vf_less_equal(size, hci_vf_set(1)), angle, hci_vf_set(HCI_NAN));
}

//= atanpi_of
/* For |x| <= 1; otherwise 1/2 minus the result for 1 / |x|. */
HCI_FUNCTION hci_vf hci_atanpi_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf size = hci_vf_abs(x);
    hci_vm steep = hci_vf_less(hci_vf_set(1), size);
    hci_vf tangent = hci_vn_inverse_where(steep, size);
    hci_vf growth = hci_piecewise(tangent, 31, hci_atanpi_growth_in_pieces, 3);
    hci_vf angle = hci_add_growth(tangent, 0x1.45f0000000000p-2f, growth);
    angle = hci_vn_complement_where(steep, angle, hci_vf_set(0.5f));
    return hci_vf_copysign(hci_with_cases(angle, size, hci_atanpi_cases, hci_ATANPI_CASES), x);
}

//= atanh_of
/* The result is |x| + |x| growth; beyond 1/2, -log(1 - |x|) / 2 + log(1 + |x|) / 2, the second
 * term in pieces like growth. */
HCI_FUNCTION hci_vf hci_atanh_of(hci_vf x, hci_rounding mode)
{
    hci_vf size = hci_vf_abs(x), log = hci_natural_log(hci_vn_sub(hci_vf_set(1), size), mode);
    hci_vm steep = hci_vf_less_equal(hci_vf_set(0.5f), size);
    hci_vf factor = hci_vf_select(steep, hci_vf_set(1), size);
    hci_vf start = hci_vf_select(steep, hci_vn_mul(log, hci_vf_set(-0.5f)), size);
    hci_vf result = hci_vn_fma(factor, hci_piecewise(size, 31, hci_atanh_in_pieces, 4), start);
    return hci_vf_copysign(result, x);
}

//= asinh_of
/* The result is v + v growth for v = |x|; beyond 1, log(2 |x|) + v growth for v = 1 / |x|. Many
 * results are just below |x|, within the slack, so the slack does not decide whether to search
 * the cases. */
HCI_FUNCTION hci_vf hci_asinh_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf size = hci_vf_abs(x);
    hci_vm steep = hci_vf_less(hci_vf_set(1), size);
    hci_vf v = hci_vn_inverse_where(steep, size),
           shifted = hci_vn_fma(v, hci_vf_set(31), hci_vf_set(0x1.8p23f));
    hci_vi piece =
        hci_vi_add(hci_vf_bits(shifted), hci_vi_select(steep, hci_vi_set(32), hci_vi_set(0)));
    hci_vf log = hci_log_of(hci_vn_add(size, size), hci_natural_octave, hci_asinh_inverses,
                            hci_asinh_steps, hci_natural_slope);
    hci_vf start = hci_vf_select(steep, log, size);
    hci_vf result =
        hci_vn_fma(v, hci_piecewise_of(64, v, piece, hci_asinh_in_pieces, 4), start);
    return hci_vf_copysign(hci_case_of(result, size, hci_asinh_cases, hci_ASINH_CASES), x);
}

//= acosh_of
/* log(x + sqrt(x^2 - 1)). The error of the sum matters near 1. */
HCI_FUNCTION hci_vf hci_acosh_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf root = hci_root_or_0(hci_vn_fma(x, x, hci_vf_set(-1))), sum = hci_vn_add(x, root);
    hci_vf lost = hci_vn_sub(root, hci_vn_sub(sum, x)), m = hci_vn_significand(sum),
           exponent = hci_vn_exponent(sum);
    hci_vi interval = hci_vi_shift_right(hci_vf_bits(m), 23 - 5);
    hci_vf inverse = hci_vf_look_up32(hci_acosh_inverses, interval);
    hci_vf s = hci_vn_fma(m, inverse, hci_vf_set(-1));
    s = hci_vn_fma(hci_vf_select(hci_vf_zero(exponent), lost, hci_vf_set(0)), inverse, s);
    hci_vf log = hci_vn_fma(exponent, hci_vf_set(hci_natural_octave[0]),
                            hci_vf_look_up32(hci_acosh_steps, interval));
    log = hci_vn_fma(s, hci_polynomial(s, hci_natural_slope, 3), log);
    log = hci_vf_select(hci_vf_equal(x, hci_vf_set(HCI_INFINITY)), x, log);
    return hci_vf_select(hci_vf_less_equal(hci_vf_set(1), x), log, hci_vf_set(HCI_NAN));
}

//= erfc_of
/* Pieces of 33/256 as polynomials of r, the distance of |x| from the middle. Results below
 * 2^-25 round as that of 3.99 does. Below 0 the result is 2 minus that of |x|, and below -3 it
 * rounds as that of -3. Tiny x change the result as little as somewhat larger ones do. */
HCI_FUNCTION hci_vf hci_erfc_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    const hci_vf shift = hci_vf_set(0x1.8p23f);
    hci_vm negative = hci_vf_sign(x);
    hci_vf most = hci_vf_select(negative, hci_vf_set(3), hci_vf_set(3.99f));
    hci_vf size = hci_vf_max(hci_vf_min(hci_vf_abs(x), most), hci_vf_set(0x1p-20f));
    hci_vf shifted = hci_vn_fma(size, hci_vf_set(0x1.f07c1ep+2f), shift);
    hci_vf r = hci_vn_fnma(hci_vn_sub(shifted, shift), hci_vf_set(33.0f / 256), size);
    hci_vf result = hci_piecewise_at(r, hci_vf_bits(shifted), hci_erfc_in_pieces, 6);
    result = hci_with_cases(hci_vn_complement_where(negative, result, hci_vf_set(2)), x,
                            hci_erfc_cases, hci_ERFC_CASES);
    result = hci_vf_select(hci_vf_equal(x, hci_vf_set(-HCI_INFINITY)), hci_vf_set(2), result);
    return hci_vf_fixed(result, x,
                        ((hci_ITS_NAN) | (hci_PLUS_1) << 8 | (hci_AS_COMPUTED) << 16 |
                         (hci_PLUS_0) << 20 | (hci_AS_COMPUTED) << 24),
                        0);
}

//= tgamma_of
/* Beyond 15 gamma(x) overflows, and below -14 it is less than 2^-25, or undefined. */
HCI_FUNCTION hci_vf hci_tgamma_of(hci_vf x, hci_rounding mode)
{
    const hci_vf shift = hci_vf_set(0x1.8p23f), one = hci_vf_set(1);
    hci_vm low = hci_vf_less(x, one), reflected = hci_vf_less(x, hci_vf_set(-0.25f));
    hci_vf a =
        hci_vf_select(low, hci_vf_select(reflected, hci_vf_minus(x), x), hci_vn_sub(x, one));
    a = hci_vf_min(hci_vf_set(14), a);
    hci_vf shifted = hci_vn_fma(hci_vn_add(a, one), hci_vf_set(8), shift);
    hci_vf centre = hci_vn_mul(hci_vn_sub(shifted, shift), hci_vf_set(0.125f));
    hci_vf gamma = hci_piecewise_of(128, hci_vn_add(hci_vn_sub(one, centre), a),
                                    hci_vf_bits(shifted), hci_tgamma_in_pieces, 6);
    hci_vf divisor = hci_vf_select(reflected, hci_vn_mul(gamma, hci_sinpi_of(x, mode)),
                                   hci_vf_select(low, x, one));
    hci_vf dividend = hci_vf_select(reflected, hci_vf_set(0x1.921fb6p+1f), gamma);
    hci_vf result =
        hci_quotient_by_estimate(dividend, divisor, hci_vf_reciprocal_estimate(divisor));
    result = hci_with_cases(result, x, hci_tgamma_cases, hci_TGAMMA_CASES);
    hci_vm infinite = hci_vm_or(hci_vf_zero(x), hci_vf_equal(x, hci_vf_set(HCI_INFINITY)));
    return hci_vf_select(infinite, hci_vf_copysign(hci_vf_set(HCI_INFINITY), x), result);
}

//= lgamma_of
/* Pieces are eighths of octaves. Below 4 they approximate log(gamma(1 + a)) / (a (a - 1)), so
 * that the zeros at 1 and 2 are exact. */
HCI_FUNCTION hci_vf hci_lgamma_of(hci_vf x, hci_rounding mode)
{
    const hci_vf one = hci_vf_set(1), half_ = hci_vf_set(0.5f);
    hci_vm low = hci_vf_less(x, half_), reflected = hci_vf_less(x, hci_vf_minus(half_));
    hci_vf a =
        hci_vf_select(low, hci_vf_select(reflected, hci_vf_minus(x), x), hci_vn_sub(x, one));
    a = hci_vf_min(hci_vf_set(16000), a);
    hci_vf y = hci_vn_add(a, one);
    hci_vi piece = hci_vi_shift_right(hci_vf_bits(y), 20);
    hci_vf centre =
        hci_vf_of_bits(hci_vi_or(hci_vi_shift_left(piece, 20), hci_vi_set(1 << 19)));
    hci_vf part = hci_piecewise_of(128, hci_vn_add(hci_vn_sub(one, centre), a), piece,
                                   hci_lgamma_in_pieces, 5);
    hci_vf weight =
        hci_vf_select(hci_vf_less(y, hci_vf_set(4)), hci_vn_mul(a, hci_vn_sub(a, one)), one);
    weight = hci_vf_select(reflected, hci_vf_minus(weight), weight);
    hci_vf sine = hci_vf_abs(hci_vn_mul(hci_sinpi_of(x, mode), hci_vf_set(hci_half_turns)));
    hci_vf factor = hci_vf_select(low, hci_vf_select(reflected, sine, hci_vf_abs(x)), one);
    hci_vf log = hci_log_of_parts(hci_log_parts_of(factor), hci_log_of_2, hci_log_slope);
    hci_vf result = hci_vn_fma(weight, part, hci_vn_sub(hci_vf_set(0), log));
    result = hci_with_cases(result, x, hci_lgamma_cases, hci_LGAMMA_CASES);
    hci_vm infinite =
        hci_vm_or(hci_vf_zero(factor), hci_vf_equal(hci_vf_abs(x), hci_vf_set(HCI_INFINITY)));
    return hci_vf_select(infinite, hci_vf_set(HCI_INFINITY), result);
}

//= fraction_of_16_bits
HCI_FUNCTION hci_vf hci_fraction_of_16_bits(hci_vf c, float unit, hci_rounding mode)
{
    if (mode == hci_RTE)
        return hci_vf_mul(c, hci_vf_set(unit * (1 + unit - 0x1p-22f)));
    if (!1)
        return hci_vf_div(c, hci_vf_set(1 / unit - 1));
    c = hci_vf_mul(c, hci_vf_set(unit));
    return hci_vf_min(hci_vf_fma(c, hci_vf_set(unit * (1 + unit + 0x1p-23f)), c),
                      hci_vf_set(1));
}

//= fraction_of_8_bits
HCI_FUNCTION hci_vf hci_fraction_of_8_bits(hci_vf c, float greatest)
{
    return hci_vf_min(hci_vf_mul(c, hci_vf_set(0x1.000002p0f / greatest)), hci_vf_set(1));
}

//= device_convert_half_float
HCI_FUNCTION hci_vh hci_device_convert_half_float(float x, hci_rounding mode)
{
    int magnitude = hci_magnitude_bits(x), least = hci_vf_bits(0x1p-40f);
    int size = magnitude != 0 && magnitude < least ? least : magnitude;
    return hci_rounded_half(hci_vf_of_bits(size | hci_sign_bits(x)), mode);
}

//= half_of_size
/* Converts a magnitude that is an integer: it is clamped beyond half's range, and exact in
 * float. */
HCI_FUNCTION hci_vh hci_half_of_size(hci_ulong size, bool negative, hci_rounding mode)
{
    float x = (float)(int)(size < 1 << 18 ? size : 1 << 18);
    return hci_rounded_half(negative ? -x : x, mode);
}

//= device_convert_half_long
HCI_FUNCTION hci_vh hci_device_convert_half_long(hci_long x, hci_rounding mode)
{
    return hci_half_of_size(x < 0 ? 0 - (hci_ulong)x : (hci_ulong)x, x < 0, mode);
}

//= device_convert_half_ulong
HCI_FUNCTION hci_vh hci_device_convert_half_ulong(hci_ulong x, hci_rounding mode)
{
    return hci_half_of_size(x, false, mode);
}

//= device_convert_half_int
HCI_FUNCTION hci_vh hci_device_convert_half_int(int x, hci_rounding mode)
{
    hci_vi clamped = hci_vi_max(hci_vi_min(x, 1 << 18), -(1 << 18));
    return hci_rounded_half(hci_vf_of_int(clamped), mode);
}

//= device_convert_half_uint
HCI_FUNCTION hci_vh hci_device_convert_half_uint(unsigned int x, hci_rounding mode)
{
    return hci_device_convert_half_int((int)(x < 1 << 18 ? x : 1 << 18), mode);
}

//= device_convert_half_small
/* Converts integers of 8 and 16 bits. */
HCI_FUNCTION hci_vh hci_device_convert_half_small(int x, hci_rounding mode)
{
    return hci_rounded_half(hci_vf_of_int(x), mode);
}

//= device_convert_float
HCI_FUNCTION float hci_device_convert_float(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return hci_vf_widen(x);
}

//= device_convert_int
/* Converts to an int32, whose low bits are the result; infinities and NaNs give INT32_MIN. */
HCI_FUNCTION int hci_device_convert_int(hci_vh x, hci_rounding mode)
{
    return hci_vi_round(hci_vf_widen(x), mode);
}

//= device_convert_long
HCI_FUNCTION hci_long hci_device_convert_long(hci_vh x, hci_rounding mode)
{
    int whole = hci_device_convert_int(x, mode);
    return whole == (-2147483647 - 1) ? (hci_long)((hci_ulong)1 << 63) : whole;
}

//= saturate
HCI_FUNCTION int hci_saturate(hci_vh x, int least, int most, hci_rounding mode)
{
    hci_vf v = hci_vf_widen(x);
    int whole = hci_vi_round(v, mode);
    whole = hci_vi_max(hci_vi_min(whole, most), least);
    whole = v == HCI_INFINITY ? most : v == -HCI_INFINITY ? least : whole;
    return v != v ? 0 : whole;
}

//= device_convert_char_sat
HCI_FUNCTION int hci_device_convert_char_sat(hci_vh x, hci_rounding mode)
{
    return hci_saturate(x, -128, 127, mode);
}

//= device_convert_uchar_sat
HCI_FUNCTION int hci_device_convert_uchar_sat(hci_vh x, hci_rounding mode)
{
    return hci_saturate(x, 0, 255, mode);
}

//= device_convert_short_sat
HCI_FUNCTION int hci_device_convert_short_sat(hci_vh x, hci_rounding mode)
{
    return hci_saturate(x, -32768, 32767, mode);
}

//= device_convert_ushort_sat
HCI_FUNCTION int hci_device_convert_ushort_sat(hci_vh x, hci_rounding mode)
{
    return hci_saturate(x, 0, 65535, mode);
}

//= device_convert_int_sat
HCI_FUNCTION int hci_device_convert_int_sat(hci_vh x, hci_rounding mode)
{
    return hci_saturate(x, (-2147483647 - 1), 2147483647, mode);
}

//= device_convert_uint_sat
HCI_FUNCTION unsigned int hci_device_convert_uint_sat(hci_vh x, hci_rounding mode)
{
    return x == hci_HALF_INF ? 0xffffffff : (unsigned int)hci_saturate(x, 0, 2147483647, mode);
}

//= device_convert_long_sat
HCI_FUNCTION hci_long hci_device_convert_long_sat(hci_vh x, hci_rounding mode)
{
    const hci_ulong top = (hci_ulong)1 << 63;
    return x == hci_HALF_INF ? (hci_long)(top - 1)
           : x == (hci_HALF_INF | hci_HALF_SIGN)
               ? (hci_long)top
               : hci_saturate(x, (-2147483647 - 1), 2147483647, mode);
}

//= device_convert_ulong_sat
HCI_FUNCTION hci_ulong hci_device_convert_ulong_sat(hci_vh x, hci_rounding mode)
{
    return x == hci_HALF_INF ? 0 - (hci_ulong)1
                             : (hci_ulong)hci_saturate(x, 0, 2147483647, mode);
}

//= fraction_of_word
HCI_FUNCTION hci_vh hci_fraction_of_word(int code, float unit, float least, hci_rounding mode)
{
    hci_vf c = hci_vf_of_int(code), fraction;
    if (mode == hci_RTE) {
        fraction = hci_fraction_of_16_bits(c, unit, mode);
    } else {
        hci_vf start = hci_vf_mul(c, unit), more = unit * (1 + unit + 0x1p-23f);
        hci_vf sum = hci_vf_fma(start, more, start);
        fraction =
            hci_vf_min(hci_rounded_to_odd(sum, hci_rest_of_fma(start, more, start, sum)), 1);
    }
    return hci_rounded_half(hci_vf_max(fraction, least), mode);
}

//= device_from_unorm8
HCI_FUNCTION hci_vh hci_device_from_unorm8(int code, hci_rounding mode)
{
    return hci_rounded_half(hci_fraction_of_8_bits(hci_vf_of_int(code), 255), mode);
}

//= device_from_snorm8
HCI_FUNCTION hci_vh hci_device_from_snorm8(int code, hci_rounding mode)
{
    return hci_rounded_half(hci_vf_max(hci_fraction_of_8_bits(hci_vf_of_int(code), 127), -1),
                            mode);
}

//= device_from_unorm16
HCI_FUNCTION hci_vh hci_device_from_unorm16(int code, hci_rounding mode)
{
    return hci_fraction_of_word(code, 0x1p-16f, 0, mode);
}

//= device_from_snorm16
HCI_FUNCTION hci_vh hci_device_from_snorm16(int code, hci_rounding mode)
{
    return hci_fraction_of_word(code, 0x1p-15f, -1, mode);
}

//= code_of_fraction
/* Returns |x| greatest, an integer in units of 2^-24, rounded to an integer. NaN becomes 0.
 * Beyond 2 all codes are the last one with that sign. */
HCI_FUNCTION int hci_code_of_fraction(hci_vh x, unsigned int greatest, int least,
                                      hci_rounding mode)
{
    const unsigned int one = 1 << 24;
    hci_vf v = hci_vf_widen(x), size = hci_vf_min(hci_vf_abs(v), 2);
    bool minus = v < 0, away = minus ? mode == hci_RTN : mode == hci_RTP;
    hci_ulong exact = (hci_ulong)(unsigned int)(int)hci_vf_mul(size, 0x1p24f) * greatest;
    unsigned int whole = (unsigned int)(exact >> 24), rest = (unsigned int)exact & (one - 1);
    bool up = mode == hci_RTE ? rest + (whole & 1) > one / 2 : away && rest != 0;
    int code = (int)whole + up;
    code = hci_vi_max(hci_vi_min(minus ? -code : code, (int)greatest), least);
    return v != v ? 0 : code;
}

//= device_to_unorm8
HCI_FUNCTION int hci_device_to_unorm8(hci_vh x, hci_rounding mode)
{
    return hci_code_of_fraction(x, 255, 0, mode);
}

//= device_to_snorm8
HCI_FUNCTION int hci_device_to_snorm8(hci_vh x, hci_rounding mode)
{
    return hci_code_of_fraction(x, 127, -128, mode);
}

//= device_to_unorm16
HCI_FUNCTION int hci_device_to_unorm16(hci_vh x, hci_rounding mode)
{
    return hci_code_of_fraction(x, 65535, 0, mode);
}

//= device_to_snorm16
HCI_FUNCTION int hci_device_to_snorm16(hci_vh x, hci_rounding mode)
{
    return hci_code_of_fraction(x, 32767, -32768, mode);
}

//= larger_of_numbers
HCI_FUNCTION hci_vw hci_larger_of_numbers(hci_vw a, hci_vw b)
{
    return hci_vw_select(hci_vw_greater(hci_vw_ordered(b, 0), hci_vw_ordered(a, 0)), b, a);
}

//= smaller_of_numbers
HCI_FUNCTION hci_vw hci_smaller_of_numbers(hci_vw a, hci_vw b)
{
    return hci_vw_select(hci_vw_greater(hci_vw_ordered(a, 0), hci_vw_ordered(b, 0)), b, a);
}

//= second_if_above
HCI_FUNCTION hci_vw hci_second_if_above(hci_vw a, hci_vw b, int nans)
{
    if (!hci_any_nan(a, b))
        return hci_larger_of_numbers(a, b);
    return hci_quiet(
        hci_vw_select(hci_vw_greater(hci_vw_ordered(b, nans), hci_vw_ordered(a, nans)), b, a));
}

//= second_if_below
HCI_FUNCTION hci_vw hci_second_if_below(hci_vw a, hci_vw b, int nans)
{
    if (!hci_any_nan(a, b))
        return hci_smaller_of_numbers(a, b);
    return hci_quiet(
        hci_vw_select(hci_vw_greater(hci_vw_ordered(a, nans), hci_vw_ordered(b, nans)), b, a));
}

//= larger
HCI_FUNCTION hci_vw hci_larger(hci_vw a, hci_vw b)
{
    return hci_second_if_above(a, b, hci_NANS_ABOVE);
}

//= smaller
HCI_FUNCTION hci_vw hci_smaller(hci_vw a, hci_vw b)
{
    return hci_second_if_below(a, b, hci_NANS_BELOW);
}

//= larger_number
HCI_FUNCTION hci_vw hci_larger_number(hci_vw a, hci_vw b)
{
    return hci_second_if_above(a, b, hci_NANS_BELOW);
}

//= smaller_number
HCI_FUNCTION hci_vw hci_smaller_number(hci_vw a, hci_vw b)
{
    return hci_second_if_below(a, b, hci_NANS_ABOVE);
}

//= with_sign
HCI_FUNCTION hci_vw hci_with_sign(hci_vw a, hci_vw b)
{
    return hci_vw_or(hci_magnitude_of(a), hci_vw_and(b, hci_vw_set(hci_HALF_SIGN)));
}

//= signum_of
/* -1, 0 or 1, or the NaN itself; zero without sign, as in NumPy. */
HCI_FUNCTION hci_vw hci_signum_of(hci_vw a)
{
    hci_vw one = hci_with_sign(hci_vw_set(hci_HALF_ONE), a);
    return hci_vw_select(hci_is_nan(a), hci_quiet(a),
                         hci_vw_select(hci_is_false(a), hci_vw_set(0), one));
}

//= clipped
/* Any NaN gives a NaN. */
HCI_FUNCTION hci_vw hci_clipped(hci_vw a, hci_vw low, hci_vw high)
{
    return hci_smaller(hci_larger(a, low), high);
}

//= MAG_NANS_ABOVE
#define hci_MAG_NANS_ABOVE (-0x8000)

//= MAG_NANS_BELOW
#define hci_MAG_NANS_BELOW (0x7fff - (2 * hci_HALF_INF + 1))

//= magnitude_key
HCI_FUNCTION hci_vw hci_magnitude_key(hci_vw a, int offset)
{
    hci_vw positive = hci_vw_select(hci_vw_greater(a, hci_vw_set(0)), hci_vw_set(offset + 1),
                                    hci_vw_set(offset));
    return hci_vw_add(hci_vw_add(a, a), positive);
}

//= larger_magnitude
HCI_FUNCTION hci_vw hci_larger_magnitude(hci_vw a, hci_vw b)
{
    hci_vw x = hci_magnitude_key(a, hci_MAG_NANS_BELOW),
           y = hci_magnitude_key(b, hci_MAG_NANS_BELOW);
    return hci_quiet(hci_vw_select(hci_vw_greater(y, x), b, a));
}

//= smaller_magnitude
HCI_FUNCTION hci_vw hci_smaller_magnitude(hci_vw a, hci_vw b)
{
    hci_vw x = hci_magnitude_key(a, hci_MAG_NANS_ABOVE),
           y = hci_magnitude_key(b, hci_MAG_NANS_ABOVE);
    return hci_quiet(hci_vw_select(hci_vw_greater(x, y), b, a));
}

//= step_at_zero
/* 0 below zero, 1 above, b at zero: NumPy's heaviside. */
HCI_FUNCTION hci_vw hci_step_at_zero(hci_vw a, hci_vw b)
{
    hci_vw step = hci_vw_select(hci_vw_negative(a), hci_vw_set(0), hci_vw_set(hci_HALF_ONE));
    return hci_quiet(hci_vw_select(hci_is_false(a), b, hci_vw_select(hci_is_nan(a), a, step)));
}

//= x_unless
HCI_FUNCTION hci_vw hci_x_unless(hci_wm other, hci_vw x, hci_vw y)
{
    hci_wm nan = hci_is_nan(x);
    hci_vw quiet_x = hci_vw_select(nan, hci_vw_or(x, hci_vw_set(hci_HALF_QUIET)), x);
    return hci_vw_select(hci_wm_and(other, hci_wm_not(nan)), y, quiet_x);
}

//= second_if_greater
HCI_FUNCTION hci_vw hci_second_if_greater(hci_vw x, hci_vw y)
{
    if (!hci_any_nan(x, y))
        return hci_larger_of_numbers(x, y);
    return hci_x_unless(
        hci_vw_greater(hci_vw_ordered(y, hci_NANS_BELOW), hci_vw_ordered(x, hci_NANS_BELOW)), x,
        y);
}

//= second_if_less
HCI_FUNCTION hci_vw hci_second_if_less(hci_vw x, hci_vw y)
{
    if (!hci_any_nan(x, y))
        return hci_smaller_of_numbers(x, y);
    return hci_x_unless(
        hci_vw_greater(hci_vw_ordered(x, hci_NANS_ABOVE), hci_vw_ordered(y, hci_NANS_ABOVE)), x,
        y);
}

//= clamp_of
/* fmin(fmax(x, low), high), where the key of the maximum is the maximum of keys. */
HCI_FUNCTION hci_vw hci_clamp_of(hci_vw x, hci_vw low, hci_vw high)
{
    hci_vw key = hci_vw_ordered(x, hci_NANS_BELOW),
           low_key = hci_vw_ordered(low, hci_NANS_BELOW);
    hci_vw larger = hci_vw_select(hci_vw_greater(low_key, key), low, x);
    hci_vw larger_key =
        hci_vw_add(hci_vw_max(low_key, key), hci_vw_set(hci_NANS_ABOVE - hci_NANS_BELOW));
    return hci_quiet(hci_vw_select(
        hci_vw_greater(larger_key, hci_vw_ordered(high, hci_NANS_ABOVE)), high, larger));
}

//= step_at
/* 0 for x below the edge, otherwise 1. */
HCI_FUNCTION hci_vw hci_step_at(hci_vw edge, hci_vw x)
{
    return hci_vw_select(hci_is_less(x, edge), hci_vw_set(0), hci_vw_set(hci_HALF_ONE));
}

//= sign_of
/* -1, 1, or the zero itself; 0 for NaN. */
HCI_FUNCTION hci_vw hci_sign_of(hci_vw x)
{
    hci_vw one = hci_with_sign(hci_vw_set(hci_HALF_ONE), x);
    return hci_vw_select(hci_is_nan(x), hci_vw_set(0), hci_vw_select(hci_is_false(x), x, one));
}

//= modf_of
HCI_FUNCTION hci_vf hci_modf_of(hci_vf a, hci_vf *whole)
{
    *whole = hci_vf_trunc(a);
    return hci_vf_copysign(hci_vf_above_trunc(a), a);
}

//= fract_of
/* Returns a minus its floor, and the floor. The difference is exact in float; rounded to half
 * it could be 1, which it must not be. Zero is positive in every mode, except for -0 and
 * -infinity. (The minimum compares bits, which are in the order of positive floats.) */
HCI_FUNCTION hci_vf hci_fract_of(hci_vf a, hci_vf *whole)
{
    hci_vf rest = hci_vf_above_floor(a), below_one = hci_vf_set(0x1.ffcp-1f);
    hci_vf below =
        hci_vf_of_bits(hci_vi_min(hci_vf_bits(hci_vf_abs(rest)), hci_vf_bits(below_one)));
    *whole = hci_vf_floor(a);
    return hci_vf_select(hci_vf_zero_or_special(a), hci_vf_copysign(rest, a), below);
}

//= EXPONENT_AT
#define hci_EXPONENT_AT (23)

//= EXPONENT_BIAS
#define hci_EXPONENT_BIAS (127)

//= FLOAT_ONE_HALF
#define hci_FLOAT_ONE_HALF (0x3f000000)

//= exponent_of
/* Returns the exponent of the leading bit: the least for zero, the greatest for infinity and
 * NaN. */
HCI_FUNCTION hci_vi hci_exponent_of(hci_vf a)
{
    hci_vi biased = hci_vi_shift_right(hci_vf_bits(hci_vf_abs(a)), hci_EXPONENT_AT);
    return hci_vi_sub(biased, hci_vi_set(hci_EXPONENT_BIAS));
}

//= frexp_of
HCI_FUNCTION hci_vf hci_frexp_of(hci_vf a, hci_vi *exponent)
{
    hci_vm no_exponent = hci_vf_zero_or_special(a);
    hci_vi significand = hci_vi_and(hci_vf_bits(a), hci_vi_set(~hci_FLOAT_INF));
    hci_vf mantissa = hci_vf_of_bits(hci_vi_or(significand, hci_vi_set(hci_FLOAT_ONE_HALF)));
    *exponent = hci_vi_select(no_exponent, hci_vi_set(0),
                              hci_vi_add(hci_exponent_of(a), hci_vi_set(1)));
    return hci_vf_select(no_exponent, a, mantissa);
}

//= ilogb_of
HCI_FUNCTION hci_vi hci_ilogb_of(hci_vf x)
{
    hci_vi exponent = hci_vi_select(hci_vf_equal(x, hci_vf_set(0)),
                                    hci_vi_set((-2147483647 - 1)), hci_exponent_of(x));
    return hci_vi_select(hci_vf_special(x), hci_vi_set(2147483647), exponent);
}

//= logb_of
HCI_FUNCTION hci_vf hci_logb_of(hci_vf x)
{
    hci_vf exponent = hci_vf_of_int(hci_exponent_of(x));
    exponent =
        hci_vf_select(hci_vf_equal(x, hci_vf_set(0)), hci_vf_set(-HCI_INFINITY), exponent);
    return hci_vf_select(hci_vf_special(x), hci_vf_abs(x), exponent);
}

//= nan_of
/* Returns a quiet NaN with the code's low bits. */
HCI_FUNCTION hci_vw hci_nan_of(hci_vw code)
{
    return hci_vw_or(hci_vw_and(code, hci_vw_set(hci_HALF_QUIET - 1)),
                     hci_vw_set(hci_HALF_NAN));
}

//= vf_round_away
HCI_FUNCTION hci_vf hci_vf_round_away(hci_vf a)
{
    return hci_vf_trunc(hci_vf_add(a, hci_vf_copysign(hci_vf_set(0.5f), a)));
}

//= rint_of
HCI_FUNCTION hci_vf hci_rint_of(hci_vf a, hci_rounding mode)
{
    (void)mode;
    return hci_vf_rint(a);
}

//= ceil_of
HCI_FUNCTION hci_vf hci_ceil_of(hci_vf a, hci_rounding mode)
{
    (void)mode;
    return hci_vf_ceil(a);
}

//= floor_of
HCI_FUNCTION hci_vf hci_floor_of(hci_vf a, hci_rounding mode)
{
    (void)mode;
    return hci_vf_floor(a);
}

//= trunc_of
HCI_FUNCTION hci_vf hci_trunc_of(hci_vf a, hci_rounding mode)
{
    (void)mode;
    return hci_vf_trunc(a);
}

//= round_of
HCI_FUNCTION hci_vf hci_round_of(hci_vf a, hci_rounding mode)
{
    (void)mode;
    return hci_vf_round_away(a);
}

//= tanh_of
HCI_FUNCTION hci_vf hci_tanh_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    const float most = 4.515625f;
    hci_vf size = hci_vn_least_abs(x, hci_vf_set(most));
    hci_vf growth = hci_piecewise(size, 31 / most, hci_tanh_growth, 4);
    hci_vf result = hci_vf_copysign(hci_vn_fma_cut(size, growth, size), x);
    return hci_vf_fixed(result, x,
                        ((hci_ITS_NAN) | (0) << 8 | (hci_MINUS_1) << 16 | (hci_PLUS_1) << 20 |
                         (hci_AS_COMPUTED) << 24),
                        0);
}

//= hyperbolic_parts
/* Pieces of sinh and cosh of |x|, as wide as step. The last one is beyond half's range. Since
 * the functions grow fast, their polynomials are in r, the distance of |x| from the middle. */
typedef struct {
    hci_vf size, r;
    hci_vi piece;
} hci_hyperbolic_parts;

//= hyperbolic_parts_of
HCI_FUNCTION hci_hyperbolic_parts hci_hyperbolic_parts_of(hci_vf x)
{
    const float step = 0.390625f;
    hci_vf size = hci_vn_least_abs(x, hci_vf_set(31 * step)), shift = hci_vf_set(0x1.8p23f);
    hci_vf shifted = hci_vn_fma(size, hci_vf_set(1 / step), shift);
    hci_vf r = hci_vn_fnma(hci_vn_sub(shifted, shift), hci_vf_set(step), size);
    return HCI_MAKE(hci_hyperbolic_parts){size, r, hci_vf_bits(shifted)};
}

//= sinh_of
/* |x| + |x| growth, where growth is large enough to change the result. */
HCI_FUNCTION hci_vf hci_sinh_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_hyperbolic_parts parts = hci_hyperbolic_parts_of(x);
    hci_vf growth = hci_piecewise_at(parts.r, parts.piece, hci_sinh_growth, 5);
    hci_vf result = hci_vf_copysign(hci_vn_fma(parts.size, growth, parts.size), x);
    return hci_vf_fixed(result, x,
                        ((hci_ITS_NAN) | (hci_ITSELF) << 8 | (hci_ITS_INF) << 16 |
                         (hci_ITS_INF) << 20 | (hci_AS_COMPUTED) << 24),
                        0);
}

//= cosh_of
/* Inexact except at 0. */
HCI_FUNCTION hci_vf hci_cosh_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_hyperbolic_parts parts = hci_hyperbolic_parts_of(x);
    hci_vf slope = hci_piecewise_at(parts.r, parts.piece, hci_cosh_polynomial + 32, 4);
    hci_vf result =
        hci_inexact_fma_odd(parts.r, slope, hci_vf_look_up32(hci_cosh_polynomial, parts.piece));
    return hci_vf_fixed(result, x,
                        ((hci_ITS_NAN) | (hci_PLUS_1) << 8 | (hci_PLUS_INF) << 16 |
                         (hci_ITS_INF) << 20 | (hci_AS_COMPUTED) << 24),
                        0);
}

//= atan_of
HCI_FUNCTION hci_vf hci_atan_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf size = hci_vf_abs(x);
    hci_vm steep = hci_vf_less(hci_vf_set(1), size);
    size = hci_vn_inverse_where(steep, size);
    hci_vf angle =
        hci_vn_fma_cut(size, hci_piecewise(size, 31, hci_atan_growth_in_pieces, 3), size);
    return hci_vf_copysign(hci_vn_complement_where(steep, angle, hci_vf_set(0x1.921fb6p0f)), x);
}

//= asin_of
/* In the first nine pieces the result is |x| + |x| growth; beyond, pi/2 + sqrt(1 - |x|) factor.
 * Both are one polynomial in pieces, and one sum, rounded up so that it stays above |x|. 1 -
 * |x| shows which x are special. */
HCI_FUNCTION hci_vf hci_asin_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf size = hci_vf_abs(x), rest = hci_vn_sub(hci_vf_set(1), size);
    hci_vm steep = hci_vf_less(hci_vf_set(8.5f / 31), size);
    hci_vf factor = hci_vn_root_where(steep, rest, size);
    hci_vf start = hci_vf_select(steep, hci_vf_set(0x1.921fb6p0f), size);
    hci_vf angle = hci_vn_fma_up(factor, hci_piecewise(size, 31, hci_asin_in_pieces, 3), start);
    angle = hci_vf_fixed(angle, rest,
                         ((hci_ITS_NAN) | (hci_HALF_PI) << 8 | (hci_A_NAN) << 16 |
                          (hci_A_NAN) << 20 | (hci_A_NAN) << 24) |
                             ((hci_PLUS_0) << 12),
                         hci_INVALID_BELOW_0 | hci_INVALID_AT_MINUS_INF);
    return hci_vf_copysign(angle, x);
}

//= acos_of
/* sqrt(1 - |x|) factor, or pi, as a sum of two floats, minus that. One half has an angle so
 * near to a number at which half rounds that processors' estimates would decide. */
HCI_FUNCTION hci_vf hci_acos_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vm obtuse = hci_vf_sign(x);
    hci_vf size = hci_vf_abs(x), rest = hci_vn_sub(hci_vf_set(1), size);
    hci_vf factor = hci_piecewise(size, 31, hci_acos_in_pieces, 3);
    hci_vf low = hci_vf_zero_where(hci_vm_not(obtuse), hci_vf_set(0x1.777a5cp-24f));
    hci_vf angle = hci_vf_fixed(hci_vn_fma(hci_root_by_estimate(rest), factor, low), rest,
                                ((hci_ITS_NAN) | (hci_PLUS_0) << 8 | (hci_A_NAN) << 16 |
                                 (hci_A_NAN) << 20 | (hci_A_NAN) << 24),
                                hci_INVALID_BELOW_0 | hci_INVALID_AT_MINUS_INF);
    angle = hci_vn_complement_where(obtuse, angle, hci_vf_set(0x1.921fb6p1f));
    return hci_vf_select(hci_vf_equal(x, hci_vf_set(0x1.fb4p-12f)), hci_vf_set(0x1.920002p0f),
                         angle);
}

//= unfold
/* Turns the angle to the nearest axis into that of the point. */
HCI_FUNCTION hci_vf hci_unfold(hci_vf angle, hci_vf y, hci_vf x, float half_turn)
{
    hci_vm steep = hci_vf_less(hci_vf_abs(x), hci_vf_abs(y));
    angle = hci_vn_complement_where(steep, angle, hci_vf_set(half_turn / 2));
    angle = hci_vn_complement_where(hci_vf_sign(x), angle, hci_vf_set(half_turn));
    return hci_vf_copysign(angle, y);
}

//= ratio
/* The shorter side over the longer one, or a NaN if one of them is (for a NaN and a number min
 * and max return the second operand), and perhaps if one is infinite. */
HCI_FUNCTION hci_vf hci_ratio(hci_vf a, hci_vf b)
{
    return hci_vn_quotient(hci_vn_min(a, b), hci_vn_max(b, a));
}

//= growth_of_atan2
/* For tangents from 0 to 1; in pieces if these are looked up in registers. */
HCI_FUNCTION hci_vf hci_growth_of_atan2(hci_vf tangent)
{
    if (1)
        return hci_piecewise(tangent, 31, hci_atan2_growth_in_pieces, 4);
    hci_vf square = hci_vn_mul(tangent, tangent);
    return hci_vn_mul(square,
                      hci_polynomial(square, hci_atan_growth,
                                     sizeof(hci_atan_growth) / sizeof *(hci_atan_growth)));
}

//= growth_of_atan2pi
HCI_FUNCTION hci_vf hci_growth_of_atan2pi(hci_vf tangent)
{
    if (1)
        return hci_piecewise(tangent, 31, hci_atan2pi_growth_in_pieces, 4);
    hci_vf rest = hci_vn_fnma(tangent, tangent, hci_vf_set(1));
    return hci_vn_mul(rest,
                      hci_polynomial(rest, hci_atanpi_growth,
                                     sizeof(hci_atanpi_growth) / sizeof *(hci_atanpi_growth)));
}

//= atan2_fast
HCI_FUNCTION hci_vf hci_atan2_fast(hci_vf y, hci_vf x, hci_vm *exact_case)
{
    (void)exact_case;
    hci_vf tangent = hci_ratio(hci_vf_abs(x), hci_vf_abs(y));
    return hci_unfold(hci_vn_fma(tangent, hci_growth_of_atan2(tangent), tangent), y, x,
                      0x1.921fb6p1f);
}

//= atan2pi_fast
HCI_FUNCTION hci_vf hci_atan2pi_fast(hci_vf y, hci_vf x, hci_vm *exact_case)
{
    (void)exact_case;
    hci_vf tangent = hci_ratio(hci_vf_abs(x), hci_vf_abs(y)),
           quarter = hci_vn_mul(tangent, hci_vf_set(0.25f));
    return hci_unfold(hci_vn_fma(tangent, hci_growth_of_atan2pi(tangent), quarter), y, x, 1);
}

//= neighbour
HCI_FUNCTION hci_vw hci_neighbour(hci_vw a, hci_vw b, hci_wm *overflow)
{
    hci_vw one = hci_vw_set(1), from = hci_vw_ordered(a, 0), to = hci_vw_ordered(b, 0);
    hci_wm away = hci_wm_xor(hci_vw_greater(to, from), hci_vw_negative(a));
    hci_vw next = hci_vw_add(a, hci_vw_select(away, one, hci_vw_set(-1)));
    next = hci_vw_select(hci_is_false(a), hci_with_sign(one, b), next);
    next = hci_vw_select(hci_vw_equal(from, to), b, next);
    next =
        hci_vw_select(hci_wm_or(hci_is_nan(a), hci_is_nan(b)), hci_vw_set(hci_HALF_NAN), next);
    *overflow = hci_wm_or(*overflow, hci_wm_and(hci_is_inf(next), hci_is_finite(a)));
    return next;
}

//= power_of_two_below
HCI_FUNCTION hci_vw hci_power_of_two_below(hci_vw a)
{
    hci_vw exponent = hci_vw_set(hci_HALF_INF), magnitude = hci_magnitude_of(a),
           power = hci_vw_and(a, exponent);
    hci_wm lower = hci_wm_and(hci_vw_negative(a),
                              hci_wm_and(hci_vw_equal(power, magnitude), hci_is_true(a)));
    return hci_vw_select(lower, hci_vw_and(hci_vw_sub(magnitude, hci_vw_set(1)), exponent),
                         power);
}

//= unit_of
HCI_FUNCTION hci_vf hci_unit_of(hci_vf power)
{
    return hci_vf_max(hci_vf_mul(power, hci_vf_set(0x1p-10f)), hci_vf_set(0x1p-24f));
}

//= finite_divisor
HCI_FUNCTION hci_vf hci_finite_divisor(hci_vf y)
{
    return hci_vf_of_bits(hci_vi_min(hci_vf_bits(y), hci_vf_bits(hci_vf_set(0x1p17f))));
}

//= take_multiple
/* Subtracts a multiple of 128 y from x. If x is 512 y or more, that is more than half of x, and
 * less than 2^-7 x + 128 y remains; otherwise the result is meaningless. */
HCI_FUNCTION hci_vf hci_take_multiple(hci_vf x, hci_vf y, hci_vf inverse)
{
    hci_vf below = hci_vf_mul(x, hci_vf_mul(inverse, hci_vf_set((1 - 0x1p-9f) / 128)));
    hci_vf nine_bits = hci_vf_of_bits(hci_vi_and(hci_vf_bits(below), hci_vi_set(-(1 << 15))));
    return hci_vf_nmuladd(hci_vf_trunc(nine_bits), hci_vf_mul(y, hci_vf_set(128)), x);
}

//= divide_down
/* Returns x / y rounded down to an integer, or 1 less than that, after subtracting multiples of
 * 128 y from x until the quotient by the estimate, whose relative error is 2^-11, has an error
 * of less than 1 / 4. */
HCI_FUNCTION hci_vf hci_divide_down(hci_vf *x, hci_vf y, hci_vf inverse)
{
    for (;;) {
        hci_vf quotient = hci_vf_muladd(*x, inverse, hci_vf_set(-0.25f));
        hci_vm large = hci_vf_less(hci_vf_set(512), quotient);
        if (!hci_vm_any(large))
            return hci_vf_trunc(quotient);
        *x = hci_vf_select(large, hci_take_multiple(*x, y, inverse), *x);
    }
}

//= fmod_of
HCI_FUNCTION hci_vf hci_fmod_of(hci_vf a, hci_vf b, hci_rounding mode)
{
    (void)mode;
    hci_vf x = hci_vf_abs(a), y = hci_finite_divisor(hci_vf_abs(b));
    hci_vf quotient = hci_divide_down(&x, y, hci_vf_reciprocal_estimate(hci_vf_abs(b)));
    hci_vf rest = hci_vf_nmuladd(quotient, y, x);
    rest = hci_vf_select(hci_vf_less_equal(y, rest), hci_vf_sub(rest, y), rest);
    return hci_vf_copysign(rest, a);
}

//= low_bits
/* Returns the bits of an integer, if it is below 2^23; 0 for NaN. */
HCI_FUNCTION hci_vi hci_low_bits(hci_vf integer, int mask)
{
    return hci_vi_and(hci_vf_bits(hci_vf_add(integer, hci_vf_set(0x1p23f))), hci_vi_set(mask));
}

//= divide_nearest
/* Returns the quotient to nearest, ties to even, except for multiples of 128; and the remaining
 * part of x. The bits of magnitudes are in the order of these, so that adding 1 decides
 * ties. */
HCI_FUNCTION hci_vf hci_divide_nearest(hci_vf x, hci_vf y, hci_vf inverse, hci_vf *quotient)
{
    *quotient = hci_divide_down(&x, y, inverse);
    hci_vf rest = hci_vf_nmuladd(*quotient, y, x);
    hci_vi doubled =
        hci_vi_add(hci_vf_bits(hci_vf_add(rest, rest)), hci_low_bits(*quotient, 1));
    hci_vm past_middle = hci_vi_less(hci_vf_bits(y), doubled);
    *quotient = hci_vf_select(past_middle, hci_vf_add(*quotient, hci_vf_set(1)), *quotient);
    return hci_vf_select(past_middle, hci_vf_sub(rest, y), rest);
}

//= signed_rest
/* Flips the sign if a is negative; a zero has a's sign. */
HCI_FUNCTION hci_vf hci_signed_rest(hci_vf rest, hci_vf a)
{
    rest = hci_vf_select(hci_vf_equal(rest, hci_vf_set(0)), hci_vf_set(0), rest);
    return hci_vf_of_bits(hci_vi_xor(
        hci_vf_bits(rest), hci_vi_and(hci_vf_bits(a), hci_vi_set((-2147483647 - 1)))));
}

//= remquo_of
HCI_FUNCTION hci_vf hci_remquo_of(hci_vf a, hci_vf b, hci_vi *quotient)
{
    hci_vf x = hci_vf_abs(a), y = hci_vf_abs(b), count;
    hci_vf rest =
        hci_divide_nearest(x, hci_finite_divisor(y), hci_vf_reciprocal_estimate(y), &count);
    hci_vi seven_bits = hci_low_bits(count, 0x7f);
    hci_vi minus = hci_vi_shift_right(hci_vi_xor(hci_vf_bits(a), hci_vf_bits(b)), 31);
    *quotient = hci_vi_sub(hci_vi_xor(seven_bits, minus), minus);
    return hci_signed_rest(rest, a);
}

//= remainder_of
HCI_FUNCTION hci_vf hci_remainder_of(hci_vf a, hci_vf b, hci_rounding mode)
{
    (void)mode;
    hci_vi unused;
    return hci_remquo_of(a, b, &unused);
}

//= cbrt_of
/* With r = 1 / cbrt(x) nearly and h = 1 - x r^3, the root is x r^2 (1 - h)^(-2/3). */
HCI_FUNCTION hci_vf hci_cbrt_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vf r = hci_vf_copysign(hci_vf_rcbrt_estimate(hci_vf_abs(x)), x);
    hci_vf root = hci_vn_mul(hci_vn_mul(r, r), x), h = hci_vn_fnma(root, r, hci_vf_set(1));
    root = hci_vn_fma(
        hci_vn_mul(root, h),
        hci_polynomial(h, hci_cbrt_growth, sizeof(hci_cbrt_growth) / sizeof *(hci_cbrt_growth)),
        root);
    return hci_vf_fixed(root, x,
                        ((hci_ITS_NAN) | (hci_ITSELF) << 8 | (hci_ITSELF) << 16 |
                         (hci_ITSELF) << 20 | (hci_AS_COMPUTED) << 24),
                        0);
}

//= HALF_OF_13_BITS
#define hci_HALF_OF_13_BITS (0 ? 0 : 1 << 10)

//= rsqrt_of
HCI_FUNCTION hci_vf hci_rsqrt_of(hci_vf x, hci_rounding mode)
{
    (void)mode;
    hci_vi bits =
        hci_vi_add(hci_vf_bits(hci_vf_rsqrt_estimate(x)), hci_vi_set(hci_HALF_OF_13_BITS));
    hci_vf r = hci_vf_of_bits(hci_vi_and(bits, hci_vi_set(-(1 << 11))));
    hci_vf h = hci_vn_fnma(hci_vn_mul(x, r), r, hci_vf_set(1));
    hci_vf growth = hci_vn_mul(h, hci_vn_fma(hci_vf_set(0.375f), h, hci_vf_set(0.5f)));
    hci_vf result = hci_vn_positive_fma_odd(r, growth, r);
    return hci_vf_fixed(result, x,
                        ((hci_ITS_NAN) | (hci_ITS_INF) << 8 | (hci_A_NAN) << 16 |
                         (hci_PLUS_0) << 20 | (hci_A_NAN) << 24),
                        hci_POLE_AT_0 | hci_INVALID_AT_MINUS_INF | hci_INVALID_BELOW_0);
}

//= extended
typedef struct {
    hci_ulong size;
    int exponent;
} hci_extended;

//= first_bit
#define hci_first_bit ((hci_ulong)(0x8000000000000000))

//= extended_of
HCI_FUNCTION hci_extended hci_extended_of(hci_ulong size, int exponent)
{
    int shift = size == 0 ? 0 : hci_leading_zeros(size);
    return HCI_MAKE(hci_extended){size << shift, exponent - shift};
}

//= in_units
/* Returns a in units of 2^unit, truncated; it fits 64 bits. */
HCI_FUNCTION hci_ulong hci_in_units(hci_extended a, int unit)
{
    int shift = unit - a.exponent;
    return 0 <= shift && shift < 64 ? a.size >> shift : 0;
}

//= float_of_extended
/* Returns a rounded to odd: 24 bits with a sticky bit. */
HCI_FUNCTION hci_vf hci_float_of_extended(hci_extended a, bool minus)
{
    int fraction = (int)(a.size >> 40), inexact = (a.size << 24) != 0;
    int bits = (a.exponent + 63 + 126) * (1 << 23) + (fraction | inexact);
    hci_vf value = a.size == 0 ? 0 : hci_vf_of_bits(bits);
    return minus ? -value : value;
}

//= a_bit_more
/* Returns a number that is inexact, although its bits are those of a shorter one: adds one in
 * the last place. */
HCI_FUNCTION hci_extended hci_a_bit_more(hci_extended a)
{
    return HCI_MAKE(hci_extended){a.size | 1, a.exponent};
}

//= extended_product
HCI_FUNCTION hci_extended hci_extended_product(hci_extended a, hci_extended b)
{
    return hci_extended_of(hci_mul_high(a.size, b.size), a.exponent + b.exponent + 64);
}

//= extended_sum
/* Returns a + b, or a - b, for a >= b. */
HCI_FUNCTION hci_extended hci_extended_sum(hci_extended a, hci_extended b, bool minus)
{
    int unit = a.exponent + 1;
    hci_ulong size = a.size >> 1, other = hci_in_units(b, unit);
    return hci_extended_of(minus ? size - other : size + other, unit);
}

//= inverse_of_size
/* Returns 2^126 / size, for a size whose top bit is set, within 2^-61: two steps of Newton's
 * method from a quotient of 32 bits. */
HCI_FUNCTION hci_ulong hci_inverse_of_size(hci_ulong size)
{
    hci_ulong inverse = ((hci_first_bit - 1) / (size >> 32)) << 31;
    for (int k = 0; k < 2; ++k) {
        hci_ulong two_less_product = hci_first_bit - hci_mul_high(size, inverse);
        inverse = hci_mul_high(inverse << 1, two_less_product << 1);
    }
    return inverse;
}

//= extended_quotient
HCI_FUNCTION hci_extended hci_extended_quotient(hci_extended a, hci_extended b)
{
    hci_ulong quotient = hci_mul_high(a.size, hci_inverse_of_size(b.size));
    return hci_extended_of(quotient, a.exponent - b.exponent - 62);
}

//= ODD_TERMS
#define hci_ODD_TERMS (12)

//= EXP2_TERMS
#define hci_EXP2_TERMS (18)

//= inverse_odd
/* 1 / (2 k + 1) from k = 1 on, in units of 2^-64. */
HCI_TABLE(hci_ulong, hci_inverse_odd, []) = {
    0x5555555555555555, 0x3333333333333333, 0x2492492492492492, 0x1c71c71c71c71c71,
    0x1745d1745d1745d1, 0x13b13b13b13b13b1, 0x1111111111111111, 0x0f0f0f0f0f0f0f0f,
    0x0d79435e50d79435, 0x0c30c30c30c30c30, 0x0b21642c8590b216, 0x0a3d70a3d70a3d70};

//= exp2_terms
/* log(2)^k / k! from k = 1 on, in units of 2^-64. */
HCI_TABLE(hci_ulong, hci_exp2_terms,
          []) = {0xb17217f7d1cf79ab, 0x3d7f7bff058b1d50, 0x0e35846b82505fc5, 0x0276556df749cee5,
                 0x005761ff9e299cc4, 0x000a184897c363c3, 0x0000ffe5fe2c4586, 0x0000162c0223a5c8,
                 0x000001b5253d395e, 0x0000001e4cf5158b, 0x00000001e8cac735, 0x000000001c3bd650,
                 0x0000000001816193, 0x0000000000131496, 0x000000000000e1b7, 0x00000000000009c7,
                 0x0000000000000066, 0x0000000000000003};

//= odd_series
/* Returns s + s^3 / 3 + s^5 / 5 + ..., atanh(s); if alternating, s - s^3 / 3 + ..., atan(s).
 * For s < 0.172, where the next term is below 2^-66 s. */
HCI_FUNCTION hci_extended hci_odd_series(hci_extended s, bool alternating)
{
    hci_ulong square = hci_in_units(hci_extended_product(s, s), -64),
              tail = hci_inverse_odd[hci_ODD_TERMS - 1];
    for (int k = hci_ODD_TERMS - 2; k >= 0; --k) {
        hci_ulong rest = hci_mul_high(tail, square);
        tail = hci_inverse_odd[k] + (alternating ? 0 - rest : rest);
    }
    hci_ulong growth = hci_mul_high(tail, square) >> 1;
    return hci_extended_product(
        s, hci_extended_of(hci_first_bit + (alternating ? 0 - growth : growth), -63));
}

//= extended_log2
/* Returns log2(x), x > 0: its magnitude, and whether it is negative. It is 0 for 1 only, and
 * its relative error near 1 is as small as elsewhere: x = 2^octaves m, m from 0.707 to 1.414,
 * and the logarithm of m is 2 / log(2) atanh(s), s = (m - 1) / (m + 1). */
HCI_FUNCTION hci_extended hci_extended_log2(hci_extended x, bool *minus)
{
    const hci_ulong root_of_2 = 0xb504f333f9de6484;
    bool below = x.size > root_of_2;
    int octaves = x.exponent + 63 + (below ? 1 : 0);
    hci_extended rest = hci_extended_of(below ? 0 - x.size : x.size - hci_first_bit, -63);
    hci_extended sum = {(x.size >> 1) + (below ? hci_first_bit : hci_first_bit >> 1), -62};
    hci_extended slope = {0xb8aa3b295c17f0bb, -62};
    hci_extended log =
        hci_extended_product(hci_odd_series(hci_extended_quotient(rest, sum), false), slope);
    *minus = octaves == 0 ? below : octaves < 0;
    if (octaves == 0)
        return log;
    hci_extended whole = hci_extended_of((hci_ulong)(octaves < 0 ? -octaves : octaves), 0);
    return hci_extended_sum(whole, log, *minus != below);
}

//= extended_exp2
/* Returns 2^t, or 2^-t, for 0 <= t < 64: for the fraction by the series of e^x. */
HCI_FUNCTION hci_extended hci_extended_exp2(hci_extended t, bool minus)
{
    int whole = (int)hci_in_units(t, 0), shift = t.exponent + 64;
    hci_ulong fraction = shift >= 0 ? t.size << shift : hci_in_units(t, -64);
    if (minus) {
        whole = fraction == 0 ? -whole : -whole - 1;
        fraction = 0 - fraction;
    }
    hci_ulong growth = hci_exp2_terms[hci_EXP2_TERMS - 1];
    for (int k = hci_EXP2_TERMS - 2; k >= 0; --k)
        growth = hci_exp2_terms[k] + hci_mul_high(growth, fraction);
    return HCI_MAKE(hci_extended){hci_first_bit + (hci_mul_high(growth, fraction) >> 1),
                                  whole - 63};
}

//= half_in_units
/* Returns a half, given as a float, in units of 2^-24. */
HCI_FUNCTION hci_long hci_half_in_units(hci_vf x)
{
    return (hci_long)hci_vf_mul(x, 0x1p24f);
}

//= ANGLE_SLACK
#define hci_ANGLE_SLACK (2)

//= atan_8ths
/* atan(k / 8), in units of 2^-64. */
HCI_TABLE(hci_ulong, hci_atan_8ths,
          []) = {0x0000000000000000, 0x1fd5ba9aac2f6dc6, 0x3eb6ebf25901bac5,
                 0x5bd86507937bc239, 0x76b19c1586ed3da2, 0x8f005d5ef7f59f9b,
                 0xa4bc7d1934f70924, 0xb8053e2bc2319e73, 0xc90fdaa22168c234};

//= slope_of_point
/* height / width * 2^-depth <= 1, for significands of 11 bits. */
typedef struct {
    hci_ulong height, width;
    int depth;
} hci_slope_of_point;

//= slope_of
/* For finite 0 < height <= width. */
HCI_FUNCTION hci_slope_of_point hci_slope_of(hci_vf height, hci_vf width)
{
    int low = hci_magnitude_bits(height), high = hci_magnitude_bits(width);
    const int fraction = (1 << 23) - 1, one = 1 << 23;
    return HCI_MAKE(hci_slope_of_point){(hci_ulong)((low & fraction) | one) >> hci_FLOAT_CUT,
                                        (hci_ulong)((high & fraction) | one) >> hci_FLOAT_CUT,
                                        (high >> 23) - (low >> 23)};
}

//= small_angle
/* Returns the angle of a tangent below 2^-12: it is smaller than the tangent by less than 2^-25
 * of that. If the tangent is no number at which half rounds, it differs from every such number
 * by at least 2^-23 of itself, and the angle lies between the same two; if it is one, the angle
 * lies just below it. So it is truncated, and decreased if that is exact. */
HCI_FUNCTION hci_extended hci_small_angle(hci_slope_of_point of)
{
    return hci_extended_of(((of.height << 40) - 1) / of.width | 1, -40 - of.depth);
}

//= extended_atan
/* Returns the arc tangent: that of the nearest multiple c of 1/8, plus the series of the rest,
 * whose tangent is (y - c x) / (x + c y). */
HCI_FUNCTION hci_extended hci_extended_atan(hci_slope_of_point of)
{
    hci_ulong tangent = (of.height << (44 - of.depth)) / of.width;
    hci_ulong k = (tangent + ((hci_ulong)1 << 40)) >> 41;
    hci_ulong y = 8 * of.height, x = of.width << of.depth;
    bool below = y < k * x;
    hci_extended rest = hci_extended_of(below ? k * x - y : y - k * x, 0);
    hci_extended angle = hci_odd_series(
        hci_extended_quotient(rest, hci_extended_of(8 * x + k * of.height, 0)), true);
    return k == 0 ? angle
                  : hci_extended_sum(hci_extended_of(hci_atan_8ths[k], -64), angle, below);
}

//= special_half_turns
/* Returns the angle without its sign if it is a multiple of 1/4 of a half turn; otherwise 2. */
HCI_FUNCTION hci_vf hci_special_half_turns(hci_vf y, hci_vf x)
{
    hci_vf height = hci_vf_abs(y), width = hci_vf_abs(x);
    bool flat = height == 0 || (width == HCI_INFINITY && height < HCI_INFINITY);
    bool upright = !flat && (width == 0 || (height == HCI_INFINITY && width < HCI_INFINITY));
    hci_vf angle = flat ? 0 : upright ? 0.5f : height == width ? 0.25f : 2.0f;
    return hci_vf_sign(x) && angle < 2 ? 1 - angle : angle;
}

//= plain_angle
/* Returns the angle of a point off the axes; half_turn is a half turn in the unit of the
 * result. */
HCI_FUNCTION hci_vf hci_plain_angle(hci_vf y, hci_vf x, bool in_half_turns)
{
    const hci_extended inverse_pi = {0xa2f9836e4e441529, -65}, pi = {0xc90fdaa22168c234, -62};
    hci_vf height = hci_vf_abs(y), width = hci_vf_abs(x);
    bool steep = height > width, minus = y < 0;
    hci_slope_of_point of = hci_slope_of(steep ? width : height, steep ? height : width);
    if (of.depth > 12 && !in_half_turns && !steep && x > 0)
        return hci_float_of_extended(hci_small_angle(of), minus);
    hci_extended angle = hci_extended_atan(of),
                 turn = in_half_turns ? hci_extended_of(1, 0) : pi;
    if (in_half_turns)
        angle = hci_extended_product(angle, inverse_pi);
    if (steep)
        angle =
            hci_extended_sum(HCI_MAKE(hci_extended){turn.size, turn.exponent - 1}, angle, true);
    if (x < 0)
        angle = hci_extended_sum(turn, angle, true);
    return hci_float_of_extended(hci_a_bit_more(angle), minus);
}

//= decide_angle
HCI_RARE hci_vf hci_decide_angle(hci_vf y, hci_vf x, bool in_half_turns)
{
    if (hci_vf_unordered(x, y))
        return HCI_NAN;
    hci_vf special = hci_special_half_turns(y, x);
    if (special == 2)
        return hci_plain_angle(y, x, in_half_turns);
    return hci_vf_copysign(in_half_turns ? special : hci_vf_mul(special, 0x1.921fb6p1f), y);
}

//= decide_atan2
HCI_RARE hci_vf hci_decide_atan2(hci_vf y, hci_vf x)
{
    return hci_decide_angle(y, x, false);
}

//= decide_atan2pi
HCI_RARE hci_vf hci_decide_atan2pi(hci_vf y, hci_vf x)
{
    return hci_decide_angle(y, x, true);
}

//= usable_divisor
/* Replaces an infinite b (any finite a is smaller than 2^17) and a zero. */
HCI_FUNCTION hci_vf hci_usable_divisor(hci_vf b, hci_vm zero)
{
    hci_vm infinite = hci_vf_equal(hci_vf_abs(b), hci_vf_set(HCI_INFINITY));
    b = hci_vf_select(infinite, hci_vf_copysign(hci_vf_set(0x1p17f), b), b);
    return hci_vf_select(zero, hci_vf_set(1), b);
}

//= floors_below
/* Returns whether the floor is one below the truncated quotient. */
HCI_FUNCTION hci_vm hci_floors_below(hci_vf rest, hci_vf b)
{
    hci_vf zero = hci_vf_set(0);
    return hci_vm_or(hci_vm_and(hci_vf_less(rest, zero), hci_vf_less(zero, b)),
                     hci_vm_and(hci_vf_less(zero, rest), hci_vf_less(b, zero)));
}

//= floored_remainder
HCI_FUNCTION hci_vf hci_floored_remainder(hci_vf rest, hci_vf b, hci_rounding mode)
{
    hci_vf moved = hci_vf_select(hci_floors_below(rest, b), hci_vf_sum(rest, b, mode), rest);
    return hci_vf_select(hci_vf_equal(moved, hci_vf_set(0)), hci_vf_copysign(moved, b), moved);
}

//= floored_quotient
/* Returns the floor of a / b as a float, and a / b itself if b is zero. */
HCI_FUNCTION hci_vf hci_floored_quotient(hci_vf a, hci_vf b, hci_vm zero, hci_vf quotient,
                                         hci_vf rest)
{
    hci_vf one = hci_vf_set(1);
    quotient = hci_vf_select(hci_floors_below(rest, b), hci_vf_sub(quotient, one), quotient);
    quotient = hci_vf_select(hci_vf_equal(rest, rest), quotient, rest);
    if (hci_vm_any(zero)) {
        hci_vf plain = hci_vf_div(hci_vf_select(zero, a, one), hci_vf_select(zero, b, one));
        quotient = hci_vf_select(zero, plain, quotient);
    }
    return quotient;
}

//= remainder_by_steps
HCI_FUNCTION hci_vf hci_remainder_by_steps(hci_vf a, hci_vf b, hci_vf *quotient)
{
    hci_vf inverse = hci_vf_reciprocal_estimate(b);
    inverse = hci_vf_fma(inverse, hci_vf_fnma(b, inverse, hci_vf_set(1)), inverse);
    hci_vf first = hci_vf_rint(hci_vf_mul(a, inverse)), rest = hci_vf_fnma(first, b, a);
    hci_vf second = hci_vf_rint(hci_vf_mul(rest, inverse));
    *quotient = hci_vf_select(first == 0, first, hci_vf_add(first, second));
    return hci_vf_fnma(second, b, rest);
}

//= floor_division
HCI_FUNCTION hci_vf hci_floor_division(hci_vf a, hci_vf b, hci_vf *rest, hci_rounding mode)
{
    hci_vf quotient, one = hci_vf_set(1);
    hci_vm zero = hci_vf_equal(b, hci_vf_set(0));
    hci_vf divisor = hci_usable_divisor(b, zero);
    hci_vf rest_of_steps =
        hci_remainder_by_steps(hci_vf_select(zero, one, a), divisor, &quotient);
    *rest =
        hci_vf_select(zero, hci_vf_set(HCI_NAN), hci_floored_remainder(rest_of_steps, b, mode));
    return hci_floored_quotient(a, b, zero, quotient, rest_of_steps);
}

//= wide
typedef struct {
    hci_ulong low, middle, high;
} hci_wide;

//= wide_of
HCI_FUNCTION hci_wide hci_wide_of(hci_ulong a)
{
    return HCI_MAKE(hci_wide){a, 0, 0};
}

//= wide_sum
HCI_FUNCTION hci_wide hci_wide_sum(hci_wide a, hci_wide b)
{
    hci_ulong low = a.low + b.low, carry = low < a.low;
    hci_ulong part = a.middle + carry, middle = part + b.middle;
    hci_ulong next = (hci_ulong)(part < carry) + (hci_ulong)(middle < part);
    return HCI_MAKE(hci_wide){low, middle, a.high + b.high + next};
}

//= wide_negative
HCI_FUNCTION hci_wide hci_wide_negative(hci_wide a)
{
    return hci_wide_sum(HCI_MAKE(hci_wide){~a.low, ~a.middle, ~a.high}, hci_wide_of(1));
}

//= wide_difference
HCI_FUNCTION hci_wide hci_wide_difference(hci_wide a, hci_wide b)
{
    return hci_wide_sum(a, hci_wide_negative(b));
}

//= wide_product
HCI_FUNCTION hci_wide hci_wide_product(hci_wide a, hci_ulong b)
{
    hci_ulong part = a.middle * b, middle = part + hci_mul_high(a.low, b);
    hci_ulong high = a.high * b + hci_mul_high(a.middle, b) + (hci_ulong)(middle < part);
    return HCI_MAKE(hci_wide){a.low * b, middle, high};
}

//= wide_shifted
/* a 2^count, for 0 <= count < 192. */
HCI_FUNCTION hci_wide hci_wide_shifted(hci_wide a, int count)
{
    for (; count >= 64; count -= 64)
        a = HCI_MAKE(hci_wide){0, a.low, a.middle};
    int rest = 63 - count;
    return HCI_MAKE(hci_wide){a.low << count, a.middle << count | a.low >> 1 >> rest,
                              a.high << count | a.middle >> 1 >> rest};
}

//= wide_is_negative
HCI_FUNCTION bool hci_wide_is_negative(hci_wide a)
{
    return a.high >> 63 != 0;
}

//= wide_compare
/* -1, 0 or 1 as a is less than, equal to or greater than b. */
HCI_FUNCTION int hci_wide_compare(hci_wide a, hci_wide b)
{
    hci_wide rest = hci_wide_difference(a, b);
    bool same = (rest.low | rest.middle | rest.high) == 0;
    return same ? 0 : hci_wide_is_negative(rest) ? -1 : 1;
}

//= wide_to_float
HCI_FUNCTION hci_vf hci_wide_to_float(hci_wide a, int exponent)
{
    bool negative = hci_wide_is_negative(a);
    hci_wide size = negative ? hci_wide_negative(a) : a;
    if ((size.low | size.middle | size.high) == 0)
        return 0;
    for (; size.high == 0; exponent -= 64)
        size = hci_wide_shifted(size, 64);
    int zeros = hci_leading_zeros(size.high);
    size = hci_wide_shifted(size, zeros);
    bool inexact = (size.high << 24 | size.middle | size.low) != 0;
    hci_vf significand = (float)((hci_vi)(size.high >> 40) | (hci_vi)inexact);
    hci_vf result =
        hci_vf_mul(significand, hci_vf_of_bits((exponent - zeros + 168 + 127) * (1 << 23)));
    return negative ? -result : result;
}

//= HALF_UNIT
#define hci_HALF_UNIT (-24)

//= units_of
HCI_FUNCTION hci_long hci_units_of(hci_vf a)
{
    return (hci_long)hci_vf_mul(a, 0x1p24f);
}

//= size_of_units
HCI_FUNCTION hci_ulong hci_size_of_units(hci_long units)
{
    return (hci_ulong)(units < 0 ? -units : units);
}

//= short_float
/* A normal float of 12 bits, the number significand 2^exponent. */
typedef struct {
    hci_ulong significand;
    int exponent;
} hci_short_float;

//= short_float_of
HCI_FUNCTION hci_short_float hci_short_float_of(hci_vf a)
{
    hci_vi bits = hci_vf_bits(a);
    return HCI_MAKE(hci_short_float){(hci_ulong)((bits & 0x007fffff) | 0x00800000) >> 12,
                                     (bits >> 23) - 127 - 11};
}

//= long_sum
typedef struct {
    hci_vf sum, rest, size;
} hci_long_sum;

//= with_rest
HCI_FUNCTION hci_long_sum hci_with_rest(hci_long_sum s, hci_vf rest)
{
    return HCI_MAKE(hci_long_sum){s.sum, hci_vf_add(s.rest, rest),
                                  hci_vf_add(s.size, hci_vf_abs(rest))};
}

//= with_term
HCI_FUNCTION hci_long_sum hci_with_term(hci_long_sum s, hci_vf term)
{
    hci_vf sum = hci_vf_add(s.sum, term);
    return hci_with_rest(HCI_MAKE(hci_long_sum){sum, s.rest, s.size},
                         hci_rest_of_sum(s.sum, term, sum));
}

//= near_sum
/* The sum in two floats, the second one below a unit of the first one's last place; and a bound
 * of their error. */
typedef struct {
    hci_vf sum, rest, slack;
} hci_near_sum;

//= near_sum_of
/* Each of n errors is added with an error of at most 2^-24 size. The bound is twice that, for
 * errors that are no floats. */
HCI_FUNCTION hci_near_sum hci_near_sum_of(hci_long_sum s, int n)
{
    hci_vf sum = hci_vf_add(s.sum, s.rest),
           slack = hci_vf_mul(s.size, (float)(2 * n) * 0x1p-24f);
    return HCI_MAKE(hci_near_sum){sum, hci_rest_of_sum(s.sum, s.rest, sum), slack};
}

//= MOST_COMPONENTS
#define hci_MOST_COMPONENTS (16)

//= widen
HCI_FUNCTION void hci_widen(hci_vh *a, int n, hci_vf *x)
{
    for (int k = 0; k < n; ++k)
        x[k] = hci_vf_widen(a[k]);
}

//= find_units
/* Integers for the loops of a slow path: if no other long loop reads the floats, compilers can
 * keep these in registers. */
HCI_FUNCTION void hci_find_units(hci_vf *x, int n, hci_long *units)
{
    for (int k = 0; k < n; ++k)
        units[k] = hci_units_of(x[k]);
}

//= product_of_units
/* Returns the product in units of 2^-48. */
HCI_FUNCTION hci_wide hci_product_of_units(hci_long a, hci_long b)
{
    hci_wide size = hci_wide_product(hci_wide_of(hci_size_of_units(a)), hci_size_of_units(b));
    return (a < 0) != (b < 0) ? hci_wide_negative(size) : size;
}

//= dot_exactly
HCI_FUNCTION hci_vf hci_dot_exactly(hci_vf *x, hci_vf *y, int n)
{
    hci_long a[hci_MOST_COMPONENTS], b[hci_MOST_COMPONENTS];
    hci_wide sum = hci_wide_of(0);
    hci_find_units(x, n, a);
    hci_find_units(y, n, b);
    for (int k = 0; k < n; ++k)
        sum = hci_wide_sum(sum, hci_product_of_units(a[k], b[k]));
    return hci_wide_to_float(sum, 2 * hci_HALF_UNIT);
}

//= sum_is_hard
/* Returns whether the sum may differ from the float of 24 bits, rounded to odd, that its two
 * parts show: because it cancels, so that its error is half a unit of the last place, or
 * because the error may hide on which side of a number of 12 bits it is. */
HCI_FUNCTION bool hci_sum_is_hard(hci_near_sum s)
{
    bool cancels = hci_vf_mul(s.slack, 0x1p25f) > hci_vf_abs(s.sum);
    bool close = hci_vf_abs(s.rest) <= s.slack && s.slack > 0;
    return cancels || (close && (hci_vf_bits(s.sum) & 0xfff) == 0);
}

//= dot_of
/* Zeros that cancel are negative in rtn, unless all are positive. */
HCI_FUNCTION hci_vf hci_dot_of(hci_vf *x, hci_vf *y, int n, hci_rounding mode)
{
    hci_vf term = hci_vf_mul(x[0], y[0]);
    hci_vi bits = hci_vf_bits(term);
    hci_long_sum s = {term, 0, 0};
    for (int k = 1; k < n; ++k) {
        term = hci_vf_mul(x[k], y[k]);
        bits |= hci_vf_bits(term);
        s = hci_with_term(s, term);
    }
    hci_near_sum near = hci_near_sum_of(s, n);
    bool plain = s.rest == 0 || hci_vf_special(s.sum);
    hci_vf result = plain ? s.sum : hci_rounded_to_odd(near.sum, near.rest);
    if (hci_sum_is_hard(near))
        result = hci_dot_exactly(x, y, n);
    return mode == hci_RTN && result == 0 && bits != 0 ? -0.0f : result;
}

//= root_of_near_sum
/* Returns the root of sum, which is a number and not 0, on the right side of the number of 12
 * bits nearest to an approximation; it lies between that number's neighbours. over is sum minus
 * the square of the number: both are so near that the difference is exact. */
HCI_FUNCTION hci_vf hci_root_of_near_sum(hci_near_sum s, hci_vf *number, hci_vf *over)
{
    *number = hci_nearest_of_12_bits(hci_approximate_root(s.sum));
    *over = hci_vf_add(hci_vf_sub(s.sum, hci_vf_mul(*number, *number)), s.rest);
    return hci_nudge(*number, *over > 0, *over < 0);
}

//= root_of_wide
/* Returns the root of a sum in units of 2^-48, on the right side of the number. The root is
 * 2^-24 or more, the number's last place 2^-35. */
HCI_FUNCTION hci_vf hci_root_of_wide(hci_wide sum, hci_vf number)
{
    hci_short_float root = hci_short_float_of(number);
    hci_wide square = hci_wide_product(hci_wide_of(root.significand), root.significand);
    int side = hci_wide_compare(hci_wide_shifted(sum, 22),
                                hci_wide_shifted(square, 2 * root.exponent + 70));
    return hci_nudge(number, side > 0, side < 0);
}

//= may_hide
/* Returns whether an error may hide a sign. */
HCI_FUNCTION bool hci_may_hide(hci_vf slack, hci_vf value)
{
    return hci_vf_abs(value) <= slack && slack > 0;
}

//= wide_squares
HCI_FUNCTION hci_wide hci_wide_squares(hci_vf *x, int n)
{
    hci_long units[hci_MOST_COMPONENTS];
    hci_wide sum = hci_wide_of(0);
    hci_find_units(x, n, units);
    for (int k = 0; k < n; ++k)
        sum = hci_wide_sum(sum, hci_product_of_units(units[k], units[k]));
    return sum;
}

//= wide_squared_differences
HCI_FUNCTION hci_wide hci_wide_squared_differences(hci_vf *x, hci_vf *y, int n)
{
    hci_long a[hci_MOST_COMPONENTS], b[hci_MOST_COMPONENTS];
    hci_wide sum = hci_wide_of(0);
    hci_find_units(x, n, a);
    hci_find_units(y, n, b);
    for (int k = 0; k < n; ++k)
        sum = hci_wide_sum(sum, hci_product_of_units(a[k] - b[k], a[k] - b[k]));
    return sum;
}

//= sum_of_squares
HCI_FUNCTION hci_long_sum hci_sum_of_squares(hci_vf *x, int n)
{
    hci_long_sum s = {hci_vf_mul(x[0], x[0]), 0, 0};
    for (int k = 1; k < n; ++k)
        s = hci_with_term(s, hci_vf_mul(x[k], x[k]));
    return s;
}

//= special_length
/* An infinite component makes the length infinite, whatever the others are. */
HCI_FUNCTION hci_vf hci_special_length(hci_vf *x, int n)
{
    bool infinite = false;
    for (int k = 0; k < n; ++k)
        infinite = infinite || hci_vf_abs(x[k]) == HCI_INFINITY;
    return infinite ? HCI_INFINITY : HCI_NAN;
}

//= length_of
HCI_FUNCTION hci_vf hci_length_of(hci_vf *x, int n)
{
    hci_vf number, over;
    hci_near_sum s = hci_near_sum_of(hci_sum_of_squares(x, n), n);
    hci_vf root = hci_root_of_near_sum(s, &number, &over);
    if (hci_vf_special(s.sum))
        root = hci_special_length(x, n);
    else if (hci_may_hide(s.slack, over))
        root = hci_root_of_wide(hci_wide_squares(x, n), number);
    return s.sum == 0 ? 0 : root;
}

//= hypotenuse
/* x^2 + y^2 is exactly the sum of two floats. */
HCI_FUNCTION hci_vf hci_hypotenuse(hci_vf x, hci_vf y)
{
    hci_vf xx = hci_vf_mul(x, x), yy = hci_vf_mul(y, y), sum = hci_vf_add(xx, yy), number, over;
    hci_vf root = hci_root_of_near_sum(
        HCI_MAKE(hci_near_sum){sum, hci_rest_of_sum(xx, yy, sum), 0}, &number, &over);
    bool infinite = xx == HCI_INFINITY || yy == HCI_INFINITY;
    root = hci_vf_special(sum) || sum == 0 ? sum : root;
    return infinite ? HCI_INFINITY : root;
}

//= with_squared_difference
/* Adds the square of x - y, which is d + r with its rounding error r: d^2 in two floats, 2 d r
 * within 2^-24 of that, and nothing for r^2, which is below 2^-25 of that. */
HCI_FUNCTION hci_long_sum hci_with_squared_difference(hci_long_sum s, hci_vf x, hci_vf y)
{
    hci_vf d = hci_vf_sub(x, y), r = hci_rest_of_sum(x, -y, d), square = hci_vf_mul(d, d);
    s = hci_with_term(s, square);
    s = hci_with_rest(s, hci_vf_fma(d, d, -square));
    return hci_with_rest(s, hci_vf_mul(hci_vf_add(d, d), r));
}

//= special_distance
/* Infinite if a difference is, otherwise NaN. */
HCI_FUNCTION hci_vf hci_special_distance(hci_vf *x, hci_vf *y, int n)
{
    bool infinite = false;
    for (int k = 0; k < n; ++k)
        infinite = infinite || hci_vf_abs(hci_vf_sub(x[k], y[k])) == HCI_INFINITY;
    return infinite ? HCI_INFINITY : HCI_NAN;
}

//= distance_of
HCI_FUNCTION hci_vf hci_distance_of(hci_vf *x, hci_vf *y, int n)
{
    hci_vf number, over;
    hci_long_sum all = {0, 0, 0};
    for (int k = 0; k < n; ++k)
        all = hci_with_squared_difference(all, x[k], y[k]);
    hci_near_sum s = hci_near_sum_of(all, 3 * n);
    hci_vf root = hci_root_of_near_sum(s, &number, &over);
    if (hci_vf_special(all.sum))
        root = hci_special_distance(x, y, n);
    else if (hci_may_hide(s.slack, over))
        root = hci_root_of_wide(hci_wide_squared_differences(x, y, n), number);
    return all.sum == 0 ? 0 : root;
}

//= ratio_of_wide
/* Returns the ratio of x to the root of squares, on the right side of the number of 12 bits
 * nearest to it, by the sign of x^2 - number^2 squares. The number is 2^-26 or more, its last
 * place 2^-37, and both terms are then less than 2^110. */
HCI_FUNCTION hci_vf hci_ratio_of_wide(hci_long x, hci_wide sum, hci_vf number)
{
    hci_short_float ratio = hci_short_float_of(number);
    hci_wide square = hci_wide_shifted(hci_product_of_units(x, x), -2 * ratio.exponent);
    hci_wide other = hci_wide_product(sum, ratio.significand * ratio.significand);
    int side = hci_wide_compare(square, other);
    return hci_nudge(number, side > 0, side < 0);
}

//= ratio_to_root
/* Returns the magnitude of the ratio to the root of a sum of squares, where inverse is nearly 1
 * / root. The difference of x^2 and the greater part of number^2 sum is exact, and the rest of
 * that is rounded once. */
HCI_FUNCTION hci_vf hci_ratio_to_root(hci_vf x, hci_near_sum s, hci_vf inverse, hci_vf *number,
                                      bool *hard)
{
    hci_vf near = hci_vf_mul(hci_vf_abs(x), inverse);
    *number = hci_nearest_of_12_bits(near);
    hci_vf factor = hci_vf_mul(*number, *number), most = hci_vf_mul(factor, s.sum);
    hci_vf rest = hci_vf_fnma(factor, s.rest, hci_vf_fnma(factor, s.sum, most));
    hci_vf over = hci_vf_add(hci_vf_fma(x, x, -most), rest);
    hci_vf slack = hci_vf_fma(hci_vf_abs(rest), 0x1p-23f,
                              hci_vf_mul(factor, hci_vf_add(s.slack, s.slack)));
    bool counts = near >= 0x1p-26f;
    *hard = counts && hci_may_hide(slack, over);
    return counts ? hci_nudge(*number, over > 0, over < 0) : near;
}

//= beside_infinity
/* Finite components count as zeros if others are infinite, which count as 1. */
HCI_FUNCTION hci_vf hci_beside_infinity(hci_vf x)
{
    return hci_vf_copysign(hci_vf_abs(x) == HCI_INFINITY ? 1 : 0, x);
}

//= solve_ratios
/* Decides the ratios whose bits in hard are set, from the numbers of 12 bits next to them. */
HCI_FUNCTION void hci_solve_ratios(hci_vf *x, int n, hci_vi hard, hci_vf *numbers,
                                   hci_vf *ratios)
{
    hci_long units[hci_MOST_COMPONENTS];
    hci_vf solved[hci_MOST_COMPONENTS];
    hci_wide sum = hci_wide_squares(x, n);
    hci_find_units(x, n, units);
    for (int k = 0; k < n; ++k)
        solved[k] = hci_vf_abs(numbers[k]);
    for (int k = 0; k < n; ++k)
        solved[k] = hci_ratio_of_wide(units[k], sum, solved[k]);
    for (int k = 0; k < n; ++k)
        ratios[k] = (hard >> k & 1) != 0 ? solved[k] : ratios[k];
}

//= normalize
/* Zeros stay as they are, and so does the vector of zeros; one NaN makes all components NaN. */
HCI_FUNCTION void hci_normalize(hci_vf *x, int n)
{
    hci_vf numbers[hci_MOST_COMPONENTS], ratios[hci_MOST_COMPONENTS];
    hci_vi any_hard = 0;
    hci_long_sum all = hci_sum_of_squares(x, n);
    if (all.sum == HCI_INFINITY) {
        for (int k = 0; k < n; ++k)
            x[k] = hci_beside_infinity(x[k]);
        all = hci_sum_of_squares(x, n);
    }
    hci_near_sum s = hci_near_sum_of(all, n);
    hci_vf estimate = hci_inverse_root(s.sum);
    hci_vf inverse = hci_vf_special(s.sum) ? HCI_NAN : s.sum == 0 ? 0 : estimate;
    for (int k = 0; k < n; ++k) {
        bool hard;
        ratios[k] = hci_ratio_to_root(x[k], s, inverse, numbers + k, &hard);
        any_hard |= (hci_vi)hard << k;
    }
    if (any_hard != 0)
        hci_solve_ratios(x, n, any_hard, numbers, ratios);
    for (int k = 0; k < n; ++k)
        x[k] = hci_vf_copysign(ratios[k], x[k]);
}

//= cross_component
/* Returns a b - c d rounded to odd: two exact products and one addition. */
HCI_FUNCTION hci_vf hci_cross_component(hci_vf a, hci_vf b, hci_vf c, hci_vf d,
                                        hci_rounding mode)
{
    return hci_sum_to_odd(hci_vf_mul(a, b), hci_vf_mul(-c, d), mode);
}

//= smoothstep_of
/* Differences and quotient each have an error of half a unit of float's last place: relatively
 * at most 2^-24 / m, where m is the significand in [1, 2) of the number rounded. In t t (3 - 2
 * t) the error of t counts 2 - 2 t / (3 - 2 t) times, plus three more roundings. In units of
 * the last place, with s the significand of the result, this is s / 2 ((2 - 2 t / (3 - 2 t)) (2
 * + 1 / m(t)) + 1 / m(t t) + 1 / m(3 - 2 t)) + 1 / 2, which is at most 7.8 (for t just below
 * 2^k / sqrt(3)). Results of 0 and 1 are exact where t is outside (0, 1): the rounding of
 * differences and quotients is monotonic. A quotient of 1 may be rounded up; it gives a hard
 * case. So do NaNs, which have few bits. */
HCI_FUNCTION hci_vf hci_smoothstep_of(hci_vf edge0, hci_vf edge1, hci_vf x, hci_vm *exact_case)
{
    hci_vf zero = hci_vf_set(0), one = hci_vf_set(1);
    hci_vf width = hci_vf_add(hci_vf_sub(edge1, edge0), zero);
    hci_vf t = hci_vf_div(hci_vf_sub(x, edge0), width);
    hci_vm below = hci_vf_less_equal(t, zero), above = hci_vf_less(one, t);
    t = hci_vf_select(below, zero, hci_vf_select(above, one, t));
    *exact_case = hci_vm_or(below, above);
    return hci_vf_mul(hci_vf_mul(t, t), hci_vf_fnma(hci_vf_set(2), t, hci_vf_set(3)));
}

//= sum_of_three
HCI_FUNCTION hci_vf hci_sum_of_three(hci_vf a, hci_vf b, hci_vf c)
{
    hci_vf first = hci_vf_add(a, b), first_rest = hci_rest_of_sum(a, b, first);
    hci_vf second = hci_vf_add(first, c), second_rest = hci_rest_of_sum(first, c, second);
    hci_vf rest = hci_vf_add(first_rest, second_rest),
           least = hci_rest_of_sum(first_rest, second_rest, rest);
    hci_vf sum = hci_vf_add(second, rest);
    return hci_rounded_to_odd(sum, hci_vf_add(hci_rest_of_sum(second, rest, sum), least));
}

//= mix_exactly
/* Returns x - x a + y a, with the zeros, infinities and NaNs of x + (y - x) a in float. If the
 * sum is zero and x is not, it is exact: a difference of more than 24 bits has a factor that x
 * has not. */
HCI_FUNCTION hci_vf hci_mix_exactly(hci_vf x, hci_vf y, hci_vf a, hci_rounding mode)
{
    hci_rounding of_zeros = mode == hci_RTN ? hci_RTN : hci_RTE;
    hci_vf exact = hci_sum_of_three(x, hci_vf_mul(-x, a), hci_vf_mul(y, a));
    hci_vf plain = hci_vf_sum(x, hci_vf_mul(hci_vf_difference(y, x, of_zeros), a), of_zeros);
    return exact == 0 || hci_vf_special(plain) ? plain : exact;
}

//= mix_in_float
/* If the difference is a float, one fused operation is enough, unless its result has so few
 * bits that the sum may be on either side of it. */
HCI_FUNCTION hci_vf hci_mix_in_float(hci_vf x, hci_vf y, hci_vf a, hci_rounding mode)
{
    hci_vf difference = hci_vf_sub(y, x), sum = hci_vf_fma(difference, a, x);
    bool exact = hci_rest_of_sum(y, -x, difference) == 0;
    if (!exact || (hci_vf_bits(sum) & 0xfff) == 0)
        return hci_mix_exactly(x, y, a, mode);
    return sum;
}

//= compare_smoothstep_to_float
/* Returns the sign of t t (3 - 2 t) - s 2^e, where t = n / d: it is the sign of n n (3 d - 2 n)
 * 2^-e - s d d d, numbers of up to 162 and 135 bits, for t t (3 - 2 t) of at least about
 * 2^-26. */
HCI_FUNCTION int hci_compare_smoothstep_to_float(hci_ulong n, hci_ulong d,
                                                 hci_short_float bound)
{
    hci_wide numerator = hci_wide_product(hci_wide_product(hci_wide_of(n), n), 3 * d - 2 * n);
    hci_wide cube = hci_wide_product(hci_wide_product(hci_wide_of(d), d), d);
    return hci_wide_compare(hci_wide_shifted(numerator, -bound.exponent),
                            hci_wide_product(cube, bound.significand));
}

//= smoothstep_exactly
/* Returns the result that is near, not 0, on the right side of the number at which half
 * rounds. */
HCI_RARE hci_vf hci_smoothstep_exactly(hci_vf edge0, hci_vf edge1, hci_vf x, hci_vf near)
{
    hci_long start = hci_units_of(edge0);
    hci_ulong n = hci_size_of_units(hci_units_of(x) - start);
    hci_ulong d = hci_size_of_units(hci_units_of(edge1) - start);
    hci_vf number = hci_nearest_of_12_bits(near);
    int side = hci_compare_smoothstep_to_float(n < d ? n : d, d, hci_short_float_of(number));
    return hci_nudge(number, side > 0, side < 0);
}

//= smoothstep_closely
/* Returns the result if the differences are floats, from the value and its rounding errors: the
 * relative error is within 2^-38, most of it from the remainder of the quotient divided by an
 * estimate. If only the last product is inexact, it decides exactly. */
HCI_FUNCTION hci_vf hci_smoothstep_closely(hci_vf n, hci_vf d, hci_vf near, bool *hard)
{
    hci_vf t = hci_vf_div(n, d),
           lost = hci_vf_mul(hci_vf_fnma(t, d, n), hci_vf_reciprocal_estimate(d));
    hci_vf square = hci_vf_mul(t, t), square_rest = hci_vf_fma(t, t, -square);
    hci_vf factor = hci_vf_fnma(hci_vf_set(2), t, hci_vf_set(3));
    hci_vf factor_rest = hci_rest_of_sum(hci_vf_set(3), hci_vf_mul(hci_vf_set(-2), t), factor);
    hci_vf slope = hci_vf_mul(hci_vf_mul(hci_vf_set(6), t), hci_vf_sub(hci_vf_set(1), t));
    hci_vf value = hci_vf_mul(square, factor), rest = hci_vf_fma(square, factor, -value);
    hci_vf rests = hci_vf_fma(slope, lost,
                              hci_vf_fma(square_rest, factor, hci_vf_mul(square, factor_rest)));
    bool exact = lost == 0 && square_rest == 0 && factor_rest == 0;
    hci_vf number = hci_nearest_of_12_bits(near);
    hci_vf over = hci_vf_add(hci_vf_sub(value, number), hci_vf_add(rest, rests));
    *hard = !exact && hci_vf_abs(over) <= hci_vf_mul(value, 0x1p-38f);
    return hci_nudge(number, over > 0, over < 0);
}

//= smoothstep_hard_case_of
HCI_FUNCTION hci_vf hci_smoothstep_hard_case_of(hci_vf edge0, hci_vf edge1, hci_vf x,
                                                hci_vf near)
{
    bool hard;
    hci_vf n = hci_vf_sub(x, edge0), d = hci_vf_sub(edge1, edge0);
    bool are_floats =
        hci_rest_of_sum(x, -edge0, n) == 0 && hci_rest_of_sum(edge1, -edge0, d) == 0;
    hci_vf result = hci_smoothstep_closely(n, d, near, &hard);
    return are_floats && !hard ? result : hci_smoothstep_exactly(edge0, edge1, x, near);
}

//= smoothstep_in_float
/* Results below 2^-25 round alike. The division here, within 2^-24 and 2^-46, uses none of the
 * slack. */
HCI_FUNCTION hci_vf hci_smoothstep_in_float(hci_vf edge0, hci_vf edge1, hci_vf x)
{
    hci_vm exact_case;
    hci_vf result = hci_smoothstep_of(edge0, edge1, x, &exact_case);
    bool hard = hci_vf_hard_cases(result, 8, exact_case) && result >= 0x1p-26f;
    return hard ? hci_smoothstep_hard_case_of(edge0, edge1, x, result) : result;
}

//= POWER_ABOVE
#define hci_POWER_ABOVE (-4)

//= log2_parts
/* log2(x) = first + rest, and sum is nearly that. A hard case unless x is finite and > 0.
 *
 * With s = factor * x - scale, which is exact, log2(x) is exponent + step + log2(1 + s /
 * scale). Exponent and step have an exact sum. The last term is s plus a correction of at most
 * 1/40 of s. Near 1 step is 0, and so the relative error of the logarithm is as small as
 * elsewhere. */
typedef struct {
    hci_vf first, rest, sum;
} hci_log2_parts;

//= log2_from
/* Computes it from exponent + step; first is the float nearest to the logarithm, or one beside
 * it. */
HCI_FUNCTION hci_log2_parts hci_log2_from(hci_vf step, hci_vf s)
{
    hci_vf correction = hci_polynomial(
        s, hci_log2_correction, sizeof(hci_log2_correction) / sizeof *(hci_log2_correction));
    hci_vf sum = hci_vn_add(step, hci_vn_fma(s, correction, s));
    hci_vf rest = hci_vn_add(hci_vn_sub(step, sum), s);
    return HCI_MAKE(hci_log2_parts){sum, hci_vn_fma(s, correction, rest), sum};
}

//= log2_of
/* A third table costs less than it saves: exponent, step and s are multiples of 2^-19, and
 * their sum is exact. The rounding error of step is added to the rest. */
HCI_FUNCTION hci_log2_parts hci_log2_of(hci_vf x)
{
    hci_vf significand = hci_vn_significand(x);
    hci_vi cell = hci_vf_bits(
        hci_vn_fma(significand, hci_vf_set(hci_power_cells), hci_vf_set(0x1.8p23f)));
    hci_vf step = hci_vn_add(hci_vn_exponent(x), hci_vf_look_up32(hci_power_steps, cell));
    hci_vf s = hci_vn_fma(significand, hci_vf_look_up32(hci_power_factors, cell),
                          hci_vf_set(-hci_power_scale));
    hci_vf rest = hci_vn_fma(
        s,
        hci_polynomial(s, hci_power_correction,
                       sizeof(hci_power_correction) / sizeof *(hci_power_correction)),
        hci_vf_look_up32(hci_power_rests, cell));
    hci_vf first = hci_vn_add(step, s);
    return HCI_MAKE(hci_log2_parts){first, rest, hci_vn_add(first, rest)};
}

//= exp2_of
HCI_FUNCTION hci_vf hci_exp2_of(hci_vf a, hci_vf b, hci_log2_parts log)
{
    const hci_vf shift = hci_vf_set(0x1.8p19f);
    hci_vf shifted = hci_vn_fma(a, log.sum, shift), rounded = hci_vn_sub(shifted, shift);
    hci_vf f = hci_vn_fma(b, log.rest, hci_vn_fms(a, log.first, rounded));
    hci_vf power = hci_vf_look_up16(hci_powers_above, hci_vf_bits(shifted));
    hci_vf growth =
        hci_polynomial(f, hci_exp2_growth, sizeof(hci_exp2_growth) / sizeof *(hci_exp2_growth));
    return hci_vn_scale(hci_vn_fma(hci_vn_mul(power, f), growth, power), rounded);
}

//= power_of
/* x^y for x > 0. */
HCI_FUNCTION hci_vf hci_power_of(hci_vf x, hci_vf y)
{
    hci_log2_parts log = hci_log2_of(x);
    return hci_exp2_of(y, y, log);
}

//= pow_fast
HCI_FUNCTION hci_vf hci_pow_fast(hci_vf x, hci_vf y, hci_vm *exact_case)
{
    (void)exact_case;
    return hci_power_of(x, y);
}

//= is_integral
HCI_FUNCTION hci_vm hci_is_integral(hci_vf y)
{
    return hci_vf_equal(hci_vf_rint(y), y);
}

//= is_odd_integer
HCI_FUNCTION hci_vm hci_is_odd_integer(hci_vf y)
{
    return hci_vm_and_not(hci_is_integral(y), hci_is_integral(hci_vf_mul(y, hci_vf_set(0.5f))));
}

//= float_of
/* Returns n as a float; powers and roots do not change in half beyond 2^18. */
HCI_FUNCTION hci_vf hci_float_of(hci_vi n)
{
    return hci_vf_of_int(
        hci_vi_max(hci_vi_min(n, hci_vi_set(1 << 18)), hci_vi_set(-(1 << 18))));
}

//= with_sign_of_power
/* Gives a magnitude the sign of x if n is odd. */
HCI_FUNCTION hci_vf hci_with_sign_of_power(hci_vf size, hci_vf x, hci_vi n)
{
    hci_vi sign = hci_vi_and(hci_vf_bits(x), hci_vi_shift_left(n, 31));
    return hci_vf_of_bits(hci_vi_or(hci_vf_bits(size), sign));
}

//= product_of
HCI_FUNCTION hci_vf hci_product_of(hci_vf x, hci_vi factors)
{
    hci_vf square = hci_vn_mul(x, x), fourth = hci_vn_mul(square, square);
    hci_vf power = hci_vf_select(hci_vi_has(factors, 1), x, hci_vf_set(1));
    power = hci_vn_mul_where(hci_vi_has(factors, 2), power, square);
    return hci_vn_mul_where(hci_vi_has(factors, 4), power, fourth);
}

//= is_exact_square
HCI_FUNCTION hci_vm hci_is_exact_square(hci_vf x, hci_vi n)
{
    return hci_vm_and(hci_vi_below(n, hci_vi_set(3)), hci_vf_equal(x, x));
}

//= pown_by_logarithm
HCI_FUNCTION hci_vf hci_pown_by_logarithm(hci_vf x, hci_vf y, hci_vm *exact_case)
{
    (void)exact_case;
    hci_vi n = hci_vf_bits(y);
    return hci_with_sign_of_power(hci_power_of(hci_vf_abs(x), hci_float_of(n)), x, n);
}

//= rootn_fast
/* 1 / n = inverse * (1 + rest), where inverse has 11 bits. */
HCI_FUNCTION hci_vf hci_rootn_fast(hci_vf x, hci_vf y, hci_vm *exact_case)
{
    hci_vi n = hci_vf_bits(y);
    hci_vf divisor = hci_float_of(n), size = hci_vf_select(hci_vi_has(n, 1), hci_vf_abs(x), x);
    hci_log2_parts log = hci_log2_of(size);
    hci_vi bits =
        hci_vi_add(hci_vf_bits(hci_vn_div(hci_vf_set(1), divisor)), hci_vi_set(1 << 12));
    hci_vf inverse = hci_vf_of_bits(hci_vi_and(bits, hci_vi_set(-(1 << 13))));
    hci_vf rest = hci_vn_fnma(divisor, inverse, hci_vf_set(1));
    log.rest = hci_vn_fma(hci_vn_fma(rest, rest, rest), log.sum, log.rest);
    hci_vf root = hci_exp2_of(inverse, inverse, log);
    hci_vm itself = hci_vm_and_not(hci_vi_equal(n, hci_vi_set(1)), hci_vf_special(x));
    *exact_case = itself;
    return hci_vf_select(itself, x, hci_with_sign_of_power(root, x, n));
}

//= add_1
/* Returns 1 + x as a float, and its rounding error, which has one bit, and is 0 for x >= 1. */
HCI_FUNCTION hci_vf hci_add_1(hci_vf x, hci_vf *lost)
{
    hci_vf sum = hci_vn_add(hci_vf_set(1), x);
    *lost = hci_vn_sub(x, hci_vn_sub(sum, hci_vf_set(1)));
    return sum;
}

//= log2_of_1_and
/* log2(1 + x), from log2_from. The sum has more bits than a half, so that s, as product -
 * scale, need not be a float: its error is added to the rest. Around 0 it is a float, since
 * scale is short. */
HCI_FUNCTION hci_log2_parts hci_log2_of_1_and(hci_vf x)
{
    hci_vf lost, sum = hci_add_1(x, &lost), significand = hci_vn_significand(sum);
    hci_vi interval = hci_vi_shift_right(hci_vf_bits(significand), 23 - 5);
    hci_vf step = hci_vn_add(hci_vn_exponent(sum), hci_vf_look_up32(hci_log2_steps, interval));
    hci_vf factor = hci_vf_look_up32(hci_log2_factors, interval),
           product = hci_vn_mul(significand, factor);
    hci_vf above = hci_vn_sub(product, hci_vf_set(hci_log2_scale));
    hci_vf lacks =
        hci_vn_sub(hci_vn_mul(lost, factor), hci_vn_fnma(significand, factor, product));
    hci_vf s = hci_vn_add(above, lacks);
    hci_log2_parts log = hci_log2_from(step, s);
    log.rest = hci_vn_add(log.rest, hci_vn_sub(lacks, hci_vn_sub(s, above)));
    return log;
}

//= split_integer
/* n = first + second as floats; beyond 2^29 powers of 1 + x do not change in half. */
HCI_FUNCTION hci_vf hci_split_integer(hci_vi n, hci_vf *second)
{
    n = hci_vi_max(hci_vi_min(n, hci_vi_set(1 << 29)), hci_vi_set(-(1 << 29)));
    hci_vf first = hci_vf_of_int(n);
    *second = hci_vf_of_int(hci_vi_sub(n, hci_vi_round(first, hci_RTE)));
    return first;
}

//= compoundn_fast
HCI_FUNCTION hci_vf hci_compoundn_fast(hci_vf x, hci_vf y, hci_vm *exact_case)
{
    (void)exact_case;
    hci_vf second, first = hci_split_integer(hci_vf_bits(y), &second);
    hci_log2_parts log = hci_log2_of_1_and(x);
    log.rest = hci_vn_fma(first, log.rest, hci_vn_mul(second, log.sum));
    return hci_exp2_of(first, hci_vf_set(1), log);
}

//= dyadic
typedef struct {
    unsigned int odd;
    int exponent;
} hci_dyadic;

//= dyadic_of
/* Returns size * 2^exponent, where size has at most 32 bits from its first to its last. */
HCI_FUNCTION hci_dyadic hci_dyadic_of(hci_ulong size, int exponent)
{
    int zeros = 63 - hci_leading_zeros(size & (0 - size));
    return HCI_MAKE(hci_dyadic){(unsigned int)(size >> zeros), exponent + zeros};
}

//= dyadic_of_half
/* Returns a half other than 0, given as a float. */
HCI_FUNCTION hci_dyadic hci_dyadic_of_half(hci_vf x)
{
    return hci_dyadic_of((hci_ulong)hci_half_in_units(hci_vf_abs(x)), -24);
}

//= ratio_of_integers
/* +-p / q, in lowest terms. */
typedef struct {
    bool minus;
    unsigned int p, q;
} hci_ratio_of_integers;

//= short_power_of
/* Returns a^n, or the first of the powers of a that is 2^12 or more. */
HCI_FUNCTION unsigned int hci_short_power_of(unsigned int a, unsigned int n)
{
    unsigned int power = 1;
    for (unsigned int k = 0; k < n && power < 1 << 12; ++k)
        power *= a;
    return power;
}

//= exact_root
/* Returns the n-th root of an odd number if it is an integer less than 2^12; otherwise 0. */
HCI_FUNCTION unsigned int hci_exact_root(unsigned int odd, unsigned int n)
{
    unsigned int root = 1;
    while (n > 1 && hci_short_power_of(root, n) < odd)
        root += 2;
    return n == 1 ? odd : hci_short_power_of(root, n) == odd ? root : 0;
}

//= exact_power
/* Returns x^y if that has at most 12 bits and lies from 2^-32 to below 2^32; otherwise 0.
 *
 * For y = p / q the number x must be a q-th power: its odd part and its exponent (as in the
 * kernels of double-double). An integer power remains; if it is negative, the odd part must be
 * 1. p and q are clamped to 64: exponents are below 64, and 3^8 has 13 bits. */
HCI_FUNCTION hci_vf hci_exact_power(hci_dyadic x, hci_ratio_of_integers y)
{
    unsigned int p = y.p < 64 ? y.p : 64, q = y.q < 64 ? y.q : 64;
    unsigned int root = hci_exact_root(x.odd, q);
    if (root == 0 || x.exponent % (int)q != 0 || (y.minus && root > 1))
        return 0;
    unsigned int power = hci_short_power_of(root, p);
    if (power >= 1 << 12)
        return 0;
    int exponent = x.exponent / (int)q;
    exponent = exponent == 0 ? 0 : exponent * (y.minus ? -(int)y.p : (int)y.p);
    return hci_float_of_extended(hci_extended_of(power, exponent), false);
}

//= power_by_integers
/* Returns x^y rounded to odd. 2^32 and 2^-32 are far beyond half's range. */
HCI_FUNCTION hci_vf hci_power_by_integers(hci_dyadic x, hci_ratio_of_integers y)
{
    bool minus;
    if (x.odd == 1 && x.exponent == 0)
        return 1;
    hci_extended t = hci_extended_product(
        hci_extended_log2(hci_extended_of(x.odd, x.exponent), &minus), hci_extended_of(y.p, 0));
    if (y.q > 1)
        t = hci_extended_quotient(t, hci_extended_of(y.q, 0));
    minus = minus != y.minus;
    if (t.exponent >= 5 - 63)
        return minus ? 0x1p-100f : 0x1p100f;
    hci_vf exact = hci_exact_power(x, y);
    return exact > 0
               ? exact
               : hci_float_of_extended(hci_a_bit_more(hci_extended_exp2(t, minus)), false);
}

//= limit_of_power
/* Returns the power for x or y that is 0 or infinite; neither |x| = 1 nor y = 0. */
HCI_FUNCTION hci_vf hci_limit_of_power(bool grows, bool positive)
{
    return grows == positive ? HCI_INFINITY : 0;
}

//= is_zero_or_infinite
HCI_FUNCTION bool hci_is_zero_or_infinite(hci_vf x)
{
    return hci_vf_abs(x) == 0 || hci_vf_abs(x) == HCI_INFINITY;
}

//= size_of_integer
/* Exponents that are integers: n / 1, or 1 / n. */
HCI_FUNCTION unsigned int hci_size_of_integer(hci_vi n)
{
    return n < 0 ? 0 - (unsigned int)n : (unsigned int)n;
}

//= magnitude_of_power
/* Returns |x|^y, not for NaNs. */
HCI_FUNCTION hci_vf hci_magnitude_of_power(hci_vf x, hci_vf y)
{
    hci_vf size = hci_vf_abs(x);
    if (y == 0 || size == 1)
        return 1;
    if (hci_is_zero_or_infinite(x) || hci_is_zero_or_infinite(y))
        return hci_limit_of_power(size > 1, y > 0);
    hci_dyadic steps = hci_dyadic_of_half(y);
    bool whole = steps.exponent >= 0;
    unsigned int p = whole ? steps.odd << steps.exponent : steps.odd;
    unsigned int q = whole ? 1 : (unsigned int)1 << -steps.exponent;
    return hci_power_by_integers(hci_dyadic_of_half(x),
                                 HCI_MAKE(hci_ratio_of_integers){y < 0, p, q});
}

//= decide_pow
HCI_RARE hci_vf hci_decide_pow(hci_vf x, hci_vf y)
{
    if (y == 0 || x == 1)
        return 1;
    bool undefined = x < 0 && x > -HCI_INFINITY && !hci_is_integral(y);
    if (hci_vf_unordered(x, y) || undefined)
        return HCI_NAN;
    hci_vf size = hci_magnitude_of_power(x, y);
    return hci_is_odd_integer(y) ? hci_vf_copysign(size, x) : size;
}

//= decide_powr
HCI_RARE hci_vf hci_decide_powr(hci_vf x, hci_vf y)
{
    bool undefined =
        x == 1 ? hci_is_zero_or_infinite(y) && y != 0 : hci_is_zero_or_infinite(x) && y == 0;
    return hci_vf_unordered(x, y) || x < 0 || undefined ? HCI_NAN
                                                        : hci_magnitude_of_power(x, y);
}

//= decide_pown
HCI_RARE hci_vf hci_decide_pown(hci_vf x, hci_vf second)
{
    hci_vi n = hci_vf_bits(second);
    if (n == 0 || x == 1)
        return 1;
    if (x != x)
        return HCI_NAN;
    hci_vf size = hci_is_zero_or_infinite(x)
                      ? hci_limit_of_power(x != 0, n > 0)
                      : hci_power_by_integers(
                            hci_dyadic_of_half(x),
                            HCI_MAKE(hci_ratio_of_integers){n < 0, hci_size_of_integer(n), 1});
    return hci_with_sign_of_power(size, x, n);
}

//= decide_rootn
HCI_RARE hci_vf hci_decide_rootn(hci_vf x, hci_vf second)
{
    hci_vi n = hci_vf_bits(second);
    if (x != x || n == 0 || (x < 0 && hci_vi_has_none(n, 1)))
        return HCI_NAN;
    hci_vf size = hci_is_zero_or_infinite(x)
                      ? hci_limit_of_power(x != 0, n > 0)
                      : hci_power_by_integers(
                            hci_dyadic_of_half(x),
                            HCI_MAKE(hci_ratio_of_integers){n < 0, 1, hci_size_of_integer(n)});
    return hci_with_sign_of_power(size, x, n);
}

//= decide_compoundn
/* 1 + x has at most 25 bits. */
HCI_RARE hci_vf hci_decide_compoundn(hci_vf x, hci_vf second)
{
    hci_vi n = hci_vf_bits(second);
    if (x < -1 || (x != x && n != 0))
        return HCI_NAN;
    if (n == 0)
        return 1;
    if (x == -1 || x == HCI_INFINITY)
        return hci_limit_of_power(x > 0, n > 0);
    hci_ulong sum = (hci_ulong)(hci_half_in_units(1) + hci_half_in_units(x));
    return hci_power_by_integers(
        hci_dyadic_of(sum, -24),
        HCI_MAKE(hci_ratio_of_integers){n < 0, hci_size_of_integer(n), 1});
}

//= log_of_sum
/* Returns log2(1 + 2^-gap), or the natural logarithm of 1 + e^-gap, in units of 2^-62; the gap
 * is in units of 2^-24. */
HCI_FUNCTION hci_ulong hci_log_of_sum(hci_ulong gap, bool natural)
{
    const hci_extended octave = {0xb17217f7d1cf79ab, -64}, octaves = {0xb8aa3b295c17f0bb, -63};
    bool minus;
    hci_extended t = hci_extended_of(gap, -24), log = hci_extended_of(1, 0);
    if (natural)
        t = hci_extended_product(t, octaves);
    if (gap != 0 && t.exponent >= 6 - 63)
        return 0;
    if (gap != 0) {
        hci_ulong power = hci_in_units(hci_extended_exp2(t, true), -63);
        log = hci_extended_log2(HCI_MAKE(hci_extended){hci_first_bit + power, -63}, &minus);
    }
    return hci_in_units(natural ? hci_extended_product(log, octave) : log, -62);
}

//= float_of_parts
/* Returns whole + fraction, in units of 1 and of 2^-62; the fraction is at most 2^62. */
HCI_FUNCTION hci_vf hci_float_of_parts(hci_long whole, hci_ulong fraction)
{
    const hci_ulong unit = (hci_ulong)1 << 62, cut = (1 << 18) - 1;
    bool minus = whole < 0;
    hci_ulong size = minus ? (hci_ulong)(-whole - 1) : (hci_ulong)whole;
    fraction = minus ? unit - fraction : fraction;
    hci_ulong coarse = (size << 44) + (fraction >> 18) + ((fraction & cut) != 0 ? 1 : 0);
    return hci_float_of_extended(
        size == 0 ? hci_extended_of(fraction, -62) : hci_extended_of(coarse, -44), minus);
}

//= decide_log_add
/* The larger operand plus a term that is more than 0, though perhaps less than the unit: then
 * the sticky bit records it. The sum is exact to base 2 for equal operands, never otherwise
 * (exact/doubledouble/exp_log.c). Numbers at which half rounds are multiples of 2^-25; so the
 * absolute error of 2^-59 does not matter even for small sums. The least relative distance from
 * such a number is 2^-49.5, except for sums nearer than that to the larger operand, for which
 * only the side counts. */
HCI_RARE hci_vf hci_decide_log_add(hci_vf x, hci_vf y, bool natural)
{
    if (hci_vf_unordered(x, y))
        return HCI_NAN;
    hci_vf more = hci_vf_max(x, y), less = hci_vf_min(x, y);
    if (less == -HCI_INFINITY || more == HCI_INFINITY)
        return hci_vf_add(more, 0.0f);
    hci_long units = hci_half_in_units(more), gap = units - hci_half_in_units(less);
    hci_ulong inexact = natural || gap != 0 ? 1 : 0;
    hci_ulong fraction = (hci_ulong)(units & 0xffffff) << 38;
    fraction += hci_log_of_sum((hci_ulong)gap, natural) | inexact;
    return hci_float_of_parts((units >> 24) + (hci_long)(fraction >> 62),
                              fraction & (((hci_ulong)1 << 62) - 1));
}

//= decide_logaddexp
HCI_RARE hci_vf hci_decide_logaddexp(hci_vf x, hci_vf y)
{
    return hci_decide_log_add(x, y, true);
}

//= decide_logaddexp2
HCI_RARE hci_vf hci_decide_logaddexp2(hci_vf x, hci_vf y)
{
    return hci_decide_log_add(x, y, false);
}

//= pow_fast_phase
/* For any sign of x. */
HCI_FUNCTION hci_vf hci_pow_fast_phase(hci_vf x, hci_vf y, hci_vm *exact_case)
{
    hci_vf size = hci_pow_fast(hci_vf_abs(x), y, exact_case);
    hci_vf result = hci_is_odd_integer(y) ? hci_vf_copysign(size, x) : size;
    bool undefined = x < 0 && x > -HCI_INFINITY && !hci_is_integral(y),
         square = y == 2 && x == x;
    *exact_case = undefined || square;
    return undefined ? HCI_NAN : square ? hci_vf_mul(x, x) : result;
}

//= powr_fast_phase
HCI_FUNCTION hci_vf hci_powr_fast_phase(hci_vf x, hci_vf y, hci_vm *exact_case)
{
    hci_vf result = hci_pow_fast(x, y, exact_case);
    bool square = y == 2 && x >= 0;
    *exact_case = x < 0 || square;
    return square ? hci_vf_mul(x, x) : result;
}

//= pown_fast_phase
HCI_FUNCTION hci_vf hci_pown_fast_phase(hci_vf x, hci_vf n, hci_vm *exact_case)
{
    hci_vf result = hci_pown_by_logarithm(x, n, exact_case);
    *exact_case = hci_is_exact_square(x, hci_vf_bits(n));
    return *exact_case ? hci_product_of(x, hci_vf_bits(n)) : result;
}

//= rootn_fast_phase
HCI_FUNCTION hci_vf hci_rootn_fast_phase(hci_vf x, hci_vf n, hci_vm *exact_case)
{
    hci_vf result = hci_rootn_fast(x, n, exact_case);
    *exact_case = *exact_case || (x < 0 && hci_vi_has_none(hci_vf_bits(n), 1));
    return result;
}

//= compoundn_fast_phase
/* For results far beyond half's range only the exponents are right. */
HCI_FUNCTION hci_vf hci_compoundn_fast_phase(hci_vf x, hci_vf n, hci_vm *exact_case)
{
    hci_vf result = hci_vf_abs(hci_compoundn_fast(x, n, exact_case));
    *exact_case = x < -1;
    return result;
}

//= format
typedef struct {
    int precision, least;
    hci_ulong infinity, quiet, sign;
} hci_format;

//= special_in
/* Returns a half that is zero, infinite or a NaN in that format. */
HCI_FUNCTION hci_ulong hci_special_in(hci_format f, unsigned short half_)
{
    hci_ulong sign = half_ & hci_HALF_SIGN ? f.sign : 0;
    if ((half_ & hci_HALF_MAGNITUDE) == 0)
        return sign;
    return hci_half_is_nan(half_) ? f.infinity | f.quiet : sign | f.infinity;
}

//= round_to_format
/* Rounds significand * 2^exponent to the format. The significand has that many bits, and is
 * exact or rounded to odd with at least two bits more than the format's. */
HCI_FUNCTION hci_ulong hci_round_to_format(hci_format f, bool negative, hci_ulong significand,
                                           int bits, int exponent, hci_rounding mode,
                                           unsigned *flags)
{
    int top = bits - 1 + exponent, unit = top - f.precision + 1;
    unit = unit > f.least ? unit : f.least;
    int cut = unit - exponent;
    hci_ulong sign = negative ? f.sign : 0, rest = 0, midpoint = 0;
    if (significand == 0)
        return sign;
    hci_ulong kept = cut > 63 ? 0 : cut > 0 ? significand >> cut : significand << -cut;
    if (cut > 0) {
        rest = cut > 63 ? significand : significand - (kept << cut);
        midpoint = cut > 64 ? ~(hci_ulong)0 : (hci_ulong)1 << (cut - 1);
    }
    bool up = mode == hci_RTE
                  ? rest != 0 && (rest > midpoint || (rest == midpoint && (kept & 1)))
                  : rest != 0 && hci_rounds_away(negative, mode);
    if (rest != 0 && top < f.least + f.precision - 1)
        *flags |= hci_UNDERFLOW;
    hci_ulong packed = ((hci_ulong)(unit - f.least) << (f.precision - 1)) + kept + up;
    if (top > 2000 || packed >= f.infinity) {
        bool away = mode == hci_RTE || hci_rounds_away(negative, mode);
        *flags |= hci_OVERFLOW;
        packed = f.infinity - !away;
    }
    return sign | packed;
}

//= SEEN_PLUS
#define hci_SEEN_PLUS (hci_FROM_ZERO)

//= SEEN_MINUS
#define hci_SEEN_MINUS (4)

//= SEEN_PLUS_INFINITY
#define hci_SEEN_PLUS_INFINITY (8)

//= SEEN_MINUS_INFINITY
#define hci_SEEN_MINUS_INFINITY (16)

//= SEEN_NAN
#define hci_SEEN_NAN (32)

//= SEEN_INVALID
#define hci_SEEN_INVALID (64)

//= SEEN_SPECIAL
#define hci_SEEN_SPECIAL (hci_SEEN_PLUS_INFINITY | hci_SEEN_MINUS_INFINITY | hci_SEEN_NAN)

//= zero_is_negative
/* Returns the sign of a sum that is zero. */
HCI_FUNCTION bool hci_zero_is_negative(unsigned seen, hci_rounding mode)
{
    return seen & hci_SEEN_PLUS && seen & hci_SEEN_MINUS ? mode == hci_RTN
                                                         : seen & hci_SEEN_MINUS;
}

//= exact_sum_special
/* Returns the sum of infinities and NaNs: NaN if there is any, or infinities of both signs. */
HCI_FUNCTION unsigned short hci_exact_sum_special(unsigned seen, unsigned *flags)
{
    const unsigned both = hci_SEEN_PLUS_INFINITY | hci_SEEN_MINUS_INFINITY;
    if (seen & hci_SEEN_INVALID || (seen & hci_SEEN_SPECIAL) == both)
        *flags |= hci_INVALID;
    if (seen & hci_SEEN_NAN || (seen & both) == both)
        return hci_HALF_NAN;
    return seen & hci_SEEN_MINUS_INFINITY ? hci_HALF_INF | hci_HALF_SIGN : hci_HALF_INF;
}

//= sum_bins
typedef struct {
    float high, middle, low;
} hci_sum_bins;

//= product_bins
typedef struct {
    float first, second, third, fourth, last;
} hci_product_bins;

//= SUM_HIGH
/* The initial values of the bins. */
#define hci_SUM_HIGH ((float)(0x1.8p27f))

//= SUM_MIDDLE
#define hci_SUM_MIDDLE ((float)(0x1.8p14f))

//= PRODUCT_FIRST
#define hci_PRODUCT_FIRST ((float)(0x1.8p40f))

//= PRODUCT_SECOND
#define hci_PRODUCT_SECOND ((float)(0x1.8p24f))

//= PRODUCT_THIRD
#define hci_PRODUCT_THIRD ((float)(0x1.8p8f))

//= PRODUCT_FOURTH
#define hci_PRODUCT_FOURTH ((float)(0x1.8p-8f))

//= device_sum_start
HCI_FUNCTION hci_sum_bins hci_device_sum_start(void)
{
    return HCI_MAKE(hci_sum_bins){hci_SUM_HIGH, hci_SUM_MIDDLE, 0};
}

//= device_product_start
HCI_FUNCTION hci_product_bins hci_device_product_start(void)
{
    return HCI_MAKE(hci_product_bins){hci_PRODUCT_FIRST, hci_PRODUCT_SECOND, hci_PRODUCT_THIRD,
                                      hci_PRODUCT_FOURTH, 0};
}

//= device_sum_take
/* Adds at most 2^10 halves. */
HCI_FUNCTION hci_sum_bins hci_device_sum_take(hci_sum_bins s, hci_vf x)
{
    hci_vf high = hci_vf_add(s.high, x), rest = hci_vf_sub(x, hci_vf_sub(high, s.high));
    hci_vf middle = hci_vf_add(s.middle, rest);
    hci_vf low = hci_vf_add(s.low, hci_vf_sub(rest, hci_vf_sub(middle, s.middle)));
    return HCI_MAKE(hci_sum_bins){high, middle, low};
}

//= device_product_take
/* Adds at most 2^7 products of halves. */
HCI_FUNCTION hci_product_bins hci_device_product_take(hci_product_bins p, hci_vf a, hci_vf b)
{
    hci_vf first = hci_vf_fma(a, b, p.first),
           rest = hci_vf_fma(a, b, hci_vf_sub(p.first, first));
    hci_vf second = hci_vf_add(p.second, rest);
    rest = hci_vf_sub(rest, hci_vf_sub(second, p.second));
    hci_vf third = hci_vf_add(p.third, rest);
    rest = hci_vf_sub(rest, hci_vf_sub(third, p.third));
    hci_vf fourth = hci_vf_add(p.fourth, rest);
    hci_vf last = hci_vf_add(p.last, hci_vf_sub(rest, hci_vf_sub(fourth, p.fourth)));
    return HCI_MAKE(hci_product_bins){first, second, third, fourth, last};
}

//= device_bin_special
/* Returns what a first bin contains: 0, or an infinity or a NaN. */
HCI_FUNCTION unsigned int hci_device_bin_special(hci_vf first)
{
    unsigned int infinity = hci_vf_bits(first) < 0 ? (unsigned int)hci_SEEN_MINUS_INFINITY
                                                   : (unsigned int)hci_SEEN_PLUS_INFINITY;
    unsigned int special = first == first ? infinity : (unsigned int)hci_SEEN_NAN;
    return hci_vf_special(first) ? special : 0;
}

//= sum_units
/* The bins as integers, in units of 2^u: the difference of two floats in one binade is that of
 * their bits. */
typedef struct {
    int high, middle, low;
} hci_sum_units;

//= product_units
typedef struct {
    int first, second, third, fourth, last;
} hci_product_units;

//= bin_units
HCI_FUNCTION int hci_bin_units(hci_vf bin, hci_vf start)
{
    return hci_vi_sub(hci_vf_bits(bin), hci_vf_bits(start));
}

//= device_sum_units
HCI_FUNCTION hci_sum_units hci_device_sum_units(hci_sum_bins s)
{
    if (hci_vf_special(s.high))
        return HCI_MAKE(hci_sum_units){0, 0, 0};
    return HCI_MAKE(hci_sum_units){hci_bin_units(s.high, hci_SUM_HIGH),
                                   hci_bin_units(s.middle, hci_SUM_MIDDLE),
                                   (int)hci_vf_mul(s.low, 0x1p24f)};
}

//= device_product_units
HCI_FUNCTION hci_product_units hci_device_product_units(hci_product_bins p)
{
    if (hci_vf_special(p.first))
        return HCI_MAKE(hci_product_units){0, 0, 0, 0, 0};
    return HCI_MAKE(hci_product_units){
        hci_bin_units(p.first, hci_PRODUCT_FIRST), hci_bin_units(p.second, hci_PRODUCT_SECOND),
        hci_bin_units(p.third, hci_PRODUCT_THIRD), hci_bin_units(p.fourth, hci_PRODUCT_FOURTH),
        (int)hci_vf_mul(p.last, 0x1p48f)};
}

//= wide_of_units
/* integer 2^count */
HCI_FUNCTION hci_wide hci_wide_of_units(hci_long integer, int count)
{
    hci_ulong sign = integer < 0 ? ~(hci_ulong)0 : 0;
    return hci_wide_shifted(HCI_MAKE(hci_wide){(hci_ulong)integer, sign, sign}, count);
}

//= SUMS_UNIT
#define hci_SUMS_UNIT (-24)

//= PRODUCT_UNIT
#define hci_PRODUCT_UNIT (2 * hci_SUMS_UNIT)

//= device_sum_total
/* Returns the total of many bins, in units of 2^-24. */
HCI_FUNCTION hci_wide hci_device_sum_total(hci_long high, hci_long middle, hci_long low)
{
    hci_wide sum = hci_wide_sum(hci_wide_of_units(high, 28), hci_wide_of_units(middle, 15));
    return hci_wide_sum(sum, hci_wide_of_units(low, 0));
}

//= device_product_total
/* Returns the total of bins of products, in units of 2^-48. */
HCI_FUNCTION hci_wide hci_device_product_total(hci_long first, hci_long second, hci_long third,
                                               hci_long fourth, hci_long last)
{
    hci_wide sum = hci_wide_sum(hci_wide_of_units(first, 65), hci_wide_of_units(second, 49));
    sum = hci_wide_sum(hci_wide_sum(sum, hci_wide_of_units(third, 33)),
                       hci_wide_of_units(fourth, 17));
    return hci_wide_sum(sum, hci_wide_of_units(last, 0));
}

//= cut_wide
/* A natural number, and whether there is a remainder below one. */
typedef struct {
    hci_wide whole;
    bool rest;
} hci_cut_wide;

//= format_of
HCI_FUNCTION hci_format hci_format_of(hci_type type)
{
    return type == hci_HALF
               ? HCI_MAKE(hci_format){11, -24, hci_HALF_INF, hci_HALF_QUIET, hci_HALF_SIGN}
           : type == hci_FLOAT ? HCI_MAKE(hci_format){24, -149, hci_FLOAT_INF, hci_FLOAT_QUIET,
                                                      (hci_ulong)1 << 31}
                               : HCI_MAKE(hci_format){53, -1074, (hci_ulong)0x7ff << 52,
                                                      (hci_ulong)1 << 51, (hci_ulong)1 << 63};
}

//= wide_is_zero
HCI_FUNCTION bool hci_wide_is_zero(hci_wide a)
{
    return (a.low | a.middle | a.high) == 0;
}

//= wide_leading_zeros
/* Counts the leading zeros of a number that is not 0. */
HCI_FUNCTION int hci_wide_leading_zeros(hci_wide a)
{
    hci_ulong top = a.high != 0 ? a.high : a.middle != 0 ? a.middle : a.low;
    return (a.high != 0 ? 0 : a.middle != 0 ? 64 : 128) + hci_leading_zeros(top);
}

//= word_quotient
typedef struct {
    hci_ulong quotient, remainder;
} hci_word_quotient;

//= word_divided
/* Divides (left 2^64 + word) by divisor, for left < divisor < 2^63. */
HCI_FUNCTION hci_word_quotient hci_word_divided(hci_ulong remainder, hci_ulong word,
                                                hci_ulong divisor)
{
    hci_ulong quotient = 0;
    if (divisor >> 32 == 0) {
        hci_ulong high = remainder << 32 | word >> 32, digit = high / divisor;
        hci_ulong low = (high - digit * divisor) << 32 | (word & 0xffffffff);
        quotient = low / divisor;
        return HCI_MAKE(hci_word_quotient){digit << 32 | quotient, low - quotient * divisor};
    }
    for (int bit = 63; bit >= 0; --bit) {
        remainder = remainder << 1 | (word >> bit & 1);
        bool fits = remainder >= divisor;
        remainder -= fits ? divisor : 0;
        quotient = quotient << 1 | fits;
    }
    return HCI_MAKE(hci_word_quotient){quotient, remainder};
}

//= wide_divided
/* Returns x / divisor, truncated; the lowest word is 0 if 128 bits are enough. */
HCI_FUNCTION hci_cut_wide hci_wide_divided(hci_cut_wide x, hci_ulong divisor, bool is_long)
{
    if (divisor == 1)
        return x;
    hci_word_quotient high = hci_word_divided(0, x.whole.high, divisor);
    hci_word_quotient middle = hci_word_divided(high.remainder, x.whole.middle, divisor);
    hci_word_quotient low = {0, middle.remainder};
    if (is_long)
        low = hci_word_divided(middle.remainder, x.whole.low, divisor);
    return HCI_MAKE(hci_cut_wide){{low.quotient, middle.quotient, high.quotient},
                                  x.rest || low.remainder != 0};
}

//= root_to_odd
/* Returns the root of the 2 digits highest bits of high 2^64 + low, rounded to odd; digits <=
 * 60. */
HCI_FUNCTION hci_ulong hci_root_to_odd(hci_ulong high, hci_ulong low, bool rest, int digits)
{
    hci_ulong root = 0, remainder = 0;
    for (int k = 0; k < digits; ++k) {
        remainder = remainder << 2 | high >> 62;
        high = high << 2 | low >> 62;
        low <<= 2;
        bool fits = remainder >= (root << 2 | 1);
        remainder -= fits ? root << 2 | 1 : 0;
        root = root << 1 | fits;
    }
    return root | (hci_ulong)((remainder | high | low) != 0 || rest);
}

//= round_wide
/* Rounds +-x 2^exponent, or its root. If the format is not double, 26 bits are enough, or twice
 * as many. */
HCI_FUNCTION hci_ulong hci_round_wide(hci_cut_wide x, int exponent, bool negative, bool root,
                                      hci_format f, hci_rounding mode)
{
    unsigned flags = 0;
    int zeros = hci_wide_leading_zeros(x.whole), even = root ? zeros & ~1 : zeros;
    hci_wide size = hci_wide_shifted(x.whole, even);
    exponent += 192 - even;
    if (root) {
        int digits = f.precision > 24 ? 60 : 30;
        hci_ulong rounded =
            hci_root_to_odd(size.high, size.middle, x.rest || size.low != 0, digits);
        return hci_round_to_format(f, negative, rounded, digits, exponent / 2 - digits, mode,
                                   &flags);
    }
    bool rest = x.rest || (size.middle | size.low) != 0;
    return hci_round_to_format(f, negative, size.high | (hci_ulong)rest, 64, exponent - 64,
                               mode, &flags);
}

//= round_fraction
/* Rounds numerator / (first second) 2^unit, or its root. The divisors are below 2^40, and 112
 * bits remain of 192, of which a double's root needs 110; or below 2^38, and 52 of 128
 * remain. */
HCI_FUNCTION hci_ulong hci_round_fraction(hci_wide numerator, bool negative, hci_ulong first,
                                          hci_ulong second, int unit, bool root, hci_format f,
                                          hci_rounding mode)
{
    if (hci_wide_is_zero(numerator))
        return 0;
    int remainder = hci_wide_leading_zeros(numerator);
    remainder -= root && ((unit - remainder) & 1) != 0;
    hci_cut_wide x = {hci_wide_shifted(numerator, remainder), false};
    bool is_long = f.precision > 24 || first >> 38 != 0;
    if (!is_long)
        x = HCI_MAKE(hci_cut_wide){{0, x.whole.middle, x.whole.high}, x.whole.low != 0};
    x = hci_wide_divided(hci_wide_divided(x, first, is_long), second, is_long);
    return hci_round_wide(x, unit - remainder, negative, root, f, mode);
}

//= device_round_sum
/* Rounds total / n 2^unit, or its root; seen has the flags of the terms. n is below 2^40. */
HCI_RARE hci_ulong hci_device_round_sum(hci_wide total, unsigned int seen, hci_ulong n,
                                        int unit, bool root, hci_type type, hci_rounding mode)
{
    hci_format f = hci_format_of(type);
    unsigned flags = 0;
    if (n == 0)
        return f.infinity | f.quiet;
    if (seen & hci_SEEN_SPECIAL)
        return hci_special_in(f, hci_exact_sum_special(seen, &flags));
    if (hci_wide_is_zero(total))
        return hci_zero_is_negative(seen, mode) && !root ? f.sign : 0;
    bool negative = hci_wide_is_negative(total);
    return hci_round_fraction(negative ? hci_wide_negative(total) : total, negative, n, 1, unit,
                              root, f, mode);
}

//= half_of_size_in_units
/* Rounds +-size 2^-24, for 0 < size < 2^62, by way of a float with a sticky bit. */
HCI_FUNCTION hci_ulong hci_half_of_size_in_units(hci_ulong size, bool negative,
                                                 hci_rounding mode)
{
    int remainder = hci_leading_zeros(size);
    hci_ulong top = size << remainder;
    unsigned int digits = (unsigned int)(top >> 40) | (unsigned int)(top << 24 != 0);
    hci_vf x = hci_vf_mul(hci_vf_of_int((int)digits),
                          hci_vf_of_bits((127 + 40 + hci_SUMS_UNIT - remainder) << 23));
    return hci_rounded_half(negative ? -x : x, mode);
}

//= device_round_few
/* Rounds a total of at most 62 bits over n below 2^32; but a quotient as a double. */
HCI_FUNCTION hci_ulong hci_device_round_few(hci_long total, unsigned int seen, hci_ulong n,
                                            hci_type type, hci_rounding mode)
{
    hci_format f = hci_format_of(type);
    unsigned flags = 0;
    if (n == 0)
        return f.infinity | f.quiet;
    if (seen & hci_SEEN_SPECIAL)
        return hci_special_in(f, hci_exact_sum_special(seen, &flags));
    if (total == 0)
        return hci_zero_is_negative(seen, mode) ? f.sign : 0;
    bool negative = total < 0;
    hci_ulong size = negative ? 0 - (hci_ulong)total : (hci_ulong)total, rest = 0;
    if (type == hci_HALF && n == 1)
        return hci_half_of_size_in_units(size, negative, mode);
    int remainder = hci_leading_zeros(size);
    size <<= remainder;
    if (n != 1) {
        hci_ulong quotient = size / n;
        rest = quotient * n != size;
        size = quotient | rest;
    }
    return hci_round_to_format(f, negative, size, 64 - hci_leading_zeros(size),
                               hci_SUMS_UNIT - remainder, mode, &flags);
}

//= device_round_variance
/* Rounds (n products - sum^2) / (n freedom), or its root. By the Cauchy-Schwarz inequality it
 * is at least 0. */
HCI_RARE hci_ulong hci_device_round_variance(hci_wide sum, hci_wide products, unsigned int seen,
                                             hci_ulong n, hci_ulong freedom, bool root,
                                             hci_type type, hci_rounding mode)
{
    hci_format f = hci_format_of(type);
    if (n == 0 || (seen & hci_SEEN_SPECIAL))
        return f.infinity | f.quiet;
    hci_wide size = hci_wide_is_negative(sum) ? hci_wide_negative(sum) : sum;
    hci_wide square = hci_wide_sum(hci_wide_product(size, size.low),
                                   hci_wide_shifted(hci_wide_product(size, size.middle), 64));
    hci_wide numerator = hci_wide_difference(hci_wide_product(products, n), square);
    if (freedom == 0)
        return hci_wide_is_zero(numerator) ? f.infinity | f.quiet : f.infinity;
    return hci_round_fraction(numerator, false, n, freedom, hci_PRODUCT_UNIT, root, f, mode);
}

//= rounded_sum
HCI_FUNCTION hci_vh hci_rounded_sum(hci_vf a, hci_vf b, hci_rounding mode)
{
    hci_vf sum = mode == hci_RTN ? -hci_vf_sub(-a, b) : hci_vf_add(a, b);
    hci_vh nearest = hci_rounded_half(sum, hci_RTE);
    hci_vi sign = mode == hci_RTZ ? hci_sign_bits(sum) : 0;
    hci_vf x = hci_vf_flipped(a, sign), y = hci_vf_flipped(b, sign),
           all = hci_vf_flipped(hci_vf_widen(nearest), sign);
    hci_vf less_x = hci_vf_sub(all, x), less_y = hci_vf_sub(all, y);
    bool is_below = less_x < y || less_y < x;
    bool is_above = less_x > y || less_y > x;
    return hci_half_beside(nearest, is_below, is_above, mode);
}

//= rounded_difference
HCI_FUNCTION hci_vh hci_rounded_difference(hci_vf a, hci_vf b, hci_rounding mode)
{
    return hci_rounded_sum(a, -b, mode);
}

//= device_multiply
HCI_FUNCTION hci_vh hci_device_multiply(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_product(hci_vf_widen(x), hci_vf_widen(y), mode), mode);
}

//= device_divide
HCI_FUNCTION hci_vh hci_device_divide(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_quotient(hci_vf_widen(x), hci_vf_widen(y), mode), mode);
}

//= device_fma
HCI_FUNCTION hci_vh hci_device_fma(hci_vh x, hci_vh y, hci_vh z, hci_rounding mode)
{
    return hci_rounded_half(
        hci_vf_fma_odd(hci_vf_widen(x), hci_vf_widen(y), hci_vf_widen(z), mode), mode);
}

//= device_fdim
HCI_FUNCTION hci_vh hci_device_fdim(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_positive_difference(hci_vf_widen(x), hci_vf_widen(y), mode),
                            mode);
}

//= device_square
HCI_FUNCTION hci_vh hci_device_square(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_square_of(hci_vf_widen(x), mode), mode);
}

//= device_reciprocal
HCI_FUNCTION hci_vh hci_device_reciprocal(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_reciprocal_of(hci_vf_widen(x), mode), mode);
}

//= device_sqrt
HCI_FUNCTION hci_vh hci_device_sqrt(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_root(hci_vf_widen(x), mode), mode);
}

//= device_exp
HCI_FUNCTION hci_vh hci_device_exp(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_power_of_e(hci_vf_widen(x), mode), mode);
}

//= device_exp2
HCI_FUNCTION hci_vh hci_device_exp2(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_power_of_2(hci_vf_widen(x), mode), mode);
}

//= device_exp10
HCI_FUNCTION hci_vh hci_device_exp10(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_power_of_10(hci_vf_widen(x), mode), mode);
}

//= device_expm1
HCI_FUNCTION hci_vh hci_device_expm1(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_power_of_e_less_1(hci_vf_widen(x), mode), mode);
}

//= device_log
HCI_FUNCTION hci_vh hci_device_log(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_natural_log(hci_vf_widen(x), mode), mode);
}

//= device_log2
HCI_FUNCTION hci_vh hci_device_log2(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_binary_log(hci_vf_widen(x), mode), mode);
}

//= device_log10
HCI_FUNCTION hci_vh hci_device_log10(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_decimal_log(hci_vf_widen(x), mode), mode);
}

//= device_log1p
HCI_FUNCTION hci_vh hci_device_log1p(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_natural_log_above_1(hci_vf_widen(x), mode), mode);
}

//= device_cbrt
HCI_FUNCTION hci_vh hci_device_cbrt(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_cbrt_of(hci_vf_widen(x), mode), mode);
}

//= device_rsqrt
HCI_FUNCTION hci_vh hci_device_rsqrt(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_rsqrt_of(hci_vf_widen(x), mode), mode);
}

//= device_sin
HCI_FUNCTION hci_vh hci_device_sin(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_sin_of(hci_vf_widen(x), mode), mode);
}

//= device_cos
HCI_FUNCTION hci_vh hci_device_cos(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_cos_of(hci_vf_widen(x), mode), mode);
}

//= device_sinpi
HCI_FUNCTION hci_vh hci_device_sinpi(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_sinpi_of(hci_vf_widen(x), mode), mode);
}

//= device_cospi
HCI_FUNCTION hci_vh hci_device_cospi(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_cospi_of(hci_vf_widen(x), mode), mode);
}

//= device_asin
HCI_FUNCTION hci_vh hci_device_asin(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_asin_of(hci_vf_widen(x), mode), mode);
}

//= device_acos
HCI_FUNCTION hci_vh hci_device_acos(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_acos_of(hci_vf_widen(x), mode), mode);
}

//= device_atan
HCI_FUNCTION hci_vh hci_device_atan(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_atan_of(hci_vf_widen(x), mode), mode);
}

//= device_sinh
HCI_FUNCTION hci_vh hci_device_sinh(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_sinh_of(hci_vf_widen(x), mode), mode);
}

//= device_cosh
HCI_FUNCTION hci_vh hci_device_cosh(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_cosh_of(hci_vf_widen(x), mode), mode);
}

//= device_tanh
HCI_FUNCTION hci_vh hci_device_tanh(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_tanh_of(hci_vf_widen(x), mode), mode);
}

//= device_erf
HCI_FUNCTION hci_vh hci_device_erf(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_erf_of(hci_vf_widen(x), mode), mode);
}

//= device_degrees
HCI_FUNCTION hci_vh hci_device_degrees(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_degrees_of(hci_vf_widen(x), mode), mode);
}

//= device_radians
HCI_FUNCTION hci_vh hci_device_radians(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_radians_of(hci_vf_widen(x), mode), mode);
}

//= device_rint
HCI_FUNCTION hci_vh hci_device_rint(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_rint_of(hci_vf_widen(x), mode), mode);
}

//= device_ceil
HCI_FUNCTION hci_vh hci_device_ceil(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_ceil_of(hci_vf_widen(x), mode), mode);
}

//= device_floor
HCI_FUNCTION hci_vh hci_device_floor(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_floor_of(hci_vf_widen(x), mode), mode);
}

//= device_trunc
HCI_FUNCTION hci_vh hci_device_trunc(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_trunc_of(hci_vf_widen(x), mode), mode);
}

//= device_round
HCI_FUNCTION hci_vh hci_device_round(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_round_of(hci_vf_widen(x), mode), mode);
}

//= device_fmod
HCI_FUNCTION hci_vh hci_device_fmod(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_fmod_of(hci_vf_widen(x), hci_vf_widen(y), mode), mode);
}

//= device_remainder
HCI_FUNCTION hci_vh hci_device_remainder(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_remainder_of(hci_vf_widen(x), hci_vf_widen(y), mode), mode);
}

//= device_add
HCI_FUNCTION hci_vh hci_device_add(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_sum(hci_vf_widen(x), hci_vf_widen(y), mode);
}

//= device_subtract
HCI_FUNCTION hci_vh hci_device_subtract(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_difference(hci_vf_widen(x), hci_vf_widen(y), mode);
}

//= device_exp2m1
HCI_FUNCTION hci_vh hci_device_exp2m1(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_power_of_2_less_1(hci_vf_widen(x), mode), mode);
}

//= device_exp10m1
HCI_FUNCTION hci_vh hci_device_exp10m1(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_power_of_10_less_1(hci_vf_widen(x), mode), mode);
}

//= device_log2p1
HCI_FUNCTION hci_vh hci_device_log2p1(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_binary_log_above_1(hci_vf_widen(x), mode), mode);
}

//= device_log10p1
HCI_FUNCTION hci_vh hci_device_log10p1(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_decimal_log_above_1(hci_vf_widen(x), mode), mode);
}

//= device_tan
HCI_FUNCTION hci_vh hci_device_tan(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_tan_of(hci_vf_widen(x), mode), mode);
}

//= device_tanpi
HCI_FUNCTION hci_vh hci_device_tanpi(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_tanpi_of(hci_vf_widen(x), mode), mode);
}

//= device_asinpi
HCI_FUNCTION hci_vh hci_device_asinpi(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_asinpi_of(hci_vf_widen(x), mode), mode);
}

//= device_acospi
HCI_FUNCTION hci_vh hci_device_acospi(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_acospi_of(hci_vf_widen(x), mode), mode);
}

//= device_atanpi
HCI_FUNCTION hci_vh hci_device_atanpi(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_atanpi_of(hci_vf_widen(x), mode), mode);
}

//= device_atanh
HCI_FUNCTION hci_vh hci_device_atanh(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_atanh_of(hci_vf_widen(x), mode), mode);
}

//= device_asinh
HCI_FUNCTION hci_vh hci_device_asinh(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_asinh_of(hci_vf_widen(x), mode), mode);
}

//= device_acosh
HCI_FUNCTION hci_vh hci_device_acosh(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_acosh_of(hci_vf_widen(x), mode), mode);
}

//= device_erfc
HCI_FUNCTION hci_vh hci_device_erfc(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_erfc_of(hci_vf_widen(x), mode), mode);
}

//= device_tgamma
HCI_FUNCTION hci_vh hci_device_tgamma(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_tgamma_of(hci_vf_widen(x), mode), mode);
}

//= device_lgamma
HCI_FUNCTION hci_vh hci_device_lgamma(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_lgamma_of(hci_vf_widen(x), mode), mode);
}

//= pow_of
HCI_FUNCTION hci_vf hci_pow_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_pow_fast_phase(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_POWER_ABOVE));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_pow(x, y);
}

//= device_pow
HCI_FUNCTION hci_vh hci_device_pow(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_pow_of(hci_vf_widen(x), hci_vf_widen(y)), mode);
}

//= powr_of
HCI_FUNCTION hci_vf hci_powr_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_powr_fast_phase(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_POWER_ABOVE));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_powr(x, y);
}

//= device_powr
HCI_FUNCTION hci_vh hci_device_powr(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_powr_of(hci_vf_widen(x), hci_vf_widen(y)), mode);
}

//= pown_of
HCI_FUNCTION hci_vf hci_pown_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_pown_fast_phase(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_POWER_ABOVE));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_pown(x, y);
}

//= device_pown
HCI_FUNCTION hci_vh hci_device_pown(hci_vh x, hci_vi y, hci_rounding mode)
{
    return hci_rounded_half(hci_pown_of(hci_vf_widen(x), hci_vf_of_bits(y)), mode);
}

//= rootn_of
HCI_FUNCTION hci_vf hci_rootn_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_rootn_fast_phase(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_POWER_ABOVE));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_rootn(x, y);
}

//= device_rootn
HCI_FUNCTION hci_vh hci_device_rootn(hci_vh x, hci_vi y, hci_rounding mode)
{
    return hci_rounded_half(hci_rootn_of(hci_vf_widen(x), hci_vf_of_bits(y)), mode);
}

//= compoundn_of
HCI_FUNCTION hci_vf hci_compoundn_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_compoundn_fast_phase(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_POWER_ABOVE));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_compoundn(x, y);
}

//= device_compoundn
HCI_FUNCTION hci_vh hci_device_compoundn(hci_vh x, hci_vi y, hci_rounding mode)
{
    return hci_rounded_half(hci_compoundn_of(hci_vf_widen(x), hci_vf_of_bits(y)), mode);
}

//= logaddexp_of
HCI_FUNCTION hci_vf hci_logaddexp_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_logaddexp_fast(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_LOG_ADD_SLACK));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_logaddexp(x, y);
}

//= device_logaddexp
HCI_FUNCTION hci_vh hci_device_logaddexp(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_logaddexp_of(hci_vf_widen(x), hci_vf_widen(y)), mode);
}

//= logaddexp2_of
HCI_FUNCTION hci_vf hci_logaddexp2_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_logaddexp2_fast(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_LOG_ADD_SLACK));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_logaddexp2(x, y);
}

//= device_logaddexp2
HCI_FUNCTION hci_vh hci_device_logaddexp2(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_logaddexp2_of(hci_vf_widen(x), hci_vf_widen(y)), mode);
}

//= atan2_of
HCI_FUNCTION hci_vf hci_atan2_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_atan2_fast(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_ANGLE_SLACK));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_atan2(x, y);
}

//= device_atan2
HCI_FUNCTION hci_vh hci_device_atan2(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_atan2_of(hci_vf_widen(x), hci_vf_widen(y)), mode);
}

//= atan2pi_of
HCI_FUNCTION hci_vf hci_atan2pi_of(hci_vf x, hci_vf y)
{
    hci_vm exact_case = hci_vm_none();
    hci_vf result = hci_atan2pi_fast(x, y, &exact_case);
    hci_vm passes =
        hci_vm_and(hci_vf_equal(result, result), hci_passing_lanes(result, hci_ANGLE_SLACK));
    return hci_vm_or(exact_case, passes) ? result : hci_decide_atan2pi(x, y);
}

//= device_atan2pi
HCI_FUNCTION hci_vh hci_device_atan2pi(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_atan2pi_of(hci_vf_widen(x), hci_vf_widen(y)), mode);
}

//= device_negative
HCI_FUNCTION hci_vh hci_device_negative(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_flip_sign((hci_vw)x);
}

//= device_fabs
HCI_FUNCTION hci_vh hci_device_fabs(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_clear_sign((hci_vw)x);
}

//= device_positive
HCI_FUNCTION hci_vh hci_device_positive(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_same((hci_vw)x);
}

//= device_sign
HCI_FUNCTION hci_vh hci_device_sign(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_sign_of((hci_vw)x);
}

//= device_signum
HCI_FUNCTION hci_vh hci_device_signum(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_signum_of((hci_vw)x);
}

//= device_max
HCI_FUNCTION hci_vh hci_device_max(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_second_if_greater((hci_vw)x, (hci_vw)y);
}

//= device_min
HCI_FUNCTION hci_vh hci_device_min(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_second_if_less((hci_vw)x, (hci_vw)y);
}

//= device_step
HCI_FUNCTION hci_vh hci_device_step(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_step_at((hci_vw)x, (hci_vw)y);
}

//= device_fmax
HCI_FUNCTION hci_vh hci_device_fmax(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_larger_number((hci_vw)x, (hci_vw)y);
}

//= device_fmin
HCI_FUNCTION hci_vh hci_device_fmin(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_smaller_number((hci_vw)x, (hci_vw)y);
}

//= device_maximum
HCI_FUNCTION hci_vh hci_device_maximum(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_larger((hci_vw)x, (hci_vw)y);
}

//= device_minimum
HCI_FUNCTION hci_vh hci_device_minimum(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_smaller((hci_vw)x, (hci_vw)y);
}

//= device_maxmag
HCI_FUNCTION hci_vh hci_device_maxmag(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_larger_magnitude((hci_vw)x, (hci_vw)y);
}

//= device_minmag
HCI_FUNCTION hci_vh hci_device_minmag(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_smaller_magnitude((hci_vw)x, (hci_vw)y);
}

//= device_heaviside
HCI_FUNCTION hci_vh hci_device_heaviside(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_step_at_zero((hci_vw)x, (hci_vw)y);
}

//= device_copysign
HCI_FUNCTION hci_vh hci_device_copysign(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_with_sign((hci_vw)x, (hci_vw)y);
}

//= device_clamp
HCI_FUNCTION hci_vh hci_device_clamp(hci_vh x, hci_vh y, hci_vh z, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_clamp_of((hci_vw)x, (hci_vw)y, (hci_vw)z);
}

//= device_clip
HCI_FUNCTION hci_vh hci_device_clip(hci_vh x, hci_vh y, hci_vh z, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_clipped((hci_vw)x, (hci_vw)y, (hci_vw)z);
}

//= device_isequal
HCI_FUNCTION bool hci_device_isequal(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_equal((hci_vw)x, (hci_vw)y);
}

//= device_isnotequal
HCI_FUNCTION bool hci_device_isnotequal(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_not_equal((hci_vw)x, (hci_vw)y);
}

//= device_isgreater
HCI_FUNCTION bool hci_device_isgreater(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_greater((hci_vw)x, (hci_vw)y);
}

//= device_isgreaterequal
HCI_FUNCTION bool hci_device_isgreaterequal(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_greater_equal((hci_vw)x, (hci_vw)y);
}

//= device_isless
HCI_FUNCTION bool hci_device_isless(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_less((hci_vw)x, (hci_vw)y);
}

//= device_islessequal
HCI_FUNCTION bool hci_device_islessequal(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_less_equal((hci_vw)x, (hci_vw)y);
}

//= device_islessgreater
HCI_FUNCTION bool hci_device_islessgreater(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_less_or_greater((hci_vw)x, (hci_vw)y);
}

//= device_isordered
HCI_FUNCTION bool hci_device_isordered(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_ordered((hci_vw)x, (hci_vw)y);
}

//= device_isunordered
HCI_FUNCTION bool hci_device_isunordered(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_is_unordered((hci_vw)x, (hci_vw)y);
}

//= device_logical_and
HCI_FUNCTION bool hci_device_logical_and(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_both_true((hci_vw)x, (hci_vw)y);
}

//= device_logical_or
HCI_FUNCTION bool hci_device_logical_or(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_either_true((hci_vw)x, (hci_vw)y);
}

//= device_logical_xor
HCI_FUNCTION bool hci_device_logical_xor(hci_vh x, hci_vh y, hci_rounding mode)
{
    (void)mode;
    return hci_one_true((hci_vw)x, (hci_vw)y);
}

//= device_isfinite
HCI_FUNCTION bool hci_device_isfinite(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return hci_is_finite((hci_vw)x);
}

//= device_isinf
HCI_FUNCTION bool hci_device_isinf(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return hci_is_inf((hci_vw)x);
}

//= device_isnan
HCI_FUNCTION bool hci_device_isnan(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return hci_is_nan((hci_vw)x);
}

//= device_isnormal
HCI_FUNCTION bool hci_device_isnormal(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return hci_is_normal((hci_vw)x);
}

//= device_signbit
HCI_FUNCTION bool hci_device_signbit(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return hci_vw_negative((hci_vw)x);
}

//= device_logical_not
HCI_FUNCTION bool hci_device_logical_not(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return hci_is_false((hci_vw)x);
}

//= device_mad
HCI_FUNCTION hci_vh hci_device_mad(hci_vh a, hci_vh b, hci_vh c, hci_rounding mode)
{
    return hci_device_fma(a, b, c, mode);
}

//= device_nan
/* NaN of a code. */
HCI_FUNCTION hci_vh hci_device_nan(hci_vh code, hci_rounding mode)
{
    (void)mode;
    return (hci_vh)hci_nan_of((hci_vw)code);
}

//= device_nextafter
HCI_FUNCTION hci_vh hci_device_nextafter(hci_vh x, hci_vh y, hci_rounding mode)
{
    hci_wm overflow = false;
    (void)mode;
    return (hci_vh)hci_neighbour((hci_vw)x, (hci_vw)y, &overflow);
}

//= device_nextup
HCI_FUNCTION hci_vh hci_device_nextup(hci_vh x, hci_rounding mode)
{
    return hci_device_nextafter(x, hci_HALF_INF, mode);
}

//= device_nextdown
HCI_FUNCTION hci_vh hci_device_nextdown(hci_vh x, hci_rounding mode)
{
    return hci_device_nextafter(x, hci_HALF_INF | hci_HALF_SIGN, mode);
}

//= device_ulp
HCI_FUNCTION hci_vh hci_device_ulp(hci_vh x, hci_rounding mode)
{
    hci_vf power = hci_vf_widen((hci_vh)(x & hci_HALF_INF));
    return hci_is_nan((hci_vw)x) ? hci_HALF_NAN : hci_rounded_half(hci_unit_of(power), mode);
}

//= device_spacing
HCI_FUNCTION hci_vh hci_device_spacing(hci_vh x, hci_rounding mode)
{
    hci_vh unit = hci_rounded_half(
        hci_unit_of(hci_vf_widen((hci_vh)hci_power_of_two_below((hci_vw)x))), mode);
    return !hci_is_finite((hci_vw)x) ? hci_HALF_NAN
           : x == hci_HALF_LARGEST   ? hci_HALF_INF
                                     : unit;
}

//= device_modf
HCI_FUNCTION hci_vh hci_device_modf(hci_vh x, hci_vh *whole, hci_rounding mode)
{
    hci_vf integer, fraction = hci_modf_of(hci_vf_widen(x), &integer);
    *whole = hci_rounded_half(integer, mode);
    return hci_rounded_half(fraction, mode);
}

//= device_fract
HCI_FUNCTION hci_vh hci_device_fract(hci_vh x, hci_vh *floored, hci_rounding mode)
{
    hci_vf below, fraction = hci_fract_of(hci_vf_widen(x), &below);
    *floored = hci_rounded_half(below, mode);
    return hci_rounded_half(fraction, mode);
}

//= device_frexp
HCI_FUNCTION hci_vh hci_device_frexp(hci_vh x, int *exponent, hci_rounding mode)
{
    return hci_rounded_half(hci_frexp_of(hci_vf_widen(x), exponent), mode);
}

//= device_remquo
HCI_FUNCTION hci_vh hci_device_remquo(hci_vh x, hci_vh y, int *quotient, hci_rounding mode)
{
    hci_vf rest = hci_remquo_of(hci_vf_widen(x), hci_vf_widen(y), quotient);
    *quotient = rest == rest ? *quotient : 0;
    return hci_rounded_half(rest, mode);
}

//= device_ilogb
HCI_FUNCTION int hci_device_ilogb(hci_vh x, hci_rounding mode)
{
    (void)mode;
    return hci_ilogb_of(hci_vf_widen(x));
}

//= device_logb
HCI_FUNCTION hci_vh hci_device_logb(hci_vh x, hci_rounding mode)
{
    return hci_rounded_half(hci_logb_of(hci_vf_widen(x)), mode);
}

//= device_ldexp
HCI_FUNCTION hci_vh hci_device_ldexp(hci_vh x, int n, hci_rounding mode)
{
    return hci_rounded_half(hci_vf_ldexp(hci_vf_widen(x), n), mode);
}

//= device_lgamma_r
/* Also returns the sign of gamma(x), 0 if it has none. */
HCI_FUNCTION hci_vh hci_device_lgamma_r(hci_vh x, hci_vi *sign, hci_rounding mode)
{
    *sign = hci_gamma_sign(hci_vf_widen(x));
    return hci_device_lgamma(x, mode);
}

//= device_sincos
HCI_FUNCTION hci_vh hci_device_sincos(hci_vh x, hci_vh *cosine, hci_rounding mode)
{
    *cosine = hci_device_cos(x, mode);
    return hci_device_sin(x, mode);
}

//= device_hypot
HCI_FUNCTION hci_vh hci_device_hypot(hci_vh x, hci_vh y, hci_rounding mode)
{
    return hci_rounded_half(hci_hypotenuse(hci_vf_widen(x), hci_vf_widen(y)), mode);
}

//= device_mix
HCI_FUNCTION hci_vh hci_device_mix(hci_vh x, hci_vh y, hci_vh a, hci_rounding mode)
{
    return hci_rounded_half(
        hci_mix_in_float(hci_vf_widen(x), hci_vf_widen(y), hci_vf_widen(a), mode), mode);
}

//= device_smoothstep
HCI_FUNCTION hci_vh hci_device_smoothstep(hci_vh edge0, hci_vh edge1, hci_vh x,
                                          hci_rounding mode)
{
    hci_vf start = hci_vf_widen(edge0), end = hci_vf_widen(edge1);
    return hci_rounded_half(hci_smoothstep_in_float(start, end, hci_vf_widen(x)), mode);
}

//= device_divmod
HCI_FUNCTION hci_vh hci_device_divmod(hci_vh a, hci_vh b, hci_vh *remainder, hci_rounding mode)
{
    hci_vf rest, quotient = hci_floor_division(hci_vf_widen(a), hci_vf_widen(b), &rest, mode);
    *remainder = hci_rounded_half(rest, mode);
    return hci_rounded_half(quotient, mode);
}

//= device_floor_divide
HCI_FUNCTION hci_vh hci_device_floor_divide(hci_vh a, hci_vh b, hci_rounding mode)
{
    hci_vh unused;
    return hci_device_divmod(a, b, &unused, mode);
}

//= device_floor_remainder
HCI_FUNCTION hci_vh hci_device_floor_remainder(hci_vh a, hci_vh b, hci_rounding mode)
{
    hci_vh remainder;
    hci_device_divmod(a, b, &remainder, mode);
    return remainder;
}

//= device_dot
HCI_FUNCTION hci_vh hci_device_dot(hci_vh *a, hci_vh *b, int n, hci_rounding mode)
{
    hci_vf x[hci_MOST_COMPONENTS], y[hci_MOST_COMPONENTS];
    hci_widen(a, n, x);
    hci_widen(b, n, y);
    return hci_rounded_half(hci_dot_of(x, y, n, mode), mode);
}

//= device_vecdot
/* NumPy's vecdot: the sum starts from +0. */
HCI_FUNCTION hci_vh hci_device_vecdot(hci_vh *a, hci_vh *b, int n, hci_rounding mode)
{
    hci_vf x[hci_MOST_COMPONENTS], y[hci_MOST_COMPONENTS];
    hci_widen(a, n, x);
    hci_widen(b, n, y);
    hci_vf sum = hci_dot_of(x, y, n, mode);
    return hci_rounded_half(mode != hci_RTN && sum == 0 ? 0.0f : sum, mode);
}

//= device_length
HCI_FUNCTION hci_vh hci_device_length(hci_vh *a, int n, hci_rounding mode)
{
    hci_vf x[hci_MOST_COMPONENTS];
    hci_widen(a, n, x);
    return hci_rounded_half(hci_length_of(x, n), mode);
}

//= device_distance
HCI_FUNCTION hci_vh hci_device_distance(hci_vh *a, hci_vh *b, int n, hci_rounding mode)
{
    hci_vf x[hci_MOST_COMPONENTS], y[hci_MOST_COMPONENTS];
    hci_widen(a, n, x);
    hci_widen(b, n, y);
    return hci_rounded_half(hci_distance_of(x, y, n), mode);
}

//= device_normalize
HCI_FUNCTION void hci_device_normalize(hci_vh *a, int n, hci_vh *out, hci_rounding mode)
{
    hci_vf x[hci_MOST_COMPONENTS];
    hci_widen(a, n, x);
    hci_normalize(x, n);
    for (int k = 0; k < n; ++k)
        out[k] = hci_rounded_half(x[k], mode);
}

//= device_cross
/* n is 3 or 4. */
HCI_FUNCTION void hci_device_cross(hci_vh *a, hci_vh *b, int n, hci_vh *out, hci_rounding mode)
{
    hci_vf x[hci_MOST_COMPONENTS], y[hci_MOST_COMPONENTS];
    hci_widen(a, 3, x);
    hci_widen(b, 3, y);
    out[0] = hci_rounded_half(hci_cross_component(x[1], y[2], x[2], y[1], mode), mode);
    out[1] = hci_rounded_half(hci_cross_component(x[2], y[0], x[0], y[2], mode), mode);
    out[2] = hci_rounded_half(hci_cross_component(x[0], y[1], x[1], y[0], mode), mode);
    if (n > 3)
        out[3] = 0;
}
