"""What `tseval incidents` refuses to be asked for, and how its picture tells panels apart."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests import program
from tseval.core.calling import CommonOptions, evaluated
from tseval.core.family import Evaluation
from tseval.core.measure import Measure
from tseval.core.registry import definitions, edition, family, measures
from tseval.core.rules import RuleSet
from tseval.core.scoring import scores_of

pytestmark = pytest.mark.small_times

STREAM = program.FIXTURES / "incidents"
FILES = [str(STREAM / name) for name in ("keen.txt", "labels.json")]
ONTOLOGY = str(STREAM / "types.json")
EPOCHS = str(STREAM / "epochs.txt")
FAMILY = "incidents"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"threshold": float("nan")}, "threshold cannot be nan"),
        ({"threshold": 7.0}, "threshold cannot be 7: give a number from 0 to 1"),
        ({"alpha": 1.5}, "alpha cannot be 1.5: give a number from 0 to 1"),
        ({"lambda_": -3.0}, "lambda cannot be -3: give a number from 0 to 1"),
    ],
)
def test_numbers_without_meaning_are_refused(given: dict[str, float], words: str) -> None:
    with pytest.raises(tseval.UsageError, match=words):
        tseval.score_incidents(FILES[0], FILES[1], ONTOLOGY, epochs=EPOCHS, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["alpha", "lambda_", "threshold"])
@pytest.mark.parametrize("bound", [0.0, 1.0])
def test_the_bounds_are_allowed(name: str, bound: float) -> None:
    given = {name: bound}
    scores = tseval.score_incidents(FILES[0], FILES[1], ONTOLOGY, "AAW", epochs=EPOCHS, **given)  # type: ignore[arg-type]
    assert scores.value("AAW") is not None


@pytest.mark.parametrize("option", [["-t"], ["--event", "flood"], ["--at", "6h"]])
def test_the_official_files_leave_no_room_for_other_options(option: list[str]) -> None:
    asked = ["incidents", *FILES, "--ontology", ONTOLOGY, "--edition", "2019b", "-f", "trec-is"]
    outcome = program.tseval(*asked, *option, "-o", "no-such-folder")
    assert outcome.code == 2
    assert f"{option[0]} has no meaning with -f trec-is" in outcome.err


# What would change nothing is refused


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (
            ["--order", "file", "-m", "type.F1 AAW.high"],
            "rule order changes nothing in type.F1, AAW.high: leave it out\n",
        ),
        (["--log-base", "e", "-m", "AAW.high"], "rule logarithm changes nothing in AAW.high: le"),
        (["--normalise", "never", "-m", "type.F1"], "rule normalise changes nothing in type.F1"),
        (["--rule", "ties=shuffled"], "rule ties changes nothing in AAW, "),
        (
            ["--rule", "alert-mean=pooled", "-m", "AAW.low"],
            "alert-mean changes nothing in AAW.low: ",
        ),
        (["--rule", "scale-bottom=kept", "-m", "AAW"], "scale-bottom changes nothing in AAW: "),
        (["--rule", "unknown-priority=uncounted", "-m", "AAW.high"], "changes nothing in AAW.h"),
        (["--rule", "types-of-event=labelled"], "values of single events alone: give -q"),
        (["--actionable", "News", "-m", "type.F1"], "actionable changes nothing in type.F1: leave"),
        (["--entries", "News", "-m", "nDCG@100"], "entries changes nothing in nDCG@100: leave it"),
        (["--alpha", "0.5", "-m", "AAW.low type.F1"], "alpha changes nothing in AAW.low, type.F1"),
        (["--threshold", "0.5", "-m", "type.F1"], "threshold changes nothing in type.F1: leave it"),
        (["--threshold", "0.5", "--edition", "2021"], "threshold changes nothing in nDCG@100, "),
        (["--lambda", "0.5", "--edition", "2019b"], "lambda changes nothing in AAW.high, AAW, "),
        (["--lambda", "0.5", "--edition", "2019b", "-f", "trec-is"], "lambda changes nothing in "),
        (
            ["--rule", "actionable-mean=named", "-m", "type.F1(other)"],
            "changes nothing in type.F1(other): leave it out\n",
        ),
        (["--at", "6h", "-m", "AAW@1h"], "every measure has its own @TIME"),
        (["--explain", "types", "--alpha", "0"], "alpha changes nothing in --explain types: leave"),
        (["--explain", "alerts", "--rule", "rmse=square"], "rmse changes nothing in --explain al"),
        (["-o", "a.svg", "--rule", "rmse=square"], "rule rmse changes nothing in the picture: le"),
        (["-o", "a.svg", "--on-missing", "skip"], "--on-missing has no meaning with -f svg"),
    ],
)
def test_what_changes_nothing_is_refused(
    option: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = program.tseval("incidents", *FILES, "--ontology", ONTOLOGY, *option)
    assert outcome.err.startswith("error: ")
    assert words in outcome.err
    assert (outcome.code, outcome.out) == (2, "")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "option",
    [
        ["--order", "time", "-m", "type.F1"],  # as the edition has it
        ["--rule", "scale-bottom=kept", "--threshold", "0.2", "-m", "AAW"],
        ["--rule", "types-of-event=labelled", "-q"],
        ["--actionable", "News", "-m", "type.F1(other)"],
        ["--lambda", "0.5", "--edition", "2019b", "--rule", "alert-types=counted"],
        ["--explain", "alerts", "--entries", "News", "--edition", "2019b"],
    ],
)
def test_what_can_change_something_is_not(option: list[str]) -> None:
    outcome = program.tseval("incidents", *FILES, "--ontology", ONTOLOGY, *option, "--quiet")
    assert (outcome.code, outcome.err) == (0, "")


def test_the_same_in_python() -> None:
    with pytest.raises(tseval.UsageError, match=r"alpha changes nothing in type\.F1"):
        tseval.score_incidents(FILES[0], FILES[1], ONTOLOGY, "type.F1", alpha=0.5)


def test_epochs_that_nothing_looks_at_are_told() -> None:
    told = "the epochs change nothing: no measure or rule uses the times of posts"
    for wanted, idle in (("type.F1", True), ("type.F1@6h", False), ("AAW", False)):
        scores = tseval.score_incidents(FILES[0], FILES[1], ONTOLOGY, wanted, epochs=EPOCHS)
        assert (told in scores.warnings) == idle


def test_a_threshold_of_confidences_is_any_number() -> None:
    given = (FILES[0], FILES[1], ONTOLOGY, "type.F1")
    assert tseval.score_incidents(*given, edition="proposal", threshold=-3.5)
    with pytest.raises(tseval.UsageError, match="threshold cannot be inf: give a finite number"):
        tseval.score_incidents(*given, edition="proposal", threshold=float("inf"))


def test_a_threshold_over_types_without_numbers_is_told() -> None:
    """Another run could have numbers, so it is not refused."""
    outcome = program.tseval(
        *("incidents", *FILES, "--ontology", ONTOLOGY, "--edition", "proposal"),
        *("--threshold", "0.5", "-m", "type.F1"),
    )
    assert outcome.code == 0
    assert "warning: the threshold changes nothing: no type of the runs has" in outcome.err


@pytest.mark.parametrize(
    ("shown", "idle"),
    [
        (["--explain", "types"], True),
        (["--explain", "alerts", "--edition", "2019b"], False),  # it tells times
        (["-o", "a.svg", "--edition", "2019b"], True),
        (["-o", "a.svg"], False),
    ],
)
def test_the_same_where_no_measure_is_shown(
    shown: list[str], idle: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ("incidents", *FILES, "--ontology", ONTOLOGY, "--epochs", EPOCHS, *shown)
    outcome = program.tseval(*given)
    assert outcome.code == 0, outcome.err
    assert ("warning: the epochs change nothing" in outcome.err) == idle


def test_types_alone_need_no_times() -> None:
    """Some posts with and some without a time stand in no order, which types don't ask for."""
    labels = pd.DataFrame(
        [("e", "1", "Low", "News"), ("e", "1220147467376844801", "Low", "News")],
        columns=["topic", "post_id", "level", "types"],
    )
    run = labels[["topic", "post_id", "types"]].assign(priority=1.0)
    given = (run, labels, ONTOLOGY)
    assert tseval.score_incidents(*given, "type.F1").value("type.F1") is not None
    with pytest.raises(tseval.UsageError, match="some posts of event e have a time"):
        tseval.score_incidents(*given, "AAW")


