import pytest

from tests.text.time_expressions.reading import Case, found, read_cases, read_lines

CASES = """
was hat [in der Nacht] gepiept? => 2024-05-14T18:00 .. 2024-05-15T06:00
wer hat geklingelt [in der Nacht]? => 2024-05-14T18:00 .. 2024-05-15T06:00
[in der Nacht auf heute] => 2024-05-14T18:00 .. 2024-05-15T06:00
[heut Nacht] => 2024-05-14T18:00 .. 2024-05-15T06:00
[über Nacht] => 2024-05-14T18:00 .. 2024-05-15T06:00
[gestern Abend] => 2024-05-14T18:00 .. 2024-05-15
[gestern spätabends] => 2024-05-14T18:00 .. 2024-05-15
[vorgestern Abend] => 2024-05-13T18:00 .. 2024-05-14
[2020 bis 2021] => 2020-01-01 .. 2022-01-01
[seit drei Tagen] => 2024-05-12 .. now
[in der ersten Hälfte des April] => 2024-04-01 .. 2024-04-16
[vor zwanzig Jahren] => 2004-01-01 .. 2005-01-01
[bis Ende 2023] => ever .. 2024-01-01
[seit Anfang des Jahres] => 2024-01-01 .. now
[am Ende des Monats] => 2024-04-21 .. 2024-05-01
[in den letzten drei Monaten von 2023] => 2023-10-01 .. 2024-01-01
[12.\u201314. März] => 2024-03-12 .. 2024-03-15
nach der [gestrigen] Sitzung => 2024-05-14 .. 2024-05-15
was habe ich [heute] gemacht => 2024-05-15 .. 2024-05-16
was habe ich [gestern] gegessen? => 2024-05-14 .. 2024-05-15
wo war ich [vorgestern] => 2024-05-13 .. 2024-05-14
was ist [morgen] geplant => 2024-05-16 .. 2024-05-17
[übermorgen] => 2024-05-17 .. 2024-05-18
[uebermorgen] => 2024-05-17 .. 2024-05-18
das [gestrige] Treffen => 2024-05-14 .. 2024-05-15
wer hat [heute Morgen] angerufen => 2024-05-15T05:00 .. 2024-05-15T12:00
[heute Vormittag] => 2024-05-15T08:00 .. 2024-05-15T12:00
[heute Nachmittag] => 2024-05-15T12:00 .. 2024-05-15T18:00
[heute Abend] => 2024-05-15T18:00 .. 2024-05-16
[heute Nacht] => 2024-05-14T18:00 .. 2024-05-15T06:00
was lief [gestern Abend] => 2024-05-14T18:00 .. 2024-05-15
[gestern früh] => 2024-05-14T05:00 .. 2024-05-14T12:00
[letzte Nacht] => 2024-05-14T18:00 .. 2024-05-15T06:00
[in der letzten Nacht] => 2024-05-14T18:00 .. 2024-05-15T06:00
[morgen früh] => 2024-05-16T05:00 .. 2024-05-16T12:00
was wir [letzte Woche] entschieden => 2024-05-06 .. 2024-05-13
[in der letzten Woche] => 2024-05-06 .. 2024-05-13
[diese Woche] => 2024-05-13 .. 2024-05-20
[nächste Woche] => 2024-05-20 .. 2024-05-27
[naechste Woche] => 2024-05-20 .. 2024-05-27
[vorletzte Woche] => 2024-04-29 .. 2024-05-06
[letzten Monat] => 2024-04-01 .. 2024-05-01
[im vergangenen Monat] => 2024-04-01 .. 2024-05-01
[diesen Monat] => 2024-05-01 .. 2024-06-01
[nächsten Monat] => 2024-06-01 .. 2024-07-01
wohin fuhren wir [letztes Jahr] => 2023-01-01 .. 2024-01-01
[im Vorjahr] => 2023-01-01 .. 2024-01-01
[dieses Jahr] => 2024-01-01 .. 2025-01-01
[vorletztes Jahr] => 2022-01-01 .. 2023-01-01
[im letzten Quartal] => 2024-01-01 .. 2024-04-01
[letztes Wochenende] => 2024-05-11 .. 2024-05-13
[dieses Wochenende] => 2024-05-18 .. 2024-05-20
was habe ich [am Wochenende] gemacht => 2024-05-11 .. 2024-05-13
was war [am Montag] => 2024-05-13 .. 2024-05-14
was war [am Freitag] => 2024-05-10 .. 2024-05-11
[am Mittwoch] => 2024-05-15 .. 2024-05-16
[letzten Mittwoch] => 2024-05-08 .. 2024-05-09
[am letzten Montag] => 2024-05-13 .. 2024-05-14
[diesen Freitag] => 2024-05-17 .. 2024-05-18
[nächsten Freitag] => 2024-05-17 .. 2024-05-18
[am Montag Abend] => 2024-05-13T18:00 .. 2024-05-14
[Montagabend] => 2024-05-13T18:00 .. 2024-05-14
[am Samstagnachmittag] => 2024-05-11T12:00 .. 2024-05-11T18:00
[letzte Woche Dienstag] => 2024-05-07 .. 2024-05-08
wo war ich [im März]? => 2024-03-01 .. 2024-04-01
[im Maerz] => 2024-03-01 .. 2024-04-01
[im Mai] => 2024-05-01 .. 2024-06-01
[im November] => 2023-11-01 .. 2023-12-01
[letzten März] => 2024-03-01 .. 2024-04-01
[letzten Mai] => 2023-05-01 .. 2023-06-01
[im März letzten Jahres] => 2023-03-01 .. 2023-04-01
[im März 2022] => 2022-03-01 .. 2022-04-01
[Mai 2023] => 2023-05-01 .. 2023-06-01
[Anfang März] => 2024-03-01 .. 2024-03-11
[Mitte März] => 2024-03-11 .. 2024-03-21
[Ende März 2023] => 2023-03-21 .. 2023-04-01
[Ende Mai] => 2023-05-21 .. 2023-06-01
[Anfang letzten Jahres] => 2023-01-01 .. 2023-05-01
[in der letzten Woche im April] => 2024-04-24 .. 2024-05-01
Reisen [in 2022] => 2022-01-01 .. 2023-01-01
[im Jahr 2022] => 2022-01-01 .. 2023-01-01
Fotos [aus dem Jahr 2019] => 2019-01-01 .. 2020-01-01
[letzten Sommer] => 2023-06-01 .. 2023-09-01
wohin fuhren wir [im Sommer] => 2023-06-01 .. 2023-09-01
[im Sommer letzten Jahres] => 2023-06-01 .. 2023-09-01
[diesen Frühling] => 2024-03-01 .. 2024-06-01
[letzten Winter] => 2023-12-01 .. 2024-03-01
[im Winter 2022] => 2021-12-01 .. 2022-03-01
[im Winter 2022/23] => 2022-12-01 .. 2023-03-01
[im Herbst 2021] => 2021-09-01 .. 2021-12-01
[vor zwei Tagen] => 2024-05-13 .. 2024-05-14
[vor 3 Wochen] => 2024-04-22 .. 2024-04-29
[vor einem Monat] => 2024-04-01 .. 2024-05-01
[vor einem Jahr] => 2023-01-01 .. 2024-01-01
[vor etwa fünf Jahren] => 2019-01-01 .. 2020-01-01
[vor einer Stunde] => 2024-05-15T13:00 .. 2024-05-15T14:00
[vor ein paar Tagen] => 2024-05-12 .. 2024-05-14
[vor einigen Tagen] => 2024-05-09 .. 2024-05-14
[vor einem halben Jahr] => 2023-10-01 .. 2024-01-01
[neulich] => 2024-05-01 .. now
was ich [kürzlich] las => 2024-04-15 .. now
[in letzter Zeit] => 2024-04-15 .. now
[in den letzten drei Tagen] => 2024-05-12 .. now
[in den letzten 2 Wochen] => 2024-05-01 .. now
[seit Montag] => 2024-05-13 .. now
[seit März] => 2024-03-01 .. now
[seit 2021] => 2021-01-01 .. now
[seit letzter Woche] => 2024-05-06 .. now
[seit gestern] => 2024-05-14 .. now
[seit Anfang März] => 2024-03-01 .. now
[vor März] => ever .. 2024-03-01
[bis 2020] => ever .. 2020-01-01
[vor dem 7. Mai] => ever .. 2024-05-07
[nach März] => 2024-04-01 .. now
[nach Weihnachten] => 2023-12-27 .. now
[zwischen März und Mai 2023] => 2023-03-01 .. 2023-06-01
[von März bis Mai 2023] => 2023-03-01 .. 2023-06-01
[von Montag bis Mittwoch] => 2024-05-13 .. 2024-05-16
[vom 5. bis 10. Mai] => 2024-05-05 .. 2024-05-11
[zwischen November und Februar] => 2023-11-01 .. 2024-03-01
[7. Mai 2023] => 2023-05-07 .. 2023-05-08
[am 7. Mai] => 2024-05-07 .. 2024-05-08
[am 7.5.] => 2024-05-07 .. 2024-05-08
[am 7.5.2023] => 2023-05-07 .. 2023-05-08
[am 7. 5. 2023] => 2023-05-07 .. 2023-05-08
[am 20. Mai] => 2023-05-20 .. 2023-05-21
[am ersten Mai] => 2024-05-01 .. 2024-05-02
[am Sonntag, dem 7. Mai 2023] => 2023-05-07 .. 2023-05-08
[zu Weihnachten] => 2023-12-24 .. 2023-12-27
[an Silvester] => 2023-12-31 .. 2024-01-01
[eine Woche vor Weihnachten] => 2023-12-17 .. 2023-12-24
[in den Neunzigern] => 1990-01-01 .. 2000-01-01
[in den 90er Jahren] => 1990-01-01 .. 2000-01-01
[im ersten Quartal 2022] => 2022-01-01 .. 2022-04-01
[in der zweiten Hälfte des letzten Jahres] => 2023-07-01 .. 2024-01-01
[in zwei Tagen] => 2024-05-17 .. 2024-05-18
[in drei Wochen] => 2024-06-03 .. 2024-06-10
@2024-02-10T09:00
[im März] => 2023-03-01 .. 2023-04-01
[im Winter] => 2023-12-01 .. 2024-03-01
@2024-03-10T09:00
[im März] => 2024-03-01 .. 2024-04-01
[letzten März] => 2023-03-01 .. 2023-04-01
@2024-05-15T20:00
[heute Nacht] => 2024-05-15T18:00 .. 2024-05-16T06:00
"""

