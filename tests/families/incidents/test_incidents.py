"""The measures of incident streams, held to the slow reference in every edition."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import program
from tests import strategies as st
from tests.oracles import incidents_2021, incidents_proposal
from tests.oracles.incidents import Label, Line, Ontology
from tests.oracles.incidents_values import EDITIONS, Evaluation, Values, World

pytestmark = pytest.mark.small_times

EVENTS = ("f", "e", "g")
POSTS = tuple(f"p{at}" for at in range(6))
LEVELS = ("Low", "Medium", "High", "Critical", "Unknown")
SIX = frozenset(
    {
        *("Request-GoodsServices", "Request-SearchAndRescue", "CallToAction-MovePeople"),
        *("Report-EmergingThreats", "Report-NewSubEvent", "Report-ServiceAvailable"),
    }
)
NEW = (
    *("Report-NewSubEvent", "Other-Advice", "Request-GoodsServices", "Other-Irrelevant"),
    *("Report-News", "Other-Unknown", "Report-EmergingThreats"),
)
OLD = tuple(
    {
        "Report-NewSubEvent": "Report-SignificantEventChange",
        "Report-News": "Other-ContinuingNews",
    }.get(name, name)
    for name in NEW
)
OTHER_YEAR = dict(zip((*OLD, *NEW), (*NEW, *OLD), strict=True))
GROUPS = ("", "(actionable)", "(other)")
MEASURES = (
    *(f"type.{name}{group}" for name in ("P", "R", "F1", "accuracy") for group in GROUPS),
    *(f"any.{name}" for name in ("P", "R", "F1", "accuracy")),
    *(f"priority.{name}{group}" for name in ("MSE", "RMSE", "F1", "pearson") for group in GROUPS),
    *("AAW", "AAW.high", "AAW.low", "nDCG@100", "priority.MSE_posts"),
)
PRIORITIES = (
    st.sampled_from((0.0, 0.1, 0.25, 0.26, 0.5, 0.51, 0.7, 0.75, 0.76, 1.0)),
    st.sampled_from((0.7, 0.70001, 0.8, 1.0)),
    st.sampled_from((-1.0, 0.0, 0.5, 0.9, 2.0, 5.5)),
    st.sampled_from((0.1,)),
    st.sampled_from((0.9,)),
    st.sampled_from((7.0,)),
)
"""A run's priorities are of one of these."""


@dataclass(frozen=True)
class Case:
    """What the program is given, and the same as the reference sees it, run by run."""

    edition: str
    types: tuple[str, ...]
    labels: pd.DataFrame
    runs: pd.DataFrame
    worlds: Mapping[str, World]
    times: Mapping[str, float]
    options: Mapping[str, Any]


@st.composite
def written_types(
    draw: st.DrawFn, types: tuple[str, ...], edition: str
) -> tuple[str, frozenset[str]]:
    """Types as a table has them, and what they are: by full, short, old or unknown names."""
    names, meant = [], set()
    for name in sorted(draw(st.sets(st.sampled_from(types), max_size=3))):
        kind = draw(st.sampled_from(("full", "full", "short", "renamed", "lost")))
        spelled = OTHER_YEAR[name] if kind == "renamed" else name
        if kind == "short":
            spelled = name.split("-")[1]
        if kind == "lost":
            spelled = "Report-Nowhere"
        names.append(spelled)
        renamed = kind == "renamed" and edition in {"note", "proposal"}
        if spelled in types or kind == "short" or renamed:
            meant.add(name)
    return ",".join(names), frozenset(meant)


