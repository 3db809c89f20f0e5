"""Random small evaluations of CrisisFACTS, as dictionaries and as files of every form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from tests import strategies as st
from tests.program import tseval

REQUESTS = (
    *("CrisisFACTS-001-r1", "CrisisFACTS-001-r2", "CrisisFACTS-001-r10"),
    *("CrisisFACTS-009-r1", "CrisisFACTS-009-r2"),
)
DAYS = dict(
    zip(
        REQUESTS,
        ("2020-03-01", "2020-03-02", "2020-03-09", "2020-03-02", "2020-03-04"),
        strict=True,
    )
)
MOMENTS = ("2020-03-02", "2020-03-03T00:00:01Z", "2020-03-04T23:59:59Z", "2020-03-05", "2021-01-01")
RUNS = ("nm", "nm-gpt35", "nm-gpt35-bm25", "b.v1")
LABELS = ("USEFUL_FACT", "REDUNDANT_FACT", "POOR_FACT", "LAGGED_FACT")
STATUSES = ("unmatched", "irrelevant", "skipped", "unassessed")
IMPORTANCE = st.sampled_from([0.0, 0.5, 1.0])
"""Few different values, so that ties are common."""
FORMS = ("lists", "lines", "facts", "imported", "tsv", "frame")
DATED = ("lists", "facts", "imported")
"""The forms of gold facts that tell their days."""


@dataclass(frozen=True)
class Collapsed:
    """Collapsed facts by request, and labels as (fact, assessor, label)."""

    facts: dict[str, list[dict[str, Any]]]
    labels: list[tuple[str, str, str]]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The labels without assessors."""
        return [(fact, label) for fact, _, label in self.labels]


@dataclass(frozen=True)
class Items:
    """Items by run and request, and gold facts by request."""

    items: dict[str, dict[str, list[dict[str, Any]]]]
    gold: dict[str, list[str]]


def fact_id(request: str, number: int) -> str:
    return f"{request}-collapsed-{number:04d}"


@st.composite
def collapsed(draw: st.DrawFn) -> Collapsed:
    """Facts of some requests, of which some have no raw fact, no label, or labels of all kinds."""
    facts: dict[str, list[dict[str, Any]]] = {}
    for request in draw(st.lists(st.sampled_from(REQUESTS), min_size=1, unique=True)):
        own = []
        for number in draw(st.permutations(range(draw(st.integers(1, 5))))):
            runs = draw(st.lists(st.sampled_from(RUNS), max_size=3))
            raws = [f"{request}-{run}-{10 * number + at:04d}" for at, run in enumerate(runs)]
            own.append(
                {
                    "collapsed_fact_id": fact_id(request, number),
                    "relevant_facts": raws,
                    "importance": draw(IMPORTANCE),
                }
            )
        if draw(st.integers(0, 3)) == 3:  # so that of the facts above two are among the first 64
            first = {"relevant_facts": [], "importance": 1.0}
            own[:0] = [first | {"collapsed_fact_id": fact_id(request, at)} for at in range(9, 71)]
        facts[request] = own
    known = [fact["collapsed_fact_id"] for own in facts.values() for fact in own]
    label = st.tuples(
        st.sampled_from([*known, "CrisisFACTS-001-r1-collapsed-9999"]),
        st.sampled_from(["x", "y"]),
        st.sampled_from(LABELS),
    )
    return Collapsed(facts, draw(st.lists(label, min_size=1, max_size=12)))


def as_rows(world: Collapsed) -> pd.DataFrame:
    rows = [
        (request, fact["collapsed_fact_id"], raw, fact["importance"])
        for request, own in world.facts.items()
        for fact in own
        for raw in fact["relevant_facts"] or [""]
    ]
    return pd.DataFrame(
        rows, columns=["request", "collapsed_fact_id", "relevant_fact", "importance"]
    )


def table_in(frame: pd.DataFrame, path: Path, form: str) -> pd.DataFrame | Path:
    """A table as a frame or as a file."""
    if form == "frame":
        return frame
    frame.to_csv(path, sep="\t", index=False)
    return path


