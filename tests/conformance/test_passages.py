"""Long texts are found by meaning wherever the answer stands: each passage has a vector, and the best one counts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect import Memory, NewMemory, NewMessage, UserMemory
from recollect.embedding.local import LocalEmbedder
from recollect.engine.drafts import memory_drafts
from recollect.engine.search import channels
from recollect.errors import StoreError
from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters
from recollect.model.memories import Scope, Space, Vector
from recollect.ports import Role
from recollect.storage.base import Neighbour
from recollect.storage.postgres.writer import PostgresWriter
from recollect.storage.sqlite.writer import SqliteWriter
from tests.archives import older_export
from tests.fixtures import OpenMemory
from tests.providers.vectors import vector_of
from tests.storage.catalogue import plain

TAIL = "The violin stands beside the old piano; both are played, one beside the other: violin beside piano, violin."
QUESTION = "violin beside piano"
Opener = Callable[..., Memory]


def filler(name: str, sentences: int) -> str:
    """Give sentences of eight words that no other text has."""
    return " ".join(f"{' '.join(f'{name}{number}x{word}' for word in range(8))}." for number in range(sentences))


def long_text(name: str, tail: str = TAIL) -> str:
    """Give a text of some 500 words in which the answer stands near the end."""
    return f"{filler(name, 60)} {tail} {filler(name + 'z', 3)}"


class Words:
    """Makes vectors of words, and reads only the beginning of a text as encoders do."""

    languages: frozenset[str] | None = None

    def __init__(self, dimensions: int = 128) -> None:
        self.space = Space("test", f"words-{dimensions}", "1", "none", dimensions, normalised=True)

    def embed(self, texts: list[str], role: Role) -> Vector:
        return np.stack([self.vector(text) for text in texts])

    def vector(self, text: str) -> Vector:
        beginning = " ".join(text.split()[:200])
        return vector_of(beginning, "any", self.space.model, self.space.dimensions)

    def close(self) -> None:
        pass


@pytest.fixture
def words() -> Words:
    return Words()


@pytest.fixture
def opener(open_memory: OpenMemory) -> Opener:
    return partial(open_memory, recall__cache=0)


@pytest.fixture
def memory(opener: Opener, words: Words) -> Memory:
    return opener(words)


@pytest.fixture
def me(memory: Memory) -> UserMemory:
    return memory.user("me")


def nearest(me: UserMemory, words: Words, limit: int, filters: ItemFilters | None = None) -> list[Neighbour]:
    filters = filters or Filters(now=me._engine.clock.now())
    vector = words.vector(QUESTION)
    return list(
        me._engine.store.read(Scope(me.user_id), lambda reader: reader.nearest(words.space, vector, filters, limit))
    )


def vector_rows(database: str, kind: str = "memory") -> list[tuple[int, bytes]]:
    """Give the part number and the bytes of all vectors of a kind, in all spaces."""
    found: list[tuple[int, bytes]] = []
    with plain(database) as store:
        for (number,) in store.rows(f"SELECT number FROM embedding_spaces WHERE kind = '{kind}' ORDER BY number"):  # noqa: S608
            part = "part" if "://" in database else "CASE WHEN seq > 0 THEN 0 ELSE -seq % 256 END"
            column = "embedding::text" if "://" in database else "vector"
            found += store.rows(f"SELECT {part}, {column} FROM vectors_{number} ORDER BY 1")  # noqa: S608
    return found


def test_a_memory_is_found_by_the_end_of_a_long_text(me: UserMemory, words: Words) -> None:
    ids = [me.remember(long_text(name, TAIL if name == "c" else "Nothing.")).id for name in "abcde"]
    me.remember("A short note about the weather.")
    (first, *others) = nearest(me, words, 6)
    assert first.id == ids[2]
    assert first.cosine > 0.3 > max(other.cosine for other in others)
    assert len({first.id, *(other.id for other in others)}) == 6
    (hit, *_) = me.recall(QUESTION, limit=3).hits
    assert hit.id == ids[2]
    cosines = me._engine.store.read(
        Scope("me"), lambda reader: reader.cosines("memory", words.space, words.vector(QUESTION), ids)
    )
    assert cosines[ids[2]] == pytest.approx(first.cosine, abs=1e-5)
    assert cosines.keys() == set(ids)


def test_messages_and_files_are_found_by_their_ends(
    me: UserMemory, memory: Memory, words: Words, tmp_path: Path
) -> None:
    talk = me.conversation("music")
    talk.append("user", long_text("m"))
    talk.append("user", long_text("n", "Nothing."))
    me.files.add(filler("f", 20).encode() + f" {TAIL}".encode(), name="notes.txt")
    memory.embed_waiting()
    for kind_filters in (MessageFilters(), ChunkFilters()):
        (first, *others) = nearest(me, words, 5, kind_filters)
        assert first.cosine > 0.3, kind_filters
        assert all(other.cosine < first.cosine for other in others)
    assert memory.doctor() == ()


def test_as_many_items_are_given_as_are_asked_for_though_one_has_many_passages(me: UserMemory, words: Words) -> None:
    me.remember(" ".join(f"{TAIL} {filler(f'r{number}', 8)}" for number in range(40)))
    me.remember_many([NewMemory(f"Note {number} about the piano") for number in range(400)])
    near = nearest(me, words, 30)
    assert len({row.id for row in near}) == len(near) == 30
    assert [row.cosine for row in near] == sorted((row.cosine for row in near), reverse=True)


def test_a_short_text_has_one_vector(me: UserMemory, database: str) -> None:
    me.remember(filler("s", 11))  # 88 words
    assert [part for part, _ in vector_rows(database)] == [0]
    me.remember(filler("t", 12))
    assert [part for part, _ in vector_rows(database)] == [0, 0, 1, 2]
    assert me.stats().with_vector == 2


def test_what_is_forgotten_leaves_no_vector_of_a_passage(me: UserMemory, memory: Memory, database: str) -> None:
    kept, gone = me.remember(long_text("a")), me.remember(long_text("b"))
    before = vector_rows(database)
    me.forget(gone.id)
    left = vector_rows(database)
    assert len(before) == 2 * len(left) > 2
    assert memory.doctor() == ()
    memory.close()
    if "://" not in database:
        raw, kept_blobs = Path(database).read_bytes(), {blob for _, blob in left}
        assert all(blob in raw for blob in kept_blobs)
        assert not any(blob in raw for _, blob in before if blob not in kept_blobs)
    assert kept.id != gone.id


def test_a_message_that_is_rewritten_is_embedded_anew(
    me: UserMemory, memory: Memory, database: str, words: Words
) -> None:
    me.conversation("music").append("user", long_text("m", "The violin is hidden in the cellar. The drum is loud."))
    memory.embed_waiting()
    me.forget(query="violin hidden cellar")
    assert vector_rows(database, "message") == []
    memory.embed_waiting()
    parts = [part for part, _ in vector_rows(database, "message")]
    assert parts == [*range(len(parts))]
    assert len(parts) > 5
    (row,) = nearest(me, words, 5, MessageFilters())
    assert row.cosine < 0.3
    assert memory.doctor() == ()


def test_an_update_keeps_the_vectors_of_a_text_that_stays(me: UserMemory, memory: Memory, database: str) -> None:
    kept = me.remember(long_text("a"))
    before = vector_rows(database)
    me.update(kept.id, importance=0.9)
    assert sorted(vector_rows(database)) == sorted(before * 2)  # the old version has them, too
    me.update(kept.id, content="Only a word.")
    assert len(vector_rows(database)) == 2 * len(before) + 1
    assert memory.doctor() == ()


def test_another_model_embeds_passages_as_well(me: UserMemory, memory: Memory, database: str) -> None:
    me.remember(long_text("a"))
    before = [part for part, _ in vector_rows(database)]
    coming = Words(96)
    memory.models.reembed(embedder=coming)  # type: ignore[arg-type]
    assert [part for part, _ in vector_rows(database)] == before * 2
    (row,) = nearest(me, coming, 5)
    assert row.cosine > 0.3


def test_the_vectors_of_a_text_are_written_together_or_not_at_all(
    me: UserMemory, memory: Memory, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    me.conversation("music").append("user", long_text("m"))
    writer = PostgresWriter if "://" in database else SqliteWriter
    insert = writer._insert_vectors

    def fail_for_passages(self: Any, target: Any, items: Any, vectors: Vector, parts: Sequence[int] = ()) -> None:
        if parts:
            raise StoreError("The disk is full.")
        insert(self, target, items, vectors)

    with monkeypatch.context() as patched:
        patched.setattr(writer, "_insert_vectors", fail_for_passages)
        with pytest.raises(StoreError):
            memory.embed_waiting()
        assert vector_rows(database, "message") == []
        assert memory.stats().pending_jobs == 1


def _lose_passages(database: str) -> None:
    """Take the vectors of passages away, as an archive of an earlier version has none."""
    with plain(database) as store:
        for (number,) in store.rows("SELECT number FROM embedding_spaces"):
            for table in (f"vectors_{number}",) if "://" in database else (f"vectors_{number}", f"codes_{number}"):
                store.rows(f"DELETE FROM {table} WHERE {'part > 0' if '://' in database else 'seq < 0'}")  # noqa: S608
        store.rows("UPDATE store_marks SET value = 0 WHERE name = 'passages'")


def test_long_texts_without_passages_get_them_by_maintenance(opener: Opener, words: Words, database: str) -> None:
    with opener(words) as older:
        older.user("me").remember(long_text("a"))
        older.user("me").remember("A short note.")
        amount = len(vector_rows(database))
    _lose_passages(database)
    memory = opener(words)
    me = memory.user("me")
    assert max(row.cosine for row in nearest(me, words, 5)) < 0.3
    assert any("recollect maintain" in advice and "earlier version" in advice for advice in memory.status().advice)
    assert [problem.check for problem in memory.doctor()] == ["vectors_of_passages"]
    assert memory.maintain().embedded == 1
    assert len(vector_rows(database)) == amount
    assert nearest(me, words, 5)[0].cosine > 0.3
    assert memory.doctor() == ()
    assert memory.maintain().embedded == 0


def test_statements_of_an_earlier_version_lose_the_word_user_from_their_vectors(
    opener: Opener, words: Words, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier, opener(words) as older:
        earlier.setattr(memory_drafts, "is_of_user", lambda _: False)
        older.user("me").remember(TAIL, subject="user")
        older.user("me").remember("The lamp hangs on a hook.", subject="hall")
    with plain(database) as store:
        store.rows("UPDATE store_marks SET value = 0 WHERE name = 'passages'")
    memory = opener(words)
    (before,) = nearest(memory.user("me"), words, 1)
    assert memory.maintain().embedded == 1
    (after,) = nearest(memory.user("me"), words, 1)
    said, asked = words.embed([TAIL, QUESTION], "query")
    assert after.cosine == pytest.approx(float(said @ asked), abs=1e-3)
    assert before.cosine < after.cosine - 1e-3
    assert memory.doctor() == ()


def test_messages_of_an_earlier_version_get_the_vectors_of_the_bundled_encoder(
    opener: Opener, words: Words, database: str
) -> None:
    words.space = replace(words.space, provider=LocalEmbedder().space.provider)
    with opener(words) as older:
        older.user("me").conversation("c").extend(
            [NewMessage("user", "I only drink decaf."), NewMessage("assistant", "Noted.")]
        )
        older.maintain()
        rows = vector_rows(database, "message")
        assert [part for part, _ in rows] == [0, 0, 1]
        assert older.doctor() == ()
    _lose_passages(database)
    memory = opener(words)
    assert any("recollect maintain" in advice for advice in memory.status().advice)
    assert memory.maintain().embedded == 1
    assert sorted(vector_rows(database, "message")) == sorted(rows)
    assert memory.maintain().embedded == 0


@pytest.mark.parametrize(
    ("query", "request_"), [("which violin do I play beside the user's piano", False), ("find a violin for me", True)]
)
def test_requests_measure_by_wishes_and_all_else_as_told(
    opener: Opener, words: Words, query: str, *, request_: bool
) -> None:
    words.space = replace(words.space, provider=LocalEmbedder().space.provider)
    memory = opener(words)
    me = memory.user("me")
    said = [NewMessage("user", "find violin for me"), NewMessage("assistant", "violin"), NewMessage("user", TAIL * 20)]
    short, *others = [added.id for added in me.conversation("c").extend(said)]
    fact = me.remember("violin strings").id
    memory.embed_waiting()
    vector = words.vector(query)
    told, wish = (float(vector @ words.vector(f"{speaker}: find violin for me")) for speaker in ("I", "user"))
    asked = Scope("me"), lambda reader: reader.wish_cosines("message", words.space, vector, [short, *others])
    assert me._engine.store.read(*asked) == {short: pytest.approx(wish, abs=1e-3)}
    measured: dict[str | None, float] = {
        hit.id: hit.parts.channels["vector"].raw for hit in me.search_context(query, limit=5).hits
    }
    expected = max(wish, channels._TOLD * told) if request_ else max(wish, told)
    assert measured[short] == pytest.approx(expected, abs=1e-3)
    as_told = float(vector @ words.vector("violin strings")) * (channels._TOLD if request_ else 1.0)
    assert measured[fact] == pytest.approx(as_told, abs=1e-3)


def test_passages_that_are_lost_are_reported_and_made_again(me: UserMemory, memory: Memory, database: str) -> None:
    me.remember(long_text("a"))
    before = vector_rows(database)
    part_two = "part = 2" if "://" in database else "-seq % 256 = 2"
    with plain(database) as store:
        for table in ("vectors_1",) if "://" in database else ("vectors_1", "codes_1"):
            store.rows(f"DELETE FROM {table} WHERE {part_two}")  # noqa: S608
    assert [problem.check for problem in memory.doctor()] == ["texts_without_passages_1"]
    memory.maintain()
    assert vector_rows(database) == before
    whole = "part = 0" if "://" in database else "seq > 0"
    with plain(database) as store:
        for table in ("vectors_1",) if "://" in database else ("vectors_1", "codes_1"):
            store.rows(f"DELETE FROM {table} WHERE {whole}")  # noqa: S608
    assert "passages_without_whole_1" in [problem.check for problem in memory.doctor()]
    memory.maintain()
    assert vector_rows(database) == before
    assert memory.doctor() == ()


def test_an_export_takes_the_vectors_of_passages_along(  # noqa: PLR0917 - fixtures
    me: UserMemory, memory: Memory, opener: Opener, words: Words, tmp_path: Path, database: str
) -> None:
    me.remember_many([long_text("a"), "A short note."])
    me.conversation("music").append("user", long_text("m"))
    memory.embed_waiting()
    memory.export(tmp_path / "1.zip", vectors=True)
    other = opener(words, database=str(tmp_path / "other.db"))
    report = other.import_archive(tmp_path / "1.zip")
    assert report.brought["vectors"] == len(vector_rows(database)) + len(vector_rows(database, "message"))
    other.export(tmp_path / "2.zip", vectors=True)
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    assert other.stats().pending_jobs == 0
    assert nearest(other.user("me"), words, 5)[0].cosine > 0.3
    assert other.doctor() == ()


def test_an_archive_of_the_first_version_is_read_and_its_long_texts_are_embedded_later(
    opener: Opener, words: Words, tmp_path: Path, database: str
) -> None:
    source = opener(words, database=str(tmp_path / "source.db"))
    source.user("me").remember_many([long_text("a"), "A short note."])
    source.export(tmp_path / "2.zip", vectors=True)
    memory = opener(words)
    (tmp_path / "1.zip").write_bytes(older_export((tmp_path / "2.zip").read_bytes(), 1))
    memory.import_archive(tmp_path / "1.zip")
    assert [part for part, _ in vector_rows(database)] == [0, 0]
    assert memory.maintain().embedded == 1
    assert nearest(memory.user("me"), words, 5)[0].cosine > 0.3
    assert memory.doctor() == ()
