"""How English says when. `tables` explains the layout.

May and March are also verbs, April and June also people: alone they mean nothing. "What did Anna do 7.5.2023" is here
because in Czech "do 7.5.2023" is until that day.
"""

from recollect.text.moments.tables import Language

_WORDS = """
month
    1: january; 2: february; 3: march; 4: april; 5: may; 6: june; 7: july; 8: august; 9: september; 10: october;
    11: november; 12: december
sure
    1: january; 2: february; 4: april; 6: june; 7: july; 8: august; 9: september; 10: october; 11: november;
    12: december
mon
    1: january jan; 2: february feb; 3: march mar; 4: april apr; 5: may; 6: june jun; 7: july jul; 8: august aug;
    9: september sept sep; 10: october oct; 11: november nov; 12: december dec
weekday
    0: monday; 1: tuesday; 2: wednesday; 3: thursday; 4: friday; 5: saturday; 6: sunday
part
    morning: morning; noon: noon lunchtime; afternoon: afternoon; evening: evening
evening
    evening: evening
night
    night: night
season
    spring: spring springtime; summer: summer summertime; autumn: autumn fall; winter: winter wintertime
unit
    week: week; month: month; year: year; quarter: quarter; weekend: weekend
rolling
    day: day; week: week; month: month; year: year; hour: hour; quarter: quarter
long
    week: week; month: month; year: year; quarter: quarter
units
    minute: minute minutes min mins; hour: hour hours hr hrs; day: day days; week: week weeks wk wks;
    weekend: weekend weekends; month: month months; quarter: quarter quarters; year: year years yr yrs;
    decade: decade decades
plural
    hour: hours; day: days; week: weeks; month: months; year: years
n
    1: one; 2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine; 10: ten; 11: eleven;
    12: twelve; 15: fifteen; 20: twenty; 30: thirty
ordinal
    1: first; 2: second; 3: third; 4: fourth; 5: fifth; 6: sixth; 7: seventh; 8: eighth; 9: ninth; 10: tenth;
    11: eleventh; 12: twelfth
quarter
    1: first 1st; 2: second 2nd; 3: third 3rd; 4: fourth last 4th
q
    1: q1; 2: q2; 3: q3; 4: q4
decade
    1930: thirties 30s 1930s; 1940: forties 40s 1940s; 1950: fifties 50s 1950s; 1960: sixties 60s 1960s;
    1970: seventies 70s 1970s; 1980: eighties 80s 1980s; 1990: nineties 90s 1990s; 2000: 2000s noughties; 2010: 2010s;
    2020: 2020s
last
    last previous
next
    next coming upcoming
in
    in during throughout
over
    in over during within for throughout across
roughly
    about around roughly some almost nearly exactly over like
did
    did does do will would should could can may might
named
    is 's was are called named or and than love loves hate hates like likes prefer about for by with of a my
recurrent
    every each any most all some
counted
    % $ € £ words word euros euro eur dollars dollar usd pounds people persons users steps lines pieces items km miles
    meters metres m kg grams calories kcal hours minutes seconds days tokens characters points pages rows files bytes
    mb gb times votes parts bc ways crowns czk
"""

