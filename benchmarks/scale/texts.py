"""Made-up memories that compete with real ones: words as common as in real texts, vectors between those of real texts.

The texts are lines of the project's own data, none of them of a set that is asked about. A memory takes some words
from one of them and some from all of them, each word as often as it stands there, and one name from a long tail.
Its vector lies between that of its line and that of another one. The same number gives the same memories.
"""

import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np

from benchmarks.quality.models import CachedEmbedder, embedder_of, installed_models
from benchmarks.quality.sets import DATA
from recollect.model.memories import Vector

BLOCK = 10_000
_OF_LINE, _OF_ALL, _NAMES = 5, 9, 200_000
_QUESTION_WORDS = 5


class MadeMemories:
    """Blocks of memories with their vectors, and questions about them."""

    def __init__(self, folder: Path) -> None:
        """Read the lines; their vectors are saved in the folder."""
        self._folder = folder
        rows = (DATA / "lines" / "en.tsv").read_text("utf-8").splitlines()
        self._lines = [text for row in rows if (text := row.partition("\t")[2]) and not row.startswith("#")]
        counts = Counter(word for line in self._lines for word in _words(line))
        self._words = list(counts)
        self._cumulated = list(accumulate(counts.values()))

    @cached_property
    def _vectors(self) -> Vector:
        with embedder_of(installed_models()[0], self._folder) as embedder:
            if not isinstance(embedder, CachedEmbedder):
                raise TypeError("no encoder is installed")
            return embedder.embed(self._lines, "passage")

    def texts(self, block: int) -> Sequence[str]:
        """Give the texts of a block."""
        rng = random.Random(f"texts {block}")
        return [self._text(rng, line) for line in self._chosen(block)]

    def _chosen(self, block: int) -> Sequence[int]:
        return random.Random(f"lines {block}").choices(range(len(self._lines)), k=BLOCK)

    def _text(self, rng: random.Random, line: int) -> str:
        own = _words(self._lines[line])
        words = rng.sample(own, min(_OF_LINE, len(own)))
        words += rng.choices(self._words, cum_weights=self._cumulated, k=_OF_ALL)
        rng.shuffle(words)
        return f"{' '.join(words)} {_name(int(_NAMES ** rng.random()))} {rng.randrange(10**6)}"

    def vectors(self, block: int) -> Vector:
        """Give the vectors of a block."""
        rng, lines = np.random.default_rng(block), self._vectors
        own = lines[self._chosen(block)]
        other = lines[rng.integers(len(lines), size=BLOCK)]
        noise = rng.standard_normal(own.shape, np.float32) / own.shape[1] ** 0.5
        mixed = 0.75 * own + 0.35 * other + 0.35 * noise
        units: Vector = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)
        return units

    def questions(self, amount: int) -> tuple[Sequence[str], Vector]:
        """Give questions of words of one of the first memories, with vectors like those of memories."""
        rng = random.Random("questions")
        asked = [" ".join(rng.sample(text.split(), _QUESTION_WORDS)) for text in rng.sample(self.texts(0), amount)]
        return asked, self.vectors(10**6)[:amount]

    def common_questions(self, amount: int) -> Sequence[str]:
        """Give questions of three of the commonest words."""
        rng = random.Random("common questions")
        ranked = sorted(zip(np.diff(self._cumulated, prepend=0), self._words, strict=True), reverse=True)
        common = [word for _, word in ranked if len(word) > 3][:20]
        return [" ".join(rng.sample(common, 3)) for _ in range(amount)]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


def _name(number: int) -> str:
    """Make a name of a number; low numbers are common."""
    syllables = []
    while number:
        number, rest = divmod(number, 70)
        syllables.append("bdfgklmnprstvz"[rest % 14] + "aeiou"[rest // 14])
    return "".join(syllables).capitalize()
