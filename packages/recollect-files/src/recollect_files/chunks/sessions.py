"""Cuts the logs of sessions: one JSON value per line, one turn per piece, with who spoke and when.

The invariant: what a piece of a turn holds is a part of what `render_session_line` gives for its line, and neither has
what we put into the session ourselves: memory does not feed on what it recalled.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from recollect.model.files import CutText, TextPiece
from recollect.text.fence import without_fences, without_recall_blocks
from recollect_files.chunks.cutting import OVERLAP, TOKENS, cut
from recollect_files.chunks.front_matter import moment_of
from recollect_files.chunks.layout import lines_of, sizes

Clean = Callable[[str], str]

_ROLES: Final[Mapping[str, str]] = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "system": "system", "developer": "system", "tool": "tool", "function": "tool", "toolresult": "tool",
    "tool_result": "tool", "reasoning": "reasoning", "thinking": "reasoning",
}  # fmt: skip
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_CALLS: Final = frozenset({"toolCall", "tool_use", "tool_call", "function_call"})
_RESULTS: Final = frozenset({"toolResult", "tool_result", "function_call_output"})
_THINKING: Final = frozenset({"thinking", "reasoning"})
_TIMES: Final = ("timestamp", "ts", "created_at", "time")
_ABOUT: Final = ("id", "session_id", "sessionId", "cwd", "version", "model", "timestamp", "title", "summary")
_HEADERS: Final = frozenset({"session", "session_meta", "header", "summary"})
_LONGEST_ABOUT: Final = 500
_MOST_DEPTH: Final = 20
_LARGEST_LINE: Final = 32 << 20
_MILLISECONDS: Final = 1e11  # what is larger cannot be seconds: that would be the year 5138


class _SessionTurn(NamedTuple):
    words: str
    role: str
    said_at: datetime | None


def render_session_line(line: str, clean: Clean | None = None) -> str:
    """Give the words of a line of a session log; '' if it is no turn. `clean` is what was applied when it was cut."""
    turn = _turn(_value(line), clean)
    return turn.words if turn else ""


def cut_session(
    text: str, *, tokens: int = TOKENS, overlap: int = OVERLAP, clean: Clean | None = None, skipped: int = 0
) -> CutText:
    """Cut a session log by its turns, but for so many `skipped` lines at its beginning.

    `clean` is applied to the words of each turn, before they are cut.
    """
    pieces: list[TextPiece] = []
    metadata: dict[str, Any] = {}
    unknown, first = 0, None
    most = sizes(tokens, overlap).most
    for number, line in enumerate(text.split("\n"), 1):
        if number <= skipped or not line or line.isspace():
            continue
        value = _value(line)
        turn = _turn(value, clean)
        if turn is not None and turn.words.strip():
            first = first or turn.said_at
            pieces += _pieces_of(turn, number, most, (tokens, overlap))
        elif isinstance(value, dict) and _kind(value) in _HEADERS:
            metadata = _about(value, clean) | metadata
        else:
            unknown += 1
    if unknown:
        metadata["skipped_lines"] = unknown
    return CutText(tuple(pieces), metadata, first or moment_of(metadata.get("timestamp")))


def _pieces_of(turn: _SessionTurn, number: int, most: int, bounds: tuple[int, int]) -> Iterator[TextPiece]:
    """Give a turn in pieces: usually it is one."""
    words = turn.words
    if len(words) * 4 <= most or len(words.encode("utf-8", "surrogatepass")) <= most:
        yield TextPiece(words, "", number, number, 0, turn.role, turn.said_at)
        return
    tokens, overlap = bounds
    offsets = lines_of(words).offsets
    for piece in cut(words, "docx", tokens=tokens, overlap=overlap).pieces:
        column = offsets[piece.start_line - 1] + piece.start_column
        yield TextPiece(piece.content, piece.heading, number, number, column, turn.role, turn.said_at)


def _value(line: str) -> object:
    """Read a line; None if it is no JSON, or more of it than a turn can be."""
    if len(line) > _LARGEST_LINE:
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _turn(value: object, clean: Clean | None) -> _SessionTurn | None:
    """Understand a turn as OpenClaw, Claude Code or a plain log writes it."""
    if not isinstance(value, dict):
        return None
    inner = value.get("message", value.get("payload"))
    message: Mapping[str, Any] = inner if isinstance(inner, dict) else value
    named = message.get("role") or message.get("type") or value.get("type")
    role = _ROLES.get(named.lower(), "") if isinstance(named, str) else ""
    if not role or _kind(value) in _HEADERS:
        return None
    content = inner if isinstance(inner, str) else message.get("content", message.get("text"))
    words = "\n".join(filter(None, _words(content, 0))).strip()
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        words = "\n".join(filter(None, (words, *map(_call, calls))))
    if role == "user" and _is_only_results(content):
        role = "tool"
    said = (without_fences if role == "user" else without_recall_blocks)(words).strip()
    return _SessionTurn(clean(said) if clean else said, role, _said_at(value) or _said_at(message))


def _kind(value: Mapping[str, Any]) -> str:
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def _is_only_results(content: object) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(block, dict) and _kind(block) in _RESULTS for block in content)
    )


def _words(content: object, depth: int) -> Iterator[str]:
    """Give the words of a content: a text, a block, or a list of either."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list) and depth < _MOST_DEPTH:
        for block in content:
            yield from _words(block, depth + 1)
    elif isinstance(content, dict) and depth < _MOST_DEPTH:
        yield from _block(content, depth + 1)


def _block(block: Mapping[str, Any], depth: int) -> Iterator[str]:
    kind = _kind(block)
    if kind in _CALLS:
        yield _call(block)
    elif kind in _RESULTS:
        yield from _words(block.get("content", block.get("output")), depth)
    elif kind in _THINKING:
        yield from _words(block.get("thinking") or block.get("text") or block.get("reasoning"), depth)
    elif kind in _TEXTS or "text" in block:
        yield from _words(block.get("text"), depth)
    elif kind:
        yield f"[{kind}]"


def _call(call: object) -> str:
    if not isinstance(call, dict):
        return ""
    inner = call.get("function")
    function: Mapping[str, Any] = inner if isinstance(inner, dict) else call
    given = function.get("arguments", function.get("input", ""))
    return f"[{function.get('name') or 'tool'}] {_told(given)}".strip()


def _told(given: object) -> str:
    try:
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    except RecursionError:  # what could be read may still be too deep to write
        return ""


def _said_at(value: Mapping[str, Any]) -> datetime | None:
    return next((moment for name in _TIMES if (moment := _moment(value.get(name)))), None)


def _moment(value: object) -> datetime | None:
    """Understand a moment: as ISO 8601, or as seconds or milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return moment_of(value)
    try:
        return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _about(header: Mapping[str, Any], clean: Clean | None) -> dict[str, Any]:
    told = {name: header[name] for name in _ABOUT if isinstance(header.get(name), str | int)}
    return {
        name: (clean(value) if clean else value)[:_LONGEST_ABOUT] if isinstance(value, str) else value
        for name, value in told.items()
    }
