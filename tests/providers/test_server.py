"""The server that others test against does what it says."""

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.providers.faults import MORE_FAULTS
from tests.providers.server import FAULTS, ProviderServer
from tests.providers.vectors import vector_of


def post(server: ProviderServer, text: str = "tea", timeout_s: float = 5.0) -> tuple[int, bytes]:
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


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_comes_and_goes(fault: str) -> None:
    with ProviderServer(slow_s=1.5) as server:
        port = urlsplit(server.url("openai")).port
        good = post(server)
        server.fault = fault
        try:
            found = post(server, timeout_s=0.3 if fault in {"slow", "hang"} else 5.0)
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


def test_it_measures_how_busy_it_is_kept() -> None:
    with ProviderServer(latency_s=0.1) as server:
        post(server)
        with server.activity.watched() as watch:
            time.sleep(0.3)
            post(server)
        assert 0.1 < watch.share < 0.5
        with server.activity.watched() as watch, ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda _: post(server), range(8)))
        assert 0.6 < watch.share <= 1.0
        assert server.activity.most_at_once in (2, 3)  # one may be counted while it says goodbye


def test_texts_that_share_words_are_near() -> None:
    roof, other, tea = (vector_of(text, "any", "m", 256) for text in ("the wooden roof", "a wooden roof", "green tea"))
    assert roof @ other > 0.5 > roof @ tea
    np.testing.assert_array_equal(roof, vector_of("the wooden roof", "any", "m", 256))
    for changed in (vector_of("the wooden roof", "query", "m", 256), vector_of("the wooden roof", "any", "n", 256)):
        assert 0.8 < roof @ changed < 0.999
