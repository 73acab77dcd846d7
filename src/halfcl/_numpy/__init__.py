"""Extension of NumPy: functions beyond ufuncs accept halves, and float16 can be accelerated.

Only `compat` uses private parts of NumPy.
"""
