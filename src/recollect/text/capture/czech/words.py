"""The words of the Czech rules."""

PEOPLE = r"""
wife
    žen(a|u|y|ě|ou)|manželk(a|u|y|ou)|manželce
husband
    manžel(a|ovi|em)?|muž(e|i)?
partner
    partner(ka|ku|ky|a)?|snoubenec|snoubenk(a|u|y)|druh|družka
girlfriend
    přítelkyn(ě|i)|holk(a|u)
boyfriend
    přítel(e)?
mother
    matk(a|u|y|ou)|mam(a|ka|ku|inka|inku|u|ce|ky)|máma|mámu|máminu|mámou|maminka
father
    otec|otce|táta|tátu|táty|tatínek|tatínka|taťka|taťku|tátovi
parents
    rodič(e|ů|ům)
brother
    bratr(a|u|ovi|em|y|ři)?|bratři|brách(a|u|y|ou|ovi)|bráchové
sister
    sestr(a|u|y|ou|ám)|sestře|ség(ra|ru|ry|rou)|ségře
son
    syn(a|ovi|em|ové|y|áček|áčka)?|kluk(a|ovi|em)?|kluci|kluky
daughter
    dcer(a|u|y|ou|ka|ku|ky)|dceři|dcerce
child
    dět(i|mi|ský|em)|dítě|dětem|miminko|dvojčat(a|y)|vnuk(a)?|vnučk(a|u|y)|vnouč(e|ata)
grandmother
    babičk(a|u|y|ou)|babičce|bábi|bábinka
grandfather
    děd(a|u|eček|ečka|ovi)
relative
    tet(a|u|y|ou|ička)|strýc|strýček|strejda|bratranec|bratrance|sestřenic(e|i)|neteř|synovec|rodin(a|u|y)|tchyn(ě|i)
    |tchán|švagr(ová)?|kmotr(a)?
friend
    ((nejlepší|dobrý|dobrá|starý) )?(kamarád(a|ka|ku|ky|i|em|kou)?|kámoš(ka|e|ku)?)
roommate
    spolubydlící(ho)?
neighbour
    soused(a|ka|ku|i|ky|em)?
boss
    ředitel(e|ka|ku|i)?|šéf(a|ová|ovou|ovi|em)?|nadřízen(ý|á|ého)|vedoucí(ho)?|manažer(ka)?
colleague
    koleg(a|u|yně|yni|ové|ou)|parťák|asistent(ka|ku)?|společník|spolupracovník
teacher
    třídní|učitel(e|ka|ku|ky)?|trenér(a|ka|ku)?|profesor(ka|a)?|mentor(ka)?|lektor(ka)?|školitel(ka)?
doctor
    psycholo(g|ga|žka|žku)|gynekolo(g|žka|žku)|doktor(a|ka|ku|ky)?|zubař(e|ka|ku)?|lékař(e|ka|ku)?|veterinář(ka)?
    |\w*terapeut(ka|a|em)?|obvoďák|pediatr(ička)?
helper
    klient(a|ka|ku)?|zákazní(k|ka)|zákazni(ce|ci)|teamleader(ka)?|team ?lead|designér(ka|ku|a)?|produkťák|projekťák
    |tester(ka)?|analytik|právník|účetní|domácí|instalatér|uklízečka|chův(a|u)|kadeřni(ce|ci|k)|právničk(a|u)
cat
    kočk(a|u|y|ou)|kočičk(a|u)|kocour(a|ek|ka)?|koťat(a)|kotě
dog
    p(es|sa|si|sy|sem|sovi)|pejsk(a|ovi|em)|pejsek|fen(a|u|ku|ka)|fenečk(a|u)|štěně|labrador|jezevčík(a)?
pet
    mazlíč(ek|ci|ka)|papouš(ek|ka)|křeč(ek|ka)|králí(k|ka|čka)|morč(e|ata)|želv(a|u)|kůň|koně|andulk(a|u)|slepic(e)
    |ryb(ičky|ičku)
"""

