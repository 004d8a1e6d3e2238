"""Brings sessions that OpenClaw keeps in its database: what was said becomes a conversation, known by its own ids.

A log on the disk is synced as a file instead, so a session that has both is brought once. What the plugin has captured
live is left out: it has the same words there, under ids of its own.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.api.user import UserMemory
from recollect.text.clean import clean
from recollect.text.fence import is_only_wrappers, without_fences
from recollect.text.private import without_private
from recollect.text.secrets import redact
from recollect_connect.importing.chat_sessions import ChatSession
from recollect_connect.importing.deliver import ALREADY_THERE, ImportRun
from recollect_connect.importing.openclaw import tables
from recollect_connect.importing.openclaw.find_stores import FORMAT, OpenClawStores
from recollect_connect.importing.openclaw.index import AS_A_FILE
from recollect_connect.importing.parse_values import id_of, list_of, mapping_of, moment_of, text_of

BY_A_TOOL: Final = "what a tool gave"
BY_OPENCLAW: Final = "written by OpenClaw, not by a person"
NO_MESSAGE: Final = "an event that is no message"

LogReader = Callable[[str, Sequence[str]], ChatSession]

_PAGE: Final = 1_000
_PLAIN_NAME: Final = re.compile(r"[\w.-]+\.jsonl")  # as a pattern it means itself


def bring(delivery: ImportRun, connection: sqlite3.Connection, found: OpenClawStores, agent: str) -> frozenset[str]:
    """Bring the sessions of a database that have no log on the disk; gives the ids of all of them.

    What the plugin has captured of them is there already.
    """
    known = []
    captured = CapturedSessions(delivery.me, FORMAT)
    for session, events in tables.sessions(connection):
        known.append(session)
        if f"{session}.jsonl" in found.logs:
            delivery.tally.skip("sessions", AS_A_FILE)
        else:
            talk = talk_of(session, events, agent)
            captured.leave_out(session, talk)
            delivery.talk(talk, FORMAT)
    return frozenset(known)


def read_log(session: str, lines: Sequence[str]) -> ChatSession:
    """Read a session from its log, whose lines are its events."""
    return talk_of(session, lines, "")


def talk_of(session: str, events: Sequence[str], agent: str) -> ChatSession:
    """Read a session from its events."""
    talk = ChatSession(f"{FORMAT}:{id_of(session, session)}", about={"agent": agent})
    for event in events:
        try:
            given = mapping_of(json.loads(event))
        except (ValueError, RecursionError):
            talk.skip(tables.MALFORMED, what="events")
            continue
        if given.get("type") == "session":
            talk.began_at = talk.began_at or moment_of(given.get("timestamp"))
        elif given.get("type") == "message":
            _read(talk, given, mapping_of(given.get("message")))
        else:
            talk.skip(NO_MESSAGE, what="events")
    return talk


def _read(talk: ChatSession, event: Mapping[str, Any], message: Mapping[str, Any]) -> None:
    role = message.get("role")
    given = {
        "id": event.get("id"),
        "at": event.get("timestamp") or message.get("timestamp"),
        "model": message.get("model"),
    }
    content = message.get("content")
    blocks = [mapping_of(block) for block in list_of(content)]
    text = text_of(content) or "\n".join(filter(None, (text_of(block.get("text")) for block in blocks)))
    if role == "user" and is_only_wrappers(text):
        talk.skip(BY_OPENCLAW)
    elif role == "user":
        talk.say("user", without_fences(text), given)
    elif role == "assistant":
        thought = "\n".join(filter(None, (text_of(block.get("thinking")) for block in blocks)))
        if thought:
            talk.say("reasoning", thought, given, suffix="#thinking")
        calls = sum(block.get("type") == "toolCall" for block in blocks)
        talk.skip("what a tool was asked", calls, what="tool calls")
        if text or not (thought or calls):
            talk.say("assistant", text, given)
    else:
        talk.skip(BY_A_TOOL)


class CapturedSessions:
    """The conversations that the plugin made of OpenClaw's sessions. After `/new` a session has several."""

    def __init__(self, me: UserMemory, format: str) -> None:
        self._me, self._prefix = me, f"{format}:"
        self._names: dict[str, list[str]] | None = None

    def leave_out(self, session: str, talk: ChatSession) -> None:
        """Leave out of a session what was captured: of two messages with the same words, as many as there are."""
        own = {message.id for message in talk.messages}
        captured = Counter(self._captured(session, own))
        fresh = []
        for message in talk.messages:
            words = _words(message.role, str(message.content))
            if captured[words] > 0:
                captured[words] -= 1
            else:
                fresh.append(message)
        talk.skip(ALREADY_THERE, len(talk.messages) - len(fresh))
        if talk.messages and not fresh:
            talk.skip(ALREADY_THERE, what="conversations")
        talk.messages = fresh

    def whole_logs(self, folder: Path, read: LogReader) -> list[str]:
        """Give the names of the logs in a folder of which everything was captured."""
        names = (path.name for path in folder.glob("*.jsonl") if _PLAIN_NAME.fullmatch(path.name))
        return sorted(name for name in names if self._is_whole(folder / name, read))

    def _is_whole(self, log: Path, read: LogReader) -> bool:
        session = log.name.removesuffix(".jsonl")
        if session not in self._sessions():
            return False
        try:
            talk = read(session, log.read_text(encoding="utf-8").splitlines())
        except (OSError, ValueError):
            return False
        said = bool(talk.messages)
        self.leave_out(session, talk)
        return said and not talk.messages

    def _captured(self, session: str, own: set[str]) -> Iterator[tuple[str, str]]:
        for name in self._sessions().get(session, ()):
            conversation, before = self._me.conversation(name), None
            while page := conversation.messages(limit=_PAGE, before=before):
                yield from (_words(one.role, one.content) for one in page if one.external_id not in own)
                before = page[0].sequence

    def _sessions(self) -> dict[str, list[str]]:
        if self._names is None:
            self._names = {}
            for name in self._conversations():
                session = name.removeprefix(self._prefix).partition(":")[0]
                self._names.setdefault(session, []).append(name)
        return self._names

    def _conversations(self) -> Iterator[str]:
        page = self._me.conversations(limit=_PAGE)
        while page:
            yield from (one.id for one in page if one.id.startswith(self._prefix))
            page = self._me.conversations(limit=_PAGE, before=page[-1])


def _words(role: str, text: str) -> tuple[str, str]:
    """Give what was said as it is stored, however its lines are broken."""
    return role, " ".join(clean(redact(without_private(text)).text).split())
