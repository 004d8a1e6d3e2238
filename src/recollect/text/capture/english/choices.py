"""English sentences about choices: what is liked, wanted and decided.

Of two rules that both apply, the upper one decides.
"""

CHOICES = r"""
favourite: preference, 0.80, user/favourite {key}
    my ((all-time|absolute) )?(favou?rite|fave|fav) {key} (is|are|was|has always been|will always be|:|=) {value}
    {front} (is|are|has always been|will always be) my ((all-time|absolute) )?(favou?rite|fave|fav) {key}
go-to: preference, 0.80, user/
    my taste in [\w-]+ (is|leans|runs) {value}
    my (ideal|perfect|dream) [\w-]+ (is|are|would be) {value}
    my (go-to|preferred|usual|least favou?rite|favou?rite|drink of choice|guilty pleasure|comfort) .{0,30}(is|are
    |:) {value}
    {front} (is|are|has always been|will always be) my (thing|jam|favou?rite|fave|go-to|cup of tea|style|passion
    |weakness)
    (isn't|is not|aren't|are not|not|not really|never been) my (thing|jam|cup of tea|style|scene)
    (my|our) preferences? (is|are|would be|:) {value}
choice: decision, 0.85, /choice, despite moment request
    (i|we|i've|we've|i have|we have|team|we all) <adverb>{decided} (to (use|take|go with|go for|adopt|switch to
    |stick with|keep)|on|with|for) (the )?{front} (for|as) ((the|our|my) )?{topic}
    (i|we) <adverb>(chose|picked|selected|have chosen|'ve chosen) (the )?{front} (for|as) ((the|our|my) )?{topic}
    (we'll|we will|let's|i'll|i will|we're|we are) <adverb>(use|using|go with|going with|going for|stick with
    |take) (the )?{front} (for|as) ((the|our|my) )?{topic}
    for ((the|our|my) )?{subject} (we'll|we will|let's|we are|we're|we decided to|i'll|i decided to) <adverb>(use|using
    |go with|going with|take|stick with) {value}
    ! (haven't|have not|not|never|didn't|can't|couldn't|yet to|still|before i|until i|help me) <adverb>(decide|decided
    |agreed|chosen)
    ! (for|as) (now|the moment|me|us|a (while|bit)|example|instance|dinner|lunch)
decided: decision, 0.85, /, despite moment question request
    (i|we|team|i've|we've|i have|we have|they|board|committee|management|family) <adverb>{decided} {value}
    (i|we)('ve| have)? made (up )?(my|our|a|the) (minds?|decision|final decision|choice)
    {am} <adverb>(going|sticking|staying) (ahead )?(with|for) {value}
    {am} <adverb>(not )?(renewing|extending|cancell?ing|quitting|giving up|ditching|dropping (out|the|my)|switching (to
    |from)) {value}
    we('re| are) <adverb>(not )?(renewing|extending|hiring|buying|cancell?ing|signing|upgrading|outsourcing|rewriting
    |skipping|postponing) {value}
    we('re| are) <adverb>(using|not using|dropping|switching|migrating|moving|adopting|keeping|going for|ditching
    |standardi[sz]ing|replacing) ((to|from|over|on) )?{value}
    we('ll| will| shall| only|'re going to| are going to| won't| will not) <adverb>(use|go with|stick|stay|keep|adopt
    |switch|build|deploy|host|drop|take|be using|do|make|launch|release|ship|move to|migrate|rewrite|support|postpone
    |skip|write|start|stop) {value}
    (i'll|i will|i'm going to|i am going to|i'm gonna|gonna) <adverb>(go with|go for|stick (with|to)|switch to|opt for
    |settle (on|for)|accept the|be using|be going with|take the job) {value}
    (i'll|i will|i'm going to|i am going to|i'm gonna|gonna) <adverb>use .{1,60}(from now on|going forward|for (my|all
    |everything))
    (we're|we are|i'm|i am) (not|no longer) [a-z]+ing .{1,60}(any ?more|any longer)|we('re
    | are) no longer [a-z]+ing {value}
    let's <adverb>(go with|go for|use|stick (with|to)|stay with|keep using|settle on|choose|adopt|switch to|drop
    |standardi[sz]e) {value}
    (it's|it is|that's|it was|is|has been) (all )?(decided|settled|final|official|a done deal|agreed|approved)
    ^(final (decision|answer|choice)|decision made) (we|i|we'll|i'll|it's|the) {value}
    we <adverb>(voted|took a vote)
    ^(from|starting|as of) (today|tomorrow|{weekday}|{month}|next \w+)( on)? (we|our|the|all|no|[\w-]+ (is|are
    |will)) {value}
    ^((team|group|family|joint|board|final) )?(decision|decided|settled|agreed|final (decision|answer|choice)
    |verdict)[ ]?[:,-]+ ?{value}
    (the|our|my) <adjective>(final )?(decision|choice|verdict|plan|agreement) (is|was|:) {value}
    (i|we) <adverb>(cancelled|canceled|dropped|abandoned|rejected|ruled out|scrapped|postponed|ditched|signed up for
    |enrolled in|handed in my notice|quit my job|turned down|said yes to) {value}
    going forward (we|i) {value}
    ^(from (now on|here on|today|tomorrow|{weekday}|next \w+)( on)?|starting (today|now|next \w+|{weekday})|as of \w+
    |henceforth) (we|our team|the team) {value}
    ! {decided} (it|this|that)$
    ! let's (use|keep|go with) (it|this|that)( one)?$
    ! (let's|we'll|i'll) .*(here|for now|today|tonight|right now|this time)[.!]?$
    ! dropping .{0,30}(off|by)|was (decided|settled|agreed|approved) .{0,20}(in \d{4}|by)
    ! working (any ?more|any longer)
    ! (haven't|have not|not|never|didn't|can't|couldn't|yet to|still|before i|until i|help me) <adverb>(decide|decided
    |agreed|chosen)
    ! my plan (is|was) to (go|get|buy|have)
rule: preference, 0.85, despite request moment
    ^<courtesy>(always|never|don't ever|do not ever|under no circumstances) [a-z]+
    (from now on|from here on|going forward|from today|in (the )?future|henceforth|in all (future|your)|every time you
    |whenever you)
    ^([\w-]+ ){1,4}(everywhere|at all times)
    ^([\w-]+ ){2,6}(always|never)( please)?[.!]?$
    ^when(ever)? you .{3,60}
    ^(when|whenever|if|for) .{3,60} (always )?(use|skip|avoid|include|give me|prefer|round|write|stick to) {value}
    (no|without|avoid|skip|don't use|stop using|use|keep|don't want|don't like|hate) .{1,40} in (your|all
    |any) (answers?|replies|reply|responses?|messages?|code|output)
    (i|we|i'd|we'd) <adverb>(want|need|expect|like|would like) (you to )?.{0,60}(always|never|every time|everywhere
    |at all times)
    (i|we) <adverb>(want|'d like|would like|expect|need) (all|every|each|any|my|your|our) ([\w-]+ ){1,3}(in|as|to be
    |to have|with|without|sorted|formatted|delivered|written) {value}
    ^<courtesy>(stop|quit|no more) (apologi[sz]ing|repeating|using|adding|asking|calling|saying|giving|explaining|being
    |summari[sz]ing|suggesting|recommending|including|praising|complimenting|starting|ending|talking|sounding) {value}
    (please )?(always|never) (use|answer|reply|respond|write|call|ask|deploy|push|commit|send|book|put|include|add
    |speak|schedule|suggest|wake|assume|merge)
    (talk|speak|write|reply|respond|answer)( to)? me (only )?(in|with|as|like|informally|formally)
    (don't|do not|stop|please don't) <adverb>(call|calling|address|addressing) me {value}
    ^<courtesy>(don't|do not) ever [a-z]+
    (don't|do not) (call me|text me|book|schedule|suggest|recommend|use|send|put|disturb|contact)( .{0,50})? (before
    |after|on|with|in|me|ever|during|at)
    ^<courtesy>[a-z]+ .{1,60}(everything|anything|all|any|every \w+|each \w+|whatever|code|text|e-?mails?) (that )?(you
    |i ask you to) <adverb>(write|send|give|make|create|generate|draft|show|produce|translate|do)
    you <adverb>(should|must|need to|have to|are to|shouldn't|must not|mustn't|may) <adverb>(always|never|not) .*(me
    |my|us
    |our|i)
    you <adverb>(should|must|need to|have to) .*(before|after) (each|every|any) {value}
    ^<courtesy>[a-z]+ .{1,60} (before|after) (each|every|any) {value}
    i (don't|do not|never) want you to {value}
    ^<courtesy>(keep|be|stay) .{1,40} with me
    ^<courtesy>be <adverb>(more |as )?(concise|brief|direct|honest|blunt|polite|precise|formal|informal|casual|friendly)
    i never want (to|you to|any) {value}
    (i|we) <adverb>(want|like|need) (the|my|our) .{1,40} when(ever)? (i|we) {value}
    ^<courtesy>(write|use|give|keep|put|format|answer|show|state) (all|every|any|my) ([\w-]+ ){1,4}(in|as|with
    |using) {style}
    ^<courtesy>(use|give me|show me|write in|stick to|only)? ?{style} (not|instead of|rather than|and not|over
    |please) ?.*
    ^when [a-z]+ing( [\w-]+){0,5}, .{3,80}
    ^([\w-]+ ){1,4}over ([\w-]+ ){1,4}(any ?day|every time|anytime|for me|please)
    ^<courtesy>(address|greet|refer to) me (as|by|with|in|using) {value}
    (keep|make) (your|the) (answers|replies|responses|explanations|messages|summaries) {value}
    ! ^when [a-z]+ing .*, ?(i|it|the|we|my|there|nothing|what|how|why|do|does|is)
    ! never ?mind|never again|always a pleasure|always welcome
    ! ^<courtesy>(always|never) (have|had|been|was|is|seen|heard|thought|tried|knew|got)
    ! want you to \w+ (the|this|that|it|these|those|anything|yet)|^when you('re| are| have|'ve)? ?(done|ready|finished
    |finish
    |back|free|there|can|want|wake up|get (a|the|home|back|here)|see this)
    ! ^<courtesy>(i|we|my|our|it|he|she|they|there|this|that|the) .* (before|after) (each|every|any)
    ! (here|in (this|that) [\w-]+|for (this|that) [\w-]+)[.!]?$
    ! don't (use|send|put|book) (it|this|that|the)( \w+)? ?(today|now|yet)?
asks for a rule: preference, 0.85, despite request moment question hypothetical
    (i'd|we'd) <adverb>(like|love|prefer|appreciate) (it if )?(you|all|every) .{0,60}(always|never|every time
    |everywhere)
    (i'd|i would) <adverb>(love|like|prefer|appreciate|be (happy|grateful|glad)) ?(it )?if you (used|wrote|kept|gave
    |explained
    |called|answered|spoke|stopped|asked|avoided|added|didn't|wouldn't|were) {value}
    ^(can|could|would|will) you <adverb>(please )?(always|never|from now on|in (the )?future|going forward) [a-z]+
    ^(can|could|would|will) you .{3,80}(from now on|in (the )?future|going forward|every time)[?.!]?$
    ! you <adverb>always (trust|be|get|see|tell|find|return|cancel|expect|know)
order: preference, 0.85, despite request moment
    ^<courtesy>(no|only|zero) ([\w-]+ ){1,5}(before|after|on|during|at|in|for|with|please|unless|without)
    ^<courtesy>[a-z]+ .{3,80}(always|every time|from now on|each time)[.!]?$
    ^<courtesy>(no|zero) ([\w-]+ ){1,4}(ever|at all|any ?more|period)[.!]?$
    ! ^(yes|no) (i|we|my|our|it|problem|worries|idea|way|need|thanks|one|that)
    ! ^(i|we|my|our|it|he|she|they|there|this|that|the|you|i'm|we're)
likes: preference, 0.80, user/
    (i|we|i've|me and my \w+|my \w+ and i|and|but|i'd) <adverb>{like} {value}
    {am} <adverb>((a|an) )?((huge|big|massive|real|total|bit of a|not|not a|such a|more of a|more a|no) )*(fan of|into
    |keen on|fond of|partial to|crazy about|mad about|obsessed with|addicted to|enthusiast|lover|person
    |passionate about|allergic to the idea|a sucker for|sucker for|nerd|fanatic|hater) {value}
    {am} <adverb>((a|an|more of a|more a|not a|definitely a|total|big|huge) )*[\w-]+( \w+)? (person|lover|guy|girl|fan
    |fanatic|nerd|enthusiast|addict|buff|junkie|geek)
    {am} <adverb>(not )?(a|an|the|more of a|more the) [\w-]+( \w+)? type[.!]?$
    ^((not|not really|definitely not) )?(a )?((huge|big|massive) )?(fan of|into|keen on|fond of) {value}
    (i'd|i would|we'd|we would) <adverb>(rather|sooner|prefer|much rather|much prefer) {value}
    ^(love|hate|prefer|like|enjoy|dislike|adore|can'?t stand|don'?t like|not a fan of|rather) <adverb>{value}
    {front} (drives?|makes?|gets?) me (crazy|nuts|mad|insane|up the wall|sick|anxious|happy|uncomfortable)
    {front} stress(es)? (me|us)|{am} (not|never) <adverb>(big|huge|one|great|sold) (on|for|into) {value}
    {front} (annoys?|bugs?|bothers?|irritates?|scares?|disgusts?|relaxes|calms|bores?) me
    {front} (is|are) <adverb>(disgusting|gross|awful|annoying|terrible|boring|important|essential|sacred|irrelevant
    |a must|a deal-?breaker|too \w+) (to|for) (me|us)
    (i|we) <adverb>find {front} (\w+ )?(disgusting|gross|awful|annoying|boring|relaxing|unbearable|overrated|calming
    |depressing|exhausting|too \w+|distracting|confusing|repulsive|fascinating)[.!]?$
    {front} (matters?|counts?|means?) (more|most|a lot|less|little|everything|the most)( to me| to us| than .*)
    ((for|to) (me|us) {front} (matters?|counts?|comes first|(is|are) (more |very )?important))
    {front} (is|are|isn't|aren't) ((not|never|really|just|definitely) )*for (me|us)[.!]?$
    {front} (works?|suits?) (best|better|fine|well) for (me|us)
    (tastes? like soap|gets on my nerves|can do without|pet peeve|my comfort zone|rather not)
    i (can't|cannot|couldn't) (get enough of|do without|live without|stomach|get into|deal with) {value}
    i (can't|cannot) <adverb>(sleep|watch|work) {value}
    nothing beats {value}
    {am} <adverb>(picky|particular|fussy|strict|serious) about {value}
    (i|i'd|i would) <adverb>(choose|pick|take) {front} over {value}
    (can't|cannot|could never) (look at|handle|sleep without|work without|function without
    |start the day without) {value}
    i <adverb>(don't|do not) <adverb>(eat|drink|smoke|wear|watch|want|use|need|trust|read|listen to|buy) {value}
    i <adverb>(always|only|never|rarely|hardly ever|exclusively|mostly|usually) <adverb>(drink|eat|take|use|wear|order
    |buy|fly|code|listen|read|watch|have|choose|pick|sit|travel|sleep|go for|opt for|stick (to|with))s? {value}
    ! find (it|this|that|these|those|your|the)|^(it|this|that|these|those|what|which|the (answer|code|result|problem
    |first
    |second)) (is|are|matters?|means?)
    ! {like} (this|these|those|your?|the (idea|sound|look|way you|first|second|last|new (one|version)|result|answer
    |one)|how (you|it|this)|what (you|i see))
    ! {like} (it|that)([,.!]|$| (so|a lot|too|very|one|idea|part|version|song|bug|here|already|guy|you))
    ! (i'd|i would) .*(for|in|of|on) (this|that|the) [\w-]+[.!]?$
    ! (i'd|i would) (like|love|hate)|{like} the [\w-]+ (one|version|option|variant|design|draft)
    ! (don't|do not) <adverb>(want|need) (to|it|this|that|the|any( more)?|your|you|help|anything|a)
    ! looks? like|feels? like|sounds? like|seems? like|something like|would like|(love|hate) (you|u|ya|him|her|them|me)
    |(love|hate) to (say|see|interrupt|bother|ask)
    ! prefer not to (say|answer|talk|discuss|tell|comment)|rather not (say|talk)
    ! love,|much love|with love|like (i|you|we) said|and (prefer|hate|dislike) you
"""
