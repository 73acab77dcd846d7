"""Three pictures made from a photograph in half precision: ``python -m halfcl demo``.

`developing` makes a contrasty black-and-white picture in each rounding mode, with a
proven bound on the rounding error; `shading` a relief in bronze, with OpenCL's
geometric functions on `half3`, and its error beside float16's. Both are timed
beside the same code on NumPy's float16. `resampling` enlarges, rotates and mipmaps it
as an image in linear light, with its error beside that of Pillow's 8 bits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl import MODES
from halfcl._demo import developing, panels, shading
from halfcl._demo.developing import contrast, develop, gap_in_ulps
from halfcl._demo.photo import (
    WEIGHTS,
    MissingPackageError,
    load_photo,
    luminance,
    pixels,
    require,
    to_8_bit,
    to_half,
)
from halfcl._demo.resampling import resample_photo
from halfcl._demo.shading import error_in_levels, shade
from halfcl._demo.timing import check_repeat, time_steps, time_table

__all__ = [
    "MODES",
    "WEIGHTS",
    "MissingPackageError",
    "contrast",
    "develop",
    "error_in_levels",
    "gap_in_ulps",
    "load_photo",
    "luminance",
    "resample_photo",
    "run",
    "shade",
    "time_steps",
    "to_8_bit",
    "to_half",
]


def _run_developing(photo: NDArray[np.uint8], out: Path) -> list[Path]:
    """Develop the photograph, print the bound, write the pictures, and return their paths."""
    results: dict[str, NDArray[Any]] = {mode: develop(photo, mode) for mode in MODES}
    gap = gap_in_ulps(results["rtn"], results["rtp"])
    pictures = {mode: to_8_bit(result) for mode, result in results.items()}
    same = bool((gap_in_ulps(results["rtn"], results["rtz"]) == 0).all())
    levels = pictures["rtp"].astype(np.int16) - pictures["rtn"]
    print(
        f"\nWidest gap between rounded down and rounded up: {gap.max()} ulps"
        f" (mean {gap.mean():.2f})."
        "\nThe exact result of every pixel lies in its gap: no mode is further off than that."
        f"\nrtz and rtn are {'the same bit for bit' if same else 'DIFFERENT'}: nothing here is"
        " negative."
        f"\nAs 8-bit grey, {np.mean(levels != 0):.1%} of the pixels differ between rtn"
        f" and rtp, by {levels.max()} of 255 levels at most.\n"
    )
    return panels.draw_developing(out, pixels(photo), pictures, gap)


def _run_shading(photo: NDArray[np.uint8], out: Path) -> list[Path]:
    """Shade the photograph's relief, print the errors, write the pictures; return their paths."""
    normals = shading.normals(shading.downhill(shading.height(photo)))
    normal_map = to_8_bit(hc.fma(normals, 0.5, hc.half(0.5)))
    lights = {"upper left": shading.UPPER_LEFT, "right": shading.RIGHT}
    results = {name: shade(photo, light) for name, light in lights.items()}
    reliefs = {name: to_8_bit(pixels(result)) for name, result in results.items()}

    exact = shading.shade_in_numpy(photo, shading.UPPER_LEFT, np.float64)
    float16 = shading.shade_in_numpy(photo, shading.UPPER_LEFT, np.float16)
    errors = {
        "halfcl": error_in_levels(results["upper left"], exact),
        "NumPy float16": error_in_levels(float16, exact),
    }
    print("\nHow far a pixel's worst colour is off, in 8-bit levels, lit from the upper left:")
    for who, error in errors.items():
        print(
            f"{who:<24}mean {error.mean():.2f}, at most {error.max():.1f};"
            f" half a level or more in {np.mean(error >= 0.5):.1%} of the pixels"
        )
    print()
    return panels.draw_shading(out, pixels(photo), normal_map, reliefs, errors)


def _run_resampling(photo: NDArray[np.uint8], out: Path) -> list[Path]:
    """Resample the photograph, print the errors, write the pictures; return their paths."""
    results = resample_photo(photo)
    print("How far a pixel's worst colour is off, in 8-bit levels of sRGB:")
    for name, (_, errors) in results.items():
        print(f"{name}:")
        for who, error in errors.items():
            print(f"  {who:<34}mean {np.nanmean(error):.2g}, at most {np.nanmax(error):.2g}")
    print()
    return panels.draw_resampling(out, results)


def run(out: str | Path = "halfcl-demo", repeat: int = 10) -> None:
    """Develop, shade and resample the photograph; print times and errors, write pictures.

    out: the folder, made if missing, for ``photo_rte.png`` … ``photo_rtn.png``, ``gap.png`` and
    ``overview.png``; ``normals.png``, ``lit_from_upper_left.png``, ``lit_from_right.png`` and
    ``shading.png``; and ``resampling.png``. repeat: the number of runs of the timed steps; the
    best one counts.
    """
    check_repeat(repeat)
    for module in ("PIL.Image", "matplotlib.figure"):
        require(module)
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    photo = load_photo()
    height, width = photo.shape[1:]
    print(f"Chelsea the cat, {width} x {height} pixels, public domain (Stéfan van der Walt, CC0)")
    print(f"Kernels: {hc.processor_info()['isa']}; one thread; best of {repeat} runs\n")
    parts = (
        ("Developed in the four rounding modes", developing.STEPS, _run_developing),
        ("A relief in bronze", shading.steps(), _run_shading),
        ("Enlarged, rotated and mipmapped", None, _run_resampling),
    )
    for title, steps, run_part in parts:
        print(f"{title}\n{'-' * len(title)}")
        if steps is not None:
            print("\n".join(time_table(time_steps(steps, photo, repeat))))
        for path in run_part(photo, out):
            print(f"wrote {path}")
        print()