NOUNS = r"""
colour
    barva
food
    jídlo
drink
    nápoj|pití
film
    film
book
    kniha|knížka
author
    spisovatel(ka)?|autor(ka)?
band
    kapela
song
    písnička|píseň|skladba
music
    hudba
city
    město
season
    roční období
animal
    zvíře
number
    číslo
sport
    sport
game
    hra
restaurant
    restaurace|hospoda
series
    seriál
team
    tým|klub
language
    jazyk
programming language
    programovací jazyk
"""

WORDS = r"""
opener
    (ahoj|hele|čau|ok) \w+|hele|ahoj|čau|čus|dobrý den|zdravím|ok|okay|dobře|dobrá|takže|tak|a|ale|no|jo|ano|ne|jinak
    |mimochodem|btw|vlastně|prosím
    prosim tě|prosím tě|jasně|fajn|upřímně|ještě|ještě něco|taky|také|oprava|omlouvám se|sorry|pardon|aha|hm+|poslyš|víš
    obecně|osobně|za mě|pro info|pro informaci|jen|jenom|teda|tedy|navíc|ps|p\.s|myslím že|jsem|super|díky|abys věděl
    |abys věděla
adverb
    moc|fakt|opravdu|vážně|hodně|velmi|hrozně|strašně|docela|celkem|úplně|totálně|prostě|vždy|vždycky|obvykle|většinou
    |taky
    také|ještě|pořád|stále|už|spíš|spíše|jen|jenom|pouze|zásadně|nikdy|zřídka|málokdy|často|občas|někdy|hlavně|zrovna
    |teďka
    teď|nyní|aktuálně|momentálně|právě|vůbec|nejvíc|nejvíce|víc|více|radši|raději|nejradši|nejraději|rád|ráda|rádi
    |nerad|nerada
    neradi|osobně|já|my|tu|tady|si|se|oba|společně|nakonec|definitivně|konečně|původně|dříve|dřív|ani|až|bohužel|naopak
    |extra
my
    můj|moje|má|mou|mého|mé|moji|mojí|mým|mém|náš|naše|naši|našeho|naší|našem|naší|našim|svůj|svou|svoje|mýho|svého
adjective
    nov(ý|á|é|ou|ého)|star(ý|á|é|ou|ého|ší|šího)|mlad(ší|šího|ý|á)|nejstarší|nejmladší|mal(ý|á|é|ou|ého)|velk(ý|á|é|ou)
    |bývalá?ý?
    drah(ý|á)|nejlepší(ho)?|první|druh(ý|á|é|ou)|oba|obě|dv(a|ě)|tři|čtyři|pět|pan(a|em)?|paní|přím(ý|á)|vlastní
    |zesnul(ý|á)|milovan(ý|á)|\d+|starej|malej|milý
gladly
    rád|ráda|rádi|nerad|nerada|neradi|radši|raději|nejradši|nejraději|nejradeji|radeji|rad|radsi
liked
    miluju|miluji|milujeme|zbožňuju|zbožňuji|nesnáším|nesnášíme|nenávidím|preferuju|preferuji|preferujeme|upřednostňuju
    upřednostňuji|upřednostňujeme|nemůžu vystát|nemohu vystát|nesnesu|nemusím|zbozňuju|vyhýbám se|žeru|ujíždím na
    |oceňuju|oceňuji|odmítám|fandím|si cením|cením si
weekday
    pondělí|úterý|střed(a|u|y)|čtvrtek|pátek|sobot(a|u|y)|neděl(e|i)|pondělky|úterky|čtvrtky|pátky
month
    led(en|na|nu)|únor(a|u)?|březn?en|března|březnu|dub(en|na|nu)|květ(en|na|nu)|červ(en|na|nu)|červen(ec|ce|ci)|srp(en
    |na|nu)
    září|říj(en|na|nu)|listopad(u)?|prosin(ec|ce|ci)
period
    den|dny|ráno|dopoledne|odpoledne|večer|noc|týden|týdny|víkend|měsíc|rok|kvartál|čtvrtletí|léto|zim(u|a)|jaro|podzim
    {weekday}|{month}
regularly
    každ(ý|é|ou|ej|ého|á) ((druh(ý|ou|é)|třetí|všední|pracovní|první|poslední|boží) )?{period}|každodenně|denně|týdně
    |měsíčně|ročně
    ob (den|týden)|o víkend(u|ech)|ve všední dny|po (ránu|večerech|nocích)|(jednou|dvakrát|třikrát|čtyřikrát|\d+x
    |\d+krát) (za|do|v) \w+
    (v|ve|na|vždy|vždycky) (pondělky|úterky|středy|čtvrtky|pátky|soboty|neděle)|(první|poslední|druh(ý|ou|é)
    |třetí) ({weekday}|den|týden) v (měsíci|roce|týdnu)
    vždy(cky)? (v|ve|o|na|první|poslední|od) \w+
ill
    panick\w+ atak\w*|antidepresiv\w*|statin\w*|hormon\w*|alergi\w+|intoleran\w+|cukrovk\w+|diabet\w+|astma\w*|vegan\w*
    |vegetari\w+|celiak\w*|bezlepk\w+|barvoslep\w+
    |migrén\w+|epilep\w+
    špatně (vidím|slyším)|keto|nízkosacharid\w+|bezlaktóz\w+|adhd|autis\w+|dysle\w+|artróz\w+|revma\w*|krevní skupin\w+
    |vysoký tlak|senn(á|ou) rým\w+|depres\w+|kardiostimulátor
    |naslouchátk\w+
    vozíčk\w+|krátkozrak\w+|dalekozrak\w+|nahluchl\w+|hluch(ý|á)|levá(k|čka|čkou)|pravák|těhotn\w+|lakt(óz|oz)\w+
    |ekzém\w*|nespavost\w*
    ploténk\w+|štítn\w+ žláz\w*|inzulín\w*|strach z (výšek|létání)|tinnitus|košer|abstinent\w*|lupénk\w+|brýle|čočky
    |lep(ek|ku)
thing
    projekt|aplikac(e|i)|appka|back-?end|front-?end|api|služb(a|y)|server|databáz(e|i)|repo|repozitář|kód|firm(a|u|ě)
    |tým(u)?
    kancelář|stack|pipeline|cluster|klastr|web|stránk(a|y)|produkt|startup|klient|zákazník|release|sprint|stand-?up
    |meeting|porad(a|y)
    wifi|router|kotel|topení|rozpočet|test(y)?|dokumentac(e|i)|produkc(e|i)|staging|doména|cloud|infrastruktur(a|u)
    |platforma|systém
    sklad|obchod|krám|škol(a|u|e|y)|dům|barák|byt|zahrad(a|u)|sklep|garáž|alarm|termín|oddělení|klíč(e)?|tiskárn(a|u)
    |školk(a|y)
    zálohy|logy|popelnice|smlouv(a|u)|ordinac(e|i)|auto|brán(a|y|u)|chat(a|u|ě)|chalup(a|u)|instalatér|\w+ server
held
    auto|kolo|motork\w|skútr|dodávk\w|dům|domek|barák|byt|zahrad\w+|balkon|chat\w|chalup\w|loď|kytar\w|klavír|pian\w+
    |housle|bicí
    notebook|macbook|iphone|telefon|pixel|ipad|tiskárn\w|foťák|kindle|čtečk\w|řidičák|řidičský průkaz|vízum|pas
    |občanství|tetování|kérk\w
    hypoték\w|předplatné|členství|nas|playstation|xbox|switch|firm\w|pekárn\w|obchod|kavárn\w|restaurac\w|hospod\w+
    |farm\w|blog|podcast|kanál
    let praxe|let zkušeností|strach z|fobi\w|termostat|tepelné čerpadlo|soláry|elektrokolo|diplom|titul|maturit\w|vlasy
    |oči|sourozen\w+
    permanentk\w|sbírk\w|octavi\w|škodovk\w|tesl\w|kávovar|živnost|klíč\w?|sklep|pozemek|včely|úly?|salámandr\w
dated
    narozeniny|svátek|výročí|svatb(a|u)|termín|deadline|zkoušk(a|u)|státnice|promoc(e|i)|datum narození|uzávěrk(a|u)
    |operac(e|i)
decided
    přihlásil(a|i)?|zapsal(a|i)? se na|podepsal(a|i)?|podal(a)? výpověď|ukončil(i|a)?|hlasoval(i)?|odhlasoval(i)?
    |rozhodl(i|a|y|o)?|dohodl(i|a|y)?|domluvil(i|a|y)?|vybral(i|a|y)?|zvolil(i|a|y)?|usnesl(i|a)|shodl(i|a|y)?
    |odsouhlasil(i|a)?|rozmyslel(i|a)?|přehodnotil(i|a)?
    schválil(i|a|o)?|zavrhl(i|a)?|zamítl(i|a)?|odložil(i|a)?|zrušil(i|a)?|vsadil(i|a)? na|ujasnil(i|a)?|objednal(i|a)?
    |uzavřel(i)?|přijal(a)?
use
    beru|volím|{drop}|použijeme|bereme|vezmeme|jedeme|pojedeme|přecházíme|přejdeme|zůstáváme
    |zůstaneme|nasadíme|volíme|zůstává
    necháme|necháváme|migrujeme|přepíšeme|vyhazujeme|zahodíme|končíme|nebereme|nepoužijeme|vydáme|spustíme|uděláme
    |stavíme|jdeme
drop
    neprodlužujeme|neprodloužíme|nekupujeme|nekoupíme|neobnovujeme|nepodporujeme|nenasazujeme|nebudeme prodlužovat
    |škrtáme|rušíme|odkládáme|přesouváme|posouváme|vyhazujeme|nebereme|nepoužijeme|zahazujeme
kin
    manželka|manžel|máma|mamka|maminka|táta|tatínek|bratr|brácha|sestra|ségra|syn|dcera|dcerka|babička|děda|tchyně
    |tchán|šéf|šéfová|přítel|přítelkyně|kocour|kočka|pes|fena|rodiče|děti
replies
    odpovědi|zprávy|maily|e-maily|reporty|komentáře|commity|upozornění|notifikace|vysvětlení|schůzky
lasting
    {replies}|příklady|větve|texty|proměnné|testy|data|částky|ceny|názvy|jména|funkce|třídy|nadpisy|odkazy|tabulky
    |připomínky
spoken_of
    (česky|anglicky|německy|slovensky|rusky|v (češtině|angličtině|němčině|slovenštině))
order
    (ne)?(piš|odpovídej|používej|uváděj|dávej|říkej|posílej|volej|formátuj|zaokrouhluj|oslovuj|ptej se|mluv|navrhuj
    |nabízej|vynechej|vynech|přidávej|doporučuj|ukazuj|kontroluj|deployuj|nasazuj|commituj|pushuj|plánuj|překládej
    |dělej|ber|nech|počítej|vypisuj|zapínej|vypínej|nastavuj|nechávej|opravuj|zkracuj|cituj|kupuj|ukládej|komentuj
    |pojmenovávej|označuj|pouštěj|zesiluj|ztlumuj|vysvětluj)(te)?
style
    emoji|emotikon\w*|smajlík\w*|slang\w*|vulgari\w+|markdown\w*|tučn\w+|odrážk\w+|omluv\w*|varování|úvod\w*|omáčk\w*
    |kompliment\w*|vykřičník\w*|anglicism\w*|zkratk\w+|žargon\w*|vat(y|u)|vysvětlení|vysvětlování|komentář\w*
    |uvozovk\w+|mezer\w*
    |odsazení|tabulátor\w*|docstring\w*|typov\w+ anotac\w+|zbytečn\w+|kec\w+|metrick\w+|24hodinov\w+|poučování|fráz\w*
in_code
    proměnn\w+|metod\w+|soubor\w*|tříd\w+|funkc\w+|sloup\w+|složk\w+|větev|větv\w+|tabulk\w+|branch
courtesy
    prosím|prosím tě|prosimtě|ještě|teď|teďka|hned|a|tak|no|můžeš|mohl bys|mohla bys|můžete|mohli byste|dokázal bys
    |rychle|nejdřív
command
    domluv|sjednej|objednejte|zařiď|napiš|napište|přelož|přeložte|pošli|pošlete|řekni|řekněte|ukaž|ukažte|dej|dejte
    |udělej|udělejte|oprav|opravte|vysvětli|shrň|shrňte
    přeformuluj|najdi|najděte|vyhledej|zkontroluj|objednej|rezervuj|pusť|přehraj|nastav|zapni|vypni|rozsviť|zhasni
    |přidej|vytvoř|připomeň
    otevři|zavři|pomoz|vygeneruj|převeď|přečti|vypiš|porovnej|spočítej|smaž|odstraň|spusť|aktualizuj|změň|zavolej|kup
    |popiš|navrhni|navrhněte
    doporuč|pokračuj|zkus|implementuj|naplánuj|vylepši|analyzuj|zopakuj|dělej|zeptej|pozvi|zruš|vytiskni|zkopíruj|ztlum
    |zazpívej|otestuj
    definuj|vyprávěj|vzbuď|nech|sepiš|dohledej|podívej|mrkni|hledej|poraď|představ|hraj|zahraj|stáhni|ulož to jako
    |vymysli|sestav|uprav|zjisti
"""