@st.composite
def cases(draw: st.DrawFn, edition: str) -> Case:
    """Posts labelled several times and in two events, repeated, missing and unjudged lines."""
    types = draw(st.sampled_from((NEW, OLD)))
    events = EVENTS[: draw(st.integers(1, 3))]
    posts = POSTS[: draw(st.integers(1, 6))]
    times = {post: float(draw(st.sampled_from((0, 10, 10, 20, 3600)))) for post in POSTS}
    labels, rows = [], []
    for _ in range(draw(st.integers(1, 8))):
        event, post = draw(st.sampled_from(events)), draw(st.sampled_from(posts))
        level = draw(st.sampled_from(LEVELS))
        spelled, meant = draw(written_types(types, edition))
        labels.append(Label(event, post, meant, level))
        rows.append((event, post, level, spelled, times[post]))
    worlds, said = {}, []
    options, changed, actionable = draw(choices(edition, types))
    world = World(edition, labels, [], Ontology(types, actionable), changed)
    if draw(st.integers(0, 3)) == 0:
        world = replace(world, until=float(draw(st.sampled_from((5, 11, 3600)))))
        options["at"] = str(world.until)
    if draw(st.integers(0, 3)) == 0:
        world = replace(world, skip=True)
        options["on_missing"] = "skip"
    for run in ("b", "a")[: draw(st.integers(1, 2))]:
        priority = draw(st.sampled_from(PRIORITIES))
        first = draw(st.sampled_from(labels)).place  # or the run would be refused
        other = st.tuples(st.sampled_from((*events, "elsewhere")), st.sampled_from(POSTS))
        places = draw(st.permutations([first, *draw(st.lists(other, max_size=8))]))
        lines = []
        for event, post in places:
            spelled, meant = draw(written_types(types, edition))
            rank, value = draw(st.integers(1, 4)), draw(priority)
            lines.append(Line(event, post, times[post], rank, value, meant))
            said.append((run, event, post, value, spelled, rank))
        worlds[run] = replace(world, lines=lines)
    return Case(
        edition,
        types,
        pd.DataFrame(rows, columns=["topic", "post_id", "level", "types", "time"]),
        pd.DataFrame(said, columns=["run", "topic", "post_id", "priority", "types", "rank"]),
        worlds,
        times,
        options,
    )


@st.composite
def choices(
    draw: st.DrawFn, edition: str, types: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, object], frozenset[str]]:
    """Options, what they change in the reference's alerts, and the types that are actionable."""
    options: dict[str, Any] = {"rules": {}}
    changed: dict[str, object] = {}
    actionable = SIX
    if edition in {"note", "proposal"} and types == OLD:
        actionable = SIX - {"Report-NewSubEvent"} | {"Report-SignificantEventChange"}
    if draw(st.booleans()):
        return options, changed, actionable
    rules = options["rules"]
    if base := draw(st.sampled_from((None, "10", "e"))):
        rules["logarithm"], changed["base"] = base, math.e if base == "e" else 10.0
    if order := draw(st.sampled_from((None, "time", "rank", "file"))):
        rules["order"] = changed["order"] = order
    if delta := draw(st.sampled_from((None, "event", "run"))):
        rules["delta"], changed["anew"] = delta, delta == "event"
    if counts := draw(st.sampled_from((None, "before", "with"))):
        rules["delta-counts"], changed["present"] = counts, counts == "with"
    if wrong := draw(st.sampled_from((None, "both", "positive"))):
        rules["any-wrong"], changed["wrong_missed"] = wrong, wrong == "both"
    if refusals := draw(st.sampled_from((None, "off", "on"))):
        rules["refusals"], changed["refusals"] = refusals, refusals == "on"
    if untyped := draw(st.sampled_from((None, "missed", "wrong"))):
        rules["any-untyped"], changed["untyped_wrong"] = untyped, untyped == "wrong"
    if mean := draw(st.sampled_from((None, "types", "averages"))):
        rules["f1-mean"], changed["f1_of_means"] = mean, mean == "averages"
    if mode := draw(st.sampled_from((None, "always", "auto", "never"))):
        rules["normalise"] = changed["normalise"] = mode
    if draw(st.booleans()):
        options["alpha"] = changed["alpha"] = draw(st.sampled_from((0.0, 0.5, 1.0)))
    if edition in {"note", "proposal"} and draw(st.booleans()):  # types are worth nothing elsewhere
        options["lambda_"] = changed["weight"] = draw(st.sampled_from((0.0, 0.4, 1.0)))
    if edition != "proposal" and draw(st.booleans()):
        options["threshold"] = changed["threshold"] = draw(st.sampled_from((0.0, 0.5, 0.9)))
    if draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(types), min_size=1, max_size=3, unique=True))
        options["actionable"], actionable = chosen, frozenset(chosen)
    return options, changed, actionable


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("incidents")
    for name, types in (("new", NEW), ("old", OLD)):
        content = {"informationTypes": [{"id": each} for each in types]}
        (made / f"{name}.json").write_text(json.dumps(content))
    return made


