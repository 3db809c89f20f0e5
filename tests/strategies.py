"""The strategies of Hypothesis, each made once for the same arguments.

A draw that makes what it draws from takes longer to make and to check it than to draw. What is
drawn stays the same. Import it in the place of `hypothesis.strategies`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from hypothesis import strategies
from hypothesis.strategies import *  # noqa: F403

Strategy = strategies.SearchStrategy[Any]
MOST = 1000
"""So many strategies of a kind are kept."""


def once(make: Callable[..., Strategy]) -> Callable[..., Strategy]:
    """The function, which gives what it has made before for the same arguments."""
    known: dict[object, Strategy] = {}

    @wraps(make)
    def made(*given: object, **options: object) -> Strategy:
        key = *map(seen, given), *((name, seen(each)) for name, each in options.items())
        if key not in known:
            if len(known) == MOST:
                known.clear()
            known[key] = make(*given, **options)
        return known[key]

    return made


def seen(argument: object) -> object:
    """What tells an argument from others: 0, 0.0 and False are three, a strategy is itself."""
    return argument if isinstance(argument, strategies.SearchStrategy) else repr(argument)


if not TYPE_CHECKING:
    KEPT = (
        *("binary", "booleans", "characters", "dictionaries", "integers", "just", "lists"),
        *("permutations", "sampled_from", "sets", "text", "tuples"),
    )
    for name in KEPT:
        globals()[name] = once(getattr(strategies, name))

    def composite(function: Callable[..., Any]) -> Callable[..., Strategy]:
        """What draws from others; made anew where it is given what may change afterwards."""
        make = strategies.composite(function)
        kept = once(make)

        @wraps(make)
        def made(*given: object, **options: object) -> Strategy:
            try:
                hash((given, *options.values()))
            except TypeError:
                return make(*given, **options)
            return kept(*given, **options)

        return made
