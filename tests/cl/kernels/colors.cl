#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void gray(global const half4 *in, global half *out) {
    size_t i = get_global_id(0);
    half4 c = in[i];
    out[i] = 0.2126h * c.x + 0.7152h * c.y + 0.0722h * c.z;
}

kernel void rgb_to_yuv(global const half4 *in, global half4 *out) {
    size_t i = get_global_id(0);
    half4 c = in[i];
    half y = 0.299h * c.r + 0.587h * c.g + 0.114h * c.b;
    out[i] = (half4)(y, (c.b - y) * 0.493h, (c.r - y) * 0.877h, c.a);
}

kernel void yuv_to_rgb(global const half4 *in, global half4 *out) {
    size_t i = get_global_id(0);
    half4 c = in[i];
    half r = c.x + 1.14h * c.z, b = c.x + 2.032h * c.y;
    half g = c.x - 0.395h * c.y - 0.581h * c.z;
    out[i] = (half4)(r, g, b, c.w);
}

kernel void rgb_to_hsv(global const half4 *in, global half4 *out) {
    size_t i = get_global_id(0);
    half4 c = in[i];
    half high = max(c.x, max(c.y, c.z)), low = min(c.x, min(c.y, c.z));
    half d = high - low, h = 0;
    if (d > 0) {
        if (high == c.x) {
            h = (c.y - c.z) / d;
            if (h < 0) h += 6;
        } else if (high == c.y) {
            h = (c.z - c.x) / d + 2;
        } else {
            h = (c.x - c.y) / d + 4;
        }
    }
    out[i] = (half4)(h, high > 0 ? d / high : 0.0h, high, c.w);
}

kernel void hsv_to_rgb(global const half4 *in, global half4 *out) {
    size_t i = get_global_id(0);
    half h = in[i].x * 6, s = in[i].y, v = in[i].z;
    int sector = (int)h;
    half f = h - sector, p = v * (1 - s), q = v * (1 - s * f), t = v * (1 - s * (1 - f));
    half4 c = (half4)(v, p, q, in[i].w);
    switch (sector % 6) {
    case 0: c.xyz = (half3)(v, t, p); break;
    case 1: c.xyz = (half3)(q, v, p); break;
    case 2: c.xyz = (half3)(p, v, t); break;
    case 3: c.xyz = (half3)(p, q, v); break;
    case 4: c.xyz = (half3)(t, p, v); break;
    default: c.yz = (half2)(p, q);
    }
    out[i] = c;
}

half decoded(half x) { return x <= 0.04045h ? x / 12.92h : pow((x + 0.055h) / 1.055h, 2.4h); }

kernel void srgb_decode(global const half *in, global half *out) {
    size_t i = get_global_id(0);
    out[i] = decoded(in[i]);
}

kernel void srgb_encode(global const half *in, global half *out) {
    size_t i = get_global_id(0);
    half x = clamp(in[i], 0.0h, 1.0h);
    out[i] = x <= 0.0031308h ? x * 12.92h : 1.055h * pow(x, 1.0h / 2.4h) - 0.055h;
}

kernel void reinhard(global const half4 *in, global half4 *out, half exposure) {
    size_t i = get_global_id(0);
    half4 c = in[i] * exposure;
    out[i] = c / (1 + c);
}

half4 curve(half4 x) {
    return (x * (0.15h * x + 0.05h) + 0.004h) / (x * (0.15h * x + 0.5h) + 0.06h) - 0.0667h;
}

kernel void filmic(global const half4 *in, global half4 *out) {
    size_t i = get_global_id(0);
    out[i] = curve(in[i] * 2) / curve((half4)(11.2h));
}

constant uchar bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

kernel void dither(global const half *in, global uchar *out, int width) {
    int x = get_global_id(0), y = get_global_id(1);
    half threshold = (bayer[y & 3][x & 3] + 0.5h) / 16;
    out[y * width + x] = in[y * width + x] > threshold ? 255 : 0;
}

kernel void unpack_565(global const ushort *in, global uchar4 *out) {
    size_t i = get_global_id(0);
    ushort c = in[i];
    uchar r = c >> 11, g = (c >> 5) & 63, b = c & 31;
    out[i] = (uchar4)((r << 3) | (r >> 2), (g << 2) | (g >> 4), (b << 3) | (b >> 2), 255);
}

kernel void premultiply(global uchar4 *image) {
    size_t i = get_global_id(0);
    uchar4 c = image[i];
    ushort4 wide = convert_ushort4(c) * c.w + (ushort)128;
    image[i] = (uchar4)(convert_uchar4((wide + (wide >> (ushort)8)) >> (ushort)8).xyz, c.w);
}
