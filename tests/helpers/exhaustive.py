"""HALFCL_TEST_EXHAUSTIVE=1: all that the tests can prove; .ci/run asks for a twelfth of it.

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

#: Of a test with the product of several parameters, most combinations of which prove nothing new:
#: plain runs try each value of each parameter, and each pair of values of three.
in_turn = pytest.mark.in_turn


def one_in(step):
    """Return a mark of tests of which plain runs try one case in `step`: those of one rule.

    For tests with many cases, as functions of a table or formats, that one code computes.
    """
    return pytest.mark.one_in(step)


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


#: Parameters, most of them of fixtures, whose values a test tries in turn.
TURNS = {
    "mode": ("rte", "rtz", "rtp", "rtn"), "kind": ("half", "float16"),
    "gxx_plan": ("g++", "g++, doubles"),
}  # fmt: skip


def out_of_turn(items):
    """Return the tests that only exhaustive runs try: those of a mode or a kind out of its turn.

    Each other case of a test, such as a shape, has one of the modes and one of the kinds. A test of
    fewer cases than there are modes has all of them, and so with kinds, and with places. Of tests
    with the mark `in_turn` most combinations of other values are left out, too; of those with the
    mark `one_in` most cases.
    """
    others = combinations_out_of_turn(items)
    left_out = set(map(id, others))
    others += cases_left_out([item for item in items if id(item) not in left_out])
    left_out = set(map(id, others))
    groups = {}
    for item in items:
        params = getattr(getattr(item, "callspec", None), "params", {})
        turn = {name: params[name] for name in TURNS if is_of_turns(name, params.get(name))}
        if turn and id(item) not in left_out:
            case = tuple(id(value) for name, value in params.items() if name not in turn)
            group = groups.setdefault(item.nodeid.partition("[")[0], {})
            group.setdefault(case, []).append((turn, item))
    return others + [item for group in groups.values() for item in of_group(list(group.values()))]


def cases_left_out(items):
    """Return the tests with the mark `one_in` of cases that only exhaustive runs try.

    Of several parameters each combination's places are added, so that none goes without a value.
    """
    groups = groups_with_mark(items, "one_in")
    return [item for group in groups for item, place in places_in(group) if place % step_of(group)]


def step_of(group):
    """Return the argument of the mark `one_in`."""
    return group[0].get_closest_marker("one_in").args[0]


def places_in(group):
    """Return each case of a test with the sum of its values' places, turns left out."""
    columns = columns_of(group)
    places = [{value: k for k, value in enumerate(dict.fromkeys(column))} for column in columns]
    sums = [0] * len(group)
    for column, place in zip(columns, places, strict=True):
        sums = [total + place[value] for total, value in zip(sums, column, strict=True)]
    return list(zip(group, sums, strict=True))


def columns_of(group):
    """Return the names of values, a column for each decorator and fixture, turns left out."""
    columns = list(zip(*(item.callspec._idlist for item in group), strict=True))  # no public place
    return [x for x in columns if not any(set(x) <= set(values) for values in TURNS.values())]


def groups_with_mark(items, name):
    """Return the cases of each test with a mark and parameters."""
    groups = {}
    for item in items:
        if item.get_closest_marker(name) and hasattr(item, "callspec"):
            groups.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return list(groups.values())


def combinations_out_of_turn(items):
    """Return the tests with the mark `in_turn` of combinations that only exhaustive runs try."""
    groups = groups_with_mark(items, "in_turn")
    return [item for group in groups for item in combinations_left_out(group)]


def combinations_left_out(group):
    """Return those of a test's cases whose combination of values is not chosen."""
    cases = list(zip(*columns_of(group), strict=True))
    chosen = combinations_in_turn(dict.fromkeys(cases))
    return [item for item, case in zip(group, cases, strict=True) if case not in chosen]


def combinations_in_turn(cases):
    """Return a part of the combinations: the parameter of the fewest values has them in turn.

    One of up to four, two of more. Each value is in one of the combinations, and of three
    parameters each pair of values.
    """
    values = [list(dict.fromkeys(column)) for column in zip(*cases, strict=True)]
    several = sorted((k for k, v in enumerate(values) if len(v) > 1), key=lambda k: len(values[k]))
    if len(several) < 2:
        return set(cases)
    few, *others = several
    turns = len(values[few])
    tried = {0} if turns < 5 else {0, turns // 2}

    def is_chosen(case):
        places = [values[k].index(case[k]) for k in others]
        rounds = places[0] // turns if len(places) == 1 else 0  # as in `turn_of`
        return (values[few].index(case[few]) - sum(places) - rounds) % turns in tried

    chosen = {case for case in cases if is_chosen(case)}
    for k in several:  # where there are not all combinations
        for value in set(values[k]) - {case[k] for case in chosen}:
            chosen.add(next(case for case in cases if case[k] == value))
    return chosen


def is_of_turns(name, value):
    """Return whether a parameter has one of the values that tests try in turn."""
    return isinstance(value, str) and value in TURNS.get(name, ())


def of_group(cases):
    """Return the tests out of their turn; of each case a list of turns, and of tests."""
    tried = {
        name: [value for value in values if any(t.get(name) == value for t, _ in cases[0])]
        for name, values in TURNS.items()
    }
    tried = {name: values for name, values in tried.items() if 1 < len(values) <= len(cases)}
    return [
        item
        for k, case in enumerate(cases)
        for turn, item in case
        if any(turn.get(name) != turn_of(values, k) for name, values in tried.items())
    ]


def turn_of(values, k):
    """Return the value of the k-th case; of fewer values also by rounds of four."""
    return values[(k + k // 4) % len(values)]


def in_modes(names, modes=("rte", "rtz", "rtp", "rtn")):
    """Names, each with all rounding modes (or other ways); or each with one of them, in turn."""
    each = [(name, modes[k % len(modes)]) for k, name in enumerate(names)]
    return either([(name, mode) for name in names for mode in modes], each)
