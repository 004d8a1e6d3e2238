"""What a memory says: the clause of a statement, trimmed, and with whom it is about where its words do not say so."""

from recollect.text.capture import capture
from tests.rows import every
from tests.text.capture.marked import Told, marked

FACT = Told("fact", "trait")


def contents(message: str, *told: Told) -> list[tuple[str, str]]:
    return [(found.subject, found.content) for found in capture(*marked(message, *(told or (FACT,))))]


@every(
    ("message", "content"),
    [
        ("[I collect {stamps}]", "I collect stamps"),
        ("hey, [I collect {stamps}]!", "I collect stamps"),
        ("I [collect {stamps}] from Peru, what now?", "I collect stamps from Peru"),
        ("ok so well... [my desk is {oak}], thanks", "my desk is oak"),
        ("hello there! (by the way [I collect {stamps}])", "by the way I collect stamps"),
        ("- [I collect {stamps}]\n- and you?", "I collect stamps"),
        ("[I collect   {stamps}\tand coins]", "I collect stamps and coins"),
        ("ahoj, [sbírám staré {známky}]", "sbírám staré známky"),
        ("hallo, also [ich sammle alte {Briefmarken}], danke", "ich sammle alte Briefmarken"),
        ("привет, кстати [я собираю {марки}]", "я собираю марки"),
        ("[I like {Třebíč}]", "I like Třebíč"),
        ("[my desk is 1.5 m (and oak)] all over", "my desk is 1.5 m (and oak) all over"),
    ],
)
def test_the_clause_of_a_statement_without_what_opens_it(message: str, content: str) -> None:
    assert contents(message) == [("user", content)]


def test_clauses_do_not_reach_into_their_neighbours() -> None:
    told = (Told("fact", "hobby"), Told("preference", "like"))
    assert contents("[I collect {stamps}] and [I really like {tea}] a lot", *told) == [
        ("user", "I collect stamps"),
        ("user", "I really like tea a lot"),
    ]


def test_a_clause_of_pages_is_cut_to_the_statement() -> None:
    assert contents("we are very very " * 60 + "[I collect old {stamps}]") == [("user", "I collect old stamps")]


@every(
    ("message", "subject", "content"),
    [
        ("[my sister collects {stamps}]", "sister", "my sister collects stamps"),
        ("[my sister Eva collects {stamps}]", "sister Eva", "my sister Eva collects stamps"),
        ("[<my sister> collects {stamps}]", "sister", "my sister collects stamps"),
        ("[naše kočka žere {ryby}]", "kočka", "naše kočka žere ryby"),
        ("[meine Tochter spielt {Geige}]", "Tochter", "meine Tochter spielt Geige"),
    ],
)
def test_whom_a_statement_names_is_its_subject(message: str, subject: str, content: str) -> None:
    assert contents(message) == [(subject, content)]


def test_whom_a_clause_does_not_name_is_written_before_it() -> None:
    found = contents("[my sister collects {stamps}], [hates loud {music}] and [I like {tea}]", FACT, FACT, FACT)
    assert found == [
        ("sister", "my sister collects stamps"),
        ("sister", "sister: hates loud music"),
        ("user", "I like tea"),
    ]


def test_another_sentence_is_about_the_user_again() -> None:
    found = contents("[my sister collects {stamps}]. [Hates loud {music}]", FACT, FACT)
    assert found[-1] == ("user", "Hates loud music")


@every("message", ["[ok]", "[{stamps}]", "[it is so]", "[a b 7]", "[12 34 56 78]"])
def test_what_says_less_than_two_words_is_not_kept(message: str) -> None:
    assert contents(message) == []
