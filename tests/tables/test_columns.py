"""Columns of names, coded by another vocabulary."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given

from tests import strategies as st
from tseval.io.names import ABSENT
from tseval.tables.arrow import numbers, strings
from tseval.tables.columns import FEW_CUTS, Ids
from tseval.tables.fingerprints import fingerprints

NAMES = st.sampled_from([f"n{at}" for at in range(12)])


@given(st.lists(NAMES), st.lists(NAMES, unique=True))
def test_a_column_is_coded_by_a_shorter_or_longer_vocabulary(
    column: list[str], vocabulary: list[str]
) -> None:
    found = Ids.of(column).within(strings(vocabulary))
    expected = [vocabulary.index(name) if name in vocabulary else ABSENT for name in column]
    assert found.dtype == np.int64
    assert found.tolist() == expected


PIECES = st.lists(st.sampled_from([f"id-{at}" for at in range(40)]), min_size=1, max_size=30)


@given(st.lists(PIECES, min_size=1, max_size=5), st.booleans(), st.booleans())
def test_pieces_coded_by_themselves_or_not_get_one_vocabulary(
    pieces: list[list[str]], long: bool, coded: bool
) -> None:
    if long:  # most names of a piece are its own, as ids are
        own = [[f"own-{number}-{at}" for at in range(200)] for number in range(len(pieces))]
        pieces = [[*own[at], *piece] for at, piece in enumerate(pieces)]
    column = pa.chunked_array(
        [pa.array(piece).dictionary_encode() if coded else pa.array(piece) for piece in pieces]
    )
    ids = Ids.of(column)
    together = [name for piece in pieces for name in piece]
    assert ids.to_list() == together
    assert ids.vocabulary() == list(dict.fromkeys(together))


@pytest.mark.parametrize("coded", [True, False])
def test_of_ids_that_mostly_differ_only_doubtful_ones_are_hashed(
    monkeypatch: pytest.MonkeyPatch, coded: bool
) -> None:
    hashed: list[int] = []
    encode = pc.dictionary_encode

    def counted(names: pa.Array) -> pa.Array:
        hashed.append(len(names))
        return encode(names)

    pieces = [[f"{number}-{at}" for at in range(3000)] for number in range(4)]
    pieces[3][7] = pieces[0][2999]
    column = pa.chunked_array(
        [pa.array(piece).dictionary_encode() if coded else pa.array(piece) for piece in pieces]
    )
    monkeypatch.setattr(pc, "dictionary_encode", counted)
    ids = Ids.of(column)
    assert hashed == [2]
    assert (len(ids), len(ids.names)) == (12_000, 11_999)
    assert ids.codes[9007] == ids.codes[2999] == 2999


@pytest.mark.parametrize("repeated", [1, FEW_CUTS + 1])
def test_repeats_are_left_out_of_a_long_vocabulary(repeated: int) -> None:
    names = [f"{at}" for at in range(2000)]
    pieces = [names[:1000], [*names[1000:], *names[500 : 500 + repeated], "last"]]
    ids = Ids.of(pa.chunked_array([pa.array(piece) for piece in pieces]))
    assert ids.vocabulary() == [*names, "last"]
    assert ids.to_list() == [*pieces[0], *pieces[1]]


@given(st.lists(st.text("ab", max_size=30), max_size=40, unique=True), st.integers(0, 10))
def test_a_fingerprint_is_of_the_string_alone(names: list[str], start: int) -> None:
    marks = fingerprints(strings(names))
    assert len(set(marks.tolist())) == len(names)
    assert fingerprints(strings(names).slice(start)).tolist() == marks[start:].tolist()


@given(PIECES, st.data())
def test_chosen_rows_are_replaced_and_a_long_vocabulary_is_kept(
    names: list[str], data: st.DataObject
) -> None:
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names))))
    others = data.draw(PIECES.map(lambda drawn: [*drawn, "new"] * len(names)))[: chosen.sum()]
    ids = Ids.of(names)
    found = ids.replaced(chosen, Ids.of(others))
    left = iter(others)
    assert found.to_list() == [
        next(left) if one else name for name, one in zip(names, chosen.tolist(), strict=True)
    ]
    assert found.vocabulary()[: len(ids.names)] == ids.vocabulary()
    assert len(set(found.vocabulary())) == len(found.vocabulary())


@pytest.mark.parametrize(
    "kind",
    ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double"],
)
def test_numbers_of_a_column_are_of_its_kind(kind: str) -> None:
    column = pa.chunked_array([[9, 1], [], [2, 3, 5]], kind)[1:]
    found = numbers(column)
    assert found.dtype == column.to_numpy().dtype
    assert found.tolist() == column.to_pylist() == [1, 2, 3, 5]
