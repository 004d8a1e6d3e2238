"""Stops a process at a certain system call, by way of strace."""

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import PATIENCE_S

# Which of them there are depends on the processor; the question mark lets strace pass over the others.
CALLS = (
    "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "unlinkat", "chmod", "fchmodat", "mknod",
    "mknodat", "mkdir", "mkdirat", "rename", "renameat", "fallocate",
)  # fmt: skip


@contextmanager
def traced(pid: int, log: Path, inject: str = "") -> Iterator[None]:
    """Attach strace to a process, and be sure that it is attached. The process is killed at the end."""
    command = [
        "strace",
        "-f",
        "-o",
        str(log),
        "-e",
        f"trace={','.join(f'?{call}' for call in CALLS)}",
        "-p",
        str(pid),
    ]
    if inject:
        command[1:1] = ["-e", f"inject={inject}"]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        said = (
            tracer.stderr.readline() if tracer.stderr else ""
        )  # a tracer that is known to the kernel need not trace yet
        if "attached" not in said:
            raise PermissionError(said + tracer.communicate()[1])
        yield
    finally:
        os.kill(pid, signal.SIGKILL)  # strace ends by itself when nobody is left to trace
        tracer.communicate(timeout=PATIENCE_S)


def moments(calls: Counter[str], most: int) -> Iterator[tuple[str, int]]:
    """Choose calls to intervene at, as a name and its number: some of all, or the two hardest if there may be no more.

    Those are in the middle of what is written, and at the last sync: all is written by then, and nothing acknowledged.
    """
    if most <= 2:
        yield from (("pwrite64", (calls["pwrite64"] + 1) // 2), ("fdatasync", calls["fdatasync"]))
        return
    stride = -(-calls.total() // most)  # the first of each kind is always among them
    for call, times in calls.items():
        yield from ((call, number) for number in range(1, times + 1, stride))


def counted(log: Path) -> Counter[str]:
    """Count the calls that strace has written down."""
    calls = (line.split()[1].partition("(")[0] for line in log.read_text(errors="replace").splitlines())
    return Counter(call for call in calls if call in CALLS)
