"""The nodes of the settings, for which users each may be asked, and their clients, asked within one time budget.

A node is enabled only for the users who are named in its line: a query is private, and must not leave the machine
because another user has a node.

The invariant: a search waits no longer than the budget, and gets from each node either an answer or a report why not.
What a node does wrong is a report, never an exception.
"""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import RLock, Thread
from typing import Final

from recollect.errors import InvalidInput, NotPermitted, SettingsError
from recollect.http_client import (
    ApiKey,
    CircuitBreaker,
    Endpoint,
    HttpRequest,
    HttpResponse,
    RemoteError,
    RetryPolicy,
    Transient,
    checked_url,
)
from recollect_connect.federation.node_answers import (
    LOCAL_NODE,
    FederatedHit,
    InvalidAnswer,
    NodeReport,
    NodeState,
    ParsedAnswer,
    parse_answer,
)

ALL_USERS: Final = "*"

_RESERVED: Final = (LOCAL_NODE, "all", "none")  # the last two mean something to `search --nodes`
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

PATH: Final = "/api/context/search"
MOST_BYTES: Final = 4 * 1024 * 1024

_FAILURES: Final = 3  # in a row open the circuit breaker
_KEY_REFUSED: Final = (401, 403)
_OUR_FAULT: Final = (400, 413, 422)  # a query that a node refuses says nothing about the next one
_NEARLY: Final = 0.9  # a wait may end a little before its time

NodeAnswer = tuple[NodeReport, tuple[FederatedHit, ...]]


@dataclass(frozen=True, slots=True)
class FederationNode:
    """Another Recollect service: its address, our key for it, and the users whose searches may be sent there."""

    name: str
    address: str
    key: ApiKey
    users: frozenset[str]

    def is_for(self, user_id: str) -> bool:
        """Tell whether the searches of a user may be sent there."""
        return user_id in self.users or ALL_USERS in self.users


def parse_nodes(lines: Iterable[str]) -> tuple[FederationNode, ...]:
    """Parse the lines of `federation.nodes`, whose form the settings have checked. Raises SettingsError."""
    nodes = tuple(map(_parse, lines))
    names = [node.name for node in nodes]
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise SettingsError(f"federation.nodes has two nodes that are called {duplicate}. Give each a name of its own.")
    return nodes


def choose_nodes(
    nodes: Sequence[FederationNode], user_id: str, names: Sequence[str] | None
) -> tuple[FederationNode, ...]:
    """Choose the nodes to ask for a user: those that are named, or all that are enabled.

    `local` may be named; it is always searched. Raises InvalidInput for a node that is unknown, and NotPermitted for
    one that is not enabled for this user, before anything is sent.
    """
    enabled = sorted((node for node in nodes if node.is_for(user_id)), key=lambda node: node.name)
    if names is None:
        return tuple(enabled)
    if isinstance(names, str):
        raise InvalidInput(f"nodes is the text {names!r}; give several, for example ({names!r},).")
    known_names = {node.name for node in nodes}
    for name in names:
        if not isinstance(name, str) or name not in {LOCAL_NODE, *known_names}:
            ours = ", ".join(node.name for node in enabled) or "none; federation.nodes in the settings lists them"
            raise InvalidInput(f"Unknown node {name!r}. Nodes for this user: {ours}.")
    allowed = {LOCAL_NODE, *(node.name for node in enabled)}
    for name in names:
        if name not in allowed:
            raise NotPermitted(
                f"The node {name} is not enabled for the user {user_id!r}, so nothing was sent. "
                "`users=` in its line of federation.nodes says for whom it is."
            )
    return tuple(node for node in enabled if node.name in names)


def _parse(line: str) -> FederationNode:
    name, *parts = line.split()
    if not _NAME.fullmatch(name):
        raise SettingsError(
            "The name of a node in federation.nodes may hold up to 64 letters, digits, dots, dashes and underscores, "
            "and begins with a letter or digit."
        )
    if name in _RESERVED:
        raise SettingsError(f"A node in federation.nodes cannot be called {name}, which has a meaning of its own.")
    fields = dict(part.partition("=")[::2] for part in parts)
    users = frozenset(filter(None, fields.get("users", "").split(",")))
    address = checked_url(fields.get("url", ""), f"the node {name}", "https://memory.example")
    try:
        key = ApiKey(fields.get("key", ""))
    except SettingsError as error:
        raise SettingsError(f"The node {name} in federation.nodes: {error}") from None
    return FederationNode(name, address, key, users)


