"""What a caller gives as an input: a path, a pandas frame, rows as dictionaries; run names."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from tseval.errors import UsageError
from tseval.io.inputs import STANDARD_INPUT, Input
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.schema import Schema


@frozen
class Called:
    """A run under the name that the caller gives it, whatever a column says."""

    name: str
    given: Given


if TYPE_CHECKING:
    import pandas as pd

    Given: TypeAlias = str | Path | Input | pd.DataFrame | Called | Sequence[Mapping[str, Any]]
    """One table: a file, a frame, or rows as dictionaries."""
    Runs: TypeAlias = Given | Sequence[Given] | Mapping[str, Given]
    """One run or several; under names of their own by these."""


class FrameInput(Input):
    """A frame in the place of a file: it has rows and no lines to show."""

    unit = "row"

    def __init__(self, frame: pd.DataFrame, table: str) -> None:
        super().__init__(f"<{table}>")
        self.frame = frame.copy()  # it may be changed before its hash is asked for

    @property
    def is_table(self) -> bool:
        """It is a table as it stands."""
        return True

    @cached_property
    def sha256(self) -> str:
        """The hash of the frame as CSV, so that equal frames have equal hashes."""
        content = self.frame.to_csv(index=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The rows as their values, separated by tabs."""
        picked = self.frame.iloc[[number - 1 for number in sorted(numbers)]]
        rows = ("\t".join(map(str, row)) for row in picked.itertuples(index=False))
        return dict(zip(sorted(numbers), rows, strict=True))


def is_frame(source: Any) -> TypeGuard[pd.DataFrame]:
    """Whether this is a pandas frame; pandas is not imported to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def run_names(inputs: Sequence[Input]) -> list[str]:
    """What the run of each input is called if no column says: as its file, or `run` for a frame.

    Files of the same name go by their paths, several frames by their numbers. A space stands for
    each tab and line's end in a name, since no table of results could hold them.
    """
    short = ["run" if isinstance(each, FrameInput) else each.name for each in inputs]
    given = [_in_line(each.run_name or name) for each, name in zip(inputs, short, strict=True)]
    times = Counter(given)

    def called(at: int, each: Input) -> str:
        if times[given[at]] == 1 or each.run_name:
            return given[at]
        return f"{given[at]}{at + 1}" if isinstance(each, FrameInput) else _in_line(each.path)

    return [called(at, each) for at, each in enumerate(inputs)]


def _in_line(name: str) -> str:
    return re.sub(r"[\t\r\n]", " ", name)


def are_records(given: Any) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    """Whether these are the rows of a table: dictionaries in a list."""
    return (
        isinstance(given, list | tuple)
        and bool(given)
        and all(isinstance(each, Mapping) for each in given)
    )


def frame_of(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a frame; what a row does not have is left out, as None is."""
    import pandas as pd

    series = dict[str, Any]()
    for name in dict.fromkeys(name for each in records for name in each):
        values = [each.get(name) for each in records]
        if any(each is None for each in values):  # objects, so that NaN stays one
            cells = [str(v) if isinstance(v, float) and v != v else v for v in values]
            series[str(name)] = pd.Series(cells, dtype=object)
        else:
            series[str(name)] = pd.Series(values)
    return pd.DataFrame(series)


def input_of(given: Given, schema: Schema) -> Input:
    """What was given as an input, unless it is one."""
    if isinstance(given, Called):
        source = input_of(given.given, schema)
        source.run_name = given.name
        return source
    if are_records(given):
        return FrameInput(frame_of(given), schema.table)
    if is_frame(given):
        return FrameInput(given, schema.table)
    if isinstance(given, Input):
        return given
    if not isinstance(given, str | PathLike):
        raise UsageError(
            f"{schema.table} cannot be read from {type(given).__name__}: give a path, a pandas "
            "frame, or rows as dictionaries"
        )
    return Input(str(given))


def check_inputs(paths: Sequence[Any]) -> None:
    """Standard input can be read for one table alone."""
    if sum(str(path) == STANDARD_INPUT for path in paths if not is_frame(path)) > 1:
        raise UsageError("standard input (-) can stand for one file only")


def is_empty(source: Input) -> bool:
    """Whether an input is a file without a byte, which some families take as an empty run."""
    return not isinstance(source, FrameInput) and not source.head(1)
