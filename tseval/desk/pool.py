"""The tables of a desk, and its items: the updates of all runs, those of the same words as one.

An item is what assessors read: a text of a topic, with every run's updates that say it in the same
words, or in nearly the same ones if a matcher folds them. A decision on an item holds for all of
its updates.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.naming import Naming, name_files
from tseval.desk.store import StoredTable, StoreError
from tseval.errors import UsageError
from tseval.families.temporal.files import READERS, code_names, join_ids
from tseval.io.inputs import Input, InputRecord
from tseval.io.names import natural_order
from tseval.io.tables import PLACE, Table, read
from tseval.matching.matching import get_matcher, match
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import IntArray
    from tseval.io.given import Given

UPDATES, NUGGETS = "updates", "nuggets"
"""The tables that a store holds."""
SAME_WORDS = "words"
"""Folds updates of the same words in the same order; any other name is a matcher's."""
NONE = -1
"""The item of an update that is in no pool."""
NUMBERS = re.compile(r"\d+")


# Tables.


def read_inputs(runs: Sequence[Given], nuggets: Given | None = None) -> dict[str, StoredTable]:
    """Read what is to be assessed from files; refuse what people cannot read."""
    updates = read(runs, READERS[UPDATES])
    if not (updates.frame.get_column("text", default=pl.Series([""])) != "").any():
        raise UsageError("the updates have no text to read: give runs with a column text")
    tables = {UPDATES: _stored_table(updates)}
    if nuggets is not None:
        gold = read([nuggets], READERS[NUGGETS])
        if (gold.frame["text"] == "").any():
            name = gold.sources[0].path
            raise UsageError(f"{name}: a nugget without text cannot be matched by people")
        tables[NUGGETS] = _stored_table(gold)
    return tables


def runs_and_nuggets(files: Sequence[str], naming: Naming) -> tuple[Sequence[Input], Input | None]:
    """Return the files as runs and, if the last one holds nuggets, these."""
    inputs = [Input(each) for each in files]
    name_files(inputs, naming, None)
    last = inputs[-1]
    if READERS[NUGGETS].recognises(last) and not READERS[UPDATES].recognises(last):
        if len(files) == 1:
            raise UsageError(f"{files[0]} holds nuggets: name the runs before it")
        return inputs[:-1], last
    return inputs, None


def _stored_table(table: Table) -> StoredTable:
    """Return a table as the store holds it."""
    frame = join_ids(table.frame.drop(*PLACE), "update_id")
    fills = {"text": "", "confidence": 0.0, "cost": 1.0} if table.name == UPDATES else {}
    frame = frame.with_columns(
        pl.col(pl.Categorical).cast(pl.String),
        *(pl.col(f"^{name}$").fill_null(usual) for name, usual in fills.items()),
    )
    if table.name == NUGGETS:
        frame = frame.with_columns(text=pl.Series(map(one_line, frame["text"]), dtype=pl.String))
        if "importance" not in frame.columns:
            frame = frame.with_columns(importance=1.0)
    out = io.BytesIO()
    frame.write_parquet(out, compression="zstd")
    hashes = sorted(each.sha256 for each in table.sources)
    whole = hashes[0] if len(hashes) == 1 else hashlib.sha256(" ".join(hashes).encode()).hexdigest()
    return StoredTable(tuple(Path(each.path).name for each in table.sources), whole, out.getvalue())


def frame_of(kept: StoredTable) -> pl.DataFrame:
    """Return a table that a store holds."""
    try:
        return pl.read_parquet(io.BytesIO(kept.content))
    except pl.exceptions.PolarsError as error:
        raise StoreError("a table in the store could not be read: it is damaged") from error


def table_of(name: str, frame: pl.DataFrame, sha256: str = "") -> Table:
    """Return a frame as a table that stands in no file, with codes for names."""
    places = {"file": pl.lit(0), "line": pl.int_range(1, pl.len() + 1)}
    coded = code_names(frame.with_columns(**places))
    runs = tuple(frame["run"].unique(maintain_order=True)) if "run" in frame.columns else ()
    return Table(name, coded, (InputRecord(name, partial(str, sha256), frame.height, "row"),), runs)


def one_line(text: str) -> str:
    """Return a text as a line of a table holds it: white space as single blanks."""
    return " ".join(text.split())


# Items.


