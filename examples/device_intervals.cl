/* Intervals: lower bounds rounded down, upper bounds rounded up, so that what is exact lies inside. */
typedef struct {
    hc_half low, high;
} interval;

interval plus(interval a, interval b)
{
    interval sum = {hc_add_rtn(a.low, b.low), hc_add_rtp(a.high, b.high)};
    return sum;
}

/* The least and the greatest of the products of bounds. */
interval times(interval a, interval b)
{
    interval product = {
        hc_fmin(hc_fmin(hc_mul_rtn(a.low, b.low), hc_mul_rtn(a.low, b.high)),
                hc_fmin(hc_mul_rtn(a.high, b.low), hc_mul_rtn(a.high, b.high))),
        hc_fmax(hc_fmax(hc_mul_rtp(a.low, b.low), hc_mul_rtp(a.low, b.high)),
                hc_fmax(hc_mul_rtp(a.high, b.low), hc_mul_rtp(a.high, b.high))),
    };
    return product;
}

interval number(int x)
{
    interval same = {hc_convert_half_rtn(x), hc_convert_half_rtp(x)};
    return same;
}

/* The range of ((x - 5) x + 2) x + 3 over each box, by Horner's rule. */
kernel void ranges(global const hc_half *boxes, global hc_half *low, global hc_half *high)
{
    size_t i = get_global_id(0);
    interval x = {boxes[2 * i], boxes[2 * i + 1]};
    interval value = plus(x, number(-5));
    value = plus(times(value, x), number(2));
    value = plus(times(value, x), number(3));
    low[i] = value.low;
    high[i] = value.high;
}
