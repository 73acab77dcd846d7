"""Measure reruns and proven ranges on formulas of a public benchmark set (see formula_set.py).

    python bench/unseen/measure_formulas.py --development --reruns     which bad results are found
    python bench/unseen/measure_formulas.py --development --ranges     widths, limits and times
    python bench/unseen/measure_formulas.py --held-out --reruns --ranges      the final measure
    ... --held-out --reruns --ranges --page docs/evidence/stability.md        and writes it there
    python bench/unseen/measure_formulas.py --development --export FILE       as a Python module

The set is fetched with git, unless --from names a local copy: a folder, a work tree or a bare git
directory. One of --development and --held-out has to be given; of formulas held out only totals
are printed. --every 5 takes each fifth formula. Of the development set, --only TEXT takes those
with a text in their names, and --worst N lists formulas.

Reruns: a result is bad if it is more than 16, or 4, ulps from the truth by MPFR. Finite are results
that are finite and should be; all others (infinite or NaN, or ought to be) are counted apart. A way
of running flags results: by its verdict, or by the measure that the table names.

Ranges: `halfcl.interval.range_of` on six boxes a formula, in one call. Widths are relative to those
of the range that sampling in double finds (see sampled_ranges.py), where that is bounded and not a
single half; they are 1 where `range_of` proves its bounds to be within a half of the best ones, as
for 1 / (x - y), whose poles no sample meets. A sampled value that an enclosure misses is computed
again by MPFR, since double arithmetic may be off.
"""

import argparse
import collections
import re
import sys
import time
import warnings
from pathlib import Path

import docs_page
import formula_set
import fpcore
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import sampled_ranges

import halfcl as hc
from halfcl import half, interval, stability
from halfcl.interval import Interval
from halfcl.stability import _measures as measures

BAD, SLIGHTLY_BAD, SURELY = 16, 4, 8
SAMPLES = 10
#: Significant digits (CESTAC) below which a result is flagged: those that 16 ulps leave.
DIGITS = 2.0
BAD_WORDS = getattr(measures, "BAD_VERDICTS", ("unstable", "off"))

# ---------------------------------------------------------------- reruns

WAYS = {
    "`rerun` by defaults": lambda r: np.isin(r.default.verdict, BAD_WORDS),
    "`.error` > 4 alone": lambda r: r.default.error > SLIGHTLY_BAD,
    "`.error` > 16 alone": lambda r: r.default.error > BAD,
    "a plain float64 run beside, over 16": lambda r: r.beside > BAD,
    "a plain float64 run beside, over 4": lambda r: r.beside > SLIGHTLY_BAD,
    "four modes alone": lambda r: _spread(r.sampled.values.values()),
    "ten random runs alone": lambda r: _spread(r.sampled.samples),
    "digits by CESTAC < 2": lambda r: r.sampled.significant_digits < DIGITS,
}


def _spread(runs):
    return measures.spread(list(runs)) > stability.THRESHOLD


class Runs:
    """Reruns of a formula at its points, and a run in double beside."""

    def __init__(self, formula, points):
        f = formula.function
        with np.errstate(all="ignore"):
            self.default = stability.rerun(f, *points.astype(half))
            self.sampled = stability.rerun(f, *points.astype(half), samples=SAMPLES, rng=1)
            in_double = np.broadcast_to(f(*points.astype(float)), self.default.shape)
            self.beside = measures.error(self.default.values["rte"], in_double.astype(float))


