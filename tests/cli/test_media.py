"""Pictures and sounds on the command line."""

from pathlib import Path

from tests.cli.conftest import Cli


def test_a_memory_is_stored_with_a_file_and_a_link(cli: Cli, tmp_path: Path) -> None:
    voice = tmp_path / "voice.mp3"
    voice.write_bytes(b"ID3 a sound")
    link = "https://example.org/rug.png"
    given = ("--media", str(voice), "--media", link, "--caption", "From Anna", "--transcript", "Water the begonias")
    stored = cli.json("store", "A message from home", *given)
    (hit,) = cli.json("recall", "begonias")["hits"]
    assert hit["id"] == stored["id"]
    assert [(one["kind"], one["caption"], one["url"]) for one in hit["media"]] == [
        ("audio", "From Anna", ""),
        ("image", "", link),
    ]
    shown = cli.ok("get", stored["id"])
    assert "audio · From Anna · original" in shown
    assert f"image · {link}" in shown
    assert "audio · From Anna" in cli.ok("recall", "begonias")
    said = cli.json("say", "c1", "user", "Listen", "--media", str(voice), "--transcript", "Hello")
    assert said["message"]["media"][0]["transcript"] == "Hello"


def test_what_cannot_be_read_is_refused(cli: Cli, tmp_path: Path) -> None:
    assert "cannot be read" in cli("store", "A picture", "--media", str(tmp_path / "none.png")).stderr
    assert "--caption is given 1 times for 0 --media" in cli("store", "A picture", "--caption", "x").stderr
