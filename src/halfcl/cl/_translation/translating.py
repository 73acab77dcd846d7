"""translate(): translates a program's source for a device."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable
from typing import Literal, get_args, overload

from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.preprocessing.options import with_extensions
from halfcl.cl._frontend.source import Source, parse_source
from halfcl.cl._translation.cpp import cpp_text
from halfcl.cl._translation.editing.directives import skip_pragma_operators
from halfcl.cl._translation.editing.including import one_text
from halfcl.cl._translation.editing.rewriting import Rewriter
from halfcl.cl._translation.expressions import Editor
from halfcl.cl._translation.images import computes_samplers
from halfcl.cl._translation.prelude import prelude
from halfcl.cl._translation.result import FloatFunctions, Translation, check_float_functions
from halfcl.cl._translation.target import Fusing, Target
from halfcl.cl._translation.texts.inlining import (
    limit_unrolling,
    repetition,
    unrolls_too_much,
)
from halfcl.device._source.dialects import DIALECTS, languages_of_programs
from halfcl.typing import RoundingMode

#: Operations for which the device's own may be used.
NATIVE = frozenset({"add", "subtract", "multiply", "divide", "sqrt", "fma", "convert_half"})


@overload
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
    float_functions: FloatFunctions = "exact",
    full_output: Literal[False] = False,
    extensions: str | Iterable[str] = (),
) -> str: ...


@overload
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
    float_functions: FloatFunctions = "exact",
    full_output: Literal[True],
    extensions: str | Iterable[str] = (),
) -> Translation: ...


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
    float_functions: FloatFunctions = "exact",
    full_output: bool = False,
    extensions: str | Iterable[str] = (),
) -> str | Translation:
    """Translate a kernel's source, pragmas included, for a real device, bit for bit.

    Parameters
    ----------
    source : str
        OpenCL C 1.2, as for `Program`.
    language : {"opencl", "cuda"}, optional
        The language of the translation. CUDA C++ is for nvcc and NVRTC, as C++17: see the notes.
    fp16 : bool, default True
        In OpenCL C: whether halves are ``half``, which needs the device's ``cl_khr_fp16``, or
        their bits in ``ushort``, which every device has.
    contract : {"never", "always"}, optional
        Whether to fuse products and sums where ``FP_CONTRACT`` allows it: see `Program`.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The mode before the first ``SELECT_ROUNDING_MODE`` of the text. None: the value of the
        macro ``HC_MODE`` when the text is built, rte if it is not defined.
    options : str, optional
        As for `Program`. Macros of ``-D`` are defined in the text.
    name : str, optional
        The file name in messages and in the text's ``#line``.
    native : collection of str, optional
        In OpenCL C, with ``fp16``: operations that the device itself rounds to nearest correctly,
        and that stay in the text where the mode is rte: any of ``"add"``, ``"subtract"``,
        ``"multiply"``, ``"divide"``, ``"sqrt"``, ``"fma"`` and ``"convert_half"``. `Program`
        finds them out by probing its device.
    float_functions : {"exact", "device"}, optional
        Functions of float and double whose results OpenCL does not fix (``exp``, ``sin``,
        ``length``): with "exact" those that halfcl cannot write for every device are refused, the
        others (``rsqrt``, ``mix``, ``dot``) have the host's bits. "device" leaves all of them to
        the device; a comment in the text and the full output name them. Others, and those of
        half, are never left.
    full_output : bool, default False
        Whether to return a `Translation`, which also has the calls that are left to the device.
    extensions : str or iterable of str, optional
        As for `Program`.

    Returns
    -------
    str or Translation
        The text: the functions of halfcl that it calls, then the source. In OpenCL C, behind
        ``#line 1``, it is the author's text with the necessary changes; in CUDA C++ it is
        generated, with the author's names, statements and comments.

    Raises
    ------
    BuildError
        If the source does not compile, or has something that is not translated; lists all places.
    TypeError, ValueError
        If an argument has another value.

    See Also
    --------
    Program : runs a source here, or on a device.
    halfcl.device.opencl : the functions alone.

    Notes
    -----
    Build it without ``-cl-fast-relaxed-math`` and its like, and with
    ``-cl-fp32-correctly-rounded-divide-sqrt`` if it divides floats.

    A kernel that uses sub-groups, or calls the functions of work-groups, has two more parameters:
    local memory of 8 bytes per work-item of a group, and the size of sub-groups.

    A sampler parameter of a kernel is a number in the text: the sum of the ``CLK_`` constants,
    which are 0, 2, 4, 6 and 8 for the addressing modes in their order (NONE, CLAMP_TO_EDGE,
    CLAMP, REPEAT, MIRRORED_REPEAT), 1 for normalised coordinates, and 0x20 for LINEAR. In
    OpenCL C a source without such a parameter, whose samplers are NEAREST and not normalised,
    keeps its samplers.

    In CUDA C++ a kernel is ``extern "C"`` and has its author's parameters. A pointer to local
    memory becomes a number: its byte offset in the dynamic shared memory (a multiple of 128). An
    image is a struct of the text, ``hc_image``, with its memory and layout. The last parameter is
    ``hc_grid``, which has the launch's offset and more; ``hc_grid{}`` for none. Build it without
    ``--use_fast_math`` and ``--ftz=true``; it prevents contraction itself.

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
    languages = languages_of_programs()
    if language not in languages:
        raise ValueError(
            f"translate: argument language: expected {' or '.join(languages)}, got {language!r}"
        )
    for argument, value in (("fp16", fp16), ("full_output", full_output)):
        if not isinstance(value, bool):
            raise TypeError(
                f"translate: argument {argument}: expected True or False, got {value!r}"
            )
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
    check_float_functions("translate", float_functions)
    dialect = DIALECTS[language]
    if dialect.program is not None and not (fp16 and not known):
        argument = "native: expected none" if known else "fp16: expected True"
        got = ", ".join(sorted(known)) or "False"
        raise ValueError(
            f"translate: argument {argument} with {language}, which has its own halves, got {got}"
        )
    options = with_extensions(options, extensions, "translate")
    parsed = parse_source(source, options, name, True, "translate")
    if dialect.program is not None:
        result = cpp_text(parsed, dialect, contract, rounding, float_functions)
    else:
        result = translate_parsed(
            parsed, fp16, contract, rounding, known, float_functions=float_functions,
            keeps_includes=True,
        )  # fmt: skip
    return result if full_output else result.text


