"""Media over HTTP: sent, stored, found and given back; never fetched, and never shown as what they are not."""

import io
import socket
import threading

import httpx2
import pytest
from PIL import Image

from recollect import plugins
from recollect.client import Client
from recollect.errors import InvalidInput, NotFound
from tests.rows import every
from tests.service.conftest import Running, Serve

SOUND = b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\0" * 8
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>alert(1)</script>"


def picture(colour: str = "red") -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(data, "PNG")
    return data.getvalue()


def send(client: httpx2.Client, data: bytes) -> httpx2.Response:
    return client.post("/api/media", content=data, headers={"Content-Type": "text/html"})


@pytest.fixture
def running(serve: Serve) -> Running:
    return serve(embedding__provider="none", files__media_mb=1)


def test_a_picture_from_beginning_to_end(running: Running) -> None:
    with running.client(running.key()) as anna, running.client(running.key("ben")) as ben:
        sent = send(anna, picture())
        assert sent.status_code == 201, sent.text
        media = sent.json()
        assert (media["kind"], media["mime"], media["width"], media["size"]) == (
            "image",
            "image/png",
            40,
            len(picture()),
        )
        address = f"/api/media/{media['original']}"
        assert anna.get(address).status_code == 404  # nothing has it yet
        shown = {**media, "caption": "The velvet sofa"}
        stored = anna.post("/api/memories/unified", json={"content": "For the hall", "media": [shown]}).json()
        (hit,) = anna.get("/api/memories/search", params={"query": "velvet"}).json()["hits"]
        assert (hit["id"], hit["media"]) == (stored["id"], [shown])
        assert anna.get(f"/api/memories/{stored['id']}").json()["media"] == [shown]
        given = anna.get(address)
        assert (given.content, given.headers["content-type"]) == (picture(), "image/png")
        assert given.headers["content-disposition"] == "inline"
        assert given.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in given.headers["content-security-policy"]
        assert given.headers["cache-control"] == "no-store"
        assert ben.get(address).status_code == 404
        taken = ben.post("/api/memories/unified", json={"content": "Mine", "media": [media]})
        assert (taken.status_code, "no original" in taken.json()["detail"]) == (422, True)
        changed = anna.patch(f"/api/memories/{stored['id']}", json={"media": []})
        assert changed.json()["media"] == []
        assert anna.get(address).status_code == 200  # the version before has it
        anna.delete(f"/api/memories/{stored['id']}")
        assert anna.get(address).status_code == 404


@every("data", [SVG, HTML, b"%PDF-1.4\n", b"\x89PNG\r\n\x1a\n", b"\xff\xfe<\0s\0v\0g\0>\0"])
def test_what_is_no_picture_is_never_shown(running: Running, data: bytes) -> None:
    with running.client(running.key()) as anna:
        media = send(anna, data).json()
        anna.post("/api/memories/unified", json={"content": "Look", "media": [{**media, "mime": "image/png"}]})
        given = anna.get(f"/api/media/{media['original']}")
        assert given.content == data
        if data.startswith(b"\x89PNG"):
            return  # damaged, and no more than a picture that is not seen
        assert given.headers["content-type"] == "application/octet-stream"
        assert given.headers["content-disposition"].startswith("attachment")


def test_what_cannot_be_told_by_its_bytes_is_to_be_saved(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with running.client(running.key()) as anna:
        original = send(anna, picture()).json()["original"]
        anna.post("/api/memories/unified", json={"content": "A", "media": [{"kind": "image", "original": original}]})
        monkeypatch.setattr(plugins, "_tables", [])
        answer = anna.get(f"/api/media/{original}")
    assert (answer.content, answer.headers["content-type"]) == (picture(), "application/octet-stream")
    assert answer.headers["content-disposition"].startswith("attachment")


def test_what_is_too_large_is_refused(running: Running) -> None:
    with running.client(running.key()) as anna:
        assert send(anna, b"x" * (2**20 + 1)).status_code == 413
        assert send(anna, b"").status_code == 422
        many = [{"url": "https://example.org/a.png"}] * 21
        assert anna.post("/api/memories/unified", json={"content": "Many", "media": many}).status_code == 422


def test_nothing_is_fetched_from_a_url(running: Running) -> None:
    asked = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server, running.client(running.key()) as anna:

        def wait() -> None:
            try:
                server.accept()[0].close()
                asked.set()
            except OSError:
                return

        waiting = threading.Thread(target=wait)
        waiting.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.png"
        stored = anna.post("/api/memories/unified", json={"content": "A link", "media": [{"url": url}]}).json()
        assert anna.get(f"/api/memories/{stored['id']}").json()["media"][0]["url"] == url
        anna.get("/api/memories/search", params={"query": "link"})
        server.shutdown(socket.SHUT_RDWR)
        waiting.join()
    assert not asked.is_set()


def test_the_client_sends_and_reads_media(running: Running) -> None:
    with Client.open(running.url, key=running.key()) as memory:
        me = memory.me
        media = me.media.add(picture(), caption="The velvet sofa")
        stored = me.remember("For the hall", media=[media])
        (hit,) = me.recall("velvet").hits
        assert (hit.id, hit.media) == (stored.id, (media,))
        assert me.media.original(media.original) == picture()
        said = me.conversation("c1").append("user", media=[me.media.add(SOUND, transcript="Begonias")])
        assert said.message is not None
        assert said.message.media[0].transcript == "Begonias"
        with pytest.raises(NotFound):
            me.media.original("0" * 64)
        with pytest.raises(InvalidInput):
            me.remember("Not a picture", media=[{"url": "javascript:alert(1)"}])
