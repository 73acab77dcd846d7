"""Measure ``python -m halfcl stability`` on whole programs that others wrote (see program_set.py).

    python bench/unseen/program_set.py fetch FOLDER --development
    python bench/unseen/measure_programs.py FOLDER              a line for each program, and totals
    python bench/unseen/measure_programs.py FOLDER --totals     totals alone: for those held out
    ... FOLDER --totals --page docs/evidence/stability.md       and writes them there

The truth is the program in double, unchanged, with the generators seeded alike. Numbers are matched
in their order; where the words around them differ (a loop ends earlier), by the longest common
sequence of words. A printed number that differs by at most the last digit shown is right, if both
runs show as many digits behind the point, two or more.

- Verdicts: a number is bad if it is more than 16 ulps from the truth; flagged if the report says so
  of it. A number that is not finite, though it should be, must be flagged.
- The guilty line: the first that the report names. The program runs again with this line in double
  (`narrowing.mend`); the line is confirmed if the worst number, or half of the bad numbers, are
  then at most half as far from the truth.
  --search mends each line that rounds, one after another: some programs have no such line, for
  example since they round their inputs.
- Time: all of the test, and its runs, over a plain run of the program by itself.
"""

import argparse
import collections
import contextlib
import difflib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import docs_page
import narrowing
import numpy as np

from halfcl import stability
from halfcl.stability import _measures as measures
from halfcl.stability._programs import _testing as testing
from halfcl.stability._programs._analysis import results as result_module
from halfcl.stability._programs._recording.numbers import _NUMBER
from halfcl.stability._programs._running.child import Run
from halfcl.stability._programs._running.launching import Launcher

BAD, SURELY = 16, 8
SEED = 0
#: Ulps that stand for a number that is not finite though it should be, or the other way round.
FARTHEST = 1 << 17

# ---------------------------------------------------------------- outputs


def outcome_of(script, seconds=120.0):
    """Return the outcome of a run to nearest, or None if it fails."""
    with Launcher(seconds, str(script.parent), (), ()) as launcher:
        outcome = launcher.run_first(Run((str(script),), random_seed=SEED))
    return None if outcome.error or outcome.stop_reason else outcome


def words_of(text):
    """Return the words of a text in which zero bytes stand for numbers; brackets are words."""
    return re.findall(r"\0|[\[\](){},]|[^\s\0\[\](){},]+", text)


def tokens_of(text):
    """Return the numbers of a printed text, and the unit of the last digit of each."""
    values, units = [], []
    for match in _NUMBER.finditer(text.replace("\0", "\ufffd")):
        number = re.match(r"[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?", match[0])
        has_point = "." in match[0]
        places = len(number[1]) if has_point else 0
        values.append(float(match[0]))
        units.append(10.0 ** (int(number[2] or 0) - places) if has_point or number[2] else 0.0)
    return np.array(values), np.array(units)


class Values:
    """The numbers of a result in one run: the words around them, and units of their last digits."""

    def __init__(self, output, printed=None):
        parts = [np.asarray(part, float).reshape(-1) for part in output.parts]
        self.numbers = np.concatenate(parts) if parts else np.empty(0)
        self.words = words_of(output.text) if output.text else []
        self.units = np.zeros(self.numbers.size)
        if printed is not None:
            values, units = tokens_of(printed)
            if values.size == self.numbers.size:
                self.units = units


def outputs_of(outcome):
    """Return {name: Values} of a run."""
    outputs = result_module.collect_outputs(outcome)
    printed = {result_module.PRINTED: outcome.printed}
    return {name: Values(output, printed.get(name)) for name, output in outputs.items()}


