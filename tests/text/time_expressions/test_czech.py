import pytest

from tests.text.time_expressions.reading import Case, found, read_cases, read_lines

CASES = """
co pípalo [v noci]? => 2024-05-14T18:00 .. 2024-05-15T06:00
co [v noci] pípalo => 2024-05-14T18:00 .. 2024-05-15T06:00
[v noci na dnešek] => 2024-05-14T18:00 .. 2024-05-15T06:00
spadlo to [přes noc] => 2024-05-14T18:00 .. 2024-05-15T06:00
[včera pozdě večer] => 2024-05-14T18:00 .. 2024-05-15
[vcera vecer] => 2024-05-14T18:00 .. 2024-05-15
[předevčírem večer] => 2024-05-13T18:00 .. 2024-05-14
[v letech 2020 až 2021] => 2020-01-01 .. 2022-01-01
[dva dny zpátky] => 2024-05-13 .. 2024-05-14
[před dvaceti lety] => 2004-01-01 .. 2005-01-01
[v první polovině dubna] => 2024-04-01 .. 2024-04-16
[loňské Vánoce] => 2023-12-24 .. 2023-12-27
[během posledního měsíce] => 2024-04-15 .. now
[do konce roku 2023] => ever .. 2024-01-01
[od začátku roku] => 2024-01-01 .. now
[koncem měsíce] => 2024-04-21 .. 2024-05-01
[poslední tři měsíce roku 2023] => 2023-10-01 .. 2024-01-01
[poslední týden v dubnu] => 2024-04-24 .. 2024-05-01
[12.\u201314. března] => 2024-03-12 .. 2024-03-15
bolí mě záda po [včerejším] tréninku => 2024-05-14 .. 2024-05-15
trénink [ve čtvrtek] v sedm => 2024-05-09 .. 2024-05-10
co jsem dělal [dnes] => 2024-05-15 .. 2024-05-16
co bylo [dneska] k obědu => 2024-05-15 .. 2024-05-16
co jsem jedl [včera]? => 2024-05-14 .. 2024-05-15
[vcera] => 2024-05-14 .. 2024-05-15
kde jsem byl [předevčírem] => 2024-05-13 .. 2024-05-14
co mám [zítra] => 2024-05-16 .. 2024-05-17
[pozítří] => 2024-05-17 .. 2024-05-18
[včerejší] schůzka => 2024-05-14 .. 2024-05-15
kdo volal [dnes ráno] => 2024-05-15T05:00 .. 2024-05-15T12:00
[dnes odpoledne] => 2024-05-15T12:00 .. 2024-05-15T18:00
[dnes dopoledne] => 2024-05-15T08:00 .. 2024-05-15T12:00
[dneska večer] => 2024-05-15T18:00 .. 2024-05-16
na co jsme koukali [včera večer] => 2024-05-14T18:00 .. 2024-05-15
[včera v noci] => 2024-05-14T18:00 .. 2024-05-15T06:00
[minulou noc] => 2024-05-14T18:00 .. 2024-05-15T06:00
[dnes v noci] => 2024-05-14T18:00 .. 2024-05-15T06:00
[zítra ráno] => 2024-05-16T05:00 .. 2024-05-16T12:00
co jsme rozhodli [minulý týden] => 2024-05-06 .. 2024-05-13
[minuly tyden] => 2024-05-06 .. 2024-05-13
[v minulém týdnu] => 2024-05-06 .. 2024-05-13
[tento týden] => 2024-05-13 .. 2024-05-20
[tenhle týden] => 2024-05-13 .. 2024-05-20
[příští týden] => 2024-05-20 .. 2024-05-27
[předminulý týden] => 2024-04-29 .. 2024-05-06
[minulý měsíc] => 2024-04-01 .. 2024-05-01
[tento měsíc] => 2024-05-01 .. 2024-06-01
[příští měsíc] => 2024-06-01 .. 2024-07-01
kam jsme jeli [loni] => 2023-01-01 .. 2024-01-01
[minulý rok] => 2023-01-01 .. 2024-01-01
[letos] => 2024-01-01 .. 2025-01-01
[předloni] => 2022-01-01 .. 2023-01-01
[příští rok] => 2025-01-01 .. 2026-01-01
[minulé čtvrtletí] => 2024-01-01 .. 2024-04-01
[minulý víkend] => 2024-05-11 .. 2024-05-13
[tento víkend] => 2024-05-18 .. 2024-05-20
co jsem dělal [o víkendu] => 2024-05-11 .. 2024-05-13
co bylo [v pondělí] => 2024-05-13 .. 2024-05-14
co bylo [v pátek] => 2024-05-10 .. 2024-05-11
[ve středu] => 2024-05-15 .. 2024-05-16
[v úterý večer] => 2024-05-14T18:00 .. 2024-05-15
[minulou středu] => 2024-05-08 .. 2024-05-09
[minulé pondělí] => 2024-05-13 .. 2024-05-14
[tento pátek] => 2024-05-17 .. 2024-05-18
[příští pátek] => 2024-05-17 .. 2024-05-18
[v úterý minulý týden] => 2024-05-07 .. 2024-05-08
[minulý týden v úterý] => 2024-05-07 .. 2024-05-08
kde jsem byl [v březnu]? => 2024-03-01 .. 2024-04-01
[v breznu] => 2024-03-01 .. 2024-04-01
[v květnu] => 2024-05-01 .. 2024-06-01
[v září] => 2023-09-01 .. 2023-10-01
[loni v březnu] => 2023-03-01 .. 2023-04-01
[v březnu minulého roku] => 2023-03-01 .. 2023-04-01
[v březnu 2022] => 2022-03-01 .. 2022-04-01
[v březnu roku 2022] => 2022-03-01 .. 2022-04-01
[květen 2023] => 2023-05-01 .. 2023-06-01
[minulý březen] => 2024-03-01 .. 2024-04-01
[začátkem března] => 2024-03-01 .. 2024-03-11
[v polovině března] => 2024-03-11 .. 2024-03-21
[koncem března 2023] => 2023-03-21 .. 2023-04-01
[na konci května] => 2023-05-21 .. 2023-06-01
[na začátku minulého roku] => 2023-01-01 .. 2023-05-01
výlety [v roce 2022] => 2022-01-01 .. 2023-01-01
fotky [z roku 2019] => 2019-01-01 .. 2020-01-01
[minulé léto] => 2023-06-01 .. 2023-09-01
kam jsme jeli [v létě] => 2023-06-01 .. 2023-09-01
[loni v létě] => 2023-06-01 .. 2023-09-01
[letos na jaře] => 2024-03-01 .. 2024-06-01
[minulou zimu] => 2023-12-01 .. 2024-03-01
[v zimě 2022] => 2021-12-01 .. 2022-03-01
[v zimě 2022/23] => 2022-12-01 .. 2023-03-01
[na podzim 2021] => 2021-09-01 .. 2021-12-01
[na podzim roku 2021] => 2021-09-01 .. 2021-12-01
[před dvěma dny] => 2024-05-13 .. 2024-05-14
[před 3 týdny] => 2024-04-22 .. 2024-04-29
[před měsícem] => 2024-04-01 .. 2024-05-01
[před rokem] => 2023-01-01 .. 2024-01-01
[před pěti lety] => 2019-01-01 .. 2020-01-01
[před hodinou] => 2024-05-15T13:00 .. 2024-05-15T14:00
[před pár dny] => 2024-05-12 .. 2024-05-14
[před několika dny] => 2024-05-09 .. 2024-05-14
[před půl rokem] => 2023-10-01 .. 2024-01-01
[onehdy] => 2024-05-01 .. now
co jsem [nedávno] četl => 2024-04-15 .. now
[v poslední době] => 2024-04-15 .. now
[za poslední tři dny] => 2024-05-12 .. now
[v posledních 2 týdnech] => 2024-05-01 .. now
[za poslední měsíc] => 2024-04-15 .. now
[od pondělí] => 2024-05-13 .. now
[od března] => 2024-03-01 .. now
[od roku 2021] => 2021-01-01 .. now
[od minulého týdne] => 2024-05-06 .. now
[od začátku března] => 2024-03-01 .. now
[od včerejška] => 2024-05-14 .. now
[do března] => ever .. 2024-03-01
[před březnem] => ever .. 2024-03-01
[před rokem 2020] => ever .. 2020-01-01
[po březnu] => 2024-04-01 .. now
[po Vánocích] => 2023-12-27 .. now
[mezi březnem a květnem 2023] => 2023-03-01 .. 2023-06-01
[od března do května 2023] => 2023-03-01 .. 2023-06-01
[od pondělí do středy] => 2024-05-13 .. 2024-05-16
[od 5. do 10. května] => 2024-05-05 .. 2024-05-11
[7. května 2023] => 2023-05-07 .. 2023-05-08
[7. května] => 2024-05-07 .. 2024-05-08
[7. 5. 2023] => 2023-05-07 .. 2023-05-08
[dne 7.5.2023] => 2023-05-07 .. 2023-05-08
[od 7.5. do 9.5.] => 2024-05-07 .. 2024-05-10
[20. května] => 2023-05-20 .. 2023-05-21
[prvního května] => 2024-05-01 .. 2024-05-02
[o Vánocích] => 2023-12-24 .. 2023-12-27
[na Silvestra] => 2023-12-31 .. 2024-01-01
[týden před Vánocemi] => 2023-12-17 .. 2023-12-24
[v devadesátých letech] => 1990-01-01 .. 2000-01-01
[v 90. letech] => 1990-01-01 .. 2000-01-01
[v prvním čtvrtletí 2022] => 2022-01-01 .. 2022-04-01
[v druhé polovině minulého roku] => 2023-07-01 .. 2024-01-01
[za dva dny] => 2024-05-17 .. 2024-05-18
přijede [za týden] => 2024-05-20 .. 2024-05-27
@2024-02-10T09:00
[v březnu] => 2023-03-01 .. 2023-04-01
[v zimě] => 2023-12-01 .. 2024-03-01
@2024-03-10T09:00
[v březnu] => 2024-03-01 .. 2024-04-01
[minulý březen] => 2023-03-01 .. 2023-04-01
"""

FALSE_FRIENDS = """
od 2000 do 3000
před lety
od 1950 do 2000 korun
slunce září
hvězdy září nad mořem
Karel Hynek Mácha, Máj
máj
mám rád květen
květen
leden
únor je krátký
duben nebo dub
červený svetr
červen
listopad
pondělí
neděle
středa
oblíbený den je pátek
každé pondělí
každou středu večer
každý víkend
každý rok
každé léto
Velký pátek
rok
týden
den
dny
poslední
poslední kus
minulost
minulý čas
příští zastávka
pokoj 2022
2022
stojí 2022 korun
do 2000 korun
verze 7.5.2023
1.2.3
10/12
v 8
v 8:30
31. února 2023
30. 2. 2023
32. května
kdy jsme se potkali?
kdy jsem se přestěhoval do Prahy
dobré ráno
dobrý večer
dobrou noc
dobrý den
vteřinu
druhý pokus
do Prahy
do práce
od mámy
po obědě
před domem
za domem
na konci ulice
mezi námi
do zítra!
léto
zima je mi
je mi zima
píseň „Včera“
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
