"""What other packages bring along under an entry point, each with who brings it.

`importlib.metadata`, which finds entry points, takes longer to load than to score a small run. So
whether any package writes down the group at all is asked of its files first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from tseval.errors import UsageError

RECORDS = ("dist-info", "egg-info")
"""How folders end in which packages that are installed have their records, in small letters."""


def brought(group: str) -> Iterator[tuple[str, Any]]:
    """What entry points of this group name, in the order of their names; with each, who says so.

    A plug-in that cannot be loaded is a `UsageError`.
    """
    if not may_be_named(group):
        return
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=group), key=lambda each: each.name):
        who = f"the plug-in {point.name} ({point.value})"
        try:
            yield who, point.load()
        except Exception as error:  # a plug-in can fail in any way; its name must be in the message
            raise UsageError(f"{who} fails: {error}") from error


def may_be_named(group: str) -> bool:
    """Whether a package that is installed may name entry points of this group; False is certain."""
    finders = (each for each in sys.meta_path if each is not PathFinder)
    if any(hasattr(each, "find_distributions") for each in finders):
        return True
    return any(_may_hold(place or os.curdir, group.encode()) for place in sys.path)


def _may_hold(place: str, group: bytes) -> bool:
    try:
        with os.scandir(place) as found:
            records = [each.path for each in found if each.name.lower().endswith(RECORDS)]
    except NotADirectoryError:
        return True  # an archive
    except OSError:
        return False
    return any(group in _points(record) for record in records)


def _points(record: str) -> bytes:
    try:
        return Path(record, "entry_points.txt").read_bytes()
    except OSError:
        return b""
