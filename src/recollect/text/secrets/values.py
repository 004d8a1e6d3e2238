# ruff: noqa: RUF001, PLR2004 -- words of four languages; thresholds that the tests set
"""Whether the value beside a telling word is a secret, and where it ends.

The words ask: a form, a program and a sentence all say "password", and only some of them give one away.
"""

import re
from functools import cache

from recollect.text.secrets import checks
from recollect.text.secrets.kind import ByteSpan, SecretMatch, first_group, patterns, text_of

_NOUN, _SUFFIX, _GAP, _SEPARATOR, _FIRST_VALUE, _LAST_VALUE = 1, 2, 3, 4, 5, 8
_NEXT_FIELD = re.compile(r"[,;&][\w.%-]+[=:]|\\+[\"'n]|;$")
_AFTER = ".,;:)]}»”“\"'`*\\"
_LONGER_WORD = re.compile(rb"[a-z](?!s?$)[a-z]")  # author, tokenizer, keyboard
_SAME_NOUN = re.compile(r"^\W*(?:keys?|api|token|value|ключ|klíč)\W*\Z", re.IGNORECASE)  # secret key, ключ API
_SESSION = re.compile(r"session|sid", re.IGNORECASE)
_CHOSEN = re.compile(r"secret|cred|pass|auth|секрет|zugangsdaten|údaj", re.IGNORECASE)
_SENTENCE_END = re.compile(rb"[\"'`*)\]]*(?:[.,;!?]|\s*$|[ \t]*\n|[ \t]*[|)])")
_OF_A_DOOR = re.compile(r"(?:от|od)\s*\Z")
_YEAR = re.compile(r"^(?:19|20)\d\d$")
_DIGEST_LENGTHS = (40, 64, 128)
_LEAST = 3
_CODE_LENGTHS = (4, 5, 8)
# What stands before and after the patterns of a section of the tables.
_AROUND = {
    "about": (r"(?:^|[\s_-])", ""),
    "other keys": ("", r"[\s_.-]?\Z"),
    "changed": ("", r"\W*$"),
    "public": ("", r"\W*"),
    "bare keys": (r"^\W?", "$"),
    "qualifiers": ("", r"[\s_.-]?(?:\w+\s)?\Z"),
    "leads": (r"(?:[:=–—→]|\b", r")[\s\"'`#*]*\Z"),
}


@cache
def _beside(section: str) -> re.Pattern[str]:
    """Compile what the words beside a noun or a value say of it."""
    before, after = _AROUND[section]
    return re.compile(f"{before}(?:{patterns(section)}){after}", re.IGNORECASE)


def password(match: SecretMatch) -> ByteSpan | None:
    """Take the value that a password is given by a sign or a verb."""
    span, value, quoted = _value(match)
    gap = text_of(match, match.span(_GAP)).strip()
    about = f"{text_of(match, match.span(_SUFFIX))} {gap}"
    described = _beside("about").search(about) and not _beside("changed").search(about)
    if len(value) < _LEAST or checks.is_placeholder(value) or described:
        return None
    if ". " in gap or (quoted and match.string[span[1] + 1 : span[1] + 2] == b":"):
        return None
    if quoted:
        secret = not checks.is_prose(value) if " " in value else not checks.is_prose_word(value)
    else:
        secret = not checks.is_code(value) and _unquoted_password(match, span, value, gap)
    return span if secret else None


def _unquoted_password(match: SecretMatch, span: ByteSpan, value: str, gap: str) -> bool:
    sign = text_of(match, match.span(_SEPARATOR)).strip()
    assigned = (bool(sign) and not sign[-1].isalpha()) or sign.endswith(":")
    last = bool(_SENTENCE_END.match(match.string, span[1]))
    if value.isdigit():
        return len(value) > _LEAST and (not gap or last)
    if checks.is_measure(value):
        return assigned and not gap and last and not value[-1:].isalpha()
    if checks.is_plain_word(value) and not checks.looks_chosen(value):
        known = (value.isascii() or assigned) and "(" not in sign and sign != "|"
        return known and len(value) > _LEAST and last and not checks.is_prose_word(value)
    return checks.looks_chosen(value) or (assigned and not gap)


