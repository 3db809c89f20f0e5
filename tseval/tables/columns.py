"""The two kinds of text column: coded names (`Ids`), and texts decoded when looked at (`Texts`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tseval.io.names import ABSENT
from tseval.records import frozen
from tseval.tables.arrow import integers, numbers, strings, truths
from tseval.tables.fingerprints import suspects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray: TypeAlias = NDArray[np.int64]
    FloatArray: TypeAlias = NDArray[np.float64]
    BoolArray: TypeAlias = NDArray[np.bool_]

FEW_CUTS = 64
"""Into so many slices a piece of names is cut, and not copied, to leave some out."""


@frozen
class Ids:
    """A column of names, coded once: row i is called `names[codes[i]]`.

    `names` is an Arrow string array without repeats; it may hold names that no row has.
    """

    codes: IntArray
    names: Any

    @classmethod
    def of(cls, values: Any) -> Ids:
        """Code a column of strings (a list, or an Arrow array of them, coded already or not)."""
        array = values if isinstance(values, pa.Array | pa.ChunkedArray) else strings(values)
        if pa.types.is_dictionary(array.type):
            return cls._of_coded(_pieces(array))
        doubtful = None if array.null_count else suspects(array)
        if doubtful is not None:
            return cls(*_differing(_pieces(array), doubtful))
        encoded = _whole(pc.dictionary_encode(array))
        return cls(_codes(encoded), encoded.dictionary)

    @classmethod
    def _of_coded(cls, parts: list[Any]) -> Ids:
        """Pieces that were coded each by itself, with one vocabulary.

        Where most of their names differ, as ids do, only those that may not are hashed.
        """
        names = [part.dictionary for part in parts]
        doubtful = None if len(parts) < 2 else suspects(pa.chunked_array(names))
        if doubtful is None:
            coded = _whole(pa.chunked_array(parts).unify_dictionaries())
            return cls(_codes(coded), coded.dictionary)
        place, whole = _differing(names, doubtful)
        ends = np.cumsum([len(each) for each in names])
        own = zip(np.split(place, ends[:-1]), parts, strict=True)
        return cls(np.concatenate([places[numbers(part.indices)] for places, part in own]), whole)

    @classmethod
    def constant(cls, name: str, rows: int) -> Ids:
        """A column that says the same name in every row."""
        return cls(np.zeros(rows, np.int64), strings([name]))

    @classmethod
    def join(cls, parts: Sequence[Ids]) -> Ids:
        """The columns one below the other, with one vocabulary."""
        if len(parts) == 1:
            return parts[0]
        names = pc.unique(pa.chunked_array([part.names for part in parts], pa.string()))
        return cls(
            np.concatenate([_places(part.names, names)[part.codes] for part in parts]), names
        )

    def replaced(self, chosen: BoolArray, others: Ids) -> Ids:
        """The column with others in the chosen rows, in their order.

        Names that only the others have come last: a long vocabulary is not made anew.
        """
        places = _places(others.names, self.names)
        fresh = np.flatnonzero(places == ABSENT)
        places[fresh] = np.arange(len(fresh)) + len(self.names)
        codes = self.codes.copy()
        codes[chosen] = places[others.codes]
        if not len(fresh):
            return Ids(codes, self.names)
        return Ids(codes, pa.concat_arrays([self.names, others.names.take(integers(fresh))]))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return str(self.names[int(self.codes[row])].as_py())

    def to_list(self) -> list[str]:
        """The name of every row."""
        return list(self.take_names(self.codes))

    def take_names(self, codes: IntArray) -> list[str]:
        """The names that these codes stand for."""
        return list(pc.take(self.names, integers(codes)).to_pylist())

    def vocabulary(self) -> list[str]:
        """Every name, in the order of the codes."""
        return list(self.names.to_pylist())

    def within(self, names: Any) -> IntArray:
        """The column coded by another vocabulary; `ABSENT` where that one lacks the name."""
        return _places(self.names, names)[self.codes]

    def rows(self, chosen: IntArray | BoolArray | slice) -> Ids:
        """The chosen rows, with the same vocabulary."""
        return Ids(self.codes[chosen], self.names)


def _codes(coded: Any) -> IntArray:
    """The codes of an Arrow dictionary; zeros that nobody writes to take no memory."""
    if len(coded.dictionary) == 1:
        return np.zeros(len(coded), np.int64)
    return numbers(coded.indices).astype(np.int64)


def _differing(pieces: list[Any], doubtful: IntArray) -> tuple[IntArray, Any]:
    """The code of each name and the vocabulary; only these rows' names may stand twice."""
    codes = np.arange(sum(map(len, pieces)))
    if not len(doubtful):
        return codes, _whole(pa.chunked_array(pieces))
    first = _first_places(pa.chunked_array(pieces), doubtful)
    dropped = doubtful[first != doubtful]
    codes -= np.searchsorted(dropped, codes)
    codes[doubtful] = codes[first]
    ends = np.cumsum([len(each) for each in pieces])
    own = np.split(dropped, np.searchsorted(dropped, ends[:-1]))
    left = [
        part
        for piece, rows, end in zip(pieces, own, ends.tolist(), strict=True)
        for part in _without(piece, rows - (end - len(piece)))
    ]
    return codes, _whole(pa.chunked_array(left, pieces[0].type))


