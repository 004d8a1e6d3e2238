"""The words of the English rules."""

PEOPLE = r"""
wife
    wife|missus
husband
    husband|hubby
partner
    partner|spouse|fiancée?|better half
girlfriend
    girlfriend|gf
boyfriend
    boyfriend|bf
mother
    mother|mom|mum|mommy|mummy|stepmom|stepmother
father
    father|dad|daddy|stepdad|stepfather
parents
    parents|folks|in-laws
brother
    ((older|younger|little|big|twin|step|half) ?-?)?(brother|bro)s?
sister
    ((older|younger|little|big|twin|step|half) ?-?)?(sister|sis)s?
son
    sons?|boys|stepson
daughter
    daughters?|girls|stepdaughter
child
    kids?|child|children|baby|toddler|newborn|twins|grandkids|grandson|granddaughter|grandchild(ren)?|godson|goddaughter
grandmother
    grandmother|grandma|granny|nana|gran
grandfather
    grandfather|grandpa|granddad|grandad
relative
    aunt|auntie|uncle|cousins?|niece|nephew|family|(mother|father|sister|brother|son|daughter)-in-law
friend
    ((best|close|old|good) )?(friend|mate|buddy|bestie)s?
roommate
    (room|flat|house)-?mates?
neighbour
    neighbou?rs?
boss
    boss|manager|supervisor|team ?lead|line manager|ceo|cto
colleague
    colleagues?|co-?workers?|teammates?|co-?founder|business partner|assistant|intern|secretary|(sys)?admin|designer
    |recruiter|contractor
    |product owner|scrum master
teacher
    teacher|tutor|professor|coach|mentor|trainer|instructor|advisor
doctor
    doctor|gp|dentist|[\w-]*therapist|vet|physio|psychologist|cardiologist|pa?ediatrician
helper
    lawyer|accountant|landlord|landlady|gardener|realtor|notary|housekeeper|handyman|carpenter|nurse|plumber|cleaner
    |nanny|babysitter|hairdresser|barber|electrician|mechanic
cat
    cats?|kittens?|kitty
dog
    dogs?|puppy|pup|beagle|labrador|poodle|retriever|terrier|dachshund|corgi
pet
    pets?|parrot|hamster|rabbit|bunny|horse|pony|guinea pigs?|tortoise|turtle|goldfish|budgie|snake|chickens?|hens
"""

NOUNS = r"""
colour
    colou?rs?
film
    films?|movies?
programming language
    (programming|coding) language
show
    tv show|tv series
food
    foods?
"""

