"""CrisisFACTS: facts of an event day by day, held against collapsed or gold facts."""
