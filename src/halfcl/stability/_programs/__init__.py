"""Kahan's test of whole programs: run unchanged in other roundings, each run in its own process.

`_testing` conducts a test. `_launching` starts a process for each run, in which `_child` runs the
program in a region. There `_scratch` redirects its files, `_protecting` protects those of the user,
`_others` counts the processes that it starts and `_tracing` records its steps. `_supervising` ends
these processes with the run, `_libraries` imports large libraries only once, and `_ending` releases
the program's objects as Python does. The output comes from `_watching`, `_locals`, `_numbers` and
`_figures`; `_comparing` and `_texts` compare it. `_blaming` finds the lines to blame, `_rewriting`
measures better formulas, and `_report` and `_page` present the result.
"""
