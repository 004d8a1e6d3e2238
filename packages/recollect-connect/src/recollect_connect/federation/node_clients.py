"""Clients of the nodes, asked all at once within one time budget.

The invariant: a search waits no longer than the budget, and gets from each node either an answer or a report why not.
What a node does wrong is a report, never an exception.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from threading import RLock, Thread
from typing import Final

from recollect.http_client import (
    CircuitBreaker,
    Endpoint,
    HttpRequest,
    HttpResponse,
    RemoteError,
    RetryPolicy,
    Transient,
)
from recollect_connect.federation.node_answers import (
    FederatedHit,
    InvalidAnswer,
    NodeReport,
    NodeState,
    ParsedAnswer,
    parse_answer,
)
from recollect_connect.federation.nodes import FederationNode

PATH: Final = "/api/context/search"
MOST_BYTES: Final = 4 * 1024 * 1024

_FAILURES: Final = 3  # in a row open the circuit breaker
_KEY_REFUSED: Final = (401, 403)
_OUR_FAULT: Final = (400, 413, 422)  # a query that a node refuses says nothing about the next one
_NEARLY: Final = 0.9  # a wait may end a little before its time

NodeAnswer = tuple[NodeReport, tuple[FederatedHit, ...]]


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
