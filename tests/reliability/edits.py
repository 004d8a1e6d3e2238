"""Somebody who edits a folder of notes at random, in all the ways in which people and their tools do."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.conformance.notes import Notes

_WORDS = ("garden", "ladder", "shed", "piano", "violin", "train", "coast", "coffee", "grüße", "東京", "🎉", "naïve")
_NAMES = ("a", "b", "inbox", "2026-01-02", "2026-03-04-talk", "Ünï cödé", "plan")
_FOLDERS = ("", "", "x/", "plan.md/", "plan.md/y/")
_ENDINGS = (".md", ".md", ".md", ".txt", ".jsonl")
_MOST_LINES = 160
_LONG_LINE = 120  # words


class Editor:
    """Changes a folder step by step. The same seed makes the same changes."""

    def __init__(self, notes: Notes, seed: int, *, most_files: int = 10) -> None:
        self.notes = notes
        self.most_files = most_files
        self.chance = random.Random(seed)
        self.done: list[str] = []
        self._ways: tuple[Callable[[], object], ...] = (
            self.insert,
            self.insert,
            self.delete,
            self.delete,
            self.replace,
            self.move_lines,
            self.new,
            self.rename,
            self.split,
            self.merge,
            self.touch,
            self.swap,
            self.copy,
            self.remove,
            self.file_for_folder,
            self.folder_for_file,
        )

    def step(self) -> None:
        """Make one change."""
        if not self.notes.paths():
            self.new()
        way = self.chance.choice(self._ways)
        way()
        self._prune()
        self.done.append(way.__name__)

    def _prune(self) -> None:
        """Remove folders that have become empty: they would stand in the way of files for ever."""
        for folder in sorted(self.notes.root.rglob("*"), reverse=True):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def line(self) -> str:
        """Write a line of a note."""
        words = " ".join(self.chance.choices(_WORDS, k=self.chance.randint(1, 9)))
        kinds = ("", "", "", "", "- ", "> ", "# ", "## ", "| a | ", "    ")
        kind = self.chance.choices([*kinds, "```", "long", "blank"], [4] * len(kinds) + [2, 1, 8])[0]
        if kind == "long":
            return " ".join(self.chance.choices(_WORDS, k=_LONG_LINE))
        return {"blank": "", "```": "```"}.get(kind, kind + words)

    def lines(self, most: int) -> list[str]:
        """Write some lines."""
        return [self.line() for _ in range(self.chance.randint(1, most))]

    def path(self) -> str:
        """Choose a file."""
        return self.chance.choice(self.notes.paths())

    def new_path(self) -> str:
        """Choose a place for a file, which may be taken."""
        while True:
            folder = self.chance.choice(_FOLDERS)
            path = folder + self.chance.choice(_NAMES) + self.chance.choice(_ENDINGS)
            above = self.notes.root / path
            if not above.is_dir() and not any(parent.is_file() for parent in above.parents):
                return path

    def read(self, path: str) -> list[str]:
        """Give the lines of a file."""
        return self.notes.text(path).split("\n")

    def write(self, path: str, lines: list[str]) -> None:
        """Write a file; one that has grown too long loses its middle."""
        if len(lines) > _MOST_LINES:
            lines = lines[: _MOST_LINES // 4] + lines[-_MOST_LINES // 4 :]
        self.notes.write(path, "\n".join(lines))

    def new(self) -> None:
        """Write a new file, or another in its place."""
        path = self.new_path()
        if path.endswith(".jsonl"):
            turns = [{"role": self.chance.choice(["user", "assistant", "tool"]), "content": "\n".join(self.lines(4))}]
            self.notes.write(path, "\n".join(json.dumps(turn) for turn in turns * self.chance.randint(1, 3)))
            return
        front = ["---", "title: A note", f"date: 2026-01-{self.chance.randint(10, 28)}", "---"]
        self.write(path, (front if self.chance.random() < 0.2 else []) + self.lines(_MOST_LINES // 2))
        if len(self.notes.paths()) > self.most_files:
            self.remove()

    def insert(self) -> None:
        """Insert a few lines somewhere."""
        path = self.path()
        lines = self.read(path)
        at = self.chance.randint(0, len(lines))
        self.write(path, lines[:at] + self.lines(5) + lines[at:])

    def delete(self) -> None:
        """Delete a few lines."""
        path = self.path()
        lines = self.read(path)
        at = self.chance.randint(0, len(lines))
        self.write(path, lines[:at] + lines[at + self.chance.randint(1, 6) :])

    def replace(self) -> None:
        """Change a line."""
        path = self.path()
        lines = self.read(path)
        lines[self.chance.randrange(len(lines))] = self.line()
        self.write(path, lines)

    def move_lines(self) -> None:
        """Move lines to another file, or within one."""
        path, other = self.path(), self.path()
        lines = self.read(path)
        at = self.chance.randrange(len(lines))
        block = lines[at : at + 30]
        self.write(path, lines[:at] + lines[at + 30 :])
        others = self.read(other)
        to = self.chance.randint(0, len(others))
        self.write(other, others[:to] + block + others[to:])

    def rename(self) -> None:
        """Rename a file, perhaps over another."""
        self.notes.move(self.path(), self.new_path())

    def split(self) -> None:
        """Make two files of one."""
        path, other = self.path(), self.new_path()
        lines = self.read(path)
        at = self.chance.randint(0, len(lines))
        self.write(path, lines[:at])
        self.write(other, lines[at:])

    def merge(self) -> None:
        """Make one file of two."""
        path, other = self.path(), self.path()
        lines = self.read(path) + self.read(other)
        self.notes.remove(other)
        self.write(path, lines)

    def touch(self) -> None:
        """Save a file as it was."""
        self.notes.touch(self.path())

    def swap(self) -> None:
        """Let two files change places."""
        path, other = self.path(), self.path()
        aside = self.notes.root.with_name("aside")
        (self.notes.root / path).rename(aside)
        if path != other:
            self.notes.move(other, path)
        aside.rename(self.notes.root / other)

    def copy(self) -> None:
        """Copy a file."""
        path, other = self.path(), self.new_path()
        if path != other:
            (self.notes.root / other).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.notes.root / path, self.notes.root / other)
            self.notes.touch(other)

    def remove(self) -> None:
        """Remove a file."""
        self.notes.remove(self.path())

    def file_for_folder(self) -> None:
        """Put a file where a folder was."""
        folders = sorted(path for path in self.notes.root.iterdir() if path.is_dir())
        if folders:
            chosen = self.chance.choice(folders)
            shutil.rmtree(chosen)
            self.write(chosen.name, self.lines(20))

    def folder_for_file(self) -> None:
        """Put a folder where a file was, with the file in it."""
        path = self.path()
        aside = self.notes.root.with_name("aside")
        (self.notes.root / path).rename(aside)
        (self.notes.root / path).mkdir()
        aside.rename(self.notes.root / path / Path(path).name)
