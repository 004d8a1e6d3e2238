"""Czech sentences about choices: what is liked, wanted and decided.

Of two rules that both apply, the upper one decides.
"""

CHOICES = r"""
favourite: preference, 0.80, user/favourite {key}, despite play
    (můj|moje|má|mojí|náš|naše) <adverb>(nej)?oblíben(ý|á|é|ější|ej) {key} (je|jsou|byl|byla|bude|zůstává|:|-
    |=) <adverb>{value}
    {front} (je|jsou|zůstává) (můj|moje|má|náš|naše) <adverb>(nej)?oblíben(ý|á|é|ější|ej) {key}
    (nej)?oblíben(ý|á|é|ější) {key}( je|:| mám)? {value}
    ! oblíben\w+ (část|místo|moment|řádek|pasáž|slova|věta|hláška)
choice: decision, 0.85, /choice, despite moment request hypothetical
    {decided} (jsem|jsme) ((se|si) )?((pro|na) )?((použít|používat|vzít|nasadit|zvolit) )?{front} (pro|na|jako) {topic}
    (pro|na|do) {subject} (budeme používat|použijeme|bereme|jsme (si )?(vybrali|zvolili)|jsem (si )?(vybral
    |vybrala)) {value}
    ! (nerozhodl|nedohodl|nevybral|neshodl)\w*|na \d
decided: decision, 0.85, /, despite moment request hypothetical
    {decided} (jsem|jsme)( se| si)?( \w+){0,6}? ?{value}
    (jsem|jsme) <adverb>((se|si|to|už|nakonec|konečně|dnes|včera) )*{decided}
    (jsem|jsme) .{2,50} a <adverb>{decided} {value}
    (tým|vedení|rodina|firma|představenstvo|rada|výbor|většina) ((se|si) )?{decided}
    (je|bylo|máme) ((to|už|tím|definitivně) )*(rozhodnut\w*|domluven\w*|dohodnut\w*|hotová věc|schválen\w*
    |odsouhlasen\w*|jasno)
    ^<adverb>(definitivně|finálně|rozhodnuto|domluveno|dohodnuto|rozhodnutí|ujednáno|platí|schváleno
    |závěr)[ ]?[:,-]+ ?{value}
    [\w-]+ .{3,120} (rozhodnuto|domluveno|dohodnuto|ujednáno|schváleno|hotová věc)[.!]?$
    ^je to (jasné|jasný|rozhodnuté|hotové)[ ]?[:-]+ ?{value}
    (budeme|nebudeme) <adverb>(používat|nasazovat|stavět|psát|hostovat|pokračovat|jezdit|brát|dělat|vydávat|migrovat
    |přecházet|testovat|kupovat|řešit) {value}
    (odteď|od teď|od zítřka|od pondělí|nakonec|takže|tak|od ledna|pro \w+|na \w+|do \w+) ({use}|používáme) {value}
    {front} {drop}
    (letos|v létě|v zimě|na podzim|na jaře|v {month}|na (vánoce|silvestra|velikonoce)) (jedeme|letíme|pojedeme
    |poletíme) {value}
    ^([\w-]+ ){1,3}?(přepisujeme|převádíme|migrujeme|nahrazujeme|stěhujeme) (na|do|za|z|k) {value}
    nakonec (jsem|jsme) ((si|se) )?(vzal|zvolil|koupil|objednal|nechal)(a|i)? {value}
    [a-z]+[aeioyu]t (budeme|budu) (v|ve|na|přes|s|jen) {value}
    s [\w-]+ jsem <adverb>(skončil|praštil)a?
    (zůstal(a|i)? (jsem|jsme)|(jsem|jsme) zůstal(a|i)?) (u|při) {value}
    (budu|budeme) .{3,50} (ne|nikoli|a ne|místo) {value}
    od (ledna|pondělí|zítřka|nového roku|příštího \w+|{month}) (budu|budeme) {value}
    ^{use} ((na|u|k|s|do|tedy|ten|tu|to) )?{value}
    (pojďme|pojdme) ((na|s|do) )?(použít|zvolit|vzít|zůstat|jet|přejít|používat) ?{value}
    (beru|bereme|vezmu|volím) (tu|ten|nabídku|variantu|místo|práci|smlouvu|tuhle|tenhle) {value}
    (přecházíme|přejdeme|migrujeme|zůstáváme|zůstaneme|přecházím|zůstávám) (na|u|k|do|s) {value}
    ((naše|moje|finální|konečné) )+(rozhodnutí|volba|dohoda) (je|byla|padla|zní)|volba padla|padlo rozhodnutí|plán je
    ! (nerozhodl|nedohodl|nevybral|ještě jsem se|ještě jsme se|nemůžu se rozhodnout|neshodl)\w*
    ! (beru|bereme) ({ill}|léky|prášky|vitamin\w*)
    ! (beru|bereme) (to|na vědomí|si|paus\w*|volno|taxi)|(vezmu|beru|vezmeme|bereme) (tu|ten|to) (prvn|druh|třet
    |posledn)\w+
    ! (dnes|dneska) jsme se rozhodli (zůstat|jít|zajít|objednat)
    ! (řešíme|vybíráme|rozhodujeme) (.{0,20}[ ,:"(-])?(co|jak\w*|mezi|kter\w+)
rule: preference, 0.85, despite request moment hypothetical
    ^<courtesy>(vždy|vždycky|nikdy|v žádném případě|zásadně) <adverb>((mi|na|mě|to|si|se
    |prosím) )*([a-z]+(j|jte)|(ne)?{command}|{order}|ne[a-z]+(ď|ň|š|z|v)(te)?)
    ([a-z]+(ej|uj|áj|ij|ějte|ejte|ujte|ijte)|{order}) ((mi|mě|na|si|se|mně|prosím|to) )*<adverb>(vždy|vždycky|nikdy
    |zásadně|pokaždé|pouze|jen|výhradně|stručně|česky|anglicky|německy|krátce)
    (odteď|od teď|od teďka|příště|napříště|do budoucna|od dneška|od této chvíle|pokaždé když|vždy když|kdykoli) ((mi|na
    |mě|prosím|vždy|budeš) )*[a-z]+
    ^([\w-]+ ){1,4}všude
    ^([\w-]+ ){2,6}(vždy|vždycky|nikdy)[.!]?$
    ^(když|kdykoli|pokaždé když) ((mi|budeš|něco) )*\w+(áš|íš|eš) .{2,80}
    (bez|žádn(é|ý|á|ou)|nedávej|nepoužívej|nepiš|míň|méně|víc|více) .{1,40} (v|do|ve) (odpověd\w+|zpráv\w+|text\w+|kódu
    |mail\w+|svých)
    (do|v) (odpověd\w+|kódu|zpráv\w+|text\w+) (mi )?(nedávej|nepiš|nepoužívej|vždy|dávej|nechci|piš)
    (chci|nechci|chceme|potřebuju|vyžaduju|očekávám) (.{0,60}[ ,:"(-])?(vždy|vždycky|nikdy|pokaždé|všude|zásadně)
    (vždycky|vždy|nikdy|pokaždé|všude) (chci|nechci|chceme|vyžaduju)
    (tykej|vykej|netykej|nevykej|oslovuj|neoslovuj) (mi|mě)|mluv (na mě|se mnou|česky)|piš mi (jen|česky|bez|krátce)
    |neříkej mi
    (chci|chtěl bych|chtěla bych|potřebuju|prosím|přeju si)[ ,]+aby ([\w-]+ ){0,2}?{replies}
    (chci|chtěl bych|chtěla bych|přeju si)[ ,]+abys ((mi|mě|na|se|se mnou|vždy|vždycky|nikdy) )*(ne)?(odpovídal|psal
    |mluvil
    |oslovoval|říkal|tykal|vykal|používal|posílal|vysvětloval|dával|ukazoval|navrhoval|ptal|kontroloval|volal
    |uváděl)\w*
    ^<courtesy>({lasting} |{lasting} (v|ve|do|k|pro) \w+ )?((mi|vždy) )*{order} (.{0,60}[ ,:"(-])?{spoken_of}
    ^<courtesy>{order} ((mi|nám|všechny) )*{lasting}
    ^<courtesy>{order} .{0,50}bez {style}
    ^<courtesy>{order} (\S+ ){0,2}{style}
    ^<courtesy>([\w-]+ ){0,4}{order} (.{0,40}[ ,:"(-])?(nejvýš|maximálně|minimálně|nejdřív|nejpozději|standardně
    |ve výchozím|defaultně)
    (standardně|defaultně|jako výchozí) ([\w-]+ ){0,4}{order}
    ^<courtesy>(vždy|vždycky|jen|jenom) ((mi|mluv) )?(stručně|krátce|podrobně|k věci|česky|anglicky|jednoduše|bez) ?.*$
    ^{lasting} ([\w-]+ ){0,2}?(vždy|vždycky|jen|jenom|pouze) (v|ve|na|do|po|před|s|bez|přes|stručn\w+|krátk\w+) {value}
    ^<courtesy>(odpovídej|vysvětluj)(te)? (mi )?(jako|jak) {value}
    ^([\w-]+ ){0,3}({regularly}|večer|ráno|v noci|přes den) ([\w-]+ ){0,3}?{order}
    (po|před|do|během|o) .{2,40} žádn(é|ý|á|ou|ých) (notifikac|hovor|schůz|mail|zpráv|upozorněn|volán|káv|kafe|maso
    |sladk)\w*
    ^<courtesy>(vždy|vždycky|nikdy) ([\w-]+ ){0,3}?(ne)?({command}|{order})
    ne(doporučuj|nabízej|navrhuj|posílej|ukazuj)(te)? (mi|nám) \w+
    ^<courtesy>(vysvětluj|odpovídej)(te)? ((mi|to) )*(na příkladech|jednoduše|krok za krokem|po krocích|v bodech
    |podrobně)
    ne(používej|piš|říkej)(te)? (slov|fráz|výraz|obrat)\w*
    ^{lasting} ((mi|vždy|vždycky|v \w+) )*{order}
    (pojďme|můžeme|budeme) si tykat|tykejme si
    (piš|volej|posílej|napiš|zavolej)(te)? (mi )?(radši|raději) {value}
    radši (mi )?(napiš|piš|zavolej|volej|pošli|posílej)
    (byl|byla) bych (radši|raději|rád|ráda) (kdybys|kdyby) {value}
    nikdy ne\w+(j|uj|ej|jte|eš|iš)
    ! když (budeš mít|máš) (čas|chvil\w*)|mrkni|dej vědět|ozvi se
    ! sem|(ten|tenhle|tuhle|tomhle|téhle|té|tom|tento|tuto) (soubor|funkc|odstav|řád|text|kus|kód|tříd|metod|cykl|mail
    |příklad|úkol|míst|komentář)\w*
    ! ^(vždy|vždycky|nikdy) (jsem|jsme|mám|máme|je|to|se mi|mi)
cannot stand: preference, 0.80, user/, despite request
    {front} (nemůžu|nemohu) (ani )?(vystát|cítit|snést)
order: preference, 0.85, despite request moment
    ^<courtesy>(žádn(é|ý|á|ou|ej)|jen|pouze) ([\w-]+ ){1,4}(před|po|v|ve|na|při|během|bez|do|díky|prosím|s)
    {order} (.{0,60}[ ,:"(-])?(vždy|vždycky|nikdy|pokaždé|zásadně)
    (vždy|vždycky|nikdy|pokaždé|zásadně) ((mi|mě|prosím|na|to) )*{order}
    ! (jsem|jsme|mám|máme|bydlím|pracuju|můj|moje)
likes: preference, 0.80, user/
    (mám|máme|nemám|nemáme|neměl|měl) <adverb>{gladly} <adverb>{value}
    {front} (mám|máme|nemám|nemáme) <adverb>{gladly}
    {gladly} (mám|máme|nemám) {value}
    <adverb>{liked} <adverb>{value}
    {front} <adverb>{liked}
    ^<adverb>{gladly} <adverb>[a-zěščřžýáíéúůňťď]+(m|u|i|me|ju|ji) {value}
    [a-zěščřžýáíéúůňťď]+(ím|ám|ém|uju|uji|ju|u|íme|áme) <adverb>{gladly} {value}
    ((já|my) )?<adverb>{gladly} [a-z]+(ím|ám|ém|uju|uji|ju|íme|áme|eme)
    {front} (mě|mne|nás) <adverb>(nebaví|baví|neberou|nebere|bere|štve|štvou|vytáčí|stresuje|stresují|unavuje|unavují
    |ruší|irituje|uklidňuje|děsí|nudí|nezajímá|láká|neláká|otravuje|rozčiluje)
    (baví|nebaví|štve|štvou|vytáčí|irituje|iritují|otravuje|otravují|rozčiluje|rozčilují|děsí|fascinuje|unavují|unavuje
    |ruší
    |nudí|stresuje|stresují|uklidňuje) (mě|mne|nás) <adverb>{value}
    (vadí|nevadí|chutná|nechutná|chutnají|nechutnají|vyhovuje|nevyhovuje|sedí|nesedí|líbí se|nelíbí se|je příjemnější
    |je milejší|je bližší|nejvíc chutná) (mi|nám|mně) <adverb>{value}
    (nelíbí|líbí) se (mi|mně|nám) <adverb>{value}
    {front} (je|jsou) (pro mě|pro nás|za mě|podle mě) <adverb>(lepší|horší|pohodlnější|příjemnější|nejlepší)
    ^(kafe|kávu|káva|čaj|víno|pivo|mléko|maso|steak|pizz\w|místo|hotely?|lety?|letenky|schůzky|hovory|maily|hudb\w) (-
    |mám
    |piju)? ?(jen|jenom|jedině|pouze|zásadně|výhradně|vždy|vždycky) {value}
    (nejlíp|nejlépe|líp|lépe) se (mi|nám) \w+ {value}
    ^(z|ze) [\w-]+ <adverb>(jen|jedině|pouze|nejradši|nejvíc|výhradně) {value}
    (vždycky|vždy|většinou) (si )?(beru|volím|objednávám|kupuju|sedám|žádám|říkám o|rezervuju) {value}
    (ideální|nejlepší) [\w-]+ (je|jsou) (pro mě|pro nás) {value}
    pro mě (je|jsou) (ideální|nejlepší) {value}
    jsem <adverb>(na|pro) [\w-]+ (než|víc než) {value}
    {front} je (mi|nám) <adverb>(nejbližší|bližší|milejší|nejmilejší|příjemnější|proti srsti)
    je (mi|nám) <adverb>(nejbližší|bližší|milejší|nejmilejší|příjemnější|proti srsti|sympatičtější) {value}
    (hodí se|nehodí se|se hodí) (mi|nám) ((spíš|spíše|nejvíc|nejlíp|nejlépe|líp|lépe|víc|obecně|vždy) )+{value}
    (mi|nám) ((spíš|spíše|nejvíc|nejlíp|nejlépe|líp|lépe|víc|obecně) )+(se )?(hodí|vyhovuj\w+|sedí|jde|jdou) ?
    {front} (mi|nám|mně) <adverb>(vadí|chutná|nechutná|chutnají|nechutnají|vyhovuje|nevyhovuje|sedí|nesedí|nevoní|smrdí
    |se nelíbí|nejede|nesedne|jde na nervy|lezou na nervy|leze na nervy)
    jsem <adverb>((velký|velká|obrovský|náruživ(ý|á)|vášniv(ý|á)) )*(\w+ )?(fanoušek|fanynka|fanda|milovník|milovnice
    |typ|člověk|závislák|nadšenec|nadšenkyně|odpůrce|maniak|sběratel)( na| \w+)? ?{value}
    jsem <adverb>((velký|velká|obrovský|vášniv(ý|á)) )*(\w+ )?(fanoušek|fanynka|fanda|milovník|milovnice|typ|člověk
    |nadšenec|sběratel)
    (nejsem|nejsem moc|nejsem zrovna) ((moc|žádný|žádná|zrovna) )*(fanoušek|fanynka|fanda|přítel|na) {value}
    (není|nejsou|to není) ((nic|moc) )*(pro mě|můj šálek|moje parketa|můj styl)|nic pro mě
    (nejím|nepiju|nepiji|nekouřím|nenosím|nepoužívám|nesnídám|nekupuju|neposlouchám|nečtu|nesleduju) <adverb>{value}
    (piju|piji|jím|nosím|kupuju|kupuji|používám|poslouchám|čtu|létám|lítám|objednávám|sedám si|spím|sleduju
    |jezdím) (\S+ ){0,3}?(jedině|jen|jenom|pouze|zásadně|nikdy|vždy|vždycky|výhradně|bez|raději|radši|hlavně|většinou
    |převážně
    |nejčastěji|černou|černé) {value}
    poslouchám <adverb>(rock|metal|jazz|klasik|hip ?hop|podcast|techno|vážn|punk|indie|folk|pop|rap|elektron)\w*
    {front} (nepiju|nepiji|nejím|nekouřím|nenosím|nepoužívám|nekupuju|neposlouchám|nečtu|nelétám|nelítám
    |nejezdím)([,.!].*)?$
    {front} (mi|nám) <adverb>(dělá|dělají|udělá) (radost|dobře|problém|starosti)
    {front} (piju|piji|jím|nejím|nepiju|nosím|kupuju|používám|poslouchám|koukám|sleduju|čtu) <adverb>(zásadně|jen|jenom
    |pouze|nikdy
    |vždycky|vždy|výhradně|bez|černé|černou)
    (beru|beru si|dávám si|volím) (vždy|vždycky|zásadně|jen|jenom) {value}
    dávám ((vždy|vždycky) )?(přednost|přednosti) {value}
    (není|nejde) nad {value}
    (jsem zvyklý na|jsem zvyklá na|nedám dopustit na|nemůžu bez|neobejdu se bez|mám slabost pro|ulítávám na
    |úchylka na) {value}
    ! (líbí se mi to|to se mi líbí|líbí se mi (tvůj|tvoje|tvá|váš|vaše|ten (nápad|návrh)|ta (odpověď|verze|myšlenka))
    |(radši|raději) (ne)?(říkal|nebudu|nechci)|mám tě rád\w*|miluju tě|mi to$|rád bych|ráda bych|rád tě|ráda tě)
    ! (nesnáším|nesnesu|nesnášíme) {ill}
    ! (štve|štvou|vytáčí|irituje|otravuje|rozčiluje) mě (ten|ta|tahle|tenhle|tohle)|zase
    ! (budu|budeme) (rád|ráda|rádi)|(mám|máme) (rád|ráda|rádi) (takov\w+|tyhle|tyto|ty)|líbí (prvn|druh|třet|posledn)\w+
    ! (cením|vážím) si (tv|toho|vaš)\w*
    ! (rád|ráda) jsem (pomohl|pomohla|ti|vám)
    ! líbí se mi jak|jak (jsi|jste) (to|mi)
    ! {liked} (ten|tuhle|tenhle|tyhle|tohle|tu|tyto|tento)|(ten|tenhle|tuhle|tu|tyhle) \w+ <adverb>{liked}
    ! {liked} (to|tě|vás|ho|ji)$|nevadí$|to (mi )?nevadí|rád se stalo|rádo se stalo|rád (pomůžu|pomohu)
    |moc se mi to líbí|se mi to líbí
"""
