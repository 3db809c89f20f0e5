"""Values tracked over time, such as deaths or places: how far runs are from the gold."""