class Elements:
    """All results of some formulas: errors, whether they are finite, and what each way flags."""

    def __init__(self):
        self.parts = collections.defaultdict(list)
        self.names, self.reasons, self.failures = [], collections.Counter(), collections.Counter()
        self.unknown = 0

    def add(self, formula):
        """Add the results of a formula."""
        truths, known = formula.truths
        points = formula.points[:, known]
        self.unknown += np.count_nonzero(~known)
        batches = points.T if formula.scalar else [points]
        for batch, truth in zip(batches, truths[known] if formula.scalar else [truths[known]],
                                strict=True):  # fmt: skip
            try:
                runs = Runs(formula, batch)
            except Exception as error:
                self.failures[kind_of(error)] += np.size(truth)
            else:
                self.add_runs(formula, runs, truth)

    def add_runs(self, formula, runs, truth):
        result = np.asarray(runs.default.values["rte"])
        with np.errstate(all="ignore"):
            error = measures.error(result, truth)
            finite = np.isfinite(result.astype(float)) & np.isfinite(
                np.asarray(hc.convert(np.asarray(truth), half)).astype(float))  # fmt: skip
        columns = {"error": error, "finite": finite, "verdict": runs.default.verdict}
        columns |= {way: flags(runs) for way, flags in WAYS.items()}
        columns["shadowed"] = np.full(np.shape(error), runs.default.exact is not None)
        columns["whole"] = np.full(np.shape(error), runs.default.whole)
        for name, column in columns.items():
            self.parts[name].append(np.ravel(column))
        self.names.append(formula.name)
        if not runs.default.whole:
            reason = re.sub(r" at .*", "", runs.default.reason) or "no reason"
            self.reasons[reason] += np.size(error)

    def __getitem__(self, name):
        return np.concatenate(self.parts[name])

    def worst(self, count):
        """Yield lines on the formulas with the most results that are missed or wrongly flagged."""
        rows = []
        columns = zip(self.names, *(self.parts[k] for k in ("error", "finite", *list(WAYS)[:2])),
                      strict=True)  # fmt: skip
        for name, error, finite, flagged, by_error in columns:
            missed = np.count_nonzero(finite & (error > BAD) & ~flagged)
            slight = np.count_nonzero(finite & (error > SLIGHTLY_BAD) & ~by_error)
            wrong = np.count_nonzero(flagged & (error <= SURELY))
            rows.append((missed + slight + wrong, missed, slight, wrong, name))
        for total, *counts, name in sorted(rows, reverse=True)[:count]:
            if total:
                yield "{} missed over 16, {} over 4 by error, {} wrongly flagged: {}".format(
                    *counts, name)  # fmt: skip


def kind_of(error):
    """Return an error's type and text, without names and places."""
    text = re.sub(r" at .*|'[^']*'|\d+", "...", (str(error).splitlines() or [""])[0])
    return f"{type(error).__name__}: {text[:90]}"


def percent(flags):
    return f"{100 * np.mean(flags):.1f}" if np.size(flags) else "-"


#: Heads of the table of reruns.
HEADS = ("way", "finite: off > 16, found, %", "off > 4, found, %", "flagged", "off > 8, %",
         "not finite: off, found, %", "flagged", "off, %", "all: flagged",
         "off > 8, %")  # fmt: skip


def rerun_table(elements):
    """Yield the lines of the table of reruns, as Markdown."""
    error, finite = elements["error"], elements["finite"]
    counts = [np.count_nonzero(of & (error > ulps)) for of in (finite, ~finite)
              for ulps in (BAD, SLIGHTLY_BAD)]  # fmt: skip
    yield (f"{len(set(elements.names))} formulas, {error.size:,} results, {finite.sum():,} finite: "
           f"{counts[0]:,} of them off > 16, {counts[1]:,} > 4; not finite: "
           f"{np.count_nonzero(~finite):,}, {counts[2]:,} of them off")  # fmt: skip
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|---|{'---:|' * (len(HEADS) - 1)}"
    for way in WAYS:
        flagged = elements[way]
        cells = [percent(flagged[finite & (error > ulps)]) for ulps in (BAD, SLIGHTLY_BAD)]
        for of in (finite, ~finite):
            if of is not finite:
                cells.append(percent(flagged[of & (error > BAD)]))
            cells.append(f"{np.count_nonzero(flagged & of):,}")
            cells.append(percent(error[flagged & of] > SURELY))
        cells += [f"{flagged.sum():,}", percent(error[flagged] > SURELY)]
        yield f"| {way} | {' | '.join(cells)} |"
    yield ""
    words = collections.Counter(elements["verdict"][~finite].tolist())
    right = collections.Counter(elements["verdict"][~finite & (error <= SLIGHTLY_BAD)].tolist())
    yield f"verdicts where not finite: {dict(words)}; where that is right: {dict(right)}"
    yield f"without a shadow: {np.count_nonzero(~elements['shadowed']):,} results"
    yield f"with an incomplete one or none: {np.count_nonzero(~elements['whole']):,} results"
    for reason, count in elements.reasons.most_common():
        yield f"    {count:,}: {reason}"
    for reason, count in elements.failures.most_common():
        yield f"    not run, {count:,}: {reason}"
    if elements.unknown:
        yield f"truth unknown: {elements.unknown:,} points"


