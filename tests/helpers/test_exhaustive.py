"""Test which combinations of parameters plain runs try."""

import itertools
from types import SimpleNamespace

import pytest
from exhaustive import cases_left_out, combinations_in_turn, one_in


@pytest.mark.parametrize("sizes", [(2, 2), (9, 4), (4, 9), (16, 6), (7, 10), (3, 3, 1), (12, 1)])
def test_each_value_is_in_a_combination(sizes):
    cases = list(itertools.product(*map(range, sizes)))
    chosen = combinations_in_turn(dict.fromkeys(cases))
    assert chosen <= set(cases)
    for k, size in enumerate(sizes):
        assert {case[k] for case in chosen} == set(range(size))
    several = sorted(size for size in sizes if size > 1)
    turns = several[0] if len(several) > 1 else 1
    assert len(chosen) == len(cases) * (1 if turns < 5 else 2) // turns


@pytest.mark.parametrize("sizes", [(2, 3, 4), (4, 10, 3), (2, 2, 2, 2), (5, 6, 7)])
def test_each_pair_of_values_of_three_parameters_is_in_a_combination(sizes):
    cases = list(itertools.product(*map(range, sizes)))
    chosen = combinations_in_turn(dict.fromkeys(cases))
    assert len(chosen) < len(cases)
    for k, m in itertools.combinations(range(len(sizes)), 2):
        pairs = {(case[k], case[m]) for case in chosen}
        assert pairs == set(itertools.product(range(sizes[k]), range(sizes[m])))


def test_each_value_is_tried_where_combinations_are_missing():
    cases = [("a", 1), ("a", 2), ("b", 2), ("b", 3), ("c", 1)]
    chosen = combinations_in_turn(dict.fromkeys(cases))
    assert {a for a, _ in chosen} == {"a", "b", "c"}
    assert {b for _, b in chosen} == {1, 2, 3}


class Item(SimpleNamespace):
    """A test's case, as pytest collects it."""

    def get_closest_marker(self, name):
        return self.mark if self.mark and self.mark.name == name else None


def items_of(name, mark, *columns):
    """Return the cases of all combinations of parameters (name, values)."""
    names = [column for column, _ in columns]
    return [
        Item(nodeid=f"{name}[{case}]", mark=mark and mark.mark,
             callspec=SimpleNamespace(params=dict(zip(names, case, strict=True)), _idlist=case))
        for case in itertools.product(*(values for _, values in columns))
    ]  # fmt: skip


def test_one_case_in_three_is_tried_in_all_modes():
    modes, functions = ("mode", ["rte", "rtz"]), ("name", list("abcdefg"))
    marked = items_of("marked", one_in(3), functions, modes)
    others = items_of("others", None, functions, modes)
    left_out = cases_left_out(marked + others)
    tried = [item.callspec.params for item in marked if item not in left_out]
    assert [(p["name"], p["mode"]) for p in tried] == list(itertools.product("adg", modes[1]))
    assert not [item for item in others if item in left_out]


def test_one_combination_in_two_has_every_value():
    marked = items_of("marked", one_in(2), ("a", list("abcd")), ("b", list("xy")))
    left_out = cases_left_out(marked)
    tried = [tuple(item.callspec.params.values()) for item in marked if item not in left_out]
    assert tried == [("a", "x"), ("b", "y"), ("c", "x"), ("d", "y")]