def facts_in(world: Collapsed, folder: Path, form: str) -> Any:
    """The facts as files of a form."""
    if form in ("frame", "tsv"):
        return table_in(as_rows(world), folder / "facts.tsv", form)
    if form == "imported":
        return imported("collapsed", facts_in(world, folder, "lists"), folder)
    if form == "lists":
        paths = [folder / f"Collapsed-{request}.json" for request in world.facts]
        for path, own in zip(paths, world.facts.values(), strict=True):
            path.write_text(json.dumps(own, indent=0))
        return paths
    lines = (
        [{"requestID": request, "facts": own} for request, own in world.facts.items()]
        if form == "lines"
        else [fact for own in world.facts.values() for fact in own]
    )
    path = folder / "facts.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def imported(kind: str, paths: Any, folder: Path) -> Path:
    """What an import makes of files."""
    made = folder / f"{kind}.imported.tsv"
    several = paths if isinstance(paths, list) else [paths]
    assert tseval("import", f"crisisfacts-{kind}", *several, "-o", made).code == 0
    return made


def labels_in(world: Collapsed, folder: Path, form: str) -> Any:
    """The labels as a list of triples, or as a table."""
    if form in ("lists", "lines"):
        path = folder / "labels.json"
        path.write_text(json.dumps(world.labels))
        return path
    if form == "imported":
        return imported("labels", labels_in(world, folder, "lists"), folder)
    frame = pd.DataFrame(world.labels, columns=["collapsed_fact_id", "assessor", "label"])
    return table_in(frame, folder / "labels.tsv", form)


def days() -> pd.DataFrame:
    return pd.DataFrame({"request": DAYS.keys(), "day": DAYS.values()})


@st.composite
def items(draw: st.DrawFn) -> Items:
    """Items of some runs on some requests; some requests of runs have no gold facts."""
    known = draw(st.lists(st.sampled_from(REQUESTS), min_size=1, unique=True))
    number = st.one_of(st.integers(1, 4), st.integers(9, 10))
    gold = {each: [f"{each}-{at}" for at in range(draw(number))] for each in known}
    every = [fact for own in gold.values() for fact in own]
    matched = st.fixed_dictionaries(
        {
            "importance": IMPORTANCE,
            "status": st.just("matched"),
            "facts": st.lists(st.sampled_from(every), min_size=1, max_size=3),
        }
    )
    other = st.fixed_dictionaries(
        {
            "importance": IMPORTANCE,
            "status": st.sampled_from(STATUSES),
            "facts": st.just([]),
        }
    )
    runs: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for run in draw(st.lists(st.sampled_from(RUNS), min_size=1, unique=True)):
        own = draw(st.lists(st.sampled_from(REQUESTS), min_size=1, unique=True))
        runs[run] = {each: draw(st.lists(matched | other, max_size=6)) for each in own}
    return Items(runs, gold)


def items_in(world: Items, folder: Path, form: str) -> Any:
    """The items as lines, or as a table."""
    if form == "imported":
        return imported("items", items_in(world, folder, "lists"), folder)
    if form in ("lists", "lines", "facts"):
        path = folder / "items.jsonl"
        lines = [
            {"request": request, "run": run, "items": own}
            for run, by_request in world.items.items()
            for request, own in by_request.items()
        ]
        path.write_text("".join(json.dumps(each) + "\n" for each in lines))
        return path
    nothing: list[dict[str, Any]] = [{"importance": 0.0, "status": "", "facts": []}]
    rows = [
        (run, request, each["importance"], each["status"], " ".join(each["facts"]))
        for run, by_request in world.items.items()
        for request, own in by_request.items()
        for each in own or nothing
    ]
    frame = pd.DataFrame(rows, columns=["run", "request", "importance", "status", "facts"])
    return table_in(frame, folder / "items.tsv", form)


def gold_in(world: Items, folder: Path, form: str) -> Any:
    """The gold facts as the track's file, which calls them by their place, or as a table."""
    if form == "imported":
        return imported("gold", gold_in(world, folder, "lists"), folder)
    if form in ("lists", "facts"):
        events: dict[str, Any] = {}
        for request, own in world.gold.items():
            event = events.setdefault(request.rpartition("-")[0], {"factsByRequest": {}})
            event["factsByRequest"][request] = [
                {"fact": name, "dateString": DAYS[request]} for name in own
            ]
        path = folder / "gold.json"
        path.write_text(json.dumps([{"eventID": k, **v} for k, v in events.items()], indent=1))
        return path
    rows = [(request, fact) for request, own in world.gold.items() for fact in own]
    frame = pd.DataFrame(rows, columns=["request", "fact_id"])
    return table_in(frame, folder / "gold.tsv", form)
