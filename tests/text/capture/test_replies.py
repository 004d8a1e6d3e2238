# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Which question a reply answers, and what the question says about the answer."""

from dataclasses import replace

from benchmarks.labelled_messages import load_messages, score
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.readings import Captured, SkippedStatement, TextSpan
from recollect.models.local import LocalReader
from recollect.text.capture import CaptureRules
from recollect.text.capture.capturing import judge
from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.replies import AnsweredQuestion, asked_in, question_of
from tests.benchmarks.test_replies_data import FOLDER
from tests.growth import assert_linear
from tests.rows import every
from tests.text.capture.marked import Told, marked

LONG = "and the one with the blue roof that we saw on the way to the lake last summer " * 5


@every(
    ("before", "question"),
    [
        ("What's your sister's name?", "What's your sister's name?"),
        ("Nice to meet you. What's your sister's name?", "What's your sister's name?"),
        ("Nice to meet you! Where do you live? What do you do there?", "Where do you live? What do you do there?"),
        ("What is the plan? I see. Where do you live now?", "Where do you live now?"),
        ("Where do you live now? Take your time.", "Where do you live now?"),
        ("Which editor do you use? Vim?", "Which editor do you use? Vim?"),
        ("I have found two trains to Graz. Which one?", "I have found two trains to Graz. Which one?"),
        ("Why? Because then I can book a table.", "Why? Because then I can book a table."),
        ("Please tell me where you live.", "Please tell me where you live."),
        ("It rains. Please tell me where you live.", "Please tell me where you live."),
        ("**What's your sister's name?**", "What's your sister's name?"),
        ("- Where do you live now?", "Where do you live now?"),
        ("Ok", "Ok"),
        ("", ""),
        ("  \n ", ""),
        ("…", ""),
        # in all languages that the reader was taught
        ("Těší mě. Jak se jmenuje tvůj pes?", "Jak se jmenuje tvůj pes?"),
        ("Freut mich. Wie heißt deine Tochter?", "Wie heißt deine Tochter?"),
        ("Очень приятно. Как зовут вашу жену?", "Как зовут вашу жену?"),
        ("Miło mi. Jak ma na imię twój syn?", "Jak ma na imię twój syn?"),
        ("Дуже приємно. Як звати вашого сина?", "Як звати вашого сина?"),
        ("Enchanté. Comment s'appelle ton chien ?", "Comment s'appelle ton chien ?"),
        ("Encantado. ¿Cómo se llama tu hija?", "¿Cómo se llama tu hija?"),
        ("Piacere. Come si chiama tua moglie?", "Come si chiama tua moglie?"),
        ("Leuk. Hoe heet je oudste zus?", "Hoe heet je oudste zus?"),
        ("Muito prazer. Como se chama a sua filha?", "Como se chama a sua filha?"),
        ("Îmi pare bine. Cum îl cheamă pe câine?", "Cum îl cheamă pe câine?"),
    ],
)
def test_what_is_asked_stands_at_the_end_of_a_turn(before: str, question: str) -> None:
    assert asked_in(before) == question


def test_a_long_question_is_kept_by_its_end() -> None:
    question = asked_in(f"Do you mean the red house {LONG}or the green one?")
    assert question.endswith("last summer or the green one?")
    assert 200 < len(question) <= 240
    assert question.split()[0] in LONG.split()
    assert asked_in("x" * 3_000 + "?") == "x" * 239 + "?"


def test_questions_that_are_too_long_together_are_not_kept_together() -> None:
    first = f"Do you mean the red house {LONG[:200]}?"
    assert asked_in(f"{first} Or was it the green one?") == "Or was it the green one?"


@given(st.text(alphabet="aB ?.!\n-*…¿é我", max_size=80))
def test_a_question_is_a_part_of_its_turn(before: str) -> None:
    place = question_of(before)
    assert place is None or (0 <= place.start < place.end <= len(before) and place.of(before).strip())


