"""The end of a transcript, within the limits of a request."""

import json
from pathlib import Path

from recollect_connect.hook_client import transcripts


def written(folder: Path, *messages: object) -> str:
    file = folder / "transcript.jsonl"
    lines = [{"type": "x", "uuid": f"m{number}", "message": message} for number, message in enumerate(messages)]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return str(file)


def test_only_the_newest_messages_are_sent(tmp_path: Path) -> None:
    path = written(tmp_path, *({"role": "user", "content": f"message {number}"} for number in range(500)))
    messages = transcripts.last_messages(path)
    assert len(messages) == 200
    assert messages[-1] == {"role": "user", "content": "message 499", "id": "m499"}


def test_a_request_stays_below_what_a_service_takes(tmp_path: Path) -> None:
    path = written(tmp_path, *({"role": "user", "content": "ž" * 30_000} for _ in range(20)))
    messages = transcripts.last_messages(path)
    assert 1 <= len(messages) < 20
    assert len(json.dumps(messages)) < 1_000_000


def test_outputs_of_tools_are_shortened_and_pictures_left_out(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "x" * 50_000}]}
    picture = {"type": "image", "source": {"type": "base64", "data": "A" * 100_000}}
    (message,) = transcripts.last_messages(written(tmp_path, {"role": "user", "content": [result, picture]}))
    content = message["content"]
    assert isinstance(content, list)
    assert len(content[0]["content"]) == 20_001
    assert content[1] == {"type": "text", "text": "[image]"}
