"""Sentence models that would run code of their own: looked for before anything of them is loaded.

A model's folder may name Python classes for its parts, in itself or anywhere on this machine, and
weights may be pickles, which run what they like when they are opened. Neither is ever loaded here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import Any

from matchers.errors import MatcherError
from matchers.models import PICKLED, WEIGHTS, is_idle

SAFE = {"sentence_transformers": (6, 0), "transformers": (5, 3)}
"""The first versions that load no Python of a model's folder unless they are told to."""

PICKLES = {PICKLED: WEIGHTS, "adapter_model*.bin": "adapter_model.safetensors"}
"""Weights that run what they like when they are opened, and what is taken in their place."""

VOCABULARIES = ("tokenizer.json", "vocab.json", "added_tokens.json")
"""Files of words, which name no classes however they read."""

CLASSES = ("type", "types", "tokenizer_class", "activation_function")
"""Entries of settings that sentence-transformers imports when a dot is in them."""

_DOTTED = re.compile(r"\w+(\.\w+)+")
_KNOWN = re.compile(r"(sentence_transformers|torch\.nn)(\.\w+)+")
_ADVICE = "take a model that needs neither its own Python nor pickles"


def need_safe_versions() -> None:
    """Refuse versions of the libraries that would run what a model's folder says."""
    for name, lowest in SAFE.items():
        try:
            here = version(name)
        except PackageNotFoundError:
            continue
        if tuple(map(int, re.findall(r"\d+", here)[:2])) < lowest:
            package, wanted = name.replace("_", "-"), ".".join(map(str, lowest))
            raise MatcherError(
                f"{package} {here} may run Python that a model's folder brings along: "
                f"pip install '{package}>={wanted}'"
            )


def refuse_foreign_code(folder: Path) -> None:
    """Raise `MatcherError` if the model in a folder would run code of its own."""
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or is_idle(file, folder):
            continue
        for pickled, safe in PICKLES.items():
            if file.match(pickled) and not file.with_name(safe).is_file():
                raise MatcherError(
                    f"the weights {str(file)!r} are a pickle, which may run any code when it is "
                    f"opened: they are needed as {safe}"
                )
        if file.suffix == ".json" and file.name not in VOCABULARIES:
            for asked in _asked(_settings(file)):
                raise MatcherError(
                    f"the model in {str(folder)!r} asks for code of its own, which is not run: "
                    f"{asked} in {file.relative_to(folder).as_posix()}; {_ADVICE}"
                )


def _settings(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except (RecursionError, ValueError) as error:
        raise MatcherError(f"the model's file {str(file)!r} is no JSON: {error}") from error


def _asked(settings: Any) -> Iterator[str]:
    """What of a file's settings names code, or leads out of the folder, as it is written there."""
    if isinstance(settings, list):
        for each in settings:
            yield from _asked(each)
    if not isinstance(settings, dict):
        return
    for name, value in settings.items():
        if (
            (name in ("auto_map", "auto_mapping") and value)
            or (name.endswith("trust_remote_code") and value)
            or ("attn_implementation" in name and "/" in str(value))
            or (name in CLASSES and not all(map(_is_known, _texts(value))))
            or (name == "path" and isinstance(value, str) and _leads_out(value))
        ):
            yield f"{json.dumps(name)}: {json.dumps(value)[:200]}"
        yield from _asked(value)


def _texts(value: Any) -> list[str]:
    """The texts that a value is or holds."""
    inside = value.values() if isinstance(value, dict) else value
    inside = [inside] if isinstance(inside, str) or not isinstance(inside, Iterable) else inside
    return [each for each in inside if isinstance(each, str)]


def _is_known(name: str) -> bool:
    """Whether this names no class, or one of the libraries themselves."""
    return not _DOTTED.fullmatch(name) or _KNOWN.fullmatch(name) is not None


def _leads_out(path: str) -> bool:
    pure = PurePosixPath(path.replace("\\", "/"))
    return pure.is_absolute() or ".." in pure.parts
