# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What somebody who searches has typed, taken apart."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.text.clean import clean
from recollect.text.query import _MOST_WORDS, ParsedQuery, normal, read_query
from recollect.text.terms import index_terms, query_terms, query_words
from tests.rows import every

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
untimed = settings(deadline=None)


def read(typed: str) -> ParsedQuery:
    return read_query(typed, NOW)


def terms(query: ParsedQuery) -> set[str]:
    return set(query_terms(query.words))


@every(
    ("typed", "phrase"),
    [
        ('"green tea"', "green tea"),
        ('"Green  TEA" cup', "green tea"),
        ("«зелёный чай»", "зеленый чай"),
        ("“green tea”", "green tea"),
        ("„grüner Tee“ kanne", "gruner tee"),
        ("„grüner Tee” kanne", "gruner tee"),
        ('"light.office" lamp', "light.office"),
    ],
)
def test_a_quoted_phrase_among_keywords_must_be_there(typed: str, phrase: str) -> None:
    query = read(typed)
    assert (query.phrases, query.strict) == ((phrase,), True)
    assert query.text == typed
    assert all(not set(forms).isdisjoint(index_terms(phrase)) for forms in query.required)


@every(
    "typed",
    [
        'what do we know about "green tea"',
        '"green tea"?',
        'kde je "zelený čaj"',
        'где лежит "зелёный чай"',
        'wo ist "grüner Tee"',
    ],
)
def test_a_quoted_phrase_in_a_sentence_is_preferred(typed: str) -> None:
    query = read(typed)
    assert (len(query.phrases), query.strict, query.required) == (1, False, ())


def test_several_phrases() -> None:
    query = read('"green tea" "blue cup"')
    assert query.phrases == ("green tea", "blue cup")
    assert query.required == (("green",), ("tea",), ("blue",), ("cup",))


def test_an_identifier_in_a_phrase_is_looked_up_in_the_texts_because_it_may_be_a_part_of_another() -> None:
    query = read('"light.office" lamp')
    assert (query.phrases, query.required) == (("light.office",), ())


def test_function_words_of_a_phrase_are_not_required_because_no_text_is_indexed_under_them() -> None:
    assert read('"the tea of the house"').required == (("tea",), ("hous",))


@every(
    ("typed", "text"),
    [
        ('"the who"', "The Who play in Prague on Friday"),
        ('"to be" hamlet', "To be or not to be is a quote by Hamlet"),
        ('"la réunion"', "La réunion est reportée à mardi"),
        ('"l\'eau" froide', "L'eau est froide dans la piscine du jardin"),
        ('"example.org"', "Invoices go to anna@example.org"),
        ('"text-embedding" model', "The model is text-embedding-3-small"),
    ],
)
def test_a_phrase_requires_nothing_that_a_text_with_the_phrase_lacks(typed: str, text: str) -> None:
    query, indexed = read(typed), set(index_terms(text))
    assert query.strict
    assert query.phrases[0] in normal(text)
    assert all(not indexed.isdisjoint(forms) for forms in query.required)


@every(
    "typed",
    ['"green tea', 'green" tea', '"', '""', '"a"', '" "', "«чай", "чай»", "“tea", '"tea\nmilk"', f'"{"x" * 201}"'],
)
def test_quotation_marks_without_a_pair_or_a_phrase_are_only_characters(typed: str) -> None:
    query = read(typed)
    assert (query.phrases, query.strict, query.required) == ((), False, ())
    assert (query.text, query.words) == (typed, query_words(typed))


def test_of_three_marks_two_are_a_pair() -> None:
    assert read('"green tea" "milk').phrases == ("green tea",)


@every(
    ("typed", "text", "excluded"),
    [
        ("tea -milk", "tea", ("milk",)),
        ("-milk tea", "tea", ("milk",)),
        ("tea -milk -sugar cup", "tea cup", ("milk", "sugar")),
        ("tea -milk.", "tea", ("milk",)),
        ("tea -milk -Milk", "tea", ("milk",)),
        ("чай -молоко", "чай", index_terms("молоко")),
        ("42 -milk", "42", ("milk",)),
        ("寿司 -東京", "寿司", ("東京",)),
        ('tea -"milk"', "tea", ("milk",)),
    ],
)
def test_a_word_after_a_minus_is_excluded(typed: str, text: str, excluded: tuple[str, ...]) -> None:
    query = read(typed)
    assert (query.text, query.excluded) == (text, excluded)
    assert len(query.unwanted) == len(excluded)  # the texts are looked at besides: a name may not be indexed
    assert terms(query).isdisjoint(excluded)


