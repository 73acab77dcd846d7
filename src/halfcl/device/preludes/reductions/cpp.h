#define HCR_GLOBAL
#define HCR_SHARED(type, name, size) __shared__ type name[size]
#define HCR_SHARED_POINTER(type) type *
#define HCR_BARRIER __syncthreads()
/* At least so many work-groups reside on a unit at once, which limits their registers. */
#define HCR_RESIDENT(groups) __launch_bounds__(HCR_GROUP, groups)
#define HCR_ITEM (int)threadIdx.x
#define HCR_GROUP_X blockIdx.x
#define HCR_GROUP_Y blockIdx.y
#define HCR_GROUPS_Y gridDim.y
typedef uint4 hcr_pack;
typedef uint2 hcr_bytes;
/* For long loop bodies: GPUs would put arrays in memory otherwise; compilers for CPUs take
 * long to unroll them. */
#define HCR_UNROLL _Pragma("unroll")
