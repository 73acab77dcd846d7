"""Compile and load bench/limits.c: the machine's limits, and the kernels without Python.

Needs a C compiler, and for the kernels also binutils' objdump and an extension with its symbols.
"""

import ctypes
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from ops import OPS, SAME

import halfcl
from halfcl import _core
from halfcl._tables import TABLE

BENCH = Path(__file__).resolve().parent
SIZES = {letter: np.dtype(letter).itemsize for letter in "e?bBhHiIqQfd"}
TYPES = list(SIZES)  # in the order of halfcl_type
MODES = ("rte", "rtz", "rtp", "rtn")
MAP, FOLD, VECTORS = range(3)
ROWS = {row.name: row for row in TABLE if row.public}

# ---------------------------------------------------------------- what an operation moves

#: Variants of a loop: plain, with prefetching, or with non-temporal stores, each with vectors of
#: 32 and of 64 bytes.
VARIANTS = ("plain, 32 B", "plain, 64 B", "ahead, 32 B", "ahead, 64 B", "past, 32 B", "past, 64 B")
IN_CACHE = range(4)
STEP = 64


def sizes(op):
    """Return the bytes per element of a row's operands, and how many of them are inputs."""
    wide = 2 * op.vector
    ins = [wide or SIZES[t] for t in op.inputs]
    outs = [wide if t == "v" else SIZES[t] for t in op.outputs]
    return (ins + ([] if op.reduces else outs)), len(ins)


def bytes_per_element(op):
    """Return the bytes that an element is, read and written."""
    return sum(sizes(op)[0])


def shape_name(op):
    each, nin = sizes(op)
    return f"s{'_'.join(map(str, each[:nin]))}_to_{'_'.join(map(str, each[nin:]))}"


def shape(op):
    each, nin = sizes(op)
    return f"SHAPE({shape_name(op)},{nin},{len(each) - nin},{','.join(map(str, each))})"


COPY = OPS["fabs"]  # one half in, one out

# ---------------------------------------------------------------- kinds of instructions

#: By kind: a pattern of its instructions, and the instruction to time, as the texts before and
#: after its register's number, where {w} is the width of vectors and {h} half of it. A kind's rate
#: bounds loops that contain its instructions.
KINDS = {
    "vector": (r"", "vpaddd %%{w}0, %%{w}1, %%{w}", ""),
    "fma": (r"vf(n?m(add|sub)\w*|maddsub)|vmul[ps][hsd]", "vfmadd231ps %%{w}0, %%{w}1, %%{w}", ""),
    "sum": (r"v(add|sub)[ps][hsd]", "vaddps %%{w}0, %%{w}1, %%{w}", ""),
    "divide": (r"vdivp[sh]", "vdivps %%{w}0, %%{w}1, %%{w}", ""),
    "divide double": (r"vdivpd", "vdivpd %%{w}0, %%{w}1, %%{w}", ""),
    "root": (r"vsqrtp[sh]", "vsqrtps %%{w}0, %%{w}", ""),
    "root double": (r"vsqrtpd", "vsqrtpd %%{w}0, %%{w}", ""),
    "widen": (r"vcvtph2psx?", "vcvtph2ps %%{h}0, %%{w}", ""),
    "narrow": (r"vcvtps2phx?", "vcvtps2ph $4, %%{w}0, %%{h}", ""),
    "widen to double": (r"vcvtps2pd", "vcvtps2pd %%{h}0, %%{w}", ""),
    "narrow from double": (r"vcvtpd2ps", "vcvtpd2ps %%{w}0, %%{h}", ""),
    "permute": (r"vperm\w+", "vpermd %%{w}0, %%{w}1, %%{w}", ""),
    "gather": (r"vp?gatherd(d|ps)", "{set}vpgatherdd {by}(%2, %%{w}3, 4), %%{w}", "{mask}"),
    "gather double": (r"vp?gatherd(q|pd)", "{set}vpgatherdq {by}(%2, %%{h}3, 4), %%{w}", "{mask}"),
    "load": (r"", "vmovups (%2), %%{w}", ""),
    "store": (r"", "vmovups %%{w}", ", (%2)"),
}
#: Instructions of no kind; the faster one bounds the rate of all instructions.
ANY = {"any": "nop", "any_long": "nopl 8(%%rax)"}

