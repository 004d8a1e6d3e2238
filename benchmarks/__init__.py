"""Speed, size and quality, measured against a stated peer in the same run. Timing never decides a test; it is printed here."""
