"""Single matchers on texts that a person can work out."""

import math
import warnings
from itertools import product

import numpy as np
import pytest

import matchers
from matchers import Collection, MatcherError, contract, texts
from matchers.windows import windows
from tests.oracles.matching import triples

NUGGETS = ["Train crash kills 49", "train crash in Buenos Aires"]


class TestFuzzy:
    """Worked by hand: two nuggets, so ln(3/3) + 1 = 1 for a word of both, else ln(3/2) + 1."""

    rare = math.log(3 / 2) + 1

    def test_the_worked_example(self):
        # trains ~ train: 2*5/11; crashed ~ crash: 2*5/12; killed ~ kills is 8/11 < 0.80; 50 != 49
        update = "Trains crashed; 50 killed"
        found = matchers.get("fuzzy(threshold=0.25)").match([update], NUGGETS)
        said = 10 / 11 + 10 / 12
        assert triples(found) == [
            (0, 0, pytest.approx(said / (2 + 2 * self.rare), abs=1e-9)),
            (0, 1, pytest.approx(said / (2 + 3 * self.rare), abs=1e-9)),
        ]

    def test_its_evidence(self):
        told = matchers.get("fuzzy").explain(
            "Trains crashed; 50 killed", NUGGETS[0], collection=NUGGETS
        )
        assert [(w.nugget_word, w.update_word, w.span) for w in told.matched] == [
            ("train", "trains", (0, 6)),
            ("crash", "crashed", (7, 14)),
        ]
        assert [w.similarity for w in told.matched] == pytest.approx([10 / 11, 10 / 12])
        assert [w.nugget_word for w in told.missing] == ["kills", "49"]
        assert [w.weight for w in told.missing] == pytest.approx([self.rare, self.rare])
        assert told.span == (0, 14)
        assert told.found == pytest.approx(10 / 11 + 10 / 12)
        assert told.lacking == pytest.approx(2 + 2 * self.rare - 10 / 11 - 10 / 12)

    def test_numbers_and_short_words_must_be_equal(self):
        match = matchers.get("fuzzy(threshold=0.01)").match
        assert len(match(["death toll 247"], ["73"])) == 0
        assert len(match(["20120113"], ["20120114"])) == 0
        assert len(match(["cats"], ["cat"])) == 0
        assert triples(match(["a cat, 73"], ["cat", "73"])) == [(0, 0, 1.0), (0, 1, 1.0)]

    def test_the_best_of_several_words_counts_once(self):
        found = matchers.get("fuzzy").match(["crashes crash crashed"], ["crash"])
        assert triples(found) == [(0, 0, 1.0)]

    def test_equal_evidence_goes_to_the_first_word(self):
        told = matchers.get("fuzzy").explain("Say: crash, CRASH!", "crash")
        assert told.matched[0].span == (5, 10)

    def test_doubt_adds_to_what_a_score_is_divided_by(self):
        # said are "train" and "crash", 2 of 2 + 2 * rare; with the doubt of 4 - 2 * rare, of 6
        matcher = matchers.get("fuzzy", doubt=4 - 2 * self.rare, threshold=0.2)
        update = "a train crash"
        assert triples(matcher.match([update], NUGGETS[:1], collection=NUGGETS)) == [
            (0, 0, pytest.approx(2 / 6, abs=1e-9))
        ]
        told = matcher.explain(update, NUGGETS[0], collection=NUGGETS)
        assert told.score == pytest.approx(2 / 6, abs=1e-9)
        assert told.lacking == pytest.approx(2 * self.rare)
        assert matchers.get("fuzzy(doubt=0)").signature == "fuzzy(word=80,threshold=0.55)"
        assert str(matchers.get("fuzzy(doubt=2)")) == "fuzzy(word=80,threshold=0.55,doubt=2)"

    def test_doubt_stays_when_nuggets_are_found(self, monkeypatch):
        # "storm" weighs 1 + ln(3/2), which is less than half of that and 2
        monkeypatch.setattr(contract, "ROWS", 1)
        updates = ["big fire in town", "storm"]
        matcher = matchers.get("fuzzy(doubt=2,threshold=0.5)")
        found = matcher.match(updates, updates, first_only=True)
        assert triples(found) == [(0, 0, pytest.approx(4 * self.rare / (4 * self.rare + 2)))]

    def test_repeated_words_of_a_nugget_count_once(self):
        found = matchers.get("fuzzy").match(["fire"], ["fire fire fire smoke"])
        assert len(found) == 0
        assert matchers.get("fuzzy").explain("fire", "fire fire fire smoke").score == 0.5

    def test_a_score_on_the_threshold_is_a_match(self):
        # one word of one nugget: the score is the similarity itself, 2*4/10
        assert triples(matchers.get("fuzzy(threshold=0.8)").match(["storx"], ["storm"])) == [
            (0, 0, 0.8)
        ]

    def test_words_that_the_collection_lacks_weigh_most(self):
        told = matchers.get("fuzzy").explain("", "storm", collection=["a b", "c"])
        assert told.missing[0].weight == pytest.approx(math.log(3) + 1)

    def test_an_empty_collection_weighs_all_alike(self):
        found = matchers.get("fuzzy(threshold=0.1)").match(["storm"], ["storm hits"], collection=[])
        assert triples(found) == [(0, 0, 0.5)]


