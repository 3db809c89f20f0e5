"""Language models as judges: what may be asked at what cost, and the answers that are kept.

Kept answers go to files that travel, and back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tseval.core.declared import STREAMS, option, positive
from tseval.errors import TsevalError
from tseval.io.faults import FaultList, text_lines
from tseval.io.inputs import Input
from tseval.records import frozen

if TYPE_CHECKING:
    import matchers
    from matchers.answers import Answer, Answers

WITHOUT_MATCHING = (*STREAMS, "--matches")
"""Options with which no model is asked, or without limits, as its own name says."""


@frozen(kw_only=True)
class AskingOptions:
    """On which terms a matcher such as `llm` may ask a model; none of them changes an answer.

    Parameters of the matcher, such as `llm(model=NAME,budget=5)`, say the same; help has these.
    """

    replay: bool = option(
        "With a matcher that asks a model: take its answers from the cache alone, and ask nobody.",
        kind=bool,
        not_within=WITHOUT_MATCHING,
        hidden=True,
    )
    dry_run: bool = option(
        "With such a matcher: ask nothing, and tell how many calls and tokens it would take.",
        kind=bool,
        not_within=WITHOUT_MATCHING,
        hidden=True,
    )
    budget: float | None = option(
        "The most that the calls may cost, by the prices in the matcher's name; what is not asked "
        "by then has no answer.",
        metavar="AMOUNT",
        kind=positive,
        not_within=WITHOUT_MATCHING,
        hidden=True,
    )
    max_calls: int | None = option(
        "The most calls to make; what is not asked by then has no answer.",
        metavar="N",
        at_least=1,
        not_within=WITHOUT_MATCHING,
        hidden=True,
    )
    allow_unjudged: bool = option(
        "Count pairs without an answer as no match, and say how many they are; else they are an "
        "error.",
        kind=bool,
        not_within=WITHOUT_MATCHING,
        hidden=True,
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


CURE = "a line is what `tseval judge export` writes; export the answers again"


class OfModel(NamedTuple):
    """What is kept of the questions to one model that another, or the same, answered."""

    model: str
    answered: str
    answers: int
    failures: int
    tokens_in: int
    tokens_out: int
    seconds: float


class Status(NamedTuple):
    """Where answers are kept, empty for nowhere, and what is kept by model."""

    where: str
    models: list[OfModel]


@contextmanager
def open_answers(*, reading: bool = False) -> Iterator[Answers]:
    """Open the kept answers; what goes wrong there is a `TsevalError`."""
    from matchers import MatcherError
    from matchers.answers import opened

    try:
        with opened(reading=reading) as answers:
            yield answers
    except MatcherError as error:
        raise TsevalError(str(error)) from error


def export_answers(model: str | None) -> bytes:
    """Return all answers, or those of one model, as JSON lines."""
    from matchers.answers import line_of

    with open_answers(reading=True) as answers:
        return "".join(f"{line_of(each)}\n" for each in answers.rows(model)).encode()


def import_answers(path: str) -> tuple[int, int]:
    """Keep the answers of a file: how many are new, and how many there are.

    An `InputError` names every line that is no answer.
    """
    from matchers.answers import answer_of

    source = Input(path)
    faults = FaultList(source)
    read: list[Answer] = []
    for number, line in text_lines(source, faults):
        try:
            read.append(answer_of(line))
        except ValueError as error:
            faults.add(number, str(error), CURE, "record-format")
    faults.check()
    with open_answers() as answers:
        return answers.put(read), len(read)


def status(model: str | None) -> Status:
    """Return what is kept by model, as the questions name it and as the answers do."""
    from matchers.answers import ANSWERED, database

    by_model: defaultdict[tuple[str, str], list[Answer]] = defaultdict(list)
    with open_answers(reading=True) as answers:
        for each in answers.rows(model):
            by_model[each.model, each.answered].append(each)
    models = [
        OfModel(
            asked,
            answered,
            sum(each.state == ANSWERED for each in rows),
            sum(each.state != ANSWERED for each in rows),
            sum(each.tokens_in for each in rows),
            sum(each.tokens_out for each in rows),
            round(sum(each.seconds for each in rows), 3),
        )
        for (asked, answered), rows in sorted(by_model.items())
    ]
    return Status(str(database() or ""), models)
