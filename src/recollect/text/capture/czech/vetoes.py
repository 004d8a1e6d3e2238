"""What a Czech sentence is when it is no statement by the user about what lasts."""

VETOES = r"""
pasted
    jako (jazykový model|umělá inteligence|ai)|jazykový model|^jsi (.{0,40}[ ,:"(-])?(asistent\w*|expert\w*|bot|model
    |překladatel\w*)
    ^ráda? jsem pomohla?|^(jistě|samozřejmě|určitě|jasně)[ ,!.]+(tady|zde) (je|jsou|máš)|^(tady|zde) (je|jsou) (tvůj
    |tvoje|váš|vaše|ta|ten
    |to) \w+
    ^(vážen(í|ý|á)|milý pane|milá paní)|dovoluji si|na vědomí
vague
    potřebujeme|potřebuji|čekám|visím|stojím|k (večeři|obědu|snídani)|spadl|dotaz|týká
    {liked}|líbí|{gladly}|baví
    (to|toto|tohle|tomu|tím|tom|ten|ta|tu|ty|tě|ti|tvůj|tvoje|ho|ji|mu|jí|něco|nic|co|on|ona|tady|sem|tam|takhle|tak)
    (díky|děkuju|děkuji|prosím|sorry|ahoj|čau|nazdar|wow|super|skvělé|sakra|kruci|hustý|boží|paráda|omlouvám)
    (byl|byla|bylo|šel|šla|viděl|řekl|měl|měla|myslel|myslela|zkusil|zkusila|našel|našla|četl|četla|chtěl|chtěla|musím
    |musíme|chci|chceme|potřebuju|můžu|nemůžu|půjdu|jdu|myslím|doufám|chápu|vím|nevím|zkusím|hledám|čekám|věřím
    |souhlasím|rozumím|končím|vidím|dám)
    \w{2,}(al|ala|ali|alo|il|ila|ili|ilo|el|ela|eli|elo|yl|yla|yli|nul|nula|nuli|edl|edla|edli|ekl|ekla|ehl|esl)|vlak
    |autobus|zpoždění|počasí|odsud
    (chyb\w+|bug|kód\w*|soubor\w*|funkc\w+|řád\w+|skript\w*|výstup\w*|otázk\w+|problém\w*|výsled\w+|verz\w+|commit
    |log(y)?|nápad)
    ^(\S+ ){0,3}\S+$
forget
    (nepamatuj|nepamatujte|nezapamatovávej|neukládej|nezapisuj|nepoznamenávej|nezapamatuj)( si)?
    ^(zapomeň|zapomeňte|ignoruj|ignorujte|smaž|vymaž|škrtni|neřeš) ((na|si) )?(to|co|tohle|všechno|že|můj|moje|tu|ten)?
    mezi námi|jen pro tebe|mimo záznam
reminder
    (nezapomeň|nezapomeňte|pamatuj|nezapomenout) <adverb>((mi|prosím|na|zítra|dnes|večer|zase) )*\w+(it|at|et|ovat|out
    |ést|ct|ýt|ít|nit)
    (nezapomeň|pamatuj) (na|prosím na)
    (zapamatuj|zapiš) .{2,60} (a|a pak|potom) (vynásob|přičti|vyděl|odečti|sečti|zopakuj|řekni|přelož|spočítej)
    (pamatuješ|vzpomínáš|vzpomeneš|pamatujete)( si)?|(nepamatuju|nepamatuji|nevzpomínám|vzpomínám|zapomněl|zapomněla
    |pamatuju)( jsem)?( si)?
assistant
    jako (jazykový model|umělá inteligence|ai)|jazykový model
    (zapamatoval|poznamenal|uložil|zapsal|zapamatuju|zapíšu|budu si pamatovat)( jsem)?( si| to)?
    ^(jistě|samozřejmě|určitě|rozumím|jasně|rád pomohu|ráda pomohu)[ ,!.]+(tady|zde|rád|ráda|pomohu|mohu|tu)
    (tady|zde) (je|jsou|máš|máte)
    že (preferuješ|máš rád|máš ráda|bydlíš|pracuješ|máte rád|preferujete|nemáš rád|piješ|jíš|jmenuješ)
    ^(preferuješ|bydlíš|pracuješ|máš rád|máš ráda|jmenuješ se|řekl jsi|říkal jsi)
    jsem (váš|vaše) ([\w-]+ )?(asisten|pomocn|průvodc)\w*
    uživatel(ka)? (preferuje|má|bydlí|pracuje|chce|se jmenuje|je)
play
    lol|haha\w*|hihi\w*|hehe\w*|chacha\w*|dělám si (srandu|legraci)|srandička|žertuju|žertuji|kecám|vtip(y|u|ek)?|xd
    (písničk|písn|báse|citát|hádank|refrén|text písn|píseň|song)\w*|(zpíval|zpívá|ťuk ťuk)\w*
hypothetical
    představ(te)? si|dejme tomu|řekněme|předpokládej\w*|kdyby(ch|chom|s|ste)? ([^nc ]\w*|n[^e]\w*|c[^o]\w*)|jako (bys
    |bych|kdyby|by)|hypoteticky
    |co kdyby\w*|hrajme
    (bych|bychom) <adverb>(chtěl|měl|mohl|byl|bydlel|jedl|žil|šel|rád|ráda|uvítal|potřeboval|potřebovala|raději)\w*
    (chtěl|chtěla|měl|měla|mohl|mohla|byl|byla|bydlel|žil|žila|rád|ráda|jedl|jedla|dal|dala|šel|kéž|zajímalo
    |hodilo) (bych|by)
    (řešíme|vybíráme|rozhodujeme|porovnáváme) (.{0,30}[ ,:"(-])?(co|jak\w*|mezi|nebo)
    možná|asi|třeba|nejspíš|nejsem si jist\w+|přemýšlím|uvažuju|uvažuji|zvažuju|škoda (že|kdyby)|(to je|velká) škoda
    |kéž|zdálo se mi|například|např
    |ve snu|nevím|přál bych|snad
reported
    {other} <adverb>{said}
    {person}( \w+)? <adverb>({said}|chce|volal\w*|psal\w*)|{said}[ ,]+(že|ze|at|muž|žena|mi|pan|paní)
    ^(on|ona|oni|někdo|ten|ta) <adverb>(má rád|má ráda|miluje|nesnáší|preferuje|bydlí|pracuje|pije|jí|chce)
    podle (něj|ní|článku|nich|toho)|v ((tom|té) )?(příběhu|povídce|filmu|knize|seriálu|článku|románu|pohádce)|(prý
    |údajně)|jí ((víc|se) )+líbí
moment
    všechno nejlepší|veselé vánoce|šťastný nový|gratuluj\w+|drž\w* mi palce
    {now}
    (jsem|jsme) <adverb>{feeling}|{feeling} (jsem|jsme)
    (mám|máme) (\S+ )?(náladu|zprávu|novinku|plán|plány|sen|překvapení|tajemství|důvod|možnost|štěstí|smůlu|pravdu
    |obavu|obavy|den|víkend)
    (mám|máme) <adverb>(hlad|žízeň|rýmu|horečku|chuť|nápad|radost|pocit|čas|strach že|spěch|kocovinu|bolest\w*)
    |(je mi ((moc|fakt|strašně) )?(zima|teplo|horko|špatně|smutno|líto|blbě|dobře|zle|fajn|divně|trapně|jedno|jasné)
    |bolí mě|mě (\S+ ){0,3}bolí|chce se mi|není mi)
    (jdu|půjdu|musím|letím|mizím|končím|čekám|vařím|hledám|sedím|ležím|spěchám) (si|už|teď|na|do|běžet|jít|pro|zrovna|v
    |ve|u|domů|spát)
    (můj|moje|naše|náš|mi) (.{0,30}[ ,:"(-])?(je|jsou|se|byl|byla) <adverb>{state}
question
    ^(co|kdo|koho|komu|kde|kam|kdy|jak|jaký|jaká|jaké|který|která|které|proč|kolik|čí (je|jsou|to|byl)|odkud|čím|nač
    |jakou|jakej)
    ^(víš|nevíš|pamatuješ|vzpomínáš|myslíš|můžeš|mohl bys|mohla bys|znáš|máš|umíš|chceš|slyšel|viděl|je pravda|je to
    |jsou|mám|má|bydlím|pracuju|dá se|existuje|lze|platí|řekl jsem|říkal jsem|nechceš|jsem) .{0,120}\?
    ^(víš|nevíš|vis|pamatuješ|vzpomínáš|myslíš|můžeš|mohl bys|mohla bys|znáš|neznáš|umíš|chceš|dokážeš|nemáš|máš|jsi
    |nejsi|budeš|je pravda|nechceš|tušíš|umis|muzes)
    (řekni|řekněte|vysvětli|ukaž|vědět|víš|nevím|zajímá|ptám se|zjisti|zkontroluj|podívej|mrkni|zajímalo|tuším|nevíš
    |netuším)( mi| by mě| mě| se| prosím)*[ ,]+(co|jak\w*|kde|kdy|proč|kdo|jestli|zda|kolik|kter\w+|kam|či)
request
    ^<courtesy>{command}
    (chci|chceme|potřebuju|potřebuji|potřeboval bych|potřebovala bych|chtěl bych|chtěla bych|přeju si|rád bych
    |ráda bych|potřebujeme|sháním|hledám|dám si)[ ,]+(abys|aby|ať|ses)
    (chci|potřebuju|potřebuji|potřebujeme|sháním|hledám|chtěl bych|chtěla bych|rád bych|ráda bych) \w+(u|i|ou|í|o|at|it
    |ovat|e|y|ce|et|t|k|r|l|n|p|c)$
    (chci|potřebuju|potřebuji|sháním|hledám|potřebujeme) (nějak\w+|funkc\w+|skript\w*|vědět|pomoc\w*|poradit|ten|tu|to
    |tohle|jeden|jednu|dva|recept|tip\w*|radu|pizz\w+|kód|najít|udělat|opravit)
    (mám|máme|dostávám|vyskočila|vyskakuje|hází|mám tu)( mi| to| tady| tu| jen| ještě)* ((jedn\w+|mal\w+|nějak\w+
    |divn\w+|rychl\w+) )?{trouble}
    (nemůžu|nemohu|nejde mi|nedaří se|nerozumím|nechápu|neumím najít|nevím)|(můžeš|mohl bys|mohla bys|můžete
    |mohli byste|dokážeš) |pomoz mi|počkej
"""

