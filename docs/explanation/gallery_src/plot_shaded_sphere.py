"""
A sphere, shaded in half
========================

Normals, a diffuse and a specular light, by OpenCL's functions on arrays of vectors. Beside it:
how many levels of 255 the same formulas are off, when each function is rounded once, and when
each step is.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc

side = np.linspace(-1.1, 1.1, 240)
x, y = np.meshgrid(side, -side)
inside = x * x + y * y < 1
z = np.sqrt(np.where(inside, 1 - x * x - y * y, 0))
normals = np.stack([x, y, z], axis=-1)
light, halfway = np.array([-0.48, 0.6, 0.64]), np.array([-0.265, 0.331, 0.906])


# %%
# The same code for all three: what differs are the functions that it is given.


def shade(dot, power, n):
    diffuse = np.maximum(dot(n, light.astype(n.dtype)), 0)
    glint = power(np.maximum(dot(n, halfway.astype(n.dtype)), 0), 40)
    return np.where(inside, 0.15 + 0.6 * diffuse + 0.25 * glint, 0)


def dot_by_steps(a, b):
    return a[..., 0] * b[0] + a[..., 1] * b[1] + a[..., 2] * b[2]


def power_by_steps(a, n):
    square = a * a
    eighth = (square * square) * (square * square)
    return (eighth * eighth) * (eighth * eighth) * eighth


exact = shade(lambda a, b: a @ b, np.power, normals)
once = shade(hc.dot, lambda a, n: hc.pow(a, n), hc.convert(normals, hc.half))
steps = shade(dot_by_steps, power_by_steps, hc.convert(normals, hc.half))

# %%
# The errors, in levels of 255:

figure, row = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
row[0].imshow(once.astype(float), cmap="copper", vmin=0, vmax=1)
row[0].set_title("in half")
for axes, result, title in ((row[1], once, "functions"), (row[2], steps, "steps")):
    error = np.abs(result.astype(float) - exact) * 255
    picture = axes.imshow(error, cmap="viridis", vmin=0, vmax=1)
    axes.set_title(f"{title}: at most {error.max():.2f}")
figure.colorbar(picture, ax=row[1:], label="levels")
for axes in row:
    axes.set_axis_off()
plt.show()
