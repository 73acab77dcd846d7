"""erf, erfc, tgamma and lgamma of doubles beside MPFR, and where C says what they give."""

import math
import threading

import gmpy2
import numpy as np
import pytest

from halfcl.cl._interpreter.builtins.numeric import floats
from halfcl.cl._interpreter.values.numbers import special_function

NAN, INF = math.nan, math.inf

TRUE = {
    "erf": gmpy2.erf,
    "erfc": gmpy2.erfc,
    "tgamma": gmpy2.gamma,
    "lgamma": lambda x: gmpy2.lgamma(x)[0],
}

#: Arguments, and units in the last place: as measured, over 4,000 numbers each, and a half more.
RANGES = [
    ("erf", -6, 6, 3.5),
    ("erf", -1e-300, 1e-300, 1),
    ("erfc", -6, 27.2, 4.5),
    ("erfc", 26.5, 27.3, 4.5),  # to numbers below 2^-1022
    ("tgamma", -8, 8, 9),
    ("tgamma", -178, 171.6, 6),
    ("tgamma", -1e-3, 1e-3, 9),
    ("tgamma", -1e-305, 1e-305, 1),
    ("lgamma", -0.25, 8, 4.5),
    ("lgamma", 1 - 1e-6, 1 + 1e-6, 4.5),  # zeros
    ("lgamma", 2 - 1e-9, 2 + 1e-9, 4.5),
    ("lgamma", 8, 1e300, 2),
    ("lgamma", -1e-305, 1e-305, 1),
]


@pytest.mark.parametrize(("name", "low", "high", "bound"), RANGES)
def test_accuracy_of_special_functions(name, low, high, bound):
    x = np.random.default_rng(6).uniform(low, high, 300)
    if high > 1e6:
        x = np.exp(np.random.default_rng(6).uniform(math.log(low), math.log(high), 300))
    with gmpy2.context(precision=200):
        for a, actual in zip(x.tolist(), special_function(name)(x).tolist(), strict=True):
            true = TRUE[name](gmpy2.mpfr(a))
            assert abs(gmpy2.mpfr(actual) - true) <= bound * math.ulp(float(true)), (a, actual)


def test_below_0_the_error_of_lgamma_is_absolute():
    x = np.random.default_rng(7).uniform(-50, -0.25, 500)
    with gmpy2.context(precision=200):
        for a, actual in zip(x.tolist(), special_function("lgamma")(x).tolist(), strict=True):
            true = TRUE["lgamma"](gmpy2.mpfr(a))
            assert abs(gmpy2.mpfr(actual) - true) <= 2.0**-50 * max(1, abs(true), -a), (a, actual)


KNOWN = {
    "erf": {0.0: 0.0, INF: 1.0, -INF: -1.0, 30: 1.0, -1e308: -1.0, 5e-324: 5e-324, NAN: NAN},
    "erfc": {0.0: 1.0, INF: 0.0, -INF: 2.0, 27.3: 0.0, -6: 2.0, 5e-324: 1.0, NAN: NAN},
    "tgamma": {0.0: INF, INF: INF, -INF: NAN, -1: NAN, -2: NAN, -(2.0**60): NAN, NAN: NAN,
               171.7: INF, 1e308: INF, -184.5: -0.0, -185.5: 0.0, 5e-324: INF, -5e-324: -INF,
               -1e300: NAN},
    "lgamma": {0.0: INF, INF: INF, -INF: INF, -1: INF, -7: INF, -(2.0**60): INF, NAN: NAN,
               1: 0.0, 2: 0.0, 2.6e305: INF, 1e308: INF, 5e-324: 1074 * math.log(2)},
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_edges_in_any_place_of_arrays_of_any_length(name):
    for x, true in KNOWN[name].items():
        for count, place in ((1, 0), (17, 0), (17, 16), (16, 7), (3, 1)):
            array = np.full(count, 0.3)
            array[place] = x
            actual = special_function(name)(array)
            np.testing.assert_array_equal(actual[place], true, str((name, x, count)))
            if true == true:
                assert math.copysign(1, actual[place]) == math.copysign(1, true), (name, x)
            assert len({*np.delete(actual, place).tolist()}) <= 1
    assert special_function(name)(np.zeros(0)).shape == (0,)
    assert special_function(name)(np.array([0.3, 0, 0.4, 0, 0.5])[::2]).tolist() == [
        float(special_function(name)(v)) for v in (0.3, 0.4, 0.5)
    ]


def test_signs_of_zeros():
    assert math.copysign(1, special_function("erf")(-0.0)) == -1
    assert special_function("tgamma")(-0.0) == -INF and special_function("lgamma")(-0.0) == INF


def test_factorials_are_exact():
    actual = special_function("tgamma")(np.arange(1.0, 19))
    assert actual.tolist() == [float(math.factorial(n)) for n in range(18)]


def test_floats_are_rounded_once():
    x = np.random.default_rng(8).uniform(0.1, 5, 300).astype(np.float32)
    for name, true in TRUE.items():
        function = floats.FUNCTIONS[name]
        assert function.accuracy is floats.Accuracy.DOUBLE
        actual = function.function(x.astype(np.float64)).astype(np.float32)
        assert actual.tolist() == [
            float(np.float32(float(true(gmpy2.mpfr(v))))) for v in x.tolist()
        ]


def test_threads_have_their_own_signs():
    """lgamma_r's sign is no variable that threads share, as C's signgam is."""
    below, above = np.full(5000, -0.5), np.full(5000, -1.5)
    wrong = []

    def run(x, sign):
        for _ in range(20):
            value, signs = floats.FUNCTIONS["lgamma_r"].function(x)
            if (signs != sign).any() or len(set(value.tolist())) != 1:
                wrong.append(sign)

    threads = [threading.Thread(target=run, args=a) for a in ((below, -1), (above, 1)) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
