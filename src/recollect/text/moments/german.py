"""How German says when. `tables` explains the layout.

"Morgen" is tomorrow and morning: after an article, "am" or "guten" it is the morning and means no time.
"""

from recollect.text.moments.tables import Language

_DAYS = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag", "sonnabend")
_PARTS = {
    "morgen": "morning",
    "früh": "morning",
    "vormittag": "forenoon",
    "mittag": "noon",
    "nachmittag": "afternoon",
    "abend": "evening",
    "nacht": "night",
}
_COMPOUNDS = "\n".join(
    f"    {5 if day == 'sonnabend' else number}/{meaning}: {day}{part}"
    for number, day in enumerate(_DAYS)
    for part, meaning in _PARTS.items()
)

_WORDS = f"""
weekdaypart
{_COMPOUNDS}
month
    1: januar jänner januars; 2: februar feber februars; 3: märz märzes; 4: april aprils; 5: mai; 6: juni junis;
    7: juli julis; 8: august augusts; 9: september septembers; 10: oktober oktobers; 11: november novembers;
    12: dezember dezembers
mon
    1: januar jänner jan; 2: februar feber feb; 3: märz; 4: april apr; 5: mai; 6: juni jun; 7: juli jul;
    8: august aug; 9: september sept sep; 10: oktober okt; 11: november nov; 12: dezember dez
weekday
    0: montag; 1: dienstag; 2: mittwoch; 3: donnerstag; 4: freitag; 5: samstag sonnabend; 6: sonntag
part
    morning: morgen früh; forenoon: vormittag; noon: mittag; afternoon: nachmittag; evening: abend
night
    night: nacht
season
    spring: frühling frühjahr frühlings frühjahrs; summer: sommer sommers; autumn: herbst herbstes herbsts;
    winter: winter winters
unit
    week: woche; month: monat monats monate; year: jahr jahres jahre; quarter: quartal quartals;
    weekend: wochenende wochenendes
units
    minute: minute minuten; hour: stunde stunden; day: tag tage tagen tages; week: woche wochen;
    weekend: wochenende wochenenden; month: monat monate monaten; quarter: quartal quartale quartalen;
    year: jahr jahre jahren; decade: jahrzehnt jahrzehnte jahrzehnten
genitive
    month: monats; quarter: quartals; year: jahres
plural
    hour: stunden; day: tage tagen; week: wochen; month: monate monaten; year: jahre jahren
n
    1: ein eine einem einer einen eins; 2: zwei zweien; 3: drei; 4: vier; 5: fünf; 6: sechs; 7: sieben; 8: acht;
    9: neun; 10: zehn; 11: elf; 12: zwölf; 14: vierzehn; 15: fünfzehn; 20: zwanzig; 30: dreißig
ordinal
    1: erste ersten erster; 2: zweite zweiten zweiter; 3: dritte dritten dritter; 4: vierte vierten;
    5: fünfte fünften; 6: sechste sechsten; 7: siebte siebten; 8: achte achten; 9: neunte neunten; 10: zehnte zehnten;
    11: elfte elften; 12: zwölfte zwölften
quarter
    1: erste ersten erstes q1; 2: zweite zweiten zweites q2; 3: dritte dritten drittes q3;
    4: vierte vierten viertes letzten q4
q
    1: q1; 2: q2; 3: q3; 4: q4
decade
    1930: dreißiger dreißigern 30er 30ern 1930er 1930ern; 1940: vierziger vierzigern 40er 40ern 1940er 1940ern;
    1950: fünfziger fünfzigern 50er 50ern 1950er 1950ern; 1960: sechziger sechzigern 60er 60ern 1960er 1960ern;
    1970: siebziger siebzigern 70er 70ern 1970er 1970ern; 1980: achtziger achtzigern 80er 80ern 1980er 1980ern;
    1990: neunziger neunzigern 90er 90ern 1990er 1990ern; 2000: 2000er 2000ern nullerjahren; 2010: 2010er 2010ern;
    2020: 2020er 2020ern
in
    im in während
during
    im in während über am an zum
der
    der die das dem den des
about
    etwa ungefähr circa ca rund knapp gut fast genau ziemlich
last
    letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes vergangenem vorige vorigen
    voriger voriges vorigem
lastbutone
    vorletzte vorletzten vorletzter vorletztes vorletztem
this
    diese diesen dieser dieses diesem laufenden aktuellen
next
    nächste nächsten nächster nächstes nächstem kommende kommenden kommender kommendes kommendem
theyear
    jahr jahre jahres
every
    jede jeden jeder jedes jedem
named
    ist war sind endlich bevorzuge heißt namens und oder als wie auf mag liebe hasse der den ein für von über
recurrent
    montags dienstags mittwochs donnerstags freitags samstags sonnabends sonntags
counted
    % € euro eur dollar kronen worten wörter wörtern leute leuten menschen personen schritte schritten zeilen km
    kilometer kilometern meter metern m kg gramm kalorien stunden minuten sekunden tage tagen tokens zeichen punkte
    punkten seiten stück gb mb mal
"""

