# ruff: noqa: RUF001 -- words of four languages
"""Sentences without a secret: hand-written tricky ones, and many made from templates in four languages."""

import random
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

TRICKY = tuple((Path(__file__).parent / "ordinary.txt").read_text(encoding="utf-8").splitlines())

TEMPLATES = (
    "{name} moved the meeting with {other} to {day} at {hour}:{minute}",
    "The package {order} from {city} arrives on {date}",
    "Order {order} was paid with the card ending in {four}",
    "{name}'s flight {flight} to {city} leaves at {hour}:{minute}",
    "Commit {sha} in {repo} fixes issue #{number}",
    "Request {uuid} took {number} ms and returned {four} rows",
    "The password for {city} was changed by {name} on {date}",
    "{name} forgot the password again, ticket {number}",
    "The token limit of the model is {number} tokens",
    "token count: {number}, cost {price} EUR",
    "{name} keeps the spare key at {other}'s place in {city}",
    "The key figure for {date} is {price} million",
    "sha256 of backup-{date}.tar.gz is {hash}",
    "Release {version} of {repo} came out on {date}",
    "Call {name} at +420 {three} {three} {three}",
    "Room {three}, building {number}, {city}",
    "https://{repo}.dev/blog/{date}/how-{name}-learned-to-cook-in-{city}",
    "{entity} was set to {price} at {hour}:{minute}",
    "ISBN 978-80-{four}-{three}-7 is on {name}'s list",
    "GET /api/v2/users/{number}/orders/{uuid} HTTP/1.1 200",
    "{name} weighs {three} g of flour for {number} buns",
    "The secret of {name}'s soup is {number} hours of patience",
    "login took {price} s on {date}, session {uuid}",
    "Invoice {order} over {price} EUR is due on {date}",
    "{name} переехала в {city} {date}",
    "Заказ {order} будет в {city} {date}",
    "{name} забыл пароль и позвонил в поддержку {date}",
    "Ключ от дачи у {name}, код города {three}",
    "Поезд {three} отправляется в {hour}:{minute} из {city}",
    "Рейс {flight} задержан до {hour}:{minute}",
    "{name} jede {date} do {city} vlakem {flight}",
    "Objednávka {order} dorazí {date}",
    "{name} zapomněl heslo, heslo bylo změněno {date}",
    "Klíč od sklepa má {name} v pokoji {three}",
    "Schůzka s {name} je v {hour}:{minute} v {city}",
    "{name} fährt am {date} nach {city}",
    "Bestellung {order} kommt am {date}",
    "Das Passwort wurde am {date} von {name} geändert",
    "Der Schlüssel für Raum {three} liegt bei {name}",
    "Zug {flight} fährt um {hour}:{minute} von Gleis {number}",
)
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
