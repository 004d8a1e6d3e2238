"""Reads what agents' hosts hand to their hooks: plain text, lists of messages, and the objects of Claude Code."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from recollect.cli.errand import standard_input
from recollect.errors import InvalidInput

_Content = TypeVar("_Content")

_NO_SESSION = "Say which conversation this is, with --session or as `session_id` in the JSON on standard input."
_ASIDE = ("isMeta", "isSidechain", "isCompactSummary")  # lines of a transcript that nobody said in this conversation


@dataclass(frozen=True, slots=True)
class Delivery(Generic[_Content]):
    """What a host delivers, and to which conversation it belongs."""

    session: str
    content: _Content


def as_request(text: str, session: str | None) -> Delivery[str]:
    """Read what the user said: the text as it is, or an object with `session_id` and `prompt`."""
    if session is not None:
        return Delivery(session, text)
    found = _object(text)
    prompt = found.get("prompt")
    if not isinstance(prompt, str):
        raise InvalidInput("The JSON on standard input has no text under `prompt`.")
    return Delivery(_session(found), prompt)


def as_turn(file: str, session: str | None) -> Delivery[list[Mapping[str, Any]]]:
    """Read the messages of a turn: a list, lines, or an object that holds them or names the file that does."""
    text = _content(file)
    if session is not None:
        return Delivery(session, list(_messages(text, file)))
    found = _object(text)
    if not isinstance(found.get("messages"), list):
        file = str(found.get("transcript_path") or "")
        if not file:
            raise InvalidInput("The JSON on standard input has neither `messages` nor a `transcript_path`.")
        text = _content(file)
    return Delivery(_session(found), list(_messages(text, file)))


def as_session(text: str) -> str:
    """Read the name of a session from an object with `session_id`."""
    return _session(_object(text))


def _content(file: str) -> str:
    if file == "-":
        return standard_input()
    try:
        return Path(file).expanduser().read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not UTF-8: byte {error.start} cannot be read.") from None


def _object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(_NO_SESSION) from None
    if not isinstance(found, dict):
        raise InvalidInput(_NO_SESSION)
    return found


def _session(found: Mapping[str, Any]) -> str:
    session = found.get("session_id")
    if not isinstance(session, str) or not session:
        raise InvalidInput(_NO_SESSION)
    return session


def _messages(text: str, file: str) -> Iterator[Mapping[str, Any]]:
    """Give the messages; lines of a transcript that nobody said are left out."""
    for entry in _entries(text, "Standard input" if file == "-" else file):
        if not isinstance(entry, dict):
            raise InvalidInput(
                f"A message must be an object with `role` and `content`; found {json.dumps(entry)[:60]}."
            )
        if "role" in entry or not ("type" in entry or "message" in entry):
            yield entry
        elif _was_said(entry):
            yield _out_of_transcript(entry)


def _entries(text: str, name: str) -> list[Any]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return [_line(line, number, name) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        return list(whole["messages"])
    return whole if isinstance(whole, list) else [whole]


def _line(line: str, number: int, name: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{name} is neither a JSON list nor JSON lines: line {number} cannot be read ({error})."
        ) from None


def _was_said(entry: Mapping[str, Any]) -> bool:
    message = entry.get("message")
    return isinstance(message, dict) and "role" in message and not any(entry.get(mark) for mark in _ASIDE)


def _out_of_transcript(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the message of a line; the line knows its id and time."""
    outer = {"id": entry.get("uuid"), "said_at": entry.get("timestamp")}
    return {**entry["message"], **{name: value for name, value in outer.items() if value}}
