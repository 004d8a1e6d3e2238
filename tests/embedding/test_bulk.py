"""Large amounts through the batch APIs, by a process that submits and another that collects."""

import json

import numpy as np
import pytest

from recollect.embedding.batches import GeminiBulk, OpenAiBulk
from recollect.errors import EmbeddingError, ProviderUnavailable, TextRefused
from recollect.model.messages import Usage
from recollect.ports import BulkEmbedder, BulkProgress
from tests.embedding.conftest import KEY, MakeEmbedder
from tests.providers.server import POISON, Plan, ProviderServer

TEXTS = {f"memory:{number}": f"note number {number} about tea" for number in range(8)}
BOTH = pytest.mark.parametrize("provider", ["openai", "gemini"])


def bulk_of(make: MakeEmbedder, provider: str) -> BulkEmbedder:
    """A fresh object each time: nothing but the id is carried from one step to the next."""
    bulk = make(provider, dimensions=256).bulk
    assert bulk is not None
    return bulk


@BOTH
def test_a_batch_brings_the_vectors_that_asking_would(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    provider_server.batches.plan = Plan(polls=2)
    batch = bulk_of(make, provider).submit(TEXTS)
    assert bulk_of(make, provider).progress(batch) == BulkProgress("running", 0, 8)
    assert bulk_of(make, provider).progress(batch) == BulkProgress("finished", 8, 8)
    outcome = bulk_of(make, provider).collect(batch)
    assert outcome.vectors.keys() == TEXTS.keys()
    assert outcome.failed == {}
    asked = make(provider, dimensions=256).embed(list(TEXTS.values()), "passage")
    np.testing.assert_allclose(np.vstack([outcome.vectors[name] for name in TEXTS]), asked, atol=1e-6)
    assert outcome.usage == Usage({"openai": 40, "gemini": 24}[provider])
    assert outcome.tokens == dict.fromkeys(TEXTS, {"openai": 5, "gemini": 3}[provider]), "each has its own cost"


@BOTH
def test_the_key_stays_in_its_header(provider_server: ProviderServer, make: MakeEmbedder, provider: str) -> None:
    provider_server.key = KEY
    bulk = bulk_of(make, provider)
    batch = bulk.submit(TEXTS)
    bulk.progress(batch)
    bulk.collect(batch)
    assert len(provider_server.requests) >= 3
    assert KEY.encode() not in b"".join(provider_server.batches.files.values())
    for request in provider_server.requests:
        assert KEY not in request.path + str(request.body)


def test_the_file_is_the_one_of_the_protocol(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    bulk_of(make, "openai").submit({"a/b:1": "крыша\nиз дерева"})
    [file] = provider_server.batches.files.values()
    assert json.loads(file) == {
        "custom_id": "a/b:1",
        "method": "POST",
        "url": "/v1/embeddings",
        "body": {
            "model": "text-embedding-3-small",
            "input": ["крыша\nиз дерева"],
            "encoding_format": "base64",
            "dimensions": 256,
        },
    }


def test_the_operation_is_the_one_of_the_protocol(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    bulk_of(make, "gemini").submit({"1": "tea"})
    [request] = provider_server.requests
    assert request.path.endswith("/models/gemini-embedding-001:asyncBatchEmbedContent")
    assert request.body["batch"]["inputConfig"]["requests"]["requests"] == [
        {
            "request": {
                "model": "models/gemini-embedding-001",
                "content": {"parts": [{"text": "tea"}]},
                "taskType": "RETRIEVAL_DOCUMENT",
                "outputDimensionality": 256,
            },
            "metadata": {"key": "1"},
        }
    ]


@BOTH
def test_a_text_that_is_refused_has_its_reason(make: MakeEmbedder, provider: str) -> None:
    bulk = bulk_of(make, provider)
    batch = bulk.submit({**TEXTS, "bad": f"a {POISON}"})
    bulk.progress(batch)
    outcome = bulk.collect(batch)
    assert outcome.vectors.keys() == TEXTS.keys()
    assert outcome.failed.keys() == {"bad"}
    assert "invalid content" in outcome.failed["bad"]


@BOTH
def test_lines_that_are_missing_were_never_embedded(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    provider_server.batches.plan = Plan(lost=3)
    bulk = bulk_of(make, provider)
    batch = bulk.submit(TEXTS)
    assert bulk.progress(batch).phase == "finished"
    outcome = bulk.collect(batch)
    assert list(TEXTS)[:5] == sorted(outcome.vectors)
    assert outcome.failed == {}


@BOTH
def test_a_text_at_which_the_provider_stumbled_was_never_embedded(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    provider_server.batches.plan = Plan(stumbled=2)
    bulk = bulk_of(make, provider)
    batch = bulk.submit(TEXTS)
    bulk.progress(batch)
    outcome = bulk.collect(batch)
    assert sorted(outcome.vectors) == list(TEXTS)[2:]
    assert outcome.failed == {}


@BOTH
def test_a_batch_that_failed_says_why(provider_server: ProviderServer, make: MakeEmbedder, provider: str) -> None:
    provider_server.batches.plan = Plan(ending="failed")
    bulk = bulk_of(make, provider)
    progress = bulk.progress(bulk.submit(TEXTS))
    assert progress.phase == "failed"
    reasons = {"openai": "The batch has failed: The file is no good.", "gemini": "The batch has failed: The batch has"}
    assert progress.reason.startswith(reasons[provider])


def test_what_was_done_before_it_expired_is_kept(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    provider_server.batches.plan = Plan(ending="expired")
    bulk = bulk_of(make, "openai")
    batch = bulk.submit(TEXTS)
    progress = bulk.progress(batch)
    assert (progress.phase, progress.done, progress.total) == ("failed", 4, 8)
    assert progress.reason == "The batch has expired"
    outcome = bulk.collect(batch)
    assert sorted(outcome.vectors) == list(TEXTS)[:4]
    assert outcome.failed == {}  # nobody refused the others; there was no time for them


def test_an_operation_that_expired_has_failed(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    provider_server.batches.plan = Plan(ending="expired")
    bulk = bulk_of(make, "gemini")
    batch = bulk.submit(TEXTS)
    assert bulk.progress(batch).reason.startswith("The batch has expired")
    assert bulk.collect(batch).vectors == {}


@BOTH
def test_a_vector_that_makes_no_sense_is_a_failure_of_its_text(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    bulk = make(provider, dimensions=256).bulk
    other = make(provider, dimensions=512).bulk
    assert bulk
    assert other
    batch = other.submit(TEXTS)
    bulk.progress(batch)
    outcome = bulk.collect(batch)
    assert outcome.vectors == {}
    assert outcome.failed.keys() == TEXTS.keys()
    assert "512 numbers" in outcome.failed["memory:0"]


@BOTH
def test_a_batch_can_be_stopped(provider_server: ProviderServer, make: MakeEmbedder, provider: str) -> None:
    provider_server.batches.plan = Plan(polls=100)
    bulk = bulk_of(make, provider)
    batch = bulk.submit(TEXTS)
    assert bulk.progress(batch).phase == "running"
    bulk.cancel(batch)
    assert bulk.progress(batch).phase == "failed"
    before = len(provider_server.requests)
    bulk.cancel(batch)  # it is over already
    assert len(provider_server.requests) == before + 1


@BOTH
def test_what_the_provider_keeps_can_be_removed(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    kept = provider_server.batches
    bulk = bulk_of(make, provider)
    batch = bulk.submit({**TEXTS, "bad": f"a {POISON}"})
    bulk.progress(batch)
    bulk.collect(batch)
    assert (len(kept.files), len(kept.batches)) == ({"openai": 3, "gemini": 0}[provider], 1)
    bulk.forget(batch)
    assert (len(kept.files), len(kept.batches)) == (0, {"openai": 1, "gemini": 0}[provider])
    bulk.forget(batch)  # there is nothing left


@BOTH
@pytest.mark.parametrize("fault", ["error_500", "refused", "html", "down"])
def test_what_cannot_be_removed_is_no_failure(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, fault: str
) -> None:
    bulk = bulk_of(make, provider)
    batch = bulk.submit(TEXTS)
    provider_server.fault = fault
    bulk.forget(batch)


def test_a_file_that_no_batch_was_made_of_is_removed(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    provider_server.faulty_path = "/batches"
    provider_server.fault = "refused"
    with pytest.raises(TextRefused):
        bulk_of(make, "openai").submit(TEXTS)
    assert provider_server.batches.files == {}


def test_results_that_are_lost_are_lost(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    bulk = bulk_of(make, "openai")
    batch = bulk.submit(TEXTS)
    bulk.progress(batch)
    provider_server.batches.files.clear()
    with pytest.raises(EmbeddingError) as lost:
        bulk.collect(batch)
    assert not isinstance(lost.value, ProviderUnavailable)


@BOTH
def test_a_batch_that_nobody_knows_has_failed(make: MakeEmbedder, provider: str) -> None:
    unknown = {"openai": "batch_404", "gemini": "batches/404"}[provider]
    progress = bulk_of(make, provider).progress(unknown)
    assert progress.phase == "failed"
    assert "404" in progress.reason
    with pytest.raises(EmbeddingError) as lost:
        bulk_of(make, provider).collect(unknown)
    assert not isinstance(lost.value, ProviderUnavailable), "asking again does not help"
    bulk_of(make, provider).forget(unknown)
    with pytest.raises(ProviderUnavailable):
        bulk_of(make, provider).cancel(unknown)


@BOTH
@pytest.mark.parametrize("batch", ["", "../files", "a/../b", "a b", "a?key=1", "https://host/x", "a/b/c", "ü"])
def test_what_is_no_id_goes_nowhere(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, batch: str
) -> None:
    bulk = bulk_of(make, provider)
    for ask in (bulk.progress, bulk.collect, bulk.cancel, bulk.forget):
        with pytest.raises(EmbeddingError, match="no id of a batch"):
            ask(batch)
    assert provider_server.requests == []


@BOTH
@pytest.mark.parametrize("fault", ["error_500", "reset", "html", "down", "redirect"])
def test_a_batch_is_not_handed_in_twice(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, fault: str
) -> None:
    bulk = make(provider, retries=3).bulk
    assert bulk
    if provider == "openai":
        batch = bulk.submit(TEXTS)
        assert batch in provider_server.batches.batches
    provider_server.batches.batches.clear()
    provider_server.requests.clear()
    path = {"openai": "/batches", "gemini": ":asyncBatchEmbedContent"}[provider]
    provider_server.faulty_path = path
    provider_server.fault = fault
    if fault == "down":
        with pytest.raises(ProviderUnavailable):
            bulk_of(make, provider).submit(TEXTS)
        return
    with pytest.raises(ProviderUnavailable):
        bulk.submit(TEXTS)
    assert len([request for request in provider_server.requests if request.path.endswith(path)]) == 1


@BOTH
def test_a_refused_batch_may_be_the_fault_of_a_text(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    provider_server.fault = "refused"
    with pytest.raises(TextRefused):
        bulk_of(make, provider).submit(TEXTS)


@BOTH
def test_too_much_at_once_is_refused_before_it_is_sent(
    provider_server: ProviderServer, make: MakeEmbedder, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    bulk = bulk_of(make, provider)
    with pytest.raises(EmbeddingError, match="hand in fewer"):
        bulk.submit({str(number): "x" for number in range(bulk.most_texts + 1)})
    monkeypatch.setattr(OpenAiBulk, "most_bytes", 1000)
    monkeypatch.setattr(GeminiBulk, "most_bytes", 1000)
    with pytest.raises(EmbeddingError, match="hand in fewer"):
        bulk.submit(TEXTS)
    assert provider_server.requests == []


@BOTH
def test_long_texts_are_cut_here_too(provider_server: ProviderServer, make: MakeEmbedder, provider: str) -> None:
    bulk = bulk_of(make, provider)
    batch = bulk.submit({"long": "tea " * 20_000})
    bulk.progress(batch)
    assert bulk.collect(batch).vectors.keys() == {"long"}
    sent = provider_server.batches.batches[batch].requests[0]
    assert len(json.dumps(sent)) < 40_000
