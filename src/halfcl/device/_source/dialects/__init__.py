"""The dialects that texts for devices are written in, by name."""

from __future__ import annotations

from halfcl.device._source.dialects.cuda import CUDA
from halfcl.device._source.dialects.dialect import Dialect, ProgramWords
from halfcl.device._source.dialects.opencl import OPENCL

#: A dialect by its name as an argument.
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (OPENCL, CUDA)}

__all__ = ["CUDA", "DIALECTS", "OPENCL", "Dialect", "ProgramWords", "languages_of_programs"]


def languages_of_programs() -> tuple[str, ...]:
    """Return the names of the dialects that programs are translated to.

    Programs are OpenCL C, so that one needs no words for them.
    """
    return tuple(name for name, each in DIALECTS.items() if each is OPENCL or each.program)
