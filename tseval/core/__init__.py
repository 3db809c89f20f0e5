"""What all families share: measures, rules, editions, ledgers, scores, curves, batches."""