def match(one, other):
    """Return the indices of numbers of two runs that belong together: two arrays.

    Where the words differ, their common beginning and end belong together, and of the rest the
    longest common sequences.
    """
    if one.words == other.words:
        size = one.numbers.size if one.numbers.size == other.numbers.size else 0
        return np.arange(size), np.arange(size)
    places = [np.cumsum([w == "\0" for w in v.words]) - 1 for v in (one, other)]
    pairs = [
        (places[0][a], places[1][b])
        for a, b in _pair_words(one.words, other.words)
        if one.words[a] == "\0"
    ]
    first, second = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(first, int), np.array(second, int)


def _pair_words(one, other):
    """Yield the indices of words that belong together."""
    most = min(len(one), len(other))
    start = next((k for k in range(most) if one[k] != other[k]), most)
    end = next((k for k in range(most - start) if one[-1 - k] != other[-1 - k]), most - start)
    yield from ((k, k) for k in range(start))
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    for i, j, size in difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks():
        yield from ((start + i + k, start + j + k) for k in range(size))
    yield from ((len(one) - 1 - k, len(other) - 1 - k) for k in reversed(range(end)))


def errors(values, truths, units):
    """Return how far numbers are from the truth, in ulps of halves."""
    with np.errstate(all="ignore"):
        error = measures.error(values, truths)
        beyond = np.isfinite(values) & np.isfinite(truths) & ~np.isfinite(error)
        relative = np.abs(values - truths) / np.abs(truths) * 2048
        close = np.abs(values - truths) <= units * (1 + 1e-9)
    error = np.where(beyond, np.minimum(relative, FARTHEST), np.minimum(error, FARTHEST))
    same = (values == truths) | (np.isnan(values) & np.isnan(truths)) | close
    return np.where(same, 0.0, error)


def compare(values, truth):
    """Return errors of numbers against the truth; NaN where no number of it belongs to one."""
    result = np.full(values.numbers.size, np.nan)
    if truth is not None:
        a, b = match(values, truth)
        units = np.where(values.units[a] == truth.units[b], values.units[a], 0.0)
        units = np.where(units < 0.09, units, 0.0)  # one digit may be all that a half has
        result[a] = errors(values.numbers[a], truth.numbers[b], units)
    return result


# ---------------------------------------------------------------- one program


def find_flagged(result):
    """Return which numbers of a result the report calls bad."""
    if hasattr(result, "are_bad"):
        bad = np.asarray(result.are_bad)
    else:
        bad = result.spread > stability.THRESHOLD
    return bad | bool(result.different)


def find_by_error(result):
    """Return which numbers are off by the report's reference run, if it has one."""
    error = np.asarray(getattr(result, "error", np.zeros(result.size)))
    with np.errstate(invalid="ignore"):  # NaN where the reference is unknown
        return error > BAD


def elements(report, truths, printed):
    """Yield (name, values, errors, flags, by error, which count) for each result of a report."""
    for result in report.results:
        if result.name == result_module.STATUS:
            continue
        values = Values(result.first, printed if result.name == result_module.PRINTED else None)
        error = compare(values, truths.get(result.name))
        flags = find_flagged(result), find_by_error(result)
        yield result.name, values.numbers, error, *flags, np.asarray(result.counted)


def worst(outputs, truths, names):
    """Return the largest error of any number, in ulps, and its result and index."""
    candidates = []
    for name in names:
        error = compare(outputs[name], truths.get(name)) if name in outputs else np.empty(0)
        if np.any(error == error):
            k = int(np.nanargmax(error))
            candidates.append((float(error[k]), name, k))
    return max(candidates, default=(0.0, "", 0))


