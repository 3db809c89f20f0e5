"""What became of alerts, for a report: which were due and did not come, and which were false.

Every number is one of `alert_trail`, whose missed and false alerts `tseval incidents --explain
alerts` prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tseval.core.blocks import Head, Listed, Rows, Searched
from tseval.core.sections import Setting
from tseval.core.wording import count
from tseval.families.incidents.evaluation import IncidentEvaluation
from tseval.families.incidents.explanation import FALSE, MISSED, TRUE, alert_trail
from tseval.families.incidents.tables import CRITICAL, HIGH, LEVELS, LOW
from tseval.records import frozen
from tseval.tables.times import dated

if TYPE_CHECKING:
    import pandas as pd

    from tseval.families.incidents.tables import Labels

MOST = 10_000
"""So many rows a list has at most."""
URGENT = (LEVELS[CRITICAL], LEVELS[HIGH])
"""The levels of posts that deserve an alert, the most urgent first."""
BECAME = {TRUE: "true alerts", FALSE: "false alerts", MISSED: "missed"}
"""What becomes of posts that get an alert, or deserve one, in words."""
WORDLESS = " Labels with a column text would show what the posts say."


@frozen
class AlertLists:
    """What became of the alerts of all runs of a report."""

    trail: pd.DataFrame
    texts: Mapping[str, str]
    """What each post says, as far as labels tell it."""
    setting: Setting[Any]

    @classmethod
    def of(cls, evaluation: IncidentEvaluation, setting: Setting[Any]) -> AlertLists:
        """The lists of an evaluation's runs."""
        labels = evaluation.tables.labels
        return cls(alert_trail(evaluation.index, labels.post_id), _texts(labels), setting)

    def of_runs(self) -> Rows:
        """How many alerts of each run were true and false, what it missed, how trust was lost."""
        rows = []
        for run, own in self.trail.groupby("run", sort=False):
            became = own["outcome"].value_counts()
            parts = tuple(int(became.get(kind, 0)) for kind in BECAME)
            missed = own.loc[own["outcome"] == MISSED, "level"].value_counts()
            levels = (int(missed.get(level, 0)) for level in URGENT)
            false = own.loc[own["outcome"] == FALSE, "delta"]
            longest = int(false.max()) + 1 if len(false) else 0
            rows.append((self.setting.run(str(run)), parts, *parts[:2], *levels, longest))
        heads = (
            Head("run", "run"),
            Head("what became of alerts", "parts", parts=tuple(BECAME.values())),
            *(Head(BECAME[kind], "count") for kind in (TRUE, FALSE)),
            *(Head(f"missed, {level}", "count") for level in URGENT),
            Head("most false ones in a row", "count"),
        )
        return Rows("Alerts of every run", heads, tuple(sorted(rows)))

    def lists(self) -> Searched | None:
        """What was missed, and what was false; None where all alerts were right."""
        lists = self.missed(), self.false()
        return Searched(lists) if any(each.total for each in lists) else None

    def missed(self) -> Listed:
        """The posts that deserved an alert and got none of some run: the most urgent first."""
        lost = self.trail[self.trail["outcome"] == MISSED]
        by: dict[tuple[str, str], list[int]] = {}
        for event, post, run in zip(lost["event"], lost["post_id"], lost["run"], strict=True):
            by.setdefault((event, post), []).append(self.setting.run(run))
        urgency = lost["level"].map({level: -at for at, level in enumerate(URGENT)})
        posts = lost.assign(urgency=urgency).drop_duplicates(["event", "post_id"])
        posts = posts.assign(by=[len(own) for own in by.values()])
        number = self.trail["run"].nunique()
        by_all = f", {(posts['by'] == number).sum():,} by every run" if number > 1 else ""
        times = f" {count(len(lost), 'alert')} did not come in all." if number > 1 else ""
        note = (
            f"{count(len(posts), 'post')} of priority High or Critical without an alert{by_all}; "
            f"{(posts['level'] == URGENT[0]).sum():,} are Critical. These come first, then what "
            f"most runs missed.{times}"
        )
        kept = posts.sort_values(["urgency", "by"], ascending=False, kind="stable")[:MOST]
        places = zip(kept["event"], kept["post_id"], strict=True)
        sizes = {
            Head("missed by", "count", is_filter=True): kept["by"].tolist(),
            Head("runs", "runs", is_filter=True): [tuple(sorted(by[each])) for each in places],
        }
        return self._listed("Missed alerts", len(posts), note, kept, sizes)

    def false(self) -> Listed:
        """Alerts for posts that deserved none, as they came."""
        false = self.trail[self.trail["outcome"] == FALSE]
        kept = _worst(false).sort_index()
        is_dated = bool(kept["time"].notna().all())
        if is_dated:
            kept = kept.sort_values("time", kind="stable")
        order = "in the order of time" if is_dated else "run by run, in the order of its posts"
        note = (
            f"{count(len(false), 'alert')} for posts that deserved none, {order}. The more came "
            "since the last true one, the less each is worth."
        )
        sizes = {
            Head("in a row", "count", is_filter=True): (kept["delta"] + 1).tolist(),
            Head("worth", decimals=2): kept["worth"].tolist(),
        }
        return self._listed("False alerts", len(false), note, kept, sizes, by_run=True)

    def _listed(
        self,
        name: str,
        total: int,
        note: str,
        kept: pd.DataFrame,
        sizes: Mapping[Head, list[Any]],
        *,
        by_run: bool = False,
    ) -> Listed:
        """A list with what is told of every post, `by_run` also of the one run that its row is of.

        What is known of none has no column.
        """
        is_timed, events = self.trail["time"].notna().any(), tuple(self.trail["event"].unique())
        own = [self.setting.run(run) for run in kept["run"]]
        columns: dict[Head, list[Any]] = {Head("run", "run", is_filter=True): own} if by_run else {}
        columns |= {
            Head("event", "name", is_filter=True, choices=events): kept["event"].tolist(),
            Head("priority", "text", is_filter=True, choices=LEVELS[:LOW:-1]): kept[
                "level"
            ].tolist(),
        }
        if is_timed:
            columns[Head("time (UTC)", "text")] = [_dated(each) for each in kept["time"].tolist()]
        columns |= sizes
        if self.texts:
            columns[Head("text", "name")] = [self.texts.get(each, "") for each in kept["post_id"]]
        of_run = [("types of the run", "run_types")] if by_run else []
        for head, of in (("types", "types"), *of_run, ("post", "post_id")):
            columns[Head(head, "name")] = [each.replace(",", ", ") for each in kept[of]]
        left = total - len(kept)
        worst = "the worst of each run" if by_run else "the worst"
        cut = f" {left:,} are left out; the page holds {worst}." if left else ""
        rows = tuple(zip(*columns.values(), strict=True))
        told = note + cut + ("" if self.texts else WORDLESS)
        return Listed(name, total, told, Rows(name, tuple(columns), rows))


def _worst(rows: pd.DataFrame) -> pd.DataFrame:
    """False alerts, after the most others first; of too many as many of each run."""
    ordered = rows.sort_values("delta", ascending=False, kind="stable")
    if len(rows) <= MOST:
        return ordered
    return ordered[ordered.groupby("run").cumcount() < max(1, MOST // rows["run"].nunique())]


def _texts(labels: Labels) -> Mapping[str, str]:
    """What each post says, by the first of its labels that tells it."""
    if labels.text is None:
        return {}
    pairs = list(zip(labels.post_id.to_list(), labels.text, strict=True))
    return {post: text for post, text in reversed(pairs) if text}


def _dated(time: float) -> str:
    """A time as people write it; nothing for one that nobody knows."""
    return dated(time).replace("T", " ").removesuffix("Z") if time == time else ""
