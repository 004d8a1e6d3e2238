"""Calibration of a space: the usual cosine of texts that have nothing to do with each other.

It is 0 for some models and 0.7 for others, where any text would pass for an answer. So each space is measured once with
unrelated pairs, and a cosine counts by how far it is above that.
"""

import numpy as np

from recollect.engine.base import embedders
from recollect.engine.base.context import Engine
from recollect.errors import RecollectError
from recollect.model.memories import Space
from recollect.ports import Embedder, RemoteEmbedder

_PAIRS = (
    ("When does the last train to the coast leave?", "The harbour line runs until ten past eleven at night."),
    ("Which medicine must not be taken with milk?", "Antibiotics of that family are to be swallowed with water only."),
    (
        "How is the office network password changed?",
        "Open the router's page and choose a new passphrase for the Wi-Fi.",
    ),
    ("What does my sister like to read?", "Crime novels from Scandinavia lie in piles beside her bed."),
    ("Why did the deployment fail on Friday?", "The migration locked a table and the health check timed out."),
    ("How long must the dough rest?", "Leave it under a damp cloth until it has doubled in size."),
    ("Who won the chess tournament in spring?", "Our youngest member took the cup without losing a game."),
    ("What is the rent of the flat in the centre?", "The landlord asks for nine hundred a month, heating included."),
    ("Which plants survive a dry summer?", "Lavender and sage hardly need any watering in August."),
    ("When is the meeting with the lawyer?", "She will see us on the fourteenth, right after lunch."),
    ("How heavy may a suitcase be on that airline?", "Checked luggage is limited to twenty-three kilograms."),
    ("What did the doctor say about the knee?", "The ligament is strained but not torn; no running for six weeks."),
)


SENTENCES = frozenset(text for pair in _PAIRS for text in pair)


def measure(embedder: Embedder, space: Space) -> float:
    """Give the usual cosine of a question and an unrelated sentence. Raises EmbeddingError."""
    questions, _ = embedders.embed(embedder, space, [question for question, _ in _PAIRS], "query")
    sentences, _ = embedders.embed(embedder, space, [sentence for _, sentence in _PAIRS], "passage")
    cosines = questions @ sentences.T
    unrelated = cosines[~np.eye(len(_PAIRS), dtype=bool)]
    return float(np.clip(unrelated.mean(), 0.0, 0.99))


def calibrate(engine: Engine, space: Space) -> None:
    """Measure a space that has not been measured yet; a failure is tried again another time."""
    known = next((known for known in engine.store.spaces() if known.space == space), None)
    if known is None or known.unrelated is not None:
        return
    try:
        embedder = engine.models.embedder(space)
        if isinstance(embedder, RemoteEmbedder):
            engine.store.set_unrelated(space, measure(embedder, space))
    except RecollectError:
        return
