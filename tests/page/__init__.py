"""The page, in a real Chromium."""
