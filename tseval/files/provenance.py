"""What a file of scores says of itself beside its scores: signature, inputs, warnings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tseval.files import JSON, json_text
from tseval.files.inputs import Input
from tseval.files.score_readers import recognised
from tseval.files.tsv import BYTE_ORDER_MARK
from tseval.records import frozen


class RecordedInput(NamedTuple):
    """An input as a result records it."""

    path: str
    sha256: str
    rows: int


@frozen
class Provenance:
    """The record of how scores came about."""

    signature: str
    inputs: tuple[RecordedInput, ...]
    warnings: tuple[str, ...]


def provenance_of(source: str | Path, form: str | None = None) -> Provenance | None:
    """What a file that `-f json` wrote tells; None for other forms, and for standard input.

    The file was read for its scores before, so it is JSON; what is not as tseval writes it is
    passed over.
    """
    given = Input(source)
    if not given.can_be_read_again or (form or recognised(given)) != JSON:
        return None
    try:
        content = json_text.load(given.whole().removeprefix(BYTE_ORDER_MARK))
    except ValueError:  # a whole number of more digits than Python takes, where none is read
        return None
    signature = content.get("signature")
    return Provenance(
        signature if isinstance(signature, str) else "",
        tuple(_inputs(content.get("inputs"))),
        tuple(each for each in _listed(content.get("warnings")) if isinstance(each, str)),
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _inputs(value: Any) -> Iterator[RecordedInput]:
    for each in _listed(value):
        if isinstance(each, dict):
            path, sha256, rows = (each.get(name) for name in RecordedInput._fields)
            if isinstance(path, str) and isinstance(sha256, str) and isinstance(rows, int):
                yield RecordedInput(path, sha256, rows)
