"""From tables to matchers and back: matching, calibration, what is judged of pairs."""
