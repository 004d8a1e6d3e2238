"""What hosts send around a turn, in the JSON that they document, and what they get."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.service.conftest import Running

from recollect_connect.hook_client.connection import Connection
from recollect_connect.hook_client.events import InvalidEvent
from tests_connect.hook_client.conftest import Connect, context_of, event, said, serve, spool_of

QUESTION = "Which database does the webshop use?"
LINES = [
    {"type": "summary", "summary": "Databases"},
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
    {
        "type": "user",
        "uuid": "u1",
        "timestamp": "2026-11-01T10:00:00Z",
        "message": {"role": "user", "content": QUESTION},
    },
    {
        "type": "assistant",
        "uuid": "a1",
        "timestamp": "2026-11-01T10:00:01Z",
        "message": {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "PostgreSQL."}]},
    },
    {"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": "A thought of a subagent"}},
]


@pytest.fixture
def transcript(tmp_path: Path) -> str:
    file = tmp_path / "transcript.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)) + '\n{"type": "user", "mess', encoding="utf-8")
    return str(file)


def test_a_session_begins_with_what_is_known_about_the_project_and_the_user(running: Running, connect: Connect) -> None:
    me = running.memory.user("default")
    me.remember("The webshop uses PostgreSQL 16", type="fact")
    me.remember("Prefers tabs", type="preference")
    me.remember("The garden is wet", type="fact")
    shown = context_of(serve(connect(), event("SessionStart", source="startup")))
    assert "The webshop uses PostgreSQL 16" in shown
    assert "Prefers tabs" in shown
    assert "garden" not in shown
    assert said(running) == []


def test_a_prompt_gets_a_block_and_a_turn_is_saved_once(running: Running, connect: Connect, transcript: str) -> None:
    running.memory.user("default").remember("The webshop uses the database PostgreSQL 16", type="fact")
    connection = connect()
    prompt = event("UserPromptSubmit", prompt=QUESTION, transcript_path=transcript)
    assert "PostgreSQL 16" in context_of(serve(connection, prompt))
    stop = event("Stop", transcript_path=transcript, stop_hook_active=False, last_assistant_message="PostgreSQL.")
    compact = event("PreCompact", transcript_path=transcript, trigger="auto", custom_instructions="")
    for sent in (stop, stop, compact, event("SessionEnd", transcript_path=transcript, reason="exit")):
        assert serve(connection, sent) == ""
    assert said(running) == [("user", QUESTION), ("assistant", "PostgreSQL.")]
    assert spool_of(connection).status().waiting == 0


def test_an_answer_that_is_not_in_the_transcript_yet_is_saved_once(
    running: Running, connect: Connect, transcript: str
) -> None:
    whole = Path(transcript).read_text(encoding="utf-8")
    Path(transcript).write_text("\n".join(whole.splitlines()[:3]) + "\n", encoding="utf-8")
    stop = event("Stop", transcript_path=transcript, last_assistant_message="PostgreSQL.")
    serve(connect(), stop)
    Path(transcript).write_text(whole, encoding="utf-8")
    serve(connect(), stop)
    assert said(running) == [("user", QUESTION), ("assistant", "PostgreSQL.")]


def test_codex_tells_its_turns_by_an_id(running: Running, connect: Connect) -> None:
    running.memory.user("default").remember("The webshop uses the database PostgreSQL 16", type="fact")
    common = {"turn_id": "t1", "model": "gpt", "transcript_path": None}
    prompt = event("UserPromptSubmit", prompt=QUESTION, **common)
    assert "PostgreSQL 16" in context_of(serve(connect(), prompt, "codex"))
    for _ in range(2):
        assert serve(connect(), event("Stop", last_assistant_message="PostgreSQL.", **common), "codex") == ""
    assert said(running) == [("user", QUESTION), ("assistant", "PostgreSQL.")]


def test_gemini_tells_the_prompt_again_with_the_answer(running: Running, connect: Connect) -> None:
    running.memory.user("default").remember("The webshop uses the database PostgreSQL 16", type="fact")
    answer = json.loads(serve(connect(), event("BeforeAgent", prompt=QUESTION), "gemini"))
    assert answer["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    after = event("AfterAgent", prompt=QUESTION, prompt_response="PostgreSQL.", stop_hook_active=False)
    for _ in range(2):
        assert serve(connect(), after, "gemini") == ""
    assert said(running) == [("user", QUESTION), ("assistant", "PostgreSQL.")]


def test_cursor_has_names_and_answers_of_its_own(running: Running, connect: Connect) -> None:
    running.memory.user("default").remember("The webshop uses the database PostgreSQL 16", type="fact")

    def sent(name: str, **fields: object) -> bytes:
        common = {"conversation_id": "s1", "generation_id": "g1", "workspace_roots": ["/home/anna/webshop"]}
        return json.dumps({**common, "hook_event_name": name, **fields}).encode()

    start = json.loads(serve(connect(), sent("sessionStart", is_background_agent=False), "cursor"))
    assert "PostgreSQL 16" in start["additional_context"]
    asked = json.loads(serve(connect(), sent("beforeSubmitPrompt", prompt=QUESTION, attachments=[]), "cursor"))
    assert asked["continue"] is True
    assert "PostgreSQL 16" in asked["additional_context"]
    for _ in range(2):
        assert serve(connect(), sent("afterAgentResponse", text="PostgreSQL."), "cursor") == ""
    assert serve(connect(), sent("sessionEnd", reason="completed"), "cursor") == ""
    assert said(running) == [("user", QUESTION), ("assistant", "PostgreSQL.")]


def tell_claude_code(connection: Connection, number: int, prompt: str, answer: str, transcript: Path) -> None:
    said_before = transcript.read_text(encoding="utf-8") if number else ""
    new = [
        {"type": role, "uuid": f"{role}{number}", "message": {"role": role, "content": content}}
        for role, content in (("user", prompt), ("assistant", answer))
    ]
    serve(connection, event("UserPromptSubmit", prompt=prompt, transcript_path=str(transcript)))
    transcript.write_text(said_before + "".join(f"{json.dumps(line)}\n" for line in new), encoding="utf-8")
    serve(connection, event("Stop", transcript_path=str(transcript), last_assistant_message=answer))


def tell_codex(connection: Connection, number: int, prompt: str, answer: str, _: Path) -> None:
    serve(connection, event("UserPromptSubmit", prompt=prompt, turn_id=f"t{number}"), "codex")
    serve(connection, event("Stop", last_assistant_message=answer, turn_id=f"t{number}"), "codex")


def tell_gemini(connection: Connection, _: int, prompt: str, answer: str, __: Path) -> None:
    serve(connection, event("BeforeAgent", prompt=prompt), "gemini")
    serve(connection, event("AfterAgent", prompt=prompt, prompt_response=answer), "gemini")


def tell_cursor(connection: Connection, number: int, prompt: str, answer: str, _: Path) -> None:
    turn = {"conversation_id": "s1", "generation_id": f"g{number}"}
    for name, told in (("beforeSubmitPrompt", {"prompt": prompt}), ("afterAgentResponse", {"text": answer})):
        serve(connection, json.dumps({**turn, "hook_event_name": name, **told}).encode(), "cursor")


@pytest.mark.parametrize("tell", [tell_claude_code, tell_codex, tell_gemini, tell_cursor])
def test_a_reply_teaches_with_the_question_of_the_turn_before(
    running: Running, connect: Connect, tmp_path: Path, tell: Callable[[Connection, int, str, str, Path], None]
) -> None:
    question = "Nice. What's your sister's name?"
    for number, (prompt, answer) in enumerate([("I live in Brno.", question), ("Jana", "Noted.")]):
        tell(connect(), number, prompt, answer, tmp_path / "turns.jsonl")
    assert [text for _, text in said(running)] == ["I live in Brno.", question, "Jana", "Noted."]
    learned = {record.content for record in running.memory.user("default").list().items}
    assert learned == {"I live in Brno", "What's your sister's name? Jana"}


def test_a_prompt_that_cursor_tells_only_once_waits_in_the_spool(running: Running, connect: Connect) -> None:
    sent = {"conversation_id": "s1", "generation_id": "g1", "hook_event_name": "beforeSubmitPrompt", "prompt": QUESTION}
    with pytest.raises(Exception, match="401"):
        serve(connect(key="rk_wrong"), json.dumps(sent).encode(), "cursor")
    answered = {**sent, "hook_event_name": "afterAgentResponse", "text": "PostgreSQL."}
    serve(connect(), json.dumps(answered).encode(), "cursor")
    assert said(running) == [("user", QUESTION), ("assistant", "PostgreSQL.")]


def test_events_that_mean_nothing_to_a_memory_are_left_alone() -> None:
    nowhere = Connection("http://127.0.0.1:1")
    assert serve(nowhere, event("PostToolUse", tool_name="Bash")) == ""
    assert serve(nowhere, event("UserPromptSubmit", prompt="  ")) == ""


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"hook_event_name": "Stop"}', b"\xff"])
def test_what_cannot_be_understood_is_said(content: bytes) -> None:
    with pytest.raises(InvalidEvent):
        serve(Connection("http://127.0.0.1:1"), content)
