"""Plots of halves in a line: errors, spacing, rounding modes, number lines, enclosures.

Each function draws with matplotlib, which the extra ``plot`` installs, and returns the Axes.

>>> from halfcl import plots
>>> ax = plots.number_line(0.1)
>>> ax.get_title(loc="left")
'off by -2.44e-05, 0.4 ulp; an ulp is 2**-14 = 6.1e-05'
"""

from halfcl._support.names import publish
from halfcl.plots._boxes import boxes
from halfcl.plots._errors import errors
from halfcl.plots._lines import number_line
from halfcl.plots._modes import modes
from halfcl.plots._spacing import spacing

__all__ = ["boxes", "errors", "modes", "number_line", "spacing"]

publish(globals())