ASKED = r"""
^<courtesy>(zapamatuj|zapamatujte|pamatuj|pamatujte|zapiš|zapište|poznamenej|poznač|ulož|zaznamenej)( si)?( prosím
    | prosím tě| ještě| to)*[ :,-]+{statement}
^<courtesy>(nezapomeň|nezapomeňte|nezapomínej)( prosím| prosím tě| na to)*[ ,:]+(že|ze) {statement}
^<courtesy>(měj|mějte) (prosím )?(na paměti|na zřeteli|v patrnosti)[ ,:]+{statement}
^<courtesy>(vezmi|vezměte|ber|berte)( prosím)? (na vědomí|v potaz|v úvahu)[ ,:]+{statement}
^<courtesy>(počítej|počítejte) (prosím )?(s tím)[ ,:]+{statement}
^(můžeš|mohl bys|mohla bys|můžete|mohli byste) si (prosím )?(zapamatovat|pamatovat|zapsat|poznamenat)[ ,:]+{value}
^(do budoucna|na později|pro příště|pro info|pro informaci|důležité|poznámka|k zapamatování
    |pro pořádek)[ ]?[:-]+ ?{statement}
^(chci|chtěl bych|chtěla bych|potřebuju)[ ,]+(abys|ať) (si )?(zapamatoval|zapamatovala|pamatoval|pamatovala|věděl
    |věděla|pamatuješ)[ ,]*(si)?[ ,]+{statement}
^(měl bys|měla bys|musíš) (vědět|si pamatovat)[ ,]+{statement}
(měj to na paměti|zapamatuj si to|pamatuj si to|pamatuj na to|zapiš si to|počítej s tím)[ .!)]*$
"""

