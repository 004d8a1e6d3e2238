"""The Slack bot over Socket Mode, against a double of Slack's WebSocket on loopback."""

import json
from queue import Queue
from threading import Event, Thread
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from recollect import Memory
from recollect_connect.integrations.slack import SlackSettings, make_app, serve_socket
from recollect_connect.integrations.slack.bot import user_name
from tests_connect.integrations.slack.fake_slack import ANNA, TEAM, fake_slack

_WAIT_S = 60.0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # the SDK's threads, as it closes
def test_a_command_over_a_socket_is_confirmed_and_answered(memory: Memory) -> None:
    confirmed: Queue[dict[str, Any]] = Queue()
    ended = Event()
    commands: Queue[dict[str, Any]] = Queue()

    def talk(connection: ServerConnection) -> None:
        connection.send(json.dumps({"type": "hello", "num_connections": 1}))
        command = commands.get(timeout=_WAIT_S)
        connection.send(json.dumps({"type": "slash_commands", "envelope_id": "e1", "payload": command}))
        try:
            confirmed.put(json.loads(connection.recv(timeout=_WAIT_S)))
            ended.wait(_WAIT_S)
        except ConnectionClosed:
            return

    with serve(talk, "127.0.0.1", 0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        with fake_slack(f"ws://127.0.0.1:{server.socket.getsockname()[1]}/") as slack:
            handler = serve_socket(make_app(memory, SlackSettings("xoxb-test", api_url=slack.url)), "xapp-test")
            who = {"user_id": ANNA, "team_id": TEAM, "channel_id": "C1", "response_url": slack.response_url}
            commands.put({**who, "command": "/memory-store", "text": "I prefer green tea", "token": "t"})
            assert confirmed.get(timeout=_WAIT_S)["envelope_id"] == "e1"
            assert slack.next_post()[1]["text"] == "Remembered: I prefer green tea"
            assert memory.user(user_name(TEAM, ANNA)).count() == 1
            ended.set()
            handler.close()  # type: ignore[no-untyped-call]
        server.shutdown()
        thread.join()
