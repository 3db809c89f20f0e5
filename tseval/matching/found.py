"""What a matcher found: as rows with their evidence, and as the labels of nuggets.

Labels are what evaluations of answers read. `nuggetizer`: a JSON object for each run and topic,
with all nuggets of the topic and how far the updates together say each. `cone`: a line for each
nugget, with 1 if it is said and 0 if not, as CONE-RAG has them. A topic of which a run has no
update has no labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from tseval.errors import UsageError
from tseval.io.machine_matches import GRADE, signed
from tseval.io.names import natural_order
from tseval.matching.matching import EVIDENCE, evidence
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    import matchers

    Row = dict[str, Any]


def match_rows(
    matcher: matchers.Matcher,
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    pairs: pl.DataFrame,
    corrections: str | None,
) -> Iterator[Row]:
    """The matches with their evidence, grade and matcher; `corrections` is their hash, if any."""
    rows: list[Row] = list(evidence(matcher, updates, nuggets, pairs))
    for row in rows if matcher.grades else ():
        row[GRADE] = matcher.grades.get(row["score"], "")
    return signed(rows, made_by(matcher, corrections))


def made_by(matcher: matchers.Matcher, corrections: str | None) -> str:
    """Whose matches these are: the matcher's, with corrections or without."""
    return str(matcher) if corrections is None else f"{matcher}+corrections({corrections})"


def match_frame(rows: Sequence[Row], *, graded: bool) -> pd.DataFrame:
    """These rows as a table that is read again as matches."""
    import pandas as pd

    grade = [GRADE] if graded else []
    return pd.DataFrame(rows, columns=(*EVIDENCE, *grade, "matcher", "checksum"))


NUGGETIZER, CONE = "nuggetizer", "cone"
LABEL_FORMS = (NUGGETIZER, CONE)
TURN = re.compile(r"\d+_\d+", re.ASCII)
"""What CONE-RAG calls a topic."""
VITAL_SHARE = 0.5
"""The share of its topic's largest importance from which on a nugget is vital."""


@frozen
class Answer:
    """All that a run said on a topic, and how far it says each of the topic's nuggets."""

    run: str
    topic: str
    updates: pl.DataFrame
    """By time."""
    nuggets: pl.DataFrame
    """With the column `grade`."""


def label_bytes(
    form: str, updates: pl.DataFrame, nuggets: pl.DataFrame, pairs: pl.DataFrame, maker: str
) -> bytes:
    """Return the labels in one of `LABEL_FORMS`; `maker` is whose they are."""
    answers = _answers(updates, nuggets, pairs)
    if form == CONE:
        return "".join(_lines(answers)).encode()
    records = (_assignment(each, maker) for each in answers)
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in records).encode()


def _answers(updates: pl.DataFrame, nuggets: pl.DataFrame, pairs: pl.DataFrame) -> Iterator[Answer]:
    """Yield by run and topic; each nugget has the best grade of any update."""
    key = ["run", "topic"]
    said = updates.with_columns(pl.col(key).cast(pl.String))
    grade = pl.col("grade") if "grade" in pairs.columns else pl.lit(1.0)
    best = pairs.with_columns(grade=grade, run=said["run"].gather(pairs["update"]))
    best = best.group_by("run", "nugget").agg(pl.col("grade").max())
    gold = nuggets.with_columns(pl.col("topic").cast(pl.String)).drop("nugget", strict=False)
    gold = gold.with_row_index("nugget")
    gold = gold.with_columns(pl.col("nugget").cast(pl.Int64))
    asked = {topic: own for (topic,), own in gold.group_by("topic", maintain_order=True)}
    sent = dict(said.sort("time", maintain_order=True).group_by(key, maintain_order=True))
    for run in natural_order(set(said["run"])):
        known = best.filter(pl.col("run") == run).drop("run")
        for topic in natural_order(asked):
            if (run, topic) in sent:
                own = asked[topic].join(known, on="nugget", how="left", maintain_order="left")
                own = own.with_columns(pl.col("grade").fill_null(0.0))
                yield Answer(run, topic, sent[run, topic], own)


def _assignment(answer: Answer, maker: str) -> dict[str, Any]:
    """Return the record of nuggetizer, and when the last update was there."""
    importance, grade = pl.col("importance"), pl.col("grade")
    is_vital = importance >= VITAL_SHARE * importance.max()
    partial = pl.when(grade > 0).then(pl.lit("partial_support")).otherwise(pl.lit("not_support"))
    nuggets = answer.nuggets.select(
        "text",
        importance=pl.when(is_vital).then(pl.lit("vital")).otherwise(pl.lit("okay")),
        assignment=pl.when(grade >= 1).then(pl.lit("support")).otherwise(partial),
    )
    time = float(answer.updates["time"][-1])
    text = "\n".join(answer.updates["text"])
    return {
        "query": answer.topic,
        "qid": answer.topic,
        "run_id": answer.run,
        "answer_text": text,
        "response_length": len(text.split()),
        "time": int(time) if time.is_integer() else time,
        "matcher": maker,
        "nuggets": nuggets.to_dicts(),
    }


def _lines(answers: Iterator[Answer]) -> Iterator[str]:
    """The number of the answer, its turn, the number of the nugget in it, the run; and 0 or 1."""
    for hit, answer in enumerate(answers, start=1):
        if TURN.fullmatch(answer.topic) is None:
            raise UsageError(
                f'labels of CONE-RAG are of turns such as 31_2, no topics such as "{answer.topic}"'
            )
        for name, grade in answer.nuggets.select("nugget_id", "grade").iter_rows():
            if not name.isascii() or not name.isdigit():
                raise UsageError(
                    f'labels of CONE-RAG are of nuggets by number, and one is called "{name}"'
                )
            yield f"{hit}_{answer.topic}_{name}_{answer.run}\t{int(grade >= 1)}\n"
