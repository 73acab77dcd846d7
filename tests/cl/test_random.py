"""Random kernels, bit for bit as an OpenCL runtime on the CPU has them; see cl_random.

HALFCL_RANDOM_KERNELS=10000 runs that many. Run as a program, this file is the runtime's process:
it reads numbers of programs and writes what their kernels left.

Intel's vectorizer has a fault, and is left out: of a private array written at a comparison's
result and read at another index it writes the element of another work-item. With it, of
uint t[4] = {1, i + 64, i + 5, 6}; t[i == 0] = i + 9; r = t[i & 3]; item 0 gets 24 for 1, item 4
gets 1 for 13. Without the vectorizer 10,000 kernels agree. Two of 10,000 that an earlier writer
made did not: Intel's has 0 for NaN in a product of 0 / 0, but not with -cl-opt-disable.

And of && and || of constant vectors Intel's compiler takes 1 for true, not -1, if it evaluates the
whole expression: these have a variable in them.
"""

import functools
import os
import pickle
import subprocess
import sys
import tempfile

import gmpy2
import numpy as np
import pytest
from cl_declarations import split
from cl_random import FLOATING, INTEGERS, OPERATIONS, program_of
from exhaustive import either, shared_out
from places import ROOT, TESTS

#: Warnings of builds are asked for by `diagnostics`.
pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")

ITEMS = 16
COUNT = int(os.environ.get("HALFCL_RANDOM_KERNELS", "300"))
FIRST = int(os.environ.get("HALFCL_RANDOM_KERNELS_FIRST", "0"))
TOGETHER = 25  # kernels of one build
DTYPES = {"uchar": "u1", "ushort": "u2", "uint": "u4", "ulong": "u8", "half": "f2", "float": "f4"}
OPERANDS = {"half": "f2", "float": "f4", "double": "f8"}
WITHOUT_VECTORIZER = {"CL_CONFIG_CPU_VECTORIZER_MODE": "1"}
OPTIONS = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"


def buffers():
    return [np.zeros(ITEMS, DTYPES[t]) for t in (*INTEGERS, *FLOATING)]


def batch_of(seed):
    """The programs that are built together with one."""
    first = seed // TOGETHER * TOGETHER
    return range(first, first + TOGETHER)


def source_of(seed, folder):
    """Return a program with the kernels of a batch, half of them in a file that it includes."""
    return split(program_of(batch_of(seed)), folder, seed)


def numbers(dtype, items=2048):
    """Three for each item: of all bits, and where sums cancel and quotients are ordinary."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 256, 3 * items * np.dtype(dtype).itemsize, np.uint8)
    values = bits.view(dtype).reshape(items, 3)
    values[items // 2 :] = rng.uniform(0.5, 2, (items - items // 2, 3)).astype(dtype)
    values[items // 4 * 3 :, 2] *= -1
    return values


def exact(x):
    """Return the six correctly rounded results for an item's three numbers.

    NumPy's operations on float and double are the processor's; float is exact enough for all
    operations on half but fma.
    """
    a, b, _ = x.T
    wide = np.float32 if x.dtype == np.float16 else x.dtype
    with np.errstate(all="ignore"):
        results = [f(a.astype(wide), b.astype(wide)) for f in (np.add, np.subtract, np.multiply)]
        results += [np.divide(a.astype(wide), b.astype(wide)), np.sqrt(a.astype(wide))]
        results = [f.astype(x.dtype) for f in results]
    limits = {2: (11, 16, -23), 4: (24, 128, -148), 8: (53, 1024, -1073)}[x.itemsize]
    precision, emax, emin = limits
    with gmpy2.context(precision=precision, emax=emax, emin=emin, subnormalize=True):
        results.append(np.array([float(gmpy2.fma(*map(gmpy2.mpfr, row))) for row in x.tolist()]))
    return plain(np.stack([f.astype(x.dtype) for f in results], axis=1))


def plain(array):
    """With one NaN; the sign of zeros that fma makes of zeros is MPFR's own affair."""
    array = np.array(array)
    array[np.isnan(array)] = np.nan
    return array


