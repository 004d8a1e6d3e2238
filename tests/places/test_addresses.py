"""Addresses follow from the queue: asked for once for each cell, never exactly; whatever happens, nothing is lost."""

from datetime import timedelta
from threading import Event, Thread
from typing import Any

import pytest

from recollect import Memory, NotFound, UserMemory
from recollect.engine.maintenance import maintain
from recollect.engine.places import address_lookup
from recollect.errors import GeocoderUnavailable
from recollect.model.geo import CITY, STREET, Point
from recollect.model.memories import Scope
from tests.fixtures import SteppingClock
from tests.places.conftest import OpenPlaces
from tests.places.gazetteer import Gazetteer, address_of, centre
from tests.storage.catalogue import plain
from tests.waiting import PATIENCE_S, until

_SPOT = (49.19514, 16.60683)
_BESIDE = (49.19521, 16.60612)  # in the same cell
_FAR = (48.20823, 16.37382)


@pytest.fixture
def geocoder() -> Gazetteer:
    """The geocoder."""
    return Gazetteer()


@pytest.fixture
def memory(open_places: OpenPlaces, geocoder: Gazetteer) -> Memory:
    """A store that asks for addresses."""
    return open_places(geocoder)


@pytest.fixture
def me(memory: Memory) -> UserMemory:
    """One user of it."""
    return memory.user("me")


def _remember(me: UserMemory, content: str, spot: tuple[float, float], **more: Any) -> str:
    return me.remember(content, lat=spot[0], lng=spot[1], **more).id


def _serve(memory: Memory) -> int:
    """Do what a worker does in a round."""
    return maintain.serve_all(memory._engine).located


def _counts(memory: Memory) -> tuple[int, int]:
    return memory._engine.store.geocoding_counts()


def _cells(database: str) -> list[tuple[str, str]]:
    """Give which cells are in the cache, by user."""
    with plain(database) as store:
        rows = store.rows("SELECT user_id, cell FROM geocodes ORDER BY user_id, cell")
        return [(str(user), str(cell)) for user, cell in rows]


def test_an_address_follows(memory: Memory, me: UserMemory, geocoder: Gazetteer) -> None:
    first = _remember(me, "The pump hums", _SPOT)
    me.conversation("c1").append("user", "The pump leaks", lat=_BESIDE[0], lng=_BESIDE[1], place_label="cellar")
    assert me.get(first).address == ""
    assert geocoder.asked == []
    assert _counts(memory) == (2, 0)
    assert _serve(memory) == 2
    assert geocoder.asked == [centre(*_SPOT)]
    assert geocoder.asked[0] not in (_SPOT, _BESIDE)
    assert me.get(first).address == address_of(*_SPOT)
    assert (me.get(first).lat, me.get(first).lng) == _SPOT
    said = me.conversation("c1").messages()[0]
    assert (said.address, said.place_label) == (address_of(*_SPOT), "cellar")
    assert _counts(memory) == (0, 0)
    assert memory.stats().pending_jobs == 0
    assert memory.doctor() == ()


def test_the_geocoder_sees_only_the_middle_of_a_cell(me: UserMemory, memory: Memory, geocoder: Gazetteer) -> None:
    for number, (lat, lng) in enumerate([_SPOT, (-89.99991, 123.45678), (0.00021, -179.99999), (71.12345, 179.99991)]):
        _remember(me, f"The pump hums {number}", (lat, lng))
        me.places.reverse_geocode(lat, lng)
        me.recall("pump", location=(lat, lng))
    _serve(memory)
    assert len(geocoder.asked) == 4
    assert {STREET.rounded(*spot) for spot in geocoder.asked} == set(geocoder.asked)


def test_a_cell_is_asked_about_once(open_places: OpenPlaces, geocoder: Gazetteer) -> None:
    for _ in range(2):
        with open_places(geocoder) as memory:
            me = memory.user("me")
            for _ in range(3):
                assert me.places.reverse_geocode(*_SPOT) == me.places.reverse_geocode(*_BESIDE)
            me.recall("pump", location=_SPOT)
    assert len(geocoder.asked) == 1
    with open_places(Gazetteer(name="another")) as memory:
        memory.user("me").places.reverse_geocode(*_SPOT)
    with open_places(geocoder) as memory:
        memory.user("other").places.reverse_geocode(*_SPOT)
    assert len(geocoder.asked) == 2, "lookups are cached by user"


