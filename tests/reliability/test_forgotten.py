"""Forgotten means gone: from every answer, from every table, and on SQLite from the bytes of the files."""

from pathlib import Path

import pytest

from recollect.storage.sqlite import erasing
from recollect.storage.sqlite.writer import MANY_ROWS
from tests.reliability.canaries import Asked, Canaries, fill, left_in, left_in_files
from tests.reliability.figures import figure
from tests.reliability.worker import WITH_VECTORS, Here, open_memory, vector_of
from tests.reliability.zygote import Child, Zygote
from tests.sizes import sized
from tests.storage.catalogue import contents, is_server, plain

_BYSTANDERS = sized(50, 200)


def _bystanders(store: Asked, user: str) -> dict[str, str]:
    """Memories that must stay, among those that go."""
    texts = [f"Neighbour {number} of {user} has a garden with {number} trees" for number in range(_BYSTANDERS)]
    items = [
        {"content": text, "vector_of": text, "subject": f"neighbour {number % 37}", "metadata": {"number": number}}
        for number, text in enumerate(texts)
    ]
    answers = store.ask("remember_many", user=user, memories=items)
    return {made["id"]: text for made, text in zip(answers, texts, strict=True)}


def _insist_bystanders(child: Child, user: str, expected: dict[str, str]) -> None:
    kept = {record["id"]: record["content"] for record in child.ask("list", user=user, limit=1000)["items"]}
    assert kept == expected
    assert child.ask("stats", user=user)["with_vector"] == len(expected)
    found = child.ask("recall", user=user, query="neighbour 7 garden", vector_of=next(iter(expected.values())))
    assert found["degraded"] == []
    assert len(found["hits"]) == 5


def _insist_gone_from_answers(child: Child, user: str, canaries: Canaries) -> None:
    for word in canaries.words[:: sized(21, 7)]:
        hits = child.ask("recall", user=user, query=word, limit=100, vector_of=word)["hits"]
        assert [hit["content"] for hit in hits if word in hit["content"]] == []
    assert left_in(str(child.ask("list", user=user, limit=1000)).encode(), canaries) == []


def _insist_gone_from_tables(database: str, canaries: Canaries) -> None:
    assert left_in("\n".join(contents(database).values()).encode(), canaries) == []


def _insist_nothing_left(database: str, canaries: Canaries, when: str) -> None:
    if not is_server(database):
        assert left_in_files(database, canaries) == [], f"words are left {when}"


@pytest.mark.parametrize("settled", [False, True], ids=["in the log", "in the file"])
def test_nothing_is_left(database: str, zygote: Zygote, *, settled: bool) -> None:
    """While another process has the store open, too, which has seen what goes."""
    if settled and is_server(database):
        pytest.skip("a server decides by itself where it keeps what")
    canaries = Canaries(seed=7)
    child, reader = zygote.serve(database, **WITH_VECTORS), zygote.serve(database, **WITH_VECTORS)
    expected = _bystanders(child, "me")
    ids = fill(child, "me", canaries)
    everything = fill(child, "leaver", canaries)
    assert len(canaries.words) > sized(100, 300)
    if not is_server(database):
        assert left_in_files(database, canaries) == canaries.words, "the search would not find them"
    _insist_bystanders_and_more(reader, canaries)
    if settled:  # as only the last one to close it does
        reader.close()
        child.close()
        child, reader = zygote.serve(database, **WITH_VECTORS), zygote.serve(database, **WITH_VECTORS)

    for number, memory_id in enumerate(ids):
        assert child.ask("forget", user="me", id=memory_id)["action"] == "deleted"
        if number % 5 == 0:
            reader.ask("count", user="me")
    assert len(child.ask("forget", user="leaver", everything=True)["ids"]) >= len(everything)

    _insist_nothing_left(database, canaries, "while both have the store open")
    for process in (child, reader):
        _insist_gone_from_answers(process, "me", canaries)
        _insist_bystanders(process, "me", expected)
        process.close()
    _insist_nothing_left(database, canaries, "after the store was closed")
    _insist_gone_from_tables(database, canaries)
    _insist_sound(database, zygote)
    figure(9, "memories", canaries=len(canaries.words), left=0)


def _insist_sound(database: str, zygote: Zygote) -> None:
    child = zygote.serve(database)
    assert child.ask("doctor") == []
    child.close()


def _insist_bystanders_and_more(reader: Child, canaries: Canaries) -> None:
    """The other process has seen what will be forgotten."""
    word = canaries.words[0]
    assert any(word in hit["content"] for hit in reader.ask("recall", user="me", query=word, vector_of=word)["hits"])


def test_vectors_and_codes_leave_no_bytes_either(tmp_path: Path, zygote: Zygote) -> None:
    database = str(tmp_path / "memory.db")
    child = zygote.serve(database, **WITH_VECTORS)
    ids = child.ask("remember_many", user="me", memories=[{"content": t, "vector_of": t} for t in ("stays", "goes")])
    stored = _raw_vectors(database)
    child.ask("forget", user="me", id=ids[1]["id"])
    child.close()
    raw = Path(database).read_bytes()
    assert [blob in raw for blob in stored[:2]] == [True, True], "those of the other row must stay"
    assert [blob in raw for blob in stored[2:]] == [False, False]


