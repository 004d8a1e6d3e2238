"""The words of the German rules."""

PEOPLE = r"""
wife
    (ehe)?frau|gattin
husband
    (ehe)?mann|gatte
partner
    (lebens)?partner(in)?|verlobte[rn]?|lebensgefährt(e|in)
girlfriend
    freundin
mother
    mutter|mama|mutti|stiefmutter
father
    vater|papa|vati|stiefvater
parents
    eltern
brother
    (zwillings|halb|stief)?(bruder|brüder|bruders)
sister
    (zwillings|halb|stief)?schwestern?
son
    sohn(es|e)?|söhne|jungs?
daughter
    tochter|töchter|mädels
child
    kind(er|ern|es)?|kleine[rn]?|baby|zwillinge|enkel(in|kinder|kind|sohn|tochter)?|patenkind
grandmother
    oma|großmutter
grandfather
    opa|großvater
relative
    tante|onkel|cousine?|nichte|neffe|familie|schwieger\w+|schwager|schwägerin
friend
    ((beste[rn]?|gute[rn]?) )?(freunde?|freundin|freundinnen|kumpel)
roommate
    mitbewohner(in)?
neighbour
    nachbarn?|nachbarin
boss
    chef(in)?|vorgesetzte[rn]?|\w*leiter(in)?
colleague
    kolleg(e|in|en|innen)|mitarbeiter(in)?|admin(istrator)?(in)?|ansprechpartner(in)?|praktikant(in)?|azubi
    |geschäftspartner(in)?|assistent(in)?
teacher
    \w*lehrer(in)?|\w*trainer(in)?|professor(in)?|mentor(in)?|betreuer(in)?
doctor
    (haus|zahn|kinder|tier|frauen|augen)?(arzt|ärztin)|\w*therapeut(in)?
helper
    klempner(in)?|elektriker(in)?|mechaniker(in)?|gärtner(in)?|handwerker(in)?|makler(in)?|notar(in)?|tagesmutter|nanny
    |anwalt|anwältin|steuerberater(in)?|vermieter(in)?|putzfrau|hausmeister|friseur(in)?|babysitter(in)?
cat
    katzen?|kater|kätzchen
dog
    (\w+-?)?(hund(e|en)?|hündin)|welpen?|dackel|labrador|pudel
pet
    haustiere?|papagei|hamster|kaninchen|hase|pferd|pony|meerschweinchen|schildkröte|wellensittich|goldfisch|hühner
"""

NOUNS = r"""
colour
    farbe
food
    essen|speise
dish
    gericht
drink
    getränk
film
    film
book
    buch
author
    autor(in)?|schriftsteller(in)?
band
    band
song
    lied|song
music
    musik
city
    stadt
season
    jahreszeit
animal
    tier
number
    zahl
sport
    sport(art)?
game
    spiel
restaurant
    restaurant|lokal
series
    serie
team
    verein|mannschaft
language
    sprache
"""

