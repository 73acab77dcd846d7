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
    """

    before: str = ""  #: text before the kernel
    first: str  #: expression of i
    count: str  #: expression of m
    variable: str  #: declaration of a variable for eight elements
    element: str  #: its element k
    load: str  #: statement that copies eight elements to the variable
    store: str  #: statement that copies them back
    within: str  #: the index k, limited to the elements that there are


@dataclass(frozen=True, kw_only=True)
class ProgramWords:
    """The words and preludes of programs that are generated from a tree, as C++."""

    #: Text in front of the preludes, which defines HCL_HALF: a half by its bits, as a constant.
    #: HCL_NO_HALF_OPERATORS says that halves have no comparisons.
    head: str
    preludes: tuple[str, ...]  #: files with OpenCL C's vocabulary, in order
    optional: Mapping[str, tuple[str, ...]]  #: more files, by the word whose use needs them
    local: str  #: declaration of hc_local, a work-group's memory whose size a launch sets
    function: str  #: start of a function's declaration
    kernel: str  #: start of a kernel's
    table: str  #: start of a constant table's
    variable: str  #: start of a variable of program scope
    shared: str  #: start of a variable's that a work-group shares
    barrier: str  #: expression that waits for all of a work-group
    fence: str  #: expression that orders a work-item's accesses to memory
    bounds: str  #: template of the words for kernels that need work-groups of {items} work-items
    reserved: frozenset[str]  #: names besides C++'s that programs cannot use


@dataclass(frozen=True, kw_only=True, eq=False)
class Dialect(ABC):
    """A language for devices: its words, its preludes, and how it writes functions.

    Files are those in device/preludes. docs/project/add_a_dialect.md shows how to add one.
    """

    name: str  #: as an argument names the language
    title: str  #: as prose does
    types: Mapping[str, str]  #: by NumPy's letters; "e" is half, "?" what predicates return

    # Functions.
    head: str  #: text at the very start: what is included or enabled
    prelude: str  #: file that defines the words of kernels.h
    #: Files with functions for which devices have instructions, and the preprocessor's condition
    #: for their use; "" is always.
    natives: Mapping[str, str]
    definitions: str  #: definitions of hc_half, its vectors, HCI_BITS and HCI_HALF
    end: str = ""  #: text behind all functions
    note: str = ""  #: more lines for the comment at the start
    in_bits: Dialect | None = None  #: variant for devices without halves, in which they are bits

    # Kernels over arrays.
    kernel: str  #: start of a kernel's declaration
    space: str = ""  #: start of the type of a pointer to global memory
    item: str  #: index of the work-item
    truth: str  #: type of truths in arrays
    offset: str = ""  #: template of an array's second parameter, its offset
    start: str = ""  #: template of the statement that adds it
    packs: Packs  #: templates of wide kernels
    reductions: tuple[str, ...]  #: files that define the words of preludes/reductions
    reduction_kernel: str = ""  #: what replaces HCR_KERNEL there, if no file defines it
    reduces_short_rows: bool = False  #: whether it has what preludes/reductions/short_rows.h needs

    #: Words of generated programs; None if translations keep their author's text.
    program: ProgramWords | None = None

    @abstractmethod
    def bodies(self, form: Form) -> list[str]:
        """Return a form's functions, in terms of a macro's parameters name, f and mode."""

    def called_bodies(self, form: Form) -> list[str]:
        """Return a form's functions as calls that compilers do not inline, if they can."""
        return self.bodies(form)

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

    def variant(self, fp16: bool) -> Dialect:
        """Return the dialect, or its variant in which halves are their bits if it has one."""
        return self if fp16 or self.in_bits is None else self.in_bits

    def array_type(self, letter: str) -> str:
        """Return the type of an array's elements."""
        return self.truth if letter == "?" else self.types[letter]
