"""How often a server of others is asked."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest

from recollect.errors import GeocoderUnavailable
from recollect.geocoding import nominatim
from recollect.geocoding.nominatim import NominatimGeocoder
from recollect.geocoding.rate_limit import RequestPacer, TooBusy, is_own
from tests.geocoding.server import NominatimServer
from tests.rows import every


class Clock:
    """A clock that only sleeping moves on."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def paced(per_s: float) -> tuple[RequestPacer, Clock]:
    clock = Clock()
    return RequestPacer(per_s, monotonic=clock.monotonic, sleep=clock.sleep), clock


def test_the_first_does_not_wait_and_the_next_does() -> None:
    pacer, clock = paced(2)
    assert [pacer.wait(10), pacer.wait(10), pacer.wait(10)] == [0.0, 0.5, 0.5]
    clock.now += 60
    assert pacer.wait(10) == 0.0
    assert clock.slept == [0.5, 0.5]


def test_who_would_wait_too_long_is_told_and_takes_nobodys_turn() -> None:
    pacer, clock = paced(1)
    pacer.wait(0)
    for _ in range(5):
        with pytest.raises(TooBusy) as caught:
            pacer.wait(0.9)
        assert caught.value.wait_s == 1.0
    assert pacer.wait(1.0) == 1.0
    assert clock.slept == [1.0]


def test_nobody_is_paced_at_zero_and_all_are_held() -> None:
    pacer, clock = paced(0)
    assert [pacer.wait(0) for _ in range(100)] == [0.0] * 100
    pacer.hold(10)
    pacer.hold(5)
    with pytest.raises(TooBusy):
        pacer.wait(9)
    clock.now += 10
    assert pacer.wait(0) == 0.0
    pacer.hold(10**9)
    clock.now += 3_600
    assert pacer.wait(0) == 0.0


def test_threads_share_the_turns() -> None:
    moments: list[float] = []
    lock = Lock()
    pacer = RequestPacer(50)

    def turn(_: int) -> None:
        pacer.wait(60)
        with lock:
            moments.append(time.monotonic())

    started = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(turn, range(12)))
    assert max(moments) - started >= 11 / 50 - 0.001


@every(
    "host",
    ["localhost", "127.0.0.1", "::1", "10.1.2.3", "192.168.0.9", "172.20.1.1", "fd00::1", "nominatim", "NAS.local",
     "maps.internal", "maps.internal.", "a.localhost", "169.254.1.1"],
)  # fmt: skip
def test_what_is_ones_own(host: str) -> None:
    assert is_own(host)


@every("host", ["nominatim.openstreetmap.org", "8.8.8.8", "2001:4860:4860::8888", "local.example", "internal.org"])
def test_what_is_not(host: str) -> None:
    assert not is_own(host)


def test_a_server_of_others_is_asked_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nominatim, "is_own", lambda host: False)
    clock = Clock()
    with NominatimServer() as server:
        geocoder = NominatimGeocoder(server.url, monotonic=clock.monotonic, sleep=clock.sleep)
        assert geocoder.reverse(1, 1)
        assert geocoder.find("Brno")
        assert clock.slept == [1.0]
        clock.now -= 0.5  # as if the last had been asked half a second later
        with pytest.raises(GeocoderUnavailable, match="requests_per_s") as caught:
            geocoder.reverse(1, 1)
        assert caught.value.retry_after_s == 1.5
        assert len(server.requests) == 2
        geocoder.close()


def test_nobody_waits_for_a_turn_at_a_server_that_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nominatim, "is_own", lambda host: False)
    clock = Clock()
    with NominatimServer() as server:
        server.fault = "error_500"
        geocoder = NominatimGeocoder(server.url, requests_per_s=1_000, monotonic=clock.monotonic, sleep=clock.sleep)
        for _ in range(10):
            with pytest.raises(GeocoderUnavailable):
                geocoder.reverse(1, 1)
        assert len(server.requests) == 3
        assert len(clock.slept) == 2
        geocoder.close()


def test_ones_own_server_is_asked_as_often_as_need_be() -> None:
    with NominatimServer() as server:
        clock = Clock()
        geocoder = NominatimGeocoder(server.url, monotonic=clock.monotonic, sleep=clock.sleep)
        for _ in range(20):
            assert geocoder.reverse(1, 1)
        assert clock.slept == []
        geocoder.close()
