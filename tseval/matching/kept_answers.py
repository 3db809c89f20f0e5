"""The answers of language models that are kept: to files that travel, and back."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from tseval.errors import TsevalError
from tseval.io.faults import FaultList
from tseval.io.inputs import Input
from tseval.io.text_lines import text_lines

if TYPE_CHECKING:
    from matchers.answers import Answer

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


def exported(model: str | None) -> bytes:
    """All answers, or those of one model, as JSON lines."""
    from matchers import MatcherError
    from matchers.answers import line_of, opened

    try:
        with opened(reading=True) as answers:
            return "".join(f"{line_of(each)}\n" for each in answers.rows(model)).encode()
    except MatcherError as error:
        raise TsevalError(str(error)) from error


def imported(path: str) -> tuple[int, int]:
    """Keep the answers of a file: how many are new, and how many there are."""
    from matchers import MatcherError
    from matchers.answers import opened

    read = _read(path)
    try:
        with opened() as answers:
            return answers.put(read), len(read)
    except MatcherError as error:
        raise TsevalError(str(error)) from error


def status(model: str | None) -> Status:
    """What is kept by model, as the questions name it and as the answers do."""
    from matchers import MatcherError
    from matchers.answers import ANSWERED, database, opened

    kept: defaultdict[tuple[str, str], list[Answer]] = defaultdict(list)
    try:
        with opened(reading=True) as answers:
            for each in answers.rows(model):
                kept[each.model, each.answered].append(each)
    except MatcherError as error:
        raise TsevalError(str(error)) from error
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
        for (asked, answered), rows in sorted(kept.items())
    ]
    return Status(str(database() or ""), models)


def _read(path: str) -> list[Answer]:
    """The answers of a file; an `InputError` names every line that is none."""
    from matchers.answers import answer_of

    source = Input(path)
    faults = FaultList(source)
    found: list[Answer] = []
    for number, line in text_lines(source, faults):
        try:
            found.append(answer_of(line))
        except ValueError as error:
            faults.add(number, str(error), CURE, "record-format")
    faults.check()
    return found
