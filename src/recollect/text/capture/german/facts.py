"""German sentences about facts: what is so, about the user, the home, the work.

Of two rules that both apply, the upper one decides.
"""

FACTS = r"""
health: fact, 0.90, user/
    (ich|wir|mein|meine|mir|bei mir|leide|habe|hab|bin|vertrage) .{0,60}{ill}
    {ill} .{0,40}(ich|mich|mir|habe|hab|bin)
    (ich|mir|mich) .{0,60}(gebrochen|operiert|verletzt|operieren lassen)
    mir wird (beim|bei|im|auf|von) .{1,40}(schlecht|übel|schwindlig|schwindelig)
    (höre|sehe) (ich )?.{0,40}(nichts|schlecht|kaum|nur|nicht)
    (ich )?vertrage? (ich )?(kein|keine|keinen|nicht)|ich (nehme|trage|brauche|spritze) .{0,30}(tabletten|medikamente?
    |brille|kontaktlinsen|insulin|spritze|hörgerät\w*)
    ! (rezepte?|restaurants?|gericht\w*|lokal\w*|kuchen)$
limits: fact, 0.75, user/, despite request
    ich brauche (eine? )?(\w*brille|hörgerät\w*|rollstuhl|insulin|gehhilfe|krücken)
    ich darf <adverb>(kein|keine|keinen|nichts|nicht) .{1,40}(essen|trinken|nehmen|heben|fahren|einnehmen)
birthday: fact, 0.85, user/birthday
    mein <adjective>(geburtstag|geburtsdatum) (ist|fällt|:) ((am|der|auf den) )?{value}
    ich (habe|hab) (am |im )(?P<value>.{2,30}?) geburtstag
    ich bin am {value} geboren
    (ich bin|bin|ich wurde) (baujahr |jahrgang |im jahre? )?(?P<value>\d{4})( geboren)?[.!]?$
    (am|im) {front} (habe|hab) ich geburtstag
born: fact, 0.85, user/birthplace
    (ich bin|bin ich|ich wurde|wurde ich) .{0,30}(in|im) {front} (geboren|aufgewachsen|zur welt)
    aufgewachsen (bin ich|sind wir) .{0,30}(in|im|auf|am) {value}
    geboren (bin|wurde) ich .{0,30}in {value}
dates: fact, 0.75
    ({my}|der|die|das) ([\wäöü-]+ ){0,2}(\w+-?)?{dated} (ist|sind|fällt|war|läuft|endet|:)
    {dated} (haben|feiern|habe|ist) (wir|ich|am) {value}|wir (haben|feiern|hatten) .{0,40}{dated}|(ich|wir) (haben
    |habe) .{0,20}geheiratet
age: fact, 0.80, user/age
    ich bin <adverb>(?P<value>\d{1,3})( jahre)?( alt)?( und .{0,100})?[.!]?$
    ich (werde|wurde) (im|am|dieses jahr|bald|nächste\w*)? ?.{0,20}(?P<value>\d\d)
employer: fact, 0.85, user/employer
    ! arbeite (ich )?nicht|(bei|für) (einer?|einem|mich|meinen?)
    (ich )?arbeite (ich )?<adverb>(bei|für) ((der|dem|einer|einem) )?{value}
    ich (bin|habe) .{0,30}(bei|für) ((der|dem) )?{front} (angestellt|tätig|angefangen|beschäftigt|unter vertrag)
    mein arbeitgeber (ist|heißt) {value}
    ! arbeite (gerade|heute|jetzt)
home: fact, 0.85, user/home, despite moment
    ! (wohne|wohnen|lebe|leben) (ich |wir )?nicht|(in|auf) (einer?|einem|meiner|meinem|unserem|unserer)
    (ich|wir) <adverb>(wohne|wohnen|lebe|leben|wohn) <adverb>(mit \S+ \S+ )?(in|im|bei|auf|nahe|am|an) ((der|dem|einer
    |einem) )?{value}
    (wohne|wohnen|lebe|leben) (ich|wir) <adverb>(in|im|bei|auf|am) {value}
    ^(wohne|lebe) <adverb>(in|im|bei|auf|am) {value}
    (ich bin|wir sind|bin ich|sind wir) .{0,40}nach {front} (um)?gezogen
    (ich|wir) (ziehe|ziehen|zog|zogen) .{0,30}nach {front}( um)?[.!]?$
    {my} (neue )?(adresse|anschrift|heimatstadt|wohnort) (ist|lautet|:) {value}
dwelling: fact, 0.75, user/
    (ich|wir) <adverb>(wohne|wohnen|lebe|leben|wohnte|lebte|miete|mieten) <adverb>{value}
    (mir|uns) (gehört|gehören) <adverb>(ein|eine|zwei|drei|der|die|das|mehrere|\d+) {value}
origin: fact, 0.80, user/origin
    (ich|wir) (komme|kommen|stamme|stammen|bin|sind) <adverb>((gebürtig|eigentlich|ursprünglich) )?aus ((der
    |dem) )?{value}
    ich bin (gebürtige[rn]? )?\w+er(in)? (von geburt|und stolz)
    ! aus (dem|der|einem) (haus|büro|bett|meeting)
event: fact, 0.75, user/, despite moment
    (ich|wir) (habe|hab|haben) .{0,20}(job|stelle|arbeitgeber|firma|arbeit) (gewechselt|verloren|gekündigt)
    (ich bin|wir sind|bin ich|sind wir) .{0,80}(gezogen|umgezogen|eingezogen|zusammengezogen|ausgezogen)
    (im|ab|anfang|ende|mitte) ({month}|sommer|winter|herbst|frühling|frühjahr) (fliege|fahre|reise|fliegen|fahren
    |reisen|bin
    |sind) (ich|wir) {value}
    (ich|wir) (fliege|fahre|reise|fliegen|fahren|reisen) .{0,40}(im|ab|anfang|ende|mitte) ({month}|sommer|winter|herbst)
    bin (ich )?(jetzt|nun|inzwischen) bei (?P<value>[\w-]+)[.!]?$
    ! bei (dir|euch|ihm|ihr|ihnen|uns|mir)
work: fact, 0.80, user/
    (ich|wir) (arbeite|arbeiten|unterrichte|studiere|studierte|lehre|betreibe|betreiben|leite|leiten|führe|gründe
    |verkaufe|pendle|promoviere|jobbe|lerne|programmiere|entwickle|forsche|berate|mache (eine )?(ausbildung|master
    |karriere)) {value}
    (arbeite|studiere|unterrichte|leite|betreibe|pendle|forsche) ich {value}
    (arbeiten|unterrichten|forschen|leiten|betreiben) wir {value}
    ich (habe|hab) .{1,60}(abschluss|abitur|abi|ausbildung|lehre|master|bachelor|diplom|doktor\w*|führerschein) (gemacht
    |geschafft)
    ich (habe|hab|bin) .{1,60}(studiert|gearbeitet|gegründet|gelernt|promoviert|absolviert|gekündigt|abgebrochen
    |abgeschlossen)
    (ich bin|bin ich|wir sind|von beruf bin ich) <adverb>((von beruf|selbstständige?r?|freiberufliche?r?|angestellte?r?
    |gelernte?r?|ausgebildete?r?|angehende?r?) )+{value}
    (ich bin|bin) <adverb>(rentner|rentnerin|in rente|pensioniert|selbstständig|selbständig|freiberufler\w*|arbeitslos
    |student|studentin|in elternzeit|zuständig|verantwortlich|für .{1,40} (zuständig|verantwortlich))
    mein (beruf|job|fachgebiet|studium|arbeitsweg|gehalt)\w* (ist|war|dauert|liegt) {value}
    ! (arbeite|lerne|entwickle|programmiere) (gerade|heute|jetzt|daran)|(gelernt|gearbeitet) (habe|hab)
past: fact, 0.75, user/, despite moment
    (früher|ursprünglich|lange|jahrelang|zuvor|davor) (war|habe|hab|arbeitete) ich {value}
    ich (war|arbeitete) (früher|lange|jahrelang|mal|\S+ jahre) {value}
    ! (gestern|eben|gerade|hier|da|dabei|mal (kurz|weg|eben|wieder))
schedule: fact, 0.75
    (ich|wir|mich|uns|mein|meine|unser|unsere|der|die|das|kinder) .{0,80}{regularly}
    {regularly} .{0,60}(ich|wir|mein|meine|unser|unsere|der|die|das|kommt|ist|sind)
    {weekday} (ist|habe|haben|hab) (mein\w*|unser\w*|ich|wir) (frei\w*|ruhetag|homeoffice|zu|geschlossen|chor|training)
    ! (gesehen|gehört|gefunden|verloren|vergessen|gegessen|getrunken|bekommen|hatten|hatte|war)
    ! zu besuch|vorbei|{person} (kommt|kommen|besucht)
    ! (fehler|absturz|stürzt|kaputt|immer (am|im) \w+ (ist|war) )
habit: fact, 0.70, user/
    (ich|wir) [a-zäöüß]+ <adverb>(normalerweise|gewöhnlich|meistens|meist|immer|nie|niemals|selten|oft|regelmäßig
    |grundsätzlich|in der regel|üblicherweise|kaum)
    (normalerweise|gewöhnlich|meistens|meist|in der regel|üblicherweise|regelmäßig) [a-zäöüß]+ (ich|wir)
    (ich|wir) (stehe|stehen|gehe|gehen|esse|essen|fange|frühstücke) .{0,40}um ((halb|viertel) )?(\d|fünf|sechs|sieben
    |acht|neun|zehn|elf).{0,20}
    (ich|wir) (habe|hab|haben) .{1,40}(aufgehört|angefangen|aufgegeben)
    seit (\S+ ){1,4}?[a-zäöüß]+ (ich|wir)|(ich|wir) [a-zäöüß]+ .{0,30}seit (\d|zwei|drei|vier|fünf|einem|einer|jahren
    |kurzem|langem|vielen|\w+ jahr)
    (ich|wir) (zahle|zahlen|verdiene|verdienen|bezahle|bezahlen) .{0,20}\d.{0,20}(euro|€|franken|miete|kredit|im monat
    |steuern)
    (ich ernähre mich|ich halte mich an|wir ernähren uns) {value}
    (ich|wir) (halte|halten) (\S+ ){0,2}?({person}|bienen|schafe|ziegen|enten|gänse|fische)
    (zur (arbeit|uni|schule)|ins büro) (nehme|fahre|gehe|laufe|radle|pendle) (ich|wir) {value}
    (ich|wir) (nehme|nehmen|fahre|fahren|gehe|gehen|laufe|radle) .{1,40}(zur (arbeit|uni|schule)|ins büro)[.!]?$
    ich (lerne|lern|trainiere|spare|schreibe an|übe) <adverb>(gerade )?{value}
    ! (fehler|absturz|vergesse|verliere|verstehe|nicht mehr weiter|bekomme .{0,20}fehler|warte|versuche|suche)
    ! (ich )?(immer noch|immer wieder|nie wieder|noch nie)
skills: fact, 0.70, user/
    (ich|wir) (spreche|spiele|fahre|besitze|sammle|züchte|tanze|singe|klettere|surfe|segle|male|stricke|nähe|koche
    |backe|reite|schwimme|programmiere|imkere|boxe|wandere|zeichne|fotografiere|beherrsche|reise|jogge|tauche|angle
    |brauen?|gärtnere) {value}
    (spreche|spiele|fahre|sammle|beherrsche|programmiere) ich {value}
    wir (sprechen|spielen|reisen|wandern|kochen|züchten|sammeln|segeln|campen|fahren|unterrichten|heizen
    |vermieten) {value}
    (sprechen|spielen|reisen|wandern|kochen|züchten|sammeln|fahren|unterrichten|heizen|vermieten) wir {value}
    (ich|wir) (kann|können) <adverb>(fließend|gut|perfekt|ein bisschen|etwas|kein|nicht)? ?.{0,30}(deutsch|englisch
    |französisch|russisch|tschechisch|polnisch|spanisch|schwimmen|kochen|autofahren|auto fahren|tanzen|singen|gitarre
    |klavier|python|java)
    {my} muttersprache ist {value}
    {front} (ist|war) (nicht )?{my} (muttersprache|zweitsprache)
    ! (spiele|spielen) .{0,30}(gegen|am {weekday})
    ! (fahre|spiele|koche|backe|male) (gerade|jetzt|gleich|heute|das|mir|los|heim|kurz|weg|mal|nach|zum|zur)
possession: fact, 0.65, user/
    (ich|wir) (habe|hab|haben|besitze|besitzen|fahre|miete) <adverb>(eine?n?|keine?n?|zwei|drei|vier|mehrere|\d+|lange
    |blaue|braune|grüne) ([\wäöü-]+ ){0,3}([\wäöü-]*){held}
    (habe|hab|haben) (ich|wir) <adverb>(eine?n?|keine?n?|zwei|drei|\d+|nicht) ([\wäöü-]+ ){0,3}([\wäöü-]*){held}
    (ich|wir) (habe|hab|haben) (eine?n?|zwei|drei|vier|keine?n?) ([\w-]+ )?[\w-]+[.!]?$
    (mein|meine|meinen|unser|unsere|unseren) [\wäöü-]+ (habe|hab|haben) (ich|wir) (bei|in|im|auf|unter|seit) {value}
    {held} (habe|hab|haben|besitze) (ich|wir) <adverb>(keine?n?|nicht|nie)
    (ich|wir) (habe|hab|haben) .{1,50}(gekauft|geerbt|adoptiert|gebaut|verkauft|gemietet|versteckt|deponiert)
    (haben|habe|hab) (wir|ich) .{1,50}(gekauft|geerbt|adoptiert|gebaut|verkauft|gemietet|versteckt|deponiert|liegen
    |stehen)
    ich (trage|habe|hab) ((meist|meistens|immer) )?((schuh|kleider|konfektions|hosen|ring)?größe|bart|brille) ?{value}
    (ich|wir) (erwarte|erwarten|bekommen|kriegen) .{0,30}(kind|baby|nachwuchs|zwillinge|tochter|sohn|enkel)
    ! {trouble}|(hunger|durst|meeting|date|plan|wunsch|traum|kater|kopfschmerzen|besuch|bock|schnupfen|pause|geheimnis
    |überraschung|ge\w+(t|en)|\w+iert)[.!]?$
    ! keine? .{1,30}mehr[.!]?$
    ! (gesehen|gehört|gefunden|verloren|vergessen|gegessen|getrunken|bekommen|gemacht|probiert|versucht|gelesen)
using: fact, 0.70
    (wir|ich) (benutze|benutzen|nutze|nutzen|verwende|verwenden|setzen|deployen|hosten|speichern|entwickeln|bauen
    |verkaufen|produzieren|haben \d+|betreuen|liefern|programmieren|lagern|bewahren|parken|parke|schreiben
    |heizen|testen|veröffentlichen|releasen) {value}
    (ich bin|wir sind) (\S+ ){0,4}?(versichert|mitglied|kunde|kundin|abonnent|gemeldet)
    wir sind (ein|eine|zu|\d+|im|bei|auf|sechs|fünf|vier|drei|insgesamt) {value}
    ! (benutze|nutze|verwende|nutzen|benutzen) (das|es|dies|diese\w*|die funktion|den code|dich|dein\w*|gerade)
project: fact, 0.75
    (unser|unsere|unserem|unserer|unseren) <adjective>([\wäöü-]+ ){0,2}?[\wäöü-]+ (ist|sind|läuft|laufen|nutzt|benutzt
    |verwendet|hat|haben|liegt|liegen|steht|stehen|braucht|muss|startet|öffnet|schließt|findet|hängt|basiert|besteht
    |wird|werden|endet|beginnt|unterstützt|kommt|heißt|befindet|sitzt|sitzen|wurde (im|in|\d+)|wurde gegründet
    |stammt) {value}
    (das|der|die|dieses|dieser|diese|mein|meine|dem|den) <adjective>([\wäöü-]+-?)?{thing} (ist|sind|wird|werden|läuft
    |laufen|nutzt|benutzt|verwendet|liegt|liegen|steht|stehen|hängt|basiert|besteht|befindet|sitzt|öffnet|schließt|macht
    |endet|beginnt|startet|wechselt|kommt) <adverb>(in|auf|mit|bei|unter|im|am|aus|über|um|ab|jed|hinter|neben|an|von
    |geschrieben|immer|zur|zum|freitags|montags|donnerstags) ?{value}
    (das|der|die|dieses|mein|meine) <adjective>([\wäöü-]+-?)?{thing} (wurde|wurden|ist) .{0,40}(gegründet|eröffnet
    |gebaut
    |errichtet|saniert)
    (auf|in|an|bei|unter) (meinem|meiner|unserem|unserer) \S+ (läuft|laufen|steht|liegt|hängt|sind|ist|gilt) {value}
    im {front} ist {my}
    (der|die|das|unser|unsere|mein|meine) <adjective>([\wäöü-]+-?)?{thing} (ist|sind) (geschützt|pflicht|verboten|tabu
    |vorgeschrieben|schreibgeschützt)
    ^[\wäöü-]+ ([\wäöü-]+ ){0,2}(wird|werden|gilt|gelten|läuft|laufen|steht|stehen|liegt|liegen|hängt) bei (uns
    |mir) {value}
    ^bei uns (wird|werden|gilt|gelten|läuft|laufen) {value}
    ^(in|auf|bei|an) (unserem|unserer|unseren|diesem|dieser) ([\wäöü-]+ ){1,2}?(benutzen|nutzen|verwenden|gilt
    |schreiben|läuft
    |speichern
    |testen|sprechen) {value}
    ! (ist|sind|läuft) (gerade|heute|down|kaputt|nicht)
    ! (unser|unsere|mein|meine) (\w+ )?(spiel|zug|flug|bus|taxi|paket|bestellung|antwort)
    (das|der) (wlan|netzwerk|hotspot) ([\wäöü-]+ ){0,4}heißt {value}
figure: fact, 0.65
    (das|der|die|unser|unsere|mein|meine) ([\wäöü-]+-?)?({thing}|limit|grenze|miete|gebühr|gehalt|größe|kapazität
    |timeout)( [\wäöü-]+){0,2} (ist|sind|liegt|beträgt|kostet) .{0,30}\d
    ! (ist|sind|liegt) (nicht|gerade|heute|zu|noch)|fehler|zeile \d
self: entity, 0.80, user/name, proper
    ^ich bin (der|die) (?P<value>[a-zäöüß'-]{2,20})( (und|aus|von|hier|übrigens) .{1,200})?[.!]?$
    ! ich bin (der|die) \w+(in|er|leiter|chef|mann|frau|ste|eltern)
trait: fact, 0.70, user/
    ich bin <adverb>(ein |eine |kein |keine |der |die )(\w+ )?\w+
    ich bin <adverb>(\w+(er|erin|ist|istin|or|orin|mann|frau|kraft|eur|eurin|ent|entin|ant|antin|arzt|ärztin|loge|login
    |wirt|wirtin|hilfe|hebamme|anwalt|anwältin|koch|köchin|biologe|chef|therapeut\w*))( (bei|in|im|an|aus|und|von|am
    |für) .{1,100})?[.!]?$
    ich bin <adverb>(cto|ceo|cfo|chef|leiter|teamleiter|vorstand|gesellschafter|inhaber|gründer|mitgründer)(in)? {value}
    ich bin <adverb>(verheiratet|ledig|geschieden|verwitwet|single|verlobt|introvertiert|extrovertiert|schüchtern
    |schwul|lesbisch|hetero|trans|religiös|katholisch|evangelisch|jüdisch|muslim\w*|buddhist\w*|atheist\w*|blind|blond
    |einzelkind|frühaufsteher\w*|nachteule|nachtmensch|morgenmuffel|\d(,|\.)\d+|\d{3} ?cm|deutsche?r?|österreicher\w*
    |schweizer\w*|tscheche|tschechin|russe|russin|pole|polin|türke|türkin|ukrainer\w*)
    ich bin in (der )?zeitzone {value}
    ich (wiege|messe|verdiene) \d+|(ich )?habe? (große )?angst vor {value}
    ! ich bin (ein bisschen|ein wenig|etwas|ein idiot|der meinung|die einzige|der einzige|immer noch|sicher|hier|weiter
    |wieder|aber|lieber|über|unter|später|leider|nur|vor)
introduction: entity, 0.80, user/name, proper
    ^(ich bin|hier ist|ich bin (der|die)|bin (der|die)|ich bin'?s( (der
    |die))?) (?P<value>[a-zäöüß'-]{2,20}( [a-zäöüß'-]{2,20})?)( (und|aus
    |hier|übrigens|von|freut|nett|schön|angenehm|die|der|dein|deine|euer|eure) .{1,200})?[.!]?$
my boss: entity, 0.75
    {my} <adjective>(?P<subject>{person}) (ist|sind) (der|die|das|ein|eine|herr|frau) {value}
my thing: fact, 0.65
    (mein|meine|unser|unsere) (?P<subject>[\wäöüß-]+( [\wäöüß-]+){0,4}?) (ist|sind|war|hat|haben|kostet|läuft|liegt
    |steht|beginnt|endet|öffnet|wohnt|dauert|braucht|lautet|heißt|findet|geht|fährt|kommt|gehört|hängt|wiegt
    |beträgt) {value}
    ! zu besuch|vorbei|(mein|meine|unser|unsere) (\w+ )?(spiel|flug|taxi|uber|paket|bestellung|antwort)
    ! (mein|meine|unser|unsere) (\w+ )?(frage|problem|code|test|tests|fehler|programm|skript|kopf|bauch|rücken|tag
    |woche|computer|rechner|internet|akku|laune|idee|punkt|meinung|ziel|bus|zug|güte|gott|schuld|nächste\w*|letzte\w*
    |aufgabe|text|funktion|bildschirm|ausgabe|vorschlag|essen)
    ! (ist|sind) (so|zu|nicht|gerade|heute|schon wieder|sehr|echt|total)
"""
