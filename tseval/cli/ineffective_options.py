"""Options that change nothing in what is shown: refused, by what is declared of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import click

from tseval.cli.declared_options import DeclaredOption, written_forms
from tseval.cli.options import on_line
from tseval.core.declared import SCORES
from tseval.core.family import Family, View, Writer
from tseval.errors import UsageError

OF_SCORES = ("wanted", "at", "per_topic", "on_missing", "undefined")
"""The common options that have a meaning for scores alone."""
SHARING = ("jobs", "engine", "scheduler", "resume")
"""Those that say where the work is done."""


def refuse_options(
    ways: Collection[str], called: Mapping[str, str], refused: Mapping[str, str]
) -> None:
    """Refuse options that were given and have no meaning in these ways, or beside each other.

    A way is a view, a form or an analysis; `called` tells how it is asked for, if it is. `refused`
    are further options, by their names, with what they mean nothing with.
    """
    every = click.get_current_context().command.params
    given = [each for each in every if each.name and on_line(each.name)]
    for each in given:
        others = [flag for other in given if other is not each for flag in other.opts]
        name, where = each.opts[0], refused.get(each.name or "", "")
        if isinstance(each, DeclaredOption):
            name = each.what.name
            where = where or _where(each, [*ways, *others], called)
        if where:
            raise UsageError(f"{name} has no meaning {where}")


def _where(option: DeclaredOption, ways: Sequence[str], called: Mapping[str, str]) -> str:
    """With what, or without what, an option has no meaning; empty where it has one."""
    what = option.what
    if what.has_meaning(*ways):
        return ""
    wrong = [*(each for each in ways if each in what.not_within), *(w for w in ways if w in called)]
    if wrong:
        return f"with {called.get(wrong[0], wrong[0])}"
    known = [called.get(each, each) for each in what.within if each in called or each[0] == "-"]
    return f"without {' or '.join(known)}"


def ways_called(family: Family[Any, Any]) -> dict[str, str]:
    """How the views and the forms of a family are asked for."""
    is_one = sum(not each.asked_by for each in family.views) == 1
    flag = family.view_option
    called = {e.name: e.asked_by or (flag if is_one else f"{flag} {e.name}") for e in family.views}
    return called | {form: f"-f {form}" for form in written_forms(family)}


def refuse_ineffective(
    family: Family[Any, Any],
    other: View | Writer | str | None,
    form: str = "",
    more: Sequence[type] = (),  # noqa: ARG001 - every option tells its own declaration
    *,
    brief: bool = False,
) -> None:
    """Refuse options that have no meaning in what is shown: scores, a view, or a form.

    They are those that were given: an option that stands at its default says nothing.
    """
    called, without, shown = ways_called(family), tuple[str, ...](), SCORES
    if isinstance(other, str):
        shown = called[other] = other
    elif other is not None:
        shown = form if isinstance(other, Writer) else other.name
        without = () if other.by_topic else ("per_topic",)
        if not other.takes_measures:
            counts_missing = isinstance(other, Writer) and other.counts_missing
            without = tuple(n for n in OF_SCORES if n != "on_missing" or not counts_missing)
        if isinstance(other, View) and other.leaves_out:
            without += SHARING
    refused = dict.fromkeys(without, f"with {called.get(shown, '')}")
    if brief:
        refused |= dict.fromkeys(("form", "per_topic", "view"), "with --brief")
    refuse_options([shown], called, refused)
