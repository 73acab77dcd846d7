#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

half at(global const half *in, int x, int y, int w, int h) {
    return in[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)];
}

kernel void blur3(global const half *in, global half *out, int n) {
    int i = get_global_id(0);
    half sum = 0;
    for (int k = -1; k <= 1; ++k) {
        if (i + k < 0 || i + k >= n) continue;
        sum += in[i + k] * (k ? 0.25h : 0.5h);
    }
    out[i] = sum;
}

constant half binomial[5] = {0.0625h, 0.25h, 0.375h, 0.25h, 0.0625h};

kernel void gauss5(global const half *in, global half *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    half sum = 0;
    for (int dy = -2; dy <= 2; ++dy) {
        half row = 0;
        for (int dx = -2; dx <= 2; ++dx) row += binomial[dx + 2] * at(in, x + dx, y + dy, w, h);
        sum += row * binomial[dy + 2];
    }
    out[y * w + x] = sum;
}

kernel void sobel(global const half *in, global half *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    half n[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) n[j][i] = at(in, x + i - 1, y + j - 1, w, h);
    half gx = n[0][2] - n[0][0] + 2 * (n[1][2] - n[1][0]) + n[2][2] - n[2][0];
    half gy = n[2][0] - n[0][0] + 2 * (n[2][1] - n[0][1]) + n[2][2] - n[0][2];
    out[y * w + x] = sqrt(gx * gx + gy * gy);
}

kernel void laplace(global const half *in, global half *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    half c = at(in, x, y, w, h);
    out[y * w + x] = at(in, x - 1, y, w, h) + at(in, x + 1, y, w, h) + at(in, x, y - 1, w, h)
        + at(in, x, y + 1, w, h) - 4 * c;
}

kernel void sharpen(global const half *in, global half *out, half amount) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    half mean = 0;
    for (int k = 0; k < 9; ++k) mean += at(in, x + k % 3 - 1, y + k / 3 - 1, w, h);
    half c = in[y * w + x];
    out[y * w + x] = c + amount * (c - mean / 9);
}

kernel void median9(global const uchar *in, global uchar *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    uchar v[9];
    int n = 0;
    for (int j = y - 1; j <= y + 1; ++j)
        for (int i = x - 1; i <= x + 1; ++i) v[n++] = in[clamp(j, 0, h - 1) * w + clamp(i, 0, w - 1)];
    for (int a = 1; a < 9; ++a) {
        uchar key = v[a];
        int b = a;
        while (b > 0 && v[b - 1] > key) { v[b] = v[b - 1]; --b; }
        v[b] = key;
    }
    out[y * w + x] = v[4];
}

kernel void bilateral(global const half *in, global half *out, half sigma) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    half c = in[y * w + x], sum = 0, weights = 0;
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
            half v = at(in, x + i, y + j, w, h), d = (v - c) / sigma;
            half weight = exp(-(d * d) - (half)(i * i + j * j) * 0.5h);
            sum += weight * v;
            weights += weight;
        }
    out[y * w + x] = sum / weights;
}

kernel void half_size(global const half4 *in, global half4 *out) {
    int x = get_global_id(0), y = get_global_id(1), w = 2 * get_global_size(0);
    half4 above = in[2 * y * w + 2 * x] + in[2 * y * w + 2 * x + 1];
    half4 below = in[(2 * y + 1) * w + 2 * x] + in[(2 * y + 1) * w + 2 * x + 1];
    out[y * get_global_size(0) + x] = (above + below) * 0.25h;
}

kernel void erode(global const uchar *in, global uchar *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    uchar least = 255;
    for (int j = max(y - 1, 0); j <= min(y + 1, h - 1); ++j)
        for (int i = max(x - 1, 0); i <= min(x + 1, w - 1); ++i) least = min(least, in[j * w + i]);
    out[y * w + x] = least;
}

kernel void bilinear(global const half *in, global half *out, int w, int h, half scale) {
    int x = get_global_id(0), y = get_global_id(1);
    half u = x * scale, v = y * scale;
    int i = (int)u, j = (int)v;
    half fx = u - i, fy = v - j;
    half top = at(in, i, j, w, h) * (1 - fx) + at(in, i + 1, j, w, h) * fx;
    half bottom = at(in, i, j + 1, w, h) * (1 - fx) + at(in, i + 1, j + 1, w, h) * fx;
    out[y * get_global_size(0) + x] = top * (1 - fy) + bottom * fy;
}

kernel void integral_rows(global const uchar *in, global uint *out, int w) {
    int y = get_global_id(0);
    uint sum = 0;
    for (int x = 0; x < w; ++x) out[y * w + x] = sum += in[y * w + x];
}

kernel void threshold_adaptive(global const half *in, global char *out) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    half sum = 0;
    int count = 0;
    for (int j = y - 2; j <= y + 2; ++j) {
        if (j < 0 || j >= h) continue;
        for (int i = x - 2; i <= x + 2; ++i) {
            if (i < 0) continue;
            if (i >= w) break;
            sum += in[j * w + i];
            ++count;
        }
    }
    out[y * w + x] = in[y * w + x] * count > sum ? 1 : -1;
}
