"""What the pages show, as plain values: never more than whoever asks may see."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.desk.judgments import agreements, by_assessor, by_topic, confusions
from tseval.desk.queue import Next, scores, similar_items, suggested, threshold_of
from tseval.desk.state import Choice
from tseval.io.times import dated
from tseval.reporting.page.markup import visible_text

if TYPE_CHECKING:
    from tseval.desk.desk import Desk
    from tseval.desk.judgments import TopicJudgments
    from tseval.desk.outcome import WhatIf
    from tseval.desk.state import State

NEIGHBOURS = 2
"""How many updates are shown on each side of the one that is read."""
ALIKE = 9
"""How many posts like one are suggested: as many as have a key."""
WINDOW = 60
"""How many posts are listed at once."""

View = dict[str, Any]


def reading(desk: Desk, assessor: str, given: Next) -> View:
    """An update to read with the nuggets of its topic.

    It tells neither whose update it is, nor scores, nor what others said of it.
    """
    item = desk.pool.items[given.item]
    own = desk.pool.of_topic[item.topic]
    at = own.index(given.item)
    texts = desk.pool.frame["text"][list(item.rows)]
    read = desk.state.read.get(given.item, {}).get(assessor)
    return {
        "item": given.item,
        "topic": item.topic,
        "time": dated(item.time),
        "text": visible_text(item.text),
        "before": [_brief(desk, each) for each in own[max(0, at - NEIGHBOURS) : at]],
        "after": [_brief(desk, each) for each in own[at + 1 : at + 1 + NEIGHBOURS]],
        # The other texts that the item stands for.
        "alike": list(dict.fromkeys(visible_text(text) for text in texts if text != item.text)),
        "nuggets": _nuggets(desk, assessor, given.item),
        "note": "" if read is None else read.note,
        "read": read is not None,
        "shown_by": given.shown_by,
        "place": [at + 1, len(own)],
    }


def _brief(desk: Desk, item: int) -> View:
    each = desk.pool.items[item]
    return {"time": dated(each.time), "text": visible_text(each.text)}


def _nuggets(desk: Desk, assessor: str, item: int) -> list[View]:
    """The nuggets of the item's topic in order of time, with what this assessor chose."""
    topic = desk.pool.items[item].topic
    times = dict(desk.gold().frame.filter(topic=topic).select("nugget_id", "time").iter_rows())
    own = sorted(desk.state.live(topic), key=lambda each: times[each.name])
    chosen = desk.state.choices.get(item, {}).get(assessor, {})
    found = scores(desk.matcher, desk.pool.items[item].text, own, desk.gold())
    ranks = {at: rank for rank, at in enumerate(suggested(found, threshold_of(desk.matcher)))}
    views = []
    for at, each in enumerate(own):
        choice = chosen.get(each.name)
        if choice is None or not choice.match:
            choice = Choice(match=False)
        views.append(
            {
                "nugget": each.name,
                "text": visible_text(each.text),
                "importance": each.importance,
                "time": dated(times[each.name]),
                "set": each.time is not None,
                "written": each.written,
                "suggested": ranks.get(at),
                "chosen": choice.match,
                "start": choice.start,
                "end": choice.end,
            }
        )
    return views


def next_in_time(desk: Desk, assessor: str, topic: str) -> int | None:
    """The earliest update of a topic that an assessor has not read."""
    own, read = desk.pool.of_topic.get(topic, []), desk.state.read
    return next((item for item in own if assessor not in read.get(item, {})), None)


def neighbour(desk: Desk, item: int, step: int) -> int | None:
    """The update before or after one in its topic."""
    own = desk.pool.of_topic[desk.pool.items[item].topic]
    at = own.index(item) + step
    return own[at] if 0 <= at < len(own) else None


