"""What the examples are made of: memories, changes, filters and questions, drawn at random."""

from datetime import timedelta
from typing import Any

import numpy as np
from hypothesis import strategies as st

from recollect import MEMORY_TYPES
from tests.congruence.twins import START, cluster

_LANGUAGES = """
    the office light is not in kitchen anymore evening brightness dark mode 40% light.office anna@example.com #1204
    Anna's café naïve straße ǅ ﬁne x² I İstanbul свет в кабинете не горит вечером Ёлка её
    světlo v pracovně nesvítí večer žluťoučký kůň das Licht im Büro ist aus größer
    電気 は 消えています 漢字 조명 ไฟ أضواء אור 🦊 👩\u200d👩\u200d👧 e\u0301 ' \" ; -- % \\ ( ) * NULL
"""
WORDS = tuple(_LANGUAGES.split())
SENTENCES = (
    "The user prefers dark mode in all applications",
    "User prefers dark mode in all applications.",
    "the user prefers  DARK mode in all applications",
    "The user does not prefer dark mode in all applications",
    "The code of locker 17 is 4711",
    "The code of locker 18 is 4711",
    "Пользователь любит тёмную тему",
    "пользователь любит тёмную тему!",
    f"{'. '.join(WORDS * 3)}. The office light hums.",  # long enough to have passages
)

SUBJECTS = ("", "", "light.office", "дом", "cafe\u0301", "café", "%")
KEYS = ("", "", "state", "colour")
CONTEXTS = ("", "", "night")
SESSIONS = ("", "s-1", "s-2")

sentences = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
    st.sampled_from(SENTENCES),
    st.text(min_size=1, max_size=30),
)
shares = st.one_of(st.sampled_from([0.0, 0.5, 0.7, 1.0]), st.floats(0, 1, allow_nan=False))
moments = st.one_of(
    st.integers(-3, 8).map(lambda days: START + timedelta(days=days)),
    st.timedeltas(timedelta(days=-400), timedelta(days=400)).map(lambda delta: START + delta),
)
vectors = st.integers(0, 15).map(cluster)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e15, 1e15) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
LABELS = ("", "", "home", "HOME", "village pub", "supermarket")
coordinates = st.one_of(
    st.tuples(st.floats(-90, 90), st.floats(-180, 180)),
    st.sampled_from([(90.0, 0.0), (-90.0, 180.0), (0.0, 180.0), (0.0, -180.0), (49.2, 16.6), (49.201, 16.601)]),
    st.tuples(st.floats(49.0, 49.5), st.floats(16.4, 16.8)),
)
places: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.builds(
        lambda spot, label, address: {"lat": spot[0], "lng": spot[1], "place_label": label, "address": address},
        coordinates,
        st.sampled_from(LABELS),
        st.sampled_from(["", "", "", "Village Street 1"]),
    ),
    st.sampled_from(LABELS).map(lambda label: {"place_label": label}),
)


@st.composite
def whereabouts(draw: st.DrawFn) -> dict[str, Any]:
    """Draw where a user is while asking, and what that is to mean."""
    location = draw(coordinates | st.sampled_from(["home", "supermarket", "Brno"]))
    asked: dict[str, Any] = {"location": location}
    if draw(st.booleans()):
        asked["radius_km"] = draw(st.sampled_from([0.1, 5.0, 30.0, 100.0]))
    if draw(st.booleans()):
        asked["location_weight"] = draw(shares)
    if draw(st.booleans()):
        asked["location_mode"] = draw(st.sampled_from(["boost", "semantic"]))
    return asked


_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(MEMORY_TYPES),
    "importance": shares,
    "confidence": shares,
    "subject": st.sampled_from(SUBJECTS),
    "key": st.sampled_from(KEYS),
    "value": st.sampled_from(["", "40%", "on", "ON."]),
    "context": st.sampled_from(CONTEXTS),
    "source": st.sampled_from(["user_stated", "web"]),
    "trust": st.integers(0, 3),
    "session": st.sampled_from(SESSIONS),
    "occurred_at": st.none() | moments,
    "valid_from": st.none() | moments,
    "valid_until": st.none() | moments,
    "expires_at": st.none() | moments,
    "metadata": st.dictionaries(st.text(max_size=4), json_values, max_size=3),
    "vector": st.none() | vectors,
}
_USUAL = ("type", "importance", "subject", "key", "context", "trust", "vector")


@st.composite
def memories(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the fields of a memory: usually a few of them, sometimes all."""
    chosen = draw(st.sets(st.sampled_from(sorted(_FIELDS)))) | draw(st.sampled_from([set(), set(_USUAL)]))
    fields = {name: draw(_FIELDS[name]) for name in sorted(chosen)}
    return {"content": draw(sentences), **fields, **draw(places)}


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    """Draw what an update changes."""
    names = draw(st.sets(st.sampled_from(sorted(_FIELDS)), max_size=3))
    fields = {name: draw(_FIELDS[name]) for name in sorted(names)}
    if draw(st.booleans()) or not fields:
        fields["content"] = draw(sentences)
    return {**fields, **draw(places)}


_FILTERS: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(MEMORY_TYPES) | st.lists(st.sampled_from(MEMORY_TYPES), max_size=3),
    "subject": st.sampled_from(SUBJECTS),
    "key": st.sampled_from(KEYS),
    "context": st.sampled_from(CONTEXTS),
    "session": st.sampled_from(SESSIONS),
    "since": moments,
    "until": moments,
    "as_of": moments,
    "min_importance": shares,
}


@st.composite
def filters(draw: st.DrawFn) -> dict[str, Any]:
    """Draw filters: usually none or one, sometimes many."""
    names = draw(st.sets(st.sampled_from(sorted(_FILTERS)), max_size=draw(st.sampled_from([0, 1, 1, 2, 4]))))
    return {name: draw(_FILTERS[name]) for name in sorted(names)}


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the arguments of a recall."""
    asked = {"query": draw(sentences), "limit": draw(st.sampled_from([1, 3, 10, 1_000])), **draw(filters())}
    if draw(st.booleans()):
        asked["vector"] = draw(vectors)
    if draw(st.booleans()):
        asked["min_score"] = draw(shares)
    if draw(st.booleans()):
        asked |= draw(whereabouts())
    return asked


def crowd(amount: int, seed: int) -> list[dict[str, Any]]:
    """Make many memories at once, faster than hypothesis draws them."""
    random = np.random.default_rng(seed)

    def one_of(options: Any) -> Any:
        return options[int(random.integers(len(options)))]

    def days() -> timedelta:
        return timedelta(days=int(random.integers(-5, 9)))

    made = []
    for number in range(amount):
        content = " ".join(one_of(WORDS) for _ in range(1 + int(random.integers(7))))
        fields = {
            "content": f"{content} {number if random.random() < 0.5 else ''}",
            "type": one_of(MEMORY_TYPES),
            "importance": float(round(random.random(), 2)),
            "subject": one_of(SUBJECTS),
            "key": one_of(KEYS),
            "context": one_of(CONTEXTS),
            "session": one_of(SESSIONS),
            "trust": int(random.integers(4)),
            "occurred_at": START + days() if random.random() < 0.4 else None,
            "expires_at": START + days() if random.random() < 0.2 else None,
            "vector": cluster(number) if random.random() < 0.7 else None,
        }
        made.append(fields)
    return made
