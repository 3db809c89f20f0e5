"""The readers that streams of temporal summarization still ask."""
