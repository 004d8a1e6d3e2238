"""Czech sentences about names and people: who someone is and how to reach them.

Of two rules that both apply, the upper one decides.
"""

NAMES = r"""
name: entity, 0.90, user/name, despite moment
    jmenuj(u|i) se <adverb>{value}
    jmenujem se <adverb>{value}
    se jmenuj(u|i) <adverb>{value}
    (moje|mé|celé|křestní) <adverb>((celé|křestní|pravé|rodné) )?(jméno|příjmení) (je|zní|se píše|píše se|:) {value}
    se (moje|mé) (jméno|příjmení) píše {value}
    ! jmenuj(u|i) se (stejně|jinak|jako)
introduced: entity, 0.90, user/name, proper
    ^těší mě[ ,!.-]+{value}
    (dovolte|dovol) abych se představila?[ ,:.-]+{value}
called: entity, 0.85, user/nickname, despite request reported question
    (všichni|kamarádi|lidi|lidé|doma|rodina|kolegové|ostatní|každý|přátelé|většina) mi ((všichni|doma|jen|prostě
    |v práci) )*(říkají|říká|říkaj|přezdívají|neřeknou jinak než) <adverb>{value}
    (říkej|říkejte|oslovuj|oslovujte) (mi|mě) ((klidně|prosím|jen|jenom|prostě|třeba|radši|jménem) )*{value}
    (můžeš|můžete|klidně|klidně můžeš) (mi|mě) ((klidně|prosím|jen|jenom|prostě|třeba) )*(říkat|říkej|oslovovat) {value}
    (říkají|přezdívají|říkaj) mi ((všichni|jen|doma) )*{value}
    ((moje|má) )?přezdívka (je|zní) {value}
    ! (oslovuj|oslovujte) mě (jen )?(jménem|příjmením|křestním jménem)[.!]?$
    ! (neříkej|neříkejte) mi|říkej mi (o|co|to|že|jak|vždy)
email: entity, 0.85, user/email, despite request
    (můj|moje|mail|e-?mail|adresa)[ :,-]+.{0,40}?{email}
    {email} (.{0,40}[ ,:"(-])?{my}
    (zastihneš|zastihnete|najdeš|kontaktuj\w*|piš|pište|napiš|napište|ozvi|ozvěte|pošli|posílej\w*
    |spojit) .{0,50}?{email}
    (mě|mi|mně) .{0,40}?{email}
    ! {person}.{0,30}@.*$|(zkontroluj|ověř|platn\w+|existuje|přepošli|smaž) .{0,60}@.*$
phone: entity, 0.85, user/phone, despite request
    (můj|moje|telefon\w*|mobil\w*|číslo|whatsapp|tel)[ :,.-]+.{0,40}?{phone}
    (zastihneš|zastihnete|volej|volejte|zavolej mi|dovoláš|ozvi) .{0,40}?{phone}
    ! {person}.{0,30}\d\d|číslo (účtu|objednávky|smlouvy|faktury)
reach: entity, 0.85, user/phone, despite request question
    ^(můžeš|můžete|dá se) mi (volat|zavolat|psát|napsat) [^?]{0,30}?{phone}[^?]*$
handle: entity, 0.75, user/
    (můj|moje) (github|twitter|telegram|instagram|insta|discord|skype|linkedin|slack|nick|uživatelské jméno|login
    |steam)( \w+)? (je|:) {value}
    na (githubu|twitteru|telegramu|instagramu|instáči|discordu|linkedinu|steamu) (jsem|mě najdeš) ((jako|pod) )?{value}
    ^(telegram|instagram|insta|github|skype|discord|twitter|linkedin|nick)[ ]?[:-] ?(?P<value>@?[a-z][a-z0-9_.-]{2,40})
relative's contact: entity, 0.75
    {person}.{0,40}?{email}
    {person}.{0,30}(telefon|číslo|mobil|má číslo).{0,20}?{phone}
    (telefon|číslo|mobil) na {person}.{0,20}?{phone}
nickname: entity, 0.80, /nickname, despite request
    (říkej|říkejme|budeme říkat|říkáme|budu říkat|pojmenuj|pojmenujme|říkám|přejmenuj) ((té|tomu|téhle|tomuhle|tý|tu
    |ten|mé|mému|naší|našemu|na) )?{subject} ((jako|odteď|od teď|prostě|na) )+{value}
    (říkej|říkejme|budeme říkat|říkáme|budu říkat|pojmenuj|pojmenujme|říkám|přejmenuj) ((té|tomu|téhle|tomuhle|tý|tu
    |ten|mé|mému|naší|našemu) )?(?P<subject>[^ ,]+( (u|v|ve|na|vedle|nad|pod|z) [^ ,]+)?) {value}
    (když|až) řeknu {subject} (myslím|tak myslím|znamená to|mám na mysli) (tím )?{value}
    {subject} se ((odteď|od teď|bude|u nás|teď) )+(jmenovat|jmenuje|říká) {value}
    ! (říkej|říkám|říkáme|říkejme) (mi|mu|jí|to|si|ti|o|tomu že|že)|{my} <adjective>{person}|{lasting}|{in_code}
relative's name: entity, 0.80, /name
    ({my} )?<adjective>(?P<subject>{person}) (\w+ )?se (jmenuj(e|í)|jmenujou) {value}
    ({my} )?<adjective>(?P<subject>{person}) (\w+ ){0,5}?slyší na( jméno)? {value}
    (jméno|jména) {my} <adjective>(?P<subject>{person}) (je|jsou) {value}
    (?P<subject>{person}) (\w+ ){0,2}?jmenuje se {value}
    ! (ten|ta|jejich|jeho|její) {person} se|domácí (síť|wifi|server|router)
relative's role: entity, 0.75, /name, proper
    ^({my} )?<adjective>(?P<subject>{person}) (je|:|-) {value}
relative's health: fact, 0.75
    ^({my} )?<adjective>{person} (\w+ ){0,2}(má|mají|je|jsou|trpí|nesmí|nesnese|bere) (.{0,30}[ ,:"(-])?{ill}
    ^({my} )?<adjective>{kin} <adverb>(nesmí|nesmějí|nesnese|nesnáší|má zakázan\w+) {value}
    ! (má|je) <adverb>(dnes|dneska|teď|zrovna)
relative's affair: fact, 0.65
    {person} (.{0,30}[ ,:"(-])?(začíná|začínají|končí|má|mají) (škola|školka|školu|školku|kroužek|trénink|{dated}|práci
    |směnu
    |hodinu|vyučování)
    ({dated}|škola|školka|trénink|kroužek|pokoj|auto) {my} <adjective>{person}
    po (babičce|dědovi|tátovi|mámě|rodičích|tetě|strýci|otci|matce) (mám|máme|jsem|zdědil\w*)
    {my} <adjective>{person} (má|slaví|mají) (.{0,20}[ ,:"(-])?{dated}
named relative: entity, 0.75, proper
    {my} <adjective>(?P<subject>{person})[ ,:-]+((je|jménem|pan|paní|doktor|doktorka|profesor
    |profesorka) )*(?P<value>[a-z'-]+)
    {person} má <adjective>(?P<subject>{person})[ ,-]+((pan|pana|paní) )?{value}
    (mám|máme) <adverb>([\w-]+ ){0,3}?(?P<subject>{person})[ ,:-]+(jménem )?{value}
    ! {person} (\w+ )?(je|jsou) (zrovna|teď|dneska|tady|nemocn\w+|naštvan\w+|doma|na cestě)|zase
is relative: entity, 0.75
    {front} (je|jsou|byl|byla) (\S+ ){0,3}?(můj|moje|má|náš|naše|naši) <adjective>(\w+ )?{person}
    (tohle je|to je|to jsou|tohle jsou|seznam se) {front} (můj|moje|má|náš|naše) <adjective>{person}
    (je to|on je|ona je) (můj|moje|náš|naše) <adjective>{person}
has relatives: fact, 0.75
    ^({my} )?<adjective>{person} je ((už|skoro) )?\d{1,3}( let| roků| roky| rok)?([ ,.].*)?$
    (mám|máme) <adverb>(jedn(u|oho|o)|dva|dvě|tři|čtyři|pět|\d+|žádn(é|ého|ou)) <adjective>(\w+ ){0,2}{person}
    (mám|máme) <adverb>(doma )?<adjective>{person} (\w+ )?(jménem|jmenuje|a|\w+|[a-z]+)$
    (mám|máme) <adverb>(doma )?<adjective>{person} (jménem|který|která|které)
    (mám|máme) <adverb><adjective>{person} a <adjective>{person}
    jsem (vdaná|ženatý|zasnouben\w+) (za|s) |jsem (máma|táta|matka|otec|babička|děda) (od |dvou|tří|čtyř)
    ! (mám|máme) (.{0,20}[ ,:"(-])?(u zubaře|k zubaři|na kluka|doktora zítra)
relative: fact, 0.75
    {my} <adjective>(?P<subject>{person})( a (já|{my} {person}))?( \w+){0,2} (je|jsou|byl|byla|žije|žijí|bydlí|pracuje
    |pracují|má|mají|nemá|miluje|nesnáší|studuje|hraje|mluví|učí|jezdí|pochází|umí|jí|nejí|pije|chodí|trpí|dělá|vaří
    |chrápe|narodil\w*|slaví|vede|zemřel\w*|umřel\w*|bojí|sbírá|vyzvedává|se stará|se bojí|se narodil\w*|řídí
    |navštěvuje) ?{value}
    ^<adjective>(?P<subject>{kin}) <adverb>(žije|žijí|bydlí|pracuje|pracují|studuje|učí|dělá|miluje|nesnáší|má rád
    |má ráda
    |nejí|nepije|mluví|pochází|je (v důchodu|na mateřské|z|ze|učitel\w*|doktor\w*|lékař\w*|právní\w+|programátor\w*
    |inženýr\w*)
    |se narodil\w*|chodí (do|na)|hraje) {value}
    ! {person} (\w+ )?(je|jsou) (zrovna|teď|dneska|tady|nemocn\w+|naštvan\w+|doma|na cestě)
"""
