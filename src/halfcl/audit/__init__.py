"""Audit half functions of any library: compare every result with the correct one.

`run` audits a library by name, or a callable; `known_targets` lists the libraries that it knows.

>>> from halfcl import audit
>>> report = audit.run("numpy", ["sqrt"])
>>> report["sqrt"].tested, report["sqrt"].wrong
(65536, 0)
"""

from halfcl._support.names import publish
from halfcl.audit._records import Case, FunctionReport, ReductionReport, TargetInfo
from halfcl.audit._report import Change, Report, ReportError
from halfcl.audit._running import run
from halfcl.audit._targets import known_targets
from halfcl.audit._targets.base import (
    Call,
    Conversion,
    FunctionTarget,
    ReductionTarget,
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
    "FunctionTarget",
    "ReductionReport",
    "ReductionTarget",
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
