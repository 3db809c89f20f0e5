"""The slow reference of the incident measures, held to published numbers of TREC-IS.

Real labels are read where there are any. Where the labels are not public, runs and labels are made
that have the published counts; the formula must then give the published value.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from math import log10
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from tests.oracles import incidents as slow
from tests.oracles import incidents_2021 as slow_2021
from tests.oracles import incidents_alerts as alerts
from tests.oracles import incidents_files as files
from tests.oracles.incidents import Label, Line, Ontology

ACTIONABLE = frozenset(
    {
        "Request-GoodsServices",
        "Request-SearchAndRescue",
        "CallToAction-MovePeople",
        "Report-EmergingThreats",
        "Report-NewSubEvent",
        "Report-ServiceAvailable",
    }
)
RENAMED = {
    "News": "Other-ContinuingNews",
    "ContextualInformation": "Other-PastNews",
    "OriginalEvent": "Other-KnownAlready",
    "NewSubEvent": "Report-SignificantEventChange",
}
"""What types of 2018 are called in the recovered labels, which have later names."""


def ontology_of(path: Path) -> Ontology:
    """The ontology's types; those below its 25 have no intent before a hyphen."""
    ids = [entry["id"] for entry in json.loads(path.read_text())["informationTypes"]]
    return Ontology(tuple(name for name in ids if "-" in name), ACTIONABLE)


def full_ids(names: list[str], ontology: Ontology) -> frozenset[str]:
    full = {name.split("-")[1]: name for name in ontology.types}
    return frozenset(full.get(name, name) for name in names)


@cache
def of_2021(pack: Path) -> tuple[list[Label], Ontology, dict[str, Any]]:
    """The labels, the ontology and the expected numbers of 2021-A."""
    folder = pack / "incidents" / "2021a"
    ontology = ontology_of(folder / "TRECIS-2021A-ITypes.json")
    content = json.loads(
        gzip.decompress((folder / "TRECIS-2021A-crisis.labels.prelim.json.gz").read_bytes())
    )
    labels = [
        Label(
            event["eventid"],
            post["postID"],
            full_ids(post["postCategories"], ontology),
            post["postPriority"],
        )
        for event in content["events"]
        for post in event["tweets"]
    ]
    return labels, ontology, json.loads((folder / "expected.json").read_text())


def constant_run(labels: list[Label]) -> list[Line]:
    advice = frozenset({"Other-Advice"})
    return [Line(label.event, label.post, 0, 0, 0.25, advice) for label in labels]


# --- 2021 -----------------------------------------------------------------------------------------


def test_2021_positions_supports_and_ideals(conformance: Path) -> None:
    labels, ontology, expected = of_2021(conformance)
    positions = slow.in_first_event(slow.known(labels, ontology))
    assert len(labels) == expected["C1"]["label_entries"]
    assert len(positions) == expected["C1"]["N_distinct_tweets"]
    supports = {name: sum(name in p.types for p in positions) for name in ontology.types}
    assert supports == expected["C1"]["supports"]
    assert len(supports) == 25
    ideals = slow_2021.ideal_dcg(labels)
    assert ideals == pytest.approx(expected["C1"]["ideal_DCG_at_100"], abs=1e-9)
    assert len(ideals) == 7


def test_2021_the_constant_run_as_published(conformance: Path) -> None:
    labels, ontology, expected = of_2021(conformance)
    run = constant_run(labels)
    types = slow.types_2021(labels, run, ontology)
    priority = slow_2021.priority_f1_2021(labels, run, ontology)
    pearson = slow_2021.pearson_2021(labels, run, ontology)
    found = {
        "CF1_H": types["type.F1(actionable)"],
        "CF1_A": types["type.F1"],
        "CAcc": types["type.accuracy"],
        "PF1_H": priority["priority.F1(actionable)"],
        "PF1_A": priority["priority.F1"],
        "R_H": pearson["priority.pearson(actionable)"],
        "R_A": pearson["priority.pearson(table)"],
    }
    published = expected["C2"]["published"]
    assert {name: round(value, 4) for name, value in found.items()} == {
        name: published[name] for name in found
    }
    recomputed = dict(expected["C2"]["recomputed"])
    assert recomputed.pop("nDCG_expectation") == pytest.approx(
        slow_2021.mean_over_events(slow_2021.ndcg_2021(labels, run)), abs=1e-12
    )
    assert {name: found[name] for name in recomputed} == pytest.approx(recomputed, abs=1e-12)


