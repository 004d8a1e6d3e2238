"""Reads a Claude export: conversations, and what Claude remembered of them and of projects."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from recollect.model.memories import NewMemory
from recollect_connect.importing.chat_sessions import NAMES_ONLY, OTHER_BRANCH, ChatSession, way_back
from recollect_connect.importing.parse_values import (
    id_of,
    list_of,
    mapping_of,
    metadata_of,
    moment_of,
    name_of,
    text_of,
)

FORMAT: Final = "claude"
MALFORMED: Final = "not a conversation in Claude's format"
_BY_A_TOOL: Final = "what a tool was asked, or gave"
_UNKNOWN_SENDER: Final = "unknown sender"
_TREE: Final = "not a message in Claude's format"
_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}


def talk_of(found: object, position: int) -> ChatSession | None:
    """Read a conversation; None when it is none."""
    given = mapping_of(found)
    said = given.get("chat_messages")
    if not isinstance(said, list):
        return None
    fallback = f"{given.get('name')} {given.get('created_at') or position}"
    talk = ChatSession(
        f"{FORMAT}:{id_of(given.get('uuid'), fallback)}",
        title=name_of(given.get("name"), 500),
        began_at=moment_of(given.get("created_at")),
        about={"project": mapping_of(given.get("project")).get("name")},
    )
    messages = [message for message in said if mapping_of(message)]
    talk.skip(_TREE, len(said) - len(messages))
    shown = _shown(given, messages)
    talk.skip(OTHER_BRANCH, len(messages) - len(shown))
    for message in shown:
        _read(talk, message)
    return talk


def _shown(given: Mapping[str, Any], messages: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Give the branch that the user last saw. Older exports know no branches: all of it is one."""
    named = {str(one["uuid"]): one for one in messages if one.get("uuid")}
    parents = {key: str(one.get("parent_message_uuid") or "") for key, one in named.items()}
    if len(named) < len(messages) or not any(parents.values()):
        return messages
    leaf = str(given.get("current_leaf_message_uuid") or "")
    if leaf not in named:
        leaf = max(named, key=lambda key: str(named[key].get("created_at") or ""))
    return [named[key] for key in way_back(leaf, parents)]


def _read(talk: ChatSession, message: Mapping[str, Any]) -> None:
    role = _ROLES.get(str(message.get("sender")))
    if role is None:
        talk.skip(_UNKNOWN_SENDER)
        return
    given = {"id": message.get("uuid"), "at": message.get("created_at")}
    blocks = [mapping_of(block) for block in list_of(message.get("content"))]
    talk.skip(_BY_A_TOOL, sum(block.get("type") in ("tool_use", "tool_result") for block in blocks), what="tool calls")
    thought = "\n\n".join(filter(None, (text_of(block.get("thinking")) for block in blocks)))
    if thought:
        talk.say("reasoning", thought, given, suffix="#thinking")
    text = "\n".join(filter(None, (text_of(block.get("text")) for block in blocks))) or text_of(message.get("text"))
    attached = [mapping_of(one) for one in list_of(message.get("attachments"))]
    names = [name_of(mapping_of(one).get("file_name")) for one in (*attached, *list_of(message.get("files")))]
    unread = [one for one in attached if not text_of(one.get("extracted_content"))]
    talk.skip(NAMES_ONLY, len(unread) + len(list_of(message.get("files"))), what="attachments")
    given["metadata"] = {"attachments": [name for name in names if name]}
    if text or not thought or attached:
        talk.say("user" if role == "user" else "assistant", "\n\n".join([text, *_pasted(attached)]).strip(), given)


def _pasted(attached: list[Mapping[str, Any]]) -> Iterator[str]:
    """Give what was pasted or uploaded as text, under its name."""
    for one in attached:
        text, name = text_of(one.get("extracted_content")), name_of(one.get("file_name"))
        if text:
            yield f"[{name}]\n{text}" if name else text


def memories_of(found: object, trust: int, projects: Mapping[str, str]) -> Iterator[NewMemory]:
    """Give what Claude remembered, a paragraph at a time, with the heading it stands under as its context."""
    given = mapping_of(found)
    yield from _paragraphs(text_of(given.get("conversations_memory")), "", trust)
    for uuid, text in mapping_of(given.get("project_memories")).items():
        yield from _paragraphs(text_of(text), projects.get(uuid) or f"project {name_of(uuid, 60)}", trust)


def _paragraphs(text: str, subject: str, trust: int) -> Iterator[NewMemory]:
    heading = ""
    for paragraph in (part.strip() for part in text.replace("\r\n", "\n").split("\n\n")):
        bare = paragraph.strip("*# ").strip()
        if not bare:
            continue
        if "\n" not in paragraph and (paragraph.startswith("#") or paragraph == f"**{bare}**"):
            heading = name_of(bare)
            continue
        yield NewMemory(
            paragraph, context=heading, subject=name_of(subject), source=f"import:{FORMAT}", trust=trust,
            metadata=metadata_of({"imported_from": FORMAT}),
        )  # fmt: skip
