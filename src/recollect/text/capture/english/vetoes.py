"""What an English sentence is when it is no statement by the user about what lasts."""

VETOES = r"""
pasted
    as an ai|language model|^you are (a|an|the) .{0,40}(assistant|expert|bot|ai|model|agent|tutor|translator)
    ^(sure|certainly|absolutely|of course|great)[ ,!.]+here('s| is| are)|^here('s| is| are) (the|your|a|an|some) \w+
    ^<adverb>(great|good|excellent|interesting|fair) question|(happy|glad) to (help|assist)|^i (understand|see) you
    ^(i apologi[sz]e|my apologies|you're welcome|you are welcome|no problem at all)|let me know if you (need|have|want)
    ^dear (sir|madam|hiring|mr|mrs|ms|team|all)|to whom it may concern|i am writing to|^(hi|hello) (all|everyone|team)
forget
    (don't|do not|dont|never|no need to|needn't) <adverb>(remember|save|store|note|memori[sz]e|record|keep) (this|that
    |it|any)
    ^(forget|ignore|disregard|scratch|never ?mind|delete|erase) <adverb>(what|that|this|it|about|everything|the|my|all)
    off the record|between (you and me|us)|(do not|don't|dont) (write|take) (this|that|it) down
reminder
    (remember|forget) to \w+
    ^(can|could|would|will) you <adverb>(please )?(remember|note|keep|save|store|memori[sz]e) (that|this|it|all of
    |everything)( (for (me|later|next time|us|the future)|please|in mind|then|this|that|from now on))*[?.! ]*$
    remember (when|the time|that time|how|what|who|where|me|us|that one|our trip|those|the days|(that|the) \w+ (we|i))
    (i|we|he|she|they) ((don't|can't|cannot|still|barely|vaguely|should|must) )*(remember|recall|forgot|forget)
    (i'll|you'll|we'll|i will|you will) ((never|always) )?(remember|forget)
assistant
    as an ai|language model
    (i've|i have|i'll|i will) <adverb>(noted|remember|saved|remembered|updated|make a note|keep that|recorded|stored
    |added)
    ^(sure|certainly|absolutely|of course|great question|got it|noted|understood)[ ,!.]+(here|i'll|i've|i have|i can
    |let me|you)
    here('s| is| are) (the|your|a|an|some|what|how)
    (based on|according to) (your|our|what you)
    (that|since|because|noted|know) you (prefer|like|mentioned|told me|said|live|work|are|love|hate)
    ^you <adverb>(prefer|like|mentioned|told me|said|live|work|love|hate)
    hope this helps|i apologi[sz]e for|how can i (help|assist)
    the user('s)? (prefers|likes|is|wants|name|lives|works|has)
dictated
    ^<courtesy>(write|draft|translate|say|reply|tell|send|text|e-?mail|compose|proofread|rephrase|correct|summari[sz]e
    |rewrite|post|message|answer|respond)( [^:]{1,60})?:
play
    lol|lmao|haha\w*|hehe\w*|jk|rofl|(just|only) (kidding|joking)|kidding|sarcas\w+|/s
    knock knock|(song|lyrics?|verse|chorus|riddle|movie quote|tongue twister|joke)s?|(sang|sings|once said)
    walks into a bar|as (the saying|they say|shakespeare)
hypothetical
    imagine|suppose|supposing|pretend|assume|assuming|hypothetically|let's say|say that i|as if|role-?play|as though
    what if|what would|in my dreams?|(for example|for instance|e\.g)|in a perfect world|if only
    if (i|we|i'd|you) <adverb>(were|was|lived|had|could|would|did|moved|worked|got|liked|went|knew|owned|became|won
    |ever)
    i (wish|dream|dreamt|dreamed)
    (i|we) (would|might|could|may) <adverb>(have|be|love|hate|live|eat|use|work|move|go|like|want|buy|try|need|get|even)
    (i'd|we'd) <adverb>(love|hate|be|have|live|eat|move|like)
    (act|behave|acting) (as|like)
    maybe|perhaps|possibly|not sure|i wonder|wondering|thinking (of|about)|considering|i (was|am) told
reported
    {other} <adverb>{said}
    {person} <adverb>({said}|wants|texted|called|is asking|wanted)
    (said|told|asked|wrote) (the|a|an|his|her|him|me|that) (man|woman|guy|he|she|they|they're)
    ^(he|she|they|someone|somebody) <adverb>(likes?|loves?|hates?|prefers?|works?|lives?|enjoys?|wants?|needs?)
    (the|this|that) (article|character|narrator|author|text|customer|user|client|review\w*|email|letter
    |post) <adverb>{said}
    \w{3,} (said|says|told me|wrote|claims|mentioned) (that|he|she|they|i|his|her|it)
    (in|of) (the|this|my) (film|movie|book|story|game|novel|article)
moment
    happy (birthday|new year|anniversary|christmas)|merry christmas|congrat\w+|wish me luck
    {now}
    {am} <adverb>{feeling}
    i (feel|felt|just|lost|forgot|guess i|need to go|have to go|gotta|am gonna|should go|better go|might)
    {my} .{0,30} (is|are|isn't|aren't|was) <adverb>(a bit )?{state}
question
    ^(what|which|who|whom|whose|why|how) (is|are|was|were|do|does|did|can|could|should|would|will|has|have|am|much|many
    |old|far|long|often|about|else|if|to|kind|type|sort|one|of|come|\w+ (is|are|do|does|did|should|would|was))
    ^(what's|who's|how's|where's|when's|why's|whats|hows|wheres)
    ^(where|when) (is|are|do|does|did|was|were|will|would|can|could|should|am|have|has)
    ^{auxiliary} (i|you|we|it|there|he|she|they|this|that|the|my|our|your|any|anyone|someone|these|those)
    ^(any|anyone|anybody) (idea|ideas|chance|thoughts|tips|know|here|suggestions)
    (do|did|don't|can|could|would) you (know|remember|recall|think|tell|mean|happen|ever)
    (tell me|show me|know|wonder|wondering|ask|asking|check|see|guess|explain|figure out|find out|is it true|curious
    |sure|remind me|idea) (what|where|which|who|why|how|when|if|whether|that|about)
    what (do|did|am|is|are|was|should|would) (i|my|you)
request
    ^<courtesy>{command}
    i <adverb>(want|need|would like|'d like|expect|asked|require) you to
    (i|we)('d| would) <adverb>(like|love) (to|a|an|some|you|help|your|the|for|it|this|that)
    i <adverb>(want|need|wanna) (to|a|an|some|the|help|your|this|it|that|more|two|\d+|ideas|advice|info|directions|one)
    {am} <adverb>(looking for|trying to|working on (a|an|the|this|something|my)|having (trouble|issues|problems)
    |calling)
    (help|let) me|(can|could|would|will) you|i (have|got|had|ran into) <adverb>(a|an|this|some|one|another
    |few) <qualifier>{trouble}
"""

