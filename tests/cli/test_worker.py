"""The worker: what waits gets its vector, whoever is away meanwhile, and it ends when it is asked to."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.cli.conftest import PLAIN_ENVIRONMENT, Cli, asking
from tests.cli.test_terminal import Terminal
from tests.program import Program
from tests.providers.server import ProviderServer
from tests.waiting import PATIENCE_S, until

TEXT = "The boiler's serial number is VTX-4471-C"


def test_a_memory_of_a_remote_provider_waits_for_the_worker(remote: Cli, provider: ProviderServer) -> None:
    assert remote.ok("store", TEXT).endswith("Its vector follows: 1 waiting, `recollect worker` makes it.\n")
    assert remote.ok("store", "Two").endswith("Its vector follows: 2 waiting, `recollect worker` makes them.\n")
    for waiting, told in enumerate((("fact", "roof", "age", "9"), ("event", "Rain"), ("say", "c", "user", "Hi")), 3):
        assert remote.ok(*told).endswith(f"Its vector follows: {waiting} waiting, `recollect worker` makes them.\n")
    assert provider.texts == []
    assert remote.ok("worker", "--once") == "Embedded 5 texts.\n"
    assert {TEXT, "Two"} <= {*provider.texts}
    assert remote.ok("worker", "--once") == "Embedded 0 texts.\n"


def test_the_local_encoder_is_waited_for_unless_somebody_says_otherwise(
    cli: Cli, with_meaning: Callable[[Cli], Cli]
) -> None:
    with_meaning(cli)
    assert "follows" not in cli.ok("store", TEXT)
    assert "follows" not in cli.ok("store", TEXT, "--no-wait"), "it is known already"
    assert "follows" in cli.ok("store", "The pasta place by the river was too loud", "--no-wait")
    assert cli.json("worker", "--once")["embedded"] == 1


def test_programs_get_one_document(remote: Cli) -> None:
    made = remote.json("store", TEXT, "--no-wait")
    empty: dict[str, list[str]] = {name: [] for name in ("degraded", "taken_over", "left_out", "kept_secret")}
    assert made == {"action": "created", "id": made["id"], "existing_id": None, **empty}
    assert remote.json("worker", "--once") == {
        "embedded": 1, "parked": 0, "waiting": 0, "retried": 0, "in_bulk": 0, "unavailable": "", "located": 0,
        "read": 0, "unread": 0,
    }  # fmt: skip


def test_messages_are_read_by_the_worker_when_turns_do_not_wait_for_it(cli: Cli) -> None:
    assert cli("worker", "--once").exit_code == 2
    cli.environment |= {"RECOLLECT_CAPTURE_WHEN": "worker", "RECOLLECT_EMBEDDING_WORKER": "false"}
    turn = json.dumps({"role": "user", "content": "My wife is called Eva."})
    assert cli.json("after-turn", "--session", "s1", standard_input=turn)["captured"] == []
    assert re.search(r"^to be read +1 message, the oldest for ", cli.ok("status"), re.MULTILINE)
    assert "1 message waits to be read: run `recollect worker`" in " ".join(cli.ok("status").split())
    assert cli.json("status")["unread"]["waiting"] == 1
    assert cli.ok("worker", "--once") == "Embedded 0 texts.\nRead 1 message.\n"
    assert [item["content"] for item in cli.json("list")["items"]] == ["My wife is called Eva"]
    assert "to be read" not in cli.ok("status")


def test_a_provider_that_is_away_is_a_failure_that_loses_nothing(remote: Cli, provider: ProviderServer) -> None:
    remote.store(TEXT)
    provider.fault = "down"
    outcome = remote("worker", "--once")
    assert (outcome.exit_code, outcome.stderr) == (1, "")
    said = " ".join(outcome.stdout.split())
    assert said.startswith("Embedded 0 texts. 1 text still waits: 127.0.0.1:")
    assert TEXT not in outcome.stdout
    provider.key, provider.fault = "another", None
    refused = remote("worker", "--once")
    assert (refused.exit_code, "sk-of-a-test" in refused.stdout) == (1, False)
    assert "Check the key in embedding.openai_api_key." in " ".join(refused.stdout.split())
    provider.key, provider.fault = None, "down"
    for_programs = remote("worker", "--once", "--json")
    assert (for_programs.exit_code, for_programs.stderr) == (1, "")
    assert (for_programs.document["waiting"], for_programs.document["embedded"]) == (1, 0)
    assert "could not be asked" in for_programs.document["unavailable"]
    shown = remote.ok("store", "Two", "--wait")
    assert "Without vector search" in shown
    assert "follows" not in shown
    provider.fault = None
    assert remote.ok("worker", "--once") == "Embedded 2 texts.\n"


def test_a_text_that_is_refused_is_given_up_on_until_somebody_asks(remote: Cli, provider: ProviderServer) -> None:
    ids = [remote.store(f"A secret number {number} with {provider.poison}") for number in range(7)]
    remote.store(TEXT)
    said = " ".join(remote.ok("worker", "--once").split())
    assert said == (
        "Embedded 1 text. Gave up on 7 texts: `recollect status` says why, `recollect worker --retry-parked` tries "
        "again."
    )
    shown = remote.ok("status")
    assert sum(one in shown for one in ids) == 5
    assert "and 2 more\n" in shown
    assert "A secret number" not in shown
    (parked, *_) = remote.json("status")["parked"]
    assert (parked["user_id"], parked["source"]) == ("default", "memory")
    assert parked["reason"]
    provider.poison = "something else"
    assert remote.ok("worker", "--once") == "Embedded 0 texts.\n"
    assert remote.ok("worker", "--once", "--retry-parked") == "Let 7 texts be tried again.\nEmbedded 7 texts.\n"


def test_a_worker_without_a_provider_is_bad_usage(cli: Cli) -> None:
    outcome = cli("worker", "--once")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "embedding.provider is none" in outcome.stderr


class Worker:
    """A worker in a process of its own."""

    def __init__(self, database: str, provider: ProviderServer, *options: str) -> None:
        typed = ("--database", database, "worker", "--poll", "0.1", *options)
        environment = {**os.environ, **PLAIN_ENVIRONMENT, **asking(provider)}
        self.process = Program(*typed, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(self, text: str) -> list[str]:
        """Read until a line says this."""
        assert self.process.stdout
        seen = []
        for line in self.process.stdout:
            seen.append(line)
            if text in line:
                return seen
        raise AssertionError(f"{text!r} never appeared in {seen}")

    def end(self, number: signal.Signals) -> str:
        """Send a signal that ends it well, and give what it says then."""
        self.process.send_signal(number)
        shown, errors = self.process.communicate(timeout=PATIENCE_S)
        assert (self.process.returncode, errors) == (0, "")
        return str(shown)


@contextmanager
def working(database: str, provider: ProviderServer, *options: str) -> Iterator[Worker]:
    """Let a worker run."""
    worker = Worker(database, provider, *options)
    try:
        yield worker
    finally:
        worker.process.kill()
        worker.process.communicate()


def test_a_worker_serves_until_it_is_asked_to_stop(remote: Cli, provider: ProviderServer, database: str) -> None:
    with working(database, provider) as worker:
        worker.wait_for("Waiting for texts to embed.")
        remote.store(TEXT)
        worker.wait_for("Embedded 1 text.")
        assert worker.end(signal.SIGINT) == "Embedded 1 text.\n"
    assert remote.json("status")["coverage"][0]["vectors"] == 1


def test_what_is_under_way_is_finished(remote: Cli, provider: ProviderServer, database: str) -> None:
    remote.store(TEXT)
    provider.latency_s = 1.5
    with working(database, provider, "--json") as worker:
        until(lambda: TEXT in provider.texts)
        assert json.loads(worker.end(signal.SIGTERM))["embedded"] == 1
    assert remote.json("status")["coverage"][0]["vectors"] == 1


def test_an_outage_is_told_once_and_so_is_its_end(remote: Cli, provider: ProviderServer, database: str) -> None:
    provider.fault = "rate_limited_with_pause"
    provider.retry_after_s = 1
    remote.store(TEXT)
    with working(database, provider) as worker:
        worker.wait_for("Waiting until it works again: ")
        asked = len(provider.requests)
        until(lambda: len(provider.requests) >= asked + 2)
        provider.fault = None
        told = worker.wait_for("It works again.")
        assert told.count("It works again.\n") == 1
        if "Embedded 1 text.\n" not in told:  # which of the two is said first is up to them
            worker.wait_for("Embedded 1 text.")
        worker.end(signal.SIGTERM)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_terminal_shows_how_far_it_is(remote: Cli, provider: ProviderServer, database: str) -> None:
    remote.store(TEXT)
    provider.latency_s = 0.3
    _, shown = Terminal("--database", database, "worker", "--once", **asking(provider)).press("")
    assert "0/1" in shown
    assert "Embedding" in shown
