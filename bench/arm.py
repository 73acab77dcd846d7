"""Estimate what the engine's kernels take on 64-bit Arm, by LLVM's models of processors.

    python bench/arm.py [--build csrc/build/arm]

Compiles the instruction sets with Debian's cross-compiler (see tools/test_arm.py), finds the hot
loop of each kernel, and asks llvm-mca how many cycles a turn takes: with everything in the first
cache, and every branch predicted. Prints the table of docs/evidence/arm.md.
"""

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ENGINE = Path(__file__).resolve().parent.parent / "csrc"
TOOLS = ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump")
PROCESSORS = {"neoverse-v1": "Neoverse V1", "apple-m1": "Apple M1"}
SETS = ("portable", "neon", "neon_fp16")
TURNS = 200

# Elements per iteration of a loop: two vectors of floats, or two vectors of halves.
FLOATS = {"portable": 8, "neon": 16, "neon_fp16": 16}
HALVES = FLOATS | {"neon_fp16": 32}
WORDS = {"portable": 16, "neon": 32, "neon_fp16": 32}
SUMS = {"portable": 16, "neon": 32, "neon_fp16": 32}


@dataclass(frozen=True)
class Kernel:
    """A row of the table: names of C functions, of which the first that exists has the loop."""

    title: str
    functions: tuple[str, ...]
    elements: dict[str, int]


KERNELS = (
    Kernel("add", ("add",), HALVES),
    Kernel("multiply", ("multiply",), HALVES),
    Kernel("fma", ("fused_multiply_add",), HALVES),
    Kernel("divide", ("divide",), HALVES),
    Kernel("sqrt", ("square_root",), HALVES),
    Kernel("rint", ("rint_e",), HALVES),
    Kernel("max", ("max_ee",), WORDS),
    Kernel("exp", ("exp_e",), FLOATS),
    Kernel("log", ("log_e",), FLOATS),
    Kernel("sin", ("sin_e",), FLOATS),
    Kernel("half to float", ("convert_e_f",), FLOATS),
    Kernel("float to half", ("convert_f_e",), FLOATS),
    Kernel("half to int16", ("convert_e_h",), FLOATS),
    Kernel("sum", ("sum_quickly", "sum_block", "sum_add"), SUMS),
)

INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(.*?)(?:\s*//.*)?$")
BRANCH = re.compile(r"^(b\.\w+|cbn?z|tbn?z|b)\t.*?\b([0-9a-f]+) <")


@dataclass(frozen=True)
class Instruction:
    address: int
    text: str

    @property
    def target(self) -> int | None:
        """The address that the instruction branches to, or None."""
        match = BRANCH.match(self.text)
        return int(match[2], 16) if match else None


def functions(path: Path) -> dict[str, list[Instruction]]:
    command = [TOOLS[1], "-d", "--no-show-raw-insn", str(path)]
    text = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    functions: dict[str, list[Instruction]] = {}
    for part in text.split("\n\n"):
        if head := re.match(r"\s*[0-9a-f]+ <([\w.]+)>:\n", part):
            lines = map(INSTRUCTION.match, part.splitlines())
            functions[head[1]] = [Instruction(int(m[1], 16), m[2]) for m in lines if m]
    return functions


def innermost_loops(code: list[Instruction]) -> list[list[Instruction]]:
    """Return the innermost loops, each from the target of a backward branch to the branch."""
    ends = [(i.target, i.address) for i in code if i.target is not None and i.target <= i.address]
    ends = [(a, b) for a, b in ends if a >= code[0].address]
    inner = [
        (a, b) for a, b in ends if not any(a <= c and d <= b and (a, b) != (c, d) for c, d in ends)
    ]
    return [[i for i in code if a <= i.address <= b] for a, b in inner]


def usual_way(loop: list[Instruction]) -> list[str]:
    """Return a loop without the instructions that a branch inside can skip (rare cases)."""
    kept, resume = [], 0
    for instruction in loop:
        if instruction.address < resume:
            continue
        kept.append(instruction.text)
        target = instruction.target
        if target is not None and instruction.address < target <= loop[-1].address:
            resume = target
    return kept


def hot_loop(code: list[Instruction]) -> list[str]:
    """Return the loop that prefetches memory, or else the one with most vector instructions."""
    vectors = re.compile(r"^(f|ld|st).*(\bv\d+\.(4s|8h|2d)|\bq\d+)")
    loops = [usual_way(loop) for loop in innermost_loops(code)]
    ahead = [loop for loop in loops if any(text.startswith("prfm") for text in loop)]
    if ahead:
        return min(ahead, key=len)
    return max(loops, key=lambda loop: sum(bool(vectors.match(text)) for text in loop))


def newest_mca() -> str:
    programs = [shutil.which(f"llvm-mca-{version}") for version in range(40, 12, -1)]
    return next(filter(None, [*programs, shutil.which("llvm-mca")]), "")


def cycles(mca: str, processor: str, loop: list[str]) -> float:
    """Return the cycles per iteration of a loop."""
    text = "\n".join(re.sub(r"\b[0-9a-f]+ <.*?>", ".", line) for line in loop)
    command = [mca, "-march=aarch64", f"-mcpu={processor}", f"-iterations={TURNS}"]
    run = subprocess.run(command, input=text, check=True, capture_output=True, encoding="utf-8")
    total = re.search(r"Total Cycles: +(\d+)", run.stdout)
    assert total
    return int(total[1]) / TURNS


def estimate(mca: str, kernel: Kernel, codes: dict[str, dict[str, list[Instruction]]]) -> list[str]:
    """Estimate cycles per element by processor and set; neon_fp16 has some kernels of its own."""
    cells = []
    for processor in PROCESSORS:
        for isa in SETS:
            name = next((f for f in kernel.functions if f in codes[isa]), None)
            if name is None:
                cells.append("")
            else:
                turn = cycles(mca, processor, hot_loop(codes[isa][name]))
                cells.append(f"{turn / kernel.elements[isa]:.2f}")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, default=ENGINE / "build" / "arm")
    build = parser.parse_args().build.resolve()
    mca = newest_mca()
    if not mca or not all(map(shutil.which, TOOLS)):
        sys.exit("needs Debian's packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and llvm")
    objects = {isa: build / "targets" / f"{isa}.o" for isa in SETS}
    command = ["make", "--silent", "-C", str(ENGINE), f"BUILD={build}", f"CC={TOOLS[0]}"]
    subprocess.run([*command, *map(str, objects.values())], check=True)
    codes = {isa: functions(path) for isa, path in objects.items()}
    heads = [f"{isa}, {name}" for name in PROCESSORS.values() for isa in SETS]
    print(f"| cycles an element | {' | '.join(heads)} |")
    print("|---|" + "---:|" * len(heads))
    for kernel in KERNELS:
        print(f"| {kernel.title} | {' | '.join(estimate(mca, kernel, codes))} |")


if __name__ == "__main__":
    main()
