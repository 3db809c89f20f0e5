"""Lists that are searched: a script draws them from data, and their beginnings stand without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tseval.core.blocks import Head, Listed, Rows, Searched
from tseval.reporting.content import Report
from tseval.reporting.page.markup import Markup, element, shown

AT_FIRST = 50
"""So many rows of each list stand on the page without a script."""


def searched(block: Searched, name: str, table: Callable[[Rows], Markup], report: Report) -> Markup:
    """The choice of a list, its filters and search, the place for its rows, and its beginnings."""
    lists = [
        element(
            "button",
            {"type": "button", "class": "list", "data-list": at, "aria-pressed": "false"},
            f"{each.name} ",
            element("span", None, f"{each.total:,}"),
        )
        for at, each in enumerate(block.lists)
    ]
    search = element("input", {"type": "search", **_kept(name, "search")})
    filters = [_control(name, each, report) for each in filters_of(block)]
    more = element("button", {"type": "button", "class": "more"}, "More")
    return element(
        "div",
        {"class": "searched", "data-lists": name},
        element("div", {"class": "lists scripted", "role": "group", "aria-label": "Lists"}, lists),
        element("p", {"class": "note scripted"}),
        element(
            "p",
            {"class": "controls scripted"},
            filters,
            labelled("Search", _kept(name, "search")["id"], search),
        ),
        element(
            "p",
            {"class": "scripted"},
            element("output", {"aria-live": "polite"}),
            element("span", {"class": "printed rest"}, "; the page shows all"),
        ),
        element("div", {"class": "scripted place"}),
        element("p", {"class": "controls scripted"}, more),
        [_beginning(each, table) for each in block.lists],
    )


def _beginning(listed: Listed, table: Callable[[Rows], Markup]) -> Markup:
    first = replace(listed.table, rows=listed.table.rows[:AT_FIRST])
    told = f" The first {AT_FIRST} stand here." if len(listed.table.rows) > AT_FIRST else ""
    summary = element("summary", None, f"{listed.name}: {listed.total:,}")
    note = element("p", {"class": "note"}, listed.note + told)
    return element("details", {"class": "unscripted"}, summary, note, table(first))


def filters_of(block: Searched) -> list[Head]:
    """The heads that can be filtered by, each once: runs, then the others as lists have them."""
    heads = (head for each in block.lists for head in each.table.heads if head.is_filter)
    found = {filter_of(head): head for head in heads}
    return sorted(found.values(), key=lambda head: filter_of(head) != "run")


def filter_of(head: Head) -> str:
    """What the filter by a head is called."""
    return "run" if head.kind == "runs" else head.head


def _control(name: str, head: Head, report: Report) -> Markup:
    """What a filter is chosen with."""
    label = filter_of(head)
    given = {"data-head": label, **_kept(name, label)}
    if head.kind in ("number", "count"):
        least = {"type": "number", "step": "any", "class": "least", **given}
        return labelled(f"{label} at least", given["id"], element("input", least))
    options = [element("option", {"value": ""}, "all")]
    options += [element("option", {"value": value}, text) for value, text in _choices(head, report)]
    return labelled(label, given["id"], element("select", given, options))


def _kept(name: str, of: str) -> dict[str, str]:
    """The name of a control, by which the address keeps it too."""
    word = "-".join("".join(c if c.isalnum() else " " for c in f"{name} {of}").split())
    return {"id": word, "data-keep": word}


def labelled(label: str, name: str, control: Markup) -> Markup:
    """A control beside its label."""
    words = element("label", {"for": name}, label)
    return element("span", {"class": "control"}, words, " ", control)


def _choices(head: Head, report: Report) -> Iterator[tuple[int | str, str]]:
    """Each choice by what stands for it in the data."""
    if head.kind in ("run", "runs"):
        yield from ((at, shown(name)) for at, name in enumerate(report.runs))
    else:
        yield from ((shown(name), shown(name)) for name in head.choices)


def list_data(block: Searched, texts: dict[str, int]) -> list[dict[str, Any]]:
    """The lists by columns; words are places among the texts of the page."""
    return [
        {
            "note": each.note,
            "label": each.table.label,
            "heads": [
                [head.head, head.kind, head.decimals, filter_of(head) if head.is_filter else ""]
                for head in each.table.heads
            ],
            "columns": _columns(each.table, texts),
        }
        for each in block.lists
    ]


def _columns(table: Rows, texts: dict[str, int]) -> list[list[Any]]:
    """The values by column. Choices come first among the texts, so that their places are short."""
    for head in table.heads:
        for choice in head.choices:
            texts.setdefault(choice, len(texts))
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.heads)
    return [_column(head, own, texts) for head, own in zip(table.heads, columns, strict=True)]


def _column(head: Head, values: tuple[Any, ...], texts: dict[str, int]) -> list[Any]:
    """Numbers have the decimals that are shown, and whole ones none."""
    if head.kind in ("text", "name"):
        return [texts.setdefault(value, len(texts)) for value in values]
    if head.kind != "number":
        return list(values)
    return [_short(value, head.decimals) for value in values]


def _short(value: float | None, decimals: int) -> float | None:
    shorter = None if value is None else round(value, decimals)
    return shorter if shorter is None or shorter % 1 else int(shorter)