def password_nearby(match: SecretMatch) -> ByteSpan | None:
    """Take a value some words after a password's noun, if nothing else can look like that."""
    span, value, quoted = _value(match)
    between = text_of(match, match.span(_GAP))
    if len(value) < 5 or _beside("about").search(between) or checks.is_placeholder(value) or checks.is_code(value):
        return None
    if quoted and not between.strip() and " " in value:
        return span if not checks.is_prose(value) else None
    led = not between.strip() or _beside("leads").search(between)
    foreign = value.isascii() and not text_of(match, match.span(_NOUN)).isascii()
    near = led or (len(between) < 24 and (foreign or checks.scatter(value) > 0.2))
    chosen = checks.looks_chosen(value) and (any(c.isdigit() for c in value) or value.count("-") > 2)
    other = checks.is_id(value) or checks.is_hex(value) or "/" in value
    return span if near and chosen and not other else None


def credential(match: SecretMatch) -> ByteSpan | None:
    """Take the value that a key or token is given, if it looks random."""
    span, value, _ = _value(match)
    noun, gap = text_of(match, match.span(_NOUN)), text_of(match, match.span(_GAP)).strip()
    gap = "" if _SAME_NOUN.match(gap) else gap
    start = match.span()[0]
    before = match.string[max(0, start - 24) : start].decode("utf-8", "replace")
    about = f"{text_of(match, match.span(_SUFFIX))} {gap}"
    if _beside("other keys").search(before) or (about != " " and _beside("about").search(about)):
        return None
    if checks.is_placeholder(value) or checks.is_code(value) or checks.is_measure(value) or checks.is_digest(value):
        return None
    if _LONGER_WORD.match(match.string[match.span(_NOUN)[1] - 1 : match.span(_SUFFIX)[1]]):
        return None
    if not _may_be_an_id(value, noun, (before, gap), text_of(match, match.span(_SEPARATOR))):
        return None
    if checks.is_random(value, 16 if gap else 8) or (not gap and _CHOSEN.search(noun) and _chosen_with_digit(value)):
        return span
    return None


def _chosen_with_digit(value: str) -> bool:
    return checks.looks_chosen(value) and not value.replace("_", "a").replace(".", "a").isalpha()


def _may_be_an_id(value: str, noun: str, beside: tuple[str, str], separator: str) -> bool:
    """Whether the words are plain enough for a value that has the shape of an id or a digest."""
    bare = _beside("bare keys").match(noun) and not any(map(_beside("qualifiers").search, beside))
    if checks.is_id(value):
        return not bare and not _SESSION.search(noun)
    digest = checks.is_hex(value) and len(value) in _DIGEST_LENGTHS
    return not digest or not bare or separator.strip()[-1:].isalpha() or "(" in separator


def named_after(value: str) -> bool:
    """Whether a value can be what the text calls it afterwards: "use … as the password"."""
    return checks.looks_chosen(value) and checks.scatter(value) > 0.1 and not checks.is_placeholder(value)


def header(value: str) -> bool:
    """Whether an authorization header sends this."""
    plain = value.isalpha() and (value.islower() or value.istitle())
    return not plain and not checks.is_placeholder(value)


def bearer(value: str) -> bool:
    """Whether a value is a bearer token: random, or too long for a word."""
    telling = any(c.isdigit() for c in value) or (len(value) >= 20 and checks.scatter(value) > 0.3)
    return telling and not checks.is_placeholder(value)


def cookie(value: str) -> bool:
    """Whether a line is the content of a cookie header."""
    return "=" in value and not checks.is_placeholder(value)


def session(value: str) -> bool:
    """Whether a value is that of a session cookie, not an id that merely names a session."""
    return checks.is_random(value, 8) and not checks.is_id(value) and not checks.is_placeholder(value)


def url_password(value: str) -> bool:
    """Whether a password stands before the @ of an address."""
    return not checks.is_placeholder(value) and not checks.is_prose_word(value) and value != "pass"


def element(value: str) -> bool:
    """Whether the content of an element that is named like a secret is one."""
    value = value.strip()
    chosen = checks.looks_chosen(value) or (checks.is_plain_word(value) and not checks.is_prose_word(value))
    return chosen and not checks.is_placeholder(value) and not checks.is_prose(value)


