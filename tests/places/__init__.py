"""Places: where memories are, what such places are called, and what that does to an answer."""
