"""The settings of places: who says what they are called, how exactly they are kept, and how much they count."""

from dataclasses import dataclass, field

from recollect.model.literals import GEOCODERS, PLACE_SIZES, GeocoderName, PlaceSize
from recollect.model.places import PRECISIONS, PlacePrecision
from recollect.settings.declare import about, conform
from recollect.settings.kinds import choice, number, number_above, text, whole


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """How places are named, kept and weighed."""

    geocoder: GeocoderName = field(
        default="auto",
        metadata=about(
            choice("geocoder", GEOCODERS),
            "Who says what coordinates are called: `offline` (the GeoNames data of `recollect[places]`), `nominatim`, "
            "`none`; `auto` is `nominatim` if `places.nominatim_url` is set, or else `offline` if it is installed.",
        ),
    )
    nominatim_url: str = field(
        default="",
        metadata=about(
            text(empty=True),
            "URL of Nominatim, such as `http://127.0.0.1:8080`; also read from `NOMINATIM_URL`.",
            default_words="none",
        ),
    )
    nominatim_timeout_s: float = field(
        default=2.0, metadata=about(number_above(0, 60), "Timeout of Nominatim, in seconds.")
    )
    requests_per_s: float = field(
        default=1.0,
        metadata=about(
            number(0, 1_000),
            "How often a Nominatim outside of your own network is asked at most, per second; 0: as often as need be.",
        ),
    )
    language: str = field(
        default="",
        metadata=about(
            text(empty=True),
            "Language in which Nominatim names places, such as `cs` or `de,en`.",
            default_words="that of each place",
        ),
    )
    smallest: PlaceSize = field(
        default="1000",
        metadata=about(
            choice("number of people", PLACE_SIZES),
            "Smallest population of a place that the offline geocoder knows.",
        ),
    )
    precision: PlacePrecision = field(
        default="exact",
        metadata=about(
            choice("precision", PRECISIONS),
            "How exactly coordinates are kept: `exact`, `street` (100 m), `district` (1 km) or `city` (11 km; an "
            "address that comes with them is not kept).",
        ),
    )
    weight: float = field(
        default=0.3,
        metadata=about(number(0, 1), "Weight of the place in a score, unless a search gives one."),
    )
    scale_km: float = field(
        default=2.0,
        metadata=about(number_above(0, 20_000), "Distance in kilometres at which nearness is halved."),
    )
    cache: int = field(
        default=10_000,
        metadata=about(whole(0, 10_000_000), "Cached geocoder answers per user."),
    )

    def __post_init__(self) -> None:
        conform(self)
