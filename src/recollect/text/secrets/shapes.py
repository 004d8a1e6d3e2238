"""Secrets that are known by their own shape, wherever they stand: the tokens of vendors, keys in blocks, cards.

More specific kinds stand before more general ones.
"""

import re
from collections.abc import Mapping
from functools import cache

from recollect.text.secrets import checks
from recollect.text.secrets.kind import ByteSpan, SecretKind, SecretMatch, only_if, patterns, text_of
from recollect.text.tables import read_pairs

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
_AROUND = 40
_LEAST_GROUP = 3
_INSIDE = re.compile(r"(?:^|[^\\])[^\W_]\Z|\d[.,]\Z")  # the end of a longer word, but not of an escape such as \n


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
    words = rf"(?:{patterns('not a card')}|№|#|\+)[\s.:#№-]{{0,4}}"
    return re.compile(rf"{words}(?:(?:{patterns('number words')})[\s.:#]{{0,3}})?\Z", re.IGNORECASE)


def card_number(match: SecretMatch) -> ByteSpan | None:
    """Take digits that a card could have, in groups as people write them, unless the text says what else they are."""
    start, end = match.span(1)
    before = match.string[max(0, start - _AROUND) : start].decode("utf-8", "replace")
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
    return (
        (start, end)
        if apart and area not in ("000", "666") and area[0] != "9" and int(middle) and int(serial)
        else None
    )


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
