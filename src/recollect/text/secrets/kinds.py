# ruff: noqa: PLR2004, RUF001 -- words of four languages; thresholds that the tests set
"""All kinds of secrets, more specific ones before more general ones.

Some are known by their own shape, wherever they stand: the tokens of vendors, keys in blocks, cards. Others need a
second look, by the words beside them: a form, a program and a sentence all say "password", and only some of them give
one away. A noun alone proves nothing ("I forgot my password"); what counts is a value that it is given, how that value
looks, and where it ends.
"""

import re
from collections.abc import Mapping
from functools import cache

from recollect.text.secrets import checks
from recollect.text.secrets.checks import ByteSpan, SecretCheck, SecretKind, SecretMatch, only_if, text_of
from recollect.text.tables import COMMON, TableError, load_sections, read_pairs, split_pair

# What may stand before a token that has no telling beginning: no letter, unless it ends an escape such as \n or %3D.
_EDGE = r"(?:\b|\\[nrt]|%[0-9A-F]{2}|\x1b\[[0-9;]*m|_)"

_PEM = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-{1,4}[^-])*(?:-----END [A-Z0-9 ]{0,40}-----)?"

_SCATTERED = 0.4  # a token of letters alone
_LEAST_DIFFERENT = 20  # characters in a secret of forty
_CARDS = re.compile(
    r"4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14}(?:\d{3})?"
)
# How long an account number is in each country.
_IBAN_COUNTRIES: Mapping[int, str] = {
    15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU XK", 21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST",
    26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA",
    30: "JO KW MU", 31: "MT SC", 32: "LC", 33: "RU",
}  # fmt: skip
_IBAN_LENGTHS = {country: length for length, countries in _IBAN_COUNTRIES.items() for country in countries.split()}
_ARMOUR = re.compile(
    rb"-----BEGIN [A-Z0-9 ]+-----(?:\s|\\[nrt]|[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]+={1,2}|"
    rb"[\w-]+: [^\n]*|(?<=\n)[A-Za-z0-9+/]+(?=\n|\Z))*"
)
_LEAST_ARMOUR = 100
_LOOKED_AROUND = 40
_LEAST_GROUP = 3
_INSIDE = re.compile(r"(?:^|[^\\])[^\W_]\Z|\d[.,]\Z")  # the end of a longer word, but not of an escape such as \n

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

_PART_NAME = re.compile(r"\{([a-z][a-z ]+)\}")


def _random_rest(value: str) -> bool:
    random = checks.is_random(value) or checks.is_hex(value[-32:]) or checks.scatter(value) >= _SCATTERED
    return random and not checks.is_placeholder(value)


def _dense_rest(value: str) -> bool:
    return (
        not checks.is_digest(value)
        and checks.is_dense(value.replace("_", "-").rpartition("-")[2])
        and not checks.is_placeholder(value)
    )


def dense_secret(value: str) -> bool:
    """Whether forty characters without a telling beginning come from a generator."""
    return checks.is_dense(value) and len(set(value)) > _LEAST_DIFFERENT


@cache
def _not_a_card() -> re.Pattern[str]:
    """Compile what stands before a number of another kind."""
    words = rf"(?:{checks.patterns('not a card')}|№|#|\+)[\s.:#№-]{{0,4}}"
    return re.compile(rf"{words}(?:(?:{checks.patterns('number words')})[\s.:#]{{0,3}})?\Z", re.IGNORECASE)


def card_number(match: SecretMatch) -> ByteSpan | None:
    """Take digits that a card could have, in groups as people write them, unless the text says what else they are."""
    start, end = match.span(1)
    before = match.string[max(0, start - _LOOKED_AROUND) : start].decode("utf-8", "replace")
    found = text_of(match, (start, end))
    if _not_a_card().search(before) or _INSIDE.search(before) or match.string[end : end + 1].isdigit():
        return None
    groups = re.split(r"\D", found)
    digits = "".join(groups)
    if any(len(part) < _LEAST_GROUP for part in groups) or not _CARDS.fullmatch(digits) or not checks.luhn(digits):
        return None
    return start, end


def card_number_after(match: SecretMatch) -> ByteSpan | None:
    """Take the short number after a card's date if a card stands right before it."""
    start = match.span()[0]
    digits = re.sub(rb"\D", b"", match.string[max(0, start - 20) : start + 4])[-16:].decode()
    return match.span(1) if checks.luhn(digits) or checks.luhn(digits[-15:]) else None


