# letters of other alphabets are the point here
"""Facts, preferences, events and lessons, for people and for programs, on both stores."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_commands import ID
from tests.rows import every

NOTHING_YET = {
    "facts": "No facts yet.",
    "preferences": "No preferences yet.",
    "lessons": "Nothing was learned yet.",
    "instructions": "No instructions yet.",
}


def test_facts_are_noted_replaced_and_listed_by_subject(cli: Cli) -> None:
    for command, said in NOTHING_YET.items():
        assert cli.ok(command).startswith(said)
    cli.ok("instruct", "Always answer in lower case")
    assert "Always answer in lower case\n" in cli.ok("instructions")
    cli.ok("prefer", "food", "breakfast", "porridge", "--confidence", "0.8", "--many")
    assert cli.json("preferences", "food")["items"][0]["confidence"] == 0.8
    cli.ok("lesson", "-", "--context", "internet", standard_input="Restart the router first\n")
    assert "Restart the router first (internet)\n" in cli.ok("lessons", "--context", "internet")
    assert cli.ok("lessons", "--context", "garden") == "Nothing matches.\n"
    first = cli.json("fact", "light.office", "location", "home office")
    cli.ok("fact", "jana", "birthday", "1990-05-17", "--confidence", "0.5", "--context", "certain")
    cli.ok("fact", "light.office", "purpose", "reading")
    replaced = cli.ok("fact", "light.office", "location", "garage")
    assert replaced.startswith(f"Remembered, replacing {first['id']}.")
    items = cli.json("facts")["items"]
    assert [(item["subject"], item["key"], item["value"]) for item in items] == [
        ("light.office", "location", "garage"),
        ("light.office", "purpose", "reading"),
        ("jana", "birthday", "1990-05-17"),
    ]
    shown = cli.ok("facts")
    assert shown.startswith("light.office\n  location: garage\n  ")
    assert "  birthday: 1990-05-17 (certain)\n" in shown
    assert "50 % sure" in shown
    assert len(ID.findall(shown)) == 3
    assert [item["value"] for item in cli.json("facts", "light.office", "--key", "purpose")["items"]] == ["reading"]
    assert cli.ok("facts", "nobody") == "Nothing matches.\n"


def test_what_a_program_concludes_is_kept_as_a_doubt(cli: Cli) -> None:
    stated = cli.json("fact", "user", "home", "Brno")
    for source in ("inferred", "learned", "agent", "external"):
        claim = cli.json("fact", "user", "home", f"{source} town", "--source", source)
        assert (claim["action"], claim["existing_id"]) == ("outranked", stated["id"])
    slot = ("--type", "fact", "--subject", "user", "--key", "home", "--source", "tool", "--trust", "stated")
    assert cli.json("store", "Lives in Rome", *slot)["action"] == "outranked"
    assert [item["value"] for item in cli.json("facts")["items"]] == ["Brno"]
    assert len(cli.json("facts", "--doubts")) == 5
    shown = cli.ok("facts", "--doubts")
    assert "known: user home: Brno\n" in shown
    assert "also said: user home: agent town\n" in shown
    assert "agent\n" in shown
    assert "recollect settle ID" in shown
    assert cli.json("settle", claim["id"])["value"] == "external town"
    assert [item["value"] for item in cli.json("facts")["items"]] == ["external town"]
    assert cli.ok("facts", "--doubts") == "No facts contradict each other.\n"
    refused = cli("settle", stated["id"])
    assert refused.exit_code == 2
    assert "Nothing contradicts" in refused.stderr


def test_a_fact_has_a_source_and_an_end(cli: Cli) -> None:
    cli.ok("fact", "car", "tyres", "winter", "--source", "inferred", "--valid-until", "2999-03-15")
    (tyres,) = cli.json("facts", "car")["items"]
    assert (tyres["source"], tyres["trust"]) == ("inferred", 2)
    assert tyres["valid_until"].startswith(("2999-03-14", "2999-03-15"))
    for unfit in ("soon", "2020-01-01"):  # no time, and over before it begins
        outcome = cli("fact", "car", "tyres", "summer", "--valid-until", unfit)
        assert (outcome.exit_code, outcome.stderr.startswith("Error: ")) == (2, True)
        assert "valid" in outcome.stderr


def test_a_memory_is_rated_and_the_rating_undone(cli: Cli) -> None:
    kept = cli.store("The blue pump is in the attic")
    assert cli.ok("rate", kept, "down", "--comment", "old").startswith("Rated down: The blue pump")
    assert "feedback" in cli.ok("recall", "blue pump", "--explain")
    assert cli.ok("rate", kept, "--undo").startswith("Not rated any more: The blue pump")
    assert "feedback" not in cli.ok("recall", "blue pump", "--explain")
    assert cli("rate", kept, "up", "--undo").exit_code == 2


def test_events_are_told_in_order_by_day(cli: Cli) -> None:
    assert cli.ok("events").startswith("Nothing has happened yet.")
    cli.ok("event", "The door was opened", "--entity", "cover.garage", "--at", "2026-03-02T07:00")
    cli.ok(
        "event", "Smoke in the kitchen", "--kind", "alert", "--details", "for 40 seconds", "--importance", "0.9",
        "--at", "2026-03-01T22:30",
    )  # fmt: skip
    cli.ok("event", "Just a moment ago")
    shown = cli.ok("events", "--until", "2026-04-01")
    assert re.fullmatch(
        r"2026-03-01\n  22:30  Smoke in the kitchen\n +for 40 seconds\n +\S+  alert · importance 0\.9\n"
        r"2026-03-02\n  07:00  The door was opened \(cover\.garage\)\n +\S+  event · importance 0\.5\n",
        shown,
    )
    for options, expected in {
        ("--when", "2026-03-01"): ["Smoke in the kitchen"],
        ("--when", "today"): ["Just a moment ago"],
        ("--since", "1h"): ["Just a moment ago"],
        ("--min-importance", "0.7"): ["Smoke in the kitchen"],
        ("--entity", "cover.garage"): ["The door was opened"],
        ("--kind", "alert"): ["Smoke in the kitchen"],
        ("--limit", "2"): ["The door was opened", "Just a moment ago"],
        ("--when", "yesterday"): [],
    }.items():
        assert [item["content"] for item in cli.json("events", *options)["items"]] == expected
    assert cli.ok("events", "--when", "yesterday") == "Nothing matches.\n"
    cli.ok("event", "Dinner", "--participant", "Ingrid", "--participant", "Marek")
    assert "Dinner with Ingrid" in cli.ok("events", "--since", "1h")
    (hit,) = cli.json("search", "Ingrid", "--min-score", "0.2")["hits"]
    told = (hit["content"], hit["participants"], hit["learned_from"], hit["confidence"])
    assert told == ("Dinner", ["Ingrid", "Marek"], "user_stated", 1.0)
    nameless = cli("event", "Breakfast", "--participant", "")
    assert (nameless.exit_code, nameless.stderr) == (2, "Error: participants has an empty name. Leave it out.\n")


def test_times_are_read_and_shown_in_the_time_zone_of_the_settings(cli: Cli) -> None:
    cli.environment["RECOLLECT_TIMEZONE"] = "Pacific/Kiritimati"  # UTC+14
    noted = cli.json("event", "The door was opened", "--at", "2026-03-02T07:00")
    record = cli.json("get", noted["id"])
    assert record["occurred_at"] == "2026-03-01T17:00:00Z"
    assert cli.ok("events").startswith("2026-03-02\n  07:00  The door was opened")
    assert "2026-03-02 07:00:00" in cli.ok("get", noted["id"])
    cli.ok("say", "c1", "user", "Good night", "--at", "2026-03-02 23:30")
    assert "2026-03-02 23:30" in cli.ok("conversation", "c1")
    now = datetime.now(UTC)
    cli.environment["RECOLLECT_TIMEZONE"] = f"Etc/GMT{now.hour - 12:+}"  # where it is noon, so that no day ends
    evening = now.replace(minute=0) - timedelta(hours=15)
    cli.ok("event", "Fireworks", "--at", evening.isoformat())
    for words in ("last night", "yesterday", "včera večer", "v noci", "gestern Abend", "прошлой ночью"):
        assert [item["content"] for item in cli.json("events", "--when", words)["items"]] == ["Fireworks"], words
    cli.environment["RECOLLECT_TIMEZONE"] = "Pacific/Pago_Pago"  # UTC-11, where it was 20:00 the day before
    assert cli.ok("events", "--until", "2026-04-01").startswith("2026-03-01\n  06:00  The door was opened")
    assert cli.json("events", "--when", "2026-03-02")["items"] == []


def test_about_nothing_is_not_found(cli: Cli) -> None:
    outcome = cli("about", "quantum physics")
    assert (outcome.exit_code, outcome.stdout) == (3, "Nothing is known about quantum physics.\n")
    for_programs = cli("about", "quantum physics", "--json")
    assert (for_programs.exit_code, for_programs.document["facts"], for_programs.stderr) == (3, [], "")


@every(
    ("typed", "message"),
    [
        (
            ("events", "--when", "soon"),
            "when is 'soon'; expected today, yesterday, last night, last week",
        ),
        (("events", "--when", "today", "--since", "7d"), "when already says from when to when"),
        (
            ("event", "x", "--at", "soon"),
            "--at is 'soon'; expected 7d, yesterday, last week, or a date or time",
        ),
        (("event", "x", "--importance", "3"), "importance is 3.0"),
        (("fact", "light", "location", " "), "The value is empty"),
        (("about", " "), "The topic is empty"),
        (("say", "c1", "robot", "x"), "Unknown role 'robot'. Roles are: user, assistant"),
        (("say", "c1", "tool", "x"), "needs tool_call_id"),
        (("say", "", "user", "x"), "The conversation id '' cannot be used"),
        (("rate", "x", "great"), "The rating is 'great'; expected up, down or none."),
        (("conversation", "--window", "5"), "--window needs to know which conversation"),
        (("conversation", "--private"), "--private needs to know which conversation"),
        (("compact", "c1", "--keep", "-1"), "keep_recent is -1"),
    ],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_bad_usage(cli: Cli, typed: tuple[str, ...], message: str) -> None:
    if typed[0] == "compact":
        cli.ok("say", "c1", "user", "Hello")
    outcome = cli(*typed)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert message in outcome.stderr
    for_programs = cli("--json", *typed)
    assert (for_programs.exit_code, for_programs.stderr) == (2, "")
    assert message in for_programs.document["error"]["message"]


def test_the_clock_of_another_place(cli: Cli) -> None:
    cli.ok("event", "Owls called", "--at", "2026-02-28T23:00Z")
    for zone, told in (("Europe/Prague", ["Owls called"]), ("UTC", [])):
        assert [one["content"] for one in cli.json("--zone", zone, "events", "--when", "2026-03-01")["items"]] == told
        assert [
            one["content"] for one in cli.json("--zone", zone, "recall", "owls", "--when", "2026-03-01")["hits"]
        ] == told
    assert "the name of a time zone" in cli("--zone", "Mars", "events").stderr
