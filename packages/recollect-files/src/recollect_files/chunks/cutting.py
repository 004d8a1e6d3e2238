"""Cuts a text by what kind of text it is: notes with their front matter, programs, tables, logs of sessions.

The invariant: what comes out of front matter can be written as JSON and is small, whatever stood there; what cannot be
read is text. What a piece of a turn holds is a part of what `render_session_line` gives for its line, and neither has
what we put into the session ourselves: memory does not feed on what it recalled.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final, NamedTuple

from recollect.model.files import CutText, TextPiece
from recollect.model.literals import FileKind
from recollect.text.fence import without_fences, without_recall_blocks
from recollect_files.chunks.boundaries import assemble, plain_title
from recollect_files.chunks.layout import (
    Heading,
    Sizes,
    SourceLines,
    columns,
    lines_of,
    look_at_program,
    look_at_prose,
    look_at_table,
    sizes,
)

_MOST_BYTES: Final = 16_384
_MOST_DEPTH: Final = 8
_MOST_ITEMS: Final = 200
_MOST_VALUES: Final = 1_000
_MOST_CHARACTERS: Final = 2_000
_LONGEST_NAME: Final = 100
_LARGEST: Final = 1 << 63
_ENDS: Final = {"---": ("---", "..."), "+++": ("+++",)}
_DATES: Final = ("date", "created", "created_at", "day", "published")

TOKENS: Final = 400
OVERLAP: Final = 80

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
_DEEPEST_CONTENT: Final = 20
_LARGEST_LINE: Final = 32 << 20
_MILLISECONDS: Final = 1e11  # what is larger cannot be seconds: that would be the year 5138


class FrontMatter(NamedTuple):
    """What front matter says, and how many lines of the text it takes."""

    lines: int
    values: Mapping[str, Any]
    dated_at: datetime | None
    broken: bool = False


NO_FRONT_MATTER: Final = FrontMatter(0, {}, None)


def read_front_matter(text: SourceLines) -> FrontMatter:
    """Read the front matter of a text, if it has any."""
    mark = text.lines[0].removeprefix("\ufeff").rstrip()
    ends = _ENDS.get(mark)
    if ends is None:
        return NO_FRONT_MATTER
    last = _last_line(text, ends)
    if not last:
        return NO_FRONT_MATTER
    import tomllib  # noqa: PLC0415 - the parsers are imported for notes that have front matter

    import yaml  # noqa: PLC0415 - as above

    block = "\n".join(text.lines[1:last])
    try:
        found = tomllib.loads(block) if mark == "+++" else _yaml(block)
        values = _Plain().of(found, 0)
    except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        # The readers raise all of these for some text or other.
        return FrontMatter(0, {}, None, broken=True)
    if not isinstance(values, dict):
        return NO_FRONT_MATTER
    return FrontMatter(last + 1, values, _dated(found))


def _last_line(text: SourceLines, ends: Sequence[str]) -> int:
    for number in range(1, len(text.lines)):
        if text.places[number] > _MOST_BYTES:
            return 0
        if text.lines[number].rstrip() in ends:
            return number
    return 0


def _yaml(block: str) -> Any:  # noqa: ANN401 -- whatever the note says
    """Read YAML that neither refers to itself nor is nested without end."""
    import yaml  # noqa: PLC0415 - as above

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    for event in yaml.parse(block, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_DEPTH or isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("Found an alias or very deep nesting in front matter. Write it flat and in full.")
    return yaml.load(block, Loader=loader)  # noqa: S506 -- the loader is the safe one


class _Plain:
    """Makes values that can be written as JSON, and counts them."""

    def __init__(self) -> None:
        self._left = _MOST_VALUES

    def of(self, value: Any, depth: int) -> Any:  # noqa: ANN401 -- whatever the note says
        """Give a value as JSON has it; what is too deep or too much becomes None."""
        self._left -= 1
        if not isinstance(value, Mapping | list | tuple | set | frozenset):
            return _scalar(value)
        if depth >= _MOST_DEPTH or self._left < 0:
            return None
        if isinstance(value, Mapping):
            return {_name(key): self.of(inner, depth + 1) for key, inner in [*value.items()][:_MOST_ITEMS]}
        return [self.of(inner, depth + 1) for inner in [*value][:_MOST_ITEMS]]


def _scalar(value: object) -> str | float | bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value[:_MOST_CHARACTERS]
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) < _LARGEST:
        return value
    return None


def _name(key: object) -> str:
    return str(key.isoformat() if isinstance(key, date) else key)[:_LONGEST_NAME]


def _dated(values: Mapping[str, Any]) -> datetime | None:
    """Give the day that a note says it is about."""
    by_name = {str(name).lower(): value for name, value in values.items()}
    return next((moment for name in _DATES if (moment := moment_of(by_name.get(name)))), None)


def moment_of(value: object) -> datetime | None:
    """Understand a moment or a day, as a date or as ISO 8601; without a zone it is taken for UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime):
        return None
    try:
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None


def cut(text: str, kind: FileKind, *, tokens: int = TOKENS, overlap: int = OVERLAP) -> CutText:
    """Cut a text into pieces of about so many tokens, each repeating about so many of the one before it."""
    lines = lines_of(text)
    if kind == "csv":
        return _cut_table(lines, tokens)
    if kind == "code":
        return CutText(assemble(lines, look_at_program(lines), sizes(tokens, overlap), by_indent=True), {})
    front = read_front_matter(lines) if kind in ("markdown", "text") else NO_FRONT_MATTER
    return _cut_prose(lines, front, sizes(tokens, overlap))


def _cut_table(lines: SourceLines, tokens: int) -> CutText:
    bounds = sizes(tokens, 0)
    heading = columns(lines)
    pieces = assemble(lines, look_at_table(lines, bounds.most), bounds)
    return CutText(tuple(piece._replace(heading=heading) for piece in pieces), {})


def _cut_prose(lines: SourceLines, front: FrontMatter, bounds: Sizes) -> CutText:
    layout = look_at_prose(lines, bounds.most, front.lines)
    return CutText(assemble(lines, layout, bounds), _metadata(front, layout.headings), front.dated_at)


def _metadata(front: FrontMatter, headings: Sequence[Heading]) -> Mapping[str, Any]:
    metadata = dict(front.values)
    if front.broken:
        metadata["front_matter_error"] = True
    title = metadata.get("title")
    if not isinstance(title, str) or not title.strip():
        first = next((heading.title for heading in headings if heading.depth == 1), "")
        title = plain_title(first)
        if title:
            metadata["title"] = title
    return metadata


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
    if role == "user" and (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(block, dict) and _kind(block) in _RESULTS for block in content)
    ):
        role = "tool"
    said = (without_fences if role == "user" else without_recall_blocks)(words).strip()
    return _SessionTurn(clean(said) if clean else said, role, _said_at(value) or _said_at(message))


def _kind(value: Mapping[str, Any]) -> str:
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def _words(content: object, depth: int) -> Iterator[str]:
    """Give the words of a content: a text, a block, or a list of either."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list) and depth < _DEEPEST_CONTENT:
        for block in content:
            yield from _words(block, depth + 1)
    elif isinstance(content, dict) and depth < _DEEPEST_CONTENT:
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
