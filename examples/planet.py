"""Compare what devices compute for one shader in half precision.

python examples/planet.py                             on each OpenCL device that is here
python examples/planet.py --save runs.npz             and keep what they made
python examples/planet.py --draw a.npz b.npz planet.png

Each device runs planet.cl three ways: translated by halfcl, which gives the bits that are right;
as it is written, if the device takes it; and with float in place of half, as one writes it where
it does not, rounded to half at the end.
"""

import argparse
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import style

import halfcl as hc
from halfcl import cl

SIZE = 320
SOURCE = Path(__file__).with_name("planet.cl").read_text()
LIGHT = np.array([-0.5, -0.6, 0.62, 0], hc.half)
LABELS = {"as written": "half as it is written", "float": "in float, stored as half"}
HALFWAY = np.array([-0.28, -0.34, 0.9, 0], hc.half)


def right():
    out = np.zeros((SIZE, SIZE, 4), hc.half)
    cl.Program(SOURCE).planet((SIZE, SIZE), None, out, LIGHT, HALFWAY)
    return out


def shader_in_float():
    """Return the shader with floats, which rounds once, when it stores."""
    text = re.sub(r"(\d)h\b", r"\1f", re.sub(r"\bhalf(?=4?\b)(?!way)", "float", SOURCE))
    text = text.replace("global float4 *out", "global half *out")
    text = re.sub(r"out\[(.*?)\] = (.*);", r"vstore_half4_rte(\2, \1, out);", text)
    return text.replace("#pragma OPENCL EXTENSION cl_khr_fp16 : enable", "")


def on(device):
    """Return the images of a device by way."""
    import pyopencl

    context = pyopencl.Context([device])
    queue = pyopencl.CommandQueue(context)
    images = {"translated": np.zeros((SIZE, SIZE, 4), hc.half)}
    program = cl.Program(SOURCE, device=queue)
    program.planet((SIZE, SIZE), None, images["translated"], LIGHT, HALFWAY)
    ways = {"as written": (SOURCE, np.float16), "float": (shader_in_float(), np.float32)}
    for way, (text, dtype) in ways.items():
        out = np.zeros((SIZE, SIZE, 4), np.float16)
        held = pyopencl.Buffer(context, pyopencl.mem_flags.WRITE_ONLY, out.nbytes)
        vectors = [v.astype(dtype).view(np.uint8) for v in (LIGHT, HALFWAY)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # compilers warn of remarks
            try:
                kernel = pyopencl.Program(context, text).build().planet
            except pyopencl.Error:
                continue
        kernel(queue, (SIZE, SIZE), None, held, *vectors)
        pyopencl.enqueue_copy(queue, out, held)
        images[way] = out.view(hc.half)
    return images


def devices():
    try:
        import pyopencl

        return [d for platform in pyopencl.get_platforms() for d in platform.get_devices()]
    except ImportError:
        reason = "pyopencl is missing (pip install pyopencl)"
    except pyopencl.Error as error:
        reason = str(error)
    print(f"no OpenCL device: {reason}", file=sys.stderr)
    return []


def steps(image, wanted):
    """Return the distance of images in halves, the largest of a pixel's three colours."""
    return np.asarray(hc.ulps_between(image, wanted))[..., :3].max(-1)


def lines(name, images, wanted):
    """Yield a line per way."""
    for way, image in images.items():
        apart = steps(image, wanted)
        share = np.count_nonzero(apart) / apart.size
        yield f"{name}, {way}: {share:.1%} of the pixels differ, by up to {apart.max()} ulp"


def runs():
    """Return the images by device and way; check that the translated ones are right."""
    wanted, by_device = right(), {}
    for device in devices():
        name = device.platform.name.strip()
        by_device[name] = on(device)
        assert by_device[name]["translated"].tobytes() == wanted.tobytes(), name
        print(*lines(name, by_device[name], wanted), sep="\n")
    return by_device


def draw(by_device, path):
    """Draw the image, and each device's errors without translation: in half, if it can."""
    from matplotlib.figure import Figure

    wanted = right()
    panels = []
    for name, ways in by_device.items():
        way = "as written" if "as written" in ways else "float"
        panels.append((f"{name},\n{LABELS[way]}", steps(ways[way], wanted)))
    figure = Figure(figsize=(2.4 * (len(panels) + 1) + 0.7, 3), dpi=110, layout="constrained")
    axes = figure.subplots(1, len(panels) + 1)
    axes[0].imshow(style.as_floats(wanted[..., :3]) ** (1 / 2.2))
    axes[0].set_title("right, and so each device,\ntranslated", fontsize="small")
    for ax, (title, apart) in zip(axes[1:], panels, strict=True):
        shown = ax.imshow(np.log2(1 + apart), vmin=0, vmax=8, cmap="magma")
        ax.set_title(title, fontsize="small")
    for ax in axes:
        ax.set_axis_off()
    ticks = [0, 1, 3, 15, 63, 255]
    bar = figure.colorbar(shown, ax=axes, ticks=np.log2(np.add(ticks, 1)), shrink=0.8, pad=0.01)
    bar.ax.set_yticklabels([str(t) for t in ticks], fontsize="small")
    bar.set_label("halves apart", fontsize="small")
    style.save(figure, path, 256)


def main(argv=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--save", metavar="FILE.npz", help="store the images of the devices here")
    parser.add_argument(
        "--draw", nargs="+", metavar="FILE", help="stored images, and a picture to draw"
    )
    options = parser.parse_args(argv)
    if options.draw:
        *files, picture = options.draw
        by_device = {}
        for file in files:
            for key, image in np.load(file).items():
                name, _, way = key.partition(", ")
                by_device.setdefault(name, {})[way] = image.view(hc.half)
        draw(by_device, picture)
        return
    by_device = runs()
    if options.save:
        kept = {f"{n}, {w}": np.asarray(x).view(np.float16) for n, ws in by_device.items()
                for w, x in ws.items()}  # fmt: skip
        np.savez_compressed(options.save, **kept)


if __name__ == "__main__":
    main()
