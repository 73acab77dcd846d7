"""Numbers in translations: conversions, and constants with their values."""
