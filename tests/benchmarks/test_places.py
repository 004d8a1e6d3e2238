"""The set about places is whole and fair, and the Nominatim that fails on purpose does what it says."""

import json
import socket
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.nominatim import HEALTHY, nominatim
from benchmarks.places import OWN_SET, load
from benchmarks.quality import BadSet

from recollect.model.geo import distance_km
from tests.rows import every
from tests.waiting import PATIENCE_S

ASKED = "/reverse?format=jsonv2&lat=49.19500&lon=16.60632"


def test_the_set_is_as_large_as_it_must_be() -> None:
    chosen = load()
    memories = chosen.memories.values()
    located = [one for one in memories if one.lat is not None or one.address or one.place_label]
    kinds = Counter(question.kind for question in chosen.questions)
    assert len(memories) >= 220
    assert len(memories) - len(located) >= 60
    assert kinds.keys() == {"here", "anywhere"}
    assert kinds["here"] >= 60
    assert kinds["anywhere"] >= 40


def test_nothing_is_there_twice() -> None:
    chosen = load()
    lines = (OWN_SET / "memories.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(chosen.memories) == len({one.content for one in chosen.memories.values()})
    assert len({question.id for question in chosen.questions}) == len(chosen.questions)
    places = [(question.text, question.location) for question in chosen.questions]
    assert len(set(places)) == len(places)


def test_what_is_asked_here_is_answered_here_unless_only_the_kind_of_place_is_known() -> None:
    """And what may be asked anywhere is answered elsewhere, as it would prove nothing otherwise."""
    chosen = load()
    for question in chosen.questions:
        place = question.location
        assert place != type(place)(), "each is asked somewhere"
        for answer in (chosen.memories[name] for name in question.relevant):
            if place.lat is None or place.lng is None or answer.lat is None or answer.lng is None:
                assert question.kind == "anywhere" or answer.place_label or answer.address or place.address
                continue
            away = distance_km(place.lat, place.lng, answer.lat, answer.lng)
            if question.kind == "anywhere":
                assert away > 1, question
            else:
                assert away < 0.2 or (place.place_label and answer.place_label), question


def test_a_set_with_an_unknown_answer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memories.jsonl").write_text('{"id": "a", "text": "Tea"}\n', encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(
        '{"id": "q", "text": "What?", "kind": "here", "relevant": ["b"]}\n', encoding="utf-8"
    )
    with pytest.raises(BadSet, match="question q is answered by"):
        load(tmp_path)


def test_a_healthy_nominatim_says_where_that_is() -> None:
    with nominatim(HEALTHY) as running, urllib.request.urlopen(running.url + ASKED, timeout=PATIENCE_S) as answer:  # noqa: S310 - loopback
        said = json.load(answer)
    assert running.asked == 1
    assert (said["lat"], said["lon"]) == ("49.19500", "16.60632")
    assert said["address"]["country_code"] == "cz"


@every(("mood", "status"), [("5xx", 503), ("429", 429)])
def test_one_that_refuses_does_so(mood: str, status: int) -> None:
    with nominatim(mood) as running, pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(running.url + ASKED, timeout=PATIENCE_S)  # noqa: S310 - loopback
    with refused.value as answer:
        assert answer.code == status


@every(("mood", "begins"), [("HTML", b"<!DOCTYPE html>"), ("50 MB", b"    ")])
def test_one_that_talks_nonsense_does_so(mood: str, begins: bytes) -> None:
    with nominatim(mood) as running, urllib.request.urlopen(running.url + ASKED, timeout=PATIENCE_S) as answer:  # noqa: S310 - loopback
        assert answer.read(len(begins)) == begins
        assert mood != "50 MB" or int(answer.headers["Content-Length"]) == 50 * 2**20


def test_one_that_hangs_and_one_that_is_down() -> None:
    with nominatim("hanging") as running, pytest.raises((TimeoutError, socket.timeout)):
        urllib.request.urlopen(running.url + ASKED, timeout=0.2)  # noqa: S310 - loopback
    with nominatim("down") as running, pytest.raises(urllib.error.URLError, match="refused"):
        urllib.request.urlopen(running.url + ASKED, timeout=PATIENCE_S)  # noqa: S310 - loopback