@every(
    ("typed", "text", "unwanted"),
    [
        ('tea -"Green  TEA"', "tea", ("green tea",)),
        ('-"green tea" cup', "cup", ("green tea",)),
        ('tea -"green tea" cup -"black tea"', "tea cup", ("green tea", "black tea")),
        ("froide -l'eau", "froide", ("l'eau",)),
        ("寿司 -東京都", "寿司", ("東京都",)),
        ("lamp -light.office", "lamp", ("light.office",)),
        ("mail -anna@example.org", "mail", ("anna@example.org",)),
        ("docs -docs/setup.md", "docs", ("docs/setup.md",)),
    ],
)
def test_what_is_more_than_a_word_is_looked_up_in_the_texts(typed: str, text: str, unwanted: tuple[str, ...]) -> None:
    query = read(typed)
    assert (query.text, query.unwanted, query.excluded) == (text, unwanted, ())
    assert (query.phrases, query.strict, query.required) == ((), False, ())


def test_words_and_phrases_may_be_wanted_and_unwanted_in_one_query() -> None:
    query = read('"blue cup" tea -milk -"green tea"')
    assert (query.text, query.phrases, query.strict) == ('"blue cup" tea', ("blue cup",), True)
    assert (query.excluded, query.unwanted) == (("milk",), ("milk", "green tea"))


@every(
    ("typed", "phrase"),
    [
        ('"rsync -avz" flags', "rsync -avz"),
        ('flags "-avz rsync"', "-avz rsync"),
        ("«rsync -avz» flags", "rsync -avz"),
        ("“rsync -avz” flags", "rsync -avz"),
        ("„rsync -avz“ flags", "rsync -avz"),
    ],
)
def test_a_minus_inside_of_a_quotation_is_a_part_of_it(typed: str, phrase: str) -> None:
    query = read(typed)
    assert (query.phrases, query.strict, query.text) == ((phrase,), True, typed)
    assert (query.excluded, query.unwanted) == ((), ())
    assert query_words("avz")[0] in query.words
    beside = read(f"{typed} -backup")
    assert (beside.phrases, beside.text, beside.excluded) == ((phrase,), typed, ("backup",))


@every(
    "typed",
    [
        "explain the flags of our nightly rsync -avz backups",
        'rsync "green tea" -milk',
        'tea -"green tea"',
        "froide -l'eau",
        "«зелёный чай» -молоко",
    ],
)
def test_without_signs_everything_is_only_characters(typed: str) -> None:
    query = read_query(typed, NOW, signs=False)
    assert (query.text, query.words) == (typed, query_words(typed))
    assert (query.phrases, query.strict, query.required) == ((), False, ())
    assert (query.excluded, query.unwanted) == ((), ())
    assert read(typed) != query


def test_without_signs_a_time_is_still_a_time() -> None:
    query = read_query('what happened yesterday -tea "milk"', NOW, signs=False)
    assert [query.text[span.start : span.end] for span in query.spans] == ["yesterday"]
    assert read_query("what did you recommend -tea", NOW, signs=False).asks_assistant


def test_an_excluded_word_takes_its_other_forms_along() -> None:
    assert set(read("auto -klíče").excluded) >= set(query_terms(query_words("klíče")))


@every("typed", ["well-known", "tea - milk", "tea --milk", "tea -5", "-5", "tea–milk", "-"])
def test_any_other_minus_is_only_a_character(typed: str) -> None:
    query = read(typed)
    assert (query.excluded, query.text) == ((), typed)
    assert query.words == query_words(typed)


@every("typed", ["-milk", "-milk -sugar", " -milk - ! ", '-milk "', "-молоко", "-l'eau", "-東京都"])
def test_who_excludes_everything_searches_for_it(typed: str) -> None:
    query = read(typed)
    assert (query.text, query.excluded, query.unwanted) == (typed, (), ())
    assert query.words == query_words(typed) != ()


