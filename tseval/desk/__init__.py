"""The assessors' desk: people write nuggets, match updates to them, disagree, and settle it."""
