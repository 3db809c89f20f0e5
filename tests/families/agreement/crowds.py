"""Worlds of many topics: so many numbers may be added up in other ways than a few."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests import strategies as st
from tests.families.agreement.tables import RUNS, Row, Table, World

FEWEST, MOST = 8, 40


def crowded(draw: st.DrawFn, world: World) -> World:
    """The world with each topic several times, under other names; one in five is missing there.

    In a copy of a topic each run has the rows of some run, or none.
    """
    chance = Random(draw(st.integers(0, 2**32)))
    topics, runs = world.topics, world.runs.runs
    rows: dict[str, list[Row]] = {name: list(table.rows) for name, table in world.tables.items()}
    for number in range(draw(st.integers(FEWEST, MOST)) - len(topics)):
        topic, name = chance.choice(topics), f"{number}~"
        of = {run: chance.choice(runs) for run in runs if chance.randrange(5)}
        for table, own in world.tables.items():
            rows[table] += _copied(own, world.topic, topic, name + topic, of)
    tables = {name: replace(table, rows=rows[name]) for name, table in world.tables.items()}
    return replace(world, tables=tables | _matches_of(tables))


def _matches_of(tables: dict[str, Table]) -> dict[str, Table]:
    """Matches that name no run, without those of updates that no run has there and no pool."""
    if "matches" not in tables or "run" in tables["matches"].kinds:
        return {}
    there = [tables[name] for name in (RUNS, "pool") if name in tables]
    known = {(row["topic"], row["update_id"]) for table in there for row in table.rows}
    return {
        "matches": tables["matches"].where(lambda row: (row["topic"], row["update_id"]) in known)
    }


def _copied(
    table: Table, column: str, topic: str, name: str, of: dict[str, str]
) -> list[dict[str, str]]:
    """The rows of a topic under another name, those of runs by whose they become."""
    if column not in table.kinds:
        return []
    own = [row for row in table.rows if row[column] == topic]
    if "run" not in table.kinds:
        return [{**row, column: name} for row in own]
    return [
        {**row, column: name, "run": run}
        for run, other in of.items()
        for row in own
        if row["run"] == other
    ]
