"""Exports as the other systems write them, small and by hand."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def node(
    key: str, parent: str | None, role: str = "user", parts: list[Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A node of a ChatGPT conversation; without parts it has no message."""
    message = None
    if parts is not None:
        message = {
            "id": more.pop("id", key),
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": more.pop("create_time", None),
            "update_time": None,
            "content": more.pop("content", {"content_type": "text", "parts": parts}),
            "status": "finished_successfully",
            "end_turn": True,
            "weight": 1.0,
            "metadata": more.pop("metadata", {}),
            "recipient": more.pop("recipient", "all"),
        }
    return {"id": key, "message": message, "parent": parent, "children": []}


def chatgpt(id: str, *nodes: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A ChatGPT conversation; the current node is the last one unless said otherwise."""
    return {
        "title": "Talk",
        "create_time": 1704067200.5,
        "update_time": 1704067300.5,
        "mapping": {one["id"]: one for one in nodes},
        "moderation_results": [],
        "current_node": nodes[-1]["id"] if nodes else None,
        "conversation_id": id,
        "default_model_slug": "gpt-4o",
        "id": id,
        **more,
    }


def claude_message(uuid: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "text": text,
        "content": [{"type": "text", "text": text, "citations": []}] if text else [],
        "sender": sender,
        "created_at": "2026-02-01T10:00:00.000000Z",
        "updated_at": "2026-02-01T10:00:00.000000Z",
        "attachments": [],
        "files": [],
        **more,
    }


def claude(uuid: str, *messages: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "name": "Chat",
        "created_at": "2026-02-01T09:59:00.000000Z",
        "updated_at": "2026-02-01T11:00:00.000000Z",
        "account": {"uuid": "acc-1"},
        "chat_messages": list(messages),
        **more,
    }


def mem0(id: str, memory: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "memory": memory,
        "hash": "5f4dcc3b5aa765d61d8327deb882cf99",
        "metadata": None,
        "created_at": "2026-01-05T08:00:00.123456-08:00",
        "updated_at": None,
        "user_id": "alex",
        **more,
    }


def write(path: Path, content: Any) -> Path:
    """Write JSON, the way Python does it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def pack(path: Path, members: Mapping[str, Any]) -> Path:
    """Write an archive: bytes and texts as they are, everything else as JSON."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, (bytes, str)) else json.dumps(content))
    return path


def skipped(report: Any) -> dict[tuple[str, str], int]:
    """Give what a report says was left out."""
    return {(one.what, one.reason): one.amount for one in report.skipped}
