#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void n_body(global const half4 *bodies, global half4 *out, int n, half dt) {
    int i = get_global_id(0);
    half4 me = bodies[i], force = 0;
    for (int k = 0; k < n; ++k) {
        if (k == i) continue;
        half4 d = bodies[k] - me;
        half r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01h, inverse = rsqrt(r2);
        force.xyz += d.xyz * (bodies[k].w * inverse * inverse * inverse);
    }
    out[i] = (half4)(me.xyz + force.xyz * dt, me.w);
}

kernel void sph_density(global const half2 *at, global half *out, int n, half radius) {
    int i = get_global_id(0);
    half sum = 0, h2 = radius * radius;
    for (int k = 0; k < n; ++k) {
        half2 d = at[k] - at[i];
        half r2 = d.x * d.x + d.y * d.y;
        if (r2 < h2) {
            half w = h2 - r2;
            sum += w * w * w;
        }
    }
    out[i] = sum * 4;
}

kernel void gray_scott(global const half2 *in, global half2 *out, half feed, half kill) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    half2 c = in[y * w + x];
    half2 around = in[y * w + (x + 1) % w] + in[y * w + (x + w - 1) % w]
        + in[(y + 1) % h * w + x] + in[(y + h - 1) % h * w + x];
    half2 spread = (around - 4 * c) * (half2)(0.2h, 0.1h);
    half reaction = c.x * c.y * c.y;
    out[y * w + x] = c + spread + (half2)(feed * (1 - c.x) - reaction, reaction - (feed + kill) * c.y);
}

kernel void heat(global const half *in, global half *out, half rate) {
    int i = get_global_id(0), n = get_global_size(0);
    half c = in[i], left = i > 0 ? in[i - 1] : c, right = i < n - 1 ? in[i + 1] : c;
    out[i] = c + rate * (left - 2 * c + right);
}

kernel void life(global const uchar *in, global uchar *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    int n = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j) n += in[(y + j + h) % h * w + (x + i + w) % w];
    out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
}

#define MUL(a, b) (half2)((a).x * (b).x - (a).y * (b).y, (a).x * (b).y + (a).y * (b).x)

kernel void fft_pass(global half2 *data, global const half2 *roots, int span) {
    int i = get_global_id(0), k = i % span, a = (i / span) * 2 * span + k, b = a + span;
    half2 u = data[a], v = MUL(data[b], roots[k * (get_global_size(0) / span)]);
    data[a] = u + v;
    data[b] = u - v;
}

typedef struct {
    float2 at, speed;
    int bounces;
} Ball;

kernel void bounce(global Ball *balls, int steps) {
    global Ball *ball = balls + get_global_id(0);
    for (int n = 0; n < steps; ++n) {
        ball->speed.y -= 0.125f;
        ball->at += ball->speed * 0.25f;
        if (ball->at.y < 0) {
            ball->at.y = -ball->at.y;
            ball->speed.y *= -0.75f;
            if (++ball->bounces == 3) break;
        }
    }
}

kernel void lorenz(global half4 *states, int steps) {
    size_t i = get_global_id(0);
    half4 s = states[i];
    while (steps--) {
        half4 d = (half4)(10 * (s.y - s.x), s.x * (28 - s.z) - s.y, s.x * s.y - 2.667h * s.z, 0);
        s += d * 0.005h;
    }
    states[i] = s;
}

kernel void random_walk(global const uint *seeds, global int2 *out, int steps) {
    size_t i = get_global_id(0);
    uint s = seeds[i];
    int2 at = 0;
    for (int n = 0; n < steps; ++n) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        switch (s >> 30) {
        case 0: at.x++; break;
        case 1: --at.x; break;
        case 2: at.y += 1; break;
        default: at.y -= 1;
        }
    }
    out[i] = at;
}

kernel void collatz(global int *out) {
    int n = get_global_id(0) + 1, steps = 0;
    for (; n != 1; ++steps) n = n & 1 ? 3 * n + 1 : n / 2;
    out[get_global_id(0)] = steps;
}

int gcd(int a, int b) {
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a < 0 ? -a : a;
}

kernel void reduce_fractions(global int2 *fractions) {
    size_t i = get_global_id(0);
    int2 f = fractions[i];
    if (!f.y) return;
    f /= gcd(f.x, f.y);
    fractions[i] = f.y < 0 ? -f : f;
}

kernel void crc32(global const uchar *in, global uint *out, int n) {
    size_t i = get_global_id(0);
    uint crc = ~0u;
    for (int k = 0; k < n; ++k) {
        crc ^= in[i * n + k];
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & -(crc & 1));
    }
    out[i] = ~crc;
}

kernel void primes(global uchar *out) {
    uint n = get_global_id(0);
    out[n] = 0;
    if (n < 2 || (n > 2 && n % 2 == 0)) return;
    for (uint d = 3; d * d <= n; d += 2)
        if (n % d == 0) return;
    out[n] = 1;
}

kernel void horner(global const half *in, constant half *c, int n, global half2 *out) {
    size_t i = get_global_id(0);
    half x = in[i], p = c[n - 1], q = p;
    for (int k = n - 2; k >= 0; --k) {
        p = p * x + c[k];
        q = fma(q, x, c[k]);
    }
    out[i] = (half2)(p, q);
}

#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE rtn
half2 lower_of(half2 a, half2 b) { return (half2)(a.x + b.x, a.y * b.y); }
#pragma OPENCL SELECT_ROUNDING_MODE rtp
half2 upper_of(half2 a, half2 b) { return (half2)(a.x + b.x, a.y * b.y); }

kernel void enclosures(global const half2 *a, global const half2 *b, global half4 *out) {
    size_t i = get_global_id(0);
    out[i] = (half4)(lower_of(a[i], b[i]), upper_of(a[i], b[i]));
}
