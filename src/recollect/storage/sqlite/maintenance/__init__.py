"""What keeps an SQLite file in order: erasing what deleting left behind."""
