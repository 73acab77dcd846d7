"""Images and samplers by halfcl's own functions; texels are planes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import halfcl as hc
from halfcl.cl._frontend.errors import LaunchError
from halfcl.cl._frontend.types import Number, Scalar, Vector
from halfcl.cl._interpreter.builtins.kinds import (
    Effect,
    Function,
    RunFunction,
    Signature,
    array_of,
    as_number,
    value_of,
)
from halfcl.cl._interpreter.values.lanes import Active, Array, Mask, Value
from halfcl.typing import RoundingMode

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run


def _refuse(run: Run, at: int, error: Exception) -> LaunchError:
    launch = run.launch
    return LaunchError(f"{launch.place_of(at)}: kernel {launch.name}: {error}")


def _as_rows(value: Value, number: Number) -> Array:
    """Return scalars along one axis, vectors on the last axis, as halfcl's functions take them."""
    array = array_of(value, number)
    if not isinstance(number, Vector):
        return array
    return np.ascontiguousarray(np.broadcast_to(array, (number.width, array.shape[1])).T)


def _options(signature: Signature) -> dict[str, RoundingMode]:
    """Return the keywords of halfcl's function: a mode, except for integers."""
    return {} if signature.builtin.parts["channels"] in ("i", "ui") else {"rounding": "rte"}


def read(signature: Signature) -> Function:
    """Return read_image, with or without a sampler."""
    coordinates, result = as_number(signature.arguments[-1]), signature.result_number
    function = getattr(hc, signature.name)
    options = _options(signature)

    def call(
        run: Run,
        mask: Mask,
        at: int,
        image: hc.Image,
        *arguments: *tuple[*tuple[hc.Sampler, ...], Value],
    ) -> Array:
        *samplers, coordinate = arguments
        rows = _as_rows(coordinate, coordinates)
        run.see_image("read", image, samplers[0] if samplers else None, rows, mask, at)
        try:
            texels = np.asarray(function(image, *samplers, rows, **options)).view(np.ndarray)
        except (TypeError, ValueError) as error:
            raise _refuse(run, at, error) from error
        return np.ascontiguousarray(texels.T) if isinstance(result, Vector) else texels

    return RunFunction(call)


def write(signature: Signature) -> Function:
    """Return write_image."""
    coordinates, colors = map(as_number, signature.arguments[1:3])
    function = getattr(hc, signature.name)
    options = _options(signature)

    def call(
        run: Run, mask: Active, at: int, image: hc.Image, coordinate: Value, color: Value
    ) -> None:
        where, what = _as_rows(coordinate, coordinates), _as_rows(color, colors)
        run.see_image("write", image, None, where, mask, at)
        count = max(len(where), len(what))
        if mask is not None:
            where = np.broadcast_to(where, (mask.size, *where.shape[1:]))[mask]
            what = np.broadcast_to(what, (mask.size, *what.shape[1:]))[mask]
        elif len(where) < count:  # all write to one place: the last value remains
            what = what[-1:]
        try:
            function(image, where, what, **options)
        except (TypeError, ValueError) as error:
            raise _refuse(run, at, error) from error

    return Effect(call)


def query(signature: Signature) -> Function:
    """Return a function of an image's description."""
    function = getattr(hc, signature.name)
    result = signature.result_number

    def call(run: Run, mask: Mask, at: int, image: hc.Image) -> Value:
        try:
            answer = function(image)
        except (TypeError, ValueError) as error:
            raise _refuse(run, at, error) from error
        if isinstance(result, Scalar):
            return int(answer)
        return value_of(np.asarray(answer).view(np.ndarray).reshape(-1, 1), result)

    return RunFunction(call)
