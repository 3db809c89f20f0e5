"""The families: how each is called, on the command line too, and worlds of odd tables for it.

A new family is one more entry of `FAMILIES`; what must agree is in `ways`.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import tseval
from tests import strategies as st
from tests.families.agreement import odd
from tests.families.agreement.changes import changes
from tests.families.agreement.odd import START
from tests.families.agreement.responses import annotated, counts, hits, responses
from tests.families.agreement.tables import ID, NUMBER, RUNS, TEXT, TIME, Row, Table, World
from tests.families.agreement.temporal import matched, temporal, track
from tests.families.agreement.timelines import timelines
from tseval.core.scores import Scores


@dataclass(frozen=True)
class Family:
    """What the ways need to know about a family of measures."""

    name: str
    command: str
    call: Callable[..., Scores]
    worlds: Callable[[], st.SearchStrategy[World]]
    gold: str = ""
    """The table that comes after the runs on the command line, where one does."""
    beside: tuple[str, ...] = ()
    """The tables that options of the same name give, where a world has them."""
    more: tuple[str, ...] = ()
    """Ways that this family has besides those of all."""


def score_temporal(runs: Any, nuggets: Any, **more: Any) -> Scores:
    return tseval.score(runs, nuggets, **more)


# Clusters


def clustered(draw: st.DrawFn, topics: Sequence[str], ids: Sequence[str]) -> list[Row]:
    """Posts in clusters; a post has one time wherever it stands."""
    rows: list[Row] = []
    for topic in topics:
        time = {post: draw(odd.times()) for post in ids}
        for cluster in draw(odd.some_names(1, 3)):
            own = draw(st.lists(st.sampled_from(ids), min_size=1, max_size=4, unique=True))
            rows += [
                {"topic": topic, "cluster_id": cluster, "post_id": p, "time": time[p]} for p in own
            ]
    return rows


def called_alike(members: list[Row], row: Row, name: str) -> None:
    """Call the cluster of a row otherwise, if no other of its topic is called so."""
    topic, before = row["topic"], row["cluster_id"]
    if not any(each["topic"] == topic and each["cluster_id"] == name for each in members):
        members[:] = [
            {**each, "cluster_id": name}
            if (each["topic"], each["cluster_id"]) == (topic, before)
            else each
            for each in members
        ]


@st.composite
def clusters(draw: st.DrawFn) -> World:
    topics = draw(odd.some_names(1, 3))
    runs = draw(odd.some_names(1, 3, plain_file=True))
    ids = draw(odd.some_names(2, 6))
    members = clustered(draw, topics, ids)
    if draw(st.booleans()):  # as in files made for the proposal: some are called as a post in them
        for row in draw(st.lists(st.sampled_from(members), max_size=3)):
            called_alike(members, row, row["post_id"])
    inside: dict[tuple[str, str], list[str]] = {}
    for row in members:
        inside.setdefault((row["topic"], row["post_id"]), []).append(row["cluster_id"])
    how = draw(st.sampled_from(("all", "column", "table", "sample", "random")))
    own = draw(st.booleans())
    posts = [
        {
            "run": run,
            "topic": topic,
            "post_id": post,
            "time": draw(odd.times()),
            "confidence": draw(st.sampled_from(odd.NUMBERS)),
            "selected": (chosen := str(int((topic, post) in inside and draw(st.booleans())))),
            "cluster_id": draw(st.sampled_from(("", *inside[topic, post])))
            if chosen == "1"
            else "",
        }
        for run in runs
        for topic in topics
        for post in draw(st.lists(st.sampled_from(ids), min_size=1, max_size=5, unique=True))
    ]
    kinds = {"run": ID, "topic": ID, "post_id": ID, "time": TIME, "confidence": NUMBER}
    kinds |= {"selected": NUMBER} if how == "column" else {}
    kinds |= {"cluster_id": ID} if how == "column" and own else {}
    tables = {
        RUNS: Table(kinds, posts, ("run", "topic", "time")),
        "clusters": Table({"topic": ID, "cluster_id": ID, "post_id": ID, "time": TIME}, members),
    }
    options: dict[str, Any] = {"measures": GROUPING}
    if how == "table":
        picked = [row for row in posts if row["selected"] == "1"]
        if picked:
            named = {"topic": ID, "post_id": ID, "run": ID, **({"cluster_id": ID} if own else {})}
            tables["selected"] = Table(named, picked)
    if how in {"sample", "random"}:
        options["sample"] = draw(st.integers(1, 3))
        options["sampling"] = "random" if how == "random" else "confidence"
    if draw(st.booleans()):
        options["at"] = draw(st.sampled_from(("1h", "1s", str(START + 61))))
    return World(tables, options)


GROUPING = "latency latency(unit=s) redundancy redundancy(unique) coverage"
FIRST_DAYS = {"mb2015": "2015-07-20", "rts2016": "2016-08-02", "rts2017": "2017-07-29"}


def pushing(edition: str, *, live: bool = False) -> Callable[[], st.SearchStrategy[World]]:
    """Worlds of a push edition: its days, its grades, and times of posts in the epochs alone."""

    @st.composite
    def worlds(draw: st.DrawFn) -> World:
        topics = draw(odd.some_names(1, 3, bare=True))
        runs = draw(odd.some_names(1, 3, plain_file=True))
        ids = draw(odd.some_names(3, 8, bare=True))
        once = draw(st.booleans())
        first = odd.EPOCH.fromisoformat(f"{FIRST_DAYS[edition]}T00:00:00+00:00").timestamp()
        created = {
            post: int(first) + 86_400 * draw(st.integers(0, 2)) + draw(st.integers(0, 86_399))
            for post in ids
        }
        members, grades = [], []
        for topic in topics:
            free = list(draw(st.permutations(ids)))
            for cluster in draw(odd.some_names(1, 3)):
                for post in [free.pop() for _ in range(draw(st.integers(1, 2))) if free]:
                    members.append({"topic": topic, "cluster_id": cluster, "post_id": post})
                    grade = draw(st.sampled_from(("1", "2")))
                    grades.append({"topic": topic, "post_id": post, "grade": grade})
            grades += [
                {"topic": topic, "post_id": post, "grade": "0"}
                for post in free
                if draw(st.booleans())
            ]
        for row in members:
            row["time"] = str(created[row["post_id"]])
        posts = [
            {
                "run": run,
                "topic": topic,
                "post_id": post,
                "time": str(created[post] + draw(st.sampled_from((-1, 0, 0, 60, 3661, 90_000)))),
            }
            for run in runs
            for topic in topics
            for post in draw(st.lists(st.sampled_from(ids), min_size=1, max_size=6, unique=once))
        ]
        epochs = [
            {"post_id": post, "day": _day(time), "time": str(time)}
            for post, time in created.items()
        ]
        tables = {
            RUNS: Table(
                {"topic": ID, "post_id": ID, "time": TIME, "run": ID},
                posts,
                ("run", "topic"),  # posts are taken in the order of the file
            ),
            "clusters": Table(
                {"topic": ID, "cluster_id": ID, "post_id": ID, "time": TIME},
                members,
                ("topic", "cluster_id"),  # the first in the file is the first of the cluster
            ),
            "qrels": Table({"topic": ID, "post_id": ID, "grade": NUMBER}, grades),
            "epochs": Table({"post_id": ID, "day": NUMBER, "time": TIME}, epochs),
        }
        if live:
            labels = st.sampled_from(LABELS[edition])
            judged = [
                {"topic": topic, "post_id": post, "label": draw(labels)}
                for topic in topics
                for post in draw(st.lists(st.sampled_from(ids), min_size=1, max_size=5))
            ]
            met = {post["run"]: post for post in posts}  # judgments of no post of a run are refused
            judged += [
                {"topic": post["topic"], "post_id": post["post_id"], "label": draw(labels)}
                for post in met.values()
            ]
            tables["live"] = Table({"topic": ID, "post_id": ID, "label": NUMBER}, judged)
        return World(tables, {"edition": edition})

    return worlds


LABELS = {"rts2016": ("2", "1", "-1"), "rts2017": ("1", "2", "0", "5")}


def _day(time: int) -> str:
    return f"{odd.EPOCH.fromtimestamp(time, dt.UTC):%Y%m%d}"


# Incident streams

TYPES = ("Request-GoodsServices", "Report-News", "Other-Irrelevant", "CallToAction-Züge", "Other-1")
ONTOLOGY = json.dumps({"informationTypes": [{"id": each} for each in TYPES]}).encode()
TREE = json.dumps(
    [{"ID": each, "Parent": TYPES[0] if each == TYPES[1] else None} for each in TYPES]
).encode()
LEVELS = ("Low", "Medium", "High", "Critical", "Unknown")


def incidents(edition: str) -> Callable[[], st.SearchStrategy[World]]:
    """Worlds of an edition; posts repeat in labels and runs, and are missing there."""

    @st.composite
    def worlds(draw: st.DrawFn) -> World:
        bare = draw(st.booleans())  # as names have to be in lines that blanks divide
        events = draw(odd.some_names(1, 3, bare=bare))
        runs = draw(odd.some_names(1, 3, bare=bare, plain_file=True))
        ids = draw(odd.some_names(2, 6, bare=bare))
        time = {post: draw(odd.times()) for post in ids}
        types = st.lists(st.sampled_from(TYPES), max_size=3, unique=True).map(",".join)
        places = st.tuples(st.sampled_from(events), st.sampled_from(ids))
        labels = [
            {
                "topic": event,
                "post_id": post,
                "level": draw(st.sampled_from(LEVELS)),
                "types": draw(types),
                "time": time[post],
            }
            for event, post in draw(st.lists(places, min_size=1, max_size=8))
        ]
        first = (labels[0]["topic"], labels[0]["post_id"])
        said = [
            {
                "run": run,
                "topic": event,
                "post_id": post,
                "priority": draw(st.sampled_from(("0", "0.25", "0.5", "0.7", "0.75", "1", "0.9"))),
                "types": draw(types),
                "rank": str(draw(st.integers(1, 4))),
            }
            for run in runs
            for event, post in [first, *draw(st.lists(places, max_size=7))]
        ]
        options: dict[str, Any] = {"edition": edition}
        if draw(st.integers(0, 3)) == 0:
            options["at"] = draw(st.sampled_from(("1h", str(START + 61))))
        return World(
            {
                RUNS: Table(
                    {
                        "run": ID,
                        "topic": ID,
                        "post_id": ID,
                        "priority": NUMBER,
                        "types": TEXT,
                        "rank": NUMBER,
                    },
                    said,
                    ("run",),
                ),
                "labels": Table(
                    {"topic": ID, "post_id": ID, "level": ID, "types": TEXT, "time": TIME},
                    labels,
                    (),
                ),
            },
            options,
            {"ontology": TREE if edition == "proposal" else ONTOLOGY},
        )

    return worlds


# Filtering


def filtering(edition: str) -> Callable[[], st.SearchStrategy[World]]:
    """Worlds with disagreeing votes and repeated documents."""

    @st.composite
    def worlds(draw: st.DrawFn) -> World:
        topics = draw(odd.some_names(1, 3))
        runs = draw(odd.some_names(1, 3, plain_file=True))
        ids = draw(odd.some_names(3, 8))
        seconds = {
            post: START + draw(st.sampled_from((0, 1, 86_399, 86_400, 200_000, 300_000, 777_600)))
            for post in ids
        }
        time = {post: draw(odd.written(Fraction(at))) for post, at in seconds.items()}
        truth = [
            {"topic": topic, "post_id": post, "relevance": draw(ratings), "time": time[post]}
            for topic in topics
            for post in [
                ids[0],
                *draw(st.lists(st.sampled_from(ids), min_size=2, max_size=8)),
            ]
        ]
        said = [
            {
                "run": run,
                "topic": topic,
                "post_id": post,
                "time": time[post],
                "confidence": draw(st.sampled_from(CONFIDENCES)),
            }
            for run in runs
            for topic in topics
            for post in draw(st.lists(st.sampled_from(ids), min_size=1, max_size=8))
        ]
        options: dict[str, Any] = {"edition": edition}
        if edition != "kba2013":
            options["batch"] = draw(st.sampled_from((["1d"], ["12h", "2d"])))
        if edition == "kenter2015":
            options["measures"] = FILTERING
        if draw(st.booleans()):
            options["cutoff"] = draw(st.sampled_from((100, 500)))
        return World(
            {
                RUNS: Table(
                    {"run": ID, "topic": ID, "post_id": ID, "time": TIME, "confidence": NUMBER},
                    said,
                ),
                "truth": Table(
                    {"topic": ID, "post_id": ID, "relevance": NUMBER, "time": TIME}, truth
                ),
            },
            options,
        )

    return worlds


ratings = st.sampled_from(("-1", "0", "1", "2"))
CONFIDENCES = ("0", "49", "50", "50.0", "51.5", "100", "500", "999", "1000", "1e3")
FILTERING = "P R A F_pr F_pra F_1 T11SU C_trk FPR FDR slope(F_pra) se(F_pra) end(F_pra) end(R)"


# Tracked values


@st.composite
def values(draw: st.DrawFn) -> World:
    topics = draw(odd.some_names(1, 3))
    runs = draw(odd.some_names(1, 3, plain_file=True))

    def rows(of: Sequence[str], least: int) -> list[Row]:
        made: list[Row] = []
        for run in of:
            for topic in topics:
                for _ in range(draw(st.integers(least, 4))):
                    attribute = draw(st.sampled_from(("deaths", "injuries", "locations")))
                    known = PLACES if attribute == "locations" else odd.AMOUNTS
                    made.append(
                        {
                            "run": run,
                            "topic": topic,
                            "attribute": attribute,
                            "time": draw(odd.times()),
                            "value": draw(st.sampled_from(known)),
                        }
                    )
        return made

    kinds = {"topic": ID, "attribute": ID, "time": TIME, "value": ID}
    tied = ("topic", "attribute", "time")
    tables = {
        RUNS: Table({"run": ID, **kinds}, rows(runs, 1), ("run", *tied)),
        "gold": Table(kinds, rows(("",), 1), tied),
    }
    if draw(st.booleans()):
        periods = [sorted((draw(odd.instants()), draw(odd.instants()))) for _ in topics]
        tables["topics"] = Table(
            {"topic": ID, "start": TIME, "end": TIME},
            [
                {"topic": t, "start": draw(odd.written(low)), "end": draw(odd.written(high))}
                for t, (low, high) in zip(topics, periods, strict=True)
            ],
        )
    options = {"at": draw(st.sampled_from(("1h", "1d")))} if draw(st.booleans()) else {}
    return World(tables, options)


PLACES = ("0,0", "40.7, -74.0", "-90,180", "51.5,0", "0,-180", "0.1,0.2")


# CrisisFACTS 2022, whose runs are tables of their own


@st.composite
def crisisfacts(draw: st.DrawFn) -> World:
    events = draw(odd.some_names(1, draw(st.sampled_from((2, 2, 9))), bare=True))
    days = st.integers(1, 3)
    requests = [f"{event}-r{day}" for event in events for day in range(1, draw(days) + 1)]
    gold = [
        {"request": request, "fact_id": f"{request}-{at}", "fact": odd.texts(draw)}
        for request in requests
        for at in range(draw(days))
    ]
    facts = st.lists(st.sampled_from([row["fact_id"] for row in gold]), min_size=1, max_size=2)
    items = []
    for run in draw(odd.some_names(1, 3, plain_file=True)):
        for _ in range(draw(st.integers(1, 6))):
            status = draw(st.sampled_from(("matched", "matched", *OF_ITEMS)))
            found = draw(facts) if status == "matched" else []
            items.append(
                {
                    "run": run,
                    "request": draw(st.sampled_from(requests)),
                    "importance": draw(st.sampled_from(odd.NUMBERS)),
                    "status": status,
                    "facts": " ".join(dict.fromkeys(found)),
                }
            )
    kinds = {"run": ID, "request": ID, "importance": NUMBER, "status": ID, "facts": ID}
    tables = {
        RUNS: Table(kinds, items, ("run", "request")),  # ties count in the order of the file
        "facts": Table({"request": ID, "fact_id": ID, "fact": TEXT}, gold),
    }
    return World(tables, {"edition": "crisisfacts2022"}, topic="")


OF_ITEMS = ("unmatched", "irrelevant", "skipped", "unassessed")


def _family(name: str, worlds: Callable[[], Any], **more: Any) -> Family:
    """A family of clusters, whose call and command are those of all of them."""
    beside = ("selected", "qrels", "epochs", "live")
    return Family(name, "clusters", tseval.score_clusters, worlds, "clusters", beside, **more)


def _of_responses(name: str, worlds: Callable[[], Any], more: tuple[str, ...] = ()) -> Family:
    """Labels of responses, which have no gold that must be given."""
    beside = ("nuggets", "topics")
    return Family(name, "responses", tseval.score_responses, worlds, "", beside, more)


OF_CURVES = ("the end of the curve", "anywhere on the curve")
OF_DRAFT = (
    *(*OF_CURVES, "in blocks", "as a stream"),
    *("times later", "what comes after", "an update that says nothing"),
)
OF_THE_NOTE = ("alerts explained", "types explained")
EDITIONS_OF_INCIDENTS = ("note", "2018", "2018v2", "2019a", "2019b", "2021", "proposal")
FAMILIES: Mapping[str, Family] = {
    each.name: each
    for each in (
        Family(
            "temporal",
            "score",
            score_temporal,
            temporal,
            "nuggets",
            ("matches", "topics"),
            (*OF_DRAFT, "nuggets explained"),
        ),
        Family(
            "matched",
            "score",
            score_temporal,
            matched,
            "nuggets",
            ("topics",),
            (*OF_DRAFT, "matches given", "kept matches"),
        ),
        *(
            Family(
                f"track {name}",
                "score",
                score_temporal,
                track(name),
                "nuggets",
                ("matches", "topics", "pool"),
                (*OF_CURVES, "an update that says nothing") if name == "ts" else OF_CURVES,
            )
            for name in ("ts", "ts2013", "ts2014", "ts2015")
        ),
        _family(
            "clusters",
            clusters,
            more=(*OF_CURVES, "clusters explained", "times later", "what comes after"),
        ),
        *(_family(name, pushing(name)) for name in FIRST_DAYS),
        *(_family(f"{name} live", pushing(name, live=True)) for name in LABELS),
        *(
            Family(
                f"incidents {name}",
                "incidents",
                tseval.score_incidents,
                incidents(name),
                "labels",
                ("ontology",),
                ("official files", *(OF_THE_NOTE if name == "note" else ())),
            )
            for name in EDITIONS_OF_INCIDENTS
        ),
        *(
            Family(
                f"filtering {name}",
                "filter",
                tseval.score_filtering,
                filtering(name),
                "truth",
                more=("one long batch",) if name == "kenter2015" else (),
            )
            for name in ("kenter2015", "kba2013", "dietz2013")
        ),
        Family("crisisfacts", "crisisfacts", tseval.score_crisisfacts, crisisfacts, "facts"),
        Family(
            "values",
            "values",
            tseval.score_values,
            values,
            "gold",
            ("topics",),
            ("times later",),
        ),
        Family(
            "changes",
            "changes",
            tseval.score_changes,
            changes,
            "qrels",
            ("topics", "days", "documents", "questions"),
            (*OF_CURVES, "the track's files of changes", "sets explained"),
        ),
        _of_responses(
            "responses",
            responses,
            (*OF_CURVES, "assignments of responses", "labels explained", "times later"),
        ),
        _of_responses("responses counts", counts),
        _of_responses("responses annotations", annotated),
        _of_responses("responses hits", hits),
        Family(
            "timelines",
            "timelines",
            tseval.score_timelines,
            timelines,
            "gold",
            more=("timelines as JSON", "partners explained"),
        ),
    )
}
"""Every family, by its name."""
