"""The shortest code that reproduces a wrong result, for a library's issue tracker."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from halfcl._tables import TABLE
from halfcl._tables.types import SCALAR_TYPES
from halfcl.audit._records import Case, FunctionReport, TargetInfo, hexadecimal, number

_OPENCL_TYPES = {dtype.name: name for name, dtype in SCALAR_TYPES.items()}
_OPENCL_TYPES |= {"float16": "half", "bool": "uchar"}


def code_for(target: TargetInfo, function: FunctionReport) -> str:
    """Return code that prints the worst of a function's results, with the correct one as a comment.

    It is Python, host code with pyopencl, or CUDA C++; "" if no result is wrong, for unknown
    targets, and for images.

    Examples
    --------
    >>> from halfcl.audit._records import Case, FunctionReport, TargetInfo
    >>> from halfcl.audit._output.reproducer import code_for
    >>> case = Case((0xC7EC,), 0x1C0A, 0x1C12, "an ulp off or more")
    >>> exp2 = FunctionReport("exp2", "jax.numpy.exp2", ("float16",), "float16", wrong=1,
    ...     worst=(case,))
    >>> print(code_for(TargetInfo("jax:cpu", "JAX", "0.11", "a processor"), exp2))
    import jax.numpy
    print(jax.numpy.exp2(jax.numpy.float16(-7.92)))
    # is 0.003944 (0x1c0a), should be 0.003975 (0x1c12)
    """
    write = _WRITERS.get(target.name.partition(":")[0])
    if write is None or not function.worst or "_imagef(" in function.spelled:
        return ""
    case = _choose_case(function.worst)
    code = write(target, function, case)
    return f"{code}\n{_remark(target, function, case)}"


def _width(function: FunctionReport) -> int:
    """Return the width of the function's vectors; 0 for functions of numbers."""
    match = re.fullmatch(r"half(\d+)", function.result)
    return int(match[1]) if match else 0


def _gives_vectors(function: FunctionReport) -> bool:
    row = next((row for row in TABLE if row.name == function.name), None)
    return _width(function) > 0 and row is not None and row.signature.endswith("(n)")


def _choose_case(cases: tuple[Case, ...]) -> Case:
    """Return the case with the largest error, if possible without NaN arguments."""
    return max(cases, key=lambda case: (not _has_nan(case), abs(case.ulps or 0)))


def _has_nan(case: Case) -> bool:
    """Return whether an argument may be a NaN of half."""
    return any((bits & 0x7FFF) > 0x7C00 for bits in case.arguments if bits < 1 << 16)


def _remark(target: TargetInfo, function: FunctionReport, case: Case) -> str:
    mark = _COMMENTS.get(target.name.partition(":")[0], "#")
    is_named = function.result and not _width(function)
    which = f"the {function.result} " if is_named else ""
    which = "a component " if _gives_vectors(function) else which
    got, right = (
        f"{number(bits, function.result_type)} ({hexadecimal(bits, function.result_type)})"
        for bits in (case.got, case.right)
    )
    return f"{mark} {which}is {got}, should be {right}"


# ---------------------------------------------------------------- Python


#: Names of the first, second and third argument in expressions.
_ARGUMENTS = ("xa", "ybn", "zc")


@dataclass(frozen=True)
class _Python:
    """Code for a package: templates of a number and of a vector."""

    value: str
    vector: str
    is_on_device: bool = False
    before_64: str = ""  #: a statement that enables types of 64 bits

    def __call__(self, target: TargetInfo, function: FunctionReport, case: Case) -> str:
        values = self._values(target, function, case)
        lines, call = _call_text(function.spelled, values)
        lines.append(f"print({call})")
        is_wide = self.before_64 and any("64" in kind for kind in function.types)
        before = [self.before_64] if is_wide else []
        return "\n".join([*_imports("\n".join(lines)), *before, *lines])

    def _values(self, target: TargetInfo, function: FunctionReport, case: Case) -> list[str]:
        """Return the arguments as Python source."""
        device = target.name.partition(":")[2]
        on = f", device='{device}'" if self.is_on_device and device not in ("", "cpu") else ""
        pairs = list(zip(case.arguments, function.types, strict=True))
        literals = [_literal(bits, kind) for bits, kind in pairs]
        if width := _width(function):
            parts = [f"[{', '.join(part)}]" for part in _split(literals, width)]
            return [self.vector.format(type="float16", value=part, on=on) for part in parts]
        return [
            self.value.format(type=kind, value=value, on=on)
            for value, (_, kind) in zip(literals, pairs, strict=True)
        ]


def _call_text(spelled: str, values: list[str]) -> tuple[list[str], str]:
    """Return assignments, and the call of a function's name, or of an expression."""
    if "(" not in spelled:
        return [], f"{spelled}({', '.join(values)})"
    lines = []
    for value, names in zip(values, _ARGUMENTS, strict=False):
        match = re.search(rf"\b[{names}]\b", spelled)
        lines += [f"{match[0]} = {value}"] if match else []
    return lines, spelled


def _split(values: list[str], width: int) -> list[list[str]]:
    return [values[k : k + width] for k in range(0, len(values), width)]


def _literal(bits: int, dtype: str) -> str:
    """Return a number as Python source."""
    text = number(bits, dtype)
    return f"float('{text}')" if text.lstrip("-") in ("nan", "inf") else text


def _imports(code: str) -> list[str]:
    """Return import statements for the modules in some code."""
    names = re.findall(r"(?<![.\w])[a-z]\w+(?:\.\w+)+", code)
    modules = {name.rpartition(".")[0] for name in names}
    longest = {m for m in modules if not any(other.startswith(f"{m}.") for other in modules)}
    return [f"import {'numpy as np' if m == 'np' else m}" for m in sorted(longest)]


