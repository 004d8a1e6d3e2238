"""The lines of the protocol: what one says, what to answer when it says nothing that can be understood, and its text.

Whoever sends a request waits for an answer, so a line that is refused is answered as well, with its id if one can be
found. What a refused line held is not quoted. A written line holds no character at which any reader might split it.
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


class UnfitLine(Exception):
    """A line that is no message. It carries the answer."""

    def __init__(self, code: int, text: str, found: object = None) -> None:
        """Say what is wrong, and to whom: `found` is what the line holds as far as it can be read."""
        super().__init__(text)
        error = sdk.ErrorData(code=code, message=text)
        self.answer = sdk.JSONRPCError(jsonrpc="2.0", id=_id(found), error=error)


def message_in(line: bytes) -> sdk.JSONRPCMessage:
    """Read a line. Raises UnfitLine."""
    try:
        message: sdk.JSONRPCMessage = sdk.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        raise _unfit(line) from None
    # An id of a wrong type makes a notification for the SDK, but whoever sent one waits.
    if isinstance(message, sdk.JSONRPCNotification) and "id" in from_json(line):
        raise UnfitLine(sdk.INVALID_REQUEST, _NO_MESSAGE)
    return message


def line_of(message: sdk.JSONRPCMessage) -> bytes:
    """Give a message as a line. The signs stand only inside of texts, where JSON lets them be escaped."""
    written = message.model_dump_json(by_alias=True, exclude_unset=True)
    return f"{written.translate(_SPLITTING)}\n".encode()


def _unfit(line: bytes) -> UnfitLine:
    """Find out what is wrong, by reading more leniently than is allowed."""
    try:
        found = json.loads(line.decode("utf-8", "surrogateescape"), parse_int=_integer)
    except (ValueError, RecursionError):
        return UnfitLine(sdk.PARSE_ERROR, _UNREADABLE)
    if not isinstance(found, dict):
        return UnfitLine(sdk.INVALID_REQUEST, _NO_OBJECT)
    is_call = found.get("jsonrpc") == "2.0" and isinstance(found.get("method"), str) and _id(found) is not None
    if is_call:
        return UnfitLine(sdk.INVALID_PARAMS, _BAD_PARAMS, found)
    return UnfitLine(sdk.INVALID_REQUEST, _NO_MESSAGE, found)


def _id(found: Any) -> sdk.RequestId | None:  # noqa: ANN401 - whatever JSON holds
    """Give the id of what seems to be a request. The id of an answer is one of ours, and not the host's."""
    if not isinstance(found, dict) or not found.keys().isdisjoint({"result", "error"}):
        return None
    number = found.get("id")
    if isinstance(number, str):
        return None if any("\ud800" <= sign <= "\udfff" for sign in number) else number
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _integer(digits: str) -> int | None:
    """Give a number, unless it has more digits than Python would read; the rest of the line can still be read."""
    return int(digits) if len(digits) <= _MOST_DIGITS else None
