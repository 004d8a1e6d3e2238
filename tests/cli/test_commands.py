"""Every command, for people and for programs, on both stores."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from recollect import __version__
from tests.cli.conftest import Cli
from tests.storage.older_words import age

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LIGHT = ("--type", "fact", "--subject", "light.office", "--key", "location")


def test_store_and_get_keep_every_option(cli: Cli) -> None:
    made = cli.json(
        "store", "Garage door opened", "--type", "event", "--importance", "0.25", "--confidence", "0.5",
        "--subject", "cover.garage", "--key", "state", "--value", "open", "--context", "night", "--session", "s1",
        "--source", "sensor", "--trust", "inferred", "--occurred", "2026-02-27T21:30+01:00", "--valid-from",
        "2026-02-27T20:30Z", "--valid-until", "2126-01-01T00:00Z", "--expires", "2127-01-01T00:00Z", "--lat", "50.08",
        "--lng", "14.42", "--address", "Náměstí 1", "--place", "home", "--metadata", '{"tags": ["дом"]}',
    )  # fmt: skip
    where = {"lat": 50.08, "lng": 14.42, "address": "Náměstí 1", "place_label": "home"}
    assert made == {
        "action": "created",
        "id": made["id"],
        "existing_id": None,
        **{name: [] for name in ("degraded", "taken_over", "left_out", "kept_secret")},
        "place": where,
    }
    kept = cli.json("get", made["id"])
    assert kept.pop("created_at") == kept.pop("updated_at")
    assert kept == {
        "id": made["id"], "type": "event", "content": "Garage door opened", "subject": "cover.garage", "key": "state",
        "value": "open", "context": "night", "importance": 0.25, "confidence": 0.5, "source": "sensor", "trust": 2,
        "session": "s1", "occurred_at": "2026-02-27T20:30:00Z", "valid_from": "2026-02-27T20:30:00Z",
        "valid_until": "2126-01-01T00:00:00Z", "superseded_by": None, "expires_at": "2127-01-01T00:00:00Z",
        "metadata": {"tags": ["дом"]}, "media": [], **where,
    }  # fmt: skip
    shown = cli.ok("get", made["id"])
    for text in (
        made["id"],
        "Garage door opened",
        "cover.garage",
        "sensor (inferred)",
        "home · Náměstí 1 (50.08, 14.42)",
    ):
        assert text in shown


def test_store_says_what_became_of_it(cli: Cli) -> None:
    first = cli.ok("store", "The office light is in the office", *LIGHT)
    assert first.startswith("Remembered.\n")
    (old_id,) = [match[0] for match in ID.finditer(first)]
    assert (
        cli.ok("store", "the office light is in the office", *LIGHT) == f"Known already; nothing was added.\n{old_id}\n"
    )
    replaced = cli.ok("store", "The office light is in the garage", *LIGHT)
    assert f"Remembered, replacing {old_id}.\n" in replaced
    lesser = cli.json("store", "The office light is in the attic", *LIGHT, "--trust", "external")
    assert lesser["action"] == "outranked"
    assert "history only" in cli.ok("store", "The office light is in the attic", *LIGHT, "--trust", "external")


def test_store_reads_standard_input(cli: Cli) -> None:
    made = cli.json("store", "-", "--type", "decision", standard_input="\ufeffWir nehmen Holzfaser.\nGanz sicher.\n")
    assert cli.json("get", made["id"])["content"] == "Wir nehmen Holzfaser.\nGanz sicher."


def test_json_works_before_the_command_and_after_it(cli: Cli) -> None:
    cli.store("Something")
    before, after = cli("--json", "count"), cli("count", "--json")
    assert before == after
    assert before.document == {"count": 1}


def test_nothing_found_is_an_answer(cli: Cli) -> None:
    assert cli.ok("recall", "anything") == "No relevant memories found. `recollect list` shows what there is.\n"
    assert cli.json("recall", "anything") == {"hits": [], "degraded": [], "answerable": 0.0}
    assert cli.ok("list").startswith("Nothing here yet.")
    assert cli.ok("list", "--since", "7d") == "Nothing matches.\n"
    assert cli.ok("count") == "0 memories\n"


def test_filters_narrow_recall_list_and_count(cli: Cli) -> None:
    cli.store("Tea in the morning", "--type", "preference", "--session", "s1")
    cli.store("Tea with Jana", "--type", "event", "--occurred", "2026-03-01T12:00Z", "--context", "spring")
    cli.store("The tea is in the cellar", "--type", "fact", "--subject", "tea", "--key", "location")
    narrowed = {
        ("--type", "preference"): {"Tea in the morning"},
        ("--type", "preference", "--type", "fact"): {"Tea in the morning", "The tea is in the cellar"},
        ("--session", "s1"): {"Tea in the morning"},
        ("--context", "spring"): {"Tea with Jana"},
        ("--subject", "tea", "--key", "location"): {"The tea is in the cellar"},
        ("--since", "2026-02-28", "--until", "2026-03-05"): {"Tea with Jana"},
        ("--since", "1h"): {"Tea in the morning", "The tea is in the cellar"},
        ("--as-of", "2020-01-01"): set(),
    }
    for options, expected in narrowed.items():
        assert {item["content"] for item in cli.json("list", *options)["items"]} == expected
        assert {hit["content"] for hit in cli.json("recall", "tea", *options)["hits"]} == expected
        assert cli.json("count", *options) == {"count": len(expected)}


def test_list_goes_on_where_the_last_page_ended(cli: Cli) -> None:
    ids = [cli.store(f"Number {number}") for number in range(5)]
    first = cli.json("list", "--limit", "3")
    assert [item["id"] for item in first["items"]] == ids[:1:-1]
    rest = cli.json("list", "--limit", "3", "--cursor", first["cursor"])
    assert [item["id"] for item in rest["items"]] == ids[1::-1]
    assert rest["cursor"] is None
    assert cli.ok("list", "--limit", "3").endswith(f"There is more: add --cursor {first['cursor']}\n")


def test_update_changes_what_is_named_and_keeps_history(cli: Cli) -> None:
    made = cli.store("Prefers dark mode", "--type", "preference", "--expires", "30d", "--subject", "ui")
    changed = cli.json("update", made, "--content", "Prefers light mode", "--importance", "0.9", "--expires", "none")
    assert (changed["id"], changed["content"], changed["importance"]) == (made, "Prefers light mode", 0.9)
    assert (changed["expires_at"], changed["type"], changed["subject"]) == (None, "preference", "ui")
    assert cli.json("update", made, "--subject", "")["subject"] == ""
    assert "Prefers light mode" in cli.ok("update", made, "--place", "home")
    versions = cli.json("history", made)["versions"]
    assert [version["content"] for version in versions] == ["Prefers dark mode", *["Prefers light mode"] * 3]
    shown = cli.ok("history", versions[0]["id"])
    assert all(version["id"] in shown for version in versions)
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d to \d{4}-\d\d-\d\d", shown)
    assert "since " in shown.splitlines()[-1]


def test_stats_and_status(cli: Cli, database: str) -> None:
    cli.store("One", "--type", "fact")
    stats = cli.json("stats")
    assert (stats["user"], stats["memories"], stats["by_type"]["fact"]) == ("default", 1, 1)
    assert re.search(r"^  fact +1$", cli.ok("stats"), re.MULTILINE)
    status = cli.json("status")
    backend = "postgresql" if database.startswith("postgresql") else "sqlite"
    assert (status["version"], status["backend"], status["embedding"]) == (__version__, backend, "none")
    settings = {row["name"]: row for row in status["settings"]}
    assert settings["embedding.provider"]["source"] == "environment variable RECOLLECT_EMBEDDING_PROVIDER"
    shown = cli.ok("status")
    assert re.search(rf"^store +{backend} ", shown, re.MULTILINE)
    assert re.search(r"^embedding\.provider +none", shown, re.MULTILINE)


def test_purge_and_what_it_leaves(cli: Cli) -> None:
    ids = [cli.json("store", f"The office light has {number} lamps")["id"] for number in range(2)]
    pending = cli.json("forget", ids[0], "--yes")["pending"]
    assert cli.json("status")["erasure_pending"] == pending
    purged = cli.json("purge")
    assert purged["failed"] == []
    assert len(purged["notes"]) >= 2
    assert cli.json("status")["erasure_pending"] == ""
    shown = cli.ok("forget", ids[1], "--yes", "--purge")
    assert "Forgotten for good: 1 memory." in shown
    assert "ackups" in shown
    assert "rasure pending" not in shown + cli.ok("status")
    ids = [cli.json("store", "The office light has a dimmer")["id"]]
    assert cli.json("forget", ids[0], "--yes", "--purge")["purged"]["failed"] == []


def test_receipts_are_written_and_checked(cli: Cli, tmp_path: Path) -> None:
    ids = [cli.json("store", f"The garden shed number {number} has a green door")["id"] for number in range(3)]
    file, purged = tmp_path / "erased.json", tmp_path / "purged.json"
    assert "recollect verify-erasure" in cli.ok("forget", ids[0], "--yes", "--receipt", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    assert "green" not in file.read_text()
    assert cli.ok("verify-erasure", str(file)).startswith("Nothing of what default forgot")
    assert cli.json("verify-erasure", str(file))["left"] == []
    again = cli("forget", ids[1], "--yes", "--receipt", str(file))
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)
    assert cli.ok("get", ids[1])
    document = cli.json("forget", ids[1], "--yes", "--purge", "--receipt", str(purged))["receipt"]
    assert document == json.loads(purged.read_text())
    assert (document["purged"], document["pending"]) == (True, "")
    cli.store("The garden shed number 1 has a green door")
    shown = cli.ok("verify-erasure", str(purged), "--backups", str(tmp_path))
    assert "Stored again since then:" in shown
    assert cli("forget", ids[2], "--dry-run", "--receipt", str(tmp_path / "no")).exit_code == 2
    assert cli("forget", "--query", "no such thing", "--yes", "--receipt", str(tmp_path / "no")).exit_code == 3
    assert not (tmp_path / "no").exists()
    assert cli("verify-erasure", str(tmp_path / "no")).exit_code == 3
    file.write_text(file.read_text().replace('"memories": 1', '"memories": 0'))
    assert cli("verify-erasure", str(file)).exit_code == 2


def test_an_older_index_of_words_is_told_and_made_anew(cli: Cli, database: str) -> None:
    cli.store("The pump is in the attic")
    assert cli.ok("doctor") == "All is well.\n"
    assert cli.json("doctor") == {"problems": []}
    assert cli.ok("maintain").startswith("Embedded 0 texts.\n")
    assert [cli.json("maintain")[name] for name in ("embedded", "reindexed")] == [0, 0]
    age(database)
    advice = "The index of words was made by an older analyser; run `recollect maintain`."
    assert advice in " ".join(cli.ok("status").split())
    assert cli("doctor").exit_code == 1
    assert " ".join(cli("doctor").stdout.split()) == f"index_of_words: 1 {advice}"
    assert "Indexed 1 text anew.\n" in cli.ok("maintain")
    assert cli.ok("doctor") == "All is well.\n"
    assert "The pump" in cli.ok("recall", "attic")


def test_forget_by_id_takes_the_history_along(cli: Cli) -> None:
    cli.store("The office light is in the office", *LIGHT)
    made = cli.store("The office light is in the garage", *LIGHT)
    plan = cli.json("forget", made, "--dry-run")
    assert (plan["action"], plan["id"], len(plan["ids"]), plan["dry_run"]) == ("would_delete", made, 2, True)
    assert cli.ok("forget", made, "--dry-run").startswith("Would forget 1 memory and 1 earlier version.\n")
    assert cli.json("count") == {"count": 1}
    assert cli.ok("forget", made) == (
        "Forgotten for good: 1 memory and 1 earlier version.\n"
        "  memory: The office light is in the garage\n  version: The office light is in the office\n"
    )
    assert cli("get", made).exit_code == 3


def test_forget_by_query_wants_a_clear_match(cli: Cli, with_meaning: Callable[[Cli], Cli]) -> None:
    with_meaning(cli)
    cli.store("The code of locker 17 is 4711", "--type", "fact")
    cli.store("The code of locker 18 is 4712", "--type", "fact")
    jana = cli.store("My sister Jana is allergic to peanuts", "--type", "fact")
    unclear = cli("forget", "--query", "the code of the locker")
    assert unclear.exit_code == 1
    assert len(ID.findall(unclear.stdout)) >= 2
    assert "recollect forget ID" in unclear.stdout
    asked = cli("forget", "--query", "the code of the locker", "--dry-run", "--json")
    assert (asked.exit_code, asked.document["action"]) == (0, "candidates")
    assert all(ID.fullmatch(hit["id"]) for hit in asked.document["candidates"])
    assert cli("forget", "--query", "Jana's peanut allergy").exit_code == 1
    assert cli.json("forget", "--query", "My sister Jana is allergic to peanuts")["ids"] == [jana]
    assert cli.json("count") == {"count": 2}


def test_forget_everything(cli: Cli) -> None:
    cli.store("One")
    cli.store("Two")
    refused = cli("forget", "--everything")
    assert refused.exit_code == 2
    assert refused.stderr == "Error: Forgetting everything needs --yes when there is no terminal to ask on.\n"
    assert len(cli.json("forget", "--everything", "--dry-run")["ids"]) == 2
    told = cli.ok("forget", "--everything", "--yes")
    assert told.startswith("Forgotten for good: 2 memories.\n  memory: One\n  memory: Two\nNo import, sync or history")
    assert "recollect forget --everything --and-allow-again" in " ".join(told.split())
    assert cli.ok("forget", "--everything", "-y") == "There is nothing to forget.\n"


def test_sources_belong_to_an_id_and_its_type_may_be_that_of_files(cli: Cli) -> None:
    made = cli.store("The pump hums", "--type", "file_chunk")
    assert cli.json("get", made)["type"] == "other"
    assert [hit["id"] for hit in cli.json("recall", "pump", "--type", "file_chunk")["hits"]] == [made]
    for sources in ("--sources", "--no-sources"):
        refused = cli("forget", "--query", "pump", sources)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "belong to an ID" in refused.stderr
    assert cli.json("forget", made, "--no-sources")["action"] == "deleted"
