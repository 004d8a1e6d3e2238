from datetime import UTC, datetime
from random import Random

from tests.rows import every
from tests.sizes import sized

from recollect.model.files import CutText
from recollect.model.literals import FileKind
from recollect.text.chunks import RECIPE
from recollect_files.chunks import cut
from tests_files.chunks.samples import covered, stands_at, words


def paragraphs(count: int, seed: int = 1) -> str:
    random = Random(seed)
    return "\n\n".join(words(random, 40) for _ in range(count))


def headings(found: CutText) -> list[str]:
    return list(dict.fromkeys(piece.heading for piece in found.pieces))


def test_the_recipe_has_a_number() -> None:
    assert RECIPE >= 1


@every("text", ["", "\n\n", " \n\t\n\f"])
def test_a_blank_text_has_no_pieces(text: str) -> None:
    assert cut(text, "markdown") == CutText((), {})


def test_a_short_note_is_one_piece_under_its_headings() -> None:
    found = cut("\n# My *great* [note](http://a.b)\n\n## Part `one` ##\n\nWords.  \n\n## Two\n\nMore.\n\n", "markdown")
    (piece,) = found.pieces
    assert piece.heading == "My great note > Part one"
    assert (piece.start_line, piece.end_line, piece.start_column) == (2, 10, 0)
    assert found.metadata == {"title": "My great note"}


def test_the_way_of_headings_is_the_one_in_force_at_the_beginning() -> None:
    text = "\n\n".join(
        [
            "# A",
            paragraphs(8, 1),
            "## B",
            paragraphs(8, 2),
            "### C",
            paragraphs(8, 3),
            "## D",
            paragraphs(8, 4),
            "E\n===",
            paragraphs(8, 5),
        ]
    )
    assert headings(cut(text, "markdown")) == ["A", "A > B", "A > B > C", "A > D", "E"]


def test_pieces_begin_at_headings_and_repeat_nothing_across_them() -> None:
    text = "\n\n".join(f"## Part {number}\n\n{paragraphs(6, number)}" for number in range(20))
    found = cut(text, "markdown")
    starts = [piece.content.split("\n")[0] for piece in found.pieces]
    assert starts.count("## Part 7") == 1
    assert sum(start.startswith("## Part") for start in starts) == 20


def test_a_piece_repeats_whole_lines_of_the_one_before() -> None:
    found = cut("\n".join(words(Random(3), 9) for _ in range(1)) + "\n" + paragraphs(60).replace("\n\n", "\n"), "text")
    repeated = [
        before.end_line - after.start_line + 1 for before, after in zip(found.pieces, found.pieces[1:], strict=False)
    ]
    assert len(repeated) > 3
    assert all(0 <= count <= 3 for count in repeated)
    assert sum(repeated) > 0
    without = cut(paragraphs(60).replace("\n\n", "\n"), "text", overlap=0)
    assert all(a.end_line < b.start_line for a, b in zip(without.pieces, without.pieces[1:], strict=False))


@every("fence", ["```", "~~~~"])
def test_a_fence_that_fits_stays_whole_and_has_no_headings(fence: str) -> None:
    code = "\n\n".join(f"# comment {number}\nx = {number}" for number in range(60))
    block = f"{fence}python\n{code}\n{fence}"
    found = cut(f"# T\n\n{paragraphs(9)}\n\n{block}\n\n{paragraphs(9, 2)}", "markdown")
    assert any(block in piece.content for piece in found.pieces)
    assert headings(found) == ["T"]
    assert not any((fence in piece.content) != (block in piece.content) for piece in found.pieces)


def test_a_fence_without_an_end_reaches_to_the_end() -> None:
    found = cut(f"# T\n\n```\n# no heading\n{paragraphs(40)}\n\n# nor this", "markdown")
    assert headings(found) == ["T"]
    assert all(a.end_line < b.start_line for a, b in zip(found.pieces, found.pieces[1:], strict=False))


def test_a_table_that_fits_stays_whole() -> None:
    table = "\n".join(["| a | b |", "|---|---|", *(f"| {words(Random(n), 5)} | {n} |" for n in range(30))])
    found = cut(f"{paragraphs(9)}\n\n{table}\n\n{paragraphs(9, 2)}", "markdown")
    assert any(table in piece.content for piece in found.pieces)


def test_a_table_without_outer_bars_stays_whole() -> None:
    table = "\n".join(["a | b", "--- | ---", *(f"{words(Random(n), 5)} | {n}" for n in range(30))])
    found = cut(f"{paragraphs(9)}\n\n{table}\n\n{paragraphs(9, 2)}", "markdown")
    assert any(table in piece.content for piece in found.pieces)


def test_front_matter_is_understood_and_still_found() -> None:
    said = "title: My day\ndate: 2024-05-06\ntags: [a, b]\nrating: .nan\nwhen: {at: 2024-05-06T10:00:00+02:00}"
    text = f"---\n{said}\n---\n# One"
    found = cut(text, "markdown")
    assert found.metadata == {
        "title": "My day",
        "date": "2024-05-06",
        "tags": ["a", "b"],
        "rating": None,
        "when": {"at": "2024-05-06T10:00:00+02:00"},
    }
    assert found.dated_at == datetime(2024, 5, 6, tzinfo=UTC)
    assert found.pieces[0].content == text
    assert found.pieces[0].heading == "One"


