"""Texts to cut: Markdown as people write it, made from a number, and characters that break naive code."""

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from recollect.model.files import CutText, TextPiece

_SYLLABLES = ("ka", "lo", "mi", "ter", "san", "ve", "dor", "ni", "ель", "ду", "ří", "za", "qu", "ent", "po", "ße")


def words(random: Random, count: int) -> str:
    return " ".join("".join(random.choices(_SYLLABLES, k=random.randint(1, 4))) for _ in range(count))


def markdown(seed: int, size: int, *, wrapped: bool = True) -> str:
    """Make up a note of about so many characters: headings, paragraphs, lists, tables and code."""
    random = Random(seed)
    lines = ["---", f"title: Note {seed}", "date: 2024-05-01", "---", "", f"# Note {seed}", ""]
    made = 0
    while made < size:
        block = [*_block(random, wrapped=wrapped), ""]
        lines += block
        made += sum(map(len, block)) + len(block)
    return "\n".join(lines)


def _block(random: Random, *, wrapped: bool) -> list[str]:
    chance = random.random()
    if chance < 0.12:
        return ["#" * random.choice([2, 2, 3, 3, 4]) + " " + words(random, random.randint(1, 5))]
    if chance < 0.3:
        return ["- " + words(random, random.randint(3, 14)) for _ in range(random.randint(2, 8))]
    if chance < 0.36:
        return [
            "```python",
            *(f"    {words(random, 4)} = {random.random()}" for _ in range(random.randint(3, 20))),
            "```",
        ]
    if chance < 0.4:
        rows = [f"| {words(random, 3)} | {random.randint(0, 99)} |" for _ in range(random.randint(2, 15))]
        return ["| name | count |", "|---|---|", *rows]
    if wrapped:
        return [words(random, random.randint(7, 12)) for _ in range(random.randint(1, 9))]
    return [". ".join(words(random, random.randint(5, 16)) for _ in range(random.randint(1, 8))) + "."]


LINES = st.sampled_from(
    [
        "", "", "", " ", "\t", "# One", "## Two *x*", "### Three ###", "#no", "Title", "===", "---", "- item",
        "  - sub",
        "1. one", "10) ten", "```", "```py", "~~~", "    code", "| a | b |", "|---|---|", "a | b",
        "--- | ---", "> quote",
        "<div>", "text", "more text.", "слово и ещё", "数据。数据", "\f", "\fpage", "a\u2028b", "\r", "x\r",
        "\ufeff", "\x00",
        "\ud800", "🙂" * 40, "word " * 30, "A sentence. " * 25, "def f(x):", "class A:", "    def g(self):",
        "@x", "// c",
        "fn main() {", '"quoted', 'a,"b', "+++", "x" * 300, " " * 300 + "x", "מילה", "e\u0301" * 60, "**bold** text",
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(LINES, LINES, st.text(max_size=30)), max_size=60).map("\n".join)


def stands_at(piece: TextPiece, text: str) -> bool:
    """Say whether the text holds the piece exactly where it says."""
    lines = text.split("\n")
    found = "\n".join(lines[piece.start_line - 1 : piece.end_line])
    return found[piece.start_column : piece.start_column + len(piece.content)] == piece.content


def covered(pieces: Sequence[TextPiece], text: str) -> bool:
    """Say whether every character that is not blank is in a piece."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    left = bytearray(not character.isspace() for character in text)
    for piece in pieces:
        start = starts[piece.start_line - 1] + piece.start_column
        left[start : start + len(piece.content)] = bytes(len(piece.content))
    return not any(left)


def keys(cut: CutText) -> list[tuple[str, str]]:
    return [(piece.heading, piece.content) for piece in cut.pieces]
