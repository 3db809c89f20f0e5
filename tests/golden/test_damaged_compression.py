"""Compressed files of which a part cannot be read: refused by every reader, wherever they break."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT
from tests.program import tseval as program
from tseval.errors import InputError
from tseval.io.inputs import Input

pytestmark = pytest.mark.usefixtures("here")

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: bytes(pa.Codec("zstd").compress(content, asbytes=True)),
}
KINDS = [*COMPRESS]


def in_two(content: bytes, kind: str) -> tuple[bytes, bytes]:
    """The content as two streams, cut where a line ends, so that the first is a file by itself."""
    cut = content.find(b"\n", len(content) // 2) + 1
    return COMPRESS[kind](content[:cut]), COMPRESS[kind](content[cut:])


def upset(content: bytes) -> bytes:
    """The same with its middle byte turned over, and the one at which any header starts."""
    turned = bytearray(content)
    for at in (0, len(content) // 2):
        turned[at] ^= 255
    return bytes(turned)


DAMAGES: dict[str, Callable[[bytes, bytes], bytes]] = {
    "later stream damaged": lambda first, second: first + upset(second),
    "later stream cut off": lambda first, second: first + second[: len(second) // 2],
    "later stream zeroed": lambda first, second: first + bytes(len(second)),
    "zeros behind": lambda first, second: first + second + bytes(16),
    "text behind": lambda first, second: first + second + b"flood\tx\t1699921800\tmore\n",
}


def assert_told(message: str, name: str, kind: str) -> None:
    broken, short = (
        f"{name}: cannot be read as {kind}: ",
        f"{name}: the {kind} stream ends too early",
    )
    assert message.startswith((broken, short))


@pytest.mark.parametrize("kind", KINDS)
def test_two_whole_streams_are_one_file(kind: str) -> None:
    content = Path(SWIFT).read_bytes()
    Path(f"swift.tsv.{kind}").write_bytes(b"".join(in_two(content, kind)))
    whole = program("score", SWIFT, NUGGETS, "--matches", MATCHES, "-f", "csv")
    two = program("score", f"swift.tsv.{kind}", NUGGETS, "--matches", MATCHES, "-f", "csv")
    assert (two.code, two.out.replace(f"swift.tsv.{kind}", "swift")) == (0, whole.out)


WAYS: tuple[tuple[str, ...], ...] = (
    ("FILE",),
    ("FILE", "--in-blocks", "3"),
    ("FILE", "--jobs", "2"),
    ("-",),
)
"""How a run is read; each way meets every kind and every damage, but not every pair of them."""


@pytest.mark.parametrize(("at", "kind"), [*enumerate(KINDS)])
@pytest.mark.parametrize(("number", "damage"), [*enumerate(DAMAGES)])
def test_a_run_is_never_scored_in_part(at: int, kind: str, number: int, damage: str) -> None:
    name, *more = WAYS[(at + number) % len(WAYS)]
    content = DAMAGES[damage](*in_two(SWIFT_BYTES, kind))
    if name == "FILE":
        name = f"swift.tsv.{kind}"
        Path(name).write_bytes(content)
    outcome = program("score", name, NUGGETS, *more, stdin=content)
    assert (outcome.code, outcome.out) == (1, "")
    assert_told(outcome.err.removeprefix("error: "), name, kind)


def as_csv(content: bytes) -> bytes:
    return content.replace(b",", b"").replace(b"\t", b",")


def as_lines(content: bytes) -> bytes:
    names, *rows = [line.split("\t") for line in content.decode().splitlines()]
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows).encode()


def as_parquet(content: bytes) -> bytes:
    names, *rows = [line.split("\t") for line in content.decode().splitlines()]
    out = io.BytesIO()
    columns = list(map(list, zip(*rows, strict=True)))
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), out)
    return out.getvalue()


SWIFT_BYTES = Path(SWIFT).read_bytes()
SCORES = b"run\ttopic\tmeasure\tvalue\n" + b"".join(
    b"%s\tt%d\tR\t0.%d\n" % (run, topic, topic) for run in (b"a", b"b") for topic in range(1, 9)
)
TRACK = b"".join(b"1 team run doc-%d %d 1 0.5\n" % (n, n % 3) for n in range(40))
OFFICIAL_PAIRS = b"".join(b"c%d\tp%d\n" % (n % 4, n) for n in range(40))
KBA = b"".join(b"t s 1350000000-%032x Entity 500\n" % n for n in range(40))
LABEL = b'"postCategories": ["News"], "postPriority": "Low"'
LABELS = b"".join(b'{"eventID": "flood", "postID": "f%d", %s}\n' % (n, LABEL) for n in range(20))
FILTER, INCIDENTS = FIXTURES / "filter", FIXTURES / "incidents"
READERS: dict[str, tuple[bytes, tuple[object, ...]]] = {
    "csv": (as_csv(SWIFT_BYTES), ("score", "FILE", NUGGETS)),
    "jsonl": (as_lines(SWIFT_BYTES), ("score", "FILE", NUGGETS)),
    "jsonl in blocks": (as_lines(SWIFT_BYTES), ("score", "FILE", NUGGETS, "--in-blocks", "2")),
    "parquet": (as_parquet(SWIFT_BYTES), ("score", "FILE", NUGGETS)),
    "parquet in blocks": (as_parquet(SWIFT_BYTES), ("score", "FILE", NUGGETS, "--in-blocks", "2")),
    "nuggets": (Path(NUGGETS).read_bytes(), ("score", SWIFT, "FILE")),
    "matches": (Path(MATCHES).read_bytes(), ("score", SWIFT, NUGGETS, "--matches", "FILE")),
    "validate": (SWIFT_BYTES, ("validate", "FILE")),
    "curve": (SWIFT_BYTES, ("curve", "FILE", NUGGETS)),
    "match": (SWIFT_BYTES, ("match", "FILE", NUGGETS)),
    "track's updates": (TRACK, ("score", "FILE", NUGGETS, "--input-format", "trec-ts")),
    "clusters": ((FIXTURES / "clusters.tsv").read_bytes(), ("clusters", SWIFT, "FILE")),
    "pairs": (OFFICIAL_PAIRS, ("import", "clusters", "FILE")),
    "runs that filter": (KBA, ("filter", "FILE", FILTER / "truth.tsv")),
    "truth": ((FILTER / "truth.tsv").read_bytes(), ("filter", FILTER / "steady.tsv", "FILE")),
    "incidents": (
        (INCIDENTS / "keen.txt").read_bytes(),
        ("incidents", "FILE", INCIDENTS / "labels.json", "--ontology", INCIDENTS / "types.json"),
    ),
    "labels": (
        LABELS,
        ("incidents", INCIDENTS / "shy.tsv", "FILE", "--ontology", INCIDENTS / "types.json"),
    ),
    "scores": (SCORES, ("compare", "FILE")),
}


@pytest.mark.parametrize(("number", "reader"), [*enumerate(READERS)])
def test_every_reader_refuses(number: int, reader: str) -> None:
    """A file of each kind, each damaged in another way."""
    content, arguments = READERS[reader]
    for at, kind in enumerate(KINDS):
        name, damage = f"file.{kind}", [*DAMAGES][(number + at) % len(DAMAGES)]
        Path(name).write_bytes(DAMAGES[damage](*in_two(content, kind)))
        outcome = program(*[name if each == "FILE" else each for each in arguments])
        told = outcome.err.removeprefix("error: ") + outcome.out
        assert outcome.code == 1, (kind, told)
        assert_told(told, name, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_two_streams_cut_off_anywhere(kind: str) -> None:
    """Of all beginnings one alone is a file of its own: the first stream."""
    first, second = in_two(SWIFT_BYTES, kind)
    path = Path(f"swift.tsv.{kind}")
    for length in range(len(first) + len(second)):
        path.write_bytes((first + second)[:length])
        if length == len(first):
            assert b"".join(Input(path).blocks())
            continue
        with pytest.raises(InputError):
            list(Input(path).blocks())


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_many_streams_give_the_content(kind: str) -> None:
    content = SWIFT_BYTES * 20
    path = Path(f"file.{kind}")
    path.write_bytes(b"".join(COMPRESS[kind](content[at : at + 999]) for at in range(0, 9990, 999)))
    assert Input(path).all_bytes() == content[:9990]
    assert b"".join(Input(path).pieces(7)) == content[:9990]