WORDS = r"""
opener
    (hey|hi|hello|ok|okay|thanks) \w+|as i said|hey|hi|hello|ok|okay|well|so|and|but|also|oh|ah|btw|by the way|actually
    |honestly|please|pls|just|yes|yeah|yep|no
    nope|right|listen|look|anyway|sorry|correction|alright|sure|fine|hmm|um|now|plus|tbh|personally|in general|generally
    first|second|one more thing|another thing|fyi|you know|to be honest|i think|i guess|i mean|i'd say|update|ps|then
    for (your|future) (information|reference)|just so you know|for the record|to clarify|oops|good|great|cool|thanks
am
    i'?m|i am|we'?re|we are
i
    i|we
my
    my|our
not
    not|never|no longer
adverb
    really|very|so|quite|absolutely|totally|truly|generally|usually|normally|typically|always|just|also|still|actually
    definitely|personally|much|strongly|kinda|kind of|sort of|honestly|do|especially|particularly|only|mostly|mainly
    currently|now|both|officially|finally|already|all|simply|basically|never|rarely|seldom|often|sometimes|have|'ve
    recently|originally|tend to|used to|both|not|genuinely|deeply|vastly|far|way|hardly|even
like
    prefer|favou?r|like|love|adore|enjoy|hate|dislike|detest|loathe|despise|(can'?t|cannot|can not) (stand|bear
    |tolerate)
    (don'?t|do not|didn'?t) ((really|particularly|much|actually) )?(like|love|enjoy|care for|care about)|dig|fancy
    avoid|loved|hated|preferred|(can'?t|couldn'?t) live without|swear by|lean towards?|gravitate (to|towards?)
adjective
    new|old|older|younger|eldest|oldest|youngest|little|big|late|ex|former|current|only|dear|lovely|two|three|four|five
    both|direct|other|second|first|adopted|rescue|grown-up|teenage|elderly|team|\d+|ex-|wonderful|own
weekday
    (mon|tues|wednes|thurs|fri|satur|sun)day
month
    january|february|march|april|may|june|july|august|september|october|november|december
period
    day|morning|afternoon|evening|night|week|weekend|month|year|quarter|sprint|spring|summer|autumn|fall|winter|weekday
    lunch|time|{weekday}|{month}
regularly
    (every|each) ((other|single|second|third|working|few|\d+|two|three|four|six) )?(periods?|{period}s?)
    ((on|by) )?{weekday}s|(on|at) (the )?(weekends?|weekdays)|daily|weekly|bi-?weekly|monthly|yearly|annually|nightly
    (once|twice|(three|four|five|\d+) times|\d+x) (a|per|every|each) {period}|in the (mornings|evenings|afternoons)
    (first|last|second|third|\d+\w\w) ({weekday}|day|week|working day) of (the|every|each) {period}
ill
    allerg\w+|intoleran\w+|diabet\w+|asthma\w*|vegan|vegetarian|veggie|pescatarian|co?eliac|colou?r-?blind|migraines?
    epilep\w+|adhd|autis\w+|dyslexi\w+|arthritis|insomnia|blood (type|pressure|group)|lactose|hay fever|depression
    pacemaker|hearing aids?|wheelchair|(near|short|far)-?sighted|deaf|left-handed|lefty|right-handed|teetotal\w*
    hypertension|scoliosis|eczema|ibs|kosher|halal|keto|medications?|contact lenses|sober|pregnant|gluten|anemi[ac]
    parkinson\w*|alzheimer\w*|dementia|(car|sea|motion)-?sick\w*|stutter\w*|ptsd|crohn\w*|gout|glaucoma|herniated
    |thyroid|insulin|inhaler|epipen|vertigo|claustrophobi\w+|arachnophobi\w+|tinnitus|psoriasis
thing
    projects?|app|application|back-?end|front-?end|api|services?|servers?|database|db|repo|repository|codebase|company
    team|office|stack|pipeline|cluster|website|site|product|startup|clients?|customers?|release|sprint|stand-?up
    |meetings?
    wi-?fi|router|boiler|budget|monorepo|tests|docs|production|staging|prod|domain|cloud|infrastructure|platform|system
    warehouse|shop|store|school|house|flat|apartment|garden|heating|fiscal year|ci|logs|backups?|config\w*|deployments?
    garage|gate|alarm|branch|deadline|launch|firm|agency|department|spare key|key|printer|server room|mailbox|bins?
    |trash
done
    written|built|made|founded|established|incorporated|registered|owned|implemented|deployed|hosted|stored|located
    |based|kept|due|called|named|scheduled|released|parked
    licensed|managed|maintained|backed up|coded|running on|in (the|a|our|my)|on (the|a|our|my|level|floor)|under the
held
    cars?|bikes?|bicycle|motorbike|motorcycle|scooter|van|house|flat|apartment|condo|garden|balcony|cabin|cottage|boat
    guitar|violin|drums?|cello|laptop|macbook|mac|pc|iphone|phone|android|pixel|ipad|tablet|printer|camera|kindle
    telescope|tesla|honda|toyota|ford|bmw|degree|diploma|phd|master'?s|bachelor'?s|mba|licen[cs]e|visa|passport|nas
    citizenship|tattoos?|mortgage|subscription|membership|raspberry|playstation|xbox|ps5|switch|business|bakery|company
    shop|cafe|restaurant|farm|startup|blog|podcast|channel|years of|years' experience|fear of|phobia|thermostat|oven
    dishwasher|stove|cooker|hob|fridge|freezer|washing machine|dryer|fireplace|pool|sauna|hot tub|piano|solar panels
    |heat pump|standing desk|monitors?|season ticket|collection|condition|hair|eyes|siblings
    surgery|background in|team of|plot|vineyard|holiday home|electric|e-?bike|vacuum|coffee machine|espresso machine
dated
    birthday|bday|b-day|anniversary|wedding|due date|deadline|name day|graduation|exam|surgery|date of birth|launch date
    release date|visa|passport|lease|contract
style
    (british|american) (english|spelling)|english|german|french|spanish|italian|dutch|polish|portuguese|metric( units)?
    imperial( units)?|celsius|fahrenheit|kilomet(er|re)s|km|miles|euros?|dollars|24-?(h|hour)( (format|clock|time))?
    iso( dates?| format)?|markdown|plain text|bullet points|lower ?case|upper ?case|snake_case|camelcase
    |the first person
coded
    (variable|function|method|class|column|branch|folder|table|field|parameter|module|package|test|file|button
    |endpoint)s?
registered
    (customer|client|member|membership|account|policy|order|tax|passport|insurance|id|loyalty|frequent flyer|booking
    |ticket|invoice|case|employee|student|tracking) ?(number|no|id)
own
    (i|we)( still| also| already)? have|(i|we)'ve got|i got|(i|we) have got|(i|we) own|we've|i've|(i|we) had
does
    lives?|works?|has|have|likes?|loves?|hates?|prefers?|studies|study|plays?|speaks?|teach(es)?|was born|goes|go
    |drives?
    owns?|can't|doesn't|don't|moved|died|passed away|turned|turns|graduated|retired|gets|gave birth|got (married
    |divorced)
    runs?|eats?|enjoys?|wears?|suffers|snores|cooks|bakes|just turned|sleeps?|weighs?|comes? from|collects|can|needs?
    visits?|takes?|started|attends|uses?|drinks?|barks|scratches|picks? up|watch(es)?|manages|leads|signs|knows
    |calls (me|us|him|her)
decided
    decided|agreed|settled (on|for)|settled|opted (for|to)|chose|chosen|picked|selected|resolved to|committed to
    |concluded
    went with|gone with|ended up (with|choosing|going)|landed on|voted (for|to)|signed off on|approved|finali[sz]ed
    |determined to
courtesy
    please|pls|kindly|can you|could you|would you|will you|go ahead and|now|just|then|and|also|always
command
    write|translate|send|tell|show|give|make|fix|explain|summari[sz]e|rewrite|rephrase|draft|find|look|search|check|book
    order|play|set|turn|switch|add|create|remind|open|close|help|generate|convert|correct|proofread|say|compose|read
    |list
    compare|calculate|delete|remove|run|update|change|e-?mail|message|text|schedule|let me|put|start|stop|buy|get me
    describe|suggest|recommend|continue|try|refactor|implement|design|plan|edit|improve|review|analy[sz]e|finish
    |complete
    repeat|act|behave|imagine|guess|think|wake me|call (a|an|my|our|him|her|them|mom|dad|the (doctor|police|dentist
    |office))
    ask|invite|cancel|print|copy|paste|parse|format|extract|move|rename the file|google|lower|raise|dim|lock|unlock
    pause|skip|shut|sing|test|verify|debug|solve|count|define|outline|expand|teach|answer (this|the)|respond to|pick
    |reply
    come up with|brainstorm|prepare|wrap|use (this|that|the following)|consider|give me|build|compile|install|deploy
"""

