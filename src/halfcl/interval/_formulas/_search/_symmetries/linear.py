"""Homogeneous linear equations with exact coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

Row: TypeAlias = tuple[Fraction, ...]


def reduce_rows(rows: Sequence[Row]) -> tuple[list[Row], list[int]]:
    """Return equations of which each has a variable that the others lack, and these variables."""
    matrix, pivots = [*dict.fromkeys(rows)], list[int]()
    for column in range(len(matrix[0]) if matrix else 0):
        place = len(pivots)
        row = next((i for i in range(place, len(matrix)) if matrix[i][column]), None)
        if row is None:
            continue
        matrix[place], matrix[row] = matrix[row], matrix[place]
        lead = matrix[place][column]
        if lead != 1:
            matrix[place] = tuple([x / lead if x else x for x in matrix[place]])
        for i, other in enumerate(matrix):
            if i != place and other[column]:
                pairs, factor = zip(other, matrix[place], strict=True), other[column]
                matrix[i] = tuple([x - factor * y if y else x for x, y in pairs])
        pivots.append(column)
    return matrix[: len(pivots)], pivots


def null_space(rows: Sequence[Row], count: int) -> list[Row]:
    """Return a basis of the solutions of homogeneous linear equations."""
    matrix, pivots = reduce_rows(rows)
    basis = []
    for column in sorted({*range(count)} - {*pivots}):
        vector = [Fraction(0)] * count
        vector[column] = Fraction(1)
        for place, pivot in enumerate(pivots):
            vector[pivot] = -matrix[place][column]
        basis.append(tuple(vector))
    return basis
