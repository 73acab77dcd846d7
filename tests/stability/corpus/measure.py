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
#: The error by itself shows results that exceed SLIGHTLY ulps.
SLIGHTLY = 4

#: The names of two ways of running.
DEFAULT = "all that is the default: with the shadow"
BY_ERROR = f"an error of more than {SLIGHTLY} ulps by the shadow"

#: The digits that a result should have, for comparing estimates with the truth.
DIGITS = 2

#: Number of samples in the ways of running that use samples.
SAMPLES = 10


@dataclass
class Elements:
    """All results of programs: their errors, and which of them each way of running flags."""

    error: np.ndarray
    finite: np.ndarray
    shadowed: np.ndarray
    flags: dict[str, np.ndarray]
    true_digits: np.ndarray
    significant_digits: np.ndarray

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
    flags[DEFAULT] = without.bad
    flags[f"the same and {SAMPLES} samples"] = report.bad
    flags[BY_ERROR] = without.error > SLIGHTLY
    return flags


def measure_programs(programs):
    """Rerun programs and return all their elements."""
    errors, finite, shadowed, flags = [], [], [], {}
    true_digits, significant_digits = [], []
    for program in programs:
        for args in program.cases:
            with np.errstate(all="ignore"):
                report = stability.rerun(program.f, *args, samples=SAMPLES, rng=1)
                without = stability.rerun(program.f, *args)
                result = report.values["rte"]
                exact = truth(program, args)
                errors.append(measures.error(result, exact).ravel())
                true_digits.append(measures.true_digits(result, exact).ravel())
            significant_digits.append(np.ravel(report.significant_digits))
            finite.append(np.isfinite(np.asarray(result)).ravel())
            shadowed.append(np.full(errors[-1].size, report.exact is not None))
            for way, flagged in _flags(report, without).items():
                flags.setdefault(way, []).append(np.ravel(flagged))
    joined = {way: np.concatenate(parts) for way, parts in flags.items()}
    digits = map(np.concatenate, (true_digits, significant_digits))
    return Elements(*map(np.concatenate, (errors, finite, shadowed)), joined, *digits)


def digits_line(elements):
    """Return a sentence on how the digits estimated from random runs compare with the true ones."""
    gap = (elements.significant_digits - elements.true_digits)[elements.finite]
    sound = elements.finite & (elements.true_digits >= DIGITS)
    failed = (elements.significant_digits[sound] < DIGITS).mean()
    return (
        f"Significant digits of {SAMPLES} samples (CADNA's estimate): more than one digit too many "
        f"in {100 * (gap > 1).mean():.1f} % of the finite results, more than one too few in "
        f"{100 * (gap < -1).mean():.1f} %; fewer than {DIGITS} in {100 * failed:.1f} % of those "
        f"with {DIGITS} or more correct digits, and in none if the reference value decides."
    )


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
        yield f"\n{digits_line(elements)}\n"
