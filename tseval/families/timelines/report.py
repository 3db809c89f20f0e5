"""The sections of a report on timelines: dates some days apart, and which days are met how late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tseval.core.blocks import Block, Folded, Head, Note, Panels, Rows
from tseval.core.family import Asked
from tseval.core.panels import Axis, Line, Panel
from tseval.core.registry import measure
from tseval.core.sections import Reporting, Section, Setting
from tseval.families.timelines.evaluation import TimelineEvaluation
from tseval.families.timelines.explanation import lags, lengths, tolerance
from tseval.families.timelines.inputs import TimelineOptions
from tseval.families.timelines.measures import FAMILY, PAPER

if TYPE_CHECKING:
    import pandas as pd

MOST = 7
"""The panels go up to so many days."""
SIDES = {"P": "precision of dates", "R": "recall of dates", "F": "F of both"}
MET = ("align(rouge_1)", "align+m:1(rouge_1)")
HOW = ("rouge", "backend")
"""What is the same in all rows."""


def dates(evaluation: TimelineEvaluation, setting: Setting[TimelineOptions]) -> Iterator[Block]:
    """How well dates do if they may be some days apart."""
    yield Note(
        "A date of a timeline counts if the references have one at most so many days away, each "
        "date once. Where a line rises, days are dated near the right one; where it stays low, "
        "they are other days."
    )
    frame = tolerance(evaluation, Asked((), setting.options)).frame
    means = frame.groupby(["run", "within"], sort=False)[list(SIDES)].mean().reset_index()
    shown = means[means["within"] <= MOST]
    yield Panels(tuple(_panel(shown, side, setting) for side in ("P", "R")))
    rows = [(setting.run(run), *rest) for run, *rest in means.itertuples(index=False)]
    heads = (Head("run", "run"), Head("days apart", "count"), *(Head(each) for each in SIDES))
    table = Rows("Dates that may be some days apart", heads, tuple(sorted(rows)))
    yield Folded("The numbers, and those of 30 days", (table,))


def _panel(means: pd.DataFrame, side: str, setting: Setting[TimelineOptions]) -> Panel:
    lines = [
        Line(setting.run(str(run)), tuple(own["within"].astype(float)), tuple(own[side]))
        for run, own in means.groupby("run", sort=False)
    ]
    axis = Axis("days apart", 0.0, float(MOST), is_whole=True)
    note = "mean over topics (higher is better)"
    y = Axis(low=0.0, high=1.0)
    return Panel(SIDES[side], note, axis, tuple(sorted(lines)), y, is_stepped=False)


def met(evaluation: TimelineEvaluation, setting: Setting[TimelineOptions]) -> Iterator[Block]:
    """How many days of the references are met, and how late; and how long timelines are."""
    yield Note(
        "A day of the references is met if its partner in the alignment shares a word with it. It "
        "is early if the partner has an earlier date. A timeline has more to meet days with the "
        "longer it is."
    )
    wanted = tuple(measure(each, FAMILY) for each in MET)
    found = lags(evaluation, Asked(wanted, setting.options)).frame.drop(columns=list(HOW))
    found["measure"] = found["measure"].map(lambda name: PAPER[name])
    long = lengths(evaluation, Asked((), setting.options)).frame
    shares = tuple(Head(each, decimals=2) for each in ("early", "on time", "late"))
    counts = (Head("days", "count"), Head("met", "count"))
    medians = (Head("median days", decimals=1), Head("median hours", decimals=1))
    names = (Head("run", "run"), Head("topic", "name"))
    yield Rows(
        "Days that each run meets, over all topics",
        (Head("run", "run"), Head("alignment", "text"), *counts, *shares),
        _of_runs(found, setting),
    )
    titles = [Head(name.replace("_", " "), decimals=0) for name in long.columns[2:]]
    by_topic = (*names, Head("alignment", "text"), *counts, *shares, *medians)
    yield Folded(
        "Topic by topic",
        (
            Rows("Days that are met, by topic", by_topic, _rows(found, setting)),
            Rows("How long timelines are", (*names, *titles), _rows(long, setting)),
        ),
    )


def _of_runs(
    found: pd.DataFrame, setting: Setting[TimelineOptions]
) -> tuple[tuple[object, ...], ...]:
    """The days of all topics together, and of those that are met the shares early and late."""
    shares = ["early", "on_time", "late"]
    weighed = found.assign(**{each: found[each].fillna(0) * found["met"] for each in shares})
    rows = []
    for (run, name), own in weighed.groupby(["run", "measure"], sort=False):
        days, number = int(own["days"].sum()), int(own["met"].sum())
        parts = [float(own[each].sum()) / number if number else None for each in shares]
        rows.append((setting.run(str(run)), str(name), days, number, *parts))
    return tuple(sorted(rows, key=lambda row: (row[1], row[0])))


def _rows(frame: pd.DataFrame, setting: Setting[TimelineOptions]) -> tuple[tuple[object, ...], ...]:
    """The rows of a frame, with runs by their places, by topic."""
    kept = frame.astype(object)
    rows = [
        (setting.run(run), *rest)
        for run, *rest in kept.where(kept.notna(), None).itertuples(index=False)
    ]
    return tuple(sorted(rows, key=lambda row: (row[1], str(row[2]), row[0])))


REPORT = Reporting(
    sections=(
        Section(
            "tolerance",
            "Dates some days apart",
            dates,
            "How near dates are is told from the timelines and their references",
        ),
        Section(
            "met",
            "Days met, and how late",
            met,
            "Which days are met is told from the timelines and their references",
        ),
    ),
    retold=lambda _: TimelineOptions(),
)