def test_what_was_used_longest_ago_goes_first(open_places: OpenPlaces, geocoder: Gazetteer, database: str) -> None:
    spots = [(10.0 + number, 20.0) for number in range(5)]

    def ask(*numbers: int) -> list[int]:
        """Ask in a process of its own; gives about which of these the geocoder was asked."""
        before = len(geocoder.asked)
        with open_places(geocoder, places__cache=3) as memory:
            for number in numbers:
                memory.user("me").places.reverse_geocode(*spots[number])
        return [round(spot.lat) - 10 for spot in geocoder.asked[before:]]

    assert ask(0, 1, 2) == [0, 1, 2]
    assert ask(0) == []
    assert ask(3) == [3]  # and 1 goes, which was used longest ago
    assert len(_cells(database)) == 3
    assert ask(0, 2, 3) == []
    assert ask(1) == [1]
    assert ask(0) == [0]


def test_no_cache_keeps_nothing(open_places: OpenPlaces, geocoder: Gazetteer, database: str) -> None:
    memory = open_places(geocoder, places__cache=0)
    assert memory.user("me").places.reverse_geocode(*_SPOT) is not None
    assert _cells(database) == []


def test_where_nothing_has_a_name(memory: Memory, me: UserMemory, geocoder: Gazetteer, clock: SteppingClock) -> None:
    geocoder.nameless.add(centre(*_SPOT))
    made = _remember(me, "The pump hums", _SPOT)
    assert me.places.reverse_geocode(*_SPOT) is None
    assert _serve(memory) == 0
    assert me.places.reverse_geocode(*_SPOT) is None
    assert (len(geocoder.asked), me.get(made).address, _counts(memory)) == (1, "", (0, 0))
    clock.advance(days=29)
    me.places.reverse_geocode(*_SPOT)
    assert len(geocoder.asked) == 1
    clock.advance(days=2)
    geocoder.nameless.clear()
    located = me.places.reverse_geocode(*_SPOT)
    assert located is not None
    assert len(geocoder.asked) == 2
    memory.maintain()
    assert me.get(made).address == address_of(*_SPOT)


def test_a_failure_is_kept_briefly(me: UserMemory, geocoder: Gazetteer, clock: SteppingClock) -> None:
    geocoder.away = True
    for _ in range(3):
        with pytest.raises(GeocoderUnavailable):
            me.places.reverse_geocode(*_SPOT)
    assert len(geocoder.asked) == 1
    geocoder.away = False
    with pytest.raises(GeocoderUnavailable):
        me.places.reverse_geocode(*_SPOT)
    clock.advance(minutes=2)
    assert me.places.reverse_geocode(*_SPOT) is not None
    assert len(geocoder.asked) == 2


def test_a_geocoder_that_is_away_blames_no_job(
    memory: Memory, me: UserMemory, geocoder: Gazetteer, clock: SteppingClock, database: str
) -> None:
    spots = [(10.0 + number, 20.0) for number in range(12)]
    ids = [_remember(me, f"The pump hums {number}", spot) for number, spot in enumerate(spots)]
    me.places.reverse_geocode(*spots[3])  # a cached address does not tell whether it is away
    geocoder.away = True
    for _ in range(8):
        asked = len(geocoder.asked)
        assert maintain.serve_all(memory._engine).unlocated_s > 0
        assert len(geocoder.asked) - asked <= 3, "it is left alone when it keeps failing"
        clock.advance(minutes=2)
    assert _counts(memory)[1] == 0
    with plain(database) as store:
        assert store.rows("SELECT DISTINCT attempts FROM jobs WHERE kind = 'geocode'") == [(0,)]
    geocoder.away = False
    assert _serve(memory) > 0
    clock.advance(minutes=10)
    _serve(memory)
    assert [me.get(one).address for one in ids] == [address_of(*spot) for spot in spots]
    assert memory.doctor() == ()


def test_one_place_blocks_no_other(memory: Memory, me: UserMemory, geocoder: Gazetteer, clock: SteppingClock) -> None:
    """Many things are where the geocoder fails, and they come first."""
    bad = [_remember(me, f"The pump hums {number}", _SPOT) for number in range(30)]
    good = [_remember(me, f"The pump leaks {number}", (10.0 + number, 20.0)) for number in range(5)]
    geocoder.fails_at.add(centre(*_SPOT))
    for _ in range(3):
        _serve(memory)
        clock.advance(minutes=1)
    assert all(me.get(one).address for one in good)
    for number in range(8):  # the geocoder answers others, so it is not to blame
        _remember(me, f"The pump drips {number}", (-10.0 - number, 20.0))
        _serve(memory)
        clock.advance(minutes=40)
    assert _counts(memory) == (0, len(bad))
    asked = len(geocoder.asked)
    clock.advance(days=10)
    _serve(memory)
    assert len(geocoder.asked) == asked, "what was given up on is left alone"
    geocoder.fails_at.clear()
    assert memory.retry_parked() == len(bad)
    _serve(memory)
    assert {me.get(one).address for one in bad} == {address_of(*_SPOT)}
    assert memory.doctor() == ()


