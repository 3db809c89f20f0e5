"""What the page's script works with, as JSON inside the page."""

from __future__ import annotations

from typing import Any

from tseval.core.blocks import Saying, Timeline
from tseval.reporting.content import Report
from tseval.reporting.page.markup import Markup, shown
from tseval.reporting.page.numbers import rounded
from tseval.reporting.page.pair import pair_data
from tseval.reporting.page.panels import Lines
from tseval.reporting.page.searched import list_data
from tseval.reporting.page.shell import block_of

DECIMALS = 4
"""Of hours: a third of a second."""


def data_block(report: Report) -> Markup:
    """What the script knows of a report; each text stands once."""
    texts: dict[str, int] = {}
    panels = {
        f"{section.name}-{at}": panel
        for section in report.sections
        for at, panel in enumerate(section.panels)
    }
    more: dict[str, Any] = {
        "lists": {
            name: list_data(block, texts)
            for section in report.sections
            for name, block in section.searched.items()
        },
        "colours": Lines.of_runs(report.runs).colours,
        "timelines": [_timeline(each, texts) for each in report.timelines],
    }
    if len(report.runs) > 1:
        more["pair"] = pair_data(report)
    return block_of(report.runs, panels, more | {"texts": [shown(text) for text in texts]})


def _timeline(timeline: Timeline, texts: dict[str, int]) -> dict[str, Any]:
    """A topic; each text stands once on the page, however many updates have it."""
    updates = [
        [each.run, shown(each.name), _hours(each.hours), texts.setdefault(each.text, len(texts))]
        for each in timeline.updates
    ]
    return {
        "topic": shown(timeline.topic),
        "end": _hours(timeline.end),
        "nuggets": [
            [shown(each.name), _hours(each.hours), rounded(each.importance), shown(each.text)]
            for each in timeline.nuggets
        ],
        "updates": updates,
        "sayings": [_saying(timeline, each) for each in timeline.sayings],
    }


def _hours(hours: float) -> float:
    return round(hours, DECIMALS)


def _saying(timeline: Timeline, saying: Saying) -> list[Any]:
    """Nugget, update, whether it is the first, and the words' ends in one row."""
    text = timeline.updates[saying.update].text
    ends = [place for word in saying.words for place in word]
    return [saying.nugget, saying.update, int(saying.first), _in_units(text, ends)]


def _in_units(text: str, places: list[int]) -> list[int]:
    """Places in a text as scripts count them: characters beyond the first 65,536 are two units."""
    if text.isascii() or not places:
        return places
    wide = [at for at, character in enumerate(text) if ord(character) > 0xFFFF]
    return [place + sum(at < place for at in wide) for place in places]