def account_number(match: SecretMatch) -> ByteSpan | None:
    """Take as many characters as an IBAN of the country has, if they add up."""
    start, end = match.span(1)
    found = text_of(match, (start, end))
    length = _IBAN_LENGTHS.get(found[:2].upper(), 0)
    kept = [place for place, c in enumerate(found) if c.isalnum()][:length]
    account = "".join(found[place] for place in kept)
    if not length or len(account) < length or not account.isascii() or not checks.mod_97(account):
        return None
    return start, start + len(found[: kept[-1] + 1].encode())


def social_number(match: SecretMatch) -> ByteSpan | None:
    """Take what the United States may have given out: some areas, groups and serials never were."""
    start, end = match.span()
    area, middle, serial = text_of(match, (start, end)).split("-")
    apart = match.string[max(0, start - 1) : start] not in (b"-", b"+") and match.string[end : end + 1] != b"-"
    given = area not in ("000", "666") and area[0] != "9" and int(middle) and int(serial)
    return (start, end) if apart and given else None


def pem_block(match: SecretMatch) -> ByteSpan | None:
    """Take an armoured key with its end; without an end, as far as its lines go."""
    start, end = match.span()
    if match.string[max(start, end - 5) : end] == b"-----" and b"-----END " in match.string[start:end]:
        return start, end
    armour = _ARMOUR.match(match.string, start, end)
    return armour.span() if armour and armour.end() - start >= _LEAST_ARMOUR else None


@cache
def shapes() -> tuple[SecretKind, ...]:
    """Give the kinds, those of the tables first."""
    hints = dict(read_pairs("secret_shapes", "inner hints"))
    return (
        SecretKind("private key", _PEM, pem_block, "PRIVATE KEY"),
        *(
            SecretKind(name, pattern, only_if(lambda value: not checks.is_placeholder(value)), pattern)
            for name, pattern in read_pairs("secret_shapes", "telling")
        ),
        *(
            SecretKind(name, f"{_EDGE}({pattern})", only_if(_random_rest, 1), f"{_EDGE}(?:{pattern})")
            for name, pattern in read_pairs("secret_shapes", "short")
        ),
        *(
            SecretKind(
                name,
                f"{_EDGE}({pattern})",
                only_if(_dense_rest if name == "API token" else _random_rest, 1),
                hints[name],
            )
            for name, pattern in read_pairs("secret_shapes", "inner")
        ),
    )


@cache
def _beside(section: str) -> re.Pattern[str]:
    """Compile what the words beside a noun or a value say of it."""
    before, after = _AROUND[section]
    return re.compile(f"{before}(?:{checks.patterns(section)}){after}", re.IGNORECASE)


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
    span = checks.first_group(match, _FIRST_VALUE, _LAST_VALUE)
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


_SPANS = (
    checks.group, account_number, card_number, card_number_after, social_number, code_list,
    credential, dense_nearby, door_code, flag, password, password_nearby,
    pin,
)  # fmt: skip
_TESTS = (
    checks.is_login, dense_secret, base32, bearer, cookie, element, header,
    named_after, seed_phrase, session, url_password,
)  # fmt: skip
_CHECKS: Mapping[str, SecretCheck] = {
    **{check.__name__: check for check in _SPANS},
    **{test.__name__: only_if(test, 1) for test in _TESTS},
}


@cache
def checked_kinds() -> tuple[SecretKind, ...]:
    """Give the kinds, with the nouns and verbs of all languages in their patterns."""
    parts = dict(read_pairs("secret_patterns", "parts"))
    found: list[SecretKind] = []
    for section in load_sections(COMMON, "secret_patterns")[1:]:
        fields = dict(map(split_pair, section.lines))
        if fields.keys() != {"pattern", "hint", "check"} or fields["check"] not in _CHECKS:
            raise TableError(
                f"{section.lines[0].place}: expected a pattern, a hint, and as check one of {', '.join(_CHECKS)}."
            )
        pattern, hint = (_filled(fields[name], parts) for name in ("pattern", "hint"))
        found.append(SecretKind(section.heading, pattern, _CHECKS[fields["check"]], hint))
    return tuple(found)


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    """Put what a name in braces stands for in its place, again and again, because parts may name others."""
    while _PART_NAME.search(pattern):
        pattern = _PART_NAME.sub(lambda name: parts.get(name[1]) or checks.patterns(name[1]), pattern)
    return pattern
