"""colors.cl over scalars."""

from cl_library import H, integers, launch, values

import halfcl as hc


def pixels(low=0.0, high=1.0):
    return values(24, 4, low=low, high=high)


def per_pixel(function, low=0.0, high=1.0):
    x = pixels(low, high)
    return launch(len(x), x, out=[function(*p) for p in x])


def gray():
    return per_pixel(lambda r, g, b, a: H(0.2126) * r + H(0.7152) * g + H(0.0722) * b)


def rgb_to_yuv():
    def of(r, g, b, a):
        y = H(0.299) * r + H(0.587) * g + H(0.114) * b
        return y, (b - y) * H(0.493), (r - y) * H(0.877), a

    return per_pixel(of)


def yuv_to_rgb():
    def of(y, u, v, a):
        return y + H(1.14) * v, y - H(0.395) * u - H(0.581) * v, y + H(2.032) * u, a

    return per_pixel(of, -0.5)


def rgb_to_hsv():
    def of(r, g, b, a):
        high, low = max(r, g, b), min(r, g, b)
        d, h = high - low, H(0)
        if d > 0:
            if high == r:
                h = (g - b) / d
                h = h + H(6) if h < 0 else h
            else:
                h = (b - r) / d + H(2) if high == g else (r - g) / d + H(4)
        return h, d / high if high > 0 else H(0), high, a

    return per_pixel(of)


def hsv_to_rgb():
    def of(h, s, v, a):
        h = h * H(6)
        sector = int(h)
        f, one = h - H(sector), H(1)
        p, q, t = v * (one - s), v * (one - s * f), v * (one - s * (one - f))
        sectors = ((v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q))
        return *sectors[sector % 6], a

    return per_pixel(of)


def srgb_decode():
    x = values(60, low=0, high=1)

    def of(x):
        return x / H(12.92) if x <= H(0.04045) else hc.pow((x + H(0.055)) / H(1.055), H(2.4))

    return launch(60, x, out=[of(v) for v in x])


def srgb_encode():
    x = values(60, low=-0.2, high=1.2)

    def of(x):
        x = min(max(x, H(0)), H(1))
        if x <= H(0.0031308):
            return x * H(12.92)
        return H(1.055) * hc.pow(x, H(1) / H(2.4)) - H(0.055)

    return launch(60, x, out=[of(v) for v in x])


def reinhard():
    x = pixels(0, 30)
    wanted = [[v * H(1.5) / (H(1) + v * H(1.5)) for v in p] for p in x]
    return launch(len(x), x, 1.5, out=wanted, place=1)


def filmic():
    def curve(x):
        above = x * (H(0.15) * x + H(0.05)) + H(0.004)
        return above / (x * (H(0.15) * x + H(0.5)) + H(0.06)) - H(0.0667)

    return per_pixel(lambda *p: [curve(v * H(2)) / curve(H(11.2)) for v in p], 0, 12)


def dither():
    bayer = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]
    x = values(6, 8, low=0, high=1)
    wanted = [
        [255 * bool(x[j, i] > (H(bayer[j & 3][i & 3]) + H(0.5)) / H(16)) for i in range(8)]
        for j in range(6)
    ]
    return launch((8, 6), x, 8, out=wanted, dtype="u1", place=1)


def unpack_565():
    def of(c):
        r, g, b = c >> 11, (c >> 5) & 63, c & 31
        return r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255

    c = integers(40, dtype="u2")
    return launch(40, c, out=[of(int(v)) for v in c], dtype="u1")


def premultiply():
    c = integers(40, 4, dtype="u1")

    def of(v, a):
        wide = (v * a + 128) % 65536
        return (wide + (wide >> 8)) % 65536 >> 8

    wanted = [[of(int(v), int(p[3])) for v in p[:3]] + [p[3]] for p in c]
    return launch(40, out=wanted, dtype="u1", start=c)
