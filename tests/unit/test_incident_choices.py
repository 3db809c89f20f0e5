"""What `tseval incidents` refuses to be asked for, and how its picture tells panels apart."""

from __future__ import annotations

import pandas as pd
import pytest

import tseval
from tests import program
from tseval.views.trust import DELTA, THICK, THIN, WORTH, TrustChart, specification

STREAM = program.FIXTURES / "incidents"
FILES = [str(STREAM / name) for name in ("keen.txt", "labels.json")]
ONTOLOGY = str(STREAM / "types.json")
EPOCHS = str(STREAM / "epochs.txt")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"threshold": float("nan")}, "threshold cannot be nan"),
        ({"alpha": 1.5}, "alpha cannot be 1.5: give a number from 0 to 1"),
        ({"lambda_": -3.0}, "lambda cannot be -3: give a number from 0 to 1"),
    ],
)
def test_numbers_without_meaning_are_refused(given: dict[str, float], words: str) -> None:
    with pytest.raises(tseval.UsageError, match=words):
        tseval.score_incidents(FILES[0], FILES[1], ONTOLOGY, epochs=EPOCHS, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"alpha": 0.0}, {"alpha": 1.0}, {"threshold": 7.0}])
def test_the_bounds_are_allowed(given: dict[str, float]) -> None:
    scores = tseval.score_incidents(FILES[0], FILES[1], ONTOLOGY, "AAW", epochs=EPOCHS, **given)  # type: ignore[arg-type]
    assert scores.value("AAW") is not None


@pytest.mark.parametrize("option", [["-q"], ["--event", "flood"], ["--at", "6h"]])
def test_the_official_files_leave_no_room_for_other_options(option: list[str]) -> None:
    asked = ["incidents", *FILES, "--ontology", ONTOLOGY, "--edition", "2019b", "-f", "trec-is"]
    outcome = program.tseval(*asked, *option, "-o", "no-such-folder")
    assert outcome.code == 2
    assert "writes what its edition prints" in outcome.err


def test_an_empty_ontology_is_called_empty() -> None:
    outcome = program.tseval("incidents", *FILES, "--ontology", "-", stdin=b"")
    assert outcome.code == 1
    assert "the file is empty\n  give the track's JSON" in outcome.err


def frame(runs: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run": [f"r{at}" for at in range(runs)],
            "event": "a very long name of an event that would leave no room for another word",
            "post": 1,
            "worth": 0.5,
            "delta": 0,
        },
    )


@pytest.mark.parametrize(("runs", "width"), [(8, THICK), (9, THIN)])
def test_panels_say_what_they_show_beside_their_event(runs: int, width: float) -> None:
    pytest.importorskip("altair")
    chart = specification(TrustChart(frame(runs), "signature"), hover=False)
    panels = chart["vconcat"][0]["concat"]
    assert [panel["title"]["subtitle"] for panel in panels] == [WORTH, DELTA]
    assert {panel["layer"][0]["mark"]["strokeWidth"] for panel in panels} == {width}
