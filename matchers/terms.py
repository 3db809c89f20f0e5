"""On which terms others may be asked: from the cache alone, up to a limit, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

from matchers.errors import MatcherError


class Planned(MatcherError):
    """What asking would take, where nothing was to be asked; its text tells it."""


@dataclass(frozen=True)
class Terms:
    """Whether a model may be asked, how much it may cost, and what is made of missing answers.

    None of them changes an answer.
    """

    replay: bool = False
    """Take answers from the cache alone."""
    dry_run: bool = False
    """Ask nothing, and tell what it would take."""
    allow_unjudged: bool = False
    """Count pairs without an answer as no match."""
    max_calls: int = 0
    """The most calls, repeated ones included; 0 for as many as it takes."""
    budget: float = 0.0
    """The most that the calls may cost; 0 for whatever it takes."""