def summary_of_reruns(lines):
    """Return the lines of `rerun_table` that a page shows: what was tried, and the table."""
    is_row = [line.startswith("|") for line in lines]
    return [lines[0] + ".", "", *(line for line, is_it in zip(lines, is_row, strict=True) if is_it)]


def measure_reruns(formulas):
    """Return the Elements of formulas."""
    elements = Elements()
    for formula in formulas:
        elements.add(formula)
    return elements


# ---------------------------------------------------------------- ranges

#: Seconds that a call of range_of should not exceed, and did not before.
SHORT, LONG = 0.1, 1.1
#: Halves beyond which the best range counts as unbounded.
UNBOUNDED = 60000


class Ranges:
    """Widths, times and limits of `range_of`, collected over formulas."""

    def __init__(self):
        self.ratios, self.times, self.limited = [], [], []
        self.missed, self.unreal, self.proved = 0, 0, 0
        self.single, self.unbounded, self.undefined, self.boxes = 0, 0, 0, 0
        self.failures, self.rows = collections.Counter(), []

    def add(self, formula):
        low, high = formula.boxes()
        x = tuple(Interval(*pair) for pair in zip(low, high, strict=True))
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = interval.range_of(formula.function, x, full_output=True)
        except Exception as error:
            self.failures[kind_of(error)] += 1
            self.rows.append((np.inf, 0, formula.name, kind_of(error)))
            return
        seconds = time.perf_counter() - start
        self.times.append(seconds)
        self.limited.append(np.broadcast_to(np.asarray(result.gap) > 1, low.shape[1]))
        ratios = self.compare(formula, low, high, result.enclosure, ~self.limited[-1])
        self.ratios.append(ratios)
        worst = max((r for r in ratios if np.isfinite(r)), default=1)
        self.rows.append((worst, seconds, formula.name, f"{np.sum(self.limited[-1])} limited, "
                          f"{np.sum(np.isinf(ratios))} unbounded"))  # fmt: skip

    def compare(self, formula, low, high, enclosure, is_best):
        """Return the widths over those of the sampled ranges, of boxes that have them."""
        rng, ratios = np.random.default_rng(0), []
        inf, sup = (np.broadcast_to(sampled_ranges.doubles(v), low.shape[1])
                    for v in (enclosure.inf, enclosure.sup))  # fmt: skip
        for k in range(low.shape[1]):
            ends = low[:, k].astype(float), high[:, k].astype(float)
            pairs = sampled_ranges.sample_extremes(rng, formula.function, *ends)
            self.boxes += 1
            self.count_missed(formula, pairs, inf[k], sup[k])
            (least, _), (greatest, _) = pairs
            best = sampled_ranges.outward(least, greatest)
            if not (np.isfinite(least) and np.isfinite(greatest)):
                self.undefined += 1
            elif not best < UNBOUNDED:
                self.unbounded += 1
            elif best == 0:
                self.single += 1
            else:
                self.proved += bool(is_best[k] and np.isinf(sup[k] - inf[k]))
                ratios.append(1.0 if is_best[k] else float((sup[k] - inf[k]) / best))
        return ratios

    def count_missed(self, formula, extremes, inf, sup):
        """Count an enclosure that misses a value, those that real numbers lack apart."""
        if any(is_missed(formula, extreme, inf, sup) for extreme in extremes):
            token = fpcore.OF_REALS.set(True)
            of_reals = any(is_missed(formula, extreme, inf, sup) for extreme in extremes)
            fpcore.OF_REALS.reset(token)
            self.missed += of_reals
            self.unreal += not of_reals
            self.rows.append((np.inf, 0, formula.name, f"misses one of {extremes}: {inf}, {sup}"))


def is_missed(formula, extreme, inf, sup):
    """Tell whether a value lies outside an enclosure, by MPFR if double arithmetic says so."""
    value, place = extreme
    if place is None or inf <= value <= sup:
        return False
    try:
        exact = fpcore.truth(formula.core, place)
    except fpcore.Unknown:
        return False
    return not (np.isnan(exact) or inf <= exact <= sup)


def quantiles(values):
    """Return the text of the median, the 90th and the 99th percentile; infinity counts."""
    figures = np.quantile(values, [0.5, 0.9, 0.99], method="higher")
    return "median {:.3f}, 90 % {:.3f}, 99 % {:.2f}".format(*figures)


