"""JSON-RPC messages as lines.

A host waits for an answer to every request, so a line that is refused is answered as well, with its id if one can be
found; its content is not quoted. A written line holds no character at which a reader might split it.
"""

import json
from typing import Any, Final

import mcp_types as sdk
from pydantic import ValidationError
from pydantic_core import from_json

_UNREADABLE: Final = "The line is not JSON in UTF-8. Send one JSON object in each line."
_NO_OBJECT: Final = "Expected a JSON object. Send each message in a line of its own; lists of messages are not taken."
_NO_MESSAGE: Final = (
    'Expected a message with jsonrpc "2.0", and a method or a result. An id is an integer or a text, and never null.'
)
_BAD_PARAMS: Final = (
    "Expected params as a JSON object of valid Unicode, neither too deep nor with numbers of thousands of digits."
)
_MOST_DIGITS: Final = 600
_SPLITTING: Final = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"})


class InvalidLine(Exception):
    """A line that is no message, with the answer to it."""

    def __init__(self, code: int, text: str, parsed: object = None) -> None:
        super().__init__(text)
        error = sdk.ErrorData(code=code, message=text)
        self.answer = sdk.JSONRPCError(jsonrpc="2.0", id=_id(parsed), error=error)


def parse_line(line: bytes) -> sdk.JSONRPCMessage:
    """Read a line. Raises UnfitLine."""
    try:
        message: sdk.JSONRPCMessage = sdk.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        raise _unfit(line) from None
    # An id of a wrong type makes a notification for the SDK, but its sender waits.
    if isinstance(message, sdk.JSONRPCNotification) and "id" in from_json(line):
        raise InvalidLine(sdk.INVALID_REQUEST, _NO_MESSAGE)
    return message


def format_line(message: sdk.JSONRPCMessage) -> bytes:
    """Format a message as a line. Characters to escape stand only inside of texts, where JSON allows it."""
    written = message.model_dump_json(by_alias=True, exclude_unset=True)
    return f"{written.translate(_SPLITTING)}\n".encode()


def _unfit(line: bytes) -> InvalidLine:
    """Find out what is wrong, by a more lenient parser."""
    try:
        # No number with more digits than Python reads; the rest of the line can still be parsed.
        parsed = json.loads(
            line.decode("utf-8", "surrogateescape"),
            parse_int=lambda digits: int(digits) if len(digits) <= _MOST_DIGITS else None,
        )
    except (ValueError, RecursionError):
        return InvalidLine(sdk.PARSE_ERROR, _UNREADABLE)
    if not isinstance(parsed, dict):
        return InvalidLine(sdk.INVALID_REQUEST, _NO_OBJECT)
    is_call = parsed.get("jsonrpc") == "2.0" and isinstance(parsed.get("method"), str) and _id(parsed) is not None
    if is_call:
        return InvalidLine(sdk.INVALID_PARAMS, _BAD_PARAMS, parsed)
    return InvalidLine(sdk.INVALID_REQUEST, _NO_MESSAGE, parsed)


def _id(parsed: Any) -> sdk.RequestId | None:  # noqa: ANN401 - whatever JSON holds
    """Give the id of a presumed request. The id of an answer is ours, not the host's."""
    if not isinstance(parsed, dict) or not parsed.keys().isdisjoint({"result", "error"}):
        return None
    number = parsed.get("id")
    if isinstance(number, str):
        return None if any("\ud800" <= sign <= "\udfff" for sign in number) else number
    return number if isinstance(number, int) and not isinstance(number, bool) else None
