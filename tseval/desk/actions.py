"""What people may do at the desk: each request checked, and made an act of decisions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tseval.core.wording import listed
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.judgments import topic_judgments
from tseval.desk.state import Choice
from tseval.errors import UsageError
from tseval.io.times import NotANumber, implausible, moment, number, why_implausible
from tseval.reporting.page.markup import visible_text

if TYPE_CHECKING:
    from tseval.desk.desk import Desk
    from tseval.desk.pool import Item
    from tseval.desk.state import Nugget

LONGEST = 20_000
"""So many characters has a text at most."""
Request = Mapping[str, Any]


class Refused(UsageError):
    """What somebody asked for cannot be done; the words are shown to them."""


def save(desk: Desk, assessor: str, asked: Request) -> list[Decision]:
    """An update was read: which nuggets it says, and by which words."""
    item = _item(desk, asked)
    chosen: dict[str, Request] = {}
    for each in _list(asked, "chosen"):
        if not isinstance(each, dict) or not isinstance(each.get("nugget"), str):
            raise Refused("'chosen' names no nugget")
        chosen[_nugget(desk, item.topic, each["nugget"]).name] = each
    beside = {str(name) for name in _list(asked, "shown")}
    written = sorted(
        each.name for each in desk.state.live(item.topic) if each.written and each.name in beside
    )
    before = desk.state.choices.get(desk.pool.place[item.topic, item.name], {}).get(assessor, {})
    act = []
    for name, each in chosen.items():
        span = _span(each, item)
        if before.get(name) != Choice(True, *span):
            act.append(Decision(assessor, kinds.MATCH, item.topic, item.name, name, *span))
    act += [
        Decision(assessor, kinds.NO_MATCH, item.topic, item.name, name)
        for name, known in before.items()
        if known.match and name not in chosen
    ]
    done = Decision(
        *(assessor, kinds.DONE, item.topic, item.name),
        value=json.dumps(written) if written else "",
        note=_text(asked, "note"),
        shown_by=_text(asked, "shown_by"),
    )
    return desk.decide(*act, done)


def undo(desk: Desk, assessor: str, _: Request) -> list[Decision]:
    """The last act of this assessor is taken back."""
    last = desk.undo(assessor)
    if last is None:
        raise Refused("there is nothing to take back")
    return [last]


def write(desk: Desk, assessor: str, asked: Request) -> list[Decision]:
    """A new nugget; where it was read in an update, that says it."""
    topic = _topic(desk, asked)
    item = _item(desk, asked) if asked.get("item") is not None else None
    text = _line(asked, "text")
    start, end = _span(asked, item) if item else (None, None)
    more = _amounts(asked)

    def act(first: int) -> Sequence[Decision]:
        name = _new(desk, first)
        update = item.name if item else ""
        rows = [Decision(assessor, kinds.WRITE, topic, update, name, value=text)]
        rows += [Decision(assessor, kind, topic, nugget=name, value=value) for kind, value in more]
        if item:
            rows.append(Decision(assessor, kinds.MATCH, topic, update, name, start, end))
        return rows

    return desk.store.append(act)


def change(desk: Desk, assessor: str, asked: Request) -> list[Decision]:
    """Another text, importance or time of a nugget; what is as it was is no decision."""
    nugget = _nugget(desk, _topic(desk, asked), _text(asked, "nugget"))
    values = [(kinds.TEXT, _line(asked, "text"))] if "text" in asked else []
    now = {kinds.TEXT: nugget.text, kinds.WEIGH: repr(nugget.importance)}
    now[kinds.DATE] = "" if nugget.time is None else repr(nugget.time)
    act = [
        Decision(assessor, kind, nugget.topic, nugget=nugget.name, value=value)
        for kind, value in values + _amounts(asked)
        if value != now[kind]
    ]
    if not act:
        raise Refused("nothing was changed")
    return desk.decide(*act)


def drop(desk: Desk, assessor: str, asked: Request) -> list[Decision]:
    """A nugget that is none."""
    nugget = _nugget(desk, _topic(desk, asked), _text(asked, "nugget"))
    return desk.decide(Decision(assessor, kinds.DROP, nugget.topic, nugget=nugget.name))


def split(desk: Desk, assessor: str, asked: Request) -> list[Decision]:
    """A nugget in parts; updates that said it are to be read again."""
    nugget = _nugget(desk, _topic(desk, asked), _text(asked, "nugget"))
    texts = [" ".join(visible_text(str(each)).split()) for each in _list(asked, "texts")]
    texts = [each for each in texts if each]
    if len(texts) < 2:
        raise Refused("a nugget is split into two parts or more: write each on a line")
    item = None if nugget.read_in is None else desk.pool.items[nugget.read_in]

    def act(first: int) -> Sequence[Decision]:
        names = [_new(desk, first + at) for at in range(len(texts))]
        update = item.name if item else ""
        rows = [
            Decision(assessor, kinds.WRITE, nugget.topic, update, name, value=text)
            for name, text in zip(names, texts, strict=True)
        ]
        # A part weighs, and is dated, as the whole was.
        more = [] if nugget.importance == 1.0 else [(kinds.WEIGH, str(nugget.importance))]
        more += [] if nugget.time is None else [(kinds.DATE, repr(nugget.time))]
        rows += [
            Decision(assessor, kind, nugget.topic, nugget=name, value=value)
            for kind, value in more
            for name in names
        ]
        parts = " ".join(names)
        return [*rows, Decision(assessor, kinds.DROP, nugget.topic, "", nugget.name, value=parts)]

    return desk.store.append(act)


def merge(desk: Desk, assessor: str, asked: Request) -> list[Decision]:
    """Two nuggets that say the same."""
    topic = _topic(desk, asked)
    nugget, into = (_nugget(desk, topic, _text(asked, name)) for name in ("nugget", "into"))
    if nugget.name == into.name:
        raise Refused("a nugget cannot be merged with itself: choose another")
    return desk.decide(Decision(assessor, kinds.MERGE, topic, nugget=nugget.name, value=into.name))


def cluster(desk: Desk, assessor: str, asked: Request) -> list[Decision]:
    """A post is put together with another, by itself, in no cluster, or selected."""
    item, verdict = _item(desk, asked), _text(asked, "verdict")
    known = (kinds.TOGETHER, kinds.ALONE, kinds.OUT, kinds.SELECT, kinds.UNSELECT)
    if verdict not in known:
        raise Refused(f"'{verdict}' is none of {listed(known)}")
    other = ""
    if verdict == kinds.TOGETHER:
        other_item = _item(desk, asked, "other")
        if other_item.topic != item.topic or other_item == item:
            raise Refused("a post is put together with another of its topic")
        other = other_item.name
    return desk.decide(Decision(assessor, verdict, item.topic, item.name, value=other))


def settle(desk: Desk, assessor: str, asked: Request) -> list[Decision]:
    """A third person says what counts of a pair that others disagree on."""
    item = _item(desk, asked)
    nugget = _nugget(desk, item.topic, _text(asked, "nugget"))
    own = topic_judgments(desk.state, item.topic)
    at = own.items.index(desk.pool.place[item.topic, item.name])
    column = [each.name for each in own.nuggets].index(nugget.name)
    if assessor in own.of and own.of[assessor][at, column] >= 0:
        raise Refused("you judged this pair yourself: a third person settles it")
    if not (own.yes[at, column] and own.no[at, column]):
        raise Refused("nobody disagrees on this pair")
    verdict = kinds.SETTLED_MATCH if asked.get("match") is True else kinds.SETTLED_NO_MATCH
    pair, note = (item.topic, item.name, nugget.name), _text(asked, "note")
    return desk.decide(Decision(assessor, verdict, *pair, note=note))


ACTIONS: dict[str, Callable[[Desk, str, Request], list[Decision]]] = {
    each.__name__: each for each in (save, undo, write, change, drop, split, merge, cluster, settle)
}


def _new(desk: Desk, rev: int) -> str:
    """A name that no other nugget of any store gets."""
    return f"w{rev}-{desk.store.name}"


def _item(desk: Desk, asked: Request, name: str = "item") -> Item:
    at = asked.get(name)
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(desk.pool.items):
        raise Refused("there is no such update: load the page again")
    return desk.pool.items[at]


def _topic(desk: Desk, asked: Request) -> str:
    topic = _text(asked, "topic")
    if topic not in desk.pool.of_topic:
        raise Refused(f"there is no topic '{topic}'")
    return topic


def _nugget(desk: Desk, topic: str, name: object) -> Nugget:
    nugget = desk.state.nuggets.get((topic, str(name)))
    if nugget is None or not nugget.counts:
        raise Refused("somebody has changed the nuggets meanwhile: load the page again")
    return nugget


def _span(asked: Request, item: Item) -> tuple[int | None, int | None]:
    start, end = asked.get("start"), asked.get("end")
    if start is None or end is None:
        return None, None
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(item.text)):
        raise Refused("these words are not in the update")
    return start, end


def _amounts(asked: Request) -> list[tuple[str, str]]:
    """The importance and the time, as far as they are asked for."""
    found = []
    if "importance" in asked:
        try:
            weight = number(str(asked["importance"]))
        except NotANumber as error:
            raise Refused(f"the importance '{asked['importance']}' {error}") from None
        if weight < 0 or not math.isfinite(weight):
            raise Refused("an importance is not below 0")
        found.append((kinds.WEIGH, repr(weight)))
    if "time" in asked:
        cell = str(asked["time"]).strip()
        try:
            seconds = moment(cell) if cell else None
        except NotANumber as error:
            raise Refused(f"the time '{cell}' {error}: write 2024-05-01T12:00") from None
        if seconds is not None and implausible(seconds):
            raise Refused(f"the time '{cell}' {why_implausible(seconds)[0]}")
        found.append((kinds.DATE, "" if seconds is None else repr(seconds)))
    return found


def _text(asked: Request, name: str) -> str:
    text = asked.get(name, "")
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Refused(f"'{name}' is no text of at most {LONGEST:,} characters")
    return visible_text(text)


def _line(asked: Request, name: str) -> str:
    """A text in one line, which says something."""
    text = " ".join(_text(asked, name).split())
    if not text:
        raise Refused("a nugget has to say something")
    return text


def _list(asked: Request, name: str) -> list[Any]:
    found = asked.get(name, [])
    if not isinstance(found, list) or len(found) > LONGEST:
        raise Refused(f"'{name}' is no list")
    return found
