"""A package that is installed, as `pip` would leave it, and names what it brings along."""

from __future__ import annotations

from pathlib import Path


def install(folder: Path, group: str, points: str, record: str = "talk-1.0.dist-info") -> None:
    """Put the record of a package into a folder, with these entry points of a group."""
    installed = folder / record
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: talk\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(f"[{group}]\n{points}\n")
