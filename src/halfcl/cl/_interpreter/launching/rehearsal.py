"""Launches with contract="both": one fused run, which is undone, then a separate one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from halfcl.cl._interpreter.contraction import Contracting, Contraction, differing_elements
from halfcl.cl._interpreter.launching.launch import Launch


def run_both_ways(
    launch: Launch, run: Callable[[Contracting], None], written: dict[str, NDArray[Any]]
) -> Contraction:
    """Run a launch fused and undo it; then run it separately, watching what would be fused.

    run: runs the launch; written: by name, the arrays that it may write to.
    """
    before = {name: array.copy() for name, array in written.items()}
    launch.is_rehearsal = True
    try:
        run("always")
        fused = {name: array.copy() for name, array in written.items()}
    finally:
        launch.is_rehearsal = False
        for name, array in written.items():
            array[...] = before[name]
    run("watched")
    elements = {name: differing_elements(array, fused[name]) for name, array in written.items()}
    return Contraction(launch.name, launch.recorder.sites(launch.place_of), elements)