def test_a_worker_comes_back_for_what_was_put_off(memory: Memory, me: UserMemory, geocoder: Gazetteer) -> None:
    _remember(me, "The pump hums", _SPOT)
    _remember(me, "The pump leaks", _FAR)
    geocoder.fails_at.add(centre(*_SPOT))
    assert maintain.keep_up(memory._engine, Event()) is not None
    geocoder.fails_at.clear()
    memory.retry_parked()


@pytest.mark.parametrize(
    "changes", [{"lat": _FAR[0], "lng": _FAR[1]}, {"address": "Mine 1"}, {"content": "It leaks"}], ids=str
)
def test_what_changes_meanwhile(memory: Memory, me: UserMemory, geocoder: Gazetteer, changes: dict[str, Any]) -> None:
    made = _remember(me, "The pump hums", _SPOT)
    geocoder.meanwhile = lambda: me.update(made, **changes)
    _serve(memory)
    _serve(memory)
    expected = {"lat": address_of(*_FAR), "address": "Mine 1", "content": address_of(*_SPOT)}[next(iter(changes))]
    assert me.get(made).address == expected
    memory._engine.clock.advance(minutes=6)  # type: ignore[attr-defined]  # and what it was gets its address too
    _serve(memory)
    assert {one.address for one in me.history(made)} <= {expected, address_of(*_SPOT)}
    assert _counts(memory) == (0, 0)
    assert memory.doctor() == ()


def test_what_is_changed_before_it_is_asked_about(memory: Memory, me: UserMemory, geocoder: Gazetteer) -> None:
    """Of two that wait the second is moved, then forgotten, while the first is asked about."""
    for change in (lambda one: me.update(one, lat=_FAR[0], lng=_FAR[1]), me.forget):
        _remember(me, f"The pump hums {change}", (10.0, 20.0))
        second = _remember(me, f"The pump leaks {change}", (11.0, 20.0))
        geocoder.meanwhile = lambda change=change, second=second: change(second)
        _serve(memory)
        _serve(memory)
    memory.maintain()
    assert memory.doctor() == ()
    assert all(one.address == address_of(one.lat or 0.0, one.lng or 0.0) for one in me.list().items)


@pytest.mark.parametrize("when", ["while it is asked about", "before it is asked about"])
def test_what_is_forgotten_meanwhile_leaves_nothing(
    memory: Memory, me: UserMemory, geocoder: Gazetteer, database: str, when: str
) -> None:
    if when.startswith("before"):
        _remember(memory.user("other"), "The pump leaks", (10.0, 20.0))
        memory._engine.clock.advance(seconds=1)  # type: ignore[attr-defined]
    made = _remember(me, "The pump hums", _SPOT)
    geocoder.meanwhile = lambda: me.forget(made)
    _serve(memory)
    assert [user for user, _ in _cells(database) if user == "me"] == []
    with plain(database) as store:
        assert address_of(*_SPOT) not in str(store.rows("SELECT * FROM places")) + str(
            store.rows("SELECT * FROM geocodes")
        )
    assert _counts(memory) == (0, 0)
    assert memory.doctor() == ()


def test_forgetting_drops_what_was_asked(memory: Memory, me: UserMemory, database: str) -> None:
    made, nowhere = _remember(me, "The pump hums", _SPOT), me.remember("Nowhere").id
    _remember(memory.user("other"), "The pump leaks", _SPOT)
    _serve(memory)
    me.places.reverse_geocode(*_FAR)
    assert len(_cells(database)) == 3
    me.forget(nowhere)
    assert len(_cells(database)) == 3
    me.forget(made)
    assert [user for user, _ in _cells(database)] == ["other"]
    assert memory._engine.geocode.addresses.find(Scope("me"), ("gazetteer", "49195:0")) is None


def test_an_address_that_was_given_stays(memory: Memory, me: UserMemory, geocoder: Gazetteer) -> None:
    made = _remember(me, "The pump hums", _SPOT, address="Mine 1")
    memory.maintain()
    assert (geocoder.asked, me.get(made).address, _counts(memory)) == ([], "Mine 1", (0, 0))
    me.update(made, lat=_FAR[0], lng=_FAR[1])
    assert me.get(made).address == ""
    _serve(memory)
    assert me.get(made).address == address_of(*_FAR)
    me.update(made, lat=_SPOT[0], lng=_SPOT[1], address="Mine 2")
    memory.maintain()
    assert me.get(made).address == "Mine 2"


