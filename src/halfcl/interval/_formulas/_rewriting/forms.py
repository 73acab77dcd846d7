"""Other forms of a program's parts, with the same values and narrower ranges in intervals.

Sums, products and quotients are expanded to quotients of polynomials, in which equal terms cancel.
Each part then has several forms, and its range is what all of them contain:

- the expanded quotient, where terms or factors cancelled: (x + h)^2 - x^2 is h (2 x + h);
- squares completed: x^2 - 2 x y + y^2 is (x - y)^2, also of reciprocals and powers;
- remainders: (1 - x - y) / (1 + x + y) is 2 / (1 + x + y) - 1;
- square divisors of roots: sqrt(x^2 / y^2 + 1) is sqrt(x^2 + y^2) / |y|;
- functions of inverse functions: cos(atan(y / x)) is |x| / sqrt(x^2 + y^2);
- the greater number where a path decides it: max(x, y) is y where x <= y;
- numbers that a path bounds: n / sqrt(m) is sqrt(m) / r for r = m / n, where r is compared;
- conjugates: sqrt(x + 1) - sqrt(x) is 1 / (sqrt(x + 1) + sqrt(x)), since a number that is not zero
  is no multiple of zero;
- conjugates of divisors: z / (x - sqrt(x^2 - y z)) is (x + sqrt(x^2 - y z)) / y;
- means: (x - y) / (x + y) is a mean of 1 and -1 with the weights x and y, so it is between them
  where both have one sign;
- shares of divisors: (1 - c) / (1 - 2 x c + x^2) is between 0 and 1 / 2 x where x is positive;
- all divided by a term: x / (x + y) is 1 / (1 + y / x) where x is not zero;
- roots of squares: x / sqrt(x^2 + y^2) is a root of x^2 / (x^2 + y^2) and has the sign of x;
- derivatives around removable poles: (x - sin x) / x^3 is a value of cos(x) / 6;
- divided differences: (exp x - exp y) / (x - y) is exp t for some t between x and y;
- powers of numbers near 1: (1 + k x)^(1 / k) is exp(x u) for u = log(1 + k x) / (k x);
- zeros cancelled: t / tanh(t y) is 1 / y over (tanh u) / u, which has no pole;
- powers joined with exponentials: exp(-1 / x) / x^2 is u^2 exp(u) for u = -1 / x;
- sides of numbers: (x + 1) / (x + y + 2) is less than 1 where y + 1 and the divisor are positive;
- signs of sums with roots: x + sqrt(x^2 + y) is not negative where y is not;
- conjugates of quotients: 1 / x + sqrt(1 + x^2) / |x| is 1 / (sqrt(1 + x^2) / |x| - 1 / x);
- sums with roots by differences of squares: x - sqrt(x^2 - y) is at most sqrt|y| where x >= 0;
- waves: a sin u + b cos u is between -r and r for r^2 = a^2 + b^2; a sin^2 u + b cos^2 u is a mean;
- sums with a bounded factor: (x + y) / 2 + (x - y) / 2 tanh u is between y and x;
- sums of squares: x^2 + y^2 - 2 x y cos u is not negative, and (x u + y v)^2 is no more than
  (x^2 + y^2) (u^2 + v^2);
- components: (p x + q y) / sqrt(x^2 + y^2) is between -r and r for r^2 = p^2 + q^2;
- products of waves as sums: 1 + sin u sin v + cos u cos v cos w is not negative;
- complements: cos^2 u / (1 + sin u) is 1 - sin u;
- waves of half a number: (1 - cos v) / sin v is the tangent of v / 2;
- waves times logarithms of tangents: sin(2 u) log|tan u| has a limit at each pole;
- angles: acos(n / r) is pi / 2 - atan(n / sqrt(r^2 - n^2)), and atan2(k y, k x) is atan2(y, x) or
  the opposite angle;
- tangents with poles as sin / cos, and 1 - sin^2 as cos^2;
- factors that occur twice: x y x is x^2 y, and x y + x z is x (y + z); terms over one divisor:
  (x y + 1) / y is x + 1 / y; sums over common divisors: x / s^2 + y / s is (x + y s) / s^2;
- exponentials in divisors: x^2 exp(x) / (exp(x) - 1)^2 is x^2 exp(-x) / (1 - exp(-x))^2;
- products with logarithms: x log(x / y) is x log|x| - x log|y|;
- exponentials of sums as products: exp(x + h) - exp(x) is exp(x) (exp(h) - 1);
- partial fractions: (x y - 1) / ((x - 1) (y - 1)) is 1 + 1 / (x - 1) + 1 / (y - 1);
- differences of powers: x^z - y^z is y^z expm1(z log1p((x - y) / y));
- hyperbolic functions as exponentials: sinh(u) / cosh(u) is (1 - t^2) / (1 + t^2), t = exp(-u);
- powers of one base: x^y / x is x^(y - 1);
- exponentials joined: x^y exp(-x) is exp(y log x - x), which does not overflow, and x^y z^-y is
  exp(y (log x - log z));
- logarithms split: log(x / sinh(y)) is log|x| - log|sinh(y)|;
- logarithms of sums with exponentials: y log(a + b exp(x / y)) is x + y log(b + a exp(-x / y)).

Wherever the part is defined, each form has its value, if it has one at all. A form that may have
none says nothing there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce

from halfcl.interval._formulas._rewriting._waves.angles import (
    ANGLES,
    angles,
    angles_of_points,
)
from halfcl.interval._formulas._rewriting._waves.halves import without_double_angles
from halfcl.interval._formulas._rewriting._waves.products import forms_with_products
from halfcl.interval._formulas._rewriting._waves.sums import forms_with_waves
from halfcl.interval._formulas._rewriting._waves.tangents import with_logarithms_of_tangents
from halfcl.interval._formulas._rewriting._zeros.exponents import (
    with_common_exponentials,
    with_joined_powers,
    without_hyperbolics,
)
from halfcl.interval._formulas._rewriting._zeros.factors import (
    powers,
    with_decay,
    with_reciprocals,
    without_common_zeros,
)
from halfcl.interval._formulas._rewriting._zeros.fractions import (
    differences_of_powers,
    partial_fractions,
)
from halfcl.interval._formulas._rewriting._zeros.orders import (
    over_common_divisors,
    with_factored_sums,
)
from halfcl.interval._formulas._rewriting.algebra import (
    all_of,
    around_poles,
    forms_of,
    with_roots,
)
from halfcl.interval._formulas._rewriting.logarithms import (
    LOGARITHMS,
    exponentials,
    logarithms_of,
    products_with_logarithms,
    with_exponents_apart,
)
from halfcl.interval._formulas._rewriting.parts import (
    ARITHMETIC,
    Parts,
    Term,
    mul,
    name_of,
    power_of,
)
from halfcl.interval._formulas._rewriting.polynomials import (
    Quotient,
    TooLongError,
)
from halfcl.interval._formulas._rewriting.rules import MEET, OVER, OVER_NONZERO
from halfcl.interval._formulas._rewriting.squares import with_squares
from halfcl.interval._formulas._search.conditions import Constraint, Path
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import Node

#: The number of operations of programs that are rewritten, at most: this takes longer for each one
#: than some evaluations on few boxes do.
MOST_STEPS = 256


def _outputs(program: Program, parts: Parts) -> set[int]:
    """Return the slots whose formulas have other forms: of quotients, and what others use.

    So have divisors of quotients that may be unbounded, sums of what may be infinite, and terms of
    sums that are products and may be unbounded.
    """
    outputs = set(program.roots)
    for step in program.steps:
        name = name_of(step)
        if _adds_infinities(parts, step):
            outputs.add(step.slot)
        if name in ("add", "sub"):
            outputs.update(slot for slot in step.operands if _is_open_product(parts, slot))
        if name not in ARITHMETIC:
            outputs.update(step.operands)
        elif name in ("div", "recip"):
            outputs.add(step.slot)
            if parts.is_unbounded(step.slot):
                outputs.add(step.operands[-1])
    return outputs


def _adds_infinities(parts: Parts, step: Step) -> bool:
    """Return whether a step is a sum or a difference of what may both be infinite."""
    return name_of(step) in ("add", "sub") and all(map(parts.is_unbounded, step.operands))


def _is_open_product(parts: Parts, slot: int) -> bool:
    """Return whether a slot is a product that may be unbounded."""
    return name_of(parts.steps.get(slot)) == "mul" and parts.is_unbounded(slot)


def _repeated_factors(parts: Parts, step: Step) -> Iterator[Term]:
    """Yield a product with powers of factors that it has more than once: x y x is x^2 y."""
    counts, factors = dict[int, int](), [*step.operands]
    while factors:
        slot = factors.pop()
        own = parts.steps.get(slot)
        if name_of(own) == "mul" and own is not None:
            factors += own.operands
        else:
            square = name_of(own) == "sqr" and own is not None
            slot = own.operands[0] if own is not None and square else slot
            counts[slot] = counts.get(slot, 0) + 1 + square
    if max(counts.values()) > 1 and len(counts) > 1:
        yield reduce(mul, [power_of(parts.nodes[slot], n) for slot, n in counts.items()])


def _forms(parts: Parts, step: Step, is_output: bool) -> Iterator[Term]:
    """Yield the other forms of a step's result; of each kind until one would be too long."""
    for kind in _kinds(parts, step, is_output):
        with suppress(TooLongError):
            yield from kind


