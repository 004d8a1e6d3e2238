"""English sentences about names and people: who someone is and how to reach them.

Of two rules that both apply, the upper one decides.
"""

NAMES = r"""
name: entity, 0.90, user/name, despite play moment
    my <adverb>((full|first|last|real|middle|maiden|legal|birth) )?name('?s| is)( <adverb>(spelled|spelt|written
    |pronounced))? {value}
    ^(the )?name'?s {value}
    my (surname|nickname)('s| is) {value}
    (it's|it is|that's|name is) (spelled|spelt|pronounced) {value}
    ! (project|repo|package|branch|file|user|domain)('s)? name
    ! name is (not|hard|difficult|on|in|too|so|missing|wrong|a)
greeting: entity, 0.80, user/
    (hey|hi|hello|hiya|yo)( there| all| everyone)? (i'm|i am|it's) (?P<value>[a-z]{3,20})( (here|and i|from
    |btw).{0,200})?[.!]?$
    ! (i'm|i am|it's) (new|back|here|late|not|from|using|your|the|so|just|still|also|me|all|good|fine|fun|too|very
    |\w+ing|\w+ed|{feeling}|{ill}|single|german|czech|french|british|american|student)
called: entity, 0.85, user/nickname, despite request question
    calls? me {value}
    (i|i'm|i am) <adverb>(go by|called|known as|named) {value}
    ! calls? me (later|back|tomorrow|at|when|if|on|a|an|in|after|before|now|tonight|today|up|out|old|crazy|as soon
    |every|again|for|from|once|to|about|by|maybe|this|that|names|it|and|or|asap|sir|madam|mr|\+?\d)
    ! (don't|do not|stop|never|didn't|did) .{0,10}call
email: entity, 0.85, user/email, despite request
    {my} .{0,40}?{email}
    {email} .{0,40}{my}
    (reach|contact|e-?mail|mail|write|find|ping|cc|invoice|catch|hit|get) (me|us|to me|hold of me) .{0,30}?{email}
    ! {person}'?s? .{0,30}@
phone: entity, 0.85, user/phone, despite request
    {my} .{0,40}(number|phone|mobile|cell|whatsapp|tel|fax|line|landline).{0,25}? {phone}
    (reach|contact|call|text|ring|phone|find|message|whatsapp|get) (me|us|hold of me) .{0,30}?{phone}
    ! {person}'s|{registered}
handle: entity, 0.75, user/
    my (github|twitter|telegram|instagram|discord|skype|linkedin|slack|mastodon|signal|reddit|steam|gitlab|user ?name
    |handle|e-?mail|callsign)( \w+){0,2}? (is|:|=) {value}
    {am} @?\S+ on (github|twitter|telegram|instagram|discord|skype|linkedin|slack|mastodon|reddit|steam|gitlab|x)
relative's contact: entity, 0.75, despite request
    {person}'?s? .{0,40}?{email}
    {person}'?s? (number|phone|mobile|cell)( number)?( is|:)? .{0,10}?{phone}
    {my} <adjective>{person}( [a-z'-]+){0,2}( is)?( at| on|:)? ?{phone}
nickname: entity, 0.80, /nickname, despite request question
    (call|name|rename|nickname) (the|my|our) {subject} (the|as|to) {value}
    (the|my|our) {subject} (is|shall be|will be|goes by) (called|named|nicknamed|known as|the name) {value}
    when(ever)? i say {subject} i <adverb>(mean|am talking about|'m talking about) {value}
    by {subject} i <adverb>mean {value}
    ! call (the|my|our) .{0,30}(later|tomorrow|today|back|and|doctor|dentist|to (ask|say|tell|check|order|book))
    ! {my} <adjective>{person}
    ! (wi-?fi|wlan|network|hotspot|router)|{coded}
    ! (function|method|class|variable|file|error|book|song|film|movie|person) .{0,30}called
names a thing: entity, 0.75, despite request, proper
    (call|name|rename) (the|my|our) [^,]{3,40} {value}
    ! call (the|my|our) .{0,30}(later|tomorrow|today|back|and|at|on|about|if|for|{weekday})
    ! call {my} <adjective>{person}
relative's name: entity, 0.80, /name
    {my} <adjective>(?P<subject>{person})('s)? (is|are|'s|was|goes by)( <adverb>(called|named)| the name( of)?) {value}
    {my} <adjective>(?P<subject>{person})'?s? names? (is|are) {value}
    (the|our) (?P<subject>kids|children|twins|boys|girls|dog|cat|cats|dogs|baby|puppy) (is|are) (called|named) {value}
relative's affair: fact, 0.65, despite play
    {my} <adjective>{person}'s? ({dated}|school|work|shift|class\w*|lessons?|training|practice|room|car|house|flat|job)
    {my} <adjective>{person} (left|gave|built|bought|lent) (me|us)
has a relative with a name: entity, 0.75, despite request
    {own} ([\w-]+ ){1,5}?{person} <adverb>(named|called|by the name of|whose names? (is|are)) {value}
is a relative: entity, 0.75, despite request
    {am} (married|engaged) to
    {front} (is|was|are|has been|have been) {my} <adjective>([\w-]+ ){0,2}{person}
    (meet|this is|that's|these are|here's|say hi to) {front} {my} <adjective>{person}
    (he's|she's|he is|she is|they're|they are) {my} <adjective>([\w-]+ )?{person}
    (the|our) (kids|children|twins|boys|girls) are [\w-]+ (and|,)
    ! (problem|call|meeting|appointment|business partner) with
named relative: entity, 0.75, proper
    (i|we|i've|we've) <adverb>(named|called|christened) {my} <adjective>(?P<subject>{person}) (?P<value>[a-z'-]+)[.!]?$
    {my} <adjective>(?P<subject>{person}) (?P<value>[a-z'-]+) (and i|and me|[a-z]+s) .+
    {own} ([\w-]+ ){1,4}?{person} (?P<value>[a-z'-]+)( and [a-z'-]+)?[.!]?$
    {my} <adjective>(?P<subject>{person}) .{1,40}(named|called) {value}
    {my} <adjective>(?P<subject>{person}) (is )?(?P<value>[a-z'-]+)\.?( [a-z'-]+){0,2}( also| always| never| still| only
    | both| just)? (is|are|was|'s|{does})
    {my} <adjective>(?P<subject>{person}) (is|are) (?P<value>[a-z'-]+)( [a-z'-]+)?[.!]?$
    {my} <adjective>(?P<subject>{person}) (is|are) (?P<value>(mr|mrs|ms|dr|prof|sir|miss)\.?) .+
    {my} <adjective>(?P<subject>{person}) (is|are) (?P<value>[a-z'-]+)( [a-z'-]+)?,.+
    ! {my} <adjective>{person} (is|are) (\w+an|\w+ish|\w+ese|french|dutch|greek|czech|swiss|german|adhd)
has relatives: fact, 0.75
    {own} (a |an |one |two |three |four |five |\d+ |no |some )<adjective>([\w-]+ ){0,2}{person}
    {own} (\w+ )?(kids|children|twins|cats|dogs|chickens|hens|horses|goats|bees|sheep|rabbits|guinea pigs|ducks)
    i'm a (father|mother|dad|mom|mum|parent|grandmother|grandfather) (of|to)
    ! {own} (a|an|no|one) ([\w-]+ ){0,2}(partner|assistant|manager|coach|friend|vet|doctor|dentist) (who|that|meeting
    |appointment)
    ! (problem|call|meeting|appointment|business partner) with
relative: fact, 0.75
    {my} <adjective>(?P<subject>{person})( and ({my} )?(me|i|{person}))?( [a-z-]+){0,2} (is|are|was|'s) (a|an|the|from
    |in|\d+|now|also|both|mr|mrs|ms|dr|afraid|scared|{ill}|my|our|turning|born|expecting|retired|very|really|called
    |named|on|at|studying|obsessed|not)
    {my} <adjective>(?P<subject>{person})( and ({my} )?(me|i|{person}))?( [a-z-]+){0,2}( also| always| never| still
    | only| both)? {does}
    {my} <adjective>(?P<subject>{person}) is {value}
    {my} <adjective>(?P<subject>{person}) [a-z]+ (is|was)
    ! mother tongue|family name
    ! {person} (is|are|was|were)( \w+)? \w+ing
    ! {my} (family|friends?|mates?|colleagues?) (is|are|was) (here|coming|not|very|really)
"""