def test_2021_the_constant_runs_expected_ndcg(conformance: Path) -> None:
    labels, _, expected = of_2021(conformance)
    found = slow_2021.ndcg_2021(labels, constant_run(labels))
    assert found == pytest.approx(expected["C2"]["per_event_nDCG_expectation"], abs=1e-12)


def test_2021_published_ndcg_is_one_draw(conformance: Path) -> None:
    """A hundred shuffles of each event, several times: the published mean is among the like."""
    labels, _, expected = of_2021(conformance)
    run = constant_run(labels)
    shuffled = slow_2021.ndcg_2021_shuffled(labels, run, 100, range(16))
    draws = [slow_2021.mean_over_events(values) for values in shuffled]
    exact = slow_2021.mean_over_events(slow_2021.ndcg_2021(labels, run))
    assert mean(draws) == pytest.approx(exact, abs=4 * stdev(draws) / len(draws) ** 0.5)
    assert abs(expected["C2"]["published"]["nDCG@100"] - exact) < 3 * stdev(draws)


def values_of(text: str) -> dict[str, float]:
    """The named values of an official overall file."""
    found = re.findall(r"^> ([^:]+):\s+(\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found}


def result_files(pack: Path, kind: str) -> list[str]:
    folder = pack / "incidents" / "2021a" / "submissions"
    found = [path.read_text() for path in sorted(folder.glob(f"*/*.{kind}.txt"))]
    assert len(found) == 26
    return found


def test_2021_overall_files_divide_by_6_18_19_24_and_25(conformance: Path) -> None:
    """The divisors of the reference are those of the official files, to the last digits."""
    _, ontology, _ = of_2021(conformance)
    numbers = [slow.divisor_of(ontology, group, absent_too=True) for group in slow.GROUPS]
    assert numbers == [25, 6, 19]
    for text in result_files(conformance, "overall"):
        value = values_of(text)
        for title in files.TITLES.values():
            parts = 6 * value[f"High Importance {title}"] + 19 * value[f"Low Importance {title}"]
            assert parts / 25 == pytest.approx(value[title], abs=1e-14)
        urgent = value["Priority Correlation, High (Pearson)"]
        other = value["Priority Correlation, Low (Pearson)"]
        pearson = value["Priority Correlation (Pearson)"]
        assert (6 * urgent + 18 * other) / 24 == pytest.approx(pearson, abs=1e-14)
        cells = text.splitlines()[-1].removesuffix(" \\\\").split(" & ")[1:]
        known = [
            value["nDCG"],
            value[f"High Importance {files.TITLES['F1']}"],
            value[files.TITLES["F1"]],
            value[files.TITLES["accuracy"]],
            None,
            value["Priority Label Prediction (F1, macro)"],
            urgent,
            pearson * 24 / 25,
        ]
        wanted = [cell if v is None else f"{v:.4f}" for v, cell in zip(known, cells, strict=True)]
        assert cells == wanted


def test_2021_event_files_count_a_post_in_its_first_event(conformance: Path) -> None:
    """An accuracy is a whole number of decisions over the event's positions and 25 types."""
    labels, _, _ = of_2021(conformance)
    positions = [p.event for p in slow.in_first_event(labels)]
    official = [t for t in result_files(conformance, "perevent") if "Evaluator v2.8" in t]
    assert len(official) == 7
    for text in official:
        pattern = r"^(\S+)\n(?:  .+\n){3}  Information Type Accuracy [^:]+: (\S+)$"
        found = re.findall(pattern, text, re.MULTILINE)
        assert [event for event, _ in found] == list(dict.fromkeys(positions))
        for event, accuracy in found:
            right = float(accuracy) * 25 * positions.count(event)
            assert right == pytest.approx(round(right), abs=1e-6)


WRITERS: dict[str, Callable[[files.Heading, list[Label], list[Line], Ontology], str]] = {
    "overall": files.overall,
    "pertopic": files.pertopic,
    "perevent": files.perevent,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_2021_official_files_look_like_the_references(conformance: Path, kind: str) -> None:
    """Character by character, once all scores are masked; the supports are the real ones."""

    def masked(text: str) -> list[str]:
        """Numbers in full have no length; of those with fixed decimals only the digits change."""
        return [
            re.sub(r"-?\d\.\d+(e-\d+)?$", "#", line)
            if line.startswith(("> ", "  Information"))
            else re.sub(r"\d\.\d+", lambda found: "9." + "9" * (len(found[0]) - 2), line)
            for line in text.split("\n")
        ]

    labels, ontology, _ = of_2021(conformance)
    official = [t for t in result_files(conformance, kind) if "Evaluator v2.8" in t]
    assert len(official) == 7
    mine = WRITERS[kind](files.Heading("?run", "?file"), labels, constant_run(labels), ontology)
    for text in official:
        match = re.search(r"^Run: (\S+) \((\S+)\)$", text, re.MULTILINE)
        assert match is not None
        named = mine.replace("?run", match[1]).replace("?file", match[2])
        assert masked(named) == masked(text)


# --- 2018 -----------------------------------------------------------------------------------------


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines(), delimiter="\t"))


