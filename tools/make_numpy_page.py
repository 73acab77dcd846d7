"""Write docs/reference/numpy.md: float16 users' calls, and their results with half.

    python tools/make_numpy_page.py          writes it
    python tools/make_numpy_page.py -        prints it

Every call is evaluated here for half beside float16; the lists are those of the tests
(tests/numpy/test_functions.py, tests/helpers/numpy_calls.py). What NumPy's own tests come to is
kept by

    python tools/numpy_tests.py --all --write tests/data/numpy_tests.json
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "numpy.md"
CHANGES = ROOT / "docs" / "reference" / "numpy_changes.md"
OWN_TESTS = ROOT / "docs" / "evidence" / "numpy_tests.md"
NUMBERS = ROOT / "tests" / "data" / "numpy_tests.json"
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

import numpy_calls  # noqa: E402

from halfcl import half  # noqa: E402
from halfcl._numpy.compat import ENTRIES  # noqa: E402

HEAD = """\
# half in NumPy

This page lists the NumPy functions that were tried with half arrays, and says where they behave
otherwise than with float16. [Differences from NumPy](differences.md) has the kinds of differences.

```python
>>> import numpy as np
>>> from halfcl import half
>>> x = np.array([3, 1, 2], dtype=half)
>>> np.sort(x), np.median(x), np.where(x > 1, x, 0)
(array([1., 2., 3.], dtype=half), half(2.0), array([3., 0., 2.], dtype=half))

```

`tools/make_numpy_page.py` made it. It evaluated every call below for half beside float16, with
NumPy {version}. Tests do the same with the NumPy that is installed. "As float16" means the same
values, shape and class, the same exceptions, and half wherever float16 gives float16. The numbers
are chosen so that sums are exact. With other numbers half's results are rounded correctly, and
float16's are off by an ulp at times.