def test_who_excludes_nothing_but_a_phrase_searches_for_it_too() -> None:
    query = read('-"green tea"')
    assert (query.phrases, query.excluded, query.unwanted) == (("green tea",), (), ())


@every(
    ("typed", "whole"),
    [
        ("light.office", "light.office"),
        ("text-embedding-3-small", "text-embedding-3-small"),
        ("#1204", "#1204"),
        ("anna@example.org", "anna@example.org"),
        ("docs/setup.md", "docs/setup.md"),
        ("2026-03-01", "2026-03-01"),
        ("Where is light.office?", "light.office"),
        ("Ticket #1204, please", "#1204"),
    ],
)
def test_an_identifier_is_asked_for_whole_and_in_parts(typed: str, whole: str) -> None:
    query = read(typed)
    assert terms(query) > {whole}
    assert (query.excluded, query.phrases, query.text) == ((), (), typed)
    assert terms(query) <= set(index_terms(typed))


@every(
    "typed",
    [
        "tea AND coffee",
        "tea OR coffee NOT milk",
        "NEAR(tea coffee, 5)",
        "content:tea ^coffee",
        "tea* + coffee",
        "{content user_id} : tea",
        "tea & coffee | !milk",
        "tea <-> coffee:*",
        "'; DROP TABLE memories; --",
        "tea' OR '1'='1",
        "100% _tea_ \\ % tea",
        "$1 :user_id ?1 @tea",
        "tea; SELECT pg_sleep(10)",
        "tea /* coffee */",
        "[tea](coffee) `rm`",
    ],
)
def test_the_syntax_of_databases_is_text(typed: str) -> None:
    query = read(typed)
    assert (query.text, query.phrases, query.required) == (typed, (), ())
    assert terms(query) <= set(index_terms(typed))
    assert terms(query)


@every(
    "typed",
    [
        "what happened last night?",
        "What happened yesterday",
        "show me everything from yesterday",
        "what's new since yesterday?",
        "summary of last week",
        "2026-02-28",
        "что произошло вчера?",
        "что было на прошлой неделе?",
        "покажи события за вчера",
        "co se stalo včera?",
        "co bylo minulý týden?",
        "ukaž mi události včera",
        "was ist gestern passiert?",
        "was gab es letzte Woche Neues?",
        "zeig mir Ereignisse von gestern",
    ],
)
def test_who_names_only_a_time_asks_for_whatever_happened(typed: str) -> None:
    query = read(typed)
    assert query.open_ended
    assert query.spans
    assert not read_query(typed, None).open_ended
    assert read_query(typed, None).spans == ()


@every(
    "typed",
    [
        "what happened?",
        "what happened to Anna last night?",
        "what did Anna say yesterday?",
        'what happened yesterday with "green tea"?',
        "что произошло с Анной вчера?",
        "co se stalo Anně včera?",
        "was ist Anna gestern passiert?",
        "tea",
    ],
)
def test_who_names_something_asks_for_that(typed: str) -> None:
    assert not read(typed).open_ended


def test_times_are_of_the_clock_of_whoever_asks() -> None:
    (span,) = read_query("yesterday", NOW.astimezone(ZoneInfo("Europe/Prague"))).spans
    assert span.since == datetime(2026, 2, 27, 23, tzinfo=UTC)
    assert span.until == datetime(2026, 2, 28, 23, tzinfo=UTC)


def test_the_place_of_a_time_is_in_the_text_that_is_left() -> None:
    query = read("tea -milk yesterday")
    (span,) = query.spans
    assert query.text[span.start : span.end] == "yesterday"


@every(
    ("typed", "kind"),
    [
        ("Which animals does Tom have?", "pet"),
        ("what are Anna's hobbies", "hobby"),
        ("Co mají za mazlíčky?", "pet"),
        ("Jaké koníčky má Hynek?", "hobby"),
        ("Welche Haustiere haben sie?", "pet"),
        ("Какие животные есть у Глеба?", "pet"),
        ("Jakie zwierzęta ma Olek?", "pet"),
        ("Які тварини є в Олени?", "pet"),
        ("Quels animaux a Julie ?", "pet"),
        ("¿Qué mascotas tiene Ana?", "pet"),
        ("Quali animali ha Marco?", "pet"),
        ("Que animais tem a Rita?", "pet"),
        ("Welke huisdieren heeft Jan?", "pet"),
        ("Ce animale are Ioana?", "pet"),
        ("which sports do I do?", "sport"),
    ],
)
def test_a_question_may_ask_for_all_of_a_kind(typed: str, kind: str) -> None:
    assert kind in read(typed).kinds