HIGH, SENT, LOW = 2841, 2268, 19784 - 2841
"""Label entries that are High or Critical, lines of the runs that are, and all other entries."""


@cache
def entries_of_2018() -> list[Label]:
    """As many entries as the note counts; of those that are high some repeat, some are not sent."""
    nothing = frozenset[str]()
    sent = [Label("a", f"h{at}", nothing, ("High", "Critical")[at % 2]) for at in range(SENT)]
    unsent = [Label("b", f"gone{at}", nothing, "High") for at in range(273)]
    again = sent[: HIGH - SENT - len(unsent)]
    low = [Label("a", f"l{at}", nothing, ("Low", "Medium")[at % 2]) for at in range(LOW)]
    return [*sent, *low, *unsent, *again]


def false_alerts_worth(worth: float) -> int:
    """How many false alerts in a row, from the event's start, come nearest to a worth."""
    costs = (-min(log10(delta / 2 + 1), 1.0) for delta in range(3000))
    totals = list(accumulate(costs, initial=0.0))
    return min(range(len(totals)), key=lambda number: abs(totals[number] - worth))


@cache
def lines_of_2018(kind: str, first: int, number: int, score: float) -> list[Line]:
    """A line with this score for each of so many posts, whose ranks go on from the first."""
    nothing = frozenset[str]()
    return [Line("a", f"{kind}{at}", 0, first + at, score, nothing) for at in range(number)]


def run_of_2018(true: int, false: int) -> list[Line]:
    """False alerts first, then true ones; the file is in another order than the ranks."""
    alerted, other = (lines_of_2018("l", 0, LOW, score) for score in (0.7, 0.69))
    right, missed = (lines_of_2018("h", LOW, SENT, score) for score in (1.0, 0.25))
    return [*alerted[:false], *other[false:], *right[:true], *missed[true:]][::-1]


@cache
def worth_in_table(true: int, false: int) -> tuple[str, str]:
    worth = alerts.aaw_2018v2(entries_of_2018(), run_of_2018(true, false))
    return f"{worth.high:.4f}", f"{worth.all:.4f}"


def test_2018v2_table_1_of_the_note(conformance: Path) -> None:
    """All 37 runs, made with their true alerts and with false alerts of the implied worth."""
    folder = conformance / "incidents" / "2018"
    published = rows(folder / "table1_rescored_v2.tsv")
    counts = rows(folder / "table1_decomposition.tsv")
    assert len(published) == len(counts) == 37
    found = []
    for row in counts:
        implied = min(float(row["implied_pooled_low_worth"]), 0.0)
        false = false_alerts_worth(implied)
        found.append(worth_in_table(int(row["k_true_alerts"]), false))
    assert found == [(row["AAW_high"], row["AAW_all"]) for row in published]
    assert ("-0.7983", "-0.0573") in found


def test_2018v2_a_silent_run_by_the_formula_of_the_note(conformance: Path) -> None:
    """Not the mean of the halves that the table would have; nor of distinct posts."""
    folder = conformance / "incidents" / "2018"
    published = rows(folder / "table1_rescored_v2.tsv")
    counts = [row["k_true_alerts"] for row in rows(folder / "table1_decomposition.tsv")]
    silent = alerts.aaw_2018v2(entries_of_2018(), run_of_2018(0, 0))
    like = [row["AAW_high"] == f"{silent.high:.4f}" for row in published]
    assert like == [count == "0" for count in counts]
    later = alerts.aaw_2019b(entries_of_2018(), run_of_2018(0, 0))
    assert later.all == pytest.approx(-SENT / HIGH / 2)
    note = alerts.aaw_note(entries_of_2018(), run_of_2018(0, 0), Ontology((), frozenset()))
    assert note.high == -1