FALSE_FRIENDS = """
von 2000 bis 3000
vor Jahren
von 1950 bis 2000 Euro
in der Nacht auf Montag
Mai
was mag Frau Mai
Herr August kommt
Herr März und Frau Sommer
August der Starke
letzte
letzten Endes
das letzte Mal
der letzte Versuch
nächste Haltestelle
Guten Morgen
am Morgen trinke ich Kaffee
jeden Morgen
der Morgen
Morgenmuffel
jeden Montag
montags
freitags abends
jedes Wochenende
jedes Jahr
jeden Sommer
mein Lieblingstag ist Freitag
heißt er Freitag?
Karfreitag
schwarzer Freitag
Woche
Tag
Tage
Jahr
Zimmer 2022
2022
kostet 2022 Euro
in 2000 Worten
bis 2000 Euro
Version 7.5.2023
1.2.3
10/12
um 8
um 8:30
31. Februar 2023
30.2.2023
32. Mai
wann haben wir uns getroffen?
wann bin ich nach Prag gezogen
nach München
nach Hause
vor dem Haus
vor allem
seit wann
bis morgen!
bis bald
zwischen uns
von A bis B
Sekunde
zweite Wahl
Mitte
Ende gut, alles gut
am Anfang
am Ende
Sommer
Herbst
Winterreifen
so ist das
der Film „Gestern“
im Mais
"""


@pytest.mark.parametrize("case", read_cases(CASES), ids=str)
def test_what_is_meant(case: Case) -> None:
    assert found(case.query, case.now) == [case.expected]


@pytest.mark.parametrize("query", read_lines(FALSE_FRIENDS))
def test_what_is_no_time(query: str) -> None:
    assert found(query) == []


def test_the_cases_are_many() -> None:
    assert len(read_cases(CASES)) >= 60
    assert len(read_lines(FALSE_FRIENDS)) >= 40
