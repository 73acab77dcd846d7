"""The page that takes a half apart, in a real browser: it says what `hc.show` prints."""

import html
import json
import random
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from browser import dump_page, needs_chromium
from exhaustive import one_in
from places import ROOT

import halfcl as hc
from halfcl._anatomy import anatomy

pytestmark = pytest.mark.once

PAGE = ROOT / "docs" / "explanation" / "anatomy.md"
SCRIPT = ROOT / "docs" / "_static" / "anatomy.js"

SPECIAL = (
    "0", "-0", "+0.0", "0.1", "1e-7", "70000", "0x1p-3", "nan", "-nan", "NaN", "inf", "-Infinity",
    "0.1h", "1_000", ".5e1", "1.", "0X1.8P3", "0x.8", "0xap-3h", " 0.1 ",
    "2049", "2051", "65504", "65519.99", "65520", "-65520", "6.1e-5", "5e-8", "0x1p-24", "0x1p-25",
    "2.98023223876953125e-8", "2.98023223876953126e-8", "-2.98023223876953124e-8",
    "1e5000", "-1e-5000", "1e308", "0x1p1024", "0x1p-1074", "0x1p-1075", "2.4e-324", "1e-330",
    "1" * 33, "0." + "9" * 60, "0.00001", "0.0001", "0.00010625",
)  # fmt: skip

REFUSED = ("", "0x", "1e", ".", "nan(0x1)", "infh", "1 2", "0.1f", "1__0", "_1", "0x_1", "--1")


def drawn_texts(count):
    """Return texts of numbers of all sizes, many of them halves or midpoints between halves."""
    draw = random.Random(48)
    for _ in range(count):
        sign = draw.choice(["", "-", "+"])
        near = Fraction(draw.randrange(1 << 13), 1 << draw.randrange(28))
        digits = draw.randrange(10 ** draw.randrange(1, 25))
        yield from (
            repr(draw.uniform(-7e4, 7e4)),
            f"{sign}{Decimal(near.numerator) / near.denominator:f}",
            f"{sign}{digits}e{draw.randrange(-40, 20)}",
            f"{sign}{digits}.{digits}e{draw.randrange(-360, 340)}",
            f"{sign}0x{digits:x}.{digits % 7919:x}p{draw.randrange(-120, 20)}",
        )


def half_of(bits):
    return np.array([bits], np.uint16).view(hc.half)[0]


def of_text(number, text):
    """Return a number's lines as if it had been given as a text."""
    return replace(anatomy(number), text=text).lines()


def expected_lines():
    """Return the library's lines of each text that the page reads."""
    texts = (*SPECIAL, *drawn_texts(300))
    lines = {text: of_text(text, anatomy(text.strip()).text) for text in texts}
    for bits in (*range(0, 65536, 61), 0x7BFF, 0x7C00, 0x7C01, 0x7DFF, 0x7E00, 0xFFFF):
        text = f"0x{bits:04x} bits"
        lines[text] = of_text(half_of(bits), text)
    for base, power in ((2, -25), (2, -24), (3, 5), (10, -8), (7, -3), (2, 1000), (2, -1080)):
        for sign, number in (("", 1), ("-", -1)):
            text = f"{sign}{base}**{power}"
            lines[text] = of_text(number * Fraction(base) ** power, text)
    for top, bottom in ((1, 3), (-22, 7), (1, 10**9), (3 * 65520, 3)):
        lines[f"{top}/{bottom}"] = of_text(Fraction(top, bottom), f"{top}/{bottom}")
    return lines


# What a reader does, and what the page shows after each step.
STEPS = """
const root = document.querySelector(".half-anatomy");
const field = root.querySelector("input");
const shown = () => ({
    text: field.value, stale: root.classList.contains("stale"),
    bits: [...root.querySelectorAll("[data-bit]")].map((bit) => bit.textContent).join(""),
    pressed: [...root.querySelectorAll("[aria-pressed=true]")].length,
    rows: [...root.querySelectorAll("tr")].map((row) => row.innerText.split("\\t")),
    ...Object.fromEntries(["text", "value", "error", "hexadecimal", "formula", "message"].map(
        (name) => [name, root.querySelector(`[data-part=${name}]`).textContent])),
});
const enter = (text) => { field.value = text; field.dispatchEvent(new Event("input")); };
const press = (bit) => root.querySelectorAll("[data-bit]")[bit].click();
const states = [shown()];
for (const step of [
    () => enter("1e-7"), () => press(15), () => press(0), () => enter("1e"), () => press(1),
    () => press(15),
    () => [...root.querySelectorAll("[data-example]")].find((b) => b.textContent == "nan").click(),
]) { step(); states.push(shown()); }
"""


