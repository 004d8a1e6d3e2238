# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Function words: what nearly every sentence of a language has, and so what tells its language but not its topic.

The invariant: only closed classes stand here (articles, pronouns, prepositions, conjunctions, auxiliaries, question
words). Words that are also a name or a month (*Will*, *May*, *US*) are left out, so that they can be searched for: of
their own language one by one, and the first names that happen to be function words elsewhere (*Tom* in Czech, *Ella* in
Spanish) by a list, because nobody knows for sure which language a short text is in.
"""

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FIRST_NAMES = _words("""
    asta aura ben bo dan della dina ed ela ella elle hans inga jim jo kim lui mai mia mina nell noi oli ona sana sina
    sue tai till tom uma wil will ким том
""")

_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": _words("""
        a an the this that these those there here i me my mine myself you your yours yourself he him his himself she her
        hers herself it its itself we our ours ourselves they them their theirs themselves who whom whose which what
        when where why how and or but nor if because as while although though than then so of at by for with about
        against between into through during before after above below to from up down in out on off over under again
        is am are was were be been being have has had having do does did doing done would should could can cannot
        shall might must ought not no any some such own same too very just only also both each other more most
        i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's we're we've we'd we'll
        they're they've they'd they'll that's there's here's what's who's where's when's why's how's isn't aren't wasn't
        weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't shan't shouldn't can't couldn't mustn't let's
    """),
    "ru": _words("""
        и в во не что он на я с со как а то все всё она так его но да ты к ко у же вы за бы по ее её мне меня от из о об
        обо ему ней нее неё них им ими их нас нам нами вас вам вами тебя тебе тобой себя себе собой мы они оно это этот
        эта эти этого этой этом этому этих этим тот та те того той том тому тех тем мой моя мое моё мои моего моей моем
        моему моих моим твой твоя твое твоё твои твоего твоей твоих наш наша наше наши нашего нашей наших ваш ваша ваше
        ваши вашего вашей ваших свой своя свое своё свои своего своей своем своих был была было были быть будет буду
        будут будем есть нет ни или если когда где куда откуда кто кого кому кем чем чего чему какой какая какое какие
        какого какой каких какую каким каком каком который которая которое которые которого которой которых которую
        почему зачем сколько чей чья чье чьё чьи для до без при про под над перед через между после ли уж вот там тут
        здесь тогда потом также тоже лишь только даже еще ещё уже очень чтобы потому поэтому
    """),
    "uk": _words("""
        і й та в у не що він на я з із зі як а то все вона так його але ти до ж же ви за би б по її мені мене від о об
        йому їй ній неї них їм ними їх нас нам нами вас вам вами тебе тобі тобою себе собі собою ми вони воно це цей ця
        ці цього цієї цьому цих цим той та те ті того тієї тому тих тим мій моя моє мої мого моєї моїх твій твоя твоє
        твої твого твоєї твоїх наш наша наше наші нашого нашої наших ваш ваша ваше ваші свій своя своє свої свого своєї
        своїх був була було були бути буде буду будуть є немає ні або чи якщо коли де куди звідки хто кого кому ким чим
        чого чому який яка яке які якого якої яких яку яким скільки чий чия чиє чиї для без при про під над перед через
        між після ось там тут тоді потім також теж лише тільки навіть ще вже дуже щоб тому
    """),
    "cs": _words("""
        a i ve v na se si s z ze do od po pro při u o k ke ku za nad pod před přes mezi bez je jsem jsi jsme jste jsou
        byl byla bylo byli byly být bude budu budeš budeme budete budou není nejsem nejsi nejsou nebyl nebyla nebylo že
        ale nebo ani ten ta to ti ty toho té tomu tom tím těch těm tento tato toto tyto tohoto této který která které
        kteří kterého kterou co kdo koho komu kdy kde kam odkud jak jaký jaká jaké jakou jakého proč kolik čí já mě mně
        mi mnou tě tobě tebe on ona ono oni jeho jí jí ji ho mu jim jich jejich my nás nám námi vy vás vám vámi můj moje
        má mé mého mou moji mých tvůj tvoje tvá tvé náš naše naši našeho vaše vaši váš svůj svoje svá své svou svého by
        bych bys bychom byste aby kdyby když protože takže také taky tak už ještě jen jenom jako než tam tady zde tu pak
        asi velmi
    """),
    "de": _words("""
        der die das den dem des ein eine einen einem einer eines und oder aber denn weil dass wenn als ob obwohl
        damit sondern ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch ihnen mein meine meinen meinem meiner
        meines dein deine deinen deinem deiner sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser
        unsere unseren unserem unserer euer eure sich selbst wer wen wem wessen was wann wo wohin woher warum wieso wie
        wieviel welche welcher welches welchen welchem in im an am auf aus bei beim mit nach von vom zu zum zur für über
        unter vor hinter neben zwischen durch gegen ohne um bis seit während wegen trotz ist bin bist sind seid war
        warst waren wart gewesen hat habe hast haben habt hatte hatten gehabt wird werde wirst werden wurde wurden
        worden kann kannst können konnte muss müssen musste soll sollen sollte darf dürfen will nicht kein keine keinen
        keinem keiner dieser diese dieses diesen diesem jener jene jenes da dort hier dann nun noch schon nur auch sehr
        so man etwas doch ja nein
    """),
    "fr": _words("""
        le la les l un une des du de d au aux à et ou mais donc or ni car que qu qui quoi dont où quand comment pourquoi
        combien quel quelle quels quelles lequel laquelle je j tu il elle on nous vous ils elles me m te t se s lui leur
        leurs y en moi toi soi eux mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces cela ça ceci
        dans par pour sur sous avec sans chez vers entre avant après pendant depuis contre jusque est suis es sommes
        êtes sont était étais étaient étions été être sera serai seront ai as a avons avez ont avait avais avaient avoir
        eu aura fait faire fais ne n pas plus si très aussi alors comme même tout tous toute toutes puis déjà encore ici
        là
    """),
    "es": _words("""
        el la los las un una unos unas de del al a y e o u pero sino que qué quien quién quienes quiénes cual cuál
        cuáles cuando cuándo donde dónde adonde como cómo cuanto cuánto cuánta cuántos cuántas por porque para con sin
        sobre entre hasta desde hacia durante contra según tras ante bajo en yo tú él ella ello nosotros vosotros
        ustedes usted ellos ellas me te se le les lo nos os mi mis mí tu tus ti su sus nuestro nuestra nuestros nuestras
        vuestro este esta esto estos estas ese esa eso esos esas aquel aquella es soy eres somos son era eras eran fue
        fueron ser sido está estoy estás están estaba estaban estar he has ha hemos han había habían haber hay muy más
        también ya si sí no ni
    """),
    "it": _words("""
        il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dallo
        dalla dai dagli dalle in nel nello nella nei negli nelle su sul sulla sui sulle con per tra fra e ed o oppure ma
        che chi cui cosa quando dove come perché quanto quanta quanti quante quale quali io tu lui lei noi voi loro mi
        ti si ci vi me te sé mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri vostro vostra
        questo questa questi queste quello quella quelli quelle ciò è sono sei siamo siete era erano ero stato stata
        essere sarà ho hai ha abbiamo avete hanno aveva avevano avere non anche più molto già se né dov cos com all dell
        nell sull dall
    """),
    "pt": _words("""
        o a os as um uma uns umas de do da dos das em no na nos nas num numa ao aos à às por pelo pela pelos pelas para
        pra com sem sobre entre até desde contra e ou mas porém que quê quem qual quais quando onde aonde como porque
        porquê quanto quanta quantos quantas eu tu você vocês ele ela nós eles elas me mim te ti se lhe lhes nos meu
        minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas este esta estes estas isto esse essa esses
        essas isso aquele aquela aquilo é sou és somos são era eram foi foram fui ser sido está estou estão estava
        estavam estar tem tenho têm tinha tinham ter há havia não nem muito mais também já só
    """),
    "nl": _words("""
        de het een en of maar want omdat dat als dan toen die dit deze ik jij je hij zij ze wij we jullie u mij me jou
        hem haar ons hen hun mijn jouw zijn onze uw zich wie wat waar wanneer waarom hoe hoeveel welke welk van in op
        aan met voor door bij naar uit over onder tegen tussen zonder tot om tijdens sinds te ten ter is ben bent was
        waren wordt worden werd werden geweest heb hebt heeft hebben had hadden kan kunnen kon moet moeten moest zal
        zullen zou zouden wil mag niet geen er hier daar nu ook nog al wel zo zeer iets
    """),
    "pl": _words("""
        i oraz a ale lub albo czy że żeby aby bo ponieważ więc jeśli gdy kiedy jak gdzie dokąd skąd kto kogo komu kim co
        czego czemu czym dlaczego ile jaki jaka jakie jakiego jakiej jaką który która które którzy którego której którą
        czyj w we na z ze do od po za przed pod nad przy przez dla bez o u między podczas się ja ty on ona ono my wy oni
        one mnie mi mną ciebie cię ci tobie jego go jemu mu nim jej ją nią nam nas nami was wam ich im nimi sobie siebie
        mój moja moje moi mojego mojej moją moich twój twoja twoje twojego twojej nasz nasza nasze wasz swój swoja swoje
        swojego ten ta to ci te tego tej temu tym tych tę tamten jest jestem jesteś jesteśmy są był była było byli były
        być będzie będę będą nie tak też także już jeszcze tylko bardzo tu tam tutaj niż jako by
    """),
    "ro": _words("""
        un o unui unei niște al a ai ale de la în din pe cu fără pentru prin între sub peste până despre după spre către
        și sau dar însă ci că să dacă când unde cum cât câtă câți câte cine cui ce care căruia căreia eu tu el ea noi
        voi ei ele mă te îl îi ne vă le mie ție lui lor mi ți i îmi îți își se sine meu mea mei mele tău ta tăi tale său
        sa săi sale nostru noastră vostru voastră acest această acești aceste acesta aceasta acel acea acei acele asta
        este sunt ești suntem sunteți e era erau am ai are avem aveți au avut avea fi fost fie va vor voi vom nu nici
        mai foarte și tot doar deja încă aici acolo
    """),
    "sv": _words("""
        en ett den det de och eller men att som om när var vart varför hur vem vad vilken vilket vilka jag du han hon vi
        ni mig dig honom henne oss er dem min mitt mina din ditt dina sin sitt sina hans hennes vår vårt våra deras
        detta dessa denna i på av från till för med utan under över mellan efter före vid hos är var varit vara blir
        blev har hade haft ska skulle kan kunde måste inte ingen inget inga också mycket bara så än här där nu
    """),
    "da": _words("""
        en et den det de og eller men at som om når hvor hvorfor hvordan hvem hvad hvilken hvilket hvilke jeg du han hun
        vi mig dig ham hende os jer dem min mit mine din dit dine sin sit sine hans hendes vores deres dette disse denne
        i på af fra til for med uden under over mellem efter før ved hos er var været være bliver blev har havde haft
        skal skulle kan kunne må ikke ingen også meget kun så end her der nu
    """),
    "no": _words("""
        en ei et den det de og eller men at som om når hvor hvorfor hvordan hvem hva hvilken hvilket hvilke jeg du han
        hun vi meg deg ham henne oss dere dem min mitt mine din ditt dine sin sitt sine hans hennes vår vårt våre deres
        dette disse denne i på av fra til for med uten under over mellom etter før ved hos er var vært være blir ble har
        hadde hatt skal skulle kan kunne må ikke ingen også veldig bare så enn her der nå
    """),
    "fi": _words("""
        ja tai mutta että jos kun koska kuin vaan sekä minä sinä hän me te he minun sinun hänen meidän teidän heidän
        minua sinua häntä minulla sinulla hänellä minulle se ne tämä tuo nämä nuo sen tämän tässä siinä kuka ketä kenen
        mikä mitä minkä missä mihin mistä milloin miksi miten kuinka on olen olet olemme olette ovat oli olin olivat
        ollut olla ei en et emme eivät myös vain jo vielä hyvin niin nyt täällä siellä
    """),
    "hu": _words("""
        a az egy és vagy de hogy ha mert mint is nem ne én te ő mi ti ők engem téged őt minket nekem neked neki nekünk
        nekik enyém ez ezek azok ezt azt ennek annak ki kit kinek mit minek mikor hol hova honnan miért hogyan hány
        mennyi melyik milyen van vagyok vagy vagyunk vannak volt voltam voltak lesz lenni volna meg már még csak nagyon
        itt ott most akkor ki be el fel le
    """),
    "tr": _words("""
        ve veya ya ama fakat çünkü ki de da ile için gibi kadar göre sonra önce bir bu şu o ben sen biz siz onlar beni
        seni onu bizi sizi onları bana sana ona bize size onlara benim senin onun bizim sizin onların bende sende onda
        kim kimin ne neden niçin nasıl nerede nereye nereden hangi kaç ne zaman mi mı mu mü değil var yok idi ise olan
        olarak oldu olur olacak daha çok en her hiç şimdi burada orada
    """),
    "vi": _words("""
        và của là có không được trong cho với một các những này kia đó người khi để đã đang sẽ ở như về tại từ bởi bao
        nhiêu gì nào ai đâu sao thế tôi bạn anh chị em họ chúng mình cũng rất chỉ nhưng hoặc nếu thì mà bị ra vào lên
    """),
}

STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: words - _FIRST_NAMES for language, words in _FUNCTION_WORDS.items()
}
