"""translate(): a program's source as source for a device."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, get_args

from halfcl.cl._errors import BuildError, Diagnostic, Place
from halfcl.cl._preprocessing import preprocess
from halfcl.cl._source import Source, build_step, parse_source
from halfcl.cl._translation.cuda import cuda_text
from halfcl.cl._translation.directives import branches_of, has_conditions, include_in, marked
from halfcl.cl._translation.expressions import Translation
from halfcl.cl._translation.images import computes_samplers
from halfcl.cl._translation.prelude import prelude
from halfcl.cl._translation.rewriting import Rewriter
from halfcl.cl._translation.target import Fusing, Target
from halfcl.typing import RoundingMode

#: What may be a device's own.
NATIVE = frozenset({"add", "subtract", "multiply", "divide", "sqrt", "convert_half"})


def translate(
    source: str,
    language: Literal["opencl", "cuda"] = "opencl",
    *,
    fp16: bool = True,
    contract: Fusing = "never",
    rounding: RoundingMode | None = None,
    options: str = "",
    name: str = "program.cl",
    native: Collection[str] = (),
) -> str:
    """A kernel's source, pragmas and all, as source for a real device, bit for bit.

    Parameters
    ----------
    source : str
        OpenCL C 1.2, as `Program` takes it.
    language : {"opencl", "cuda"}, optional
        What to write. CUDA C++ is for nvcc and NVRTC, as C++17: see the notes.
    fp16 : bool, default True
        Of OpenCL C: whether halves are ``half``, which needs the device's ``cl_khr_fp16``; or the
        bits of them in ``ushort``, which every device has.
    contract : {"never", "always"}, optional
        What becomes of a product and a sum where ``FP_CONTRACT`` allows to fuse them: see
        `Program`.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The mode before the first ``SELECT_ROUNDING_MODE`` of the text. None: what the macro
        ``HC_MODE`` says when the text is built, rte unless it is defined.
    options : str, optional
        As `Program` takes them. Macros of ``-D`` are settled in the text.
    name : str, optional
        The file that messages, and the text's ``#line``, name.
    native : collection of str, optional
        Of OpenCL C, with ``fp16``: what the device rounds to nearest rightly itself, and stays in
        the text where rte holds: of ``"add"``, ``"subtract"``, ``"multiply"``, ``"divide"``,
        ``"sqrt"`` and ``"convert_half"``. On a device `Program` tries it out.

    Returns
    -------
    str
        halfcl's functions that it calls, and behind them the source. In OpenCL C, behind
        ``#line 1``, it is as its author wrote it but for what had to change; in CUDA C++ it is
        written anew, with its names, statements and comments.

    Raises
    ------
    BuildError
        If the source does not compile, or has what is not translated: all that is, by line.
    TypeError, ValueError
        If an argument is none of these.

    See Also
    --------
    Program : runs a source here, or on a device.
    halfcl.device.opencl : the functions alone.

    Notes
    -----
    Build it without ``-cl-fast-relaxed-math`` and its like, and with
    ``-cl-fp32-correctly-rounded-divide-sqrt`` if it divides floats.

    A kernel that has to do with sub-groups takes two parameters more: local memory of 8 bytes for
    each work-item of a group, and how large sub-groups are.

    A sampler that a kernel takes is a number in the text: the sum of the ``CLK_`` names that it is
    made of in a source, which are 0, 2, 4, 6 and 8 for the addressing modes in their order (NONE,
    CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT), 1 where coordinates are normalised, and 0x20
    where it is LINEAR. In OpenCL C a source without such a parameter, whose samplers are NEAREST
    and count texels, keeps its samplers.

    In CUDA C++ a kernel is ``extern "C"`` and has its author's parameters. One that points to local
    memory is a number instead: at which byte of the dynamic shared memory it begins (a multiple of
    128). An image is a struct of the text, ``hc_image``: memory, and how it is laid out. Behind
    them comes ``hc_grid``, the launch's offset and more; ``hc_grid{}`` for none. Build
    it without ``--use_fast_math`` and ``--ftz=true``; it contracts nothing by itself.

    Source: this library.

    Examples
    --------
    >>> from halfcl import cl
    >>> text = cl.translate('''#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    ... #pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
    ... #pragma OPENCL SELECT_ROUNDING_MODE rtp
    ... kernel void add(global half *a) {
    ...     a[0] = a[1] + a[2]; // up
    ... }''')
    >>> print(text.partition("#line 1")[2])  # doctest: +ELLIPSIS
     "program.cl"
    ...
    kernel void add(global half *a) {
        a[0] = hc_add_rtp(a[1], a[2]); // up
    }
    """
    if language not in ("opencl", "cuda"):
        raise ValueError(f"translate: argument language: expected opencl or cuda, got {language!r}")
    if not isinstance(fp16, bool):
        raise TypeError(f"translate: argument fp16: expected True or False, got {fp16!r}")
    if contract not in get_args(Fusing):
        raise ValueError(
            f"translate: argument contract: expected never or always, got {contract!r}"
        )
    modes = get_args(RoundingMode)
    if rounding is not None and rounding not in modes:
        raise ValueError(
            f"translate: argument rounding: expected one of {', '.join(modes)}, got {rounding!r}"
        )
    known = frozenset(native)
    if not known <= NATIVE:
        wrong = ", ".join(sorted(known - NATIVE))
        raise ValueError(
            f"translate: argument native: expected names of {sorted(NATIVE)}, got {wrong}"
        )
    if language == "cuda" and not (fp16 and not known):
        argument = "native: expected none" if known else "fp16: expected True"
        raise ValueError(f"translate: argument {argument} with cuda, which has halves of its own")
    found = parse_source(source, options, name, True, "translate")
    if language == "cuda":
        return cuda_text(found, contract, rounding)
    return translated(found, fp16, contract, rounding, known)


def translated(
    source: Source,
    fp16: bool,
    contract: Fusing,
    rounding: RoundingMode | None,
    native: frozenset[str],
    is_intel: bool = False,
    passes_samplers_as_numbers: bool = True,
) -> str:
    """Translate a parsed source.

    is_intel: for Intel's runtime for CPUs; passes_samplers_as_numbers: whether launches pass
    numbers for samplers.
    """
    _check_source(source)
    given = source.source.removeprefix("\ufeff")
    branches = set[int]()
    if has_conditions(given):
        with build_step():
            marks = preprocess(marked(given), source.name, source.options)
        branches = branches_of(marks.text)
    rewriter = Rewriter(source.text, given, source.name, branches)
    data, place_of = source.text.text.encode(), source.text.place_of
    has_samplers = computes_samplers(source.tree, passes_samplers_as_numbers)
    target = Target(
        fp16, contract, rounding, rewriter, data, native, place_of, is_intel, has_samplers
    )
    Translation(target).program(source.tree)
    if target.refused:
        raise BuildError(target.refused)
    text = rewriter.whole(target.edits)
    shown = source.name.replace("\\", "\\\\").replace('"', '\\"')
    definitions = "\n".join(f"#define {definition}" for definition in source.options.defines)
    head = prelude(target, text, definitions)
    _check_names(source, given, head)
    return f'{head}\n#line 1 "{shown}"\n{text}'


def _check_source(source: Source) -> None:
    """What is refused before anything is looked at."""
    line = include_in(source.source)
    if line is not None:
        place = Place(source.name, line, 1)
        raise BuildError([Diagnostic(place, "error", "not translated: #include")])
    if source.text.has_mode_operators:
        place = source.text.pragmas[-1].place
        raise BuildError([Diagnostic(place, "error", 'not translated: _Pragma("OPENCL ...")')])


#: Names as halfcl's own functions, types and macros have them; and macros that a source defines.
_OWN_NAME = re.compile(r"\b(?:hc|HC|HCI|hci)_\w+")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


def _check_names(source: Source, given: str, head: str) -> None:
    """Raise BuildError where the program has a name of what is written in front of it."""
    text = source.text.text
    places = {match[0]: match.start() for match in reversed([*_OWN_NAME.finditer(text)])}
    places |= dict.fromkeys(_MACRO.findall(given), 0)  # of macros the preprocessed text has nothing
    taken = sorted(places.keys() & set(_OWN_NAME.findall(head)))
    if taken:
        raise BuildError(
            [
                Diagnostic(
                    source.text.place_of(len(text[: places[name]].encode())), "error",
                    f"not translated: the name {name} is taken by halfcl's own; rename it",
                )
                for name in taken
            ]
        )  # fmt: skip


__all__ = ["translate", "translated"]
