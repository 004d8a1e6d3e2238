"""What a node says, believed as far as it can be checked."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rows import every

from recollect.model.search import Place
from recollect.text.clean import MAX_CHARACTERS, clean
from recollect_connect.federation.node_answers import InvalidAnswer, parse_answer
from tests_connect.federation.server import answer, hit

HUGE = MAX_CHARACTERS * 3


def test_a_right_answer_is_read() -> None:
    body = answer([hit("Tea", occurred_at="2026-02-01T12:00:00+02:00"), hit("Milk", source="request", type="user")])
    first, second = parse_answer(body, "office", 2).hits
    assert (first.node, first.rank, first.content, first.score) == ("office", 1, "Tea", 0.5)
    assert first.created_at == datetime(2026, 2, 27, 10, tzinfo=UTC)
    assert first.occurred_at == datetime(2026, 2, 1, 10, tzinfo=UTC)
    assert (second.rank, second.source, second.type, second.occurred_at) == (2, "request", "user", None)


def test_nothing_found_is_an_answer_too() -> None:
    assert parse_answer({"hits": []}, "office", 5) == ((), ())
    assert parse_answer(answer([], degraded=["vector", "node:attic"]), "office", 5).degraded == ("vector", "node:attic")


@every("claimed", [0, 1, 2, 3, None])
def test_another_node_is_trusted_as_a_stranger_whatever_it_claims(claimed: int | None) -> None:
    (found,) = parse_answer(answer([hit("Tea", trust=claimed)]), "office", 5).hits
    assert found.trust == 0


def test_members_that_nobody_knows_are_passed_over() -> None:
    body = answer([hit("Tea", parts={"x": [1]}, colour="green")], took_ms=3, next=None)
    assert len(parse_answer(body, "office", 5).hits) == 1
    lean = {name: hit("Tea")[name] for name in ("id", "source", "type", "content", "score", "created_at")}
    assert len(parse_answer({"hits": [lean]}, "office", 5).hits) == 1


def test_content_is_cleaned_and_cut() -> None:
    (found,) = parse_answer(answer([hit(" A\x1b[31mred\x00 \r\nline ")]), "office", 5).hits
    assert found.content == "A[31mred \nline"
    (long,) = parse_answer(answer([hit("x" * HUGE)]), "office", 5).hits
    assert len(long.content) == MAX_CHARACTERS


def test_a_place_is_read_and_shortened() -> None:
    place = {"lat": 49, "lng": 16.6, "address": "Česká\n1\x1b[31m", "label": "x" * 999, "floor": 3}
    (found,) = parse_answer(answer([hit("Tea", place=place)]), "office", 5).hits
    assert found.place == Place(49.0, 16.6, "Česká 1[31m", "x" * 200)
    (bare,) = parse_answer(answer([hit("Tea", place={"label": "home"})]), "office", 5).hits
    assert bare.place == Place(None, None, "", "home")


@every(
    "place",
    [
        {"lat": 1},
        {"lat": 1, "lng": None},
        {"lat": 91, "lng": 0},
        {"lat": 0, "lng": -181},
        {"lat": float("nan"), "lng": 0},
        {"lat": float("inf"), "lng": 0},
        {"lat": 10**400, "lng": 0},
        {"lat": "49", "lng": 0},
        {"lat": True, "lng": 0},
        {"address": 7},
        {"label": ["home"]},
        {"label": "half \ud800"},
    ],
)
def test_a_place_that_cannot_be_is_a_lie(place: dict[str, Any]) -> None:
    with pytest.raises(InvalidAnswer, match=r"hits\[0\]\.place"):
        parse_answer(answer([hit("Tea", place=place)]), "office", 5)


HALF = "half \ud800"
BEYOND = (float("nan"), float("inf"), -float("inf"), 1.0001, -0.1, 85, 10**400)
NO_TIME: tuple[object, ...] = (
    "",
    "yesterday",
    "2026-02-27T10:00:00",
    "2026-02-27",
    "0001-01-01T00:00:00+14:00",
    "2" * 99,
    0,
    [],
)
WRONG_MEMBERS: dict[str, tuple[object, ...]] = {
    "id": (None, 3, "", "x" * 129, "a\nb", "a\x1b[2J", ["x"]),
    "source": (None, 3, "", "A b", "x" * 65, "me\nmory", "memory\n", {}),
    "type": (None, 3, "", "<b>", "x" * 65),
    "content": (None, 3, "", " \x00\n", ["x"], HALF),
    "score": (None, "0.5", True, [0.5], *BEYOND),
    "similarity": ("0.5", False, *BEYOND),
    "created_at": (None, *NO_TIME),
    "occurred_at": NO_TIME,
    "trust": ("3", True, 4, -1, 1.5),
    "metadata": ("x", []),
    "place": ("home", []),
    "folded": ("abc", {}),
}
WRONG_HITS = [hit("x", **{name: wrong}) for name, wrongs in WRONG_MEMBERS.items() for wrong in wrongs]


@every("wrong", ["text", None, [], *WRONG_HITS])
def test_one_wrong_hit_is_enough(wrong: object) -> None:
    with pytest.raises(InvalidAnswer, match=r"hits\[1\]"):
        parse_answer(answer([hit("fine"), wrong, hit("fine too")]), "office", 10)


def test_a_hit_in_a_file_says_where_it_stands() -> None:
    place = {"path": "notes/set\nup.md", "start_line": 3, "end_line": 7}
    in_file = hit("The router", source="file", type="markdown", metadata=place)
    said = parse_answer(
        answer([in_file, hit("Tea", metadata=place), hit("Old", source="file", metadata={})]), "office", 10
    )
    assert [one.where for one in said.hits] == ["notes/set up.md:3-7", "", ""]
    for wrong in ({"path": 3}, {"path": " "}, {"start_line": "3"}, {"end_line": 0}, {"end_line": True}):
        with pytest.raises(InvalidAnswer, match=r"hits\[0\]\.metadata"):
            parse_answer(answer([{**in_file, "metadata": {**place, **wrong}}]), "office", 10)


@every(
    "body",
    [
        {},
        {"hits": None},
        {"hits": {}},
        {"hits": "none"},
        answer([hit(f"text {number}") for number in range(6)]),
        answer([], degraded="vector"),
        answer([], degraded=[3]),
        answer([], degraded=["a word\nand more"]),
        answer([], degraded=["vector"] * 21),
        answer([], answerable="yes"),
        answer([], answerable=float("nan")),
        answer([], answerable=1.5),
    ],
)
def test_a_wrong_answer_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(InvalidAnswer):
        parse_answer(body, "office", 5)


def test_what_was_said_is_not_repeated() -> None:
    with pytest.raises(InvalidAnswer) as caught:
        parse_answer(answer([hit("x", score="GEHEIM")]), "office", 5)
    assert str(caught.value) == "hits[0].score is not a number from 0 to 1"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = sorted(hit(""))
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(st.dictionaries(st.sampled_from(["hits", "degraded", "answerable", "more"]), JSON))
@untimed
def test_anything_is_read_or_refused(body: dict[str, Any]) -> None:
    try:
        parse_answer(body, "office", 5)
    except InvalidAnswer:
        return
    assert isinstance(body["hits"], list)


@given(st.dictionaries(st.sampled_from(MEMBERS), JSON, max_size=3))
@untimed
def test_what_is_read_can_be_shown_and_written(members: dict[str, Any]) -> None:
    try:
        (found,) = parse_answer(answer([hit("x", **members)]), "office", 5).hits
    except InvalidAnswer:
        return
    assert found.content == clean(found.content) != ""
    assert 0 <= found.score <= 1
    assert found.trust == 0
    assert found.id.isprintable()
    json.dumps([found.id, found.source, found.type, found.content, found.score], allow_nan=False).encode()
