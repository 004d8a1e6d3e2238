"""One's own memory over HTTP, as a file: it leaves whole, comes back, and never takes another user's along."""

import io
import json
import zipfile

from tests.service.conftest import Serve


def _lines(data: bytes, member: str) -> list[dict[str, object]]:
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        return [json.loads(line) for line in bundle.read(member).splitlines()]


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
        assert len(_lines(whole, "tombstones.jsonl")) == len(_lines(whole, "secrets.jsonl")) == 1
    assert [line.action for line in running.memory.operations.audit_log("ben")] == ["import"]
