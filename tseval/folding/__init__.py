"""Streams that are read a block at a time: larger than memory, or not at their end yet."""
