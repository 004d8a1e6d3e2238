"""A version to come, on both stores: the migrations of this one, and three more that change, add and replace tables."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from recollect.storage.base import statements as machinery
from recollect.storage.base.statements import Migration, load_migrations

_BACKENDS: Final = ("sqlite", "postgres")
_FOLDER_OF: Final = "migrations_folder"  # says where the migrations of a backend stand
_MORE: Final = {
    "sqlite": {
        "moods": """
            ALTER TABLE memories ADD COLUMN mood TEXT NOT NULL DEFAULT '';
            UPDATE memories SET mood = 'glad';
        """,
        "moods_of_users": """
            CREATE TABLE moods (user_id TEXT NOT NULL PRIMARY KEY, amount INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            INSERT INTO moods SELECT user_id, count(*) FROM memories WHERE mood = 'glad' GROUP BY user_id;
        """,
        "queue": """
            CREATE TABLE jobs_anew (
                user_id     TEXT    NOT NULL,
                kind        TEXT    NOT NULL CHECK (kind IN ('embed', 'geocode', 'read', 'guess')),
                item_kind   TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk', 'place')),
                item_id     TEXT    NOT NULL,
                space       INTEGER NOT NULL,
                attempts    INTEGER NOT NULL,
                due_at      INTEGER,
                lease_until INTEGER,
                bulk        TEXT    NOT NULL DEFAULT '',
                reason      TEXT    NOT NULL,
                created_at  INTEGER NOT NULL,
                PRIMARY KEY (user_id, item_id, space, kind)
            ) STRICT;
            INSERT INTO jobs_anew SELECT * FROM jobs;
            DROP TABLE jobs;
            ALTER TABLE jobs_anew RENAME TO jobs;
            CREATE INDEX jobs_due ON jobs (space, due_at) WHERE due_at IS NOT NULL;
            CREATE INDEX jobs_bulk ON jobs (bulk) WHERE bulk <> '';
        """,
    },
    "postgres": {
        "moods": """
            ALTER TABLE memories ADD COLUMN mood text NOT NULL DEFAULT '';
            UPDATE memories SET mood = 'glad';
        """,
        "moods_of_users": """
            CREATE TABLE moods (user_id text NOT NULL PRIMARY KEY, amount bigint NOT NULL);
            INSERT INTO moods SELECT user_id, count(*) FROM memories WHERE mood = 'glad' GROUP BY user_id;
            SELECT recollect_protect('moods');
        """,
        "queue": """
            ALTER TABLE jobs DROP CONSTRAINT jobs_kind_check;
            ALTER TABLE jobs ADD CONSTRAINT jobs_kind_check CHECK (kind IN ('embed', 'geocode', 'read', 'guess'));
        """,
    },
}
LATEST: Final = 1 + len(_MORE["sqlite"])


def later_migrations(backend: str) -> tuple[Migration, ...]:
    """Give the migrations of a store of the version to come."""
    own = load_migrations(backend)
    more = enumerate(_MORE[backend].items(), len(own) + 1)
    return (*own, *(Migration(number, name, sql) for number, (name, sql) in more))


def write_migrations(folder: Path, migrations: Sequence[Migration], backend: str) -> None:
    """Write migrations as a backend keeps them."""
    target = folder / backend / "migrations"
    target.mkdir(parents=True)
    for migration in migrations:
        (target / f"{migration.version:04}_{migration.name}.sql").write_text(migration.sql, encoding="utf-8")


def later_version(folder: Path, version: int = LATEST) -> Path:
    """Write so many migrations of the version to come, for both stores; gives the folder."""
    for backend in _BACKENDS:
        write_migrations(folder, later_migrations(backend)[:version], backend)
    return folder


@contextmanager
def as_version(folder: Path) -> Iterator[None]:
    """Be the version whose migrations stand in a folder."""
    before = getattr(machinery, _FOLDER_OF)
    setattr(machinery, _FOLDER_OF, lambda backend: folder / backend / "migrations")
    try:
        yield
    finally:
        setattr(machinery, _FOLDER_OF, before)
