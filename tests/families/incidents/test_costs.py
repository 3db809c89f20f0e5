"""What measures of incidents hold grows with posts and events, and not with their product."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from tests import program


def peak(events: int) -> int:
    """How many bytes scoring holds at most, with a post for each of so many events."""
    posts = [(f"e{at}", f"p{at}") for at in range(events)]
    run = "".join(f"{topic}\t{post}\t5\tk\n" for topic, post in posts)
    Path("run.tsv").write_text("topic\tpost_id\tpriority\ttypes\n" + run)
    labels = "".join(f"{topic}\t{post}\tHigh\tk\n" for topic, post in posts)
    Path("labels.tsv").write_text("topic\tpost_id\tlevel\ttypes\n" + labels)
    Path("types.json").write_text(json.dumps({"informationTypes": [{"id": "k"}]}))
    tracemalloc.start()
    done = program.tseval("incidents", "run.tsv", "labels.tsv", "--ontology", "types.json")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert done.code == 0
    return most


def test_ten_times_the_events_hold_about_ten_times_as_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    peak(10)  # what is imported and kept is not of this size
    assert peak(3000) < 15 * peak(300)
