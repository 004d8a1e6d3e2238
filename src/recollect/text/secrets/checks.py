# ruff: noqa: PLR2004, RUF001 -- words of four languages; thresholds that the tests set
"""What a kind of secret is, and what its pattern cannot see: whether digits add up, whether characters fall like dice.

The invariant: every check takes time linear in its text, and none raises.
"""

import binascii
import re
from collections.abc import Callable
from functools import cache
from string import ascii_uppercase
from typing import NamedTuple, Protocol, TypeAlias

from recollect.text.language import function_words
from recollect.text.tables import TableError, read_lines, read_words

_PLACEHOLDER = re.compile(
    r"(?-i:x{4}|X{4})|\*{3}|•{3}|\.{3}|…|_{4}|\byour|[-_]your|your[-_ ]|example|placeholder|redacted|dummy|changeit"
    r"|insert[-_ ]|replace"
    r"|\bnone\b|\bnull\b",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"^(?:\$[{(]|\$[a-z_]+$|%\w+%|%[({]|\{\{|<|\[|\(|!(?:secret|ref|sub|env|vault)\b|@\w+@$|#\{|os\.|env\.|process\.|secrets\.|vault:|op://|ssm:|arn:|https?://|(?:[a-z]:)?[/~]\w)",
    re.IGNORECASE,
)
_NAME_IN_CODE = re.compile(r"^[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+$|^[A-Z]{2,}(?:_[A-Z]+)+$")
_CALL = re.compile(r"^[A-Za-z_][\w.]*(?:\(|\[[-\w\"'])")
_ID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", re.IGNORECASE)
_HEX = re.compile(r"^(?:0x)?[0-9a-f]+$", re.IGNORECASE)
# A number with its unit, a moment, a version, an ordinal, an amount, an address on the network.
_MEASURE = re.compile(
    r"^[~<>≤≥+$€£-]*\d+(?:[.,:/x×-]\d+)*(?:[-–]?(?:[a-z]{1,3}|day|hour|minute|month|year|week|char|bit|byte|word|digit)s?)?%?$"
    r"|^v?\d+(?:\.\d+)+[\w.+-]*$|^\d{4}-\d\d-\d\dt[\d:.z+-]*$|^[a-z]?\d{1,3}$|^\d+-[a-z]+$|^(?:sha|md|aes|rsa|utf|base|http|oauth)-?\d+\w*$",
    re.IGNORECASE,
)
_MAIL_OR_FILE = re.compile(
    r"^[\w.+-]+@[\w-]+\.[\w.]+$|^[\w.-]+\.(?:py|js|ts|md|txt|json|ya?ml|sql|go|rs|sh|png|jpe?g|pdf|com|org|net|io)$"
)
_KINDS = bytes(
    ord("0" if c.isdigit() else "A" if c in ascii_uppercase else "a" if c.isalpha() or c == "?" else "-")
    for c in map(chr, range(256))
)
_JOINTS = re.compile(r"[-_./]")
_RUN = re.compile(rb"a+|A+|0+|-+")
_WORD_CHAIN = re.compile(r"^[a-z]+(?:[-_.][a-z]+){3,}$")  # correct-horse-battery-staple
_DIGEST = re.compile(r"^(?:sha\d*|md5|blake\w*)[:-]", re.IGNORECASE)
_NOUN = re.compile(r"passwor|парол|hesl|kennwor|token$|secret$")


class SecretMatch(Protocol):
    """What re2 gives for a find in bytes."""

    @property
    def string(self) -> bytes: ...
    def span(self, group: int = 0) -> tuple[int, int]: ...


ByteSpan: TypeAlias = tuple[int, int]
SecretCheck: TypeAlias = Callable[[SecretMatch], ByteSpan | None]

_NOWHERE = (-1, -1)
_TELLING = 4_096


class SecretKind(NamedTuple):
    """A kind of secret. `hint` is cheaper than the pattern and occurs in every text in which the pattern does."""

    name: str
    pattern: str
    check: SecretCheck
    hint: str


@cache
def patterns(section: str) -> str:
    """Give the patterns under a heading of the tables as one choice."""
    lines = read_lines("secrets", section)
    if not lines:
        raise TableError(f"secrets.txt: no language has the section [{section}].")
    return "|".join(lines)


def text_of(match: SecretMatch, span: ByteSpan) -> str:
    """Give the characters in a span, as many as tell what they are."""
    start, end = span
    return match.string[start : min(end, start + _TELLING)].decode("utf-8", "replace")


def first_group(match: SecretMatch, first: int, last: int) -> ByteSpan:
    """Give the span of the first of these groups that took part in the match; of the whole match if none did."""
    spans = (match.span(group) for group in range(first, last + 1))
    return next((span for span in spans if span != _NOWHERE), match.span())


def group(match: SecretMatch) -> ByteSpan:
    """Take the first group."""
    return match.span(1)


