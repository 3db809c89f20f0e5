"""A sample for assessors: posts of each run, for which they are to find all that say the same.

It is drawn before any cluster exists, so of all posts of a run. The table names for each post the
cluster that is to be made for it, by the post's own id, and is given back as `--selected`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.errors import UsageError
from tseval.families.clusters import push_files
from tseval.families.clusters.files import read_posts
from tseval.families.clusters.sampling import drawn_of
from tseval.families.clusters.tables import POST_TEXTS, Posts
from tseval.files.frames import FrameInput, is_frame, read_frame
from tseval.files.imports import Imported, numbers_as_text
from tseval.files.inputs import Input
from tseval.files.plain import read_rows
from tseval.records import frozen
from tseval.tables import natural_order
from tseval.tables.arrow import strings
from tseval.tables.schema import POSTS

if TYPE_CHECKING:
    import pandas as pd

    from tseval.files.reading import Given
    from tseval.tables.columns import IntArray

TEXTS_OF: TypeAlias = "dict[tuple[str, str], str]"


@frozen
class Returned:
    """All posts of some runs, each in its run and topic."""

    posts: Posts
    runs: Sequence[str]
    topics: Sequence[str]
    unit: IntArray

    @classmethod
    def of(cls, posts: Posts) -> Returned:
        """The posts of whole runs."""
        runs = natural_order(posts.run.vocabulary())
        topics = natural_order(posts.topic.vocabulary())
        run, topic = posts.run.within(strings(runs)), posts.topic.within(strings(topics))
        return cls(posts, runs, topics, run * len(topics) + topic)


def sample_posts(
    runs: Given | Sequence[Given],
    size: int,
    *,
    sampling: str = "confidence",
    seed: int = 0,
    year: int | None = None,
) -> pd.DataFrame:
    """The posts of which assessors should find the clusters, as a frame; see `tseval import`.

    `score_clusters` takes it for `selected` once there are clusters.
    """
    import pandas as pd

    several: list[Given] = list(runs) if isinstance(runs, list | tuple) else [runs]  # type: ignore[list-item]
    table = sampled(several, size, sampling=sampling, seed=seed, year=year)
    frame = pd.DataFrame(table.columns, dtype=str)
    for name in ("time", "confidence"):
        if name in frame:
            frame[name] = pd.to_numeric(frame[name])
    return frame


def sampled(
    runs: Sequence[Given],
    size: int,
    *,
    sampling: str = "confidence",
    seed: int = 0,
    year: int | None = None,
) -> Imported:
    """Up to `size` posts of each run and topic, as a table in the order of names and ids."""
    if size < 1:
        raise UsageError(f"size cannot be {size}: give the number of posts, at least 1")
    inputs = [_input(source) for source in runs]
    posts = read_posts(inputs, year=year)
    chosen = drawn_of(Returned.of(posts), np.arange(len(posts)), size, sampling, seed)
    texts = _texts(inputs)
    keys = zip(posts.run.to_list(), posts.topic.to_list(), posts.post_id.to_list(), strict=True)
    named = list(keys)
    rows = sorted(np.flatnonzero(chosen).tolist(), key=lambda row: named[row])
    columns: dict[str, Sequence[str]] = {
        name: [named[row][at] for row in rows]
        for at, name in enumerate(("run", "topic", "post_id"))
    }
    columns["cluster_id"] = columns["post_id"]
    columns["time"] = numbers_as_text(posts.time[rows])
    if posts.confidence is not None:
        columns["confidence"] = numbers_as_text(posts.confidence[rows])
    if texts:
        columns["text"] = [texts.get(named[row][1:], "") for row in rows]
    return Imported(columns, () if len(posts) else ("the runs are empty",))


def _input(source: Given) -> Input:
    return FrameInput(source, POSTS.table) if is_frame(source) else Input(str(source))


def _texts(inputs: Sequence[Input]) -> TEXTS_OF:
    """What posts say, where the tables of runs tell it; of several texts of a post the first."""
    texts: TEXTS_OF = {}
    for source in inputs:
        if isinstance(source, FrameInput):
            rows = read_frame(source, POST_TEXTS)
        elif not source.head(1) or push_files.run_layout(source) is not None:
            continue
        else:
            rows = read_rows(source, POST_TEXTS)
        said = rows.get("text")
        names = zip(rows.get("topic").to_list(), rows.get("post_id").to_list(), strict=True)
        for key, text in zip(names, [] if said is None else said, strict=False):
            texts.setdefault(key, text)
    return texts
