"""Functions of halves as look-up tables over all halves, in the Common LUT Format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import convert, half
from halfcl._support.arguments.byte_order import as_native
from halfcl._support.files import Path, as_text, check_suffix, read_bytes, write_bytes
from halfcl.io._arrays import as_array
from halfcl.io._limits import check_limit

Function: TypeAlias = Callable[[NDArray[Any]], ArrayLike]

_SIZE = 1 << 16
_MAX_BYTES = 1 << 24  # five times the size of three columns of float32
_NAMESPACE = "urn:AMPAS:CLF:v3.0"


def write_half_domain_lut(
    path: Path,
    function: Function | tuple[Function, Function, Function],
    *,
    raw_halfs: bool | None = None,
    title: str = "halfcl",
) -> None:
    """Write a function of halves as a table of its 65,536 results, which OpenColorIO loads.

    Parameters
    ----------
    path : str or path
        The file, whose name ends in ``.clf``. It is replaced once all is written. An ``.spi1d``
        file cannot hold such a table: its entries are evenly spaced, halves are not.
    function : callable, or tuple of three
        Any halfcl function, or one of your own. It is called once, with a half array of all
        65,536 bit patterns in order (infinities and NaN too), and gives as many half, float16
        or float32 results, or an array of shape (65536, 3) for red, green and blue. Three
        functions are one each for red, green and blue. ``np.vectorize(f, otypes=[half])`` makes
        one of a function of a single half.
    raw_halfs : bool, optional
        Whether results are written as the integers of their bits, rather than as decimals.
        Both are exact, but of NaN only the integers keep the payload. Unless given, for half
        results: float32 has none.
    title : str, optional
        The table's name and id in the file.

    Raises
    ------
    TypeError
        If ``function`` cannot be called, or gives other dtypes.
    ValueError
        If it gives another shape; of another suffix, or of a title that XML cannot hold.
        Nothing is written then, and an older file stays.
    OSError
        If the file cannot be written.

    See Also
    --------
    read_half_domain_lut

    Notes
    -----
    Accuracy: that of ``function``; the table adds nothing to it. Floating-point errors of the
    call are not reported, since some half is outside the domain of most functions.
    Source: Academy/ASC Common LUT Format 3, ``LUT1D`` with ``halfDomain`` and ``rawHalfs``.

    Examples
    --------
    >>> import tempfile, functools
    >>> import halfcl as hc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hc.io.write_half_domain_lut(f"{folder}/log2.clf", hc.log2)
    ...     table = hc.io.read_half_domain_lut(f"{folder}/log2.clf")
    >>> table[hc.as_ushort(hc.half(8))]
    half(3.0)
    """
    if as_text(path).lower().endswith(".spi1d"):
        raise ValueError(
            "path: expected a name that ends in .clf, got one in .spi1d, whose entries are evenly"
            " spaced: it cannot hold a table over all halves"
        )
    check_suffix(path, ".clf")
    if not isinstance(raw_halfs, bool | np.bool | None):
        raise TypeError(f"raw_halfs: expected a bool or None, got {raw_halfs!r}")
    table = _tabulate(function)
    is_half = table.dtype == half
    if raw_halfs and not is_half:
        raise ValueError(f"raw_halfs: expected False for {table.dtype} results, got {raw_halfs!r}")
    raw = is_half if raw_halfs is None else bool(raw_halfs)
    write_bytes(path, _as_clf(table, raw, title))


def _tabulate(function: object) -> NDArray[Any]:
    """Return the results on all halves, half or float32, of shape (65536,) or (65536, 3)."""
    if isinstance(function, tuple):
        if len(function) != 3:
            raise ValueError(f"function: expected one or three, got {len(function)}")
        columns = [_tabulate(one) for one in function]
        if any(column.ndim != 1 for column in columns):
            raise ValueError("function: expected three that give one result for a half each")
        return np.stack(columns, axis=-1)
    if not callable(function):
        raise TypeError(f"function: expected a callable, or a tuple of three, got {function!r:.80}")
    with np.errstate(all="ignore"):
        results = function(np.arange(_SIZE, dtype=np.uint16).view(half))
    table = as_native(as_array("results of function", results))
    if table.dtype not in (half, np.float16, np.float32):
        raise TypeError(f"function: expected half, float16 or float32 results, got {table.dtype}")
    if table.shape not in ((_SIZE,), (_SIZE, 3)):
        raise ValueError(
            f"function: expected results of shape (65536,) or (65536, 3), got {table.shape}"
        )
    return np.ascontiguousarray(table.view(half) if table.dtype == np.float16 else table)


def _as_clf(table: NDArray[Any], raw: bool, title: str) -> bytes:
    """Return a table as the text of a Common LUT Format file."""
    if not isinstance(title, str):
        raise TypeError(f"title: expected a str, got {title!r}")
    depth = "16f" if table.dtype == half else "32f"
    process = ElementTree.Element(
        "ProcessList", {"compCLFversion": "3.0", "id": title, "name": title, "xmlns": _NAMESPACE}
    )
    attributes = {"halfDomain": "true", "inBitDepth": "16f", "outBitDepth": depth}
    lut = ElementTree.SubElement(process, "LUT1D", attributes)
    if raw:
        lut.set("rawHalfs", "true")
    rows = table.reshape(_SIZE, -1)
    array = ElementTree.SubElement(lut, "Array", dim=f"{_SIZE} {rows.shape[1]}")
    # Print the shortest decimals that read back as the float32; every half is a float32.
    values = rows.view(np.uint16) if raw else _as_float32(rows)
    lines = (" ".join(map(str, row)) for row in _numbers(values))
    array.text = "\n" + "\n".join(lines) + "\n"
    try:
        data: bytes = ElementTree.tostring(process, "utf-8", xml_declaration=True)
        ElementTree.fromstring(data)  # raises for a control character in the title
    except (ElementTree.ParseError, UnicodeEncodeError) as error:
        raise ValueError(f"title: expected text that XML can hold, got {title!r}") from error
    return data + b"\n"


def _as_float32(rows: NDArray[Any]) -> NDArray[Any]:
    # Convert by way of float16, since a strict region forbids half to float32.
    return (rows.view(np.float16) if rows.dtype == half else rows).astype(np.float32)


def _numbers(rows: NDArray[Any]) -> list[list[int]] | list[list[str]]:
    """Return rows of numbers that print in full: integers, or the shortest digits of float32."""
    numbers: list[list[int]] | list[list[str]] = (
        rows.tolist() if rows.dtype == np.uint16 else rows.astype(str).tolist()
    )
    return numbers


# ---------------------------------------------------------------- reading


def read_half_domain_lut(path: Path, *, max_bytes: int | None = _MAX_BYTES) -> NDArray[Any]:
    """Read a table over all halves from a Common LUT Format file.

    Parameters
    ----------
    path : str or path
        The file: a single LUT1D whose ``halfDomain`` is true, from any program.
    max_bytes : int or None, optional
        The most bytes that the file may have: 2**24 by default, five times a table's size.
        None: any number.

    Returns
    -------
    half or float32 array of shape (65536,) or (65536, 3)
        The result for each half, by its bits: ``table[hc.as_ushort(x)]``. Half if the file says
        ``rawHalfs``, or ``16f`` for its output; float32 if it says ``32f``. The shape is
        (65536, 3) if red, green and blue have a table each.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is not a Common LUT Format file, holds other steps than one such table, or has too
        few or too many values, or values that are not numbers; if it has more than ``max_bytes``,
        or that is below 1.
    TypeError
        If ``max_bytes`` is not an int.

    See Also
    --------
    write_half_domain_lut

    Notes
    -----
    Accuracy: integers of ``rawHalfs`` are exact; decimals are rounded once, to nearest even.
    Source: Academy/ASC Common LUT Format 3.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, halfcl as hc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hc.io.write_half_domain_lut(f"{folder}/half.clf", lambda x: x / 2)
    ...     table = hc.io.read_half_domain_lut(f"{folder}/half.clf")
    >>> table[np.array([1, 3], hc.half).view(np.uint16)]
    array([0.5, 1.5], dtype=half)
    """
    name = as_text(path)
    data = read_bytes(path, check_limit("max_bytes", max_bytes), "max_bytes")
    try:
        process = ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise ValueError(f"path: expected a CLF file, got {name!r}: {error}") from error
    steps = [step for step in process if _tag(step) not in _COMMENTS]
    if _tag(process) != "ProcessList" or [_tag(step) for step in steps] != ["LUT1D"]:
        names = ", ".join(map(_tag, steps)) or "none"
        raise ValueError(f"path: expected a CLF file of one LUT1D, got {name!r}: {names}")
    lut = steps[0]
    depth = lut.get("outBitDepth", "")
    raw = lut.get("rawHalfs", "").lower() == "true"
    arrays = [child for child in lut if _tag(child) == "Array"]
    if lut.get("halfDomain", "").lower() != "true" or len(arrays) != 1:
        raise ValueError(f"path: expected a LUT1D with halfDomain='true', got {lut.attrib}")
    if depth not in ("16f", "32f"):
        raise ValueError(f"path: expected outBitDepth 16f or 32f, got {depth!r}")
    columns = {f"{_SIZE} 1": 1, f"{_SIZE} 3": 3}.get(" ".join(arrays[0].get("dim", "").split()))
    words = (arrays[0].text or "").split()
    if columns is None or len(words) != _SIZE * columns:
        raise ValueError(
            f"path: expected 65536 or 3 times 65536 values, got {len(words)} and dim ="
            f" {arrays[0].get('dim')!r}"
        )
    table = _values(words, raw, depth)
    return table if columns == 1 else table.reshape(_SIZE, columns)


_COMMENTS = frozenset({"Description", "InputDescriptor", "OutputDescriptor", "Info"})


def _tag(element: ElementTree.Element) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _values(words: list[str], raw: bool, depth: str) -> NDArray[Any]:
    """Parse a table's numbers."""
    try:
        if raw:
            bits = np.array(list(map(int, words)))
            if bits.min() < 0 or bits.max() >= _SIZE:
                raise ValueError("integers of 16 bits")
            return bits.astype(np.uint16).view(half)
        values = np.array(words, np.float64)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"path: expected numbers in Array: {error}") from error
    with np.errstate(all="ignore"):
        return np.asarray(convert(values, half if depth == "16f" else np.float32, rounding="rte"))
