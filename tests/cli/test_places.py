"""Places at the command line: storing at them, asking from them, naming them."""

import json
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect.errors import GeocoderUnavailable
from recollect.geocoding import may_ask_now, table_cache
from recollect.geocoding.factory import OfflineGeocoder
from recollect.geocoding.tables import Country, Settlement, compiled
from recollect.settings.sections import PlaceSettings
from tests.cli.conftest import OFFLINE, Cli
from tests.geocoding.server import NOWHERE, NominatimServer
from tests.rows import every

PUB = ("--lat", "49.1951", "--lng", "16.6068", "--place", "U Karla pub")
VIENNA = ("--lat", "48.2082", "--lng", "16.3738")
BRNO = "Brno, South Moravian, Czechia"
AT_THE_PUB = f"U Karla pub · {BRNO} (49.1951, 16.6068)"
SYDNEY = ("--lat", "-33.857", "--lng", "151.215")


@pytest.fixture
def dinners(located: Cli) -> Cli:
    """What somebody orders in Brno and in Vienna, and something that is nowhere."""
    located.store("I usually order the dumplings here", *PUB)
    located.store("I usually order the schnitzel here", *VIENNA)
    located.store("I usually order a starter and nothing else")
    return located


def contents(found: dict[str, list[dict[str, str]]]) -> list[str]:
    return [hit["content"].split()[-2] for hit in found["hits"]]


# Storing


def test_what_is_stored_at_coordinates_has_its_address_at_once(located: Cli) -> None:
    shown = located.ok("store", "I usually order the dumplings here", *PUB)
    first, where, made = shown.splitlines()
    assert (first, where) == ("Remembered.", AT_THE_PUB)
    assert re.search(rf"^place +{re.escape(AT_THE_PUB)}$", located.ok("get", made), re.MULTILINE)
    assert located.ok("list").splitlines()[2] == f"at U Karla pub · {BRNO}"
    assert located.json("store", "Another thing", *VIENNA)["place"] == {
        "lat": 48.2082, "lng": 16.3738, "address": "Vienna, Austria", "place_label": "",
    }  # fmt: skip
    assert "place" not in located.json("store", "Something that is nowhere")
    said = located.json("say", "c1", "user", "I parked on level 3", "--lat", "50.1", "--lng", "14.26")["message"]
    assert "Prague" in said["address"]
    assert located.json("store", "x", *PUB[:4], "--address", "Česká 1")["place"]["address"] == "Česká 1"
    located.ok("place", "home", "49.2,16.6", "--address", "Kounicova 1")
    at_home = located.json("store", "The ladder is behind it", "--at", "HOME", "--address", "the garden")["place"]
    assert at_home == {"lat": 49.2, "lng": 16.6, "address": "the garden", "place_label": "home"}


def test_a_place_that_has_no_name_cannot_be_stored_at(located: Cli) -> None:
    for typed in (("store", "x", "--at", "home"), ("say", "c1", "user", "x", "--from", "home")):
        outcome = located(*typed)
        assert (outcome.exit_code, outcome.stdout) == (3, "")
        assert outcome.stderr.startswith("Error: No place of yours is called 'home'.")
    assert located.json("count") == {"count": 0}
    for typed in (("store", "x", "--at", "home"), ("say", "c1", "user", "x", "--from", "home")):
        outcome = located(*typed, "--lat", "1")
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert outcome.stderr == f"Error: {typed[-2]} says where it is already. Leave out --lat and --lng.\n"


def test_moving_a_memory_gives_it_another_address(located: Cli) -> None:
    made = located.store("I usually order the dumplings here", *PUB[:4])
    moved = located.json("update", made, *VIENNA)
    assert (moved["lat"], moved["address"]) == (48.2082, "Vienna, Austria")
    located.ok("place", "home", "49.1951,16.6068")
    shown = located.ok("update", made, "--at", "home")
    assert f"home · {BRNO} (49.1951, 16.6068)" in shown


def make_tables_of_brno(folder: Path, _smallest: str) -> None:
    settlement = Settlement(1, "Brno", 49.19522, 16.60796, "CZ", "South Moravian", "Europe/Prague", 379_466)
    compiled([settlement], {"CZ": Country("Czechia", "CZE")}).save(folder)


