/* The parts of one half, as `hc.show` prints them. Numbers are exact fractions of BigInts, so that
   every digit and every rounding is the library's: tests/project/test_anatomy_page.py compares. */
"use strict";

const halfAnatomy = (() => {
  const MODES = ["rte", "rtz", "rtp", "rtn"];
  const FIELDS = [["sign", 0, 1], ["exponent", 1, 6], ["significand", 6, 16]];
  const HALF = { bits: 11, least: -24 };  // the significand's bits, and the exponent of the last one
  const DOUBLE = { bits: 53, least: -1074 };
  const SIGN = 0x8000, INFINITY = 0x7c00, QUIET = 0x200, LARGEST = 0x7bff;
  const MOST_EXPONENT = 9999;  // keeps the integers short enough to answer at once
  const LONGEST_TEXT = 32;

  // ---------------------------------------------------------------- reading

  const BITS = /^0x([0-9a-f]{1,4})\s+bits$/i;
  const SPECIAL = /^([+-]?)(?:(inf|infinity)|nan)$/i;
  const POWER = /^([+-]?)(\d{1,17})\s*\*\*\s*([+-]?\d+)$/;
  const QUOTIENT = /^([+-]?)(\d+)\s*\/\s*(\d+)$/;
  const HEXADECIMAL = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?h?$/i;
  const DECIMAL = /^([+-]?)(\d+(?:_\d+)*)?\.?(\d+(?:_\d+)*)?(?:e([+-]?\d+(?:_\d+)*))?(h?)$/i;

  /* The number that a text spells: {negative, top, bottom}, {negative, infinite}, or {bits}. */
  function read(text) {
    let match;
    if ((match = BITS.exec(text))) return ofBits(parseInt(match[1], 16));
    if ((match = SPECIAL.exec(text))) {
      const negative = match[1] === "-";
      return match[2] ? { negative, infinite: true }
        : { bits: (negative ? SIGN : 0) | INFINITY | QUIET };
    }
    if ((match = POWER.exec(text)))
      return scale(match[1], 1n, BigInt(match[2]), exponentOf(match[3]));
    if ((match = QUOTIENT.exec(text)) && BigInt(match[3]) > 0n)
      return { negative: match[1] === "-", top: BigInt(match[2]), bottom: BigInt(match[3]) };
    if ((match = HEXADECIMAL.exec(text)) && match[2] + match[3])
      return scale(match[1], BigInt("0x" + match[2] + match[3]), 2n,
                   exponentOf(match[4]) - 4 * match[3].length);
    if ((match = DECIMAL.exec(text)) && (match[2] || match[3]) && !(match[5] && text.includes("_"))) {
      const [, sign, whole = "", part = "", exponent] = match.map((each) => each?.replaceAll("_", ""));
      return scale(sign, BigInt(whole + part), 10n, exponentOf(exponent) - part.length);
    }
    throw new Error(`“${text}” is not a number`);
  }

  function exponentOf(digits) {
    const exponent = Number(digits ?? 0);
    if (Math.abs(exponent) > MOST_EXPONENT)
      throw new Error(`this page takes exponents up to ${MOST_EXPONENT}; hc.show takes any`);
    return exponent;
  }

  function scale(sign, significand, base, exponent) {
    if (base === 0n && exponent < 0) throw new Error("0 has no negative powers");
    const power = base ** BigInt(Math.abs(exponent));
    return { negative: sign === "-", top: exponent < 0 ? significand : significand * power,
             bottom: exponent < 0 ? power : 1n };
  }

  /* The number that a half is. */
  function ofBits(bits) {
    const negative = bits >= SIGN, magnitude = bits & ~SIGN;
    if (magnitude > INFINITY) return { bits };
    if (magnitude === INFINITY) return { negative, infinite: true };
    const biased = magnitude >> 10;
    const significand = BigInt((magnitude & 0x3ff) | (biased ? 0x400 : 0));
    return scale(negative ? "-" : "", significand, 2n, Math.max(biased, 1) - 25);
  }

  // ---------------------------------------------------------------- rounding

  const bitLength = (integer) => integer.toString(2).length;

  /* A positive fraction rounded to a format with unbounded range: {significand, exponent} of 2. */
  function round({ top, bottom, negative }, format, mode) {
    let size = bitLength(top) - bitLength(bottom);
    if (isLess(top, bottom, size)) size -= 1;  // 2**size <= top / bottom < 2**(size + 1)
    const exponent = Math.max(size + 1 - format.bits, format.least);
    const shift = BigInt(Math.abs(exponent));
    if (exponent < 0) top <<= shift;
    else bottom <<= shift;
    let significand = top / bottom;
    const rest = top % bottom;
    const up = {
      rte: 2n * rest > bottom || (2n * rest === bottom && significand % 2n === 1n),
      rtz: false, rtp: rest > 0n && !negative, rtn: rest > 0n && negative,
    }[mode];
    if (up) significand += 1n;
    return { significand, exponent };
  }

  const isLess = (top, bottom, size) =>
    size < 0 ? top << BigInt(-size) < bottom : top < bottom << BigInt(size);

  /* The bits of the half that a mode makes of a number. */
  function toHalf(number, mode) {
    if (number.bits !== undefined) return number.bits;
    const sign = number.negative ? SIGN : 0;
    if (number.infinite) return sign | INFINITY;
    if (number.top === 0n) return sign;
    const { significand, exponent } = round(number, HALF, mode);
    // A significand that is carried to the next power of 2 carries into the exponent, too.
    const magnitude = ((exponent - HALF.least) << 10) + Number(significand);
    if (magnitude < INFINITY) return sign | magnitude;
    const staysFinite = { rte: false, rtz: true, rtp: number.negative, rtn: !number.negative }[mode];
    return sign | (staysFinite ? LARGEST : INFINITY);
  }

  // ---------------------------------------------------------------- writing

  /* A half's exact value in decimal digits, without an exponent. */
  function decimalText(bits) {
    const { negative, top, bottom, infinite } = ofBits(bits);
    const sign = negative ? "-" : "";
    if (infinite) return `${sign}inf`;
    const places = bitLength(bottom) - 1;
    const digits = (top * 5n ** BigInt(places)).toString().padStart(places + 1, "0");
    if (!places) return sign + digits;
    const point = digits.length - places;
    return sign + `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, "");
  }

  function hexadecimalText(bits) {
    const sign = bits >= SIGN ? "-" : "", biased = (bits >> 10) & 0x1f, part = bits & 0x3ff;
    if (!biased && !part) return `${sign}0x0.0p+0`;
    const exponent = Math.max(biased, 1) - 15;
    const digits = (part << 2).toString(16).padStart(3, "0");
    return `${sign}0x${biased ? 1 : 0}.${digits}p${exponent < 0 ? "" : "+"}${exponent}`;
  }

  const hexadecimal = (bits, digits = 0) => "0x" + bits.toString(16).padStart(digits, "0");

  /* A fraction to so many digits, as Python's format writes the double next to it ("g"); beyond
     doubles as it writes a Decimal ("e"). */
  function briefly(fraction, digits, plus = "") {
    const sign = fraction.negative ? "-" : plus;
    if (fraction.top === 0n) return `${sign}0`;
    const { significand, exponent } = round(fraction, DOUBLE, "rte");
    const isBeyond = significand === 0n || bitLength(significand) + exponent > 1024;
    const double = isBeyond ? fraction : scale(sign, significand, 2n, exponent);
    const [figures, power] = leadingDigits(double, digits);
    const short = isBeyond ? figures : figures.replace(/0+$/, "");
    if (isBeyond || power < -4 || power >= digits) {
      const point = short.length > 1 ? "." : "";
      const size = String(Math.abs(power)).padStart(2, "0");
      return `${sign}${short[0]}${point}${short.slice(1)}e${power < 0 ? "-" : "+"}${size}`;
    }
    if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${short}`;
    const whole = figures.slice(0, power + 1), part = short.slice(power + 1);
    return sign + whole + (part ? `.${part}` : "");
  }

  /* The first digits of a positive fraction, rounded to nearest even, and the first one's power of 10. */
  function leadingDigits({ top, bottom }, digits) {
    let power = top.toString().length - bottom.toString().length;
    if (top * tenTo(-power) < bottom * tenTo(power)) power -= 1;
    const places = digits - 1 - power;
    const above = top * tenTo(places), below = bottom * tenTo(-places);
    let figures = above / below;
    const rest = 2n * (above % below);
    if (rest > below || (rest === below && figures % 2n === 1n)) figures += 1n;
    const text = figures.toString();
    return text.length > digits ? [text.slice(0, digits), power + 1] : [text, power];
  }

  const tenTo = (power) => 10n ** BigInt(Math.max(power, 0));

  /* A half minus the number. */
  function difference(bits, number) {
    const half = ofBits(bits);
    const signed = ({ negative, top }) => (negative ? -top : top);
    const top = signed(half) * number.bottom - signed(number) * half.bottom;
    return { negative: top < 0n, top: top < 0n ? -top : top, bottom: half.bottom * number.bottom };
  }

  // ---------------------------------------------------------------- the parts

  const isFinite = (bits) => (bits & INFINITY) !== INFINITY;

  function neighbours(bits) {
    const towards = (sign) => {
      if (!(bits & ~SIGN)) return sign | 1;
      return (bits & SIGN) === sign ? bits + 1 : bits - 1;
    };
    const isEnd = (sign) => bits === (sign | INFINITY);
    return { ...(isEnd(SIGN) ? {} : { below: towards(SIGN) }), ...(isEnd(0) ? {} : { above: towards(0) }) };
  }

  function kindOf(bits) {
    const exponent = bits & INFINITY, significand = bits & 0x3ff;
    if (!exponent) return significand ? "subnormal" : "zero";
    if (exponent !== INFINITY) return "normal";
    return significand ? "NaN" : "infinity";
  }

  /* All that `hc.show` says of a text, and what it says it of. */
  function describe(input) {
    const text = input.trim();
    const number = read(text);
    const rounded = Object.fromEntries(MODES.map((mode) => [mode, toHalf(number, mode)]));
    const bits = rounded.rte, kind = kindOf(bits);
    const halves = kind === "NaN" ? {} : { ...neighbours(bits), ...rounded };
    const around = Object.entries(halves).map(([name, half]) => {
      const far = number.infinite || !isFinite(half) ? ""
        : ` (${briefly(difference(half, number), 3, "+")})`;
      return { name, value: decimalText(half), far };
    });
    const digits = bits.toString(2).padStart(16, "0");
    const fields = FIELDS.map(([, from, to]) => digits.slice(from, to));
    const error = kind === "NaN" ? "" : errorText(number, rounded, kind);
    return { text: shorten(text), bits, fields, value: valueText(bits, kind), error, around };
  }

  function valueText(bits, kind) {
    if (kind === "NaN") {
      const name = bits & QUIET ? "quiet" : "signalling";
      return `a ${name} NaN, payload ${hexadecimal(bits & 0x1ff)}`;
    }
    if (kind === "infinity") return decimalText(bits);
    const rare = kind === "subnormal" ? ", subnormal" : "";
    return `${decimalText(bits)} = ${hexadecimalText(bits)}${rare}`;
  }

  function errorText(number, rounded, kind) {
    const isExact = rounded.rtn === rounded.rtp;
    if (kind === "infinity") return isExact ? "exact" : "beyond the largest half, 65504";
    const power = Math.max((rounded.rte & INFINITY) >> 10, 1) - 25;
    const ulp = scale("", 1n, 2n, power);
    const size = `an ulp is 2**${power} = ${briefly(ulp, 2)}`;
    if (isExact) return `exact; ${size}`;
    const error = difference(rounded.rte, number);
    const ulps = { negative: false, top: error.top * ulp.bottom, bottom: error.bottom * ulp.top };
    return `off by ${briefly(error, 3, "+")}, ${briefly(ulps, 2)} ulp; ${size}`;
  }

  function shorten(text) {
    const end = LONGEST_TEXT / 2;
    return text.length <= LONGEST_TEXT ? text : `${text.slice(0, end)}...${text.slice(-end)}`;
  }

  /* The lines that `hc.show` prints. */
  function lines(input) {
    const parts = describe(input);
    const first = `${parts.text} as a half: ${parts.value}     ` +
      `bits ${parts.fields.join(" ")} = ${hexadecimal(parts.bits, 4)}`;
    if (!parts.error) return [first];
    const [modes, sides] = [true, false].map((isMode) =>
      parts.around.filter(({ name }) => MODES.includes(name) === isMode));
    return [
      first, parts.error,
      sides.map(({ name, value, far }) => `${name} ${value}${far}`).join("   "),
      modes.map(({ name, value }) => `${name} ${value}`).join("   "),
    ];
  }

  /* How the bits give the value, as a formula; empty for infinities and NaNs. */
  function formula(bits) {
    if (!isFinite(bits)) return "";
    const biased = (bits >> 10) & 0x1f, part = bits & 0x3ff;
    const power = biased ? `${biased} − 15` : "−14";
    return `: ${bits >= SIGN ? "−" : ""}2<sup>${power}</sup> × ` +
      `${biased ? "1" : "0"}${part ? ` + ${part}/1024` : ""}`.replace(/^(.* .*)$/, "($1)");
  }

  return { describe, formula, lines };
})();

