"""German sentences about names and people: who someone is and how to reach them.

Of two rules that both apply, the upper one decides.
"""

NAMES = r"""
name: entity, 0.90, user/name, despite moment reported
    (^|ich|und|aber|da) ?(heiße|heisse|heiß) (ich )?<adverb>{value}
    ich heiße <adverb>{value}
    mein <adverb>((voller|ganzer|richtiger|vollständiger|echter|bürgerlicher) )?(vor|nach|familien|mädchen|spitz|ruf
    |künstler)?name (ist|lautet|wird
    |schreibt sich|:) {value}
    (meinen|mein|meine) <adjective>(vor|nach|familien)?namen? .{0,20}(mit|schreibt|geschrieben|buchstabiert) {value}
    schreibt man meinen namen {value}
    ! wie heiße|heiße (nicht|es|das)|name (ist )?(nicht|egal|schwer|falsch)
greeting: entity, 0.80, user/
    (hey|hi|hallo|moin|servus|tach|guten (tag|morgen|abend)|grüß dich|na)( zusammen| leute)? ich bin( (der
    |die))? (?P<value>[a-zäöü]{3,20})( (hier|aus|und) .{0,200})?[.!]?$
    ! ich bin( der| die)? (neu|wieder|hier|noch|auch|auf|kein|ein|eine|gerade|nicht|schon|mal|etwas|sehr|so|meinung
    |neue|{feeling}|{ill}|verheiratet|single|\w+(erin|ist|ent|entin|ner|rer)|deutsche?r?)
called: entity, 0.85, user/nickname, despite request reported
    (alle|freunde|leute|sie|man|familie|kollegen|die meisten|jeder|viele) (nennen|nennt|rufen|ruft|sagen|sagt) (mich
    |zu mir) ((alle|nur|immer|einfach|meistens) )*{value}
    (nenn|nenne|nennen sie|nennt) mich ((bitte|einfach|ruhig|nur|lieber) )*{value}
    (du kannst|ihr könnt|sie können|man kann) mich ((einfach|gerne|ruhig) )*{front} nennen
    (sag|sagt|sagen sie) ((einfach|ruhig|bitte|nur) )*{front} zu mir
    mich nennen (alle|freunde|viele)( nur)? {value}
    ich (werde|bin) ((von (allen|freunden)|auch|nur|als|überall) )*{front} (genannt|gerufen|bekannt)
    ! nenn mich (nicht|nie)
email: entity, 0.85, user/email, despite request
    {my} .{0,40}?{email}
    {email} .{0,40}{my}
    (erreichst|erreichen|erreicht|erreichbar|kontaktier\w*|schreib\w*|mail\w*|findest|schick\w*) .{0,60}?{email}
    (ich bin|bin ich) .{0,40}?{email}
    (mir|mich|uns) .{0,30}?{email} .{0,20}(schreiben|mailen|erreichen|kontaktieren)
    ! {person}.{0,30}@
phone: entity, 0.85, user/phone, despite request
    {my} .{0,30}(nummer|telefon|handy|mobil|festnetz|whatsapp)\w*.{0,25}? {phone}
    (erreichst|erreichen|erreichbar|ruf\w*|anrufen|tel|telefonisch) .{0,40}?{phone}
    ! {person}.{0,30}\d\d|(kunden|mitglieds|vertrags|konto|steuer|versicher\w+|personal|bestell|ausweis|matrikel
    |rechnungs
    |vielflieger|auftrags|ticket|buchungs|haus|zimmer|pass)-?nummer
handle: entity, 0.75, user/
    {my} (github|twitter|telegram|instagram|insta|discord|skype|linkedin|slack|benutzer|nutzer
    |steam)(-?\w+)?( \w+)? (ist|lautet|heißt|:) {value}
    auf (github|twitter|telegram|instagram|discord|mastodon|linkedin|steam) (bin|heiße) ich {value}
relative's contact: entity, 0.75
    {person}.{0,40}?{email}
    (nummer|handynummer|telefonnummer) (von|meine[rs]|unsere[rs]) .{0,30}?{phone}
nickname: entity, 0.80, /nickname, despite request
    (nenn|nenne|nennen wir|taufe|wir nennen|ich nenne) (die|den|das|meine?n?|unsere?n?) {subject} ((ab (jetzt|sofort
    |heute)|künftig|bitte|einfach|ab nun|von nun an) )+{value}
    (nenn|nenne|nennen wir|taufe|wir nennen|ich nenne) (die|den|das|meine?n?|unsere?n?) (?P<subject>[^ ,]+( (im|in der
    |am|an der|neben dem|neben der|beim|auf dem|vom|unterm) [^ ,]+)?) {value}
    (die|der|das|meine?|unsere?) {subject} (heißt|soll) ((ab (jetzt|sofort)|künftig|bei uns|jetzt
    |bei mir) )+{front}( heißen)?[.!]?$
    (wenn ich|mit) {subject} (sage|meine)( ich)? (meine ich )?{value}
    ! {my} <adjective>{person}
relative's name: entity, 0.80, /name
    {my} <adjective>(?P<subject>{person}) (\w+ )?(heißt|heißen|hört auf( den namen)?|nennen wir) {value}
    (die|der|das) (?P<subject>kinder|zwillinge|katzen?|hund|hunde|jungs|mädels|baby|kleine|welpe) (heißt|heißen
    |hört auf) {value}
    der name (meine[sr]|unsere[sr]) <adjective>(?P<subject>{person}) (ist|lautet) {value}
    (heißt|heißen) {my} <adjective>(?P<subject>{person}) {value}
relative's affair: fact, 0.65
    ({dated}|kindergarten|kita|schule|training|auto|zimmer|arbeit|unterricht|wohnung) (von )?(meine[rsmn]
    |unsere[rsmn]) <adjective>{person}
    {my} <adjective>{person} .{0,60}({dated}|vererbt|hinterlassen|geschenkt|vermacht)
is a relative: entity, 0.75, despite request
    (ich|wir) (habe|hab|haben) {my} <adjective>(?P<subject>{person}) {front} (genannt|getauft)
    (ich|wir) (habe|hab|haben) (\S+ ){1,4}?{person},? ?(namens|mit (dem )?namen|der heißt|die heißt|das heißt) {value}
    ich bin .{0,30}(verheiratet|verlobt|liiert) mit
    {my} <adjective>(?P<subject>{person}) [a-zäöü]{3,12} (ist|wird) \d+
    {front} (ist|sind|war) (\S+ ){0,3}?{my} <adjective>([\w-]+[ -])?{person}
    (das ist|das sind|hier ist|das hier ist|hier kommt) {front} {my} <adjective>{person}
    (er|sie) (ist|sind) {my} <adjective>{person}
named relative: entity, 0.75, proper
    (bei (uns|mir)|in (unserem|unserer|meinem|meiner)|neue[rn]?) ([\wäöü-]+ ){0,4}(heißt|heißen) {value}
    (ich|wir) (habe|hab|haben) (\S+ ){1,4}?{person} (?P<value>[a-zäöüß'-]+)( und [a-zäöüß'-]+)?[.!]?$
    {my} <adjective>(?P<subject>{person}) (?P<value>[a-zäöüß'-]+)( und ich)? [a-zäöüß]+(t|en) .+
    {my} <adjective>(?P<subject>{person}) .{1,40}(namens|mit namen) {value}
    {my} <adjective>(?P<subject>{person}) (?P<value>[a-zäöüß'-]+)( [a-zäöüß'-]+)? {does}
    {my} <adjective>(?P<subject>{person}) (ist|sind) ((der|die) )?(?P<value>(herr|frau|dr|prof))\.? .+
    ich bin (seit \S+ )?mit (?P<value>[a-zäöüß'-]+)( [a-zäöüß'-]+)? (verheiratet|verlobt|zusammen|liiert)
    {my} <adjective>(?P<subject>{person}) (ist|sind) (die|der) (?P<value>[a-zäöüß'-]+)( [a-zäöüß'-]+)?[.!]?$
    {my} <adjective>(?P<subject>{person}) (ist|sind) (?P<value>[a-zäöüß'-]+)( [a-zäöüß'-]+)?([.!]?$|,.+)
    ! (wlan|film|buch|song|serie|spiel|lied|fehler|funktion|methode|klasse|datei|variable|ordner|befehl
    |artikel) ([\wäöü-]+ ){0,4}(heißt|heißen)
    ! {person} (ist|sind) (der |die )?(\w+([klnr]er|ist|or|mann|frau|eur|ent|ant|arzt|ot|loge|wirt|koch|anwalt|ling
    |(er|st
    |or|ent|ant|eur|zt|log|irt|ch|ält|ot)in)|koch|arzt|wirt|{ill})
has relatives: fact, 0.75
    (ich|wir) (habe|hab|haben) <adverb>(eine?n?|zwei|drei|vier|fünf|\d+|keine) <adjective>(\w+ ){0,2}{person}
    (habe|hab|haben) (ich|wir) <adverb>(eine?n?|zwei|drei|vier|fünf|\d+|keine) <adjective>(\w+ ){0,2}{person}
    ich bin <adverb>(\w+e[rs]? )?(mutter|vater|oma|opa|tante|onkel|papa|mama|großvater|großmutter)( (von|geworden|mit
    |eine[rs]
    |zweier|dreier|und) .*)?[.!]?$
    ! habe? (eine?n?|keine?n?) (arzt|zahnarzt|\w*termin)
couple: fact, 0.70
    (ich|wir|{person} und ich) (bin|sind) .{0,30}(verheiratet|verlobt|geschieden|getrennt|zusammen)[.!]?$
relative: fact, 0.75
    {my} <adjective>(?P<subject>{person})( und (ich|{my} {person}))?( [a-zäöü-]+){0,2} {does} {value}
    ! {person} (ist|sind) (gerade|heute|jetzt|da|hier|krank|sauer|müde|unterwegs|weg|am)
"""
