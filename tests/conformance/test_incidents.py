"""`tseval incidents` on the real labels of TREC-IS, and on runs that have published counts.

Where the labels are not public, runs and labels are made that have the counts of the published
tables; the program must then print the published values.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tseval
from tests import program
from tests.conformance.test_reference_incidents import (
    HIGH,
    LOW,
    SENT,
    false_alerts_worth,
    result_files,
    rows,
    values_of,
)

RUN_COLUMNS = ("topic", "post_id", "priority", "types")
TYPES_2018 = "2018/ITR-H.types.v2.json"
LABELS_2018 = (
    "2018/2018-test.labels.recovered.jsonl.gz",
    "2018/TRECIS-CTIT-H-Training.labels.json.gz",
)
TYPES_2021, LABELS_2021 = (
    "2021a/TRECIS-2021A-ITypes.json",
    "2021a/TRECIS-2021A-crisis.labels.prelim.json.gz",
)
TOPICS_2021 = "2021a/2021a.topics"


@pytest.fixture(scope="module")
def incidents(conformance: Path) -> Path:
    return conformance / "incidents"


@pytest.fixture(scope="module")
def expected(incidents: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((incidents / "2021a" / "expected.json").read_text())
    return content


@pytest.fixture(scope="module")
def posts(incidents: Path) -> list[tuple[str, str]]:
    """The events and posts of the labels of 2021."""
    content = json.loads(gzip.decompress((incidents / LABELS_2021).read_bytes()))
    return [(e["eventid"], post["postID"]) for e in content["events"] for post in e["tweets"]]


@pytest.fixture(scope="module")
def constant(posts: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every labelled post is Advice and Low."""
    path = tmp_path_factory.mktemp("constant") / "0rule_run.tsv"
    lines = [f"{event}\t{post}\t0.25\tOther-Advice\n" for event, post in posts]
    path.write_text("topic\tpost_id\tpriority\ttypes\n" + "".join(lines))
    return path


def scored_2021(incidents: Path, run: object, *measures: str) -> tseval.Scores:
    labels, types = incidents / LABELS_2021, incidents / TYPES_2021
    return tseval.score_incidents(run, labels, types, measures, edition="2021")  # type: ignore[arg-type]


# 2018, scored anew: Table 1 of the note


def labels_of_table_1() -> pd.DataFrame:
    """As many entries as the note counts; of the high ones some repeat, some are in no run."""
    sent = [("a", f"h{at}", ("High", "Critical")[at % 2]) for at in range(SENT)]
    unsent = [("b", f"gone{at}", "High") for at in range(273)]
    low = [("a", f"l{at}", ("Low", "Medium")[at % 2]) for at in range(LOW)]
    again = sent[: HIGH - SENT - len(unsent)]
    labels = pd.DataFrame([*sent, *low, *unsent, *again], columns=["topic", "post_id", "level"])
    assert len(labels) == 19784
    assert labels["level"].isin(["High", "Critical"]).sum() == 2841
    return labels.assign(types="")


def runs_of_table_1(counts: list[dict[str, str]]) -> pd.DataFrame:
    """By rank false alerts, to the implied worth, then true ones; the file is the other way on."""
    parts = []
    names = [*(f"l{at}" for at in range(LOW)), *(f"h{at}" for at in range(SENT))]
    for at, row in enumerate(counts):
        false = false_alerts_worth(min(float(row["implied_pooled_low_worth"]), 0.0))
        low = np.where(np.arange(LOW) < false, 0.7, 0.3)
        high = np.where(np.arange(SENT) < int(row["k_true_alerts"]), 1.0, 0.0)
        priority = np.concatenate([low, high])
        priority[-1] = 0.0  # so that 0 to 1 is the whole range, and scaling changes nothing
        if priority.max() < 0.7:
            priority[:] = 0.0
        rank = np.arange(len(names))
        parts.append(
            pd.DataFrame({"run": f"run {at}", "post_id": names, "priority": priority, "rank": rank})
        )
    return pd.concat(parts).assign(topic="a", types="")[::-1]