def _kinds(parts: Parts, step: Step, is_output: bool) -> Iterator[Iterator[Term]]:
    """Yield the kinds of other forms of a step's result."""
    if name_of(step) == "mul":
        yield _repeated_factors(parts, step)
    if parts.is_unbounded(step.slot):
        if name_of(step) in ("add", "sub"):
            yield over_common_divisors(parts, step)
        elif is_output and name_of(step) in ("mul", "div"):
            yield with_factored_sums(parts, step)
    if name_of(step) in LOGARITHMS:
        yield logarithms_of(parts, name_of(step), parts.quotient(step.operands[0]))
    elif name_of(step) in ANGLES:
        yield angles(parts, name_of(step), parts.quotient(step.operands[0]))
    elif name_of(step) == "pow":
        yield powers(parts, *(parts.quotient(i) for i in step.operands))
    elif name_of(step) == "atan2":
        yield angles_of_points(parts, *(parts.quotient(i) for i in step.operands))
    elif is_output and step.slot in parts.quotients:
        quotient = parts.quotients[step.slot]
        for x in parts.with_splits(quotient):
            yield forms_of(parts, step.slot, x)
        yield exponentials(parts, quotient)
        if parts.is_unbounded(step.slot):
            yield products_with_logarithms(parts, quotient)
            yield with_exponents_apart(parts, quotient)
            if quotient.top.terms:
                yield with_reciprocals(parts, quotient)
                yield _with_powers(parts, quotient)
        yield forms_with_waves(parts, quotient)
        yield forms_with_products(parts, quotient)
        if parts.is_unbounded(step.slot):
            yield without_double_angles(parts, quotient)
            yield partial_fractions(parts, quotient)
            yield differences_of_powers(parts, quotient)
            yield with_logarithms_of_tangents(parts, quotient)
        yield with_squares(parts, quotient)
        for x in parts.with_tangents_split(quotient, not parts.is_unbounded(step.slot)):
            yield without_common_zeros(parts, x)
            if (rooted := with_roots(parts, x)) is not x:
                yield without_common_zeros(parts, rooted)
        yield with_decay(parts, quotient)
        yield _with_exponentials(parts, step.slot, quotient)