def test_two_workers_share_the_work(open_places: OpenPlaces, geocoder: Gazetteer) -> None:
    workers = [open_places(geocoder), open_places(geocoder)]
    me = workers[0].user("me")
    me.remember_many([{"content": f"pump {n}", "lat": 10.0 + n / 10, "lng": 20.0} for n in range(100)])
    done: list[int] = []
    threads = [Thread(target=lambda one=one: done.append(address_lookup.serve(one._engine).located)) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) == 100
    assert len(geocoder.asked) == len(set(geocoder.asked)) == 100
    assert all(one.address == address_of(one.lat or 0.0, one.lng or 0.0) for one in me.list(limit=200).items)
    assert workers[0].doctor() == ()


def test_reading_is_no_write(memory: Memory, me: UserMemory) -> None:
    _remember(me, "The pump hums", _SPOT)
    memory.embed_waiting()

    def generation() -> int:
        return memory._engine.store.read(Scope("me"), lambda reader: reader.generation())

    before = generation()
    for _ in range(2):
        me.places.reverse_geocode(*_FAR)
        me.recall("pump", location=_FAR)
        me.recall("pump", location="village pub")
        me.search_context("pump", location=_SPOT, radius_km=5)
        me.places.list()
        me.places.geocode("Brno")
        with pytest.raises(NotFound):
            me.places.get("nowhere")
    assert generation() == before


def test_an_answer_changes_with_its_address(open_places: OpenPlaces, geocoder: Gazetteer) -> None:
    memory = open_places(geocoder, recall__cache=10)
    me = memory.user("me")
    _remember(me, "The pump hums", _SPOT)
    assert me.recall("pump", location=_SPOT).hits[0].place.address == ""  # type: ignore[union-attr]
    memory.embed_waiting()
    assert me.recall("pump", location=_SPOT).hits[0].place.address == address_of(*_SPOT)  # type: ignore[union-attr]


def test_a_geocoder_that_hangs_is_not_waited_for(open_places: OpenPlaces) -> None:
    geocoder, over = Gazetteer(remote=True), Event()
    memory = open_places(geocoder, recall__deadline_s=20)
    me = memory.user("me")
    _remember(me, "The pump hums", _SPOT)
    _remember(me, "The pump leaks", _FAR)
    geocoder.meanwhile = over.wait
    try:
        found = me.recall("pump", location=_SPOT)
        assert found.degraded == ("place",)
        assert [hit.content for hit in found.hits] == ["The pump hums", "The pump leaks"]
        assert all(hit.parts.place for hit in found.hits)
        stored = me.remember("The pump drips", lat=1.0, lng=2.0)
        assert stored.action == "created"
    finally:
        over.set()


def test_a_geocoder_that_is_away_is_told_of(me: UserMemory, geocoder: Gazetteer) -> None:
    _remember(me, "The pump hums", _SPOT)
    geocoder.away = True
    found = me.recall("pump", location=_SPOT)
    assert found.degraded == ("place",)
    assert found.hits[0].parts.place is not None
    assert me.recall("pump", location=_SPOT, location_weight=0).degraded == ()
    assert me.recall("pump").degraded == ()
    context = me.before_prompt("The pump?", session="s", location=_SPOT)
    assert "The pump hums" in context.block


def test_items_stored_without_a_geocoder(open_places: OpenPlaces, geocoder: Gazetteer) -> None:
    with open_places(None) as memory:
        me = memory.user("me")
        made = _remember(me, "The pump hums", _SPOT)
        me.conversation("c1").append("user", "The pump leaks", lat=_FAR[0], lng=_FAR[1])
        assert _counts(memory) == (0, 0)
        memory.maintain()
        assert _counts(memory) == (0, 0)
        with pytest.raises(NotFound, match="No geocoder can tell what is at"):
            me.places.reverse_geocode(*_SPOT)
        with pytest.raises(NotFound, match="No geocoder can tell where"):
            me.places.geocode("Brno")
    with open_places(geocoder) as memory:
        me = memory.user("me")
        assert _serve(memory) == 0
        memory.maintain()
        assert me.get(made).address == address_of(*_SPOT)
        assert me.conversation("c1").messages()[0].address == address_of(*_FAR)
        assert memory.doctor() == ()
        _remember(me, "The pump drips", (10.0, 20.0))
    with open_places(None) as memory:  # and now it is switched off again
        me = memory.user("me")
        assert _counts(memory) == (1, 0)
        memory.maintain()
        assert maintain.keep_up(memory._engine, Event()) is None, "without a geocoder there is nothing to poll for"
        me.update(made, lat=1.0, lng=2.0)
        assert me.get(made).address == ""
        me.recall("pump", location=_SPOT)
        assert _counts(memory) == (1, 0)
        assert memory.doctor() == ()
        assert me.places.find_addresses() == 0
    with open_places(geocoder) as memory:
        memory.maintain()
        assert all(one.address for one in memory.user("me").list().items)