def test_table_1_of_the_note(incidents: Path) -> None:
    published = rows(incidents / "2018" / "table1_rescored_v2.tsv")
    counts = rows(incidents / "2018" / "table1_decomposition.tsv")
    assert len(published) == len(counts) == 37
    runs, labels = runs_of_table_1(counts), labels_of_table_1()
    scores = tseval.score_incidents(
        runs, labels, incidents / TYPES_2018, "AAW.high AAW", edition="2018v2"
    )
    for at, row in enumerate(published):
        high, every = (scores.value(name, run=f"run {at}") for name in ("AAW.high", "AAW"))
        assert (f"{high:.4f}", f"{every:.4f}") == (row["AAW_high"], row["AAW_all"])
    silent = [at for at, row in enumerate(counts) if row["k_true_alerts"] == "0"]
    assert [at for at, row in enumerate(published) if row["AAW_high"] == "-0.7983"] == silent
    for at in silent:
        assert scores.value("AAW.high", run=f"run {at}") == pytest.approx(-2268 / 2841, abs=1e-12)
        assert scores.value("AAW", run=f"run {at}") == pytest.approx(-2268 / 39568, abs=1e-12)


def test_table_1_is_not_what_later_editions_compute(incidents: Path) -> None:
    runs = pd.DataFrame({"post_id": [f"h{at}" for at in range(SENT)], "priority": 0.0})
    found = {
        edition: tseval.score_incidents(
            runs.assign(topic="a", types="", rank=1),
            labels_of_table_1(),
            incidents / TYPES_2018,
            "AAW.high AAW",
            edition=edition,
        )
        for edition in ("2018v2", "2019b", "2021")
    }
    assert found["2019b"].value("AAW.high") == pytest.approx(-2268 / 2841)
    assert found["2019b"].value("AAW") == pytest.approx(-2268 / 2841 / 2)
    assert found["2021"].value("AAW.high") == pytest.approx(-2268 / (2268 + 273))


# 2019-B


def test_silent_runs_of_2019b(incidents: Path) -> None:
    """171 of 172 high entries are met by the run: AAW.high is -171/172, and AAW half of it."""
    path = incidents / "published" / "2019B_AAW_from_I-AID_paper_tableV.tsv"
    published = {row["system"]: row for row in rows(path)}
    high = [("e", f"h{at % 171}", "High") for at in range(172)]
    low = [("e", f"l{at}", "Medium") for at in range(50)]
    labels = pd.DataFrame([*high, *low], columns=["topic", "post_id", "level"]).assign(types="")
    run = labels[["topic", "post_id"]].drop_duplicates().assign(priority=0.5, types="")
    scores = tseval.score_incidents(
        run, labels, incidents / TYPES_2018, "AAW.high AAW", edition="2019b"
    )
    for system in ("BJUTDMS-run2", "IRIT"):
        assert f"{scores.value('AAW.high'):.4f}" == published[system]["AAW_high"]
        assert f"{scores.value('AAW'):.4f}" == published[system]["AAW_all"]


# 2021


def test_supports(incidents: Path, constant: Path, expected: dict[str, Any]) -> None:
    outcome = program.tseval(
        *("incidents", constant, incidents / LABELS_2021, "--ontology", incidents / TYPES_2021),
        *("--edition", "2021", "--explain", "types", "-f", "csv", "--quiet"),
    )
    table = list(csv.DictReader(outcome.out.splitlines()))
    supports = {row["type"]: int(row["TP"]) + int(row["FN"]) for row in table}
    assert supports == expected["C1"]["supports"]
    assert len(supports) == 25
    number = expected["C1"]["N_distinct_tweets"]
    assert {sum(int(row[name]) for name in ("TP", "FP", "FN", "TN")) for row in table} == {number}


def test_ideal_dcgs(
    incidents: Path, posts: list[tuple[str, str]], expected: dict[str, Any]
) -> None:
    """A run of one post has its gain / the ideal; a run that says what the assessors say has 1."""
    content = json.loads(gzip.decompress((incidents / LABELS_2021).read_bytes()))
    scores = {"Low": 0.25, "Medium": 0.5, "High": 0.75, "Critical": 1.0}
    level: dict[str, float] = {}
    for event in content["events"]:
        for post in event["tweets"]:
            level[post["postID"]] = max(
                level.get(post["postID"], 0.0), scores[post["postPriority"]]
            )
    times = pd.Series([post for _, post in posts]).value_counts()
    single = []
    ideals = expected["C1"]["ideal_DCG_at_100"]
    for event in ideals:
        own = next(post for other, post in posts if other == event and times[post] == 1)
        single.append((event, own, 0.5, ""))
    perfect = [(event, post, level[post], "") for event, post in posts]
    columns = ["topic", "post_id", "priority", "types"]
    one = scored_2021(incidents, pd.DataFrame(single, columns=columns), "nDCG@100")
    best = scored_2021(incidents, pd.DataFrame(perfect, columns=columns), "nDCG@100")
    for event, post, _, _ in single:
        value = one.value("nDCG@100", event)
        assert value
        gain = 2 ** (4 * level[post]) - 1
        assert gain / value == pytest.approx(ideals[event], abs=1e-9)
        assert best.value("nDCG@100", event) == pytest.approx(1.0, abs=1e-12)
    assert len(single) == 7


