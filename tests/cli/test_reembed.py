"""Changing the model from the command line: what is said before, what is asked, and how it goes on after a break."""

import os
import signal
import subprocess

import pytest

from recollect import Memory, load_settings
from tests.cli.conftest import PLAIN_ENVIRONMENT, Cli, asking
from tests.cli.test_models import flat
from tests.cli.test_terminal import Terminal
from tests.program import Program
from tests.providers.server import ProviderServer
from tests.rows import every
from tests.waiting import PATIENCE_S, until

SMALL = "openai/text-embedding-3-small"
LARGE = "openai/text-embedding-3-large"
MANY = 700
TO_LARGE = ("reembed", "--model", "text-embedding-3-large")


@pytest.fixture
def moving(remote: Cli) -> Cli:
    """A store with three vectors of the small model."""
    remote.store("The roof is old")
    remote.store("The roof is red")
    remote.json("say", "c1", "user", "Can the roof be insulated?")
    remote.ok("worker", "--once")
    return remote


def states(cli: Cli) -> dict[str, str]:
    """Give the state of each model."""
    return {f"{one['provider']}/{one['model']}": one["state"] for one in cli.json("models", "--offline")["models"]}


def test_a_move_that_may_cost_money_needs_a_yes(moving: Cli, provider: ProviderServer) -> None:
    asked = len(provider.requests)
    refused = moving(*TO_LARGE)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"Error: Moving to {LARGE} (3,072 dimensions) may cost money: 3 items, about 16 tokens, less than $0.01. Add "
        "--yes to go ahead.\n"
    )
    for_programs = moving(*TO_LARGE, "--json")
    assert (for_programs.exit_code, for_programs.document["error"]["type"]) == (2, "InvalidInput")
    assert len(provider.requests) == asked
    moving.environment["RECOLLECT_EMBEDDING_PRICE"] = "0"
    moved = moving.json(*TO_LARGE)
    assert (moved["state"], moved["embedded"], moved["interrupted"]) == ("finished", 3, False)
    assert (moved["space"]["model"], moved["previous"]["model"]) == ("text-embedding-3-large", "text-embedding-3-small")
    assert {one["source"]: (one["items"], one["vectors"]) for one in moved["coverage"]} == {
        "memory": (2, 2),
        "message": (1, 1),
        "chunk": (0, 0),
        "place": (0, 0),
    }
    assert moving.json("recall", "roof")["degraded"] == []


def test_going_back_costs_only_what_is_new(moving: Cli, provider: ProviderServer) -> None:
    already = f"Searches use {SMALL} (1,536 dimensions) already. Memories 2 of 2, messages 1 of 1."
    assert flat(moving.ok("reembed")) == already
    shown = flat(moving.ok(*TO_LARGE, "--yes"))
    assert "To stay with this one, set embedding.provider" in shown
    asked = len(provider.texts)
    refused = moving("reembed")
    assert (refused.exit_code, "which the settings name" in flat(refused.stderr)) == (2, True)
    shown = flat(moving.ok("reembed", "--yes"))
    assert f"to {SMALL} (1,536 dimensions) 0 items, free of charge." in shown
    assert len(provider.texts) == asked + 1, "one sentence to see whether the model answers"
    moving.environment["RECOLLECT_EMBEDDING_ZAI_ENDPOINT"] = provider.url("zai")
    moving.environment["RECOLLECT_EMBEDDING_ZAI_API_KEY"] = "k"
    unknown = moving("reembed", "--provider", "zai")
    assert (unknown.exit_code, "price that is not known (embedding.price can say it)" in unknown.stderr) == (2, True)


def test_a_change_is_begun_cancelled_dropped_and_left_to_the_workers(moving: Cli) -> None:
    assert "Begun. `recollect worker` or" in flat(moving.ok(*TO_LARGE, "--yes", "--begin-only"))
    second = moving("reembed", "--model", "text-embedding-ada-002", "--yes")
    assert (second.exit_code, f"A change to {LARGE} is under way." in second.stderr) == (2, True)
    assert f"The change to {LARGE} is cancelled" in flat(moving.ok("reembed", "--cancel"))
    assert states(moving) == {SMALL: "active", LARGE: "kept"}
    assert moving.ok("reembed", "--drop", LARGE) == f"Removed the vectors of {LARGE}.\n"
    assert states(moving) == {SMALL: "active"}
    assert [moving("reembed", *typed).exit_code for typed in (("--cancel",), ("--drop", LARGE))] == [3, 3]
    assert moving("reembed", "--drop", SMALL).exit_code == 2
    moving.ok(*TO_LARGE, "--yes", "--begin-only")
    assert moving.ok("worker", "--once") == "Embedded 3 texts.\n"
    assert states(moving) == {SMALL: "kept", LARGE: "active"}