class NodeClient:
    """The client of one node, with its connections and its circuit breaker. Thread-safe."""

    def __init__(self, node: FederationNode, budget_s: float) -> None:
        self.node = node
        self._budget_s = budget_s
        self._endpoint = Endpoint(
            node.address,
            node.key,
            RetryPolicy(budget_s, retries=0),
            breaker=CircuitBreaker(failures=_FAILURES),
            trips=lambda error: error.status not in _OUR_FAULT,
        )
        self._lock = RLock()  # a store may be collected, and its clients closed, in the middle of anything
        self._active = 0
        self._closed = False

    def ask(self, query: str, limit: int) -> NodeAnswer:
        """Send a search, and report what came of it."""
        with self._lock:
            self._active += 1
        try:
            return self._search(query, limit)
        finally:
            with self._lock:
                self._active -= 1
                last = self._closed and not self._active
            if last:
                self._endpoint.close()

    def close(self) -> None:
        """Close the connections; those in use are closed after their request."""
        with self._lock:
            self._closed = True
            idle = not self._active
        if idle:
            self._endpoint.close()

    def _search(self, query: str, limit: int) -> NodeAnswer:
        request = HttpRequest.json(PATH, {"query": query, "limit": limit}, MOST_BYTES, repeatable=False)

        def reader(received: HttpResponse) -> ParsedAnswer:
            try:
                return parse_answer(received.parsed(), self.node.name, limit)
            except Transient:
                raise RemoteError("not read") from InvalidAnswer("it is not a JSON object")
            except InvalidAnswer as error:
                raise RemoteError("not read") from error

        started = time.monotonic()
        try:
            answer = self._endpoint.ask(request, reader)
        except RemoteError as error:
            return self._report(error, time.monotonic() - started), ()
        except Exception as error:  # noqa: BLE001 - the edge of a node: whatever is broken there, the others answer
            return NodeReport(self.node.name, "failed", reason=f"could not be asked ({type(error).__name__})"), ()
        return NodeReport(self.node.name, "answered", len(answer.hits), degraded=answer.degraded), answer.hits

    def _report(self, error: RemoteError, took_s: float) -> NodeReport:
        """Report in our own words why there is no answer: a node's words may hold anything, the query among it."""
        state: NodeState = "failed"
        if isinstance(error.__cause__, InvalidAnswer):
            state, reason = "lying", f"gave no usable answer: {error.__cause__}"
        elif not error.attempts:
            state, reason = "resting", f"has failed too often and is not asked for {error.retry_after_s or 0:.0f} s"
        elif error.status in _KEY_REFUSED:
            state, reason = "refused", f"does not accept the key (status {error.status})"
        elif error.status is not None:
            reason = f"answered with status {error.status}"
        elif not error.transient:  # it was reached, and sent more than was asked for
            state, reason = "lying", f"gave no usable answer: more than {MOST_BYTES:,} bytes"
        elif took_s >= _NEARLY * self._budget_s:
            return late_report(self.node.name, self._budget_s)
        else:
            reason = "could not be reached, or broke off"
        return NodeReport(self.node.name, state, reason=reason)


class NodeClients:
    """The clients of all nodes of a store's settings. Nothing is opened before the first search."""

    def __init__(self, nodes: Iterable[FederationNode], budget_s: float) -> None:
        self.nodes = tuple(nodes)
        self.budget_s = budget_s
        self._clients: Mapping[str, NodeClient] = {node.name: NodeClient(node, budget_s) for node in self.nodes}

    def ask(self, nodes: Sequence[FederationNode], query: str, limit: int) -> "PendingSearch":
        """Start a search on these nodes; `PendingSearch.wait` gives the answers."""
        return PendingSearch([self._clients[node.name] for node in nodes], query, limit, self.budget_s)

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            client.close()


class PendingSearch:
    """A search that is under way on several nodes."""

    def __init__(self, clients: Sequence[NodeClient], query: str, limit: int, budget_s: float) -> None:
        self._budget_s = budget_s
        self._deadline = time.monotonic() + budget_s
        self._names = [client.node.name for client in clients]
        self._answers: dict[str, NodeAnswer] = {}
        self._threads = [
            # Looking up a name has no deadline, so a thread may outlast the budget; the process does not wait for it.
            Thread(target=self._ask, args=(client, query, limit), name="recollect-node", daemon=True)
            for client in clients
        ]
        for thread in self._threads:
            thread.start()

    def wait(self) -> tuple[NodeAnswer, ...]:
        """Give the answer of each node when the time is over, or earlier if all have answered."""
        for thread in self._threads:
            thread.join(max(0.0, self._deadline - time.monotonic()))
        answers = dict(self._answers)
        return tuple(answers.get(name, (late_report(name, self._budget_s), ())) for name in self._names)

    def _ask(self, client: NodeClient, query: str, limit: int) -> None:
        self._answers[client.node.name] = client.ask(query, limit)


def late_report(name: str, budget_s: float) -> NodeReport:
    """Report a node that has not answered in time."""
    return NodeReport(name, "late", reason=f"did not answer within {budget_s:g} s")