def scored(folder: Path, case: Case) -> tseval.Scores:
    ontology = folder / ("new.json" if case.types == NEW else "old.json")
    options = {"edition": case.edition} | dict(case.options)
    return tseval.score_incidents(case.runs, case.labels, ontology, MEASURES, **options)


def unequal(scores: tseval.Scores, run: str, expected: Values, at: str) -> list[tuple[Any, ...]]:
    """Where the program has something else."""
    found = []
    for (measure, place), value in expected.items():
        mine = scores.value(f"{measure}{at}", place, run)
        same = mine is None if value is None else mine is not None and close(mine, value)
        if not same:
            found.append((run, measure, place, mine, value))
    return found


def close(mine: float, value: float) -> bool:
    return math.isclose(mine, value, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("edition", EDITIONS)
@settings(max_examples=80)
@given(data=st.data())
def test_values_equal_the_slow_ones(folder: Path, edition: str, data: st.DataObject) -> None:
    case = data.draw(cases(edition))
    scores = scored(folder, case)
    for run, world in case.worlds.items():
        whole = {"": replace(world, until=None)}
        asked = {f"@{case.options['at']}": world} if "at" in case.options else {}
        for at, each in (whole | asked).items():
            assert not unequal(scores, run, Evaluation(each, case.times).values(), at)


# Ties in nDCG

TIED = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=130)
"""What a run says of a post and what the assessors do, as levels; 0 is unknown."""


def ndcg(folder: Path, said: Sequence[int], true: Sequence[int]) -> float | None:
    """The value of a run that says these levels of posts that have those."""
    posts = [f"p{at}" for at in range(len(said))]
    levels = [LEVELS[level - 1] for level in true]  # 0 is the last of them
    priorities = [(0.2, 0.4, 0.6, 0.9)[level - 1] for level in said]
    labels = pd.DataFrame({"topic": "e", "post_id": posts, "level": levels, "types": ""})
    run = pd.DataFrame({"topic": "e", "post_id": posts, "priority": priorities, "types": ""})
    scores = tseval.score_incidents(run, labels, folder / "new.json", "nDCG@100")
    return scores.value("nDCG@100", "e")


def best_dcg(gain: Sequence[float]) -> float:
    best = sorted(gain, reverse=True)[:100]
    return sum(each / math.log2(at + 2) for at, each in enumerate(best))


@settings(max_examples=15)
@given(TIED)
def test_expected_dcg_is_the_slow_one(folder: Path, posts: list[tuple[int, int]]) -> None:
    gain = [2.0**level - 1 for _, level in posts]
    slow = [(level - 1, each) for (level, _), each in zip(posts, gain, strict=True)]
    found, best = ndcg(folder, *zip(*posts, strict=True)), best_dcg(gain)
    if not best:
        assert found is None
    else:
        assert found is not None
        assert close(found * best, incidents_2021.expected_dcg(slow))


