import json
from datetime import UTC, datetime
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rows import every

from recollect.text.chunks import mask
from recollect.text.fence import Quoted, fenced
from recollect_files.chunks import cut_session, render_session_line
from tests_files.chunks.samples import TEXTS, markdown

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NAMES = ["type", "role", "content", "text", "message", "timestamp", "name", "input", "tool_calls"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "role", "content", "text", "message", "timestamp", "name", "input", "tool_calls"]),
            inner,
        )
    ),
    max_leaves=8,
)


@every(
    ("line", "words", "role", "said_at"),
    [
        ({"role": "user", "content": "Hello", "ts": 1767323045}, "Hello", "user", WHEN),
        ({"role": "user", "content": "Hello", "created_at": 1767323045000}, "Hello", "user", WHEN),
        ({"role": "developer", "content": "Be brief"}, "Be brief", "system", None),
        (
            {
                "type": "message", "id": "a", "parentId": "b", "timestamp": "2026-01-02T03:04:05Z",
                "message": {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "Hm."},
                        {"type": "text", "text": "Looking."},
                        {"type": "toolCall", "id": "1", "name": "read", "arguments": {"path": "ä.md"}},
                    ],
                },
            },
            'Hm.\nLooking.\n[read] {"path": "ä.md"}', "assistant", WHEN,
        ),
        (
            {
                "type": "message", "timestamp": "2026-01-02T04:04:05+01:00",
                "message": {"role": "toolResult", "toolCallId": "1", "content": [{"type": "text", "text": "found"}]},
            },
            "found", "tool", WHEN,
        ),
        (
            {
                "type": "user", "uuid": "x", "timestamp": "2026-01-02T03:04:05.000Z",
                "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]},
            },
            "ok", "tool", WHEN,
        ),
        (
            {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "ls", "input": {}}]}},
            "[ls] {}", "assistant", None,
        ),
        (
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
            "[f] {}", "assistant", None,
        ),
        ({"type": "user", "message": "plain"}, "plain", "user", None),
        ({"role": "user", "content": ["a", {"type": "image", "source": {}}]}, "a\n[image]", "user", None),
    ],
)  # fmt: skip
def test_a_turn_is_read_as_hosts_write_it(
    line: dict[str, Any], words: str, role: str, said_at: datetime | None
) -> None:
    text = json.dumps(line)
    (piece,) = cut_session(f"\n{text}\n").pieces
    assert (piece.content, piece.role, piece.said_at) == (words, role, said_at)
    assert (piece.start_line, piece.end_line, piece.start_column) == (2, 2, 0)
    assert render_session_line(text) == words


def test_what_is_no_turn_is_counted_and_the_header_is_kept() -> None:
    lines = [
        '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05Z","cwd":"/home/me"}',
        '{"type":"model_change","model":"x"}',
        "not JSON",
        "[1, 2]",
        '{"role":"user","content":""}',
        '{"role":"user","content":"Hello"}',
        "",
    ]
    found = cut_session("\n".join(lines))
    assert [piece.content for piece in found.pieces] == ["Hello"]
    assert found.pieces[0].start_line == 6
    assert found.metadata == {
        "id": "s1", "version": 3, "cwd": "/home/me", "timestamp": "2026-01-02T03:04:05Z", "skipped_lines": 4,
    }  # fmt: skip
    assert found.dated_at == WHEN


def test_a_long_turn_becomes_pieces_that_its_line_gives_back() -> None:
    lines = [json.dumps({"role": "assistant", "content": markdown(seed, 9_000), "ts": 1767323045}) for seed in range(3)]
    found = cut_session("\n".join(lines))
    assert len(found.pieces) > 12
    for piece in found.pieces:
        words = render_session_line(lines[piece.start_line - 1])
        assert words[piece.start_column : piece.start_column + len(piece.content)] == piece.content
        assert piece.start_line == piece.end_line
        assert piece.said_at == WHEN


def test_words_are_cleaned_before_they_are_cut() -> None:
    line = json.dumps({"role": "user", "content": "Keep <private>hide</private> this"}).replace("<", "\\u003c")
    clean = partial(mask, redact=True)
    (piece,) = cut_session(line, clean=clean).pieces
    assert "hide" not in piece.content
    assert piece.content == render_session_line(line, clean)


def test_what_was_recalled_is_not_remembered_again() -> None:
    block = fenced([Quoted("memory", "Ada keeps bees.")], "n1").text
    lines = [
        json.dumps({"role": "user", "content": f"{block}\n\nWho keeps bees?"}),
        json.dumps({"role": "user", "content": [{"type": "text", "text": block}]}),
        json.dumps({"role": "user", "content": "<system-reminder>Be brief.</system-reminder>"}),
        json.dumps({"role": "tool", "content": f"<system-reminder>kept</system-reminder> {block}"}),
        json.dumps({"role": "assistant", "content": block}),
        json.dumps({"role": "assistant", "content": "<private>\nhidden\n</private>"}),
    ]
    clean = partial(mask, redact=True)
    found = cut_session("\n".join(lines), clean=clean)
    assert [(piece.start_line, piece.content) for piece in found.pieces] == [
        (1, "Who keeps bees?"),
        (4, "<system-reminder>kept</system-reminder>"),
    ]
    assert found.metadata == {"skipped_lines": 4}
    shown = [render_session_line(line, clean).strip() for line in lines]
    assert shown == ["Who keeps bees?", "", "", "<system-reminder>kept</system-reminder>", "", ""]


@given(
    st.lists(JSON.map(json.dumps) | TEXTS.map(lambda text: json.dumps({"role": "user", "content": text})), max_size=5)
)
@settings(max_examples=60, deadline=None)
def test_any_lines_are_turns_that_read_back_or_are_counted(lines: list[str]) -> None:
    found = cut_session("\n".join(lines), tokens=50, overlap=10)
    for piece in found.pieces:
        words = render_session_line(lines[piece.start_line - 1])
        assert words[piece.start_column : piece.start_column + len(piece.content)] == piece.content
    turns = {piece.start_line for piece in found.pieces}
    assert len(turns) + found.metadata.get("skipped_lines", 0) <= len(lines)
    assert all(
        not words or words.isspace() or number in turns
        for number, words in enumerate(map(render_session_line, lines), 1)
    )


def test_nesting_without_end_is_skipped() -> None:
    deep = '{"role":"user","content":' + "[" * 100_000 + "]" * 100_000 + "}"
    assert cut_session(deep).metadata == {"skipped_lines": 1}
