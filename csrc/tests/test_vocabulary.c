/* Tests the vocabulary of each instruction set: the tests of vocabulary.h, compiled as the
 * kernels of the set are. */
#include "targets/targets.h"
#include "tests/testing.h"

#define TARGET(name, features) void test_vocabulary_##name(const halfcl_isa *isa);
#include "targets/targets.def"
#undef TARGET

void test_vocabulary(void)
{
    const halfcl_isa *isa;
#define TARGET(name, features)                                                                 \
    if ((isa = halfcl_find_isa(#name)))                                                        \
        test_vocabulary_##name(isa);
#include "targets/targets.def"
#undef TARGET
}
