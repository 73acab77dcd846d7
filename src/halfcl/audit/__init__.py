"""How wrong anybody's half functions are: every result beside the right one.

`run` audits a library by name, or a callable; `known_targets` says which it knows.

>>> from halfcl import audit
>>> report = audit.run("numpy", ["sqrt"])
>>> report["sqrt"].tested, report["sqrt"].wrong
(65536, 0)
"""

from __future__ import annotations

from halfcl._support.names import publish
from halfcl.audit._report import (
    Case,
    Change,
    FunctionReport,
    ReductionReport,
    Report,
    ReportError,
    TargetInfo,
)
from halfcl.audit._running import run
from halfcl.audit._targets import known_targets
from halfcl.audit._targets.base import (
    Call,
    Conversion,
    NothingMore,
    Reducing,
    Target,
    TargetError,
    UnsupportedError,
)
from halfcl.audit._targets.callables import CallablesTarget

__all__ = [
    "Call",
    "CallablesTarget",
    "Case",
    "Change",
    "Conversion",
    "FunctionReport",
    "NothingMore",
    "Reducing",
    "ReductionReport",
    "Report",
    "ReportError",
    "Target",
    "TargetError",
    "TargetInfo",
    "UnsupportedError",
    "known_targets",
    "run",
]

publish(globals())
