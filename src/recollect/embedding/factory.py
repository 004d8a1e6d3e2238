"""Which embedder the settings mean, and which one a store's vectors were made with."""

from dataclasses import dataclass
from typing import Final

from recollect.embedding.batches import GeminiBulk, OpenAiBulk
from recollect.embedding.known_models import LIMITS, SPACE, KnownModel, encoder_of, known_model
from recollect.embedding.local import LocalEmbedder, LocalTokenizer
from recollect.embedding.protocols import E5Protocol, EmbeddingProtocol, GeminiProtocol, OllamaProtocol, OpenAiProtocol
from recollect.embedding.provider import (
    E5,
    GEMINI,
    NONE,
    PREFIXES,
    ClosingBulk,
    ProviderEmbedder,
    ProviderProfile,
    greet_e5,
    provider_endpoint,
    scheme_for,
)
from recollect.errors import SettingsError
from recollect.http_client import ApiKey, Endpoint, checked_url
from recollect.model.memories import Space
from recollect.ports import Embedder
from recollect.settings.sections import PROVIDERS, EmbeddingSettings

_SETTING: Final = {"openai-compatible": "compatible"}  # where a provider's settings do not begin with its name
_ANOTHER_NAME: Final = {"e5-local": "e5"}
_NEEDS_KEY: Final = frozenset(("openai", "zai", "gemini"))
_HAS_NO_KEY: Final = frozenset(("e5", "ollama"))
_EXAMPLE: Final = "https://api.openai.com/v1"
_LONG_S: Final = 600.0  # a file of a hundred megabytes takes its time


@dataclass(frozen=True, slots=True)
class _EmbedderChoice:
    """What is wanted of a provider, before it is known what that means there."""

    provider: str
    model: str
    dimensions: int | None  # what the vectors must be
    asked: int | None  # what the provider is asked for
    scheme: str


def create_embedding_provider(
    settings: EmbeddingSettings,
    *,
    provider: str | None = None,
    model: str | None = None,
    dimensions: int | None = None,
) -> Embedder | None:
    """Make the embedder that the settings mean, or another that is named; None for `none`.

    `embedding.api_key`, `endpoint`, `model`, `dimensions`, `prefix` and `price` are about the provider of the settings.
    Another one goes by the settings that bear its name. Raises SettingsError when something is missing.
    """
    name = _known_provider(provider or settings.provider)
    if name == "none":
        return None
    if name == "local":
        return LocalEmbedder(threads=settings.threads)
    own = name == settings.provider
    wanted = (model or (settings.model if own else "") or LIMITS[name].usual_model).removeprefix("models/")
    if not wanted:
        raise SettingsError(f"The embedding provider {name} needs a model. Set embedding.model.")
    chosen = dimensions or (settings.dimensions if own else None)
    known = known_model(wanted, name)
    _check_length(known, chosen)
    asked = chosen or (known.dimensions if known and name == "zai" else None)
    setting = settings.prefix if own else "auto"
    scheme = scheme_for(wanted) if setting == "auto" else setting
    if name == "e5" or (name == "gemini" and scheme == NONE):
        scheme = E5 if name == "e5" else GEMINI
    length = chosen or (known.dimensions if known else None)
    return _made(settings, _EmbedderChoice(name, wanted, length, asked if _may_choose(name, known) else None, scheme))


def embedder_for(settings: EmbeddingSettings, space: Space) -> Embedder:
    """Make the embedder whose vectors live in a space. Raises SettingsError or ModelDamaged: why there is none."""
    if space.provider == "local":
        encoder = encoder_of(space)
        if encoder is None:
            raise SettingsError(
                f"The vectors were made by the local encoder {space.model} ({space.revision}); this package has "
                f"{SPACE.model} ({SPACE.revision}). Run `recollect reembed`, or install that version."
            )
        return LocalEmbedder(threads=settings.threads, folder=encoder.folder(), encoder=encoder)
    name = _known_provider(space.provider)
    if name not in LIMITS or not space.normalised or space.revision:
        raise SettingsError(f"No configured provider makes vectors of the space {space}. Run `recollect reembed`.")
    schemes = {E5} if name == "e5" else {*PREFIXES, GEMINI} if name == "gemini" else PREFIXES.keys()
    if space.prefix_scheme not in schemes:
        raise SettingsError(
            f"The vectors by {space.model} were made with the prefixes {space.prefix_scheme}, which {name} does not "
            "have. Run `recollect reembed`."
        )
    asked = _length_to_ask_for(settings, name, space)
    return _made(settings, _EmbedderChoice(name, space.model, space.dimensions, asked, space.prefix_scheme))


def _length_to_ask_for(settings: EmbeddingSettings, name: str, space: Space) -> int | None:
    """Say which length to ask for: a chosen one, but not one that was merely found; servers may refuse the question."""
    known = known_model(space.model, name)
    chosen = name == settings.provider and settings.dimensions == space.dimensions
    if known and space.dimensions != known.dimensions:
        _check_length(known, space.dimensions)
        chosen = True
    return space.dimensions if (chosen or name == "zai") and _may_choose(name, known) else None


