"""The verdict on a corpus of programs, whose truth is MPFR's: what is bad is flagged, and what is
flagged is off."""

import sys
from pathlib import Path

import numpy as np
import pytest
from exhaustive import left_out
from places import ROOT

sys.path.insert(0, str(Path(__file__).parent / "corpus"))

import measure
from programs import truth

from halfcl import half, stability
from halfcl.stability import _doubledouble as dd

pytestmark = pytest.mark.once

DEFAULT = "all that is the default: with the shadow"


def assert_good(found):
    """The bars, which hold by default: of what is bad, and of what is flagged."""
    recall, of_finite, precision = found.row(DEFAULT)
    assert recall >= 99 and of_finite >= 99 and precision >= 90
    for way in found.flags:  # and no other way is better
        assert found.row(way)[0] <= recall


def test_a_share_of_the_programs():
    programs = [p for corpus in measure.CORPORA.values() for p in corpus.programs[::6]]
    found = measure.measured(programs)
    assert found.error.size > 1000 and found.bad.sum() > 200 and found.shadowed.all()
    assert_good(found)


def test_floats_do_for_large_arrays(monkeypatch):
    """The bars hold where all shadows are computed in floats, as those of large arrays are."""
    monkeypatch.setattr(dd, "MOST_ELEMENTS", 0)
    monkeypatch.setattr(dd, "MOST_IN_DOUBLES", 0)
    programs = [p for corpus in measure.CORPORA.values() for p in corpus.programs[::6]]
    assert_good(measure.measured(programs))


@left_out("it takes seconds, and a share of it is run")
@pytest.mark.parametrize("name", measure.CORPORA)
def test_all_programs(name):
    corpus = measure.CORPORA[name].programs
    assert len(corpus) >= {"first": 100, "second": 40}[name]
    names = [program.name for program in corpus]
    assert len(set(names)) == len(names)
    assert_good(measure.measured(corpus))


@left_out("all programs are measured for it")
def test_page_is_up_to_date():
    page = (ROOT / "docs" / "evidence" / "stability.md").read_text(encoding="utf-8")
    assert "\n".join(measure.tables()) in page


def test_truth():
    """Of formulas whose doubles are right anyway."""
    for name, formula in {
        "roots_by_sum": lambda x: 1 / (np.sqrt(x + 1) + np.sqrt(x)),
        "sum_exactly": np.sum,
        "determinant_by_rows": np.linalg.det,
        "log_of_one_more": np.log1p,
    }.items():
        corpora = measure.CORPORA.values()
        program = next(p for corpus in corpora for p in corpus.programs if p.name == name)
        for args in program.cases:
            want = formula(*(np.asarray(x).astype(float) for x in args))
            assert np.allclose(truth(program, args), want, rtol=1e-12, atol=1e-13)


def test_a_program_that_no_run_suspects():
    """As the corpora have few of: the shadow alone tells."""
    found = stability.rerun(lambda n: np.arctan(n + 1) - np.arctan(n), half([30, 200]))
    assert not found.spread_of_all.any() and not found.stable.any()