_PHRASES = """
nothing
    {recurrent} other|single|second? {weekday} {part}|{night}?
    {recurrent} last|past|other {unit}
    on? {weekday} mornings|afternoons|evenings|nights
    black|good|casual|cyber|fat|ash|palm|easter|bloody|ruby|super|maundy {weekday}
    {named} {weekday} $
    on|at|in|use|using? {weekday} . com
    freaky|man|girl {weekday}
    {in} {month} 's
    may|might i|we|you|he|she|it|they
    this may be|not|have|also|take|seem|sound
    before|until|since|after may i|we|you
    in|of|from|since|before|until|after|over|under {year} {counted}
    from|between {year} to|and {large}
    out of {year}
    from|between? {first=year} and|or|to|until|through {year} {counted}
    {first=year} to|until {year}
    i|you|we|they|he|she|it|did|to do < {year}
    {did} * do < {year}
    {did} * * do < {year}
    most recently
    version|build|release|v|ver|ip|chapter|section|number|no|code|error|model {date}
    good|great|nice morning|afternoon|evening|night
    usa|psychology today
    summer|winter olympics|games|tires|tyres|coat|jacket|school|camp|job
    new year 's? resolution|resolutions
day n=0
    earlier|later|late? today
day n=-1
    yesterday
    the? day before today
day n=-2
    the? day before yesterday
day n=1
    tomorrow
day n=2
    the? day after tomorrow
day n=0
    earlier|later|early|late? this {part}
    today in|at|during? the? {part}
    the? {part} of today
day n=-1
    yesterday in|at|during? the? {part}
    the? {part} of yesterday
    last {part=evening}
day n=-2
    the? day before yesterday in|at|during? the? {part}|{part=night}
day n=1
    tomorrow in|at|during? the? {part}|{part=night}
tonight before=6
    tonight
    this night
day n=-2 part=night
    the night before last
day n=-1 part=night
    late|early? last night
    yesterday at? night
unit n=-1
    in|during|over|on? {last} {unit}
    in|during|over? the previous {unit}
    the {last} {unit}
unit n=-1 unit=weekend
    on|in|over|during? this|the past|last weekend
unit n=-2
    in? the? {unit} before last
unit n=0
    in|during|over|on|earlier|later? this|current {unit}
    in|during the current {unit}
unit n=1
    in|during|over|on? the? {next} {unit}
unit n=2
    the? {unit} after next
weekend
    over|during|on|at the weekend
ago
    {roughly}? {n} {unit=units} ago
    {roughly}? {n} {unit=units} back $
ago n=1
    {roughly}? a|an|one {unit=units} (or so)? ago
    a {unit=units} back $
ago n=2 most=3
    {roughly}? a? couple of? {unit=units} ago
ago n=2 most=6
    just|only? a? few|several {unit=units} ago
    a? few|several {unit=units} back $
ago n=5 most=7 unit=month
    {roughly}? half a year ago
ago n=30 unit=minute
    {roughly}? half an hour ago
ahead
    in {roughly}? {n} {unit=units} $
    in {roughly}? {n} {unit=units} time
    in {n} {unit=units} ' time
    in {roughly}? {n} {unit=plural}
    {n} {unit=units} from now|today
ahead n=1
    a|an|one {unit=units} from now|today
    in a|an {unit=units} ' s time
    in a|an {unit=units} 's time
past
    {over}? the|these|my? last|past {n} {unit=units}
past n=1
    {over}? the|this past {unit=rolling}
    {over} the last {unit=rolling}
past n=3
    {over}? the|these? last|past couple of? {unit=units}
past n=6
    {over}? the|these? last|past few|several {unit=units}
    in|over|during recent {unit=plural}
    {over} the last|past|recent {unit=plural}
past n=14 unit=day
    the other day|night|evening|morning
past n=30 unit=day
    recently
    lately
    of late
    these days $
weekday
    on {weekday}
    on {weekday} in|at? the? {part}|{part=night}
    {weekday} {part}|{part=night}
    in|at|from|during|since|for {weekday} 's
    {weekday} $
weekday which=last
    on? the? {last}|past {weekday} {part}|{part=night}?
    this past {weekday} {part}|{part=night}?
weekday which=this
    on? this {weekday} {part}|{part=night}?
weekday which=next
    on? this? {next} {weekday} {part}|{part=night}?
    on {weekday} next $
weekday week=-1
    on? {weekday} {part}|{part=night}? of? last week
    last week on? {weekday}
weekday week=0
    on? {weekday} {part}|{part=night}? of? this week
weekday week=1
    on? {weekday} {part}|{part=night}? of? next week
    next week on? {weekday}
month
    back? {in} {month}
    back? {in}? {month=mon} of|, {year}
    back? {in}? {month=mon} {year}
    in? the month of {month}
month which=last
    in|during? {last} {month}
    this past {month}
month which=this
    in|during? this {month=sure}
    in|since|until this {month}
month which=next
    in|during? {next} {month=sure}
    in {next} {month}
    {next} {month} $
month ago=1
    in? {month} of? last year
    last year in {month}
month ago=0
    in? {month} of? this year
month ago=-1
    in? {month} of? next year
months
    {in} {first=month} and|or|to|through|- {month} (of? {year})?
    {first=month} to|through|and|- {month} of? {year}
    {first=sure} to|through|- {month=sure}
monthyear
    {in} {monthyear}
date
    on? the? {date}
    i|you|we|they|he|she|it|did|to do < {date}
    {did} * do < {date}
    {did} * * do < {date}
    on? {weekday} ,? {date}
    on? {weekday} ,? the? {day=nth} of? {month=mon} (,|of? {year})?
    on? {weekday} ,? the? {day} of? {month=mon} (,|of? {year})?
    on? {weekday} ,? {month=mon} the? {day=nth} (,|of? {year})?
    on? {weekday} ,? {month=mon} {day} (,? {year})?
    on? the? {day=nth} of? {month=mon} (,|of? {year})?
    on? the? {day=ordinal} of {month} (,|of? {year})?
    on? the? {day} of? {month=mon} ,|of? {year}
    on|the {day} of? {month=mon}
    {day} of {month=mon}
    {day} {month=sure}
    {day} {month=mon} $
    on? {month=mon} the? {day=nth} (,|of? {year})?
    on? {month=mon} {day} ,|of? {year}
    on {month=mon} {day}
    {dayrange} of? {month=mon} (,|of? {year})?
    {month=mon} {dayrange} (,|of? {year})?
    {month=sure} {day}
    {month=mon} {day} $
    between|from the? {first=day}|{first=nth} and|to|until|- the? {day}|{day=nth} of? {month=mon} (,|of? {year})?
    between|from {month=mon} {first=day}|{first=nth} and|to|until|through|- {day}|{day=nth} (,|of? {year})?
dayofmonth
    on the {day=nth} $
dayofmonth n=-1
    on? the? {day=nth} of last month
dayofmonth n=0
    on? the? {day=nth} of this month
year
    back? {in} {year}
    of|from {year}
    in|during|from|of the year of? {year}
    all of {year}
    the? year {year}
years
    in|during|from|between|of|for? the? years? {years}
    {in}|from|between {years}
    {in}|from|between the? years? {first=year} and|or|to|until|through {year}
season
    {in}|over the {season}
    {in}? the? {season} of|, {year}
    {in}? the? {season} {year}
season which=last
    in|during|over? the? {last}|past {season}
    this past {season}
season which=this
    in|during|over? this {season}
season which=next
    in|during|over? {next} {season}
season ago=1
    {in}? the? {season} of? last year
season
    {in}? the? {season} of? {winter}
quarter
    in|during|for? {quarter=q} of? {year}
    {in} {quarter=q}
    in|during|for? the? {quarter} quarter of {year}
quarter ago=1
    in|during? {quarter=q} of? last year
    in|during? the? {quarter} quarter of last year
quarter ago=0
    in|during? {quarter=q} of? this year
    in|during? the? {quarter} quarter of this year
decade
    {in} the {decade}
    back in the {decade}
feast days=12-24/26
    at|over|on|during|around|this|last christmas {year}?
    christmas {year}
    at|over|during the christmas holidays {year}?
feast days=12-25/25
    on|this|last? christmas day {year}?
feast days=12-24/24
    on|this|last? christmas eve {year}?
feast days=12-31/31
    on|this|last? new year|years 's? eve {year}?
    on|at? new years' eve {year}?
feast days=1-1/1
    on|this|last? new year|years 's? day {year}?
feast days=10-31/31
    on|at|last|this halloween {year}?
    halloween {year}
feast days=2-14/14
    on|last|this? valentine 's day {year}?
    on|last|this? valentines day {year}?
feast days=12-24/26 which=next
    next christmas
since
    ever? since {point}
    after|since {point} 's
    from {point} on|onwards|onward
    starting|beginning in|on|from? {point}
before whole=yes
    until|till|by|before the? end of {point}
before
    before|until|till {point}
    prior|up to {point}
    earlier than {point}
after
    after {point}
    later than {point}
between
    between {point} and {point}
    from {point} to|until|till|through|thru|- {point}
    from {point} up to|until {point}
beside side=before
    {n} {unit=units} before {point}
beside side=before n=1
    on? the {weekday} before {point}
    in? the|a {unit=units} before {point}
beside side=before n=3
    a? couple of? {unit=units} before {point}
    a? few {unit=units} before {point}
beside side=after
    {n} {unit=units} after {point}
beside side=after n=1
    on? the {weekday} after {point}
    in? the|a {unit=units} after {point}
beside side=after n=3
    a? couple of? {unit=units} after {point}
    a? few {unit=units} after {point}
part which=0 of=2
    in|during? the? first|1st half of {point}
part which=1 of=2
    in|during? the? second|2nd|latter half of {point}
partof which=0 of=3
    at|in? the beginning|start of the {unit=long}
partof which=1 of=3
    in? the middle of the {unit=long}
partof which=2 of=3
    at|by|towards? the end of the {unit=long}
part which=0 of=3
    in|during? the? early -? {point}
    at|in|from|since? the beginning|start of {point}
    at? beginning|start of {point}
part which=1 of=3
    in|during? the? mid -? {point}
    in|around? the middle of {point}
    middle of {point}
part which=2 of=3
    in|during? the? late -? {point}
    at|in|by|towards? the end of {point}
    end of {point}
edge side=first n=1
    in|during|on? the? first {unit=units} of {point}
edge side=last n=1
    in|during|on? the? last {unit=units} of {point}
edge side=first
    in|during|on? the? first {n} {unit=units} of {point}
edge side=last
    in|during|on? the? last {n} {unit=units} of {point}
"""

_BARE = """
month
    {month}
weekday
    {weekday}
date
    {month=mon} {day}
    {day} {month=mon}
monthyear
    {monthyear}
year
    the? year? {year}
season
    the? {season}
quarter
    {quarter=q}
decade
    the? {decade}
feast days=12-24/26
    christmas {year}?
feast days=1-1/1
    the? new year
feast days=10-31/31
    halloween
weekend
    the weekend
"""

ENGLISH = Language(_WORDS, _PHRASES, _BARE)
