import pytest

from tests.text.time_expressions.reading import Case, found, read_cases, read_lines

CASES = """
what beeped [during the night]? => 2024-05-14T18:00 .. 2024-05-15T06:00
what changed [overnight]? => 2024-05-14T18:00 .. 2024-05-15T06:00
[night before last] => 2024-05-13T18:00 .. 2024-05-14T06:00
[late yesterday evening] => 2024-05-14T18:00 .. 2024-05-15
[on Christmas Day] => 2023-12-25 .. 2023-12-26
[over the summer] => 2023-06-01 .. 2023-09-01
[between 2019 and 2021] => 2019-01-01 .. 2022-01-01
[in 2020 or 2021] => 2020-01-01 .. 2022-01-01
[in the first half of March] => 2024-03-01 .. 2024-03-16
[twenty years ago] => 2004-01-01 .. 2005-01-01
[until the end of 2023] => ever .. 2024-01-01
[the night before last] => 2024-05-13T18:00 .. 2024-05-14T06:00
[the last three months of 2023] => 2023-10-01 .. 2024-01-01
[the first two weeks of March] => 2024-03-01 .. 2024-03-15
what was due [on the 5th]? => 2024-05-05 .. 2024-05-06
what was due [on the 20th] => 2024-04-20 .. 2024-04-21
[on the 5th of last month] => 2024-04-05 .. 2024-04-06
[the year 2022] => 2022-01-01 .. 2023-01-01
[since the beginning of the year] => 2024-01-01 .. now
[at the end of the month] => 2024-04-21 .. 2024-05-01
meeting notes [12-14 March] => 2024-03-12 .. 2024-03-15
[March 12\u201314, 2023] => 2023-03-12 .. 2023-03-15
[a week or so ago] => 2024-05-06 .. 2024-05-13
[this coming Friday] => 2024-05-17 .. 2024-05-18
[2 yrs ago] => 2022-01-01 .. 2023-01-01
what did I do [today] => 2024-05-15 .. 2024-05-16
[Today's] news => 2024-05-15 .. 2024-05-16
what did I say [yesterday]? => 2024-05-14 .. 2024-05-15
where was I [the day before yesterday] => 2024-05-13 .. 2024-05-14
what is planned for [tomorrow] => 2024-05-16 .. 2024-05-17
[the day after tomorrow] => 2024-05-17 .. 2024-05-18
who called [this morning]? => 2024-05-15T05:00 .. 2024-05-15T12:00
what did we do [this afternoon] => 2024-05-15T12:00 .. 2024-05-15T18:00
dinner [this evening] => 2024-05-15T18:00 .. 2024-05-16
film [tonight] => 2024-05-15T18:00 .. 2024-05-16T06:00
What did we eat [last night]? => 2024-05-14T18:00 .. 2024-05-15T06:00
[yesterday morning] => 2024-05-14T05:00 .. 2024-05-14T12:00
the call [yesterday evening] => 2024-05-14T18:00 .. 2024-05-15
[yesterday in the afternoon] => 2024-05-14T12:00 .. 2024-05-14T18:00
[tomorrow morning] => 2024-05-16T05:00 .. 2024-05-16T12:00
what we decided [last week] => 2024-05-06 .. 2024-05-13
[last week's] decisions => 2024-05-06 .. 2024-05-13
[this week] => 2024-05-13 .. 2024-05-20
[next week] => 2024-05-20 .. 2024-05-27
[the week before last] => 2024-04-29 .. 2024-05-06
[last month] => 2024-04-01 .. 2024-05-01
[this month] => 2024-05-01 .. 2024-06-01
[next month] => 2024-06-01 .. 2024-07-01
[Last year] => 2023-01-01 .. 2024-01-01
[this year] => 2024-01-01 .. 2025-01-01
[last quarter] => 2024-01-01 .. 2024-04-01
[this quarter] => 2024-04-01 .. 2024-07-01
[last weekend] => 2024-05-11 .. 2024-05-13
[this weekend] => 2024-05-18 .. 2024-05-20
[next weekend] => 2024-05-25 .. 2024-05-27
what did I do [over the weekend] => 2024-05-11 .. 2024-05-13
what happened [on Monday] => 2024-05-13 .. 2024-05-14
what happened [on Friday] => 2024-05-10 .. 2024-05-11
lunch [on Wednesday] => 2024-05-15 .. 2024-05-16
[last Wednesday] => 2024-05-08 .. 2024-05-09
[last Monday] => 2024-05-13 .. 2024-05-14
[this Friday] => 2024-05-17 .. 2024-05-18
[next Friday] => 2024-05-17 .. 2024-05-18
meeting [on Friday next] => 2024-05-17 .. 2024-05-18
What did I eat [Monday]? => 2024-05-13 .. 2024-05-14
[on Monday evening] => 2024-05-13T18:00 .. 2024-05-14
[Saturday night] => 2024-05-11T18:00 .. 2024-05-12T06:00
[on Tuesday last week] => 2024-05-07 .. 2024-05-08
notes [from Monday's] meeting => 2024-05-13 .. 2024-05-14
where was I [in March]? => 2024-03-01 .. 2024-04-01
[in May] => 2024-05-01 .. 2024-06-01
[in November] => 2023-11-01 .. 2023-12-01
[last March] => 2024-03-01 .. 2024-04-01
[last May] => 2023-05-01 .. 2023-06-01
[in March last year] => 2023-03-01 .. 2023-04-01
[next December] => 2024-12-01 .. 2025-01-01
[in March 2022] => 2022-03-01 .. 2022-04-01
[May 2023] => 2023-05-01 .. 2023-06-01
[in September of 2021] => 2021-09-01 .. 2021-10-01
[early March] => 2024-03-01 .. 2024-03-11
[in mid-March] => 2024-03-11 .. 2024-03-21
[late March 2023] => 2023-03-21 .. 2023-04-01
[late May] => 2023-05-21 .. 2023-06-01
[at the end of last year] => 2023-09-01 .. 2024-01-01
[at the beginning of 2022] => 2022-01-01 .. 2022-05-01
[the first week of March] => 2024-03-01 .. 2024-03-08
[the last week of April] => 2024-04-24 .. 2024-05-01
trips [in 2022] => 2022-01-01 .. 2023-01-01
photos [from 2019] => 2019-01-01 .. 2020-01-01
[during 1999] => 1999-01-01 .. 2000-01-01
[last summer] => 2023-06-01 .. 2023-09-01
[in the summer] => 2023-06-01 .. 2023-09-01
[last winter] => 2023-12-01 .. 2024-03-01
[this spring] => 2024-03-01 .. 2024-06-01
[in the winter of 2022] => 2021-12-01 .. 2022-03-01
[winter 2022/23] => 2022-12-01 .. 2023-03-01
[spring 2023] => 2023-03-01 .. 2023-06-01
[the fall of 2021] => 2021-09-01 .. 2021-12-01
[two days ago] => 2024-05-13 .. 2024-05-14
[3 weeks ago] => 2024-04-22 .. 2024-04-29
[a month ago] => 2024-04-01 .. 2024-05-01
[about five years ago] => 2019-01-01 .. 2020-01-01
[an hour ago] => 2024-05-15T13:00 .. 2024-05-15T14:00
[10 minutes ago] => 2024-05-15T13:50 .. now
[a couple of days ago] => 2024-05-12 .. 2024-05-14
[a few days ago] => 2024-05-09 .. 2024-05-14
[half a year ago] => 2023-10-01 .. 2024-01-01
[the other day] => 2024-05-01 .. now
what have I read [recently] => 2024-04-15 .. now
what have I done [lately]? => 2024-04-15 .. now
[in the last 3 days] => 2024-05-12 .. now
[over the past two weeks] => 2024-05-01 .. now
[in the past month] => 2024-04-15 .. now
[in the last 24 hours] => 2024-05-14T14:30 .. now
[in the last few months] => 2023-11-15 .. now
[since Monday] => 2024-05-13 .. now
[since March] => 2024-03-01 .. now
[since 2021] => 2021-01-01 .. now
[since last week] => 2024-05-06 .. now
[since early March] => 2024-03-01 .. now
[before March] => ever .. 2024-03-01
[until 2020] => ever .. 2020-01-01
[before yesterday] => ever .. 2024-05-14
[after March] => 2024-04-01 .. now
[after next week] => 2024-05-27 .. always
[between March and May 2023] => 2023-03-01 .. 2023-06-01
[between November and February] => 2023-11-01 .. 2024-03-01
[from Monday to Wednesday] => 2024-05-13 .. 2024-05-16
[from May 7 to May 10, 2023] => 2023-05-07 .. 2023-05-11
[between 5 and 10 May] => 2024-05-05 .. 2024-05-11
[in March and April] => 2024-03-01 .. 2024-05-01
[in 2019-2021] => 2019-01-01 .. 2022-01-01
[7 May 2023] => 2023-05-07 .. 2023-05-08
[on May 7, 2023] => 2023-05-07 .. 2023-05-08
[May 7th] => 2024-05-07 .. 2024-05-08
[on the 20th of May] => 2023-05-20 .. 2023-05-21
[on the first of May] => 2024-05-01 .. 2024-05-02
[Sunday, May 7, 2023] => 2023-05-07 .. 2023-05-08
[7 Mar 2023] => 2023-03-07 .. 2023-03-08
[2023-05-07] => 2023-05-07 .. 2023-05-08
log of [2023-05-07]T10:00:00Z => 2023-05-07 .. 2023-05-08
[7.5.2023] => 2023-05-07 .. 2023-05-08
[07/05/2023] => 2023-05-07 .. 2023-05-08
[05/17/2023] => 2023-05-17 .. 2023-05-18
what did I do [7.5.2023] => 2023-05-07 .. 2023-05-08
What did Anna do [7.5.2023]? => 2023-05-07 .. 2023-05-08
what did my mom do [2023-05-07] => 2023-05-07 .. 2023-05-08
[29 February] => 2024-02-29 .. 2024-03-01
[at Christmas] => 2023-12-24 .. 2023-12-27
[on New Year's Eve] => 2023-12-31 .. 2024-01-01
[the week before Christmas] => 2023-12-17 .. 2023-12-24
[the Friday before 15 July 2023] => 2023-07-14 .. 2023-07-15
[the weekend before 20 July 2023] => 2023-07-15 .. 2023-07-17
[the week before 9 June 2023] => 2023-06-02 .. 2023-06-09
[two days after Christmas] => 2023-12-27 .. 2023-12-29
what hurt [after yesterday's] training => 2024-05-14 .. now
our anniversary is [June 3rd], with a party => 2023-06-03 .. 2023-06-04
[early today] => 2024-05-15 .. 2024-05-16
[in the nineties] => 1990-01-01 .. 2000-01-01
[in the early 90s] => 1990-01-01 .. 1993-05-01
[Q3 2022] => 2022-07-01 .. 2022-10-01
[in the second quarter of 2021] => 2021-04-01 .. 2021-07-01
[in the first half of last year] => 2023-01-01 .. 2023-07-01
[in two days] => 2024-05-17 .. 2024-05-18
[in three weeks] => 2024-06-03 .. 2024-06-10
[five days from now] => 2024-05-20 .. 2024-05-21
[yesterday] the movie was bad => 2024-05-14 .. 2024-05-15
[YESTERDAY] => 2024-05-14 .. 2024-05-15
[in  \t March] => 2024-03-01 .. 2024-04-01
@2024-02-10T09:00
[in March] => 2023-03-01 .. 2023-04-01
[last winter] => 2022-12-01 .. 2023-03-01
[this winter] => 2023-12-01 .. 2024-03-01
[in the winter] => 2023-12-01 .. 2024-03-01
[29 February] => 2020-02-29 .. 2020-03-01
[last quarter] => 2023-10-01 .. 2024-01-01
@2024-12-05T09:00
[this winter] => 2024-12-01 .. 2025-03-01
[at Christmas] => 2023-12-24 .. 2023-12-27
@2024-03-10T09:00
[in March] => 2024-03-01 .. 2024-04-01
[last March] => 2023-03-01 .. 2023-04-01
[over the weekend] => 2024-03-09 .. 2024-03-11
[last weekend] => 2024-03-02 .. 2024-03-04
[last month] => 2024-02-01 .. 2024-03-01
@2024-05-13T08:00
[on Monday] => 2024-05-13 .. 2024-05-14
[last Monday] => 2024-05-06 .. 2024-05-07
[next Monday] => 2024-05-20 .. 2024-05-21
@2024-03-31T12:00
[in the last month] => 2024-02-29 .. now
"""

