"""A double of Slack on loopback: it answers the API calls of a bot, keeps what is posted, and signs requests to it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from queue import Queue
from threading import Thread
from time import time
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from slack_sdk.signature import SignatureVerifier

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"  # noqa: S105 - of a test
TEAM, ANNA, BERT = "T0TEAM", "U0ANNA", "U0BERT"
_WAIT_S = 60.0


class FakeSlack:
    """The API of Slack, and one bot that it sends requests to."""

    def __init__(self, port: int, posts: Queue[tuple[str, dict[str, Any]]]) -> None:
        self.url = f"http://127.0.0.1:{port}/api/"
        self.response_url = f"http://127.0.0.1:{port}/response"
        self.bot_url = ""
        self._posts = posts
        self._triggers = count()  # no two interactions have the same, so no two bodies are equal

    def next_post(self) -> tuple[str, dict[str, Any]]:
        """Wait for the next thing that the bot posts: the path, and what was said."""
        return self._posts.get(timeout=_WAIT_S)

    @property
    def is_quiet(self) -> bool:
        """Whether all that was posted has been looked at."""
        return self._posts.empty()

    def command(self, name: str, text: str, user: str = ANNA, team: str = TEAM, channel: str = "C1") -> str:
        """Let a person type a command; gives what the bot answered."""
        asked = {"command": name, "text": text, "user_id": user, "team_id": team, "channel_id": channel}
        assert (
            self.send(urlencode({**asked, "response_url": self.response_url, "trigger_id": next(self._triggers)}))
            == 200
        )
        return str(self.next_post()[1]["text"])

    def interact(self, payload: dict[str, Any], user: str = ANNA) -> str:
        """Let a person press a button or choose an action; gives what the bot answered."""
        who = {"user": {"id": user, "team_id": TEAM}, "team": {"id": TEAM}, "response_url": self.response_url}
        payload = {**payload, "trigger_id": str(next(self._triggers))}
        assert self.send(urlencode({"payload": json.dumps({**who, **payload})})) == 200
        return str(self.next_post()[1]["text"])

    def event(self, event: dict[str, Any], event_id: str, age_s: int = 0) -> int:
        body = {"type": "event_callback", "team_id": TEAM, "event_id": event_id, "event": event, "authorizations": []}
        text = json.dumps(body)
        return self.send(text, self.headers(text, age_s=age_s), content_type="application/json")

    def headers(self, body: str, *, secret: str = SECRET, age_s: int = 0) -> dict[str, str]:
        moment = str(int(time()) - age_s)
        signature = SignatureVerifier(secret).generate_signature(timestamp=moment, body=body) or ""
        return {"X-Slack-Request-Timestamp": moment, "X-Slack-Signature": signature}

    def send(
        self,
        body: str,
        headers: dict[str, str] | None = None,
        content_type: str = "application/x-www-form-urlencoded",
    ) -> int:
        """Send a request to the bot, by default a signed one; gives the status."""
        bot = urlsplit(self.bot_url)
        connection = HTTPConnection(bot.hostname or "", bot.port, timeout=_WAIT_S)
        signed = self.headers(body) if headers is None else headers
        connection.request("POST", bot.path, body.encode(), {"Content-Type": content_type, **signed})
        status = connection.getresponse().status
        connection.close()
        return status


@contextmanager
def fake_slack(socket_url: str = "") -> Iterator[FakeSlack]:
    """Run the double; `socket_url` is where a bot in Socket Mode connects to."""
    posts: Queue[tuple[str, dict[str, Any]]] = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            if self.path.endswith("auth.test"):
                said: dict[str, Any] = {
                    "ok": True,
                    "team_id": TEAM,
                    "user_id": "U0BOT",
                    "bot_id": "B0BOT",
                    "url": "x",
                    "team": "t",
                }
            elif self.path.endswith("apps.connections.open"):
                said = {"ok": True, "url": socket_url}
            else:
                is_form = "form" in self.headers.get("Content-Type", "")
                form = {name: values[0] for name, values in parse_qs(text).items()}
                posts.put((self.path, form if is_form else json.loads(text)))
                said = {"ok": True}
            answer = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield FakeSlack(server.server_address[1], posts)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
