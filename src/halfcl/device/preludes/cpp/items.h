/* ------------------------------------------------------------ vectors in memory */

template <int n, typename T> HCI_FUNCTION hc_vector<T, n> hcl_load(hc_ulong i, const T *p)
{
    hc_vector<T, n> r;
    HCL_EACH(p[n * i + k])
}
template <typename T, int n> HCI_FUNCTION void hcl_store(hc_vector<T, n> x, hc_ulong i, T *p)
{
    for (int k = 0; k < n; ++k)
        p[n * i + k] = x.s[k];
}
HCL_FUNCTION void hcl_store(T x, hc_ulong i, T *p)
{
    p[i] = x;
}

/* Volatile elements: for halves and vectors the compiler must not cache memory. */
HCL_FUNCTION T &hcl_volatile(T &x)
{
    asm volatile("" : : : "memory");
    return x;
}
#define HCL_VOLATILE(T)                                                                        \
    HCI_FUNCTION volatile T &hcl_volatile(T &x)                                                \
    {                                                                                          \
        return x;                                                                              \
    }                                                                                          \
    HCI_FUNCTION const volatile T &hcl_volatile(const T &x)                                    \
    {                                                                                          \
        return x;                                                                              \
    }
HCL_VOLATILE(hc_char)
HCL_VOLATILE(hc_uchar)
HCL_VOLATILE(short)
HCL_VOLATILE(hc_ushort)
HCL_VOLATILE(int)
HCL_VOLATILE(hc_uint)
HCL_VOLATILE(hc_long)
HCL_VOLATILE(hc_ulong)
HCL_VOLATILE(float)
HCL_VOLATILE(double)

/* Indices modulo the number of components. */
template <typename T, typename I, int n, int m>
HCI_FUNCTION hc_vector<T, m> hcl_shuffle(hc_vector<T, n> x, hc_vector<I, m> which)
{
    const int last = (n == 3 ? 4 : n) - 1;
    hc_vector<T, m> r;
    for (int k = 0; k < m; ++k)
        r.s[k] = x.s[(int)(which.s[k] & last)];
    return r;
}
template <typename T, typename I, int n, int m>
HCI_FUNCTION hc_vector<T, m> hcl_shuffle2(hc_vector<T, n> x, hc_vector<T, n> y,
                                          hc_vector<I, m> which)
{
    const int size = n == 3 ? 4 : n;
    hc_vector<T, m> r;
    for (int k = 0; k < m; ++k) {
        int at = (int)(which.s[k] & (2 * size - 1));
        r.s[k] = at < size ? x.s[at] : y.s[at - size];
    }
    return r;
}

/* ------------------------------------------------------------ work-items */

/* The properties of a launch besides blocks and threads: first ids; the number of work-items,
   or 0 if it is a multiple of the block's size; and the number of dimensions, or 0 if unknown.
   */
struct hc_grid {
    hc_ulong offset[3], size[3];
    hc_ulong dimensions;
};

HCI_FUNCTION hc_ulong hcl_get_local_id(int d)
{
    return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : d == 2 ? threadIdx.z : 0;
}
HCI_FUNCTION hc_ulong hcl_get_local_size(int d)
{
    return d == 0 ? blockDim.x : d == 1 ? blockDim.y : d == 2 ? blockDim.z : 1;
}
HCI_FUNCTION hc_ulong hcl_get_group_id(int d)
{
    return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : d == 2 ? blockIdx.z : 0;
}
HCI_FUNCTION hc_ulong hcl_get_num_groups(int d)
{
    return d == 0 ? gridDim.x : d == 1 ? gridDim.y : d == 2 ? gridDim.z : 1;
}
HCI_FUNCTION hc_ulong hcl_get_global_offset(const hc_grid &work, int d)
{
    return d == 0 ? work.offset[0] : d == 1 ? work.offset[1] : d == 2 ? work.offset[2] : 0;
}
HCI_FUNCTION hc_ulong hcl_get_global_size(const hc_grid &work, int d)
{
    hc_ulong size = d == 0 ? work.size[0] : d == 1 ? work.size[1] : d == 2 ? work.size[2] : 0;
    return size ? size : hcl_get_num_groups(d) * hcl_get_local_size(d);
}
HCI_FUNCTION hc_ulong hcl_place(int d)
{
    return hcl_get_group_id(d) * hcl_get_local_size(d) + hcl_get_local_id(d);
}
HCI_FUNCTION hc_ulong hcl_get_global_id(const hc_grid &work, int d)
{
    return hcl_place(d) + hcl_get_global_offset(work, d);
}
HCI_FUNCTION hc_uint hcl_get_work_dim(const hc_grid &work)
{
    if (work.dimensions)
        return (hc_uint)work.dimensions;
    return hcl_get_global_size(work, 2) > 1 ? 3 : hcl_get_global_size(work, 1) > 1 ? 2 : 1;
}
HCI_FUNCTION hc_ulong hcl_get_global_linear_id(const hc_grid &work)
{
    return hcl_place(0) + hcl_get_global_size(work, 0) *
                              (hcl_place(1) + hcl_get_global_size(work, 1) * hcl_place(2));
}
HCI_FUNCTION hc_ulong hcl_get_local_linear_id()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + (hc_ulong)blockDim.y * threadIdx.z);
}
HCI_FUNCTION hc_ulong hcl_group_size()
{
    return (hc_ulong)blockDim.x * blockDim.y * blockDim.z;
}