class TestScriptsWithoutSpaces:
    """A nugget inside an unbroken text is found, and its evidence points into that text."""

    @pytest.mark.parametrize(
        ("update", "nugget", "said"),
        [
            ("昨夜、ｶﾞｽ漏れで東京の地震が発生した。", "東京の地震", "東京の地震"),
            ("北京今天发生火灾", "发生火灾", "发生火灾"),
            ("เกิดแผ่นดินไหวในกรุงเทพ", "แผ่นดินไหว", "แผ่นดินไหว"),
            ("ข่าว: น้ำท่วมหนัก", "น้ำท่วม", "น้ำท่วม"),
            ("ရန်ကုန်မြို့မီးလောင်", "မီးလောင်", "မီးလောင်"),
            ("दिल्ली में भूकंप आया", "भूकंप", "भूकंप"),
            ("Floods in I\u0307zmir today", "izmir", "I\u0307zmir"),
        ],
    )
    @pytest.mark.parametrize(
        "name",
        ["fuzzy", "grams(threshold=0.4)", "fuzzy(window=10)", "exact(contained=true)"],
    )
    def test_a_nugget_is_found_where_it_stands(self, name, update, nugget, said):
        matcher = matchers.get(name)
        others = ["停電", "ไฟไหม้", "quake"]
        found = matcher.match([update], [nugget, *others], collection=[nugget, *others])
        assert found.nugget.tolist() == [0]
        start, end = matcher.explain(update, nugget, collection=[nugget, *others]).span
        assert said in update[start:end]
        if "grams" not in name:  # whose evidence is the first words that hold its grams
            assert update[start:end] == said

    def test_scores_by_hand(self):
        # 东京 京发 发生 against 东京 京地 地震 震发 发生: two of three, all of one weight
        found = matchers.get("fuzzy(threshold=0.1)").match(["东京地震发生"], ["东京发生"])
        assert triples(found) == [(0, 0, pytest.approx(2 / 3, abs=1e-9))]

    def test_parts_of_runs_have_to_be_equal(self):
        # น้ำท่ว and น้ำท่ม are seven letters of eight alike, and say other things
        assert len(matchers.get("fuzzy(threshold=0.1)").match(["น้ำท่ม"], ["น้ำท่ว"])) == 0


class TestGrams:
    def test_short_words_and_places(self):
        # " storm " has 4 grams of 4, " storms " shares the first 3 of them
        matcher = matchers.get("grams(threshold=0.1)")
        assert triples(matcher.match(["storms"], ["storm"])) == [(0, 0, 0.75)]
        told = matcher.explain("The  STORMS", "storm")
        assert [w.nugget_word for w in told.matched] == [" sto", "stor", "torm"]
        assert [w.nugget_word for w in told.missing] == ["orm "]
        assert told.span == (5, 11)

    def test_a_text_shorter_than_one_gram_scores_nothing(self):
        found = matchers.get("grams(threshold=0)").match(["a", "US"], ["a", "us"])
        assert found.score.tolist() == [0, 0, 0, 1]


