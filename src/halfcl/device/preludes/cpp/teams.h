/* ------------------------------------------------------------ sub-groups in C++ */

/* Sub-groups of so many successive work-items, emulated in a work-group's memory with a slot
   of 8 bytes per work-item. All work-items of a work-group take part. */

/* The values of the own sub-group's work-items, by lane. */
HCL_FUNCTION const T *hcl_team_given(T x, unsigned char *slots, hc_uint lanes)
{
    T *own = (T *)slots;
    __syncthreads(); /* earlier values have been read */
    own[hc_item()] = x;
    __syncthreads();
    return own + (hc_item() - hc_item() % lanes);
}

/* The value of a lane; the own one if there is no such lane. */
HCL_FUNCTION T hcl_team_lane(T x, hc_uint lane, unsigned char *slots, hc_uint lanes)
{
    const T *given = hcl_team_given(x, slots, lanes);
    return lane < hc_sub_group_size(lanes) ? given[lane] : x;
}
HCL_OF_VECTORS hc_vector<T, n> hcl_team_lane(hc_vector<T, n> x, hc_uint lane,
                                             unsigned char *slots, hc_uint lanes)
{
    hc_vector<T, n> r;
    HCL_EACH(hcl_team_lane(x.s[k], lane, slots, lanes))
}

HCL_FUNCTION T hcl_team_lane_of_two(T a, T b, hc_uint lane, unsigned char *slots, hc_uint lanes)
{
    T one = hcl_team_lane(a, lane, slots, lanes);
    T other = hcl_team_lane(b, lane - lanes, slots, lanes);
    return lane < lanes ? one : other;
}

/* Combine the values of the first lanes, in order. */
template <typename Operation, typename T>
HCI_FUNCTION T hcl_team_combined(const T *given, hc_uint count)
{
    T found = given[0];
    for (hc_uint k = 1; k < count; ++k)
        found = Operation::with(found, given[k]);
    return found;
}
template <typename Operation, typename T>
HCI_FUNCTION T hcl_team_reduce(T x, unsigned char *slots, hc_uint lanes)
{
    const T *given = hcl_team_given(x, slots, lanes);
    return hcl_team_combined<Operation>(given, hc_sub_group_size(lanes));
}
template <typename Operation, typename T>
HCI_FUNCTION T hcl_team_scan_inclusive(T x, unsigned char *slots, hc_uint lanes)
{
    const T *given = hcl_team_given(x, slots, lanes);
    return hcl_team_combined<Operation>(given, hc_item() % lanes + 1);
}
template <typename Operation, typename T>
HCI_FUNCTION T hcl_team_scan_exclusive(T x, unsigned char *slots, hc_uint lanes)
{
    const T *given = hcl_team_given(x, slots, lanes);
    hc_uint lane = hc_item() % lanes;
    return lane ? hcl_team_combined<Operation>(given, lane) : (T)Operation::nothing(x);
}

template <typename Operation, typename T>
HCI_FUNCTION T hcl_team_cluster(T x, hc_uint count, unsigned char *slots, hc_uint lanes)
{
    const T *given = hcl_team_given(x, slots, lanes);
    hc_uint start = hc_item() % lanes / count * count;
    hc_uint left = hc_sub_group_size(lanes) - start;
    return hcl_team_combined<Operation>(given + start, hcl_min(count, left));
}
HCL_FUNCTION int hcl_team_equal(T x, unsigned char *slots, hc_uint lanes)
{
    const T *given = hcl_team_given(x, slots, lanes);
    bool is_equal = true;
    for (hc_uint k = 0; k < hc_sub_group_size(lanes); ++k)
        is_equal = is_equal && given[k] == given[0];
    return is_equal;
}

/* The words of ballots.h in C++. */
typedef hc_uint4 hc_ballot_bits;
#define HC_BALLOT(a, b, c, d) (hc_uint4{{a, b, c, d}})
#define HC_PART(ballot, k) ((ballot).s[k])
#define HC_COUNT(bits) __popcll(bits)
HCI_FUNCTION hc_uint4 hcl_team_ballot(bool x, unsigned char *slots, hc_uint lanes)
{
    const bool *given = hcl_team_given(x, slots, lanes);
    hc_uint4 r = {{0, 0, 0, 0}};
    for (hc_uint k = 0; k < hc_sub_group_size(lanes); ++k)
        r.s[k / 32] |= (hc_uint)given[k] << k % 32;
    return r;
}

/* Operations on integers wrap around; nothing: the result for no values. */
#define HCL_TEAM_INTEGERS(integers, none)                                                      \
    HCL_FUNCTION static T with(T x, T y)                                                       \
    {                                                                                          \
        return (T)(integers);                                                                  \
    }                                                                                          \
    HCL_FUNCTION static T nothing(T)                                                           \
    {                                                                                          \
        return (T)(none);                                                                      \
    }
#define HCL_TEAM_FLOATING(T, value, none)                                                      \
    HCI_FUNCTION static T with(T x, T y)                                                       \
    {                                                                                          \
        return value;                                                                          \
    }                                                                                          \
    HCI_FUNCTION static T nothing(T)                                                           \
    {                                                                                          \
        return none;                                                                           \
    }
#define HCL_TEAM_NUMBERS(name, integers, none, wide, of_wide, halves, of_halves)               \
    struct hcl_team_##name {                                                                   \
        HCL_TEAM_INTEGERS(integers, none)                                                      \
        HCL_TEAM_FLOATING(float, wide, of_wide)                                                \
        HCL_TEAM_FLOATING(double, wide, of_wide)                                               \
        HCL_TEAM_FLOATING(__half, halves, HCL_HALF(of_halves))                                 \
    };
HCL_TEAM_NUMBERS(add, (hc_ulong)x + (hc_ulong)y, 0, hc_add_wide_rte(x, y), 0, hc_add_rte(x, y),
                 0)
HCL_TEAM_NUMBERS(mul, (hc_ulong)x *(hc_ulong)y, 1, hc_multiply_wide_rte(x, y), 1,
                 hc_multiply_rte(x, y), 0x3c00)
HCL_TEAM_NUMBERS(min, hcl_min(x, y), hcl_limits<T>::greatest, hcl_fmin(x, y), HCL_INFINITY,
                 hc_fmin(x, y), 0x7c00)
HCL_TEAM_NUMBERS(max, hcl_max(x, y), hcl_limits<T>::least, hcl_fmax(x, y), -HCL_INFINITY,
                 hc_fmax(x, y), 0xfc00)
struct hcl_team_and {
    HCL_TEAM_INTEGERS(x &y, ~(hc_ulong)0)
};
struct hcl_team_or {
    HCL_TEAM_INTEGERS(x | y, 0)
};
struct hcl_team_xor {
    HCL_TEAM_INTEGERS(x ^ y, 0)
};
struct hcl_team_logical_and {
    HCL_TEAM_INTEGERS(x &y, 1)
};
struct hcl_team_logical_or {
    HCL_TEAM_INTEGERS(x | y, 0)
};
struct hcl_team_logical_xor {
    HCL_TEAM_INTEGERS(x ^ y, 0)
};