def test_finding_the_question_takes_time_in_proportion() -> None:
    assert_linear(lambda size: question_of("Why? " * size), 2_000)


def judged(
    before: str, message: str, told: Told, *, needs: float = 0.9, about: str = ""
) -> tuple[Captured | SkippedStatement, ...]:
    """Give what becomes of a message with one marked statement after a turn."""
    text, reading = marked(message, told)
    reading = replace(reading, statements=tuple(replace(one, needs=needs, about=about) for one in reading.statements))
    captured, skipped = judge(text, reading, before=before)
    return (*captured, *skipped)


def kept(before: str, message: str, key: str = "", *, needs: float = 0.9, about: str = "") -> tuple[str, str, str, str]:
    (one,) = judged(before, message, Told(key=key), needs=needs, about=about)
    assert isinstance(one, Captured), one
    return one.content, one.subject, one.key or one.property, one.value


@every(
    ("before", "message", "content"),
    [
        ("What's your sister's name?", "[{Jana}]", "What's your sister's name? Jana"),
        ("Any allergies?", "yes, [{peanuts}]", "Any allergies? yes, peanuts"),
        ("Tell me about your sister", "[her name is {Jana}]", "Tell me about your sister. her name is Jana"),
        ("Nice. And\nyour sister's name?", "oh it is [{Jana}].", "And your sister's name? oh it is Jana"),
        (
            "What's the name of your sister?",
            "well let me think for a bit: [{Jana}]",
            "What's the name of your sister? Jana",
        ),
    ],
)
def test_an_answer_comes_after_its_question(before: str, message: str, content: str) -> None:
    assert kept(before, message)[0] == content


def test_what_can_be_understood_alone_is_kept_alone() -> None:
    before = "Tell me about the place where you live."
    assert kept(before, "[I live in {Brno}]", "home", needs=0.02) == ("I live in Brno", "user", "home", "Brno")
    assert kept("", "[I live in {Brno}]", "home") == ("I live in Brno", "user", "home", "Brno")
    # what speaks of "it" leans on a question, whatever the reader says
    assert kept("Is the shed locked?", "[it is locked with a {chain}]", needs=0.02)[0].startswith("Is the shed locked?")


@every(
    ("before", "message", "about", "subject"),
    [
        ("What's your sister's name?", "[{Jana}]", "your sister", "sister"),
        ("Where do you live?", "[in {Brno}]", "", "user"),
        ("What's your sister's name?", "[<my sister> is {Jana}]", "your sister", "sister"),
    ],
)
def test_the_subject_is_whom_the_question_asks_about(before: str, message: str, about: str, subject: str) -> None:
    assert kept(before, message, about=about)[1] == subject


@every(
    ("before", "message", "key", "expected"),
    [
        # what is asked for by a phrase that means nothing else is filled, whatever key the reader names
        ("Where do you live?", "[{Brno}]", "origin", ("home", "Brno")),
        ("Kde bydlíte?", "[v {Brně}]", "", ("home", "Brně")),
        ("Wo wohnst du?", "[in {Graz}]", "", ("home", "Graz")),
        ("Где вы живёте?", "[в {Омске}]", "", ("home", "Омске")),
        ("Dónde vives?", "[en {Lugo}]", "", ("home", "Lugo")),
        ("Où habites-tu ?", "[à {Lyon}]", "", ("home", "Lyon")),
        ("Dove abiti?", "[a {Bari}]", "", ("home", "Bari")),
        ("Waar woon je?", "[in {Gent}]", "", ("home", "Gent")),
        ("Onde você mora?", "[em {Braga}]", "", ("home", "Braga")),
        ("Gdzie mieszkasz?", "[w {Łodzi}]", "", ("home", "Łodzi")),
        ("Де ви живете?", "[у {Луцьку}]", "", ("home", "Луцьку")),
        ("Unde locuiți?", "[la {Iași}]", "", ("home", "Iași")),
        ("What's your name?", "[{Petra}]", "", ("name", "Petra")),
        # of a list all is the value, not its last part, and of a sentence that goes on one; of a time nothing is
        ("Which pets do you have?", "[a cat and {a dog}]", "pet", ("pet", "a cat and a dog")),
        ("Which pets do you have?", "[a cat, {a dog}]", "pet", ("pet", "a cat, a dog")),
        ("What's your sister's name?", "[{Jana}, she is 12]", "sibling", ("sibling", "Jana")),
        ("You moved to Lyon?", "[yes, in {May}]", "home", ("home", "")),
        # and "yes" is no part of it
        ("Which pets do you have?", "[yes, {cats} and dogs]", "pet", ("pet", "cats and dogs")),
    ],
)
def test_the_question_says_what_the_value_is_of(before: str, message: str, key: str, expected: tuple[str, str]) -> None:
    assert kept(before, message, key)[2:] == expected


