"""How the page words warnings: alike ones once, and topics as what they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from tseval.reporting.page.markup import Child, joined
from tseval.reporting.page.verdict import merged, worded

if TYPE_CHECKING:
    from tseval.reporting.content import Report

RUNS = ("a", "b: c", "d", "e")


def on(*over: tuple[str, str]) -> Report:
    """As much of a report as warnings need: measures, each with what it is taken over."""
    measures = tuple(SimpleNamespace(name=name, over=noun) for name, noun in over)
    return cast("Report", SimpleNamespace(runs=RUNS, measures=measures))


def plain(told: Iterable[Child]) -> list[str]:
    """Warnings as a reader sees them."""
    return [unescape(re.sub(r"<[^>]*>", "", joined([each]))) for each in told]


class TestMerged:
    def test_counts_of_three_runs_are_one_warning_where_the_first_stood(self) -> None:
        told = [
            *("run a: 3 updates before the start of the topic", "something else"),
            *("run b: c: 1 update before the start of the topic", "run d: 1,204 updates before"),
            "run e: 12 updates before the start of the topic",
        ]
        assert plain(merged(told, RUNS)) == [
            "3 runs: updates before the start of the topic (a\u00a03, b: c\u00a01, e\u00a012)",
            "something else",
            "run d: 1,204 updates before",
        ]

    def test_two_are_left_as_they_are(self) -> None:
        told = ["run a: 3 posts missing", "run d: 1 post missing"]
        assert plain(merged(told, RUNS)) == told

    def test_words_without_a_number_are_named_once(self) -> None:
        told = [f"run {each}: it has no scores here" for each in ("a", "d", "e")]
        assert plain(merged(told, RUNS)) == ["3 runs: it has no scores here (a, d, e)"]

    def test_what_is_on_no_run_is_never_merged(self) -> None:
        assert plain(merged(["the same", "the same", "the same"], RUNS)) == ["the same"] * 3


class TestNouns:
    WARNING = "P, R: 7 topics cannot show a difference; remedies: 11 topics | --test t, if 1"

    def test_topics_are_what_the_named_measures_are_taken_over(self) -> None:
        report = on(("P", "event"), ("R", "event"), ("P.x", "information type"))
        assert plain(worded([self.WARNING], report)) == [
            "P, R: 7 events cannot show a difference; remedies: 11 events; or --test t, if 1"
        ]

    def test_measures_of_both_kinds_name_both(self) -> None:
        report = on(("P", "event"), ("R", "information type"))
        (told,) = plain(worded(["1 topic cannot; 2 topics"], report))
        assert told == "1 event or information type cannot; 2 events or information types"

    def test_topics_stay_topics(self) -> None:
        (told,) = plain(worded([self.WARNING], on(("P", "topic"))))
        assert told == self.WARNING.replace(" | ", "; or ")
