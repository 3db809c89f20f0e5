"""Collecting the faults of one input, and reporting them with the lines they stand on."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import NoReturn

from tseval.errors import FAULTS_SHOWN, Fault, InputError
from tseval.io.inputs import UTF8_CURE, Input, not_utf8

SAME_FROM = 3
"""From so many rows on, a fault that all of them have is said once."""
QUOTED = re.compile(r'"[^"]*"')


class FaultList:
    """The faults of one input, in the order found."""

    def __init__(self, source: Input) -> None:
        self.source = source
        self._faults: list[Fault] = []
        self.rows: int | None = None
        """How many rows the input has, where they are no lines and it is known."""

    def __len__(self) -> int:
        return len(self._faults)

    @property
    def noted(self) -> list[Fault]:
        """The faults so far."""
        return list(self._faults)

    def add(self, line: int | None, reason: str, cure: str, code: str) -> None:
        """Note a fault of a line, or of the whole input."""
        fault = Fault(self.source.path, line, reason, cure, code, unit=self.source.unit)
        self._faults.append(fault)

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note faults found elsewhere."""
        self._faults.extend(faults)

    def refuse(self, line: int | None, reason: str, cure: str, code: str) -> NoReturn:
        """Raise an `InputError` of this fault and those so far."""
        self.add(line, reason, cure, code)
        raise self._error()

    def check(self) -> None:
        """Raise an `InputError` if there is any fault, in the order of their lines."""
        if self._faults:
            raise self._error()

    def _error(self) -> InputError:
        """Read the input again for the lines that the error shows, unless faults bring them."""
        told = self._once()
        ordered = sorted(told, key=lambda fault: (fault.line is not None, fault.line or 0))
        shown, rest = ordered[:FAULTS_SHOWN], ordered[FAULTS_SHOWN:]
        bare = {fault.line for fault in shown if fault.line is not None and not fault.text}
        texts = self.source.lines(bare) if bare else {}
        quoted = [replace(f, text=f.text or texts.get(f.line or 0, "")) for f in shown]
        return InputError([*quoted, *rest])

    def _once(self) -> list[Fault]:
        """The faults, with each that all rows have said of the first alone, with their number.

        Faults are the same that differ in what they quote only.
        """
        alike: dict[tuple[str, str], list[Fault]] = {}
        for fault in self._faults:
            if fault.line is not None and fault.file == self.source.path:
                alike.setdefault((QUOTED.sub('""', fault.reason), fault.cure), []).append(fault)
        told = self._faults
        for each in alike.values():
            lines = {fault.line for fault in each}
            if len(lines) >= SAME_FROM and len(lines) == len(each) == self._rows(lines):
                first = min(each, key=lambda fault: fault.line or 0)
                more = f"; the same in all {len(each):,} {first.unit}s from here on"
                others = set(map(id, each))
                told = [fault for fault in told if id(fault) not in others]
                told.append(replace(first, reason=first.reason + more))
        return told

    def _rows(self, lines: set[int | None]) -> int | None:
        """The number of rows; of lines those that hold anything, but for a faultless header."""
        if self.source.unit != "line" or not self.source.has_bytes:
            return self.rows
        content = self.source.complete_lines().split(b"\n")
        filled = [at for at, line in enumerate(content, start=1) if line.strip()]
        return len(filled) - (filled[0] not in lines) if filled else 0


def text_lines(source: Input, faults: FaultList) -> Iterator[tuple[int, str]]:
    """Every line with its number; one that is not UTF-8 is noted and left out."""
    lines = chain.from_iterable(map(io.BytesIO, source.blocks()))
    for number, line in enumerate(lines, start=source.before + 1):
        try:
            yield number, line[:-1].decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            faults.add(number, not_utf8(line), UTF8_CURE, "encoding")


def line_fault(source: Input, text: str, line: int, reason: str, cure: str, code: str) -> Fault:
    """The fault of a line of a text, whether its lines are rows or not."""
    shown = text.split("\n")[line - 1].rstrip("\r")
    return Fault(source.path, line, reason, cure, code, shown)


def decoded_text(source: Input, faults: FaultList) -> str:
    """The whole file as text; bytes that are not UTF-8 are an `InputError`."""
    content = source.complete_lines()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, text = content.count(b"\n", 0, error.start) + 1, content.decode(errors="replace")
        fault = line_fault(source, text, line, not_utf8(content), UTF8_CURE, "encoding")
        faults.extend([fault])
        raise InputError(faults.noted) from None
