"""What callers' files call the columns of tables: said one by one, or kept in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from tseval.errors import UsageError, input_error, reason_of
from tseval.io.times import TIME_KEYS
from tseval.records import frozen

Columns: TypeAlias = Mapping[str, str] | str | Path | None
"""In Python: the columns' names in the files by those of the tables, or a file that holds them."""


class TimeWords(TypedDict, total=False):
    """How inputs write times, in calls of Python."""

    time_format: str | None
    time_zone: str | None
    clock: Literal["relative"] | None


CONSTANT = "="
"""`topic==flood` says that every row has the topic `flood`: no column holds it."""
NUMBERED = "=#"
"""`update_id==#` numbers the rows, by their lines."""
DECIMAL = "decimal"
SETTINGS = (*TIME_KEYS, DECIMAL)
"""What is said of an input beside its columns, such as `decimal=,` for numbers like 0,5."""
FORM_CURE = 'write text = "fact", or below a line [nuggets] what holds for these alone'


@frozen
class ColumnName:
    """What a column of a table is called in files: in all inputs, or in those of one kind."""

    kind: str
    """What the inputs are called: `nuggets`; nothing for all."""
    own: str
    """The column's name in the table."""
    name: str
    """What it is called in the files."""
    kept: bool = False
    """Whether a file says it, which may say more than one command needs."""

    @property
    def key(self) -> str:
        """What is named, as on the command line."""
        return f"{self.kind}:{self.own}" if self.kind else self.own

    def __str__(self) -> str:
        return f"{self.key}={self.name}"


def column_names(said: Iterable[str], file: str | Path | None = None) -> tuple[ColumnName, ...]:
    """The names as they are said, and those of a file that nobody says otherwise."""
    known: dict[str, ColumnName] = {}
    for text in said:
        one = _setting(text)
        if one.key in known:
            raise UsageError(
                f"--column {one.key} is given twice: {known[one.key].name}, {one.name}"
            )
        known[one.key] = one
    kept = () if file is None else read_column_names(file)
    return (*(each for each in kept if each.key not in known), *known.values())


def _setting(text: str) -> ColumnName:
    """One name: `text=fact`, `nuggets:text=fact`."""
    key, divided, name = text.partition("=")
    kind, colon, own = key.rpartition(":")
    parts = (kind if colon else "?", own, name if divided else "")
    if not all(part.strip() for part in parts):
        raise UsageError(
            f"--column '{text}': write NAME=COLUMN, such as text=fact, or INPUT:NAME=COLUMN, such "
            "as nuggets:text=fact"
        )
    return ColumnName(kind.strip(), own.strip(), name.strip())


def read_column_names(file: str | Path) -> tuple[ColumnName, ...]:
    """The names that a TOML file holds: `text = "fact"`, those of one kind of inputs in a table."""
    import tomllib

    path = Path(file)
    try:
        content = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise input_error(str(path), None, reason_of(error), "", "unreadable-file") from error
    except UnicodeDecodeError as error:
        raise input_error(str(path), None, "is not UTF-8", FORM_CURE, "encoding") from error
    except (ValueError, RecursionError) as error:
        reason = f"is not TOML: {error}"
        raise input_error(str(path), None, reason, FORM_CURE, "toml-syntax") from error
    return tuple(_from_file(path, content))


def _from_file(path: Path, content: Mapping[str, Any]) -> Iterable[ColumnName]:
    for key, value in content.items():
        kind, _, own = key.rpartition(":")
        named = value if isinstance(value, dict) else {own: value}
        for column, name in named.items():
            if not isinstance(name, str) or not name.strip() or not column.strip():
                reason = f"{column} is to be a column's name, not {name!r}"
                raise input_error(str(path), None, reason, FORM_CURE, "record-format")
            yield ColumnName(key if isinstance(value, dict) else kind, column, name, kept=True)
