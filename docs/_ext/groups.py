"""The public names, in the groups that the reference shows them in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType

import halfcl as hc
from halfcl._tables import TABLE, Builtin
from halfcl.vectors import TYPES

#: The table's sections: as they are called, and what is said of them.
SECTIONS = {
    "Operators": "The operators `+ - * /`, as functions. Every region governs them.",
    "Math": "OpenCL's table of mathematical functions, and what C23 adds to it.",
    "Common": "OpenCL's common functions.",
    "Geometric": "Functions of vectors, along an axis of any length.",
    "Relational": "Comparisons and classification. Of vectors they give masks of 0 and -1.",
    "Normalized": "Between halves and the normalised integers that images are made of.",
}


@dataclass(frozen=True)
class Group:
    """Public names with one page.

    names: of functions and classes, each with its docstring; tabled: of values, in a table;
    families: a name that stands for many, and what all of them look like.
    """

    slug: str
    title: str
    text: str
    names: tuple[str, ...] = ()
    module: str = "halfcl"
    tabled: tuple[str, ...] = ()
    families: tuple[tuple[str, str], ...] = field(default=())
    pages: tuple[str, ...] = ()

    def imported(self) -> ModuleType:
        return import_module(self.module)


def rows() -> list[Builtin]:
    """The table's public functions."""
    return [row for row in TABLE if row.public]


def _constants() -> tuple[str, ...]:
    return tuple(name for name in hc._opencl.constants.__all__ if not callable(getattr(hc, name)))


def _part(slug: str, title: str, text: str, pages: tuple[str, ...]) -> Group:
    """A module whose `__all__` is public."""
    module = f"halfcl.{slug}"
    public = import_module(module).__all__
    values = tuple(n for n in public if not callable(getattr(import_module(module), n)))
    names = tuple(name for name in public if name not in values)
    return Group(slug, title, text, names, module, values, pages=pages)


_CONVERSION = r"convert_[a-z]+\d*(_sat)?(_rt[ezpn])?"
_BITS = r"as_[a-z]+\d*"
_LOADS = r"v(load|store)a?(_half)?\d*(_rt[ezpn])?"

_OWN = (
    Group("dtype", "The dtype", "The scalar type, its limits, and OpenCL's constants.",
          ("half", "show", "finfo", "Function", "FPConfig", "processor_info",
           "show_versions", "MissingPackageError"),
          tabled=_constants(), pages=("reference/dtype.md",)),
    Group("rounding", "Rounding", "Which of the four modes holds, and where.",
          ("rounding", "get_rounding"), tabled=("MODES",),
          pages=("howto/rounding.md", "reference/rounding.md")),
    Group("conversions", "Conversions", "From any type to any other, rounded once; and the bits of "
          "one as another.", ("convert", "parse"),
          families=(("convert_int", _CONVERSION), ("convert_uchar4_sat_rte", _CONVERSION),
                    ("as_ushort", _BITS), ("as_half4", _BITS)),
          pages=("reference/conversions.md",)),
    Group("memory", "Loads and stores", "OpenCL's `vload` and `vstore`, on arrays. Functions "
          "that are not said to round move bits.", (),
          families=(("vload4", _LOADS), ("vstore4", _LOADS), ("vload_half", _LOADS),
                    ("vload_half4", _LOADS), ("vloada_half3", _LOADS), ("vstore_half", _LOADS),
                    ("vstore_half4_rtn", _LOADS), ("vstorea_half3", _LOADS)),
          pages=("reference/memory.md",)),
    Group("vectors", "Vectors", "OpenCL's vector types, and what shuffles their components.",
          ("half4", "shuffle", "shuffle2", "vec_step", "to_struct", "from_struct"),
          families=(("half4", "(" + "|".join(TYPES) + ")"),), pages=("reference/vectors.md",)),
    Group("reductions", "Reductions", "Exact, and rounded once.",
          tuple(name for name in hc.reductions._public.FUNCTIONS),
          pages=("howto/reductions.md", "reference/reductions.md")),
    Group("selection", "Selection", "By masks, or by bits.",
          tuple(name for name in hc._opencl.selection.FUNCTIONS), pages=("reference/vectors.md",)),
    Group("images", "Images", "OpenCL's images and samplers over NumPy arrays.",
          tuple(name for name in hc._images.__all__),
          pages=("howto/images.md", "reference/images.md")),
    Group("errors", "Errors in ulps", "How wrong a half is, and how wrong OpenCL lets it be.",
          ("ulp_error", "ulps_between", "allowed_ulp"), pages=("reference/errors.md",)),
    Group("threads", "Threads", "How many a call may use.",
          ("get_num_threads", "set_num_threads", "num_threads"),
          pages=("howto/threads.md", "reference/threads.md")),
    Group("acceleration", "Acceleration", "halfcl's kernels for NumPy's own float16.",
          tuple(hc._numpy.acceleration.__all__),
          pages=("howto/acceleration.md", "reference/acceleration.md")),
    Group("accumulator", "The accumulator", "Exact sums in parts, that merge in any order.",
          ("Accumulator",), "halfcl.reductions",
          pages=("howto/reductions.md", "reference/reductions.md")),
)  # fmt: skip


def _parts() -> tuple[Group, ...]:
    return (
        _part("interval", "halfcl.interval", "Arrays of intervals, by IEEE 1788.",
              pages=("howto/enclose.md", "reference/intervals.md")),
        _part("stability", "halfcl.stability", "Code run again in other roundings, and the step to "
              "blame.", pages=("howto/stability.md", "howto/stability_of_programs.md",
                               "reference/stability.md")),
        _part("safe", "halfcl.safe", "Functions whose arguments are kept in their domains.",
              pages=("howto/safe.md", "reference/safe.md")),
        _part("cl", "halfcl.cl", "OpenCL C kernels, run to the last bit.",
              pages=("howto/kernels.md", "reference/kernels.md")),
        _part("device", "halfcl.device", "The functions in kernels on GPUs.",
              pages=("howto/device.md", "reference/device.md")),
        _part("arrays", "halfcl.arrays", "What the functions need told of other libraries' arrays.",
              pages=("howto/gpu.md",)),
        _part("io", "halfcl.io", "Pictures and look-up tables in files.", pages=("howto/io.md",)),
        _part("audit", "halfcl.audit", "Anybody's half functions against the right results.",
              pages=("howto/audit.md", "reference/audit.md")),
        _part("plots", "halfcl.plots", "Plots of halves in a line.",
              pages=("howto/plots.md", "reference/plots.md")),
        _part("check", "halfcl.check", "Whether the results are right on this machine.",
              pages=("reference/command.md",)),
        _part("testing", "halfcl.testing", "Assertions on half functions, for tests.",
              pages=("howto/audit.md",)),
    )  # fmt: skip


def groups() -> list[Group]:
    """All of them, in the order of the reference."""
    return [*_OWN, *_parts()]


def members(pattern: str) -> list[str]:
    """The public names that a family is."""
    return [name for name in hc._reachable() if re.fullmatch(pattern, name)]


def documented() -> set[str]:
    """Every name at the top level that the reference has, or that needs none."""
    # In dask there is nothing to call; what the other modules have is in groups of halfcl's.
    found = {"dask", "reductions", "typing", "vectors", "__version__"}
    found |= {row.name for row in rows()}
    found |= {f"{row.name}_{mode}" for row in rows() for mode in hc.MODES}
    for group in groups():
        if group.module == "halfcl":
            found |= {*group.names, *group.tabled}
            found |= {name for _, pattern in group.families for name in members(pattern)}
        else:
            found.add(group.slug)
    return found
