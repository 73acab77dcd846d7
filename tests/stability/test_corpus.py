"""The verdict on corpora of programs, against MPFR: bad results are flagged, and few others."""

import sys
from pathlib import Path

import numpy as np
import pytest
from exhaustive import left_out
from places import ROOT

sys.path.insert(0, str(Path(__file__).parent / "corpus"))

import measure
from corpus_programs import truth

from halfcl import half, stability
from halfcl.stability._shadow._numbers import doubledouble as dd

pytestmark = pytest.mark.once

DEFAULT, BY_ERROR = measure.DEFAULT, measure.BY_ERROR


def assert_good(elements):
    """Assert minimum recall and precision of the default, which no other way exceeds in recall."""
    recall, of_finite, precision = elements.row(DEFAULT)
    assert recall >= 99.5 and of_finite >= 99.5 and precision >= 99
    slightly = elements.error > measure.SLIGHTLY
    assert elements.flags[BY_ERROR][slightly & elements.finite].mean() >= 0.99
    for way in elements.flags:
        assert elements.row(way)[0] <= recall


def test_verdicts_on_share_of_programs():
    programs = [p for corpus in measure.CORPORA.values() for p in corpus.programs[::6]]
    elements = measure.measure_programs(programs)
    assert elements.error.size > 1000 and elements.bad.sum() > 200 and elements.shadowed.all()
    assert_good(elements)


def test_verdicts_with_shadows_in_floats(monkeypatch):
    """The bounds hold if all shadows are computed in floats, like those of large arrays."""
    monkeypatch.setattr(dd, "MOST_ELEMENTS", 0)
    monkeypatch.setattr(dd, "MOST_IN_DOUBLES", 0)
    programs = [p for corpus in measure.CORPORA.values() for p in corpus.programs[::6]]
    assert_good(measure.measure_programs(programs))


@left_out("it takes seconds, and a share of it is run")
@pytest.mark.parametrize("name", measure.CORPORA)
def test_verdicts_on_all_programs(name):
    corpus = measure.CORPORA[name].programs
    assert len(corpus) >= {"first": 100, "second": 40}[name]
    names = [program.name for program in corpus]
    assert len(set(names)) == len(names)
    assert_good(measure.measure_programs(corpus))


@left_out("it measures all programs")
def test_page_is_up_to_date():
    page = (ROOT / "docs" / "evidence" / "stability.md").read_text(encoding="utf-8")
    assert "\n".join(measure.tables()) in page


def test_truth_agrees_with_exact_formulas():
    """These formulas are accurate in doubles."""
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


def test_program_that_only_the_shadow_flags():
    """The corpora have few such programs."""
    report = stability.rerun(lambda n: np.arctan(n + 1) - np.arctan(n), half([30, 200]))
    assert not report.spread_of_all.any() and not report.stable.any()