VETO_WORDS = r"""
other
    he|she|they|someone|somebody|people|everyone says|the (man|woman|guy|customer|user|client|teacher|doctor)|it
said
    said|says|told|tells|thinks?|thought|claims?|claimed|mentioned|wrote|writes|asked|asks|believes?|argues?|insists?
    insisted|explained|explains|complained|complains|swears
auxiliary
    do|does|did|am|is|are|was|were|will|would|should|shall|can|could|may|might|have|has|had|isn't|aren't|don't|didn't
    doesn't|won't|can't|haven't|wouldn't|shouldn't|couldn't|wasn't
now
    right now|at (the|this) moment|today|tonight|this (morning|afternoon|evening|time)|yesterday|tomorrow|just now
    (this|next) (week|weekend|month)|in a (minute|moment|second|bit|hour|sec)|for now|last night|brb|(a|an|two|five|ten
    |\d+) (minutes?|hours?) (ago|late)
    a (minute|moment|second) ago|on my way|later today|in \d+ minutes
feeling
    tired|exhausted|hungry|thirsty|starving|bored|sick|ill|sad|happy|angry|sorry|confused|stuck|late|busy|ready|done
    |back
    here|home|lost|glad|excited|worried|curious|afraid|sure|fine|ok|okay|good|great|cold|hot|sleepy|drunk|stressed
    |annoyed
    nervous|upset|frustrated|trying|looking|going|getting|having|wondering|thinking|writing|about to|off to|at the|at my
    waiting|running|asking|in (a|the) (hurry|meeting|car|middle)|debugging|reading|watching|eating|cooking|drinking
    |sitting
    feeling|starting|just|freezing|kidding|almost|halfway|all set|good with|impressed|surprised|a (bit|little|tad|lot)
    struggling|dying|afraid|proud of you|grateful|thankful|heading|leaving|out of|making|doing|using this|testing|gonna
state
    slow|broken|not working|failing|dead|down|killing|hurting|cold|wet|gone|ready|done|late|here|wrong|stuck|full|empty
    crashing|ringing|frozen|lagging|acting up|sore|on fire|missing|over|running|loading|sick|ill|angry|mad|asleep
    sleeping|barking|crying|coming|waiting|calling|visiting|driving me|at the door|home|out|away|fine|ok|okay|weird
    |great
    boring|busy|tired|awesome|offline|unavailable|on sale|delayed|cancelled|beautiful|amazing|nice|funny|happy
    |complaining
qualifier
    quick|small|little|big|weird|strange|simple|bad|good|new|another|similar|few|tiny|serious|short|follow-up|stupid
    |dumb
trouble
    questions?|problems?|issues?|idea|doubts?|requests?|tasks?|bugs?|errors?|headache|feeling|minute|look|list|string
    function|dataframe|table|array|file|script|query|csv|assignment|favou?r to ask|favou?r|suggestion|hunch|favor|typo
    |dict
    class|column|variable|loop|thought|cold|fever|moment|second|confession|complaint|concern|exception
"""
