"""Live search as a part of the whole service: stored by one request, heard by another."""

from http import HTTPStatus

from tests.service.conftest import Running, Serve
from tests.service.live.radio import Radio


def _hear(service: Running, key: str) -> None:
    with service.client(key) as client, Radio(service.url, key, query="bicycle") as radio:
        assert radio.wait_for("ready").id is not None
        for content in ("The oven is broken", "My bicycle is green"):
            answer = client.post("/api/memories/unified", json={"content": content})
            assert answer.status_code == HTTPStatus.CREATED
        hit = radio.wait_for("hit")
        assert hit.data
        assert hit.data["content"] == "My bicycle is green"
        document = client.get("/openapi.json").json()["paths"]["/api/stream"]["get"]
    assert "text/event-stream" in document["responses"]["200"]["content"]
    names = {one["name"].lower() for one in document["parameters"]}
    assert {"query", "min_score", "sources", "type", "after", "last-event-id"} <= names


def test_what_one_request_stores_another_hears(serve: Serve) -> None:
    service = serve(embedding__provider="none")
    _hear(service, service.key())