@pytest.mark.parametrize(
    "typed",
    [("store", "The spare key is here", "--lat", "49.1951", "--lng", "16.6068"), ("recall", "keys", "--near", "Brno")],
    ids=lambda typed: " ".join(typed[:2]),
)
def test_the_first_use_of_the_offline_geocoder_says_what_it_does(
    typed: tuple[str, ...], tmp_path: Path, empty_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(table_cache, "_made_by_a_child", make_tables_of_brno)
    cli = Cli("--database", str(shutil.copy(empty_file, tmp_path / "memory.db")))
    cli.environment |= {**OFFLINE, "FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}
    assert "Making the table of places, only this once (about 10 s)" in cli.ok(*typed)
    assert "Making the table" not in cli.ok(*typed)
    cli.environment |= {"FORCE_COLOR": None, "TERM": "dumb", "RECOLLECT_PLACES_SMALLEST": "5000"}
    assert "Making the table" not in cli.ok(*typed), "a program that reads the output gets nothing else"


@pytest.mark.parametrize("failure", [GeocoderUnavailable("The table is gone."), OSError("The disk is gone.")])
def test_an_address_that_cannot_be_found_keeps_nothing_from_being_stored(
    located: Cli, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(OfflineGeocoder, "reverse", fail)
    shown = located.ok("store", "I usually order the dumplings here", *PUB)
    assert shown.startswith("Remembered.\nU Karla pub (49.1951, 16.6068)\n")
    monkeypatch.undo()
    assert located.json("count") == {"count": 1}


def test_a_server_that_answers_is_asked_at_once(cli: Cli) -> None:
    with NominatimServer() as server:
        cli.environment |= {"RECOLLECT_PLACES_GEOCODER": "auto", "NOMINATIM_URL": server.url}
        shown = cli.ok("store", "I usually order the dumplings here", *PUB)
        assert "U Karla pub · Česká, " in shown
        assert "follows" not in shown
        said = cli.json("say", "c1", "user", "I parked here", *VIENNA)["message"]
        assert said["address"].startswith("Česká, ")
        made = cli.store("Nothing is here", "--lat", "1", "--lng", "2", "--address", "the sea")
        assert len(server.requests) == 2, "what has an address needs none"
        assert cli.json("update", made, *SYDNEY, "--address", "")["address"].startswith("Česká, ")
        server.reverse = NOWHERE
        shown = cli.ok("store", "Only water here", "--lat", "3", "--lng", "4")
        assert "\n3, 4\n" in shown
        assert "follows" not in shown, "nothing has a name there"
        assert cli.json("worker", "--once")["located"] == 0


def test_a_server_that_does_not_answer_is_left_to_the_worker(cli: Cli) -> None:
    with NominatimServer() as server:
        cli.environment |= {"RECOLLECT_PLACES_GEOCODER": "auto", "NOMINATIM_URL": server.url}
        server.fault = "unavailable"
        shown = cli.ok("store", "I usually order the dumplings here", *PUB)
        assert "Its address follows: `recollect worker` asks for it.\n" in shown
        assert "U Karla pub (49.1951, 16.6068)\n" in shown
        shown = cli.ok("say", "c1", "user", "I parked here", *VIENNA)
        assert "Its address follows: `recollect worker` asks for it.\n" in shown
        asked = len(server.requests)
        cli.ok("store", "The soup is good, too", *PUB)
        assert len(server.requests) == asked, "it failed there a moment ago"


def test_a_server_of_others_is_asked_as_often_as_it_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    others = PlaceSettings(nominatim_url="https://nominatim.example.org", requests_per_s=0.5)
    now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    moments = [now + timedelta(seconds=second) for second in (0, 1, 2, 3.5, 4)]
    assert [may_ask_now(others, moment) for moment in moments] == [True, False, True, False, True]
    for unlimited in (replace(others, requests_per_s=0), replace(others, nominatim_url="http://localhost:80")):
        assert [may_ask_now(unlimited, now) for _ in range(2)] == [True, True]


@every(
    ("typed", "said"),
    [
        (("--lat", "49.2"), "lng is missing"),
        (("--lat", "nan", "--lng", "1"), "lat is nan"),
        (("--lat", "1", "--lng", "inf"), "lng is inf"),
        (("--lat", "1", "--lng", "181"), "lng is 181.0; it must be a number from -180 to 180"),
        (("--lat", "north", "--lng", "1"), "Invalid value for '--lat'"),
        (("--lat", "1", "--lng", "1", "--address", "x" * 501), "address"),
        (("--lat", "1", "--lng", "1", "--place", "x" * 201), "place_label"),
    ],
)
def test_what_is_no_place_is_bad_usage(located: Cli, typed: tuple[str, ...], said: str) -> None:
    for command in (("store", "x"), ("say", "c1", "user", "x")):
        outcome = located(*command, *typed)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert said in outcome.stderr


# Asking


@every("command", ["recall", "search"])
def test_a_name_is_looked_up_and_what_was_taken_for_it_is_told(dinners: Cli, command: str) -> None:
    ask = (command, "what do I order?", "--near", "brno", "--limit", "1")
    lines = dinners.ok(*ask).splitlines()
    assert lines[0] == f"near {BRNO}"
    assert re.fullmatch(rf" +at U Karla pub · {BRNO}, \d+ m away", lines[3])
    found = dinners.json(*ask)
    assert found["near"] == {**found["near"], "address": BRNO, "country_code": "CZ", "timezone": "Europe/Prague"}
    assert "near" not in dinners.json(command, "what do I order?", "--near", "49.2,16.6")


@every("typed", [("--near", "-33.86,151.21"), ("--near=-33.86,151.21",)])
def test_south_of_the_equator_there_is_a_minus(located: Cli, typed: tuple[str, ...]) -> None:
    located.store("The ferry leaves from here", *SYDNEY)
    shown = located.ok("recall", "ferry", *typed, "--radius-km", "1")
    assert re.search(r"^ +at Sydney Central .*, \d+ m away$", shown, re.MULTILINE)


def test_a_place_without_a_name_is_shown_by_its_coordinates(cli: Cli) -> None:
    cli.store("The ferry leaves from here", *SYDNEY)
    assert cli.ok("list").splitlines()[2] == "at -33.857, 151.215"
    assert cli.ok("recall", "ferry").splitlines()[2].strip() == "at -33.857, 151.215"
    assert cli.ok("recall", "ferry", "--near", "-33.857,151.215").splitlines()[2].strip() == "at -33.857, 151.215, here"


def test_without_a_location_nothing_speaks_of_places(dinners: Cli) -> None:
    for command in ("recall", "search"):
        found = dinners.json(command, "what do I order?")
        assert set(found) == {"hits", "degraded", "answerable"}
        assert all(set(hit["parts"]) == {"channels", "relevance", "factors"} for hit in found["hits"])
        shown = dinners.ok(command, "what do I order?", "--explain")
        assert "nearness" not in shown
        assert "away" not in shown


@every(
    ("typed", "said"),
    [
        (("--near", "nan,5"), "--near is 'nan,5'"),
        (("--near", "inf,0"), "--near is 'inf,0'"),
        (("--near", "0,181"), "lng is 181.0"),
        (("--near", "-91,0"), "lat is -91.0"),
        (("--near", "49.2"), "expected LAT,LNG such as 49.1951,16.6068, or the name of a place"),
        (("--near", ""), "expected LAT,LNG"),
        (("--near", "1,1", "--at", "home"), "--near and --at both say where you are"),
        (("--radius-km", "5"), "--radius-km needs to know where you are"),
        (("--location-weight", "0.5"), "--location-weight needs to know where you are"),
        (("--location-mode", "boost"), "--location-mode needs to know where you are"),
        (("--near", "1,1", "--radius-km", "inf"), "radius_km is inf"),
        (("--near", "1,1", "--location-mode", "near"), "it must be one of boost, semantic"),
        (("--at", ""), "The location is empty"),
        (("--at", "nowhere", "--radius-km", "5"), "no place of yours is called 'nowhere'"),
    ],
)
def test_what_is_no_location_is_bad_usage(located: Cli, typed: tuple[str, ...], said: str) -> None:
    for command in ("recall", "search"):
        outcome = located(command, "x", *typed)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert said in outcome.stderr
    refused = located("recall", "x", *typed, "--json")
    assert (refused.exit_code, refused.stderr) == (2, "")
    assert said in refused.document["error"]["message"]


def test_a_name_that_nobody_knows_is_not_found(located: Cli) -> None:
    for name in ("abc,def", "Xqzzyqq"):
        outcome = located("recall", "x", "--near", name)
        assert (outcome.exit_code, outcome.stdout) == (3, "")
        assert f"knows no place called {name!r}" in outcome.stderr
    located.environment["RECOLLECT_PLACES_GEOCODER"] = "none"
    outcome = located("recall", "x", "--near", "Brno")
    assert outcome.exit_code == 3
    assert "recollect[places]" in outcome.stderr


def test_other_nodes_are_not_told_where_anybody_is(located: Cli) -> None:
    for option in (("--near", "1,1"), ("--at", "home")):
        outcome = located("search", "x", "--nodes", "all", *option)
        assert outcome.exit_code == 2
        assert f"{option[0]} does not go with --nodes" in outcome.stderr


# Places


def test_a_place_gets_a_name_and_loses_it(located: Cli) -> None:
    assert located.ok("place", "office", "--near", "Brno") == f"Named.\noffice · {BRNO} (49.19522, 16.60796)\n"
    assert located.ok("place", "office", "-33.86,151.21") == "Named.\noffice (-33.86, 151.21)\n"
    assert located.ok("place", "Office", "--address", "George Street").endswith("George Street (-33.86, 151.21)\n")
    assert located.json("place", "OFFICE") == {
        "name": "Office", "action": "",
        "location": {"lat": -33.86, "lng": 151.21, "address": "George Street", "place_label": "Office"},
    }  # fmt: skip
    shown = located.ok("place", "office", "--forget")
    assert shown == "No place has the name office any more. Memories that are there stay.\n"
    for typed in (("office",), ("office", "--forget"), ("office", "--address", "George Street")):
        outcome = located("place", *typed)
        assert (outcome.exit_code, outcome.stdout) == (3, "")
        assert "office" in outcome.stderr


@every(
    ("typed", "said"),
    [
        (("home", "91,0"), "The place is '91,0'; expected LAT,LNG"),
        (("home", "nan,0"), "lat is nan"),
        (("home", "49.2"), "The place is '49.2'"),
        (("home", "1,1", "--near", "Brno"), "LAT,LNG and --near both say where the place is"),
        (("home", "--near", "1"), "--near is '1'"),
        (("home", "1,1", "--forget"), "--forget goes with the name of the place alone"),
        (("", "1,1"), "The name of the place is empty"),
        (("x" * 201, "1,1"), "place_label"),
    ],
)
def test_what_cannot_be_a_named_place_is_bad_usage(located: Cli, typed: tuple[str, ...], said: str) -> None:
    outcome = located("place", *typed)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert said in outcome.stderr


def test_where_coordinates_are(located: Cli) -> None:
    first, *rest = located.ok("where", "49.1951,16.6068").splitlines()
    assert first == BRNO
    assert [re.split(r"  +", line) for line in rest] == [
        ["nearest", "Brno, 120 m away"],
        ["region", "South Moravian"],
        ["country", "Czechia (CZ)"],
        ["time zone", "Europe/Prague"],
    ]
    assert located.ok("where", "-33.86,151.21").startswith("Sydney Central Business District near Sydney, ")
    found = located.json("where", "-33.86,151.21")
    assert (found["reverse"], [one["timezone"] for one in found["found"]]) == (True, ["Australia/Sydney"])


def test_where_a_name_is(located: Cli) -> None:
    assert re.fullmatch(rf"{BRNO}  49\.19522, 16\.60796  Europe/Prague\n", located.ok("where", "Brno"))
    several = located.json("where", "Paris", "--limit", "3")["found"]
    assert (len(several), several[0]["country_code"]) == (3, "FR")
    assert located.json("where", "Paris, Texas")["found"][0]["region"] == "Texas"
    outcome = located("where", "Xqzzyqq")
    assert (outcome.exit_code, outcome.stdout) == (3, "")
    for wrong in ("49.2", "0,181", "nan,nan"):
        assert located("where", wrong).exit_code == 2


def test_the_terminal_obeys_no_name(located: Cli) -> None:
    located.store("Something odd", *PUB[:4], "--place", "pub\x1b[2Jhere", "--address", "a\u202eb")
    located.ok("place", "ho\x1b[2Jme", "1,1")
    for typed in (("list",), ("places",), ("recall", "odd", "--near", "49.2,16.6"), ("place", "ho[2Jme")):
        shown = located.ok(*typed)
        assert not {"\x1b", "\u202e"} & set(shown)
        json.loads(located(*typed, "--json").stdout)
