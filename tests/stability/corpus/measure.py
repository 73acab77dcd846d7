"""Measures how well reruns flag the bad results of a corpus, and writes tables of it."""

from dataclasses import dataclass

import first
import numpy as np
import second
from corpus_programs import truth

from halfcl import stability
from halfcl.stability import _measures as measures

#: The corpora, in the order of the tables.
CORPORA = {"first": first.CORPUS, "second": second.CORPUS}

#: A result is bad if its error exceeds BAD ulps; flagged results should exceed SURELY ulps.
BAD, SURELY = 16, 8

#: Number of samples in the ways of running that use samples.
SAMPLES = 10


@dataclass
class Elements:
    """All results of programs: their errors, and which of them each way of running flags."""

    error: np.ndarray
    finite: np.ndarray
    shadowed: np.ndarray
    flags: dict[str, np.ndarray]

    @property
    def bad(self):
        """The results that are bad, as bools."""
        return self.error > BAD

    def row(self, way):
        """Return recall, recall of finite bad results, and precision, in percent."""
        flagged = self.flags[way]
        caught = flagged[self.bad].mean(), flagged[self.bad & self.finite].mean()
        return [100 * float(x) for x in (*caught, (self.error[flagged] > SURELY).mean())]


def _flags(report, without):
    """Return which results each way of running flags.

    without: the report of a rerun without samples, which has the default seeds.
    """
    modes, samples = list(report.values.values()), list(report.samples)
    runs = {
        "four modes": modes,
        f"{SAMPLES} random samples alone": samples,
        f"four modes and {SAMPLES} samples": modes + samples,
        "four modes and 2 runs by operation": [*modes, *without.operations],
    }
    flags = {way: measures.spread(r) > stability.THRESHOLD for way, r in runs.items()}
    flags["all that is the default: with the shadow"] = ~without.stable
    flags[f"the same and {SAMPLES} samples"] = ~report.stable
    return flags


def measure_programs(programs):
    """Rerun programs and return all their elements."""
    errors, finite, shadowed, flags = [], [], [], {}
    for program in programs:
        for args in program.cases:
            with np.errstate(all="ignore"):
                report = stability.rerun(program.f, *args, samples=SAMPLES, rng=1)
                without = stability.rerun(program.f, *args)
                result = report.values["rte"]
                errors.append(measures.error(result, truth(program, args)).ravel())
            finite.append(np.isfinite(np.asarray(result)).ravel())
            shadowed.append(np.full(errors[-1].size, report.exact is not None))
            for way, flagged in _flags(report, without).items():
                flags.setdefault(way, []).append(np.ravel(flagged))
    joined = {way: np.concatenate(parts) for way, parts in flags.items()}
    return Elements(*map(np.concatenate, (errors, finite, shadowed)), joined)


def tables():
    """Yield the lines of the tables of all corpora, as Markdown."""
    for name, corpus in CORPORA.items():
        elements = measure_programs(corpus.programs)
        yield (
            f"The {name} set: {len(corpus.programs)} programs, {elements.error.size:,} results, "
            f"{np.count_nonzero(elements.bad):,} of them bad; "
            f"{100 * elements.shadowed.mean():.0f} % have a shadow.\n\n"
            "| | recall | of finite bad results | precision |\n|---|---:|---:|---:|"
        )
        for way in elements.flags:
            cells = " | ".join(f"{x:.1f} %" for x in elements.row(way))
            yield f"| {way} | {cells} |"
        yield ""