class TestWindows:
    """Two words a window, one word on: the words of a nugget must stand together."""

    update = "Fire in a mill. Twelve men of the mine were saved"

    def test_the_best_window_counts(self):
        scattered, together = "fire saved", "men of"
        whole = matchers.get("fuzzy").match([self.update], [scattered, together])
        assert [n for _, n, _ in triples(whole)] == [0, 1]
        cut = matchers.get("fuzzy(window=2)").match([self.update], [scattered, together])
        assert triples(cut) == [(0, 1, 1.0)]

    @pytest.mark.parametrize("name", ["fuzzy(window=2)", "grams(window=2)"])
    def test_the_evidence_is_the_best_window_s(self, name):
        told = matchers.get(name).explain(self.update, "Twelve men")
        start, end = told.span
        assert (told.score, self.update[start:end]) == (1, "Twelve men")
        assert all(start <= a < b <= end for a, b in (word.span for word in told.matched))

    def test_short_texts_are_taken_as_they_are(self):
        assert windows("a b, c!", 3) == [(0, 7)]
        assert windows("a b c d e", 3) == [(0, 5), (2, 7), (4, 9)]
        assert windows("a b, c!", 0) == [(0, 7)]
        assert windows("a b c d e f", 4) == [(0, 7), (4, 11)]
        assert windows("a b", 1) == [(0, 1), (2, 3)]
        assert windows("!", 3) == windows("", 0) == []


class TestBlend:
    updates = ("train crash", "crashed trains", "tram")

    def test_is_the_weighted_mean(self):
        fuzzy, grams = (
            matchers.get(name, threshold=0).match(self.updates, NUGGETS).score
            for name in ("fuzzy", "grams")
        )
        found = matchers.get("blend(fuzzy,3*grams,threshold=0)").match(self.updates, NUGGETS)
        assert found.score == pytest.approx((fuzzy + 3 * grams) / 4, abs=1e-9)
        assert 0 < found.score.max() < 1

    def test_its_evidence_is_the_first_part_s(self):
        told = matchers.get("blend(fuzzy,grams)").explain("trains crash", NUGGETS[0])
        assert [word.nugget_word for word in told.matched] == ["train", "crash"]
        assert told.score != matchers.get("fuzzy").explain("trains crash", NUGGETS[0]).score

    def test_weights_are_shares(self):
        a, b = (matchers.get(f"blend({w}*fuzzy,{3 * w}*grams,threshold=0.1)") for w in (0.25, 100))
        assert triples(a.match(self.updates, NUGGETS)) == triples(b.match(self.updates, NUGGETS))


class TestExact:
    def test_spelling_is_normalised(self):
        assert triples(
            matchers.get("exact").match(["  ÉCOLE—fermée!"], ["e\u0301cole fermée"])
        ) == [(0, 0, 1.0)]

    def test_contained_means_whole_words_either_way(self):
        match = matchers.get("exact(contained=true)").match
        updates = ["At least 4 dead", "24 dead", "dead"]
        assert triples(match(updates, ["4 dead"])) == [(0, 0, 1.0), (2, 0, 1.0)]

    def test_its_evidence_is_the_shared_words(self):
        told = matchers.get("exact").explain("Four dead", "four DEAD")
        assert told.score == 1
        assert [w.span for w in told.matched] == [(0, 4), (5, 9)]


