"""Commands that this package adds: folders that are kept in step, and documents that are added."""
