"""The one scorer of streams: blocks and live lines are added to it, and it is asked for scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tseval.core.calling import CommonOptions
from tseval.core.input_words import said_trait
from tseval.core.scores import Scores
from tseval.core.scoring import scores_of
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.rules import DRAFT
from tseval.families.temporal.streaming.evaluation import StreamEvaluation
from tseval.families.temporal.streaming.fold import Fold
from tseval.families.temporal.streaming.gold import Pairing, foldable, read_gold, wanted_of
from tseval.io.origin import InputRecord


class StreamScorer:
    """The gold, how pairs with it are found, and what has come of all runs."""

    def __init__(
        self,
        inputs: TemporalInputs,
        options: TemporalOptions,
        common: CommonOptions,
        said: Sequence[str] = (),
    ) -> None:
        """`said` is what was said of columns, as signatures have it, where no input tells it."""
        if common.edition not in (None, DRAFT.name) or common.rules:
            raise UsageError("streams are scored by the draft, without other rules")
        if replace(options, matcher=None, threshold=None) != TemporalOptions():
            raise UsageError("of the options streams take matcher and threshold alone")
        chosen = foldable(common.measures)
        times = [common.at] if isinstance(common.at, str) else common.at or ()
        self.common, self.said = common, said_trait(said)
        self.gold = read_gold(inputs, common.forms)
        self.pairing = Pairing(self.gold, options.matcher, options.threshold)
        self.fold = Fold(wanted_of(self.gold, chosen, times, self.pairing.grades))

    def evaluation(
        self, inputs: Sequence[InputRecord] = (), empty: Sequence[str] = ()
    ) -> StreamEvaluation:
        """What has come so far; `empty` names runs without an update."""
        traits = {"matcher": self.pairing.name} | self.gold.hashes | self.said
        return StreamEvaluation.of(self.fold, self.gold, traits, inputs, empty)

    def scores(self, inputs: Sequence[InputRecord] = (), empty: Sequence[str] = ()) -> Scores:
        """The scores of what has come so far."""
        evaluation, wanted = self.evaluation(inputs, empty), self.fold.wanted.measures
        return scores_of(evaluation, wanted, self.common.on_missing, self.common.undefined)
