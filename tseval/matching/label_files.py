"""A matcher's matches as the labels of nuggets that evaluations of answers read.

`nuggetizer`: a JSON object for each run and topic, with all nuggets of the topic and how far the
updates together say each. `cone`: a line for each nugget, with 1 if it is said and 0 if not, as
CONE-RAG has them. A topic of which a run has no update has no labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import UsageError
from tseval.records import frozen
from tseval.tables import ABSENT, Ids, Nuggets, Pairs, Updates, natural_order
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

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
    updates: IntArray
    """By time."""
    nuggets: IntArray
    grades: FloatArray


def label_bytes(form: str, updates: Updates, nuggets: Nuggets, pairs: Pairs, maker: str) -> bytes:
    """The labels in one of `LABEL_FORMS`; `maker` is whose they are."""
    answers = _answers(updates, nuggets, pairs)
    if form == CONE:
        return "".join(_lines(answers, nuggets)).encode()
    records = (_assignment(each, updates, nuggets, maker) for each in answers)
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in records).encode()


def _answers(updates: Updates, nuggets: Nuggets, pairs: Pairs) -> Iterator[Answer]:
    """By run and topic; each nugget with the best grade of any update."""
    topics = natural_order(nuggets.topic.vocabulary())
    own, gold = _codes(updates.topic, topics), _codes(nuggets.topic, topics)
    grade = np.ones(len(pairs)) if pairs.grade is None else pairs.grade
    for run in natural_order(updates.run.vocabulary()):
        mine = _codes(updates.run, [run]) != ABSENT
        best = np.zeros(len(nuggets))
        kept = mine[pairs.update]
        np.maximum.at(best, pairs.nugget[kept], grade[kept])
        for code, topic in enumerate(topics):
            said = np.flatnonzero(mine & (own == code))
            asked = np.flatnonzero(gold == code)
            if len(said) and len(asked):
                said = said[np.argsort(updates.time[said], kind="stable")]
                yield Answer(run, topic, said, asked, best[asked])


def _codes(ids: Ids, names: list[str]) -> IntArray:
    return ids.within(strings(names))


def _assignment(answer: Answer, updates: Updates, nuggets: Nuggets, maker: str) -> dict[str, Any]:
    """The record of nuggetizer, and when the last update was there."""
    importance = nuggets.importance[answer.nuggets]
    vital = importance >= VITAL_SHARE * importance.max()
    texts = [updates.text[row] for row in answer.updates.tolist()]
    time = float(updates.time[answer.updates[-1]])
    text = "\n".join(texts)
    return {
        "query": answer.topic,
        "qid": answer.topic,
        "run_id": answer.run,
        "answer_text": text,
        "response_length": len(text.split()),
        "time": int(time) if time.is_integer() else time,
        "matcher": maker,
        "nuggets": [
            {
                "text": nuggets.text[row],
                "importance": "vital" if is_vital else "okay",
                "assignment": _label(grade),
            }
            for row, is_vital, grade in zip(
                answer.nuggets.tolist(), vital.tolist(), answer.grades.tolist(), strict=True
            )
        ],
    }


def _label(grade: float) -> str:
    if grade >= 1:
        return "support"
    return "partial_support" if grade > 0 else "not_support"


def _lines(answers: Iterator[Answer], nuggets: Nuggets) -> Iterator[str]:
    """The number of the answer, its turn, the number of the nugget in it, the run; and 0 or 1."""
    for hit, answer in enumerate(answers, start=1):
        if TURN.fullmatch(answer.topic) is None:
            raise UsageError(
                f'labels of CONE-RAG are of turns such as 31_2, no topics such as "{answer.topic}"'
            )
        for row, grade in zip(answer.nuggets.tolist(), answer.grades.tolist(), strict=True):
            name = nuggets.nugget_id[row]
            if not name.isascii() or not name.isdigit():
                raise UsageError(
                    f'labels of CONE-RAG are of nuggets by number, and one is called "{name}"'
                )
            yield f"{hit}_{answer.topic}_{name}_{answer.run}\t{int(grade >= 1)}\n"
