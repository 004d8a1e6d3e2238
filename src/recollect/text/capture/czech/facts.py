"""Czech sentences about facts: what is so, about the user, the home, the work.

Of two rules that both apply, the upper one decides.
"""

FACTS = r"""
health: fact, 0.90, user/
    (mám|máme|jsem|nemám|trpím|beru|nosím|mívám|já|můj|moje|nesmím|můžu|držím|mi|mě|nejím|vadí) (.{0,50}[ ,:"(-])?{ill}
    {ill} (.{0,40}[ ,:"(-])?(mám|mívám|trpím|jsem|dostávám|mi|nesmím)
    (špatně|hůř|na \w+ (ucho|oko)( od \w+)?) (vidím|slyším|neslyším|nevidím)
    (doktor|doktorka|lékař|lékařka) mi (zakázal|předepsal|nasadil)a? {value}
    (nesnáším|nesnesu|nesmím|nemůžu) ((jíst|pít) )?{ill}|beru (léky|prášky|inzulín)
    ! (recept|restaurac|jídlo pro|oběd)\w*
injury: fact, 0.80, user/
    (zlomil|zranil|natrhl|vykloubil|operoval)(a|i)? .{0,60}|(jsem|mám) (si )?(zlomil|operovan|po operaci
    |natržen)\w* .{0,60}
    ! dnes|dneska|včera|teď
birthday: fact, 0.85, user/birthday
    narozeniny (mám|slavím|máme) {value}
    (mám|slavím) <adverb>narozeniny {value}
    (moje|mé) narozeniny (jsou|připadají na|:) {value}
    narodil(a)? jsem se (?P<value>\d{1,2}\..{2,30}?)( v .{1,40})?[.!]?$
    ((moje|mé) )?datum narození (je|:)? ?{value}
born: fact, 0.85, user/birthplace
    narodil(a)? jsem se .{0,20}v(e)? {value}
    vyrostl(a)? jsem (v|ve|na|u) {value}
    jsem vyrostl(a)? (v|ve|na|u) {value}
    jsem se narodil(a)? .{0,20}v(e)? {value}
    (jsem|pocházím) .{0,10}rodák z {value}
expecting: fact, 0.80
    čekáme ([\w-]+ ){0,2}?(dítě|miminko|přírůstek|dvojčata|kluka|holčičku|syna|dceru)
    (budu|budeme|bude ze mě) (táta|máma|tátou|mámou|rodiče|babička|děda|teta|strejda)
    (žena|manželka|přítelkyně|jsem|sestra) (\w+ )?(těhotn\w+|v \w+ měsíci)
forbidden: fact, 0.80, user/
    nesmím {value}
    ! nesmím ([\w-]+ ){0,2}?[a-z]+(at|it|et|out|ést|ovat|ít|yt|ýt|íct)
dates: fact, 0.75
    ({my}|mám|máme|na|den) ?([\w-]+ ){0,2}{dated} ?([\w-]+ ){0,2}(je|máme|mám|jsou|připadá|bude|do|v|ve|:|\d)
    {dated} (\w+ )?(máme|mám|slavíme|je|bude|jsou) {value}|(vzali|brali|oženil|vdala) (jsme|jsem) se
    |jsme <adverb>(svoji|manželé|spolu) (od|už) {value}|jsme dvojčata
age: fact, 0.80, user/age
    je mi <adverb>(?P<value>\d{1,3})( let| roků| rok)?
    mám <adverb>(?P<value>\d{1,3}) (let|roků)( \w+)?[.!]?$
    bude mi <adverb>(?P<value>\d{1,3})
employer: fact, 0.85, user/employer
    pracuj(u|i|eme) <adverb>(u|pro) {value}
    (dělám|makám|jsem zaměstnan\w+|nastoupil(a)? jsem|robím) <adverb>(u|pro|do) {value}
    pracuj(u|i) <adverb>v(e)? (?P<value>((firmě|společnosti|bance) )?[a-z0-9]+)[.!]?$
    (můj|mým) zaměstnavatel(em)? (je|:) {value}
    ! (v|ve) (bance|škole|nemocnici|obchodě|kanceláři|fabrice|it|hospodě|jedn\w+)
home: fact, 0.85, user/home, despite moment
    (bydlím|bydlíme|žiju|žiji|žijeme|přebývám|sídlíme|bydlim|ziju) <adverb>(s \S+ )?(\w+ )?(v|ve|na|u|kousek od|poblíž
    |nedaleko) {value}
    (přestěhoval(a|i)?|odstěhoval(a|i)?|nastěhoval(a|i)?) (jsem|jsme) se (.{0,20}[ ,:"(-])?(do|na) {value}
    (jsem|jsme) se (.{0,30}[ ,:"(-])?(přestěhoval|odstěhoval|nastěhoval)(a|i)? (.{0,20}[ ,:"(-])?(do|na) {value}
    stěhuj(u|i|eme) se (.{0,20}[ ,:"(-])?(do|na) {value}
    (moje|má|naše) (adresa|bydliště|rodné město) (je|:) {value}
    ! (v|ve|na) (mal\w+|velk\w+|star\w+|nov\w+|podnájmu|bytě|domě|paneláku|baráku|garsonce|jedn\w+)
dwelling: fact, 0.75, user/
    (bydlím|bydlíme|žiju|žiji|žijeme) <adverb>{value}
origin: fact, 0.80, user/origin
    (pocházím|pocházíme) <adverb>(z|ze) {value}
    (jsem|jsme) <adverb>((původně|původem|rodem) )?(z|ze) {value}
    ! (jsem|jsme) <adverb>(z|ze) (to|ten|ta|se|si|je|by|mi|mě|jsem|už|tam|tu|bude|jsi|můžu|mám|nemám)
    ! jsem (z|ze) (toho|té|tohohle|práce|nich|něj)
work: fact, 0.80, user/
    (pracuj(u|i|eme)|dělám|učím|studuj(u|i)|vyučuj(u|i)|podnikám|vedu|řídím|provozuj(u|i|eme)|dojíždím|programuj(u|i)
    |prodávám|makám|trénuj(u|i)|přednáším|spravuj(u|i)|pracovala? jsem|brigádničím|vyvíjím|fotím|zkoumám|vedeme
    |podnikáme) <adverb>(jako|v|ve|na|u|s|se|pro|po|do|tým|firm\w+|malou|malý|vlastní|dětem|matematiku|\w+) ?{value}
    (jako|v|ve) {front} (pracuju|pracuji|dělám|učím|studuju)
    (vystudoval|studoval|pracoval|učil|dělal|založil|absolvoval|dostudoval|vyučil|končil|odešel|šéfoval
    |nastoupil)a? jsem( se)? {value}
    jsem <adverb>(vystudoval|studoval|pracoval|založil|absolvoval|nastoupil|maturoval|promoval|odmaturoval)a? {value}
    (jsem <adverb>)?(dokončil|dodělal)a? (jsem )?(škol|studi|matfyz|vš|gympl|medic|práv|inžen|bakal|doktor|vysok|univerz
    |fakult|peďák|vejšk)\w*
    jsem <adverb>(v důchodu|důchod(ce|kyně)|na mateřské|na rodičovské|osvč|živnostní(k|ce)|student(ka)?|nezaměstnan\w+
    |zaměstnan\w+|na volné noze|zodpovědn\w+|odpovědn\w+)
    (dřív|dříve|kdysi|původně|předtím) jsem (byl|byla|pracoval|pracovala|dělal|dělala|učil|učila|bydlel|bydlela) {value}
    (moje|má) (práce|profese|povolání|pozice|obor) je {value}|(můj) (obor|plat|zaměstnavatel|tým) (je|má) {value}
    ! (dělám|pracuju|pracuji|programuju|studuju|zkoumám) (to|na tom|si|teď|právě|něco|tohle|na (úkolu|tomhle))|dělám si
schedule: fact, 0.75
    (jsem|mám|máme|chodím|jezdím|cvičím|běhám|hraju|vstávám|piju|jím|volám|dělám|uklízím|nakupuju|plavu|děti|my|já|náš
    |naše|můj|moje|mi|nám|se|chodí|jezdí|probíhá|deployujeme|je|mívám|mívame|míváme) (.{0,60}[ ,:"(-])?{regularly}
    {regularly} (.{0,60}[ ,:"(-])?([a-z]+(ím|ám|ém|uju|uji|u|íme|áme|eme|ujeme)|mám|máme|jsem|je|chodí|jezdí|probíhá
    |bývá|se)
    (v|ve) {weekday} (.{0,30}[ ,:"(-])?(chodím|chodíme|cvičím|hraju|hrajeme|plavu|mívám|míváme|trénuju|běhám|nepracuju
    |učím|jezdím
    |pracuju z domova)
    (pracovní dob\w|směn\w|otevírací dob\w|ordinační hodiny|úřední hodiny|polední pauz\w|oběd|večeř\w) (mám|máme|je
    |mívám
    |míváme) <adverb>(od|v|ve|do|mezi) {value}
    (do práce|do školy|z práce) (chodím|jezdím|začínám|odcházím) (na|v|kolem|po) {value}
    {front} u nás [a-z]+ (.{0,20}[ ,:"(-])?(v|ve|každ\w+) {weekday}
    {weekday} (.{0,20}[ ,:"(-])?(máme|mám|je|bývá) (zavřeno|volno|otevřeno|home office|ho)
    (chodím|chodíme|cvičím|hraju|mívám|míváme|trénuju|běhám|jezdím) (.{0,40}[ ,:"(-])?(v|ve) {weekday}
    ! (chyb|padá|spadne|nefunguje|timeout)\w*
habit: fact, 0.70, user/
    (obvykle|většinou|zpravidla|normálně|běžně|pravidelně|často|zřídka|málokdy|nikdy|vždy|vždycky) <adverb>[a-z]+(ím|ám
    |ém|uju|uji|ju|íme|áme|eme|ujeme|u) ?
    [a-z]+(ím|ám|ém|uju|uji|ju|íme|áme|ujeme) (obvykle|většinou|zpravidla|pravidelně|zřídka|málokdy)
    (vstávám|vstáváme|venčím|psa venčím|chodím spát|obědvám|večeřím|snídám|začínám|končím
    |budím se) (.{0,20}[ ,:"(-])?(v|ve|po|kolem|před
    |okolo) ((půl|čtvrt|tři čtvrtě) )?(\d|pět|šest|sedm|osm|devět|deset|jedenáct|šesté|sedmé|páté|osmé)
    (přestal|začal|skončil|nechal)a? jsem ((s|se) )?\w+(it|at|et|ovat|ím|em|ou|áním|ením)
    (jsem|jsme) <adverb>((s|se) )?(přestal|začal|skončil)(a|i)? ((s|se) )?\w+(it|at|et|ovat|ím|em|ou|áním|ením)
    [a-z]+(ím|ám|uju|uji|ju|šu|u) (už|od|skoro|přes|víc než|asi) (\w+ ){0,3}?(let|roky|rok|roku|měsíců|měsíce|dětství
    |mládí)
    (učím se|učíme se|trénuju na|šetřím na|píšu (knihu|diplomku|román|bakalářku|disertaci)|držím dietu
    |připravuju se na) {value}
    (už|od) (\w+ ){1,3}(let|roky|rok|roku|měsíce|měsíců|dětství|mládí) .{0,40}[a-z]+(ím|ám|uju|uji|ju|u)
    ! nikdy ne(pochopím|zvládnu|dokončím|najdu|dozvím|zapomenu|naučím|vyřeším|odpustím|uvěřím|zapamatuju)
    ! (často|vždy|vždycky|nikdy) (mi|to|se mi|dostávám|zapomínám|zapomenu|ztrácím|ztratím|vidím)
skills: fact, 0.70, user/
    (mluvím|umím|ovládám|hraju|hraji|jezdím|vlastním|sbírám|pěstuju|chovám|tančím|zpívám|lezu|surfuju|maluju|pletu
    |háčkuju|šiju|vařím|peču|rybařím|včelařím|běhám|plavu|lyžuju|fotím|programuju|domluvím se|rozumím|boxuju|závodím
    |trénuju|kreslím) <adverb>{value}
    {front} (mluvím|umím|ovládám|hraju|neumím)
    (mluvíme|umíme|hrajeme|jezdíme|chováme|pěstujeme|lyžujeme|cestujeme|bruslíme|tančíme|zpíváme|vaříme) <adverb>{value}
    (neumím|nikdy jsem se nenaučil\w*) (plavat|řídit|vařit|lyžovat|zpívat|tančit|jezdit|\w+ky|německy|anglicky)
    (můj |moje )(mateřský jazyk|mateřština|rodný jazyk) je {value}
    ! (vařím|hraju|jezdím|peču) (si|teď|zrovna|dneska|to)|rozumím (tomu|ti|té|že)|nerozumím
possession: fact, 0.65, user/
    (mám|máme|vlastním|vlastníme|nemám|nemáme|pronajímám|mám doma) <adverb>([\w-]+ ){0,4}{held}
    (pronajímám|pronajímáme) si {value}
    (mám|máme|vlastním) [a-z]+(ou|ého|ý|é|á|í|ej) [a-z]+[.!]?$
    {held} (\S+ ){0,2}?(mám|máme|nemám|nemáme|vlastním)
    (koupil|zdědil|pořídil|adoptoval|postavil|prodal|pronajal|sehnal)(a|i)? (jsem|jsme)( si)? {value}
    (jsem|jsme) (si )?(koupil|zdědil|pořídil|adoptoval|postavil|prodal|pronajal)(a|i)? {value}
    (velikost|číslo) (bot|oblečení|nohy|trička|prstenu|košile|obuvi) (mám|nosím|je)? ?\d+
    (nosím|boty|oblečení|velikost) <adverb>((nosím|mám) )?(velikost|číslo|brýle|vousy) ?{value}
    {front} (máme|mám|schováváme|schovávám|držíme|necháváme) <adverb>(pod|v|ve|na|u|za|vedle|nad) {value}
    ! {trouble}|nemám (čas|tušení|zájem|chuť|náladu|rád)
using: fact, 0.70
    (držíme|uchováváme|archivujeme|pouštíme|spouštíme|buildíme|monitorujeme|logujeme|verzujeme|cachujeme|používáme
    |používám|deployujeme|nasazujeme
    |hostujeme|ukládáme|vyvíjíme|stavíme|prodáváme|vyrábíme|scházíme se
    |testujeme|parkuju|parkuji|parkujeme|skladujeme|topíme|zálohujeme|vydáváme|fakturujeme|píšeme|jedeme na
    |frčíme na) {value}
    (jsme|je nás) <adverb>(tým|parta|firma|malá|malý|tříčlenn\w+|čtyřčlenn\w+|pětičlenn\w+|\d+ (lid|člen|kus)\w*|dva
    |tři|čtyři|pět|šest|sedm|osm|rodina) ?{value}
    (v|ve) (týmu|firmě|rodině|kanceláři) (je nás|nás je|jsme|máme) {value}
    {front} (se u nás|u nás se) (jmenuje|nachází|ukládá|říká|střídá|nasazuje|píše|dělá) {value}
    {front} u nás (leží|běží|stojí|visí|bydlí) <adverb>(v|ve|na|pod|u) {value}
    (v|ve|na) (projektu|backendu|frontendu|produkci|serveru|týmu|firmě|práci) (se používá|se používají|používáme|běží
    |máme|jede|se píše) {value}
    u nás (v|ve) (týmu|firmě|rodině|kanceláři|škole|domě|projektu|oddělení) {value}
    (doma|na chatě|v bytě|v obýváku|v kuchyni|v ložnici|na chalupě) (mám|máme|stojí|visí|(je|jsou) (jeden|jedna|dva|dvě
    |tři
    |\d+)) {value}
    na [\w-]+ mi (běží|jede) {value}
    (doma|na chatě|domácí) (síť|wifi|router) (\S+ ){0,3}?se jmenuje {value}
    ! u nás (v|ve) \w+ (.{0,20}[ ,:"(-])?(blázinec|chaos|zima|vedro|problém|bordel|výpad|nejde)\w*
    ! (je|jsme) (nás )?\w+ (najdi|zarezervuj|objednej|sežeň)
    ! doma (mám|máme) (teď |zase |dneska )?(bordel|návštěv|nemocn|hlad|zim|klid|ticho|problém)\w*
    ! používám(e)? (to|tě|tohle|tvůj|tenhle)
project: fact, 0.75
    (náš|naše|naši|našem|naší|našeho) <adjective>([\w-]+ ){0,2}?[\w-]+ (je|jsou|běží|běhá|používá|používají|má|mají
    |leží|stojí|sídlí|musí|potřebuje|začíná|končí|otevírá|zavírá|vychází|podporuje|bude|byl|byla|funguje na|se skládá
    |se nachází|probíhá|se jmenuje|dělá|vyrábí|prodává|vyvíjí) {value}
    (projekt|aplikac\w|appka|back-?end|front-?end|api|server|databáz\w|repo\w*|kód\w*|web|produkce|staging
    |kancelář|škola|tým|porada|standup|sprint|sklad|zálohy|testy|smlouva|garáž|byt|chata|chalupa|školka
    |ordinace) (\S+ ){0,3}?(je (napsan\w+|postaven\w+|nasazen\w+|uložen\w+|v|ve|na|u)|běží|používá|jede|leží|stojí
    |sídlí|se nachází|se mění|začíná|končí|otevírá|zavírá|platí|vyprší|probíhá|bývá|hostujeme|chodí) {value}
    (klíče?|lékárnička|náhradní \w+|pojistky|hlavní uzávěr) (\S+ ){0,3}?(je|jsou|visí|leží|najdeš) (v|ve|na|pod|u
    |za) {value}
    (výplata|plat|nájem|důchod|pas|smlouva|směna|škola|hypotéka|stk) (mi|nám) (chodí|přichází|platí|končí
    |začíná) {value}
    (wifi|síť|pes|firma|projekt|server|loď|chata|chalupa|kapela|tým) (\S+ ){0,4}?se jmenuje {value}
    (pas|občanka|smlouva|pojištění|hypotéka|hypotéku|řidičák|vízum|nájem|stk|rok|škola) (\S+ ){0,2}?(platí|vyprší|končí
    |běží|začíná|máme|mám) {value}
    ! (vlak|autobus|let|spoj) má|zpoždění
    ! (je|jsou) (zrovna|teď|dneska|down|dole|rozbit\w+|nedostupn\w+)|(už|zase|pořád) (\w+ )?(leží|stojí)
trait: fact, 0.70, user/
    jsem <adverb>(\w+ )?(programátor|vývojář|učitel|lékař|právník|inženýr|řidič|kuchař|číšník|grafik|designér|manažer
    |účetní|zdravotní sestra|sestra|hasič|policista|student|doktor|architekt|novinář|fotograf|truhlář|elektrikář
    |prodavač|zubař|psycholog|tlumočník|překladatel|knihovn|analytik|tester|vědec|fyzik|biolog|chemik|historik|herec
    |hudebník|zahradník|zemědělec|farmář|mechanik|letuška|pilot|ředitel|jednatel|konzultant|obchodník|kadeřn|pekař
    |řezník|stavbyvedoucí|úředni|sociální pracovni|fyzioterapeut|trenér|dramaturg|režisér|lektor|notář|soudce|makléř
    |podnikatel|datový)\w*
    jsem <adverb>(vdaná|ženatý|svobodn\w+|rozveden\w+|vdov(a|ec)|single|zadan\w+|zasnouben\w+|introvert\w*|extrovert\w*
    |stydliv\w+|gay|lesba|věřící|katol\w+|evangel\w+|žid\w*|muslim\w*|buddhist\w*|ateist\w*|slep(ý|á)|jedináček
    |ranní ptáče|noční sova|nejstarší|nejmladší|čech|češka|slovák|slovenka|moravák|němec|němka|rus|ruska|ukrajin\w+
    |polák|polka|dvojče|kuřák|nekuřák|nekuřačka|panna|blíženec|štír|lev|\w+ znamením)
    (měřím|vážím|vydělávám|nosím) \d+|(bojím se|mám strach z|mám fobii z|panicky se bojím) {value}
    jsem [a-z]+(ář|ářka|ista|istka|olog|oložka|ik|ička|ér|érka|átor|átorka|ant|antka|ent|entka|ák|ačka|nice|ník)[ .!,]
figures: fact, 0.70
    ^{thing} (projektu|týmu|firmy|oddělení|na projekt|na \w+) (je|činí|:|-|jsou|máme) {value}
    ^{dated} (projektu|na \w+|pro \w+|\w+u|\w+y) .{0,12}\d{1,2}\. ?({month}|\d)
introduction: entity, 0.80, user/name, proper
    ^(já jsem|tady|zde) (?P<value>[a-z'-]{3,20}( [a-z'-]{3,20})?),.{1,200}$
    ^(já jsem|jsem|tady|tu|zde) (?P<value>[a-z'-]{3,20}( [a-z'-]{3,20})?)([ ,](a|z|ze|odsud|jinak|těší|rád
    |ráda) .{1,200})?[.!]?$
my thing: fact, 0.65
    (můj|moje|má|naše|náš) (?P<subject>[\w-]+( [\w-]+){0,2}?) (je|jsou|byl|byla|má|mají|stojí|běží|leží|začíná|končí
    |trvá|potřebuje|měří|váží|bydlí|jezdí|patří|se jmenuje|se nachází|činí) {value}
    (můj|moje|má|naše|náš) (?P<subject>[\w-]+( [\w-]+){0,2}?)[ ]?: {value}
    ! (můj|moje|má|naše|náš) (\w+ )?(odpověď|výsledek|teorie|hypotéza|odhad|verze|varianta|tip|otázka|dotaz|problém|kód
    |test|testy|chyba|program|skript|hlava|břicho|den|týden
    |počítač|internet|baterka|nálada|nápad|názor|cíl|autobus|vlak|vina|úkol|text|funkce|výstup|návrh|bože|smůla
    |poslední|další|příští)
    ! (je|jsou) (tak|moc|příliš|zrovna|teď|dneska|zase|ne)
ours: fact, 0.55
    (mám|máme|nemám|nemáme|u nás) {value}
    ^{thing} (je|jsou) {value}
"""
