"""How Czech says when. `tables` explains the layout.

Words are matched without their marks too: minuly tyden is minulý týden. "Do" is also an English verb: the English table
has the phrases in which it is.
"""

from recollect.text.moments.tables import Language

_WORDS = """
month
    1: leden ledna lednu lednem; 2: únor února únoru únorem; 3: březen března březnu březnem;
    4: duben dubna dubnu dubnem; 5: květen května květnu květnem; 6: červen června červnu červnem;
    7: červenec července červenci červencem; 8: srpen srpna srpnu srpnem; 9: září zářím; 10: říjen října říjnu říjnem;
    11: listopad listopadu listopadem; 12: prosinec prosince prosinci prosincem
weekday
    0: pondělí pondělkem pondělka pondělek; 1: úterý úterkem úterka úterek; 2: středa středu středy středou středě;
    3: čtvrtek čtvrtka čtvrtku čtvrtkem; 4: pátek pátku pátkem; 5: sobota sobotu soboty sobotou sobotě;
    6: neděle neděli nedělí
part
    morning: ráno; forenoon: dopoledne; noon: poledne; afternoon: odpoledne; evening: večer
night
    night: noci noc
season
    spring: jaro jara jaře; summer: léto léta létě; autumn: podzim podzimu podzimem; winter: zima zimu zimy zimě
naseason
    spring: jaře; autumn: podzim
veseason
    summer: létě; winter: zimě
unit
    week: týden týdnu týdne; month: měsíc měsíce měsíci; year: rok roku roce; quarter: čtvrtletí kvartál kvartálu;
    weekend: víkend víkendu víkendech
units
    minute: minutu minuty minut minutou minutami; hour: hodinu hodiny hodin hodinou hodinami;
    day: den dny dní dnem dnů dnu dne; week: týden týdny týdnů týdnem týdnu; weekend: víkendy víkendem víkend;
    month: měsíc měsíce měsíců měsícem měsíci; quarter: čtvrtletí čtvrtletími; year: rok roky roků rokem let lety
genitive
    week: týdne; month: měsíce; quarter: čtvrtletí; year: roku
since
    minute: minutou; hour: hodinou; day: dnem; week: týdnem; weekend: víkendem; month: měsícem; year: rokem
one
    minute: minutu; hour: hodinu; day: den; week: týden; month: měsíc; year: rok
of
    hour: hodiny; day: dne; week: týdne; month: měsíce; year: roku
plural
    hour: hodiny hodin hodinách; day: dny dní dnech; week: týdny týdnů týdnech; month: měsíce měsíců měsících;
    year: roky let letech
n
    1: jeden jednu jedno jedním jednou; 2: dva dvě dvěma dvou; 3: tři třemi třech; 4: čtyři čtyřmi čtyřech;
    5: pět pěti; 6: šest šesti; 7: sedm sedmi; 8: osm osmi; 9: devět devíti; 10: deset deseti; 11: jedenáct jedenácti;
    12: dvanáct dvanácti; 15: patnáct patnácti; 20: dvacet dvaceti; 30: třicet třiceti
ordinal
    1: prvního; 2: druhého; 3: třetího; 4: čtvrtého; 5: pátého; 6: šestého; 7: sedmého; 8: osmého; 9: devátého;
    10: desátého; 11: jedenáctého; 12: dvanáctého; 15: patnáctého; 20: dvacátého; 30: třicátého
quarter
    1: první prvním; 2: druhé druhém; 3: třetí třetím; 4: čtvrté čtvrtém
decade
    1930: třicátých třicátá; 1940: čtyřicátých čtyřicátá; 1950: padesátých padesátá; 1960: šedesátých šedesátá;
    1970: sedmdesátých sedmdesátá; 1980: osmdesátých osmdesátá; 1990: devadesátých devadesátá
in
    v ve
during
    v ve během za o na přes
about
    asi zhruba přibližně tak skoro téměř přesně
last
    minulý minulá minulé minulého minulém minulou minulí minulých minulým
    předchozí předchozího předchozím uplynulý uplynulého uplynulém
    předešlý předešlého předešlém
lastbutone
    předminulý předminulé předminulého předminulém předminulou
latest
    poslední posledních posledního posledním
this
    tento tato toto tohoto tomto tuto této tenhle tuhle tohle tomhle tohohle aktuální aktuálním současný současném
next
    příští příštího příštím následující následujícího následujícím nadcházející nadcházejícím
yesterdays
    včerejší včerejšího včerejším
todays
    dnešní dnešního dnešním
tomorrows
    zítřejší zítřejšího zítřejším
theyear
    rok roku roce rokem
every
    každý každou každé každá každého každém
counted
    % kč korun koruny eur euro dolarů slov slovech lidí osob krát kroků řádků km metrů m kg gramů kalorií hodin minut
    sekund dní tokenů znaků bodů stran kusů ks gb mb
"""