def test_one_user_is_served_alone(open_places: OpenPlaces, geocoder: Gazetteer) -> None:
    memory = open_places(geocoder)
    me, other = memory.user("me"), memory.user("other")
    mine, theirs = _remember(me, "The pump hums", _SPOT), _remember(other, "The pump leaks", _SPOT)
    assert me.places.find_addresses() == 1
    assert me.get(mine).address == address_of(*_SPOT)
    assert other.get(theirs).address == ""
    assert other.recall("pump", location=_SPOT).degraded == ()
    far_away = open_places(Gazetteer(remote=True))
    assert far_away.user("other").places.find_addresses() == 0, "that would ask a server"


def test_a_server_is_asked_for_one_item_and_not_waited_for_long(open_places: OpenPlaces, clock: SteppingClock) -> None:
    server = Gazetteer(remote=True)
    memory = open_places(server)
    me = memory.user("me")
    _remember(me, "The pump hums", (10.0, 20.0))
    made = _remember(me, "The pump leaks", _SPOT)
    assert me.places.find_addresses(of=made, ask_s=PATIENCE_S) == 1
    assert (me.get(made).address, server.asked) == (address_of(*_SPOT), [centre(*_SPOT)]), "not for others"
    said = me.conversation("c1").append("user", "I parked here", lat=_FAR[0], lng=_FAR[1]).id
    assert said
    assert me.places.find_addresses(of=said, ask_s=PATIENCE_S) == 1
    assert me.conversation("c1").messages()[0].address == address_of(*_FAR)
    assert _counts(memory) == (1, 0)
    assert me.places.find_addresses(of="no such thing", ask_s=PATIENCE_S) == 0
    server.away = True
    left = _remember(me, "The pump is loud", (30.0, 40.0))
    assert [me.places.find_addresses(of=left, ask_s=PATIENCE_S) for _ in range(2)] == [0, 0]
    assert len(server.asked) == 3, "it failed there a moment ago"
    server.away = False
    clock.advance(minutes=2)
    answered = Event()
    server.meanwhile = answered.wait
    late = _remember(me, "The pump is silent", (50.0, 60.0))
    assert me.places.find_addresses(of=late, ask_s=0.01) == 0
    assert me.get(late).address == ""
    answered.set()
    until(lambda: me.get(late).address == address_of(50.0, 60.0))
    _serve(memory)
    assert me.get(left).address == address_of(30.0, 40.0)


@pytest.mark.parametrize("precision", ["street", "city"])
def test_what_is_asked_is_kept_no_more_exactly_than_places(
    open_places: OpenPlaces, geocoder: Gazetteer, database: str, precision: str
) -> None:
    memory = open_places(geocoder, places__precision=precision)
    me = memory.user("me")
    me.recall("pump", location=_SPOT)
    me.places.reverse_geocode(*_SPOT)
    spots = {Point(*spot) for spot in geocoder.asked}
    assert len(spots) == len(_cells(database)) == 1
    if precision == "city":
        (spot,) = spots
        assert STREET.cell(*spot) == STREET.cell(*CITY.rounded(*_SPOT))


def test_an_old_geocoder_is_let_go(open_places: OpenPlaces, geocoder: Gazetteer) -> None:
    with open_places(geocoder):
        assert not geocoder.closed
    assert geocoder.closed


def test_a_long_silence_is_asked_for(
    memory: Memory, me: UserMemory, geocoder: Gazetteer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_: float, __: float) -> None:
        raise GeocoderUnavailable("Too many requests.", retry_after_s=90.0)

    _remember(me, "The pump hums", _SPOT)
    monkeypatch.setattr(geocoder, "reverse", busy)
    assert maintain.serve_all(memory._engine).unlocated_s == 90.0
    assert (
        memory._engine.store.claim_geocoding(
            10, now=memory._engine.clock.now() + timedelta(seconds=80), lease_until=memory._engine.clock.now()
        )
        == []
    )