@every(
    ("before", "message", "key"),
    [
        ("What's your PIN?", "[{4711}]", ""),
        ("What's the password of the wifi?", "[{sunflower}]", ""),
        ("Wie lautet der Türcode?", "[{4490}]", ""),
        ("Jaké je heslo k wifi?", "[{slunecnice}]", ""),
        ("Какой пароль от вайфая?", "[{подсолнух}]", ""),
        ("Quel est le code du portail ?", "[{4490}]", "code"),
        ("Which one opens the garage?", "it's [{4490}]", "code"),
    ],
)
def test_a_secret_that_was_asked_for_is_not_kept(before: str, message: str, key: str) -> None:
    (one,) = judged(before, message, Told(key=key))
    assert isinstance(one, SkippedStatement)
    assert one.reason == "secret"


@every(
    ("before", "offered", "choice"),
    [
        ("Shall I add it to the list?", 1.0, 0.0),
        ("Mám pokračovat?", 1.0, 0.0),
        ("Soll ich weitermachen?", 1.0, 0.0),
        ("Tea or coffee?", 0.0, 1.0),
        ("Kávu, nebo čaj?", 0.0, 1.0),
        ("What's your sister's name?", 0.0, 0.0),
    ],
)
def test_what_is_offered_or_left_to_choose_is_told_apart(before: str, offered: float, choice: float) -> None:
    features = answered(before, "[yes]").features
    assert (features["offered"], features["choice"], features["first"]) == (offered, choice, 1.0)


def test_only_a_sure_answer_is_weighed_by_its_question() -> None:
    assert answered("Shall I add it to the list?", "[yes]", needs=0.3).features == {}
    assert answered("Tea or coffee?", "Good question. [tea]").features["first"] == 0.0


def answered(before: str, message: str, *, needs: float = 0.9) -> AnsweredQuestion:
    text, reading = marked(message, Told())
    (statement,) = reading.statements
    found = AnsweredQuestion.of(before, OwnWords.of(text), replace(statement, needs=needs), statement.span, 0)
    assert found is not None
    return found


def test_where_the_question_stands_is_kept() -> None:
    before = "Nice to meet you. What's your sister's name?"
    (one,) = judged(before, "[{Jana}]", Told())
    assert isinstance(one, Captured)
    assert one.question == TextSpan(18, len(before))


def test_replies_that_no_weight_was_fitted_on_are_judged_well(reader: LocalReader) -> None:
    messages = load_messages(FOLDER)
    counted = score(
        messages, [reader.read(message.text, asked_in(message.before)) for message in messages], CaptureRules()
    )
    print(f"\n{counted.line}")  # noqa: T201 - to be read
    assert counted.answers_found >= 0.8 * counted.answers
    assert counted.found >= 0.8 * counted.facts
    assert counted.right >= 0.85 * counted.kept
    assert counted.silent_taught <= 0.1 * counted.silent
