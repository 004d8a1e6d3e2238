"""Looking where the best must be finds what looking everywhere finds, and no more rows are read for a larger user."""

import os
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from recollect import Memory, UserMemory, load_settings
from recollect.storage.base.session import ResultRow, Values
from recollect.storage.sqlite import matching, reader
from recollect.storage.sqlite.matching import UserWords, any_of, ranked_rows
from recollect.storage.sqlite.session import SqliteSession

WORDS = [f"word{number}" for number in range(60)]
ROWS = 6_000


class CountingSession(SqliteSession):
    """Notes which queries are run, and how many numbers of rows they give."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self.queries: list[str] = []
        self.listed = 0

    def rows(self, name: str, values: Values | None = None, **gaps: object) -> list[ResultRow]:
        found = super().rows(name, values, **gaps)  # type: ignore[arg-type]
        self.queries.append(name)
        if name == "newest_matching":
            self.listed += len((found[0][0] or "").split(","))
        return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matching") / "memory.db"


@pytest.fixture(scope="module")
def told(path: Path) -> Iterator[UserMemory]:
    """A user with more rows than are ranked at once; some words are in most rows, some in one of a hundred."""
    overrides = {"database": str(path), "embedding.provider": "none", "recall.cache": 0}
    settings = load_settings(os.devnull, environ={}, overrides=overrides)
    dice = random.Random(11)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    with Memory.open(settings=settings) as memory:
        me = memory.user("me")
        me.remember_many(f"{number} " + " ".join(dice.choices(WORDS, weights, k=8)) for number in range(ROWS))
        memory.user("other").remember_many(f"{number} {WORDS[0]}" for number in range(20))
        yield me


@pytest.fixture
def session(told: UserMemory, path: Path) -> Iterator[CountingSession]:
    assert told.recall(WORDS[0]).hits
    with closing(apsw.Connection(str(path))) as connection:
        yield CountingSession(connection)


@pytest.mark.parametrize("most_listed", [matching.MOST_LISTED, 500])
def test_the_best_are_the_same(told: UserMemory, monkeypatch: pytest.MonkeyPatch, most_listed: int) -> None:
    dice = random.Random(12)
    queries = [" ".join(dice.sample(WORDS, dice.randint(2, 6))) for _ in range(60)]
    monkeypatch.setattr(matching, "MOST_LISTED", most_listed)
    narrow = [[hit.id for hit in told.recall(query, limit=10).hits] for query in queries]
    monkeypatch.setattr(reader, "MANY_ROWS", 10**9)
    everywhere = [[hit.id for hit in told.recall(query, limit=10).hits] for query in queries]
    same = sum(len(set(one) & set(other)) for one, other in zip(narrow, everywhere, strict=True))
    first = sum(one[:1] == other[:1] for one, other in zip(narrow, everywhere, strict=True))
    assert same >= 0.99 * sum(map(len, everywhere))
    assert first >= 0.98 * len(queries)


def test_rows_with_several_common_words_are_found_however_old(
    session: CountingSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "MOST_LISTED", 100)
    words = UserWords(session, "me", "memory")
    terms = WORDS[4:7]
    both = set(words.newest(f"{terms[0]} AND {terms[1]} AND {terms[2]}", ROWS).tolist())
    ranked = ranked_rows(words, terms, ROWS, 400)
    assert len(both) > 10
    assert set(ranked.seqs[: len(both)].tolist()) == both
    assert not ranked.whole


def test_a_question_of_common_words_reads_few_rows(session: CountingSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MOST_LISTED", 100)
    monkeypatch.setattr(matching, "_SAMPLED", 20)
    ranked_rows(UserWords(session, "me", "memory"), [*WORDS[:5], WORDS[50]], ROWS, 40)
    assert "term_frequency" not in session.queries  # which would read every row that holds the term
    assert session.queries.count("newest_matching") <= 6 + 3 + 4
    assert session.listed <= 6 * 100 + 3 * 100 + 4 * 40


def test_samples_tell_about_how_many_rows_hold_a_term(
    session: CountingSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = UserWords(session, "me", "memory")
    exact = [words.frequency(term) for term in WORDS[:8]]
    monkeypatch.setattr(matching, "MOST_LISTED", 100)
    monkeypatch.setattr(matching, "_SAMPLED", 60)
    sampled = [words.frequency(term) for term in WORDS[:8]]
    assert session.queries.count("sampled_frequency") == len(sampled)
    assert sampled == pytest.approx(exact, rel=0.15)


def test_another_users_rows_are_not_listed(session: CountingSession) -> None:
    mine, theirs = (UserWords(session, user, "memory") for user in ("me", "other"))
    assert len(theirs.newest(WORDS[0], ROWS)) == theirs.frequency(WORDS[0]) == 20
    assert set(theirs.newest(WORDS[0], ROWS).tolist()).isdisjoint(mine.newest(WORDS[0], ROWS).tolist())


@pytest.mark.parametrize("many_rows", [matching.MANY_ROWS, 0])
def test_filters_that_leave_little_still_find_it(
    told: UserMemory, monkeypatch: pytest.MonkeyPatch, many_rows: int
) -> None:
    told.remember(f"The only lesson speaks of {WORDS[0]}", type="lesson")
    monkeypatch.setattr(matching, "MOST_LISTED", 500)
    monkeypatch.setattr(reader, "MANY_ROWS", many_rows)
    found = told.recall(f"{WORDS[0]} {WORDS[1]} {WORDS[30]}", type="lesson").hits
    assert [hit.type for hit in found] == ["lesson"]


def test_nothing_in_a_term_is_syntax() -> None:
    assert any_of(['a" OR "b', "NEAR("]) == '"a"" OR ""b" OR "NEAR("'