def translate_parsed(
    source: Source,
    fp16: bool,
    contract: Fusing,
    rounding: RoundingMode | None,
    native: frozenset[str],
    is_intel: bool = False,
    passes_samplers_as_numbers: bool = True,
    float_functions: FloatFunctions = "exact",
    keeps_includes: bool = False,
    most_items: int = 0,
    decodes_colors: bool = False,
    is_cpu: bool = False,
) -> Translation:
    """Translate a parsed source.

    is_intel: for Intel's runtime for CPUs; passes_samplers_as_numbers: whether launches pass
    numbers for samplers; keeps_includes: whether files that need no change are still included;
    most_items: 0 if launches pass the memory for sub-groups, else the largest work-group's size;
    decodes_colors: whether images may have formats that the device does not treat as halfcl does;
    is_cpu: whether for a CPU, on which loops need not be unrolled.
    """
    one = edited = one_text(source.text)
    if source.text.has_mode_operators:
        edited = dataclasses.replace(one, text=skip_pragma_operators(one.text))
    rewriter = Rewriter(source.text, edited)
    place_of = source.text.place_of
    is_linked = source.options.is_linked
    has_samplers = computes_samplers(source.tree, passes_samplers_as_numbers, is_linked)
    target = Target(
        fp16, contract, rounding, rewriter, source.text.text.encode(), native, place_of, is_intel,
        has_samplers, float_functions,
        repetition(source.tree, rewriter.line_of, edited.text), most_items,
        decodes_colors,
    )  # fmt: skip
    Editor(target).program(source.tree)
    if target.refused:
        raise BuildError(target.refused)
    text = rewriter.whole(target.edits)
    if (is_cpu or is_intel) and unrolls_too_much(target, text):
        text = limit_unrolling(text)
        target.repetition = repetition(source.tree, rewriter.line_of, edited.text, is_limited=True)
    head = prelude(target, text, source.options)
    _check_names(source, one.text, head)
    text = one.restore(text, keeps_includes)
    shown = source.name.replace("\\", "\\\\").replace('"', '\\"')
    calls = tuple(dict.fromkeys(target.device_calls))
    return Translation(f'{head}\n#line 1 "{shown}"\n{text}', calls)


#: Names in the form of halfcl's own functions, types and macros; and macros of a source.
_OWN_NAME = re.compile(r"\b(?:hc|HC|HCI|hci)_\w+")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


def _check_names(source: Source, source_text: str, head: str) -> None:
    """Raise BuildError if the program uses a name that the prelude defines."""
    text = source.text.text
    places = {match[0]: match.start() for match in reversed([*_OWN_NAME.finditer(text)])}
    # The preprocessed text has no macros.
    places |= dict.fromkeys(_MACRO.findall(source_text), 0)
    clashes = sorted(places.keys() & set(_OWN_NAME.findall(head)))
    if clashes:
        raise BuildError(
            [
                Diagnostic(
                    source.text.place_of(len(text[: places[name]].encode())), "error",
                    f"not translated: the name {name} is taken by halfcl's own; rename it",
                )
                for name in clashes
            ]
        )  # fmt: skip


__all__ = ["translate", "translate_parsed"]
