"""The texts of updates that say a nugget have so much room on a page, and what has none is told."""

from __future__ import annotations

import pytest

from tests import cases
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tseval.core.blocks import Note, Searched, Timelines
from tseval.families.temporal import explain as module
from tseval.families.temporal.evaluation import TemporalEvaluation, TemporalInputs


@pytest.fixture
def evaluation() -> TemporalEvaluation:
    return cases.read(TemporalInputs([SWIFT, THOROUGH], NUGGETS, MATCHES, TOPICS))


def told(evaluation: TemporalEvaluation) -> tuple[Timelines, str]:
    """The timelines of a page, and the note below them."""
    first, *others = cases.section(evaluation, "timeline")
    assert isinstance(first, Timelines)
    notes = [each.text for each in others if isinstance(each, Note)]
    return first, " ".join(notes)


def test_texts_with_room_stand_whole(evaluation: TemporalEvaluation) -> None:
    shown, note = told(evaluation)
    assert note == ""
    updates = [update for topic in shown.topics for update in topic.updates]
    own = dict(evaluation.index.updates.select("update_id", "text").iter_rows())
    assert all(update.text == own[update.name] for update in updates)


def test_first_words_have_room_before_repetitions_and_the_rest_is_counted(
    evaluation: TemporalEvaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [update for topic in told(evaluation)[0].topics for update in topic.updates]
    monkeypatch.setattr(module, "ROOM", 400)
    shown, note = told(evaluation)
    updates = [update for topic in shown.topics for update in topic.updates]
    held = [update for update in updates if update.text != module.LEFT_OUT]
    assert 0 < sum(len(update.text) for update in held) <= 400
    assert {update.run for update in held} == {0, 1}
    left = len(whole) - len(held)
    assert f"{left} texts of {len(whole)} left out, as there is room for 400 characters" in note
    for topic in shown.topics:
        firsts = {each.update for each in topic.sayings if each.first}
        assert all(
            topic.updates[each.update].text != module.LEFT_OUT or not each.words
            for each in topic.sayings
        )
        assert all(at in firsts for at, each in enumerate(topic.updates) if each in held)


def test_long_texts_end_early_and_marks_stay_within(
    evaluation: TemporalEvaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST", 20)
    shown, note = told(evaluation)
    assert "cut after 20 characters" in note
    for topic in shown.topics:
        assert all(len(each.text) <= 21 for each in topic.updates)
        assert all(high <= 20 for each in topic.sayings for _, high in each.words)


def test_lists_have_the_same_texts(
    evaluation: TemporalEvaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST", 20)
    (found,) = cases.section(evaluation, "wrong")
    assert isinstance(found, Searched)
    assert all(len(text) <= 21 for text in found.lists[1].table.column("said"))
