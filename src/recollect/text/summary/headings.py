"""The headings of a summary: the ones we write, and the ones that models write instead."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

Section: TypeAlias = Literal["key_points", "actions", "open_items"]

TITLES = ("Key points discussed", "Actions taken", "Open items")

_SPELLINGS: Mapping[Section, str] = {
    "key_points": """
        key points discussed; key points; main points; points discussed; key point; summary; key facts; key decisions;
        decisions; key takeaways; discussion; key points and decisions; key points & decisions;
        ключевые моменты; основные моменты; ключевые пункты; обсуждённые вопросы; обсуждённые темы; решения;
        klíčové body; hlavní body; projednané body; diskutované body; rozhodnutí;
        wichtige punkte; wichtigste punkte; besprochene punkte; kernpunkte; besprochen; entscheidungen
    """,
    "actions": """
        actions taken; actions; action taken; completed actions; done; completed; what was done;
        выполненные действия; действия; предпринятые действия; сделано; выполнено;
        provedené akce; provedené kroky; akce; hotovo; uděláno;
        durchgeführte aktionen; ergriffene maßnahmen; maßnahmen; aktionen; erledigt; durchgeführte maßnahmen
    """,
    "open_items": """
        open items; open points; open questions; open item; open issues; outstanding items; outstanding; pending;
        pending items; next steps; to do; todo; follow-ups; action items; unresolved;
        открытые вопросы; открытые пункты; нерешённые вопросы; незакрытые вопросы; осталось сделать;
        otevřené body; otevřené otázky; otevřené položky; zbývá; nedořešené;
        offene punkte; offene fragen; offen; noch offen; nächste schritte
    """,
}

HEADINGS: Mapping[str, Section] = {
    " ".join(spelling.casefold().split()): section
    for section, spellings in _SPELLINGS.items()
    for spelling in spellings.split(";")
}