#: The values in those texts by width; gathers need a mask set each time.
WIDTHS = {
    "ymm": {
        "w": "ymm", "h": "xmm", "set": "vpcmpeqd %%ymm2, %%ymm2, %%ymm2\\n ", "by": "%%ymm2, ",
        "mask": "",
    },
    "zmm": {
        "w": "zmm", "h": "ymm", "set": "kxnorw %%k1, %%k1, %%k1\\n ", "by": "",
        "mask": "%{%%k1%}",
    },
}  # fmt: skip
YMM = ("ymm",)
IN_A_TURN = 96


def rate_name(kind, width):
    return f"{kind.replace(' ', '_')}_{width}"


def rates(widths):
    """Return the macros that name the instructions to be timed."""
    lines = [f'RATE({name},"{text} #","")' for name, text in ANY.items()]
    for width in widths:
        for kind, (_, *texts) in KINDS.items():
            before, after = (text.format(**WIDTHS[width]) for text in texts)
            lines.append(f'RATE({rate_name(kind, width)},"{before}","{after}")')
    return " ".join(lines)


# ---------------------------------------------------------------- the library


def compile_library(isa, ops):
    """Compile bench/limits.c into a library with the loops that these operations need."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if shutil.which(compiler[0]) is None:
        raise RuntimeError(f"no C compiler {compiler[0]!r}; CC names another")
    wide = "avx512" in isa
    shapes = " ".join(sorted({shape(op) for op in ops}))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "limits.so")
        command = [
            *compiler, "-std=gnu11", "-O3", "-march=native", *([] if wide else NARROW),
            f"-DSHAPES={shapes}", f"-DRATES={rates(WIDTHS if wide else YMM)}",
            f"-I{BENCH.parent / 'csrc' / 'include'}", "-shared", "-fPIC", "-pthread",
            str(BENCH / "limits.c"), "-o", str(path),
        ]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(f"{compiler[0]} cannot compile limits.c: {result.stderr[:400]}")
        return ctypes.CDLL(str(path))


NARROW = ("-mno-avx512f",) if platform.machine() == "x86_64" else ()


def pointers(arrays):
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))


class Machine:
    """The machine's limits for some operations.

    Raises RuntimeError where limits.c cannot be compiled.
    """

    def __init__(self, ops):
        self.library = compile_library(halfcl.processor_info()["isa"], ops)
        self.time_stream = self.library.time_stream
        self.time_stream.restype = ctypes.c_double
        self.rate = cache(self._rate)

    def streams(self, op, arrays, threads=1):
        """Return the blocks to time, {variant: block}; {} for counts that fill no vectors."""
        operands = [*arrays.inputs, *([] if op.reduces else arrays.outs)]
        n, name = len(arrays.inputs[0]), shape_name(op).encode()
        if n % STEP:
            return {}
        held = pointers(operands), operands
        variants = range(len(VARIANTS)) if sum(x.nbytes for x in operands) > 2**20 else IN_CACHE

        def block_of(variant, crew):
            def block(count):
                return self.time_stream(
                    name, variant, held[0], ctypes.c_size_t(n), ctypes.c_size_t(count), crew
                )

            return block

        crews = sorted({1, threads}) if n <= 2**14 else (threads,)
        return {f"{VARIANTS[v]}, {c}": block_of(v, c) for v in variants for c in crews}

    def _rate(self, kind, width=""):
        """Return the instructions of a kind per nanosecond; None where they cannot be timed."""
        time = getattr(self.library, "time_instructions", None)
        if time is None:
            return None
        time.restype = ctypes.c_double
        names = [rate_name(kind, width)] if width else list(ANY)
        turns = 1 << 11
        best = min(time(name.encode(), ctypes.c_size_t(turns)) for name in names for _ in range(40))
        return IN_A_TURN * turns / best * 1e-9 if best > 0 else None


# ---------------------------------------------------------------- the engine in the extension

FUNCTIONS = ("find_isa", "find_kernel", "run", "state_add", "state_finish", "run_vectors")


class EngineFunctions(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_void_p) for name in FUNCTIONS)


class Signature(ctypes.Structure):
    _fields_ = (("nin", ctypes.c_uint8), ("nout", ctypes.c_uint8), ("types", ctypes.c_uint8 * 6))


class Call(ctypes.Structure):
    _fields_ = (
        ("engine", ctypes.POINTER(EngineFunctions)), ("kernel", ctypes.c_void_p),
        ("operands", ctypes.c_void_p), ("steps", ctypes.c_void_p),
        ("n", ctypes.c_size_t), ("width", ctypes.c_size_t), ("mode", ctypes.c_int),
    )  # fmt: skip


#: The kernels of operations that are not rows, except conversions.
OTHERS = {"select": "select", "select_short": "select", "bitselect": "bitselect"}


def kernel_of(op):
    """Return the kind, name and types of the kernel that a row runs."""
    types = op.types.replace("v", "e")
    if op.reduces:
        return FOLD, {"sum": "add_reduce"}.get(op.name, op.name), types
    if op.vector:
        return VECTORS, ROWS[op.halfcl].kernel, types
    if op.halfcl == SAME and op.name in ROWS:
        return MAP, ROWS[op.name].kernel, types
    return MAP, OTHERS.get(op.name, "convert"), types


def output_of(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except OSError as error:
        raise RuntimeError(f"no {command[0]}, which binutils has") from error


class Kernels:
    """The kernels of the extension in use; raises RuntimeError where they cannot be found."""

    def __init__(self, machine):
        self.path = _core.native.__file__
        self.library = machine.library
        self.library.find.restype = ctypes.c_void_p
        self.library.time_kernel.restype = ctypes.c_double
        self.isa = halfcl.processor_info()["isa"]
        self.start, self.size = self.code()
        symbols = self.symbols()
        base = self.base()
        if missing := [name for name in FUNCTIONS if name not in symbols]:
            raise RuntimeError(f"the extension is stripped: it names no halfcl_{missing[0]}")
        self.engine = EngineFunctions(*(base + symbols[name] for name in FUNCTIONS))
        self.loaded_at = base

    def symbols(self):
        pattern = r"^([0-9a-f]+) .* F \.text\S*\s+[0-9a-f]+ +(?:\.hidden )?halfcl_(\w+)$"
        table = output_of("objdump", "-t", self.path)
        return {name: int(at, 16) for at, name in re.findall(pattern, table, re.MULTILINE)}

    def code(self):
        """Return the code's place in the file's addresses, and its length."""
        heads = output_of("objdump", "-h", "-j", ".text", self.path)
        size, at = re.search(r"\.text\s+([0-9a-f]+)\s+([0-9a-f]+)", heads).groups()
        return int(at, 16), int(size, 16)

    def base(self):
        for line in Path("/proc/self/maps").read_text().splitlines():
            if line.endswith(self.path) and line.split()[2] == "00000000":
                return int(line.partition("-")[0], 16)
        raise RuntimeError("the extension is not mapped from its file")

    def call(self, op, arrays, n=None):
        """Return a Call of a row's kernel on the arrays, and what it refers to, or None."""
        kind, name, types = kernel_of(op)
        letters = [TYPES.index(t) for t in types.replace(">", "")]
        signature = Signature(len(op.inputs), len(op.outputs), tuple(letters))
        kernel = self.library.find(
            ctypes.byref(self.engine), self.isa.encode(), name.encode(), kind,
            ctypes.byref(signature),
        )  # fmt: skip
        if kernel is None:
            return None
        operands = [*arrays.inputs, *arrays.outs]
        held = (
            pointers(operands),
            (ctypes.c_ssize_t * len(operands))(*(array.strides[0] for array in operands)),
        )
        call = Call(
            ctypes.pointer(self.engine), kernel, *(ctypes.addressof(x) for x in held),
            len(arrays.inputs[0]) if n is None else n, op.vector, MODES.index(op.mode),
        )  # fmt: skip
        call.held = held, operands
        return call

    def block(self, op, arrays):
        """Return a block that calls the row's kernel as the extension does, without Python."""
        call = self.call(op, arrays)
        if call is None:
            return None

        def block(count):
            return self.library.time_kernel(ctypes.byref(call), ctypes.c_size_t(count))

        return block

    # ------------------------------------------------------------ instructions

    def executions(self, op, arrays):
        """Return how often each instruction runs in a call, {address: times per element}.

        It is the difference between two lengths, so what a call does once does not count.
        """
        few, many = COUNTED
        before, after = (self.step(self.call(op, arrays, n)) for n in COUNTED)
        times = after.astype(np.int64) - before
        return {int(at) + self.start: times[at] / (many - few) for at in np.nonzero(times)[0]}

    def step(self, call):
        step = getattr(self.library, "count_instructions", None)
        if step is None:
            raise Uncountable("stepping is not implemented for this processor")
        step.restype = ctypes.c_bool
        self.library.time_kernel(ctypes.byref(call), ctypes.c_size_t(1))  # fills tables
        counts = np.zeros(self.size, np.uint32)
        start = ctypes.c_void_p(self.loaded_at + self.start)
        if not step(ctypes.byref(call), start, ctypes.c_size_t(self.size), pointers_to(counts)):
            raise Uncountable("the system refuses to step")
        return counts

    def texts(self, addresses):
        """Return the disassembly of each of these addresses."""
        texts = {}
        for first, last in stretches(sorted(addresses)):
            text = output_of(
                "objdump", "-d", "--no-show-raw-insn", f"--start-address={first}",
                f"--stop-address={last + LONGEST}", self.path,
            )  # fmt: skip
            texts |= {int(at, 16): what for at, what in LINE.findall(text)}
        return texts

    def instructions(self, op, arrays):
        """Return the instructions per element, {(kind, width): number}.

        ("any", "") has all of them except branches. Raises Uncountable if they cannot be counted.
        """
        if self.call(op, arrays) is None:
            raise Uncountable("no kernel has its name")
        times = self.executions(op, arrays)
        texts = self.texts(times) if times else {}
        if not times or not times.keys() <= texts.keys():
            raise Uncountable("its instructions were not found")
        if any(value < 0 for value in times.values()):
            # A branch that only the short call took, or another code path for more elements.
            times = {at: max(0.0, value) for at, value in times.items()}
        totals = {}
        for at, value in times.items():
            for kind in kinds(texts[at]):
                totals[kind] = totals.get(kind, 0) + value
        if not any(kind == "store" for kind, _ in totals) and not op.reduces:
            raise Uncountable("the stepped instructions store nothing")
        return totals


