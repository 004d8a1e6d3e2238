"""Numbers that carry their own proof, and blocks that carry their own end: cards, accounts, armoured keys."""

import re
from collections.abc import Mapping

from recollect.text.secrets.checks import luhn, mod_97
from recollect.text.secrets.kind import Match, Span, text_of

_CARDS = re.compile(
    r"4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14}(?:\d{3})?"
)
_NOT_A_CARD = re.compile(
    r"(?:order|tracking|parcel|shipment|invoice|isbn|imei|ean|serial|ticket|reference|ref|id|nr|no|№|#|\+|заказ\w*|трек\w*|"
    r"objednávk\w*|zásilk\w*|faktur\w*|bestell\w*|sendung\w*|rechnung\w*)[\s.:#№-]{0,4}(?:(?:number|is|nr|no|č|номер)[\s.:#]{0,3})?\Z",
    re.IGNORECASE,
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


def card_number(match: Match) -> Span | None:
    """Take digits that a card could have, in groups as people write them, unless the text says what else they are."""
    start, end = match.span(1)
    before = match.string[max(0, start - _AROUND) : start].decode("utf-8", "replace")
    found = text_of(match, (start, end))
    if _NOT_A_CARD.search(before) or _INSIDE.search(before) or match.string[end : end + 1].isdigit():
        return None
    groups = re.split(r"\D", found)
    digits = "".join(groups)
    if any(len(part) < _LEAST_GROUP for part in groups) or not _CARDS.fullmatch(digits) or not luhn(digits):
        return None
    return start, end


def card_number_after(match: Match) -> Span | None:
    """Take the short number after a card's date if a card stands right before it."""
    start = match.span()[0]
    digits = re.sub(rb"\D", b"", match.string[max(0, start - 20) : start + 4])[-16:].decode()
    return match.span(1) if luhn(digits) or luhn(digits[-15:]) else None


def account_number(match: Match) -> Span | None:
    """Take as many characters as an IBAN of the country has, if they add up."""
    start, end = match.span(1)
    found = text_of(match, (start, end))
    length = _IBAN_LENGTHS.get(found[:2].upper(), 0)
    kept = [place for place, c in enumerate(found) if c.isalnum()][:length]
    account = "".join(found[place] for place in kept)
    if not length or len(account) < length or not account.isascii() or not mod_97(account):
        return None
    return start, start + len(found[: kept[-1] + 1].encode())


def social_number(match: Match) -> Span | None:
    """Take what the United States may have given out: some areas, groups and serials never were."""
    start, end = match.span()
    area, middle, serial = text_of(match, (start, end)).split("-")
    apart = match.string[max(0, start - 1) : start] not in (b"-", b"+") and match.string[end : end + 1] != b"-"
    return (
        (start, end)
        if apart and area not in ("000", "666") and area[0] != "9" and int(middle) and int(serial)
        else None
    )


def pem_block(match: Match) -> Span | None:
    """Take an armoured key with its end; without an end, as far as its lines go."""
    start, end = match.span()
    if match.string[max(start, end - 5) : end] == b"-----" and b"-----END " in match.string[start:end]:
        return start, end
    armour = _ARMOUR.match(match.string, start, end)
    return armour.span() if armour and armour.end() - start >= _LEAST_ARMOUR else None
