#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* A marbled sphere, lit from the upper left: colours of a pixel each. */
kernel void planet(global half4 *out, half4 light, half4 halfway)
{
    int i = get_global_id(0), j = get_global_id(1), size = get_global_size(0);
    half x = (half)(2 * i + 1 - size) / (half)size, y = (half)(2 * j + 1 - size) / (half)size;
    half left = 1.0h - x * x - y * y;
    half4 colour = (half4)(0.02h, 0.02h, 0.05h, 1.0h);
    if (left > 0) {
        half4 n = (half4)(x, y, sqrt(left), 0.0h);
        half bands = 9.0h * y + 2.5h * sin(5.0h * x + 2.0h * n.z) + 1.3h * sin(11.0h * x * y);
        half t = 0.5h + 0.5h * sin(bands);
        half4 stone = (half4)(0.85h, 0.62h, 0.38h, 1.0h) * t
                      + (half4)(0.16h, 0.26h, 0.42h, 1.0h) * (1.0h - t);
        half diffuse = fmax(n.x * light.x + n.y * light.y + n.z * light.z, 0.0h);
        half shine = fmax(n.x * halfway.x + n.y * halfway.y + n.z * halfway.z, 0.0h);
        colour = stone * (0.08h + diffuse) + 0.6h * pow(shine, 24.0h);
    }
    out[j * size + i] = fmin(colour, (half4)(1.0h));
}
