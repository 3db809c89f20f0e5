"""A measure and a family that another package adds to tseval."""
