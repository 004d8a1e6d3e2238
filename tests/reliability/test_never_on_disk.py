"""Secrets, private passages and private conversations never reach the disk, whichever verb they come by."""

import json
import random
import string
from pathlib import Path
from typing import Any

from tests.reliability.canaries import Canaries, left_in
from tests.reliability.figures import figure
from tests.reliability.opening import WITH_QUICK_VECTORS
from tests.reliability.spoken import WITH_SUMMARIES
from tests.reliability.zygote import Child, Zygote
from tests.sizes import sized
from tests.storage.catalogue import contents, is_server

_SESSIONS = sized(1, 3)


class Secrets:
    """Makes tokens that look real, from parts, so that nobody takes this file for a leak."""

    def __init__(self) -> None:
        self._chance = random.Random(20260301)
        self.made: list[str] = []

    def token(self) -> str:
        """Make a token of a kind that everybody knows."""
        start, length = self._chance.choice([("gh" + "p_", 36), ("sk-" + "ant-", 40), ("xox" + "b-", 30)])
        self.made.append("".join(self._chance.choices(string.ascii_letters + string.digits, k=length)))
        return start + self.made[-1]


def test_secrets(database: str, zygote: Zygote) -> None:
    secrets = Secrets()
    child = zygote.serve(database, **WITH_QUICK_VECTORS, **WITH_SUMMARIES)
    for number in range(_SESSIONS):
        _say_everywhere(child, lambda: f"My token {len(secrets.made)} is {secrets.token()} now", f"talk{number}")
    assert len(secrets.made) > 20 * _SESSIONS
    raw = _bytes_of(database)
    assert b"REDACTED" in raw.upper(), "the texts themselves are not there"
    assert [secret for secret in secrets.made if secret.encode() in raw] == []
    child.close()
    assert [secret for secret in secrets.made if secret.encode() in _bytes_of(database)] == []
    store = "postgresql" if is_server(database) else "sqlite"
    figure(9, f"{store}, secrets by every verb", canaries=len(secrets.made), left=0)


def test_private_passages(database: str, zygote: Zygote) -> None:
    canaries = Canaries(seed=21)

    def passage() -> str:
        number = len(canaries.words)
        return f"I prefer tea {number}. <private>But {canaries.word()} is my own affair.</private> I prefer honey."

    child = zygote.serve(database, **WITH_QUICK_VECTORS, **WITH_SUMMARIES)
    for number in range(_SESSIONS):
        _say_everywhere(child, passage, f"talk{number}")
    assert b"I prefer honey." in _bytes_of(database)
    assert left_in(_bytes_of(database), canaries) == []
    child.close()
    assert left_in(_bytes_of(database), canaries) == []
    assert len(canaries.words) > 20 * _SESSIONS


def test_private_conversations(database: str, zygote: Zygote) -> None:
    canaries = Canaries(seed=22)
    child = zygote.serve(database, **WITH_QUICK_VECTORS, **WITH_SUMMARIES)
    for number in range(_SESSIONS):
        child.ask("set_private", user="me", conversation=f"talk{number}")
        _converse(child, lambda: f"I prefer {canaries.word()} tea in the morning.", f"talk{number}")
        child.ask("end_session", user="me", session=f"talk{number}")
        assert child.ask("messages", user="me", conversation=f"talk{number}") == []
    assert child.ask("count", user="me") == 0
    assert left_in(_bytes_of(database), canaries) == []
    child.close()
    assert left_in(_bytes_of(database), canaries) == []
    assert len(canaries.words) > 7 * _SESSIONS


def _say_everywhere(child: Child, text: Any, session: str) -> None:
    """Pass texts by every verb and in every field that holds one."""
    _converse(child, text, session)
    fields = {name: text() for name in ("value", "context", "address", "place_label", "subject")}
    made = child.ask("remember", user="me", content=text(), type="fact", metadata={"note": [text(), {"deep": text()}]})
    child.ask("remember", user="me", content=text(), type="fact", **fields)
    child.ask("update", user="me", id=made["id"], content=text(), metadata={"note": text()}, address=text())
    child.ask("remember_many", user="me", memories=[{"content": text()}, {"content": text(), "value": text()}])
    child.ask("facts.set", user="me", subject="light.kitchen", key="note", value=text())
    child.ask("preferences.set", user="me", category="tea", key="kind", value=text())
    child.ask("events.log", user="me", summary=text(), details=text())
    child.ask("lessons.add", user="me", lesson=text())
    child.ask("messages.capture", user="me", text=f"Remember that {text()}")
    child.ask("compact", user="me", conversation=session, keep_recent=0)
    child.ask("end_session", user="me", session=session)


def _converse(child: Child, text: Any, session: str) -> None:
    """Say texts in every way in which something can be said."""
    child.ask("append", user="me", conversation=session, role="user", content=text(), metadata={"note": text()})
    child.ask("append", user="me", conversation=session, role="system", content=[{"type": "text", "text": text()}])
    child.ask("before_prompt", user="me", content=text(), session=session, metadata={"note": [text()]})
    arguments = {"entity_id": "light.kitchen", "note": text()}
    answer = [
        {"type": "thinking", "thinking": text()},
        {"type": "text", "text": text()},
        {"type": "document", "source": {"data": text()}},
        {"type": "tool_use", "id": "call", "name": "turn_on", "input": arguments},
    ]
    calls = [{"id": "other", "function": {"name": "look", "arguments": json.dumps({"note": text()})}}]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": text()},
        {"role": "assistant", "content": answer, "metadata": {"note": text()}},
        {"role": "tool", "tool_call_id": "call", "content": text()},
        {"role": "assistant", "content": text(), "tool_calls": calls},
        {"role": "tool", "tool_call_id": "other", "content": json.dumps({"found": text()})},
    ]
    child.ask("after_turn", user="me", messages=messages, session=session)


def _bytes_of(database: str) -> bytes:
    """All that is stored: the bytes of the files, or on a server the rows of all tables."""
    if not is_server(database):
        files = (Path(f"{database}{suffix}") for suffix in ("", "-wal", "-shm", "-journal"))
        return b"".join(file.read_bytes() for file in files if file.exists())
    return "\n".join(contents(database).values()).encode()
