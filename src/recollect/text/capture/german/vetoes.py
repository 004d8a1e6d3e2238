"""What a German sentence is when it is no statement by the user about what lasts."""

VETOES = r"""
pasted
    als (ki|sprachmodell|ki-\w+)|sprachmodell|^du bist ein\w* .{0,40}(assistent\w*|experte|expertin|bot|ki|modell
    |übersetzer)
    ^(natürlich|klar|gerne|sicher)[ ,!.]+hier (ist|sind)|^hier (ist|sind) (dein|deine|der|die|das|ein|eine) \w+
    ^<adverb>(gute|tolle|interessante|spannende|berechtigte) frage|^(gerne?|natürlich|klar) helfe ich|ich helfe (dir
    |ihnen) gern
    ^(entschuldigung|entschuldige|verzeihung)( bitte)? (für )?(die|das) (verwirrung|missverständnis|versehen)
    |melde dich gerne
    ^sehr geehrte|hiermit bewerbe|^(liebes team|liebe kolleg\w+)|zu händen
forget
    merke? dir (das|dies|es|den|diese\w*)?( \w+)?( bitte)? (nicht|nichts)|(nicht|nichts) (davon )?(merken|speichern
    |notieren)
    ^(vergiss|vergesst|vergessen sie|ignorier|ignoriere|lösch|lösche|streich) ((bitte|einfach|mal) )?(das|was|es|den
    |die|alles|meine?)
    unter uns|im vertrauen
reminder
    (denk|denke|denkt|denken sie) (bitte )?(daran|dran)[ ,]+.{1,80} zu \w+
    (vergiss|vergesst) (bitte )?nicht[ ,]+.{0,80}\w+ ?zu \w+|vergiss nicht .{0,60}zu\w+en
    (weißt|weisst|erinnerst) du (noch|dich)|erinner(e|st)? (mich|dich|du)|ich (erinnere|kann) mich
    |ich habe? .{0,30}vergessen
assistant
    als (ki|k\.i|künstliche intelligenz|sprachmodell|ki-\w+)|sprachmodell
    ich (habe|hab|werde) ((mir|das|es) )*(gemerkt|notiert|gespeichert|merken|vermerkt)
    ^(natürlich|klar|gerne|sicher|selbstverständlich|verstanden|alles klar|gern geschehen)[ ,!.]+(hier|ich|das)
    hier (ist|sind|kommt) (dein|deine|ihr|ihre|ein|eine|das|die|der)
    dass (du|sie) .{0,40}(magst|mögen|bevorzugst|bevorzugen|trinkst|wohnst|arbeitest|liebst)
    ^(du|sie) (magst|mögen|bevorzugst|hast gesagt|wohnst|arbeitest|liebst|heißt|bist|hast erwähnt)
    der (nutzer|benutzer|user) (bevorzugt|mag|heißt|wohnt|möchte|ist)
dictated
    ^<courtesy>(schreibe?|entwirf|übersetze?|sage?|antworte|schicke?|sende|verfasse|korrigiere?|formuliere?|fasse?
    |poste)( [^:]{1,60})?:
play
    lol|haha\w*|hihi\w*|hehe\w*|scherz|war nur (spaß|ein witz)|spaß beiseite|kleiner scherz|nur spaß|rofl|xd
    (lied(er|es|s)?|song|liedtext|refrain|strophe|witze?|gedicht|zitat|rätsel|schlager)s?|(sang|singt|klopf klopf)
hypothetical
    stell dir vor|stellen wir uns vor|angenommen|mal angenommen|nehmen wir an|als ob|hypothetisch|tu so|tun wir so
    |rollenspiel
    was wäre|wäre ich|hätte ich|wenn ich .{0,60}(würde|wäre|hätte|könnte|wohnte|lebte|müsste)|(würde|wäre|hätte) ich
    ich (wünschte|träume|träumte|würde|wäre|könnte|hätte (eine? frage|mal|da|lust))|wünschte ich
    vielleicht|eventuell|möglicherweise|ich überlege|ich frage mich|zum beispiel|z\.b|im traum|womöglich|mal sehen
    |keine ahnung
reported
    {other} <adverb>{said}
    {person}( \w+)? <adverb>({said}|will|möchte|ruft|hat angerufen|schreibt|hat (mir )?(gesagt|erzählt|geschrieben
    |gemeint))
    {said} (der|die|das|er|sie|mir|man|ein|eine)|hat (mir )?(gesagt|gemeint|erzählt|behauptet|geschrieben)
    ^(er|sie|jemand|man) (mag|liebt|hasst|trinkt|bevorzugt|wohnt|arbeitet|hat|ist|isst)
    laut (dem|der|ihm|ihr|artikel|doku\w*|docs|handbuch|anleitung)|im (film|buch|roman|artikel|spiel)|in der (serie
    |geschichte)
moment
    alles gute|herzlichen glückwunsch|frohe weihnachten|drück\w* mir|morgen (ist|habe|hab|muss)
    {now}
    (ich bin|wir sind|bin ich|^bin|bin) <adverb>{feeling}
    (mir ist|ich fühle mich|ich hab|ich habe) <adverb>(kalt|heiß|schlecht|langweilig|übel|warm|hunger|durst
    |kopfschmerzen|kopfweh|lust|keine lust|schnupfen|fieber)
    {my} .{0,30} (ist|sind|war) <adverb>{state}
    ich (geh|gehe|muss|mach|mache|komme?|fahre?|hole?|esse|koche|warte|suche?) (jetzt|gleich|gerade|kurz|los|mal|mir
    |weg|dann|heim|nur)
question
    ^(was|wer|wen|wem|wie|wo|woher|wohin|warum|wieso|weshalb|wann|welche[rsnm]?|wieviel|wessen|womit|worüber)
    ^(weißt|weisst|kennst|kannst|könntest|hast|bist|magst|willst|würdest|soll|sollte|darf|muss|kann|können|ist|sind|war
    |gibt|stimmt|erinnerst|glaubst|meinst|denkst|findest|möchtest|hatte) (du|ich|sie|es|wir|ihr|das|der|die|mein\w*|man
    |er|eigentlich)
    \A((und|aber|ok|okay|hey|hallo|sag mal|also|oder) )?(hab|habe|bin|mag|wohne|arbeite|heiße) (ich|wir|eigentlich)
    (sag|sage|sagen|erklär\w*|zeig\w*|wissen|weiß|frage mich|nachsehen|nachschauen|prüf\w*|schau\w*|guck\w*
    |interessiert mich|ahnung|sicher|raten?)( mir| bitte| mal| nach)*[ ,]+(was|wie|wo|wann|warum|wer|ob|welche\w*|woher
    |wieso|wem)
    stimmt es|habe ich dir|hast du
request
    ^<courtesy>{command}
    (ich|wir) (möchte|will|wollte|hätte gern|hätte gerne|brauche|würde gern|würde gerne|erwarte|bräuchte|suche
    |wünsche mir) <adverb>(gern|gerne|bitte|noch|nur|mal)* ?(,|dass|ein|eine|einen|einem|das|die|den|der|wissen|bitte
    |hilfe|zwei|etwas|mehr|deine|infos?|tipps|jetzt)
    (ich|wir) (möchte|will|würde|wollte)[ ,]+(gern|gerne)?[ ,]*(dass|wissen)|ich (möchte|will|würde gern\w*
    |wollte) .{0,80}(wissen|bestellen|buchen|kaufen|machen|essen|sehen|haben|lernen|fragen|schreiben|erstellen|hören
    |schauen)$
    (ich|wir) (habe|hab|haben|bekomme|kriege|krieg) <adverb>((da|noch|mal|nur) )*(eine?n?|kein|keine|keinen|ein paar
    |das|dieses|folgende\w*|immer|ständig|diese\w*) (\w+ )?{trouble}
    (kannst|könntest|würdest|können|könnten) (du|sie)|hilf mir|lass mich|ich (verstehe|kapiere|finde|weiß
    |kann) .{0,60}(nicht|nix)( mehr)?$
"""

