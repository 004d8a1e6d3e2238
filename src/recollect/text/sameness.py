# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Whether two texts whose vectors nearly coincide really say the same, before one of them is dropped as a repetition.

The invariant: in doubt they differ. Keeping both costs a row; dropping the wrong one loses a fact. Encoders hardly see
what decides here: numbers, names, negation, opposites, and who did it to whom.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.text.clean import fingerprint_text, fold
from recollect.text.language import guess_language
from recollect.text.stems import LATIN_LANGUAGES, stem
from recollect.text.stopwords import STOP_WORDS

_TOKEN = re.compile(r"[#@+-]?\w+(?:[.@#/:+,'-]\w+)*[%+#]*|[?%€$£¥₽°\u2190-\u2bff\U0001f000-\U0001faff]")
_IDENTIFIER = re.compile(r"[\d_.@#/:+]|^\W")
_LAST_KNOWN_SCRIPT = "\u052f"  # the words below are in Latin and Cyrillic; of other scripts every word must agree


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEGATIONS = _words("""
    not no never none nobody nothing nowhere neither nor without cannot
    не нет ни никогда никто ничего нигде никак нельзя без ні немає ніколи ніхто нічого
    ne není nemá nikdy nic nikdo nikde žádný žádná žádné bez nesmí nelze
    nicht kein keine keinen keinem keiner keines nie niemals niemand nichts nirgends ohne
    pas jamais aucun aucune rien sans nunca jamás nadie nada ningún ninguna sin non mai nessuno niente senza não ninguém
    nenhum sem niet geen nooit niets zonder nigdy nikt nu niciodată nimeni nimic fără inte ikke ingen ei nem nincs değil
    yok
""")
_NEGATION = "not"

# Words that say nothing: with or without them it is the same sentence.
_FILLERS = _words("""
    a an the well so oh yes okay ok just really please again also hey hi ну вот же да так пожалуйста опять снова no tak
    ano jo prosím zase zas der die das ein eine einen ja also doch bitte mal wieder le la les un une el los las il lo
""")
_NEGATIVE_PREFIXES = ("un", "dis", "in", "im", "non", "ne", "nie", "не", "без", "dé", "des", "s")

# Words that decide. Of a pair of opposites one is enough: a text that has it is no repetition of one that lacks it.
_DECISIVE = (
    _words("""
        off out down before under below left outside closed shut hate hates hated dislike dislikes disliked avoid avoids
        allergic always sometimes rarely seldom only all every less fewer least disabled disable stop stops stopped quit
        end ends ended forbidden denied rejected refused decreased sell sold lost false late later last previous former
        formerly old cold low small short slow bad worse worst cheap dark divorced single hardly barely longer almost
        morning noon afternoon evening night midnight tomorrow yesterday weekly monthly yearly monday tuesday wednesday
        thursday friday saturday sunday january february march april may june july august september october november
        december spring summer autumn winter north south east west zero one two three four five six seven eight nine ten
        eleven twelve hundred thousand million half double twice once mother father mom dad brother sister son daughter
        wife husband aunt uncle he his him she her red green blue yellow black white brown orange purple pink grey gray
    """)
    | _words("""
        до под слева левый левая левое левой снаружи закрыт закрыта закрыто ненавидит ненавижу избегает всегда иногда
        редко только все меньше выключить выключен выключена выключено закончил поздно позже последний старый холодный
        низкий маленький медленно плохо хуже дешёвый тёмный утром утро утра днём вечером вечер вечера ночью ночь завтра
        вчера понедельник понедельникам вторник среда среду средам четверг пятница пятницу пятницам суббота субботу
        воскресенье январь января февраль февраля март марта апрель апреля май мая июнь июня июль июля август августа
        сентябрь сентября октябрь октября ноябрь ноября декабрь декабря весной летом осенью зимой один одна два две три
        четыре пять шесть семь восемь девять десять мать отец мама папа брат сестра сын дочь жена муж он она его её
        красный зелёный синий жёлтый чёрный белый коричневый
    """)
    | _words("""
        před pod vlevo levý levá levé venku zavřeno nerad nerada nenávidí vždy někdy zřídka jen všechno méně vypnuto
        vypnout vypnutý vypnuté skončil pozdě později poslední starý studený nízký malý pomalu špatně hůře levný tmavý
        ráno dopoledne odpoledne večer noc zítra včera pondělí úterý středa středu čtvrtek pátek sobota sobotu neděle
        neděli leden ledna únor února březen března duben dubna květen května červen června červenec července srpen
        srpna září říjen října listopad listopadu prosinec prosince jeden jedna dva dvě tři čtyři pět šest sedm osm
        devět deset matka otec bratr sestra syn dcera manželka manžel on ona jeho její červený zelený modrý žlutý černý
        bílý hnědý
    """)
    | _words("""
        vor unter links linke linken aussen geschlossen hasst hasse immer manchmal selten nur alle weniger aus
        ausgeschaltet ausschalten endet spät später letzte letzten alt kalt niedrig klein langsam schlecht schlechter
        billig dunkel morgens mittags nachmittags abends nachts gestern eins zwei drei vier fünf sechs sieben acht neun
        zehn er sie sein ihr rot grün blau gelb schwarz weiss braun
    """)
)


