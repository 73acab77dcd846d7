"""OpenCL's constants and queries."""

import gmpy2
import numpy as np
import pytest

import halfcl as hc
from halfcl import half

EXACT = gmpy2.context(precision=200)

#: The true values, to 200 bits.
TRUE = {
    "M_E_H": EXACT.exp(1),
    "M_LOG2E_H": EXACT.div(1, EXACT.log(2)),
    "M_LOG10E_H": EXACT.div(1, EXACT.log(10)),
    "M_LN2_H": EXACT.log(2),
    "M_LN10_H": EXACT.log(10),
    "M_PI_H": EXACT.const_pi(),
    "M_PI_2_H": EXACT.div(EXACT.const_pi(), 2),
    "M_PI_4_H": EXACT.div(EXACT.const_pi(), 4),
    "M_1_PI_H": EXACT.div(1, EXACT.const_pi()),
    "M_2_PI_H": EXACT.div(2, EXACT.const_pi()),
    "M_2_SQRTPI_H": EXACT.div(2, EXACT.sqrt(EXACT.const_pi())),
    "M_SQRT2_H": EXACT.sqrt(2),
    "M_SQRT1_2_H": EXACT.sqrt(0.5),
}


@pytest.mark.parametrize("name", TRUE)
def test_constant_is_the_nearest_half(name):
    constant = getattr(hc, name)
    assert type(constant) is half and constant == float(gmpy2.ieee(16).plus(TRUE[name]))


#: cl_khr_fp16's macros.
MACROS = {
    "DIG": 3,
    "MANT_DIG": 11,
    "MAX_10_EXP": 4,
    "MAX_EXP": 16,
    "MIN_10_EXP": -4,
    "MIN_EXP": -13,
    "RADIX": 2,
    "MAX": 65504,
    "MIN": 2.0**-14,
    "EPSILON": 2.0**-10,
}


@pytest.mark.parametrize("name", MACROS)
def test_macro(name):
    assert getattr(hc, f"HALF_{name}") == getattr(hc, f"CL_HALF_{name}") == MACROS[name]
    assert f"HALF_{name}" in hc.__all__ and f"CL_HALF_{name}" in hc._everything


def test_floating_point_configuration():
    required = (
        hc.CL_FP_DENORM
        | hc.CL_FP_INF_NAN
        | hc.CL_FP_ROUND_TO_NEAREST
        | hc.CL_FP_ROUND_TO_ZERO
        | hc.CL_FP_ROUND_TO_INF
        | hc.CL_FP_FMA
    )
    assert required in hc.HALF_FP_CONFIG
    # The bits of cl_device_fp_config.
    assert [int(flag) for flag in hc.FPConfig] == [1, 2, 4, 8, 16, 32, 64]


def test_device_info():
    info = hc.processor_info()
    assert info["isa"] in info["available"] and info["available"][0] == "portable"
    software = info["isa"] == "portable"
    assert hc.FP_FAST_FMA_HALF is not software
    assert (hc.CL_FP_SOFT_FLOAT in info["half_fp_config"]) is software


def test_finfo_serves_numpy():
    assert np.finfo(half).max == np.finfo(np.dtype(half)).max == hc.finfo().max == 65504
