"""Which nuggets are sampled, and the texts that a judge reads for each, as a file to fill in.

Pairs are rarely matches, and recall asks whether *any* update says a nugget. So nuggets are drawn,
and of each the texts are read that most likely say it, from the likeliest on, until one does.
Nuggets stand in strata by how likely they are said; where that is uncertain more are drawn.

An update counts by its text: what a run says twice is read once, and what two runs say alike is
one text of both.

A sample that somebody judged is checked against how it was written. Nobody has to judge everything:
of the texts of a run, from the likeliest on, no more than those up to the first that says the
nugget.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.errors import InputError, UsageError
from tseval.io.forms import names_of, read_plain
from tseval.io.inputs import Input
from tseval.io.schema import CORRECTIONS, JUDGED, TOPIC, Column, Kind, Schema
from tseval.io.tables import Table
from tseval.matching.corrections import ACCEPT, REJECT, WORD, cell_of
from tseval.matching.matching import NuggetsByTopic, all_scores, rows_by_topic
from tseval.parallel.sharing import Progress
from tseval.records import frozen
from tseval.statistics.strata import Drawn, Population, strata_of

if TYPE_CHECKING:
    import matchers
    from tseval.arrays import BoolArray, FloatArray, IntArray

PAIRS, DEPTH = 300, 10
"""How many pairs there are to judge, and how many texts of a run are read for a nugget, unless
somebody says otherwise."""
LEAST_VARIANCE = 0.05
"""However sure a matcher is of a nugget, it is taken to vary so much."""
DIGITS = 12
"""How many hexadecimal digits hashes have."""
UNIT = "\x1f"
"""Stands between the parts of what is hashed."""
"""The words for verdicts; the first of each is written."""
COLUMNS = (
    *("verdict", "nugget_text", "update_text", "topic", "nugget_id", "runs"),
    *("stratum", "inclusion", "pair", "sample", "checksum"),
)


SCORED_AT_ONCE = 1 << 24
"""Pairs whose scores are held at the same time, unless one nugget has more."""
READ = {"run": pl.Int64, "nugget": pl.Int64, "update": pl.Int64, "score": pl.Float64}


@frozen(eq=False)
class Likeliest:
    """Which texts are read, for each run and nugget from the likeliest on."""

    runs: tuple[str, ...]
    probable: bool
    """Whether scores are probabilities that assessors would call a pair a match."""
    read: pl.DataFrame
    """`run nugget update score` by run, nugget and rank: the place of the run, and the row of the
    first update of any run that has the text. Texts that score 0 are not read."""
    predicted: FloatArray
    """Per run and nugget, of the shape (runs, nuggets), the probability that a text that is read
    says it; of a matcher whose scores are none, 1 where one reaches the threshold, else 0."""
    unread: FloatArray
    """In the same way, the probability that one says it that is not read, and none that is."""
    best: FloatArray
    """The best score."""

    @property
    def texts(self) -> IntArray:
        """For each nugget how many texts are read for any run."""
        different = self.read.select("nugget", "update").unique()["nugget"].to_numpy()
        return np.bincount(different, minlength=self.best.shape[1])


def likeliest(
    matcher: matchers.Matcher,
    updates: pl.DataFrame,
    runs: tuple[str, ...],
    nuggets: pl.DataFrame,
    depth: int,
    progress: Progress | None = None,
) -> Likeliest:
    """Return the `depth` texts of each run that score best for each nugget of their topic.

    Of equal scores the text that comes first in the order of texts is read first, whatever the
    order of files.
    """
    by_topic = NuggetsByTopic(matcher, nuggets)
    by_topic.look_ahead(updates, progress)
    rows_of = rows_by_topic(updates, by_topic.topics)
    place = updates["run"].cast(pl.String).cast(pl.Enum(runs)).to_physical()
    said = updates.select("text", run=place).with_row_index("row")
    said = said.with_columns(is_blank=~pl.col("text").str.contains(r"[^\s\x1c-\x1f]"))
    predicted, unread, best = (np.zeros((len(runs), nuggets.height)) for _ in range(3))
    parts, done = [pl.DataFrame(schema=READ)], 0
    gold_of = rows_by_topic(nuggets, by_topic.topics)
    for topic, rows in rows_of.items():
        own = said[rows].filter(~pl.col("is_blank"))
        texts = own.group_by("text").agg(pl.col("row").min(), pl.col("run").unique()).sort("text")
        owners = texts.with_row_index("at").explode("run")
        asked = nuggets["text"].gather(gold_of[topic])
        step = max(1, SCORED_AT_ONCE // max(1, texts.height))
        for start in range(0, len(asked) if texts.height else 0, step):
            gold = gold_of[topic][start : start + step]
            wanted, every = asked[start : start + step].to_list(), texts["text"]
            found = all_scores(matcher, every, wanted, by_topic.collection)
            score = np.concatenate([scores for _, scores in found])
            threshold: float = getattr(matcher, "threshold", 0.5)
            says = score if matcher.probable else (score >= threshold) * 1.0
            for (run,), mine in owners.group_by("run"):
                at = np.sort(mine["at"].to_numpy())
                order = np.argsort(-score[at], axis=0, kind="stable")
                ordered = np.take_along_axis(score[at], order, 0)
                is_read = (np.arange(len(at))[:, None] < depth) & (ordered > 0)
                silent = 1 - np.take_along_axis(says[at], order, 0)
                not_read = np.where(is_read, silent, 1.0).prod(axis=0)
                predicted[run, gold] = 1 - not_read
                unread[run, gold] = not_read - silent.prod(axis=0)
                best[run, gold] = ordered[0]
                nugget, rank = np.nonzero(is_read.T)
                update = texts["row"].to_numpy()[at[order[rank, nugget]]]
                of = {"run": np.full(len(rank), run), "nugget": gold[nugget], "update": update}
                parts.append(pl.DataFrame({**of, "score": ordered[rank, nugget]}, schema=READ))
        done += len(rows)
        if progress:
            progress(done, updates.height)
    read = pl.concat(parts).sort("run", "nugget", maintain_order=True)
    return Likeliest(runs, matcher.probable, read, predicted, unread, best)


@frozen
class Design:
    """How a sample is drawn."""

    matcher: str
    pairs: int = PAIRS
    depth: int = DEPTH
    seed: int = 0


def hashed(*parts: str) -> str:
    """The first digits of the hash of some words, behind a letter.

    Digits alone, or with an e among them, spreadsheets would take for a number and write as one.
    """
    content = UNIT.join(parts).encode("utf-8", "surrogatepass")
    return f"h{hashlib.sha256(content).hexdigest()[:DIGITS]}"


def checksum_of(sample: str, topic: str, nugget_id: str, pair: str, place: str) -> str:
    """What changes with a row; `place` is its stratum and its inclusion."""
    return hashed(sample, topic, nugget_id, pair, place)


def place_of(stratum: str, inclusion: float) -> str:
    """Stratum and inclusion, as they are hashed."""
    return f"{stratum} {inclusion:.6f}"


def population_of(
    likeliest: Likeliest, size: FloatArray, ties: Callable[[IntArray], list[str]]
) -> tuple[Population, IntArray]:
    """The nuggets that can be drawn, in the order along which they are, and their rows.

    `size` is what a nugget weighs in scores. Nuggets for which there is nothing to read are not
    said, and nobody has to look at them. `ties` settles the order of those that are as likely.
    """
    rows = np.flatnonzero((likeliest.texts > 0) & (size > 0))
    foretold, probable = likeliest.predicted[:, rows], likeliest.probable
    likely = (foretold if probable else likeliest.best[:, rows]).mean(axis=0)
    variance = (foretold * (1 - foretold)).mean(axis=0) if probable else np.zeros(len(rows))
    order = np.lexsort((ties(rows), likely))
    rows = rows[order]
    population = Population(
        strata_of(likely[order]) if len(rows) else rows,
        size[rows],
        np.sqrt(np.maximum(variance[order], LEAST_VARIANCE)),
        likeliest.texts[rows].astype(np.float64),
    )
    return population, rows


def draw_rows(
    design: Design,
    gold: str,
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    likeliest: Likeliest,
    size: FloatArray,
    known: pl.DataFrame,
) -> list[dict[str, str]]:
    """Draw nuggets so that there are at most as many pairs to judge as the design says.

    The rows of the file are the texts to read, nugget by nugget, of each the likeliest first.
    `gold` is the hash of the nuggets, as signatures have it; `known` is what somebody said already
    of the row of a nugget and a text: `nugget update_text accepted`.
    """

    def ties(rows: IntArray) -> list[str]:
        return [hashed(*name) for name in nuggets.select("topic", "text", "nugget_id")[rows].rows()]

    population, rows = population_of(likeliest, size, ties)
    if not len(rows):
        raise UsageError(
            "no update has anything in common with a nugget: there is nothing to read; another "
            "matcher may find something"
        )
    inclusion = population.allocated(design.pairs)
    if not len(inclusion):
        raise UsageError(
            f"--pairs {design.pairs} is too little to sample by: it takes {population.least:.0f}, "
            "for two nuggets of each of four strata with all the texts that are read for them; ask "
            "for more pairs, or read fewer texts of each nugget (--depth)"
        )
    chosen = population.draw(inclusion, design.seed)
    chosen = chosen[np.argsort(rows[chosen])]
    strata, included = population.stratum[chosen] + 1, inclusion[chosen]
    drawn = pl.DataFrame({"nugget": rows[chosen], "stratum": strata, "inclusion": included})
    read = likeliest.read.join(drawn, on="nugget").sort("nugget", "update", "run")
    read = read.with_columns(
        run=pl.Series(likeliest.runs).gather(read["run"]),
        update_text=updates["text"].gather(read["update"]),
    )
    texts = read.group_by("nugget", "update_text").agg(
        pl.col("score", "stratum", "inclusion").last(), runs=pl.col("run").str.join(", ")
    )
    texts = texts.join(known, on=["nugget", "update_text"], how="left").sort(
        "nugget", "score", "update_text", descending=[False, True, False]
    )
    parts = {
        "matcher": design.matcher,
        "pairs": design.pairs,
        "depth": design.depth,
        "seed": design.seed,
        "rows": texts.height,
        "sampled": f"{drawn.height}/{nuggets.height}",
        "nuggets": gold,
    }
    line = "|".join(f"{name}:{value}" for name, value in parts.items())
    names = nuggets.select("topic", "nugget_id", "text")
    found = []
    for row in texts.iter_rows(named=True):
        topic, nugget_id, text = names.row(row["nugget"])
        pair = hashed(topic, nugget_id, text, row["update_text"])
        place = place_of(str(row["stratum"]), row["inclusion"])
        cells = {
            "verdict": {True: ACCEPT, False: REJECT, None: ""}[row["accepted"]],
            "nugget_text": cell_of(text),
            "update_text": cell_of(row["update_text"]),
            "topic": topic,
            "nugget_id": nugget_id,
            "runs": row["runs"],
            "stratum": str(row["stratum"]),
            "inclusion": f"{row['inclusion']:.6f}",
            "pair": pair,
            "sample": line,
            "checksum": checksum_of(line, topic, nugget_id, pair, place),
        }
        found.append(cells)
    return found


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
