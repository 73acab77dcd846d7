"""The drawing code of all plots: axes, scales, clouds of errors, and number lines.

`halfcl.plots`, the reports of `halfcl.stability`, `halfcl.interval` and the site's pictures draw
with these modules, which import matplotlib on use. Colours are those of matplotlib's style in
effect.
"""
