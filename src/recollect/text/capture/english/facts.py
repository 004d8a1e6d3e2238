"""English sentences about facts: what is so, about the user, the home, the work.

Of two rules that both apply, the upper one decides.
"""

FACTS = r"""
craving: preference, 0.75, user/, despite hypothetical
    i could (live on|eat|listen to|watch|drink|talk about|survive on) {value}
    ! i could (eat|drink) (now|something|a)
goal: fact, 0.70, user/, despite request moment
    {am} <adverb>(trying|hoping|planning|aiming|working) (to|on) (cut|lose|quit|eat|get better|learn|save|stop|become
    |run|retire|drink less|reduce|sleep|read|my (german|english|fitness|thesis|novel|phd))
    {am} <adverb>(saving|saving up|training|preparing) for {value}
    my (goal|dream|plan|new year's resolution|target) (is|for) {value}
health: fact, 0.90, user/
    (i|i'm|im|i've|we|we're|my|our) .{0,50}{ill}
    i (take|wear|need|use) .{0,30}(pills|tablets|glasses|insulin|hearing aid|inhaler|medicine|antidepressants
    |blood thinners)
    i (broke|had|have|'ve got|got|suffer from|get) .{0,20}(knee|hip|heart|back|surgery|operation|transplant|cancer
    |stroke|migraines?|seizures|panic attacks|condition)
    {my} .{0,20}(doctor|gp|cardiologist|psychiatrist|dermatologist|specialist) (put|started|has) me on|prescribed me
    i('ve| have)? (was|got|am|been)? ?(diagnosed|prescribed) {value}
    (makes me|gives me|i get) (sick|hives|a rash|migraines?|nauseous|headaches)
    ! (is|are|for|some|any|good|best|great) (vegan|vegetarian|gluten-free|keto)? ?(recipe|restaurant|place|option)s?
limits: fact, 0.75, user/
    i <adverb>(can't|cannot|am not allowed to|'m not allowed to|may not|mustn't) <adverb>(drink|eat|have|take|swim|drive
    |lift) {value}
    i'm not allowed to (drink|eat|have|take|drive|lift) {value}
    ! (have|take|drive|eat|drink) (it|this|that|you|the|now|any ?more (of )?this|everything|both)
birthday: fact, 0.85, user/birthday
    my <adjective>(birthday|bday|b-day|date of birth) ?(is|falls|:|=|'s)?( on)? {value}
    i was born (on|the) {value}
born: fact, 0.85, user/birthplace
    (i was|i'm|i am|we were) born (and raised )?in {value}
    ^(was )?born (and raised )?in {value}
dates: fact, 0.75
    ({my}|the|{person}'s) ([\w'-]+ ){0,2}{dated} (is|are|falls|:|ends|expires|starts|was)
    (we|i) got (married|engaged|divorced) (in|on)|(i|we) (turn|turned|will be turning) \d\d
age: fact, 0.80, user/age
    {am} (?P<value>\d{1,3})( years? old| yo| y/o)?[.!]?$
    {am} (?P<value>\d{1,3}) (years|yrs|yo|y/o|and|this|but)
employer: fact, 0.85, user/employer
    i <adverb>(work|am working|'m working|am employed|'m employed|freelance) (at|for) {value}
    i <adverb>(just )?(started|joined|got a job|begin|start)( (working|a (new )?job))? at {value}
    (i've|i have) <adverb>(worked|been working|been) (at|for|with) {value}
    ! (been|worked) (at|for|with) (it|this|that|you|hours|days|a while|ages|home|\d+)
    ! (used to|no longer|not|never) work|work(ing)? (at|for) (myself|a|an)
    ! work(ing)? (at|for) (the moment|now|me|home|hours|fun|a living|days)
home: fact, 0.85, user/home, despite moment
    {i}('re|'m| am| are)? <adverb>(live|living|reside|am living|are living|am based|are based|based|am located
    |settled)( with \S+( \S+)?)? (in|near|at|on|by|outside) {value}
    {i} <adverb>(moved|relocated|have moved|'ve moved|are moving|am moving|moved back|emigrated)( (here
    |house))? (back )?to {value}
    (i'm|i am) moving to {value}
    my (home )?address (is|:) {value}
    my (home ?town|city|home) is {value}
    {i} <adverb>moved from .{2,30}? to {value}
    ! (used to|no longer|not|never) (live|living)|(in|on|at|near) (a|an|my|our|the middle)|if (i|we)
    ! (lived|moved) to (the next|trash|folder)
dwelling: fact, 0.75, user/
    {i}('re|'m| am| are)? <adverb>(live|lived|living|grew up|was raised|were raised|rent|share) ((in|with|alone|near|on
    |at|by|a|an) )?{value}
    (i've|i have|we've|we have) <adverb>(lived|been living) {value}
    ! live (with it|here|there)
origin: fact, 0.80, user/origin
    {am} <adverb>(from|native of) {value}
    {i} <adverb>(come|hail) from {value}
    ! from (the|a|my) (\w+ )?(team|office|phone|meeting|store|gym|shop|call)
    ! come from work
event: fact, 0.75, user/, despite moment
    (i|we|i've|we've) <adverb>(changed|switched|started|quit|lost|left|got) ((my|a|the) )?(new )?(jobs?|careers?)
    (i|we|i've|we've) <adverb>moved (in|into|in with|out of) (a|an|our|my|the|with|together) {value}
    {am} <adverb>(flying|going|travell?ing|moving|heading) to .{2,40}(in|from|next|until) ({month}|summer|winter
    |spring|autumn)
    {am} <adverb>doing (a|an|my) ([\w-]+ )?(phd|doctorate|master'?s|degree|apprenticeship|internship|bootcamp|mba
    |residency)
    i'm (now )?(at|with) [\w-]+( [\w-]+)? now[.!]?$
    ! (jobs?|careers?) (failed|fails|on the|in the (queue|pipeline))|moved into (the|a) (\w+ )?{coded}
    ! i'm (now )?at (the|my|home|work|a|school|gate|lunch)
work: fact, 0.80, user/
    {i} <adverb>(work|worked|teach|taught|studied|study|majored|graduated|dropped out|retired|freelance|volunteer
    |commute|quit|coach|mentor|manage|lead|run|founded|co-founded|sell|train|intern|consult|specialize
    |specialise) {value}
    my (\w+ )?(job|employer|profession|occupation|job title|role|position|title|field|major|degree|speciality|specialty
    |background|commute|salary|company|business|team|degree) (is|was|:|has) {value}
    i make a living|for a living|{am} <adverb>(self-employed|employed|unemployed|retired|freelanc\w+|a freelancer
    |in charge of|responsible for|(the|one of the) ([\w-]+ ){0,2}(lead|leader|head|owner|founder|co-?founder|manager
    |director|maintainer|admin|architect|chair\w*|president|treasurer|secretary|cto|ceo))
    ! (quit|work) (it|this|that|the|a|fine|out|now|into|my|your)
    ! (doesn't|does not|didn't|don't|not|never|isn't) work
    ! run(s|ning)? (fine|out|now|into|python|git|pytest|your|npm|the|this|that|it|my|a ([\w-]+ )?(command|script|query
    |job
    |program|container|server|build|migration|loop|check|scan|simulation|model|benchmark|fever|{coded}))
past: fact, 0.75, user/, despite moment
    (i|we) used to (be|work|teach|run|own|play|live|study) (a|an|as|at|for|in|on|with|the|[\w-]+) {value}
    ! used to (be able|work (fine|before|until|well|on)|be (fine|here|so|possible|easier))
schedule: fact, 0.75
    (i|we|i'm|we're|i've|my|our|the|kids|he|she|it) .{0,80}{regularly}
    {regularly} .{0,10}(i|we|i'm|my|our|the)
    ^[a-z]+ .{0,60}(is|are) ((always|usually) )?(on|at|every) {weekday}s?
    ! (happens|fails|crashes|breaks|error|times out|run every)
habit: fact, 0.70, user/
    {i} (usually|normally|typically|generally|tend to|often|rarely|seldom|always|never|hardly ever|regularly
    |mostly) <adverb>[a-z]+
    {i} (wake up|get up|go to bed|go to (the )?(gym|church|school|work)|have (lunch|dinner|breakfast)|start work
    |finish work) .{0,20}(at|around|by|before|after) \d
    {i} <adverb>(quit|stopped|gave up|started|took up) [a-z]+ing
    {i} <adverb>(pay|earn|spend|owe) .{0,20}\d
    {i} <adverb>(raise|breed|attend|belong to|subscribe to|shop at|donate to) {value}
    {i} .{1,80}(most of the time|most (days|nights|mornings|evenings|weekends))
    {i} <adverb>(fly|depart|leave) (out of|from) {value}
    {i} <adverb>(take|catch|ride|walk|cycle|bike|get) (the )?.{0,30}to (work|school|the office|uni|university|campus)
    (i|we)( was| have|'ve)( always)? been [a-z]+ing .{0,60}(for|since)
    {i}('m|'re)? ((am|are) )?(learning|studying|taking .{0,20} (lessons|classes)|training for|writing a (book|novel
    |thesis)|saving for|on a .{0,10}diet)
    ! {i} (always|never|often) (get|gets|see|have|had|got|fail|forget|lose|knew|thought|heard|seen|been|said|told|did
    |tried) (this|that|it|an? error|you|the same|of|about)
    ! (owe|pay|spend) (you|him|her|them)
    ! (leave|fly|depart) from (here|there|home)|to (work|school) (today|tomorrow|with)
    ! (started|stopped) (getting|seeing|working|happening|crashing|failing)
    ! (been|was) (trying|looking|thinking|wondering|getting|waiting|debugging|working on (this|that|it))
skills: fact, 0.70, user/
    {i} <adverb>(speak|know|can speak|can play|play|code in|program in|understand|can code|drive|ride|own|collect|grow
    |brew|keep|sew|knit|paint|climb|surf|sail|ski|cycle|hunt|fish|garden|bake|sing|dance|box|fence|practi[sc]e
    |do) {value}
    {am} <adverb>(fluent|bilingual|a native|proficient|good at|bad at|terrible at|great at|an expert|experienced
    |a beginner|certified|qualified|trained) {value}
    {my} (native|first|mother) (language|tongue) is {value}
    {i} (can't|cannot|don't know how to|don't|never learned to) (swim|drive|cook|ride|ski|sing|dance|speak|play|read
    |code|eat|whistle|type|see|hear)
    ! (know|understand) (that|what|how|why|if|it|this|the|about|you|nothing|i)
    ! keep [a-z]+ing|play .{1,30}(on|this|next) ({weekday}|weekend)[.!]?$
    ! i <adverb>do (it|this|that|not|have|want|need|think|believe|know|like|you|the|get)
    ! (play|drive|keep|box|fish|fence|own|do|keep|ride) (it|this|that|with|me|you|the|a (song|game|joke)|getting|seeing
    |having|going|losing|forgetting|telling)
possession: fact, 0.65, user/
    {own} (?P<value>(a|an|one|two|three|four|five|six|my own|no|\d+|some|several|an old|lots of) ([\w-]+ ){0,4}{held})
    {own} (a|an|two|three|four|five|several) ([\w-]+ ){0,2}[\w-]+[.!]?$
    {i} <adverb>(bought|leased|rent|sold|inherited|built|adopted|ordered) (a|an|my|our|the|two|three
    |some)( [\w-]+)* {value}
    {i} <adverb>(wear|take) (a )?(size )?{value}
    {i} (don't|do not) (own|have) (a|an|any) {value}
    {am} expecting (a|an|our|my|another|twins|triplets) ?.{0,20}(child|baby|kid|girl|boy|son|daughter|twins|grandchild)?
    ! (don't|do not) have (a|any|an) (idea|clue|question|problem|time|preference|opinion|minute|choice|plan|budget
    |answer)
    ! (wear|take) (a look|care|it|this|that|your|the|a (break|seat|while|moment)|time|longer)
    ! {own} .{0,30}{trouble}|{own} .{0,20}(meeting|call|date|plan|surprise|theory|point|dream|gift|secret|interview
    |test|exam|crush|chance|clue|deal|tire|puncture|great|good|bad|lovely|wonderful|nice)
    ! left[.!]?$
    ! {own} (a|an|two|three) .{0,20}(been|seen|tried|done|gone)
using: fact, 0.70
    (we|i) <adverb>(use|deploy|host|ship|release|build|store|meet|make|develop|follow|rely on|support|bill|charge|track
    |back up|park|serve|publish|have .{0,20}(clients|customers|employees|offices)|have a (rule|policy|convention|budget
    |deadline|team)|don't use|keep) {value}
    we('re| are) (a|an|based|located|hosted|building|developing|six|five|four|three|seven|\d+|on|in the|running
    |about \d+) {value}
    there (are|'re) (\w+|\d+) of us
    {i} <adverb>(bank|invest|am insured|are insured) (with|at) {value}
    i('m| am) (on|using) ((a|an) )?(mac\w*|windows|linux|ubuntu|arch|android|iphone|ios|fedora|debian|pc|vim|neovim
    |emacs) ?{value}
    ! meet (at|in|up|you)|keep [a-z]+ing
    ! (use|using|keep|make|build|have|follow|support) (it|this|that|you|your|the (code|following|same|above)|sure
    |a function|getting|seeing|trying)
project: fact, 0.75
    our <adjective>([\w-]+ ){0,2}{thing} (is|are|was|runs?|uses?|lives?|has|have|sits?|supports?|depends?|needs?|must
    |starts?|opens?|closes?|changes?|should|can|works?|only|stands?|ends?|talks?|doesn't|does not|'s) {value}
    (the|this|my|this is a) <adjective>([\w-]+ ){0,2}{thing} (is|are|was|gets|has to be|must be
    |will be) <adverb>{done} {value}
    (the|this|my|our) ([\w-]+ ){0,2}{thing} (is|are) (protected|mandatory|forbidden|required|read-only|off-limits
    |limited
    |restricted|capped) ?.*
    (the|this|my|our) ([\w-]+ ){0,2}(wi-?fi|network|hotspot|router) ([\w'-]+ ){0,5}is (called|named) {value}
    (the|this|my) <adjective>([\w-]+ ){0,2}{thing} <adverb>(runs? on|uses?|lives? (in|at|on|under)|depends? on
    |consists? of|talks? to|listens? on|supports? only|requires?|has to|is at|opens?|closes?|belongs? to|changes?
    |ends? (on|at|in)|starts? (on|at|in)|comes?|sits? (in|on|behind|under)|hangs?) {value}
    (production|prod|staging|deploys?|deployments?|releases?|invoices|backups|stand-?up|sprint|retro
    |tests) <adverb>(runs?|go|goes|happens?|lives?|starts?|are|is|takes? place|need) (on|in|at|out|every|with|via
    |through|from|always|handled|kept) {value}
figure: fact, 0.65
    (the|our|my) ([\w-]+ ){0,2}{thing}( [\w-]+){1,2} (is|are) .{0,30}\d
    (the|our|my) ([\w-]+ ){0,3}(limit|quota|fee|rent|rate|size|capacity|timeout|budget|salary) (is|are) .{0,30}\d
    ! (is|are) <adverb>(\w+ing|down|not|too|still|broken|failing|at \d)|error|line \d
trait: fact, 0.70, user/
    {am} <adverb>(a|an) [\w-]+
    {am} <adverb>(married|single|divorced|widowed|engaged|introverted|extroverted|shy|tall|short|bald|blonde|gay
    |straight|bisexual|trans|non-?binary|religious|jewish|muslim|christian|catholic|hindu|buddhist|atheist|vaccinated
    |nocturnal|blind|disabled|an only child|the (oldest|youngest|eldest|middle)|in my ((early|mid|late) )?(twenties
    |thirties|forties|fifties|sixties|\d0s)|\d{3} ?cm|\d'\d*|scared of|afraid of|terrified of|half)
    {am} <adverb>(a )?(british|american|german|czech|russian|french|italian|spanish|polish|slovak|austrian|swiss|dutch
    |canadian|australian|irish|scottish|welsh|english|indian|chinese|japanese|korean|ukrainian|swedish|norwegian|danish
    |finnish|greek|turkish|brazilian|mexican|portuguese|hungarian|european)
    {am} (in|on) (the )?(gmt|utc|cet|est|pst|[\w-]+ time ?zone)
    i (weigh|measure|stand|earn|make) ((about|around) )?[\d$€£]
    my (pronouns are|zodiac|star sign)
    ! {am} <adverb>(a|an) (bit|little|tad|lot|fool|idiot|mess|wreck|moron|failure|minute|hour|newbie to this|few|huge
    |big|happy|total mess)
introduction: entity, 0.80, user/name, proper
    ^(this is|it's|here is) (?P<value>[a-z'-]{2,20}( [a-z'-]{2,20})?) (here|from|speaking|by the way|btw|again).{0,200}$
    ^(i'm|i am) (?P<value>[a-z'-]{2,20}( [a-z'-]{2,20})?)( (here|from|and|speaking|by the way|btw
    |nice|the|your|\d+).{0,200})?[.!]?$
my thing: fact, 0.65
    {my} (?P<subject>[\w'-]+( [\w'-]+){0,3}?) (is|are|was|has|have|costs?|runs?|uses?|starts?|ends?|opens?|closes?
    |lives?|stands?|sits?|expires?|takes?|speaks?|comes?|contains?|weighs?|needs?|works?|goes|lasts?|allows?
    |only) {value}
    ! {my} (\w+ )?(question|point|guess|problem|issue|code|tests?|build|query|error|function|script|program|head
    |stomach|eyes|day|week|weekend|trip|bad|mistake|apologies|ideas?|thoughts?|understanding|goal|computer|internet
    |battery|brain|first|last|next|task|assignment|homework|boss|life|god|turn|message|screen|output|input|dataframe
    |loop|pleasure|love|heart|favourite part|mood)
    ! {my} (\w+ )?(order|game|match|answer|package|parcel|uber|lyft|taxi|train|flight|plane|bus|delivery)
    ! {my} .{0,30} (is|are) (\w+ )?\w+ing
    ! {my} .{0,30} (is|are) (so|too|not|very|really|that|to|a (mess|joke|bit))
"""