@frozen
class Item:
    """What is read at once: the earliest update of its words, and which rows say them."""

    name: str
    """The update's id; with its run where other words of the topic have the same id."""
    topic: str
    time: float
    text: str
    rows: tuple[int, ...]
    """The rows of updates that it stands for, the earliest first."""


@frozen(eq=False)
class Pool:
    """The items, topic by topic in order of time, and the updates that they are made of."""

    items: tuple[Item, ...]
    frame: pl.DataFrame
    table: Table

    @classmethod
    def of(cls, kept: StoredTable, depth: int | None = None, fold: str = SAME_WORDS) -> Pool:
        """Return the pool: of each run and topic the updates of highest confidence, or all."""
        frame = frame_of(kept)
        table = table_of(UPDATES, frame, kept.sha256)
        rows = frame.with_row_index("row").with_columns(leader=_leaders(frame, fold))
        if depth is not None:
            rows = rows.sort(-pl.col("^confidence$"), "time", "row")
            rows = rows.with_columns(rank=pl.col("row").cum_count().over("run", "topic"))
            rows = rows.filter(pl.col("rank").min().over("leader") <= depth)
        first = pl.col("topic", "update_id", "run", "time", "text").first()
        items = rows.sort("time", "row").group_by("leader", maintain_order=True).agg("row", first)
        rank = {topic: at for at, topic in enumerate(natural_order(set(items["topic"])))}
        place = pl.col("topic").replace_strict(rank, return_dtype=pl.Int64)
        items = items.sort(place, "time", pl.col("row").list.first())
        return cls(tuple(_items(items)), frame, table)

    @cached_property
    def item(self) -> IntArray:
        """The item of each row of the updates."""
        item = np.full(self.frame.height, NONE)
        for at, each in enumerate(self.items):
            item[list(each.rows)] = at
        return item

    @cached_property
    def place(self) -> dict[tuple[str, str], int]:
        """The place of each item by topic and name."""
        return {(each.topic, each.name): at for at, each in enumerate(self.items)}

    @cached_property
    def of_topic(self) -> dict[str, list[int]]:
        """The items of each topic that has any, in order of time."""
        found: dict[str, list[int]] = {}
        for at, each in enumerate(self.items):
            found.setdefault(each.topic, []).append(at)
        return found

    @cached_property
    def texts(self) -> pl.DataFrame:
        """The text of each item, as a matcher takes it."""
        return self.frame.select(
            pl.col("topic", "text").gather([each.rows[0] for each in self.items])
        )


def _items(items: pl.DataFrame) -> Iterable[Item]:
    """Yield the items, each under a name that no other of its topic has."""
    named = Counter(items.select("topic", "update_id").iter_rows())
    taken: set[tuple[str, str]] = set()
    for each in items.iter_rows(named=True):
        topic, name = each["topic"], each["update_id"]
        if named[topic, name] > 1:
            name = f"{name}@{each['run']}"
        while (topic, name) in taken:
            name += "'"
        taken.add((topic, name))
        yield Item(name, topic, each["time"], each["text"], tuple(each["row"]))


def _leaders(frame: pl.DataFrame, fold: str) -> IntArray:
    """Return for each row the row that leads those of its words.

    If a matcher folds, also those that it finds to say each other with the same numbers. The
    earlier of two leads; a row that leads others is not led itself.
    """
    import matchers

    words = [matchers.normalised(text) or f"\0{text}" for text in frame["text"]]
    same = frame.select("topic", words=pl.Series(words, dtype=pl.String)).with_row_index("row")
    leaders: IntArray = same.select(pl.col("row").min().over("topic", "words"))["row"].to_numpy()
    if fold == SAME_WORDS:
        return leaders
    heads = np.unique(leaders)
    heads = heads[np.lexsort((heads, frame["time"].to_numpy()[heads]))]
    texts = frame.select("topic", "text")[heads]
    both = set(match(get_matcher(fold), texts, texts).select("update", "nugget").rows())
    digits = [tuple(sorted(NUMBERS.findall(text))) for text in texts["text"]]
    led = np.arange(len(heads))
    for later, earlier in sorted(both):
        is_free = led[earlier] == earlier and led[later] == later
        is_alike = (earlier, later) in both and digits[earlier] == digits[later]
        if earlier < later and is_free and is_alike:
            led[later] = earlier
    place = np.empty(frame.height, np.int64)
    place[heads] = np.arange(len(heads))
    found: IntArray = heads[led[place[leaders]]]
    return found