def test_the_constant_run_as_published(
    incidents: Path, constant: Path, expected: dict[str, Any]
) -> None:
    names = {
        "nDCG_expectation": "nDCG@100",
        "CF1_H": "type.F1(actionable)",
        "CF1_A": "type.F1",
        "CAcc": "type.accuracy",
        "PF1_H": "priority.F1(actionable)",
        "PF1_A": "priority.F1",
        "R_H": "priority.pearson(actionable)",
        "R_A": "priority.pearson",
    }
    scores = scored_2021(incidents, constant, *names.values())
    found = {name: scores.value(measure) for name, measure in names.items()}
    assert found["R_A"] is not None
    found["R_A"] *= 24 / 25  # the table's divisor
    published, recomputed = expected["C2"]["published"], expected["C2"]["recomputed"]
    assert {name: found[name] for name in recomputed} == pytest.approx(recomputed, abs=1e-12)
    shared = [name for name in names if name in published]
    assert len(shared) == 7
    assert {name: f"{found[name]:.4f}" for name in shared} == {
        name: f"{published[name]:.4f}" for name in shared
    }
    assert abs(published["nDCG@100"] - found["nDCG_expectation"]) < 3 * 0.0013
    each = expected["C2"]["per_event_nDCG_expectation"]
    assert {event: scores.value("nDCG@100", event) for event in each} == pytest.approx(each)


# The files that the scripts print


