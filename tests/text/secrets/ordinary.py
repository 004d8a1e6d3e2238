"""Sentences without a secret: hand-written tricky ones, and many made from templates in four languages."""

import random
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

TRICKY = tuple((Path(__file__).parent / "ordinary.txt").read_text(encoding="utf-8").splitlines())

TEMPLATES = tuple((Path(__file__).parent / "templates.txt").read_text(encoding="utf-8").splitlines())
NAMES = ("Anna", "Petr", "Jana", "Ivan", "Marie", "Сергей", "Ольга", "Jürgen", "Lukáš", "Elizabeth")
CITIES = ("Prague", "Brno", "Berlin", "Москва", "Wien", "Plzeň", "Zürich", "Boston")


def _hex(dice: random.Random, amount: int) -> str:
    return "".join(dice.choices("0123456789abcdef", k=amount))


def _order(dice: random.Random) -> str:
    return dice.choice(
        [str(dice.randrange(10**6, 10**12)), f"2026-{dice.randrange(10**5):05}", f"CZ-{dice.randrange(10**8)}"]
    )


FIELDS: Mapping[str, Callable[[random.Random], str]] = {
    "name": lambda dice: dice.choice(NAMES),
    "other": lambda dice: dice.choice(NAMES),
    "city": lambda dice: dice.choice(CITIES),
    "day": lambda dice: dice.choice(["Monday", "Tuesday", "Friday"]),
    "hour": lambda dice: f"{dice.randrange(24):02}",
    "minute": lambda dice: f"{dice.randrange(60):02}",
    "date": lambda dice: f"20{dice.randrange(20, 30)}-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}",
    "order": _order,
    "four": lambda dice: f"{dice.randrange(10**4):04}",
    "three": lambda dice: f"{dice.randrange(10**3):03}",
    "number": lambda dice: str(dice.randrange(10**6)),
    "flight": lambda dice: f"{dice.choice(['OK', 'LH', 'EC', 'ICE'])}{dice.randrange(100, 9999)}",
    "sha": lambda dice: _hex(dice, dice.choice([7, 10, 40])),
    "hash": lambda dice: _hex(dice, 64),
    "repo": lambda dice: dice.choice(["recollect", "home-lights", "bread", "token-tools"]),
    "uuid": lambda dice: str(uuid.UUID(int=dice.getrandbits(128), version=4)),
    "price": lambda dice: f"{dice.randrange(10**4)}.{dice.randrange(100):02}",
    "version": lambda dice: f"{dice.randrange(9)}.{dice.randrange(30)}.{dice.randrange(100)}",
    "entity": lambda dice: dice.choice(["light.office", "sensor.attic_2", "climate.bedroom", "switch.pump_3"]),
}


def sentences(amount: int, seed: int = 1) -> list[str]:
    """Give the tricky lines, and as many made ones as are missing."""
    dice = random.Random(seed)
    made = [
        dice.choice(TEMPLATES).format(**{name: make(dice) for name, make in FIELDS.items()})
        for _ in range(amount - len(TRICKY))
    ]
    return [*TRICKY, *made]