def flag(match: SecretMatch) -> ByteSpan | None:
    """Take the value of an option on a command line or of a field in a list."""
    span = match.span(1)
    value, cut = _cut(text_of(match, span))
    if checks.is_placeholder(value) or checks.is_code(value) or checks.is_measure(value) or checks.is_prose_word(value):
        return None
    return (span[0], span[1] - cut) if checks.looks_chosen(value) or checks.is_random(value, 8) else None


def pin(match: SecretMatch) -> ByteSpan | None:
    """Take the digits of a PIN; after a few words only if a sign or a verb leads to them."""
    gap = text_of(match, match.span(1)) if match.span(1) != (-1, -1) else ""
    value = text_of(match, match.span(2))
    led = not gap.strip() or _beside("leads").search(text_of(match, (match.span(1)[0], match.span(2)[0])))
    return match.span(2) if led or (len(gap) < 20 and not _YEAR.match(value)) else None


def door_code(match: SecretMatch) -> ByteSpan | None:
    """Take the digits that open a door."""
    gap, value = text_of(match, match.span(1)), text_of(match, match.span(2))
    noun = text_of(match, (match.span()[0], match.span(1)[0])).lower()
    if not any(c.isdigit() for c in value) or value.islower() or (_YEAR.match(value) and gap.strip()):
        return None
    led = _beside("leads").search(
        text_of(match, (match.span(1)[0], match.span(2)[0])) if gap.strip() and not _OF_A_DOOR.search(noun) else ":"
    )
    named = re.search(r"code|kód|kod|код|combination|otp|puk|kode", noun + gap.lower())
    return match.span(2) if named and led and sum(c.isdigit() for c in value) >= _LEAST else None


def seed_phrase(words: str) -> bool:
    """Whether words in a row come from a list rather than from a sentence."""
    return not checks.is_prose(words)


def code_list(match: SecretMatch) -> ByteSpan | None:
    """Take a list of codes, as far as its items have digits."""
    start, _ = match.span(1)
    end = start
    for item in re.finditer(r"[0-9A-Za-z-]+", text_of(match, match.span(1))):
        digits = sum(c.isdigit() for c in item[0])
        if digits >= 2 and len(item[0]) >= 4:
            end = start + item.end()
        elif item.start() and not digits and item[0].islower() and len(item[0]) not in _CODE_LENGTHS:
            break
    return (start, end) if end > start else None


def base32(value: str) -> bool:
    """Whether letters are base32 from a generator: in capitals or with digits, and not all alike."""
    bare = value.replace(" ", "").replace("-", "")
    return len(set(bare.lower())) >= 6 and (bare.isupper() or any(c.isdigit() for c in bare))


def dense_nearby(match: SecretMatch) -> ByteSpan | None:
    """Take a value that is random enough to be a key although only a word nearby says so."""
    span = match.span(3)
    value, between = text_of(match, span).rstrip("."), text_of(match, match.span(2))
    span = (span[0], span[0] + len(value))
    start = match.span()[0]
    before = match.string[max(0, start - 24) : start].decode("utf-8", "replace")
    if _beside("about").search(between) or _beside("public").search(between) or _beside("other keys").search(before):
        return None
    other = checks.is_placeholder(value) or checks.is_measure(value)
    if not between.strip(" \t*_\"'`") and _may_be_an_id(value, text_of(match, match.span(1)), (before, ""), ""):
        return span if checks.is_random(value) and not other else None
    other = other or checks.is_id(value) or checks.is_hex(value) or value.count("/") > 3 or value.count(".") > 2
    return span if len(value) >= 20 and checks.is_dense(value) and not other else None


def _value(match: SecretMatch) -> tuple[ByteSpan, str, bool]:
    """Give where the value of an assignment stands, its text, and whether it was quoted."""
    span = first_group(match, _FIRST_VALUE, _LAST_VALUE)
    text = text_of(match, span)
    if match.span(_LAST_VALUE) != span:
        kept = text.rstrip("\\")
        return (span[0], span[1] - len(text) + len(kept)), kept, True
    value, cut = _cut(text)
    return (span[0], span[1] - cut), value, False


def _cut(text: str) -> tuple[str, int]:
    """Give an unquoted value without what belongs to the sentence or to the next field, and the bytes cut off."""
    following = _NEXT_FIELD.search(text)
    value = (text[: following.start()] if following else text).rstrip(_AFTER)
    return value, len(text[len(value) :].encode("utf-8", "surrogatepass"))
