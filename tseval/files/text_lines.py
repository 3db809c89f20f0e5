"""The lines of a text file one by one, for the formats whose lines are not a table's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tseval.files.tsv import UTF8_CURE, not_utf8

if TYPE_CHECKING:
    from tseval.files.faults import FaultList
    from tseval.files.inputs import Input


def text_lines(source: Input, faults: FaultList) -> Iterator[tuple[int, str]]:
    """Every line with its number; one that is not UTF-8 is noted and left out."""
    number = 0
    for block in source.blocks():
        for line in block.split(b"\n")[:-1]:
            number += 1
            reason = not_utf8(line)
            if reason:
                faults.add(number, reason, UTF8_CURE)
            else:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")


def whole_text(source: Input, faults: FaultList) -> str:
    """The whole file as text; bytes that are not UTF-8 are an `InputError`."""
    content = b"".join(source.blocks())
    reason = not_utf8(content)
    if reason:
        faults.add(content[: _broken_at(content)].count(b"\n") + 1, reason, UTF8_CURE)
        faults.check()
    return content.decode("utf-8-sig")


def _broken_at(content: bytes) -> int:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return len(content)
