"""Records of JSON: what their keys must hold, said once, and the reason why one does not."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from tseval.io.json_text import KINDS, elements, objects

if TYPE_CHECKING:
    from tseval.io.faults import FaultList
    from tseval.io.inputs import Input

Check: TypeAlias = Callable[[Any], bool]


UNFIT = re.compile(r"[\t\n\r\ud800-\udfff]")
"""What no name can hold: a tab, a line's end, half of a character."""


def is_name(value: Any) -> TypeGuard[str]:
    """Return whether this is a text that can name something."""
    return isinstance(value, str) and bool(value.strip()) and not UNFIT.search(value)


def is_filled(value: Any) -> TypeGuard[str]:
    """Return whether this is a text that is not blank, whatever it holds."""
    return isinstance(value, str) and bool(value.strip())


def is_text(value: Any) -> TypeGuard[str]:
    """Return whether this is a text."""
    return isinstance(value, str)


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether this is a finite number."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def is_numbers(value: Any) -> TypeGuard[list[float]]:
    """Return whether this is a list of finite numbers."""
    return isinstance(value, list) and all(map(is_number, value))


def is_integer(value: Any) -> TypeGuard[int]:
    """Return whether this is a whole number, written without a decimal point."""
    return type(value) is int


def is_names(value: Any) -> TypeGuard[list[str]]:
    """Return whether this is a list of names."""
    return isinstance(value, list) and all(map(is_name, value))


def is_texts(value: Any) -> TypeGuard[list[str]]:
    """Return whether this is a list of texts."""
    return isinstance(value, list) and all(map(is_text, value))


def is_words(value: Any) -> TypeGuard[list[str]]:
    """Return whether this is a list of names without blanks."""
    return is_names(value) and not any(" " in each for each in value)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether this is a list."""
    return isinstance(value, list)


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether this is an object."""
    return isinstance(value, dict)


WORDS: Mapping[Check, str] = {
    is_name: "a name",
    is_filled: "a text that is not blank",
    is_text: "a text",
    is_number: "a finite number",
    is_integer: "a whole number",
    is_numbers: "a list of finite numbers",
    is_names: "a list of names",
    is_texts: "a list of texts",
    is_words: "a list of names without blanks",
    is_list: "a list",
    is_object: "an object",
}


def kind_of(value: Any) -> str:
    """Return what JSON calls a value, with its article."""
    kind = KINDS.get(type(value), "value")
    return f"an {kind}" if kind[0] in "ao" else f"a {kind}"


def wrong_in(record: Any, what: str = "an object", /, **keys: Check) -> str:
    """Return why a record is not what it should be, empty if it is.

    `keys` says what each key must hold; `_` in a name stands for itself. An optional key is given
    its default before.
    """
    if not isinstance(record, dict):
        return f"{kind_of(record)} where {what} is expected"
    for name, holds in keys.items():
        if name not in record:
            return f'no "{name}"'
        if not holds(record[name]):
            wanted, value = WORDS.get(holds, "something else"), record[name]
            if is_text(value) and holds is is_name:
                return f'"{name}" names nothing'
            return f'"{name}" is {kind_of(value)} where {wanted} is expected'
    return ""


class Record:
    """An object of JSON: what its keys hold, which are optional, and the cure for any other.

    A key may hold a list of further records.
    """

    def __init__(
        self, cure: str, optional: Mapping[str, Any] | None = None, **keys: Check | Record
    ) -> None:
        self.cure, self.optional = cure, optional or {}
        self.lists = {name: kind for name, kind in keys.items() if isinstance(kind, Record)}
        self.keys = {n: is_list if isinstance(k, Record) else k for n, k in keys.items()}

    def rows(self, values: Iterable[Any], line: int, faults: FaultList) -> Iterator[dict[str, Any]]:
        """Yield each value with each record of its lists; note faults.

        With an empty list it is alone, and has only the keys that are declared.
        """
        for value in values:
            record = {**self.optional, **value} if isinstance(value, dict) else value
            if wrong := wrong_in(record, **self.keys):
                faults.add(line, wrong, self.cure, "record-format")
                continue
            if not self.lists:
                yield record
                continue
            known = {name: record[name] for name in self.keys}
            lists = [(kind, record[name]) for name, kind in self.lists.items() if record[name]]
            for kind, inner in lists:
                yield from ({**known, **row} for row in kind.rows(inner, line, faults))
            if not lists:
                yield known


def is_array(source: Input) -> bool:
    """Return whether a file is one JSON list."""
    return source.head().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def records_in(source: Input, faults: FaultList) -> Iterator[tuple[int, Any]]:
    """Yield each element of a list, or each object of JSON lines, with its line."""
    yield from (elements if is_array(source) else objects)(source, faults)


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the garbage collector, which takes a quarter of the time to read JSON for nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
