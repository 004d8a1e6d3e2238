"""What a host delivers is not always tidy: one odd message does not cost the turn, on both stores."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, UserMemory

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


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "assistant", "content": ""},
        {"role": "bashExecution", "content": "ls"},
        {"content": "nobody said this"},
        {"role": "user", "content": [None]},
        {"role": "user", "content": "half a \ud800 pair"},
    ],
    ids=["empty", "role", "nobody", "block", "surrogate"],
)
def test_an_odd_message_does_not_cost_the_others(me: UserMemory, odd: dict[str, Any]) -> None:
    outcome = me.after_turn([KAREL, odd, {"role": "assistant", "content": "Hello Karel"}], session="s")
    assert (outcome.saved, len(outcome.captured), outcome.degraded) == (2, 1, ("message",))


def test_what_a_tool_gives_is_cut_and_mended(me: UserMemory) -> None:
    chat = me.conversation("s")
    chat.append("assistant", tool_calls=[call()])
    chat.append("tool", "x" * 1_000_001 + "\ud800", tool_call_id="t")
    assert len(chat.messages()[-1].content) == 1_000_000


def test_turns_in_the_same_words_at_other_times_are_other_turns(me: UserMemory) -> None:
    def turn(minute: int) -> list[dict[str, Any]]:
        start = 1_762_000_000_000 + 60_000 * minute
        return [
            {"role": "user", "content": "yes", "timestamp": start},
            {"role": "assistant", "content": "ok", "timestamp": start + 1},
        ]

    assert [me.after_turn(turn(minute), session="s").saved for minute in (0, 1, 2, 2)] == [2, 2, 2, 0]


def test_arguments_stay_json_without_their_secrets(me: UserMemory) -> None:
    arguments = {"pin": 1234, "note": "<private>diary</private>", "text": "hunter3yy is my password", "a": "x"}
    chat = me.conversation("s")
    chat.append("assistant", tool_calls=[call(json.dumps(arguments))])
    kept = json.loads(chat.messages()[0].tool_calls[0].arguments)
    assert kept["a"] == "x"
    assert not any(word in json.dumps(kept) for word in ("1234", "diary", "hunter3yy"))


def test_arguments_that_are_nested_too_deeply_teach_nothing(me: UserMemory) -> None:
    deep = "[" * 50_000 + "]" * 50_000
    assert me.after_turn([{"role": "assistant", "content": "", "tool_calls": [call(deep)]}], session="s").saved == 1


def test_a_value_under_the_name_of_a_secret_is_none_of_ours(me: UserMemory) -> None:
    me.facts.set("wifi", "password", "hunterFPW1")
    assert "hunterFPW1" not in str(me.facts("wifi"))


def test_private_marks_inside_of_each_other(me: UserMemory) -> None:
    chat = me.conversation("s")
    chat.append("user", "Hello <pri<private></private>vate>diary</private>")
    assert "diary" not in chat.messages()[0].content


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


def test_an_update_may_not_bring_a_secret_either(me: UserMemory) -> None:
    fact = me.facts.set("wifi", "password", "unknown as yet")
    assert "hunterFPW1" not in str(me.update(fact.id, value="hunterFPW1"))


def test_blocks_that_are_nested_too_deeply_are_refused(me: UserMemory) -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(InvalidInput):
        me.conversation("s").append("user", [{"type": "image", "data": deep}])
