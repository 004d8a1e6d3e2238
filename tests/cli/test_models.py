"""What the command line tells about models, and about what has a vector and what waits for one."""

import re

import pytest

from tests.cli.conftest import Cli
from tests.providers.server import ProviderServer

NAME = "openai/text-embedding-3-small (1,536 dimensions)"


def flat(text: str) -> str:
    """Give a text without its line breaks."""
    return " ".join(text.split())


def test_a_model_that_is_only_configured(remote: Cli) -> None:
    assert flat(remote.ok("models")) == (f"{NAME} state configured only reachable yes price $0.02 for a million tokens")
    (model,) = remote.json("models", "--offline")["models"]
    assert (model["state"], model["configured"], model["reachable"]) == ("configured", True, None)


def test_coverage_is_told_by_source(remote: Cli, provider: ProviderServer) -> None:
    remote.store("One")
    remote.ok("worker", "--once")
    remote.store("Two")
    remote.json("say", "c1", "user", "Can the roof be insulated?")
    asked = len(provider.requests)
    assert flat(remote.ok("models", "--offline")) == (
        f"{NAME} state searched, named in the settings vectors memories 1 of 2, messages 0 of 1 price $0.02 for a "
        "million tokens"
    )
    assert len(provider.requests) == asked
    assert "reachable yes" in flat(remote.ok("models"))
    coverage = remote.json("models")["models"][0]["coverage"]
    assert [(one["source"], one["items"], one["vectors"], one["waiting"]) for one in coverage] == [
        ("memory", 2, 1, 1),
        ("message", 1, 0, 1),
        ("chunk", 0, 0, 0),
        ("place", 0, 0, 0),
    ]


def test_a_provider_that_does_not_answer_is_told_with_the_reason(remote: Cli, provider: ProviderServer) -> None:
    provider.fault = "unauthorized"
    shown = flat(remote.ok("models"))
    assert "reachable no" in shown
    assert "Check the key in embedding.openai_api_key." in shown
    (model,) = remote.json("models")["models"]
    assert (model["reachable"], "Check the key" in model["trouble"]) == (False, True)


def test_without_vectors_there_is_no_model(cli: Cli) -> None:
    assert flat(cli.ok("models")).startswith("No model makes vectors: embedding.provider is none")
    assert cli.json("models") == {"models": []}


def test_status_tells_what_is_found_by_meaning_and_what_waits(remote: Cli) -> None:
    remote.store("One")
    remote.ok("worker", "--once")
    remote.store("Two")
    shown = flat(remote.ok("status"))
    assert "embedding openai/text-embedding-3-small, 1536 dimensions" in shown
    assert "vectors memories 1 of 2" in shown
    assert "waiting 1, the oldest for less than a minute" in shown
    assert re.search(r"cache 1 vector, \d+ KiB, knew 0 % of what was asked", shown)
    assert re.search(r"embedded today \d+ tokens?, less than \$0\.01", shown)
    assert "embedding.worker" not in shown, "that a command has no thread is nobody's setting"
    status = remote.json("status")
    assert status["waiting_since"].endswith("Z")
    cache = status["stats"]["cache"]
    assert (cache["entries"], cache["hit_rate"]) == (1, 0.0)
    assert status["embedding_today"]["input_tokens"] > 0
    assert status["embedding_cost"] > 0


def test_status_of_a_store_in_which_nothing_waits_says_nothing_about_it(cli: Cli) -> None:
    cli.store("One")
    shown = cli.ok("status")
    for name in ("waiting", "given up on", "cache", "changing to", "batch"):
        assert not re.search(rf"^{name} ", shown, re.MULTILINE)
    assert cli.json("status")["waiting_since"] is None


def test_status_tells_of_a_change_under_way(remote: Cli, provider: ProviderServer) -> None:
    remote.store("One")
    remote.ok("worker", "--once")
    remote.ok("reembed", "--model", "text-embedding-3-large", "--begin-only", "--yes")
    shown = flat(remote.ok("status"))
    assert "changing to openai/text-embedding-3-large (3,072 dimensions), 0 %: memories 0 of 1" in shown
    assert "is under way: `recollect reembed` goes on with it." in shown
    assert "state being built" in flat(remote.ok("models"))


@pytest.mark.usefixtures("steady_clock")
def test_status_tells_of_batches(remote: Cli) -> None:
    remote.environment["RECOLLECT_EMBEDDING_BULK"] = "always"
    remote.store("One")
    remote.store("Two")
    outcome = remote("worker", "--once")
    assert outcome.exit_code == 0
    assert "2 texts are in batches at the provider, which takes up to a day." in flat(outcome.stdout)
    assert "batch 0 of 2 texts done at openai, handed in just now" in flat(remote.ok("status"))
