"""`tseval import`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tseval.commands.options import (
    check_output,
    debug_option,
    deliver,
    output_option,
    quiet_option,
    warn,
)
from tseval.errors import UsageError
from tseval.formats.cluster_imports import (
    CLUSTER_IMPORTS,
    TIMES,
    Helpers,
    imported_for_clusters,
)
from tseval.formats.imports import IMPORTS, imported


@click.command("import")
@click.argument("form", metavar="FORMAT", type=click.Choice([*IMPORTS, *CLUSTER_IMPORTS]))
@click.argument("file", metavar="FILE", type=click.Path(path_type=str))
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
@output_option
@quiet_option
@debug_option
def command(
    form: str, file: str, pool: str | None, output: Path | None, quiet: bool, **given: Any
) -> None:
    """Files of other formats as plain tables.

    FORMAT is `ts-run`, `ts-nuggets`, `ts-matches`, `ts-pool`, `ts-topics` or `ts-values` (runs of
    value tracking), for the files of TREC Temporal Summarization, plain or compressed; `clusters`
    for assessors' clusters in two columns or in the JSON of Microblog 2015, RTS 2016, RTS 2017 and
    CrisisFACTS; `rts-run` for runs of scenario A of Real-Time Summarization.

    \b
    tseval import ts-run run.gz --pool updates_sampled.tsv.gz -o run.tsv
    tseval import clusters clusters.json.gz --epochs epochs.txt.gz -o clusters.tsv
    """
    check_output(output)
    helpers = Helpers(**given)
    if form in CLUSTER_IMPORTS:
        if pool is not None:
            raise UsageError(f"--pool has no meaning with {form}")
        table = imported_for_clusters(form, file, helpers)
    elif any(vars(helpers).values()):
        raise UsageError(f"{helpers.unused('')[0]} has no meaning with {form}")
    else:
        table = imported(form, file, pool)
    warn(table.warnings, quiet)
    deliver(table.tsv(), output)
