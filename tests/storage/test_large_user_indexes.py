"""Users with very many rows on PostgreSQL: an index of their own, and answers that stay complete."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from recollect import Memory, NewMemory, load_settings
from recollect.model.filters import Filters
from recollect.model.memories import Scope, TextCandidates
from recollect.ports import Embedder
from recollect.storage.postgres.store import PostgresStore
from recollect.storage.postgres.upkeep import index_name
from tests.fixtures import Server, SteppingClock
from tests.waiting import until

ROWS = 600
MANY_ROWS = 1_000  # from about here on the planner prefers the index to sorting, where random pages cost nearly nothing
OTHERS = 300
SEARCHES = 15  # a statement is prepared after five, and may get a plan for any user after five more
COLOURS = ("red", "green", "blue")
THINGS = ("lamp", "sofa", "oven", "kayak", "ladder", "jacket", "guitar")
PENDING_PAGES = 256 // 8  # the limit in kB, by the size of a page


@pytest.fixture
def address(server: Server) -> str:
    return server.fresh()


@pytest.fixture
def memory(address: str, clock: SteppingClock, encoder: Embedder) -> Memory:
    overrides = {"database": address, "postgres.giant_user_rows": 500, "embedding.worker": False}
    settings = load_settings(os.devnull, environ={}, overrides=overrides)
    return Memory.open(settings=settings, clock=clock, embedder=encoder)


def fill(memory: Memory, user: str, rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.random.default_rng(7).standard_normal((rows, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    memory.user(user).remember_many(
        NewMemory(f"Row {row}", type="lesson" if row % 100 == 0 else "fact", vector=vectors[row]) for row in range(rows)
    )
    return vectors


def test_status_advises_and_maintain_builds_the_index_once(memory: Memory, address: str) -> None:
    fill(memory, "giant", ROWS)
    fill(memory, "small", 20)
    assert any("recollect maintain" in advice for advice in memory.status().advice)
    assert any("1 large user" in note for note in memory.maintain().notes)
    assert memory.status().advice == ()
    assert not any("large user" in note for note in memory.maintain().notes)
    with psycopg.connect(address) as connection:
        like = "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vectors_1_user_%'"
        found = connection.execute(like).fetchall()
    assert found == [(index_name(1, "giant"),)]
    memory.close()


def test_the_index_is_used_and_the_answers_stay_right(memory: Memory, address: str) -> None:
    vectors = fill(memory, "giant", ROWS)
    memory.maintain()
    exact = [f"Row {row}" for row in np.argsort(-(vectors @ vectors[3]))[:5]]
    hits = memory.user("giant").recall("xyzzy", vector=vectors[3], limit=5).hits
    assert [hit.content for hit in hits] == exact
    with psycopg.connect(address) as connection:
        connection.execute("SET LOCAL enable_sort = off")
        plan = connection.execute(
            "EXPLAIN SELECT item_id FROM vectors_1 WHERE user_id = 'giant' ORDER BY embedding <=> %s::vector LIMIT 5",
            (str(vectors[3].tolist()),),
        ).fetchall()
    assert any(index_name(1, "giant") in line for (line,) in plan)
    memory.close()


def test_a_filter_that_leaves_few_rows_still_gets_all_of_them(memory: Memory) -> None:
    """Without going on after the first batch, the index would offer its nearest rows and the filter drop them all."""
    vectors = fill(memory, "giant", ROWS)
    memory.maintain()
    hits = memory.user("giant").recall("xyzzy", vector=vectors[3], type="lesson", limit=10).hits
    assert sorted(hit.content for hit in hits) == sorted(f"Row {row}" for row in range(0, ROWS, 100))
    memory.close()


@pytest.fixture
def cheap_pages(address: str) -> None:
    """Let random pages cost nearly nothing, for all connections that are opened from now on."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            SQL("ALTER DATABASE {} SET random_page_cost = 0.01").format(Identifier(connection.info.dbname))
        )


