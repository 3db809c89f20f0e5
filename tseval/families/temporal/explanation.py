"""Why a run scored what it did: nugget by nugget, update by update, and what it spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.earliest import EarliestIndex
from tseval.families.temporal.words import word_counts
from tseval.tables import ABSENT
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import BoolArray, FloatArray, IntArray

HOUR = UNITS["h"]


def explain_nuggets(index: EarliestIndex) -> pd.DataFrame:
    """For every run and nugget: who said it first, how early, how often; the missed ones too.

    `hours_early` is positive where the run was ahead of the nugget's own time. Where matches have
    grades, `grade` is how far it was said at last. Sorted by run, topic, time and id.
    """
    import pandas as pd

    unit, nugget = index.gold_units()
    first = first_of(index, unit, nugget)
    said = first != ABSENT
    update = np.where(said, index.first.update[first] if len(index.first) else 0, 0)
    time = index.nuggets.time[nugget]
    frame = pd.DataFrame(
        {
            "run": _names(index.runs, unit // len(index.topics)),
            "topic": _names(index.topics, unit % len(index.topics)),
            "nugget_id": index.nuggets.nugget_id.rows(nugget).to_list(),
            "time": time,
            "importance": index.nuggets.importance[nugget],
            "status": np.where(said, "said", "missed"),
        }
    )
    if len(index.updates):
        frame["update_id"] = pd.Series(index.updates.update_id.rows(update).to_list()).where(said)
        frame["update_time"] = pd.Series(index.updates.time[update]).where(said)
        frame["hours_early"] = (frame["time"] - frame["update_time"]) / HOUR
    else:
        frame[["update_id", "update_time", "hours_early"]] = pd.NA
    repeats = index.first.said[first] - 1 if len(index.first) else np.zeros(len(unit), np.int64)
    frame["repeats"] = np.where(said, repeats, 0)
    if (index.first.rise < 1).any():
        frame["grade"] = np.where(said, index.first.grade[_last_of(index, unit, nugget)], 0)
    frame["text"] = index.nuggets.text.rows(nugget)[:]
    texts = index.updates.text.rows(update)[:] if len(index.updates) else [""] * len(frame)
    frame["update_text"] = pd.Series(texts, dtype=object).where(said)
    order = np.lexsort((frame["nugget_id"].to_numpy(str), time, unit))
    return frame.iloc[order].reset_index(drop=True)


def first_of(index: EarliestIndex, unit: IntArray, nugget: IntArray) -> IntArray:
    """The row of `index.first` for each (unit, nugget); `ABSENT` where it was never said.

    Where it has several matches it is the earliest.
    """
    width = len(index.nuggets)
    have = index.first.unit * width + index.first.nugget
    if not len(have):
        return np.full(len(unit), ABSENT)
    want = unit * width + nugget
    at = np.minimum(np.searchsorted(have, want), len(have) - 1)
    return np.where(have[at] == want, at, ABSENT)


def _last_of(index: EarliestIndex, unit: IntArray, nugget: IntArray) -> IntArray:
    """The row of the last match of each (unit, nugget) that was said, which says most of it."""
    width = len(index.nuggets)
    have = index.first.unit * width + index.first.nugget
    rows: IntArray = np.searchsorted(have, unit * width + nugget, "right") - 1
    return rows


def explain_updates(index: AssessedIndex) -> pd.DataFrame:
    """For every update: the nuggets that it earned, how many it repeated, or that it added nothing.

    An update that was not judged has the role `unjudged`.

    `reward` is the importance of what it earned. Updates of topics that are not in the gold do not
    stand here. Sorted by run, topic, time and place in the file.
    """
    import pandas as pd

    updates, sent = index.updates, index.sent
    own = index.first.nugget
    earned = _earned(index, index.nuggets.nugget_id.rows(own).to_list())
    said = _earned(index, index.nuggets.text.rows(own)[:])
    firsts = index.firsts[sent]
    repeats = index.says[sent] - firsts
    idle = np.where(index.judged[sent], "nothing", "unjudged")
    reward = np.bincount(
        index.first.update,
        index.nuggets.importance[index.first.nugget] * index.first.rise,
        len(updates),
    )
    return pd.DataFrame(
        {
            "run": updates.run.rows(sent).to_list(),
            "topic": updates.topic.rows(sent).to_list(),
            "update_id": updates.update_id.rows(sent).to_list(),
            "time": updates.time[sent],
            "role": np.where(firsts > 0, "earns", np.where(repeats > 0, "repeats", idle)),
            "reward": reward[sent],
            "earned": [" ".join(earned.get(row, ())) for row in sent.tolist()],
            "repeats": repeats,
            "text": updates.text.rows(sent)[:],
            "earned_text": [" | ".join(said.get(row, ())) for row in sent.tolist()],
        }
    )


def _earned(index: EarliestIndex, of_nuggets: list[str]) -> dict[int, list[str]]:
    """For each update that earns, what is told of each of its nuggets."""
    earned: dict[int, list[str]] = {}
    for update, told in zip(index.first.update.tolist(), of_nuggets, strict=True):
        earned.setdefault(update, []).append(told)
    return earned


def explain_economy(index: AssessedIndex) -> pd.DataFrame:
    """For every run what it spent: its updates by what became of them, and its words.

    `words` is the mean number of words of the updates whose texts are there; `words_a_nugget` all
    of a run's words by the nuggets that it said, where no text is lacking.
    """
    import pandas as pd

    run = index.unit[index.sent] // len(index.topics)
    firsts, says = index.firsts[index.sent], index.says[index.sent]
    judged = index.judged[index.sent]
    texts = index.updates.text.rows(index.sent)
    words, there = word_counts(texts, index.rules.words), ~texts.blank
    nuggets = index.first.unit[index.first.opens]
    said = np.bincount(nuggets // len(index.topics), minlength=len(index.runs))
    updates, told, total = (_by_run(index, run, each) for each in (None, there, words * there))
    return pd.DataFrame(
        {
            "run": list(index.runs),
            "updates": updates.astype(np.int64),
            "earning": _by_run(index, run, firsts > 0).astype(np.int64),
            "repeating": _by_run(index, run, (firsts == 0) & (says > 0)).astype(np.int64),
            "idle": _by_run(index, run, (says == 0) & judged).astype(np.int64),
            "unjudged": _by_run(index, run, ~judged).astype(np.int64),
            "words": _share(total, told),
            "words_a_nugget": np.where(told == updates, _share(total, said), np.nan),
        }
    )


def _by_run(
    index: AssessedIndex, run: IntArray, amount: FloatArray | BoolArray | None
) -> FloatArray:
    """Sums by run; without amounts the number of rows."""
    return np.bincount(run, amount, minlength=len(index.runs)).astype(np.float64)


def _share(amount: FloatArray, number: FloatArray | IntArray) -> FloatArray:
    """Amount by number; NaN where that is nothing."""
    share = np.full(len(amount), np.nan)
    np.divide(amount, number, out=share, where=number > 0)
    return share


def _names(names: tuple[str, ...], places: IntArray) -> list[str]:
    return [names[place] for place in places.tolist()]
