"""The look at a file that is cheap enough to be taken whenever it is opened."""

import apsw


def look_at_tables(connection: apsw.Connection) -> None:
    """Read the first page of every table: little work that notices much of the damage."""
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").fetchall()
    quoted = (str(name).replace('"', '""') for (name,) in names)
    for name in quoted:
        connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchall()  # noqa: S608 - names of the schema
