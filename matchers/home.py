"""Paths that begin with `~`, on machines and for users that may have no home folder."""

from __future__ import annotations

from pathlib import Path

from matchers.errors import MatcherError


def expanded(path: str) -> Path:
    """The path with the home folder in the place of `~`; a `MatcherError` where there is none."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        home = path.replace("\\", "/").partition("/")[0]
        raise MatcherError(
            f"{path}: no home folder is known for {home}: write the path without {home}"
        ) from error
