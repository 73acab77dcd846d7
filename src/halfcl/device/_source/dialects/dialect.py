"""The record of a dialect: a language that the compilers of devices read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halfcl.device._source.catalogue import Form
from halfcl.device._source.declarations import Declaration


@dataclass(frozen=True, kw_only=True)
class Packs:
    """Templates for eight elements at a time, which wide kernels read and write.

    {type} and {name} are an array's; i is the first element's index, and m the number of elements
    if they are fewer.

    Attributes
    ----------
    before : str
        What stands before the kernel.
    first, count : str
        Expressions for i and m.
    variable, element : str
        The declaration of a variable for eight elements, and its element k.
    load, store : str
        Statements that copy eight elements to the variable, and back.
    within : str
        The index k, limited to the elements that there are.
    """

    before: str = ""
    first: str
    count: str
    variable: str
    element: str
    load: str
    store: str
    within: str


@dataclass(frozen=True, kw_only=True)
class ProgramWords:
    """The words and preludes of programs that are generated from a tree, as C++.

    Attributes
    ----------
    head : str
        Text in front of the preludes, which defines HCL_HALF: a half by its bits, as a constant.
        HCL_NO_HALF_OPERATORS says that halves have no comparisons.
    preludes : tuple of str
        The files with OpenCL C's vocabulary, in order.
    optional : mapping of str to tuple of str
        More files, by the word whose use needs them.
    local : str
        The declaration of `hc_local`, the memory of a work-group whose size a launch sets.
    function, kernel, table, shared : str
        What stands before a function, a kernel, a constant table, and a variable that a work-group
        shares.
    bounds : str
        Template of the words for kernels that need work-groups of {items} work-items.
    reserved : frozenset of str
        Names that the language has besides C++, so that programs cannot use them.
    """

    head: str
    preludes: tuple[str, ...]
    optional: Mapping[str, tuple[str, ...]]
    local: str
    function: str
    kernel: str
    table: str
    shared: str
    bounds: str
    reserved: frozenset[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Dialect(ABC):
    """A language for devices: its words, its preludes, and how it writes functions.

    Files are those in device/preludes. docs/project/add_a_dialect.md shows how to add one.

    Attributes
    ----------
    name, title : str
        The language as an argument names it, and as prose does.
    types : mapping of str to str
        The types of numbers by NumPy's letters; "e" is half, "?" what predicates return.
    head : str
        Text at the very start: what is included or enabled.
    prelude : str
        The file that defines the words of kernels.h.
    natives : mapping of str to str
        Files with functions for which devices have instructions, and the preprocessor's condition
        for their use; "" is always.
    definitions, end : str
        The definitions of hc_half, of its vectors, and of HCI_BITS and HCI_HALF; and the text
        behind all functions.
    note : str
        More lines for the comment at the start.
    in_bits : Dialect or None
        The variant in which halves are their bits, for devices without halves.
    kernel, space : str
        The start of a kernel's declaration, and of a pointer to global memory.
    item : str
        The index of the work-item.
    truth : str
        The type of truths in arrays.
    offset, start : str
        If arrays have an offset, templates of its parameter and of the statement that adds it.
    packs : Packs
        Templates for wide kernels.
    reductions : tuple of str
        The files that define the words of preludes/reductions.
    reduction_kernel : str
        What replaces HCR_KERNEL there; "" if the files define it.
    sums_short_rows : bool
        Whether it has what preludes/reductions/short_rows.h needs.
    program : ProgramWords or None
        The words of generated programs; None if translations keep their author's text.
    """

    name: str
    title: str
    types: Mapping[str, str]
    head: str
    prelude: str
    natives: Mapping[str, str]
    definitions: str
    end: str = ""
    note: str = ""
    in_bits: Dialect | None = None
    kernel: str
    space: str = ""
    item: str
    truth: str
    offset: str = ""
    start: str = ""
    packs: Packs
    reductions: tuple[str, ...]
    reduction_kernel: str = ""
    sums_short_rows: bool = False
    program: ProgramWords | None = None

    @abstractmethod
    def bodies(self, form: Form) -> list[str]:
        """Return a form's functions, in terms of a macro's parameters name, f and mode."""

    @abstractmethod
    def guard(self, statements: Sequence[str]) -> list[str]:
        """Return the statements, for work-items that have an element i below n."""

    @abstractmethod
    def load_vector(self, width: int, name: str, is_array: bool) -> tuple[list[str], str]:
        """Return statements that load a vector, and the vector as an argument.

        is_array: whether each work-item has its own.
        """

    @abstractmethod
    def store_vector(self, width: int, call: str) -> list[str]:
        """Return statements that store the vector that a call returns, in r."""

    def variant(self, fp16: bool) -> Dialect:
        """Return the dialect, or its variant in which halves are their bits if it has one."""
        return self if fp16 or self.in_bits is None else self.in_bits

    def macro(self, form: Form) -> str:
        """Return the name of the macro that defines functions of a form."""
        return form.shape

    def is_in_phases(self, form: Form) -> bool:
        """Return whether a function of vectors does more than call the one of scalars."""
        return False

    def own_functions(self) -> tuple[Mapping[str, str], Sequence[Declaration]]:
        """Return other texts of functions, by name, and the declarations that these use.

        See `halfcl.device._source.declarations.collect`.
        """
        return {}, ()

    def array_type(self, letter: str) -> str:
        """Return the type of an array's elements."""
        return self.truth if letter == "?" else self.types[letter]
