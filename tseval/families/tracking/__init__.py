"""Values tracked over time."""
