"""Random small evaluations, as the slow reference sees them and as the program reads them."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from tests import strategies as st
from tests.oracles.temporal import Collection, Duplicate, Match, Nugget, Update
from tseval.core.blocks import Block
from tseval.core.calling import CommonOptions, evaluated
from tseval.core.family import ViewRequest
from tseval.core.sections import Setting
from tseval.families.temporal.evaluation import (
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.family import FAMILY

TOPICS = ("t1", "t2", "t10")
RUNS = ("b", "a")
WORDS = ("river", "Osk", "flood", "12", "men", "", "straße", "½", "naïve co-op")
TIMES = st.integers(0, 12)
"""Few different times, so that ties are common."""
TEXTS = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
GRADES = st.sampled_from((0, 0.25, 0.5, 1))


@st.composite
def collections(
    draw: st.DrawFn, *, costs: bool | None = None, runs: int = 2, graded: bool | None = None
) -> Collection:
    """Runs and gold with ties, empty systems, unmatched nuggets, and updates in no topic."""
    with_costs = draw(st.booleans()) if costs is None else costs
    cost = st.integers(0, 4) if with_costs else st.just(1)
    nuggets = [
        Nugget(topic, f"n{i}", draw(TIMES), draw(TEXTS), draw(st.integers(0, 3)), draw(cost))
        for topic in sorted(draw(st.sets(st.sampled_from(TOPICS), min_size=1)))
        for i in range(draw(st.integers(1, 4)))
    ]
    updates = [
        Update(topic, f"u{i}", draw(TIMES), draw(TEXTS), run, draw(cost))
        for run in RUNS[:runs]
        for topic in sorted(draw(st.sets(st.sampled_from((*TOPICS, "elsewhere")))))
        for i in range(draw(st.integers(0, 5)))
    ]
    named = draw(st.booleans())
    possible = {
        Match(u.topic, u.update_id, n.nugget_id, u.run if named else None)
        for u in updates
        for n in nuggets
        if u.topic == n.topic
    }
    matches = [match for match in sorted(possible, key=str) if draw(st.booleans())]
    if draw(st.booleans()) if graded is None else graded:
        matches = [replace(match, grade=draw(GRADES)) for match in matches]
    pairs = [
        Duplicate(u.topic, u.update_id, v.update_id)
        for u in updates
        for v in updates
        if u.topic == v.topic and u is not v
    ]
    duplicates = draw(st.lists(st.sampled_from(pairs), max_size=4)) if pairs else []
    starts = {topic: draw(TIMES) for topic in TOPICS}
    return Collection(draw(st.permutations(updates)), nuggets, matches, duplicates, starts)


def has_costs(collection: Collection) -> bool:
    """Whether any cost is other than 1, so that the tables need the column."""
    costs = [each.cost for each in collection.updates] + [each.cost for each in collection.nuggets]
    return any(cost != 1 for cost in costs)


def frames(collection: Collection) -> dict[str, pd.DataFrame]:
    """The tables of a collection, by the names of the parameters of `TemporalInputs`."""
    cost = ["cost"] if has_costs(collection) else []
    updates = [vars(update) for update in collection.updates]
    nuggets = [vars(nugget) for nugget in collection.nuggets]
    matches = [vars(match) for match in collection.matches]
    run = ["run"] if any(match.run for match in collection.matches) else []
    run += ["grade"] if any(match.grade != 1 for match in collection.matches) else []
    return {
        "updates": pd.DataFrame(
            updates, columns=["run", "topic", "update_id", "time", "text", *cost]
        ),
        "nuggets": pd.DataFrame(
            nuggets, columns=["topic", "nugget_id", "time", "text", "importance", *cost]
        ),
        "matches": pd.DataFrame(matches, columns=["topic", "update_id", "nugget_id", *run]),
        "duplicates": pd.DataFrame(
            [vars(pair) for pair in collection.duplicates],
            columns=["topic", "update_id", "duplicate_id"],
        ),
        "topics": pd.DataFrame(collection.starts.items(), columns=["topic", "start"]),
    }


def read(inputs: TemporalInputs, common: CommonOptions | None = None) -> TemporalEvaluation:
    """Runs and gold read, matched and indexed, as they are without any option."""
    found: TemporalEvaluation = evaluated(FAMILY, inputs, TemporalOptions(), common)
    return found


def evaluation(collection: Collection, *, duplicates: bool = False) -> TemporalEvaluation:
    """The collection read, matched and indexed by the program."""
    tables = frames(collection)
    return read(
        TemporalInputs(
            updates=[tables["updates"]],
            nuggets=tables["nuggets"],
            matches=tables["matches"],
            duplicates=tables["duplicates"] if duplicates else None,
            topics=tables["topics"],
        )
    )


def explained(found: TemporalEvaluation, view: str) -> pd.DataFrame:
    """What a view shows of an evaluation."""
    (rows,) = (each.rows for each in FAMILY.views if each.name == view)
    return rows(found, ViewRequest((), found.request.options)).frame


def section(found: TemporalEvaluation, name: str) -> list[Block]:
    """What a section of a report has of an evaluation."""
    assert FAMILY.report is not None
    (blocks,) = (each.blocks for each in FAMILY.report.sections if each.name == name)
    return list(blocks(found, Setting(found.index.runs, (), found.request.options)))
