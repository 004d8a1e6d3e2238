"""A Telegram Bot API on loopback: what people write goes to the gateway, and what the agent answers is kept."""

import json
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from itertools import count
from queue import Empty, Queue
from time import time
from typing import Any, Final
from urllib.parse import parse_qs

from tests.openclaw.loopback import LoopbackServer

TOKEN: Final = "123456:scripted"  # noqa: S105 - of a service that lives for one run
_BOT: Final = {"id": 123456, "is_bot": True, "first_name": "Scripted", "username": "scripted_bot"}
_WAIT_S: Final = 2.0


class TelegramDouble(LoopbackServer):
    """The API, while it is entered. `answers` holds what the bot sent, with the chat that it went to."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, str]] = []
        self._updates: Queue[dict[str, Any]] = Queue()
        self._numbers = count(1)
        super().__init__(_handler(self))

    def write(self, sender: int, text: str) -> None:
        """Write to the bot, in a private chat."""
        number = next(self._numbers)
        person = {"id": sender, "is_bot": False, "first_name": f"Person {sender}"}
        chat = {"id": sender, "type": "private", "first_name": f"Person {sender}"}
        message = {"message_id": number, "from": person, "chat": chat, "date": int(time()), "text": text}
        self._updates.put({"update_id": number, "message": message})

    def answered(self, sender: int, text: str) -> bool:
        """Tell whether the bot said something to a person."""
        return any(to == str(sender) and text in said for to, said in self.answers)

    def call(self, method: str, given: dict[str, Any]) -> object:
        """Carry out a method of the API."""
        if method == "getMe":
            return _BOT
        if method == "getUpdates":
            try:
                return [self._updates.get(timeout=_WAIT_S)]
            except Empty:
                return []
        if method in ("sendMessage", "editMessageText"):
            self.answers.append((str(given.get("chat_id")), str(given.get("text"))))
            chat = {"id": int(given.get("chat_id", 0)), "type": "private"}
            return {"message_id": next(self._numbers), "date": int(time()), "chat": chat, "text": given.get("text")}
        return True


def _handler(api: TelegramDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            is_json = "json" in (self.headers.get("Content-Type") or "")
            fields = {name: values[0] for name, values in parse_qs(body).items()}
            result = api.call(
                self.path.split("?")[0].rpartition("/")[2], json.loads(body) if is_json and body else fields
            )
            answer = json.dumps({"ok": True, "result": result}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            with suppress(ConnectionError):  # the gateway stops while it waits for news
                self.wfile.write(answer)

        do_GET = do_POST  # noqa: N815 - as the server calls it

    return Handler
