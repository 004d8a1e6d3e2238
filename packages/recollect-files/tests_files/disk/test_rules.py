"""Which files a walk gives: ignore files mean what they mean to git, and the rules have the last word."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.sizes import sized

from recollect.settings.sections import USUAL_FILES
from recollect_files.disk import skip_reasons
from recollect_files.disk.folder_walk import walk
from recollect_files.disk.patterns import IgnorePatterns
from recollect_files.disk.safe_open import named
from recollect_files.ports import SyncRules

NAMES = ["a", "b", "ab", "x.md", "y.log", "[z]", "q r", "foo", "A", "a*b", "tmp~", "#h", "!n", "b\\c"]
ATOMS = [
    "a", "b", "*", "?", "**", "***", "x.md", "*.md", "*.log", "foo", "[ab]", "[!a]", "[a-c]*", "[[:upper:]]", "\\#h",
    "\\!n", "q\\ r", "q r", "a\\*b", "*b*", "[z]", "\\[z\\]", "*~", "[^b-z]", "tm[p-p]?", "[]a]", "[b-a]", "**b", "[",
    "a\\",
]  # fmt: skip


def paths(root: Path, rules: SyncRules) -> set[str]:
    """Give the paths that a walk comes by."""
    return {seen.path for seen in walk(named(str(root)), rules, frozenset()).seen}


def plant(root: Path, *files: str) -> Path:
    """Make files with a few letters in them."""
    for file in files:
        target = root / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("text")
    return root


def a_pattern(rng: random.Random) -> str:
    """Make up a line of an ignore file."""
    line = "/".join(rng.choices(ATOMS, k=rng.choice([1, 1, 1, 2, 2, 3])))
    line = f"/{line}" if rng.random() < 0.2 else line
    line = f"{line}/" if rng.random() < 0.25 else line
    line = f"!{line}" if rng.random() < 0.3 else line
    return f"{line}  " if rng.random() < 0.1 else line


@pytest.mark.skipif(shutil.which("git") is None, reason="git is what it is compared with")
def test_ignore_files_mean_what_git_takes_them_to_mean(tmp_path: Path) -> None:
    """Random trees with random ignore files at several depths: the walk gives what git lists."""
    rng = random.Random(7)
    for trial in range(sized(15, 1_000)):
        root = tmp_path / str(trial)
        root.mkdir()
        subprocess.run(["git", "init", "-q", "--template=", root], check=True)
        folders = [root]
        for _ in range(8):
            folder = rng.choice(folders) / rng.choice(NAMES)
            if not folder.exists():
                folder.mkdir()
                folders.append(folder)
        for _ in range(40):
            file = rng.choice(folders) / rng.choice(NAMES)
            if not file.exists():
                file.touch()
        for _ in range(rng.randint(1, 3)):
            lines = [a_pattern(rng) for _ in range(rng.randint(1, 5))]
            (rng.choice(folders[:3]) / ".gitignore").write_text("\n".join(lines) + "\n")
        listing = ["git", "-C", str(root), "ls-files", "-o", "-z", "--exclude-per-directory=.gitignore"]
        listed = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split("\0")
        assert paths(root, SyncRules()) == {path for path in listed if path and not path.endswith(".gitignore")}


def test_the_usual_files_are_those_with_the_usual_endings(tmp_path: Path) -> None:
    """Endings decide, hidden files are left out, and both are counted."""
    plant(tmp_path, "a.md", "b/c.txt", "b/d.jsonl", "e.png", "f", ".hidden.md", ".obsidian/g.md", "README.markdown")
    found = walk(named(str(tmp_path)), SyncRules(include=USUAL_FILES), frozenset())
    assert {seen.path for seen in found.seen} == {"a.md", "b/c.txt", "b/d.jsonl", "README.markdown"}
    assert found.skipped == {skip_reasons.IGNORED: 2, skip_reasons.HIDDEN: 2}
    assert not found.trouble


def test_hidden_files_are_found_when_wanted_but_never_those_of_git(tmp_path: Path) -> None:
    """`hidden` opens every door but one."""
    plant(tmp_path, ".a.md", ".b/c.md", ".git/d.md", "e/.git/f.md")
    assert paths(tmp_path, SyncRules(include=("*.md",), hidden=True)) == {".a.md", ".b/c.md"}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (SyncRules(include=("notes/",)), {"notes/a.md", "notes/b.txt", "notes/deep/c.md"}),
        (SyncRules(include=("/a.md", "*.txt")), {"a.md", "notes/b.txt"}),
        (SyncRules(include=("*.md", "!c.md")), {"a.md", "notes/a.md"}),
        (SyncRules(include=("*.md",), exclude=("notes/",)), {"a.md"}),
        (SyncRules(include=("*.md",), exclude=("*.md", "!a.md")), {"a.md", "notes/a.md"}),
        (SyncRules(include=("**/deep/*",)), {"notes/deep/c.md"}),
        (SyncRules(exclude=("deep",)), {"a.md", "notes/a.md", "notes/b.txt"}),
    ],
)
def test_including_and_leaving_out(tmp_path: Path, rules: SyncRules, expected: set[str]) -> None:
    """Patterns of folders, of paths and of endings, alone and together."""
    plant(tmp_path, "a.md", "notes/a.md", "notes/b.txt", "notes/deep/c.md")
    assert paths(tmp_path, rules) == expected


def test_a_folder_with_the_ending_of_a_file_includes_nothing_by_itself(tmp_path: Path) -> None:
    """`*.md` speaks of files."""
    plant(tmp_path, "folder.md/picture.png", "folder.md/note.md")
    assert paths(tmp_path, SyncRules(include=("*.md",))) == {"folder.md/note.md"}


def test_both_kinds_of_ignore_files_are_heeded_unless_told_otherwise(tmp_path: Path) -> None:
    """The rule that lies deeper wins, and one switch turns all of them off."""
    plant(tmp_path, "a.md", "draft.md", "sub/draft.md", "sub/private.md")
    (tmp_path / ".gitignore").write_text("\ufeffdraft.md\r\n")
    (tmp_path / "sub" / ".recollectignore").write_text("!draft.md\nprivate.*\n")
    assert paths(tmp_path, SyncRules(include=("*.md",))) == {"a.md", "sub/draft.md"}
    assert len(paths(tmp_path, SyncRules(include=("*.md",), gitignore=False))) == 4


def test_an_ignore_file_that_is_a_link_is_reported_and_not_followed(tmp_path: Path) -> None:
    """Otherwise it would be a way to read what lies outside."""
    outside = tmp_path / "outside"
    outside.write_text("*.md\n")
    root = plant(tmp_path / "root", "a.md")
    (root / ".gitignore").symlink_to(outside)
    found = walk(named(str(root)), SyncRules(include=("*.md",)), frozenset())
    assert [seen.path for seen in found.seen] == ["a.md"]
    assert found.skipped[skip_reasons.SYMLINK] == 1


def test_a_pattern_made_to_be_slow_is_not() -> None:
    """It would take a matcher that tries all ways longer than the universe has lasted."""
    patterns = IgnorePatterns(["*a" * 60 + "b", "**/" * 60 + "b"])
    assert patterns.verdict("a" * 250, folder=False) is None
