# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""How Russian says when. `tables` explains the layout.

A month counts in any case once a preposition or a number stands before it; среде is left out, being surroundings.
"""

from recollect.text.moments.tables import Language

_WORDS = """
month
    1: январь января январе январю январём; 2: февраль февраля феврале февралю февралём;
    3: март марта марте марту мартом; 4: апрель апреля апреле апрелю апрелем; 5: май мая мае маю маем;
    6: июнь июня июне июню июнем; 7: июль июля июле июлю июлем; 8: август августа августе августу августом;
    9: сентябрь сентября сентябре сентябрю сентябрём; 10: октябрь октября октябре октябрю октябрём;
    11: ноябрь ноября ноябре ноябрю ноябрём; 12: декабрь декабря декабре декабрю декабрём
weekday
    0: понедельник понедельника понедельнику понедельником; 1: вторник вторника вторнику вторником;
    2: среду среды средой; 3: четверг четверга четвергу четвергом; 4: пятницу пятницы пятницей;
    5: субботу субботы субботой; 6: воскресенье воскресенья воскресенью воскресеньем
part
    morning: утром утра утро; noon: обед полдень; afternoon: днём; evening: вечером вечера вечер
night
    night: ночью ночь
season
    winter: зимой; spring: весной; summer: летом; autumn: осенью
seasons
    winter: зима зимы зиму зимой зиме; spring: весна весны весну весной весне; summer: лето лета летом лете;
    autumn: осень осени осенью
unit
    week: неделя неделю неделе недели неделей; month: месяц месяце месяца; year: год году года;
    quarter: квартал квартале квартала; weekend: выходные выходных
units
    minute: минуту минуты минут; hour: час часа часов; day: день дня дней сутки суток; week: неделю недели недель;
    month: месяц месяца месяцев; quarter: квартал квартала кварталов; year: год года лет
genitive
    week: недели; month: месяца; quarter: квартала; year: года
one
    minute: минуту; hour: час; day: день сутки; week: неделю; month: месяц; quarter: квартал; year: год
plural
    hour: часы часов; day: дни дней; week: недели недель; month: месяцы месяцев; year: годы лет
n
    1: один одну одна одно; 2: два две двух; 3: три трёх; 4: четыре четырёх; 5: пять пяти; 6: шесть шести;
    7: семь семи; 8: восемь восьми; 9: девять девяти; 10: десять десяти; 11: одиннадцать одиннадцати;
    12: двенадцать двенадцати; 15: пятнадцать пятнадцати; 20: двадцать двадцати; 30: тридцать тридцати
ordinal
    1: первого первое; 2: второго второе; 3: третьего третье; 4: четвёртого четвёртое; 5: пятого пятое;
    6: шестого шестое; 7: седьмого седьмое; 8: восьмого восьмое; 9: девятого девятое; 10: десятого десятое;
    11: одиннадцатого; 12: двенадцатого; 15: пятнадцатого; 20: двадцатого; 30: тридцатого
quarter
    1: первый первом первого; 2: второй втором второго; 3: третий третьем третьего; 4: четвёртый четвёртом четвёртого
decade
    1930: тридцатых тридцатые; 1940: сороковых сороковые; 1950: пятидесятых пятидесятые;
    1960: шестидесятых шестидесятые; 1970: семидесятых семидесятые; 1980: восьмидесятых восьмидесятые;
    1990: девяностых девяностые; 2000: двухтысячных двухтысячные нулевых нулевые
in
    в во
during
    в во за на
about
    примерно около приблизительно почти ровно буквально
last
    прошлый прошлая прошлое прошлой прошлую прошлом прошлого прошлые прошлых прошлым прошлою
    предыдущий предыдущая предыдущее предыдущей предыдущую предыдущем предыдущего предыдущие предыдущих предыдущим
    минувший минувшая минувшее минувшей минувшую минувшем минувшего минувшие минувших минувшим
lastbutone
    позапрошлый позапрошлая позапрошлое позапрошлой позапрошлую позапрошлом позапрошлого позапрошлые позапрошлых
    позапрошлым
latest
    последний последняя последнее последней последнюю последние последних последнего последнем
    прошедший прошедшую прошедшие прошедших
this
    этот эта это этой эту этом этого эти этих этим текущий текущая текущей текущую текущем текущего нынешний нынешнем
    нынешней нынешнего нынешним
next
    следующий следующая следующее следующей следующую следующем следующего следующие следующих следующим
    будущий будущая будущее будущей будущую будущем будущего будущие будущих будущим
    ближайший ближайшую ближайшее ближайшие ближайших
yesterdays
    вчерашний вчерашняя вчерашнее вчерашней вчерашнюю вчерашнем вчерашнего вчерашние вчерашних вчерашним
todays
    сегодняшний сегодняшняя сегодняшнее сегодняшней сегодняшнюю сегодняшнем сегодняшнего сегодняшние сегодняшних
    сегодняшним
tomorrows
    завтрашний завтрашняя завтрашнее завтрашней завтрашнюю завтрашнем завтрашнего завтрашние завтрашних завтрашним
