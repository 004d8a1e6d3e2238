"""Backups at intervals (`backup.folder`, `backup.every`), while the service runs, in one process of several.

A failure is counted and logged, and soon tried again: a disk may come back.
"""

from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from recollect.api.memory import Memory
from recollect.errors import RecollectError
from recollect.service.metrics.metric_labels import FAILED, WRITTEN
from recollect.web.middleware import LOG

_RETRY_S: Final = 300.0
_LOOK_S: Final = 60.0  # how often it is asked whether one is due: another process may have written one


class ScheduledBackups:
    """The thread that writes backups. `count` is called with how each ended: one of `BACKUP_STATES`."""

    def __init__(self, memory: Memory, count: Callable[[str], None], *, retry_s: float = _RETRY_S) -> None:
        self._memory = memory
        self._count = count
        self._retry_s = retry_s
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        if self._memory.settings.backup.folder:
            self._thread = Thread(target=self._run, name="recollect-backups", daemon=True)
            self._thread.start()

    def end(self) -> None:
        self._stop.set()

    def wait(self, timeout_s: float) -> None:
        """Wait for the end, not longer than this: a backup that is cut short leaves nothing that looks like one."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                due_s = self._memory.operations.backup_due_in().total_seconds()
                if not due_s:
                    self._write()
                    continue
            except Exception as error:  # noqa: BLE001 - the edge of this worker: it outlives whatever goes wrong
                due_s = self._retry_s
                if not self._stop.is_set():  # or the store may be closed by now
                    self._count(FAILED)
                    said = str(error) if isinstance(error, RecollectError) else type(error).__name__
                    LOG.error("%(event)s: %(failure)s", {"event": "a backup failed", "failure": said})
            self._stop.wait(min(due_s, max(_LOOK_S, self._retry_s)))

    def _write(self) -> None:
        made = self._memory.operations.scheduled_backup()
        self._count(WRITTEN)
        fields = {"event": "backup", "folder": made.folder, "bytes": made.size_bytes, "removed": len(made.removed)}
        LOG.info("%(event)s %(folder)s: written and verified, %(bytes)d bytes", fields)
        if made.missing:
            LOG.error("%(event)s: %(missing)d originals are missing", {"event": "backup", "missing": made.missing})