def test_2018v2_priority_error_of_silent_runs(conformance: Path) -> None:
    """The published .0940 and .1751 are MSEs of 0.25 throughout, sums over 25 and 6 types.

    The labels are recovered ones, so the numbers only come near; all other readings are far off.
    """
    folder = conformance / "incidents" / "2018"
    ontology = ontology_of(folder / "ITR-H.types.v2.json")
    content = gzip.decompress((folder / "2018-test.labels.recovered.jsonl.gz").read_bytes())
    labels = []
    for at, text in enumerate(content.decode().splitlines()):
        entry = json.loads(text)
        names = [RENAMED.get(name, name) for name in entry["postCategories"]]
        types = full_ids(names, ontology)
        post = str(entry.get("postID") or f"unknown {at}")
        labels.append(Label(entry["eventID"], post, types, entry["postPriority"]))
    constant = [Line(p.event, p.post, 0, 0, 0.0, frozenset()) for p in slow.united(labels)]
    script = slow.priority_2018v2(labels, constant, ontology)
    assert script["priority.MSE"] == pytest.approx(0.0940, abs=0.003)
    assert script["priority.MSE(actionable)"] == pytest.approx(0.1751, abs=0.006)
    unclipped = slow.priority_2018v2(labels, constant, ontology, clip=False)
    assert unclipped["priority.MSE"] > 0.2
    note = slow.priority_note(labels, constant, ontology)
    assert note["priority.RMSE"] == pytest.approx(0.28, abs=0.01)
    assert note["priority.MSE(actionable)"] == pytest.approx(0.204, abs=0.001)


SIZES_OF_2018 = {
    "albertaFloods2013": 722,
    "australiaBushfire2013": 677,
    "bostonBombings2013": 535,
    "chileEarthquake2014": 311,
    "flSchoolShooting2018": 1118,
    "guatemalaEarthquake2012": 154,
    "italyEarthquakes2012": 103,
    "joplinTornado2011": 96,
    "manilaFloods2013": 411,
    "nepalEarthquake2015": 7684,
    "parisAttacks2015": 2066,
    "philipinnesFloods2012": 437,
    "queenslandFloods2013": 713,
    "typhoonHagupit2014": 4193,
    "typhoonYolanda2013": 564,
}
"""Label entries of each event: with them each printed accuracy is a whole number of decisions."""


def event_accuracy(text: str, event: str) -> float:
    pattern = rf"{event}\n(?:  .+\n){{3}}  Information Type Accuracy [^:]+: (\S+)"
    match = re.search(pattern, text)
    assert match is not None
    return float(match[1])


def notebook(pack: Path) -> str:
    return (pack / "incidents" / "2018" / "v1_notebook_outputs.txt").read_text()


def supports_of_2018(pack: Path) -> dict[str, int]:
    types = ontology_of(pack / "incidents" / "2018" / "ITR-H.types.v2.json").types
    text = notebook(pack)
    found = {}
    for name in types:
        match = re.search(rf"^ *{name} +\S+ +\S+ +\S+ +(\d+)$", text, re.MULTILINE)
        assert match is not None
        found[name] = int(match[1])
    return found


def labels_of_2018(supports: dict[str, int]) -> list[Label]:
    """19784 entries; each type is at as many of them as its support says, from the first on."""
    return [
        Label("e", str(at), frozenset(n for n, support in supports.items() if at < support), "Low")
        for at in range(19784)
    ]


def printed(text: str, title: str) -> float:
    match = re.search(rf"^(?:>>>> OUT )?{re.escape(title)}: (\S+)$", text, re.MULTILINE)
    assert match is not None
    return float(match[1])


def test_2018_a_run_without_types_as_the_notebook_prints_it(conformance: Path) -> None:
    supports = supports_of_2018(conformance)
    assert (len(supports), sum(supports.values())) == (25, 43411)
    labels = labels_of_2018(supports)
    run = [Line("e", label.post, 0, 0, 0.0, frozenset()) for label in labels]
    values = slow.types_2018(labels, run, Ontology(tuple(supports), ACTIONABLE))
    text = notebook(conformance)
    for measure, title in files.TITLES.items():
        assert values[f"type.{measure}"] == pytest.approx(printed(text, title), abs=1e-12)