_PHRASES = """
nothing
    {every} {weekday} {part}|{night}?
    {every} {weekdaypart}
    {every} {part}|{unit}|{season}
    {every} {ordinal} {weekday}|{unit}
    schönen|schöner|guten|gutem|{der}|am|vom|zum|gegen|eines|einen|ein|pro|frühen|früher morgen
    {named} {weekday} $
    heißt|heißen er|sie|es {weekday} $
    {recurrent} {part}|abends|morgens?
    bis morgen|übermorgen $
    in {year} {counted}
    von|vor|nach|bis|ab|seit {year} {counted}
    von|zwischen? {first=year} bis|und {year} {counted}
    von|zwischen {year} bis|und {large}
    version|ver|kapitel|abschnitt|build|nummer|nr|ip|modell {date}
    herr|frau|familie|doktor|dr {month}|{season}
    aschermittwoch|karfreitag|gründonnerstag
    schwarzer|black|schwarzen {weekday}
    von morgen
day n=0
    heute
    heutige|heutigen|heutiger|heutiges tag|tages?
day n=-1
    gestern
    gestrige|gestrigen|gestriger|gestriges|gestrigem tag|tages?
    nach|vor dem|der|den < gestrigen
day n=-2
    vorgestern
day n=1
    morgen
day n=2
    übermorgen
day n=0
    heute am? {part}
    {this} {part}
    an diesem {part}
day n=-1
    gestern am? {part}|{part=night}
    am gestrigen {part}
    am {last} {part}
    {last} {part}
day n=-2
    vorgestern am? {part}|{part=night}
day n=1
    morgen am? {part}|{part=night}
day n=2
    übermorgen am? {part}|{part=night}
day n=-1 part=night
    in? {der}? {last} nacht
tonight before=18
    heute nacht
    in? dieser|diese nacht
unit n=-1
    {during}? {der}? {last} {unit}
unit n=-1 unit=year
    im vorjahr
unit n=-1 unit=month
    im vormonat
unit n=-1 unit=week
    in der vorwoche
unit n=-2
    {during}? {der}? {lastbutone} {unit}
unit n=0
    {during}? {this} {unit}
    {during} der|dem laufenden|aktuellen {unit}
unit n=1
    {during}? {der}? {next} {unit}
unit n=2
    {during}? {der}? übernächste|übernächsten|übernächstes {unit}
weekend
    am|übers wochenende
    über das wochenende
ago
    vor {about}? {n} {unit=units}
ago n=2 most=3
    vor {about}? einem|ein paar {unit=units}
ago n=2 most=6
    vor einigen|wenigen|mehreren {unit=units}
ago n=5 most=7 unit=month
    vor {about}? einem halben jahr
ago n=16 most=20 unit=month
    vor {about}? anderthalb|eineinhalb jahren
ago n=30 unit=minute
    vor {about}? einer halben stunde
ahead
    in {about}? {n} {unit=units} $
    in {about}? {n} {unit=plural}
past
    {in}|über? {der}? {last} {n} {unit=units}
past
    seit {about}? {n} {unit=units}
past n=3
    seit ein paar {unit=units}
    {in}|über? {der}? {last} paar {unit=units}
past n=6
    {in} {der} {last} {unit=plural}
    {der} {last} {unit=plural}
past n=14 unit=day
    neulich
    letztens
    dieser tage
past n=30 unit=day
    kürzlich
    in {last} zeit
    in der {last} zeit
    jüngst
weekday
    am {weekday} (am? {part}|{part=night})?
    {weekday} {part}|{part=night}
    {weekday} $
weekdaypart
    am? {weekdaypart}
weekday which=last
    am? {last} {weekday} {part}|{part=night}?
    am {weekday} {last} $
weekdaypart which=last
    am? {last} {weekdaypart}
weekday which=this
    an? {this} {weekday} {part}|{part=night}?
weekdaypart which=this
    an? {this} {weekdaypart}
weekday which=next
    am? {next} {weekday} {part}|{part=night}?
weekdaypart which=next
    am? {next} {weekdaypart}
weekday week=-1
    {last} woche am? {weekday} {part}|{part=night}?
    am? {weekday} {part}? in? der? {last} woche
weekdaypart week=-1
    {last} woche am? {weekdaypart}
weekday week=0
    {this} woche am? {weekday}
    am? {weekday} {part}? in? {this} woche
weekday week=1
    {next} woche am? {weekday} {part}?
    am? {weekday} {part}? in? der? {next} woche
month
    im|während {month}
    im? {month} des? {theyear}? {year}
    {month=mon} .? {year}
    im monat {month}
    den ganzen {month}
month which=last
    im? {last} {month}
month which=this
    in? {this} {month}
month which=next
    im? {next} {month}
month ago=1
    im? {month} des? {last} jahres
    im? {month} {last} jahr
    {last} jahr im {month}
    im? {month} vorigen|vergangenen|letzten jahres
month ago=2
    im? {month} des? {lastbutone} jahres
month ago=0
    im? {month} dieses|diesen jahres
    {this} jahr im {month}
month ago=-1
    im? {month} des? {next} jahres
months
    im {first=month} und|oder|bis|- {month} {year}?
    {first=month} bis|- {month} {year}
    {first=month} bis {month}
monthyear
    im {monthyear}
date
    am|vom|den|der? {date}
    am? {weekday} ,? dem|den? {date}
    am|vom|den? {day} . {month=mm} . {year}
    am|vom|den? {daymonth} . {year}
    am|vom|den {daymonth} .
    am|vom|den {day} . {month=mm} .
    am? {weekday} ,? dem|den? {day} . {month=mm} . {year}?
    am? {weekday} ,? dem|den? {daymonth} . {year}?
    am? {weekday} ,? dem|den? {day} . {month=mon} (.? {year})?
    am|vom|den|der? {day} . {month=mon} (,|des? {year})?
    am|vom|den? {day} {month=mon} .? {year}
    {day} {month} $
    am|vom|den|der? {day=ordinal} {month} {year}?
    zwischen|von dem? {first=day} . und|bis zum? {day} . {month=mon} {year}?
    vom {first=day} . bis zum? {day} . {month=mon} {year}?
    {first=day} . bis|- {day} . {month=mon} {year}?
date ago=1
    am? {day} . {month} {last} jahres
date ago=0
    am? {day} . {month} dieses jahres
year
    in|während|aus|von {year}
    {der}? jahr {year}
    im|aus? dem? {theyear} {year}
    des {theyear} {year}
years
    {first=year} bis {year}
    in den jahren {first=year} bis|und|oder {year}
    in|von|zwischen? {der}? {theyear}|jahren {years}
    in|von|zwischen {years}
season
    im {season}
    im? {season} des? {theyear}? {year}
    im? {season} {winter}
season which=last
    im? {last} {season}
season which=this
    in? {this} {season}
season which=next
    im? {next} {season}
season ago=1
    im? {season} des? {last} jahres
    im? {season} {last} jahr
    {last} jahr im {season}
season ago=0
    im? {season} dieses jahres
    {this} jahr im {season}
quarter
    im|in? {quarter} quartal des? {theyear}? {year}
    im|in? {quarter=q} {year}
    im|in {quarter=q}
quarter ago=1
    im? {quarter} quartal des? {last} jahres
quarter ago=0
    im? {quarter} quartal dieses jahres
decade
    in den {decade} jahren?
    während der {decade} jahre?
feast days=12-24/26
    an|zu|über|um|{last} weihnachten {year}?
    weihnachten {year}
feast days=12-24/24
    an|am? heiligabend|heiligen {year}?
    am heiligen abend
feast days=12-31/31
    an|zu|{last} silvester {year}?
    silvester {year}
feast days=1-1/1
    an|zu neujahr {year}?
    am neujahrstag {year}?
feast days=12-24/26 which=next
    {next} weihnachten
since
    seit {der}? {point}
    ab dem|der? {point}
    von {point} an
before whole=yes
    bis zum? ende des? {point}
before
    vor|bis dem|der|den|zum|zur? {point}
after
    nach dem|der|den? {point}
between
    zwischen dem|der|den? {point} und dem|der|den? {point}
    von|vom dem|der? {point} bis zum|zur|dem|den|in? {point}
beside side=before
    {n} {unit=units} vor dem|der? {point}
beside side=before n=1
    am? {weekday} vor dem|der? {point}
    {der} {unit=units} vor dem|der? {point}
beside side=after
    {n} {unit=units} nach dem|der? {point}
beside side=after n=1
    am? {weekday} nach dem|der? {point}
    {der} {unit=units} nach dem|der? {point}
part which=0 of=2
    in? {der}? erste|ersten hälfte|jahreshälfte von|des|der? {point}
    im? erste|ersten|erstes halbjahr von|des? {point}
part which=1 of=2
    in? {der}? zweite|zweiten hälfte|jahreshälfte von|des|der? {point}
    im? zweite|zweiten|zweites halbjahr von|des? {point}
partof which=0 of=3
    am|zu|zum? anfang|beginn des {unit=genitive}
partof which=1 of=3
    in der mitte des {unit=genitive}
    mitte des {unit=genitive}
partof which=2 of=3
    am|gegen|zum? ende des {unit=genitive}
part which=0 of=3
    zu|am? anfang|beginn|anfangs|anfänglich des|der? {point}
    am|zum|seit|vor? anfang|beginn des|der? {point}
    im? frühen {point}
part which=1 of=3
    in der mitte des|der? {point}
    mitte des|der? {point}
part which=2 of=3
    gegen|am|zum|bis|seit? ende des|der? {point}
    im? späten {point}
edge side=first n=1
    in|am? {der}? erste|ersten|erster {unit=units} des|im|vom|von {point}
edge side=last n=1
    in|am? {der}? letzte|letzten|letzter {unit=units} des|im|vom|von {point}
edge side=first
    in|an? {der} ersten {n} {unit=units} des|im|vom|von {point}
edge side=last
    in|an? {der} letzten {n} {unit=units} des|im|vom|von {point}
"""

_BARE = """
month
    {month} {year}?
weekday
    {weekday} {part}?
weekdaypart
    {weekdaypart}
date
    {daymonth} .
    {day} . {month=mm} .
monthyear
    {monthyear}
year
    {theyear}? {year}
season
    {season}
quarter
    {quarter=q}
decade
    {decade} jahre|jahren?
feast days=12-24/26
    weihnachten
feast days=12-31/31
    silvester
feast days=1-1/1
    neujahr
weekend
    wochenende
"""

GERMAN = Language(_WORDS, _PHRASES, _BARE)