NumPy keeps some things for its own types. [What importing halfcl changes](numpy_changes.md) lists
what halfcl touches there, why, and how you keep it from that. `python -m halfcl info` names what
this NumPy lacks. [NumPy's own tests](../evidence/numpy_tests.md) were run with half, too.
"""

TAIL = """
## What it does not do

- The page lists what was tried. NumPy has more functions, which may work or not.
- There is no complex half. `np.fft` and complex numbers give NumPy's own types, as with float16.
- The buffer protocol and DLPack know no half: hand over `x.view(np.float16)`.
- `np.linalg` solves and inverts no half matrices, and no float16 ones: convert to float32.
"""

OWN_TESTS_PAGE = """\
# NumPy's own tests, with half

This page says how many of NumPy's own tests pass with half in the place of float16, and why the
others do not.

```sh
HALFCL_NUMPY_TESTS=all pytest tests/numpy/test_own.py      # runs them all; without it, a selection
```

`tools/numpy_tests.py` puts half in float16's place in the test files of the NumPy that is
installed, wherever a test means the type, and runs them. With NumPy {numpy}, of {files} files that
name float16:

| | pass with float16 | and with half | |
|---|---:|---:|---:|
| tests that name float16 | {named[1]:,} | {named[0]:,} | {named_percent:.2f} % |
| other tests of these files | {others[1]:,} | {others[0]:,} | {others_percent:.2f} % |

The rest stand in `tests/data/numpy_tests.txt`, one by one, by cause. Any other failure is an error,
and so is one of these that passes.

| Cases | Cause |
|---:|---|
{causes}

Functions that look at types' letters as text (`if code in "FDG"`) keep float16 in their lists.
"""


def state(expression: str) -> str | None:
    """Return how a call differs from float16's, or None if it does not."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        got, expected = (numpy_calls.outcome(expression, t) for t in (half, np.float16))
    if got == expected:
        return None
    return f"{_short(got)}; float16: {_short(expected)}"


def _short(outcome: object) -> str:
    return outcome.__name__ if isinstance(outcome, type) else "another result"


def name_of(expression: str) -> str:
    """Return the function that an expression is about."""
    names = re.findall(r"np\.[A-Za-z_.0-9]+", expression)
    return names[0].rstrip(".") if names else expression


def functions() -> list[str]:
    """Return lines on functions whose calls all agree with float16's, and on calls that differ."""
    by_name: dict[str, list[str]] = {}
    for expression in numpy_calls.CALLS:
        by_name.setdefault(name_of(expression), []).append(expression)
    differ = {e: outcome for e in numpy_calls.CALLS if (outcome := state(e)) is not None}
    same = [
        f"`{name}`" + (f" ({len(calls)})" if len(calls) > 1 else "")
        for name, calls in sorted(by_name.items())
        if not differ.keys() & set(calls)
    ]
    lines = [
        "These do as with float16. In brackets is how many calls were tried, where several were:",
        ", ".join(same) + ".",
    ]
    if differ:
        lines += ["", "These do not:", "", "| Call | Result |", "|---|---|"]
        lines += [f"| `{call}` | {outcome} |" for call, outcome in differ.items()]
    return lines


def own_tests_page() -> str:
    """Return the page with the results of tools/numpy_tests.py --all --write."""
    numbers = json.loads(NUMBERS.read_text(encoding="utf-8"))
    causes = sorted(numbers["causes"].items(), key=lambda item: (-item[1], item[0]))
    percent = {
        f"{name}_percent": 100 * numbers[name][0] / numbers[name][1] for name in ("named", "others")
    }
    rows = "\n".join(f"| {count} | {cause} |" for cause, count in causes)
    return OWN_TESTS_PAGE.format(**{**numbers, **percent, "causes": rows})


def decisions() -> list[str]:
    """Return the table of the calls that needed a decision."""
    lines = ["| Call | What comes of it |", "|---|---|"]
    for expression, works, note in numpy_calls.DECIDED:
        lines.append(f"| `{expression}` | {'' if works else 'refused. Instead: '}{note} |")
    return lines


def peers() -> list[str]:
    lines = ["| Package | Line |", "|---|---|"]
    for package, _, line in numpy_calls.PEERS:
        name = f"{package} {numpy_calls.OLDEST.get(package, '')}".strip()
        lines.append(f"| {name} | `{line}` |")
    return lines


def page(version: str) -> str:
    """Return the page's text."""
    names = ", ".join(f"`{name}`" for name in numpy_calls.ufuncs())
    return "\n".join([
        HEAD.format(version=version),
        "## Decided\n\nThese calls needed a decision. `x` is an array of half.\n",
        *decisions(),
        "\n## Elsewhere\n\nA float16 view is the same memory: `a.view(np.float16)` goes wherever "
        "float16 goes, and comes back\nby `.view(half)`. Where a version stands, it is the oldest "
        "that will do. `netcdf` is a function of a few\nlines, which keeps the bits in a variable "
        "of uint16.\n",
        *peers(),
        "\n## Ufuncs\n\nThese were tried on every seventh half. Results have float16's type, with "
        "half in its place, and\nvalues at most an ulp from float16's:\n" + names + ".",
        "\n## Functions\n",
        *functions(),
        TAIL,
    ])  # fmt: skip


CHANGES_HEAD = """\
# What importing halfcl changes in NumPy

This page lists everything in NumPy that `import halfcl` changes, with the reason for each.

```sh
HALFCL_NUMPY=plain python script.py      # leave all that is in the first table as it is
```

`half` is a dtype like one of your own would be: it uses NumPy's public interface, and has loops in
NumPy's ufuncs. Some of what float16 does is closed to such dtypes. There halfcl changes NumPy when
it is imported, so that your code need not know. The first table has all of it.

With `HALFCL_NUMPY=plain` halfcl's own functions compute as always. NumPy's do less for half: the
last column says what. `python -m halfcl info` says whether it is so.

Each change is checked by a call at once: those of `numpy` when halfcl is imported, those of
`numpy.ma`, `scipy.fft` and `pandas` when they are. Where a change has no effect, as beside a
version that halfcl does not know, a `RuntimeWarning` says so.

`hc.accelerate()` changes more, when you call it: [what is
replaced](acceleration.md#what-is-replaced). `tools/make_numpy_page.py` made this page.
"""

READ = """
## What it reads, or fills with half alone

Private parts, too, of which nothing is changed for other types.
"""


def changes_page() -> str:
    """Return the page of what is changed and what is only read, each with its reason."""

    def table(head: str, rows: list[tuple[str, ...]]) -> str:
        lines = [head, "|---" * head.count(" | ") + "|---|"]
        return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])

    changed = [(f"`{e.name}`", e.changes, e.reason, e.without) for e in ENTRIES if e.changes]
    read = [(f"`{e.name}`", e.reason, e.without) for e in ENTRIES if not e.changes]
    return "\n".join([
        CHANGES_HEAD,
        table("| Of NumPy | What is changed | Why | Without it |", changed),
        READ,
        table("| Of NumPy | Why | Without it |", read),
        "",
    ])  # fmt: skip


def main() -> int:
    text = page(".".join(np.__version__.split(".")[:2]))
    if sys.argv[1:] == ["-"]:
        print(text, end="")
    else:
        PAGE.write_text(text, encoding="utf-8")
        CHANGES.write_text(changes_page(), encoding="utf-8")
        OWN_TESTS.write_text(own_tests_page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