def test_expected_dcg_is_the_mean_of_many_shuffles(folder: Path) -> None:
    """Ties across the depth: the mean of 20,000 orders, within four of its standard errors."""
    random = np.random.default_rng(7)
    said = random.integers(1, 5, 160)
    true = random.integers(1, 5, 160)
    gain = 2.0**true - 1
    weights = 1 / np.log2(np.arange(2, 102))
    draws = np.empty(20_000)
    for at in range(len(draws)):
        order = random.permutation(160)
        order = order[np.argsort(-said[order], kind="stable")][:100]
        draws[at] = gain[order] @ weights
    error = draws.std() / math.sqrt(len(draws))
    assert error < 0.05
    found = ndcg(folder, said.tolist(), true.tolist())
    assert found is not None
    assert abs(found * best_dcg(gain.tolist()) - draws.mean()) < 4 * error


def test_the_ideal_too_is_of_a_hundred_posts(folder: Path) -> None:
    """A run that says of 120 posts what the assessors say cannot be better."""
    posts = [f"p{at}" for at in range(120)]
    labels = pd.DataFrame({"topic": "e", "post_id": posts, "level": "Critical", "types": ""})
    run = pd.DataFrame({"topic": "e", "post_id": posts, "priority": 1.0, "types": ""})
    for rules in ({}, {"ties": "shuffled"}):
        scores = tseval.score_incidents(run, labels, folder / "new.json", "nDCG@100", rules=rules)
        assert scores.value("nDCG@100") == pytest.approx(1.0, abs=1e-12)


def test_shuffled_ties_come_near_the_expected_and_are_the_same_each_time(folder: Path) -> None:
    levels = ("Low", "Medium", "High", "Critical")
    posts = [f"p{at}" for at in range(40)]
    labels = pd.DataFrame({"topic": "e", "post_id": posts, "level": [*levels] * 10, "types": ""})
    run = pd.DataFrame({"topic": "e", "post_id": posts, "priority": 0.5, "types": ""})
    given = (run, labels, folder / "new.json", "nDCG@100")
    exact, one, again = (
        tseval.score_incidents(*given, edition="2021", rules=rules).value("nDCG@100")
        for rules in ({}, {"ties": "shuffled"}, {"ties": "shuffled"})
    )
    assert exact is not None
    assert one == again
    assert one != exact
    assert one == pytest.approx(exact, rel=0.05)


# The proposal

TREE = {"top": None, "middle": "top", "low": "middle", "else": None, "lower": "else"}


@settings(max_examples=60)
@given(data=st.data())
def test_the_proposal_equals_the_slow_one(folder: Path, data: st.DataObject) -> None:
    """Runs as JSON lines with confidences; a post that is emitted twice counts by its last line."""
    draw = data.draw
    entries = st.sets(st.sampled_from(sorted(TREE)), max_size=3)
    confidence = st.sampled_from((None, 0, 0.2, 0.5, 0.9))
    labels = [
        Label(draw(st.sampled_from("ef")), draw(st.sampled_from(POSTS)), frozenset(own), "Low")
        for own in draw(st.lists(entries, min_size=1, max_size=6))
    ]
    last: dict[tuple[str, str], incidents_proposal.Emission] = {}
    lines = []
    for at in range(draw(st.integers(0, 6)) + 1):
        place = (draw(st.sampled_from("efx")), draw(st.sampled_from(POSTS)))
        event, post = labels[0].place if at == 0 else place
        said = {name: draw(confidence) for name in sorted(draw(entries))}
        sure = {name: math.inf if value is None else value for name, value in said.items()}
        last[event, post] = incidents_proposal.Emission(event, post, at, sure)
        types = [
            {"id": name} if value is None else {"id": name, "confidence": value}
            for name, value in said.items()
        ]
        record = {"EventID": event, "ID": post, "PostTimestamp": at, "InformationTypes": types}
        lines.append(json.dumps(record) + "\n")
    (folder / "run.jsonl").write_text("".join(lines))
    ontology = [{"ID": name, "Description": "", "Parent": parent} for name, parent in TREE.items()]
    (folder / "tree.json").write_text(json.dumps(ontology))
    table = [(p.event, p.post, "Low", ",".join(sorted(p.types))) for p in labels]
    numbered = any('"confidence"' in line for line in lines)  # or a threshold is refused
    threshold = draw(st.sampled_from((0.0, 0.2, 0.6))) if numbered else 0.0
    rolled = draw(st.booleans())
    chosen = draw(st.none() | st.lists(st.sampled_from(sorted(TREE)), min_size=1, unique=True))
    scores = tseval.score_incidents(
        folder / "run.jsonl",
        pd.DataFrame(table, columns=["topic", "post_id", "level", "types"]),
        folder / "tree.json",
        edition="proposal",
        threshold=threshold,
        rules={"ancestors": "rolled-up"} if rolled else {},
        entries=chosen or (),
    )
    tree = incidents_proposal.Hierarchy(tuple(TREE), {n: p for n, p in TREE.items() if p})
    expected = incidents_proposal.proposal(
        labels, list(last.values()), tree, chosen, threshold, rolled
    )
    assert {name: scores.value(name) for name in expected} == pytest.approx(expected)


