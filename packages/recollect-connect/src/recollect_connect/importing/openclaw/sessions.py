"""Brings sessions that OpenClaw keeps in its database: what was said becomes a conversation, known by its own ids.

A log on the disk is synced as a file instead, so a session that has both is brought once.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.text.fence import is_only_wrappers, without_fences
from recollect_connect.importing.chat_sessions import ChatSession
from recollect_connect.importing.deliver import ImportRun
from recollect_connect.importing.openclaw import tables
from recollect_connect.importing.openclaw.captured import CapturedSessions
from recollect_connect.importing.openclaw.find_stores import FORMAT, OpenClawStores
from recollect_connect.importing.openclaw.index import AS_A_FILE
from recollect_connect.importing.parse_values import id_of, list_of, mapping_of, moment_of, text_of

BY_A_TOOL: Final = "what a tool gave"
BY_OPENCLAW: Final = "written by OpenClaw, not by a person"
NO_MESSAGE: Final = "an event that is no message"


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