@every("typed", ["Tom has animals", "where do I live?", "What does it mean that «animals» sleep?"])
def test_other_texts_ask_for_no_kind(typed: str) -> None:
    assert not read(typed).kinds


@every(
    "typed",
    [
        "what did you recommend?",
        "which tea did you suggest",
        "remind me of your recommendations",
        "the book you told me about",
        "что ты советовал?",
        "какую книгу вы посоветовали, какой был ваш совет?",
        "co jsi mi doporučil?",
        "co jste říkal o čaji",
        "was hast du empfohlen?",
        "wie war dein Vorschlag?",
        "the training plan you made for me",
        "the recipe from last time",
        "recept z minula",
        "der Plan vom letzten Mal",
        "план с прошлого раза",
        "jaką książkę mi poleciłeś?",
        "що ти мені порадив?",
        "quel restaurant m'as-tu conseillé ?",
        "¿qué me recomendaste?",
        "che cosa mi hai consigliato?",
        "o que você recomendou?",
        "wat heb je me aangeraden?",
        "ce mi-ai recomandat?",
    ],
)
def test_what_the_assistant_said_may_be_asked_for(typed: str) -> None:
    assert read(typed).asks_assistant


@every(
    "typed",
    [
        "what did Anna recommend?",
        "do you know Anna?",
        "advice of the doctor",
        "что сказала Анна?",
        "Kaffee",
        "kde je recept, který Jana doporučila?",
        "qu'est-ce qu'Anna a conseillé ?",
        "¿qué recomendó Anna?",
        "che cosa ha consigliato Anna?",
        "wat heeft Anna aangeraden?",
        "co poleciła Anna?",
    ],
)
def test_what_others_said_is_not_what_the_assistant_said(typed: str) -> None:
    assert not read(typed).asks_assistant


@every(
    ("typed", "language"), [("where are the keys", "en"), ("где ключи", "ru"), ("kde jsou klíče", "cs"), ("1204", None)]
)
def test_the_language_is_guessed(typed: str, language: str | None) -> None:
    assert read(typed).language == language


def test_no_more_words_than_anybody_needs() -> None:
    typed = " ".join(f"w{number}" for number in range(500))
    assert len(read(typed).words) == _MOST_WORDS


def test_phrases_are_compared_without_case_and_with_single_blanks() -> None:
    assert normal("  Green\n\tTEA ") == "green tea"
    assert normal("Straße") == normal("STRASSE")


fragments = st.sampled_from(
    ['"', "«", "»", "“", "„", "”", " -", "-", "?", "yesterday", "в марте", "tea", " ", "\n", "'", "\u200f", "é", "猫"]
)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=2_000)
typed_texts = st.one_of(anything, st.lists(fragments, max_size=60).map("".join))


@untimed
@given(typed_texts)
def test_whatever_is_typed_can_be_taken_apart(typed: str) -> None:
    for text in (typed, clean(typed)):
        query = read_query(text, NOW)
        assert query.text == text or query.excluded or query.unwanted
        assert len(query.words) <= _MOST_WORDS
        assert all(forms and all(forms) for forms in (*query.words, *query.required))
        assert query.strict <= bool(query.phrases)
        assert bool(query.required) <= query.strict
        assert all(normal(phrase) == phrase for phrase in query.phrases)
        assert all(0 <= span.start < span.end <= len(query.text) for span in query.spans)
        assert all(normal(phrase) == phrase for phrase in query.unwanted)
        assert read_query(text, NOW, signs=False).text == text
        assert query == read_query(text, NOW)
        hash(query)


@untimed
@given(st.text("abc \"'-.«»“”„?", max_size=40))
def test_nothing_is_asked_for_that_was_not_typed(typed: str) -> None:
    query = read_query(typed, NOW)
    assert terms(query) <= set(index_terms(query.text))
    assert len(set(query.excluded)) == len(query.excluded)
