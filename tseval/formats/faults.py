"""Collecting the faults of one input, and reporting them with the lines they stand on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from tseval.errors import FAULTS_SHOWN, Fault, InputError

if TYPE_CHECKING:
    from tseval.formats.inputs import Input


class FaultList:
    """The faults of one input, in the order found."""

    def __init__(self, source: Input) -> None:
        self.source = source
        self._faults: list[Fault] = []

    def __len__(self) -> int:
        return len(self._faults)

    @property
    def noted(self) -> list[Fault]:
        """The faults so far."""
        return list(self._faults)

    def add(self, line: int | None, reason: str, cure: str = "") -> None:
        """Note a fault of a line, or of the whole input."""
        self._faults.append(Fault(self.source.path, line, reason, cure, unit=self.source.unit))

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note faults found elsewhere."""
        self._faults.extend(faults)

    def check(self) -> None:
        """Raise an `InputError` if there is any fault, in the order of their lines.

        The input is read again for the text of those lines that the error will show, unless the
        faults bring it along.
        """
        if not self._faults:
            return
        ordered = sorted(self._faults, key=lambda fault: (fault.line is not None, fault.line or 0))
        shown, rest = ordered[:FAULTS_SHOWN], ordered[FAULTS_SHOWN:]
        bare = {fault.line for fault in shown if fault.line is not None and not fault.text}
        texts = self.source.lines(bare) if bare else {}
        quoted = [replace(f, text=f.text or texts.get(f.line or 0, "")) for f in shown]
        raise InputError([*quoted, *rest])
