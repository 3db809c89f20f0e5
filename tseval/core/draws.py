"""What commands that draw posts for assessors call their ways of drawing."""

from __future__ import annotations

RANDOM = "random"
SAMPLINGS = ("confidence", RANDOM)
"""The most confident posts, or a seeded draw."""
SAMPLING_HELP = (
    "Which posts are taken: the most confident ones, or a seeded draw. Default: confidence."
)
SEED_HELP = "For --sampling random."
