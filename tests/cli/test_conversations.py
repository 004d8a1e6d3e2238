"""Conversations, for people and for programs, on both stores."""

import re

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_commands import ID
from tests.llm.server import ChatServer, completion

UNKNOWN = "01a1dd60-4566-7800-9cb6-caa8d641c91b"
ROOF = "Can the roof be insulated in winter?"
ANSWER = "Yes, from the inside. Keep the wood fibre dry."


def talk(cli: Cli, conversation: str, *texts: str) -> list[str]:
    """Let user and assistant say something in turn, and give the ids."""
    roles = ("user", "assistant")
    return [cli.json("say", conversation, roles[number % 2], text)["id"] for number, text in enumerate(texts)]


def test_say_keeps_every_option(cli: Cli) -> None:
    said = cli.json(
        "say", "c1", "tool", "-", "--id", "m7", "--model", "gpt-5", "--tool-call-id", "call_1", "--at",
        "2026-02-27T21:30+01:00", standard_input="21 °C\n",
    )  # fmt: skip
    assert (said["action"], said["id"], said["compacted_into"]) == ("created", said["message"]["id"], None)
    assert said["tokens"] == said["message"]["tokens"] > 0
    kept = cli.json("conversation", "c1")["messages"]
    assert kept == [said["message"]]
    expected = {
        "conversation": "c1", "external_id": "m7", "sequence": 1, "role": "tool", "content": "21 °C", "model": "gpt-5",
        "tool_call_id": "call_1", "said_at": "2026-02-27T20:30:00Z", "status": "active",
    }  # fmt: skip
    assert {name: kept[0][name] for name in expected} == expected


def test_say_tells_what_became_of_it(cli: Cli) -> None:
    first = cli.ok("say", "c1", "user", ROOF, "--id", "m1")
    assert re.match(r"Kept as message 1 of c1, \d+ tokens\.\n", first)
    (made,) = [match[0] for match in ID.finditer(first)]
    assert cli.ok("say", "c1", "user", ROOF, "--id", "m1") == f"Known already; nothing was added.\n{made}\n"
    assert cli.json("say", "c1", "user", ROOF, "--id", "m1")["action"] == "duplicate"
    cli.ok("conversation", "c1", "--private")
    assert cli.ok("say", "c1", "user", "psst").startswith("Nothing was kept: the conversation is private")
    skipped = cli.json("say", "c1", "user", "psst")
    assert (skipped["action"], skipped["id"], skipped["message"], skipped["tokens"]) == ("skipped", None, None, 0)


def test_say_tells_that_the_conversation_was_compacted(cli: Cli) -> None:
    cli.environment |= {"RECOLLECT_COMPACTION_MAX_MESSAGES": "4", "RECOLLECT_COMPACTION_KEEP_RECENT": "2"}
    answers = [cli("say", "c1", "user", f"We decided to paint room {number} green.").stdout for number in range(5)]
    assert "The conversation had grown too large" in "".join(answers)
    chat = cli.json("conversation", "c1")
    assert chat["summary"]["role"] == "summary"
    assert chat["active_messages"] < chat["total_messages"] == 5


def test_long_messages_and_long_conversations_are_cut_unless_all_is_asked(cli: Cli) -> None:
    long = "Word after word after word. " * 100
    talk(cli, "c1", "The first one", long, "The last one")
    shown = cli.ok("conversation", "c1", "--limit", "2")
    assert "1 earlier message not shown: add --all" in shown
    assert "The first one" not in shown
    assert "Word…" in shown
    everything = " ".join(cli.ok("conversation", "c1", "--all").split())
    assert "The first one" in everything
    assert long.strip() in everything
    assert len(cli.json("conversation", "c1", "--all")["messages"]) == 3
    assert len(cli.json("conversation", "c1", "-n", "2")["messages"]) == 2


@pytest.mark.usefixtures("steady_clock")
def test_conversations_are_listed(cli: Cli) -> None:
    assert cli.ok("conversation").startswith("No conversations yet.")
    assert cli.json("conversation") == {"conversations": []}
    talk(cli, "old", ROOF)
    talk(cli, "new", ROOF, ANSWER)
    cli.ok("conversation", "hidden", "--private")
    listed = {info["id"]: info for info in cli.json("conversation")["conversations"]}
    assert (listed["new"]["messages"], listed["old"]["messages"], listed["hidden"]["private"]) == (2, 1, True)
    head, *rows = cli.ok("conversation").splitlines()
    assert head.split() == ["conversation", "messages", "active", "tokens", "held"]
    assert any(re.match(r"new +2 +2 +\d+  just now", row) for row in rows)
    assert sum(ROOF in row for row in rows) == 2, "the titles"
    assert any(row.startswith("hidden (private)") for row in rows)


def test_a_window_is_what_a_model_would_see(cli: Cli) -> None:
    talk(cli, "c1", "A long story about the roof and its tiles. " * 20, "Understood.", "And now?", "Now we wait.")
    window = cli.json("conversation", "c1", "--window", "50")
    assert window["conversation"] == "c1"
    assert window["tokens"] <= window["max_tokens"] == 50
    assert window["omitted"] > 0
    shown = cli.ok("conversation", "c1", "--window", "50")
    assert re.match(r"c1 · \d+ of 50 tokens\n\d messages? left out", shown)
    assert "Now we wait." in shown
    assert "left out" not in cli.ok("conversation", "c1", "--window", "5000")
    assert cli("conversation", "c1", "--window", "0").exit_code == 2