VETO_WORDS = r"""
other
    on|ona|oni|někdo|lidi|lidé|ten (chlap|pán|zákazník|člověk)|ta (paní|ženská|holka)|pan \w+|paní \w+|zákazník
    |autor\w*|článek
said
    řekl(a|i)?|říkal(a|i)?|říká|říkají|povídal(a)?|tvrdí|tvrdil(a)?|myslí|myslel(a)?|psal(a|i)?|napsal(a)?|píše
    |ptal(a)? se|zmínil(a)?( se)?|prohlásil(a)?|prý
now
    (tento|tenhle|příští|minulý) (týden|víkend)|teď zrovna|zrovna teď|zrovna|právě teď|dnes|dneska|včera|zítra
    |dnes večer|za chvíli|za chvilku|hned|před chvílí|momentálně v|teďka|v tuhle chvíli
    dneska ráno|dnes ráno|tuhle chvíli|pro dnešek|za (\d+|pět|deset) minut|teď jsem|teď sedím|zatím
feeling
    unaven\w+|hladov\w+|žízniv\w+|nemocn\w+|smutn\w+|šťastn\w+|naštvan\w+|zmaten\w+|hotov\w+|zpátky|tady|tu|na cestě
    |připraven\w+|zvědav\w+
    nervózní|ve stresu|otráven\w+|nadšen\w+|zklaman\w+|překvapen\w+|v (kanceláři|práci|autobuse|vlaku|metru|posteli)
    |doma|venku|pryč|vyřízen\w+|ospal\w+
    utahan\w+|vděčn\w+|ztracen\w+|zasekl\w+|rád že|ráda že|rád tě|ráda tě|si jist\w+|nachlazen\w+|grogy|k\.o|mrtv\w+
    |vyčerpan\w+|v pohodě|na obědě
    obědval\w*|snídal\w*|večeřel\w*|přišel|přišla|dorazil\w*|nechal\w*|ztratil\w*|zkusil\w*|zkoušel\w*|četl|četla
    |viděl\w*|slyšel\w*|dostal\w*|narazil\w*
state
    pomal\w+|rozbit\w+|prázdn\w+|pln\w+|pryč|hotov\w+|nemocn\w+|mrtv\w+|spadl\w*|tady|pozdě|mokr\w+|špatně|offline
    |super|skvěl\w+|hrozn\w+|naštvan\w+
    seká|sekají|padá|padají|nefunguje|nejde|zasekl\w*|spí|štěká|pláče|přijede|volá|unaven\w+|krásn\w+|divn\w+
trouble
    otázk\w+|dotaz\w*|problém\w*|chyb\w+|nápad\w*|prosb\w+|úkol\w*|bug\w*|funkc\w+|seznam\w*|soubor\w*|tabulk\w+
    |skript\w*|string\w*|dataframe|pole|pocit\w*|minutk?u|schůzk\w+|tušení|kód
"""
