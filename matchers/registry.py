"""Matchers by name: the built-in ones and those that other packages bring along.

A package adds one under the entry point group ``tseval.matchers``: the entry's name is the
matcher's, its object a subclass of `Matcher`. Built-in names cannot be taken over.
"""

from __future__ import annotations

from dataclasses import fields
from importlib.metadata import EntryPoint, entry_points

from matchers import naming
from matchers.assessed import Assessed
from matchers.blend import Blend, WeightedMatcher
from matchers.contract import Matcher, accepted
from matchers.embedding import Embedding
from matchers.errors import MatcherError
from matchers.exact import Exact
from matchers.fuzzy import Fuzzy
from matchers.grams import Grams
from matchers.sentence import RapidFuzz

GROUP = "tseval.matchers"
"""The entry point group that plug-ins register under."""

_BUILT_IN: dict[str, type[Matcher]] = {
    matcher.name: matcher
    for matcher in (Assessed, Blend, Embedding, Exact, Fuzzy, Grams, RapidFuzz)
}


def names() -> tuple[str, ...]:
    """The names that `get` knows, in alphabetical order, plug-ins included."""
    return tuple(sorted({*_BUILT_IN, *entry_points(group=GROUP).names}))


def get(name: str, **parameters: object) -> Matcher:
    """The matcher of a name such as ``fuzzy`` or ``fuzzy(threshold=0.6)``.

    Parameters stand in the name or are given as arguments, not both; the rest has defaults. Only
    ``blend(0.7*fuzzy,0.3*grams)`` takes values without a name, which are matchers' names. An
    unknown name or parameter, or a value of the wrong form, is a `MatcherError` that lists what is
    known. ``get(str(matcher)) == matcher`` for every matcher.
    """
    asked = naming.parse(name)
    matcher = _find(asked.name)
    known = [field.name for field in fields(matcher)]
    given: dict[str, object] = {**asked.named, **parameters}
    if asked.bare and issubclass(matcher, Blend):
        given["parts"] = tuple(map(_part, asked.bare))
    unnamed = () if issubclass(matcher, Blend) else asked.bare
    for wrong in (*unnamed, *(key for key in given if key not in known)):
        raise MatcherError(f"{asked.name}: unknown parameter {wrong!r}; {accepted(matcher)}")
    for twice in asked.named.keys() & parameters.keys():
        raise MatcherError(f"{asked.name}: {twice} is given in the name and as an argument")
    return matcher(**given)


def _part(text: str) -> WeightedMatcher:
    weight, name = naming.weighted(text)
    return WeightedMatcher(weight, get(name))


def _find(name: str) -> type[Matcher]:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    for entry in entry_points(group=GROUP, name=name):
        return _load(entry)
    raise MatcherError(f"unknown matcher {name!r}; known: {', '.join(names())}")


def _load(entry: EntryPoint) -> type[Matcher]:
    try:
        loaded = entry.load()
    except Exception as error:  # a plug-in can fail in any way; the name must be in the message
        raise MatcherError(f"matcher {entry.name!r} ({entry.value}) fails: {error}") from error
    if not (isinstance(loaded, type) and issubclass(loaded, Matcher)):
        raise MatcherError(f"matcher {entry.name!r} ({entry.value}) is not a matchers.Matcher")
    return loaded