WORDS = r"""
opener
    (hey|hallo|hi|ok) \w+|hey|hi|hallo|ok|okay|also|so|und|aber|ach|übrigens|eigentlich|ehrlich gesagt|bitte|ja|nein
    |doch|nee|genau|gut|naja
    apropos|sorry|entschuldigung|korrektur|achtung|außerdem|noch was|noch etwas|generell|grundsätzlich|persönlich
    kurze info|info|ps|p\.s|ach ja|ach so|dann|nun|tja|hm+|na gut|alles klar|servus|moin|guten (tag|morgen|abend)|btw
    |fyi
    (nur )?zur info|für später|für die zukunft|wie gesagt|ich glaube|ich denke|ich finde|jetzt|oh|stimmt
i
    ich|wir
my
    mein|meine|meinen|meinem|meiner|meines|unser|unsere|unseren|unserem|unserer|unseres|mei|unsre
adverb
    sehr|total|echt|wirklich|absolut|ziemlich|einfach|generell|grundsätzlich|normalerweise|meistens|immer|auch|noch
    |schon
    eigentlich|definitiv|persönlich|viel|eher|halt|eben|mal|so|ja|besonders|nur|hauptsächlich|derzeit|aktuell|inzwischen
    mittlerweile|jetzt|beide|endlich|bereits|nie|niemals|selten|oft|manchmal|ganz|voll|ungern|gar|überhaupt|nicht|aber
    seit \w+|ursprünglich|momentan|übrigens|leider|zum glück|am liebsten|sogar|schließlich|nun|gemeinsam|letztlich
adjective
    neue[rnms]?|alte[rnms]?|ältere[rnms]?|jüngere[rnms]?|älteste[rnms]?|jüngste[rnms]?|kleine[rnms]?|große[rnms]?|ex-?
    liebe[rnms]?|beste[rnms]?|erste[rnms]?|zweite[rnms]?|beiden?|zwei|drei|vier|verstorbene[rnms]?|direkte[rnms]?|\d+
    |eigene[rnms]?
liked
    mag|mögen|liebe|lieben|hasse|hassen|bevorzuge|bevorzugen|präferiere|verabscheue|genieße|schätze|vergöttere|meide
    |vermeide|favorisiere|feiere
style
    englisch|deutsch|französisch|spanisch|italienisch|metrisch|celsius|fahrenheit|kilometer|km|meilen|euro|dollar
    |markdown
    stichpunkten?|kleinbuchstaben|großbuchstaben|24-?(h|stunden)(-?format)?|iso(-?(format|datum))?|hochdeutsch
rated
    furchtbar|eklig|ekelhaft|schrecklich|widerlich|grauenhaft|nervig|lästig|langweilig|doof|blöd|überbewertet|hässlich
    anstrengend|toll|super|klasse|großartig|lecker|köstlich|schön|entspannend|spannend|faszinierend|gut|schlecht|unnötig
gladly
    ((sehr|total|echt|wirklich|super|so|unheimlich|wahnsinnig|voll|nicht|überhaupt nicht|gar nicht) )*(gern|gerne
    |ungern|lieber|am liebsten)
weekday
    (montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)
month
    januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember
period
    tag|tages|morgen|vormittag|mittag|nachmittag|abend|nacht|woche|wochenende|monat|jahr|quartal|sommer|winter|frühling
    frühjahr|herbst|werktag|mal|sprint|{weekday}|{month}
regularly
    jede[nrsm]? ((zweiten?r?|dritten?r?|ersten|letzten|einzelnen) )?{period}\w?|alle (zwei|drei|vier|paar|\d+) (tage
    |wochen|monate|jahre)
    {weekday}(s|abend|abends|morgens|vormittags|nachmittags)|(morgens|vormittags|mittags|nachmittags|abends|nachts
    |werktags|wochentags|täglich|wöchentlich|monatlich|jährlich)|(ein|zwei|drei|vier|fünf|\d+) ?(x|mal) (pro|in der|im
    |die|am) {period}|am wochenende|an wochenenden
    (immer|meist|meistens) (am|im|um|zu) \w+|(ersten|letzten|zweiten) \w+ (im|des|jedes) (monats?|jahres?|quartals?)
ill
    \w*allerg\w+|\w*intoleran\w+|diabet\w+|asthma\w*|vegan\w*|vegetari\w+|veggie|zöliakie|farbenblind|rot-?grün-?\w+
    |migräne
    epilep\w+|adhs|autis\w+|legastheni\w+|arthrose|rheuma|blutgruppe|bluthochdruck|heuschnupfen|depression\w*
    |herzschrittmacher|(rücken|knie|herz|magen|schlaf|gelenk|nacken|schulter|haut)-?(probleme?|beschwerden|schwäche
    |fehler)
    parkinson\w*|alzheimer\w*|demenz|(reise|see)krank\w*|ketogen|krebs|stottere?|angststörung\w*|multiple sklerose
    hörgerät\w*|rollstuhl|kurzsichtig|weitsichtig|schwerhörig|taub|linkshänder\w*|rechtshänder\w*|schwanger|gluten\w*
    laktose\w*|neurodermitis|schlaflos\w*|bandscheib\w+|schilddrüse\w*|insulin|höhenangst|flugangst|koscher|halal
    |tinnitus
thing
    projekt|app|anwendung|back-?end|front-?end|api|dienst|server|datenbank|repo|repository|code(basis)?|firma
    |unternehmen|team
    büro|stack|pipeline|cluster|website|webseite|seite|produkt|startup|kunden?|release|sprint|stand-?up|meeting
    |besprechung
    wlan|router|heizung|budget|tests?|doku|produktion|staging|domain|cloud|infrastruktur|plattform|system|lager|laden
    geschäft|schule|haus|wohnung|garten|keller|garage|alarmanlage|deadline|abteilung|ersatzschlüssel|schlüssel|drucker
    kindergarten|kita|verein|(\w+-)?branch|backups?|logs|müll|tonne|vertrag|praxis|jour fixe|hof|auto|\w+(server
    |projekt|team
    |schlüssel|code)
held
    auto|fahrrad|rad|motorrad|roller|haus|wohnung|garten|balkon|hütte|boot|gitarre|klavier|geige|laptop|macbook|iphone
    handy|pixel|ipad|drucker|kamera|kindle|führerschein|visum|reisepass|staatsbürgerschaft|tattoos?|abo|mitgliedschaft
    |nas
    playstation|xbox|switch|firma|bäckerei|laden|café|restaurant|hof|blog|podcast|kanal|jahre erfahrung|angst vor|phobie
    herd|ofen|backofen|kühlschrank|spülmaschine|waschmaschine|trockner|kamin|pool|sauna|heizung|thermostat|wärmepumpe
    |solaranlage|e-?bike|abschluss|studium|master|bachelor|doktor\w*|abitur|ausbildung|locken
    |augen|haare
    bahncard|dauerkarte|sammlung|geschwister|schrebergarten|ferienwohnung|golf|tesla|vw|bmw|audi|opel|skoda
    |kaffeemaschine
dated
    geburtstag|hochzeitstag|jahrestag|hochzeit|namenstag|geburtstermin|abgabetermin|abgabe|deadline|prüfung|einschulung
    |geburtsdatum|jubiläum
does
    ist|sind|war|wohnt|wohnen|lebt|leben|arbeitet|arbeiten|hat|haben|mag|mögen|liebt|hasst|studiert|spielt|spricht|wurde
    fährt|kommt aus|kann|isst|trinkt|geht|leidet|verträgt|frisst|fressen|macht|unterrichtet|schnarcht|kocht|bekommt
    besucht|leitet|führt|schläft|wird|holt|sammelt|trägt|tragen|lernt|heiratet|braucht|singt|tanzt|reitet|malt|nimmt
    |fährt
decided
    (uns|mich) (\S+ ){0,8}?(entschieden|festgelegt|geeinigt|entschlossen|verständigt)
    (beschlossen|vereinbart|ausgemacht|entschieden|abgemacht|ausgewählt|gewählt|ausgesucht|festgelegt|verworfen
    |abgelehnt|verabschiedet|zugestimmt|genehmigt|abgestimmt|bewilligt|gebilligt|eingestellt|gestrichen|angemeldet
    |gekündigt
    |unterschrieben|eingeschrieben
    |durchgerungen|abgesagt|(entscheidung|wahl) getroffen|verschoben|zugesagt|gebucht)
use
    nehmen|benutzen|nutzen|verwenden|setzen|bleiben|wechseln|steigen|machen|gehen|bauen|migrieren|behalten|ziehen
    |starten
    stellen|werfen|verzichten|hosten|deployen|schreiben|launchen|streichen|verschieben|planen|fahren|kaufen
courtesy
    bitte|mal|doch|jetzt|dann|nun|und|noch|kannst du|könntest du|können sie|könnten sie|würdest du|magst du|sofort
    |schnell
command
    schreib|schreibe|übersetze?|schicke?|sende|sag|sage|zeig|zeige|gib|mach|mache|korrigiere?|erklär|erkläre|fass|fasse
    formuliere?|finde?|such|suche|prüf|prüfe|check|buch|buche|bestell|bestelle|spiel|spiele|stell|stelle|schalte?|füge?
    erstell|erstelle|erinnere?|öffne|schließ|schließe|hilf|generiere?|konvertiere?|lies|liste?|vergleich|vergleiche
    |berechne
    lösch|lösche|entferne?|starte?|stopp|stoppe|aktualisiere?|ändere?|ruf|rufe|kauf|kaufe|beschreib|beschreibe|empfiehl
    schlag|versuch|versuche|implementiere?|plane?|verbessere?|analysiere?|wiederhole?|tu|denk|denke|rate|frag|frage|lad
    |lade
    storniere?|druck|drucke|kopiere?|dimm|dimme|sing|singe|teste?|zähl|zähle|definiere?|erzähl|erzähle|weck|wecke|lass
    |verfasse
    dreh|drehe|leg|lege|bring|bringe|kannst|könntest|würdest|könnten|können
"""

