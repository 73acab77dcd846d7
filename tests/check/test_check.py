"""``python -m halfcl check``: that all is right, and that it would say if not."""

import runpy
import subprocess
import sys

import numpy as np
import pytest
from exhaustive import LONG
from places import ROOT

import halfcl as hc
from halfcl import check
from halfcl._command import main

TOOL = ROOT / "tools" / "make_digests.py"


@pytest.mark.skipif(
    not LONG, reason="MPFR on all halves, which test_math.py does: HALFCL_TEST_LONG=1"
)
@pytest.mark.once
def test_reference_digests_are_the_oracles():
    """The digests are those that the tool writes without the package's own results."""
    tool = runpy.run_path(str(TOOL), run_name="make_digests")
    assert check.reference_digests() == tool["right_digests"]()


def test_every_function_of_one_half_is_checked():
    """All functions of one half are checked.

    Excluded are those that only change a sign or combine others, and normalised integers, whose
    tests cover all values.
    """
    rows = [row for row in hc._tables.TABLE if row.public and row.types.startswith("e>")]
    rows = [row for row in rows if not row.signature and row.section != "Normalized"]
    others = {"negative", "fabs", "sincos", "lgamma_r"}
    assert {row.name for row in rows} - others <= check.reference_digests().keys()
    for row in rows:
        if row.name not in others:
            assert tuple(check.reference_digests()[row.name]) == row.modes


def test_command():
    result = subprocess.run(
        [sys.executable, "-m", "halfcl", "check"], capture_output=True, encoding="utf-8"
    )
    assert result.returncode == 0, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"halfcl {hc.__version__}")
    assert "results are right" in lines[-1]
    assert not any("WRONG" in line for line in lines)
    assert sum(line.endswith("right") for line in lines) == len(check.reference_digests())


@pytest.mark.parametrize("argument", [0x0000, 0x3C01, 0x7BFF, 0x8000, 0xFFFF])
def test_planted_error_is_found(argument, monkeypatch, capsys):
    """One wrong bit of one function in one mode is reported."""
    right = hc.exp

    def wrong(x, rounding):
        results = right(x, rounding=rounding)
        if rounding == "rtp":
            results.view(np.uint16)[argument] ^= 1 if argument < 0x7C00 else 0x4000
        return results

    monkeypatch.setattr(hc, "exp", wrong)
    assert main(["check"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "WRONG" in line] == ["  exp      rte rtz rtp rtn  WRONG"]
    first = argument & 0xF000
    (line,) = [line for line in lines if line.startswith("exp in ")]
    assert line.startswith("exp in rtp: ") and f"{first:#06x}..{first + 0xFFF:#06x}" in line
    assert lines[-1] == "There are wrong results."


def test_nans_are_alike_and_zeros_are_not():
    halves = np.zeros(1 << 16, np.uint16)
    zero = check.digests(halves)
    for bits, same in ((0x8000, False), (0x0001, False)):
        halves[5] = bits
        assert (check.digests(halves) == zero) is same
        assert check.digests(halves)[8:] == zero[8:]
    halves[5] = 0x7E00
    quiet = check.digests(halves)
    for bits in (0x7E00, 0xFE00, 0x7E01, 0xFFFF):
        halves[5] = bits
        assert check.digests(halves) == quiet != zero
