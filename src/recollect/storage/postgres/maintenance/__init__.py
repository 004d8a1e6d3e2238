"""What keeps a PostgreSQL database in order: rewriting what holds deleted rows."""
