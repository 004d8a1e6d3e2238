"""Which files of a folder are meant: what to include, what to leave out, and what ignore files say.

The invariant: excluded wins over included; of ignore files the deepest that speaks of an entry decides, as with git.
A folder that is left out is not entered. Including a folder includes all in it; `*.md` speaks of files alone.
"""

from typing import Final

from recollect_files.disk.patterns import IgnorePatterns, plain_suffix
from recollect_files.ports import SyncRules

IGNORE_FILES: Final = frozenset({".gitignore", ".recollectignore"})
MOST_IGNORE_BYTES: Final = 256 * 1024

# Git's own folder holds no notes, and it changes all the time.
NEVER: Final = frozenset({".git"})


class RuleFilter:
    """Rules, made ready to be held against many names. `suffixes` are the endings that are asked for plainly."""

    def __init__(self, rules: SyncRules) -> None:
        suffixes = [plain_suffix(line) for line in rules.include]
        ordered = any(line.startswith("!") for line in rules.include)  # the order matters then
        self.suffixes = () if ordered else tuple(dict.fromkeys(filter(None, suffixes)))
        self._included = IgnorePatterns(line for line in rules.include if ordered or not plain_suffix(line))
        self._excluded = IgnorePatterns(rules.exclude)
        self.everything = not rules.include
        self.selective = bool(self._excluded)

    def all_end(self, names: list[str]) -> bool:
        """Say whether all names have one of the endings. None of these ends another, so that they can be counted."""
        joined = "/".join(names) + "/"
        missing = len(names)
        for suffix in self.suffixes:
            missing -= joined.count(f"{suffix}/")
            if not missing:
                return True
        return False

    def includes(self, path: str, *, folder: bool) -> bool:
        """Say whether patterns other than plain endings include an entry."""
        return bool(self._included) and self._included.verdict(path, folder=folder) is True

    def excludes(self, path: str, *, folder: bool) -> bool:
        """Say whether an entry is left out by the rules themselves."""
        return self.selective and self._excluded.verdict(path, folder=folder) is True


class IgnoreScope:
    """What the ignore files of a folder and of those above it say."""

    def __init__(self, above: "IgnoreScope | None", prefix: str, lines: list[str]) -> None:
        self._above = above
        self._skip = len(prefix)
        self._patterns = IgnorePatterns(lines)

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Say whether an entry beneath this folder is left out."""
        level: IgnoreScope | None = self
        while level:
            verdict = level._patterns.verdict(path[level._skip :], folder=folder)  # noqa: SLF001 -- one of our own
            if verdict is not None:
                return verdict
            level = level._above  # noqa: SLF001
        return False
