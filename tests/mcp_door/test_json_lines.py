"""Lines that are no messages, lines that must not be split, and the end of input: what the host is told each time."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.mcp.json_lines import InvalidLine, format_line, parse_line
from tests.mcp_door.test_stdio import HELLO, PRIVATE, Process, call
from tests.rows import every

UNREADABLE, NO_REQUEST, BAD_PARAMS = -32700, -32600, -32602
UNFIT = [
    (b"garbage", UNREADABLE, None),
    (b'{"jsonrpc":"2.0","id":3,"method":"ping"', UNREADABLE, None),
    (b"[" * 100_000, UNREADABLE, None),
    (b"\x00\xff\xfe", UNREADABLE, None),
    (b"[]", NO_REQUEST, None),
    (b'[{"jsonrpc":"2.0","id":3,"method":"ping"}]', NO_REQUEST, None),
    (b"5", NO_REQUEST, None),
    (b"null", NO_REQUEST, None),
    (b"{}", NO_REQUEST, None),
    (b'{"id":"a","method":"ping"}', NO_REQUEST, "a"),
    (b'{"jsonrpc":"1.0","id":3,"method":"ping"}', NO_REQUEST, 3),
    (b'{"jsonrpc":"2.0","id":3}', NO_REQUEST, 3),
    (b'{"jsonrpc":"2.0","id":3,"method":5}', NO_REQUEST, 3),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', NO_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', NO_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', NO_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', NO_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":3,"result":5}', NO_REQUEST, None),
    (b'{"jsonrpc":"2.0","method":"ping","params":5}', NO_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":13,"method":"tools/call","params":5}', BAD_PARAMS, 13),
    (b'{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"a":"\\ud800x"}}', BAD_PARAMS, 13),
    (b'{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"\\udc00":1}}', BAD_PARAMS, 13),
    (b'{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"a":"\xff"}}', BAD_PARAMS, 13),
    (b'{"jsonrpc":"2.0","id":13,"method":"tools/call","params":' + b'{"a":' * 300 + b"1" + b"}" * 301, BAD_PARAMS, 13),
    (b'{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"a":' + b"9" * 5_000 + b"}}", BAD_PARAMS, 13),
    (b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', NO_REQUEST, None),
]


@every(("line", "code", "number"), UNFIT)
def test_a_line_that_is_no_message_is_refused_to_whoever_sent_it(line: bytes, code: int, number: object) -> None:
    with pytest.raises(InvalidLine) as refused:
        parse_line(line)
    written = json.loads(format_line(refused.value.answer))
    assert (written["jsonrpc"], written["error"]["code"], written["id"]) == ("2.0", code, number)


@given(st.one_of(st.binary(), st.text().map(str.encode), st.from_type(dict[str, int]).map(lambda d: str(d).encode())))
def test_no_line_is_too_strange_to_be_refused(line: bytes) -> None:
    with pytest.raises(InvalidLine) as refused:
        parse_line(line)
    assert json.loads(format_line(refused.value.answer))["id"] is None


def test_the_host_is_answered_whatever_it_sends_and_is_served_on(environment: dict[str, str], tmp_path: Path) -> None:
    lines = [line for line, _, _ in UNFIT]
    with Process(environment, "--database", str(tmp_path / "memory.db"), "mcp", "--verbose") as host:
        host.send(*HELLO)
        host.answer()
        for line, code, number in UNFIT:
            host.send_bytes(line + b"\n\r\n \n")
            told = host.answer()
            assert (told["error"]["code"], told["id"]) == (code, number)
        host.send(call(14, "memory_store", content=PRIVATE))
        assert host.answer()["result"]["structuredContent"]["action"] == "created"
        host.send_bytes(b"\n".join(lines))  # all at once, and the last one without an end
        code, printed, logged = host.end()
    assert code == 0
    assert [json.loads(line)["id"] for line in printed.splitlines()] == [number for _, _, number in UNFIT]
    assert [line.split()[1] for line in logged.splitlines()] == ["memory_store"]


def test_no_reader_splits_a_line_inside_of_a_text(environment: dict[str, str], tmp_path: Path) -> None:
    said = "one\u2028two\u2029three\x85four \\u2028"
    with Process(environment, "--database", str(tmp_path / "memory.db"), "mcp") as host:
        host.send(*HELLO, call(2, "memory_store", content=said))
        assert [host.answer()["id"], host.answer()["id"]] == [1, 2]
        host.send({"id": said, "method": "ping"}, call(3, "memory_recall", query="two"))
        code, printed, _ = host.end()
    answers = {message["id"]: message for message in map(json.loads, printed.splitlines())}
    assert code == 0
    assert set(answers) == {said, 3}
    assert answers[3]["result"]["structuredContent"]["memories"][0]["content"] == said.replace("\x85", "")


def test_what_was_asked_before_input_ended_is_answered(environment: dict[str, str], tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [
        *HELLO,
        *(call(number, "memory_store", content=f"{PRIVATE} {number}") for number in range(2, 8)),
        {"id": 8, "method": "tools/list"},
    ]
    typed = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in asked) + "garbage"
    with Process(environment, "--database", str(tmp_path / "memory.db"), "mcp") as host:
        code, printed, logged = host.end(typed)
    answers = [json.loads(line) for line in printed.splitlines()]
    assert {answer["id"] for answer in answers if "result" in answer} == {1, *range(2, 9)}
    assert [answer["error"]["code"] for answer in answers if "error" in answer] == [UNREADABLE]
    assert len(answers) == len(asked)
    assert (code, logged) == (0, "")


def test_a_call_that_is_taken_back_holds_nobody_up(environment: dict[str, str], tmp_path: Path) -> None:
    with Process(environment, "--database", str(tmp_path / "memory.db"), "mcp") as host:
        taken_back = {"method": "notifications/cancelled", "params": {"requestId": 2}}
        host.send(*HELLO, call(2, "memory_store", content=PRIVATE), taken_back, {"id": 3, "method": "ping"})
        code, printed, logged = host.end()
    answered = {json.loads(line)["id"] for line in printed.splitlines()}
    assert (code, logged) == (0, "")
    assert {1, 3} <= answered <= {1, 2, 3}