def run_mended(script, lines):
    """Return the outputs of a program with lines ({file: lines}) in double; None if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        for file in script.parent.rglob("*.py"):
            place = Path(folder) / file.relative_to(script.parent)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text(encoding="utf-8")
            chosen = lines.get(str(file), ())
            place.write_text(narrowing.mend(text, *chosen) if chosen else text, encoding="utf-8")
        outcome = outcome_of(Path(folder) / script.name)
    return None if outcome is None else outputs_of(outcome)


class Mending:
    """The effect of mended lines on the numbers of a program: on the worst, and on bad ones.

    worst: the largest error in ulps; infinite if the program fails. share: of the bad numbers
    those that are at most half as far off as before.
    """

    def __init__(self, before, after, truths, names):
        self.worst, self.share = np.inf, 0.0
        if after is None:
            return
        self.worst = worst(after, truths, names)[0]
        nearer, bad = 0, 0
        for name in names:
            if name in before and name in after:
                error = compare(before[name], truths.get(name))
                other = np.full(error.size, np.nan)
                a, b = match(before[name], after[name])
                other[a] = compare(after[name], truths.get(name))[b]
                bad += np.count_nonzero(error > BAD)
                nearer += np.count_nonzero((error > BAD) & (other <= error / 2))
        self.share = nearer / bad if bad else 0.0

    def confirms(self, before):
        """Tell whether the worst number is at most half as far off, or half of the bad ones are."""
        return bool(self.worst <= before / 2 or self.share >= 0.5)


#: Rounding lines of a program that `search_lines` mends at most.
MOST_LINES = 100


def search_lines(script, outputs, truths, names):
    """Return the rounding line whose mending helps most, and whether it is confirmed."""
    with Launcher(120.0, str(script.parent), (), ()) as launcher:
        run = Run((str(script),), random_seed=SEED, records_units=True)
        units = launcher.run_first(run).units[:MOST_LINES]
    before, best = worst(outputs, truths, names)[0], {}
    for unit in units:
        with contextlib.suppress(ValueError):
            after = run_mended(script, by_file([unit]))
            mending = Mending(outputs, after, truths, names)
            best[str(unit)] = mending.worst / max(before, 1) - mending.share, mending
    line = min(best, key=lambda place: best[place][0], default="")
    confirmed = bool(line) and best[line][1].confirms(before)
    return {"best": confirmed, "best line": line, "tried": len(best)}


def by_file(units):
    lines = {}
    for unit in units:
        lines.setdefault(unit.file, []).append(unit.line)
    return lines


def entries_for(blame, name, names):
    """Return the entries of a blame for the result with the worst number, and what they move.

    They move this result; all results if the blame is for all of them together.
    """
    if hasattr(blame, "by_result"):
        units = blame.by_result().get(name, {})
        entries = [next(e for e in blame.entries if e.unit == unit) for unit in units]
        if entries:
            return entries, [name]
    return list(blame.entries), names


def blame_row(report, script, outputs, truths):
    """Return what mending does: of the first line that is named, and of all of them."""
    if report.blame is None or not report.blame.entries:
        return {}
    names = [r.name for r in report.results if r.name != result_module.STATUS]
    before, name, _ = worst(outputs, truths, names)
    entries, names = entries_for(report.blame, name, names)
    units = [entry.unit for entry in entries]
    row = {"guilty": len(units), "before": before, "lines": [str(u) for u in units]}
    sets = {"first": units[:1], "set": [units[0], *entries[0].partners], "all": units}
    for which, chosen in sets.items():
        try:
            mending = Mending(outputs, run_mended(script, by_file(chosen)), truths, names)
        except (ValueError, OSError) as error:
            row[which], row["not mended"] = False, str(error)
        else:
            row[which] = mending.confirms(before)
            row[f"{which}, worst"] = min(mending.worst, FARTHEST)
            row[f"{which}, share"] = mending.share
    return row


def plain_seconds(script, rounds):
    """Return the median seconds of the program by itself, in plain NumPy."""
    times = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as work:
            start = time.perf_counter()
            subprocess.run([sys.executable, "-W", "ignore", str(script)], cwd=work,
                           capture_output=True, stdin=subprocess.DEVNULL, check=False)  # fmt: skip
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(folder, search=False, rounds=3):
    """Return the row of a program: counts of its numbers, the guilty line, and times."""
    folder = Path(folder).resolve()
    script = _script(folder)
    plain = plain_seconds(folder / "half" / script, rounds)
    truth = outcome_of(folder / "double" / script)
    half = folder / "half" / script
    row = {"name": folder.name, "plain": plain}
    start = time.perf_counter()
    try:
        options = testing.Options((str(half),), random_seed=SEED, folder=str(half.parent))
        report = testing.test_program(options)
    except testing.ProgramFailure as error:
        return row | {"refused": str(error)[:200], "wall": time.perf_counter() - start}
    row |= {"wall": time.perf_counter() - start, "runs": report.runs, "seconds": report.seconds,
            "of_run": report.plain_seconds, "stable": bool(report.is_stable)}  # fmt: skip
    row |= {"no_reference": getattr(report, "no_reference", ""),
            "leaks": len(getattr(report, "leaks", ()))}  # fmt: skip
    outcome = outcome_of(half)
    truths = outputs_of(truth)
    rows = list(elements(report, truths, outcome.printed))
    row |= count(rows)
    outputs = outputs_of(outcome)
    row |= blame_row(report, half, outputs, truths)
    if search:
        row |= search_lines(half, outputs, truths, [name for name, *_ in rows])
    return row


def _script(folder):
    """Return the name of the program in a folder, which its file "script" holds."""
    return (folder / "script").read_text(encoding="utf-8").strip()


def count(rows):
    """Return counts of the numbers of a program's results; `rows` are those of `elements`."""
    kept = [[column[counted] for column in columns] for _, *columns, counted in rows]
    columns = list(map(np.concatenate, zip(*kept, strict=True))) or [np.empty(0)] * 4
    values, error, known = *columns[:2], ~np.isnan(columns[1])
    flags, by_error = (column.astype(bool) for column in columns[2:])
    finite = np.isfinite(values) & (error < FARTHEST)
    wrong = known & ~np.isfinite(values) & (error > 0)
    bad = known & (error > BAD)
    masks = {
        "numbers": np.ones(known.shape, bool),
        "unmatched": ~known,
        "flagged": flags & known,
        "surely": flags & known & (error > SURELY),
        "bad": bad,
        "found": bad & flags,
        "bad finite": bad & finite,
        "found finite": bad & finite & flags,
        "found by error": bad & by_error,
        "not finite": wrong,
        "not finite, stable": wrong & ~flags,
    }
    counts = {name: int(np.count_nonzero(mask)) for name, mask in masks.items()}
    return counts | {"worst": float(np.max(error[known], initial=0.0))}


