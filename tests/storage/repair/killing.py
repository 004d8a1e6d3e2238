"""Repairs a file again and again in child processes, each of which dies before another call that changes a folder.

Run as a module, with the path of a damaged file and a folder to work in: prints as JSON what was found after each kill.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recollect import Memory
from tests.sizes import sized
from tests.storage.repair.damaging import beside, kept_aside, opened, rows_of

_STRIDE = sized(4, 1)
_CALLS = ("link", "rename", "replace", "unlink", "fsync")


def _die_at(number: int) -> list[str]:
    """Let this process kill itself before the call of that number; gives the names of the calls so far."""
    made: list[str] = []

    def wrapped(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*values: Any, **named: Any) -> Any:
            made.append(name)
            if len(made) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*values, **named)

        return counting

    for name in _CALLS:
        setattr(os, name, wrapped(name, getattr(os, name)))
    return made


def _killed(path: Path, number: int) -> bool:
    """Repair in a child that dies at a call; tells whether it got that far."""
    child = os.fork()
    if not child:
        _die_at(number)
        Memory.repair(path)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(damaged: Path, folder: Path) -> None:
    """Kill at every call, and open the store afterwards."""
    found, number, killed = [], 0, True
    content, log = damaged.read_bytes(), Path(f"{damaged}-wal").read_bytes()
    while killed:
        number += _STRIDE
        path = folder / f"{number}" / "memory.db"
        path.parent.mkdir()
        for suffix in ("", "-wal"):
            shutil.copy(f"{damaged}{suffix}", f"{path}{suffix}")
        killed = _killed(path, number)
        with opened(path) as memory:
            contents = sorted(item.content for item in memory.user("me").list(limit=1000).items)
            problems = [problem.check for problem in memory.doctor()]
        aside = kept_aside(path)
        found.append(
            {
                "memories": contents,
                "rows": len(rows_of(path)["memories"]),
                "problems": problems,
                "aside": [file.read_bytes() == content for file in aside],
                "logs": [Path(f"{file}-wal").read_bytes() == log for file in aside],
                "beside": sorted(name.removeprefix("memory.db")[:9] for name in beside(path)),
            }
        )
        shutil.rmtree(path.parent)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
