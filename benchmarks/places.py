"""What places do to recall, and what they cost: `python -m benchmarks.places`, with `--set` for your own coordinates.

Our own set is what one person noted in six cities and elsewhere, and what that person asks there. `memories.jsonl` has
`{id, text, type, lat?, lng?, address?, place_label?}`; `questions.jsonl` has `{id, text, kind, relevant, lat?, lng?,
address?, place_label?}`. A question of the kind `here` has another answer at another place, one of the kind `anywhere`
has not.

A set of coordinates is a folder with `places.jsonl` (`{id, name, lat, lng}`) and `queries.jsonl` (`{id, lat, lng,
nearest_km, within_km}`, where `within_km` gives the ids of all places within 10, 50 and 100 km).
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from benchmarks.figures import Figure, alternate, seconds
from benchmarks.lifelike import questions, sentences, vectors
from benchmarks.nominatim import FAULTS, HEALTHY, nominatim
from benchmarks.quality import BadSet, score
from benchmarks.stores import server
from recollect import Memory, NewMemory, Recall, RecollectError, UserMemory, load_settings
from recollect.geocoding import create_geocoder
from recollect.model.geo import distance_km
from recollect.model.memories import Vector
from recollect.model.places import Location
from recollect.settings.sections import PlaceSettings

OWN_SET = Path(__file__).resolve().parent / "data" / "places"
_PLACE = ("lat", "lng", "address", "place_label")
_GAIN_POINTS = 10.0
_LOSS_POINTS = 0.5
_RADIUS_LIMIT = 1.5
_RADII_KM = (1.0, 10.0, 100.0)
_ROUNDS = 20
_NEAREST_SHARE = 0.99
_NEAREST_SLACK_KM = 1.0
_STORING_LIMIT = 1.2
_STORED = 200
_BLOCKS = 5
_MOST_WITHIN = 1_000
_STORES = ("SQLite", "PostgreSQL")

# Where a person's life happens, and how much of it: most at home, some in the places of work and of friends.
_CITIES = (
    (49.1951, 16.6068, 40), (48.2082, 16.3738, 20), (50.0755, 14.4378, 15), (52.5200, 13.4050, 10),
    (51.5074, -0.1278, 8), (35.6762, 139.6503, 4), (-16.4994, 179.9990, 2), (69.6492, 18.9553, 1),
)  # fmt: skip
_LABELS = ("home", "office", "supermarket", "gym", "café", "restaurant", "station", "airport", "school", "park", "")
_SPREAD_KM = 6.0


class Asked(NamedTuple):
    """A question of our own set, where it was asked, and what answers it."""

    id: str
    text: str
    kind: str
    location: Location
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlacesSet:
    """What is stored, by its id, and what is asked."""

    memories: Mapping[str, NewMemory]
    questions: Sequence[Asked]


def load(folder: Path = OWN_SET) -> PlacesSet:
    """Read a set of memories and questions. Raises BadSet."""
    memories = {
        str(line["id"]): NewMemory(line["text"], type=line.get("type", "other"), **_place(line))
        for line in _lines(folder / "memories.jsonl")
    }
    asked = [
        Asked(line["id"], line["text"], line["kind"], Location(**_place(line)), frozenset(line["relevant"]))
        for line in _lines(folder / "questions.jsonl")
    ]
    for question in asked:
        unknown = sorted(question.relevant - memories.keys())
        if unknown or not question.relevant:
            raise BadSet(f"{folder}: question {question.id} is answered by {unknown or 'nothing'}, which is not there.")
    return PlacesSet(memories, asked)


def _place(line: Mapping[str, Any]) -> dict[str, Any]:
    return {name: line[name] for name in _PLACE if line.get(name) not in {None, ""}}


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise BadSet(f"{path}: cannot be read: {error}.") from error


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:
    """Give all figures that need nothing but this folder."""
    yield from answers(folder, address)
    yield from radius(folder, address, amount)
    yield from storing(folder, address)


def _open(database: str, **more: object) -> Memory:
    overrides = {"database": database, "recall.cache": 0, "embedding.worker": False, **more}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))


def _stores(folder: Path, address: str, name: str) -> Iterator[tuple[str, str]]:
    """Give what people call each store, and a new database on it."""
    for store in _STORES:
        yield store, _database(store, folder, address, name)


def _database(store: str, folder: Path, address: str, name: str) -> str:
    if store == "SQLite":
        return str(folder / f"{name}.db")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return address.replace("/benchmark?", f"/{name}?")


# What is found


def answers(folder: Path, address: str) -> Iterator[Figure]:
    """Ask our own questions with and without saying where one is."""
    chosen = load()
    for store, database in _stores(folder, address, "answers"):
        with _open(database) as memory:
            me = memory.user("me")
            kept = me.remember_many(chosen.memories.values())
            stored = {one.id: name for one, name in zip(kept, chosen.memories, strict=True)}
            memory.maintain()
            memory.embed_waiting()
            yield from _compared(store, me, chosen.questions, stored)


def _compared(store: str, me: UserMemory, asked: Sequence[Asked], stored: Mapping[str, str]) -> Iterator[Figure]:
    without = _found(asked, stored, lambda one: me.recall(one.text, only_related=False))
    boosted = _found(asked, stored, lambda one: me.recall(one.text, location=one.location, only_related=False))
    alike = _found(
        asked,
        stored,
        lambda one: me.recall(one.text, location=one.location, location_mode="semantic", only_related=False),
    )
    amounts = Counter(one.kind for one in asked)
    gain, loss = boosted["here"] - without["here"], without["anywhere"] - boosted["anywhere"]
    yield Figure(
        f"recall@5 of questions about where one is, points gained by saying where, {store}",
        round(gain, 1),
        _GAIN_POINTS,
        "at least",
        f"{without['here']:.1f} % to {boosted['here']:.1f} % of {amounts['here']} questions; by the names of places "
        f"alone {alike['here']:.1f} %",
    )
    yield Figure(
        f"recall@5 of questions about anything else, points lost by saying where, {store}",
        round(loss, 1),
        _LOSS_POINTS,
        "at most",
        f"{without['anywhere']:.1f} % to {boosted['anywhere']:.1f} % of {amounts['anywhere']} questions",
    )


def _found(asked: Sequence[Asked], stored: Mapping[str, str], ask: Callable[[Asked], Recall]) -> Mapping[str, float]:
    """Give the share of answers among the first five hits for each kind of question, in percent."""
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for question in asked:
        ranked = [stored[known] for hit in ask(question).hits for known in (hit.id, *hit.folded)]
        shares[question.kind].append(score(ranked, question.relevant)["R@5"])
    return {kind: 100 * statistics.mean(found) for kind, found in shares.items()}


# What a radius costs


def radius(folder: Path, address: str, amount: int) -> Iterator[Figure]:
    """Recall within a radius against the same recall without a location, one user with very many located memories.

    PostgreSQL goes without a vector index of this user, so that both sides look at all vectors that pass.
    """
    texts, matrix, spots = sentences(amount), vectors(amount), _spots(amount)
    asked, given = questions(_ROUNDS)
    for store, database in _stores(folder, address, "radius"):
        with _open(database, **{"places.geocoder": "none", "postgres.giant_user_rows": amount + 1}) as memory:
            memory.user("me").remember_many(map(_located, texts, matrix, spots))
            memory.maintain()
        with _open(database) as memory:
            yield _radius_figure(store, memory.user("me"), asked, given, amount)


def _located(text: str, vector: Vector, spot: Location) -> NewMemory:
    return NewMemory(text, vector=vector, lat=spot.lat, lng=spot.lng, place_label=spot.place_label)


def _spots(amount: int, seed: int = 3) -> list[Location]:
    """Make places in the cities of a life, most of them near the middle."""
    chance = random.Random(seed)
    weights = [share for *_, share in _CITIES]
    made = []
    for lat, lng, _ in chance.choices(_CITIES, weights, k=amount):
        north, east = chance.gauss(0, _SPREAD_KM) / 111.2, chance.gauss(0, _SPREAD_KM) / 111.2
        around = (lng + east + 180) % 360 - 180
        made.append(Location(lat + north, around, place_label=chance.choice(_LABELS)))
    return made


def _radius_figure(store: str, me: UserMemory, asked: Sequence[str], given: Vector, amount: int) -> Figure:
    ratios, details = [], []
    lat, lng, _ = _CITIES[0]
    for radius_km in _RADII_KM:
        mine, peer, inside = _against_plain(me, asked, given, {"location": (lat, lng), "radius_km": radius_km})
        ratios.append(mine / peer)
        details.append(f"{radius_km:g} km {mine * 1e3:.1f} against {peer * 1e3:.1f} ms ({inside} hits)")
    boost, plain, _ = _against_plain(me, asked, given, {"location": (lat, lng)})
    details.append(f"without a radius {boost * 1e3:.1f} against {plain * 1e3:.1f} ms")
    name = f"recall within a radius among {amount:,} located memories against everywhere, {store}"
    return Figure(name, max(ratios), _RADIUS_LIMIT, "at most", "; ".join(details))


def _against_plain(
    me: UserMemory, asked: Sequence[str], given: Vector, where: Mapping[str, Any]
) -> tuple[float, float, int]:
    """Ask the same questions in turn with a location and without; gives the median of each, and the hits of one."""
    ours, theirs = count(), count()

    def located() -> Recall:
        turn = next(ours) % len(asked)
        return me.recall(asked[turn], vector=given[turn], only_related=False, **where)

    def plain() -> Recall:
        turn = next(theirs) % len(asked)
        return me.recall(asked[turn], vector=given[turn], only_related=False)

    mine, peer = alternate(located, plain, _ROUNDS)
    return mine, peer, len(located().hits)


# What storing costs while the geocoder fails


def storing(folder: Path, address: str) -> Iterator[Figure]:
    """Store located memories with a Nominatim that fails, against one that does not, in turn; count what is lost."""
    for store in _STORES:
        took: defaultdict[str, list[float]] = defaultdict(list)
        lost = 0
        for block in range(_BLOCKS):
            for number, mood in enumerate((HEALTHY, *FAULTS)):
                database = _database(store, folder, address, f"storing_{block}_{number}")
                block_s, missing = _stored(database, mood)
                took[mood].append(block_s)
                lost += missing
        ratios = {mood: _median_ratio(took[mood], took[HEALTHY]) for mood in FAULTS}
        worst = max(ratios, key=lambda mood: ratios[mood])
        each = ", ".join(f"{mood} {ratio:.2f}" for mood, ratio in ratios.items())
        usual = statistics.median(took[HEALTHY]) / _STORED * 1e3
        yield Figure(
            f"storing while Nominatim is away against healthy, {store}",
            ratios[worst],
            _STORING_LIMIT,
            "at most",
            f"{each}; healthy {usual:.2f} ms for a memory, {_STORED} of them {_BLOCKS} times",
        )
        total = _STORED * _BLOCKS * (len(FAULTS) + 1)
        yield Figure(f"located memories lost meanwhile, {store}", lost, 0, "at most", f"of {total:,}")


def _median_ratio(mine: Sequence[float], peer: Sequence[float]) -> float:
    return statistics.median(one / other for one, other in zip(mine, peer, strict=True))


def _stored(database: str, mood: str) -> tuple[float, int]:
    """Store with a Nominatim in a mood and a worker that asks it; gives the seconds, and how many are not there."""
    texts, matrix, spots = sentences(_STORED, seed=6), vectors(_STORED, seed=6), _spots(_STORED, seed=6)
    with nominatim(mood) as running:
        chosen = {"places.geocoder": "nominatim", "places.nominatim_url": running.url, "embedding.worker": True}
        with _open(database, **chosen) as memory:
            me = memory.user("me")
            me.remember("The first one has the store prepare itself", lat=0.0, lng=0.0)

            def store() -> None:
                for text, vector, spot in zip(texts, matrix, spots, strict=True):
                    me.remember(text, vector=vector, lat=spot.lat, lng=spot.lng)

            took = seconds(store)
            asked = running.asked
    if not asked and mood != "down":
        raise RuntimeError(f"Nobody asked Nominatim ({mood}) while {_STORED} memories were stored: there is no figure.")
    with _open(database, **{"places.geocoder": "none"}) as memory:
        kept = {one.content: (one.lat, one.lng) for one in memory.user("me").list(limit=_STORED + 1).items}
    there = sum(kept.get(text) == (spot.lat, spot.lng) for text, spot in zip(texts, spots, strict=True))
    return took, _STORED - there


# A set of coordinates


def coordinates(folder: Path, address: str, chosen: Path) -> Iterator[Figure]:
    """Ask for everything within a radius on both stores, and the offline geocoder for what is nearest."""
    places, asked = _lines(chosen / "places.jsonl"), _lines(chosen / "queries.jsonl")
    if not places or not asked:
        raise BadSet(f"{chosen}: places.jsonl or queries.jsonl is empty; there is nothing to measure.")
    for store, database in _stores(folder, address, "coordinates"):
        with _open(database, **{"places.geocoder": "none"}) as memory:
            yield _sets_figure(store, memory.user("me"), places, asked)
    yield _nearest_figure(asked)


def _sets_figure(
    store: str, me: UserMemory, places: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]]
) -> Figure:
    given = vectors(len(places))
    kept = me.remember_many(
        NewMemory(f"{place['name']}, number {place['id']}", vector=vector, lat=place["lat"], lng=place["lng"])
        for place, vector in zip(places, given, strict=True)
    )
    stored = {one.id: place["id"] for one, place in zip(kept, places, strict=True)}
    wrong, total, members = [], 0, 0
    for query in asked:
        for radius_km, within in query["within_km"].items():
            found = me.recall(
                "which places are near", vector=given[0], location=(query["lat"], query["lng"]),
                radius_km=float(radius_km), limit=_MOST_WITHIN, min_score=0.0,
            )  # fmt: skip
            ids = {stored[known] for hit in found.hits for known in (hit.id, *hit.folded)}
            total += 1
            members += len(within)
            if ids != set(within):
                wrong.append(f"{query['id']} at {radius_km} km")
    detail = f"of {total:,} radius queries with {members:,} members" + ("; " + ", ".join(wrong[:5]) if wrong else "")
    return Figure(f"radius queries with another set than the file's, {store}", len(wrong), 0, "at most", detail)


def _nearest_figure(asked: Sequence[Mapping[str, Any]]) -> Figure:
    geocoder = create_geocoder(PlaceSettings(geocoder="offline"))
    if geocoder is None:
        raise RuntimeError("There is no offline geocoder.")
    beyond = []
    opened_s = seconds(lambda: geocoder.reverse(0.0, 0.0))
    took = []
    for query in asked:
        lat, lng = query["lat"], query["lng"]
        found = []
        took.append(seconds(lambda: found.append(geocoder.reverse(lat, lng))))  # noqa: B023 - called at once
        named = found[0]
        away = distance_km(lat, lng, named.lat, named.lng) if named else float("inf")
        beyond.append(away - query["nearest_km"])
    geocoder.close()
    share = sum(excess <= _NEAREST_SLACK_KM for excess in beyond) / len(beyond)
    detail = (
        f"{len(asked)} points, the worst {max(beyond):+.2f} km; {statistics.median(took) * 1e3:.2f} ms each after "
        f"{opened_s:.2f} s for the first"
    )
    name = "points named by the offline geocoder no more than 1 km beyond the nearest place"
    return Figure(name, share, _NEAREST_SHARE, "at least", detail)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.places", description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"what to measure: {', '.join(_PARTS)}; default all")
    parser.add_argument("--set", type=Path, metavar="DIR", help="a set of coordinates to ask for, too")
    parser.add_argument("--located", type=int, default=100_000, metavar="N", help="located memories (default 100,000)")
    return parser


_PARTS: Mapping[str, Callable[[Path, str, int], Iterator[Figure]]] = {
    "answers": lambda folder, address, _amount: answers(folder, address),
    "radius": radius,
    "storing": lambda folder, address, _amount: storing(folder, address),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code says whether every bar was reached, and 2 that there was nothing to measure."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.parts) - _PARTS.keys())
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(_PARTS)}")
    chosen = asked.parts or ([] if asked.set else list(_PARTS))
    reached = True
    try:
        with tempfile.TemporaryDirectory() as name, server(Path(name) / "postgresql") as address:
            folder = Path(name)
            measured = [_PARTS[part](folder, address, asked.located) for part in chosen]
            if asked.set:
                measured.append(coordinates(folder, address, asked.set))
            for figures in measured:
                for figure in figures:
                    print(figure.line(), flush=True)
                    reached = reached and figure.reached
    except (BadSet, RecollectError, OSError) as error:
        print(f"places: {error}", file=sys.stderr)
        return 2
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
