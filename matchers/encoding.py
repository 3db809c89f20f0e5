"""Texts to vectors by a sentence model: sorted by length, in small batches, each text once.

A batch is as long as its longest text, so texts of like length go together. The libraries take
seconds to load; they are loaded when the first text has to be encoded, and not before.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matchers.cache import Store, Vectors, cache_folder, keys_of
from matchers.contract import Progress
from matchers.errors import MatcherError
from matchers.models import Model, read
from matchers.texts import blocks

BATCH = 16
"""Texts encoded at once; more only pad more."""
PACK = 4096
"""After so many texts the vectors are kept, so that an interrupted run loses little."""
ROWS = 8192
"""So many texts are looked at together while it is found out which are new."""

PRECISIONS = ("fp32", "bf16")
"""What a model computes in. Only fp32 gives scores that do not depend on the batch."""


class Encoder:
    """Gives the vectors of texts, from the store of its model where they are known.

    Vectors have length 1, so that products are cosines.
    """

    kind: ClassVar[str] = "vectors"
    """What the store is called."""
    number: ClassVar[type[np.number]] = np.float32
    """What the store keeps of a vector's components."""
    pack: ClassVar[int] = PACK

    def __init__(self, model: Model, precision: str) -> None:
        self._model = model
        self._precision = precision
        root = cache_folder()
        name = f"{model.fingerprint[:32]}-{precision}.sqlite"
        self._store = Store(root / self.kind / name if root else None, self.number)

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vector of each text, one a row."""
        self.learn([list(texts)])
        return self._store.vectors(keys_of(texts))

    def learn(self, parts: Iterable[list[str]], progress: Progress | None = None) -> None:
        """Encode what the store lacks of these texts, all of it sorted together."""
        unknown: dict[bytes, str] = {}
        for texts in parts:
            given = dict(zip(keys_of(texts), texts, strict=True))
            lacking = self._store.missing(given)
            unknown.update((key, text) for key, text in given.items() if key in lacking)
        if unknown:
            self._encode(list(unknown.values()), progress)

    def _encode(self, texts: list[str], progress: Progress | None) -> None:
        network = loaded(self._model, self._precision)
        order = np.argsort(-self._lengths(network, texts), kind="stable").tolist()
        for start in range(0, len(order), self.pack):
            part = [texts[i] for i in order[start : start + self.pack]]
            rows = []
            for done in range(0, len(part), BATCH):
                rows.append(self._batch(network, part[done : done + BATCH]))
                if progress:
                    progress(min(start + done + BATCH, len(texts)), len(texts))
            vectors = np.concatenate(rows)
            if not np.isfinite(vectors).all():
                raise MatcherError(
                    f"the model in {str(self._model.folder)!r} gives vectors that are no numbers: "
                    "its weights are damaged, or it cannot compute in "
                    f"{self._precision}"
                )
            self._store.add(keys_of(part), self._stored_form(vectors))

    def _lengths(self, network: Network, texts: list[str]) -> NDArray[np.int64]:
        """How long each text is for the model."""
        return network.lengths(texts)

    def _batch(self, network: Network, texts: list[str]) -> NDArray[np.float32]:
        """What the model gives for a batch, one row a text."""
        return network(texts)

    def _stored_form(self, vectors: NDArray[np.float32]) -> Vectors:
        """The form in which the store keeps vectors."""
        return vectors


@lru_cache(maxsize=4)
def encoder(model: Model, precision: str, cache: Path | None) -> Encoder:  # noqa: ARG001
    """The encoder of a model in this process; another cache folder is another encoder."""
    return Encoder(model, precision)


class Network:
    """A loaded model, on a GPU where there is one."""

    def __init__(self, model: Any, torch: Any, precision: str) -> None:
        self._model = model.to(torch.bfloat16) if precision == "bf16" else model
        self._torch = torch

    def lengths(self, texts: list[str]) -> NDArray[np.int64]:
        """How long each text is for the model, in tokens; in characters if it cannot tell."""
        tokenizer = getattr(self._model, "tokenizer", None)
        if not callable(tokenizer):
            return np.fromiter(map(len, texts), np.int64, len(texts))
        longest = getattr(self._model, "max_seq_length", None) or 512
        counts: list[int] = []
        for _, part in blocks(texts, "text", PACK):
            read = tokenizer(
                list(map(replace_half_characters, part)), truncation=True, max_length=longest
            )
            counts += map(len, read["input_ids"])
        return np.array(counts, np.int64)

    def __call__(self, texts: list[str]) -> NDArray[np.float32]:
        """The vectors of one batch."""
        return self._unit_vectors(
            self._model.preprocess(list(map(replace_half_characters, texts))), "sentence_embedding"
        )

    def of_tokens(self, rows: list[list[int]]) -> NDArray[np.float32]:
        """The vector of every token of one batch, texts x tokens x numbers; rows are filled up."""
        longest = max(map(len, rows))
        numbers = self._torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
        read = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
        features = {
            "input_ids": numbers,
            "attention_mask": self._torch.tensor(read),
            "token_type_ids": self._torch.zeros_like(numbers),
        }
        return self._unit_vectors(features, "token_embeddings")

    def _unit_vectors(self, features: dict[str, Any], what: str) -> NDArray[np.float32]:
        """What the model gives under this name, in vectors of length 1."""
        device = self._model.device
        moved = {
            name: value.to(device) if hasattr(value, "to") else value
            for name, value in features.items()
        }
        with self._torch.inference_mode():
            vectors = self._model(moved)[what].float()
            vectors = self._torch.nn.functional.normalize(vectors, dim=-1)
        array: NDArray[np.float32] = vectors.cpu().numpy()
        return array


def replace_half_characters(text: str) -> str:
    """The text with halves of characters replaced; tokenizers refuse them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=2)
def loaded(model: Model, precision: str) -> Network:
    """Load a model, without a network.

    Raises `MatcherError` if the extra is not installed, if the model cannot be loaded, and if its
    files are no longer those that it is known by.
    """
    need_extra()
    with _quiet():
        torch = import_module("torch")
        library = import_module("sentence_transformers")
        device = "cuda" if torch.cuda.is_available() else "cpu"
        if device == "cuda" and precision == "fp32":
            torch.set_float32_matmul_precision("highest")  # TF32 would cost three digits
        try:
            network = library.SentenceTransformer(
                str(model.folder),
                device=device,
                local_files_only=True,
                model_kwargs={"use_safetensors": True},
            )
        except Exception as error:
            reason = str(error) or type(error).__name__
            raise MatcherError(
                f"the model in {str(model.folder)!r} cannot be loaded: {reason}"
            ) from error
    if read(model.folder) != model:
        raise MatcherError(
            f"the model in {str(model.folder)!r} was changed while it was loaded: start again"
        )
    return Network(network.eval(), torch, precision)


def need_extra(matcher: str = "embedding") -> None:
    """Say what to install where the libraries are missing."""
    lacking = [name for name in ("torch", "sentence_transformers") if find_spec(name) is None]
    if lacking:
        raise MatcherError(
            f"{matcher} needs {' and '.join(lacking)}: pip install torch, "
            "then pip install 'sentence-transformers>=6.0'"
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries from warning about themselves and from drawing bars while they load."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging = import_module("transformers.utils.logging")
        drawn = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        try:
            yield
        finally:
            if drawn:
                logging.enable_progress_bar()
