"""The settings of recall: what it looks at, how it ranks, what it gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from recollect.errors import SettingsError
from recollect.model.literals import FUSIONS, MEMORY_TYPES, Fusion
from recollect.settings.declare import about, conform
from recollect.settings.kinds import choice, labelled, number, number_above, switch, whole

ScopeDefault = Literal["all", "none"]
RerankWhen = Literal["auto", "off", "always"]

FADING_TYPES: tuple[str, ...] = ("message", "file", *MEMORY_TYPES)


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """What a recall looks at and what it gives."""

    limit: int = field(default=5, metadata=about(whole(1, 100), "Maximum number of hits of a recall."))
    min_score: float = field(default=0.0, metadata=about(number(0, 1), "Hits with a lower score are left out."))
    fusion: Fusion = field(
        default="weighted",
        metadata=about(
            choice("fusion", FUSIONS),
            "How meaning and words are fused: `weighted` believes words as far as they cannot be chance, `rrf` adds "
            "reciprocal ranks, `fixed` is 0.7 of meaning and 0.3 of words.",
        ),
    )
    vector_weight: float = field(
        default=0.45,
        metadata=about(
            number(0, 1000), "Share of similar meaning in the score. Only its ratio to `recall.text_weight` counts."
        ),
    )
    text_weight: float = field(
        default=0.55,
        metadata=about(number(0, 1000), "Share of common words in the score. One of the two weights must be above 0."),
    )
    rrf_k: float = field(
        default=10.0,
        metadata=about(number_above(0, 10_000), "The constant of `rrf`: the larger, the less the first ranks differ."),
    )
    rerank: RerankWhen = field(
        default="off",
        metadata=about(
            choice("time to rerank", get_args(RerankWhen)),
            "Whether a model reads the first hits together with the query and puts the best answer first. `auto` "
            "leaves out searches that it would not help, such as one whose first hit leads clearly.",
        ),
    )
    candidates: int = field(
        default=400,
        metadata=about(whole(50, 10_000), "Candidates per search channel. More finds a little more, but slower."),
    )
    deadline_s: float = field(
        default=5.0,
        metadata=about(
            number_above(0, 3600),
            "Deadline of a recall in seconds; what is not ready by then is left out and named in `degraded`.",
        ),
    )
    time_words: bool = field(
        default=True,
        metadata=about(
            switch(), "Understand time expressions such as `yesterday` and `in March`, and prefer what happened then."
        ),
    )
    half_life_days: tuple[str, ...] = field(
        default=("message: 30", "event: 30", "file: 30"),
        metadata=about(
            labelled("type of memory or `message`", FADING_TYPES, commas=True),
            "Half-life of recency in days, by type. Types that are not named do not decay.",
        ),
    )
    recency_weight: float = field(
        default=0.1,
        metadata=about(number(0, 1), "How much of a score may decay with age. With 1 very old hits score 0."),
    )
    importance_weight: float = field(
        default=0.1, metadata=about(number(0, 1), "How much of its score an unimportant memory loses.")
    )
    confidence_weight: float = field(
        default=0.2, metadata=about(number(0, 1), "How much of its score an uncertain memory loses.")
    )
    diversity: float = field(
        default=0.7,
        metadata=about(
            number(0, 1),
            "Share of relevance where various hits are asked for, as before a prompt; the rest is for saying other "
            "things than the hits before.",
        ),
    )
    scopes: ScopeDefault = field(
        default="all",
        metadata=about(
            choice("scopes", get_args(ScopeDefault)),
            "Shared scopes that a search includes by default: `all` that the user is a member of, or `none`.",
        ),
    )
    cache: int = field(
        default=256,
        metadata=about(whole(0, 100_000), "Number of cached results; 0 turns the cache off."),
    )

    def __post_init__(self) -> None:
        conform(self)
        if self.vector_weight == self.text_weight == 0:
            raise SettingsError("recall.vector_weight and recall.text_weight are both 0; set one of them above 0.")
        self.half_lives()

    def half_lives(self) -> Mapping[str, float]:
        """Give the days after which each type has faded by half."""
        return dict(map(_half_life, self.half_life_days))


def _half_life(line: str) -> tuple[str, float]:
    name, _, days = line.partition(":")
    try:
        value = float(days)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise SettingsError(f"recall.half_life_days has {line!r}; after the colon comes a number of days above 0.")
    return name.strip(), value