def _first_places(names: Any, doubtful: IntArray) -> IntArray:
    """For each of these rows the first of them that has its name."""
    coded = _whole(pc.dictionary_encode(names.take(integers(doubtful))))
    codes = numbers(coded.indices)
    first = np.zeros(len(coded.dictionary), np.int64)
    first[codes[::-1]] = doubtful[::-1]
    places: IntArray = first[codes]
    return places


def _without(names: Any, dropped: IntArray) -> list[Any]:
    """The names but those in these rows; cut where they stand, if they are few."""
    if len(dropped) > FEW_CUTS:
        kept = np.ones(len(names), bool)
        kept[dropped] = False
        return [names.take(integers(np.flatnonzero(kept)))]
    bounds = [-1, *dropped.tolist(), len(names)]
    return [names.slice(low + 1, high - low - 1) for low, high in pairwise(bounds)]


def _pieces(array: Any) -> list[Any]:
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return list(chunks) or [_whole(array)]


def _whole(array: Any) -> Any:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _places(names: Any, vocabulary: Any) -> IntArray:
    """Where each name stands in the vocabulary, `ABSENT` if nowhere. Neither has repeats.

    The shorter of both is hashed: looking names up is ten times as fast as entering them.
    """
    if len(vocabulary) <= len(names):
        return _found(names, vocabulary)
    there = _found(vocabulary, names)
    known = np.flatnonzero(there != ABSENT)
    places = np.full(len(names), ABSENT)
    places[there[known]] = known
    return places


def _found(names: Any, hashed: Any) -> IntArray:
    found = pc.index_in(names, value_set=hashed)
    return np.where(truths(pc.is_valid(found)), numbers(found), np.int64(ABSENT))


@frozen
class Texts(Sequence[str]):
    """A column of texts as slices of UTF-8 blocks, decoded only when looked at.

    A million texts cost the bytes of the file and twelve bytes a row, not a million objects.
    """

    blocks: tuple[bytes, ...]
    block: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]

    BLOCK_ROWS = 65_536
    """How many texts `of` packs into one block, so that 32-bit offsets suffice."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Pack texts that are already strings."""
        parts = [
            cls._pack(texts[at : at + cls.BLOCK_ROWS])
            for at in range(0, len(texts), cls.BLOCK_ROWS)
        ]
        return cls.join(parts) if parts else cls.empty()

    @classmethod
    def _pack(cls, texts: Sequence[str]) -> Texts:
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
        starts = np.concatenate(([0], ends[:-1]))
        block = np.zeros(len(encoded), np.int32)
        return cls((b"".join(encoded),), block, starts.astype(np.int32), ends.astype(np.int32))

    @classmethod
    def empty(cls, rows: int = 0) -> Texts:
        """A column of empty texts."""
        nothing = np.zeros(rows, np.int32)
        return cls((b"",), nothing, nothing, nothing)

    @classmethod
    def join(cls, parts: Sequence[Texts]) -> Texts:
        """The columns one below the other."""
        if len(parts) == 1:
            return parts[0]
        before = np.cumsum([0, *(len(part.blocks) for part in parts[:-1])])
        return cls(
            tuple(block for part in parts for block in part.blocks),
            np.concatenate([p.block + np.int32(n) for p, n in zip(parts, before, strict=True)]),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.block)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return self._decode(self.block[row], self.start[row], self.end[row])
        return self[row : row + 1 or None][0]

    def __iter__(self) -> Iterator[str]:
        for at in range(0, len(self), self.BLOCK_ROWS):
            yield from self[at : at + self.BLOCK_ROWS]

    def _decode(self, *columns: NDArray[np.int32]) -> list[str]:
        blocks = self.blocks
        return [
            blocks[b][s:e].decode("utf-8", "surrogatepass")
            for b, s, e in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def encoded(self) -> list[bytes]:
        """The UTF-8 of every text."""
        blocks = self.blocks
        columns = (self.block.tolist(), self.start.tolist(), self.end.tolist())
        return [blocks[b][s:e] for b, s, e in zip(*columns, strict=True)]

    def rows(self, chosen: IntArray | BoolArray | slice) -> Texts:
        """The chosen rows, sharing the same bytes."""
        return Texts(self.blocks, self.block[chosen], self.start[chosen], self.end[chosen])

    @property
    def blank(self) -> BoolArray:
        """Which texts are empty."""
        blank: BoolArray = self.start == self.end
        return blank