def only_if(test: Callable[[str], bool], number: int = 0) -> SecretCheck:
    """Take what was found, or a group of it, if its text passes a test."""

    def check(match: SecretMatch) -> ByteSpan | None:
        span = match.span(number)
        return span if test(text_of(match, span)) else None

    return check


@cache
def _prose_words() -> frozenset[str]:
    return function_words() | read_words("secrets", "not a password")


@cache
def _inflected() -> re.Pattern[str]:
    return re.compile(f"(?:{patterns('endings')})$")


def luhn(digits: str) -> bool:
    """Whether the digits carry the check digit of payment cards."""
    doubled = str.maketrans("0123456789", "0246813579")
    return sum(map(int, digits[-1::-2] + digits[-2::-2].translate(doubled))) % 10 == 0


def mod_97(account: str) -> bool:
    """Whether letters and digits of an IBAN carry its check digits."""
    return int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret that is elsewhere, or for none."""
    if "\0" in value or (len(set(value)) <= 2 and not value.isdigit()):
        return True
    return bool(_PLACEHOLDER.search(value)) or (bool(_REFERENCE.match(value)) and not is_dense(value))


def is_code(value: str) -> bool:
    """Whether a value without quotes is a name or a call in a program, or the name of a variable."""
    return bool(_CALL.match(value)) or (bool(_NAME_IN_CODE.match(value)) and not any(c.isdigit() for c in value))


def is_id(value: str) -> bool:
    """Whether a value has the shape of a UUID."""
    return bool(_ID.match(value))


def is_hex(value: str) -> bool:
    """Whether a value consists of hexadecimal digits."""
    return bool(_HEX.match(value))


def is_digest(value: str) -> bool:
    """Whether a value says of itself that it is the hash of something."""
    return bool(_DIGEST.match(value))


def is_measure(value: str) -> bool:
    """Whether a value is a number with its unit, a date, a version, a file or a mail address."""
    return bool(_MEASURE.match(value) or _MAIL_OR_FILE.match(value))


def scatter(value: str) -> float:
    """Give the share of neighbours of different kinds (small, capital, digit, other): 0 in words, above 0.4 in dice."""
    return (len(_RUN.findall(_kinds(value))) - 1) / max(1, len(value) - 1)


def _kinds(value: str) -> bytes:
    """Give for every character of which kind it is; letters that are not English count as small ones."""
    return value.encode("latin-1", "replace").translate(_KINDS)


def is_random(value: str, least: int = 16) -> bool:
    """Whether a value has letters and digits in no order, as keys and tokens have: not words, dates or numbers."""
    if len(value) < least or len(set(value)) < min(8, len(value) * 0.6):
        return False
    kinds = _kinds(value)
    if b"0" not in kinds or kinds.count(b"a") + kinds.count(b"A") < 2:
        return False
    return scatter(_JOINTS.sub("", value)) >= (0.12 if is_hex(value) else 0.18)


def is_dense(value: str) -> bool:
    """Whether a value has capital and small letters and digits in no order: base64 or base62 from a generator."""
    kinds = _kinds(value)
    mixed = b"0" in kinds and min(kinds.count(b"A"), kinds.count(b"a")) * 8 >= len(value)
    return mixed and scatter(value) >= 0.4


def looks_chosen(value: str) -> bool:
    """Whether a value looks like a password that a user chose: letters with digits or signs among them."""
    if len(value) < 5 or is_measure(value):
        return False
    kinds = _kinds(value)
    letters, digits = b"a" in kinds or b"A" in kinds, b"0" in kinds
    signs = any(c in "!@#$%^&*+=~?§€" for c in value.rstrip("!?*"))
    inner_capitals = b"A" in kinds[1:] and b"a" in kinds
    return (
        (letters and (digits or signs))
        or (digits and signs)
        or (bool(_WORD_CHAIN.match(value)) and not is_prose(value))
        or (inner_capitals and scatter(value) > 0.25)
    )


def is_plain_word(value: str) -> bool:
    """Whether a value is a word as prose has them, so that only its place can tell it from a password."""
    return all(c.isalpha() or c in "-'’" for c in value) and (value[1:].islower() or value.isupper())


def is_prose_word(value: str) -> bool:
    """Whether a word says something about a password rather than being one."""
    word = value.lower()
    return word in _prose_words() or bool(_inflected().search(word))


def is_prose(words: str) -> bool:
    """Whether several words are a sentence rather than a passphrase: too many of them are function words."""
    parts = re.findall(r"[^\W\d_]+", words.lower())
    return sum(part in _prose_words() for part in parts) * 3 > len(parts) or any(map(_NOUN.match, parts))


def is_login(encoded: str) -> bool:
    """Whether a value is `user:password` in base64, as basic authentication sends it."""
    try:
        decoded = binascii.a2b_base64(encoded + "=" * (-len(encoded) % 4))
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded and decoded.isascii()
