"""What is looked up for every memory of a batch reads no other rows, however small the store was when last analysed."""

from pathlib import Path

import apsw
from benchmarks.lifelike import sentences, vectors
from benchmarks.stores import open_memory

from recollect import NewMemory
from recollect.storage.sqlite.session import statement


def test_memories_with_the_same_words_are_found_by_their_index(tmp_path: Path) -> None:
    file = str(tmp_path / "memory.db")
    items = [NewMemory(text, vector=row) for text, row in zip(sentences(6), vectors(6), strict=True)]
    with open_memory(file) as memory:
        memory.user("me").remember_many(items)
        memory.maintain()
    values = {"user_id": "me", "hashes": apsw.carray(("0" * 32,)), "limit": 3}
    connection = apsw.Connection(file)
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement('memories_with_words')}", values)]
    connection.close()
    assert [step for step in steps if step.startswith(("SCAN memories", "SCAN m "))] == []
    assert sum("memories_once (user_id=? AND content_hash" in step for step in steps) == 2