# ---------------------------------------------------------------- OpenCL and CUDA


def _opencl(target: TargetInfo, function: FunctionReport, case: Case) -> str:
    """Return a program that passes bits, so that nothing rounds them."""
    if _width(function):
        return _opencl_vectors(target, function, case)
    kinds = [*function.types, function.result_type]
    types = [_OPENCL_TYPES[kind] for kind in kinds]
    parameters = [f"global {t} *{n}" for t, n in zip(types, _names(function), strict=True)]
    arrays = [
        f"np.array([{hexadecimal(bits, kind)}], {_bits_dtype(kind)})"
        for bits, kind in zip(case.arguments, function.types, strict=True)
    ]
    arrays.append(f"np.zeros(1, {_bits_dtype(function.result_type)})")
    return _opencl_program(
        target, parameters, _store_statement(function, types[-1]), arrays, function
    )


def _opencl_vectors(target: TargetInfo, function: FunctionReport, case: Case) -> str:
    width = _width(function)
    numbers = [f"as_half((ushort){hexadecimal(bits, 'float16')})" for bits in case.arguments]
    vectors = [f"(half{width})({', '.join(part)})" for part in _split(numbers, width)]
    call = f"{function.spelled}({', '.join(vectors)})"
    is_vector = _gives_vectors(function)
    statement = f"vstore{width}({call}, 0, r);" if is_vector else f"r[0] = {call};"
    arrays = [f"np.zeros({width if is_vector else 1}, np.uint16)"]
    return _opencl_program(target, ["global half *r"], statement, arrays, function)


def _opencl_program(
    target: TargetInfo, parameters: list[str], statement: str, arrays: list[str],
    function: FunctionReport,
) -> str:  # fmt: skip
    return (
        "import numpy as np, pyopencl as cl, pyopencl.array\n"
        f"platform = next(p for p in cl.get_platforms() if p.name.strip() == {target.library!r})\n"
        "context = cl.Context(platform.get_devices())\n"
        "queue = cl.CommandQueue(context)\n"
        'program = cl.Program(context, """\n'
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        f"kernel void f({', '.join(parameters)})\n"
        f'{{ {statement} }}""").build()\n'
        f"arrays = [cl.array.to_device(queue, a) for a in [\n    {', '.join(arrays)}]]\n"
        "program.f(queue, (1,), None, *(a.data for a in arrays))\n"
        f"print(arrays[-1].get().view('{function.result_type}'))"
    )


def _names(function: FunctionReport) -> list[str]:
    return [*"xyz"[: len(function.types)], "r"]


def _bits_dtype(dtype: str) -> str:
    return f"np.uint{8 * np.dtype(dtype).itemsize}"


def _store_statement(function: FunctionReport, result: str) -> str:
    """Return a statement that stores the result for the first elements in r."""
    if function.spelled.startswith("vload_half"):
        return "r[0] = vload_half(0, x);"
    call = re.sub(r"\b[xyz]\b", r"\g<0>[0]", function.spelled)
    if call.startswith("vstore_half"):
        return call.replace("i, r", "0, r") + ";"
    if "&second" not in call:
        return f"r[0] = {call};"
    row = next(row for row in TABLE if row.name == function.name)
    kind = _OPENCL_TYPES[np.dtype(row.outputs[1]).name]
    is_second = function.result == row.results[1]
    return f"{kind} second; r[0] = {call};" + " r[0] = second;" * is_second


def _cuda(target: TargetInfo, function: FunctionReport, case: Case) -> str:
    arguments = ", ".join(
        f"__ushort_as_half({hexadecimal(bits, kind)})" if kind == "float16" else number(bits, kind)
        for bits, kind in zip(case.arguments, function.types, strict=True)
    )
    call = f"{function.spelled}({arguments})"
    shown = {
        "float16": f'printf("%.8g\\n", __half2float({call}));',
        "float32": f'printf("%.9g\\n", {call});',
    }.get(function.result_type, f'printf("%lld\\n", (long long){call});')
    return (
        "#include <cstdio>\n#include <cuda_fp16.h>\n\n"
        f"__global__ void show() {{ {shown} }}\n\n"
        "int main() { show<<<1, 1>>>(); cudaDeviceSynchronize(); }"
    )


#: Arrays, since NumPy and PyTorch compute single numbers by other code; PyTorch single vectors,
#: too.
_NUMPY = _Python("np.array([{value}], np.{type})", "np.array({value}, np.{type})")

#: What begins a comment, by the target's name; "#" for all others.
_COMMENTS = {"cuda_fp16": "//"}

#: Functions that write code, by the target's name.
_WRITERS: dict[str, Callable[[TargetInfo, FunctionReport, Case], str]] = {
    "numpy": _NUMPY,
    "numkong": _NUMPY,
    "torch": _Python(
        "torch.tensor([{value}], dtype=torch.{type}{on})",
        "torch.tensor([{value}], dtype=torch.{type}{on})", is_on_device=True,
    ),
    "jax": _Python(
        "jax.numpy.{type}({value})", "jax.numpy.array({value}, jax.numpy.{type})",
        before_64="jax.config.update('jax_enable_x64', True)",
    ),
    "tensorflow": _Python(
        "tensorflow.constant({value}, tensorflow.{type})",
        "tensorflow.constant({value}, tensorflow.{type})",
    ),
    "cupy": _Python("cupy.array([{value}], cupy.{type})", "cupy.array({value}, cupy.{type})"),
    "opencl": _opencl,
    "cuda_fp16": _cuda,
}  # fmt: skip
