"""The page: self-contained; nothing is fetched, and nothing in it can become code."""