_PHRASES = """
nothing
    {every} {weekday} {part}|{night}?
    {every} druhý|druhou|druhé {weekday}|{unit}
    {every} {season}|{unit}|{part}
    verze|verzi|verzí|kapitola|kapitole|kód|číslo {date}
    dobré ráno|dopoledne|odpoledne|poledne
    dobrý|dobrej den|večer
    dobrou noc
    {in} {latest} chvíli|řadě
    do zítra|zítřka|pozítří $
    do|od|za|před {year} {counted}
    od? {first=year} až|do {year} {counted}
    od|mezi {year} do|až|a {large}
    velký|velká|velkou|bílá|bílou|zelený|černý|škaredá|květná {weekday}
day n=0
    dnes|dneska
    {todays} den|dne|dni?
    dnešek|dneška|dnešku
    po|před|do < {todays}
day n=-1
    včera
    {yesterdays} den|dne|dni?
    včerejšek|včerejška|včerejšku
    po|před|do < {yesterdays}
day n=-2
    předevčírem
day n=1
    zítra|zejtra
    {tomorrows} den|dne?
    zítřek|zítřka|zítřku
    po|před|do < {tomorrows}
day n=2
    pozítří
day n=0
    dnes|dneska {in}? {part}
    {todays} {part}
    {part} dnes
    {this} {part}
day n=-1
    včera {in}? {part}
    {yesterdays} {part}
    {part} včera
day n=-2
    předevčírem {in}? {part}
    předevčírem {in} {part=night}
day n=1
    zítra|zejtra {in}? {part}
    zítra|zejtra {in} {part=night}
day n=-1 part=night
    včera {in} noci
    {in}? {last}|uplynulou noc|noci
tonight before=18
    dnes|dneska {in} noci
    {in}? dnešní noc|noci
    {in}? tuto|tuhle|této noc|noci
unit n=-1
    {during}? {last} {unit}
unit n=-1 unit=year
    loni|vloni
    {in}? loňský|loňského|loňském|loňská|loňské|loňskou rok|roku|roce?
unit n=-2 unit=year
    předloni
    předloňský|předloňského|předloňském rok|roku|roce?
unit n=-2
    {during}? {lastbutone} {unit}
unit n=0
    {during}? {this} {unit}
unit n=0 unit=year
    letos
    letošní|letošního|letošním rok|roku|roce?
unit n=1
    {during}? {next} {unit}
unit n=1 unit=year
    napřesrok
weekend
    o|přes|za víkendu|víkend
ago
    před {about}? {n} {unit=units}
ago n=1
    před {about}? {unit=since}
    {unit=one} zpátky|zpět|nazpět
ago
    {n} {unit=units} zpátky|zpět|nazpět
ago n=2 most=3
    pár {unit=units} zpátky|zpět
    před {about}? pár {unit=units}
    před párem {unit=units}
ago n=2 most=6
    před několika {unit=units}
ago n=5 most=7 unit=month
    {about}? před {about}? půl rokem|roku
    {about}? před {about}? půlrokem
ago n=16 most=20 unit=month
    {about}? před {about}? rokem a půl
ago n=30 unit=minute
    před {about}? půl hodinou|hodinkou
    před {about}? půlhodinou
ahead
    za {about}? {n} {unit=units}
ahead n=1
    za {about}? {unit=one} $
past
    {during}? {latest}|uplynulých {n} {unit=units}|{unit=plural}
    {during}? {n} {latest} {unit=units}|{unit=plural}
past n=1
    za|během {latest} {unit=one}
    během posledního|poslední|uplynulého {unit=of}
    {latest} {unit=one} $
past n=3
    {during}? {latest} pár {unit=units}|{unit=plural}
past n=6
    {during}? {latest} několik|několika {unit=units}|{unit=plural}
    {in}|za|během posledních|poslední {unit=plural}
past n=14 unit=day
    onehdy
past n=30 unit=day
    nedávno
    {in} {latest} době
    {latest} dobou
weekday
    {in} {weekday} ({in}? {part})?
    {in} {weekday} {in} {part=night}
weekday which=last
    {in}? {last} {weekday} {part}?
weekday which=this
    {in}? {this} {weekday} {part}?
weekday which=next
    {in}? {next} {weekday} {part}?
weekday week=-1
    {in}? {weekday} {part}? {in}? {last} týden|týdnu|týdne
    {in}? {last} týden|týdnu {in} {weekday} {part}?
weekday week=0
    {in}? {weekday} {part}? {in}? tento|tomto|tohoto|tenhle|tohle týden|týdnu|týdne
    {in}? tento|tomto|tenhle týden|týdnu {in} {weekday} {part}?
weekday week=1
    {in}? {weekday} {part}? {in}? {next} týden|týdnu|týdne
    {in}? {next} týden|týdnu {in} {weekday} {part}?
month
    {in}|během|za|celý {month}
    {in}|během|za? {month} ,? {theyear}? {year}
month which=last
    {in}|během|za? {last} {month}
month which=this
    {in}|během|za? {this} {month}
month which=next
    {in}? {next} {month}
month ago=1
    {in}|během? {month} {last}|loňského roku
    loni|vloni {in} {month}
    {in}? {month} loni|vloni
    {in}? loňském|loňský|loňského {month}
    {in}? {last} roce|rok {in} {month}
month ago=0
    {in}|během? {month} {this}|letošního roku
    letos {in} {month}
    {in}? {month} letos
    {in}? letošním|letošní {month}
month ago=2
    předloni {in} {month}
    {in}? {month} předloni
month ago=-1
    {in}? {month} {next} roku|rok
months
    {in}|během {first=month} a|nebo|až|- {month} {year}?
    {first=month} až|- {month} {year}
    {first=month} až {month}
monthyear
    {in}|během {monthyear}
date
    dne|ze? {date}
    {in}? {weekday} ,? dne? {date}
    dne|ze? {day} . {month=mm} . {year}
    dne|ze? {daymonth} . {year}
    dne|ze|od {daymonth} .
    {day} . {month=mm} . $
    dne {day} . {month=mm} .
    {in} {weekday} ,? {day} . {month=mm} . {year}?
    {in} {weekday} ,? {daymonth} . {year}?
    {in}? {weekday} ,? {day} . {month} {year}?
    dne|ze? {day} . {month} ({theyear}? {year})?
    dne|ze? {day} {month} {theyear}? {year}
    {day} {month} $
    dne? {day=ordinal} {month} {year}?
    od {first=day} .? do {day} .? {month} {year}?
    mezi {first=day} .? a {day} . {month} {year}?
    {first=day} . až|- {day} . {month} {year}?
date ago=1
    {day} . {month} loni|vloni
    {day} . {month} {last}|loňského roku
    loni|vloni {day} . {month}
date ago=0
    {day} . {month} letos|letošního roku?
    letos {day} . {month}
year
    {in}|za|během {theyear} {year}
    z|ze {theyear}? {year}
    {theyear} {year}
years
    {in}|za|během? letech|roky|let|léta {first=year} až|a|do {year}
    {first=year} až {year}
    {in}|za|během? letech|roky|let|léta {years}
    {theyear} {years}
season
    na {season=naseason} ({theyear}? {year})?
    {in} {season=veseason} ({theyear}? {year})?
    {in}|na? {season} {theyear}? {year}
    {in}|na? {season} {winter}
    {in} {season} {theyear} {year}
season which=last
    {in}|na|za|o? {last}|uplynulou {season}
season which=this
    {in}|na? {this} {season}
season which=next
    {in}|na? {next} {season}
season ago=1
    loni|vloni {in}|na {season}
    {in}|na {season} loni|vloni
    {in}|na? loňský|loňské|loňská|loňskou|loňského|loňském {season}
    {in}|na? {season} {last}|loňského roku
season ago=0
    letos {in}|na {season}
    {in}|na {season} letos
    {in}|na? letošní|letošního|letošním {season}
    {in}|na? {season} tohoto|letošního roku
season ago=2
    předloni {in}|na {season}
quarter
    {in}? {quarter} čtvrtletí|kvartálu|kvartál {theyear}? {year}
quarter ago=1
    {in}? {quarter} čtvrtletí|kvartálu {last}|loňského roku
quarter ago=0
    {in}? {quarter} čtvrtletí|kvartálu {this}|letošního roku
decade
    {in} {decade} letech
    {in} {decade=tens} .? letech
feast days=12-24/26
    o|na vánocích|vánoce {year}?
    {during}? {last} vánoce|vánocích
    loni|vloni o vánocích
    o? loňské|loňských vánoce|vánocích
    vánoce {year}
feast days=12-24/24
    na štědrý den|večer {year}?
feast days=12-31/31
    na|o? silvestra {year}?
    na silvestr
    {last}|loňský silvestr
feast days=1-1/1
    na nový rok {year}?
feast days=12-24/26 which=next
    {next} vánoce
since
    od {point}
    počínaje {point}
before whole=yes
    do konce {point}
before
    do|před {point}
    až do {point}
    dřív|dříve než {point}
after
    po {point}
    později než {point}
between
    mezi {point} a {point}
    od {point} až? do {point}
    od {point} až? po {point}
beside side=before
    {n} {unit=units} před {point}
beside side=before n=1
    {unit=one} před {point}
beside side=after
    {n} {unit=units} po {point}
beside side=after n=1
    {unit=one} po {point}
part which=0 of=2
    {in}? první polovině|polovina|polovinu|půlce|pololetí {point}
part which=1 of=2
    {in}? druhá|druhé|druhou|druhém polovině|polovina|polovinu|půlce|pololetí {point}
partof which=0 of=3
    na|od? začátku|počátku|začátek {unit=genitive}
    začátkem|počátkem {unit=genitive}
partof which=1 of=3
    {in}? polovině|půlce {unit=genitive}
    uprostřed {unit=genitive}
partof which=2 of=3
    na|ke? konci|konec {unit=genitive}
    koncem {unit=genitive}
part which=0 of=3
    na začátku|počátku|začátek {point}
    začátkem|počátkem|začátek|začátku|počátku {point}
    brzy {point}
part which=1 of=3
    {in}? polovině|půlce|polovina {point}
    {in} půli {point}
    uprostřed {point}
    {in}? půlka|půlku {point}
part which=2 of=3
    na|ke konci|konec {point}
    koncem|konec|konce {point}
edge side=first n=1
    {in}? první|prvním {unit=units}|{unit} {in}? {point}
edge side=last n=1
    {in}? poslední|posledním {unit=units}|{unit} {in}? {point}
edge side=first
    {in}? první|prvních {n} {unit=units}|{unit=plural} {in}? {point}
edge side=last
    {in}? poslední|posledních {n} {unit=units}|{unit=plural} {in}? {point}
"""

_BARE = """
month
    {month} ({theyear}? {year})?
weekday
    {weekday} {part}?
date
    {daymonth} .
    {day} . {month=mm} .
monthyear
    {monthyear}
year
    {theyear}? {year}
season
    {season}
decade
    {decade} let|letech
feast days=12-24/26
    vánoc|vánoci|vánocemi|vánocích
feast days=12-31/31
    silvestra|silvestrem|silvestru
feast days=1-1/1
    nového roku
    novým rokem
weekend
    víkendu|víkendem
unit n=0 unit=week
    tohoto týdne
unit n=-1 unit=year
    loňska
"""

CZECH = Language(_WORDS, _PHRASES, _BARE)
