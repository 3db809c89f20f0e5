"""Matchers by name: the built-in ones and those that other packages bring along.

A package adds one under the entry point group ``tseval.matchers``: the entry's name is the
matcher's, its object a subclass of `Matcher`. Built-in names cannot be taken over.
"""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING

from matchers.contract import Matcher, accepted
from matchers.errors import MatcherError, did_you_mean
from matchers.parameters import parse

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

GROUP = "tseval.matchers"
"""The entry point group that plug-ins register under."""

BUILT_IN = {
    "assessed": "matchers.contract:Assessed",
    "blend": "matchers.blend:Blend",
    "embedding": "matchers.sentence_models:Embedding",
    "exact": "matchers.whole_texts:Exact",
    "fuzzy": "matchers.containment:Fuzzy",
    "grams": "matchers.containment:Grams",
    "late": "matchers.sentence_models:Late",
    "learned": "matchers.learned:Learned",
    "llm": "matchers.llm:Llm",
    "rapidfuzz": "matchers.whole_texts:RapidFuzz",
}
"""Where each matcher of this package is: its module and its class."""


def names() -> tuple[str, ...]:
    """The names that `get` knows, in alphabetical order, plug-ins included."""
    return tuple(sorted({*BUILT_IN, *_plugged_in().names}))


def get(name: str, **parameters: object) -> Matcher:
    """The matcher of a name such as ``fuzzy`` or ``fuzzy(threshold=0.6)``.

    Parameters stand in the name or are given as arguments, not both; the rest has defaults. Only
    ``blend(0.7*fuzzy,0.3*grams)`` takes values without a name, which are matchers' names. An
    unknown name or parameter, or a value of the wrong form, is a `MatcherError` that lists what is
    known. ``get(str(matcher)) == matcher`` for every matcher.
    """
    asked = parse(name)
    matcher = find(asked.name)
    known = {field.name: field for field in fields(matcher)}
    given: dict[str, object] = {**asked.named, **parameters}
    bare = next((name for name, field in known.items() if field.metadata.get("bare")), None)
    if bare and asked.bare:
        given[bare] = asked.bare
    unnamed = () if bare else asked.bare
    for wrong in (*unnamed, *(key for key in given if key not in known)):
        like = did_you_mean(str(wrong), known)
        raise MatcherError(f"{asked.name}: unknown parameter {wrong!r}; {accepted(matcher)}{like}")
    for twice in asked.named.keys() & parameters.keys():
        raise MatcherError(f"{asked.name}: {twice} is given in the name and as an argument")
    return matcher(**given)


def find(name: str) -> type[Matcher]:
    """The class of this name; an unknown name is a `MatcherError` that lists the known."""
    if name in BUILT_IN:
        module, _, own = BUILT_IN[name].partition(":")
        found: type[Matcher] = getattr(import_module(module), own)
        return found
    for entry in _plugged_in():
        if entry.name == name:
            return _load(entry)
    like = did_you_mean(name, names())
    raise MatcherError(f"unknown matcher {name!r}; known: {', '.join(names())}{like}")


def package_of(name: str) -> str:
    """The package of a plug-in that brings a matcher, with its version; empty for one of these."""
    if name in BUILT_IN:
        return ""
    dists = (entry.dist for entry in _plugged_in() if entry.name == name)
    return next((f"{dist.name} {dist.version}" for dist in dists if dist), "")


def _plugged_in() -> EntryPoints:
    """What other packages bring along; to look through all of them takes a while."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _load(entry: EntryPoint) -> type[Matcher]:
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:  # a plug-in can fail in any way; name it
        whose = f"({entry.value}) of {package_of(entry.name)}".removesuffix(" of ")
        raise MatcherError(f"matcher {entry.name!r} {whose} fails: {error}") from error
    if not (isinstance(loaded, type) and issubclass(loaded, Matcher)):
        raise MatcherError(f"matcher {entry.name!r} ({entry.value}) is not a matchers.Matcher")
    return loaded
