"""What `recall` promises, on both stores."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import prod
from typing import Any

import numpy as np
import pytest

from recollect import InvalidInput, Memory, NewMemory, UserMemory
from recollect.model.memories import Vector
from tests.fixtures import OpenMemory, SteppingClock
from tests.rows import every

DIMENSIONS = 384


def around(direction: Vector, amount: int, *, spread: float, seed: int) -> Vector:
    """Give unit vectors scattered about a direction."""
    noise = np.random.default_rng(seed).standard_normal((amount, DIMENSIONS)) * spread / DIMENSIONS**0.5
    scattered = direction + noise
    units: Vector = (scattered / np.linalg.norm(scattered, axis=1, keepdims=True)).astype(np.float32)
    return units


def direction(seed: int) -> Vector:
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS)
    unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


HOUSEHOLD = (
    "The user prefers dark mode in all applications",
    "Anna is allergic to peanuts",
    "The car is serviced every spring by Mr. Dvorak",
    "light.office is the lamp above the desk",
    "Invoices go to anna.novak@example.com",
    "Ticket #1204 is about the broken boiler",
    "Билеты на поезд лежат в синей папке",
    "Heslo k wi-fi je na lednici",
)


@pytest.fixture
def household(me: UserMemory) -> UserMemory:
    me.remember_many(HOUSEHOLD)
    return me


def test_what_is_meant_or_named_is_found(household: UserMemory, subtests: pytest.Subtests) -> None:
    # a paraphrase without a common word
    cases: list[tuple[str, str]] = [
        ("black backgrounds instead of white ones on my screens", HOUSEHOLD[0]),
        ("which food must never be served to her?", HOUSEHOLD[1]),
        ("who repairs our vehicle?", HOUSEHOLD[2]),
        ("путешествие по железной дороге", HOUSEHOLD[6]),
        ("internet password", HOUSEHOLD[7]),
    ]
    for query, expected in cases:
        with subtests.test(query=query):
            answer = household.recall(query, only_related=False)
            assert answer.hits[0].content == expected
            assert answer.degraded == ()

    # an identifier, or another form of a word
    named: list[tuple[str, str]] = [
        ("light.office", HOUSEHOLD[3]),
        ("anna.novak@example.com", HOUSEHOLD[4]),
        ("#1204", HOUSEHOLD[5]),
        ("1204", HOUSEHOLD[5]),
        ("boilers", HOUSEHOLD[5]),
        ("папки", HOUSEHOLD[6]),
        ("LEDNICI", HOUSEHOLD[7]),
    ]
    for query, expected in named:
        with subtests.test(query=query):
            best = household.recall(query, only_related=False).hits[0]
            assert best.content == expected
            assert best.parts.channels["text"].rank == 1

    assert household.recall("peanuts", only_related=False).hits[0].place is None

    # a long query
    longest = ("the peanuts that nobody may bring " * 60)[:2_000]
    assert household.recall(longest, only_related=False).hits[0].content == HOUSEHOLD[1]

    # a hostile query is only text
    other = household.remember("Nothing to see here", subject="decoy")
    for query in HOSTILE:
        answer = household.recall(query, only_related=False)
        assert answer.degraded == (), query
        assert {hit.content for hit in answer.hits} <= {*HOUSEHOLD, "Nothing to see here"}, query
        assert household.get(other.id).content == "Nothing to see here", query
    assert household.count() == len(HOUSEHOLD) + 1


def test_words_are_found_without_an_embedder(open_memory: OpenMemory) -> None:
    memory = open_memory(embedding__provider="none")
    me = memory.user("me")
    assert (me.recall("anything", only_related=False).hits, me.recall("anything", only_related=False).degraded) == (
        (),
        (),
    )
    me.remember_many(HOUSEHOLD)
    answer = me.recall("who is allergic?", only_related=False)
    assert [hit.content for hit in answer.hits] == [HOUSEHOLD[1]]
    assert answer.degraded == ()
    assert answer.hits[0].similarity is None
    assert answer.hits[0].parts.channels.keys() == {"text"}
    assert (me.stats().with_vector, me.stats().pending_jobs) == (0, 0)
    assert memory.doctor() == ()


def test_a_hit_tells_all_about_itself(me: UserMemory, clock: SteppingClock) -> None:
    moment = datetime(2026, 2, 1, 12, tzinfo=UTC)
    kept = me.remember(
        "Met Petra in the café by the river",
        type="experience",
        occurred_at=moment,
        lat=50.08,
        lng=14.42,
        address="Nábřeží 1",
        place_label="café",
        trust=2,
        metadata={"with": "Petra"},
    )
    (hit,) = me.recall("Petra", only_related=False).hits
    record = me.get(kept.id)
    assert hit.record == record
    assert (hit.id, hit.source, hit.type, hit.content) == (kept.id, "memory", "experience", record.content)
    assert (hit.created_at, hit.occurred_at) == (record.created_at, moment)
    assert (hit.trust, hit.metadata) == (2, {"with": "Petra"})
    assert hit.place is not None
    assert (hit.place.lat, hit.place.lng, hit.place.address, hit.place.label) == (50.08, 14.42, "Nábřeží 1", "café")


def test_the_parts_add_up_to_the_score_and_order_the_hits(household: UserMemory, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["Anna", "peanuts and dark cars", "light.office", "nothing of the kind", "поезд"]
    for query in cases:
        with subtests.test(query=query):
            hits = household.recall(query, limit=50, only_related=False).hits
            for hit in hits:
                channels = hit.parts.channels.values()
                assert hit.parts.relevance == pytest.approx(
                    sum(part.weight * part.score for part in channels), abs=1e-9
                )
                assert hit.score == pytest.approx(
                    min(1.0, hit.parts.relevance * prod(hit.parts.factors.values())), abs=1e-9
                )
                assert 0.0 <= hit.parts.relevance <= 1.0 + 1e-9
                assert 0.0 <= hit.score <= 1.0
                assert hit.similarity is None or 0.0 <= hit.similarity <= 1.0
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
            assert len({hit.id for hit in hits}) == len(hits)

    # a minimum score leaves out what is below it
    everything = household.recall("dark mode", limit=50, only_related=False).hits
    bar = everything[1].score
    assert household.recall("dark mode", limit=50, min_score=bar).hits == everything[:2]
    assert household.recall("dark mode", limit=50, min_score=1.0).hits == ()

    # a limit bounds the answer
    assert len(household.recall("Anna", only_related=False).hits) == 5
    assert len(household.recall("Anna", limit=1, only_related=False).hits) == 1
    assert len(household.recall("Anna", limit=1_000, only_related=False).hits) == len(HOUSEHOLD)
    assert (
        household.recall("Anna", limit=3, only_related=False).hits
        == household.recall("Anna", limit=1_000, only_related=False).hits[:3]
    )


def test_the_minimum_score_of_the_settings_is_the_default(open_memory: OpenMemory) -> None:
    me = open_memory(recall__min_score=0.999, recall__limit=2).user("me")
    me.remember_many(HOUSEHOLD)
    assert me.recall("dark mode", only_related=False).hits == ()
    assert len(me.recall("dark mode", min_score=0.0).hits) == 2


def test_what_cannot_be_asked_is_refused(me: UserMemory, subtests: pytest.Subtests) -> None:
    refused: list[tuple[dict[str, Any], str | None]] = [
        *(({"query": "x", "limit": limit}, f"limit is {limit}; it must be from 1 to 1000") for limit in (0, -1, 1_001)),
        *(({"query": query}, "query is empty") for query in ("", "  \n\t ", "\0", "\x07\x1b")),
        *(({"query": query}, None) for query in (None, 17, b"bytes", "half \ud83d")),
        ({"query": "x" * 2_001}, "2001 characters"),
    ]
    for asked, why in refused:
        with subtests.test(asked=asked), pytest.raises(InvalidInput, match=why):
            me.recall(**asked, only_related=False)


HOSTILE = (
    '"',
    "'",
    "''; DROP TABLE memories; --",
    '" OR 1=1 --',
    "' OR user_id <> '",
    "NEAR(a b, 5)",
    "a AND",
    "AND OR NOT",
    "-a +b ^c",
    "terms:anna",
    'user_token:"616E6E" OR "b"',
    "memory_terms MATCH *",
    "a*",
    "{a b}:c",
    "(((((",
    ")",
    "a & b | !c <-> d",
    "a:*B",
    "\\",
    "\\' \\\" \\x",
    "%s %(user_id)s %%",
    ":user_id ?1 @x $1 $$",
    "{filters} {record} {space}",
    "NULL",
    "\N{RIGHT-TO-LEFT OVERRIDE}gnirts",
    "שלום עולם",
    "مرحبا بالعالم",
    "🦊🦊🦊",
    "👩\u200d👩\u200d👧",
    "e\u0301" * 50,
    "a" + "\u0301" * 1_000,
    "ﷺ" * 400,
    "漢字かな交じり文" * 200,
    "x" * 2_000,
    "a " * 1_000,
    "ab." * 600,
    '"' * 2_000,
    "1e999",
    "\ufeff\u2028\u2029\u00a0x",
    "a\0b",
)


def test_a_hostile_query_is_found_as_the_text_it_is(memory: Memory) -> None:
    me = memory.user("o'brien; DROP TABLE users --")
    for text in HOSTILE:
        me.remember(text, type="fact")
    assert me.recall("DROP TABLE memories", only_related=False).hits[0].content == "''; DROP TABLE memories; --"
    assert me.recall("NEAR(a b, 5)", only_related=False).hits[0].content == "NEAR(a b, 5)"
    assert me.recall("漢字", only_related=False).hits[0].content == "漢字かな交じり文" * 200
    assert memory.doctor() == ()


def test_a_given_vector_is_searched_instead_of_the_querys_own(me: UserMemory) -> None:
    one, other = direction(1), direction(2)
    me.remember("alpha", vector=one)
    me.remember("beta", vector=other)
    assert [hit.content for hit in me.recall("zzz", vector=one, limit=1, only_related=False).hits] == ["alpha"]
    assert [hit.content for hit in me.recall("zzz", vector=other, limit=1, only_related=False).hits] == ["beta"]
    (best,) = me.recall("zzz", vector=(other * 7).tolist(), limit=1, only_related=False).hits
    assert best.similarity == pytest.approx(1.0, abs=1e-6)


def test_a_filter_that_leaves_only_far_rows_still_returns_them(me: UserMemory, clock: SteppingClock) -> None:
    near = direction(3)
    born = clock.moment
    crowd = around(near, 1_500, spread=0.4, seed=4)
    me.remember_many([NewMemory(f"near {n}", type="other", vector=vector) for n, vector in enumerate(crowd)])
    clock.advance(days=3)
    far = around(-near, 3, spread=0.4, seed=5)
    fields: Any = {"subject": "door", "key": "state", "context": "night", "session": "s-1", "importance": 0.9}
    happened = born - timedelta(days=30)
    wanted = {
        me.remember(f"far {n}", type="event", occurred_at=happened, vector=vector, **fields).id
        for n, vector in enumerate(far)
    }
    filters: list[dict[str, Any]] = [
        {"type": "event"},
        {"type": ("event", "lesson")},
        {"subject": "door"},
        {"key": "state"},
        {"context": "night"},
        {"session": "s-1"},
        {"until": born},
        {"since": happened, "until": happened + timedelta(days=1)},
        {"min_importance": 0.8},
        {"type": "event", "subject": "door", "key": "state", "context": "night", "min_importance": 0.9},
    ]
    for chosen in filters:
        hits = me.recall("zzz", vector=near, limit=10, **chosen, only_related=False).hits
        assert {hit.id for hit in hits} == wanted, chosen
        assert all(hit.similarity == 0.0 for hit in hits)
    assert all(hit.type == "other" for hit in me.recall("zzz", vector=near, limit=100, only_related=False).hits)


def test_each_filter_keeps_what_it_names(me: UserMemory, clock: SteppingClock) -> None:
    start = clock.moment
    plan: list[dict[str, Any]] = [
        {"type": "fact", "subject": "garage", "key": "door", "importance": 0.2},
        {"type": "preference", "subject": "garage", "key": "light", "context": "night", "importance": 0.5},
        {"type": "event", "subject": "cellar", "session": "s-2", "occurred_at": start - timedelta(days=10)},
        {"type": "lesson", "context": "night", "session": "s-2", "importance": 1.0},
    ]
    names = ("zero", "one", "two", "three")
    for name, fields in zip(names, plan, strict=True):
        me.remember(f"tower {name}", vector=direction(len(name)), **fields)
        clock.advance(days=1)

    def asked(**filters: Any) -> set[str]:
        hits = me.recall("tower", limit=10, **filters, only_related=False).hits
        listed = me.list(**filters).items
        found = {hit.content.removeprefix("tower ") for hit in hits}
        assert found == {record.content.removeprefix("tower ") for record in listed}
        assert me.count(**filters) == len(found)
        return found

    assert asked() == set(names)
    assert asked(type="fact") == {"zero"}
    assert asked(type=["fact", "lesson"]) == {"zero", "three"}
    assert asked(type=[]) == set(names)
    assert asked(type=None, subject=None, since=None) == set(names)
    assert asked(subject="garage") == {"zero", "one"}
    assert asked(subject="garage", key="light") == {"one"}
    assert asked(subject="Garage") == set()
    assert asked(context="night") == {"one", "three"}
    assert asked(session="s-2") == {"two", "three"}
    assert asked(min_importance=0.5) == {"one", "two", "three"}
    assert asked(min_importance=0.0) == set(names)
    assert asked(since=start) == {"zero", "one", "three"}
    assert asked(until=start) == {"two"}
    assert asked(since=start - timedelta(days=10), until=start - timedelta(days=9)) == {"two"}
    assert asked(since=start - timedelta(days=10, microseconds=-1), until=start) == set()
    assert asked(until=start - timedelta(days=10)) == set()


def test_a_text_filter_is_cleaned_like_the_field_it_is_compared_with(me: UserMemory) -> None:
    me.remember("The espresso is too bitter", subject=" cafe\u0301 ", context="mor\0ning", session="s\u00e9ance")
    assert me.count(subject="caf\u00e9") == 1
    assert me.count(subject=" cafe\u0301 ") == 1
    assert me.count(context="mor\0ning") == 1
    assert len(me.recall("espresso", session="se\u0301ance", only_related=False).hits) == 1
    assert len(me.list(subject="caf\u00e9\n").items) == 1


@every(
    "filters",
    [
        {"type": "opinion"},
        {"type": ["fact", "opinion"]},
        {"type": 3},
        {"since": "soon"},
        {"until": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"as_of": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"colour": "blue"},
        {"now": datetime(2026, 1, 1, tzinfo=UTC)},
        {"subject": 7},
        {"key": "half \ud83d"},
        {"session": b"s"},
        {"min_importance": "high"},
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(me: UserMemory, filters: dict[str, Any]) -> None:
    verbs: list[Callable[..., object]] = [
        me.list,
        me.count,
        lambda **given: me.recall("x", **given, only_related=False),
    ]
    for verb in verbs:
        with pytest.raises(InvalidInput):
            verb(**filters)


def test_as_of_sees_what_was_held_true_then(me: UserMemory, clock: SteppingClock) -> None:
    slot: Any = {"type": "fact", "subject": "me", "key": "city"}
    before = clock.now()
    moments = []
    for city in ("Prague", "Brno", "Ostrava"):
        me.remember(f"Lives in {city}", **slot)
        clock.advance(days=30)
        moments.append(clock.now())
        clock.advance(days=30)
    for city, moment in zip(("Prague", "Brno", "Ostrava"), moments, strict=True):
        assert [hit.content for hit in me.recall("lives where?", as_of=moment, only_related=False).hits] == [
            f"Lives in {city}"
        ]
        assert [record.content for record in me.list(as_of=moment).items] == [f"Lives in {city}"]
        assert me.count(as_of=moment) == 1
    assert me.recall("lives where?", as_of=before, only_related=False).hits == ()
    assert [hit.content for hit in me.recall("lives where?", only_related=False).hits] == ["Lives in Ostrava"]


def test_what_has_ended_or_was_superseded_is_not_recalled(memory: Memory, clock: SteppingClock) -> None:
    # expired
    me = memory.user("user 0")
    me.remember("The parcel waits in box 9", expires_at=clock.moment + timedelta(days=1))
    me.remember("The parcel shop closes at six")
    assert len(me.recall("parcel", only_related=False).hits) == 2
    clock.advance(days=2)
    assert [hit.content for hit in me.recall("parcel", only_related=False).hits] == ["The parcel shop closes at six"]

    # no longer valid
    me = memory.user("user 1")
    me.remember("The lift is out of order", valid_until=clock.moment + timedelta(days=1))
    during = clock.now()
    clock.advance(days=2)
    assert me.recall("lift", only_related=False).hits == ()
    assert me.count() == 0
    assert len(me.recall("lift", as_of=during, only_related=False).hits) == 1

    # superseded
    me = memory.user("user 2")
    slot: Any = {"subject": "boiler", "key": "pressure"}
    me.remember("The boiler is at 1.2 bar", **slot)
    me.remember("The boiler is at 1.8 bar", **slot)
    assert [hit.content for hit in me.recall("boiler", limit=100, only_related=False).hits] == [
        "The boiler is at 1.8 bar"
    ]


def test_the_nearest_of_many_rows_are_ranked_by_their_cosines(me: UserMemory) -> None:
    query = direction(6)
    crowd = np.random.default_rng(7).standard_normal((1_500, DIMENSIONS)).astype(np.float32)
    crowd[::150] = np.concatenate([around(query, 1, spread=0.2 * n, seed=100 + n) for n in range(1, 11)])
    me.remember_many([NewMemory(f"row {n}", vector=vector) for n, vector in enumerate(crowd)])
    hits = me.recall("zzz", vector=query, limit=10, only_related=False).hits
    assert [hit.content for hit in hits] == [f"row {n}" for n in range(0, 1_500, 150)]
    cosines = [float(vector @ query) for vector in crowd[::150]]
    assert [hit.similarity for hit in hits] == pytest.approx(cosines, abs=1e-5)


def test_more_rows_than_candidates_share_a_word(open_memory: OpenMemory) -> None:
    me = open_memory(recall__candidates=50, embedding__provider="none").user("me")
    me.remember_many([f"An ordinary day, number {n}" for n in range(300)])
    me.remember("An ordinary day with a platypus")
    assert (
        me.recall("ordinary day with a platypus", limit=1, only_related=False).hits[0].content
        == "An ordinary day with a platypus"
    )
    assert len(me.recall("ordinary day", limit=1_000, only_related=False).hits) == 301  # looked for ever deeper
