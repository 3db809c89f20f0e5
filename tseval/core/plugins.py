"""What other packages bring along under an entry point, each with who brings it.

`importlib.metadata`, which finds entry points, takes longer to load than to score a small run. So
whether any package writes down the group at all is asked of its files first.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from tseval.errors import PluginWarning, TsevalError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from tseval.core.results import Result

MEASURES = "tseval.measures"
"""A plug-in names a `Definition`, or an iterable of them, under this group."""
FAMILIES = "tseval.families"
"""A plug-in names a `Family` under this group."""

RECORDS = ("dist-info", "egg-info")
"""How folders end in which packages that are installed have their records, in small letters."""


def brought(group: str) -> Iterator[tuple[str, EntryPoint]]:
    """The entry points of this group, by their names; each with its package and version."""
    if not may_be_named(group):
        return
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=group), key=lambda each: each.name):
        dist = point.dist
        yield f"{dist.name} {dist.version}" if dist else point.value, point


def leave_out(package: str, reason: str) -> None:
    """Warn that a plug-in is left out, so that other work can go on."""
    told = f"the plug-in of {package} is left out: {reason}"
    warnings.warn(shorten(told, 150, placeholder=" …"), PluginWarning, stacklevel=3)


def guard(function: Callable[..., Any], package: str, *arguments: Any) -> Result:
    """Call a function of a plug-in; name its package if the function fails."""
    from tseval.core.results import Result  # here, so that the help of tseval loads no numpy

    try:
        result = function(*arguments)
        if not isinstance(result, Result):
            raise TypeError(f"it returns {result!r}, which is not a Result")
        return result
    except TsevalError:
        raise
    except (Exception, SystemExit) as error:
        name = type(error).__name__
        raise TsevalError(f"the plug-in of {package} fails: {name}: {error}") from error


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