# ---------------------------------------------------------------- all programs


def measure_apart(folder, options):
    """Return the row of a program, measured in a process of its own with a time limit."""
    command = [sys.executable, "-W", "ignore", __file__, "--one", str(folder)]
    command += ["--rounds", str(options.rounds), *(["--search"] if options.search else [])]
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=options.seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return {"name": Path(folder).name, "refused": f"no report in {options.seconds} s"}
    for line in reversed(done.stdout.splitlines()):
        with contextlib.suppress(ValueError):
            return json.loads(line)
    text = (done.stderr.strip().splitlines() or ["no output"])[-1]
    return {"name": Path(folder).name, "refused": f"error: {text[:200]}",
            "wall": time.perf_counter() - start}  # fmt: skip


def share(part, whole):
    return f"{100 * part / whole:.1f} % ({part:,} of {whole:,})" if whole else "- (none)"


#: The counts that `totals` adds up.
COUNTS = ("numbers", "unmatched", "flagged", "surely", "bad", "found", "bad finite",
          "found finite", "found by error", "not finite", "not finite, stable")  # fmt: skip


def totals(rows):
    """Yield lines on all programs."""
    tested = [row for row in rows if "refused" not in row]
    yield f"programs: {len(rows)}, with a report: {len(tested)}"
    yield from verdict_lines(tested)
    yield from guilty_lines(tested)
    if tested:
        yield from time_lines(tested)
    reasons = collections.Counter(
        re.sub(r"\d+|'[^']*'|/\S+", "...", row["refused"].split(":")[0])
        for row in rows
        if "refused" in row
    )
    for reason, number in reasons.items():
        yield f"    {number} without a report: {reason}"


