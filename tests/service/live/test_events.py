"""What comes down a live search: the form of events, what matches, the signs of life, and going on after a break."""

from typing import Any

from recollect import UserMemory
from tests.fixtures import SteppingClock
from tests.service.live.conftest import Host
from tests.service.live.house import House
from tests.service.live.radio import Radio

_HOSTILE = 'Bread\r\n\r\nevent: hit\nid: 9\ndata: {"id":"forged"}\n\n\x85\u2028\u2029 and \U0001f35e'


def _me(house: House) -> UserMemory:
    return house.memory.user("me")


def test_it_begins_with_where_it_stands(house: House) -> None:
    for number in range(3):
        _me(house).remember(f"This was there before, {number}")
    with house.radio() as radio:
        headers = radio.answer.headers
        assert radio.status == 200
        assert headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Accel-Buffering"] == "no"
        assert headers["Content-Encoding"] is None
        assert headers["Content-Length"] is None
        ready = radio.hear()
    assert ready is not None
    assert (ready.name, ready.id, ready.retry) == ("ready", 3, 2000)
    assert ready.data == {"position": 3, "degraded": []}


def test_a_hit_is_shown_whole_and_cannot_forge_another(house: House) -> None:
    with house.radio() as radio:
        radio.wait_for("ready")
        made = _me(house).remember(_HOSTILE, metadata={"why": "line\nbreak"}, type="preference")
        hit = radio.hear()
        kept = _me(house).get(made.id).content
    assert "\n" in kept
    assert hit is not None
    assert (hit.name, hit.id) == ("hit", 1)
    assert hit.data is not None
    assert hit.data["number"] == 1
    assert (hit.data["id"], hit.data["content"], hit.data["score"]) == (made.id, kept, 1.0)
    assert (hit.data["source"], hit.data["type"], hit.data["metadata"]) == (
        "memory",
        "preference",
        {"why": "line\nbreak"},
    )


def test_no_line_is_cut_where_careless_clients_cut(house: House) -> None:
    with house.radio() as radio:
        _me(house).remember(_HOSTILE)
        _me(house).remember("That was it")
        raw = [radio.answer.readline().decode() for _ in range(13)]
    assert all(len(line.splitlines()) == 1 for line in raw)


def test_only_what_matches_comes(house: House) -> None:
    me = _me(house)
    asked: dict[str, Any] = {"query": "bicycle", "sources": ["memory", "request"]}
    with (
        house.radio(**asked) as radio,
        house.radio(type=["lesson"]) as lessons,
        house.radio(query='"red bike"') as said,
    ):
        for one in (radio, lessons, said):
            one.wait_for("ready")
        me.remember("The oven is broken")
        mine = me.remember("My bicycle is green").id
        me.conversation("c").append("assistant", "A bicycle needs oil")
        me.conversation("c").append("user", "Where is my bicycle?")
        me.remember("Always lock it", type="lesson")
        me.remember("The bike that is red")
        me.remember("A red bike is parked outside")
        me.remember("This bicycle is the last")
        me.remember("This is the last lesson", type="lesson")
        found = [radio.wait_for("hit").data for _ in range(3)]
        taught = [lessons.wait_for("hit").data for _ in range(2)]
        quoted = said.wait_for("hit").data
    assert [one and (one["source"], one["conversation"]) for one in found] == [
        ("memory", None),
        ("request", "c"),
        ("memory", None),
    ]
    assert found[0]
    assert found[0]["id"] == mine
    assert [one and one["content"] for one in taught] == ["Always lock it", "This is the last lesson"]
    assert quoted
    assert quoted["content"] == "A red bike is parked outside"


def test_nobody_hears_of_others(house: House) -> None:
    with house.radio() as radio:
        radio.wait_for("ready")
        house.memory.user("somebody").remember("None of your business")
        mine = _me(house).remember("Mine").id
        hit = radio.wait_for("hit")
    assert hit.data
    assert (hit.data["id"], hit.id) == (mine, 1)


def test_silence_is_broken_by_signs_of_life(host: Host) -> None:
    house = host(serve__heartbeat_s=0.1)
    with house.radio(query="bicycle") as radio:
        radio.wait_for("ready")
        for _ in range(2):
            sign = radio.hear()
            assert sign is not None
            assert (sign.name, sign.comment, sign.id) == ("", "still here", None)
        for number in range(3):
            _me(house).remember(f"Nothing of that kind, {number}")
        moved = radio.wait_for("position")
        while moved.id != 3:  # it may have looked in between
            moved = radio.wait_for("position")
    assert moved.data == {"position": 3}
    with house.radio(query="bicycle", last=moved.id) as radio:
        _me(house).remember("A bicycle at last")
        assert [radio.wait_for(name).id for name in ("ready", "hit")] == [3, 4]


