"""`recollect hook`: reads an event on standard input, asks the service, and prints what the host should show.

A user waits for the answer to a prompt, so what only other events need is imported when they come.
"""

import os
import sys
import time

from recollect_connect.hook_client import exchange
from recollect_connect.hook_client.connection import Connection, InvalidConnection, load
from recollect_connect.hook_client.events import END, PROMPT, START, TURN, HookEvent, InvalidEvent
from recollect_connect.hook_client.exchange import Deadline, NoAnswer, NotRunning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect_connect.hook_client.spool import Spool, SpooledRequest

_LARGEST_EVENT = 8_000_000
_AGENT_END = "/api/hooks/agent-end"
_GOOD = range(200, 300)
_GONE = 410  # it was carried out before, and something of it has been forgotten since
_NEVER = (400, 413, 422)  # the service has understood such a request, and will not take it
_POLL_S = 0.1


def run(arguments: "list[str]") -> int:
    """Serve one event. Whatever goes wrong, the host goes on: the exit code is 0, and standard output is empty."""
    host, connection_file, verbose = _parse(arguments)
    try:
        answer = Hook(load(connection_file), verbose=verbose).serve(host, sys.stdin.buffer.read(_LARGEST_EVENT))
        if answer:
            sys.stdout.write(answer + "\n")
            sys.stdout.flush()
    except (InvalidConnection, InvalidEvent, NoAnswer) as error:
        _say(f"recollect hook: {error}", verbose=verbose)
    except Exception as error:  # noqa: BLE001 - the edge of the hook: whatever is broken, the agent answers
        _say(f"recollect hook: {type(error).__name__}: {error}", verbose=verbose)
    return 0


