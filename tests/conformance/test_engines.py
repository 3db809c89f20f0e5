"""Two processes, and a cluster of two, on real data: the same bytes as from this process."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.conformance import test_clusters as clusters
from tests.conformance import test_filtering as filtering
from tests.conformance import test_incidents as incidents
from tests.golden.test_engines import ENGINES, sharing
from tests.program import Outcome, tseval
from tseval.parallel.engine import Engine

__all__ = ["sharing"]
Arguments = tuple[object, ...]
ROWS = 500
"""A unit of matching has so many rows, so that there are some dozen."""


def temporal(
    year: str, command: str, *options: str, judged: bool = True
) -> Callable[[Path, Path], Arguments]:
    """A command on all runs of a year, by what assessors matched or by the texts of the pool."""

    def arguments(pack: Path, _: Path) -> Arguments:
        folder = pack / "temporal" / year
        pool = "updates.tsv.gz" if year == "2013" else "updates_sampled.tsv.gz"
        found = ("--matches", folder / "matches.tsv.gz") if judged else ()
        beside = (*found, "--pool", folder / pool, "--topics", folder / "topics.xml")
        runs = sorted(folder.glob("runs/*"))
        gold = ("--gold",) if command == "compare" else ()
        named = (*gold, folder / "nuggets.tsv.gz")
        return (command, *runs, *named, *beside, "--edition", f"ts{year}", *options)

    return arguments


def pooled(command: str, *options: object) -> Callable[[Path, Path], Arguments]:
    """A command on all updates that assessors saw in 2014."""

    def arguments(pack: Path, _: Path) -> Arguments:
        folder = pack / "temporal" / "2014"
        gold = folder / "nuggets.tsv.gz", folder / "matches.tsv.gz"
        return (command, folder / "updates_sampled.tsv.gz", *gold, *options)

    return arguments


def pushed(pack: Path, _: Path) -> Arguments:
    """Both runs of 2017 over assessors' clusters, as the edition has them."""
    given = clusters.inputs(pack, "rts2017", "live", "live_epochs")
    runs = sorted((pack / "clusters" / "rts2017" / "runs").glob("UDInfo*-A.gz"))
    beside = ("--qrels", given["qrels"], "--epochs", given["epochs"])
    return ("clusters", *runs, given["clusters"], *beside, "--edition", "rts2017", "-f", "json")


def pushed_over_time(pack: Path, folder: Path) -> Arguments:
    """Both runs over the imported clusters."""
    given = clusters.inputs(pack, "rts2017")
    runs = sorted((pack / "clusters" / "rts2017" / "runs").glob("UDInfo*-A.gz"))
    table = folder / "clusters.tsv"
    beside = ("--epochs", given["epochs"], "-o", table)
    assert tseval("import", "clusters", given["clusters"], *beside).code == 0
    return ("curve", *runs, table, "-m", "latency")


def alerted(pack: Path, folder: Path, *options: object) -> Arguments:
    """Two made-up runs over the real posts of 2021."""
    labels = pack / "incidents" / incidents.LABELS_2021
    events = json.loads(gzip.decompress(labels.read_bytes()))["events"]
    posts = [(event["eventid"], post["postID"]) for event in events for post in event["tweets"]]
    for run, kinds in (("a", "Other-Advice"), ("b", "Request-GoodsServices")):
        lines = [
            f"{event}\t{post}\t{(at % 8) / 8}\t{kinds if at % 5 else 'Other-Advice'}\n"
            for at, (event, post) in enumerate(posts)
        ]
        text = "topic\tpost_id\tpriority\ttypes\n" + "".join(lines)
        (folder / f"{run}.tsv").write_text(text)
    types = pack / "incidents" / incidents.TYPES_2021
    runs = folder / "a.tsv", folder / "b.tsv"
    return ("incidents", *runs, labels, "--ontology", types, "--edition", "2021", *options)


def filtered(pack: Path, _: Path, *options: object) -> Arguments:
    """The baseline of 2014, and its oracle."""
    folder = pack / "filtering" / "kba2014"
    runs = folder / filtering.BASELINE, folder / "trec-kba-2014-baseline-ccr_oracle.gz"
    return ("filter", *runs, folder / filtering.TRUTHS["kba2014"], *options)


COMMANDS: dict[str, Callable[[Path, Path], Arguments]] = {
    "score by matches": temporal("2014", "score", "-f", "json"),
    "score by words": temporal("2014", "score", "-f", "json", judged=False),
    "score of 2013": temporal("2013", "score", "-f", "json"),
    "curve by grams": temporal("2014", "curve", "--matcher", "grams", judged=False),
    "compare": temporal("2013", "compare", "-f", "json"),
    "calibrate": pooled("calibrate", "-f", "json"),
    "clusters": pushed,
    "curve over clusters": pushed_over_time,
    "incidents": lambda pack, folder: alerted(pack, folder, "-f", "json"),
    "alerts": lambda pack, folder: alerted(pack, folder, "--explain", "types", "-f", "csv"),
    "filter": lambda pack, folder: filtered(pack, folder, "-f", "json"),
}


@pytest.fixture(scope="module")
def alone(
    conformance: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Arguments, Outcome]]:
    """A command's line, and what it says without an engine, once for all engines."""

    @cache
    def of(what: str) -> tuple[Arguments, Outcome]:
        arguments = COMMANDS[what](conformance, tmp_path_factory.mktemp("inputs"))
        return arguments, tseval(*arguments)

    return of


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("what", COMMANDS)
def test_the_bytes_are_those_of_this_process(
    what: str,
    name: str,
    alone: Callable[[str], tuple[Arguments, Outcome]],
    engines: dict[str, Engine],
    sharing: Callable[..., None],
) -> None:
    arguments, expected = alone(what)
    assert expected.code == 0, expected.err
    assert expected.out
    sharing(engines[name], ROWS)
    assert tseval(*arguments) == expected
