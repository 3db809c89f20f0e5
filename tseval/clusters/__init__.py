"""Scores over clusters: from runs and clusters to scores, and to explanations of them."""
