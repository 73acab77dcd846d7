"""Samplers in source text: the bits of CLK_ constants."""

from __future__ import annotations

import halfcl as hc

#: The bits of samplers in source, with the CLK_ values of `preprocessing.header`.
_NORMALIZED = 1
_ADDRESSING = {
    0: hc.addressing_mode.NONE,
    2: hc.addressing_mode.CLAMP_TO_EDGE,
    4: hc.addressing_mode.CLAMP,
    6: hc.addressing_mode.REPEAT,
    8: hc.addressing_mode.MIRRORED_REPEAT,
}
_LINEAR = 0x20
_FILTERS = {0: hc.filter_mode.NEAREST, 0x10: hc.filter_mode.NEAREST, _LINEAR: hc.filter_mode.LINEAR}


def sampler_of(bits: int) -> hc.Sampler:
    """Return the sampler of a constant in source; raise ValueError for invalid bits."""
    addressing, chosen = _ADDRESSING.get(bits & 0xE), _FILTERS.get(bits & ~0xF)
    if addressing is None or chosen is None:
        raise ValueError(f"sampler: expected bits of CLK_ constants, got {bits:#x}")
    return hc.Sampler(bool(bits & _NORMALIZED), addressing, chosen)


def sampler_bits(sampler: hc.Sampler) -> int:
    """Return the bits of a sampler."""
    addressing = next(bits for bits, mode in _ADDRESSING.items() if mode is sampler.addressing_mode)
    return (
        sampler.normalized_coords * _NORMALIZED | addressing | (_LINEAR if sampler.is_linear else 0)
    )
