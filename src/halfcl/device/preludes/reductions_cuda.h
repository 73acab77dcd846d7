#define HCR_GLOBAL
#define HCR_SHARED(type, name, size) __shared__ type name[size]
#define HCR_SHARED_POINTER(type) type *
#define HCR_BARRIER __syncthreads()
#define HCR_ITEM (int)threadIdx.x
#define HCR_GROUP_X blockIdx.x
#define HCR_GROUP_Y blockIdx.y
#define HCR_GROUPS_Y gridDim.y
typedef uint4 hcr_pack;
typedef uint2 hcr_bytes;
/* Of long bodies, where compilers for CPUs take long over it, and GPUs else put arrays in
 * memory. */
#define HCR_UNROLL _Pragma("unroll")