theyear
    год года году г гг
every
    каждый каждую каждое каждой каждые каждого
counted
    % $ € ₽ руб рублей рубля рубль евро долларов доллара крон слов слова человек людей раз шагов строк км метров м кг
    грамм калорий часов минут секунд дней токенов символов баллов страниц штук шт гб мб
"""

_PHRASES = """
nothing
    {every} {weekday} {part}|{night}?
    {every} {season=seasons}|{unit}
    {in} среду обитания|разработки|программирования|выполнения
    {in} {year} {counted}
    с|от? {first=year} до|по|- {year} {counted}
    с|от|между {year} до|по|и {large}
    с|со|до|от|за|между {year} {counted}
    версия|версии|версию|версией|раздел|глава|главе|код|номер {date}
    до завтра|послезавтра $
    доброе|доброго утро|утра
    добрый|доброго вечер|вечера
    доброй|спокойной|хорошей ночи
    {in} {latest}|{last} раз|момент
    {every} {n}? {unit=units}
day n=0
    за|на? сегодня
    {todays} дня|день|дню?
    после|до|перед < {todays}
day n=-1
    за? вчера
    {yesterdays} дня|день?
    после|до|перед < {yesterdays}
day n=-2
    за? позавчера
    позавчерашний|позавчерашнего|позавчерашнем|позавчерашняя|позавчерашней|позавчерашнее дня|день?
day n=1
    на? завтра
    {tomorrows} дня|день?
day n=2
    на? послезавтра
day n=0
    сегодня {in}|с? {part}
    {todays}|этим|это|нынешним {part}
    {part} сегодня
day n=-1
    вчера {in}|с? {part}|{part=night}
    {yesterdays}|{last} {part}
    {part} вчера
    {yesterdays} {part=night}
day n=-2
    позавчера {in}? {part}|{part=night}
day n=1
    завтра {in}? {part}|{part=night}
day n=-1 part=night
    {in}? {last}|минувшей ночью|ночь
tonight before=18
    сегодня|этой ночью
    {in} эту ночь
    ночью сегодня
unit n=-1
    {during}|о? {last} {unit}
unit n=-2
    {during}? {lastbutone} {unit}
unit n=0
    {during}? {this} {unit}
unit n=1
    {during}? {next} {unit}
weekend
    {in}|на|за выходные|выходных
ago
    {about}? {n} {unit=units} тому? назад
    {about}? {unit=units} {n} тому? назад
ago n=1
    {about}? {unit=one} тому? назад
ago n=2 most=3
    {about}? пару|пара {unit=units} тому? назад
ago n=2 most=6
    несколько {unit=units} тому? назад
ago n=5 most=7 unit=month
    {about}? полгода тому? назад
ago n=16 most=20 unit=month
    {about}? полтора года тому? назад
ago n=30 unit=minute
    {about}? полчаса тому? назад
ahead
    через {about}? {n} {unit=units}
ahead n=1
    через {about}? {unit=one}
ahead n=2
    через пару {unit=units}
past
    {during}? {latest} {n} {unit=units}|{unit=plural}
    {during}? {n} {latest} {unit=units}|{unit=plural}
past n=1
    {during} {latest} {unit=one}
past n=3
    {during}? {latest} пару {unit=units}
past n=6
    {during}? {latest} несколько {unit=units}
    {in}|за последние|последних {unit=plural}
past n=14 unit=day
    на днях
past n=30 unit=day
    недавно
    {during}? последнее время
weekday
    {in} {weekday} ({in}? {part}|{part=night})?
    {part}|{part=night} {in} {weekday}
weekday which=last
    {in}? {last} {weekday} {part}|{part=night}?
weekday which=this
    {in}? этот|эту|это {weekday} {part}|{part=night}?
weekday which=next
    {in}? {next} {weekday} {part}|{part=night}?
weekday week=-1
    {in}? {weekday} {part}|{part=night}? на? {last} недели|неделе
    на {last} неделе {in} {weekday} {part}|{part=night}?
weekday week=0
    {in}? {weekday} {part}|{part=night}? на? этой недели|неделе
    на этой неделе {in} {weekday}
weekday week=1
    {in}? {weekday} {part}|{part=night}? на? {next} недели|неделе
    на {next} неделе {in} {weekday}
month
    {in}|за|весь {month}
    {in}|за? {month} ,? {year} {theyear}?
    {in} месяце {month}
month which=last
    {in}|за? {last} {month}
month which=this
    {in}|за? этом|этот|этого|нынешнем {month}
month which=next
    {in}? {next} {month}
month ago=1
    {in}|за? {month} {last} года
    {in} {last} году {in} {month}
month ago=0
    {in}|за? {month} этого|текущего|нынешнего года
    {in} этом году {in} {month}
month ago=2
    {in}? {month} {lastbutone} года
month ago=-1
    {in}? {month} следующего|будущего года
months
    {in}|за {first=month} и|или|- {month} ({year} {theyear}?)?
    {first=month} - {month} {year} {theyear}?
