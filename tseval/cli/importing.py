"""`tseval import`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tseval.cli.options import (
    check_output,
    debug_option,
    deliver,
    output_option,
    quiet_option,
    warn,
)
from tseval.core.doubtful_times import not_in_seconds
from tseval.errors import UsageError
from tseval.families.clusters.drawing import sampled
from tseval.families.clusters.imports import CLUSTER_IMPORTS, TIMES, Helpers, imported_for_clusters
from tseval.families.clusters.sampling import SAMPLINGS
from tseval.families.incidents.pooling import Drawing, pooled
from tseval.files.imports import IMPORTS, Imported, imported

POOL = "pool"
"""The pool of incident streams."""
OF_POOL = ["ontology", "threshold", "roll_up", "entries", "size", "depth", "sampling", "seed"]
"""Its options."""
SAMPLE = "sample"
"""The posts whose clusters assessors find."""
OF_SAMPLE = ("size", "sampling", "seed")
FORMATS = [*IMPORTS, *CLUSTER_IMPORTS, POOL, SAMPLE]
NO_TSV = (".gz", ".bz2", ".xz", ".zst", ".csv", ".json", ".jsonl", ".parquet")
"""Suffixes by which whoever reads the table would expect something else."""


@click.command("import")
@click.argument(
    "form", metavar="FORMAT", type=click.Choice([*IMPORTS, *CLUSTER_IMPORTS, POOL, SAMPLE])
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=str))
@click.option(
    "--pool",
    metavar="FILE",
    help="The pool with the texts, for `ts-run` to take them and `ts-matches` to count in them.",
)
@click.option(
    "--epochs", metavar="FILE", help="When posts were created, for `clusters`: post YYYYMMDD epoch."
)
@click.option(
    "--times",
    type=click.Choice(TIMES),
    help="Where the times of `clusters` come from. Default: their file, else --epochs or --run.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="FILE",
    help="A run that tells the times of `clusters`; repeatable.",
)
@click.option("--qrels", metavar="FILE", help="Warn of topics of `clusters` that are not in it.")
@click.option(
    "--topic",
    metavar="NAME",
    help="The topic of `clusters` in two columns. Default: the file's name.",
)
@click.option("--year", type=int, help="The year of times such as 0729-23:17:35 in `rts-run`.")
@click.option("--ontology", metavar="FILE", help="The information types, for `pool`.")
@click.option(
    "--threshold", type=float, help="The confidence from which on `pool` takes a type. Default: 0."
)
@click.option("--roll-up", is_flag=True, help="A type counts for its ancestors in `pool` too.")
@click.option("--entries", metavar="NAME,…", help="Only these types in `pool`. Default: all.")
@click.option(
    "--size",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most so many posts of each topic and type in `pool`, of each run and topic in "
    "`sample`.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most so many posts of each run, topic and type in `pool`.",
)
@click.option(
    "--sampling",
    type=click.Choice(SAMPLINGS),
    help="Which posts --size and --depth take: the most confident ones, or a seeded draw. "
    "Default: confidence.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="For --sampling random.")
@output_option
@quiet_option
@debug_option
def command(
    form: str,
    files: tuple[str, ...],
    pool: str | None,
    output: Path | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Files of other formats as plain tables.

    FORMAT is `ts-run`, `ts-nuggets`, `ts-matches`, `ts-pool`, `ts-topics` or `ts-values` (runs of
    value tracking), for the files of TREC Temporal Summarization, plain or compressed; `clusters`
    for assessors' clusters in two columns or in the JSON of Microblog 2015, RTS 2016, RTS 2017 and
    CrisisFACTS; `rts-run` for runs of scenario A of Real-Time Summarization; `kba-run` and
    `kba-truth` for the files of TREC KBA 2012 to 2014; `pool` for several runs of incident
    streams: the posts to which any of them gave a type, for assessors, who fill in its column
    `relevant` with 1 or 0; then it takes the place of the labels of `tseval incidents`; `sample`
    for posts of each run whose clusters assessors are to find, which is then --selected of
    `tseval clusters`.

    \b
    tseval import ts-run run.gz --pool updates_sampled.tsv.gz -o run.tsv
    tseval import clusters clusters.json.gz --epochs epochs.txt.gz -o clusters.tsv
    tseval import pool one.jsonl two.jsonl --ontology types.json -o pool.tsv
    tseval import sample one.tsv two.tsv --size 50 -o sample.tsv
    """
    check_output(output)
    listed_options = ", ".join(f"--{name.replace('_', '-')}" for name in OF_POOL)
    if output is not None and output.suffix.lower() in NO_TSV:
        raise UsageError(f"{output}: the table is plain TSV, so name a file .tsv")
    of_pool = {name: given.pop(name) for name in OF_POOL}
    helpers = Helpers(**given)
    if form == SAMPLE:
        table = _sample(files, pool, helpers, of_pool)
    elif form == POOL:
        if pool is not None or any(vars(helpers).values()):
            raise UsageError(f"{POOL} takes {listed_options} alone")
        table = _pool(files, of_pool)
    elif any(value not in (None, False) for name, value in of_pool.items() if name != "seed"):
        raise UsageError(f"{listed_options} have no meaning with {form}")
    elif len(files) > 1:
        raise UsageError(f"{form} takes one file at a time")
    else:
        table = _imported(form, files[0], pool, helpers)
    warn((*table.warnings, *not_in_seconds(form, table.latest)), quiet)
    deliver(table.tsv(), output)


def _imported(form: str, file: str, pool: str | None, helpers: Helpers) -> Imported:
    """One file as a plain table; options that have no meaning with its format are refused."""
    if form in CLUSTER_IMPORTS:
        if pool is not None:
            raise UsageError(f"--pool has no meaning with {form}")
        return imported_for_clusters(form, file, helpers)
    if any(vars(helpers).values()):
        raise UsageError(f"{helpers.unused('')[0]} has no meaning with {form}")
    return imported(form, file, pool)


def _sample(
    files: tuple[str, ...], pool: str | None, helpers: Helpers, given: dict[str, Any]
) -> Imported:
    """A sample of the posts of several runs."""
    others = {name: value for name, value in vars(helpers).items() if name != "year"}
    others |= {name: value for name, value in given.items() if name not in OF_SAMPLE}
    if pool is not None or any(value not in (None, False, ()) for value in others.values()):
        raise UsageError(f"{SAMPLE} takes --size, --sampling, --seed and --year alone")
    if given["size"] is None:
        raise UsageError(f"{SAMPLE} needs to know how many posts of each run and topic: --size N")
    sampling = given["sampling"] or SAMPLINGS[0]
    return sampled(files, given["size"], sampling=sampling, seed=given["seed"], year=helpers.year)


def _pool(files: tuple[str, ...], given: dict[str, Any]) -> Imported:
    """The pool of several runs."""
    if given["ontology"] is None:
        raise UsageError(f"{POOL} needs to know the information types: --ontology FILE")
    entries = [name.strip() for name in (given["entries"] or "").split(",") if name.strip()]
    drawing = Drawing(given["size"], given["depth"], given["sampling"], given["seed"])
    return pooled(
        files,
        given["ontology"],
        given["threshold"] or 0.0,
        roll_up=given["roll_up"],
        entries=entries,
        drawing=drawing,
    )
