"""`assessed`: no matcher at all, but a name for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from matchers.collection import Collection
from matchers.contract import Matcher
from matchers.errors import MatcherError


@dataclass(frozen=True)
class Assessed(Matcher):
    """Stands for matches made by people and read from a file; it never looks at texts.

    Its use is the name, in options and signatures. Matching or explaining with it is a
    `MatcherError`.
    """

    name: ClassVar[str] = "assessed"

    def prepare(self, nuggets: Collection, collection: Collection) -> NoReturn:  # noqa: ARG002
        """Refuse."""
        raise MatcherError(
            "assessed matches come from a file, not from texts: "
            "give a file of matches, or another matcher such as fuzzy"
        )

    def _explain(self, update: str, nugget: str, collection: Collection) -> NoReturn:  # noqa: ARG002
        raise MatcherError("assessed matches were made by people: there is no evidence to show")
