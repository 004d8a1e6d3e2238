"""What goes wrong is called by its right name, gives no key away, and passes."""

import traceback

import numpy as np
import pytest

from recollect.errors import EmbeddingError, ProviderUnavailable, TextRefused
from tests.embedding.conftest import KEY, PROVIDERS, MakeEmbedder
from tests.providers.server import FAULTS, ProviderServer
from tests.rows import every
from tests.sizes import ALL

TEXTS = ["the roof is made of wood", "tea without sugar", "a third one"]
SENSELESS = {
    "wrong_dimension": "numbers for text 1, expected",
    "nan": "text 3 that holds NaN",
    "zeros": "zeros for text 3",
    "fewer": "2 vectors for 3 texts",
}
WORDS = {
    "down": "could not be asked",
    "slow": "did not answer within",
    "hang": "did not answer within",
    "rate_limited_with_pause": "429",
    "rate_limited": "429",
    "error_500": "500",
    "html": "not JSON: <!DOCTYPE html>",
    "truncated": "not JSON",
    "huge": "more than",
    "redirect": "redirect",
    "reset": "could not be asked",
    "unauthorized": "401",
    "forbidden": "403",
    "not_found": "404",
    "empty": "an empty body",
    "trickled": "did not answer within",
}


# By day all of them through one protocol: each has a reading of its own of answers, but one way to ask for them.
@every(
    ("provider", "fault"),
    [
        (provider, fault)
        for provider in PROVIDERS
        for fault in FAULTS
        if fault != "swapped" and (ALL or provider == "openai" or fault in {"html", *SENSELESS})
    ],
)
def test_each_fault_has_its_error_and_passes(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, fault: str
) -> None:
    provider_server.fault = None
    provider_server.slow_s = 5.0
    patient = make(provider)
    embedder = make(provider, timeout_s=0.1) if fault in {"slow", "hang"} else patient
    good = patient.embed(TEXTS, "passage")
    provider_server.fault = fault
    with pytest.raises(EmbeddingError) as caught:
        embedder.embed(TEXTS, "passage")
    assert KEY not in "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert type(caught.value) is (EmbeddingError if fault in SENSELESS else ProviderUnavailable)
    assert {**WORDS, **SENSELESS}[fault] in str(caught.value)
    assert provider_server.elsewhere.requests == []
    provider_server.fault = None
    np.testing.assert_array_equal(patient.embed(TEXTS, "passage"), good)


@every("provider", PROVIDERS)
def test_an_order_that_is_shuffled_is_put_right(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    provider_server.fault = None
    embedder = make(provider)
    good = embedder.embed(TEXTS, "passage")
    provider_server.fault = "swapped"
    np.testing.assert_array_equal(embedder.embed(TEXTS, "passage"), good)


@every("provider", ["openai", "zai", "openai-compatible"])
def test_an_index_twice_is_refused(provider_server: ProviderServer, make: MakeEmbedder, provider: str) -> None:
    provider_server.fault = "duplicated"
    with pytest.raises(EmbeddingError, match="two vectors for text 0"):
        make(provider).embed(TEXTS, "passage")


@every("fault", ["unauthorized", "forbidden", "not_found", "empty", "trickled"])
def test_no_text_is_to_blame_for_these(provider_server: ProviderServer, make: MakeEmbedder, fault: str) -> None:
    embedder = make("openai", timeout_s=0.25 if fault == "trickled" else 60.0)
    provider_server.fault = fault
    with pytest.raises(ProviderUnavailable, match=WORDS[fault]):
        embedder.embed(TEXTS, "passage")


@every(
    ("provider", "fault", "advice"),
    [
        ("openai", "unauthorized", "embedding.openai_api_key"),
        ("openai-compatible", "unauthorized", "embedding.compatible_api_key"),
        ("gemini", "not_found", "embedding.endpoint and embedding.model"),
        ("openai", "rate_limited", "raise the limits of the account"),
    ],
)
def test_the_message_says_what_to_do(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, fault: str, advice: str
) -> None:
    provider_server.fault = fault
    with pytest.raises(ProviderUnavailable, match=advice):
        make(provider).embed(TEXTS, "passage")


@every("fault", ["html", "truncated", "error_500", "rate_limited", "reset", "empty"])
def test_what_passes_is_asked_for_again(provider_server: ProviderServer, make: MakeEmbedder, fault: str) -> None:
    provider_server.requests.clear()
    embedder = make("openai", retries=1)
    with provider_server.misbehaving(fault, times=1):
        assert embedder.embed(TEXTS, "passage").shape == (3, 1536)
    assert len(provider_server.requests) == 2


def test_the_pause_that_was_asked_for_is_passed_on(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    provider_server.retry_after_s = 47
    provider_server.fault = "rate_limited_with_pause"
    embedder = make("openai", retries=3)
    with pytest.raises(ProviderUnavailable) as caught:
        embedder.embed(TEXTS, "passage")
    assert caught.value.retry_after_s == 47.0
    assert len(provider_server.requests) == 1


@every("fault", ["error_500", "unauthorized", "huge", "redirect"])
def test_after_five_failures_it_fails_at_once(provider_server: ProviderServer, make: MakeEmbedder, fault: str) -> None:
    provider_server.requests.clear()
    embedder = make("openai")
    provider_server.fault = fault
    for _ in range(5):
        with pytest.raises(ProviderUnavailable):
            embedder.embed(TEXTS, "passage")
    with pytest.raises(ProviderUnavailable, match="left in peace") as caught:
        embedder.embed(TEXTS, "passage")
    assert caught.value.retry_after_s is not None
    assert 0 < caught.value.retry_after_s <= 5.0
    assert len(provider_server.requests) == 5


def test_a_key_that_is_refused_with_400_is_no_fault_of_the_text(
    provider_server: ProviderServer, make: MakeEmbedder
) -> None:
    provider_server.fault = "refused"
    with pytest.raises(TextRefused):
        make("gemini").embed(TEXTS, "passage")
    provider_server.refusal = "API key not valid. Please pass a valid API key."
    with pytest.raises(ProviderUnavailable):
        make("gemini").embed(TEXTS, "passage")
