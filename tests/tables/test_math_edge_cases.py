"""Each line of edge_cases.txt, in every mode: results, signs of zeros, and flags."""

import numpy as np
import oracle
import pytest
from checks import as_tuple, forms, half
from edge_cases import edge_cases
from oracle import MODES


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases(name):
    for case in edge_cases()[name]:
        operands = case.operands()
        for mode in MODES:
            function = next(iter(forms(case.name, mode).values()))
            check_results(case, function, operands, mode)
            check_flags(case, function, operands)


def check_results(case, function, operands, mode):
    with oracle.Watch() as watch:
        got = as_tuple(function(*(half(x) for x in operands)))
        assert watch.take() == case.flags
    assert len(got) == len(case.results)
    for i, result in enumerate(got):
        column = result if result.dtype == np.int32 else result.view(np.uint16)
        assert case.agrees(i, column, operands, mode).all()


def check_flags(case, function, operands):
    """Check the flags of single elements: the first, the last, and some between."""
    last = operands[0].size - 1
    with oracle.Watch() as watch:
        for i in {0, last, *range(0, last, last // 20 + 1)}:
            function(*(half(x[i : i + 1]) for x in operands))
            assert watch.take() == case.flags, [x[i] for x in operands]
