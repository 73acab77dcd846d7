/* Run again in other roundings by one macro: build with -DMODE=rte, rtz, rtp and rtn. */

/* A triangle's squared area times 16, of its sides a >= b >= c. By Heron's formula. */
hc_half heron(hc_half a, hc_half b, hc_half c)
{
    hc_half two = HC_IN(convert_half, MODE)(2), sixteen = HC_IN(convert_half, MODE)(16);
    hc_half around = HC_IN(add, MODE)(HC_IN(add, MODE)(a, b), c);
    hc_half s = HC_IN(div, MODE)(around, two);
    hc_half first = HC_IN(mul, MODE)(s, HC_IN(sub, MODE)(s, a));
    hc_half second = HC_IN(mul, MODE)(HC_IN(sub, MODE)(s, b), HC_IN(sub, MODE)(s, c));
    return HC_IN(mul, MODE)(HC_IN(mul, MODE)(first, second), sixteen);
}

/* By Kahan's, whose differences are of what was given, and so exact where they cancel. */
hc_half kahan(hc_half a, hc_half b, hc_half c)
{
    hc_half gap = HC_IN(sub, MODE)(a, b);
    hc_half around = HC_IN(add, MODE)(a, HC_IN(add, MODE)(b, c));
    hc_half beyond = HC_IN(add, MODE)(a, HC_IN(sub, MODE)(b, c));
    hc_half first = HC_IN(mul, MODE)(around, HC_IN(sub, MODE)(c, gap));
    hc_half second = HC_IN(mul, MODE)(HC_IN(add, MODE)(c, gap), beyond);
    return HC_IN(mul, MODE)(first, second);
}

kernel void areas(global const hc_half *sides, global hc_half *by_heron, global hc_half *by_kahan)
{
    size_t i = get_global_id(0);
    hc_half a = sides[3 * i], b = sides[3 * i + 1], c = sides[3 * i + 2];
    by_heron[i] = heron(a, b, c);
    by_kahan[i] = kahan(a, b, c);
}
