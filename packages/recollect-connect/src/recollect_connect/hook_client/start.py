"""Starts the service when none is running, once, and leaves it running.

A lock is held by the service itself, from before its start to its end, so that hooks that run at the same time do not
start several.
"""

import os
import sys

from recollect_connect.hook_client.connection import Connection


def start_service(connection: Connection) -> bool:
    """Start the service if the connection says how and none was started before; say whether one is on its way."""
    if not connection.start:
        return False
    os.makedirs(connection.spool_folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - pathlib imports slowly
    log = os.path.join(connection.spool_folder, "service.log")  # noqa: PTH118 - as above
    if sys.platform == "win32":
        import subprocess  # noqa: PLC0415 - takes 15 ms

        with open(log, "wb") as file:  # noqa: PTH123 - as above
            subprocess.Popen(connection.start, stdin=subprocess.DEVNULL, stdout=file, stderr=file)  # noqa: S603
        return True
    return _start_with_lock(connection, log)


def _start_with_lock(connection: Connection, log: str) -> bool:
    import fcntl  # noqa: PLC0415 - not on Windows

    lock = os.open(os.path.join(connection.spool_folder, "service.lock"), os.O_RDWR | os.O_CREAT, 0o600)  # noqa: PTH118
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True  # another hook has started one
    else:
        if os.fork() == 0:
            _become_service(connection.start, log, lock)
        return True
    finally:
        os.close(lock)


def _become_service(command: "tuple[str, ...]", log: str, lock: int) -> None:
    """Turn this process into the service: in a session of its own, with the lock, and with none of the host's pipes."""
    try:
        os.setsid()
        os.set_inheritable(lock, True)  # noqa: FBT003 - as os has it
        silence = os.open(os.devnull, os.O_RDWR)
        written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for descriptor, stream in ((silence, 0), (written, 1), (written, 2)):
            os.dup2(descriptor, stream)
        os.execvp(command[0], command)  # noqa: S606 - a program of the user's choice
    finally:
        os._exit(1)
