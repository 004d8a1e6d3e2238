"""What a host delivers is not always tidy: one odd message does not cost the turn, on both stores."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, Memory, UserMemory
from tests.rows import every

KAREL: dict[str, Any] = {"role": "user", "content": "My name is Karel."}


def call(arguments: str = "{}") -> dict[str, Any]:
    return {"id": "t", "type": "function", "function": {"name": "mkdir", "arguments": arguments}}


def test_a_tool_that_says_nothing_has_answered(me: UserMemory) -> None:
    turn: list[dict[str, Any]] = [
        KAREL,
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "t", "content": ""},
        {"role": "assistant", "content": "done"},
    ]
    outcome = me.after_turn(turn, session="s")
    assert (outcome.saved, len(outcome.captured), outcome.degraded) == (4, 1, ())
    assert [message.role for message in me.conversation("s").window().messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


ODD: dict[str, dict[str, Any]] = {
    "empty": {"role": "assistant", "content": ""},
    "role": {"role": "bashExecution", "content": "ls"},
    "nobody": {"content": "nobody said this"},
    "block": {"role": "user", "content": [None]},
    "surrogate": {"role": "user", "content": "half a \ud800 pair"},
}


@every(("name", "odd"), ODD.items())
def test_an_odd_message_does_not_cost_the_others(memory: Memory, name: str, odd: dict[str, Any]) -> None:
    turn = [KAREL, odd, {"role": "assistant", "content": "Hello Karel"}]
    outcome = memory.user(name).after_turn(turn, session="s")
    assert (outcome.saved, len(outcome.captured), outcome.degraded) == (2, 1, ("message",))


def test_what_is_nested_too_deeply_or_too_long_does_no_harm(memory: Memory) -> None:
    # what a tool gives is cut and mended
    me = memory.user("user 0")
    chat = me.conversation("s")
    chat.append("assistant", tool_calls=[call()])
    chat.append("tool", "x" * 1_000_001 + "\ud800", tool_call_id="t")
    assert len(chat.messages()[-1].content) == 1_000_000

    # arguments that are nested too deeply teach nothing
    me = memory.user("user 1")
    brackets = "[" * 5_000 + "]" * 5_000
    assert me.after_turn([{"role": "assistant", "content": "", "tool_calls": [call(brackets)]}], session="s").saved == 1

    # blocks that are nested too deeply are refused
    me = memory.user("user 2")
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(InvalidInput):
        me.conversation("s").append("user", [{"type": "image", "data": deep}])


def test_turns_in_the_same_words_at_other_times_are_other_turns(me: UserMemory) -> None:
    def turn(minute: int) -> list[dict[str, Any]]:
        start = 1_762_000_000_000 + 60_000 * minute
        return [
            {"role": "user", "content": "yes", "timestamp": start},
            {"role": "assistant", "content": "ok", "timestamp": start + 1},
        ]

    assert [me.after_turn(turn(minute), session="s").saved for minute in (0, 1, 2, 2)] == [2, 2, 2, 0]


def test_secrets_and_private_marks_in_odd_places_are_left_out(memory: Memory) -> None:
    # arguments stay json without their secrets
    me = memory.user("user 0")
    arguments = {"pin": 1234, "note": "<private>diary</private>", "text": "hunter3yy is my password", "a": "x"}
    chat = me.conversation("s")
    chat.append("assistant", tool_calls=[call(json.dumps(arguments))])
    kept = json.loads(chat.messages()[0].tool_calls[0].arguments)
    assert kept["a"] == "x"
    assert not any(word in json.dumps(kept) for word in ("1234", "diary", "hunter3yy"))

    # private marks inside of each other
    me = memory.user("user 1")
    chat = me.conversation("s")
    chat.append("user", "Hello <pri<private></private>vate>diary</private>")
    assert "diary" not in chat.messages()[0].content

    # a value under the name of a secret is none of ours
    me = memory.user("user 2")
    me.facts.set("wifi", "password", "hunterFPW1")
    assert "hunterFPW1" not in str(me.facts("wifi"))

    # an update may not bring a secret either
    me = memory.user("user 3")
    fact = me.facts.set("wifi", "password", "unknown as yet")
    assert "hunterFPW1" not in str(me.update(fact.id, value="hunterFPW1"))


def test_a_search_that_takes_too_long_does_no_harm(tmp_path: Path) -> None:
    program = (
        "import sys; from recollect import Memory, load_settings\n"
        "overrides = {'database': sys.argv[1], 'hooks.budget_s': 0.01}\n"
        "memory = Memory.open(settings=load_settings(environ={}, overrides=overrides))\n"
        "print(memory.user('me').before_prompt('Where is the lamp?', session='s').degraded)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "memory.db")]
    environment = {**os.environ, "RECOLLECT_CONFIG": os.devnull}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout.strip()) == (0, "('recall',)"), done.stderr
