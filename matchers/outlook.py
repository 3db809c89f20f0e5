"""Which pairs of a text and a nugget have a prospect of so much: sums of whole numbers, in bits.

Each word that a text has of a nugget adds to a sum, the heaviest one more than the others. What
words add is rounded up, so a sum is never too small. The texts of a word are bits of whole
registers, and so are the digits of the sums: one operation adds for 64 texts at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.containment import Rows
from matchers.threads import spread

UNIT = 1 / 16
"""What sums are counted in; any value leaves no pair out, a small one lets fewer through."""

_REGISTERS = 1 << 14  # of texts and nuggets that are added up together; they stay in the cache
_BIT = np.left_shift(1, np.arange(8)).astype(np.uint8)
_EVERY = np.uint64((1 << 64) - 1)

Bits = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Present:
    """Which texts have which terms: a row of bits for each term, and one of none at the end."""

    bits: Bits
    texts: int

    @classmethod
    def of(cls, matrices: Sequence[Rows], asked: NDArray[np.bool_] | None = None) -> Present:
        """From matrices of texts x terms, one below the other; of the terms `asked` for alone."""
        texts = sum(rows.shape[0] for rows in matrices)
        terms = matrices[0].shape[1]
        width = _registers(texts) * 8
        found = np.zeros((terms + 1) * width, np.uint8)
        first = 0
        for rows in matrices:
            row, column = rows.tocoo().coords
            if asked is not None:
                kept = np.flatnonzero(asked[column])
                row, column = row[kept], column[kept]
            row = row + first
            np.add.at(found, column.astype(np.int64) * width + (row >> 3), _BIT[row & 7])
            first += rows.shape[0]
        return cls(found.view(np.uint64).reshape(terms + 1, -1), texts)

    def has(self, text: NDArray[np.int64], term: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each text has the term beside it."""
        own = self.bits.view(np.uint8).ravel()[term * (self.bits.shape[1] * 8) + (text >> 3)]
        found: NDArray[np.bool_] = own & _BIT[text & 7] != 0
        return found


