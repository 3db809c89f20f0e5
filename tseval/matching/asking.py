"""Language models as judges: what may be asked at what cost, and the answers that are kept.

Kept answers go to files that travel, and back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from tseval.core.declared import STREAMS, option, positive
from tseval.errors import TsevalError
from tseval.io.faults import FaultList, text_lines
from tseval.io.inputs import Input
from tseval.records import frozen

if TYPE_CHECKING:
    import polars as pl

    import matchers
    from matchers.answers import Answer, Answers

limit = partial(option, not_within=(*STREAMS, "--matches"), hidden=True)
"""An option without meaning where no model is asked, or without limits, as its own name says."""


@frozen(kw_only=True)
class AskingOptions:
    """On which terms a matcher such as `llm` may ask a model; none of them changes an answer.

    Parameters of the matcher, such as `llm(model=NAME,budget=5)`, say the same; help has these.
    """

    replay: bool = limit(
        "With a matcher that asks a model: use only stored answers, and ask nothing.",
        kind=bool,
    )
    dry_run: bool = limit(
        "With a matcher that asks a model: estimate calls and tokens, and ask nothing.",
        kind=bool,
    )
    budget: float | None = limit(
        "The maximum cost of calls, by the prices in the matcher's name. Later pairs have no "
        "answer.",
        metavar="AMOUNT",
        kind=positive,
    )
    max_calls: int | None = limit(
        "The maximum number of calls. Later pairs have no answer.",
        metavar="N",
        at_least=1,
    )
    allow_unjudged: bool = limit(
        "Count pairs without an answer as no match, and give their number. Default: an error.",
        kind=bool,
    )

    @property
    def terms(self) -> matchers.Terms | None:
        """These terms; None where none was asked for."""
        names = ("replay", "dry_run", "budget", "max_calls", "allow_unjudged")
        limits = {name: value for name in names if (value := getattr(self, name))}
        if not limits:
            return None  # and nothing of matchers has to be loaded
        from matchers import Terms

        return Terms(**limits)


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


@contextmanager
def open_answers(*, reading: bool = False) -> Iterator[Answers]:
    """Open the kept answers; what goes wrong there is a `TsevalError`."""
    from matchers.answers import opened
    from tseval.matching.matching import matcher_errors

    with matcher_errors(TsevalError), opened(reading=reading) as answers:
        yield answers


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


def status(model: str | None) -> tuple[str, pl.DataFrame]:
    """Return where answers are kept, empty for nowhere, and how many by model.

    The rows are by the model that questions name and the one that answered them.
    """
    import polars as pl

    from matchers.answers import ANSWERED, database

    texts, numbers = ("model", "answered", "state"), ("tokens_in", "tokens_out", "seconds")
    with open_answers(reading=True) as answers:
        rows = [[getattr(each, name) for name in texts + numbers] for each in answers.rows(model)]
    kinds = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Int64)
    kept = pl.DataFrame(rows, kinds | {"seconds": pl.Float64}, orient="row")
    is_answer, key = pl.col("state") == ANSWERED, ["model", "answered"]
    sums = kept.group_by(key).agg(
        is_answer.sum().alias("answers"),
        (~is_answer).sum().alias("failures"),
        pl.col(numbers).sum(),
    )
    return str(database() or ""), sums.with_columns(pl.col("seconds").round(3)).sort(key)
