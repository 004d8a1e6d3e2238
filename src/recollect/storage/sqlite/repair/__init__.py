"""Repairs a damaged SQLite file: reads the rows of its sound pages into a new file, and keeps the damaged one aside."""