monthyear
    {in}|за {monthyear}
date
    {date} {theyear}?
    {in}? {weekday} ,? {date} {theyear}?
    {in}? {weekday} ,? {day} {month} ({year} {theyear}?)?
    {day} (- го|е|ого|ое)? {month}
    {day} (- го|е|ого|ое)? {month} ,? {year} {theyear}?
    {day=ordinal} {month}
    {dayrange} {month} ({year} {theyear}?)?
    {day=ordinal} {month} {year} {theyear}?
    с|со|от {first=day} (- го)? по|до {day} (- го|е)? {month} ({year} {theyear}?)?
    между {first=day} и {day} {month} ({year} {theyear}?)?
date ago=1
    {day} (- го|е)? {month} {last} года
date ago=0
    {day} (- го|е)? {month} этого года
dayofmonth
    {day} (- го|е)? числа
    {day=ordinal} числа
dayofmonth n=-1
    {day} (- го|е)? числа {last} месяца
    {day=ordinal} числа {last} месяца
dayofmonth n=0
    {day} (- го|е)? числа этого месяца
year
    {in}|за {year}
    {in}|за? {year} (- м|ом|го|й)? {theyear}
    {in} {year} - м|ом
    {theyear} {year}
years
    {in}|с|между {first=year} и|или|по|до {year} {theyear}|годах|годы|годов?
    {first=year} и|или|по|до {year} годах|годы|годов|гг
    {in}|за|с? {years} {theyear}|годах|годы|годов?
season
    {season}
    {in}|за? {season=seasons} {year} {theyear}?
    {in}|за? {season=seasons} {winter} {theyear}|годов?
season which=last
    {in}|за? {last} {season=seasons}
season which=this
    {in}|за? {this} {season=seasons}
season which=next
    {in}? {next} {season=seasons}
season ago=1
    {season=seasons} {last} года
    {in} {last} году {season}
season ago=0
    {season=seasons} этого года
season ago=2
    {season=seasons} {lastbutone} года
quarter
    {in}|за? {quarter} квартал|квартале|квартала {year} {theyear}?
quarter ago=1
    {in}|за? {quarter} квартал|квартале|квартала {last} года
quarter ago=0
    {in}|за? {quarter} квартал|квартале|квартала этого года
decade
    {in} {decade} годах|годы?
    {in} {decade=tens} - х|е|ых|ые годах|годы|гг?
feast days=12-31/31
    на|под|в новый {year}? год
    {in}|на новогоднюю ночь
    на {last} новый год
feast days=1-7/7
    на|в рождество ({year} {theyear}?)?
feast days=12-31/31 which=next
    на {next} новый год
since
    с|со {point}
    начиная с|со {point}
before whole=yes
    до конца {point}
before
    до|перед {point}
    раньше|ранее {point}
    вплоть до {point}
after
    после {point}
    позже|позднее {point}
between
    между {point} и {point}
    с|со|от {point} по|до {point}
beside side=before
    за {n} {unit=units} до {point}
beside side=before n=1
    за {unit=one} до {point}
beside side=after
    через {n} {unit=units} после {point}
beside side=after n=1
    через {unit=one} после {point}
part which=0 of=2
    {in}|за? первая|первой|первую половина|половине|половину {point}
part which=1 of=2
    {in}|за? вторая|второй|вторую половина|половине|половину {point}
partof which=0 of=3
    {in} начале|начало {unit=genitive}
    с|к? начала|началу {unit=genitive}
partof which=1 of=3
    {in}? середине|середину|середина {unit=genitive}
partof which=2 of=3
    {in} конце|конец {unit=genitive}
part which=0 of=3
    {in} начале|начало {point}
    с|к? начала|началу|начало {point}
    {in}? первых числах {point}
    {in}? ранней|раннее|раннюю|ранняя {point}
part which=1 of=3
    {in}? середине|середина|середину {point}
part which=2 of=3
    {in} конце|конец {point}
    под|к? конец|концу|конца {point}
    {in} последних числах {point}
    {in}? поздней|поздняя|позднюю {point}
edge side=first n=1
    {in}|на|за? первая|первую|первой|первый {unit=units}|{unit} {point}
edge side=last n=1
    {in}|на|за? последняя|последнюю|последней|последний {unit=units}|{unit} {point}
edge side=first
    {in}|за? первые|первых {n} {unit=units} {point}
edge side=last
    {in}|за? последние|последних {n} {unit=units} {point}
"""

_BARE = """
month
    {month} ({year} {theyear}?)?
weekday
    {weekday} {part}?
date
    {daymonth} .?
monthyear
    {monthyear}
year
    {year} (- го|м)? {theyear}?
season
    {season=seasons}
decade
    {decade} годов?
    {decade=tens} - х годов?
feast days=12-31/31
    нового|новым|новый года|годом|год
feast days=1-7/7
    рождества|рождеством
weekend
    выходных|выходными
month ago=1
    {month} {last} года
"""

RUSSIAN = Language(_WORDS, _PHRASES, _BARE)
