"""Kahan's test of whole programs: run unchanged in other roundings, each run in its own process.

`_testing` conducts the test of a program, and `_functions` that of a function.

- `_running`: `launching` starts a process for each run, in which `child` runs the program in a
  region. There `scratch` redirects its files, and `protecting` protects those of the user.
  `supervising` ends all processes of the run, `libraries` imports large libraries only once, and
  `ending` releases the program's objects as Python does. `instrumenting` compiles the program's
  files with changes.
- `_recording` records the output and the steps of a run, and the processes that it starts.
- `_analysis` compares outputs and traces (`results`, `texts`, `traces`), and finds the lines to
  blame (`blaming`).
- `_rewriting` suggests better formulas for these lines, and measures them; `mendings` runs the
  program with them, or with lines in float32.
- `_reporting` presents the report as text and as a page.
"""