def test_a_model_that_fails_is_told_with_its_reason(cli: Cli) -> None:
    talk(cli, "c1", ROOF, ANSWER, "When can we begin?", "In March.")
    assert cli.ok("compact", "c1").startswith("Nothing to fold in c1")
    cli.environment |= {
        "RECOLLECT_COMPACTION_SUMMARIZER": "llm",
        "RECOLLECT_LLM_BASE_URL": "http://127.0.0.1:9",
        "RECOLLECT_LLM_MODEL": "nobody",
        "RECOLLECT_LLM_RETRIES": "0",
    }
    outcome = cli.ok("compact", "c1", "--keep", "2")
    assert outcome.startswith("Folded 2 messages of c1")
    assert "It was summarised without the language model: " in outcome
    for_programs = cli.json("compact", "c1", "--keep", "0")
    assert [for_programs[name] for name in ("action", "summarizer", "degraded")] == [
        "compacted", "extractive", ["summarizer"],
    ]  # fmt: skip
    assert for_programs["reason"]


def test_what_a_model_was_paid_is_told(cli: Cli) -> None:
    talk(cli, "c1", ROOF, ANSWER, "When can we begin?", "In March.")
    assert "spent today" not in cli.ok("status")
    with ChatServer().running() as server:
        server.replies = [completion("Key points discussed:\n- The roof is insulated from the inside")]
        cli.environment |= {
            "RECOLLECT_COMPACTION_SUMMARIZER": "llm",
            "RECOLLECT_LLM_BASE_URL": server.url,
            "RECOLLECT_LLM_MODEL": "test-model",
        }
        shown = cli.ok("compact", "c1", "--keep", "0")
    assert "test-model was paid 150 tokens.\n" in shown
    assert "- The roof is insulated from the inside" in shown
    assert re.search(r"^summaries +test-model$", cli.ok("status"), re.MULTILINE)
    assert re.search(r"^spent today +150 of 200,000 tokens$", cli.ok("status"), re.MULTILINE)
    assert cli.json("status")["spent_today"] == {"input_tokens": 120, "output_tokens": 30}


def test_messages_are_rated(cli: Cli) -> None:
    _, answer = talk(cli, "c1", ROOF, ANSWER)
    assert cli.ok("rate", answer, "up").startswith("Rated up: Yes, from the inside.")
    assert "rated up" in cli.ok("conversation", "c1")
    assert cli.json("rate", answer, "down")["feedback"] == -1
    assert cli.json("rate", answer, "none")["feedback"] is None
    for unknown in (UNKNOWN, "foo"):
        outcome = cli("rate", unknown, "up")
        assert (outcome.exit_code, outcome.stdout) == (3, "")
        assert "No message" in outcome.stderr


def test_an_unknown_conversation_is_not_found(cli: Cli) -> None:
    for typed in (("conversation", "c9"), ("conversation", "c9", "--window", "100"), ("compact", "c9")):
        outcome = cli(*typed)
        assert (outcome.exit_code, outcome.stdout) == (3, "")
        assert outcome.stderr == "Error: No conversation 'c9'. `recollect conversation` lists them.\n"
        for_programs = cli(*typed, "--json")
        assert (for_programs.exit_code, for_programs.document["error"]["type"]) == (3, "NotFound")


def test_forget_a_session_takes_messages_and_memories(cli: Cli) -> None:
    message, _ = talk(cli, "c1", ROOF, ANSWER)
    cli.store("The roof is old", "--session", "c1")
    kept = cli.store("The cellar is new")
    assert cli("forget", "--session", "c1").exit_code == 2
    plan = cli.json("forget", "--session", "c1", "--dry-run")
    assert (plan["memories"], plan["versions"], plan["messages"], plan["dry_run"]) == (1, 0, 2, True)
    assert cli.ok("forget", "--session", "c1", "--dry-run").startswith("Would forget 1 memory and 2 messages.\n")
    assert cli.ok("forget", message) == f"Forgotten for good: 1 message.\n  message: {ROOF}\n"
    told = cli.ok("forget", "--session", "c1", "--yes")
    assert told == f"Forgotten for good: 1 memory and 1 message.\n  memory: The roof is old\n  message: {ANSWER}\n"
    assert [item["id"] for item in cli.json("list")["items"]] == [kept]
    assert cli("conversation", "c1").exit_code == 3
    gone = cli("forget", "--session", "c1", "--yes")
    assert (gone.exit_code, gone.stdout.partition(";")[0]) == (3, "Nothing is kept of c1")


def test_forget_a_source_or_everything_counts_what_goes(cli: Cli) -> None:
    cli.store("Seen by the camera", "--source", "camera")
    talk(cli, "c1", ROOF)
    refused = cli("forget", "--source", "camera")
    assert refused.stderr.startswith("Error: Forgetting all that came from camera needs --yes")
    assert cli.ok("forget", "--source", "camera", "--yes") == (
        "Forgotten for good: 1 memory.\n  memory: Seen by the camera\n"
    )
    assert cli("forget", "--source", "camera", "--yes").exit_code == 3
    cli.store("Two")
    everything = cli.json("forget", "--everything", "--yes")
    assert (everything["memories"], everything["messages"]) == (1, 1)


def test_maintenance_says_all_that_it_did(cli: Cli) -> None:
    cli.store("Gone soon", "--expires", "2020-01-01")
    for number in range(20):
        cli.json("say", "c1", "user", f"We decided to paint room {number} green.", "--at", "2026-01-01")
    cli.environment |= {"RECOLLECT_COMPACTION_IDLE_HOURS": "0", "RECOLLECT_COMPACTION_ARCHIVE_DAYS": "never"}
    shown = cli.ok("maintain")
    assert "Forgot 1 memory past the expiry.\n" in shown
    assert "Folded the older part of 1 conversation.\n" in shown
    done = cli.json("maintain")
    assert {name: done[name] for name in ("expired", "compacted", "archived", "failed")} == {
        "expired": 0, "compacted": 0, "archived": 0, "failed": [],
    }  # fmt: skip
