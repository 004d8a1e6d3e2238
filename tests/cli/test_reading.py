"""`recollect read` for messages and `recollect get --explain`: what is remembered, and why."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

TOLD = "Hi! I live in Brno and my sister Jana is allergic to peanuts. Please always answer in Czech."
QUOTED = "Is this polite?\n> I have a dog called Rex and I live in Oslo."
ONE_STORE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # what never depends on the store


def turn(cli: Cli, text: str, session: str = "s1") -> None:
    cli.ok("after-turn", "--session", session, standard_input=json.dumps([{"role": "user", "content": text}]))


def remembered(cli: Cli, content: str) -> str:
    """Give the id of the memory with this content."""
    (found,) = [memory["id"] for memory in cli.json("list")["items"] if memory["content"] == content]
    return str(found)


def spaced(shown: str) -> str:
    """Undo the breaking of lines."""
    return " ".join(shown.split())


@ONE_STORE
def test_a_message_is_marked_without_colours(cli: Cli) -> None:
    shown = spaced(cli.ok("read", TOLD))
    assert "Hi! [fact I live in Brno] and [fact my sister Jana is allergic to peanuts]." in shown
    assert "[rule Please always answer in Czech]." in shown
    assert "[type …] kept, [type? …] found, but not kept" in shown
    assert "An answer needs no memory (no 9" in shown
    assert "Would keep: I live in Brno fact · user home: Brno · 95 % sure" in shown
    assert "always answer in Czech rule · assistant · " in shown
    assert "applies always" in shown
    assert cli.json("count") == {"count": 0}
    assert list(cli.json("read", "-", standard_input=TOLD)) == ["text", "reading", "captured", "skipped", "handed_over"]


@ONE_STORE
def test_text_that_was_handed_over_is_marked(cli: Cli) -> None:
    shown = cli.ok("read", "-", standard_input=QUOTED)
    assert "⟪> I have a dog called Rex and I live in Oslo.⟫" in shown
    assert "Would keep nothing." in shown


@ONE_STORE
def test_a_message_is_shown_in_colours(cli: Cli) -> None:
    cli.environment |= {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}
    shown = cli.ok("read", TOLD)
    assert "\x1b[1;32mI live in Brno\x1b[0m" in shown
    assert "\x1b[1;34mPlease always answer in Czech\x1b[0m" in shown
    assert "\x1b[1;32mfact\x1b[0m · \x1b[1;34mrule\x1b[0m" in shown
    assert "\x1b[2m> I have a dog called Rex and I live in Oslo.\x1b[0m" in cli.ok("read", QUOTED)
    cli.environment["RECOLLECT_CAPTURE_CONFIDENCE"] = "0.99"
    assert "\x1b[2;4mI live in Brno\x1b[0m\x1b[2m 95 %\x1b[0m" in cli.ok("read", TOLD)
    cli.environment["NO_COLOR"] = "1"
    assert "[fact? 95 % I live in Brno]" in cli.ok("read", TOLD)


@ONE_STORE
def test_what_is_not_kept_has_its_reason(cli: Cli) -> None:
    shown = spaced(cli.ok("read", "I live in Brno. My password is hunter2abc."))
    assert "Would not keep: My password is [redacted" in shown
    assert "it looks like a secret" in shown
    assert "hunter2abc" not in shown
    cli.environment["RECOLLECT_CAPTURE_TYPES"] = "rule"
    assert "fact · 95 % sure · capture.types or capture.users leaves this type out" in spaced(cli.ok("read", TOLD))
    cli.environment["RECOLLECT_CAPTURE_CONFIDENCE"] = "0.99"
    assert "below capture.confidence (99 %)" in spaced(cli.ok("read", TOLD))
    cli.environment["RECOLLECT_AUTO_CAPTURE"] = "false"
    assert "auto_capture is off" in cli.ok("read", TOLD)


@ONE_STORE
def test_an_older_value_that_would_be_replaced_is_named(cli: Cli) -> None:
    turn(cli, TOLD)
    old = remembered(cli, "I live in Brno")
    assert "replaces: I live in Brno" in spaced(cli.ok("read", "I live in Linz now."))
    assert cli.json("read", "I live in Linz now.")["captured"][0]["replaces"] == old
    assert cli.json("read", "I live in Brno now.")["captured"][0]["replaces"] == ""


@ONE_STORE
def test_a_reply_is_read_and_captured_after_its_question(cli: Cli) -> None:
    question = "What's your sister's name?"
    for words in (("Jana",), ("-",)):
        shown = spaced(cli.ok("read", *words, "--before", question, standard_input="Jana"))
        assert "[fact Jana]" in shown
        assert f"Would keep: {question} Jana fact · sister sibling: Jana" in shown
    (told,) = cli.json("read", "Jana", "--before", question)["captured"]
    assert (told["content"], told["question"]) == (f"{question} Jana", {"start": 0, "end": len(question)})
    assert "it looks like a secret" in cli.ok("read", "4490", "--before", "Which code opens the gate?")
    assert cli("read", "Jana").exit_code == 3
    assert f"{question} Jana" in cli.ok("capture", "Jana", "--before", question, "--dry-run")
    assert cli.json("count") == {"count": 0}
    cli.ok("capture", "Jana", "--before", question)
    assert remembered(cli, f"{question} Jana")


@ONE_STORE
def test_what_names_a_file_is_the_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "I live in Oslo.md").write_text("This is a note.\n")
    cli.ok("add", str(tmp_path / "I live in Oslo.md"))
    assert cli.ok("read", "I live in Oslo.md") == "This is a note.\n"
    assert "[fact I live in Oslo]" in cli.ok("read", "I live in Oslo")
    assert cli("read", "Oslo.txt").exit_code == 3
    assert cli("read", "I live in Brno", "--lines", "1").exit_code == 3


@ONE_STORE
def test_a_reader_that_cannot_read_is_an_error(cli: Cli) -> None:
    cli.environment["RECOLLECT_CAPTURE_READER"] = "none"
    outcome = cli("read", TOLD)
    assert (outcome.exit_code, "capture.reader is none" in outcome.stderr) == (2, True)
    cli.environment |= {
        "RECOLLECT_CAPTURE_READER": "llm",
        "RECOLLECT_LLM_BASE_URL": "http://127.0.0.1:9",
        "RECOLLECT_LLM_MODEL": "none",
        "RECOLLECT_LLM_RETRIES": "0",
    }
    assert cli("read", TOLD, "--json").document["error"]["type"] == "ReaderError"
    assert cli("read", TOLD).exit_code == 1


def test_a_captured_memory_shows_its_message(cli: Cli) -> None:
    turn(cli, TOLD)
    made = remembered(cli, "I live in Brno")
    shown = spaced(cli.ok("get", made, "--explain"))
    assert "property=home" in shown
    assert "Captured by recollect-reader-2, 95 % sure." in shown
    assert "From s1, " in shown
    assert "Hi! [I live in Brno] and my sister Jana is allergic to peanuts." in shown
    explained = cli.json("get", made, "--explain")
    (origin,) = explained.pop("origins")
    assert explained == cli.json("get", made)
    assert (origin["message"]["content"], origin["text"]) == (TOLD, TOLD)
    assert TOLD[origin["span"]["start"] : origin["span"]["end"]] == "I live in Brno"
    assert "\x1b" not in cli.ok("get", made, "--explain")


def test_a_message_that_was_forgotten_is_not_shown(cli: Cli) -> None:
    turn(cli, TOLD)
    turn(cli, "By the way, I live in Brno.", "s2")
    made = remembered(cli, "I live in Brno")
    first, second = cli.json("get", made, "--explain")["origins"]
    assert (first["message"]["conversation"], second["message"]["conversation"]) == ("s1", "s2")
    assert second["text"][second["span"]["start"] : second["span"]["end"]] == "I live in Brno"  # it says it elsewhere
    cli.ok("forget", first["message"]["id"], "--yes")
    assert [origin["message"]["conversation"] for origin in cli.json("get", made, "--explain")["origins"]] == ["s2"]


@ONE_STORE
def test_every_way_to_a_memory_is_told(cli: Cli, tmp_path: Path) -> None:
    config = tmp_path / "recollect.toml"
    config.write_text('[capture]\npatterns = ["decision: (?i)let us take the .*"]\n')
    cli.environment["RECOLLECT_CONFIG"] = str(config)
    cli.ok("capture", "Let us take the red bricks.")
    pattern = cli.ok("get", remembered(cli, "Let us take the red bricks."), "--explain")
    assert "by the pattern (?i)let us take the .* of the settings" in spaced(pattern)
    assert "Its message is not there" in pattern
    cli.ok("capture", "Remember that the spare key is under the pot.")
    asked = remembered(cli, "the spare key is under the pot")
    assert "Captured because the user asked to remember it" in cli.ok("get", asked, "--explain")
    cli.environment["RECOLLECT_CAPTURE_READER"] = "none"
    cli.ok("capture", "My name is Anna Weber.")
    exact = remembered(cli, "My name is Anna Weber")
    assert "Captured by an exact phrase" in cli.ok("get", exact, "--explain")
    stored = cli.store("The lamp is called Sunny")
    assert "Not captured from a message" in cli.ok("get", stored, "--explain")
    assert cli.json("get", stored, "--explain")["origins"] == []
