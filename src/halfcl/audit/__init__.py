"""How wrong anybody's half functions are: every result beside the right one.

`run` audits a library by name, or a callable; `known_targets` says which it knows.

>>> from halfcl import audit
>>> report = audit.run("numpy", ["sqrt"])
>>> report["sqrt"].tested, report["sqrt"].wrong
(65536, 0)
"""

from __future__ import annotations

from halfcl.audit.report import (
    Case,
    Change,
    FunctionReport,
    Report,
    ReportError,
    TargetInfo,
)
from halfcl.audit.running import run
from halfcl.audit.targets import known_targets
from halfcl.audit.targets.base import (
    Call,
    Conversion,
    NothingMore,
    Target,
    TargetError,
    UnsupportedError,
)
from halfcl.audit.targets.callables import CallablesTarget
from halfcl.names import publish

__all__ = [
    "Call",
    "CallablesTarget",
    "Case",
    "Change",
    "Conversion",
    "FunctionReport",
    "NothingMore",
    "Report",
    "ReportError",
    "Target",
    "TargetError",
    "TargetInfo",
    "UnsupportedError",
    "known_targets",
    "run",
]

publish(__name__, map(globals().get, __all__))
