"""The search for values that matter: at points, and at sets on which parts are critical."""
