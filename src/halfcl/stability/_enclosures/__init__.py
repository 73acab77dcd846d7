"""Enclosures of the exact results of formulas, by runs on intervals.

`run` runs a formula on intervals. `undecided` has the truths of comparisons that intervals leave
undecided, and what masks of such truths select.
"""
