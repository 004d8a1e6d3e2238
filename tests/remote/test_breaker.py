from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.http_client import BreakerOpen, BreakerPass, CircuitBreaker


class Ticks:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def breaker(ticks: Ticks) -> CircuitBreaker:
    return CircuitBreaker(failures=3, first_pause_s=5.0, longest_pause_s=40.0, monotonic=ticks)


def fail(breaker: CircuitBreaker, times: int = 1, asked_s: float | None = None) -> None:
    for _ in range(times):
        breaker.failed(breaker.admit(), asked_s)


def wait_s(breaker: CircuitBreaker) -> float:
    with pytest.raises(BreakerOpen) as caught:
        breaker.admit()
    return caught.value.wait_s


def test_it_lets_through_what_works(breaker: CircuitBreaker) -> None:
    for _ in range(20):
        breaker.succeeded(breaker.admit())


def test_it_opens_after_so_many_failures_in_a_row(breaker: CircuitBreaker) -> None:
    fail(breaker, 2)
    breaker.succeeded(breaker.admit())
    fail(breaker, 2)
    fail(breaker)
    assert wait_s(breaker) == 5.0
    assert breaker.failures == 3


def test_the_pause_passes(breaker: CircuitBreaker, ticks: Ticks) -> None:
    fail(breaker, 3)
    ticks.now += 4.0
    assert wait_s(breaker) == 1.0
    ticks.now += 1.0
    assert breaker.admit() == BreakerPass(probe=True)


def test_exactly_one_probe_goes_through(breaker: CircuitBreaker, ticks: Ticks) -> None:
    fail(breaker, 3)
    ticks.now += 5.0

    def admitted(_: int) -> bool:
        try:
            return breaker.admit().probe
        except BreakerOpen:
            return False

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert sum(pool.map(admitted, range(100))) == 1
    assert wait_s(breaker) > 0


def test_a_good_probe_closes_it(breaker: CircuitBreaker, ticks: Ticks) -> None:
    fail(breaker, 3)
    ticks.now += 5.0
    breaker.succeeded(breaker.admit())
    assert [breaker.admit() for _ in range(3)] == [BreakerPass(probe=False)] * 3
    fail(breaker, 3)
    assert wait_s(breaker) == 5.0  # the pause has forgotten how long it was


def test_pauses_grow_up_to_a_limit(breaker: CircuitBreaker, ticks: Ticks) -> None:
    fail(breaker, 3)
    pauses = [wait_s(breaker)]
    for _ in range(4):
        ticks.now += pauses[-1]
        fail(breaker)
        pauses.append(wait_s(breaker))
    assert pauses == [5.0, 10.0, 20.0, 40.0, 40.0]


def test_the_server_may_ask_for_a_longer_pause(breaker: CircuitBreaker, ticks: Ticks) -> None:
    fail(breaker, 2)
    fail(breaker, asked_s=60.0)
    assert wait_s(breaker) == 60.0
    ticks.now += 60.0
    fail(breaker, asked_s=1.0)
    assert wait_s(breaker) == 10.0


def test_nobody_may_ask_for_days(breaker: CircuitBreaker) -> None:
    fail(breaker, 2)
    fail(breaker, asked_s=1e9)
    assert wait_s(breaker) == 3600.0


def test_calls_from_before_change_nothing_but_the_pause(breaker: CircuitBreaker) -> None:
    late = [breaker.admit() for _ in range(3)]
    fail(breaker, 3)
    breaker.failed(late[0])
    assert wait_s(breaker) == 5.0
    breaker.failed(late[1], 30.0)
    assert wait_s(breaker) == 30.0
    breaker.succeeded(late[2])
    assert breaker.admit() == BreakerPass(probe=False)


def test_a_probe_that_is_given_up_lets_another_try(breaker: CircuitBreaker, ticks: Ticks) -> None:
    fail(breaker, 3)
    ticks.now += 5.0
    breaker.abandoned(breaker.admit())
    assert breaker.admit() == BreakerPass(probe=True)


def test_how_long_it_rests_can_be_asked_without_asking(breaker: CircuitBreaker, ticks: Ticks) -> None:
    fail(breaker, 2)
    assert breaker.wait_s == 0.0
    fail(breaker)
    ticks.now += 2.0
    assert breaker.wait_s == 3.0
    ticks.now += 60.0
    assert breaker.wait_s == 0.0
    assert breaker.admit() == BreakerPass(probe=True)
