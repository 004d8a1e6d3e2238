"""Texts that would keep a careless pattern busy: long runs of one class, nested beginnings, many near misses."""

import random
from collections.abc import Mapping
from functools import cache

_UNITS: Mapping[str, str] = {
    "one letter": "a",
    "digits": "4",
    "blanks": " ",
    "signs": "=",
    "beginnings": "gh" + "p_",
    "nouns": "password ",
    "nouns with a sign": "password: ",
    "nouns with a verb": "password is ",
    "passwords": "password: hunter2 ",
    "Russian nouns": "пароль ",
    "open quotes": 'password:"',
    "open blocks": "-----BEGIN PRIVATE" + " KEY-----! ",
    "logins": "a://b:c",
    "near cards": "4111 1111 1111 1112 ",
    "near accounts": "DE00 1234 5678 ",
    "near JWT": "ey" + "J",
    "seed words": "seed phrase apple ",
    "codes": "backup codes 1234-5678 ",
    "marks": "[redacted: password]",
}


@cache
def hostile(size: int) -> Mapping[str, str]:
    """Give the texts, each of about as many characters."""
    dice = random.Random(5)
    texts = {name: unit * (size // len(unit)) for name, unit in _UNITS.items()}
    texts["hexadecimal"] = "".join(dice.choices("0123456789abcdef", k=size))
    texts["base64"] = "".join(dice.choices("ABCdef0123456789+/", k=size))
    texts["soup"] = "".join(dice.choices(" \n=:\"'abkeytoknpaswrdis", k=size))
    return texts
