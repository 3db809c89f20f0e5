"""Streams read a block at a time: larger than memory, or live."""