@pytest.mark.usefixtures("cheap_pages")
def test_the_index_is_used_however_often_a_connection_has_searched(address: str, memory: Memory) -> None:
    """A prepared statement soon gets a plan for any user, to which the index of one is of no use."""
    vectors = fill(memory, "giant", MANY_ROWS)
    with psycopg.connect(address) as connection:  # an average user has few rows
        connection.execute(
            "INSERT INTO vectors_1 (user_id, item_id, embedding)"
            " SELECT 'user ' || row_number() OVER (), item_id, embedding FROM vectors_1 LIMIT %s",
            (OTHERS,),
        )
    memory.maintain()
    giant = memory.user("giant")
    for vector in vectors[:SEARCHES]:
        giant.recall("xyzzy", vector=vector)
    memory.close()
    assert _scans(address, index_name(1, "giant")) == SEARCHES


def test_pending_words_are_few_after_a_load_and_gone_after_maintenance(memory: Memory, address: str) -> None:
    """Every search for words scans the pending list of their index."""
    me, words, vector = memory.user("me"), [f"word{number}" for number in range(1_000)], np.ones(384, np.float32)
    texts = [" ".join(words[row : row + 300]) for row in range(400)]
    with psycopg.connect(address, autocommit=True) as connection:
        me.remember_many(NewMemory(text, vector=vector) for text in texts[:200])
        assert _pending_pages(connection) <= PENDING_PAGES
        me.remember_many(NewMemory(text, vector=vector) for text in texts[200:])
        memory.maintain()
        assert _pending_pages(connection) == 0
    memory.close()


def test_words_are_counted_and_ranked_by_one_lookup_each(memory: Memory, address: str, clock: SteppingClock) -> None:
    """The function finds what reading all rows finds. Filters that let few of the best rows pass make it ask again."""
    with psycopg.connect(address, autocommit=True) as connection:  # which would be cheaper for so few rows
        connection.execute(SQL("ALTER DATABASE {} SET enable_seqscan = off").format(Identifier(connection.info.dbname)))
    texts = [f"{COLOURS[row % 3]} {THINGS[row % 7]} number{row}" for row in range(2_100)]
    memory.user("giant").remember_many(
        NewMemory(text, type="lesson" if row % 50 == 0 else "fact", vector=np.ones(384, np.float32))
        for row, text in enumerate(texts)
    )
    memory.maintain()
    store, everything = memory._engine.store, Filters(now=clock.now())
    assert isinstance(store, PostgresStore)
    terms = ("red", "lamp", "number7")
    for filters, limit in ((everything, 50), (replace(everything, types=("lesson",)), 20), (everything, 2_000)):
        found = _candidates(store, terms, filters, limit)
        assert found == _candidates(store, terms, filters, limit, looked_up=False)
    memory.close()
    assert _scans(address, "memories_terms") == (1 + 2 + 1) * len(terms)


def _candidates(
    store: PostgresStore, terms: Sequence[str], filters: Filters, limit: int, *, looked_up: bool = True
) -> TextCandidates:
    """Give what holds the terms, by the function or by reading all rows; in the order of ids, as none is promised."""
    usual = store._rights
    store._rights = usual._replace(searches=looked_up)
    found = store.read(Scope("giant"), lambda reader: reader.text_candidates(terms, filters, limit))
    store._rights = usual
    return replace(found, rows=sorted(found.rows))


def _scans(address: str, index: str) -> int:
    """Count how often an index was used, when all connections of the store have ended and told so."""
    others = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    )
    scans = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = %s"
    with psycopg.connect(address, autocommit=True) as connection:
        until(lambda: not connection.execute(others).fetchall(), "the end of the connections")
        row = connection.execute(scans, (index,)).fetchone()
    assert row is not None
    return int(row[0])


def _pending_pages(connection: psycopg.Connection[tuple[Any, ...]]) -> int:
    """Empty the pending list of the word index; says how many pages it had."""
    ((pages,),) = connection.execute("SELECT gin_clean_pending_list('memories_terms')")
    return int(pages)
