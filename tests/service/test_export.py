"""One's own memory over HTTP, as a file: it leaves whole, comes back, and never takes another user's along."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from tests.archives import Lines, with_rows
from tests.service.conftest import Serve


def _lines(data: bytes, member: str) -> list[dict[str, object]]:
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        return [json.loads(line) for line in bundle.read(member).splitlines()]


@pytest.mark.on_both_stores
def test_the_users_own_memory_leaves_and_comes_back(serve: Serve) -> None:
    running = serve(embedding__provider="none")
    anna, ben = running.memory.user("anna"), running.memory.user("ben")
    anna.remember("Prefers tea")
    anna.forget(anna.remember("The code is 4711").id)
    ben.remember("Owns a boat")
    with running.client(running.key("anna")) as client, running.client(running.key("ben")) as other:
        answer = client.get("/api/export")
        assert answer.headers["content-type"] == "application/zip"
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert answer.headers["content-disposition"].endswith("filename*=UTF-8''anna.zip")
        archive = answer.content
        assert [row["content"] for row in _lines(archive, "memories.jsonl")] == ["Prefers tea"]
        assert _lines(archive, "secrets.jsonl") == []  # of which there is one for all users
        readable = client.get("/api/export", params={"readable": "true"}).content
        assert b"Prefers tea" in zipfile.ZipFile(io.BytesIO(readable)).read("memories/other.md")
        tried = other.post("/api/import", content=archive, params={"dry_run": "true"}).json()
        assert (tried["brought"], tried["dry_run"], ben.count()) == ({"memories": 1}, True, 1)
        brought = other.post("/api/import", content=archive)
        assert brought.json()["brought"] == {"memories": 1}
        assert {record.content for record in ben.list().items} == {"Owns a boat", "Prefers tea"}
        again = other.post("/api/import", content=archive).json()
        assert (again["brought"], again["skipped"]) == (
            {},
            [{"what": "memories", "reason": "already there", "amount": 1}],
        )
        for damaged in (archive[:-30], b"hello", b""):
            refused = other.post("/api/import", content=damaged)
            assert refused.status_code == 422, refused.text
            assert "/tmp" not in refused.text  # noqa: S108
            assert "recollect-import" not in refused.text
        assert other.get("/api/export", headers={"X-Recollect-User": "anna"}).status_code == 403
    with running.client(running.key(scopes=("admin",))) as admin:
        whole = admin.get("/api/export", headers={"X-Recollect-User": "anna"}).content
        assert len(_lines(whole, "tombstones.jsonl")) == 2  # of its words, and of its id
        assert len(_lines(whole, "secrets.jsonl")) == 1
    assert [line.action for line in running.memory.operations.audit_log("ben")] == ["import"]


def test_an_archive_makes_the_service_read_nothing_and_fail_nowhere(serve: Serve, tmp_path: Path) -> None:
    running = serve(embedding__provider="none")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("The key is under the mat.")
    (tmp_path / "admin.key").write_text("the admin key")
    anna = running.memory.user("anna")
    anna.files.sync(tmp_path / "notes")
    anna.remember("Prefers tea")
    anna.conversation("talk").append("user", "Hello")

    def elsewhere(lines: Lines) -> None:
        lines["files"][0] |= {"root": str(tmp_path), "path": "admin.key", "ctime_ns": 1, "inode": 1}
        lines["folders"][0]["root"] = str(tmp_path)

    def evil(lines: Lines) -> None:
        lines["memories"][0]["type"] = "evil"

    def endless(lines: Lines) -> None:
        lines["messages"][0]["tokens"] = 2**63 - 1

    with running.client(running.key("anna")) as client, running.client(running.key("ben")) as ben:
        genuine = client.get("/api/export").content
        for change, reason in ((evil, "type is 'evil'"), (endless, "tokens is 9223372036854775807")):
            refused = ben.post("/api/import", content=with_rows(genuine, change))
            assert (refused.status_code, reason in refused.json()["detail"]) == (422, True)
        assert ben.post("/api/import", content=with_rows(genuine, elsewhere)).json()["brought"]["files"] == 1
        (file,) = ben.get("/api/files").json()["items"]
        text = ben.get(f"/api/files/{file['id']}/text").json()
        assert (text["text"], text["origin"]) == ("The key is under the mat.", "store")
        assert ben.get("/api/memories").json()["items"][0]["type"] == "other"
        assert ben.post("/api/conversations/talk/messages", json={"role": "user", "content": "Hi"}).is_success
