"""Kernels of the kind that people write, bit for bit what Python over scalars gives.

The folder kernels has a file of references for each file of kernels: a function for each kernel, by
its name, which gives inputs and what is to come out.
"""

import functools

import pytest
from cl_kernels import FOLDER, KERNELS, references
from exhaustive import in_modes, one_in, shared_out

import halfcl as hc
from halfcl import cl

#: Warnings of builds are asked for by `diagnostics`.
pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")


@functools.cache
def program(stem):
    return cl.Program((FOLDER / f"{stem}.cl").read_text())


@one_in(3)
@shared_out
@pytest.mark.parametrize(
    ("stem", "name", "check"),
    [(*kernel, check) for kernel, check in in_modes(KERNELS, (False, True))],
)
def test_kernel(stem, name, check):
    """Checked, nothing is found, and the results are the same. Or of each kernel one of the two."""
    wanted = getattr(references(stem), name)()
    launches = [*wanted.earlier, (name, wanted.size, wanted.local, wanted.arguments)]
    for kernel, size, local, arguments in launches:
        getattr(program(stem), kernel)(size, local, *arguments, check=check)
    for place, result in wanted.results.items():
        got = wanted.arguments[place]
        got = got.array if isinstance(got, hc.Image) else got
        assert got.tobytes() == result.tobytes(), (
            f"argument {place}: {(got != result).sum()} of {got.size} differ:\n{got}\n{result}"
        )


def test_library_has_enough_kernels():
    assert len(KERNELS) >= 100
