"""A sample that somebody judged: read, checked against how it was written, and asked who said what.

Nobody has to judge everything: of the texts of a run, from the likeliest on, no more than those
up to the first that says the nugget.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.errors import InputError
from tseval.io.forms import names_of, read_plain
from tseval.io.inputs import Input
from tseval.io.schema import CORRECTIONS, JUDGED, TOPIC, Column, Kind, Schema
from tseval.io.tables import Table
from tseval.matching.corrections import ACCEPT, REJECT, WORD
from tseval.matching.sampling import Likeliest, checksum_of, hashed, place_of
from tseval.records import frozen
from tseval.statistics.strata import Drawn

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, IntArray

ANSWERS = Schema("answers", (TOPIC, Column("relevant", Kind.ID, may_be_blank=True)))
"""A pool of posts that assessors fill in."""
ROW_CURE = "give the file as `tseval sample` wrote it, with nothing but verdicts filled in"
UNJUDGED_CURE = "judge it, or the text above it if that says the nugget"
HEADER = 1 << 12
"""The number of bytes that hold the first line of a table."""
AGAIN = "sample again with these runs, nuggets and rules"
PAIR = ["topic", "nugget_id", "pair"]


def check_sample(judged: Table) -> Table:
    """Return a sample with `said` and `judged`: what was said of each text, and of which anything.

    Verdicts that are none, and rows that are not as they were written, are an `InputError`.
    """
    frame = judged.frame.with_columns(
        pl.col("topic").cast(pl.String), said=WORD == ACCEPT, judged=WORD != ""
    )
    line, place = frame["sample"][0], frame.select("stratum", "inclusion").rows()
    cells = zip(*(frame[name] for name in PAIR), place, strict=True)
    own = [
        checksum_of(line, topic, nugget, pair, place_of(*where))
        for topic, nugget, pair, where in cells
    ]
    is_other, is_changed = pl.col("sample") != line, pl.col("checksum") != pl.Series(own)
    first = pl.col("line").first().over(PAIR)
    told = [
        (
            pl.format(f'the verdict "{{}}" is neither {ACCEPT} nor {REJECT}', "verdict"),
            ~WORD.is_in([ACCEPT, REJECT, ""]),
            f"write {ACCEPT} or {REJECT}, or leave it blank if no verdict is needed",
            "unknown-label",
        ),
        (
            pl.when(is_other)
            .then(pl.lit("belongs to another sample than the first row"))
            .otherwise(pl.lit("is not as it was written: a cell beside the verdict differs")),
            is_other | is_changed,
            ROW_CURE,
            "changed-rows",
        ),
        (
            pl.format(f"the same pair stands at {judged.sources[0].unit} {{}}", first),
            ~is_other & ~is_changed & (first < pl.col("line")),
            "remove one of the two",
            "duplicate-id",
        ),
    ]
    wrong = [
        frame.with_columns(told=reason, cure=pl.lit(cure), code=pl.lit(code)).filter(is_wrong)
        for reason, is_wrong, cure, code in told
    ]
    _refuse(judged, pl.concat(wrong))
    judged = replace(judged, frame=frame)
    expected = int(design_of(judged)["rows"])
    if frame.height != expected:
        lost = f"holds {frame.height} of the {expected} pairs of its sample"
        cure = "put back the rows that were removed: what is not judged stays blank"
        judged.refuse_all(lost, cure, "changed-rows")
    if not frame["judged"].any():
        cure = f"write {ACCEPT} or {REJECT} into the column verdict"
        judged.refuse_all("holds no verdict", cure, "missing-verdict")
    return judged


def _refuse(judged: Table, rows: pl.DataFrame) -> None:
    """Refuse rows with the columns `told cure code`; a frame or a pipe shows their ids."""
    ids = ["file", "line", *PAIR]
    shown = replace(judged, frame=judged.frame.select(ids))
    shown.refuse(rows.select(*ids, "told", "cure", "code"), "{told}", "", "")


def design_of(judged: Table) -> dict[str, str]:
    """Return how the sample was drawn, by name."""
    parts = (part.partition(":") for part in judged.frame["sample"][0].split("|"))
    return {name: value for name, _, value in parts}


def holds_verdicts(path: Path) -> bool:
    """Return whether a file is a review or a sample with verdicts, or a pool with answers."""
    content = Input(str(path)).head(HEADER)
    head = content.replace(b"\0", b"").lower()
    if b"verdict" not in head and b"relevant" not in head:
        return False
    try:
        names = {name.casefold() for name in names_of(Input(str(path)))}
    except InputError:  # no table
        names = set()
    for schema in (CORRECTIONS, JUDGED, ANSWERS):
        if {column.name for column in schema.required} <= names:
            filled_in = "relevant" if schema is ANSWERS else "verdict"
            words = read_plain(Input(str(path)), schema)[1][filled_in]
            return any(word.strip() for word in words.unique())
    return content.startswith((b"\xff\xfe", b"\xfe\xff"))  # a spreadsheet saved it as UTF-16


@frozen(eq=False)
class Verdicts:
    """What the judged nuggets are in these runs, and how they were drawn."""

    nugget: IntArray
    """The rows of the nuggets that were sampled."""
    said: BoolArray
    """Runs x these nuggets: whether a text that was read says it."""
    drawn: Drawn
    read: int
    """How many verdicts it took."""


def find_verdicts(
    judged: Table, gold: str, updates: pl.DataFrame, nuggets: pl.DataFrame, likeliest: Likeliest
) -> Verdicts:
    """Return the verdicts as they count for these runs; a lack of one that is needed is a fault.

    `gold` is the hash of the nuggets, as signatures have it. What was sampled of nuggets that do
    not count by other rules than the sample's is left out.
    """
    design = design_of(judged)
    own, whole = design["nuggets"], int(design["sampled"].partition("/")[2])
    if own != gold:
        reason = f"the sample was drawn for other nuggets ({own}) than these ({gold})"
        judged.refuse_all(reason, f"give those, or {AGAIN}", "unrelated-inputs")
    if whole < nuggets.height:
        judged.refuse_all(
            f"the sample was drawn of {whole} nuggets, and by these rules {nuggets.height} count",
            f"score by the edition and the rules of the sample, or {AGAIN}",
            "unrelated-inputs",
        )
    names = nuggets.select("topic", "nugget_id", "text").with_row_index("nugget")
    names = names.with_columns(pl.col("nugget").cast(pl.Int64))
    sampled = judged.frame.unique(["topic", "nugget_id"], keep="first", maintain_order=True)
    sampled = sampled.join(names, on=["topic", "nugget_id"], maintain_order="left")
    read = likeliest.read.join(
        sampled.select("nugget"), on="nugget", how="semi", maintain_order="left"
    )
    read = read.join(names, on="nugget", maintain_order="left")
    said_texts = updates["text"].gather(read["update"])
    columns = (*(read[name] for name in ("topic", "nugget_id", "text")), said_texts)
    read = read.with_columns(
        pair=pl.Series([hashed(*each) for each in zip(*columns, strict=True)], dtype=pl.String)
    )
    known = judged.frame.select("pair", "said", "judged", "file", "line").unique(
        "pair", keep="last"
    )
    read = read.join(known, on="pair", how="left", maintain_order="left")
    for row in read.filter(pl.col("line").is_null()).head(1).iter_rows(named=True):
        judged.refuse_all(
            f'run {likeliest.runs[row["run"]]} has a text for nugget "{row["nugget_id"]}" of topic '
            f'"{row["topic"]}" that is not in the sample',
            f"its updates are others than then, or it was not among the runs: {AGAIN}",
            "unknown-id",
        )
    cell = ["run", "nugget"]
    before = pl.col("said").cast(pl.Int64).cum_sum().over(cell) - pl.col("said")
    lacking = read.filter((before == 0) & ~pl.col("judged") & ~pl.col("said"))
    lacking = lacking.unique("pair", keep="first", maintain_order=True).sort("line")
    name = pl.Series(likeliest.runs, dtype=pl.String).gather(lacking["run"])
    reason = "has no verdict, and run {} has no text above it that says the nugget"
    told = lacking.with_columns(told=pl.format(reason, name), cure=pl.lit(UNJUDGED_CURE))
    _refuse(judged, told.with_columns(code=pl.lit("missing-verdict")))
    place = sampled.select("nugget").with_row_index("column")
    found = read.filter("said").join(place, on="nugget")
    said = np.zeros((len(likeliest.runs), sampled.height), bool)
    said[found["run"].to_numpy(), found["column"].to_numpy()] = True
    strata = sampled["stratum"].cast(pl.Int64).to_numpy()
    drawn = Drawn(strata, sampled["inclusion"].to_numpy())
    return Verdicts(sampled["nugget"].to_numpy(), said, drawn, int(judged.frame["judged"].sum()))
