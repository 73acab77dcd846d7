"""Measure the rate of small calls from several Python threads, relative to one thread.

python bench/free_threading.py                     all calls, on 1 thread and on 2
python bench/free_threading.py exp --sizes 16 256  the calls that contain "exp"
python bench/free_threading.py --threads 1 2 4 8
python bench/free_threading.py --markdown          the table of docs/evidence/threads.md

On a free-threaded Python (3.14t); on others threads take turns, and a gain of 1 is all there is.
Each thread has arrays of its own, which it has made, and is pinned to a processor of its own: left
alone they are put on one where the machine does other work, too. Rounds are short, and the best one
counts, so that some escape that.
"""

import argparse
import os
import random
import sys
import threading
import timeit

import numpy as np
import timing

SIZES = (16, 256, 1024)

#: Of a and b, arrays of half; o, an output; f, the same in float32; x, a half; exp, which need
#: not be looked up in hc. NumPy's own show what of a gain is NumPy's and Python's.
CALLS = (
    "hc.exp(a)", "exp(a)", "exp(a, out=o)", "hc.exp(a, rounding='rtp')", "a + b", "hc.sum(a)",
    "x + x", "np.exp(a)", "np.exp(f)", "f + f",
)  # fmt: skip


def names(size, seed):
    """Return the variables of the calls, for one thread."""
    import halfcl as hc

    rng = np.random.default_rng(seed)
    a, b = (timing.aligned_copy(row.astype(hc.half)) for row in rng.uniform(-4, 4, (2, size)))
    f = timing.aligned_copy(a.astype(np.float32))
    return {
        "hc": hc, "np": np, "a": a, "b": b, "o": timing.aligned_copy(a), "f": f,
        "x": hc.half(1.5), "exp": hc.exp,
    }  # fmt: skip


def pin(k):
    """Pin this thread to the k-th processor that the process may use."""
    if hasattr(os, "sched_setaffinity"):
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[k % len(processors)]})


class Crew:
    """Threads that wait for work, so that none starts during the measurement."""

    def __init__(self, threads):
        self.start, self.end = threading.Barrier(threads + 1), threading.Barrier(threads + 1)
        self.blocks = [None] * threads
        self.results = [None] * threads
        self.spans = [None] * threads
        self.turns = [0] * threads  # the number of turns that each thread has begun
        for k in range(threads):
            threading.Thread(target=self.work, args=(k,), daemon=True).start()

    def work(self, k):
        pin(k)
        while True:
            self.start.wait()
            self.turns[k] += 1
            while min(self.turns) < self.turns[k]:  # until all are awake
                pass
            began = timeit.default_timer()
            self.results[k] = self.blocks[k]()
            self.spans[k] = began, timeit.default_timer()
            self.end.wait()

    def seconds(self, blocks):
        """Return the time from the first thread's start to the last one's end."""
        self.blocks[:] = blocks
        self.start.wait()
        self.end.wait()
        return max(end for _, end in self.spans) - min(began for began, _ in self.spans)

    def timers(self, call, size):
        """Return a timer per thread, on its own objects; shared ones slow reference counts."""
        self.seconds(
            [
                lambda k=k: timeit.Timer(call, globals=names(size, k))
                for k in range(len(self.blocks))
            ]
        )
        return list(self.results)


def rates(call, size, crews, rounds, budget):
    """Return the most calls per second for each number of threads, as {threads: calls}."""
    timers = {threads: crew.timers(call, size) for threads, crew in crews.items()}
    _, count = timing.per_call(timeit.Timer(call, globals=names(size, 0)).timeit, budget)
    best = dict.fromkeys(crews, 0.0)
    order = list(crews)
    for _ in range(rounds):
        random.shuffle(order)
        for threads in order:
            blocks = [lambda timer=timer: timer.timeit(count) for timer in timers[threads]]
            best[threads] = max(best[threads], threads * count / crews[threads].seconds(blocks))
    return best


def lock():
    """Return whether the GIL is enabled."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help="part of the calls to time")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--threads", type=int, nargs="+", default=(1, 2))
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--block", type=float, default=0.001, help="seconds per round")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    try:
        import halfcl  # noqa: F401
    except ImportError as error:
        sys.exit(f"halfcl cannot be imported: {error}")
    np.seterr(all="ignore")
    crews = {threads: Crew(threads) for threads in sorted({1, *options.threads})}
    more = [threads for threads in crews if threads > 1]
    head = ["call", "n", "1 thread, ns", *(f"{k} threads: gain" for k in more)]
    if options.markdown:
        print(f"| {' | '.join(head)} |\n|---{'|---:' * (len(head) - 1)}|")
    else:
        print(f"{head[0]:28}" + "".join(f"{text:>20}" for text in head[1:]))
    for call in CALLS:
        if options.parts and not any(part in call for part in options.parts):
            continue
        for size in options.sizes[: 1 if call == "x + x" else None]:
            best = rates(call, size, crews, options.rounds, options.block)
            row = [f"{1e9 / best[1]:.0f}", *(f"{best[k] / best[1]:.2f}" for k in more)]
            if options.markdown:
                print(f"| `{call}` | {size} | " + " | ".join(row) + " |", flush=True)
            else:
                print(f"{call:28}{size:20}" + "".join(f"{x:>20}" for x in row), flush=True)
    machine = {"lock": "on" if lock() else "off"} | timing.machine()
    for what, value in machine.items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
