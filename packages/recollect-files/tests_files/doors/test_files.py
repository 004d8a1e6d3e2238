"""Files over HTTP: sent, found, read back, forgotten; and that a client cannot make the service read its disk."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.rows import every
from tests.service.conftest import Running, Serve
from tests.waiting import PATIENCE_S

from recollect.client import Client
from recollect.service.admission.admission import DOCUMENTS_AT_ONCE, MOST_DOCUMENTS, RequestAdmission
from recollect.web.problems import RequestRefused
from recollect_files.doors.uploads import read_upload
from tests_files.documents.building import docx, paragraph

ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # what the store has no part in
SETUP = b"# Setup\n\nThe router stands in the cellar.\n\n## Codes\n\nThe gate opens with a drumbeat.\n"
STRANGE = "01900000-0000-7000-8000-000000000000"


def send(client: httpx2.Client, content: bytes, name: str = "setup.md", **params: Any) -> httpx2.Response:
    return client.post("/api/files", content=content, params={"name": name, **params})


@pytest.fixture
def running(serve: Serve) -> Running:
    return serve(embedding__provider="none")


def test_an_original_that_says_what_is_forgotten_is_named_until_it_goes(running: Running) -> None:
    with running.client(running.key()) as anna, running.client(running.key(scopes=("admin",))) as admin:
        routes = (
            ("setup.md", "ask", "The router stands in the cellar"),
            ("o.md", "forget", "The gate opens with a drumbeat"),
        )
        for name, fate, said in routes:
            made = send(anna, SETUP + name.encode(), name).json()["id"]
            asked = {"query": said, "receipt": True, "documents": fate}
            told = anna.post("/api/forget", json=asked, headers={"Idempotency-Key": name}).json()
            assert (f"{said}." in [item["text"] for item in told["items"]]) == (fate == "ask")
            assert (made in told["receipt"]["kept"]) == (fate == "ask")
            assert bool([line for line in told["receipt"]["not_covered"] if name in line]) == (fate == "ask")
            check = admin.post("/api/verify-erasure", json={"receipt": told["receipt"]}).json()
            assert (check["erased"], check["kept"]) == (fate == "forget", [name] if fate == "ask" else [])
            assert anna.get(f"/api/files/{made}/original").status_code == (200 if fate == "ask" else 404)
            if fate == "ask":
                assert anna.post("/api/forget", json={"id": made}).json()["files"] == 1
                assert admin.post("/api/verify-erasure", json={"receipt": told["receipt"]}).json()["erased"]


@pytest.mark.on_both_stores
def test_a_document_from_beginning_to_end(running: Running) -> None:
    with running.client(running.key()) as anna, running.client(running.key("ben")) as ben:
        sent = send(anna, SETUP)
        assert sent.status_code == 201, sent.text
        made = sent.json()
        assert (made["action"], made["kind"], made["mime"], made["notes"]) == (
            "created",
            "markdown",
            "text/markdown",
            [],
        )
        again = send(anna, SETUP, "other.md")
        assert (again.status_code, again.json()["action"], again.json()["id"]) == (200, "duplicate", made["id"])
        listed = anna.get("/api/files").json()
        assert [(one["id"], one["path"], one["root"]) for one in listed["items"]] == [(made["id"], "setup.md", "")]
        assert listed["folders"] == []
        address = f"/api/files/{made['id']}"
        record = anna.get(address).json()
        assert (record["source"], record["size"], record["original"]) == ("document", len(SETUP), True)
        text = anna.get(f"{address}/text", params={"lines": "3-5"}).json()
        assert (text["text"], text["first"], text["last"]) == ("The router stands in the cellar.\n\n## Codes", 3, 5)
        assert text["origin"] == "store"
        original = anna.get(f"{address}/original")
        assert (original.content, original.headers["content-type"]) == (SETUP, "text/markdown")
        assert original.headers["content-disposition"].startswith('attachment; filename="setup.md"')
        assert original.headers["x-content-type-options"] == "nosniff"
        assert anna.get("/api/stats").json()["files"] == 1
        for path in (address, f"{address}/text", f"{address}/original"):
            assert ben.get(path).status_code == 404, path
        assert ben.delete(address).status_code == 404
        assert ben.get("/api/files").json()["items"] == []
        gone = anna.delete(address).json()
        assert (gone["action"], gone["ids"], gone["files"]) == ("deleted", [made["id"]], 1)
        assert anna.delete(address).status_code == 404
        assert anna.get(f"{address}/original").status_code == 404
    log = [(line.action, line.items) for line in running.memory.operations.audit_log("anna")]
    assert log == [("add-file", (made["id"],)), ("forget", (made["id"],))]


def test_files_are_found_by_every_search(running: Running) -> None:
    with running.client(running.key()) as anna:
        file_id = send(anna, SETUP).json()["id"]
        asked = {"query": "what opens the gate, a drumbeat?"}
        where = {"path": "setup.md", "start_line": 5, "end_line": 7, "heading": "Setup > Codes", "file_id": file_id}
        assert anna.get("/api/memories/search", params=asked).json()["hits"] == []
        for answer in (
            anna.get("/api/memories/search", params={**asked, "files": True}),
            anna.post("/api/context/search", json=asked),
            anna.post("/api/context/search", json={**asked, "sources": ["file"]}),
        ):
            hit = answer.json()["hits"][0]
            assert (hit["source"], hit["type"]) == ("file", "markdown")
            assert "drumbeat" in hit["content"]
            assert hit["metadata"].items() >= {"path": "setup.md", "file_id": file_id}.items()
            assert 1 <= hit["metadata"]["start_line"] <= where["end_line"] <= hit["metadata"]["end_line"] + 1
        simple = anna.post("/search", json=asked).json()[0]
        assert (simple["source_type"], simple["context"]["path"]) == ("file", "setup.md")
        prompt = {"session": "s1", "prompt": "Does a drumbeat open our gate?"}
        block = anna.post("/api/hooks/before-prompt", json=prompt).json()["block"]
        assert "[setup.md:" in block


@ON_SQLITE
def test_a_hit_says_that_its_file_is_gone(running: Running, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "setup.md").write_bytes(SETUP)
    running.memory.user("anna").files.sync(notes)
    asked = {"query": "what opens the gate, a drumbeat?"}
    call = {"name": "search_context", "arguments": asked}
    rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"Accept": "application/json, text/event-stream"}
    with running.client(running.key(), **accept) as anna, Client.open(running.url, key=running.key()) as client:
        assert "on_disk" not in anna.post("/api/context/search", json=asked).json()["hits"][0]
        (notes / "setup.md").unlink()
        assert anna.post("/api/context/search", json=asked).json()["hits"][0]["on_disk"] == "gone"
        assert anna.post("/search", json=asked).json()[0]["context"]["on_disk"] == "gone"
        assert client.me.search_context(asked["query"]).hits[0].on_disk == "gone"
        told = anna.post("/mcp", json=rpc).json()["result"]
        assert told["structuredContent"]["results"][0]["on_disk"] == "gone"
        assert "the file is no longer on disk" in told["content"][0]["text"]


def test_live_search_hears_of_files(running: Running) -> None:
    with (
        running.client(running.key()) as anna,
        anna.stream("GET", "/api/stream", params={"query": "drumbeat gate"}) as answer,
    ):
        lines = answer.iter_lines()
        assert any("ready" in line for line in lines)
        with running.client(running.key()) as other:
            send(other, SETUP)
        assert any('"source":"file"' in line and "setup.md" in line for line in lines)


@ON_SQLITE
def test_a_form_will_do_as_well(running: Running) -> None:
    with running.client(running.key()) as anna:
        sent = anna.post("/api/files", files={"file": ("Bröt.md", SETUP, "text/markdown")})
        assert sent.status_code == 201, sent.text
        assert anna.get("/api/files").json()["items"][0]["path"] == "Bröt.md"
        named = anna.post("/api/files", params={"name": "mine.md"}, files={"file": ("x.md", b"# Bread", "text/plain")})
        assert anna.get(f"/api/files/{named.json()['id']}").json()["path"] == "mine.md"
        original = anna.get(f"/api/files/{sent.json()['id']}/original")
        assert (
            original.headers["content-disposition"] == "attachment; filename=\"Br_t.md\"; filename*=UTF-8''Br%C3%B6t.md"
        )
        assert original.content == SETUP
        for wrong in ({"document": ("x.md", b"x")}, {"file": b"x", "file2": b"y"}):
            refused = anna.post("/api/files", files=wrong)
            assert refused.status_code == 422
            assert "Send one file in a part called `file`" in refused.json()["detail"]
        for body, kind in ((form_of(UNDECODABLE[0]), "boundary=b"), (FORM, "boundary*=undefined''b")):
            headers = {"Content-Type": f"multipart/form-data; {kind}"}
            refused = anna.post("/api/files", content=body, headers=headers)
            assert (refused.status_code, "cannot be decoded" in refused.json()["detail"]) == (422, True)


FORM = b'--b\r\nContent-Disposition: form-data; name="file"; filename="C:\\\\a\\b\\%22c%22.md"\r\n\r\n'
UNDECODABLE = (b"undefined''x", b"idna''a%ff", b"a\0b''x")


def form_of(name: bytes) -> bytes:
    """A form whose file says its name in an encoding of its own."""
    return b"--b\r\nContent-Disposition: form-data; name=file; filename*=%b\r\n\r\ntext\r\n--b--\r\n" % name


@every(
    ("body", "kind", "why"),
    [
        (b"", "multipart/form-data; boundary=b", "does not begin"),
        (b"--c\r\n", "multipart/form-data; boundary=b", "does not begin"),
        (FORM, "multipart/form-data", "no boundary"),
        (FORM, f"multipart/form-data; boundary={'b' * 71}", "no boundary"),
        (b"--b\r\n" + b"x" * 5_000, "multipart/form-data; boundary=b", "no end of its head"),
        (FORM + b"text", "multipart/form-data; boundary=b", "middle of a part"),
        (FORM + b"text\r\n--b\r\n", "multipart/form-data; boundary=b", "more than one"),
        (b"--b\r\nX: y\r\n\r\ntext\r\n--b--", "multipart/form-data; boundary=b", "not called `file`"),
        (FORM, "multipart/form-data; boundary*=undefined''b", "boundary cannot be decoded"),
        *((form_of(name), "multipart/form-data; boundary=b", "file cannot be decoded") for name in UNDECODABLE),
    ],
)
def test_forms_that_are_none(body: bytes, kind: str, why: str) -> None:
    with pytest.raises(RequestRefused, match=why):
        read_upload(body, kind)


def test_a_form_keeps_every_byte() -> None:
    inside = bytes(range(256)) + b"\r\n--bx\r\n--\r\n\n--b"
    sent = read_upload(FORM + inside + b"\r\n--b--\r\n", "multipart/form-data; boundary=b; charset=x")
    assert sent == ('"c".md', inside)
    assert read_upload(inside, "text/plain") == ("", inside)


@ON_SQLITE
def test_what_is_refused(running: Running, tmp_path: Path) -> None:
    with running.client(running.key()) as anna:
        nameless = anna.post("/api/files", content=SETUP)
        assert (nameless.status_code, "?name=setup.md" in nameless.json()["detail"]) == (422, True)
        broken = send(anna, b"%PDF-1.7\n1 0 obj\n<<>>\n%%EOF", "broken.pdf")
        assert broken.status_code == 422
        assert "broken.pdf" in broken.json()["detail"]
        packed = anna.post("/api/files", content=SETUP, headers={"Content-Encoding": "gzip"})
        assert packed.status_code == 415
        for lines in ("0-3", "3", "a-b", "1-9999999999"):
            assert anna.get(f"/api/files/{STRANGE}/text", params={"lines": lines}).status_code == 422
        made = send(anna, SETUP).json()["id"]
        assert anna.get(f"/api/files/{made}/text", params={"lines": "7-3"}).status_code == 422
        for name in ("setup.md", "..%2F..%2Fetc%2Fpasswd", STRANGE, "memory.db"):
            for path in (f"/api/files/{name}", f"/api/files/{name}/text", f"/api/files/{name}/original"):
                assert anna.get(path).status_code == 404, path
        assert len(anna.get("/api/files").json()["items"]) == 1


@ON_SQLITE
def test_the_setting_bounds_documents(serve: Serve) -> None:
    running = serve(embedding__provider="none", files__document_mb=1)
    with running.client(running.key()) as anna:
        most = 2**20
        line = b"word " * 15 + b"end.\n"
        text = (line * (most // len(line) + 1))[:most]
        assert send(anna, text).status_code == 201
        for larger in (text + b"x", text * 2):
            refused = send(anna, larger)
            assert (refused.status_code, refused.headers["content-type"]) == (413, "application/problem+json")
        assert anna.post("/api/memories/unified", content=text * 2).status_code in (413, 415)


@ON_SQLITE
def test_to_replace_is_to_forget(running: Running) -> None:
    with running.client(running.key(scopes=("write",))) as writer, running.client(running.key()) as anna:
        old = send(writer, SETUP).json()["id"]
        assert send(writer, b"# Newer", replace=True).status_code == 403
        newer = send(anna, b"# Newer", replace=True)
        assert (newer.status_code, newer.json()["action"]) == (201, "replaced")
        assert [one["id"] for one in anna.get("/api/files").json()["items"]] == [newer.json()["id"]]
        assert anna.get(f"/api/files/{old}").status_code == 404


def test_sent_twice_done_once(running: Running) -> None:
    key = {"Idempotency-Key": "upload-1"}
    with running.client(running.key(), **key) as anna:
        first, second = send(anna, SETUP), send(anna, SETUP)
        assert (first.status_code, second.status_code) == (201, 201)
        assert second.headers["idempotency-replayed"] == "true"
        assert first.json() == second.json()
        assert send(anna, b"# Another").status_code == 422
        assert send(anna, SETUP, "other.md").status_code == 422
    assert len(running.memory.operations.audit_log("anna")) == 1


def test_pages(running: Running) -> None:
    with running.client(running.key()) as anna:
        ids = [send(anna, f"Note number {number}".encode(), f"{number}.md").json()["id"] for number in range(5)]
        first = anna.get("/api/files", params={"limit": 3}).json()
        rest = anna.get("/api/files", params={"limit": 3, "cursor": first["cursor"]}).json()
        assert [one["id"] for one in [*first["items"], *rest["items"]]] == ids[::-1]
        assert rest["cursor"] is None
        assert anna.get("/api/files", params={"source": "sessions"}).json()["items"] == []
        assert anna.get("/api/files", params={"source": "elsewhere"}).status_code == 422


@ON_SQLITE
def test_folders_are_shown_and_forgotten_by_their_root(running: Running, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "setup.md").write_bytes(SETUP)
    running.memory.user("anna").files.sync(notes)
    (notes / "new.md").write_text("Not seen yet.")
    root = str(notes.resolve())
    with (
        running.client(running.key()) as anna,
        running.client(running.key("ben")) as ben,
        running.client(running.key(scopes=("admin",)), **{"X-Recollect-User": "anna"}) as admin,
    ):
        (folder,) = anna.get("/api/files").json()["folders"]
        assert (folder["root"], folder["files"], folder["source"], folder["trouble"]) == (root, 1, "memory", {})
        assert folder["chunks"] > 0
        assert ben.get("/api/files").json()["folders"] == []
        (watched,) = admin.get("/api/status").json()["folders"]
        assert (watched["root"], watched["drift"]) == (root, 1)
        (file,) = anna.get("/api/files", params={"source": "memory"}).json()["items"]
        assert anna.get(f"/api/files/{file['id']}/text").json()["origin"] == "disk"
        assert anna.get(f"/api/files/{file['id']}/original").status_code == 404
        for other in (root + "/", str(notes / ".." / "notes"), "~", "/", "\0x"):
            refused = anna.post("/api/forget", json={"folder": other})
            assert refused.json().get("action") in ("not_found", None), other
        assert ben.post("/api/forget", json={"folder": root}).json()["action"] == "not_found"
        assert anna.post("/api/forget", json={"folder": root, "dry_run": True}).json()["files"] == 1
        assert anna.post("/api/forget", json={"folder": root}).json()["action"] == "deleted"
        assert anna.get("/api/files").json()["items"] == []
    assert (notes / "setup.md").exists()


@ON_SQLITE
def test_others_are_served_while_documents_wait(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many documents as are let in are being read, and everything else goes on."""
    go_on = threading.Event()
    taken = RequestAdmission.read_document

    async def held(admission: RequestAdmission, requester: Any, size: int, work: Any) -> Any:
        return await taken(admission, requester, size, lambda: (go_on.wait(PATIENCE_S), work())[1])

    monkeypatch.setattr(RequestAdmission, "read_document", held)
    inside = DOCUMENTS_AT_ONCE + MOST_DOCUMENTS // 2  # of one user
    with ThreadPoolExecutor(inside + 1) as crowd, running.client(running.key()) as anna:
        sent = [crowd.submit(send, anna, f"Note {number}".encode(), f"{number}.md") for number in range(inside + 1)]
        busy = next(one.result() for one in as_completed(sent, timeout=PATIENCE_S))
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "5")
        assert anna.get("/api/memories").status_code == 200
        assert anna.post("/api/memories/unified", json={"content": "Likes rye bread"}).status_code == 201
        go_on.set()
        assert sorted(one.result().status_code for one in sent) == [201] * inside + [429]


@ON_SQLITE
def test_what_a_document_unpacks_to_is_what_the_rate_limit_counts(serve: Serve) -> None:
    running = serve(embedding__provider="none", serve__burst=300, serve__requests_per_minute=60, files__most_pieces=400)
    with running.client(running.key()) as anna:
        packed = docx(paragraph("word " * 400_000))
        assert len(packed) < 20_000, "as many bytes as ten texts have"
        made = send(anna, packed, name="manual.docx")
        assert (made.status_code, made.json()["chunks"], made.json()["cut"]) == (201, 400, True)
        refused = anna.get("/api/files")
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 60
