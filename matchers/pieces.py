"""Word pieces of a sentence model: texts cut into windows of them, and a vector for each piece.

The vectors are kept as whole numbers, so that a product of two is exact in float32 whatever the
order in which it is summed: no partial sum reaches 2**24. A score then depends on the vectors
alone, and not on which texts stand beside one another.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matchers.encoding import Encoder, Network, need_extra, replace_half_characters
from matchers.errors import MatcherError
from matchers.models import Model
from matchers.words import has_words

WINDOW = 64
"""A window has at most so many pieces."""

SCALE = 4000
"""So many parts make a component of 1; a product of two vectors of length 1 is `SCALE` squared."""


class PieceEncoder(Encoder):
    """Gives the vectors of all pieces of a window, one after another in one row.

    A window is written as the numbers of its pieces with blanks between. A row has room for
    `WINDOW` pieces; what a shorter window leaves is 0.
    """

    kind: ClassVar[str] = "pieces"
    number: ClassVar[type[np.number]] = np.int16
    pack: ClassVar[int] = 512

    def __init__(self, model: Model, precision: str) -> None:
        super().__init__(model, precision)
        self._tokenizer: Any = None
        self._around: tuple[int, int] = (0, 0)

    def windows(self, texts: list[str], step: int = WINDOW // 2) -> list[list[str]]:
        """Each text's windows, `step` pieces apart; a text without words has none.

        With half a window between them the last one ends with the text; with a whole one no piece
        is in two of them.
        """
        spoken = [i for i, text in enumerate(texts) if has_words(text)]
        found: list[list[str]] = [[] for _ in texts]
        for i, numbers in zip(spoken, self.numbers([texts[i] for i in spoken]), strict=True):
            starts = [*range(0, len(numbers) - WINDOW, step)]
            starts.append(len(starts) * step if step == WINDOW else len(numbers) - WINDOW)
            cut = [numbers[max(0, at) : max(0, at) + WINDOW] for at in starts]
            found[i] = [" ".join(map(str, window)) for window in cut if window]
        return found

    def split(self, text: str) -> list[str]:
        """The pieces of a text, each as its number."""
        return " ".join(self.windows([text], WINDOW)[0]).split()

    def numbers(self, texts: list[str]) -> list[list[int]]:
        """The numbers of the pieces of each text, without the special ones around it."""
        if self._tokenizer is None:
            self._tokenizer, self._around = read_tokenizer(self._model.folder)
        read = self._tokenizer.encode_batch(
            list(map(replace_half_characters, texts)), add_special_tokens=False
        )
        return [list(each.ids) for each in read]

    def _lengths(self, network: Network, texts: list[str]) -> NDArray[np.int64]:  # noqa: ARG002
        return np.array([text.count(" ") for text in texts], np.int64)

    def _batch(self, network: Network, texts: list[str]) -> NDArray[np.float32]:
        first, last = self._around
        rows = [[first, *map(int, text.split()), last] for text in texts]
        found = network.of_tokens(rows)
        kept = np.zeros((len(rows), WINDOW, found.shape[2]), np.float32)
        for i, row in enumerate(rows):
            kept[i, : len(row) - 2] = found[i, 1 : len(row) - 1]
        return kept.reshape(len(rows), -1)

    def _stored_form(self, vectors: NDArray[np.float32]) -> NDArray[np.int16]:
        return np.rint(vectors * SCALE).astype(np.int16)


@lru_cache(maxsize=4)
def piece_encoder(model: Model, precision: str, cache: Path | None) -> PieceEncoder:  # noqa: ARG001
    """The encoder of a model in this process; another cache folder is another encoder."""
    return PieceEncoder(model, precision)


def read_tokenizer(folder: Path) -> tuple[Any, tuple[int, int]]:
    """What cuts texts into pieces, and the numbers of what stands before and after a text."""
    need_extra("late")
    file = folder / "tokenizer.json"
    try:
        found = import_module("tokenizers").Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises Exception itself
        raise MatcherError(f"late cannot read {str(file)!r}: {error}") from error
    found.no_truncation()
    found.no_padding()
    around = found.encode("").ids
    if len(around) != 2:
        raise MatcherError(
            f"late needs a model with one special token before a text and one after it; that in "
            f"{str(folder)!r} has {len(around)} in all"
        )
    return found, (around[0], around[1])
