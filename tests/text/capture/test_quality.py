"""How well the bundled reader and capture judge short plain lines of chats, language by language.

Each file in `benchmarks/data/lines` has a part that was tuned on and a part that was only scored. The lines call what
happens once no memory: an event that is kept counts as wrong here. The bars are a little below what was measured on all
lines; every run takes a part of them.
"""

from benchmarks.labelled_messages import LINES, LabelledMessage, load_lines

from recollect.models.local import LocalReader
from recollect.text.capture import capture
from tests.rows import every
from tests.sizes import sized

LANGUAGES = ("en", "ru", "cs", "de")
PARTS = ("tuned", "untouched")
EVERY = sized(5, 1)
RECALL = sized(82, 86) / 100
PRECISION = sized(80, 83) / 100


def lines(language: str) -> list[LabelledMessage]:
    return [line for part in PARTS for line in load_lines(LINES, part) if line.language == language]


@every("language", LANGUAGES)
def test_lines_are_judged_well(reader: LocalReader, language: str) -> None:
    chosen = lines(language)[::EVERY]
    judged = [(bool(line.facts), bool(capture(line.text, reader.read(line.text)))) for line in chosen]
    right = judged.count((True, True))
    recall = right / sum(wanted for wanted, _ in judged)
    precision = right / sum(kept for _, kept in judged)
    print(f"\n{language}: recall {recall:.3f}, precision {precision:.3f} of {len(chosen)}")  # noqa: T201 - to be read
    assert recall >= RECALL
    assert precision >= PRECISION


@every("language", LANGUAGES)
def test_half_of_the_lines_are_no_memories(language: str) -> None:
    found = lines(language)
    assert len(found) >= 1_000
    assert 0.4 < sum(not line.facts for line in found) / len(found) < 0.6
