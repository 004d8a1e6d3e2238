"""The server, run for real: in this process with a model that a test chooses, or as the command that people type."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import TracebackType
from typing import Any, Self

import httpx2
import psutil
import pytest
from tests.cli.conftest import PLAIN_ENVIRONMENT
from tests.plain_http import NO_CERTIFICATES
from tests.waiting import PATIENCE_S

from recollect.web.server import bind, listen
from recollect_connect.e5.app import RequestQueue
from recollect_connect.e5.limits import EmbeddingServerLimits
from recollect_connect.e5.models import ServedModel, load_model
from recollect_connect.e5.server import create_server


@contextmanager
def serving(model: ServedModel, limits: EmbeddingServerLimits | None = None) -> Iterator[httpx2.Client]:
    """Serve a model on a free port, and give a client for it."""
    with closing(bind("127.0.0.1", 0)) as listener, closing(RequestQueue(model)) as line:
        listen(listener)
        server = create_server(model, line, limits or EmbeddingServerLimits())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with client(f"http://127.0.0.1:{listener.getsockname()[1]}") as http:
                yield http
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


def client(url: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, timeout=PATIENCE_S, verify=NO_CERTIFICATES, trust_env=False)


class Process:
    """The command, in a process of its own."""

    def __init__(self, *typed: str, **environment: str) -> None:
        surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("E5_", "RECOLLECT_"))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "recollect", *typed],
            env={**surroundings, **PLAIN_ENVIRONMENT, "PYTHONUNBUFFERED": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def line(self) -> str:
        """Wait for the next line on standard output."""
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def ready(self) -> dict[str, Any]:
        """Wait until it says, to a program, that it answers."""
        said: dict[str, Any] = json.loads(self.line())
        return said

    def cpu_s(self) -> float:
        """Say how many seconds of CPU it has used."""
        used: float = psutil.Process(self._process.pid).cpu_times().user
        return used

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> tuple[int, str, str]:
        """Wait for its end; gives the exit code and what else it said."""
        said, complained = self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode, said, complained


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("E5_", "RECOLLECT_")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def bundled() -> ServedModel:
    return load_model("bundled")


@pytest.fixture(scope="module")
def server(bundled: ServedModel) -> Iterator[httpx2.Client]:
    """A server of the bundled encoder, with the limits that people get."""
    with serving(bundled) as http:
        yield http
