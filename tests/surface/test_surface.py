"""Every command, edition, form of output and kind of fault gives what is recorded.

Values may differ by 1e-12, messages by their words; `sentences.txt` holds the words, and may be
written anew alone: `python -m tests.surface.record --sentences`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.surface import compare
from tests.surface.record import SENTENCES, key, sentences_of

pytestmark = pytest.mark.always

FILES = sorted(path.stem for path in compare.GOLDEN.glob("*.jsonl"))


@cache
def outcomes(name: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The cases of a golden file, each with what comes out now."""
    found = []
    for case in compare.cases(name):
        with TemporaryDirectory() as place, compare.inside(Path(place)):
            compare.folder(Path(place), case.get("given"))
            found.append((case, compare.outcome(case)))
    return found


@pytest.mark.parametrize("name", FILES)
def test_every_case_gives_what_is_recorded(name: str) -> None:
    wrong = []
    for case, found in outcomes(name):
        now = {each: value for each, value in found.items() if each != "sentences"}
        wanted = {each: value for each, value in case.items() if each not in compare.GIVEN}
        wrong += [f"{key(case)}{each}" for each in compare.differences(wanted, now)]
    assert not wrong, "\n".join(wrong[:40])


@pytest.mark.parametrize("name", FILES)
def test_every_message_has_the_recorded_words(name: str) -> None:
    recorded = sentences_of(SENTENCES.read_text(encoding="utf-8"))
    for case, found in outcomes(name):
        if key(case) in recorded:
            assert found.get("sentences") == recorded[key(case)], key(case)
