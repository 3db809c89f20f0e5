"""Inputs: opened, read by a declared schema into frames with line numbers, refused with a cure."""
