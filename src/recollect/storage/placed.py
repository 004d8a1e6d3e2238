"""Answers of geocoders as both stores write them."""

import json
from datetime import datetime

from recollect.model.places import Located
from recollect.ports import CachedPlace

_AWAY = "away"


def written(place: CachedPlace) -> str:
    """Write what a geocoder said."""
    return json.dumps(_AWAY if place.away else place.located, ensure_ascii=False)


def read(cell: str, answer: str, good_until: datetime | None) -> CachedPlace:
    """Read what a geocoder said."""
    said = json.loads(answer)
    if said == _AWAY:
        return CachedPlace(cell, None, good_until, away=True)
    return CachedPlace(cell, None if said is None else Located(*said), good_until)
