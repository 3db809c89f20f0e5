"""What tests of several matchers share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from matchers import encoding, sentence_models
from matchers.cache import CACHE
from matchers.sentence_models import PieceEncoder
from tests.matchers.stand_in import Network, Tokenizer


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A model's folder that nobody could load, with pieces and vectors of the tests' own."""
    folder = tmp_path_factory.mktemp("models") / "model"
    folder.mkdir()
    (folder / encoding.WEIGHTS).write_bytes(b"weights")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "loaded", lambda *_: Network())
        patch.setattr(sentence_models, "read_tokenizer", lambda _: (Tokenizer(), (101, 102)))
        patch.setattr(sentence_models, "WINDOW", 4)
        patch.setattr(PieceEncoder.windows, "__defaults__", (2,))
        patch.setenv(CACHE, str(tmp_path_factory.mktemp("cache")))
        encoding.encoder.cache_clear()
        yield folder
        encoding.encoder.cache_clear()
