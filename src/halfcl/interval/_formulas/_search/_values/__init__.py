"""Where formulas have values that matter: points, and sets at which parts of them are critical."""