def posts(desk: Desk, topic: str, around: int | None) -> View:
    """The posts of a topic around one, with their clusters, and what is like that one."""
    own = desk.pool.of_topic.get(topic, [])
    if not own:
        return {"topic": topic, "posts": [], "alike": [], "same": []}
    item = around if around in own else own[0]
    at = own.index(item)
    first = max(0, min(at - WINDOW // 2, len(own) - WINDOW))
    state = desk.state
    cluster = state.cluster.get(item)
    same = [] if cluster is None else [each for each in state.members(cluster) if each != item]
    return {
        "topic": topic,
        "item": item,
        "place": [at + 1, len(own)],
        "posts": [_post(state, each) for each in own[first : first + WINDOW]],
        "alike": [
            _post(state, each) for each in similar_items(desk.matcher, desk.pool, item, ALIKE)
        ],
        "same": [_post(state, each) for each in same],
    }


def _post(state: State, item: int) -> View:
    each = state.pool.items[item]
    cluster = state.cluster.get(item)
    return {
        "item": item,
        "time": dated(each.time),
        "text": visible_text(each.text),
        "cluster": cluster,
        "size": 0 if cluster is None else len(state.members(cluster)),
        "selected": item in state.selected,
    }


def disputes(desk: Desk, assessor: str) -> View:
    """What assessors disagree on and this one may settle, and how far they agree at all."""
    found: list[View] = []
    settled: list[View] = []
    own_ones = 0
    state, judged = desk.state, desk.gold().judged
    for own in judged:
        for row, column in np.argwhere((own.yes > 0) & (own.no > 0)).tolist():
            mine = assessor in own.of and bool(own.of[assessor][row, column] >= 0)
            is_settled = bool(own.settled[row, column] >= 0)
            own_ones += mine and not is_settled
            if not mine:
                (settled if is_settled else found).append(_dispute(state, own, row, column))
    texts = {
        (own.topic, each.name): visible_text(each.text) for own in judged for each in own.nuggets
    }
    return {
        "disputes": found,
        "settled": settled,
        "own": own_ones,
        "agreement": [
            {name: None if value != value else value for name, value in each._asdict().items()}
            | {"name": texts.get((each.topic, each.name), each.name)}
            for each in agreements(judged)
        ],
        "confusions": [
            each._asdict() | {name: texts[each.topic, getattr(each, name)] for name in BOTH}
            for each in confusions(judged)
        ],
    }


BOTH = ("nugget", "instead")


def _dispute(state: State, own: TopicJudgments, row: int, column: int) -> View:
    """A pair with who says what of it, side by side."""
    item, nugget = own.items[row], own.nuggets[column]
    said = []
    for name, verdicts in own.of.items():
        if verdicts[row, column] < 0:
            continue
        choice = state.choices.get(item, {}).get(name, {}).get(nugget.name)
        read = state.read.get(item, {}).get(name)
        said.append(
            {
                "assessor": visible_text(name),
                "match": bool(verdicts[row, column]),
                "start": None if choice is None else choice.start,
                "end": None if choice is None else choice.end,
                "note": "" if read is None else visible_text(read.note),
            }
        )
    return {
        "item": item,
        "topic": own.topic,
        "time": dated(state.pool.items[item].time),
        "text": visible_text(state.pool.items[item].text),
        "nugget": nugget.name,
        "nugget_text": visible_text(nugget.text),
        "said": said,
        "settled": int(own.settled[row, column]),
    }


def progress(desk: Desk) -> View:
    """How far everybody is."""
    return {
        "topics": [each._asdict() for each in by_topic(desk.state, desk.gold())],
        "assessors": [each._asdict() for each in by_assessor(desk.state)],
    }


def comparison(found: WhatIf) -> View:
    """Every run by every measure, with what was decided and without; whether the order changes."""
    decided, machine = found.decided, found.machine
    both = {"decided": decided, "machine": machine}
    rows = [
        {
            "run": visible_text(run),
            "values": [
                {
                    name: _value(each.means[r, m], each.mean_defined[r, m])
                    for name, each in both.items()
                }
                for m in range(len(decided.measures))
            ],
        }
        for r, run in enumerate(decided.runs)
    ]
    return {
        "measures": list(decided.measures),
        "runs": rows,
        "changes": [is_changed for is_changed, _ in found.orders.values()],
        "tau": [_value(tau, True) for _, tau in found.orders.values()],
        "signature": decided.signature,
        "warnings": [visible_text(each) for each in decided.warnings],
    }


def _value(value: float, defined: object) -> float | None:
    return float(value) if defined and math.isfinite(value) else None
