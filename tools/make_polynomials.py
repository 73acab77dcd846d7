"""Fit the polynomials of csrc/kernels, and print the header with their coefficients.

    python tools/make_polynomials.py > csrc/kernels/functions/coefficients.h

Needs mpmath and NumPy. Each row is fitted for the least greatest error, relative to the function
unless it says otherwise, with coefficients that are floats: they are rounded one after the other,
from the first, and those that follow are fitted again to make up for it.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 40
POINTS = 400
LAWSON_STEPS = 60

# The number near 1 / log(2), with 12 bits, whose table (see log2_steps) is most accurate.
LOG2_SCALE = 2933 / 2048

# The number with 9 bits for powers, and the number of cells of [1, 2) there.
POWER_SCALE = 369 / 256
POWER_CELLS = 30


@dataclass(frozen=True)
class Fit:
    """function(x) ~ sum of coefficient * x**power for low <= x <= high.

    fixed: the first coefficients, where they are to be exact. relative: to the function, else the
    absolute error counts.
    """

    name: str
    comment: str
    function: Callable
    low: float
    high: float
    powers: tuple[int, ...]
    fixed: tuple[float, ...] = ()
    relative: bool = True


def atan_over(x):
    return mp.atan(x) / x


FITS: tuple[Fit, ...] = (
    # exp_log.h
    Fit("exp2_fraction", "2^f", lambda f: mp.mpf(2) ** f, 0, 1, (0, 1, 2, 3, 4, 5)),
    *(
        Fit(
            f"{name}_slope",
            f"{name}(1 + s / log2_scale) / s",
            lambda s, base=base: mp.log1p(s / LOG2_SCALE) / mp.log(base) / s,
            -0.0245,
            0.045,
            (0, 1, 2, 3),
        )
        for name, base in (("log", mp.e), ("log2", 2))
    ),
    # inverse_trig.h
    Fit(
        "atan_growth",
        "atan(sqrt x) / sqrt x - 1",
        lambda x: atan_over(mp.sqrt(x)) - 1,
        0,
        1,
        tuple(range(1, 10)),
        relative=False,
    ),
    Fit(
        "atanpi_growth",
        "atan(sqrt(1 - x)) / (pi sqrt(1 - x)) - 1/4",
        lambda x: atan_over(mp.sqrt(1 - x)) / mp.pi - 0.25,
        0,
        1,
        tuple(range(1, 9)),
        relative=False,
    ),
    # power.h
    Fit(
        "log2_correction",
        "log2(1 + s / log2_scale) / s - 1",
        lambda s: mp.log1p(s / LOG2_SCALE) / mp.log(2) / s - 1,
        -0.0245,
        0.045,
        (0, 1, 2, 3, 4),
        relative=False,
    ),
    Fit(
        "power_correction",
        "log2(1 + s / power_scale) / s - 1",
        lambda s: mp.log1p(s / POWER_SCALE) / mp.log(2) / s - 1,
        -0.0241,
        0.0241,
        (0, 1, 2, 3),
        relative=False,
    ),
    Fit(
        "exp2_growth",
        "2^f - 1",
        lambda f: mp.expm1(f * mp.log(2)),
        -0.0375,
        0.0375,
        (1, 2, 3),
        relative=False,
    ),
)


# The functions whose initial constants tools/tune_constants.c reads.
TO_TUNE: tuple[Fit, ...] = (
    Fit("exp2_polynomial", "", lambda f: mp.mpf(2) ** f, 0, 1, tuple(range(6)), fixed=(1.0,)),
    Fit("exp10_growth", "", lambda f: (mp.mpf(2) ** f - 1) / f, -1 / 64, 1 / 64, tuple(range(3))),
    Fit(
        "cbrt_growth",
        "",
        lambda h: (mp.cbrt((1 - h) ** -2) - 1) / h,
        -0.1075,
        0.1075,
        tuple(range(5)),
    ),
    *(
        Fit(
            name,
            "",
            lambda s: (mp.sin(mp.sqrt(s)) / mp.sqrt(s) - 1) / s,
            0,
            float(mp.pi**2 / 4),
            tuple(range(powers)),
        )
        for name, powers in (("sin_growth", 4), ("cos_growth", 5))
    ),
    Fit(
        "expm1_growth",
        "",
        lambda r: (mp.expm1(r) / r - 1) / r,
        -float(mp.log(2) / 2),
        float(mp.log(2) / 2),
        tuple(range(5)),
    ),
    Fit("log1p_slope", "", lambda s: (mp.log1p(s) / s - 1) / s, -1 / 64, 1 / 32, (0, 1, 2)),
    Fit("sinpi_slope", "", lambda s: mp.sinpi(mp.sqrt(s)) / mp.sqrt(s), 0, 0.25, tuple(range(5))),
    Fit(
        "cospi_slope",
        "",
        lambda s: mp.cospi(mp.sqrt(s)) / (mp.mpf(1) / 4 - s),
        0,
        0.24999,
        tuple(range(5)),
        fixed=(4.0,),
    ),
)


PIECES = 32


@dataclass(frozen=True)
class Pieces:
    """A fit by PIECES polynomials: function(x) by the k-th, where k is nearest to scale * x."""

    name: str
    function: Callable
    scale: float
    powers: int
    at_0: tuple[float, ...]  # the first coefficients of the piece at 0
    centred: bool = False  # in powers of x - k / scale

    def fits(self):
        for k in range(PIECES):
            middle, half = k / self.scale if self.centred else 0, 0.5 / self.scale
            low, high = max(0, k / self.scale - half) - middle, k / self.scale + half - middle

            def around_middle(r, middle=middle):
                return self.function(middle + r)

            powers = tuple(range(self.powers))
            fixed = () if k else self.at_0
            yield Fit(self.name, "", around_middle, low, high, powers, fixed, relative=False)

    def coefficients(self):
        """Return the coefficients ordered by power, and by piece within a power."""
        pieces = [coefficients(fit)[0] for fit in self.fits()]
        return [float(c) for power in zip(*pieces, strict=True) for c in power]


# The growth at 0 with the least effect, which is below 0.
BELOW_0 = (-(2.0**-26), 0.0)

# The first piece on which asin has the factor sqrt(1 - x).
FIRST_STEEP = 9


def acos_over_root(x):
    """Return acos(x) / sqrt(1 - x), also beyond 1, where both are imaginary."""
    return abs(mp.acos(x) / mp.sqrt(1 - x))


def asin_in_pieces(x):
    return mp.asin(x) / x - 1 if x < (FIRST_STEEP - 0.5) / 31 else -acos_over_root(x)


IN_PIECES: tuple[Pieces, ...] = (
    Pieces("tanh_growth", lambda x: mp.tanh(x) / x - 1, 31 / 4.515625, 4, BELOW_0),
    Pieces("sinh_growth", lambda x: mp.sinh(x) / x - 1, 1 / 0.390625, 5, (2.0**-23, 0.0), True),
    Pieces("cosh_polynomial", mp.cosh, 1 / 0.390625, 5, (1.0, 0.0), True),
    Pieces(
        "erf_growth",
        lambda x: mp.erf(x) / x - 1,
        31 / 2.625,
        4,
        (float(2 / mp.sqrt(mp.pi) - 1), 0.0),
    ),
    Pieces("asin_in_pieces", asin_in_pieces, 31, 3, (0.0, 0.0)),
    Pieces("acos_in_pieces", acos_over_root, 31, 3, ()),
    Pieces("atan_growth_in_pieces", lambda x: mp.atan(x) / x - 1, 31, 3, BELOW_0),
)

# Functions whose constants this tool determines alone.
FITTED_IN_PIECES: tuple[tuple[Pieces, str], ...] = (
    (
        Pieces("atan2_growth_in_pieces", lambda x: atan_over(x) - 1, 31, 4, (0.0, 0.0)),
        "atan(x) / x - 1 for x within 1/62 of k / 31, by powers 0 to 3 and k.",
    ),
    (
        Pieces(
            "atan2pi_growth_in_pieces",
            lambda x: atan_over(x) / mp.pi - 0.25,
            31,
            4,
            (float(1 / mp.pi - 0.25), 0.0),
        ),
        "atan(x) / (pi x) - 1/4 for x within 1/62 of k / 31, by powers 0 to 3 and k.",
    ),
)


def chebyshev_points(low, high):
    angles = (np.arange(POINTS) + 0.5) * np.pi / POINTS
    return low + (high - low) * (1 - np.cos(angles)) / 2


def minimax(columns, target):
    """Return the combination of columns with the least maximal error from target (Lawson)."""
    weights = np.full(target.size, 1 / target.size)
    best, least = None, np.inf
    for _ in range(LAWSON_STEPS):
        root = np.sqrt(weights)
        solution = np.linalg.lstsq(columns * root[:, None], target * root, rcond=None)[0]
        error = np.abs(columns @ solution - target)
        if error.max() < least:
            best, least = solution, error.max()
        weights *= error
        weights /= weights.sum()
    return best


def coefficients(fit):
    """Fit coefficients as floats; return them and the largest error."""
    x = chebyshev_points(fit.low, fit.high)
    # Compute the error with more digits than double has, since the fit is nearly that good.
    values = [fit.function(mp.mpf(float(point))) for point in x]
    scale = np.array([float(abs(value)) for value in values]) if fit.relative else np.ones_like(x)
    floats = [np.float32(c) for c in fit.fixed]

    def rest(count):
        """Return the error of the first `count` coefficients, over the scale."""
        pairs = zip(x, values, scale, strict=True)
        terms = list(zip(floats[:count], fit.powers, strict=False))
        return np.array(
            [
                float((v - mp.fsum(mp.mpf(float(c)) * mp.mpf(float(p)) ** k for c, k in terms)) / s)
                for p, v, s in pairs
            ]
        )

    while len(floats) < len(fit.powers):
        # Columns scaled to the interval keep the least squares well conditioned.
        reach = max(abs(fit.low), abs(fit.high))
        powers = fit.powers[len(floats) :]
        columns = np.stack([(x / reach) ** k / scale for k in powers], axis=1)
        solution = minimax(columns, rest(len(floats)))
        floats.append(np.float32(solution[0] / reach ** powers[0]))
    return floats, np.abs(rest(len(floats))).max()


def declaration(fit):
    floats, error = coefficients(fit)
    kind = "relative" if fit.relative else "absolute"
    values = ", ".join(f"{float(c).hex()}f" for c in floats)
    print(f"{fit.name}: {kind} error 2^{np.log2(error):.1f}", file=sys.stderr)
    return (
        f"/* {fit.comment} on [{fit.low:g}, {fit.high:g}], powers {list(fit.powers)};\n"
        f" * {kind} error 2^{np.log2(error):.1f}. */\n"
        f"static const float {fit.name}[] = {{{values}}};\n"
    )


def log2_steps():
    """Return for each 32nd of [1, 2) a factor near LOG2_SCALE / x, and log2(LOG2_SCALE / factor).

    factor * x - LOG2_SCALE is exact in float, for x of 11 bits. The logarithms are multiples of
    2^-19, so that adding an exponent is exact: of the factors that serve, it is the one whose
    logarithm is nearest to such a multiple. At both ends, near 1 and 2, both are exact.
    """
    unit = 2.0**19
    candidates = np.arange(2**19, 2**21) / 2**20
    errors = np.log2(LOG2_SCALE / candidates) * unit
    errors = np.abs(errors - np.rint(errors))
    short = candidates * 2**19 == np.rint(candidates * 2**19)
    factors = [LOG2_SCALE]
    for i in range(1, 31):
        least = candidates * (1 + i / 32) - LOG2_SCALE
        most = candidates * (1 + (i + 1) / 32) - LOG2_SCALE
        room = np.where(short, 2**-5, 2**-6)  # for the bits of the product that remain
        serve = (least > np.maximum(-room, -0.0245)) & (most < room)
        factors.append(candidates[np.argmin(np.where(serve, errors, np.inf))])
    factors.append(LOG2_SCALE / 2)
    logs = [mp.nint(mp.log(LOG2_SCALE / mp.mpf(factor), 2) * unit) / unit for factor in factors]
    return factors, logs


def power_steps():
    """Return for each x nearest to i / 30 a factor near POWER_SCALE / x, and its logarithm.

    Factors are multiples of 2^-9, so that factor * x - POWER_SCALE is one of 2^-19 for x of 11
    bits. So are the logarithms, of which a rest is left, but near 1 and 2. They are in the order of
    the last 5 bits of i.
    """
    unit, bits = mp.mpf(2) ** -19, 2**9
    cells = [min(i if i >= POWER_CELLS else i + 32, 2 * POWER_CELLS) for i in range(32)]
    middles = [mp.mpf(cell) / POWER_CELLS for cell in cells]
    factors = [
        POWER_SCALE / float(m) if m in (1, 2) else round(POWER_SCALE / float(m) * bits) / bits
        for m in middles
    ]
    logs = [mp.log(POWER_SCALE / mp.mpf(factor), 2) for factor in factors]
    steps = [mp.nint(log / unit) * unit for log in logs]
    return factors, steps, [np.float32(log - step) for log, step in zip(logs, steps, strict=True)]


def powers_above():
    """Return 2^(i/16) plus 2 ulp; at 1, 2 ulp of the numbers below it."""
    steps = [np.float32(mp.mpf(2) ** (mp.mpf(i) / 16)) for i in range(16)]
    return [step + np.float32(2.0**-22 if step > 1 else 2.0**-23) for step in steps]


def table(name, comment, values):
    body = ", ".join(f"{float(value).hex()}f" for value in values)
    return f"/* {comment} */\nstatic const float {name}[] = {{{body}}};\n"


def parts(value, count):
    """Split value into the nearest float, the float nearest to the rest, and so on."""
    floats = []
    for _ in range(count):
        floats.append(np.float32(value - mp.fsum(mp.mpf(float(f)) for f in floats)))
    return floats


def log_tables(name, log):
    """Return the arrays of a logarithm, with inverses 1 and 1/2 around 1, so it is exact there."""
    middles = [1 + (i + 0.5) / 32 for i in range(32)]
    inverses = [np.float32(1), *(np.float32(1 / m) for m in middles[1:-1]), np.float32(0.5)]
    unit = log(mp.e)
    return {
        f"{name}_octave": parts(log(mp.mpf(2)), 1),
        f"{name}_inverses": inverses,
        f"{name}_steps": [np.float32(-log(mp.mpf(float(c)))) for c in inverses],
        f"{name}_slope": [np.float32(unit), np.float32(-unit / 2), np.float32(unit / 3)],
    }


def start():
    """Return the initial constants for tools/tune_constants.c."""
    powers = [np.float32(mp.mpf(2) ** (mp.mpf(i) / 32)) for i in range(32)]
    log1p = log_tables("log1p", mp.log)
    arrays = {
        "exp_powers": powers,
        "exp10_powers": powers,
        "exp10_octaves": parts(mp.log(10) / mp.log(2), 2),
        **log_tables("natural", mp.log),
        **log_tables("binary", lambda x: mp.log(x) / mp.log(2)),
        **log_tables("decimal", mp.log10),
        **{name: log1p[name] for name in ("log1p_inverses", "log1p_steps")},
        **{fit.name: coefficients(fit)[0] for fit in TO_TUNE},
        **{fit.name: fit.coefficients() for fit in IN_PIECES},
    }
    for name, values in arrays.items():
        print(f"TUNED {name}[] = {{{', '.join(f'{float(v).hex()}f' for v in values)}}};")


def header():
    print("/* Coefficients of polynomials. Made by: python tools/make_polynomials.py */")
    guard = "HALFCL_KERNELS_FUNCTIONS_COEFFICIENTS_H"
    print(f"#ifndef {guard}\n#define {guard}\n")
    for fit in FITS:
        print(declaration(fit))
    print(f"static const float log2_scale = {LOG2_SCALE.hex()}f;\n")
    factors, logs = log2_steps()
    print(table("log2_factors", "log2_scale / x, nearly, for each 32nd of [1, 2).", factors))
    print(table("log2_steps", "log2(log2_scale / factor).", logs))
    factors, logs, rests = power_steps()
    print(f"static const float power_scale = {POWER_SCALE.hex()}f;")
    print(f"static const float power_cells = {float(POWER_CELLS).hex()}f;\n")
    print(
        table(
            "power_factors",
            "power_scale / x, nearly, for x near i / 30, indexed by the last 5 bits of i.",
            factors,
        )
    )
    print(table("power_steps", "log2(power_scale / factor), to 2^-19.", logs))
    print(table("power_rests", "The errors of power_steps.", rests))
    print(table("powers_above", "2^(i/16) plus 2 units of the last place.", powers_above()))
    for pieces, comment in FITTED_IN_PIECES:
        print(table(pieces.name, comment, pieces.coefficients()))
    print("#endif")


if __name__ == "__main__":
    start() if sys.argv[1:] == ["--start"] else header()
