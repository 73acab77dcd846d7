#define HCR_KERNEL __kernel __attribute__((reqd_work_group_size(HCR_GROUP, 1, 1))) void
#define HCR_GLOBAL __global
#define HCR_SHARED(type, name, size) __local type name[size]
#define HCR_SHARED_POINTER(type) __local type *
#define HCR_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define HCR_RESIDENT(groups) /* OpenCL leaves it to the compiler */
#define HCR_ITEM (int)get_local_id(0)
#define HCR_GROUP_X get_group_id(0)
#define HCR_GROUP_Y get_group_id(1)
#define HCR_GROUPS_Y get_num_groups(1)
typedef uint4 hcr_pack;
typedef uint2 hcr_bytes;
#define HCR_UNROLL /* left to the compiler */
