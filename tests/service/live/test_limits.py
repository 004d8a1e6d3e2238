"""What ends a live search, and how many there may be: slow readers, revoked keys, the end of the service, the limit."""

import socket
from contextlib import ExitStack, suppress
from threading import enumerate as threads
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest

from recollect.errors import StoreUnavailable
from recollect.service.live import event_stream, subscriptions
from tests.fixtures import OpenMemory, Server, SteppingClock
from tests.reliability.opening import open_memory as open_store
from tests.service.live.conftest import Host
from tests.service.live.house import House, hosting
from tests.service.live.radio import Radio, narrow_line
from tests.waiting import PATIENCE_S, until

_LONG, _MANY = 90_000, 16


def _deaf(house: House) -> socket.socket:
    """Call, and do not listen."""
    line = narrow_line(house.url)
    asked = f"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {house.key()}\r\n\r\n"
    line.sendall(asked.encode())
    return line


def _drained(line: socket.socket) -> bytes:
    """Read what had arrived before the line was cut."""
    read = b""
    with suppress(ConnectionResetError):
        while piece := line.recv(2**16):
            read += piece
    return read


def _store_long(house: House, amount: int) -> list[str]:
    texts = [f"{number} " + "long " * (_LONG // 5) for number in range(amount)]
    return [made.id for made in house.memory.user("me").remember_many(texts)]


def test_whoever_does_not_read_is_cut_off_and_nothing_piles_up(host: Host) -> None:
    house = host({"patience_s": 5.0})
    with ExitStack() as stack:
        line = stack.enter_context(_deaf(house))
        until(lambda: len(house.subscriptions) == 1)
        house.subscriptions.patience_s = PATIENCE_S  # for all who come later: they read, as soon as they can
        other = stack.enter_context(house.radio())
        most_waiting = 0
        _store_long(house, _MANY)
        for _ in range(_MANY):
            assert other.wait_for("hit")
        while len(house.subscriptions) == 2:
            most_waiting = max(most_waiting, house.waiting_bytes())
            sleep(0.01)
        until(lambda: len(house.server.server_state.connections) == 1)
        assert house.waiting_bytes() == 0
        read = _drained(line)
    assert most_waiting < 2**16 + 2 * _LONG, "more waits than one event beyond what is usual"
    assert 0 < len(read) < _MANY * _LONG / 2
    assert not read.endswith(b"\r\n0\r\n\r\n"), "it ended in good order"


def test_whoever_reads_slowly_gets_everything_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_FRESH_S", 0.01)  # so that most of it has waited for too long, and is read again
    house = host()
    _store_long(house, _MANY)
    with house.radio(after=0, narrow=True) as radio:
        seen = []
        for _ in range(_MANY):
            sleep(0.005)
            seen.append(radio.wait_for("hit").id)
    assert seen == list(range(1, _MANY + 1))


def test_what_is_forgotten_while_it_waits_to_be_sent_is_not_sent(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_FRESH_S", 0.01)
    house = host({"patience_s": float(PATIENCE_S)})
    ids = _store_long(house, _MANY)
    with house.radio(after=0, narrow=True) as radio:
        until(lambda: house.waiting_bytes() > 2**16)
        sleep(0.1)  # longer than it counts as fresh; a machine that needs longer to get stuck has more to send
        for one in ids[_MANY // 2 :]:
            house.memory.user("me").forget(one)
        house.memory.user("me").remember("The end")
        seen: list[int] = []
        while not seen or seen[-1] != _MANY + 1:
            seen.append(radio.wait_for("hit").id or 0)
    assert seen == [*range(1, _MANY // 2 + 1), _MANY + 1]


def test_whoever_hangs_up_frees_their_seat_and_the_last_one_the_thread(house: House) -> None:
    def at_the_bell() -> int:
        return sum(thread.name == "recollect-bell" for thread in threads())

    assert at_the_bell() == 0
    radios = [house.radio() for _ in range(3)]
    assert len(house.subscriptions) == 3
    assert at_the_bell() == 1
    for left, radio in zip((2, 1, 0), radios, strict=True):
        radio.close()
        until(lambda left=left: len(house.subscriptions) == left)  # type: ignore[misc]
    until(lambda: at_the_bell() == 0)
    with house.radio() as radio:
        house.memory.user("me").remember("It works again")
        assert radio.wait_for("hit").id == 1


def test_there_are_so_many_seats_and_a_share_for_each_key(host: Host) -> None:
    house = host(serve__streams=8)
    keys = [house.key() for _ in range(5)]
    radios = [house.radio(key) for key in keys[:4] for _ in range(2)]
    assert [radio.status for radio in radios] == [200] * 8
    with house.radio(keys[4]) as refused:
        assert refused.status == 503
        assert int(refused.answer.headers["Retry-After"]) > 0
        assert "8 live searches" in refused.problem()["detail"]
    radios.pop().close()
    until(lambda: len(house.subscriptions) == 7)
    with house.radio(keys[0]) as refused:
        assert refused.status == 429
        assert int(refused.answer.headers["Retry-After"]) > 0
    with house.radio(keys[4]) as welcome:
        assert welcome.status == 200
    for radio in radios:
        radio.close()


def test_there_may_be_none(host: Host) -> None:
    with host(serve__streams=0).radio() as radio:
        assert radio.status == 503


def test_a_revoked_key_hears_nothing_more(house: House) -> None:
    made = house.memory.keys.create(user="me", scopes=["read"])
    with house.radio(made.secret) as radio, house.radio() as other:
        radio.wait_for("ready")
        house.memory.keys.revoke(made.key.id)
        house.memory.user("me").remember("A secret between the others")
        assert radio.rest() == []
        assert other.wait_for("hit")
    with house.radio(made.secret) as radio:
        assert radio.status == 401


def test_a_silent_stream_ends_with_its_key(host: Host, clock: SteppingClock) -> None:
    house = host(serve__heartbeat_s=0.1)
    revoked = house.memory.keys.create(user="me", scopes=["read"])
    short = house.memory.keys.create(user="me", scopes=["read"], expires_at=clock.now().replace(year=2027))
    with house.radio(revoked.secret) as first, house.radio(short.secret) as second:
        for radio in (first, second):
            radio.wait_for("")
        house.memory.keys.revoke(revoked.key.id)
        assert {event.comment for event in first.rest()} <= {"still here"}
        second.wait_for("")
        clock.advance(days=400)
        assert {event.comment for event in second.rest()} <= {"still here"}


def test_the_end_of_the_service_ends_them(open_memory: OpenMemory) -> None:
    memory = open_memory(embedding__provider="none")
    with hosting(memory, patience_s=3_600.0) as house:
        radios = [house.radio(query="bicycle") for _ in range(3)]
        deaf = _deaf(house)
        until(lambda: len(house.subscriptions) == 4)
        _store_long(house, _MANY)
        began = monotonic()
    assert monotonic() - began < PATIENCE_S / 2, "it waited for those who never end"
    for radio in radios:
        assert {event.name for event in radio.rest()} == {"ready"}
        radio.close()
    deaf.close()


def test_a_ring_that_is_lost_costs_a_moment(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions._ChangeWatcher, "run", lambda _: None)
    house = host({"look_every_s": 0.1})
    with house.radio() as radio:
        radio.wait_for("ready")
        house.memory.user("me").remember("Nobody rang")
        assert radio.wait_for("hit").id == 1


def test_a_store_that_was_away_is_gone_on_with(server: Server) -> None:
    database = server.fresh()
    name = database.partition("?")[0].rpartition("/")[2]
    settings: dict[str, Any] = {"serve.heartbeat_s": 0.1, "postgres.connect_timeout_s": 5}
    with (
        open_store(database, **settings) as memory,
        hosting(memory, look_every_s=0.1) as house,
        house.radio() as radio,
        house.radio() as other,
    ):
        memory.user("me").remember("Before")
        assert [one.wait_for("hit").id for one in (radio, other)] == [1, 1]
        with server.admin() as admin:
            _shut(admin, name)
            for one in (radio, other):
                for _ in range(3):
                    assert (event := one.hear()) is not None
                    assert event.comment == "still here"
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        until(lambda: _stored(house, "After"))
        assert [one.wait_for("hit").id for one in (radio, other)] == [2, 2]
    server.drop(database)


def _stored(house: House, text: str) -> bool:
    try:
        house.memory.user("me").remember(text)
    except StoreUnavailable:
        return False
    return True


def _shut(admin: psycopg.Connection[tuple[object, ...]], name: str) -> None:
    admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))


def test_it_needs_a_key_that_may_read(house: House) -> None:
    with Radio(house.url, "rk_nobody") as radio:
        assert radio.status == 401
    writes = house.memory.keys.create(user="me", scopes=["write"]).secret
    with Radio(house.url, writes) as radio:
        assert radio.status == 403
    assert len(house.subscriptions) == 0
