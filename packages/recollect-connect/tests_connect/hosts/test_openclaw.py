"""OpenClaw's configuration: the plugin gets the memory slot, what else stands there stays, and all of it goes back."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import InvalidInput
from recollect_connect.hosts import changes, host_named
from recollect_connect.hosts.host import InstallRequest, Machine
from recollect_connect.hosts.openclaw import plugin_folder

HOST = host_named("openclaw")
REQUEST = InstallRequest("user", ("/opt/tools/recollect",), ("--user", "anna", "--database", "/data/mine.db"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "home", tmp_path, {"PATH": ""})


@pytest.fixture
def file(machine: Machine) -> Path:
    path = machine.home / ".openclaw" / "openclaw.json"
    path.parent.mkdir(parents=True)
    return path


def install(machine: Machine) -> dict[str, Any]:
    plan = HOST.plan_install(machine, REQUEST)
    changes.install(plan.changes, HOST.installed_in(machine))
    written: dict[str, Any] = json.loads((machine.home / ".openclaw" / "openclaw.json").read_text())
    return written


def uninstall(machine: Machine) -> None:
    changes.uninstall(HOST.plan_uninstall(machine, "user").changes)


def test_the_plugin_is_loaded_and_takes_the_slot(machine: Machine, file: Path) -> None:
    plugins = install(machine)["plugins"]
    assert plugins["load"]["paths"] == [str(plugin_folder())]
    assert plugins["slots"] == {"memory": "recollect"}
    entry = plugins["entries"]["recollect"]
    assert entry["hooks"] == {"allowConversationAccess": True}
    assert entry["config"] == {
        "url": "http://127.0.0.1:8787", "apiKeyFile": "/data/mine.db.admin.key", "ownerUser": "anna",
        "command": "/opt/tools/recollect",
    }  # fmt: skip
    assert "allow" not in plugins  # a list of one would shut out the others
    assert HOST.installed_in(machine) == (file,)
    assert not any(change.has_effect for change in HOST.plan_install(machine, REQUEST).changes)
    assert (plugin_folder() / "openclaw.plugin.json").is_file()


@pytest.mark.parametrize(
    "content",
    [
        b'{"gateway": {"port": 1}}',
        b'{\n  // mine\n  "plugins": {\n    "allow": ["other"],\n    "slots": {"memory": "memory-core"},\n  },\n}\n',
        b'{"plugins": {"entries": {"other": {"enabled": true}}, "slots": {}}}',
    ],
)
def test_an_installation_is_undone_to_the_byte(machine: Machine, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    plan = HOST.plan_install(machine, REQUEST)
    changes.install(plan.changes, HOST.installed_in(machine))
    assert b"recollect" in file.read_bytes()
    uninstall(machine)
    assert file.read_bytes() == content
    assert [path.name for path in file.parent.iterdir()] == ["openclaw.json"]


def test_what_the_user_changed_since_stays(machine: Machine, file: Path) -> None:
    file.write_text('{"plugins": {"allow": ["other"], "slots": {"memory": "memory-core"}}}')
    written = install(machine)
    assert written["plugins"]["allow"] == ["other", "recollect"]
    written["gateway"] = {"port": 5}
    written["plugins"]["entries"]["recollect"]["config"]["autoCapture"] = False
    file.write_text(json.dumps(written))
    assert install(machine)["plugins"]["entries"]["recollect"]["config"]["autoCapture"] is False
    uninstall(machine)
    left = json.loads(file.read_text())
    assert left == {"plugins": {"allow": ["other"], "slots": {"memory": "memory-core"}}, "gateway": {"port": 5}}


@pytest.mark.parametrize("spool", ["", "elsewhere"])
def test_uninstall_removes_what_the_plugin_noted_of_its_service(machine: Machine, file: Path, spool: str) -> None:
    folder = machine.home / spool if spool else file.parent / "recollect"
    install(machine)
    if spool:
        written = json.loads(file.read_text())
        written["plugins"]["entries"]["recollect"]["config"]["spoolDir"] = str(folder)
        file.write_text(json.dumps(written))
    (folder / "spool").mkdir(parents=True)
    for name in ("key-file", "service.json", "spool/waits.json"):
        (folder / name).write_text("{}")
    uninstall(machine)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["waits.json"]


def test_a_service_elsewhere_needs_a_key(machine: Machine) -> None:
    elsewhere = InstallRequest(url="https://memory.example.org", starts_service=True)
    with pytest.raises(InvalidInput, match="--key-file"):
        HOST.plan_install(machine, elsewhere)
    with pytest.raises(InvalidInput, match="http:// or https://"):
        HOST.plan_install(
            machine, replace(elsewhere, url="https://me:secret@memory.example.org", key_file="/keys/mine")
        )
    (change,) = HOST.plan_install(machine, replace(elsewhere, key_file="/keys/mine")).changes
    config = json.loads(change.after or b"")["plugins"]["entries"]["recollect"]["config"]
    assert (config["url"], config["apiKeyFile"], config["startService"]) == (elsewhere.url, "/keys/mine", True)


def test_an_older_place_of_the_plugin_is_replaced(machine: Machine, file: Path) -> None:
    old = "/usr/lib/python3.9/site-packages/recollect/hosts/openclaw_plugin"
    file.write_text(json.dumps({"plugins": {"load": {"paths": [old, "/x"]}}}))
    assert install(machine)["plugins"]["load"]["paths"] == ["/x", str(plugin_folder())]


def test_a_configuration_that_cannot_be_read_is_left_alone(machine: Machine, file: Path) -> None:
    file.write_text("{gateway: {port: 1}}")
    with pytest.raises(InvalidInput, match="line 1"):
        HOST.plan_install(machine, REQUEST)
    assert not HOST.installed_in(machine)


def test_there_is_nothing_to_change_for_one_project(machine: Machine) -> None:
    plan = HOST.plan_install(machine, InstallRequest("project"))
    assert (plan.changes, HOST.plan_uninstall(machine, "project").changes) == ((), ())
    assert "--scope project" in plan.notes[0]


def test_it_is_found_by_its_folder(machine: Machine, file: Path) -> None:
    assert HOST.find(machine) == file.parent
    assert HOST.find(Machine(machine.home / "other", machine.home, {"PATH": ""})) is None
