"""The options of whoever lets a language model judge pairs: what may be asked, and at what cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.declared import option, positive
from tseval.records import frozen

if TYPE_CHECKING:
    import matchers

STREAMS = ("--in-blocks", "--follow", "--matches")
"""Options with which no model is asked, or without limits, as its own name says."""


@frozen(kw_only=True)
class AskingOptions:
    """On which terms a matcher such as `llm` may ask a model; none of them changes an answer."""

    replay: bool = option(
        "With a matcher that asks a model: take its answers from the cache alone, and ask nobody.",
        kind=bool,
        not_within=STREAMS,
    )
    dry_run: bool = option(
        "With such a matcher: ask nothing, and tell how many calls and tokens it would take.",
        kind=bool,
        not_within=STREAMS,
    )
    budget: float | None = option(
        "The most that the calls may cost, by the prices in the matcher's name; what is not asked "
        "by then has no answer.",
        metavar="AMOUNT",
        kind=positive,
        not_within=STREAMS,
    )
    max_calls: int | None = option(
        "The most calls to make; what is not asked by then has no answer.",
        metavar="N",
        at_least=1,
        not_within=STREAMS,
    )
    allow_unjudged: bool = option(
        "Count pairs without an answer as no match, and say how many they are; else they are an "
        "error.",
        kind=bool,
        not_within=STREAMS,
    )

    @property
    def terms(self) -> matchers.Terms | None:
        """These terms; None where none was asked for."""
        asked = (
            self.replay,
            self.dry_run,
            self.allow_unjudged,
            self.max_calls or 0,
            self.budget or 0.0,
        )
        if not any(asked):
            return None  # and nothing of matchers has to be loaded
        from matchers import Terms

        return Terms(*asked)


def remarks(matcher: matchers.Matcher) -> tuple[str, ...]:
    """What is to be told of the answers that a matcher was given."""
    judgment = matcher.judgment()
    return () if judgment is None else judgment.told


def answer_traits(matcher: matchers.Matcher) -> dict[str, str]:
    """Return the parts of the signature for a plug-in's package and for a matcher's answers."""
    from matchers.registry import package_of

    package = package_of(matcher.name)
    plugin = {"matcher-package": package} if package else {}
    judgment = matcher.judgment()
    if judgment is None:
        return plugin
    unjudged = {"unjudged": str(judgment.unjudged)} if judgment.unjudged else {}
    return plugin | {"answers": f"sha256:{judgment.answers}"} | unjudged
