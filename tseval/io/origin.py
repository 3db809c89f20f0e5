"""What a result records of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tseval.records import frozen

SHORT_HASH = 12
"""How many hexadecimal digits of a hash a signature shows."""


@frozen
class InputRecord:
    """One input as it goes into the record of a result: its name, its hash, its number of rows."""

    path: str
    digest: Callable[[], str]
    """Gives the hash of what was read; that of a frame is not made before it is asked for."""
    rows: int
    unit: str = "line"
    """What its places are called: "line", or "row" for inputs without lines."""
    columns: tuple[str, ...] = ()
    """What it calls columns by the caller's word: `nuggets.text=fact`."""
    understood: tuple[str, ...] = ()
    """Which of its names were taken for columns by common sense: `fact as text`."""
    runs: tuple[str, ...] = ()
    """The runs that it holds, where it is one of several files of runs."""
    zones: tuple[tuple[str, float], ...] = ()
    """The offsets from UTC of its times, empty where they have none, with the earliest of each."""

    @property
    def sha256(self) -> str:
        """The hash of the input's bytes."""
        return self.digest()

    @property
    def is_relative(self) -> bool:
        """Whether times are seconds since the topic's start: `--clock relative`."""
        return any(each.endswith(".clock=relative") for each in self.columns)

    def __reduce__(self) -> tuple[Callable[[], InputRecord], tuple[()]]:
        known = {**vars(self), "digest": Known(self.sha256)}
        return partial(InputRecord, **known), ()


@frozen
class Known:
    """Gives a hash that was made before."""

    sha256: str

    def __call__(self) -> str:
        """The hash."""
        return self.sha256