def _raw_vectors(database: str) -> list[bytes]:
    """The floats and the code of each row, in the order of the rows."""
    with plain(database) as store:
        rows = store.rows("SELECT v.vector, c.code FROM vectors_1 v JOIN codes_1 c USING (user_id, seq) ORDER BY seq")
    assert len(rows[0][0]) == 4 * len(vector_of("stays"))
    return [blob for row in rows for blob in row]


def test_the_words_of_the_only_user_go_at_once_and_those_of_others_stay(tmp_path: Path, zygote: Zygote) -> None:
    database, canaries = str(tmp_path / "memory.db"), Canaries(seed=5)
    child, other = (zygote.serve(database, **WITH_VECTORS) for _ in range(2))

    def fill_and_forget() -> None:
        texts = [f"{canaries.word()} {canaries.text()}" for _ in range(MANY_ROWS + 10)]
        memories = [{"content": text, "vector_of": text} for text in texts]
        child.ask("remember_many", user="me", memories=memories)
        assert len(left_in_files(database, canaries)) > MANY_ROWS, "the search would not find them"
        child.ask("forget", user="me", everything=True)
        assert left_in_files(database, canaries) == []

    fill_and_forget()  # the index is emptied
    stays = other.ask("remember", user="other", content="The pump stays", vector_of="pump")["id"]
    fill_and_forget()  # another user has words in it
    word = canaries.word()
    child.ask("forget", user="me", id=child.ask("remember", user="me", content=word, vector_of=word)["id"])
    for store in (child, other):
        hits = store.ask("recall", user="other", query="pump", vector_of="pump")["hits"]
        assert [hit["id"] for hit in hits] == [stays]
        assert store.ask("doctor") == []
        store.close()
    assert left_in_files(database, canaries) == []
    with plain(database) as file:
        file.rows("INSERT INTO memory_terms (memory_terms, rank) VALUES ('integrity-check', 1)")


def test_a_large_file_is_erased_by_maintenance(tmp_path: Path, zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
    database = str(tmp_path / "memory.db")
    canaries = Canaries(seed=2)
    monkeypatch.setattr(erasing, "REWRITE_AT_ONCE_BYTES", 0)
    with open_memory(database, **WITH_VECTORS) as memory:
        store = Here(memory)
        expected = _bystanders(store, "me")
        for memory_id in fill(store, "me", canaries):
            store.ask("forget", user="me", id=memory_id)
    _insist_gone_from_tables(database, canaries)
    child = zygote.serve(database, **WITH_VECTORS)
    assert "erased the traces of deleted memories" in child.ask("maintain")["notes"]
    _insist_nothing_left(database, canaries, "after maintenance")
    assert "erased the traces of deleted memories" not in child.ask("maintain")["notes"], "there was nothing to erase"
    _insist_bystanders(child, "me", expected)
    child.close()
    _insist_sound(database, zygote)


def test_a_reader_that_does_not_end_delays_only_the_erasing(tmp_path: Path, zygote: Zygote) -> None:
    database = str(tmp_path / "memory.db")
    canaries = Canaries(seed=9)
    child, other = zygote.serve(database), zygote.serve(database)
    memory_id = child.ask("remember", user="me", content=canaries.text())["id"]
    with plain(database) as reader:
        assert reader.rows("SELECT count(*) FROM memories") == [(1,)]  # from here on it reads the present state
        forgotten = child.ask("forget", user="me", id=memory_id)
        assert forgotten["action"] == "deleted"
        assert "another process has been reading" in forgotten["pending"]
        child.ask("remember", user="me", content="It can write meanwhile")
        other.ask("remember", user="me", content="Others can, too")
        assert [process.ask("status")["erasure_pending"] for process in (child, other)] == [forgotten["pending"]] * 2
        assert other.ask("count", user="me") == 2
        assert reader.rows("SELECT count(*) FROM memories") == [(1,)]
        assert left_in_files(database, canaries) == canaries.words
        child.close()
    assert other.ask("status")["erasure_pending"] == forgotten["pending"], "the file itself tells"
    other.ask("maintain")
    assert other.ask("status")["erasure_pending"] == ""
    _insist_nothing_left(database, canaries, "after maintenance")
    other.close()


def test_statistics_keep_no_words(tmp_path: Path, zygote: Zygote) -> None:
    database = str(tmp_path / "memory.db")
    canaries = Canaries(seed=10)
    child = zygote.serve(database)
    batch = [{"content": canaries.text(), "subject": canaries.word(), "session": canaries.word()} for _ in range(60)]
    child.ask("remember_many", user="me", memories=batch)
    child.ask("maintain")
    with plain(database) as store:
        assert store.rows("SELECT count(*) > 0 FROM sqlite_stat1") == [(1,)], "the planner has statistics"
        assert store.rows("SELECT name FROM sqlite_schema WHERE name = 'sqlite_stat4'") != []
        assert store.rows("SELECT count(*) FROM sqlite_stat4") == [(0,)]
        store.rows("ANALYZE")  # as earlier versions did
        assert store.rows("SELECT count(*) > 0 FROM sqlite_stat4") == [(1,)]
    assert [problem["check"] for problem in child.ask("doctor")] == ["samples_of_keys"]
    assert child.ask("forget", user="me", everything=True)["pending"] == ""
    assert child.ask("doctor") == []
    _insist_nothing_left(database, canaries, "while the store is open")
    child.close()