def verdict_lines(tested):
    """Yield lines on verdicts: of numbers, and of programs."""
    total = {name: sum(row[name] for row in tested) for name in COUNTS}
    yield f"numbers: {total['numbers']:,}, without one of the truth: {total['unmatched']:,}"
    yield (
        f"not finite, though they should be: {total['not finite']:,}; called stable: "
        f"{total['not finite, stable']:,}"
    )
    yield f"off > {BAD} ulps, found: {share(total['found'], total['bad'])}"
    yield f"  of finite ones: {share(total['found finite'], total['bad finite'])}"
    yield f"  by the reference run's error: {share(total['found by error'], total['bad'])}"
    yield f"flagged, of these off > {SURELY}: {share(total['surely'], total['flagged'])}"
    bad = [row for row in tested if row["worst"] > BAD]
    good = [row for row in tested if row["worst"] <= BAD]
    caught, passed = sum(not row["stable"] for row in bad), sum(row["stable"] for row in good)
    yield f"programs with a bad number, not called stable: {share(caught, len(bad))}"
    yield f"programs without one, called stable: {share(passed, len(good))}"


#: Ways of mending, and what they mend.
MENDINGS = {"first": "the first named line", "set": "it and its partners", "all": "all named lines"}


def guilty_lines(tested):
    """Yield lines on programs with a bad number for which the report names a line."""
    guilty = [row for row in tested if row.get("guilty") and row["before"] > BAD]
    for which, title in MENDINGS.items():
        confirmed = sum(row[which] for row in guilty)
        yield f"guilty, confirmed by mending {title}: {share(confirmed, len(guilty))}"
    having = [row for row in tested if row["worst"] > BAD and row.get("best")]
    if any("best" in row for row in tested):
        named = sum(row["best line"] in row.get("lines", ())[:1] for row in having)
        confirmed = sum(row.get("first", False) for row in having)
        yield f"programs that one line mends: {len(having)}; the first named line does: {confirmed}"
        yield f"  the line that mends most is named first: {named}"


def time_lines(tested):
    """Yield a line on times and the number of runs."""
    walls = [row["wall"] / row["plain"] for row in tested]
    sums = [row["seconds"] / row["of_run"] for row in tested if row["of_run"]]
    runs = statistics.median(row["runs"] for row in tested)
    yield (
        f"time over that of a plain run: median {statistics.median(walls):.1f}, largest "
        f"{max(walls):.1f}; {runs:.0f} runs in the median, whose times add up to "
        f"{statistics.median(sums):.1f} of the first"
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", help="the folder that program_set.py fetched the programs to")
    parser.add_argument("--one", action="store_true", help="print the row of one program's folder")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="programs with it in their names"
    )
    parser.add_argument("--search", action="store_true", help="mend each rounding line alone")
    parser.add_argument("--rounds", type=int, default=3, help="plain runs that are timed")
    parser.add_argument("--totals", action="store_true", help="print totals alone")
    parser.add_argument("--page", metavar="FILE", help="write the totals into a page of the docs")
    parser.add_argument("--seconds", type=float, default=600, help="limit for a program")
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(measure(options.folder, options.search, options.rounds)))
        return
    rows = []
    for folder in sorted(p for p in Path(options.folder).iterdir() if (p / "half").is_dir()):
        if options.only in folder.name:
            rows.append(measure_apart(folder, options))
            if not options.totals:
                print(json.dumps(rows[-1]), flush=True)
    lines = list(totals(rows))
    print("\n".join(lines))
    if options.page:
        docs_page.write(options.page, "programs", docs_page.table(lines, ("whole programs", "")))


if __name__ == "__main__":
    main()
