"""The bucket of each key: how much it holds, how it fills, and how many are remembered."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.web.body_limits import RateLimiter, rate_limit_exceeded


class Hand:
    """A clock that somebody else sets."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def test_a_burst_passes_and_then_one_at_a_time() -> None:
    clock = Hand()
    throttle = RateLimiter(60, 3, now=clock)
    assert [throttle.take("k") for _ in range(3)] == [0, 0, 0]
    assert throttle.take("k") == pytest.approx(1)
    clock.time += 0.25
    assert throttle.take("k") == pytest.approx(0.75)
    clock.time += 0.75
    assert throttle.take("k") == 0
    assert throttle.take("k") > 0


def test_rest_fills_it_no_more_than_full() -> None:
    clock = Hand()
    throttle = RateLimiter(60, 3, now=clock)
    throttle.take("k")
    clock.time += 10_000
    assert sum(throttle.take("k") == 0 for _ in range(10)) == 3


def test_keys_do_not_wait_for_each_other() -> None:
    throttle = RateLimiter(1, 1, now=Hand())
    assert throttle.take("a") == 0
    assert throttle.take("a") > 0
    assert throttle.take("b") == 0


def test_a_clock_that_goes_back_gives_nothing_away_and_takes_nothing() -> None:
    clock = Hand()
    throttle = RateLimiter(60, 1, now=clock)
    assert throttle.take("k") == 0
    clock.time -= 100
    assert throttle.take("k") == pytest.approx(1)


def test_full_buckets_are_forgotten() -> None:
    clock = Hand()
    throttle = RateLimiter(60, 5, now=clock)
    for number in range(100):
        throttle.take(f"k{number}")
    clock.time += 5
    for _ in range(60):
        throttle.take("again")
    assert len(throttle) == 1


def test_no_more_than_so_many_are_remembered() -> None:
    throttle = RateLimiter(1, 5, now=Hand(), most=10)
    for number in range(1_000):
        throttle.take(f"k{number}")
        assert len(throttle) <= 10
    assert throttle.take("k999") == 0
    assert len(throttle) == 10


@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 30)), max_size=60), st.integers(1, 5))
def test_nobody_gets_more_than_burst_and_rate_allow(steps: list[tuple[str, float]], burst: int) -> None:
    clock = Hand()
    throttle = RateLimiter(6, burst, now=clock)
    passed = {"a": 0, "b": 0}
    for key, pause_s in steps:
        clock.time += pause_s
        wait_s = throttle.take(key)
        assert 0 <= wait_s <= 10
        passed[key] += wait_s == 0
    assert all(count <= burst + (clock.time - 1000) / 10 + 1e-6 for count in passed.values())


def test_whoever_waits_as_told_gets_through() -> None:
    clock = Hand()
    throttle = RateLimiter(7, 1, now=clock)
    throttle.take("k")
    for _ in range(50):
        clock.time += throttle.take("k") + 1e-9
        assert throttle.take("k") == 0


def test_threads_share_it() -> None:
    throttle = RateLimiter(1, 500, now=Hand())
    with ThreadPoolExecutor(8) as threads:
        waits = list(threads.map(lambda _: throttle.take("k"), range(4_000)))
    assert waits.count(0) == 500


def test_the_refusal_says_how_long() -> None:
    refused = rate_limit_exceeded(1.2)
    assert (refused.status, refused.headers) == (429, {"Retry-After": "2"})
    assert "2 s" in refused.detail
    assert rate_limit_exceeded(0.001).headers == {"Retry-After": "1"}


def test_much_work_costs_much_and_may_leave_a_debt() -> None:
    clock = Hand()
    throttle = RateLimiter(60, 10, now=clock)
    assert [throttle.take("k", 4) for _ in range(2)] == [0, 0]
    assert throttle.take("k", 4) == pytest.approx(2)
    assert throttle.take("k", 2) == 0
    assert throttle.take("k", 25) == pytest.approx(10), "more than a burst needs a full bucket"
    clock.time += 10
    assert throttle.take("k", 25) == 0
    assert throttle.take("k") == pytest.approx(16)


def test_what_a_request_turned_out_to_cost_is_owed() -> None:
    clock = Hand()
    throttle = RateLimiter(60, 10, now=clock)
    assert throttle.take("k") == 0
    throttle.owe("k", 29)
    assert throttle.take("k") == pytest.approx(21)
    assert throttle.take("other") == 0
    clock.time += 21
    assert throttle.take("k") == 0
