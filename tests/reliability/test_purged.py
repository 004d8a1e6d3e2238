"""Purged means gone to the last byte: from every column of the schema, from statistics, indexes and free pages.

The columns are read from the schema: one that is new either gets words by some verb, or is listed here with the reason.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect import Location, Memory
from recollect.api.memory import AuditedWrite, IdempotentRequest
from tests.reliability.canaries import Canaries, fill, left_in, left_in_files
from tests.reliability.figures import figure
from tests.reliability.opening import WITH_QUICK_PLACES, WITH_QUICK_VECTORS
from tests.reliability.spoken import speak
from tests.reliability.worker import Here, open_memory
from tests.sizes import sized
from tests.storage.catalogue import is_server, plain

_LEAVER = "leaver"

# Columns that no verb brings a user's words into, and why.
_WORDLESS = {
    r".*\.user_id": "names the user, whom tombstones and the audit log go on naming",
    r"(?!conversations\.).*\.(id|item_id|file_id|made_id|source_id|superseded_by|place)": "an id of ours",
    r".*\.(type|role|status|state|kind|item_kind|made_kind|source_kind|what|verb|action|source)": "one of a few values",
    r".*\.(content_hash|digest|fingerprint|request_hash|secret_hash|hash|checksum)": "a hash",
    r"(jobs|bulk_batches)\.(bulk|reason|space|provider_id)": "from the provider of vectors; goes with the job",
    r"embedding_(cache|spaces)\..*": "hashes, models and vectors",
    r"(vectors|codes)_\d+\..*": "vectors",
    r"spending\..*": "days and models",
    r"answers\.key": "a hash of the client's key",
    r"api_keys\..*": "keys are given by those who run the store, who revoke them",
    r"scope_members\..*": "memberships are given by those who run the store",
    r"audit_log\..*": "who did what, without what it said",
    r"search_log\.(degraded|user_agent|found)": "names of channels and of programs, and ids of ours",
    r"(files\.(mime|original)|media_originals\.original)": "derived from the kind of file and from its hash",
    r"folders\.trouble": "paths that could not be read; goes with the folder",
    r"folders\.machine": "a hash of the machine and the account that named the folder",
    r"geocodes\..*": "what a geocoder calls a cell, for all who were there",
    r"(schema_migrations|store_marks|store_secrets|sequence)\..*": "the store's own",
    r".*_terms_(config|docsize|content)\..*": "settings and lengths of the index of words",
    r".*_terms_idx\.(segid|pgno)": "numbers of pages of the index of words",
    r"files\.notes": "what the reader of a format says about the file",
    r"sqlite_stat\d\..*": "statistics, of which there are none with words",
}


# Columns of the index of words that hold some words, or none, by how its pages fall.
_PERHAPS = re.compile(r".*_terms(_idx\.term|_data\.block|\..*)")


def test_nothing_is_left_in_any_column_or_file(database: str, tmp_path: Path) -> None:
    canaries = Canaries(seed=21)
    settings: dict[str, Any] = {
        "serve.search_log": "queries",
        "files.originals": str(tmp_path / "originals"),
        "session_summaries": True,
    }
    with open_memory(database, **WITH_QUICK_VECTORS, **WITH_QUICK_PLACES, **settings) as memory:
        memory.user("stayer").remember("The neighbour has a garden with seven trees")
        for number in range(sized(1, 6)):
            _fill_all(memory, canaries, tmp_path / f"notes{number}")
        memory.maintain()
        columns = {name: held for name, held in _columns(database) if not _PERHAPS.fullmatch(name)}
        reached = {name for name, held in columns.items() if left_in(held, canaries)}
        wordless = set(columns) - reached
        assert [name for name in sorted(wordless) if not _reason(name)] == [], "no verb brings words there"
        assert [name for name in sorted(reached) if _reason(name)] == [], "words are there after all"
        assert len(canaries.words) >= sized(150, 2000)
        if is_server(database):
            with plain(database) as store:
                store.rows("CHECKPOINT")
        assert _left_in_files(database, tmp_path / "originals", canaries), "the search would not find them"

        assert memory.user(_LEAVER).forget(everything=True, purge=True).pending == ""
        assert memory.status().erasure_pending == ""
        assert memory.doctor() == ()
        assert [name for name, held in _columns(database) if left_in(held, canaries)] == []
        assert memory.user("stayer").recall("garden").hits
    assert _left_in_files(database, tmp_path / "originals", canaries) == {}
    backend = "postgresql" if is_server(database) else "sqlite"
    figure(9, f"{backend}, all columns after a purge", canaries=len(canaries.words), columns=len(reached), left=0)


def _fill_all(memory: Memory, canaries: Canaries, notes: Path) -> None:
    """Bring words into every column, by the verbs that do so."""
    here, me = Here(memory), memory.user(_LEAVER)
    fill(here, _LEAVER, canaries)
    speak(here, _LEAVER, canaries, 2)
    once = IdempotentRequest(f"key {len(canaries.words)}", "hash", lambda _: json.dumps(canaries.word()), private=True)
    audit = AuditedWrite("local", "remember", once)
    memory.user(_LEAVER, audit=audit).remember(canaries.text())
    where = {"lat": 51.5, "lng": -0.1, "address": canaries.word(), "place_label": canaries.word()}
    session = me.conversation(f"talk {canaries.word()}")
    session.append("user", canaries.text(), id=canaries.word(), speaker=canaries.word(), **where)  # type: ignore[arg-type]
    session.describe({"title": canaries.word()})
    call = canaries.word()
    session.append(
        "assistant", canaries.text(), model=canaries.word(), tool_calls=[{"id": call, "name": canaries.word()}]
    )
    session.append("tool", canaries.text(), tool_call_id=call)
    me.places.set(canaries.word(), Location(48.1, 11.5, address=canaries.word()))
    me.remember(
        "The bridge is closed", lat=52.5, lng=13.4, media=[me.media.add(canaries.text().encode(), caption=call)]
    )
    session.append("user", media=[me.media.add(canaries.text().encode(), transcript=canaries.text())])
    me.recall(canaries.word())
    notes.mkdir()
    folder = notes / canaries.word()
    folder.mkdir()
    for _ in range(4):
        text = f"---\ntitle: {canaries.word()}\n---\n# {canaries.word()}\n\n{canaries.text()}\n"
        (folder / f"{canaries.word()}.md").write_text(text)
    me.files.sync(folder, exclude=[f"{canaries.word()}*"])
    page = f"<title>{canaries.word()}</title><p>{canaries.text()}</p>"
    me.files.add(page.encode(), name=f"{canaries.word()}.html")
    memory.embed_waiting()


def _reason(name: str) -> str:
    return next((reason for pattern, reason in _WORDLESS.items() if re.fullmatch(pattern, name)), "")


def _columns(database: str) -> Iterator[tuple[str, bytes]]:
    """Give what each column that can hold text holds, by the names of table and column, as the catalogue lists them."""
    catalogue = (
        "SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables "
        "USING (table_schema, table_name) WHERE table_schema = 'public' AND table_type = 'BASE TABLE' "
        "AND data_type IN ('text', 'jsonb', 'ARRAY', 'bytea', 'USER-DEFINED', 'uuid')"
        if is_server(database)
        else "SELECT s.name, c.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c "
        "WHERE s.type = 'table' AND c.type NOT IN ('INTEGER', 'REAL')"
    )
    with plain(database) as store:
        for table, column in store.rows(catalogue):
            rows = store.rows(f'SELECT "{column}" FROM "{table}"')  # noqa: S608 - from the catalogue
            yield f"{table}.{column}", b" ".join(_raw(value) for (value,) in rows)


def _raw(value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value, default=str).encode()


def _left_in_files(database: str, originals: Path, canaries: Canaries) -> dict[str, int]:
    """Count the words that are left in the files of the store, but for the write-ahead log of a server."""
    found = {str(file): left_in(file.read_bytes(), canaries) for file in _files(database, originals)}
    names = " ".join(str(path) for path in originals.rglob("*"))
    if not is_server(database):
        found["the file and its log"] = left_in_files(database, canaries)
    found["names of originals"] = left_in(names.encode(), canaries)
    return {name: len(words) for name, words in found.items() if words}


def _files(database: str, originals: Path) -> list[Path]:
    files = [*originals.rglob("*")]
    if is_server(database):
        with plain(database) as store:
            ((folder, number),) = store.rows(
                "SELECT current_setting('data_directory'), oid FROM pg_database WHERE datname = current_database()"
            )
        assert list(Path(folder, "base", str(number)).iterdir()), "a server elsewhere cannot be looked into"
        files += [*Path(folder, "base", str(number)).iterdir(), *Path(folder, "global").iterdir()]
    return [file for file in files if file.is_file()]