@settings(max_examples=60)
@given(data=st.data())
def test_types_over_their_own_pools_equal_the_slow_ones(folder: Path, data: st.DataObject) -> None:
    draw = data.draw
    entry = st.sampled_from(sorted(TREE))
    where = st.tuples(st.sampled_from("ef"), st.sampled_from(POSTS), entry)
    answers = draw(st.dictionaries(where, st.sampled_from((True, False, None)), min_size=1))
    known = {place: yes for place, yes in answers.items() if yes is not None}
    if not known:
        known = {next(iter(answers)): True}
        answers = dict(known)
    said = draw(st.dictionaries(st.tuples(st.sampled_from("ef"), st.sampled_from(POSTS)), entry))
    event, post, _ = next(iter(known))
    said.setdefault((event, post), "top")
    run = [
        incidents_proposal.Emission(*place, at, {name: 0.5})
        for at, (place, name) in enumerate(said.items())
    ]
    lines = [
        json.dumps(
            {
                "EventID": each.event,
                "ID": each.post,
                "PostTimestamp": each.time,
                "InformationTypes": [
                    {"id": n, "confidence": c} for n, c in each.confidences.items()
                ],
            }
        )
        for each in run
    ]
    (folder / "run.jsonl").write_text("\n".join(lines) + "\n")
    ontology = [{"ID": name, "Description": "", "Parent": parent} for name, parent in TREE.items()]
    (folder / "tree.json").write_text(json.dumps(ontology))
    rows = ["topic\ttype\tpost_id\trelevant"]
    for (at_event, at_post, name), yes in answers.items():
        rows.append(f"{at_event}\t{name}\t{at_post}\t{'' if yes is None else int(yes)}")
    (folder / "judged.tsv").write_text("\n".join(rows) + "\n")
    rolled = draw(st.booleans())
    scores = tseval.score_incidents(
        folder / "run.jsonl",
        folder / "judged.tsv",
        folder / "tree.json",
        edition="proposal",
        rules={"ancestors": "rolled-up"} if rolled else {},
    )
    tree = incidents_proposal.Hierarchy(tuple(TREE), {n: p for n, p in TREE.items() if p})
    counts = incidents_proposal.own_pools(known, run, tree, roll_up=rolled)
    for measure, value in incidents_proposal.mean_of_pools(counts).items():
        assert scores.value(measure) == pytest.approx(value)
    for name, own in counts.items():
        judged = own.tp + own.fp + own.fn + own.tn
        assert scores.value("type.accuracy", name) == (own.accuracy if judged else None)