def range_table(ranges):
    """Yield lines on ranges."""
    ratios = np.array([r for part in ranges.ratios for r in part])
    bounded, times = ratios[np.isfinite(ratios)], np.array(ranges.times)
    limited = np.array(ranges.limited)
    yield f"formulas with ranges: {len(times)}, without: {sum(ranges.failures.values())}"
    yield (
        f"boxes: {ranges.boxes:,}; with a width {len(ratios):,}, one half {ranges.single:,}, "
        f"unbounded {ranges.unbounded:,}, without values {ranges.undefined:,}"
    )
    yield f"enclosures that miss a value: {ranges.missed}"
    yield f"that miss a value of NumPy where real numbers have none: {ranges.unreal}"
    yield f"widths over the sampled range: {quantiles(ratios)}"
    yield f"those of bounded enclosures: {quantiles(bounded)}, largest {bounded.max():.0f}"
    yield (
        f"unbounded enclosures where sampling finds bounds: {len(ratios) - bounded.size}, and "
        f"{ranges.proved} that are proved"
    )
    yield (
        f"limit reached: {np.count_nonzero(limited.any(axis=1))} formulas, {limited.sum()} boxes "
        f"of {limited.size}"
    )
    yield (
        f"times per formula: {quantiles(times)} s, largest {times.max():.1f}; "
        f"{percent(times > LONG)} % over {LONG} s, {percent(times > SHORT)} % over {SHORT} s"
    )
    for reason, count in ranges.failures.most_common():
        yield f"    {count} formulas: {reason}"


def measure_ranges(formulas):
    """Return the Ranges of formulas."""
    ranges = Ranges()
    for formula in formulas:
        ranges.add(formula)
    return ranges


# ---------------------------------------------------------------- the command


def export(formulas):
    """Return the text of a module with the formulas: FORMULAS of (name, function, domains)."""
    rows = [(f.name, f.source, f.domain) for f in formulas]
    return f'''"""Formulas for development: FORMULAS of (name, function, domains)."""

import linecache
import math

import numpy as np

SOURCES = [
{"".join(f"    {row!r},{chr(10)}" for row in rows)}]


def _compile(name, source):
    file = f"<formula {{name}}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {{"np": np, "math": math}}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


FORMULAS = [(name, _compile(name, source), domains) for name, source, domains in SOURCES]
'''


def parse(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--development", action="store_true", help="two of three formulas")
    which.add_argument("--held-out", action="store_true", help="one of three: totals alone")
    parser.add_argument("--from", dest="folder", metavar="FOLDER", help="a local copy of the set")
    parser.add_argument("--reruns", action="store_true", help="measure verdicts and errors")
    parser.add_argument("--ranges", action="store_true", help="measure range_of")
    parser.add_argument("--export", metavar="FILE", help="write the formulas as a Python module")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each Nth formula")
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="formulas with it in their names"
    )
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list so many formulas")
    parser.add_argument("--page", metavar="FILE", help="write the tables into a page of the docs")
    options = parser.parse_args(arguments)
    if options.held_out and (options.export or options.only or options.worst):
        parser.error("--held-out: expected no --export, --only or --worst: it prints totals alone")
    return options


def main(arguments=None):
    options = parse(arguments)
    warnings.simplefilter("ignore")
    formulas, left_out = formula_set.load(options.folder, options.held_out)
    formulas = [f for f in formulas if options.only in f.name][:: options.every]
    print(f"{len(formulas)} formulas; left out of the set: {left_out}\n")
    if options.export:
        Path(options.export).write_text(export(formulas), encoding="utf-8")
    if options.reruns:
        elements = measure_reruns(formulas)
        lines = list(rerun_table(elements))
        print("\n".join([*lines, *elements.worst(options.worst)]), flush=True)
        if options.page:
            docs_page.write(options.page, "reruns", summary_of_reruns(lines))
    if options.ranges:
        ranges = measure_ranges(formulas)
        lines = list(range_table(ranges))
        print("\n".join(lines))
        if options.page:
            docs_page.write(options.page, "ranges", docs_page.table(lines, ("`range_of`", "")))
        for ratio, seconds, name, note in sorted(ranges.rows, reverse=True)[: options.worst]:
            print(f"{ratio:.3f} of the best, {seconds:.2f} s, {note}: {name}")


if __name__ == "__main__":
    main()
