"""Options that change nothing in what is shown: refused, by what families declare of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tseval.cli.declared_options import written_forms
from tseval.cli.options import on_line
from tseval.core.declared import SCORES, Declared, declared
from tseval.core.family import Family, View, Writer
from tseval.errors import UsageError

OF_SCORES = {
    name: Declared((flag,), "", within=(SCORES,))
    for name, flag in {
        "wanted": "-m",
        "at": "--at",
        "per_topic": "-q",
        "on_missing": "--on-missing",
        "undefined": "--undefined",
    }.items()
}
"""The common options that have a meaning for scores alone."""


def called(family: Family[Any, Any], other: View | Writer | str, form: str = "") -> str:
    """How a view, or a form, is asked for; an extension's way is called by its option."""
    if isinstance(other, str):
        return other
    if isinstance(other, Writer):
        return f"-f {form}"
    named = [each for each in family.views if not each.asked_by]
    alone = family.view_option if len(named) == 1 else f"{family.view_option} {other.name}"
    return other.asked_by or alone


def refuse_ineffective(
    family: Family[Any, Any],
    other: View | Writer | str | None,
    form: str = "",
    more: Sequence[type] = (),
) -> None:
    """Refuse options that have no meaning in what is shown: scores, a view, or a form.

    They are those that were given: an option that stands at its default says nothing.
    """
    known: dict[str, Declared] = {}
    if isinstance(other, View | Writer) and not other.takes_measures:
        known = dict(OF_SCORES)
        if isinstance(other, Writer) and other.counts_missing:
            del known["on_missing"]
    elif isinstance(other, View | Writer) and not other.by_topic:
        known = {"per_topic": OF_SCORES["per_topic"]}
    for record in (family.inputs, family.options, *more):
        known |= {field.name: what for field, what in declared(record)}
    shown = form if isinstance(other, Writer) else SCORES
    if isinstance(other, View | str):
        shown = other if isinstance(other, str) else other.name
    for name, what in known.items():
        if not what.has_meaning(shown) and on_line(name):
            where = _where(family, other, form, what.within)
            raise UsageError(f"{what.name} has no meaning {where}")


def _where(
    family: Family[Any, Any], other: View | Writer | str | None, form: str, views: Sequence[str]
) -> str:
    """Where an option has no meaning; of scores, without which views."""
    if other is not None:
        return f"with {called(family, other, form)}"
    if views[0].startswith("--"):
        return f"without {views[0]}"
    known = [each for each in family.views if each.name in views]
    for each in known:
        if each.asked_by:
            return f"without {each.asked_by}"
    if len(family.views) == 1 and known:
        return f"without {family.view_option}"
    forms = [each for each in written_forms(family) if each in views]
    asked = [family.view_option, *(each.name for each in known)] if known else ["-f", *forms]
    return f"without {asked[0]} {' or '.join(asked[1:])}"