def _with_powers(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient with powers of the same base as one."""
    for rest, power in with_joined_powers(parts, x):
        forms = [*without_common_zeros(parts, rest), *around_poles(parts, rest)]
        if forms or len(rest.divisors) <= len(x.divisors):
            yield mul(all_of([parts.over(rest, OVER), *forms]), power)


def _with_exponentials(parts: Parts, slot: int, x: Quotient) -> Iterator[Term]:
    """Yield forms of a quotient with products in place of exponentials of sums."""
    is_open = parts.is_unbounded(slot)
    other = with_common_exponentials(parts, x)
    if other is not None:
        yield from forms_of(parts, slot, other)
        yield from without_common_zeros(parts, other)
        yield from partial_fractions(parts, other)
    elif (other := without_hyperbolics(parts, x, 1 if is_open else 2)) is None:
        return
    yield parts.over(other, OVER)
    yield from with_decay(parts, other)
    if other.top.terms:
        yield from with_reciprocals(parts, other)


def _by_compared(parts: Parts, slot: int, compared: Iterable[int]) -> Iterator[Term]:
    """Yield x as (x r) / r, for numbers r that a path bounds, if x r is shorter than x.

    n / sqrt(m) is sqrt(m) / r for r = m / n, which is at least sqrt(m) / c where r is less than c.
    Where r is undefined but x is not, no bound of r is used, and the form holds for any numbers in
    place of the functions in both that are undefined.
    """
    x = parts.quotients[slot]
    for other in compared:
        if other == slot or other not in parts.quotients or not x.divisors:
            continue
        try:
            product = parts.without_roots(x * parts.quotient(other))
        except TooLongError:
            continue
        if product.count() < x.count():
            yield Node(OVER_NONZERO, (parts.over(product, OVER), parts.nodes[other]))


def _decided_extrema(path: Path) -> dict[int, int]:
    """Return the greater and lesser ones of two slots whose order a path's constraints decide.

    max(x, y) is y on the path of x <= y.
    """
    extrema: dict[tuple[str, int, int], int] = {}
    for least, most in path.orders():
        for pair in ((least, most), (most, least)):
            extrema["max", *pair], extrema["min", *pair] = most, least
    return {
        step.slot: extrema[key]
        for step in path.program.steps
        if len(step.operands) == 2 and (key := (name_of(step), *step.operands)) in extrema
    }


def rewritten(path: Path, boxes: Sequence[DoubleInterval] | None = None) -> Path | None:
    """Return a path whose program has other forms of its parts, too; None if there are none.

    boxes: those on which it is evaluated; parts that are bounded there have fewer forms.
    Its constraints hold where the parts as they were are defined. Programs that are longer than
    `MOST_STEPS` have none.
    """
    if len(path.program.steps) > MOST_STEPS:
        return None
    program, parts, is_new = path.program, Parts(path.program, boxes), False
    outputs, same = _outputs(program, parts), _decided_extrema(path)
    compared = {slot for constraint in path.constraints for slot in constraint.slots}
    first = program.steps_for(compared)
    for step in (*first, *(step for step in program.steps if step not in first)):
        parts.add(step)
        if step.slot in same:
            parts.replace(step.slot, same[step.slot])
            is_new = True
            continue
        forms = [*_forms(parts, step, step.slot in outputs)]
        if compared and step.slot in outputs and step.slot in parts.quotients:
            forms += _by_compared(parts, step.slot, sorted(compared & parts.nodes.keys()))
        for form in forms:
            parts.nodes[step.slot] = Node(MEET, (parts.nodes[step.slot], form))
            is_new = True
    return _path_of(path, parts) if is_new else None


def _path_of(path: Path, parts: Parts) -> Path:
    """Return the path of rewritten parts."""
    slots = [slot for constraint in path.constraints for slot in constraint.slots]
    operands = [nodes[slot] for nodes in (parts.nodes, parts.plain) for slot in slots]
    program = Program([parts.nodes[path.program.roots[0]], *operands], path.program.count)
    pairs = list(zip(program.roots[1::2], program.roots[2::2], strict=True))
    own, plain = pairs[: len(path.constraints)], pairs[len(path.constraints) :]
    return Path(program, [
        Constraint(constraint.relation, slots, constraint.outcome, defined)
        for constraint, slots, defined in zip(path.constraints, own, plain, strict=True)
    ])  # fmt: skip
