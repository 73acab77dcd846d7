"""How well reruns tell which results of a corpus are bad, and how that is written down."""

from dataclasses import dataclass

import first
import numpy as np
import second
from programs import truth

from halfcl import stability
from halfcl.stability import _measures as measures

#: The corpora, as the table has them.
CORPORA = {"first": first.CORPUS, "second": second.CORPUS}

#: Bad is a result off by more ulps than this; what is flagged should be off by more than the other.
BAD, SURELY = 16, 8

#: Samples of the ways of running that have any.
SAMPLES = 10


@dataclass
class Elements:
    """Of all results of programs: what they are off by, and which of them each way flags."""

    error: np.ndarray
    finite: np.ndarray
    shadowed: np.ndarray
    flags: dict[str, np.ndarray]

    @property
    def bad(self):
        """Which results are bad."""
        return self.error > BAD

    def row(self, way):
        """Recall, recall of finite bad results, precision; in percent."""
        flagged = self.flags[way]
        caught = flagged[self.bad].mean(), flagged[self.bad & self.finite].mean()
        return [100 * float(x) for x in (*caught, (self.error[flagged] > SURELY).mean())]


def _flags(report, without):
    """Which results each way of running flags.

    without: the report of a rerun that has neither samples nor, so, other seeds.
    """
    modes, samples = list(report.values.values()), list(report.samples)
    runs = {
        "four modes": modes,
        f"{SAMPLES} random samples alone": samples,
        f"four modes and {SAMPLES} samples": modes + samples,
        "four modes and 2 runs by operation": [*modes, *without.operations],
    }
    found = {way: measures.spread(r) > stability.THRESHOLD for way, r in runs.items()}
    found["all that is the default: with the shadow"] = ~without.stable
    found[f"the same and {SAMPLES} samples"] = ~report.stable
    return found


def measured(programs):
    """The elements of programs."""
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
    """The tables of all corpora, as Markdown."""
    for name, corpus in CORPORA.items():
        found = measured(corpus.programs)
        yield (
            f"The {name} set: {len(corpus.programs)} programs, {found.error.size:,} results, "
            f"{np.count_nonzero(found.bad):,} of them bad; "
            f"{100 * found.shadowed.mean():.0f} % have a shadow.\n\n"
            "| | recall | of finite bad results | precision |\n|---|---:|---:|---:|"
        )
        for way in found.flags:
            cells = " | ".join(f"{x:.1f} %" for x in found.row(way))
            yield f"| {way} | {cells} |"
        yield ""
