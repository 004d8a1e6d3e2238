# ruff: noqa: RUF001  # marks of other scripts are the point here
"""How a score came about, in numbers that were worked out by hand, on both stores."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from math import log, prod
from statistics import mean
from typing import Any

import numpy as np
import pytest

from recollect import Hit, Memory, Message, UserMemory
from recollect.model.memories import Space, Vector
from recollect.model.search import ChannelPart
from recollect.ports import Embedder, Role
from recollect.ranking import additions, bm25, factors
from recollect.ranking.additions import needs_context
from tests.congruence.twins import WordSum
from tests.fixtures import OpenMemory, SteppingClock
from tests.sizes import sized

DIMENSIONS = 64
EXACT = 1e-9
CLOSE = 1e-5  # the two databases round the sums of a cosine differently

# So that no figure below depends on a default.
PLAIN: Mapping[str, object] = {
    "timezone": "UTC",
    "embedding.worker": False,
    "recall.vector_weight": 0.4,
    "recall.text_weight": 0.6,
    "recall.half_life_days": [],
    "recall.importance_weight": 0.1,
    "recall.confidence_weight": 0.2,
}
IMPORTANCE = {"importance": 0.97}  # 1 - 0.1 x (1 - 0.7), the importance of what says nothing about it


class Told:
    """An embedder that was told how near each text is to any query; what it was not told of is at right angles."""

    space = Space("test", "told", "1", "none", DIMENSIONS, normalised=True)
    languages: frozenset[str] | None = None

    def __init__(self, cosines: Mapping[str, float]) -> None:
        self._cosines = cosines
        self._axes = {text: number for number, text in enumerate(cosines, 1)}

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        return np.stack([self._query() if role == "query" else self._passage(text) for text in texts])

    def _query(self) -> Vector:
        vector = np.zeros(DIMENSIONS, np.float32)
        vector[0] = 1.0
        return vector

    def _passage(self, text: str) -> Vector:
        vector, cosine = np.zeros(DIMENSIONS, np.float32), self._cosines.get(text, 0.0)
        vector[0], vector[self._axes.get(text, DIMENSIONS - 1)] = cosine, (1 - cosine**2) ** 0.5
        return vector

    def close(self) -> None:
        pass


OpenUser = Callable[..., UserMemory]


@pytest.fixture
def opened(open_memory: OpenMemory) -> OpenUser:
    """Open the store for one user, with an embedder or with words only."""

    def opener(embedder: Embedder | None = None, **more: object) -> UserMemory:
        provider = {} if embedder else {"embedding.provider": "none"}
        return open_memory(embedder, **{**PLAIN, **provider, **more}).user("me")

    return opener


def parts(hit: Hit) -> dict[str, tuple[float, float, float]]:
    """Give the raw figure, the score and the weight of each channel."""
    return {name: (part.raw, part.score, part.weight) for name, part in hit.parts.channels.items()}


def explains(hit: Hit, channels: Mapping[str, tuple[float, float, float]], merits: Mapping[str, float]) -> None:
    """Check an explanation, and that it leads to the score."""
    found = parts(hit)
    assert found.keys() == channels.keys()
    for name, expected in channels.items():
        assert found[name] == pytest.approx(expected, abs=CLOSE), name
    assert hit.parts.factors == pytest.approx(merits, abs=CLOSE)
    relevance = sum(score * weight for _, score, weight in channels.values())
    assert hit.parts.relevance == pytest.approx(relevance, abs=CLOSE)
    assert hit.score == pytest.approx(min(1.0, relevance * prod(merits.values())), abs=CLOSE)
    adds_up(hit)


def adds_up(hit: Hit) -> None:
    def share(part: ChannelPart) -> float:
        return part.weight * part.score

    assert hit.parts.relevance == pytest.approx(sum(map(share, hit.parts.channels.values())), abs=EXACT)
    assert hit.score == pytest.approx(min(1.0, hit.parts.relevance * prod(hit.parts.factors.values())), abs=EXACT)
    assert 0.0 <= hit.parts.relevance <= 1.0 + EXACT
    assert 0.0 <= hit.score <= 1.0
    assert all(factor > 0.0 and factor != 1.0 for factor in hit.parts.factors.values())


def test_a_memory_by_words_alone(opened: OpenUser) -> None:
    me = opened()
    me.remember_many(["green tea", "black coffee"])
    (hit,) = me.recall("tea", only_related=False).hits
    # One of two rows holds the word: its rarity is ln(1 + (2 - 1 + 0.5) / (1 + 0.5)) = ln 2 = 0.6931. The row is as
    # long as the average, so BM25 makes 1 of the count; the word counts once more for standing next to itself.
    # It is all of the question: 1 of 1. Alone, the text has all the weight. 1 x 0.97 = 0.97.
    explains(hit, {"text": (2 * log(2), 1.0, 1.0)}, IMPORTANCE)
    assert hit.score == pytest.approx(0.97)
    assert (hit.similarity, hit.parts.channels["text"].rank) == (None, 1)


def test_a_memory_by_meaning_alone(opened: OpenUser) -> None:
    me = opened(Told({"a warm drink": 0.8, "the lamp": -0.5}))
    me.remember_many(["a warm drink", "the lamp"])
    best, other = me.recall("tea", only_related=False).hits
    # No row holds the word, so meaning has all the weight: 0.8 x 0.97 = 0.776. What is turned away counts as nothing.
    # No row holds letters of it either; they would weigh 0.7 of the nearest.
    letters = (0.0, 0.0, 0.7 * 0.8)
    explains(best, {"vector": (0.8, 0.8, 1.0), "letters": letters}, IMPORTANCE)
    explains(other, {"vector": (-0.5, 0.0, 1.0), "letters": letters}, IMPORTANCE)
    assert best.score == pytest.approx(0.776, abs=CLOSE)
    assert best.similarity == pytest.approx(0.8, abs=CLOSE)
    assert (other.similarity, other.score) == (0.0, 0.0)


def test_a_memory_by_both(opened: OpenUser) -> None:
    me = opened(Told({"green tea": 0.5, "green lamp": 0.3, "warm drink": 0.8}))
    me.remember_many(["green tea", "green lamp", "warm drink"])
    tea, drink, lamp = me.recall("green tea", only_related=False).hits
    # Two of three rows hold "green": ln(1 + 1.5 / 2.5) = 0.4700. One holds "tea": ln(1 + 2.5 / 1.5) = 0.9808.
    green, all_of_it = log(1.6), log(1.6) + log(8 / 3)
    best = 2 * all_of_it  # 2.9017: the words, and once more for standing together
    # The first row holds all of the question: words are believed 2.9017 / (2.9017 + 0.7 x ln 4) = 0.7494 of their 0.6.
    # As keywords: in a sentence it would be 0.36 of that, beside letters.
    words = 0.6 * best / (best + 0.7 * log(4))
    # The lamp holds 0.4700 / 1.4508 = 0.3240 of the question: 2 x 0.4700 x 0.3240 ** 0.5 = 0.5350.
    poor = 2 * green * (green / all_of_it) ** bm25._COVERAGE_OF_SHORT
    # A cosine scores its square by the highest: 0.5 ** 2 / 0.8 = 0.3125, 0.3 ** 2 / 0.8 = 0.1125.
    # Two rows hold the letters of "green", one those of "tea"; they are as rare as the words.
    groups = {"green": (" gr", "ree", "en "), "tea": (" te", "ea ")}
    lamp_share = len(groups["green"]) * green / (len(groups["green"]) * green + len(groups["tea"]) * log(8 / 3))
    weight = 0.7 * 0.8  # of the nearest
    believed = (1 - words) * 0.3125 + words
    scale = believed / (believed + weight)  # brings the best back to where it was: 0.5214

    def scaled(vector: tuple[float, float], text: tuple[float, float], share: float) -> dict[str, Any]:
        channels = {"vector": (*vector, 1 - words), "text": (*text, words), "letters": (share, share, weight)}
        return {name: (raw, score, part * scale) for name, (raw, score, part) in channels.items()}

    explains(tea, scaled((0.5, 0.3125), (best, 1.0), 1.0), IMPORTANCE)
    explains(drink, scaled((0.8, 0.8), (0.0, 0.0), 0.0), IMPORTANCE)
    explains(lamp, scaled((0.3, 0.1125), (poor, poor / best), lamp_share), IMPORTANCE)
    assert tea.score == pytest.approx(believed * 0.97, abs=CLOSE)
    assert drink.score == pytest.approx((1 - words) * 0.8 * scale * 0.97, abs=CLOSE)
    assert [hit.parts.channels["vector"].rank for hit in (tea, drink, lamp)] == [2, 1, 3]
    assert [hit.parts.channels["text"].rank for hit in (tea, drink, lamp)] == [1, None, 2]


@pytest.mark.parametrize(
    ("fusion", "vector", "text"),
    [
        ("fixed", (0.5, 0.5, 0.7), (1.0, 0.3)),  # 0.7 x 0.5 + 0.3 x 1
        ("rrf", (0.5, 11 / 12, 0.4), (1.0, 0.6)),  # the second of its channel is worth (10 + 1) / (10 + 2)
    ],
)
def test_other_ways_to_fuse(
    opened: OpenUser, fusion: str, vector: tuple[float, float, float], text: tuple[float, float]
) -> None:
    more = {"recall.fusion": fusion, "recall.rrf_k": 10}
    me = opened(Told({"green tea": 0.5, "warm drink": 0.8}), **more)
    me.remember_many(["green tea", "warm drink"])
    tea = next(hit for hit in me.recall("tea", only_related=False).hits if hit.content == "green tea")
    explains(tea, {"vector": vector, "text": (2 * log(2), *text)}, IMPORTANCE)


def test_everything_that_speaks_for_a_memory_or_against_it(opened: OpenUser, clock: SteppingClock) -> None:
    me = opened(**{"recall.half_life_days": ["event: 30"], "recall.recency_weight": 0.1})
    me.remember(
        "green tea",
        type="event",
        subject="Anna",
        importance=0.5,
        confidence=0.5,
        trust=0,
        occurred_at=clock.moment - timedelta(days=30),
    )
    (hit,) = me.recall("green tea Anna January 2026", prefer="event", only_related=False).hits
    merits = {
        "recency": 0.95,  # one half-life: half of the 0.1 that may fade
        "importance": 0.95,  # 1 - 0.1 x 0.5
        "confidence": 0.9,  # 1 - 0.2 x 0.5
        "trust": factors.trust(0),
        "type": factors.PREFERRED,
        "subject": factors.SUBJECT,
        "time": 1.6 + 0.4 * 0.5 ** (31 / 5),  # the 30th of January, a month of 31 days
    }
    text = hit.parts.channels["text"]
    explains(hit, {"text": (text.raw, text.score, 1.0)}, merits)
    assert me.recall("green tea", only_related=False).hits[0].parts.factors.keys() == {
        "recency",
        "importance",
        "confidence",
        "trust",
    }


def chatted(me: UserMemory, *texts: str, **fields: Any) -> tuple[Message, ...]:
    chat = me.conversation("c")
    for text in texts:
        chat.append("user", text, **fields)
    return chat.messages()


def test_a_message_with_its_neighbours_and_its_conversation(opened: OpenUser) -> None:
    me = opened()
    said = chatted(me, "green tea", "yes please, with a slice of lemon", "black coffee, but without any milk")
    hits = {hit.content: hit for hit in me.search_context("tea", only_related=False).hits}
    weight = needs_context(mean(message.tokens for message in said))  # nearly 1: short turns need their surroundings
    beside, behind = additions._NEXT, additions._NEXT_BUT_ONE
    # The first is all that text found: 1. The next stands beside it, the last behind that.
    # The best three turns of the conversation are 1, 0 and 0: a third on average.
    talk = 1 / additions._BEST_TURNS
    shared = weight * additions._CONVERSATION * talk
    scale = 1 / (1 + shared)  # brings the best, which has no neighbour that was found, back to 1: about 1 / 1.1
    for message, own, near in zip(said, (1.0, 0.0, 0.0), (0.0, beside, behind), strict=True):
        reply = additions._leans_back(message.tokens, answers=False)  # a terse one leans on the turn before it
        around = additions._ALL_NEIGHBOURS + additions._REPLY * reply
        neighbours = (near + additions._REPLY * reply * (message is said[1])) / around
        channels = {
            "text": (hits["green tea"].parts.channels["text"].raw if own else 0.0, own, scale),
            "neighbours": (neighbours, neighbours, weight * scale * around),
            "conversation": (talk, talk, weight * scale * additions._CONVERSATION),
        }
        explains(hits[message.content], channels, {})
        assert hits[message.content].score == pytest.approx((own + weight * neighbours * around + shared) * scale)


def test_a_message_by_both_channels_and_its_conversation(opened: OpenUser) -> None:
    me = opened(Told({"I: green tea": 0.5}))
    (message,) = chatted(me, "green tea")
    Memory(me._engine).maintain()
    (hit,) = me.search_context("tea", only_related=False).hits
    # One row of one holds all of the question: ln(1 + 0.5 / 1.5), and beside itself. Words are believed
    # 0.5754 / (0.5754 + 0.7 x ln 2) = 0.5425 of their 0.6: 0.3255.
    held = 2 * log(4 / 3)
    words = 0.6 * held / (held + 0.7 * log(2))
    # Alone in its conversation, so its smoothed relevance is that of the channels.
    relevance = (1 - words) * 0.5 + words
    weight = needs_context(message.tokens)
    talk = relevance / additions._BEST_TURNS
    scale = 1 / (1 + weight * additions._CONVERSATION / additions._BEST_TURNS)
    around = additions._ALL_NEIGHBOURS + additions._REPLY * additions._leans_back(message.tokens, answers=False)
    channels = {
        "vector": (0.5, 0.5, (1 - words) * scale),
        "text": (held, 1.0, words * scale),
        "neighbours": (0.0, 0.0, weight * scale * around),
        "conversation": (talk, talk, weight * scale * additions._CONVERSATION),
    }
    explains(hit, channels, {})
    assert hit.score == pytest.approx(relevance, abs=CLOSE)


def merits_of(me: UserMemory, query: str) -> Mapping[str, float]:
    (hit,) = me.search_context(query, only_related=False).hits
    adds_up(hit)
    return hit.parts.factors


def test_the_speaker_who_is_named(opened: OpenUser) -> None:
    me = opened()
    chatted(me, "green tea for me", speaker="Anna Nováková")
    assert merits_of(me, "what tea does Anna drink") == {"speaker": factors.SPEAKER}
    assert merits_of(me, "tea of Novakova") == {"speaker": factors.SPEAKER}
    assert merits_of(me, "tea") == {}
    assert merits_of(me, "what tea does Ana drink") == {"near name": factors.SPEAKER}
    assert merits_of(me, "какой tea любит Анна") == {"near name": factors.SPEAKER}


def test_what_is_of_the_kind_that_is_asked_for(opened: OpenUser) -> None:
    me = opened()
    dog = me.facts.set("Tom", "pet", "Rex", content="Rex is a beagle")
    me.remember("Tom has many posters of animals")
    hits = {hit.id: hit.parts.factors for hit in me.recall("which animals does Tom have?", only_related=False).hits}
    assert hits[dog.id]["kind"] == factors.KIND
    assert [merits.get("kind") for row, merits in hits.items() if row != dog.id] == [None]
    assert all(
        "kind" not in hit.parts.factors for hit in me.recall("what is Tom's dog called?", only_related=False).hits
    )


def test_a_turn_that_asks(opened: OpenUser) -> None:
    me = opened()
    for number, mark in enumerate(("?", "？", "؟", "?  ")):
        me.conversation(f"c{number}").append("user", f"do we have tea {'x' * (number + 3)}{mark}")
        (hit,) = me.search_context("x" * (number + 3), sources=("request",)).hits
        adds_up(hit)
        assert hit.parts.factors == {"question": factors.question(asks=True)}, mark


def test_the_role(opened: OpenUser) -> None:
    me = opened()
    message = me.conversation("c").append("assistant", "green tea is healthy").message
    assert message is not None
    inferred = {"trust": factors.trust(message.trust)}
    role = factors.role("assistant", message.tokens, asked_of_assistant=False)
    assert merits_of(me, "tea") == {"role": role, **inferred}
    assert merits_of(me, "which tea did you recommend") == inferred
    assert merits_of(me, "Plan a party with tea for ten people.")["role"] < role


def test_the_time_that_is_named(opened: OpenUser, clock: SteppingClock) -> None:
    me = opened(**{"recall.half_life_days": ["message: 1"], "recall.recency_weight": 0.2})
    chatted(me, "green tea", said_at=clock.moment - timedelta(days=1))
    faded = {"recency": 0.9}  # one half-life: half of 0.2
    a_day = 0.6 + 0.4 * 0.5 ** (1 / 5)
    assert merits_of(me, "tea yesterday") == pytest.approx({**faded, "time": 1 + a_day})
    before = 0.5 ** (15 / 24 / 1.1)  # 15 hours before today, of which counts half what is 1.1 days away
    assert merits_of(me, "tea today") == pytest.approx({**faded, "time": 1 + a_day * before})
    assert merits_of(me, "tea in March 2025") == pytest.approx(faded)
    assert merits_of(me, "tea") == pytest.approx(faded)


def test_a_preferred_phrase_lifts_what_holds_it(opened: OpenUser) -> None:
    me = opened()
    me.remember_many(["green tea", "hot tea that is green"])
    first, second = me.recall('do we have "green tea"?', only_related=False).hits
    assert (first.content, first.parts.factors) == ("green tea", {**IMPORTANCE, "phrase": factors.PHRASE})
    assert second.parts.factors == IMPORTANCE
    assert first.score == 1.0  # 1 x 0.97 x 2, cut
    adds_up(first)

    # of two with the phrase the more relevant comes first
    me.forget(everything=True)
    me.remember_many(["green tea in the blue kitchen cupboard", "green tea"])
    first, second = me.recall('do we have "green tea"?', only_related=False).hits
    assert first.parts.factors == second.parts.factors
    assert (first.content, first.score, second.score) == ("green tea", 1.0, 1.0)
    assert first.parts.relevance > second.parts.relevance

    # a preferred phrase lifts a row that others would crowd out
    me.forget(everything=True)
    long = "made a lot of good green tea, then bread, butter, soup and salad"
    me.remember_many([*(f"tea green {number}" for number in range(30)), long])
    best = me.recall('do we have "green tea"?', limit=3, min_score=0.5).hits[0]
    assert best.content == long
    assert best.parts.factors == {**IMPORTANCE, "phrase": factors.PHRASE}
    adds_up(best)


AMOUNT = sized(21, 40)
QUERIES = (
    "tea",
    "green tea in the office",
    '"green tea"',
    'what about "green tea"?',
    "tea -office",
    'tea -"green tea"',
    "lamp -light.office",
    "what tea did Anna drink yesterday?",
    "what happened yesterday?",
    "which tea did you recommend last week?",
    "lamp",
    "light.office",
    "coffee coffee tea Anna lamp office friday green",
    "nothing of the kind",
    "Кто пьёт чай?",
)


def filled(me: UserMemory, clock: SteppingClock) -> None:
    """Store and say much, of various kinds."""
    words = ("green tea", "black coffee", "the lamp in the office", "light.office", "Anna", "friday", "чай")
    for number in range(AMOUNT):
        text = f"{words[number % 7]} and {words[number * 3 % 5]} {number}"
        me.remember(
            text,
            type=("fact", "event", "preference")[number % 3],
            importance=number / AMOUNT,
            confidence=1 - number / AMOUNT / 2,
            trust=number % 4,
            subject="Anna" if number % 5 == 0 else "",
            occurred_at=clock.moment - timedelta(days=number),
        )
        me.conversation(f"c{number % 3}").append(
            ("user", "assistant", "user", "reasoning")[number % 4],
            f"{text}{' again' * (number % 6) * 20}{'?' if number % 4 == 0 else ''}",
            speaker="Anna" if number % 2 else "Petr",
            said_at=clock.moment - timedelta(hours=number * 7),
        )


def test_every_explanation_adds_up(opened: OpenUser, clock: SteppingClock) -> None:
    fading = {"recall.half_life_days": ["message: 30", "event: 30"]}
    me = opened(WordSum(), **fading)
    filled(me, clock)
    Memory(me._engine).maintain()
    ways: list[tuple[WordSum | None, str]] = [(WordSum(), fusion) for fusion in ("weighted", "rrf", "fixed")]
    ways += [(None, fusion) for fusion in ("weighted", "rrf", "fixed")[: sized(1, 3)]]
    for embedder, fusion in ways:
        me, seen = opened(embedder, **fading, **{"recall.fusion": fusion}), 0
        for query in QUERIES:
            answers = (
                me.recall(query, limit=60, only_related=False),
                me.recall(query, prefer="event", diverse=True, only_related=False),
                me.search_context(query, limit=60, only_related=False),
                me.search_context(query, diverse=True, min_score=0.2, session="c1"),
            )
            for hit in (hit for answer in answers for hit in answer.hits):
                adds_up(hit)
                seen += 1
        assert seen > sized(400, 500), (embedder, fusion)
