"""The server that others test against does what it says."""

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.providers.activity import Activity
from tests.providers.faults import MORE_FAULTS
from tests.providers.server import FAULTS, ProviderServer
from tests.providers.vectors import vector_of
from tests.rows import every
from tests.waiting import PATIENCE_S


def post(server: ProviderServer, text: str = "tea", timeout_s: float = PATIENCE_S) -> tuple[int, bytes]:
    parts = urlsplit(server.url("openai"))
    connection = http.client.HTTPConnection(parts.netloc, timeout=timeout_s)
    try:
        body = json.dumps({"model": "text-embedding-3-small", "input": [text], "dimensions": 8})
        connection.request("POST", f"{parts.path}/embeddings", body)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_there_are_sixteen_faults() -> None:
    assert len(set(FAULTS)) == len(FAULTS) == 16
    assert not set(FAULTS) & set(MORE_FAULTS)


def test_a_fault_must_be_known() -> None:
    with ProviderServer() as server, pytest.raises(ValueError, match="Unknown fault: sleepy"):
        server.fault = "sleepy"


@every("fault", FAULTS)
def test_a_fault_comes_and_goes(fault: str) -> None:
    with ProviderServer(slow_s=1.5) as server:
        port = urlsplit(server.url("openai")).port
        good = post(server)
        server.fault = fault
        try:
            found = post(server, timeout_s=0.3 if fault in {"slow", "hang"} else PATIENCE_S)
        except (OSError, http.client.HTTPException):
            found = (0, b"")
        # In a list of one there is no order to get wrong.
        assert (found == good) == (fault == "swapped")
        server.fault = None
        assert urlsplit(server.url("openai")).port == port
        assert post(server) == good


def test_a_fault_may_last_for_so_many_requests() -> None:
    with ProviderServer() as server, server.misbehaving("error_500", times=2):
        assert [post(server)[0] for _ in range(4)] == [500, 500, 200, 200]


def test_what_was_asked_is_recorded() -> None:
    with ProviderServer() as server:
        post(server, "one")
        post(server, "two")
        assert server.texts == ["one", "two"]
        assert [request.path for request in server.requests] == ["/openai/v1/embeddings"] * 2


def test_activity_is_the_share_of_time_with_a_request_under_way() -> None:
    now_s = 0.0
    activity = Activity(lambda: now_s)
    with activity.watched() as watch:
        now_s += 3
        with activity.request():
            now_s += 0.5
            with activity.request():
                now_s += 0.5
    assert (watch.share, activity.most_at_once) == (0.25, 2)


def test_activity_counts_the_requests_of_a_server() -> None:
    with ProviderServer(latency_s=0.05) as server:
        with server.activity.watched() as watch, ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda _: post(server), range(8)))
        assert 0 < watch.share <= 1.0
        assert server.activity.most_at_once >= 1


def test_texts_that_share_words_are_near() -> None:
    roof, other, tea = (vector_of(text, "any", "m", 256) for text in ("the wooden roof", "a wooden roof", "green tea"))
    assert roof @ other > 0.5 > roof @ tea
    np.testing.assert_array_equal(roof, vector_of("the wooden roof", "any", "m", 256))
    for changed in (vector_of("the wooden roof", "query", "m", 256), vector_of("the wooden roof", "any", "n", 256)):
        assert 0.8 < roof @ changed < 0.999
