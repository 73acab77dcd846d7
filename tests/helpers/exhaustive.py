"""HALFCL_TEST_EXHAUSTIVE=1: all that the tests can prove; .ci/run asks for a quarter of it.

Without it `pytest` takes a share of very many operands, and leaves out what takes long and what
another test proves of less. `pytest -m exhaustive` are the tests that this makes a difference to.
HALFCL_TEST_LONG=1 adds what takes minutes, which .ci/run cannot afford: it runs each night.
"""

import os

import pytest

EXHAUSTIVE = os.environ.get("HALFCL_TEST_EXHAUSTIVE", "0") != "0"

#: Also what takes minutes.
LONG = os.environ.get("HALFCL_TEST_LONG", "0") != "0"

#: Of a test that does less without.
shared_out = pytest.mark.exhaustive


def left_out(why):
    """Return a mark of tests that only run with HALFCL_TEST_EXHAUSTIVE=1."""

    def mark(test):
        reason = f"HALFCL_TEST_EXHAUSTIVE=1 was not asked for: {why}"
        return pytest.mark.exhaustive(pytest.mark.skipif(not EXHAUSTIVE, reason=reason)(test))

    return mark


def share(columns, step, some=1):
    """Return a share of similar operands: one in `step` columns.

    some: one in so many of all, too, without HALFCL_TEST_LONG=1."""
    step = either(1, step, some)
    return tuple(x[::step] for x in columns)


def either(many, few, some=None):
    """Choose a number of things to try; some is that without HALFCL_TEST_LONG=1."""
    if some is not None and not LONG:
        many = some
    return many if EXHAUSTIVE else few


def more(*values):
    """Return parameters that only exhaustive runs try.

    Plain `pytest` has tried the others, and `pytest -m exhaustive` does not again.
    """
    return [pytest.param(value, marks=pytest.mark.exhaustive) for value in values if EXHAUSTIVE]


def in_modes(names, modes=("rte", "rtz", "rtp", "rtn")):
    """Names, each with all rounding modes (or other ways); or each with one of them, in turn."""
    each = [(name, modes[k % len(modes)]) for k, name in enumerate(names)]
    return either([(name, mode) for name in names for mode in modes], each)