ASKED = r"""
^(remember|memori[sz]e|note|keep in mind|bear in mind|make a note|take note|note down|write down
    |be aware)[ :,-]+{statement}
^(don't|do not|never|you must not) forget[ ,:]+(?P<value>(that|i|we|i'm|we're|my|our|i've|it's|she|he|they
    |[\w' -]{2,40} (is|are|has|have|likes?|hates?|needs?|lives?|works?|prefers?)) [^?]+)$
^(remember|save|store|keep) (this|that|the following)( (for later|please|in memory))?[: -]+{statement}
^(can|could|would|will) you <adverb>(please )?(remember|note|keep in mind|make a note|memori[sz]e) (that|this|:) {value}
^i('d| would)? (want|like|need) you to (remember|note|know|keep in mind) {statement}
^(for (future|your) reference|note (for|to) (later|self|future)|for later|important|for the record
    |to remember)[ ]?[:-]+ ?{statement}
(keep|bear) (that|this|it) in mind
(remember|note|save) (that|this|it)( please)?[.!]?$
(you should|please) (know|remember|note) that {statement}
"""

BARE = r"""
^(this|that|these|the|my|following)? ?(phrase|words?|sentence|numbers?|code|quote|text|string|line|sequence)
"""

TURNS = r"""
(so|and|but|then|now)? ?(please )?(can|could|would|will) you
(so|but|and) (please|what|which|how|where|why|who|do|should|is|are|does)
(what|which|how|where|why) (should|would|could|can|do|is|are) (i|you|we|the|a|that|it)
so (give|suggest|recommend|find|show|make|write|use|skip|leave|keep|don't|send|call|tell)
any (ideas|suggestions|tips|recommendations|thoughts)
(do|don't) you (know|have|think)
"""

ENDS = r"""
(because|cause|cuz|but|since|although|though|so|which|who|as well|too|please|anyway|by the way|btw|instead|tbh|now)
and (i|we|my|it|he|she|not|that|they|our)
(not|over|rather than|instead of|with a|as of)
(these days|at the moment|right now|last (month|year|week|summer|autumn|winter|spring)|(two|three|\d+|a few) \w+ ago)
(for|since) (\d+|two|three|four|five|many|the last|a few|about)
"""

CONTEXT = r"""
(when|while|whenever|if|unless|during|before|after)
(at (work|home|night|school|the office|breakfast|lunch|dinner)|in the (morning|evening|afternoon)s?)
on (weekends|weekdays|long|short|trips|flights|trains|{weekday}s?)
for (work|breakfast|lunch|dinner|code|long|short|meetings|travel)
in (summer|winter|spring|autumn|meetings|code|slides|all|every)
"""
