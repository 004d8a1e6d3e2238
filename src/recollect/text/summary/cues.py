# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Words by which a sentence shows what it is: a decision, a preference, a promise, small talk; in four languages.

A cue is a run of words. `^` binds it to the start of the sentence, a star stands for the rest of a word. All languages
are looked for at once: which one a sentence is in need not be known, and people mix them.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Sign: TypeAlias = Literal[
    "chatter",
    "formula",
    "decision",
    "preference",
    "identity",
    "fact",
    "wish",
    "done",
    "task",
    "promise",
    "request",
    "unsure",
    "hedge",
    "yes",
    "no",
    "if",
]

CUES: Mapping[Sign, str] = {
    # Said to be polite, or to say nothing.
    "chatter": """
        hi; hello; hey; hey there; good morning; good afternoon; good evening; good night; thanks; thank you; thx;
        cheers; bye; goodbye; see you; see ya; talk to you later; have a nice; have a great; you too; please; welcome;
        you're welcome; no problem; no worries; my pleasure; happy to help; glad to help; glad to hear; glad it;
        of course; sure; certainly; absolutely; ok; okay; alright; right; great; good; nice; cool; awesome; perfect;
        excellent; wonderful; amazing; fantastic; lovely; wow; haha*; hehe*; lol; hmm*; oh; ah; well; yeah; yep; yes;
        no; sorry; sounds good; sounds great; sounds like a plan; agreed; deal; got it; i see; makes sense; understood;
        anything else; let me know; feel free; how are you; i'm fine; doing well; how can i help; how can i assist;
        great question; good question; good idea; great idea; that idea; love it; love that; i like it; as an ai;
        i hope; hope this helps; one moment; just a moment; hang on; you know; if you need anything; if you have any;
        looking forward; by the way; take care; fun fact; nice one; good luck; enjoy; interesting; exactly; true;
        indeed; the best; you're the best; привет*; здравствуй*; добрый день; добрый вечер; доброе утро; доброй ночи;
        спокойной ночи; спасибо*; благодарю; пока; до свидания; увидимся; пожалуйста; не за что; рад помочь;
        рада помочь; обращайтесь; обращайся; конечно; хорошо; ладно; окей; ок; ага; угу; понятно; понял; поняла; ясно;
        отлично; супер; класс; круто; здорово; прекрасно; замечательно; да; нет; ну; ой; ого; хаха*; ахах*; хех*;
        как дела; всё хорошо; извини*; прости*; точно; верно; чем могу помочь; что-нибудь ещё; что нибудь ещё; если что;
        хороший вопрос; отличный вопрос; хорошего дня; хорошая идея; отличная идея; интересно; кстати; удачи; до завтра;
        минутку; секунду; ahoj; čau; nazdar; dobrý den; dobré ráno; dobrý večer; dobrou noc; díky; děkuji; děkuju; dík;
        moc díky; není zač; nemáš zač; rádo se stalo; prosím; jasně; dobře; dobrá; super; skvělé; skvěle; paráda;
        výborně; výborný; fajn; ano; ne; jo; nojo; aha; no; rozumím; chápu; jak se máš; mám se dobře; nashledanou;
        na shledanou; měj se; hezký den; pěkný den; ještě něco; dej vědět; dejte vědět; s čím mohu; s čím můžu;
        omlouvám se; promiň*; přesně; dobrá otázka; dobrý nápad; zajímavé; mimochodem; rád pomohu; ráda pomohu;
        rád pomůžu; zatím; hurá; haha*; hallo; guten tag; guten morgen; guten abend; gute nacht; danke; danke schön;
        vielen dank; dankeschön; bitte; bitte schön; gern geschehen; gerne; gern; kein problem; tschüss;
        auf wiedersehen; bis später; bis bald; bis morgen; klar; natürlich; sicher; ja; nein; na; gut; super; toll;
        prima; klasse; perfekt; wunderbar; ausgezeichnet; alles klar; verstanden; verstehe; genau; stimmt; ach; achso;
        oh; entschuldigung; sorry; wie geht's; wie geht es dir; mir geht's gut; kann ich sonst; noch etwas;
        sonst noch etwas; gute frage; gute idee; schönen tag; schönes wochenende; melde dich; lass mich wissen;
        freut mich; interessant; übrigens
    """,
    # Sentences that assistants end with.
    "formula": """
        let me know if; let me know when; let me know how; feel free; is there anything else; anything else i can;
        happy to help; glad to help; hope this helps; hope that helps; how can i help; how can i assist; have a great;
        have a nice; i'm here to; don't hesitate; would you like more; want me to explain; good to hear; talk soon;
        keep it in mind; keep that in mind; i'll keep; i'll remember; let's see; дайте знать; дай знать; чем ещё могу;
        могу ещё чем; обращайтесь; если будут вопросы; рад помочь; рада помочь; чем могу помочь; хорошего дня;
        dejte vědět; dej vědět; mohu ještě; můžu ještě; kdybys potřeboval*; s čím mohu; s čím můžu; hezký den;
        rád pomohu; ráda pomohu; sag bescheid; sagen sie bescheid; kann ich sonst; kann ich noch; wie kann ich;
        melde dich; melden sie sich; schönen tag; lass es mich wissen; jederzeit; helfe ich gerne
    """,
    "decision": """
        decided; we'll go with; i'll go with; let's; going with; we'll use; we will use;  stick with; i'll take;
        we'll take; let's make; let's set; let's call; agreed; settled on; settle on; final decision; decision is;
        the plan is; we chose; i chose; i choose; we picked; i pick; let's not; we won't; let's drop; let's skip;
        instead of; actually let's; final answer; approved; book the; go with; it's a deal; signed off;
        we're going to use; i've chosen; решил*; решено; договорил*; остановил* на; остановимся на; выбрал*; выбираем;
        выбираю; берём; берем; возьмём; будем использовать; будем делать; давай возьм*; давайте возьм*; давай остав*;
        давайте остав*; давай сделаем; утвержд*; утверд*; согласован*; вместо; отказал* от; отказываемся; пусть будет;
        идём с; не будем; тогда делаем; делаем так; rozhodl*; rozhodnut*; domluven*; dohodl*; vybral*; vybíráme;
        vezmeme; bereme; použijeme; budeme používat; zůstaneme u; necháme; půjdeme s; schválen*; schválil*; místo;
        nebudeme; volím; volíme; dáme; pojďme; poletíme; pojedeme; entschieden; entscheiden uns; beschlossen;
        einigen uns; geeinigt; wir nehmen; nehmen wir; ich nehme; machen wir; wir machen; lass uns; lasst uns;
        wir verwenden; wir nutzen; wir bleiben; bleiben wir; bleiben bei; vereinbart; festgelegt; stattdessen; statt;
        genehmigt; freigegeben; wir verzichten; gewählt; ausgewählt
    """,
    "preference": """
        prefer; prefers; i'd rather; i would rather; i like; i love; i enjoy; i hate; i dislike; i don't like;
        can't stand; cannot stand; favourite; favorite; i always; i never; we always; we never; ^always; ^never;
        please always; please never; please no; please avoid; make sure; must not; don't use; don't add; don't touch;
        no new; from now on; in future; in the future please; please don't; don't ever; i'm vegan;
        vegetarian; vegan; rather not; my usual; i usually; call me; bothers me; annoys me; don't call me;
        предпочита*; предпочтит*; мне нравится; мне нравятся; не нравится; не люблю; люблю; обожаю; ненавижу; терпеть;
        любим*; больше не; я всегда; я никогда; ^всегда; ^никогда; впредь; на будущее; обычно я; я обычно; вегетариан*;
        лучше не; раздража*; называй меня; обращайся ко мне; не используй*; только не; предпочтени*;
        preferuj*; radši; raději; mám rád; mám ráda; nemám rád; nemám ráda; miluj*; nesnáším; nenávidím; oblíben*;
        vždycky; ^vždy; ^nikdy; vždy chci; nikdy nechci; od teď; příště; vegetarián*; vegetariánk*; vadí mi; líbí se mi;
        nelíbí; říkej mi; nepoužívej*; hlavně ne; obvykle; většinou;
        bevorzug*; lieber; am liebsten; ich mag; ich liebe; ich hasse; mag ich; mag keine*; lieblings*;
        ich möchte immer; ^immer; ^nie; ^niemals; ab jetzt; in zukunft; künftig; vegetarier*; vegan*; stört mich;
        nervt mich; gefällt mir; normalerweise; ich trinke; ich esse; nenn mich; bitte keine*; bitte nicht;
        ich bevorzuge
    """,
    # Who and what: kept for as long as there is room for anything.
    "identity": """
        my name is; name is; i'm called; is called; allerg*; birthday; i was born; i live in; we live in; i work at;
        i work for; i work as; my wife; my husband; my partner; my son; my daughter; my kids; my brother; my sister;
        my mother; my father; my mom; my dad; my boss; my dog; my cat; my address; my email; my phone; phone number;
        email is; responsible; in charge of; contact is; lives in; works at; works for; years old; diabetic; my doctor;
        my company; my team; меня зовут; зовут; аллерги*; день рождения; родил*; я живу; мы живём; я работаю; моя жена;
        мой муж; мой сын; моя дочь; мой брат; моя сестра; моя мама; мой папа; мой начальник; моя собака; мой кот;
        моя кошка; мой адрес; мой телефон; моя почта; почта; ответственн*; отвечает за; телефон; моего сына; мою дочь;
        моей жены; моего мужа; jmenuj*; jmenoval*; alergi*; narozenin*; narodil*; bydlím; bydlíme; pracuji; pracuju;
        moje žena; můj muž; moje manželka; můj manžel; můj syn; moje dcera; můj bratr; moje sestra; moje máma; můj táta;
        můj šéf; můj pes; moje kočka; adresa je; můj telefon; můj email; zodpovědn*; odpovědn*; bydlí; pracuje; syn se;
        dcera se; ich heiße; heißt; mein name; allergi*; geburtstag; geboren; ich wohne; wir wohnen; ich arbeite;
        meine frau; mein mann; mein sohn; meine tochter; mein bruder; meine schwester; meine mutter; mein vater;
        mein chef; mein hund; meine katze; meine adresse; meine nummer; meine telefonnummer; laktose*; verantwortlich*;
        zuständig*; ansprechpartner*; wohnt; arbeitet bei
    """,
    "fact": """
        my; our; i'm; i am; i have; we have; i own; i use; we use; is in; is at; is on; runs on; costs; budget;
        deadline; due; meeting; appointment; flight; version; password; address; the reason; because; turns out;
        it turned out; works; doesn't work; broken; failed; fails; error; must; requires; at least; at most;
        no more than; important; remember; note that; keep in mind; actually; the problem; the cause; root cause; means;
        мой; моя; моё; мои; наш; наша; наши; у меня; у нас; бюджет; срок; дедлайн; встреч*; рейс; стоит; стоимост*;
        потому что; оказал*; оказывается; причин*; проблем*; ошибк*; важно; запомни; должен; должна; должно; должны;
        не менее; не более; версия; нужен; нужна; работает; сломал*; адрес; пароль;
        můj; moje; mého; naše; náš; mám; máme; rozpočet; termín; schůzk*; let; stojí; protože; ukázal* se; příčin*;
        problém*; chyb*; důležit*; pamatuj; zapamatuj; musí; nejméně; alespoň; maximálně; nejvýš; verze; funguje;
        nefunguje; rozbil*; jedeme; letíme;
        mein; meine; meinen; unser; unsere; ich habe; wir haben; ich bin; budget; frist; termin; besprechung; flug;
        kostet; weil; grund; ursache; problem; fehler; wichtig; merk dir; merke dir; muss; müssen; mindestens;
        höchstens; maximal; version; funktioniert; kaputt; defekt; liegt daran; adresse
    """,
    # What somebody is after: the topic of the conversation rather than a task.
    "wish": """
        i want; we want; i'd like; we'd like; i plan to; i'm planning; we're planning; i'm looking for;
        we're looking for; i'm trying to; we're trying to; i need; we need; i'm thinking of; i'm working on;
        we're working on; i'm building; we're building; wants to; i'll be; i will be; we'll be; we will be;
        i'm going on; хочу; хотим; хотел*; планирую; планируем; собираюсь; собираемся; ищу; ищем; мне нужен; мне нужна;
        мне нужно; нам нужен; нам нужна; работаю над; делаю; делаем;
        chci; chceme; chtěl bych; chtěla bych; chtěli bychom; plánuj*; hledám; hledáme; potřebuji; potřebuju;
        potřebujeme; pracuji na; pracujeme na; stavíme;
        ich will; wir wollen; ich möchte; wir möchten; ich plane; wir planen; ich suche; wir suchen; ich brauche;
        wir brauchen; ich arbeite an; wir arbeiten an; wir bauen
    """,
    "done": """
        i've *ed; i've just *ed; i've now *ed; i've already *ed; i've also *ed; i have *ed; i *ed; we've *ed; we *ed;
        i've set; i've sent; i've put; i've made; i've run; i've written; i've built; i've found; i've got; i've bought;
        i've done; i've taken; i've paid; i've made; i set; i sent; i put; i made; i ran; i wrote; i built; i bought;
        i paid; i took; i found; it's done; is done; ^done; all done; is now; are now; has been *ed; have been *ed;
        was *ed; were *ed; has been sent; has been set; is set; is fixed; is booked; is scheduled; ^created; ^added;
        ^updated; ^turned; ^scheduled; ^booked; ^sent; ^set; ^removed; ^deleted; ^fixed; ^ordered; ^moved; ^saved;
        ^renamed; ^installed; ^deployed; ^merged; ^committed; ^pushed; ^opened; ^closed; ^changed; ^published;
        ^cancelled; ^canceled; ^switched; ^enabled; ^disabled; ^started; ^stopped; ^restarted; ^replaced; ^saved;
        ^uploaded; ^dimmed; all set; just got back; came back; we bought; we paid; we sent; включил*; выключил*;
        создал*; добавил*; настроил*; отправил*; запланировал*; установил*; удалил*; обновил*; заказал*; забронировал*;
        перенес; перенесла; перенесли; записал*; сохранил*; исправил*; починил*; поставил*; сделал*; готово; сделано;
        выполнено; купил*; оплатил*; заплатил*; позвонил*; нашёл; нашел; нашла; изменил*; переименовал*; завершил*;
        запустил*; подключил*; проверил*; составил*; уменьшил*; увеличил*; договорил*; подписал*; отменил*; zapnul*;
        vypnul*; vytvořil*; přidal*; nastavil*; odeslal*; poslal*; naplánoval*; smazal*; odstranil*; aktualizoval*;
        objednal*; zarezervoval*; vyřídil*; zařídil*; sjednal*; vyzvedl*; rezervoval*; přesunul*; uložil*; opravil*;
        hotovo; hotov*; koupil*; zaplatil*; zavolal*; našel; našla; změnil*; přejmenoval*; dokončil*; spustil*;
        zkontroloval*; zapsal*; snížil*; zvýšil*; zrušil*; podepsal*; udělal*; připravil*; založil*; eingeschaltet;
        ausgeschaltet; erstellt; hinzugefügt; eingerichtet; gesendet; geschickt; verschickt; geplant; gelöscht;
        entfernt; aktualisiert; bestellt; gebucht; reserviert; verschoben; gespeichert; behoben; repariert; erledigt;
        fertig; gekauft; bezahlt; angerufen; gefunden; geändert; umbenannt; abgeschlossen; gestartet; geprüft;
        eingetragen; gesenkt; erhöht; storniert; unterschrieben; gemacht; angelegt; eingestellt; überwiesen; abgesagt
    """,
    # Somebody still has to do it.
    "task": """
        todo; to do; i need to; we need to; i still need; we still need; i have to; we have to; i must; we must;
        i should; we should; remind me; don't forget; still open; still missing; still to be; next step; next steps;
        pending; waiting for; waiting on;
        to be decided; tbd; not yet; haven't yet; needs to be; remains to; left to do; follow up; by the end of;
        нужно; надо; необходимо; осталось; напомни*; не забыть; не забудь*; ещё не; пока не; следующий шаг; ждём; ждем;
        жду; предстоит; пора; musím; musíme; je potřeba; je třeba; potřebuji; potřebuju; potřebujeme; zbývá; připomeň*;
        nezapomeň*; ještě ne; ještě není; další krok; čekáme; čekám; měl bych; měla bych;
        měli bychom; zatím ne;
        ich muss; wir müssen; muss ich; müssen wir; muss noch; müssen noch; erinner* mich; nicht vergessen;
        vergiss nicht; steht noch aus; noch offen; noch nicht;
        nächster schritt; warten auf; warte auf; warte noch; sollten wir; wir sollten; ich sollte; sollte ich
    """,
    # Somebody says that they are going to do it.
    "promise": """
        i'll; i will; we'll; we will; i'm going to; will do; gonna; let me check; get back to; later; another day;
        проверю; сделаю; напомню; посмотрю; вернусь; отправлю; уточню; узнаю; отложим; позвоню; куплю; займусь; пришлю;
        потом; позже; напишу; закажу;
        zkontroluji; zkontroluju; podívám se; udělám; připomenu; pošlu; ozvu se; zjistím; odložíme; zavolám; koupím;
        napíšu; později; objednám; ověřím; dodám;
        ich werde; wir werden; werde ich; werden wir; kümmere mich; ich schaue; melde mich; ich prüfe; ich rufe;
        verschieben wir; ich schicke; später; ich erinnere; erinnere dich; ich kläre; ich bestelle
    """,
    "request": """
        ^please; please; can you; could you; would you; will you; can i; could i; i want you; i'd like you; help me;
        ^turn; ^switch; ^set; ^add; ^create; ^make; ^show; ^find; ^book; ^send; ^write; ^order; ^remind; ^schedule;
        ^check; ^tell; ^give; ^open; ^close; ^play; ^start; ^stop; ^delete; ^remove; ^move; ^change; ^update; ^explain;
        ^list; ^draft; ^summarize; ^summarise; ^look; ^search; ^put; ^rename; ^cancel; ^dim; ^translate; ^run; ^fix;
        пожалуйста; можешь; можете; сможешь; помоги*; ^сделай*; ^включи*; ^выключи*; ^добавь*; ^создай*; ^покажи*;
        ^найди*; ^отправь*; ^напиши*; ^закажи*; ^забронируй*; ^напомни*; ^поставь*; ^проверь*; ^скажи*; ^расскажи*;
        ^удали*; ^перенеси*; ^измени*; ^составь*; ^переведи*; ^объясни*; ^запиши*; ^посоветуй*; ^подбери*; ^узнай*;
        prosím; můžeš; můžete; mohl bys; mohla bys; pomoz*; ^udělej*; ^zapni*; ^vypni*; ^přidej*; ^vytvoř*; ^ukaž*;
        ^najdi*; ^pošli*; ^napiš*; ^objednej*; ^zarezervuj*; ^připomeň*; ^nastav*; ^zkontroluj*; ^řekni*; ^smaž*;
        ^přesuň*; ^změň*; ^přelož*; ^vysvětli*; ^zapiš*; ^poraď*; ^sniž*; ^zvyš*; ^zjisti*;
        bitte; kannst du; könntest du; können sie; könnten sie; hilf mir; ^mach*; ^schalte*; ^füge*; ^erstelle*;
        ^zeig*; ^finde*; ^such*; ^sende*; ^schick*; ^schreib*; ^bestell*; ^buche*; ^erinner*; ^stell*; ^prüf*; ^sag*;
        ^lösch*; ^verschieb*; ^änder*; ^übersetz*; ^erklär*; ^trag*; ^reservier*; ^leg*; ^senk*
    """,
    # An answer that is none.
    "unsure": """
        i don't know; i'm not sure; not sure; i can't; i cannot; i couldn't; unable to; i don't have access; no idea;
        don't have; couldn't find; can't find; i'll check; let me check; i'll look; get back to you; i'll find out;
        я не знаю; не знаю; не уверен; не уверена; не могу; не нашёл; не нашел; не нашла; нет доступа; проверю; уточню;
        узнаю; к сожалению; nevím; nejsem si; nemohu; nemůžu; nenašel; nenašla; nemám přístup; zjistím; ověřím;
        zkontroluji; zkontroluju; podívám se; bohužel; weiß ich nicht; ich weiß nicht; weiß nicht; nicht sicher;
        kann nicht; nicht gefunden; keinen zugriff; leider; ich prüfe; ich schaue; finde ich heraus; kläre ich
    """,
    # The sentence before the answer.
    "hedge": """
        it depends; that depends; this depends; depends on; there are many; there are several; many options; both have;
        hard to say; in general; зависит; есть много; много вариантов; по-разному; сложно сказать; záleží; liší;
        existuje mnoho; je mnoho; těžko říct; hängt von; hängt davon; kommt darauf an; kommt drauf an; es gibt viele;
        schwer zu sagen
    """,
    "yes": """
        ^yes; ^yeah; ^yep; ^yup; ^sure; ^ok; ^okay; ^do it; ^go ahead; ^please do; ^sounds good; ^perfect; ^agreed;
        ^exactly; ^correct; ^right; ^great; ^good; ^fine; ^alright; ^cool; ^да; ^ага; ^конечно; ^давай*; ^хорошо; ^ок;
        ^верно; ^отлично; ^точно; ^ладно; ^окей; ^ano; ^fajn; ^super; ^tak jo; ^jo; ^jasně; ^dobře; ^určitě; ^souhlasím;
        ^přesně; ^ja; ^klar; ^gerne; ^gern; ^genau; ^einverstanden; ^passt; ^alles klar; ^prima; ^gut
    """,
    "no": """
        ^no; ^nope; ^nah; ^not now; ^no thanks; ^nothing; ^that's all; ^нет; ^не надо; ^не нужно; ^не сейчас; ^это всё;
        ^ne; ^není třeba; ^teď ne; ^to je vše; ^nein; ^nicht jetzt; ^nicht nötig; ^das war's; ^nö
    """,
    # Something that may never happen.
    "if": """
        if; would; could; whether; когда; если; бы; ли; pokud; kdyby; jestli; wenn; falls; würde; könnte; ob
    """,
}

NEGATIONS = _words("""
    not no never none nothing without cannot don't doesn't didn't won't can't isn't aren't wasn't shouldn't couldn't
    не нет ни никогда ничего без нельзя ne není nikdy nic bez nemám nemá nejsou nechci nebude nicht kein keine keinen
    keinem keiner nie niemals nichts ohne
""")
