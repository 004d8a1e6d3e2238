from random import Random
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rows import every
from tests.sizes import sized

from recollect.model.files import CutText
from recollect.model.literals import FileKind
from recollect.text.chunks import chunk_terms, index
from recollect_files.chunks import cut
from tests_files.chunks.samples import LINES, TEXTS, covered, keys, markdown, stands_at

KINDS = st.sampled_from([kind for kind in get_args(FileKind) if kind != "session"])
SIZES = st.sampled_from([(50, 0), (50, 20), (100, 40), (400, 80)])


def size_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@given(TEXTS, KINDS, SIZES)
@settings(max_examples=sized(150, 10_000), deadline=None)
def test_pieces_stand_where_they_say_cover_the_text_and_are_bounded(
    text: str, kind: FileKind, sizes: tuple[int, int]
) -> None:
    tokens, overlap = sizes
    found = cut(text, kind, tokens=tokens, overlap=overlap)
    assert all(stands_at(piece, text) for piece in found.pieces)
    assert covered(found.pieces, text)
    assert all(size_of(piece.content) <= tokens * 5 + overlap * 4 for piece in found.pieces)
    assert not any(piece.content.isspace() or not piece.content for piece in found.pieces)
    assert all(len(piece.heading) <= 300 for piece in found.pieces)
    assert found == cut(text, kind, tokens=tokens, overlap=overlap)


@given(TEXTS, KINDS)
@settings(deadline=None)
def test_a_piece_of_uncut_lines_is_exactly_those_lines(text: str, kind: FileKind) -> None:
    lines = text.split("\n")
    for piece in cut(text, kind).pieces:
        if all(size_of(line) <= 2_000 for line in lines):
            assert piece.start_column == 0
            assert piece.content == "\n".join(lines[piece.start_line - 1 : piece.end_line])


def new_pieces(before: CutText, after: CutText) -> int:
    return len(set(keys(after)) - set(keys(before)))


def an_ordinary_line(lines: list[str], random: Random) -> int:
    """Choose a line with words in it that is no heading and makes no block."""
    while True:
        number = random.randrange(7, len(lines))
        if lines[number] and not lines[number].startswith(("#", "```", "|--", "---")):
            return number


@every("wrapped", [True, False])
def test_one_edited_line_in_a_long_file_changes_at_most_three_pieces(*, wrapped: bool) -> None:
    random = Random(7)
    lines = markdown(1, 920_000, wrapped=wrapped).split("\n")
    assert size_of("\n".join(lines)) > 1_000_000
    found = cut("\n".join(lines), "markdown")
    for _ in range(sized(4, 500)):
        number = an_ordinary_line(lines, random)
        lines[number] += random.choice([" edited", ".", " and a few words more than there were before"])
        edited = cut("\n".join(lines), "markdown")
        assert 1 <= new_pieces(found, edited) <= 3
        found = edited


@given(
    st.integers(0, 50),
    st.integers(0, 10_000),
    st.lists(LINES.filter(lambda line: line[:1] not in "#`~|=-+"), max_size=4),
)
@settings(max_examples=sized(60, 1_000), deadline=None)
def test_lines_put_in_or_taken_out_leave_distant_pieces_alone(seed: int, place: int, put_in: list[str]) -> None:
    lines = markdown(seed, 12_000).split("\n")
    number = an_ordinary_line(lines, Random(place))
    edited = lines[:number] + put_in + lines[number + 1 :]
    before = cut("\n".join(lines), "markdown", tokens=100, overlap=20)
    after = cut("\n".join(edited), "markdown", tokens=100, overlap=20)
    ahead = [piece for piece in before.pieces if piece.end_line < number - 200]
    assert list(after.pieces[: len(ahead)]) == ahead
    far = number + 200
    behind = [(piece.heading, piece.content) for piece in before.pieces if piece.start_line > far]
    assert keys(after)[len(after.pieces) - len(behind) :] == behind


def test_the_hash_tells_headings_and_contents_apart() -> None:
    found = index(cut(markdown(3, 20_000), "markdown"))
    assert len({piece.content_hash for piece in found}) == len(found)
    again = index([found[0].piece._replace(start_line=9, end_line=10), found[0].piece._replace(heading="x")])
    assert [piece.content_hash == found[0].content_hash for piece in again] == [True, False]


def test_the_terms_of_the_heading_come_first() -> None:
    (piece,) = index(cut("# Brewing coffee\n\nGrind 18 g of beans.", "markdown"))
    assert piece.terms == " ".join(chunk_terms("Brewing coffee", "# Brewing coffee\n\nGrind 18 g of beans."))
    assert piece.terms.split()[:2] == ["brew", "coffe"]
