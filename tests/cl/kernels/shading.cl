#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

half dot3(half3 a, half3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
half3 unit(half3 v) { return v / sqrt(dot3(v, v)); }

kernel void lambert(global const half4 *normals, global half *out, half4 light) {
    size_t i = get_global_id(0);
    out[i] = max(dot3(unit(normals[i].xyz), light.xyz), 0.0h);
}

typedef struct {
    half shininess, diffuse, specular, ambient;
} Material;

kernel void blinn_phong(global const half4 *normals, global const half4 *views, global half *out,
                        half4 light, constant Material *material) {
    size_t i = get_global_id(0);
    half3 n = unit(normals[i].xyz), v = unit(views[i].xyz);
    half d = dot3(n, light.xyz), s = 0;
    if (d > 0) s = pow(max(dot3(n, unit(v + light.xyz)), 0.0h), material->shininess);
    else d = 0;
    out[i] = material->ambient + material->diffuse * d + material->specular * s;
}

kernel void normal_map(global const half *heights, global half4 *out, half strength) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    int left = max(x - 1, 0), right = min(x + 1, w - 1), up = max(y - 1, 0), down = min(y + 1, h - 1);
    half3 n = (half3)((heights[y * w + left] - heights[y * w + right]) * strength,
                      (heights[up * w + x] - heights[down * w + x]) * strength, 1);
    out[y * w + x] = (half4)(unit(n) * 0.5h + 0.5h, 1);
}

kernel void fresnel(global const half *cosines, global half *out, half f0) {
    size_t i = get_global_id(0);
    half m = 1 - cosines[i], m2 = m * m;
    out[i] = f0 + (1 - f0) * (m2 * m2 * m);
}

kernel void checkers(global uchar *out, int size) {
    int x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] = ((x / size) ^ (y / size)) & 1 ? 255 : 32;
}

uint hashed(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

kernel void value_noise(global half *out, half scale) {
    int x = get_global_id(0), y = get_global_id(1);
    half u = x * scale, v = y * scale;
    int i = (int)floor(u), j = (int)floor(v);
    half fx = u - i, fy = v - j, corner[2][2];
    for (int b = 0; b < 2; ++b)
        for (int a = 0; a < 2; ++a)
            corner[b][a] = (half)(hashed(i + a + 57 * (j + b)) >> 22) / 1023;
    half top = corner[0][0] + (corner[0][1] - corner[0][0]) * fx;
    half bottom = corner[1][0] + (corner[1][1] - corner[1][0]) * fx;
    out[y * get_global_size(0) + x] = top + (bottom - top) * fy;
}

kernel void circle_distance(global half *out, half radius) {
    int x = get_global_id(0), y = get_global_id(1);
    half2 p = (half2)(x, y) - 4;
    out[y * get_global_size(0) + x] = sqrt(p.x * p.x + p.y * p.y) - radius;
}

kernel void ray_sphere(global const half4 *directions, global half *out, half distance) {
    size_t i = get_global_id(0);
    half3 d = unit(directions[i].xyz);
    half b = d.z * distance, c = distance * distance - 1;
    half discriminant = b * b - c;
    if (discriminant < 0) {
        out[i] = INFINITY;
        return;
    }
    half root = sqrt(discriminant), near = b - root;
    out[i] = near > 0 ? near : b + root;
}

kernel void mandelbrot(global int *out, int limit) {
    int px = get_global_id(0), py = get_global_id(1), w = get_global_size(0);
    half cx = px * 0.1875h - 2, cy = py * 0.25h - 1, x = 0, y = 0;
    int n = 0;
    while (n < limit && x * x + y * y <= 4) {
        half t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++n;
    }
    out[py * w + px] = n;
}

kernel void julia(global uchar *out, half2 c) {
    int px = get_global_id(0), py = get_global_id(1), w = get_global_size(0);
    half2 z = (half2)(px, py) * 0.25h - 1.5h;
    int n = 0;
    for (; n < 30; ++n) {
        half2 q = z * z;
        if (q.x + q.y > 4) break;
        z = (half2)(q.x - q.y, 2 * z.x * z.y) + c;
    }
    out[py * w + px] = n * 8;
}

kernel void alpha_over(global const half4 *above, global half4 *below) {
    size_t i = get_global_id(0);
    half4 a = above[i];
    below[i] = a + below[i] * (1 - a.w);
}
