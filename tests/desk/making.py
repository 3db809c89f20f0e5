"""A small desk for tests: two runs, two topics, nuggets or none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.desk import Desk
from tseval.desk.pool import read_inputs
from tseval.desk.store import Settings, Store

SETTINGS = Settings("fuzzy", None, "words", "matcher", 0.2)

UPDATES = """\
run\ttopic\tupdate_id\ttime\ttext\tconfidence
{0}
"""
ONE = """\
one\tflood\ta1\t1700000000\tThe river burst its banks in Tarrin\t0.9
one\tflood\ta2\t1700000600\tTwo people drowned at the mill bridge\t0.8
one\tflood\ta3\t1700001200\tThe railway to Halvek is closed\t0.4
one\tferry\tb1\t1700002000\tA ferry collided with a freighter off Port Calder\t0.9
"""
TWO = """\
two\tflood\ta1\t1700000300\tThe RIVER burst its banks, in Tarrin!\t0.5
two\tflood\ta2\t1700000900\tOfficials will speak at noon\t0.6
two\tflood\ta9\t1700001500\tThree people drowned at the mill bridge\t0.7
two\tferry\tb1\t1700002600\tAll passengers of the ferry were saved\t0.9
"""
NUGGETS = """\
topic\tnugget_id\ttime\ttext\timportance
flood\tn1\t1700000000\tRiver burst its banks in Tarrin\t3
flood\tn2\t1700000500\tTwo people drowned at the mill bridge\t2
flood\tn3\t1700000800\tThe railway to Halvek was closed\t1
ferry\tm1\t1700001900\tFerry collided with a freighter\t2
ferry\tm2\t1700002500\tPassengers of the ferry saved\t2
"""


def files(folder: Path) -> tuple[list[str], str]:
    """The runs and the nuggets as files."""
    folder.mkdir(parents=True, exist_ok=True)
    named = {
        "one.tsv": UPDATES.format(ONE.rstrip("\n")),
        "two.tsv": UPDATES.format(TWO.rstrip("\n")),
        "nuggets.tsv": NUGGETS,
    }
    for name, content in named.items():
        (folder / name).write_text(content)
    return [str(folder / "one.tsv"), str(folder / "two.tsv")], str(folder / "nuggets.tsv")


def made(
    folder: Path, *, gold: bool = True, name: str = "desk", settings: Settings = SETTINGS
) -> Desk:
    """A desk with a new store in this folder."""
    runs, nuggets = files(folder)
    kept = read_inputs(runs, nuggets if gold else None)
    return Desk(Store.create(folder / f"{name}.tseval", settings, kept))


def read(
    assessor: str, topic: str, update: str, matched: Sequence[str] = (), shown: Sequence[str] = ()
) -> list[Decision]:
    """An assessor reads an update beside all given nuggets, and those that are shown."""
    told = json.dumps(sorted(shown)) if shown else ""
    return [
        *(Decision(assessor, kinds.MATCH, topic, update, each) for each in matched),
        Decision(assessor, kinds.DONE, topic, update, value=told),
    ]
