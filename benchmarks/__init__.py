"""Speed, size and quality, held against a stated peer or bar in the same run. Timing never decides a test."""
