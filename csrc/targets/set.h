/* The instruction set being compiled: its families, each compiled on its own, and the other
 * functions that its drivers need. */
#include "kernels/order/functions.h"
#include "kernels/shared/modes.h"
#include "targets/family.h"

#define FAMILY(name) extern const halfcl_family HALFCL_OF_TARGET(name);
#include "targets/families.def"
#undef FAMILY

static const halfcl_family *const families[] = {
#define FAMILY(name) &HALFCL_OF_TARGET(name),
#include "targets/families.def"
#undef FAMILY
    NULL,
};

#ifdef HALFCL_BASE
#define HALFCL_COPIES NULL
#else
extern halfcl_vector_map *const HALFCL_OF_TARGET(copies)[];
#define HALFCL_BASE NULL
#define HALFCL_COPIES HALFCL_OF_TARGET(copies)
#endif

#define HALFCL_ISA_OF(target)                                                                  \
    const halfcl_isa halfcl_##target = {#target,      families,      &mode_tools,              \
                                        &order_tools, HALFCL_COPIES, HALFCL_BASE};
#define HALFCL_DEFINE_ISA(target) HALFCL_ISA_OF(target)
HALFCL_DEFINE_ISA(HALFCL_TARGET)