@dataclass(frozen=True, slots=True)
class _Word:
    spelled: str
    key: str  # equal for two forms of one word
    decides: bool
    has_content: bool


def same_statement(a: str, b: str) -> bool:
    """Tell whether two nearly equal texts surely say the same: no number, name, negation or opposite tells them apart.

    Meant for texts whose vectors nearly coincide; it does not know that unrelated sentences differ.
    """
    guess = guess_language(a)
    language = guess if guess in LATIN_LANGUAGES and guess == guess_language(b) else "en"
    ours, theirs = list(_read(a, language)), list(_read(b, language))
    content = {word.key for word in ours if word.has_content} & {word.key for word in theirs if word.has_content}
    decisive = content | {word.key for word in ours + theirs if word.decides}
    if not content or [w.key for w in ours if w.key in decisive] != [w.key for w in theirs if w.key in decisive]:
        return fingerprint_text(a) == fingerprint_text(b)
    return not (_negated(ours, theirs) or _negated(theirs, ours))


def repeats(a: str, b: str) -> bool:
    """Tell whether one text says the other again: the same words in the same order, but for articles and fillers."""
    ours, theirs = ([word for word in _TOKEN.findall(fold(text)) if word not in _FILLERS] for text in (a, b))
    return ours == theirs


def _read(text: str, language: str) -> Iterator[_Word]:
    """Give the words of a text, with what each is compared by and whether a difference in it decides."""
    stop_words = STOP_WORDS[language] | STOP_WORDS["ru"] | STOP_WORDS["uk"]
    for token in _TOKEN.findall(text.replace("\u2019", "'")):
        spelled = fold(token).removesuffix("'s")
        if spelled in _NEGATIONS or spelled.endswith("n't"):
            yield _Word(spelled, _NEGATION, decides=True, has_content=False)
        elif spelled in stop_words:
            yield _Word(spelled, spelled, decides=spelled in _DECISIVE, has_content=False)
        elif _IDENTIFIER.search(spelled):
            yield _Word(spelled, spelled, decides=True, has_content=True)
        else:
            decides = spelled in _DECISIVE or token != token.lower() or spelled[0] > _LAST_KNOWN_SCRIPT
            yield _Word(spelled, stem(spelled, language), decides=decides, has_content=True)


def _negated(ours: list[_Word], theirs: list[_Word]) -> bool:
    """Tell whether one text has a word that the other has with a negative prefix: má and nemá, happy and unhappy."""
    plain = {word.spelled for word in theirs} | {word.key for word in theirs}
    return any(
        form.startswith(prefix) and form.removeprefix(prefix) in plain
        for word in ours
        for form in (word.spelled, word.key)
        if form not in plain
        for prefix in _NEGATIVE_PREFIXES
    )
