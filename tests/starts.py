"""A run of every command on the examples, and what it may load at most.

Modules are counted, not seconds, which depend on the machine: those of the project by their number,
which is the same with all versions of other libraries, and these by their names. Whoever lets a
command load more has to raise its budget here, and to say in the commit what the modules are for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


LIBRARIES = frozenset(
    [
        "pandas",
        "polars.dataframe",
        "scipy",
        "rapidfuzz",
        "rich",
        "joblib",
        "dask",
        "torch",
        "vl_convert",
    ]
)
"""Libraries that only some commands need; of polars, which is loaded when it is used, a part."""
PARTS = {"pyarrow.lib", "pyarrow.parquet", "importlib.metadata", "numpy.ma"}
"""What takes long to load, too; pandas and scipy load some of it."""


class Start(NamedTuple):
    """A command line, and what it may have loaded at its end."""

    line: str
    own: int
    """The most modules of tseval and its matchers."""
    loads: str = ""
    """All of the libraries that only some commands need, and of the parts, that it loads."""

    @property
    def arguments(self) -> list[str]:
        """The arguments of `tseval`."""
        return self.line.split()


def own(modules: set[str]) -> int:
    """How many modules of the project there are among these."""
    return sum(each.split(".")[0] in ("tseval", "matchers") for each in modules)


def watched(modules: set[str]) -> set[str]:
    """The libraries and parts among these; not the parts, if a library is there that loads them."""
    parts = set() if {"pandas", "scipy"} & modules else PARTS
    return set(LIBRARIES | parts) & modules


RUN = "fixtures/runs/swift.tsv"
BOTH = f"{RUN} fixtures/runs/thorough.tsv"
GOLD = "fixtures/nuggets.tsv"
MATCHES = "--matches fixtures/matches.tsv --quiet"
GIVEN = f"{GOLD} {MATCHES}"
KBA = "fixtures/filter"
IS = "fixtures/incidents"
CD = "fixtures/changes"
TL = "fixtures/timelines"
FACTS = "fixtures/crisisfacts"
STARTS = {
    "help": Start("--help", 10),
    "help of score": Start("score --help", 66),
    "score": Start(f"score {RUN} {GIVEN}", 66, "importlib.metadata numpy.ma polars.dataframe"),
    "score as JSON": Start(
        f"score {RUN} {GIVEN} -f json", 66, "importlib.metadata numpy.ma polars.dataframe"
    ),
    "score by topic": Start(
        f"score {BOTH} {GIVEN} --topics fixtures/topics.tsv -t",
        66,
        "importlib.metadata numpy.ma polars.dataframe",
    ),
    "score by a matcher": Start(
        f"score {RUN} {GOLD} --quiet", 88, "polars.dataframe rapidfuzz scipy"
    ),
    "score by fuzzy": Start(
        f"score {RUN} {GOLD} --quiet --matcher fuzzy", 83, "polars.dataframe rapidfuzz scipy"
    ),
    "follow": Start("follow fixtures/nuggets.tsv", 90, "polars.dataframe rapidfuzz scipy"),
    "curve": Start(f"curve {RUN} {GIVEN}", 140, "pandas polars.dataframe"),
    "curve as SVG": Start(f"curve {RUN} {GIVEN} -f svg", 156, "pandas polars.dataframe"),
    "match": Start(f"match {RUN} {GOLD} --quiet", 94, "pandas polars.dataframe rapidfuzz scipy"),
    "compare": Start(f"compare {BOTH} --gold {GIVEN}", 79, "pandas polars.dataframe scipy"),
    "sweep": Start(f"sweep {BOTH} {GIVEN}", 101, "pandas polars.dataframe rapidfuzz scipy"),
    "report": Start(
        f"report scores.csv --updates {RUN} --nuggets {GIVEN} -o report.html",
        175,
        "polars.dataframe rapidfuzz scipy",
    ),
    "import": Start(
        f"import changes-run {CD}/terse.jsonl",
        135,
        "importlib.metadata polars.dataframe",
    ),
    "validate": Start(f"validate {RUN} {GOLD}", 137, "importlib.metadata polars.dataframe"),
    "gold": Start("gold ts2014", 43),
    "measures": Start("measures", 135, "importlib.metadata polars.dataframe"),
    "values": Start("values --help", 61),
    "clusters": Start(
        f"clusters {RUN} fixtures/clusters.tsv --quiet",
        63,
        "polars.dataframe importlib.metadata",
    ),
    "incidents": Start(
        f"incidents {IS}/keen.txt {IS}/labels.json --ontology {IS}/types.json --quiet",
        69,
        "polars.dataframe importlib.metadata",
    ),
    "filter": Start(
        f"filter {KBA}/steady.tsv {KBA}/truth.tsv --quiet", 71, "polars.dataframe scipy"
    ),
    "changes": Start(
        f"changes {CD}/terse.jsonl {CD}/qrels.tsv --topics {CD}/topics.jsonl --days {CD}/days.txt "
        f"--documents {CD}/documents.tsv --quiet",
        64,
        "polars.dataframe importlib.metadata",
    ),
    "responses": Start(
        "responses fixtures/responses/quick.jsonl --quiet",
        66,
        "polars.dataframe importlib.metadata",
    ),
    "timelines": Start(
        f"timelines {TL}/swift.jsonl {TL}/gold.jsonl --quiet", 68, "polars.dataframe scipy"
    ),
    "crisisfacts": Start(
        f"crisisfacts {FACTS}/collapsed.jsonl {FACTS}/labels.tsv --quiet",
        64,
        "polars.dataframe importlib.metadata",
    ),
    "battles": Start(
        "battles fixtures/battles.tsv --quiet",
        69,
        "polars.dataframe importlib.metadata numpy.ma",
    ),
}


def prepare(folder: Path) -> None:
    """Put what the command lines name into a folder."""
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    rows = (
        "run,topic,measure,value",
        "swift,flood,R,0.5",
        "swift,ferry,R,0.25",
        "swift,all,R,0.375",
    )
    (folder / "scores.csv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def modules_of(arguments: Sequence[str]) -> set[str]:
    """The modules that a fresh interpreter holds at the end of `tseval ARGUMENTS`."""
    program = (
        "import json, sys\n"
        f"sys.argv = {['tseval', *arguments]!r}\n"
        "from tseval.__main__ import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "with open('modules.json', 'w') as file: json.dump(sorted(sys.modules), file)"
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            raise AssertionError(done.stderr)
        return set(json.loads((folder / "modules.json").read_text(encoding="utf-8")))