@settings(max_examples=60)
@given(data=st.data())
def test_drawn_pools_equal_the_slow_ones(folder: Path, data: st.DataObject) -> None:
    draw = data.draw
    entries = st.dictionaries(st.sampled_from(sorted(TREE)), st.sampled_from((0, 0.2, 0.5, 0.9)))
    runs: dict[str, list[incidents_proposal.Emission]] = {}
    for name in ("one", "two"):
        places = st.tuples(st.sampled_from("ef"), st.sampled_from(POSTS))
        said = draw(st.dictionaries(places, entries, min_size=1))
        times = {place: draw(st.sampled_from((5, 5, 7))) for place in said}
        runs[name] = [
            incidents_proposal.Emission(*place, times[place], own) for place, own in said.items()
        ]
        lines = [
            {
                "EventID": each.event,
                "ID": each.post,
                "PostTimestamp": each.time,
                "InformationTypes": [
                    {"id": n, "confidence": c} for n, c in each.confidences.items()
                ],
            }
            for each in runs[name]
        ]
        (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    ontology = [{"ID": name, "Description": "", "Parent": parent} for name, parent in TREE.items()]
    (folder / "tree.json").write_text(json.dumps(ontology))
    number = st.none() | st.integers(1, 4)
    size, depth = draw(number), draw(number)
    frame = tseval.pool_incidents(
        [folder / "one", folder / "two"], folder / "tree.json", size=size, depth=depth
    )
    for entry in TREE:
        expected = incidents_proposal.drawn(runs, entry, size, depth)
        mine = frame[frame["type"] == entry]
        found = {event: set(own) for event, own in mine.groupby("topic")["post_id"]}
        assert found == expected


# What holds whatever the values


@settings(max_examples=25)
@given(data=st.data())
def test_the_order_of_labels_and_runs_changes_nothing_in_the_note(
    folder: Path, data: st.DataObject
) -> None:
    case = data.draw(cases("note"))
    scores = scored(folder, case)
    turned = replace(case, labels=case.labels[::-1], runs=case.runs)
    rules = case.options["rules"]
    if rules.get("delta") != "run":
        again = scored(folder, turned)
        for record in scores.records():
            mine = again.value(record.measure, record.topic, record.run)
            assert (mine is None) == (record.value is None)
            assert mine is None or close(mine, record.value or 0.0)


@settings(max_examples=25)
@given(data=st.data(), edition=st.sampled_from(sorted(EDITIONS)))
def test_values_lie_in_the_range_that_the_measures_name(
    folder: Path, edition: str, data: st.DataObject
) -> None:
    scores = scored(folder, data.draw(cases(edition)))
    for record in scores.records():
        name = record.measure.partition("@")[0]
        unbounded = name.startswith(("AAW", "priority.MSE", "priority.RMSE"))
        if record.value is not None and not unbounded:
            low = -1.0 if "pearson" in name else 0.0
            assert low - 1e-9 <= record.value <= 1 + 1e-9, record


def test_blocks_and_streams_have_the_values_of_the_whole(tmp_path: Path) -> None:
    rows = [
        {"topic": "flood", "post_id": "f1", "priority": 5, "types": "Report-News"},
        {"topic": "quake", "post_id": "q1", "priority": 0.25, "types": ""},
        {"topic": "flood", "post_id": "f2", "priority": 0.5, "types": "Report-News"},
        {"topic": "flood", "post_id": "f1", "priority": 0.75, "types": ""},
    ]
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = program.FIXTURES / "incidents"
    beside = (folder / "labels.json", "--ontology", folder / "types.json", "--quiet")
    asked = ("-m", "type.F1", "-m", "priority.F1", "-m", "AAW", "--name", f"{run}=stdin")
    whole = program.tseval("incidents", run, *beside, *asked, "-f", "json")
    assert whole.code == 0, whole.err
    for size in (1, 3, 100):
        blocks = program.tseval(
            "incidents", run, *beside, *asked, "-f", "json", "--in-blocks", size
        )
        assert blocks.out == whole.out
    live = program.tseval(
        "incidents", "--follow", *beside, *asked[:-2], "-q", stdin=run.read_bytes()
    )
    records = json.loads(live.out.splitlines()[-1])["records"]
    assert records == json.loads(whole.out)["records"]