class TestRapidFuzz:
    def test_is_what_rapidfuzz_gives(self):
        found = matchers.get("rapidfuzz").match(["fuzzy was a bear"], ["Fuzzy, fuzzy WAS a bear!"])
        assert triples(found) == [(0, 0, 1.0)]

    @pytest.mark.parametrize("scorer", ["ratio", "QRatio", "WRatio", "partial_token_set_ratio"])
    def test_useless_scorers_warn(self, scorer):
        with pytest.warns(UserWarning, match=f"scorer={scorer}.*no use"):
            matchers.get("rapidfuzz", scorer=scorer)

    def test_useful_ones_do_not(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            matchers.get("rapidfuzz(scorer=partial_ratio)")

    def test_texts_without_words_match_nothing(self):
        with pytest.warns(UserWarning, match="no use"):
            matcher = matchers.get("rapidfuzz(scorer=ratio,threshold=0.1)")
        assert len(matcher.match(["", "!"], ["", "?"])) == 0


class TestAssessed:
    def test_says_where_its_matches_come_from(self):
        matcher = matchers.get("assessed")
        with pytest.raises(MatcherError, match="come from a file"):
            matcher.match(["a"], ["a"])
        with pytest.raises(MatcherError, match="made by people"):
            matcher.explain("a", "a")


EVERY = ["exact", "exact(contained=true)", "fuzzy", "grams", "rapidfuzz", "blend(fuzzy,grams)"]


@pytest.mark.parametrize("name", EVERY)
class TestEveryMatcher:
    def test_empty_lists(self, name):
        matcher = matchers.get(name)
        for updates, nuggets in ([], []), (["a"], []), ([], ["a"]):
            for threshold, first in product([0, 1], [False, True]):
                found = matcher.with_threshold(threshold).match(updates, nuggets, first_only=first)
                assert len(found) == 0
                assert (found.update.dtype, found.score.dtype) == (np.int64, np.float64)

    def test_texts_without_words_score_nothing(self, name):
        odd = ["", " ", "!?", "\0", "\u0301", "🔥🔥"]
        assert len(matchers.get(name, threshold=0.01).match([*odd, "abc"], [*odd, "xyz"])) == 0
        everything = matchers.get(name, threshold=0).match(odd, odd)
        assert everything.score.tolist() == [0] * 36
        assert matchers.get(name).explain("", "").span is None

    @pytest.mark.parametrize(
        "text",
        [
            "قطار بوينس آيرس تحطم",
            "四川地震发生了七级地震",
            "Пожар в Москве",
            "🔥 fire near São Paulo 🔥",
            "हिन्दी समाचार",
            "İstanbul'da ǰ ŉ ﬁre ½ ℡",
            "e\u0301tude",
            "\ud800 broken half",
        ],
    )
    def test_any_script_matches_itself(self, name, text):
        assert triples(matchers.get(name).match(["other words", text], [text])) == [(1, 0, 1.0)]

    def test_a_nugget_of_ten_thousand_words(self, name):
        long = " ".join(f"word{'abcdefghij'[i % 10]}{i}" for i in range(10_000))
        found = matchers.get(name).match(["wordb1", long], ["wordb1 word", long])
        assert (1, 1, 1.0) in triples(found)

    def test_sequences_of_any_kind(self, name):
        class Rows:
            def __len__(self):
                return 2

            def __getitem__(self, row):
                return ["no", "train crash kills 49"][row : row + 1][0]

        matcher = matchers.get(name)
        lists = triples(matcher.match(list(Rows()), NUGGETS))
        assert lists
        for updates in (
            Rows(),
            tuple(Rows()),
            np.array(list(Rows()), object),
            np.array(list(Rows())),
        ):
            assert triples(matcher.match(updates, np.array(NUGGETS, object))) == lists
            assert triples(matcher.match(updates, Collection(NUGGETS))) == lists

    def test_not_a_text(self, name):
        matcher = matchers.get(name)
        with pytest.raises(MatcherError, match=r"update 1 is nan \(float\), not a text"):
            matcher.match(["a", math.nan], ["a"])
        with pytest.raises(MatcherError, match="nugget 0 is None"):
            matcher.match(["a"], [None])
        with pytest.raises(MatcherError, match="a list of updates is needed, not one text"):
            matcher.match("a", ["a"])
        with pytest.raises(MatcherError, match="a list of nuggets is needed, not one text"):
            matcher.match(["a"], "a")
        with pytest.raises(MatcherError, match="update 0 is 4"):
            matcher.explain(4, "a")

    def test_the_result_cannot_be_written_to(self, name):
        found = matchers.get(name).match(["storm"], ["storm"])
        with pytest.raises(ValueError, match="read-only"):
            found.score[0] = 0

    def test_a_million_repeats_are_scored_once(self, name):
        found = matchers.get(name).match(["storm hits"] * 100_000, ["storm hits", "fire"])
        assert found.update.tolist() == list(range(100_000))
        assert set(found.nugget.tolist()) == {0}


def test_blocks_end_at_rows_and_letters(monkeypatch):
    monkeypatch.setattr(texts, "LETTERS", 5)
    parts = list(texts.blocks(["a", "b", "c", "long one", "d", ""], "update", 2))
    assert parts == [(0, ["a", "b"]), (2, ["c", "long one"]), (4, ["d", ""])]


def test_a_collection_counts_once():
    calls = []
    gold = Collection(["a b", "b c"])
    for _ in range(2):
        gold.frequencies("letters", lambda text: calls.append(text) or text.split())
    assert calls == ["a b", "b c"]
    assert Collection.of(gold) is gold
    assert gold[1] == "b c"
    assert gold[:1] == ("a b",)