def _made(settings: EmbeddingSettings, wish: _EmbedderChoice) -> ProviderEmbedder:
    known, limits = known_model(wish.model, wish.provider), LIMITS[wish.provider]
    own = wish.provider == settings.provider
    usual_price = 0.0 if wish.provider in _HAS_NO_KEY else (known or _UNKNOWN).price
    tasks = wish.scheme == GEMINI
    profile = ProviderProfile(
        provider=wish.provider,
        model=wish.model,
        scheme=wish.scheme,
        written=NONE if wish.provider == "e5" or tasks else wish.scheme,
        dimensions=wish.dimensions,
        most_texts=limits.most_texts,
        most_tokens=limits.most_tokens,
        longest_tokens=(known or known_model(wish.model) or _UNKNOWN).longest_tokens,
        price=settings.price if own and settings.price is not None else usual_price,
    )
    tokenizer = LocalTokenizer()
    wire = _wire(wish)
    return ProviderEmbedder(
        profile,
        wire,
        _endpoint(settings, wish.provider),
        tokenizer,
        bulk=_bulk(wire, profile, _endpoint(settings, wish.provider, _LONG_S), tokenizer),
        greeting=greet_e5 if wish.provider == "e5" else None,
    )


def _wire(wish: _EmbedderChoice) -> EmbeddingProtocol:
    match wish.provider:
        case "e5":
            return E5Protocol()
        case "ollama":
            return OllamaProtocol(wish.model, wish.asked)
        case "gemini":
            return GeminiProtocol(wish.model, wish.asked, tasks=wish.scheme == GEMINI)
        case "openai":
            return OpenAiProtocol(wish.model, "base64", wish.asked)
        case "zai":
            return OpenAiProtocol(wish.model, None, wish.asked)
        case _:
            return OpenAiProtocol(wish.model, "float", wish.asked)


def _bulk(
    wire: EmbeddingProtocol, profile: ProviderProfile, endpoint: Endpoint, tokenizer: LocalTokenizer
) -> ClosingBulk | None:
    if isinstance(wire, GeminiProtocol):
        return GeminiBulk(profile, endpoint, tokenizer, wire)
    if isinstance(wire, OpenAiProtocol) and profile.provider == "openai":
        return OpenAiBulk(profile, endpoint, tokenizer, wire)
    return None


def _endpoint(settings: EmbeddingSettings, provider: str, least_timeout_s: float = 0.0) -> Endpoint:
    name = _SETTING.get(provider, provider)
    own = provider == settings.provider
    url = (settings.endpoint if own else "") or getattr(settings, f"{name}_endpoint")
    where = "embedding.endpoint" if own and settings.endpoint else f"embedding.{name}_endpoint"
    if not url:
        raise SettingsError(f"The embedding provider {provider} needs an address. Set {where}.")
    return provider_endpoint(
        checked_url(url.strip().rstrip("/").removesuffix("/embeddings"), f"{provider} ({where})", _EXAMPLE),
        _key(settings, provider),
        _advice(provider, where),
        timeout_s=max(settings.timeout_s, least_timeout_s),
        retries=settings.retries,
    )


def _key(settings: EmbeddingSettings, provider: str) -> ApiKey:
    name = _SETTING.get(provider, provider)
    own = settings.api_key if provider == settings.provider else ""
    value = own or ("" if provider in _HAS_NO_KEY else getattr(settings, f"{name}_api_key"))
    if not value and provider in _NEEDS_KEY:
        raise SettingsError(f"The embedding provider {provider} needs a key. Set embedding.{name}_api_key.")
    return ApiKey(value, "x-goog-api-key", "") if provider == "gemini" else ApiKey(value)


def _advice(provider: str, where: str) -> dict[int, str]:
    key = f"embedding.{_SETTING.get(provider, provider)}_api_key"
    check_key = "Check embedding.api_key." if provider in _HAS_NO_KEY else f"Check the key in {key}."
    return {
        400: "One of the texts is not accepted, or the model's name.",
        401: check_key,
        403: f"{check_key} It may not use this model.",
        404: f"Check {where} and embedding.model.",
        413: "The texts are too long.",
        422: "One of the texts is not accepted.",
        429: "Wait, or raise the limits of the account.",
    }


def _known_provider(name: str) -> str:
    found = _ANOTHER_NAME.get(name, name)
    if found not in PROVIDERS:
        raise SettingsError(f"Unknown embedding provider: {name}. Known providers: {', '.join(PROVIDERS)}.")
    return found


def _may_choose(provider: str, known: KnownModel | None) -> bool:
    """Tell whether a provider may be asked for a length; an unknown model is left to the provider."""
    return provider != "e5" and (known is None or bool(known.choices) or provider == "ollama")


def _check_length(known: KnownModel | None, chosen: int | None) -> None:
    if not known or chosen in {None, known.dimensions} or chosen in known.choices or known.provider == "ollama":
        return
    kinds = known.choices
    named = f"{kinds.start} to {kinds.stop - 1}" if isinstance(kinds, range) else ", ".join(map(str, kinds))
    raise SettingsError(
        f"embedding.dimensions is {chosen}; {known.name} makes vectors of {named or known.dimensions} numbers."
    )


_UNKNOWN: Final = KnownModel("", "", 0)