@pytest.fixture(scope="module")
def printed(
    incidents: Path, constant: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Our three files of the constant run."""
    folder = tmp_path_factory.mktemp("printed")
    outcome = program.tseval(
        *("incidents", constant, incidents / LABELS_2021, "--ontology", incidents / TYPES_2021),
        *("--edition", "2021", "-f", "trec-is", "-o", folder, "--quiet"),
    )
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    kinds = ("overall", "pertopic", "perevent")
    names = {kind: f"0rule_run.results.2021.{kind}.txt" for kind in kinds}
    assert sorted(path.name for path in folder.iterdir()) == sorted(names.values())
    return {kind: (folder / name).read_text() for kind, name in names.items()}


def masked(text: str) -> list[str]:
    """The lines without the two of the heading and with all scores as #; supports stay."""
    lines = text.split("\n")
    assert lines[0].startswith("TREC-IS 2021a Notebook Evaluator v2.8")
    assert lines[1].startswith("Run: ")
    return [
        re.sub(r"^\S+(?= &)", "RUN", re.sub(r"-?\d\.\d+(e-\d+)?", "#", line)) for line in lines[2:]
    ]


@pytest.mark.parametrize("kind", ["overall", "pertopic", "perevent"])
def test_the_layout_of_the_official_files(
    conformance: Path, printed: dict[str, str], kind: str
) -> None:
    official = [t for t in result_files(conformance, kind) if "Evaluator v2.8" in t]
    assert len(official) == 7
    for text in official:
        assert masked(printed[kind]) == masked(text)


def test_what_holds_in_the_official_files_holds_in_ours(
    conformance: Path, printed: dict[str, str]
) -> None:
    """Of 25 types 6 are actionable and 19 are not; of the 24 that are correlated 18 are not."""
    official = [t for t in result_files(conformance, "overall") if "Evaluator v2.8" in t]
    for text in (printed["overall"], *official):
        value = values_of(text)
        for name in ("Precision", "Recall", "F1"):
            title = f"Information Type {name} (positive class, multi-type, macro)"
            parts = 6 * value[f"High Importance {title}"] + 19 * value[f"Low Importance {title}"]
            assert parts / 25 == pytest.approx(value[title], abs=1e-14)
        urgent = value["Priority Correlation, High (Pearson)"]
        other = value["Priority Correlation, Low (Pearson)"]
        whole = value["Priority Correlation (Pearson)"]
        assert (6 * urgent + 18 * other) / 24 == pytest.approx(whole, abs=1e-14)
        cells = [float(cell) for cell in re.findall(r"(?<=& )-?[\d.]+", text.splitlines()[-1])]
        assert len(cells) == 8
        assert cells[-1] == pytest.approx(whole * 24 / 25, abs=5.1e-5)
        assert cells[0] == pytest.approx(value["nDCG"], abs=5.1e-5)


def test_an_event_counts_the_types_that_it_has_alone(
    conformance: Path, incidents: Path, printed: dict[str, str]
) -> None:
    """So no accuracy of an official file is above the share of the types that the event has."""
    content = json.loads(gzip.decompress((incidents / LABELS_2021).read_bytes()))
    full = {
        each["id"].split("-")[1]
        for each in json.loads((incidents / TYPES_2021).read_text())["informationTypes"]
        if "-" in each["id"]
    }
    seen: set[str] = set()
    types: dict[str, set[str]] = {}
    first: dict[str, str] = {}
    for event in content["events"]:
        for post in event["tweets"]:
            own = first.setdefault(post["postID"], event["eventid"])
            types.setdefault(own, set()).update(full & set(post["postCategories"]))
    official = [t for t in result_files(conformance, "perevent") if "Evaluator v2.8" in t]
    pattern = r"^(\S+)\n(?:  .+\n){3}  Information Type Accuracy [^:]+: (\S+)$"
    for text in (printed["perevent"], *official):
        for event, accuracy in re.findall(pattern, text, re.MULTILINE):
            assert float(accuracy) <= len(types[event]) / 25
            seen.add(event)
    assert len(seen) == 7
    assert min(len(own) for own in types.values()) < 25


# Every real file loads


@pytest.mark.parametrize(("name", "number"), [(TYPES_2018, 25), (TYPES_2021, 25)])
def test_real_ontologies(incidents: Path, name: str, number: int) -> None:
    types = json.loads((incidents / name).read_text())["informationTypes"]
    assert sum("-" in kind["id"] for kind in types) == number
    outcome = program.tseval("validate", incidents / name)
    assert outcome.code == 0, outcome.out
    assert f"ontology, {len(types)} rows" in outcome.out


def test_real_topics(incidents: Path) -> None:
    """Runs may call an event by its number; the labels by its name."""
    text = (incidents / TOPICS_2021).read_text()
    events = re.findall(r"<num>([^<]+)</num>\s*<dataset>([^<]+)<", text)
    assert len(events) == text.count("<top>")
    names = [name for _, name in events]
    labels = pd.DataFrame({"topic": names, "post_id": names, "types": "News"})
    run = pd.DataFrame([(n, e, 1, "News") for n, e in events], columns=RUN_COLUMNS)
    topics, types = incidents / TOPICS_2021, incidents / TYPES_2021
    scores = tseval.score_incidents(run, labels, types, "any.F1", topics=str(topics))
    assert set(names) <= set(scores.topics)
    assert [scores.value("any.F1", name) for name in names] == [1.0] * len(names)


@pytest.mark.parametrize("edition", ["note", "2018", "2018v2", "2019a", "2019b", "2021"])
@pytest.mark.parametrize("name", [*LABELS_2018, LABELS_2021])
def test_real_labels_in_every_edition(incidents: Path, name: str, edition: str) -> None:
    """A run that says nothing of one post; every measure of the edition has a value or is None."""
    types = incidents / (TYPES_2021 if name == LABELS_2021 else TYPES_2018)
    text = gzip.decompress((incidents / name).read_bytes()).decode()
    post = re.search(r'"postID": ?"([^"]+)"', text)
    event = re.search(r'"event(?:id|ID)": ?"([^"]+)"', text)
    assert post is not None
    assert event is not None
    run = pd.DataFrame({"topic": [event[1]], "post_id": post[1], "priority": 0.5, "types": ""})
    rules = {} if edition in {"2018", "2021"} else {"order": "file"}  # the others score alerts
    scores = tseval.score_incidents(run, incidents / name, types, edition=edition, rules=rules)
    number = text.count('"postID"')
    assert scores.inputs[1].rows == number
    for measure in scores.measures:
        value = scores.value(measure)
        assert value is None or -1 <= value <= 1
    assert scores.value("type.accuracy") is not None


@pytest.mark.parametrize("name", [*LABELS_2018, LABELS_2021])
def test_real_labels_are_valid(incidents: Path, name: str) -> None:
    outcome = program.tseval("validate", incidents / name)
    assert outcome.code == 0, outcome.out
    assert "incident labels" in outcome.out
