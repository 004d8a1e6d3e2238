# ruff: noqa: RUF001 -- characters that look like others are the subject
"""Makes a text harmless for a prompt: what a model could take for the end of a quotation or a turn becomes plain words.

The invariant: doing it twice changes nothing more, and a text without such marks stays as it is. Marks are looked for
in what the text looks like to a reader, in plain ASCII: without what cannot be seen, escapes and look-alikes resolved;
every character of the plain text knows which part of the original it stands for.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import re2

_ESCAPE = re.compile(
    r"&(?:amp;)*(?:#0*(?P<decimal>[0-9]{1,6})|#x0*(?P<hex>[0-9a-f]{1,5})|"
    r"(?P<name>lt|gt|sol|bsol|num|lsqb|lbrack|rsqb|rbrack|verbar|vert|colon|lowbar|hyphen|dash|nbsp));?"
    r"|\\u(?:(?P<four>[0-9a-f]{4})|\{0*(?P<braced>[0-9a-f]{1,5})\})"
    r"|\\x(?P<two>[0-9a-f]{2})"
    r"|%(?:25)*(?P<percent>[0-7][0-9a-f])",
    re.IGNORECASE,
)
_NAMED: Final[Mapping[str, str]] = {
    "lt": "<", "gt": ">", "sol": "/", "bsol": "\\", "num": "#", "lsqb": "[", "lbrack": "[", "rsqb": "]", "rbrack": "]",
    "verbar": "|", "vert": "|", "colon": ":", "lowbar": "_", "hyphen": "-", "dash": "-", "nbsp": " ",
}  # fmt: skip
_TWINS: Final[Mapping[str, str]] = {
    "<": "‹〈〈⟨❮❰⧼˂ᐸᚲ≺⋖⦑𐋀", ">": "›〉〉⟩❯❱⧽˃ᐳ≻⋗⦒", "/": "⁄∕⧸╱⟋〳", "|": "∣ǀ│┃❘❙¦ⵏ", "[": "【〖〔⟦", "]": "】〗〕⟧",
    ":": "։׃꞉∶ː˸", "#": "♯⋕", "-": "‐‑‒–—―−⁃", "_": "▁", "\n": "⏎↵␤¶\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029",
    "a": "аɑαᴀ", "b": "ʙЬ", "c": "сϲᴄ", "d": "ԁᴅ", "e": "еҽεᴇ", "f": "ꜰ", "g": "ɡɢ", "h": "һʜ", "i": "іıιɪ", "j": "јᴊ",
    "k": "кκᴋ", "l": "ӏʟ", "m": "мᴍ", "n": "ոпɴ", "o": "оοօᴏ", "p": "рρᴘ", "q": "ԛ", "r": "гʀ", "s": "ѕꜱ", "t": "тτᴛ",
    "u": "ᴜυս", "v": "ѵνᴠ", "w": "ԝᴡ", "x": "хχ", "y": "уүʏ", "z": "ᴢ",
    "A": "АΑᎪ", "B": "ВΒ", "C": "СϹᏟ", "E": "ЕΕᎬ", "H": "НΗᎻ", "I": "ІΙӀ", "J": "Ј", "K": "КΚ", "L": "Ꮮ", "M": "МΜᎷ",
    "N": "Ν", "O": "ОΟ", "P": "РΡ", "R": "Ꮢ", "S": "ЅᏚ", "T": "ТΤᎢ", "V": "Ѵ", "X": "ХΧ", "Y": "УΥҮ", "Z": "Ζ",
}  # fmt: skip
_PLAIN: Final = {twin: plain for plain, twins in _TWINS.items() for twin in twins}
_LETTER_BLOCKS = (0x1F130, 0x1F150, 0x1F170, 0x1F1E6)  # squared, negative and regional letters, from A on
_EMPTY = "\u115f\u1160\u2065\u2800\u3164\uffa0"  # letters without a shape
_LETTERS = 26
_OTHER = "~"

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]+")
_MAYBE = re.compile(r"[<\[#:&%\\{=]|[^\x00-\x7f]")
_MOST_PASSES = 4  # what stands between the brackets of a tag may be one, too

OUR_TAGS: Final = ("relevant-context", "recollect")
# Tags that hosts and models give a meaning.
_TAGS: Final = (
    "system", "system-prompt", "system-message", "system-reminder", "system-instruction", "system-instructions",
    "developer", "assistant", "user", "human", "instruction", "instructions", "inst", "sys", "prompt", "invoke",
    "tool", "tools", "tool-call", "tool-calls", "tool-use", "tool-result", "tool-results", "tool-response", "think",
    "function-call", "function-calls", "function-result", "function-results", "thinking", "local-command-stdout",
    "user-prompt-submit-hook", "environment-context", "environment-details", "task-notification",
)  # fmt: skip
# Tokens of chat templates.
_TOKENS: Final = (
    "im-start", "im-end", "im-sep", "endoftext", "begin-of-text", "end-of-text", "eot-id", "eom-id", "start-header-id",
    "end-header-id", "start-of-turn", "end-of-turn", "endofprompt", "bos", "eos", "s", "python-tag", "start-of-role",
    "end-of-role", "channel", "message",
)  # fmt: skip
_BRACKETED: Final = (
    "inst", "sys", "system", "system-prompt", "available-tools", "tool-calls", "tool-results", "assistant",
)  # fmt: skip
_TURNS: Final = r"[Hh]uman|HUMAN|[Aa]ssistant|ASSISTANT|[Ss]ystem|SYSTEM|User|USER|Developer|DEVELOPER"
_HEADINGS: Final = r"(?:new |system )?instructions?|system(?: prompt| message)?|human|assistant|response|user|developer"
_TYPES: Final = frozenset({"user", "human", "tool", "tools", "message", "channel", "prompt", "s", "assistant"})
_DIGITS: Final = {"a": "a4@", "e": "e3", "i": "i1l!", "l": "l1i|", "o": "o0", "s": "s5$", "t": "t7"}


class PlainText(NamedTuple):
    """The plain text, and where each of its characters starts and ends in the original."""

    text: str
    starts: list[int]
    ends: list[int]


def plain(text: str) -> PlainText:
    """Give what a text looks like; characters that look like none of ASCII become a tilde."""
    letters, starts, ends = [], [], []
    for look, start, end in _looks(text):
        for letter in look:
            letters.append(letter)
            starts.append(start)
            ends.append(end)
    return PlainText("".join(letters), starts, ends)


def _looks(text: str) -> Iterator[tuple[str, int, int]]:
    done = 0
    for escape in _ESCAPE.finditer(text):
        yield from ((_look(text[place]), place, place + 1) for place in range(done, escape.start()))
        yield _look(_decoded(escape)), escape.start(), escape.end()
        done = escape.end()
    yield from ((_look(text[place]), place, place + 1) for place in range(done, len(text)))


def _decoded(escape: re.Match[str]) -> str:
    kind = str(escape.lastgroup)
    value = escape[kind]
    if kind == "name":
        return _NAMED[value.lower()]
    code = int(value, 10 if kind == "decimal" else 16)
    return chr(code) if code <= 0x10FFFF else _OTHER  # noqa: PLR2004 -- the last character of Unicode


@lru_cache(maxsize=4_096)
def _look(character: str) -> str:
    """Give the ASCII that a character looks like; nothing for one that is not seen."""
    if " " <= character <= "~" or character == "\t":
        return character
    if character in _PLAIN:
        return _PLAIN[character]
    for first in _LETTER_BLOCKS:
        if first <= ord(character) < first + _LETTERS:
            return chr(ord("A") + ord(character) - first)
    category = unicodedata.category(character)
    if category[0] == "M" or category in ("Cf", "Cc", "Cn") or character in _EMPTY:
        return ""
    shape = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    shape = shape.strip("()") or shape  # letters in parentheses
    return " " if category == "Zs" else "".join(c if c.isascii() else _PLAIN.get(c, _OTHER) for c in shape)


class _PromptMark(NamedTuple):
    """A pattern on the plain text; its first group is what stays, in parentheses."""

    pattern: Any  # re2 has no types
    called: Callable[[str], str]


def harmless(text: str) -> str:
    """Take out what cannot be seen, and turn what looks like a mark of a prompt into words in parentheses."""
    shown = _UNPRINTABLE.sub("", text).encode("utf-8", "replace").decode("utf-8")
    for _ in range(_MOST_PASSES):
        if not _MAYBE.search(shown):
            break
        neutral = _neutral(shown)
        if neutral == shown:
            break
        shown = neutral
    return shown


def _neutral(text: str) -> str:
    seen = plain(text)
    found = sorted(_found(seen.text))
    if not found:
        return text
    pieces, place = [], 0
    for start, end, name in found:
        first = seen.starts[start]
        if first >= place:
            pieces += [text[place:first], f"({name})"]
            place = seen.ends[end - 1]
    return "".join((*pieces, text[place:]))


def _found(seen: str) -> Iterator[tuple[int, int, str]]:
    """Give the places of marks and what to call each."""
    for mark in _marks():
        for match in mark.pattern.finditer(seen):
            start, tag, name = match.start(1), match[1], match[2]
            of_type = name.lower() in _TYPES and tag == f"<{name}>" and seen[start - 1 : start].isalnum()
            if not of_type:  # `List<User>`, which programs say, is no tag
                yield start, match.end(1), mark.called(name)


@cache
def _marks() -> tuple[_PromptMark, ...]:
    ours, tags = "|".join(map(_spaced, OUR_TAGS)), "|".join(_spaced(name) for name in (*_TAGS, *_TOKENS))
    solid = "|".join("[-_]?".join("".join(map(_letter, part)) for part in name.split("-")) for name in _TAGS)
    brackets = "|".join(map(_spaced, _BRACKETED))
    line = r"(?m)^[ \t>*_\"'-]{0,8}"
    return (
        _mark(rf"(?i)(<\s*[/\\]?\s*({ours})(?:\s*>)?)", lambda _: "relevant context"),
        _mark(rf"(?i)(<\s*\|?\s*[/\\]?\s*({tags})\s*[/\\]?\s*\|?\s*>)"),
        _mark(rf"(?i)(<[/\\]?({solid}))\s[^<>\n]{{0,200}}>"),
        _mark(r"(<\|([^\s<>|][^<>|\n]{0,40})\|>)"),
        _mark(r"(?i)(<<<\s*((?:BEGIN|END)_[A-Z_]{1,60})\s*>>>)"),
        _mark(rf"(?i)(\[\s*[/\\]?\s*({brackets})\s*\])"),
        _mark(r"(?i)(\[\s*(standing\s+instruction)s?)"),
        _mark(r"(?i)(\{\{\s*~?\s*[#/]\s*(system|user|assistant)\s*~?\s*\}\})"),
        _mark(rf"{line}((?:\*\*|__)?({_TURNS})(?:\*\*|__)?[ \t]*:)"),
        _mark(rf"(?i){line}(###+[ \t]*({_HEADINGS})[ \t]*(?::|$))"),
        _mark(rf"(?i){line}(##?[ \t]*({_HEADINGS})[ \t]*:)"),
        _mark(rf"(?i){line}([=*~-]{{2,}}[ \t]*((?:begin |end |new )?(?:{_HEADINGS}))[ \t]*[=*~-]{{2,}})"),
    )


def _mark(pattern: str, called: Callable[[str], str] = lambda name: " ".join(name.split())) -> _PromptMark:
    return _PromptMark(re2.compile(pattern), called)


def _spaced(name: str) -> str:
    """Give the pattern of a name with blanks between the letters."""
    return r"[-_.\s]*".join(r"\s*".join(map(_letter, part)) for part in name.split("-"))


def _letter(letter: str) -> str:
    """Give the pattern of a letter, for which a digit may stand."""
    return f"[{re.escape(_DIGITS[letter])}]" if letter in _DIGITS else letter