def serve(seeds):
    """Return the outputs of the runtime's kernels as bytes."""
    import pyopencl as ocl

    cpu = ocl.device_type.CPU
    devices = [d for p in ocl.get_platforms() for d in p.get_devices(cpu)]
    devices = [d for d in devices if "cl_khr_fp16" in d.extensions][:1]
    context = ocl.Context(devices)
    queue = ocl.CommandQueue(context)
    flags = ocl.mem_flags.READ_WRITE | ocl.mem_flags.COPY_HOST_PTR
    results = {}
    program = ocl.Program(context, OPERATIONS).build(OPTIONS)
    for type_, dtype in OPERANDS.items():
        x = numbers(dtype)
        y = np.zeros((len(x), 6), dtype)
        held = [ocl.Buffer(context, flags, hostbuf=a) for a in (x, y)]
        ocl.Kernel(program, f"o_{type_}")(queue, (len(x),), None, *held)
        ocl.enqueue_copy(queue, y, held[1])
        results[type_] = y
    for seed in seeds:
        if seed % TOGETHER == 0 or seed == seeds[0]:
            with tempfile.TemporaryDirectory() as folder:
                program = ocl.Program(context, source_of(seed, folder))
                program.build(f"{OPTIONS} -I {folder}")
        arrays = buffers()
        memory = [ocl.Buffer(context, flags, hostbuf=a) for a in arrays]
        ocl.Kernel(program, f"k{seed}")(queue, (ITEMS,), None, *memory)
        for array, held in zip(arrays, memory, strict=True):
            ocl.enqueue_copy(queue, array, held)
        queue.finish()
        results[seed] = [a.tobytes() for a in arrays]
    return results


@pytest.fixture(scope="module")
def runtime():
    """A function that waits for the runtime's results.

    They are computed meanwhile in another process, since the loader reads its environment once.
    """
    pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL runtime on the CPU")
    sys.path.insert(0, str(ROOT / "bench"))
    from timing import intel_opencl

    seeds = f"{FIRST} {FIRST + COUNT}"
    helpers = str(TESTS / "helpers")
    with subprocess.Popen(
        [sys.executable, __file__, *seeds.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | intel_opencl() | WITHOUT_VECTORIZER | {"PYTHONPATH": helpers},
    ) as process:

        @functools.cache
        def results():
            output, errors = process.communicate()
            if process.returncode:
                pytest.skip(f"no OpenCL runtime with halves: {errors.decode()[-200:]}")
            return pickle.loads(output)

        yield results


def test_random_kernels_agree_with_a_runtime(runtime, tmp_path):
    import halfcl as hc
    from halfcl import cl

    outputs = {}
    for seed in range(FIRST, FIRST + COUNT):
        if seed % TOGETHER == 0 or seed == FIRST:
            program = cl.Program(source_of(seed, tmp_path), f"-I {tmp_path}")
        outputs[seed] = buffers()
        inputs = [a.view(hc.half) if a.dtype == np.float16 else a for a in outputs[seed]]
        getattr(program, f"k{seed}")(ITEMS, None, *inputs)
    wanted = runtime()
    differing = [
        (seed, type_, array, np.frombuffer(bits, array.dtype))
        for seed, arrays in outputs.items()
        for type_, array, bits in zip(DTYPES, arrays, wanted[seed], strict=True)
        if array.tobytes() != bits
    ]
    assert not differing, f"{len(differing)} results: {differing[:8]}"


@shared_out
def test_checked_launches_give_the_same_and_find_nothing(monkeypatch):
    """The kernels have no undefined behaviour. Without checks, few items continue in subsets."""
    import halfcl as hc
    from halfcl import cl
    from halfcl.cl._interpreter import subsets

    monkeypatch.setattr(subsets, "FEWEST", 2)
    for first in range(0, either(4, 1, some=2) * TOGETHER, TOGETHER):
        program = cl.Program(program_of(batch_of(first)))
        for seed in batch_of(first):
            outputs = buffers(), buffers()
            for arrays, check in zip(outputs, (False, True), strict=True):
                inputs = [a.view(hc.half) if a.dtype == np.float16 else a for a in arrays]
                program[f"k{seed}"](ITEMS, None, *inputs, check=check)
            assert [a.tobytes() for a in outputs[0]] == [a.tobytes() for a in outputs[1]], seed


def test_operations_are_correctly_rounded():
    import halfcl as hc
    from halfcl import cl

    program = cl.Program(OPERATIONS)
    for type_, dtype in OPERANDS.items():
        x = numbers(dtype)
        y = np.zeros((len(x), 6), dtype)
        inputs = [a.view(hc.half) if type_ == "half" else a for a in (x, y)]
        program[f"o_{type_}"](len(x), None, *inputs)
        np.testing.assert_array_equal(plain(y), exact(x), type_)


def test_operations_of_the_runtime_are_correctly_rounded(runtime):
    """Not fma of half, and nothing of double, which they leave out."""
    for type_, count in (("half", 5), ("float", 6)):
        actual, wanted = plain(runtime()[type_]), exact(numbers(OPERANDS[type_]))
        np.testing.assert_array_equal(actual[:, :count], wanted[:, :count], type_)


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(serve(range(int(sys.argv[1]), int(sys.argv[2])))))
