"""Makes a store look as if an older analyser had written its index of words, and looks into that index."""
# ruff: noqa: S608 - the names are our own

from tests.storage.catalogue import is_server, plain

STRANGE = "zzz"  # what the older analyser made of everything

_KINDS = {"memories": "memory_terms", "messages": "message_terms"}


def age(database: str, version: int = 1) -> None:
    """Give every item a strange term in place of its own, and the store the mark of another analyser."""
    with plain(database) as store:
        for rows, words in _KINDS.items():
            if is_server(database):
                store.rows(f"UPDATE {rows} SET terms = '{{{STRANGE}}}'")
                continue
            index = f"SELECT seq, hex(user_id), terms FROM {rows}"
            store.rows(f"INSERT INTO {words} ({words}, rowid, user_token, terms) SELECT 'delete', * FROM ({index})")
            store.rows(f"UPDATE {rows} SET terms = '{STRANGE}'")
            store.rows(f"INSERT INTO {words} (rowid, user_token, terms) {index}")
        store.rows(f"UPDATE store_marks SET value = {version} WHERE name = 'analyser'")
        store.rows("UPDATE users SET generation = generation + 1")


def hash_as_before(database: str) -> None:
    """Give every memory a hash that no text has any more, as those of an earlier version have."""
    with plain(database) as store:
        for number, (memory_id,) in enumerate(store.rows("SELECT CAST(id AS text) FROM memories")):
            store.rows(f"UPDATE memories SET content_hash = '{number:032x}' WHERE CAST(id AS text) = '{memory_id}'")


def strange(database: str) -> int:
    """Count the items that are still found by the strange term alone."""
    found = f"terms = '{{{STRANGE}}}'" if is_server(database) else f"terms = '{STRANGE}'"
    with plain(database) as store:
        return sum(store.rows(f"SELECT count(*) FROM {rows} WHERE {found}")[0][0] for rows in _KINDS)


def insist_indexed_once(database: str) -> None:
    """On SQLite the index is a thing of its own: insist that it says of each row what the row says, and no more."""
    if is_server(database):
        return
    with plain(database) as store:
        for rows, words in _KINDS.items():
            store.rows(f"INSERT INTO {words} ({words}, rank) VALUES ('integrity-check', 1)")
            ((sized,),) = store.rows(f"SELECT count(*) FROM {words}_docsize")
            assert store.rows(f"SELECT count(*) FROM {rows}") == [(sized,)]


def mark(database: str) -> int:
    """Read the mark."""
    with plain(database) as store:
        ((version,),) = store.rows("SELECT value FROM store_marks WHERE name = 'analyser'")
    return int(version)
