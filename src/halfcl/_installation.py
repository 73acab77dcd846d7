"""Facts of an installation: versions, kernels and threads of halfcl, and packages beside it."""

from __future__ import annotations

import os
import platform
import sysconfig
from importlib import metadata
from typing import TypedDict

import numpy as np

import halfcl as hc
from halfcl._numpy import compat as numpy_compat
from halfcl._opencl.constants import FPConfig
from halfcl._settings import threads
from halfcl.typing import RoundingMode

#: Distributions that halfcl works with, or that NumPy's results depend on.
_PACKAGES = (
    "scipy", "pandas", "ml_dtypes", "torch", "jax", "cupy-cuda12x", "cupy-cuda13x", "pyopencl",
    "libclang", "dask", "OpenEXR", "pillow", "imagecodecs", "matplotlib", "tqdm", "Jinja2",
    "threadpoolctl",
)  # fmt: skip


class Facts(TypedDict):
    """The result of `facts`."""

    halfcl: str
    numpy: str
    python: str
    machine: str
    system: str
    settings: dict[str, str]
    rounding_mode: RoundingMode
    isa: str
    available: list[str]
    threads: int
    threads_by: str
    cpu_features: list[str]
    half_fp_config: list[str]
    numpy_lacks: list[dict[str, str]]
    numpy_is_plain: bool
    numpy_is_accelerated: bool


def facts() -> Facts:
    """Return a description of this installation of halfcl, as JSON has it."""
    device = hc.processor_info()
    config = device["half_fp_config"]
    count, reason = threads.default()
    in_force = hc.get_num_threads()
    return {
        "halfcl": hc.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": device["machine"],
        "system": _system(),
        "settings": {
            name: text for name, text in sorted(os.environ.items()) if name.startswith("HALFCL_")
        },
        "rounding_mode": hc.get_rounding(),
        "isa": device["isa"],
        "available": list(device["available"]),
        "threads": in_force,
        "threads_by": reason if in_force == count else "a limit that was set",
        "cpu_features": list(device["features"]),
        "half_fp_config": [str(flag.name) for flag in FPConfig if flag in config],
        "numpy_lacks": [
            {"name": entry.name, "without": entry.without}
            for entry in numpy_compat.ENTRIES
            if not entry.present and not (numpy_compat.IS_PLAIN and entry.changes)
        ],
        "numpy_is_plain": numpy_compat.IS_PLAIN,
        "numpy_is_accelerated": bool(hc.accelerated_ufuncs()),
    }


def report() -> str:
    """Return the facts as text to be read: lines of a name and a value."""
    known = facts()
    states = {
        "plain: HALFCL_NUMPY": known["numpy_is_plain"],
        "accelerated": known["numpy_is_accelerated"],
    }
    rows = {
        "halfcl": known["halfcl"],
        "NumPy": ", ".join([known["numpy"], *(text for text, holds in states.items() if holds)]),
        "Python": f"{known['python']} on {known['machine']}",
        "system": known["system"],
        "rounding mode": known["rounding_mode"],
        "kernels in use": known["isa"],
        "available": ", ".join(known["available"]),
        "threads": f"{known['threads']} ({known['threads_by']})",
        "CPU features": ", ".join(known["cpu_features"]) or "none that the kernels use",
        "HALF_FP_CONFIG": ", ".join(known["half_fp_config"]),
    }
    if known["settings"]:
        rows["settings"] = ", ".join(f"{name}={text}" for name, text in known["settings"].items())
    for number, entry in enumerate(known["numpy_lacks"], 1):
        rows[f"NumPy lacks ({number})"] = f"{entry['name']}: {entry['without']}"
    return "\n".join(f"{name:<16} {value}" for name, value in rows.items())


def _system() -> str:
    """Return the system and its C library: ``platform.platform()`` would start a process."""
    library = " ".join(platform.libc_ver()).strip() or sysconfig.get_config_var("HOST_GNU_TYPE")
    names = [f"{platform.system()} {platform.release()}", library]
    return ", ".join(filter(None, names))


def show_versions() -> None:
    """Print what a report of a bug needs: versions, system, processor, kernels, threads, packages.

    Returns
    -------
    None

    Notes
    -----
    Source: `pandas.show_versions`. ``python -m halfcl info`` prints the first part.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.show_versions()                                                      # doctest: +ELLIPSIS
    halfcl           ...
    """
    print(report())
    for name, version in _versions().items():
        print(f"{name:<16} {version}")


def _versions() -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    installed = {}
    for name in _PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed
