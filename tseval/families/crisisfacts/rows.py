"""From tables to rows: judged facts or items, and what each run says of each request."""

from __future__ import annotations

import polars as pl

from tseval.core.frames import Content, FrameIndex, Request
from tseval.core.kernel import ALWAYS, natural, total
from tseval.core.rules import RuleSet, choice
from tseval.core.wording import count, listed
from tseval.families.crisisfacts import files
from tseval.io.names import natural_order
from tseval.io.times import UNITS
from tseval.records import frozen

FIRST = 64
"""How many collapsed facts of a request were assessed."""
ENOUGH = 10
"""How many gold facts a day needs to count in the paper of 2022."""
TRACK = tuple(f"CrisisFACTS-{number:03d}" for number in range(9, 19))
"""The events of the track of 2023."""
DAY, LAST_SECOND = UNITS["d"], UNITS["d"] - 1
"""The length of a day, and its last second, as the track writes the end of a request."""
FACT = files.FACT.name
CELL = ("run", "request")


@frozen
class CrisisRules(RuleSet):
    """Which facts, days and events count, and what a redundant fact is worth."""

    facts: str = choice(
        "what runs are held against",
        collapsed="collapsed facts with labels, which hold raw facts of runs",
        gold="gold facts, by the items of runs that assessors matched with them",
    )
    pool: str = choice(
        "64",
        "the collapsed facts of a request that count",
        **{
            "64": "the 64 of highest importance; where it is equal they stand as in the file",
            "all": "all of them",
        },
    )
    redundant: str = choice(
        ".5",
        "a collapsed fact whose best label is REDUNDANT_FACT is worth",
        **{".5": "half a useful one", "0": "nothing, as the notebook has it in a comment"},
    )
    days: str = choice(
        "all",
        "the days of gold facts that count",
        **{"all": "all that have any", "10": "those with at least ten, as in the paper of 2022"},
    )
    events: str = choice(
        "the events that count",
        all="all of the files",
        track="CrisisFACTS-009 to CrisisFACTS-018, as in the track of 2023",
    )


def sort_naturally(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Sort by columns of names, with the numbers in names by their size."""
    keys = [pl.col(name).cast(natural(frame[name].unique())) for name in names]
    return frame.sort(keys, maintain_order=True)


def rank_in(*group: str) -> pl.Expr:
    """Return the place by falling importance in a group, from 1; ties keep the order of rows."""
    return pl.col("importance").rank("ordinal", descending=True).over(group).cast(pl.Int64)


def index_facts(request: Request) -> Content:
    """Return what runs say of collapsed facts, of requests with a fact of worth; and warnings."""
    rules, label, score = request.rules, pl.col("label"), pl.col("score")
    facts, labels = (request.tables[name].frame for name in ("facts", "gold"))
    worth = {files.USEFUL: 1.0, files.REDUNDANT: 0.5 if rules.redundant == ".5" else 0.0}
    judgments = labels.group_by(FACT, maintain_order=True).agg(
        labels=label.str.join(" "),
        score=label.replace_strict(worth, default=0.0).max(),
        is_lagged=(label == files.LAGGED).any(),
    )
    each = facts.group_by(FACT, maintain_order=True).agg(
        pl.col("request", "importance", "^fact_text$").first(), pl.col("run").drop_nulls().unique()
    )
    judged = each.join(judgments, on=FACT, how="left", maintain_order="left").with_columns(
        score.fill_null(0.0),
        rank=rank_in("request"),
        counts=(rank_in("request") <= FIRST) | (rules.pool == "all"),
    )
    counted = judged.filter("counts")
    gold = judged.group_by("request").agg(gold=score.filter(pl.col("counts") & (score > 0)).len())
    said = counted.explode("run").drop_nulls("run").group_by(CELL)
    lagged = pl.col("is_lagged").eq(True).sum()
    cells = said.agg(facts=pl.len(), score=total(score), said=(score > 0).sum(), lagged=lagged)
    index = index_requests(request, gold, cells, judged=judged, labels=labels)
    warnings = []
    if unknown := labels.join(judged, on=FACT, how="anti").height:
        warnings.append(f"labels: {count(unknown, 'label')} of facts not in FACTS, ignored")
    if beyond := judged.drop_nulls("labels").height - counted.drop_nulls("labels").height:
        number = count(beyond, "labelled fact")
        why = f"beyond the first {rules.pool} of a request, ignored; --rule pool=all takes them"
        warnings.append(f"labels: {number} {why}")
    names = natural_order(missing_requests(gold, index["requests"]))
    if names and rules.events == "all":
        why = "without a fact of worth, left out for all runs"
        warnings.append(f"{count(len(names), 'request')} {why}: {listed(names)}")
    return Content(index, warnings)


def index_items(request: Request) -> Content:
    """Return what runs say of gold facts, by as many items a day as it has facts; and warnings."""
    items, facts = (request.tables[name].frame for name in ("facts", "gold"))
    status, names = pl.col("status"), pl.col("facts").str.extract_all(r"\S+")
    gold = facts.group_by("request").agg(gold=pl.len())
    known = items.join(gold, on="request", maintain_order="left")
    each = known.filter(status != "").with_columns(
        rank=rank_in(*CELL),
        counts=rank_in(*CELL) <= pl.col("gold"),
        fact_id=names.list.unique(maintain_order=True),
    )
    named = each.explode("fact_id").drop_nulls("fact_id")
    strange = named.join(facts, on="fact_id", how="anti", maintain_order="left")
    reason, cure = 'fact "{fact_id}" is of no request', "items name facts of GOLD"
    request.tables["facts"].refuse(strange, reason, cure, "unknown-id")
    matches = named.join(facts, on=["request", "fact_id"], how="semi", maintain_order="left")
    matches = matches.group_by(*CELL, "rank", maintain_order=True).agg(matches="fact_id")
    judged = each.join(matches, on=[*CELL, "rank"], how="left")
    counted = judged.filter("counts").group_by(CELL)
    cells = counted.agg(
        items=pl.len(),
        assessed=(status != files.UNASSESSED).sum(),
        matches=pl.col("matches").list.len().sum(),
        said=pl.col("matches").explode().drop_nulls().n_unique(),
        **{name: (status == name).sum() for name in files.OF_ASSESSED},
    )
    cells = known.select(CELL).unique().join(cells, on=CELL, how="left")
    index = index_requests(request, gold, cells, judged=judged)
    lost = {
        "not in the gold facts, ignored": missing_requests(items, gold),
        "left out by the rules": natural_order(missing_requests(gold, index["requests"])),
    }
    numbers = {why: count(len(names), "request") for why, names in lost.items() if names}
    return Content(index, [f"{numbers[why]} {why}: {listed(lost[why])}" for why in numbers])


def missing_requests(rows: pl.DataFrame, requests: pl.DataFrame) -> list[str]:
    """Return the requests of rows that are not among these, in the order of the rows."""
    missing = rows.join(requests, on="request", how="anti", maintain_order="left")
    return missing["request"].unique(maintain_order=True).to_list()


def index_requests(
    request: Request, gold: pl.DataFrame, cells: pl.DataFrame, **frames: pl.DataFrame
) -> FrameIndex:
    """Return the counts in `cells` of every run on every request that counts, with its day."""
    rules, tables = request.rules, request.tables
    of_gold = rules.facts == "gold"
    requests = gold.with_columns(topic=files.event_of(pl.col("request")))
    if rules.events == "track":
        events = requests["topic"].unique()
        requests = requests.filter(pl.col("topic").is_in(TRACK))
        if not requests.height:
            names = listed(natural_order(events))
            reason = f"does not fit the rule events=track: its events are {names}"
            cure = f"the rule takes {TRACK[0]} to {TRACK[-1]}; leave it out to take all events"
            tables["gold" if of_gold else "facts"].refuse_all(reason, cure, "unrelated-inputs")
    least = ENOUGH if of_gold and rules.days == "10" else 1
    requests = sort_naturally(requests.filter(pl.col("gold") >= least), "request")
    if not requests.height:
        cure = "a request counts if it has a collapsed fact of worth, of 2022 if it has gold facts"
        tables["gold"].refuse_all("leaves no request that counts", cure, "no-rows")
    runs = pl.DataFrame({"run": natural_order(tables["facts"].frame["run"].unique().drop_nulls())})
    if not runs.height:
        tables["facts"].refuse_all("names no run", files.RAW_CURE, "id-format")
    day, none = pl.col("day"), pl.DataFrame(schema={"request": pl.String, "day": pl.Float64})
    sources = (tables[name].frame for name in ("gold", "requests") if name in tables)
    known = [none, *(each.select(none.columns) for each in sources if "day" in each.columns)]
    days = pl.concat(known).unique("request", keep="last", maintain_order=True)
    requests = requests.join(days, on="request", how="left", maintain_order="left")
    requests = requests.with_columns(day=pl.when(day.is_not_null().all()).then(day))
    requests = requests.with_columns(time=(day + LAST_SECOND).fill_null(ALWAYS))
    times = requests.group_by("topic").agg(start=day.min(), end=day.max() + DAY, latest=day.max())
    times = sort_naturally(times.fill_null(0.0), "topic")
    grid = runs.join(requests, how="cross", maintain_order="left_right")
    present = cells.with_columns(present=1)
    grid = grid.join(present, on=CELL, how="left", maintain_order="left")
    grid = grid.with_columns(pl.selectors.numeric().exclude("day").fill_null(0))
    outputs = grid.filter(present=1).select("run", "topic", "time")
    grids = {"requests": requests, "grid": grid, "cells": grid}
    return FrameIndex.of(runs["run"].to_list(), times, outputs, **frames, **grids)