BARE = r"""
^(tuhle|tuto|tu|toto|tohle|tento|ten|tenhle|následující|tyhle) (větu|frázi|slovo|slova|číslo|kód|citát|text|řádek
    |výraz|čísla)
^(větu|frázi|slovo|slova|číslo|kód|citát|text|řádek|výraz|heslovitě|čísla) ?([:"-]|\d|$)
"""

TURNS = r"""
(tak|takže|ale|a|proto)? ?(prosím )?(můžeš|mohl bys|mohla bys|můžete|mohli byste|dokážeš|umíš)
(co|jak|který|která|jaký|jaké|kde|kolik|proč) (mám|bych|mi|doporučíš|bys|si|je|máme|myslíš)
(tak|takže|proto) (mi )?(doporuč|navrhni|najdi|dej|ukaž|napiš|udělej|prosím|poraď|vynech)
(nějak(é|ý) (nápady|tipy|tip|nápad)|víš|nevíš|znáš|máš|neznáš)
"""

ENDS = r"""
(protože|ale|takže|jelikož|ačkoli|i když|aby|než|prosím|takže|a (já|my|můj|moje|to|on|ona|ne|taky|nikdy|pak|jsem|mám
    |je)|který|která|které|místo)
(ne|nikoli|nebo tak)
(už|od) (\d+|dva|tři|pět|rok|roky|dlouho|roku)
"""

CONTEXT = r"""
(když|pokud|během|při|kromě)
(ráno|večer|odpoledne|dopoledne|v práci|doma|o víkendu|o víkendech|v letadle|ve vlaku|na cestách|v zimě|v létě
    |k snídani|k obědu|k večeři|na dovolené|ve všech \w+)
"""