def test_front_matter_in_toml() -> None:
    found = cut('+++\ntitle = "T"\ncreated = 2024-05-06T10:00:00+02:00\n+++\n\nText', "markdown")
    assert found.metadata["title"] == "T"
    assert found.dated_at == datetime(2024, 5, 6, 8, tzinfo=UTC)


@every(
    "block",
    ["a: &x [1]\nb: *x", "a: [", "a: " + "[" * 5_000 + "]" * 5_000, "a: !!python/object:os.system x", "d: 2024-13-45",
     "a: !!int ''", "? {a: b}\n: c"],
)  # fmt: skip
def test_front_matter_that_cannot_be_read_is_text(block: str) -> None:
    found = cut(f"---\n{block}\n---\nText", "markdown")
    assert found.metadata == {"front_matter_error": True}
    assert covered(found.pieces, f"---\n{block}\n---\nText")


def test_two_rules_at_the_top_are_no_front_matter() -> None:
    assert cut("---\njust words\n---\nText", "markdown").metadata == {}


@every(
    ("source", "heading"),
    [
        ("class Store:\n    limit = 1\n\n    def read(self):\n{body}", "class Store > def read"),
        ("pub struct A;\n\nimpl Store {{\n    pub fn read(&self) -> u8 {{\n{body}", "impl Store > fn read"),
        ("export class Store {{\n  async function read() {{\n{body}", "class Store > function read"),
        ("func (s *Store) Read() error {{\n{body}", "func (s *Store) Read"),
    ],
)
def test_a_piece_of_a_program_names_the_definition_around_it(source: str, heading: str) -> None:
    body = "\n".join(f"        total = total + {number} * {number}" for number in range(300))
    assert heading in headings(cut(source.format(body=body), "code"))


def test_programs_are_cut_at_definitions_with_what_stands_above_them() -> None:
    body = "\n".join(f"    x{number} = {number}" for number in range(70))
    text = "\n\n".join(f"# about {name}\n@cached\ndef {name}():\n{body}" for name in ("one", "two", "three", "four"))
    found = cut(text, "code")
    assert [piece.content.split("\n")[0] for piece in found.pieces] == [
        "# about one", "# about two", "# about three", "# about four",
    ]  # fmt: skip
    assert headings(found) == ["def one", "def two", "def three", "def four"]


def test_rows_stay_whole_under_the_names_of_their_columns() -> None:
    rows = [f'{number},"{words(Random(number), 6)}\nsecond ""line""",x' for number in range(300)]
    text = "\n".join(["id,note,flag", *rows])
    found = cut(text, "csv")
    assert headings(found) == ["id, note, flag"]
    assert len(found.pieces) > 5
    assert all(piece.content.count('"') % 2 == 0 for piece in found.pieces)


def test_a_quote_that_never_ends_does_not_make_one_row_of_the_rest() -> None:
    text = 'a;b\n1;"open\n' + "\n".join(f"{number};{words(Random(number), 9)}" for number in range(500))
    found = cut(text, "csv")
    assert headings(found) == ["a, b"]
    assert max(len(piece.content.encode()) for piece in found.pieces) <= 2_000


MANY = sized(300, 1_000)
HOSTILE = {
    "a line repeated": "the same line\n" * 100 * MANY,
    "one long line": "x" * 1_000 * MANY,
    "one line of words": "word " * 100 * MANY,
    "one line of sentences": "A sentence of words. " * 30 * MANY,
    "marks": "e" + "\u0301" * 200 * MANY,
    "Chinese": "数据" * 100 * MANY,
    "pictures": "🙂" * 100 * MANY,
    "blanks": " " * 300 * MANY + "x",
    "line feeds": "\n" * 300 * MANY + "x",
    "headings": "# h\n" * 50 * MANY,
    "fences": "```\n" * 50 * MANY,
    "brackets": "# " + "[" * 300 * MANY,
    "underlined": "a\n---\n" * 50 * MANY,
}


@every(("name", "kind"), [*((name, "markdown") for name in HOSTILE), ("a line repeated", "code")])
def test_hostile_text_is_cut_into_bounded_pieces(name: str, kind: FileKind) -> None:
    text = HOSTILE[name]
    found = cut(text, kind)
    assert all(len(piece.content.encode()) <= 2_000 + 320 for piece in found.pieces)
    assert covered(found.pieces, text)
    assert len(found.pieces) <= len(text.encode()) // 400 + 1
    for piece in found.pieces[:: max(1, len(found.pieces) // 5)]:
        assert stands_at(piece, text)


def test_an_edit_in_a_line_without_blanks_stays_near() -> None:
    line = "".join(Random(5).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=100_000))
    before = {piece.content for piece in cut(line, "text").pieces}
    after = {piece.content for piece in cut(line[:50_000] + "+" + line[50_000:], "text").pieces}
    assert 1 <= len(after - before) <= 3


def test_only_line_feeds_end_lines() -> None:
    text = "one\u2028two\x0bthree\x85four\rfive\n\nsix"
    (piece,) = cut(text, "text").pieces
    assert (piece.start_line, piece.end_line) == (1, 3)
    assert piece.content == text
