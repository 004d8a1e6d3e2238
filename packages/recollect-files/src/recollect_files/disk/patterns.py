"""Which files of a folder are meant: what to include, what to leave out, and what ignore files say, as git means it.

The invariant: a pattern speaks of an entry itself, never of what lies beneath it; a walk does not enter a folder that
is left out. Excluded wins over included; of ignore files the deepest that speaks of an entry decides. Including a
folder includes all in it; `*.md` speaks of files alone. Patterns come from files that strangers may have written, so
they are matched in linear time. It differs from git in that `?` stands for a character, not a byte.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

import re2

from recollect_files.ports import SyncRules

_MOST_PATTERNS: Final = 5_000
_LONGEST: Final = 1_000

_SUFFIX: Final = re.compile(r"\*(\.[A-Za-z0-9_-]+)")
_POSIX: Final = {
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "upper": "A-Z", "lower": "a-z", "xdigit": "0-9A-Fa-f",
    "space": r"\s", "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "cntrl": r"\x00-\x1f\x7f", "print": r" -~",
    "graph": "!-~",
}  # fmt: skip

IGNORE_FILES: Final = frozenset({".gitignore", ".recollectignore"})
MOST_IGNORE_BYTES: Final = 256 * 1024

# Git's own folder holds no notes, and it changes all the time.
NEVER: Final = frozenset({".git"})


class _IgnorePattern(NamedTuple):
    """One line. `anchored`: it is held against the whole path, otherwise against the name."""

    expression: str
    negated: bool
    folders: bool
    anchored: bool


class IgnorePatterns:
    """The lines of one file, of which the last that fits decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        found = [pattern for line in lines if len(line) <= _LONGEST and (pattern := _parsed(line))][:_MOST_PATTERNS]
        self._patterns = [(pattern, compiled) for pattern in found if (compiled := _compiled(pattern.expression))]
        self._patterns.reverse()
        self._any_name = _any(pattern.expression for pattern, _ in self._patterns if not pattern.anchored)
        self._any_path = _any(pattern.expression for pattern, _ in self._patterns if pattern.anchored)

    def __bool__(self) -> bool:
        """Say whether there are any."""
        return bool(self._patterns)

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Say whether an entry is meant, or with `!` expressly not; None when no pattern speaks of it."""
        name = path.rpartition("/")[2]
        if not (self._any_name and self._any_name.fullmatch(name)) and not (
            self._any_path and self._any_path.fullmatch(path)
        ):
            return None
        for pattern, compiled in self._patterns:
            if (folder or not pattern.folders) and compiled.fullmatch(path if pattern.anchored else name):
                return not pattern.negated
        return None


def plain_suffix(line: str) -> str:
    """Give the ending that a pattern such as `*.md` asks for, or nothing if it asks for something else."""
    found = _SUFFIX.fullmatch(line)
    return found[1] if found else ""


def _compiled(expression: str) -> "re2._Regexp | None":
    """Compile an expression; None for one that RE2 does not take, which then fits nothing, as in git."""
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    try:
        return re2.compile(expression, options)
    except re2.error:
        return None


def _any(expressions: Iterable[str]) -> "re2._Regexp | None":
    """Give one expression for all, by which most entries are passed over quickly."""
    joined = "|".join(f"(?:{expression})" for expression in expressions)
    if not joined:
        return None
    return _compiled(joined) or _compiled(".*")


def _parsed(line: str) -> _IgnorePattern | None:
    """Read a line of an ignore file."""
    line = _without_trailing_blanks(line.rstrip("\r\n"))
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[1:] if negated else line
    folders = line.endswith("/")
    line = line[:-1] if folders else line
    anchored = "/" in line
    line = line.removeprefix("/")
    expression = _translated(line)
    return _IgnorePattern(expression, negated, folders, anchored) if expression else None


def _without_trailing_blanks(line: str) -> str:
    """Remove the blanks at the end, but not one that has a backslash before it."""
    bare = line.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if slashes % 2 and len(bare) < len(line) else bare


def _translated(line: str) -> str:
    """Give the regular expression of a pattern, or nothing if it can fit nothing."""
    parts: list[str] = []
    at = 0
    while at < len(line):
        char = line[at]
        if char == "*":
            part, at = _stars(line, at)
        elif char == "[":
            part, at = _class(line, at)
        elif char == "\\":
            part, at = (re2.escape(line[at + 1]), at + 2) if at + 1 < len(line) else ("", at)
        else:
            part, at = "[^/]" if char == "?" else re2.escape(char), at + 1
        if not part:
            return ""
        parts.append(part)
    return "".join(parts)


def _stars(line: str, at: int) -> tuple[str, int]:
    """Translate one or more stars; two or more between slashes stand for any number of folders."""
    end = at
    while end < len(line) and line[end] == "*":
        end += 1
    alone = end - at > 1 and (at == 0 or line[at - 1] == "/")
    if alone and end == len(line):
        return ".+", end
    if alone and line[end] == "/":
        return "(?:.*/)?", end + 1
    return "[^/]*", end


def _class(line: str, at: int) -> tuple[str, int]:
    """Translate `[a-z]`, `[!a-z]` and `[[:alpha:]]`; gives nothing if it does not end."""
    at += 1
    negated = line[at : at + 1] in ("!", "^") and at < len(line)
    at += negated
    items: list[str] = []
    first = True
    while at < len(line) and (first or line[at] != "]"):
        item, at = _item(line, at)
        if not item:
            return "", at
        items.append(item)
        first = False
    if at >= len(line):
        return "", at
    # A class never fits a slash, which only takes a second look where the class is a positive one.
    return (f"[^/{''.join(items)}]" if negated else f"[{''.join(items)}]"), at + 1


def _item(line: str, at: int) -> tuple[str, int]:
    """Translate one member of a class: a named class, a character or a range of them."""
    if line.startswith("[:", at):
        end = line.find(":]", at + 2)
        name = line[at + 2 : end] if end > 0 else ""
        return (_POSIX[name], end + 2) if name in _POSIX else ("", at)
    low, at = _char(line, at)
    if low and line[at : at + 1] == "-" and line[at + 1 : at + 2] not in ("]", ""):
        high, at = _char(line, at + 1)
        if not high:
            return "", at
        # Of a range that runs backwards, git takes the first character.
        return (f"{re2.escape(low)}-{re2.escape(high)}" if low <= high else re2.escape(low)), at
    return (re2.escape(low) if low else ""), at


def _char(line: str, at: int) -> tuple[str, int]:
    """Give the character at a place, which a backslash may stand before."""
    if line[at] == "\\":
        return line[at + 1 : at + 2], at + 2
    return line[at], at + 1


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
