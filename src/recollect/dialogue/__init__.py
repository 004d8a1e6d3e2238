"""What can be said about a conversation by looking at it: pure functions over messages."""
