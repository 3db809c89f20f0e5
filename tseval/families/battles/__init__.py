"""Battles: a judge saw the outputs of two runs and said which is better."""
