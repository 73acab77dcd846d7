"""Whatever the text, nothing is raised but BuildError, and clang does not crash.

HALFCL_RANDOM_TEXTS=10000 tries that many random texts, from number HALFCL_RANDOM_TEXTS_FIRST on;
see cl_texts.
"""

import os

import cl_texts
import pytest
from exhaustive import either, one_in, shared_out

from halfcl import cl

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

COUNT = int(os.environ.get("HALFCL_RANDOM_TEXTS", either(800, 40)))
FIRST = int(os.environ.get("HALFCL_RANDOM_TEXTS_FIRST", "0"))
TOGETHER = 40
STANDARDS = ("", "-cl-std=CL2.0", "-cl-std=CL3.0", "-Werror", "-cl-std=CL1.0")


def build_both(text, options):
    """Build for `halfcl.check`, too, whose code observes all that is read."""
    program = cl.Program(text, options)
    program._module("rte", checks=True)


WAYS = {
    "Program": build_both,
    "both": lambda text, options: cl.Program(text, options, contract="both"),
    "opencl": lambda text, options: cl.translate(text, options=options),
    "bits": lambda text, options: cl.translate(text, options=options, fp16=False, rounding="rtz"),
    "cuda": lambda text, options: cl.translate(text, "cuda", options=options, contract="always"),
}


def ways_of(number):
    """Return the names of the ways to try: all, or a program, and every second time one other."""
    first, *others = WAYS
    some = (first, others[number // 2 % len(others)]) if number % 2 else (first,)
    return either((first, *others), some)


def outcome(text, options="", ways=tuple(WAYS)):
    """Return whether a text builds; raise AssertionError if one way raises another error."""
    is_built = False
    for name in ways:
        try:
            WAYS[name](text, options)
            is_built = True
        except cl.BuildError as error:
            assert str(error)
            if name == "Program" and "not supported" not in str(error):
                return False  # the others say the same
        except Exception as error:
            raise AssertionError(f"{name}: {error!r} of {text!r}") from error
    return is_built


@shared_out
@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, TOGETHER))
def test_random_texts(first, capfd):
    built = sum(
        outcome(cl_texts.text_of(seed), STANDARDS[seed % len(STANDARDS)], ways_of(seed))
        for seed in range(first, first + TOGETHER)
    )
    assert "libclang" not in capfd.readouterr().err
    assert built > TOGETHER / 8  # or the texts are too broken to tell


@one_in(3)
@shared_out
@pytest.mark.parametrize("index", range(len(cl_texts.ODD)), ids=lambda k: cl_texts.ODD[k])
def test_statement(index, capfd):
    head = cl_texts.HEAD + cl_texts.DECLARATIONS
    variables = f"int4 v0 = (int4)(1); {cl_texts.VARIABLES}"
    body = f"{cl_texts.ODD[index]}\n"
    text = f"{head}kernel void k({cl_texts.PARAMETERS}) {{ {variables} {body} }}"
    outcome(text, ways=ways_of(index))
    assert "libclang" not in capfd.readouterr().err


@one_in(3)
@shared_out
@pytest.mark.parametrize("text", cl_texts.ODD_CHARACTERS, ids=ascii)
def test_characters(text, capfd):
    kernel = "kernel void k(global int *o) { o[0] = 1; }"
    for k, at in enumerate((0, 7, 31, len(kernel))):
        outcome(kernel[:at] + text + kernel[at:], ways=ways_of(k))
    assert "libclang" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "\f", "#pragma\n", "//", "\\\n", "??=define A"], ids=ascii
)
def test_text_without_tokens(text):
    assert outcome(text)
