/* The value of a lane at a distance in a warp, which needs no memory. */
#ifdef __CUDA_ARCH__
#define HCR_LANE_BEHIND(x, apart) __shfl_down_sync(0xffffffff, x, apart)
#endif