def every_measure() -> list[Measure]:
    plain = measures(list(definitions(FAMILY)), FAMILY)
    flags = ((each, flag.name) for each in plain for flag in each.definition.parameters)
    return [*plain, *(each(**{flag: True}) for each, flag in flags)]


def every_choice(rules: RuleSet) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Each rule otherwise, and each number and name."""
    for each in rules.each():
        others = (value for value in each.values if value != each.value)
        yield from (({}, {each.name: value}) for value in others)
    for threshold in (0.1, 0.6):
        yield {"threshold": threshold}, {}
    yield {"alpha": 0.6}, {}
    yield {"lambda_": 0.2}, {}
    yield {"actionable": ["Report-News", "Other-Advice"]}, {}
    yield {"entries": ["Report-News", "Request-GoodsServices"]}, {}


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Posts in several events, labelled and sent again and again, of every kind of type."""
    folder = tmp_path_factory.mktemp("stream")
    names: tuple[str, ...] = (
        "Request-GoodsServices",
        "Report-News",
        "Report-NewSubEvent",
        "Other-Advice",
    )
    names += ("Other-Irrelevant", "Report-Location", "Report")
    parents = {name: "Report" for name in names if name.startswith("Report-")}
    types = [{"ID": name, "Description": "", "Parent": parents.get(name)} for name in names]
    (folder / "types.json").write_text(json.dumps(types))
    drawn = random.Random(3)
    said = (*names, "Other-ContinuingNews", "Report-SignificantEventChange")
    kinds = [",".join(drawn.sample(said, drawn.randint(0, 3))) for _ in range(180)]
    labels = [
        ("abc"[at // 60], f"p{drawn.randrange(50)}", drawn.choice(LEVELS), kinds[at])
        for at in range(180)
    ]
    (folder / "run.txt").write_text(
        "".join(
            f"{event} Q0 p{drawn.randrange(50)} {drawn.randrange(60)} {drawn.uniform(-0.3, 1.4)} "
            f"{json.dumps([round(drawn.random(), 2) for _ in names])} mine\n"
            for event in ("a", "c", "b")
            for _ in range(60)
        )
    )
    table = pd.DataFrame(labels, columns=["topic", "post_id", "level", "types"])
    table["time"] = table["post_id"].str[1:].astype(int) * 7 % 50
    return family(FAMILY).inputs([folder / "run.txt"], table, folder / "types.json")


LEVELS = ("Low", "Medium", "High", "Critical", "Unknown")


@pytest.mark.parametrize("name", ["note", "2018", "2018v2", "2019a", "2019b", "2021", "proposal"])
def test_what_a_measure_does_not_read_does_not_change_it(name: str, stream: Any) -> None:
    """Or a choice that matters would be refused."""
    base = edition(name, FAMILY).rules
    wanted = every_measure()

    def chosen(options: dict[str, Any], rules: dict[str, str]) -> Evaluation:
        declared = family(FAMILY)
        common = CommonOptions(edition=name, rules=rules)
        found: Evaluation = evaluated(declared, stream, declared.options(**options), common)
        return found

    before = scores_of(chosen({}, {}), wanted)
    idle = 0
    for choice in every_choice(base):
        changed = chosen(*choice)
        after = scores_of(changed, wanted)
        for measure in wanted:
            if is_refused(changed, measure):
                same = pytest.approx(told(before, measure), rel=1e-12)  # sums in another order
                assert told(after, measure) == same, (choice, measure)
                idle += 1
    assert idle > 100


def is_refused(evaluation: Evaluation, measure: Measure) -> bool:
    """Whether what was asked for changes nothing in a measure."""
    try:
        evaluation.check_request([measure])
    except tseval.UsageError as error:
        return "changes nothing in" in str(error)
    return False


def told(scores: tseval.Scores, measure: Measure) -> list[float | None]:
    """The values of all events, and over all."""
    return [scores.value(measure.name, topic) for topic in ("a", "b", "c", "all")]


@pytest.mark.parametrize("rule", [{"order": "file"}, {"rmse": "square"}])
def test_a_measure_of_a_plug_in_that_names_no_rule_may_read_any(
    stream: Any, rule: dict[str, str]
) -> None:
    declared, loud = family(FAMILY), definitions(FAMILY)["any.P"]
    found = evaluated(declared, stream, declared.options(), CommonOptions(rules=rule))
    assert is_refused(found, Measure(loud))
    assert not is_refused(found, Measure(dataclasses.replace(loud, reads=())))


def test_all_that_is_read_can_be_asked_for() -> None:
    rules = edition("note", FAMILY).rules
    fields = {each.name.replace("_", "-") for each in dataclasses.fields(rules)}
    read_names = {name for each in definitions(FAMILY).values() for name in each.reads}
    assert read_names <= fields | {"entries", "epochs", "levels"}
    assert {each.name for each in rules.each()} <= read_names


def test_an_empty_ontology_is_called_empty() -> None:
    outcome = program.tseval("incidents", *FILES, "--ontology", "-", stdin=b"")
    assert outcome.code == 1
    assert "the file is empty\n  give the track's JSON" in outcome.err
