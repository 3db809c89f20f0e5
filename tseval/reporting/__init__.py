"""What a report says: comparison, curves, timelines and the rest, brought together as data."""
