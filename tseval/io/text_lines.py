"""The lines of a text file one by one, for the formats whose lines are not a table's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tseval.io.faults import FaultList
    from tseval.io.inputs import Input

UTF8_CURE = "save the file in the encoding UTF-8"


def not_utf8(content: bytes) -> str:
    """Return the reason why bytes are not UTF-8, empty if they are."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return f"byte 0x{content[error.start]:02x} is not UTF-8"
    return ""


def text_lines(source: Input, faults: FaultList) -> Iterator[tuple[int, str]]:
    """Every line with its number; one that is not UTF-8 is noted and left out."""
    number = 0
    for block in source.blocks():
        for line in block.split(b"\n")[:-1]:
            number += 1
            reason = not_utf8(line)
            if reason:
                faults.add(number, reason, UTF8_CURE, "encoding")
            else:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")


def whole_text(source: Input, faults: FaultList) -> str:
    """The whole file as text; bytes that are not UTF-8 are an `InputError`."""
    content = source.whole_lines()
    reason = not_utf8(content)
    if reason:
        line = content[: _broken_at(content)].count(b"\n") + 1
        faults.refuse(line, reason, UTF8_CURE, "encoding")
    return content.decode("utf-8-sig")


def _broken_at(content: bytes) -> int:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return len(content)


def without_broken_bytes(block: bytes) -> bytes:
    """The block with `?` for each byte that is not UTF-8, so that no offset moves."""
    if block.isascii():
        return block
    try:
        block.decode()
    except UnicodeDecodeError:
        return _replaced(block)
    return block


def _replaced(block: bytes) -> bytes:
    parts, at = [], 0
    while True:
        try:
            block[at:].decode()
        except UnicodeDecodeError as error:
            parts += [block[at : at + error.start], b"?"]
            at += error.start + 1
        else:
            return b"".join([*parts, block[at:]])


def first_row(source: Input) -> bytes:
    """The first line of a file that is neither empty nor a comment, as far as its head goes."""
    lines = (line.strip() for line in source.head().lstrip(b"\xef\xbb\xbf").split(b"\n")[:1000])
    return next((line for line in lines if line and not line.startswith(b"#")), b"")


def is_xml(source: Input) -> bool:
    """Return whether a file looks like XML, as the topics of the track do."""
    return source.head().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