ASKED = r"""
^<courtesy>(merk|merke) dir( bitte| mal| doch)*[ :,-]+{statement}
^<courtesy>(merken sie sich|speicher|speichere|notier|notiere|notier dir|notiere dir|notieren sie|behalt|behalte
    |beachte|beachten sie|bedenke)( bitte| mal| dir| das)*[ :,-]+{statement}
^(vergiss|vergesst|vergessen sie) (bitte )?(nicht|nie|niemals)[ ,:]+(dass|das|,) {statement}
^(denk|denke|denken sie|denkt) (bitte )?(daran|dran)[ ,]+(dass|das) {statement}
^(behalte?|behalten sie) (bitte )?(im (kopf|hinterkopf)|in erinnerung)[ ,:]+{statement}
^(kannst|könntest|würdest|können|könnten) (du|sie) ((dir|sich) )?((bitte|mal) )?(merken|notieren)[ ,:]+{value}
^(kannst|könntest|würdest) du (dir )?(bitte )?(im kopf behalten|einprägen)[ ,:]+{value}
^(für später|für die zukunft|zur info|zur erinnerung|wichtig|notiz|merke)[ ]?[:-]+ ?{statement}
^(du solltest|du musst|sie sollten) (noch )?(wissen|dir merken)[ ,:]+{statement}
(behalte? das im (kopf|hinterkopf)|merk dir das|merke? dir das bitte|nur damit du'?s? weißt|nur dass du'?s? weißt)
"""

