"""Translation of a request: from text, options and device to a text and options for the driver."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.attributes import PARENTHESES
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.guards.nesting import MOST_READ
from halfcl.cl._frontend.preprocessing import Text, preprocess
from halfcl.cl._frontend.preprocessing.options import EXTENSIONS, Options
from halfcl.cl._frontend.source import Source, build_step, parse_text
from halfcl.cl._frontend.types import HALF, SAMPLER, Pointer, Type
from halfcl.cl._layer.device import device_of
from halfcl.cl._layer.launches import Launches
from halfcl.cl._layer.options import BuildOptions, join_options, read_options
from halfcl.cl._translation.result import REMEDY, FloatFunctions
from halfcl.cl._translation.target import NEEDS, missing_needs
from halfcl.cl._translation.translating import translate_parsed

if TYPE_CHECKING:
    from halfcl.cl._layer.protocol import Fields

#: The name of a source in messages. In OpenCL it has none.
_NAME = "program.cl"

#: Words that bring halves or modes: types and functions, and in conditions the extensions.
_OF_HALF = re.compile(
    r"\b(?:half(?:2|3|4|8|16)?|(?:as|convert)_half\w*|v(?:load|store)a?_half\w*"
    r"|(?:read|write)_imageh)\b"
)
_OF_MODES = re.compile(r"SELECT_ROUNDING_MODE|\b__ROUNDING_MODE__\b")
_CONDITION = re.compile(
    r"^[ \t]*#[ \t]*(?:el)?if.*\bcl_khr_(?:fp16|select_fprounding_mode)\b", re.MULTILINE
)

_ATTRIBUTE = re.compile(rf"__attribute__\s*\(\(({PARENTHESES})\)\)")

#: Extensions that devices have with the layer, or without saying so.
_EVERYWHERE = frozenset(
    """cl_khr_fp16 cl_khr_select_fprounding_mode cl_khr_byte_addressable_store
    cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics
    cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics""".split()
)

#: What a user of the layer writes for `REMEDY`.
_REMEDY = "HALFCL_LAYER_FLOATS=device (halfcl layer --floats device) leaves it to the device"

Answer = dict[str, bytes]


def translate_request(request: Fields) -> tuple[Answer, list[str] | None]:
    """Translate what a request asks for; return the answer, and the paths of files searched.

    The paths are None if the answer is not to be kept: it may depend on further files.
    """
    source, encoding = _decode(request.get("source", b""))
    try:
        build = _build_options(request)
    except ValueError as error:
        return _refusal([Diagnostic(None, "error", _plain(str(error)))], encoding), []
    try:
        text = _preprocess(source, _name_of(request), build.parsed)
        searched = list(text.map.searched)
    except BuildError as error:
        return _refusal(error.diagnostics, encoding), _files_if_none(source, build.parsed)
    if not needs_translation(source, text):
        return {"status": b"ok", "passes": b"untouched"}, searched
    try:
        return _translate(source, encoding, build, request), searched
    except BuildError as error:
        return _refusal(error.diagnostics, encoding), searched


def _translate(source: str, encoding: str, build: BuildOptions, request: Fields) -> Answer:
    """Return the translation of a text that needs one; raise BuildError if it has none."""
    device, floats = device_of(request), _floats(request)
    if lacking := device.lacks_arithmetic():
        _refuse(f"{device.name} lacks what halves need: {lacking}")
    parsed = parse_text(source, _name_of(request), build.parsed, extents=True)
    launches = Launches(parsed, device.most_items)
    launches.check()
    result = translate_parsed(
        parsed, device.fp16, "never", "rte", device.native if device.fp16 else frozenset(),
        device.is_intel, float_functions=floats, most_items=max(1, device.most_items),
        decodes_colors=True, is_cpu=device.is_cpu,
    )  # fmt: skip
    if missing := missing_needs(result.text, device.abilities(floats)):
        hint = "" if missing == NEEDS["double"] else f"; {_REMEDY}"
        _refuse(f"{device.name} lacks what the program needs: {missing}{hint}")
    options = [*build.of_driver, *device.options(), "-w"]  # the log has the warnings already
    answer = {
        "status": b"ok",
        "text": result.text.encode(encoding, "backslashreplace"),
        "options": join_options(options).encode("utf-8", "surrogateescape"),
        "log": _log(parsed.diagnostics, encoding),
    }
    if rules := "".join(launches.rules()):
        answer["launches"] = rules.encode("utf-8", "backslashreplace")
    if types := "".join(_types(parsed, device.fp16, launches.samplers_are_numbers)):
        answer["types"] = types.encode(encoding, "backslashreplace")
    if device.is_intel or rules:  # a translation may add some for Intel's, and drop some
        attributes = "".join(_attributes(parsed))
        answer["attributes"] = attributes.encode(encoding, "backslashreplace")
    return answer


# ---------------------------------------------------------------- requests


def _decode(source: bytes) -> tuple[str, str]:
    """Return a source as text, and its encoding. Comments may be in any."""
    source = source.rstrip(b"\0")
    try:
        return source.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return source.decode("latin-1"), "latin-1"


def _name_of(request: Fields) -> str:
    return request.get("name", b"").decode("utf-8", "replace") or _NAME


def _floats(request: Fields) -> FloatFunctions:
    return "device" if request.get("floats") == b"device" else "exact"


def _build_options(request: Fields) -> BuildOptions:
    """Return the options of a request, completed by what the device and the call say."""
    build = read_options(request.get("options", b"").decode("utf-8", "surrogateescape"))
    removed = frozenset(EXTENSIONS) - device_of(request).extensions - _EVERYWHERE
    headers = tuple(
        (key.removeprefix("header:"), _decode(value)[0])
        for key, value in request.items()
        if key.startswith("header:")
    )
    parsed = replace(
        build.parsed,
        # Devices' compilers have halves without the pragma, too.
        extensions=build.parsed.extensions | {"cl_khr_fp16"} - build.parsed.removed,
        removed=build.parsed.removed | removed - build.parsed.extensions,
        headers=headers,
        is_linked=request.get("stage") == b"compile",
    )
    return BuildOptions(parsed, build.of_driver)


def _preprocess(source: str, name: str, options: Options) -> Text:
    if len(source) > MOST_READ:
        _refuse(f"not supported: a source of more than {MOST_READ:,} characters")
    with build_step():
        return preprocess(source, name, options)


def _files_if_none(source: str, options: Options) -> list[str] | None:
    """Return no paths if a source and its options name no files, else None: unknown ones."""
    return None if "include" in source or options.include_folders else []


def needs_translation(source: str, text: Text) -> bool:
    """Return whether a program has halves or rounding modes, or asks whether there are any.

    All others are the driver's.
    """
    written = [source, *text.map.sources.values()]
    return (
        _OF_HALF.search(text.text) is not None
        or any(pragma.words[:1] == ("SELECT_ROUNDING_MODE",) for pragma in text.pragmas)
        or any(_OF_MODES.search(each) or _CONDITION.search(each) for each in written)
    )


# ---------------------------------------------------------------- what is refused


def _refuse(message: str) -> None:
    raise BuildError([Diagnostic(None, "error", message)])


def _refusal(diagnostics: list[Diagnostic], encoding: str) -> Answer:
    return {"status": b"refused", "log": _log(diagnostics, encoding)}


def _log(diagnostics: list[Diagnostic] | tuple[Diagnostic, ...], encoding: str) -> bytes:
    """Return messages as a compiler prints them."""
    text = "".join(f"{diagnostic}\n" for diagnostic in diagnostics)
    return text.replace(REMEDY, _REMEDY).encode(encoding, "backslashreplace")


def _plain(message: str) -> str:
    return message.removeprefix("Program: argument ")


# ---------------------------------------------------------------- kernels' arguments and attributes


def _attributes(parsed: Source) -> Iterator[str]:
    """Yield a line for each kernel with its attributes as the author wrote them."""
    text = parsed.text.text.encode()
    for function in parsed.tree.functions.values():
        if function.is_kernel and function.body is not None:
            front = text[function.at : function.body.at].decode("utf-8", "replace")
            attributes = [" ".join(match[1].split()) for match in _ATTRIBUTE.finditer(front)]
            yield f"{function.name}\t{' '.join(attributes)}\n"


def _types(parsed: Source, fp16: bool, samplers_are_numbers: bool) -> Iterator[str]:
    """Yield a line for each argument of a kernel whose type the text has under another name."""
    text = parsed.text.text.encode()
    for function in parsed.tree.functions.values():
        if not function.is_kernel or function.body is None:
            continue
        before = function.at
        for index, parameter in enumerate(function.parameters):
            name = "" if fp16 else _name_of_half(parameter)
            if name and not _OF_HALF.search(text[before : parameter.at].decode("utf-8", "replace")):
                name = ""
            if samplers_are_numbers and parameter.type == SAMPLER:
                name = "sampler_t"
            if name:
                yield f"{function.name}\t{index}\t{name}\n"
            before = parameter.at


def _name_of_half(parameter: tree.Declaration) -> str:
    """Return the name of a type of half as devices' compilers give it; "" for others."""
    stars = ""
    type_: Type = parameter.type
    while isinstance(type_, Pointer):
        type_, stars = type_.pointee, f"{stars}*"
    return f"{type_}{stars}" if getattr(type_, "element", None) == HALF else ""
