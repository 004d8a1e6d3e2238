"""Starts processes for the tests: quickly, and so that they can be killed at any moment."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.reliability.link import Link
from tests.waiting import PATIENCE_S

_ROOT = Path(__file__).parents[2]
_LONGEST_ANSWER = 64
_KILLED = -signal.SIGKILL


class Child:
    """A process at work on a task."""

    def __init__(self, zygote: "Zygote", pid: int, link: Link) -> None:
        self._zygote = zygote
        self._link = link
        self.pid = pid

    def say(self, value: Any) -> None:
        """Tell it something."""
        self._link.say(value)

    def hear(self) -> Any:
        """Wait for what it says next; an error that it reports becomes one here."""
        value = self._link.hear()
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(f"a child failed: {value['error']}")
        return value

    def ask(self, verb: str, **arguments: Any) -> Any:
        """Have it do something, if its task is to serve."""
        self.say({"verb": verb, **arguments})
        return self.hear()

    def rest(self, at_work_s: float = 0.0) -> list[Any]:
        """Everything that it still says, up to its end; `at_work_s` is how long it has reason to be silent."""
        heard = []
        self._link.be_patient(at_work_s)
        with suppress(EOFError):
            while True:
                heard.append(self.hear())
        return heard

    def kill(self) -> None:
        """End it at once, without a chance to tidy up."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """Wait until it is gone and give its exit code, negative for a signal."""
        self._link.close()
        return self._zygote.reap(self.pid)

    def close_store(self) -> None:
        """Have a serving one close its store."""
        self.say("close")
        assert self.hear() == "closed"

    def close(self) -> None:
        """Have a serving one close its store, and see it off."""
        self.close_store()
        assert self.end() == 0


class Zygote:
    """A process that has imported everything, opened nothing, and forks children on request."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # one message, one request
        self._requests.settimeout(PATIENCE_S)
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "tests.reliability.worker", str(theirs.fileno())]
        self._process = subprocess.Popen(command, cwd=_ROOT, env=environment, pass_fds=[theirs.fileno()])
        theirs.close()
        self._children: dict[int, Child] = {}

    def start(self, task: str, **arguments: Any) -> Child:
        """Start a child on one of the tasks of `worker`."""
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE_S)
        request = json.dumps({"task": task, "arguments": arguments}).encode()
        socket.send_fds(self._requests, [request], [theirs.fileno()])
        theirs.close()
        child = Child(self, self._answer(), Link(ours))
        self._children[child.pid] = child
        return child

    def serve(self, database: str, **settings: Any) -> Child:
        """Start a child that holds a store open and does what it is asked."""
        child = self.start("serve", database=database, settings=settings)
        assert child.hear() == "ready"
        return child

    def reap(self, pid: int) -> int:
        """Wait for the end of a child."""
        del self._children[pid]
        self._requests.sendall(json.dumps({"reap": pid}).encode())
        return self._answer()

    def _answer(self) -> int:
        answer: int = json.loads(self._requests.recv(_LONGEST_ANSWER))
        return answer

    def clear(self) -> None:
        """End the children that a failed test left behind."""
        for child in list(self._children.values()):
            child.kill()
            child.end()

    def stop(self) -> None:
        """End it."""
        self._requests.close()
        self._process.wait(PATIENCE_S)


def was_killed(code: int) -> bool:
    """Whether an exit code says that the process was killed rather than done."""
    return code == _KILLED


def at_once(children: Sequence[Child], at_work_s: float = 0.0) -> list[Any]:
    """Let all begin at the same moment and work so long; gives the last thing that each of them said."""
    for child in children:
        assert child.hear() == "ready"
    for child in children:
        child.say("go")
    last = [child.rest(at_work_s)[-1] for child in children]
    assert [child.end() for child in children] == [0] * len(children)
    return last