FALSE_FRIENDS = """
5 out of 2000
from 2000 to 3000
between 2000 and 10000
from 1950 to 2000 calories
2000 to 2100
on the 5th floor
on the 5th try
by the end of the day
What did May say?
may I ask you something
May we meet
this may be wrong
it may 7 times fail
March on
the march for science
April likes tea
ask April and June
does June eat meat
the August sun is hot
the sun and the moon
he sat on the mat
a mon ami
mar the surface
Wed in Vegas
who is Friday?
It's Friday!
Wednesday Addams
my favourite day is Sunday
every Monday
on Friday nights
each Tuesday evening
Black Friday deals
Monday.com board
the second one
wait a second
week 3 of the plan
room 2022
flight 1984
2022
it cost 2022 euros
what did Anna do 2022
in 2000 words
of 2000 people
version 7.5.2023
1.2.3
10/12
release 2.0 at 8
at 8
8:30
in 3 steps
31 February 2023
30.2.2023
32.5.2023
2023-13-45
0000-00-00
year 0
99/99/9999
When did we meet?
when did I move to Prague
the last time
the last one
last name
next of kin
a week
days
spring boot config
Spring framework
he will fall
fall in love
summer camp
good morning
"Yesterday" by the Beatles
what is the song «Yesterday»
most recently used file
between 5 and 10
from A to B
before lunch
after the party
since you asked
until then
192.168.2.2023
v2023.05.07
CVE-2023-0507
call 2023050712
new year resolution
"""


@pytest.mark.parametrize("case", read_cases(CASES), ids=str)
def test_what_is_meant(case: Case) -> None:
    assert found(case.query, case.now) == [case.expected]


@pytest.mark.parametrize("query", read_lines(FALSE_FRIENDS))
def test_what_is_no_time(query: str) -> None:
    assert found(query) == []


def test_the_cases_are_many() -> None:
    assert len(read_cases(CASES)) >= 60
    assert len(read_lines(FALSE_FRIENDS)) >= 40
