"""The formats that are asked for: one for all inputs, or one for each of some."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from tseval.errors import UsageError

Forms: TypeAlias = str | Mapping[str, str] | None
"""A format for all inputs, formats by the names of inputs, or nothing: by their content.

Under the empty name there may be one for the inputs that have none of their own.
"""
OF_THE_REST = ""


def form_for(forms: Forms, name: str) -> str | None:
    """The format of one input; None leaves it to its content."""
    if forms is None or isinstance(forms, str):
        return forms
    return forms.get(name, forms.get(OF_THE_REST))


def form_named(forms: Forms, name: str) -> str | None:
    """The same of an input that only a format by its own name is meant for."""
    return forms.get(name) if isinstance(forms, Mapping) else None


def form_of_the_rest(forms: Forms) -> str | None:
    """The format of inputs that have none of their own."""
    return form_for(forms, OF_THE_REST)


def check_forms(forms: Forms, inputs: Collection[str]) -> None:
    """Refuse a format for an input that there is not."""
    for name in forms if isinstance(forms, Mapping) else ():
        if name not in (*inputs, OF_THE_REST):
            raise UsageError(f"no input '{name}' here; there are: {', '.join(inputs)}")
