"""`recollect` as a process of its own, without the start of Python: it is forked from one that has imported it.

What starts so is as real as any other: it is sent signals, killed, and given a terminal. How a cold one starts is
tested in `tests/cli/test_startup.py`.
"""

import atexit
import fcntl
import gc
import importlib
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import termios
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final, TypeAlias

import typer.main

# What commands import when they run; the rest is imported by the one that needs it.
_IMPORTED: Final = (
    "recollect.cli", "recollect.cli.view", "recollect.cli.progress", "recollect.api.memory", "recollect.storage.sqlite",
    "recollect.storage.postgres", "recollect.embedding.provider", "recollect.service.app", "recollect.web.server",
    "recollect.mcp.stdio", "uvicorn", "rich.console",
)  # fmt: skip
_LONGEST_ORDER: Final = 2**17
_LONGEST_ANSWER: Final = 16


class Program(subprocess.Popen[Any]):
    """A command that was typed, or another module. `terminal` makes its standard input the terminal it belongs to."""

    def __init__(
        self,
        *typed: str,
        env: Mapping[str, str],
        module: str = "recollect",
        terminal: bool = False,
        cwd: str | None = None,
        **more: Any,
    ) -> None:
        self._manner = {"module": module, "terminal": terminal}
        super().__init__(["recollect", *typed], env=env, cwd=cwd, **more)

    # Popen makes the pipes, and waits; here the process is made by another, which says how it ended.

    def _execute_child(self, args: list[str], *given: Any) -> None:
        env, cwd, pipes = given[5], given[4], given[9:15]
        order = {"typed": args, "env": dict(env), "cwd": cwd or os.getcwd(), **self._manner}  # noqa: PTH109
        self._end, theirs = socket.socketpair()
        own = (pipes[0], pipes[3], pipes[5])
        files = [number if file == -1 else file for number, file in enumerate(own)]
        with theirs:
            self.pid = _nursery().bear(order, [*files, theirs.fileno()])
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if flags == os.WNOHANG and not select.select([self._end], [], [], 0)[0]:
            return 0, 0
        status = self._end.recv(_LONGEST_ANSWER)
        self._end.close()
        return self.pid, int(status)

    def _internal_poll(self, *_: object, **__: object) -> int | None:
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            if pid:
                self._handle_exitstatus(status)  # type: ignore[attr-defined]
        return self.returncode


class _Nursery:
    """The process of which all are forked: it has imported everything and opened nothing."""

    def __init__(self) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # one message, one order
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "tests.program", str(theirs.fileno())]
        root = Path(__file__).parents[1]
        self._process = subprocess.Popen(command, cwd=root, env=environment, pass_fds=[theirs.fileno()])
        theirs.close()
        self._lock = Lock()
        atexit.register(self._end)

    def bear(self, order: Mapping[str, object], files: list[int]) -> int:
        """Have a process forked with these standard files; how it ends is told to the last of them."""
        with self._lock:
            socket.send_fds(self._orders, [json.dumps(order).encode()], files)
            return int(self._orders.recv(_LONGEST_ANSWER))

    def _end(self) -> None:
        self._orders.close()
        self._process.wait()


@cache
def _nursery() -> _Nursery:
    return _Nursery()


_Order: TypeAlias = dict[str, Any]


def _wait_for_order(orders: socket.socket) -> tuple[_Order, list[int]]:
    """Fork a process for each order, and say how each ends. Gives back in the forked ones only."""
    woken, waking = socket.socketpair()
    woken.setblocking(False)  # noqa: FBT003
    waking.setblocking(False)  # noqa: FBT003
    signal.set_wakeup_fd(waking.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is meant for others
    ends: dict[int, int] = {}
    while True:
        ready = select.select([orders, woken], [], [])[0]
        if woken in ready:
            woken.recv(_LONGEST_ORDER)
            _tell_ends(ends)
        if orders not in ready:
            continue
        message, files, *_ = socket.recv_fds(orders, _LONGEST_ORDER, 4)
        if not message:
            os._exit(0)
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            for held in (orders, woken, waking):
                held.close()
            for end in (files[3], *ends.values()):
                os.close(end)
            return json.loads(message), files[:3]
        ends[pid] = files[3]
        orders.send(str(pid).encode())
        for file in files[:3]:
            os.close(file)


def _tell_ends(ends: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with suppress(BrokenPipeError):
                os.write(ends[pid], str(status).encode())
            os.close(ends.pop(pid))


def _become(order: _Order, files: list[int]) -> None:
    """Be a process as if it had been started with this."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(order["env"])
    time.tzset()
    os.chdir(order["cwd"])
    sys.argv = order["typed"]
    if order["terminal"]:
        os.setsid()
        fcntl.ioctl(files[0], termios.TIOCSCTTY, 0)
    for number, file in enumerate(files):
        os.dup2(file, number)
    for file in {*files} - {0, 1, 2}:
        os.close(file)
    sys.stdin = sys.__stdin__ = _stream(0, "r")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _stream(1, "w")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(2, "w")  # type: ignore[misc]
    if os.environ.get("PYTHONWARNINGS") == "error":
        warnings.simplefilter("error")


def _stream(number: int, mode: str) -> io.TextIOWrapper:
    stream: IO[Any] = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - lasts as long as it
    assert isinstance(stream, io.TextIOWrapper)
    if mode == "w":
        at_once = number == 2 or stream.isatty()
        stream.reconfigure(line_buffering=at_once, write_through="PYTHONUNBUFFERED" in os.environ)
    return stream


if __name__ == "__main__":
    for _name in _IMPORTED:
        importlib.import_module(_name)
    from recollect.__main__ import main
    from recollect.cli import app

    typer.main.get_command = cache(typer.main.get_command)
    typer.main.get_command(app)  # which takes longer than most commands take to run
    gc.freeze()  # or each child would look for garbage among all this when it ends, which takes longer still
    _order, _files = _wait_for_order(socket.socket(fileno=int(sys.argv[1])))
    _become(_order, _files)
    if _order["module"] == "recollect":
        main()
    else:
        runpy.run_module(_order["module"], run_name="__main__")
