"""Live search: server-sent events with new items that match, as they are stored."""
