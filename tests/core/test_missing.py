"""What runs lack: topics, and parts of them that a family tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tseval import MissingTopics
from tseval.core.family import Words
from tseval.core.scoring import missing_topics
from tseval.io.names import Units
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray


@frozen
class There(Units):
    """Who has what."""

    present: BoolArray


INDEX = There(("a", "b"), ("t1", "t2"), np.array([[True, False], [True, True]]))
DAYS = [("b", "day", ["t1-1", "t1-2"])]


def test_parts_of_topics_are_told_as_topics_are() -> None:
    words = Words("facts", "event")
    left = missing_topics([INDEX], "skip", words, DAYS)
    assert left.warnings == (
        "run a: no facts for 1 event, left out of the mean: t2",
        "run b: no facts for 2 days, left out of the mean: t1-1, t1-2",
    )
    assert (left.counted == INDEX.present).all()
    zero = missing_topics([INDEX], "zero", words, DAYS)
    assert zero.warnings[1] == (
        "run b: no facts for 2 days, counted as an empty system: t1-1, t1-2"
    )
    assert zero.counted.all()


def test_parts_of_topics_are_refused_as_topics_are() -> None:
    whole = There(("b",), ("t1", "t2"), np.ones((1, 2), bool))
    assert not missing_topics([whole], "error", Words()).warnings
    with pytest.raises(MissingTopics, match="run b has no updates for 2 days: t1-1, t1-2"):
        missing_topics([whole], "error", Words(), DAYS)
