"""The codes of faults, as `docs/outputs.md` lists them: each fault that a test meets has one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tseval.errors import Fault

LISTED = (Path(__file__).parents[1] / "docs" / "outputs.md").read_text("utf-8")
CODES = frozenset(re.findall(r"^\| `([a-z-]+)` \|", LISTED.partition("## Fault codes")[2], re.M))

_make = Fault.__init__


def checked(fault: Fault, *arguments: Any, **named: Any) -> None:
    """Make a fault, in place of `Fault.__init__`; refuse one with a code that is not listed."""
    _make(fault, *arguments, **named)
    assert fault.code in CODES, f"list the code {fault.code!r} in docs/outputs.md, Fault codes"
