"""Reads the conversations of a ChatGPT export: trees of messages, of which one branch is what the user last saw."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect_connect.importing.chat_sessions import EMPTY, NAMES_ONLY, OTHER_BRANCH, ChatSession, way_back
from recollect_connect.importing.parse_values import id_of, list_of, mapping_of, moment_of, name_of, text_of

FORMAT: Final = "chatgpt"
MALFORMED: Final = "not a conversation in ChatGPT's format"
NOT_TO_BE_REMEMBERED: Final = "marked there as not to be remembered"
_FOR_A_TOOL: Final = "what a tool was asked"
_BY_A_TOOL: Final = "what a tool gave"
_SYSTEM: Final = "ChatGPT's own instructions"
_HIDDEN: Final = "hidden in ChatGPT"
_THOUGHT_FOR: Final = "how long it thought"
_UNKNOWN_ROLE: Final = "unknown sender"
_TREE: Final = "not a message in ChatGPT's format"


def talk_of(found: object, position: int) -> ChatSession | None:
    """Read a conversation; None when it is none."""
    given = mapping_of(found)
    tree = given.get("mapping")
    if not isinstance(tree, Mapping):
        return None
    known = given.get("conversation_id") or given.get("id")
    talk = ChatSession(
        f"{FORMAT}:{id_of(known, _fallback(given, position))}",
        title=name_of(given.get("title"), 500),
        began_at=moment_of(given.get("create_time")),
        about={"model": given.get("default_model_slug"), "gizmo": given.get("gizmo_id")},
    )
    if given.get("is_do_not_remember") is True:
        talk.skip(NOT_TO_BE_REMEMBERED, what="conversations")
        return talk
    nodes = {str(key): mapping_of(node) for key, node in tree.items()}
    way = way_back(_leaf(given, nodes), {key: str(node.get("parent") or "") for key, node in nodes.items()})
    for key in way:
        _read(talk, nodes[key], key)
    seen = set(way)
    talk.skip(OTHER_BRANCH, sum(_says_something(node) for key, node in nodes.items() if key not in seen))
    return talk


def _fallback(given: Mapping[str, Any], position: int) -> str:
    """Tell apart conversations without an id by when they began; by where they stand if even that is missing."""
    return f"{given.get('title')} {given.get('create_time') or position}"


def _leaf(given: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> str:
    """Give the end of the branch that counts: the current one, or else the newest without an answer."""
    current = given.get("current_node")
    if isinstance(current, str) and current in nodes:
        return current
    answered = {str(node.get("parent")) for node in nodes.values()}
    ends = [key for key in nodes if key not in answered] or list(nodes)
    return max(ends, key=lambda key: (_time(nodes[key]), ends.index(key)), default="")


def _time(node: Mapping[str, Any]) -> float:
    moment = moment_of(mapping_of(node.get("message")).get("create_time"))
    return moment.timestamp() if moment else 0.0


def _says_something(node: Mapping[str, Any]) -> bool:
    message = mapping_of(node.get("message"))
    return bool(message) and bool(_text(mapping_of(message.get("content")))[0].strip())


def _read(talk: ChatSession, node: Mapping[str, Any], key: str) -> None:
    """Add what a node of the tree says."""
    if node.get("message") is None:
        return  # the root of the tree has no message
    message = mapping_of(node.get("message"))
    content = mapping_of(message.get("content"))
    if not message or not content:
        talk.skip(_TREE)
        return
    about = mapping_of(message.get("metadata"))
    given = {"id": message.get("id") or key, "at": message.get("create_time"), "model": about.get("model_slug")}
    reason = _reason_to_skip(message, about, content)
    if reason:
        talk.skip(reason)
    elif content.get("content_type") == "thoughts":
        talk.say("reasoning", _thoughts(list_of(content.get("thoughts"))), given)
    else:
        text, pictures = _text(content)
        names = [name_of(mapping_of(one).get("name")) for one in list_of(about.get("attachments"))]
        talk.skip(NAMES_ONLY, max(pictures, len(names)), what="attachments")
        given["metadata"] = {"attachments": [name for name in names if name]}
        talk.say("user" if _role(message) == "user" else "assistant", text, given)


def _role(message: Mapping[str, Any]) -> str:
    return str(mapping_of(message.get("author")).get("role") or "")


def _reason_to_skip(message: Mapping[str, Any], about: Mapping[str, Any], content: Mapping[str, Any]) -> str:
    role, kind = _role(message), content.get("content_type")
    if role == "system" or kind in ("user_editable_context", "model_editable_context"):
        return _SYSTEM if _text(content)[0].strip() else EMPTY
    if role == "tool":
        return _BY_A_TOOL
    if role not in ("user", "assistant"):
        return _UNKNOWN_ROLE
    if about.get("is_visually_hidden_from_conversation") is True:
        return _HIDDEN
    if role == "assistant" and message.get("recipient") not in ("all", None, ""):
        return _FOR_A_TOOL
    return _THOUGHT_FOR if kind == "reasoning_recap" else ""


def _thoughts(thoughts: Sequence[Any]) -> str:
    each = (mapping_of(thought) for thought in thoughts)
    return "\n\n".join(filter(None, (text_of(one.get("content")) or text_of(one.get("summary")) for one in each)))


def _text(content: Mapping[str, Any]) -> tuple[str, int]:
    """Give what a content says, and how many pictures, sounds and the like are in it."""
    said, others = [], 0
    for part in list_of(content.get("parts")):
        text = text_of(part) or text_of(mapping_of(part).get("text"))
        if text:
            said.append(text)
        elif mapping_of(part):
            said.append(f"[{(name_of(mapping_of(part).get('content_type'), 40).split('_', 1)[0] or 'attachment')}]")
            others += 1
    said.extend(text_of(content.get(name)) for name in ("text", "result"))
    return "\n".join(filter(None, said)), others