// ---------------------------------------------------------------- the page

(() => {
  const part = (name) => document.querySelector(`.half-anatomy [data-part="${name}"]`);
  const root = document.querySelector(".half-anatomy");
  if (!root) return;
  const field = root.querySelector("input");
  let bits = 0;

  function element(name, text, attributes = {}) {
    const created = Object.assign(document.createElement(name), attributes);
    created.textContent = text;
    return created;
  }

  function show() {
    let parts;
    try {
      parts = halfAnatomy.describe(field.value);
    } catch (error) {
      part("message").textContent = field.value.trim() ? error.message : "type a number";
      root.classList.add("stale");
      return;
    }
    root.classList.remove("stale");
    bits = parts.bits;
    part("message").textContent = "";
    part("hexadecimal").textContent = `0x${bits.toString(16).padStart(4, "0")}`;
    part("text").textContent = parts.text;
    part("value").textContent = parts.value;
    part("formula").innerHTML = halfAnatomy.formula(bits);
    part("error").textContent = parts.error;
    part("around").replaceChildren(...parts.around.map(({ name, value, far }) => {
      const row = element("tr", "");
      row.append(element("th", name, { scope: "row" }), element("td", value), element("td", far));
      return row;
    }));
    const digits = parts.fields.join("");
    root.querySelectorAll("[data-bit]").forEach((button) => {
      const isSet = digits[button.dataset.bit] === "1";
      button.textContent = Number(isSet);
      button.setAttribute("aria-pressed", isSet);
    });
  }

  function enter(text) {
    field.value = text;
    show();
  }

  let position = 0;
  for (const [name, width] of [["sign", 1], ["exponent", 5], ["significand", 10]]) {
    const group = element("span", "", { className: name });
    const row = element("span", "");
    for (let k = 0; k < width; k += 1, position += 1) {
      const button = element("button", "0", { type: "button" });
      const mask = 0x8000 >> position;
      button.dataset.bit = position;
      button.setAttribute("aria-label", `${name}, bit ${15 - position}`);
      button.addEventListener("click", () =>
        enter(`0x${(bits ^ mask).toString(16).padStart(4, "0")} bits`));
      row.append(button);
    }
    group.append(row, element("small", name));
    part("bits").append(group);
  }
  root.querySelectorAll("[data-example]").forEach((button) =>
    button.addEventListener("click", () => enter(button.textContent)));
  field.addEventListener("input", show);
  // An address that ends in ?number=2049 opens the page with this number.
  field.value = new URLSearchParams(location.search).get("number") ?? field.value;
  show();
})();
