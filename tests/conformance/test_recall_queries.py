"""How a query is read and what besides relevance counts, on both stores."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from recollect import InvalidInput, Memory, UserMemory, load_settings
from recollect.model.memories import Space, Vector
from recollect.model.search import Recall
from recollect.ports import Embedder, Role
from recollect.ranking import factors
from tests.dialogue.doubles import Stuck
from tests.fixtures import OpenMemory, SteppingClock
from tests.waiting import until


def texts(found: Recall) -> list[str]:
    return [hit.content for hit in found.hits]


# What is typed


ROOF = (
    "The roof is insulated with wood fibre boards",
    "Fibre for the internet comes to the house, the wood floor stays",
    "The boards of the roof terrace are wood, fibre is in the cement",
)


@pytest.fixture
def roof(me: UserMemory) -> UserMemory:
    me.remember_many(ROOF)
    return me


def test_phrases_must_or_should_be_there_and_words_with_a_minus_must_not(roof: UserMemory) -> None:
    # a quoted phrase must be there
    for query in ('"wood fibre"', 'roof "Wood  FIBRE"', "roof «wood fibre»", "roof „wood fibre“"):
        assert texts(roof.recall(query, only_related=False)) == [ROOF[0]], query
    assert texts(roof.recall('"fibre wood"', only_related=False)) == []
    assert len(roof.recall("wood fibre", only_related=False).hits) == 3

    # in a sentence a phrase is preferred
    found = roof.recall('who said that "wood fibre" is on the house?', only_related=False)
    assert len(found.hits) == 3
    assert found.hits[0].content == ROOF[0]
    assert found.hits[0].parts.factors["phrase"] == factors.PHRASE
    assert all("phrase" not in hit.parts.factors for hit in found.hits[1:])

    # a word with a minus must not be there
    assert texts(roof.recall("wood fibre -internet -terrace", only_related=False)) == [ROOF[0]]
    assert texts(roof.recall('"wood fibre" -boards', only_related=False)) == []
    assert ROOF[1] not in texts(roof.recall("fibre -floors", only_related=False))  # in whatever form
    assert len(roof.recall("wood-fibre", only_related=False).hits) == 3  # a hyphen is no minus


def test_phrases_and_exclusions_hold_for_messages_and_their_neighbours(me: UserMemory) -> None:
    chat = me.conversation("c")
    for text in ("The plumber comes on Friday", "At nine, with the electrician", "Fine, I am at home then"):
        chat.append("user", text)
    assert "At nine, with the electrician" in texts(me.search_context("plumber", only_related=False))
    assert "At nine, with the electrician" not in texts(me.search_context("plumber -electrician", only_related=False))
    assert texts(me.search_context('"plumber comes"', only_related=False)) == ["The plumber comes on Friday"]


# When


EVENTS = {
    "The gate was left open": datetime(2026, 2, 28, 21, 15, tzinfo=UTC),
    "The dog barked at the fox": datetime(2026, 3, 1, 1, 30, tzinfo=UTC),
    "Smoke in the kitchen, a burnt toast": datetime(2026, 2, 28, 18, 40, tzinfo=UTC),
    "Lunch with Petra": datetime(2026, 2, 28, 11, 0, tzinfo=UTC),
    "The post came": datetime(2026, 3, 1, 8, 0, tzinfo=UTC),
}


def test_what_happened_at_a_time_comes_in_order(open_memory: OpenMemory) -> None:
    me = open_memory(timezone="UTC").user("me")
    for text, moment in EVENTS.items():
        me.events.log(text, occurred_at=moment)
    me.remember("The gate is green", type="fact")
    in_order = ["Smoke in the kitchen, a burnt toast", "The gate was left open", "The dog barked at the fox"]
    last_night = "what happened last night?", "что произошло прошлой ночью?", "co se stalo včera v noci?", "last night"
    for query in last_night:
        found = me.recall(query, only_related=False)
        assert texts(found) == in_order, query
        assert (found.answerable, [hit.score for hit in found.hits]) == (1.0, [1.0, 1.0, 1.0]), query
        assert texts(me.recall(query, limit=2, only_related=False)) == in_order[1:], query


def test_the_time_zone_says_when_a_day_begins(open_memory: OpenMemory) -> None:
    late = datetime(2026, 2, 28, 23, 30, tzinfo=UTC)  # in Prague the next day
    for zone, day in (("UTC", "yesterday"), ("Europe/Prague", "today")):
        memory = open_memory(timezone=zone)
        me = memory.user(zone)
        me.events.log("The lamp went out", occurred_at=late)
        assert texts(me.recall(f"what happened {day}?", only_related=False)) == ["The lamp went out"]
        other = "today" if day == "yesterday" else "yesterday"
        assert all(
            "time" not in hit.parts.channels for hit in me.recall(f"what happened {other}?", only_related=False).hits
        )


def test_what_was_said_then_is_given_where_talk_is_asked_for(open_memory: OpenMemory, clock: SteppingClock) -> None:
    me = open_memory(timezone="UTC").user("me")
    me.conversation("c").append("user", "We planted the cherry tree", said_at=datetime(2026, 2, 28, 10, tzinfo=UTC))
    me.conversation("c").append("user", "And today we rest", said_at=datetime(2026, 3, 1, 8, tzinfo=UTC))
    for query in (
        "what did we talk about yesterday?",
        "show me everything from yesterday",
        "was haben wir gestern besprochen?",
    ):
        assert texts(me.search_context(query, only_related=False)) == ["We planted the cherry tree"], query


def test_where_nothing_is_known_to_have_happened_nothing_is_given(open_memory: OpenMemory) -> None:
    me = open_memory(timezone="UTC").user("me")
    me.remember("The gate is green")  # stored today, which is not when it happened
    me.conversation("c").append("user", "We planted the cherry tree", said_at=datetime(2026, 2, 28, 19, tzinfo=UTC))
    for query in ("what happened today?", "co se stalo včera v noci?", "last night", "was ist gestern passiert?"):
        found = me.search_context(query, only_related=False)
        assert (found.hits, found.answerable) == ((), 0.0), query
    me.remember("Anna lost her keys", type="fact", occurred_at=datetime(2026, 2, 28, 20, tzinfo=UTC))
    assert texts(me.search_context("what happened last night?", only_related=False)) == ["Anna lost her keys"]


def test_where_something_else_may_be_asked_for_the_rest_is_searched(open_memory: OpenMemory) -> None:
    me = open_memory(timezone="UTC").user("me")
    me.remember("In 2019 I was in Peru")
    found = me.recall("where was I in 2019?", only_related=False)
    assert texts(found) == ["In 2019 I was in Peru"]
    assert found.hits[0].score < 1.0 or "time" not in found.hits[0].parts.channels


def test_a_month_is_preferred(open_memory: OpenMemory, clock: SteppingClock) -> None:
    clock.moment = datetime(2026, 6, 10, 12, tzinfo=UTC)
    me = open_memory(timezone="UTC").user("me")
    for month in (1, 3, 5):
        moment = datetime(2026, month, 12, tzinfo=UTC)
        me.remember(f"Visit of the dentist, number {month}", type="event", occurred_at=moment)
    for query in ("dentist in March", "dentist im März", "стоматолог dentist в марте", "dentist v březnu"):
        hits = me.recall(query, only_related=False).hits
        assert hits[0].content.endswith("number 3"), query
        march = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
        at_time = factors.time(datetime(2026, 3, 12, tzinfo=UTC), *march)
        assert [hit.parts.factors.get("time") for hit in hits] == [at_time, None, None], query
    plain = open_memory(timezone="UTC", recall__time_words=False).user("me")
    assert all("time" not in hit.parts.factors for hit in plain.recall("dentist in March", only_related=False).hits)


# Who and what


def test_what_the_question_names_comes_first(me: UserMemory) -> None:
    me.facts.set("light.office", "location", "garage")
    me.remember("The light in the office of the neighbours is always on")
    me.facts.set("Jana Nováková", "allergy", "peanuts")
    me.remember("Jana told a story about a woman with an allergy")
    for query, subject in (
        ("where is light.office?", "light.office"),
        ("the office light", "light.office"),
        ("which allergy has Jana?", "Jana Nováková"),
    ):
        best = me.recall(query, only_related=False).hits[0]
        assert best.record.subject == subject, query  # type: ignore[union-attr]
        assert best.parts.factors["subject"] == factors.SUBJECT, query


def test_a_preferred_type_comes_first_among_equals(me: UserMemory) -> None:
    me.remember("Green tea in the morning", type="fact")
    me.remember("Black tea in the morning", type="preference")
    for wanted in ("fact", "preference"):
        found = me.recall("tea in the morning", prefer=wanted, only_related=False)
        assert found.hits[0].type == wanted
        assert [hit.parts.factors.get("type") for hit in found.hits] == [1.2, None]
        assert me.search_context("tea in the morning", prefer=[wanted], only_related=False).hits == found.hits
    with pytest.raises(InvalidInput, match="Unknown memory type 'dream'"):
        me.recall("tea", prefer="dream", only_related=False)  # type: ignore[arg-type]


def test_a_question_that_names_a_person_is_answered_by_that_person(open_memory: OpenMemory) -> None:
    me = open_memory(embedding__provider="none").user("me")
    for name in ("Petr", "Jana"):
        me.conversation(name).append("user", f"I take the {name[0]} train to the office.", speaker=name)
    hits = me.search_context("which train does Jana take to the office", only_related=False).hits
    assert hits[0].record.speaker == "Jana"  # type: ignore[union-attr]
    assert hits[0].parts.factors["speaker"] == factors.SPEAKER


# Saying it once, and saying other things


def test_what_was_said_before_is_folded_but_for_numbers(memory: Memory) -> None:
    # what was said before is folded
    me = memory.user("user 0")
    said = [
        me.conversation(f"c{number}").append("user", text).id
        for number, text in enumerate(
            ("The kitchen tap drips again", "the kitchen tap DRIPS again!", "The kitchen tap drips again")
        )
    ]
    me.conversation("c9").append("user", "The kitchen tap drips again, for 3 days now")
    hits = me.search_context("kitchen tap", only_related=False).hits
    (folded,) = [hit for hit in hits if hit.folded]
    assert {folded.id, *folded.folded} == set(said)
    assert "The kitchen tap drips again, for 3 days now" in [hit.content for hit in hits]

    # numbers are never folded
    me = memory.user("user 1")
    for number in range(3):
        me.conversation("c").append("user", f"The invoice for the heating in the big house is number {number}")
    assert len(me.search_context("invoice heating", only_related=False).hits) == 3


def test_various_hits_say_different_things(open_memory: OpenMemory) -> None:
    me = open_memory(embedding__provider="none").user("me")
    me.remember_many(["Jana likes green tea", "Jana likes cold green tea", "Petr has a cupboard full of black tea"])
    assert ["Jana" in text for text in texts(me.recall("tea", limit=2, only_related=False))] == [True, True]
    assert ["Jana" in text for text in texts(me.recall("tea", limit=2, diverse=True, only_related=False))] == [
        True,
        False,
    ]
    assert ["Jana" in text for text in texts(me.search_context("tea", limit=2, diverse=True, only_related=False))] == [
        True,
        False,
    ]
    relevant = open_memory(embedding__provider="none", recall__diversity=1.0).user("me")
    assert texts(relevant.recall("tea", limit=2, diverse=True, only_related=False)) == texts(
        relevant.recall("tea", limit=2, only_related=False)
    )


# Surroundings


def test_an_answer_is_found_by_its_question(open_memory: OpenMemory) -> None:
    me = open_memory(embedding__provider="none").user("me")
    chat = me.conversation("c")
    for number in range(10):
        chat.append("user", f"Small talk number {number} about the weather.")
    chat.append("assistant", "When does the plumber come to repair the tap?")
    chat.append("user", "On Friday at nine.")
    for number in range(10, 20):
        chat.append("user", f"Small talk number {number} about the weather.")
    hits = me.search_context("plumber tap repair", only_related=False).hits
    (answer,) = [hit for hit in hits if hit.content == "On Friday at nine."]
    assert hits.index(answer) <= 1
    parts = answer.parts.channels
    assert (parts["text"].rank, parts["text"].score) == (None, 0.0)
    assert parts["neighbours"].rank is None
    assert parts["neighbours"].score * parts["neighbours"].weight > 0
    assert len(hits) <= 5  # nothing else speaks for the small talk


# Languages


class Monolingual:
    """An encoder that says it has learned English only."""

    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(self, encoder: Embedder) -> None:
        self._encoder = encoder

    @property
    def space(self) -> Space | None:
        return self._encoder.space

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        return self._encoder.embed(texts, role)

    def close(self) -> None:
        pass


@pytest.fixture
def english(open_memory: OpenMemory, encoder: Embedder) -> UserMemory:
    return open_memory(Monolingual(encoder)).user("me")


def test_where_the_encoder_knows_no_language_words_decide(english: UserMemory) -> None:
    english.remember("The spare key is under the flowerpot")
    (hit,) = english.recall("где запасной ключ от гаража?", only_related=False).hits
    assert list(hit.parts.channels) == ["vector", "letters"], "words find nothing, so an unknown language is tried"
    russian, chinese = "Запасной ключ лежит под горшком", "备用钥匙在花盆下面,请不要告诉别人"
    english.remember_many([russian, chinese])
    for query, expected in (("где лежит запасной ключ?", russian), ("备用钥匙在花盆下面", chinese)):
        hits = english.recall(query, only_related=False).hits
        assert hits[0].content == expected
        assert all(list(hit.parts.channels) == ["text"] for hit in hits), query
    assert list(english.recall("where is the spare key?", only_related=False).hits[0].parts.channels) == [
        "vector",
        "text",
        "letters",
    ]


# Deadlines


class JumpingClock(SteppingClock):
    """A clock by which each look takes longer than a caller waits, once it jumps."""

    jumping = False

    def now(self) -> datetime:
        if self.jumping:
            self.advance(hours=1)
        return super().now()


def test_a_slow_encoder_is_not_waited_for(open_memory: OpenMemory, encoder: Embedder) -> None:
    stuck = Stuck(encoder)
    me = open_memory(stuck, recall__deadline_s=0.05).user("me")
    me.remember("The spare key is under the flowerpot")
    stuck.stick()
    try:
        late = me.recall("spare key", only_related=False)
    finally:
        stuck.free()
    assert (late.degraded, texts(late)) == (("vector",), ["The spare key is under the flowerpot"])
    assert list(late.hits[0].parts.channels) == ["text"]
    until(lambda: me.recall("spare key", only_related=False).degraded == ())  # what was missing is not kept


def test_a_slow_search_by_words_costs_the_vectors(database: str, encoder: Embedder) -> None:
    clock = JumpingClock()
    settings = load_settings(
        os.devnull,
        environ={},
        overrides={"database": database, "embedding.worker": False, "recall.deadline_s": 600},
    )
    with Memory.open(settings=settings, clock=clock, embedder=encoder) as memory:
        me = memory.user("me")
        me.remember("The spare key is under the flowerpot")
        me.conversation("c").append("user", "I put the spare key under the flowerpot myself")
        memory.maintain()
        clock.jumping = True
        for late in (me.recall("spare key", only_related=False), me.search_context("spare key", only_related=False)):
            assert late.degraded == ("vector",)
            assert late.hits
            assert all("vector" not in hit.parts.channels for hit in late.hits)
        clock.jumping = False
        assert me.recall("spare key", only_related=False).degraded == ()


# Fusion


def test_every_way_to_fuse_finds_the_best(open_memory: OpenMemory) -> None:
    key = "The spare key is under the flowerpot"
    open_memory().user("me").remember_many([key, "The key of the song is E minor", "Pasta for dinner on Sunday"])
    for method, expected in (("rrf", {"vector": 0.45, "text": 0.55}), ("fixed", {"vector": 0.7, "text": 0.3})):
        best = (
            open_memory(recall__fusion=method).user("me").recall("where is the spare key?", only_related=False).hits[0]
        )
        channels = best.parts.channels
        assert best.content == key, method
        assert {name: part.weight for name, part in channels.items()} == pytest.approx(expected), method
        assert method == "fixed" or all(part.score == 1.0 for part in channels.values())
    best = (
        open_memory(recall__fusion="weighted").user("me").recall("where is the spare key?", only_related=False).hits[0]
    )
    assert (best.content, set(best.parts.channels)) == (
        key,
        {"vector", "text", "letters"},
    )  # only now letters have a say
