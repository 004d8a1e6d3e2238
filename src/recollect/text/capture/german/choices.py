"""German sentences about choices: what is liked, wanted and decided.

Of two rules that both apply, the upper one decides.
"""

CHOICES = r"""
favourite: preference, 0.80, user/favourite {key}
    (mein|meine|unser|unsere) (absolut\w+ )?lieblings-?(?P<key>\w+) (ist|sind|war|bleibt|heißt|wäre|:|=
    |-) <adverb>{value}
    (mein|meine|unser|unsere) liebste[rsn]? {key} (ist|sind|war|bleibt) <adverb>{value}
    {front} (ist|sind|war|bleibt) (mein|meine|unser|unsere) <adverb>lieblings-?(?P<key>\w+)
choice: decision, 0.85, /choice, despite moment request hypothetical
    (uns|mich) <adverb>für {front} (für|als|bei) ((die|den|das|der|unser\w*|mein\w*) )?{subject} (entschieden
    |festgelegt)
    beschlossen {front} für ((die|den|das|unser\w*) )?{subject} zu (nehmen|nutzen|benutzen|verwenden)
    für ((die|den|das|unser\w*|mein\w*) )?{subject} (nehmen|benutzen|nutzen|verwenden) wir <adverb>{value}
    (haben|habe) ((wir|ich) )?<adverb>{front} als {subject} (gewählt|ausgewählt|ausgesucht|genommen)
    für ((die|den|das|unser\w*|mein\w*) )?{subject} (haben wir|habe ich|hab ich) {front} (gewählt|ausgewählt|ausgesucht
    |genommen)
    ! (noch|noch immer|bisher) nicht .{0,20}(entschieden|festgelegt|beschlossen|geeinigt)
decided: decision, 0.85, /, despite moment request hypothetical
    (ich|wir|das team|die familie|der vorstand|die geschäftsführung|der aufsichtsrat|die mehrheit|man) (habe|hab|haben
    |hat) (\S+ ){0,14}?{decided}
    ((habe|hab|haben) (ich|wir)|^(habe|hab|haben)) (\S+ ){0,14}?{decided}
    {front} (verlängern|kaufen|nehmen|machen|bauen|brauchen|behalten|unterstützen|erneuern|kündigen
    |verkaufen) wir <adverb>(nicht|nicht mehr|keine?n?)
    (es|das|ist|sind|wurde|ist jetzt|damit) .{0,20}(beschlossen|entschieden|beschlossene sache|abgemacht|fix|vom tisch)
    ^\w+(entscheidung|beschluss)[ ]?[:-]+ ?{value}
    ^(endgültig|final|fix|beschlossen|entschieden|abgemacht|entscheidung|beschluss|ausgemacht
    |festgelegt)[ ]?[:,-]+ ?{value}
    ^(dann|ab sofort|ab jetzt|ab heute|künftig|ab morgen|von nun an|also|in zukunft
    |ab nächste[rm] \w+) {use} wir {value}
    wir {use} <adverb>((also|dann|ab jetzt|ab sofort|auf|aufs|bei|beim|für|mit|zu|zum|zur) )+{value}
    wir (wechseln|migrieren|steigen|portieren) .{1,60}(zu|zum|zur|auf|aufs|nach) {value}
    wir {use} .{1,60} (statt|anstatt|anstelle|und nicht|und kein\w*) {value}
    ^(ab sofort|ab jetzt|ab heute|künftig|ab morgen|von nun an|in zukunft) (benutze|nutze|verwende|nehme|arbeite|fahre
    |esse
    |trinke|schreibe|mache|lerne|gehe|rauche) ich {value}
    (ich|wir) (werde|werden) <adverb>.{1,80}(nehmen|benutzen|nutzen|verwenden|einsetzen|behalten|umsteigen|wechseln
    |migrieren|bleiben|veröffentlichen|verzichten|schreiben|umschreiben|umstellen|einführen|abschaffen|verschieben
    |streichen
    |ablösen|ersetzen|kündigen)
    wir (verschieben|streichen|kippen|beenden|ersetzen|stoppen|launchen) (den|die|das|unser\w*) {value}
    {front} (streichen|kippen|behalten|verschieben|ersetzen) wir
    (lass uns|lasst uns) .{1,60}(bleiben|nehmen|verwenden|benutzen|nutzen|festhalten|einigen|umsteigen|wechseln|machen)
    (unsere|meine|die) (endgültige )?(entscheidung|wahl|vereinbarung) (ist|fiel|fällt|lautet|steht)|die wahl (fiel
    |fällt)|der plan (ist|steht)
    (ich|wir) (nehme|bleibe|wechsle|entscheide mich|entscheiden uns|steige|einigen uns|bleiben) (\S+ )?((jetzt|also|nun
    |dann|bei|beim|auf|für|doch) )+{value}
    es (wird|bleibt) bei {value}
    (hab|habe|haben) (mich|uns) (\S+ ){0,8}?(entschieden|entschlossen|festgelegt|geeinigt)
    (ich|wir) (nehme|nehmen) (den|die|das) (job|stelle|angebot|auftrag)
    wir (schmeißen|werfen|steigen|stellen|ziehen|schaffen|führen|schalten|setzen|lassen) (\S+ ){1,8}?(raus|um|ein|ab|weg
    |fallen)
    ^(endgültig|final|beschlossen|entschieden|abgemacht) (wir|ich|es|die|der) {value}
    ^ab ((nächste|kommende)[rmn]? \w+|{weekday}|{month}|morgen|heute) (ist|sind|gilt|gelten|wird|werden|machen wir
    |haben wir
    |findet|gibt es) {value}
    (ich|wir) (verlängere|verlängern|kündige|kündigen|verkaufe|verkaufen) (mein\w*|unser\w*|den|die|das) {value}
    {front} (breche|brechen|kündige|verlängere|gebe|beende|verkaufe|behalte|storniere) (ich|wir)( ab| auf| nicht
    | nicht mehr
    | doch)?[.!]?$
    (es )?steht (jetzt |nun |damit |endgültig )?fest[ ]?[:,]
    ! (noch|noch immer|bisher) (nicht|nichts|keine?) .{0,20}(entschieden|festgelegt|beschlossen|geeinigt)
    |nicht entscheiden
    |kann mich nicht
    ! (das|es) wurde .{0,20}(\d{4}|vom|von der)
    ! datei|ordner|fenster|cursor|(meeting|termin|treffen|essen) .{0,20}(morgen|heute|übermorgen)
    ! lass uns (weiter|mal|das (mal )?(machen|anschauen))
rule: preference, 0.85, despite request moment hypothetical
    ^<courtesy>(immer|nie|niemals|nie wieder|auf keinen fall) .{0,60}\w+en
    ^<courtesy>[a-zäöüß]+e? ((mir|mich|dir|bitte|das|die|den|sie|uns) )*(bitte )?(immer|nie|niemals|grundsätzlich|stets
    |nur noch|generell|ausschließlich|ab (jetzt|sofort|heute))
    (ab sofort|ab jetzt|ab heute|von nun an|in zukunft|künftig|von jetzt an)
    ^([\w-]+ ){1,4}überall
    ^([\w-]+ ){2,6}(immer|nie|niemals)[.!]?$
    ^(wenn|falls|sobald|immer wenn|jedes mal wenn|jedesmal wenn) du .{3,80}
    ^(bitte )?(immer|nie|niemals|nur noch) ([\w-]+ ){1,4}bitte[.!]?$
    ^bitte (immer|nie|niemals|nur noch) [\w-]+( [\w-]+){0,4}[.!]?$
    du (sollst|musst|darfst|solltest) .{0,80}(immer|nie|niemals|(vor|nach|bei) jede[mnr]|jedes mal|ohne|grundsätzlich
    |stets)
    ^<courtesy>[a-zäöüß]+ .{1,60} (vor|nach) jede[mnr] {value}
    ich (will|möchte|wünsche)( mir)? nicht[ ,]+dass du {value}
    (keine?|ohne|weniger|mehr) .{1,40} in (deinen|den|allen|ihren) (antworten|nachrichten|texten|mails|code\w*)
    (ich|wir) (möchte|will|hätte|wünsche) .{0,60}(immer|nie|niemals|grundsätzlich|stets|jedes mal|keine?|überall
    |grundsätzlich)
    (hätte|möchte|will) ich .{0,60}(immer|nie|niemals|grundsätzlich|stets|jedes mal|keine?|überall)
    (antworte|schreib|schreibe|sprich|rede|formuliere?) ((mir|mit mir|bitte|immer) )*(auf|kurz|knapp|ausführlich|in
    |ohne|nur)
    ^<courtesy>(verwende|benutze?|nutze|nimm|mach|mache|schreibe?) .{1,60}(bei mir|mit mir|mir gegenüber)
    ^<courtesy>(bleib|bleibe|sei) (\w+ ){0,3}?((bei|mit|zu) mir|mir gegenüber) {value}
    ^(lieber|eher) .{2,60} (als|statt|anstatt) {value}
    ^<courtesy>\w+ .{1,60}in (deinen|all deinen|künftigen|zukünftigen) (antworten|nachrichten|texten|mails)
    ^<courtesy>(empfiehl|empfehle|zeige?|schicke?|gib|schlage?|buche?|bestelle?) (mir|uns) (bitte )?(nie|niemals
    |keine?n?) {value}
    ^<courtesy>(rede|sprich|schreib|schreibe) mit mir (wie|so|als) {value}
    ^<courtesy>{style} (statt|anstatt|und nicht|nicht|bitte) ?.*
    ^<courtesy>(schreib|schreibe|gib|verwende|nutze|benutze?) (alle|jede[rsn]?|meine) ([\w-]+ ){1,4}(auf|in|als) {style}
    ^beim [a-zäöü]+en (bitte )?(höchstens|maximal|mindestens|immer|keine?n?|nur|nie) {value}
    ^<courtesy>höre? (bitte |endlich )?auf[ ,]+(mich|mir|dich|dir|immer|ständig|jedes|so) {value}
    ^(wenn|falls|sobald) ich .{3,60}[ ,]+(dann )?(gib|zeig|zeige|schreib|schreibe|antworte|nimm|sag|nutze
    |verwende) {value}
    ich fänd(e)? es (gut|besser|schön|toll|super|klasse|nett)[ ,]+wenn du {value}
    (mir wäre|es wäre|wäre) (es )?(mir )?(lieber|schön|gut|super|nett|besser)[ ,]+wenn du (immer|nicht|nie|mehr
    |weniger|öfter
    |keine?n?|kürzer) {value}
    (sprich|sprecht|sprechen sie) mich .{0,60}an
    ^<courtesy>(benutze?|verwende|nutze|nimm|schreibe?|setze?|formuliere?|gib) .{0,60}(allen?|jede[rmns]?|sämtlichen
    |was du) .*(für mich|texten|antworten|e?-?mails|nachrichten|briefen|berichten|mir schreibst)
    (duz|duze|duzen sie|duzt|siez|sieze|siezen sie) (mich|uns)
    ! ^(mein|meine|er|sie|es|das|warum|wieso|immer (noch|wieder))
    ! (keine ahnung|keine lust|keine zeit)
    ! ^wenn du (fertig|zeit|willst|magst|möchtest|kannst|soweit|so weit|fragen|da|wach|zuhause|lust|hier)
    ! wenn du (mir (kurz|mal)|das|es|jetzt|heute)
    ! dass du (diese\w*|das|es|die datei|jetzt|gerade|hier|heute)
    ! ^<courtesy>(ich|wir|mein\w*|unser\w*|er|sie|es|das|der|die|man|hier|da) .* (vor|nach) jede
asks for a rule: preference, 0.85, despite request moment question
    ^(kannst|könntest|würdest|können|könnten) (du|sie) .{0,40}(immer|nie|niemals|ab jetzt|ab sofort|künftig|in zukunft
    |jedes mal) {value}
    ! immer (noch|wieder)|(dir|man|sich) immer
order: preference, 0.85, despite request moment
    ^<courtesy>(keine?|nur|ohne) ([\w-]+ ){1,4}(vor|nach|am|in|bei|mit|während|ohne|bitte|für|im|um|danke)
    ^<courtesy>[a-zäöüß]+ (\S+ ){0,5}?(immer|nie|niemals|stets|grundsätzlich|jedes mal) .{1,80}
    ! ^<courtesy>(ich|wir|mein\w*|unser\w*|er|sie|es|das|der|die|man|warum|wieso|hier|da|so|bin|habe|hab|trinke|esse
    |gehe)
    ! immer (noch|wieder)|noch nie|(ich|wir|uns|mein|meine|unser|unsere)|man|sollten?|^(laut|best practice|regel|tipp)
    ! ^[\wäöüß-]+ (ist|sind|war|hat|haben|wird|werden|läuft|laufen|kommt|kommen|geht|gehen|gibt|macht|machen
    |funktioniert
    |klappt|stürzt|schlägt|schlagen|passiert|kann|muss|fehlt|hängt|bleibt|steht|liegt|braucht|sagt|will|dauert)
finds: preference, 0.80, user/, despite request
    {front} find(e|en)? (ich|wir) <adverb>{rated}[.!]?$
    find(e|en)? (ich|wir) {front} <adverb>{rated}[.!]?$
    (ich|wir) find(e|en)? {front} <adverb>{rated}[.!]?$
    ! find(e|en)? (ich |wir )?(das|es|die|den|der|dein\w*|diese\w*|ihn|sie)
    ! ^(das|es|dies|die|den|der|deine?n?|diese\w*) (\w+ )?find(e|en)?
likes: preference, 0.80, user/, despite hypothetical
    (ich|wir|und|aber) <adverb>{liked} <adverb>{value}
    {front} {liked} (ich|wir)
    ^{liked} ((ich|wir) )?<adverb>{value}
    (ich|wir) \w+ (\S+ ){0,4}?{gladly} {value}
    (ich|wir) \w+ (\S+ ){0,7}{gladly}[.!]?$
    \w+ (ich|wir) (\S+ ){0,4}?{gladly}
    (mir|uns) (ist|sind|war|wäre) .{0,60}(lieber|wichtig|wichtiger|heilig)
    (ist|sind) (mir|uns) (\S+ ){0,3}(lieber|am liebsten|wichtig|wichtiger|heilig|zu \w+)
    ^(am liebsten|ungern|(sehr|total|besonders|wahnsinnig|nur) (gern|gerne|ungern)) \w+ (ich|wir) {value}
    {front} (gefällt|gefallen|schmeckt|schmecken|liegt|liegen|passt) (mir|uns)
    (mir|uns) (gefällt|gefallen|schmeckt|schmecken|liegt|liegen) <adverb>{value}
    (kann|können|könnte) (ich|wir) <adverb>.{0,40}(leiden|ausstehen|ab|riechen|(nichts|nix|wenig|viel) anfangen
    |verzichten)$
    (ich|wir) (kann|können) .{1,60}(leiden|ausstehen|nicht ab|nichts anfangen|nicht riechen|nicht verzichten|nicht ohne)
    (ist|sind|war) <adverb>(mein ding|meins|mein fall|mein geschmack|nichts für mich|was für mich|mir zu \w+)
    geht (mir )?nichts über {value}
    (bin ich|ich bin) (\S+ ){0,3}?(wählerisch|pingelig|heikel|altmodisch)
    bin ich eher (bei|der|die|ein|eine|für) {value}
    (mit|ohne|bei) {front} kann ich <adverb>(gut |besser )?(arbeiten|schlafen|denken|lernen|leben|einschlafen)
    ich bin <adverb>(verrückt|süchtig|begeistert|besessen|scharf|wild) (nach|von|auf) {value}
    (passt|passen|geht|klappt) (es )?(mir|uns|bei mir|bei uns) <adverb>(am besten|besser|nie|schlecht)
    (mein|meine) ((traum|wunsch|ideal)\w+|ideale[rs]? \w+|perfekte[rs]? \w+) (ist|sind|wäre) {value}
    ich (stehe?|steh) <adverb>((total|voll|sehr) )?auf {value}
    ich bin <adverb>((ein|eine|der|die|kein|keine) )?(\w+e[rs]? ){0,2}(\w+-?)?(fan|liebhaber|liebhaberin|typ|mensch
    |trinker|trinkerin|freund von|esser|muffel|nerd
    |süchtig|fanatiker|person)( von| der| des)? ?{value}
    ich bin <adverb>((ein|eine|der|die|kein|keine) )?(\w+ )?\w+(fan|liebhaber|liebhaberin|typ|mensch|trinker|trinkerin
    |esser|muffel|nerd)
    (kein|keine|nicht so der|nicht so die|großer) ((großer|große|richtiger) )?(fan|freund|freundin) von {value}
    (nervt|stört|ärgert|regt|beruhigt|entspannt|ekelt) mich( \w+)?[ ,]+{value}
    {front} (macht|machen) mich (glücklich|fertig|verrückt|wahnsinnig|nervös|müde|froh|krank|traurig)
    {front} (stresst|stressen|überfordert|überfordern|ermüdet|ermüden) mich
    {front} (nervt|nerven|stört|stören|ärgert|ekelt|ekeln|beruhigt|entspannt|langweilt) mich
    (ich|wir) (esse|trinke|rauche|trage|nehme|benutze|kaufe|höre|lese|schaue|fliege|reise|nutze|sitze|schlafe|bestelle
    |koche|buche|reserviere|wähle|zahle|bezahle|schreibe) <adverb>(nie|niemals|nur|immer|grundsätzlich|kein|keine
    |keinen|ausschließlich|lieber|ungern|prinzipiell|am liebsten) {value}
    (ich|wir) (nehme|wähle|bestelle|kaufe|buche) (normalerweise|meistens|meist|in der regel|fast immer) (den|die
    |das) {value}
    (esse|trinke|rauche|trage|nehme|benutze|kaufe|höre|lese|schaue|fliege|nutze|bestelle) (ich|wir) <adverb>(nie
    |niemals|nur|immer|grundsätzlich|keine?n?|ausschließlich|prinzipiell|nicht)
    halte (ich|wir) .{0,30}(nicht aus|nichts)|(könnte|möchte) ich (sterben|leben|jeden tag)|ich könnte .{1,40}(leben
    |jeden tag|ständig)
    (ich|wir) (mag|mögen) .{1,60}nicht|(ich|wir) (ziehe|ziehen) .{1,60} vor
    ! {liked} (ich )?(diese[nrsm]?|dieses|deine?\w*)
    ! {liked} (ich )?(das|es|dich|euch|ihn|die idee|deine?\w*|diese\w*)( so| sehr| total)?[.!]?$
    ! (lieber|gern|gerne) (nichts?|nicht) (dazu )?(sagen|antworten|verraten)
    ! (gefällt|gefallen) (mir )?(das|der|die) \w+e besser|(das|der|die) \w+e (gefällt|gefallen)
    ! gefällt (mir|uns)( \w+){0,3}[ ,.!]*$|(das|es) gefällt|die idee|{liked} dich|^gefällt mir
    ! (würde|hätte) .*diese[nrsm]?|diese[nrsm]? .*(würde|hätte)
    ! am liebsten (würde|hätte|wäre|möchte|wäre)
    ! (erste|zweite|dritte|letzte|neue|andere)[rsn]? (variante|version|option|vorschlag|entwurf|fassung|idee|lösung)
    ! {liked} (ich )?es wie|wie (du|sie) (das|es|mir)
    ! (würde|würden|möchte|wollte) (\S+ ){0,4}?(gern|gerne)
    ! (würde|möchte|wollen|will) (ich )?(gern|gerne|lieber)|gern geschehen|ja gern|hätte (ich )?gern|gerne (mehr|wissen)
"""
