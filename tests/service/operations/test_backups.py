"""Backups at intervals: written by the service, once for all its processes, and told of when they fail."""

import json
from pathlib import Path
from threading import Event

import httpx2
import pytest

from recollect import Memory
from recollect.service.metrics.metric_labels import FAILED, WRITTEN
from recollect.service.scheduled_backups import ScheduledBackups
from tests.fixtures import OpenMemory, SteppingClock
from tests.service.conftest import Running
from tests.service.operations.conftest import Operator
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class Counted:
    """Notes how backups ended, and when there were enough."""

    def __init__(self, wanted: int) -> None:
        self.states: list[str] = []
        self._wanted = wanted
        self.enough = Event()

    def __call__(self, state: str) -> None:
        self.states.append(state)
        if len(self.states) >= self._wanted:
            self.enough.set()


def run(memory: Memory, wanted: int) -> list[str]:
    counted = Counted(wanted)
    backups = ScheduledBackups(memory, counted, retry_s=0.01)
    backups.start()
    assert counted.enough.wait(PATIENCE_S)
    backups.wait(PATIENCE_S)
    return counted.states


def test_one_is_written_when_it_is_due_and_old_ones_go(
    open_memory: OpenMemory, clock: SteppingClock, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    memory = open_memory(backup__folder=str(folder), backup__every="1h", backup__keep=2)
    memory.user("me").remember("The ladder stands behind the shed")
    for _ in range(3):
        assert memory.operations.backup_due_in().total_seconds() == 0
        assert run(memory, 1) == [WRITTEN]
        assert 0 < memory.operations.backup_due_in().total_seconds() <= 3_600
        clock.advance(hours=2)
    assert len(list(folder.iterdir())) == 2
    state = memory.status().backup
    assert state is not None
    assert (state.amount, state.overdue) == (2, True)
    assert [problem.check for problem in memory.doctor()] == ["backup"]


def test_failures_are_counted_and_tried_again(open_memory: OpenMemory, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    memory = open_memory(backup__folder=str(tmp_path / "file" / "backups"))
    assert set(run(memory, 3)) == {FAILED}
    assert open_memory().status().backup is None
    idle = ScheduledBackups(open_memory(), lambda _: None)
    idle.start()
    idle.wait(0)


def test_the_figures_are_there(service: Running, operator: Operator, anna: httpx2.Client) -> None:
    shown = operator.get("/metrics").text
    assert 'recollect_backups_total{state="failed"} 0.0' in shown
    assert "\nrecollect_backup_age_seconds" not in shown
    assert json.loads(operator.get("/api/status").text).get("backup") is None