VETO_WORDS = r"""
other
    er|sie|jemand|man|leute|die leute|der (mann|kunde|nutzer|lehrer|arzt|autor|artikel)|die (frau|kundin|lehrerin
    |autorin)
said
    sagte|sagt|sagten|meinte|meint|erzählte|erzählt|behauptet|behauptete|schrieb|schreibt|fragte|fragt|glaubt|glaubte
    |denkt
    findet|fand|erklärte|erwähnte|hat gesagt|hat gemeint|hat erzählt|rief|ruft an
now
    (diese|nächste|letzte) woche|dieses wochenende|jetzt gerade|gerade eben|gerade|im moment|heute|heut|heute (morgen
    |abend)|gestern|morgen früh|gleich|soeben|eben gerade
    in (\d+|fünf|zehn|einer|ein paar|zwei) (minuten?|stunden?|sekunden)
    vorhin|bis (gleich|später|dann)|grad|zurzeit im|in einer (minute|stunde)|vor (\d+|fünf|zehn) (minuten|stunden)
feeling
    müde|kaputt|fertig|hungrig|durstig|krank|traurig|froh|glücklich|sauer|wütend|verwirrt|spät|zurück|da|hier|unterwegs
    |bereit
    gespannt|neugierig|nervös|gestresst|genervt|aufgeregt|enttäuscht|überrascht|gelangweilt|am (überlegen|arbeiten
    |kochen|essen)
    dabei|mir (nicht )?sicher|nicht sicher|dankbar|erledigt|erkältet|im (büro|bus|zug|meeting|stau|bett)|beim (arzt
    |essen|kochen|sport)
    zu hause|zuhause|daheim|weg|raus|so weit|soweit|auf dem (weg|sprung)|verwirrt|begeistert|beeindruckt|ratlos
    |stolz auf dich
state
    down|kaputt|langsam|leer|voll|weg|fertig|krank|tot|abgestürzt|müde|da|hier|spät|nass|kalt|falsch|offline
    |am (schlafen|bellen)
    schlecht|super|toll|schön|anstrengend|sauer|wütend|unterwegs|gesperrt|gleich|ausgefallen|verschwunden|eingefroren
    |hängen
trouble
    frage|fragen|problem|probleme|fehler|idee|bitte|aufgabe|bug|funktion|liste|datei|tabelle|skript|string|dataframe
    |array
    anliegen|vorschlag|termin|fehlermeldung|exception|gefühl|moment|minute|zweifel|ahnung|lust|zeit|klasse
"""