@pytest.mark.parametrize("absent", [0, 500])
def test_2018_any_type_as_the_notebook_prints_it(conformance: Path, absent: int) -> None:
    """6204 posts are right and none is denied; a post that is not sent is a false positive."""
    supports = supports_of_2018(conformance)
    labels = labels_of_2018(supports)
    right, wrong = frozenset({"Other-Sentiment"}), frozenset({"Request-GoodsServices"})
    run = [
        Line("e", label.post, 0, 0, 0.0, right if int(label.post) < 6204 else wrong)
        for label in labels[: len(labels) - absent]
    ]
    values = slow.any_2018(labels, run)
    text = notebook(conformance)
    names = {"P": "Precision", "R": "Recall", "F1": "F1", "accuracy": "Accuracy"}
    for measure, name in names.items():
        title = f"Information Type {name} (any valid type, micro)"
        assert values[f"any.{measure}"] == pytest.approx(printed(text, title), abs=1e-15)


def test_2018_the_notebooks_event_blocks_have_the_accuracy_of_its_any_type(
    conformance: Path,
) -> None:
    """One type for each of 19784 entries, 6204 of them right, settle the accuracy over types.

    So the notebook's first block, of no types at all, is not of the run of its other blocks.
    """
    supports = supports_of_2018(conformance)
    labels = labels_of_2018(supports)
    right, wrong = frozenset({"Other-Sentiment"}), frozenset({"Request-GoodsServices"})
    run = [Line("e", p.post, 0, 0, 0.0, right if int(p.post) < 6204 else wrong) for p in labels]
    found = slow.types_2018(labels, run, Ontology(tuple(supports), ACTIONABLE))
    text = notebook(conformance)
    each = [event_accuracy(text, event) * size for event, size in SIZES_OF_2018.items()]
    assert found["type.accuracy"] == pytest.approx(sum(each) / 19784, abs=1e-12)


def test_2018_event_blocks_are_over_label_entries(conformance: Path) -> None:
    """Each event's accuracy is a whole number of decisions over 25 types; the sizes add up."""
    assert sum(SIZES_OF_2018.values()) == 19784
    text = notebook(conformance)
    for event, size in SIZES_OF_2018.items():
        right = event_accuracy(text, event) * 25 * size
        assert right == pytest.approx(round(right), abs=1e-7)


# --- 2019 and 2020 --------------------------------------------------------------------------------


def test_2019b_silent_runs_as_published(conformance: Path) -> None:
    """AAW.high is minus the high lines sent over the high entries, and AAW is half of it."""
    folder = conformance / "incidents" / "published"
    published = {r["system"]: r for r in rows(folder / "2019B_AAW_from_I-AID_paper_tableV.tsv")}
    labels = [Label("e", str(at % 171), frozenset(), "High") for at in range(172)]
    labels += [Label("e", f"low {at}", frozenset(), "Medium") for at in range(50)]
    run = [Line("e", label.post, 0, 0, 0.5, frozenset()) for label in slow.united(labels)]
    worth = alerts.aaw_2019b(labels, run)
    for system in ("BJUTDMS-run2", "IRIT"):
        assert f"{worth.high:.4f}" == published[system]["AAW_high"]
        assert f"{worth.all:.4f}" == published[system]["AAW_all"]


def test_2019b_and_2020a_rows_lie_where_worth_without_types_can(conformance: Path) -> None:
    """By AAW = (high + low) / 2 the low part of every row is from -1 to 0, the high part <= 0.3."""
    folder = conformance / "incidents" / "published"
    pairs = [
        (float(row["AAW_high"]), float(row["AAW_all"]))
        for row in rows(folder / "2019B_AAW_from_I-AID_paper_tableV.tsv")
    ]
    marks = str.maketrans("", "", "★")
    pairs += [
        (float(row["AW-H(C)"].translate(marks)), float(row["AW-A"].translate(marks)))
        for row in rows(folder / "2020A_UCD_ISCRAM2021_tables3-5.tsv")
    ]
    assert len(pairs) == 17 + 17
    for high, both in pairs:
        assert -1 <= high <= 0.3
        assert -1.0002 <= 2 * both - high <= 0.0002