def test_it_goes_on_after_what_was_seen(house: House) -> None:
    ids = [_me(house).remember(f"Number {number}").id for number in range(1, 6)]
    ways: list[tuple[dict[str, Any], int]] = [
        ({"after": 0}, 1),
        ({"after": 3}, 4),
        ({"last": 2}, 3),
        ({"last": 4, "after": 1}, 5),
    ]
    for asked, first in ways:
        with house.radio(**asked) as radio:
            assert radio.wait_for("ready").id == first - 1
            seen = [radio.wait_for("hit") for _ in range(first, 6)]
        assert [hit.id for hit in seen] == list(range(first, 6))
        assert [hit.data and hit.data["id"] for hit in seen] == ids[first - 1 :]


def test_a_place_that_is_none_is_refused(house: House) -> None:
    key = house.key()
    for last in ("", "-1", "1.5", "x", "1" * 19, "٣".encode().decode("latin-1")):
        with Radio(house.url, key, last=last) as radio:
            assert radio.status == 422
            assert radio.problem()["status"] == 422
    assert len(house.subscriptions) == 0


def test_what_cannot_be_searched_is_refused(house: House) -> None:
    wrong: list[dict[str, Any]] = [
        {"query": " "},
        {"query": "\x07"},
        {"query": "x" * 2_001},
        {"min_score": 2},
        {"sources": "x"},
        {"type": "x"},
        {"after": 2**63},
        {"after": -1},
    ]
    for asked in wrong:
        with house.radio(**asked) as radio:
            assert radio.status == 422
            assert radio.answer.headers["Content-Type"] == "application/problem+json"
    assert len(house.subscriptions) == 0


def test_what_is_no_longer_known_is_said_to_be_missed(house: House, clock: SteppingClock) -> None:
    for number in range(3):
        _me(house).remember(f"Long ago {number}")
    clock.advance(days=8)
    house.memory.maintain()
    with house.radio(after=1) as radio:
        assert radio.wait_for("ready").id == 1
        missed = radio.hear()
        assert missed is not None
        assert (missed.name, missed.id, missed.data) == ("missed", 3, {"position": 3})
        _me(house).remember("Today")
        assert radio.wait_for("hit").id == 4
    with house.radio(after=0) as radio:
        assert [event.id for event in (radio.wait_for("missed"), radio.wait_for("hit"))] == [3, 4]
    with house.radio(after=4) as radio, house.radio(after=3) as other:
        _me(house).remember("And again")
        radio.wait_for("ready")
        assert (event := radio.hear()) is not None
        assert (event.name, event.id) == ("hit", 5)
        assert [other.wait_for("hit").id for _ in range(2)] == [4, 5]


def test_a_place_that_never_was_is_said_to_be_missed(house: House) -> None:
    _me(house).remember("The only one")
    with house.radio(after=10**15) as radio:
        assert radio.wait_for("missed").id == 1
        _me(house).remember("The next")
        assert radio.wait_for("hit").id == 2


def test_what_is_forgotten_does_not_come(house: House) -> None:
    ids = [_me(house).remember(f"Number {number}").id for number in range(4)]
    _me(house).forget(ids[1])
    with house.radio(after=0) as radio:
        assert [radio.wait_for("hit").id for _ in range(3)] == [1, 3, 4]
    _me(house).forget(everything=True)
    with house.radio(after=0) as radio:
        assert radio.wait_for("missed").id == 4
        _me(house).remember("A new life")
        assert radio.wait_for("hit").id == 5


def test_a_message_comes_once_by_its_words_or_later_by_its_meaning(host: Host) -> None:
    house = host(embedding__provider="local", embedding__wait="never")
    talk = _me(house).conversation("c")
    with house.radio(query="our cat", min_score=0.3) as radio:
        ready = radio.wait_for("ready")
        assert ready.data
        talk.append("user", "The kitten purrs on the sofa")
        talk.append("user", "The cat of our neighbours")
        by_words = radio.wait_for("hit")
        house.memory.embed_waiting()
        by_meaning = radio.wait_for("hit")
        talk.append("user", "Our cat is back")
        after = radio.wait_for("hit")
    assert [one.data and one.data["content"] for one in (by_words, by_meaning, after)] == [
        "The cat of our neighbours",
        "The kitten purrs on the sofa",
        "Our cat is back",
    ]
    with house.radio(query="our cat", min_score=0.3, after=0) as radio:  # and whoever looks later sees the same
        again = [radio.wait_for("hit") for _ in range(3)]
    assert [one.id for one in again] == [by_words.id, by_meaning.id, after.id]
