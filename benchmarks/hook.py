"""What a turn of an agent waits for: `recollect hook` with a running service, against an empty Python program."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import Figure, seconds
from benchmarks.stores import open_memory
from recollect_connect.hook_client import connection, exchange

_PROGRAM = str(Path(sys.executable).with_name("recollect"))
_HOOK_PROGRAM = f"{_PROGRAM}-hook"  # as `recollect install` gives it to hosts
_BUDGET_S = 0.060
_MEMORY_MB = 40
_QUESTION = "Where is the red bicycle of Anna?"
# A child's memory counts that of the process that started it, so a small one does.
_PEAK_KB = """
import os, resource, sys
child = os.fork()
if not child:
    os.execv(sys.argv[1], sys.argv[1:])
os.waitpid(child, 0)
sys.stderr.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""


def measure(folder: Path, rounds: int = 30) -> Iterator[Figure]:
    """Milliseconds and memory of a hook before a prompt."""
    database = folder / "one.db"
    with open_memory(str(database)) as memory:
        memory.user("default").remember("The red bicycle of Anna is in the cellar")
        key = memory.keys.create(user="default", scopes=("read", "write")).secret
    with _service(database) as url:
        file = folder / "hook.json"
        file.write_text(json.dumps({"url": url, "key": key, "spool_folder": str(folder / "spool")}), encoding="utf-8")
        hook = [_HOOK_PROGRAM, "claude-code", "--connection", str(file)]
        typed = [_PROGRAM, "hook", "claude-code", "--connection", str(file)]
        bare = [sys.executable, "-c", "pass"]
        asked = connection.load(str(file))
        _ask(asked, "warm")  # the first request loads models
        if b"cellar" not in _run(hook, "s"):
            raise RuntimeError("the hook shows nothing")
        _run(bare, "s")
        times = [
            (
                seconds(lambda: _run(hook, f"h{number}")),  # noqa: B023 - run at once
                seconds(lambda: _run(bare, "")),
                seconds(lambda: _ask(asked, f"s{number}")),  # noqa: B023 - as above
                seconds(lambda: _run(typed, f"t{number}")),  # noqa: B023 - as above
            )
            for number in range(rounds)
        ]
        peaks = [_peak_mb(command) for command in (hook, bare)]
    mine, empty, service, long_way = (statistics.median(time[place] for time in times) for place in range(4))
    detail = (
        f"p50 {mine * 1e3:.0f} ms, {mine / empty:.1f} times python -c pass; python -c pass {empty * 1e3:.0f} ms, the "
        f"service's own {service * 1e3:.0f} ms, typed as `recollect hook` {long_way * 1e3:.0f} ms"
    )
    yield Figure("recollect hook before a prompt, in 60 ms", mine / _BUDGET_S, 1.0, "at most", detail)
    yield Figure(
        "recollect hook without the service against python -c pass", (mine - service) / empty, 2.0, "at most", detail
    )
    detail = f"{peaks[0]:.1f} MB; python -c pass {peaks[1]:.1f} MB"
    yield Figure("memory of recollect hook, in 40 MB", peaks[0] / _MEMORY_MB, 1.0, "at most", detail)


@contextmanager
def _service(database: Path) -> Iterator[str]:
    """Serve a store in a process of its own, warm."""
    command = [_PROGRAM, "--database", str(database), "--json", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()) as process:
        try:
            said = process.stdout.readline() if process.stdout else b""
            yield str(json.loads(said)["url"])
        finally:
            process.terminate()


def _event(session: str) -> bytes:
    return json.dumps({"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": _QUESTION}).encode()


def _run(command: Sequence[str], session: str) -> bytes:
    return subprocess.run(command, input=_event(session), env=_environment(), check=True, capture_output=True).stdout


def _ask(asked: connection.Connection, session: str) -> None:
    body = {"prompt": _QUESTION, "session": session}
    exchange.post(asked, "/api/hooks/before-prompt", body, exchange.Deadline(60))


def _peak_mb(command: Sequence[str]) -> float:
    measured = [sys.executable, "-c", _PEAK_KB, *command]
    ended = subprocess.run(measured, input=_event("m"), env=_environment(), check=True, capture_output=True)
    return int(ended.stderr) / 1024


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT_", "PYTHON"))}