class Hook:
    """Serves the events of a host with one service."""

    def __init__(self, connection: Connection, *, verbose: bool = False) -> None:
        self._connection = connection
        self._verbose = verbose

    @property
    def _spool(self) -> "Spool":
        from recollect_connect.hook_client.spool import Spool  # noqa: PLC0415 - as above

        return Spool(self._connection.spool_folder, self._connection.target)

    def serve(self, host: str, content: bytes) -> str:
        """Give what to print for an event. Raises InvalidEvent and NoAnswer; what was to be saved is spooled."""
        event = HookEvent.parse(host, content)
        if event.kind == PROMPT:
            return event.answer(self._before_prompt(event))
        deadline = Deadline(self._connection.turn_budget_s)
        if event.kind == START:
            return event.answer(self._start_session(event, deadline))
        if event.kind in (TURN, END):
            self._save_turn(event, deadline)
        return ""

    def _before_prompt(self, event: HookEvent) -> str:
        if not event.prompt.strip():
            return ""
        message = event.prompt_message()
        body = {"prompt": event.prompt, "session": event.session}
        if "id" in message:
            body["id"] = str(message["id"])
        try:
            deadline = Deadline(self._connection.prompt_budget_s)
            return _block(exchange.post(self._connection, "/api/hooks/before-prompt", body, deadline))
        except NoAnswer as error:
            if isinstance(error, NotRunning):
                self._start_service()
            if not event.saved_by_turn():
                self._keep(_AGENT_END, {"session": event.session, "messages": [message]})
            raise

    def _start_session(self, event: HookEvent, deadline: Deadline) -> str:
        def ask() -> exchange.Answer:
            return exchange.get(self._connection, "/api/hooks/session-start", {"project": event.project}, deadline)

        try:
            answer = ask()
        except NotRunning:
            self._start_service()
            answer = self._ask_when_started(ask, deadline)
        self._deliver(deadline)
        return _block(answer)

    def _save_turn(self, event: HookEvent, deadline: Deadline) -> None:
        """Write down what to save, then send it with all that waits."""
        from recollect_connect.hook_client.spool import SpooledRequest  # noqa: PLC0415 - as above

        requests: list[tuple[str, dict[str, object]]] = []
        messages = self._not_waiting(event.session, event.messages())
        if messages:
            requests.append((_AGENT_END, {"session": event.session, "messages": messages}))
        if event.kind == END:
            requests.append(("/api/hooks/session-end", {"session": event.session}))
        for path, body in requests:
            if not self._keep(path, body):  # a full disk: it is sent at once, or else the next turn tells it again
                self._send(SpooledRequest(path, body, self._connection.target), deadline)
        self._deliver(deadline)

    def _not_waiting(self, session: str, messages: "list[dict[str, object]]") -> "list[dict[str, object]]":
        """Leave out what waits already: each turn tells the end of the transcript, which would fill the spool."""
        waiting = {
            message.get("id")
            for request in self._spool.waiting()
            if request.path == _AGENT_END and isinstance(request.body, dict) and request.body.get("session") == session
            for message in request.body["messages"]
        }
        return [message for message in messages if not message.get("id") or message["id"] not in waiting]

    def _keep(self, path: str, body: object) -> bool:
        """Write a request down; what that costs is said in any case, because it may be lost."""
        spool = self._spool
        try:
            spool.add(path, body)
        except OSError as error:
            _say(f"recollect hook: the spool cannot keep a turn: {error}", verbose=True)
            return False
        if spool.displaced:
            _say(f"recollect hook: the spool is full; {spool.displaced} older turns were dropped", verbose=True)
        return True

    def _deliver(self, deadline: Deadline) -> None:
        self._spool.deliver(lambda request: self._send(request, deadline))

    def _send(self, request: "SpooledRequest", deadline: Deadline) -> str:
        """Send a request that was written down, and say what became of it."""
        from recollect_connect.hook_client.spool import DELIVERED, LATER, REFUSED  # noqa: PLC0415 - as above

        try:
            answer = exchange.post(
                self._connection,
                request.path,
                request.body,
                deadline,
                idempotency_key=request.idempotency_key,
                given_at=request.given_at,
            )
        except NoAnswer as error:
            if isinstance(error, NotRunning):
                self._start_service()
            _say(f"recollect hook: kept for later: {error}", verbose=self._verbose)
            return LATER
        if answer.status in _GOOD or answer.status == _GONE:
            return DELIVERED
        _say(f"recollect hook: {_refusal(answer)}", verbose=self._verbose)
        return REFUSED if answer.status in _NEVER else LATER

    def _ask_when_started(self, ask: "Callable[[], exchange.Answer]", deadline: Deadline) -> exchange.Answer:
        """Ask a service that is being started as soon as it listens."""
        while self._connection.start:
            time.sleep(min(_POLL_S, deadline.left()))
            try:
                return ask()
            except NotRunning:
                continue
        raise NotRunning(f"nothing listens at {self._connection.url}, and the connection does not say how to start it")

    def _start_service(self) -> None:
        from recollect_connect.hook_client.start import start_service  # noqa: PLC0415 - as above

        start_service(self._connection)


def _parse(arguments: "list[str]") -> "tuple[str, str, bool]":
    """Give the host, the file of the connection, and whether to say on standard error what went wrong."""
    words = iter(arguments)
    host, connection, verbose = "", "", False
    for word in words:
        if word == "--verbose":
            verbose = True
        elif word == "--connection":
            connection = next(words, "")
        elif word.startswith("--connection="):
            connection = word.partition("=")[2]
        else:
            host = host or word
    return host or "claude-code", os.path.expanduser(connection), verbose  # noqa: PTH111 - pathlib imports slowly


def _block(answer: exchange.Answer) -> str:
    """Give the block of an answer. Raises NoAnswer if the service refused."""
    if answer.status not in _GOOD:
        raise NoAnswer(_refusal(answer))
    block = answer.content.get("block") if isinstance(answer.content, dict) else None
    return block if isinstance(block, str) else ""


def _refusal(answer: exchange.Answer) -> str:
    """Say what the service said, in one line."""
    detail = answer.content.get("detail") if isinstance(answer.content, dict) else None
    return f"the service answers {answer.status}" + (f": {detail}" if isinstance(detail, str) else "")


def _say(text: str, *, verbose: bool) -> None:
    if verbose:
        sys.stderr.write(text + "\n")