#: Elements of the two stepped calls. Both are beyond the kernels' code for few elements.
COUNTED = (1024, 3072)
LONGEST = 15  # bytes of an instruction
LINE = re.compile(r"^ *([0-9a-f]+):\t(.*?)\s*(?:#.*)?$", re.MULTILINE)


class Uncountable(Exception):
    """An error that says why the instructions of a row cannot be counted."""


def pointers_to(array):
    return ctypes.c_void_p(array.ctypes.data)


def stretches(addresses, gap=4096):
    """Yield the first and last of each run of addresses that are close together."""
    first = last = addresses[0]
    for at in addresses[1:]:
        if at - last > gap:
            yield first, last
            first = at
        last = at
    yield first, last


def kinds(text):
    """Return the kinds, with widths, of an instruction as objdump writes it."""
    mnemonic, _, operands = text.partition(" ")
    if mnemonic.startswith("j"):  # fused with the comparison before it
        return []
    result = [("any", "")]
    width = next((w for w in ("zmm", "ymm", "xmm") if f"%{w}" in operands), None)
    if width is None:
        return result
    width = "zmm" if width == "zmm" else "ymm"
    parts = re.split(r",(?![^(]*\))", operands.strip())
    memory = [k for k, part in enumerate(parts) if "(" in part]
    is_store = bool(memory) and memory[0] == len(parts) - 1
    if memory:
        result.append(("store" if is_store else "load", width))
    if not (memory and mnemonic.startswith("vmov")):
        result.append(("vector", width))
    result += [
        (kind, width) for kind, (of, *_) in KINDS.items() if of and re.fullmatch(of, mnemonic)
    ]
    return result


def compute_bound(totals, machine):
    """Return the least nanoseconds per element of the instructions, and the limiting kind."""
    times = {}
    for (kind, width), number in totals.items():
        rate = machine.rate(kind, width)
        if rate:
            times[kind, width] = number / rate
    if not times:
        return None, ""
    most = max(times, key=times.get)
    return times[most], " ".join(most).strip()
