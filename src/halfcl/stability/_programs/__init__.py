"""Kahan's test of whole programs: unchanged, in other roundings, each run a process of its own.

The way of a test: `_launching` starts processes, in which `_child` runs the program in a region,
with its files kept apart (`_scratch`), those of the user protected by the system (`_protecting`),
other programs counted (`_others`), and its steps followed (`_tracing`); all that it has started
ends with it (`_supervising`); large libraries are imported once (`_libraries`), and it ends
as Python ends (`_ending`). What it says (`_watching`, `_locals`, `_numbers`) and draws (`_figures`)
is compared (`_comparing`, `_texts`), guilty lines are found (`_blaming`), better formulas are
measured (`_rewriting`), and all is told (`_report`, `_page`).
"""
