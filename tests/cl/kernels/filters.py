"""filters.cl over scalars."""

from cl_library import H, integers, launch, values

import halfcl as hc

W, HEIGHT = 7, 5


def at(image, x, y):
    return image[min(max(y, 0), HEIGHT - 1)][min(max(x, 0), W - 1)]


def each(image, of, *others, dtype=H, place=1):
    wanted = [[of(image, x, y) for x in range(W)] for y in range(HEIGHT)]
    return launch((W, HEIGHT), image, *others, out=wanted, dtype=dtype, place=place)


def picture():
    return values(HEIGHT, W, low=0, high=4)


def blur3():
    x = values(30)

    def of(i):
        total = H(0)
        for k in (-1, 0, 1):
            if 0 <= i + k < 30:
                total = total + x[i + k] * H(0.25 if k else 0.5)
        return total

    return launch(30, x, 30, out=[of(i) for i in range(30)], place=1)


def gauss5():
    weights = [H(w / 16) for w in (1, 4, 6, 4, 1)]

    def of(image, x, y):
        total = H(0)
        for j in range(5):
            row = H(0)
            for i in range(5):
                row = row + weights[i] * at(image, x + i - 2, y + j - 2)
            total = total + row * weights[j]
        return total

    return each(picture(), of)


def sobel():
    def of(image, x, y):
        n = [[at(image, x + i, y + j) for i in (-1, 0, 1)] for j in (-1, 0, 1)]
        two = H(2)
        gx = n[0][2] - n[0][0] + two * (n[1][2] - n[1][0]) + n[2][2] - n[2][0]
        gy = n[2][0] - n[0][0] + two * (n[2][1] - n[0][1]) + n[2][2] - n[0][2]
        return hc.sqrt(gx * gx + gy * gy)

    return each(picture(), of)


def laplace():
    def of(image, x, y):
        sides = (
            at(image, x - 1, y) + at(image, x + 1, y) + at(image, x, y - 1) + at(image, x, y + 1)
        )
        return sides - H(4) * at(image, x, y)

    return each(picture(), of)


def sharpen():
    def of(image, x, y):
        mean = H(0)
        for k in range(9):
            mean = mean + at(image, x + k % 3 - 1, y + k // 3 - 1)
        c = at(image, x, y)
        return c + H(0.75) * (c - mean / H(9))

    return each(picture(), of, 0.75)


def median9():
    def of(image, x, y):
        return sorted(at(image, x + k % 3 - 1, y + k // 3 - 1) for k in range(9))[4]

    return each(integers(HEIGHT, W, dtype="u1"), of, dtype="u1")


def bilateral():
    def of(image, x, y):
        c, total, weights = at(image, x, y), H(0), H(0)
        for j in (-1, 0, 1):
            for i in (-1, 0, 1):
                v = at(image, x + i, y + j)
                d = (v - c) / H(0.5)
                weight = hc.exp(-(d * d) - H(i * i + j * j) * H(0.5))
                total, weights = total + weight * v, weights + weight
        return total / weights

    return each(picture(), of, 0.5)


def half_size():
    x = values(6, 8, 4)

    def of(i, j, k):
        above = x[2 * j, 2 * i, k] + x[2 * j, 2 * i + 1, k]
        return (above + (x[2 * j + 1, 2 * i, k] + x[2 * j + 1, 2 * i + 1, k])) * H(0.25)

    wanted = [[[of(i, j, k) for k in range(4)] for i in range(4)] for j in range(3)]
    return launch((4, 3), x, out=wanted)


def erode():
    def of(image, x, y):
        return min(
            image[j][i]
            for j in range(max(y - 1, 0), min(y + 2, HEIGHT))
            for i in range(max(x - 1, 0), min(x + 2, W))
        )

    return each(integers(HEIGHT, W, dtype="u1"), of, dtype="u1")


def bilinear():
    image, scale, one = picture(), H(0.4), H(1)

    def of(x, y):
        u, v = H(x) * scale, H(y) * scale
        i, j = int(u), int(v)
        fx, fy = u - H(i), v - H(j)
        rows = [at(image, i, r) * (one - fx) + at(image, i + 1, r) * fx for r in (j, j + 1)]
        return rows[0] * (one - fy) + rows[1] * fy

    wanted = [[of(x, y) for x in range(15)] for y in range(10)]
    return launch((15, 10), image, W, HEIGHT, 0.4, out=wanted, place=1)


def integral_rows():
    image = integers(HEIGHT, W, dtype="u1")
    wanted = [[sum(map(int, row[: x + 1])) for x in range(W)] for row in image]
    return launch(HEIGHT, image, W, out=wanted, dtype="u4", place=1)


def threshold_adaptive():
    def of(image, x, y):
        total, count = H(0), 0
        for j in range(max(y - 2, 0), min(y + 3, HEIGHT)):
            for i in range(max(x - 2, 0), min(x + 3, W)):
                total, count = total + image[j][i], count + 1
        return 1 if image[y][x] * H(count) > total else -1

    return each(picture(), of, dtype="i1")
