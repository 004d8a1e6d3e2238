"""Makes the reranker that the settings name."""

from typing import Final

from recollect.errors import SettingsError
from recollect.http_client import ApiKey, checked_url
from recollect.reranking.protocols import (
    CohereProtocol,
    CompatibleProtocol,
    JinaProtocol,
    RerankProtocol,
    TeiProtocol,
)
from recollect.reranking.provider import ProviderReranker
from recollect.settings import RerankSettings

_USUAL_URLS: Final = {
    "cohere": "https://api.cohere.com/v2",
    "jina": "https://api.jina.ai/v1",
    "tei": "http://127.0.0.1:8080",
}
_USUAL_MODELS: Final = {"cohere": "rerank-v3.5", "jina": "jina-reranker-v2-base-multilingual"}
_NEEDS_KEY: Final = frozenset(("cohere", "jina"))


def create_reranker(settings: RerankSettings) -> ProviderReranker:
    """Make the reranker of the settings, which name a provider. Raises SettingsError when something is missing."""
    provider = settings.provider
    model = settings.model or _USUAL_MODELS.get(provider, "")
    url = settings.url or _USUAL_URLS.get(provider, "")
    if not url:
        raise SettingsError(f"The rerank provider {provider} needs an address. Set rerank.url.")
    if provider in _NEEDS_KEY and not settings.api_key:
        raise SettingsError(f"The rerank provider {provider} needs a key. Set rerank.api_key.")
    base = url.strip().rstrip("/").removesuffix("/rerank")
    return ProviderReranker(
        f"{provider}/{model}" if model else provider,
        _wire(provider, model),
        checked_url(base, f"{provider} (rerank.url)", _USUAL_URLS["cohere"]),
        ApiKey(settings.api_key),
        timeout_s=settings.timeout_s,
        retries=settings.retries,
    )


def _wire(provider: str, model: str) -> RerankProtocol:
    match provider:
        case "cohere":
            return CohereProtocol(model)
        case "jina":
            return JinaProtocol(model)
        case "tei":
            return TeiProtocol()
        case _:
            return CompatibleProtocol(model)