/* True if a thread of a last block is beyond the work-items. */
HCI_FUNCTION bool hcl_is_outside(const hc_grid &work)
{
    return (work.size[0] && hcl_place(0) >= work.size[0]) ||
           (work.size[1] && hcl_place(1) >= work.size[1]) ||
           (work.size[2] && hcl_place(2) >= work.size[2]);
}

/* ------------------------------------------------------------ shared memory */

/* 64-bit numbers, signed or not, and floats: as the bits that atomic functions take. */
template <int size> struct hcl_atomic_bits {
    typedef unsigned int type;
};
template <> struct hcl_atomic_bits<8> {
    typedef hc_ulong type;
};
#define HCL_ATOMIC_BITS(T) typename hcl_atomic_bits<(int)sizeof(T)>::type
HCL_FUNCTION HCL_ATOMIC_BITS(T) * hcl_bits_at(T *p)
{
    return (HCL_ATOMIC_BITS(T) *)p;
}
#define HCL_ATOMIC(name, own)                                                                  \
    HCL_FUNCTION T hcl_atomic_##name(T *p, T value)                                            \
    {                                                                                          \
        return own(p, value);                                                                  \
    }
#define HCL_ATOMIC_OF_BITS(name, own)                                                          \
    HCL_FUNCTION T hcl_atomic_##name(T *p, T value)                                            \
    {                                                                                          \
        return hcl_as<T>(own(hcl_bits_at(p), hcl_as<HCL_ATOMIC_BITS(T)>(value)));              \
    }
HCL_ATOMIC(min, atomicMin)
HCL_ATOMIC(max, atomicMax)
HCL_ATOMIC_OF_BITS(add, atomicAdd)
HCL_ATOMIC_OF_BITS(and, atomicAnd)
HCL_ATOMIC_OF_BITS(or, atomicOr)
HCL_ATOMIC_OF_BITS(xor, atomicXor)
HCL_ATOMIC_OF_BITS(xchg, atomicExch)
HCL_FUNCTION T hcl_atomic_sub(T *p, T value)
{
    return hcl_atomic_add(p, (T)(0 - (hc_ulong)value));
}
HCL_FUNCTION T hcl_atomic_inc(T *p)
{
    return hcl_atomic_add(p, (T)1);
}
HCL_FUNCTION T hcl_atomic_dec(T *p)
{
    return hcl_atomic_add(p, (T)-1);
}
HCL_FUNCTION T hcl_atomic_cmpxchg(T *p, T expected, T value)
{
    typedef HCL_ATOMIC_BITS(T) bits;
    return hcl_as<T>(atomicCAS(hcl_bits_at(p), hcl_as<bits>(expected), hcl_as<bits>(value)));
}

/* C11's: the fences before and behind keep all orders, for all work-items. */
#define HCL_ORDERED(call) (hcl_fence_before(), hcl_fence_behind(call))
HCI_FUNCTION void hcl_fence_before()
{
    __threadfence();
}
HCL_FUNCTION T hcl_fence_behind(T old)
{
    __threadfence();
    return old;
}
HCL_FUNCTION T hcl_atomic_load(T *p)
{
    return hcl_as<T>(*(volatile HCL_ATOMIC_BITS(T) *)hcl_bits_at(p));
}
HCL_FUNCTION int hcl_atomic_store(T *p, T value)
{
    hcl_atomic_xchg(p, value);
    return 0;
}
HCL_FUNCTION bool hcl_atomic_compare(T *p, T *expected, T value)
{
    T wanted = *expected, old = hcl_atomic_cmpxchg(p, wanted, value);
    bool is_same = hcl_as<HCL_ATOMIC_BITS(T)>(old) == hcl_as<HCL_ATOMIC_BITS(T)>(wanted);
    if (!is_same)
        *expected = old;
    return is_same;
}
HCI_FUNCTION bool hcl_atomic_set_flag(int *p)
{
    return atomicExch(p, 1) != 0;
}
HCI_FUNCTION int hcl_atomic_clear_flag(int *p)
{
    return hcl_atomic_store(p, 0);
}

/* Each work-item copies some elements; waiting for the event waits for all copies. */
HCL_FUNCTION int hcl_copy(T *to, const T *from, hc_ulong count, hc_ulong to_step, hc_ulong step)
{
    for (hc_ulong k = hcl_get_local_linear_id(); k < count; k += hcl_group_size())
        to[k * to_step] = from[k * step];
    return 0;
}
