"""Folders that a running service keeps in step: by one process of several, whoever dies, and to an orderly end."""

import signal
from pathlib import Path

import httpx2
import pytest
from tests.fixtures import OpenMemory
from tests.service.restart.house import Service
from tests.waiting import PATIENCE_S, until

from recollect_files.doors.watched_folders import WatchedFolders

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def found(client: httpx2.Client, word: str) -> list[str]:
    try:
        hits = client.post("/api/context/search", json={"query": word}).json()["hits"]
    except httpx2.TransportError:  # whoever held the connection was just killed
        return []
    return [hit["metadata"]["path"] for hit in hits]


def test_an_edit_is_found_whichever_process_is_killed(database: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "setup.md").write_text("The router stands in the cellar.\n")
    watch = {"files__watch": notes, "files__debounce_s": 0.1, "serve__access_log": True}
    with Service(database, tmp_path, "--workers", "2", settings=watch) as crew:
        key = crew.key_file.read_text().strip()
        with crew.client(key) as admin:  # without a name it is the user of the settings
            until(lambda: found(admin, "router") == ["setup.md"])
            (folder,) = admin.get("/api/status").json()["folders"]
            assert (folder["files"], folder["drift"]) == (1, 0)
            (notes / "garden.md").write_text("Tulips grow behind the shed.\n")
            until(lambda: found(admin, "tulips") == ["garden.md"])
            for worker in crew.workers():
                worker.kill()
            until(lambda: len(crew.workers()) == 2)
            (notes / "garden.md").write_text("Dahlias grow behind the shed.\n")
            until(lambda: found(admin, "dahlias") == ["garden.md"])
            assert found(admin, "tulips") == []
        crew.signal(signal.SIGTERM)
        exit_code, told = crew.ended()
    assert exit_code == 0
    assert told.count('"event": "folder"') >= 2
    assert not {"router", "tulips", "Dahlias", "garden.md"} & set(told.replace('"', " ").split())


def test_what_goes_wrong_is_counted_and_tried_again(open_memory: OpenMemory, tmp_path: Path) -> None:
    place = tmp_path / "notes"
    place.write_text("a file, where a folder should be")
    states: list[str] = []
    memory = open_memory(embedding__provider="none", files__watch=[str(place)], files__check_minutes=0.01)
    folders = WatchedFolders(memory, states.append, retry_s=0.01)
    folders.start()
    try:
        until(lambda: states.count("failed") >= 2)
        place.unlink()
        until(lambda: "missing" in states)
        place.mkdir()
        (place / "setup.md").write_text("The router stands in the cellar.\n")
        until(lambda: "synced" in states)
    finally:
        folders.wait(PATIENCE_S)
    assert [hit.source for hit in memory.user(memory.settings.user).search_context("router").hits] == ["file"]


def test_without_folders_nothing_is_started(open_memory: OpenMemory) -> None:
    states: list[str] = []
    folders = WatchedFolders(open_memory(embedding__provider="none"), states.append)
    folders.start()
    folders.wait(0)
    assert states == []
