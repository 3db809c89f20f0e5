"""Change detection: which questions have news on a day, and which documents bring it."""