def interactive_block():
    """Return the interactive part of the page, with the address of its script."""
    (block,) = re.findall(r"```\{raw\} html\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert f'<script src="../_static/{SCRIPT.name}" defer></script>' in block
    return block.replace("../_static/anatomy.js", SCRIPT.as_uri())


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return what the page's script answers in Chromium: lines, refusals, states of the page."""
    folder = tmp_path_factory.mktemp("anatomy")
    texts = json.dumps([list(expected_lines()), REFUSED])
    (folder / "page.html").write_text(
        f"""<!doctype html><meta charset="utf-8">{interactive_block()}<pre id="answers"></pre>
        <script defer>
        addEventListener("DOMContentLoaded", () => {{
            const answer = (text) => {{
                try {{ return halfAnatomy.lines(text); }} catch (error) {{ return error.message; }}
            }};
            {STEPS}
            const [read, refused] = {texts};
            document.querySelector("#answers").textContent = JSON.stringify(
                {{lines: read.map(answer), refusals: refused.map(answer), states}});
        }})</script>""",
        encoding="utf-8",
    )
    dumped = dump_page(folder / "page.html")
    (answer,) = re.findall(r'<pre id="answers">(.*?)</pre>', dumped, re.DOTALL)
    return json.loads(html.unescape(answer))


@needs_chromium
def test_page_says_what_the_library_prints(answers):
    expected = expected_lines()
    differing = {
        text: (answer, lines)
        for (text, lines), answer in zip(expected.items(), answers["lines"], strict=True)
        if answer != lines
    }
    assert not differing
    assert len(expected) > 2500


@needs_chromium
def test_page_refuses_what_the_library_refuses(answers):
    for text, answer in zip(REFUSED, answers["refusals"], strict=True):
        with pytest.raises(ValueError, match="could not convert"):
            anatomy(text)
        assert answer == f"“{text}” is not a number"


def in_ascii(formula):
    return formula.replace("\N{MINUS SIGN}", "-").replace("\N{MULTIPLICATION SIGN}", "*")


@needs_chromium
def test_reader_types_and_presses_bits(answers):
    start, small, odd, negative, refused, after, cleared, nan = answers["states"]
    assert (start["text"], start["hexadecimal"]) == ("0.1", "0x2e66")
    assert start["bits"] == "0010111001100110" and start["pressed"] == 8
    assert in_ascii(start["formula"]) == ": 211 - 15 * (1 + 614/1024)"  # the power is raised
    assert small["value"] == "0.00000011920928955078125 = 0x0.008p-14, subnormal"
    assert small["rows"][0] == ["below", "0.000000059604644775390625", "(-4.04e-08)"]
    assert [row[0] for row in small["rows"]] == ["below", "above", *hc.MODES]
    assert in_ascii(small["formula"]) == ": 2-14 * (0 + 2/1024)"
    assert (odd["text"], odd["bits"]) == ("0x0003 bits", "0000000000000011")
    assert (negative["hexadecimal"], negative["bits"][0]) == ("0x8003", "1")
    assert in_ascii(negative["formula"]) == ": -2-14 * (0 + 3/1024)"
    assert refused["stale"] and "“1e”" in refused["message"]
    assert refused["bits"] == negative["bits"]  # the last number stays
    assert (after["text"], after["stale"], after["message"]) == ("0xc003 bits", False, "")
    assert cleared["text"] == "0xc002 bits"
    assert nan["value"] == "a quiet NaN, payload 0x0" and nan["rows"] == []
    assert not nan["error"] and not nan["formula"]


@one_in(2)
@needs_chromium
@pytest.mark.parametrize(
    ("query", "bits"), [("?number=2049", "0x6800"), ("?number=-1%2F3", "0xb555")]
)
def test_address_opens_the_page_with_a_number(query, bits, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(f'<!doctype html><meta charset="utf-8">{interactive_block()}', encoding="utf-8")
    dumped = dump_page(page, query=query)
    assert f'<code data-part="hexadecimal">{bits}</code>' in dumped