def test_a_person_is_asked_before_money_is_spent_or_vectors_are_removed(
    moving: Cli, provider: ProviderServer, database: str
) -> None:
    terminal = Terminal("--database", database, *TO_LARGE, **asking(provider))
    assert "3 items, about 16 tokens" in flat(terminal.wait_for("Go ahead? [y/N] "))
    exit_code, shown = terminal.press("n\n")
    assert (exit_code, shown.splitlines()[-1]) == (1, "Error: Nothing was changed.")
    assert states(moving) == {SMALL: "active"}
    terminal = Terminal("--database", database, *TO_LARGE, **asking(provider))
    terminal.wait_for("Go ahead? [y/N] ")
    exit_code, shown = terminal.press("y\n")
    assert (exit_code, f"Searches use {LARGE}" in flat(shown)) == (0, True)
    terminal = Terminal("--database", database, "reembed", "--drop", SMALL, **asking(provider))
    terminal.wait_for(f"Remove the vectors of {SMALL}? They can only be made anew. [y/N] ")
    assert terminal.press("n\n")[0] == 1
    assert states(moving)[SMALL] == "kept"


@every(
    ("typed", "message"),
    [
        (("--cancel", "--model", "x"), "--cancel goes with no other option, but --model is there."),
        (("--drop", "a/b", "--begin-only"), "--drop goes with no other option, but --begin-only is there."),
        (("--drop", "a/b", "--cancel"), "--cancel goes with no other option, but --drop is there."),
        (("--provider", "foo"), "Unknown embedding provider: foo."),
        (("--provider", "none"), "The provider `none` makes no vectors."),
        (("--dimensions", "9999"), "makes vectors of 1 to 1536 numbers"),
        (("--provider", "gemini"), "The embedding provider gemini needs a key. Set embedding.gemini_api_key."),
    ],
)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_bad_usage(moving: Cli, typed: tuple[str, ...], message: str) -> None:
    outcome = moving("reembed", *typed)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert message in outcome.stderr
    assert states(moving) == {SMALL: "active"}


def test_a_provider_that_is_away_is_a_failure_that_goes_on_later(moving: Cli, provider: ProviderServer) -> None:
    provider.fault = "down"
    failed = moving(*TO_LARGE, "--yes")
    assert failed.exit_code == 1
    assert "could not be asked" in failed.stderr
    assert states(moving) == {SMALL: "active"}
    provider.fault = None
    moving.ok(*TO_LARGE, "--yes", "--begin-only")
    provider.fault = "down"
    outcome = moving("reembed")
    assert outcome.exit_code == 1
    assert "`recollect reembed` goes on where this ended." in flat(outcome.stdout)
    provider.fault = None
    assert moving.json("reembed")["state"] == "finished"


def test_what_cannot_be_embedded_keeps_a_change_from_its_end(moving: Cli, provider: ProviderServer) -> None:
    provider.poison = "red"
    outcome = moving(*TO_LARGE, "--yes")
    assert outcome.exit_code == 1
    assert "1 item could not be embedded: `recollect status` says why." in flat(outcome.stdout)
    assert "The roof" not in outcome.stdout
    shown = flat(moving.ok("reembed", "--without-parked"))
    assert f"Searches use {LARGE} (3,072 dimensions) now. Memories 1 of 2, messages 1 of 1." in shown


def test_a_batch_is_handed_in_and_collected(moving: Cli) -> None:
    shown = flat(moving.ok(*TO_LARGE, "--yes", "--bulk"))
    assert "3 texts are in batches at the provider, which takes up to a day." in shown
    assert states(moving)[LARGE] == "building"


class Running:
    """A change of the model in a process of its own, which takes its time."""

    def __init__(self, database: str, provider: ProviderServer) -> None:
        self._provider = provider
        provider.latency_s = 0.3
        environment = {
            **os.environ,
            **PLAIN_ENVIRONMENT,
            **asking(provider),
            "RECOLLECT_EMBEDDING_CONCURRENCY": "1",
            "RECOLLECT_EMBEDDING_LEASE_S": "2",  # so long is waited for what it holds when it is killed
        }
        typed = ("--database", database, *TO_LARGE, "--yes")
        self._process = Program(*typed, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send a signal in the middle of the work."""
        before = len(self._provider.texts)
        until(lambda: len(self._provider.texts) > before + 300)
        self._process.send_signal(number)
        shown, errors = self._process.communicate(timeout=PATIENCE_S)
        assert errors == ""
        self._provider.latency_s = 0.0
        return self._process.returncode, flat(shown)


@pytest.fixture
def many(remote: Cli, database: str, provider: ProviderServer) -> Cli:
    """A store with many vectors of the small model."""
    overrides = {"database": database, "embedding.provider": "none"}
    with Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides)) as memory:
        memory.user("default").remember_many([f"Number {number}" for number in range(MANY)])
    assert remote.json("worker", "--once")["embedded"] == MANY
    provider.requests.clear()
    return remote


def test_an_interrupted_change_says_how_to_go_on(many: Cli, database: str, provider: ProviderServer) -> None:
    exit_code, shown = Running(database, provider).end(signal.SIGINT)
    assert exit_code == 130
    assert "another worker" not in shown
    assert shown.endswith(
        "Interrupted; searches use the old model as before. `recollect reembed` goes on where this ended."
    )
    assert states(many) == {SMALL: "active", LARGE: "building"}
    moved = many.json("reembed")
    assert (moved["state"], moved["previous"]["model"]) == ("finished", "text-embedding-3-small")
    assert 0 < moved["embedded"] < MANY
    assert len([text for text in provider.texts if text.startswith("Number")]) == MANY
