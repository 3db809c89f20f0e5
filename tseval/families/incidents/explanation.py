"""Why a run has the scores that it has: its alerts in order, and its types against the assessors'.

`explain_alerts` lists what was missed and what was false; `confusion_table` counts, type by type,
what was right and wrong; `priority_table` which priorities were taken for which; `trust` follows
worth and false alerts along the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.incidents.alerts import alerts
from tseval.families.incidents.index import IncidentIndex
from tseval.families.incidents.information_types import confusion, f1, precision, recall
from tseval.families.incidents.priorities import levels_of
from tseval.families.incidents.tables import LEVELS, UNKNOWN
from tseval.tables import ABSENT

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables import Ids
    from tseval.tables.columns import BoolArray, IntArray

MISSED, FALSE, TRUE, QUIET = "missed", "false", "true", "quiet"
"""What becomes of a post: an alert that was due but not given, given but not due, and so on."""


def alert_trail(index: IncidentIndex, posts: Ids) -> pd.DataFrame:
    """Every post of every run in order: what became of it, its delta and its worth."""
    import pandas as pd

    index.check_times()
    parts = [_trail(index, posts, run) for run in range(len(index.runs))]
    return pd.concat(parts, ignore_index=True)


def explain_alerts(index: IncidentIndex, posts: Ids) -> pd.DataFrame:
    """The missed and the false alerts of every run, in order, with delta and worth."""
    trail = alert_trail(index, posts)
    if index.rules.delta_counts == "with":
        trail["delta"] += trail["outcome"] == FALSE
    return trail[trail["outcome"].isin([MISSED, FALSE])].reset_index(drop=True)


def _trail(index: IncidentIndex, posts: Ids, run: int) -> pd.DataFrame:
    import pandas as pd

    reply = index.replies[run]
    found, judged = alerts(index, reply), index.judged
    rows = found.judged
    names = posts.take_names(judged.post[rows])
    nothing = np.zeros((1, len(index.ontology)), bool)
    said = np.concatenate([index.predictions.types[reply.lines], nothing])[found.line]
    return pd.DataFrame(
        {
            "run": index.runs[run],
            "event": [index.topics[at] for at in judged.event[rows].tolist()],
            "post_id": names,
            "time": judged.time[rows],
            "level": [LEVELS[at] for at in judged.level[rows].tolist()],
            "priority": np.append(reply.line_scaled, np.nan)[found.line],
            "outcome": _outcomes(found.alert, found.high),
            "delta": found.delta,
            "worth": found.worth,
            "types": _type_names(index, judged.types[rows]),
            "run_types": _type_names(index, said),
        }
    )


def _outcomes(alert: BoolArray, high: BoolArray) -> list[str]:
    names = np.array([[QUIET, MISSED], [FALSE, TRUE]])
    return [str(name) for name in names[alert.astype(int), high.astype(int)]]


def _type_names(index: IncidentIndex, types: BoolArray) -> list[str]:
    """The types of each row, with commas between them."""
    names: list[list[str]] = [[] for _ in range(len(types))]
    rows: IntArray
    rows, kinds = np.nonzero(types)
    for row, kind in zip(rows.tolist(), kinds.tolist(), strict=True):
        names[row].append(index.ontology.types[kind])
    return [",".join(each) for each in names]


def confusion_table(index: IncidentIndex) -> pd.DataFrame:
    """For every run and type: true and false positives and negatives, precision, recall, F1."""
    import pandas as pd

    counts = index.once(confusion).summed(axis=1)
    runs, kinds = counts.both.shape
    wrong = counts.given - counts.both
    lost = counts.true - counts.both
    columns = {
        "TP": counts.both,
        "FP": wrong,
        "FN": lost,
        "TN": counts.posts - counts.both - wrong - lost,
    }
    shares = {"precision": precision(counts), "recall": recall(counts), "F1": f1(counts)}
    return pd.DataFrame(
        {
            "run": np.repeat(np.array(index.runs, object), kinds),
            "type": np.tile(np.array(index.ontology.types, object), runs),
            "actionable": np.tile(np.where(index.groups, "yes", "no"), runs),
            **{name: each.astype(np.int64).ravel() for name, each in columns.items()},
            **{name: each.ravel() for name, each in shares.items()},
        }
    )


ABSENT_POST = "not in the run"
"""What stands for the priority of posts that a run lacks."""


def priority_table(index: IncidentIndex) -> pd.DataFrame:
    """For every run how many posts of each level it gave which level, or lacks."""
    import pandas as pd

    parts = []
    for run, reply in zip(index.runs, index.replies, strict=True):
        true = index.judged.level[reply.chosen]
        said = np.where(reply.row == ABSENT, UNKNOWN, levels_of(reply.scaled))[reply.chosen]
        pairs = np.bincount(true * len(LEVELS) + said, minlength=len(LEVELS) ** 2)
        table = pairs.reshape(len(LEVELS), len(LEVELS))
        columns = {name: table[:, at] for at, name in enumerate(LEVELS) if at != UNKNOWN}
        columns[ABSENT_POST] = table[:, UNKNOWN]
        parts.append(pd.DataFrame({"run": run, "level": LEVELS, **columns}))
    return pd.concat(parts, ignore_index=True)


def trust(index: IncidentIndex, posts: Ids, events: Sequence[str]) -> pd.DataFrame:
    """Along the posts of some events: the mean worth so far, and the false alerts in a row.

    `post` counts the `posts` of the event, so that the lines of runs lie over one another. Posts
    that a run lacks are no step of its line: nobody meets them. Of a long event no more posts are
    told than a picture can show: evenly chosen ones, and where the count of false alerts starts
    anew.
    """
    trail = alert_trail(index, posts)
    trail = trail[trail["event"].isin(events)].copy()
    trail["event"] = trail["event"].astype("category").cat.set_categories(list(events))
    trail = trail.sort_values(["event", "run"], kind="stable").reset_index(drop=True)
    every = trail.groupby(["event", "run"], observed=True, sort=False)["post_id"]
    trail["post"], trail["posts"] = every.cumcount() + 1, every.transform("size")
    trail = trail[trail["priority"].notna()].reset_index(drop=True)
    groups = trail.groupby(["event", "run"], observed=True, sort=False)
    met = groups.cumcount()
    trail["worth"] = groups["worth"].cumsum() / (met + 1)
    step = -(-groups["post"].transform("size") // MOST_POINTS)
    falls = groups["delta"].diff() < 0
    kept = (met % step == 0) | falls | falls.shift(-1, fill_value=True)
    columns = ["run", "event", "post", "posts", "worth", "delta"]
    return trail.loc[kept, columns].astype({"event": str}).reset_index(drop=True)


MOST_POINTS = 400
"""How many evenly chosen points a line has: as many as a panel has dots."""


def longest_events(index: IncidentIndex, number: int) -> list[str]:
    """The events with the most judged posts, the longest first."""
    posts = np.bincount(index.judged.event, minlength=len(index.topics))
    order = np.argsort(-posts, kind="stable")[:number]
    return [index.topics[at] for at in order.tolist()]
