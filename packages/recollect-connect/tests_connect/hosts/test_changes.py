"""Changes of other programs' files: whole or not at all, with a backup, and back again."""

from pathlib import Path

import pytest

from recollect.errors import InvalidInput
from recollect_connect.hosts import changes, json_host, json_text
from recollect_connect.hosts.host import FileChange


def add(text: str) -> str:
    return json_text.put(text, ["servers", "recollect"], {"command": "recollect"})


def take_out(text: str) -> str:
    edited = json_text.remove(text, ["servers", "recollect"])
    node = json_text.find(edited, ["servers"])
    return json_text.remove(edited, ["servers"]) if node and node.value == {} else edited


@pytest.mark.parametrize("content", [b'{"a":1}', b'\xef\xbb\xbf{"a": 1}\r\n', b"{\n}\n", b'{"servers": {}}'])
def test_an_installation_is_undone_to_the_byte(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    file.chmod(0o640)
    assert changes.install([json_host.plan_edit(file, add)], installed=[]) == (file,)
    assert b"recollect" in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o640
    assert changes.backup_of(file).read_bytes() == content
    assert not json_host.plan_edit(file, add).has_effect
    assert changes.uninstall([json_host.plan_removal(file, take_out)]) == (file,)
    assert file.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


def test_a_file_that_an_installation_made_is_deleted_with_its_folder(tmp_path: Path) -> None:
    file = tmp_path / ".host" / "settings.json"
    changes.install([json_host.plan_edit(file, add)], installed=[])
    changes.uninstall([json_host.plan_removal(file, take_out)])
    assert not list(tmp_path.iterdir())


def test_what_was_written_after_an_installation_stays(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"a": 1}', encoding="utf-8")
    changes.install([json_host.plan_edit(file, add)], installed=[])
    file.write_text(json_text.put(file.read_text(encoding="utf-8"), ["b"], 2), encoding="utf-8")
    changes.uninstall([json_host.plan_removal(file, take_out)])
    assert file.read_text(encoding="utf-8") == '{"a": 1, "b": 2}'
    assert changes.backup_of(file).is_file(), "it differs from the file, so only the user may delete it"


def test_a_second_installation_keeps_the_backup_from_before_the_first(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"a": 1}', encoding="utf-8")
    changes.install([json_host.plan_edit(file, add)], installed=[])
    changes.install([json_host.plan_edit(file, lambda text: json_text.put(text, ["b"], 2))], installed=[file])
    assert changes.backup_of(file).read_text(encoding="utf-8") == '{"a": 1}'


def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    plan = [json_host.plan_edit(file, add) for file in (first, second)]
    second.write_text('{"new": true}', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"second\.json was changed meanwhile"):
        changes.install(plan, installed=[])
    assert not first.exists()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    target.write_text("{}", encoding="utf-8")
    link.symlink_to(target)
    changes.install([json_host.plan_edit(link, add)], installed=[])
    assert link.is_symlink()
    assert "recollect" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b'{"a": ', b"[]", b"\xff\xfe{}", b'{"servers": 1}'])
def test_a_file_that_cannot_be_understood_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"settings\.json"):
        json_host.plan_edit(file, add)
    assert file.read_bytes() == content


def test_a_difference_reads_as_a_unified_diff(tmp_path: Path) -> None:
    change = FileChange(tmp_path / "a.json", b'{"a": 1}\n', b'{"a": 2}\n')
    assert list(changes.diff_lines(change))[2:] == ["@@ -1 +1 @@", '-{"a": 1}', '+{"a": 2}']
