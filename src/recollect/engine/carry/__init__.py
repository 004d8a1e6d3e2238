"""Memory on its way out of a store and in again: archives and backups, written, checked and read."""
