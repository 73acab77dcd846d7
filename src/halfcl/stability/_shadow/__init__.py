"""Halves that carry shadows: reference values in double-double, some functions in doubles.

A shadow is the result of the same operations with hardly any rounding. By default halves decide
comparisons, so that a run with shadows takes the branches of a plain run.

`values` has the class `Shadow`. The other modules have methods of it, since these make Shadows:
`decisions` (comparisons, bools, integers), `ufuncs`, `functions` and `operators`. They compute with
`doubledouble`. `branches` has the decisions of a run, `stand_ins` what replaces half, NumPy and
halfcl in it; `run` runs a function with them.
"""

from halfcl.stability._shadow import decisions, functions, operators, ufuncs
from halfcl.stability._shadow.values import Shadow

for _module in (decisions, ufuncs, functions, operators):
    for _name, _method in _module.METHODS.items():
        setattr(Shadow, _name, _method)
