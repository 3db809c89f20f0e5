"""What all families share: measures, rules, editions, scores, curves, batches."""
