"""Which files one worker of pytest-xdist takes together.

A worker takes a file at a time. What some files share takes seconds to start in each worker: they
count as one file, so that one worker starts it.
"""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

TOGETHER = {
    "engines": (
        "conformance/test_engines.py",
        "families/agreement/test_agreement.py",
        "golden/test_engines.py",
        "parallel/test_engine.py",
    ),
    "sentence_transformers": (
        "matchers/test_embedding.py",
        "matchers/test_foreign_code.py",
        "matchers/test_late.py",
    ),
}
"""The files under `tests/` that ask for a fixture of the session, or load a large library."""
SHARED = {f"tests/{file}": name for name, files in TOGETHER.items() for file in files}


class Scheduling(LoadFileScheduling):
    """By file, but for those that are taken together."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return SHARED.get(file, file)
