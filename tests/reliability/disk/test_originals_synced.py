"""The original of a document is on the disk, under its name, before the commit that tells of it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reliability.disk.recorder import recorded
from tests.reliability.figures import figure
from tests.reliability.opening import open_memory

_DOCUMENTS = 3
Call = tuple[str, Path]


def _heard(monkeypatch: pytest.MonkeyPatch, calls: list[Call]) -> None:
    """Write down what is done to files, and where: a descriptor is called by its path."""

    def hear(name: str, where: Callable[[Any], Path]) -> None:
        real = getattr(os, name)

        def called(*arguments: Any, **named: Any) -> Any:
            calls.append((name, where(arguments)))
            return real(*arguments, **named)

        monkeypatch.setattr(os, name, called)

    hear("fsync", lambda given: Path(f"/proc/self/fd/{given[0]}").readlink())
    hear("mkdir", lambda given: Path(given[0]))
    hear("replace", lambda given: Path(given[1]))


def test_an_original_is_durable_before_it_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (store := tmp_path / "store").mkdir()
    (folder := tmp_path / "originals").mkdir()
    settings: dict[str, Any] = {"files.originals": str(folder)}
    calls: list[Call] = []
    with (
        recorded(store) as recording,
        open_memory(str(store / "memory.db"), **settings) as memory,
    ):
        recording.before = lambda call, name: calls.append((call, Path(name)))
        _heard(monkeypatch, calls)
        for number in range(_DOCUMENTS):
            memory.user("me").files.add(f"The boiler was serviced in year {number}.\n".encode(), name=f"{number}.txt")
    kept = [number for number, (name, path) in enumerate(calls) if name == "replace" and folder in path.parents]
    assert len(kept) == _DOCUMENTS
    for number in kept:
        original = calls[number][1]
        (unfinished,) = (path for name, path in calls[number - 1 : number] if name == "fsync")
        assert unfinished.parent == original.parent, "renamed before its bytes were synced"
        _insist_settled(calls, number)
    for number, (name, _) in enumerate(calls):
        if name == "mkdir":
            _insist_settled(calls, number)
    figure(2, "originals", originals_synced_before_their_commit=len(kept))


def _insist_settled(calls: list[Call], number: int) -> None:
    """Insist that an entry of a folder is durable before the next commit is."""
    commit = calls.index(("sync", Path("memory.db-wal")), number)
    assert ("fsync", calls[number][1].parent) in calls[number:commit], f"{calls[number]} is told of before it is kept"
