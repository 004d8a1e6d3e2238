"""Requests that wait: in order, bounded, for one target, delivered by one process at a time."""

from pathlib import Path

import pytest

from recollect_connect.hook_client.spool import DELIVERED, LATER, REFUSED, Spool, SpooledRequest, SpoolFull


def spool(folder: Path, target: str = "here", largest_bytes: int = 10_000) -> Spool:
    return Spool(str(folder / "spool"), target, largest_bytes)


def delivered(waiting: Spool) -> list[object]:
    bodies = []

    def send(request: SpooledRequest) -> str:
        bodies.append(request.body)
        return DELIVERED

    assert waiting.deliver(send)
    return bodies


def test_requests_are_delivered_in_their_order_and_once(tmp_path: Path) -> None:
    waiting = spool(tmp_path)
    assert delivered(waiting) == []
    for number in range(12):
        waiting.add("/path", number)
    assert waiting.status().waiting == 12
    assert delivered(spool(tmp_path)) == list(range(12))
    assert delivered(waiting) == []


def test_a_request_that_is_not_taken_holds_up_those_behind_it(tmp_path: Path) -> None:
    waiting = spool(tmp_path)
    waiting.add("/path", 1)
    waiting.add("/path", 2)
    tried = []

    def send(request: SpooledRequest) -> str:
        tried.append(request.body)
        return LATER

    assert not waiting.deliver(send)
    assert tried == [1]
    assert delivered(waiting) == [1, 2]


def test_a_send_that_raises_leaves_its_request(tmp_path: Path) -> None:
    waiting = spool(tmp_path)
    waiting.add("/path", 1)

    def send(request: SpooledRequest) -> str:
        raise RuntimeError(request.path)

    with pytest.raises(RuntimeError):
        waiting.deliver(send)
    assert delivered(waiting) == [1]


def test_what_exceeds_the_size_displaces_refused_requests_and_then_the_oldest(tmp_path: Path) -> None:
    waiting = spool(tmp_path, largest_bytes=1_000)
    waiting.add("/path", "refused" + "." * 200)
    waiting.deliver(lambda _: REFUSED)
    for letter in "abcd":
        waiting.add("/path", letter * 200)
    status = waiting.status()
    assert status.size_bytes <= 1_000
    assert (status.refused, status.dropped, waiting.displaced) == (0, 2, 2)
    assert [str(body)[0] for body in delivered(waiting)] == ["b", "c", "d"]
    with pytest.raises(SpoolFull):
        waiting.add("/path", "x" * 1_000)


def test_a_request_goes_to_no_other_target(tmp_path: Path) -> None:
    spool(tmp_path, "http://a anna").add("/path", 1)
    assert delivered(spool(tmp_path, "http://a ben")) == []
    assert delivered(spool(tmp_path, "http://a anna")) == [1]


def test_while_one_process_delivers_another_leaves_it_alone(tmp_path: Path) -> None:
    waiting = spool(tmp_path)
    waiting.add("/path", 1)

    def send(_: SpooledRequest) -> str:
        assert not spool(tmp_path).deliver(lambda _: DELIVERED)  # as another process would
        return DELIVERED

    assert waiting.deliver(send)
    assert waiting.status().waiting == 0


def test_a_file_that_was_cut_is_kept_aside(tmp_path: Path) -> None:
    waiting = spool(tmp_path)
    waiting.add("/path", 1)
    (file,) = (tmp_path / "spool").glob("*.json")
    file.write_bytes(file.read_bytes()[:20])
    waiting.add("/path", 2)
    assert delivered(waiting) == [2]
    assert waiting.status().refused == 1


def test_what_waits_can_be_read_and_discarded(tmp_path: Path) -> None:
    waiting = spool(tmp_path)
    spool(tmp_path, "elsewhere").add("/path", 1)
    for number in (1, 2):
        waiting.add("/path", number)
    assert [request.body for request in waiting.waiting()] == [1, 2]
    assert waiting.discard(lambda request: request.body == 1) == 1
    assert delivered(waiting) == [2]
    assert delivered(spool(tmp_path, "elsewhere")) == [1]