@dataclass(frozen=True, eq=False)
class Outlook:
    """What the terms of each nugget add to a sum, in units, the heaviest first.

    Rows are filled up with a term that no text has. `leading` is what a term adds that is the first
    of the nugget's which a text has, `other` what it adds behind another.
    """

    term: NDArray[np.int64]
    leading: NDArray[np.int64]
    other: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        incidence: sparse.csr_array,
        each: NDArray[np.float64],
        heaviest: NDArray[np.float64],
        marked: NDArray[np.float64],
        mark: NDArray[np.float64],
    ) -> Outlook:
        """From nuggets x terms.

        Every term adds `each` of its own, the heaviest `heaviest` besides, and a `marked` one
        the `mark` of its nugget.
        """
        term, row, place = _heaviest_first(incidence, heaviest)
        column = term[row, place]
        leading, other = np.zeros_like(term), np.zeros_like(term)
        added = each[column] + marked[column] * mark[row]
        other[row, place] = np.ceil(added / UNIT)
        leading[row, place] = np.ceil((added + heaviest[column]) / UNIT)
        return cls(term, leading, other, np.diff(incidence.indptr))

    def reaching(
        self, present: Present, own: NDArray[np.float64], wanted: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The texts and nuggets whose sums may reach what is `wanted` of each nugget.

        A text brings what is its `own` along.
        """
        least = own.min(initial=0)
        asked = np.maximum(np.floor((wanted - least) / UNIT), 0).astype(np.int64)
        brought = _planes(np.ceil((own - least) / UNIT).astype(np.int64), asked.max(initial=0))
        nuggets = np.argsort(self.counts, kind="stable")
        step = max(1, _REGISTERS // present.bits.shape[1])
        batches = [nuggets[i : i + step] for i in range(0, len(nuggets), step)]

        def found(batch: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            reached = self._reached(present.bits, brought, batch, asked[batch])
            place, text = _places(reached)
            inside = text < present.texts
            return text[inside], batch[place[inside]]

        texts, rows = zip(*spread(found, batches), strict=True)
        return np.concatenate(texts), np.concatenate(rows)

    def _reached(
        self, bits: Bits, brought: Bits, batch: NDArray[np.int64], asked: NDArray[np.int64]
    ) -> Bits:
        """A row of bits for each nugget: the texts whose sum reaches what is asked for.

        A sum begins at what is missing up to a power of 2: those that reach it are carried over.
        """
        shape = (len(batch), bits.shape[1])
        limit = 1 << len(brought)
        sums = np.zeros((len(brought), *shape), np.uint64)
        sums |= _masks(limit - asked, len(brought))
        reached = np.zeros(shape, np.uint64)
        reached[asked == 0] = _EVERY
        _add(sums, reached, iter(brought[:, None]))
        seen = np.zeros(shape, np.uint64)
        for place in range(int(self.counts[batch].max(initial=0))):
            has = bits[self.term[batch, place]]
            behind = has & seen
            has ^= behind
            seen |= has
            first, other = (
                _masks(np.minimum(added[batch, place], asked), len(brought))
                for added in (self.leading, self.other)
            )
            _add(sums, reached, (has & a | behind & b for a, b in zip(first, other, strict=True)))
        return reached


@dataclass(frozen=True, eq=False)
class Dearest:
    """The terms of each nugget that are worth most, and what each is worth."""

    term: NDArray[np.int64]
    worth: NDArray[np.float64]
    asked: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        incidence: sparse.csr_array,
        weight: NDArray[np.float64],
        share: NDArray[np.float64],
        most: int,
    ) -> Dearest:
        """From nuggets x terms: `most` of each nugget, worth their weight times its `share`."""
        term, _, _ = _heaviest_first(incidence, weight)
        term = term[:, :most]
        worth = np.append(weight, 0)[term] * share[:, None]
        asked = np.zeros(len(weight) + 1, np.bool_)
        asked[term] = True
        return cls(term, worth, asked)

    def left(
        self,
        present: Present,
        text: NDArray[np.int64],
        nugget: NDArray[np.int64],
        spare: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """The pairs that can spare what the terms are worth which the text lacks."""
        kept = np.arange(len(text))
        for place in range(self.term.shape[1]):
            own = nugget[kept]
            lacks = ~present.has(text[kept], self.term[own, place])
            spare = spare - np.where(lacks, self.worth[own, place], 0)
            enough = np.flatnonzero(spare >= 0)
            kept, spare = kept[enough], spare[enough]
        return kept


def _heaviest_first(
    incidence: sparse.csr_array, weight: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The terms of each nugget, filled up with one that there is not; and where the real ones are.

    `weight` is that of each term.
    """
    counts = np.diff(incidence.indptr).astype(np.int64)
    row = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-weight[incidence.indices], row))
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    term = np.full((len(counts), max(1, counts.max(initial=0))), incidence.shape[1])
    term[row, place] = incidence.indices[order]
    return term, row, place


def _add(sums: Bits, reached: Bits, added: Iterable[Bits]) -> None:
    """Add numbers, given digit by digit from the lowest on; note whose sums are carried over."""
    carry = np.zeros_like(reached)
    for digit, addend in zip(sums, added, strict=True):
        half = digit ^ addend
        both = digit & addend
        np.bitwise_xor(half, carry, out=digit)
        half &= carry
        np.bitwise_or(both, half, out=carry)
    reached |= carry


def _masks(numbers: NDArray[np.int64], digits: int) -> Bits:
    """For each digit and number a register, full where the number has the digit."""
    has = numbers[None, :, None] >> np.arange(digits)[:, None, None] & 1
    return np.where(has > 0, _EVERY, np.uint64(0))


def _planes(numbers: NDArray[np.int64], most: int) -> Bits:
    """The numbers of all texts, or `most` where they are larger: a row of bits for each digit."""
    digits = max(1, int(most).bit_length())
    has = np.minimum(numbers, most) >> np.arange(digits)[:, None] & 1
    bits = np.zeros((digits, _registers(len(numbers)) * 64), np.uint8)
    bits[:, : len(numbers)] = has
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def _places(bits: Bits) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows and places of the bits that are set."""
    some = np.flatnonzero(bits.view(np.uint8))
    row, first = np.divmod(some, bits.shape[1] * 8)
    bit = np.unpackbits(bits.view(np.uint8).ravel()[some], bitorder="little")
    found = np.flatnonzero(bit)
    return row[found >> 3], first[found >> 3] * 8 + (found & 7)


def _registers(texts: int) -> int:
    return -(-texts // 64)
