"""The one exception of this package, and what is said of names that are nearly known."""

from __future__ import annotations

from collections.abc import Iterable


class MatcherError(ValueError):
    """A matcher cannot be made or cannot be used as asked.

    The message says what was asked, what would be accepted, and nothing else: it is meant for the
    person at the command line as well as for the caller in Python.
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What is said behind an unknown name where a known one looks like it."""
    from difflib import get_close_matches  # needed only where something is wrong

    folded = {each.casefold(): each for each in known}
    return "".join(
        f"; did you mean {folded[like]}?" for like in get_close_matches(name.casefold(), folded, 1)
    )
