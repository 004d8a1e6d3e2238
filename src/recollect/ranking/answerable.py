"""Whether the best of what was found is likely to hold an answer, so that an agent can say that it does not know."""

# Between the two figures of each, chance turns into an answer: the share of the question's words that a row holds, and
# its cosine.
_SHARE = (0.2, 0.7)
_COSINE = (0.2, 0.6)


def answerable(share: float, cosine: float | None) -> float:
    """Give a figure in [0, 1]: the words that were found and how near the meaning is; either makes up for the other."""
    told = _ramp(share, *_SHARE)
    meant = 0.0 if cosine is None else _ramp(cosine, *_COSINE)
    return 1.0 - (1.0 - told) * (1.0 - meant)


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))
