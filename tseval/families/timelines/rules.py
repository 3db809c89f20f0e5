"""What evaluations of timelines do differently, each choice by its name."""

from __future__ import annotations

from tseval.core.rules import RuleSet, choice
from tseval.families.timelines.words import ORIGINAL, Wording
from tseval.records import frozen


@frozen
class TimelineRules(RuleSet):
    """The rules of an edition."""

    backend: str = choice(
        ORIGINAL,
        "whose ROUGE counts n-grams, where a measure does not name one",
        original="ROUGE-1.5.5, as nearly all published numbers",
        reimpl="tilse's own in Python",
    )
    stem: str = choice("yes", "stemming", yes="words are stemmed", no="words are taken as they are")
    stop_words: str = choice(
        "dropped",
        "stop words",
        dropped="do not count",
        kept="count as other words do",
    )
    protocol: str = choice(
        "PROTOCOL-2",
        "several reference timelines of a topic",
        PROTOCOL_1="each is scored against by itself, and is a topic of its own",
        PROTOCOL_2="all together are what a prediction is scored against",
    )
    average: str = choice(
        "AVG-PR",
        "what F over all topics is",
        AVG_PR="F of the mean precision and the mean recall",
        AVG_F="the mean of F",
        TOPIC_MACRO="AVG-PR, where means are taken over the references of a topic first",
    )
    duplicates: str = choice(
        "last",
        "entries of one date in a timeline",
        last="the later replaces the earlier",
        join="their sentences are joined",
    )
    strings: str = choice(
        "characters",
        "a summary that is one string where a list of sentences belongs",
        characters="each character is a sentence, as programs in Python read it",
        sentence="it is one sentence",
    )
    failures: str = choice(
        "measure",
        "topics in which a measure is undefined",
        measure="each measure by itself",
        topic="no measure has a value where any has none, as scripts that catch errors do",
    )

    @property
    def wording(self) -> Wording:
        """How sentences become tokens."""
        return Wording(self.backend, self.stem == "yes", self.stop_words == "dropped")