BARE = r"""
^(dass )?(diesen?|diese[sr]?|folgenden?|den|die|das)? ?(satz|spruch|wort|wörter|zahl|nummer|code|zitat|text|begriff
    |zeile|ausdruck)
"""

TURNS = r"""
(also|und|aber|dann|daher|deshalb)? ?(bitte )?(kannst|könntest|würdest|können|könnten|magst) (du|sie|ihr)
(was|welche[srn]?|wie|wo|warum) (soll|sollte|kann|könnte|würdest|empfiehlst|meinst|ist|gibt|mache)
(also|deshalb|daher|darum) (such|schlag|empfiehl|gib|zeig|schreib|mach|lass|nimm|bitte)
(hast|weißt|kennst|hättest) du
"""

ENDS = r"""
(weil|aber|denn|da ich|obwohl|sondern|damit|sodass|bitte|oder so|halt|eben|und (ich|wir|mein|meine|das|er|sie|nicht
    |zwar))
(statt|anstatt|anstelle|nicht|als)
(gezogen|umgezogen|entschieden|geboren|aufgewachsen|gewohnt|tätig|angestellt|studiert|gearbeitet|bin|habe|hab|genannt
    |zu hause)
(seit|vor) (\d+|zwei|drei|vier|ein|einem|einer|fünf|kurzem|langem)
"""

CONTEXT = r"""
(wenn|während|sobald|außer|falls)
(am (morgen|abend|mittag|nachmittag|wochenende|arbeitsplatz|fenster)|morgens|abends|zu hause|zuhause|bei der arbeit
    |im büro|im zug|im flugzeug|im sommer|im winter|zum frühstück|zum mittagessen|beim \w+)
"""
