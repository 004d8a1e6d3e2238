"""Asking several nodes at once, within one time.

The invariant: whoever waits here waits no longer than the budget, and learns of each node either what it said or why it
said nothing. What a node does wrong is a report, never an exception.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from threading import RLock, Thread
from typing import Final

from recollect.federation.node_answers import InvalidAnswer, ParsedAnswer, parse_answer
from recollect.federation.nodes import FederationNode
from recollect.federation.results import FederatedHit, NodeReport, NodeState
from recollect.http_client import Breaker, Endpoint, Patience, Received, RemoteError, Request, Transient

PATH: Final = "/api/context/search"
MOST_BYTES: Final = 4 * 1024 * 1024

_FAILURES: Final = 3  # in a row, and a node is left in peace for a while
_KEY_REFUSED: Final = (401, 403)
_OUR_FAULT: Final = (400, 413, 422)  # a question that this node does not take says nothing about the next one
_NEARLY: Final = 0.9  # a wait may end a little before its time

NodeAnswer = tuple[NodeReport, tuple[FederatedHit, ...]]


class NodeClient:
    """The line to one node. Threads may share one; connections and the memory of failures last as long as it does."""

    def __init__(self, node: FederationNode, budget_s: float) -> None:
        self.node = node
        self._budget_s = budget_s
        self._endpoint = Endpoint(
            node.address,
            node.key,
            Patience(budget_s, retries=0),
            breaker=Breaker(failures=_FAILURES),
            trips=lambda error: error.status not in _OUR_FAULT,
        )
        self._lock = RLock()  # a store may be collected, and its lines closed, in the middle of anything
        self._asking = 0
        self._closed = False

    def ask(self, query: str, limit: int) -> NodeAnswer:
        """Ask once, and say what came of it."""
        with self._lock:
            self._asking += 1
        try:
            return self._asked(query, limit)
        finally:
            with self._lock:
                self._asking -= 1
                over = self._closed and not self._asking
            if over:
                self._endpoint.close()

    def close(self) -> None:
        """Give back the connections; one that is in use is given back by whoever uses it, when they are done."""
        with self._lock:
            self._closed = True
            idle = not self._asking
        if idle:
            self._endpoint.close()

    def _asked(self, query: str, limit: int) -> NodeAnswer:
        request = Request.json(PATH, {"query": query, "limit": limit}, MOST_BYTES, repeatable=False)

        def reader(received: Received) -> ParsedAnswer:
            try:
                return parse_answer(received.parsed(), self.node.name, limit)
            except Transient:
                raise RemoteError("not read") from InvalidAnswer("it is not a JSON object")
            except InvalidAnswer as lie:
                raise RemoteError("not read") from lie

        started = time.monotonic()
        try:
            said = self._endpoint.ask(request, reader)
        except RemoteError as error:
            return self._report(error, time.monotonic() - started), ()
        except Exception as error:  # noqa: BLE001 - the edge of a node: whatever is broken there, the others answer
            return NodeReport(self.node.name, "failed", reason=f"could not be asked ({type(error).__name__})"), ()
        return NodeReport(self.node.name, "answered", len(said.hits), degraded=said.degraded), said.hits

    def _report(self, error: RemoteError, took_s: float) -> NodeReport:
        """Say in our own words why there is no answer: a node's words may be anybody's, the query among them."""
        state: NodeState = "failed"
        if isinstance(error.__cause__, InvalidAnswer):
            state, reason = "lying", f"gave no usable answer: {error.__cause__}"
        elif not error.attempts:
            state, reason = "resting", f"has failed too often and is not asked for {error.retry_after_s or 0:.0f} s"
        elif error.status in _KEY_REFUSED:
            state, reason = "refused", f"does not accept the key (status {error.status})"
        elif error.status is not None:
            reason = f"answered with status {error.status}"
        elif not error.transient:  # it was reached, and sent more than anybody asked for
            state, reason = "lying", f"gave no usable answer: more than {MOST_BYTES:,} bytes"
        elif took_s >= _NEARLY * self._budget_s:
            return late_report(self.node.name, self._budget_s)
        else:
            reason = "could not be reached, or broke off"
        return NodeReport(self.node.name, state, reason=reason)


class NodeClients:
    """The lines to all nodes that a store's settings name. Nothing is opened before the first question."""

    def __init__(self, nodes: Iterable[FederationNode], budget_s: float) -> None:
        self.nodes = tuple(nodes)
        self.budget_s = budget_s
        self._lines: Mapping[str, NodeClient] = {node.name: NodeClient(node, budget_s) for node in self.nodes}

    def ask(self, nodes: Sequence[FederationNode], query: str, limit: int) -> "PendingSearch":
        """Begin to ask these nodes; `PendingSearch.wait` gives what they said."""
        return PendingSearch([self._lines[node.name] for node in nodes], query, limit, self.budget_s)

    def close(self) -> None:
        """Give back all connections."""
        for line in self._lines.values():
            line.close()


class PendingSearch:
    """A question that is on its way to several nodes."""

    def __init__(self, lines: Sequence[NodeClient], query: str, limit: int, budget_s: float) -> None:
        self._budget_s = budget_s
        self._deadline = time.monotonic() + budget_s
        self._names = [line.node.name for line in lines]
        self._answers: dict[str, NodeAnswer] = {}
        self._threads = [
            # Looking up a name has no deadline, so a thread may outlast the budget; the process does not wait for it.
            Thread(target=self._ask, args=(line, query, limit), name="recollect-node", daemon=True)
            for line in lines
        ]
        for thread in self._threads:
            thread.start()

    def wait(self) -> tuple[NodeAnswer, ...]:
        """Give what each node has said when the time is over, or earlier, if all of them have."""
        for thread in self._threads:
            thread.join(max(0.0, self._deadline - time.monotonic()))
        answers = dict(self._answers)
        return tuple(answers.get(name, (late_report(name, self._budget_s), ())) for name in self._names)

    def _ask(self, line: NodeClient, query: str, limit: int) -> None:
        self._answers[line.node.name] = line.ask(query, limit)


def late_report(name: str, budget_s: float) -> NodeReport:
    """Report a node that has not answered in time."""
    return NodeReport(name, "late", reason=f"did not answer within {budget_s:g} s")
