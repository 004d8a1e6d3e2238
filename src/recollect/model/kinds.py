"""Kinds of parameters: what every door says of a parameter, and what it holds it to."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from os import PathLike
from typing import Annotated, Any, Final, TypeAlias, TypedDict, get_args

from recollect.model.literals import DocumentsFate, MemoryType, RerankWhen, Source
from recollect.model.parameters import Kind
from recollect.model.places import (
    LEAST_RADIUS_KM,
    LONGEST_LABEL,
    MOST_RADIUS_KM,
    LocationLike,
    LocationMode,
    place_of_search,
    with_location,
)

MOST_ITEMS: Final = 100
LONGEST_QUERY: Final = 2_000
LONGEST_NAME: Final = 128
MOST_CLUSTERS: Final = 200  # to show at a time
MOST_EXAMPLES: Final = 100

# What several kinds have in common
_share = partial(Kind, least=0, most=1)
_limit = partial(Kind, least=1, most=MOST_ITEMS, option="--limit -n")
_name = partial(Kind, longest=LONGEST_NAME)
_session = partial(Kind, "A conversation.", shortest=1, longest=LONGEST_NAME, trimmed=True)
_query = partial(Kind, shortest=1, longest=LONGEST_QUERY, visible=True)
_text = partial(Kind, shortest=1, longest=100_000, visible=True)

# Which memories, and how many

Limit: TypeAlias = Annotated[int, _limit("At most this many.", for_models=True)]
UsualLimit: TypeAlias = Annotated[
    int, _limit("At most this many; the settings say 5.", for_models="At most this many.")
]
RelatedLimit: TypeAlias = Annotated[
    int, _limit("At most this many.", typed="At most this many related memories besides.", for_models=True)
]
QueryText: TypeAlias = Annotated[
    str,
    _query(
        example="which theme do I like?",
        typed='A question or a few words, in any language. "Quoted phrases", -excluded words and times like "last '
        'week" are understood.',
        for_models='What to look for, in the words of a question or a note. A "quoted phrase" must be there word for '
        "word, -word must not.",
    ),
]
Topic: TypeAlias = Annotated[
    str,
    _query(
        example="garage",
        typed="A thing, a person or a place, as people call it.",
        for_models="A thing, a person, a place or a subject, by its name.",
    ),
]
ItemId: TypeAlias = Annotated[
    str,
    Kind(
        shortest=1,
        longest=100,
        typed="The id of a memory, as `list` and `recall` show it.",
        for_models="The full id of the memory.",
    ),
]
Types: TypeAlias = Annotated[MemoryType | Sequence[MemoryType], Kind("Only this kind.", for_models=True)]
OfSubject: TypeAlias = Annotated[str, _name("Only about this subject.", for_models=True)]
OfKey: TypeAlias = Annotated[str, _name("Only this property.", for_models=True)]
OfContext: TypeAlias = Annotated[str, _name("Only in this context.", for_models=True)]
OfSession: TypeAlias = Annotated[str, _name("Only from this session.", metavar="ID")]
_WORDS_OF_TIME = "a time, a span such as 7d (a week ago), yesterday, last night (since 18:00) or last week."
Since: TypeAlias = Annotated[
    datetime | str,
    Kind(
        f"Only what happened, or was stored, then or later: {_WORDS_OF_TIME}",
        span="back",
        longest=200,
        for_models="From then on: a time, 7d, yesterday.",
    ),
]
Until: TypeAlias = Annotated[
    datetime | str,
    Kind(
        "Only what happened, or was stored, before then; words such as yesterday mean their beginning.",
        span="back",
        longest=200,
        for_models="Before then.",
    ),
]
When: TypeAlias = Annotated[
    str,
    Kind(
        "Only what happened, or was stored, in that time: yesterday, last night (18:00 to 06:00), last week, or a day "
        "such as 2026-12-03.",
        metavar="PERIOD",
        longest=200,
        for_models="In that time: last night, 2026-12-03.",
    ),
]
AsOf: TypeAlias = Annotated[
    datetime | str, Kind("What was held true at that moment, instead of now.", span="back", longest=200)
]
LeastImportance: TypeAlias = Annotated[float, _share("Leave out what matters less.", for_models=True)]


class FilterFields(TypedDict, total=False):
    """The filters of `recall`, `list` and `count`, as keyword arguments."""

    type: Types | None
    subject: OfSubject | None
    key: OfKey | None
    context: OfContext | None
    session: OfSession | None
    since: Since | None
    until: Until | None
    when: When | None
    as_of: AsOf | None
    min_importance: LeastImportance | None


OfCategory: TypeAlias = Annotated[str, _name("Only of this category.")]
OfEntity: TypeAlias = Annotated[str, _name("Only what happened to this.")]
OfEventKind: TypeAlias = Annotated[str, _name("Only events of this kind.")]
Zone: TypeAlias = Annotated[
    str, Kind("A time zone; that of the settings without it.", example="Europe/Prague", longest=64)
]

# How a search ranks

LeastScore: TypeAlias = Annotated[float, _share("Only what scores at least this much.", for_models=True)]
Preferred: TypeAlias = Annotated[
    MemoryType | Sequence[MemoryType],
    Kind(
        "Types that come first among equals.",
        longest=len(get_args(MemoryType)),
        typed="Let this kind come first among equals.",
        metavar="TYPE",
    ),
]
Diverse: TypeAlias = Annotated[
    bool, Kind("Hits that say different things.", typed="Prefer hits that say different things.")
]
WithFiles: TypeAlias = Annotated[bool, Kind("Search synced folders and documents, too.")]
Reranked: TypeAlias = Annotated[
    RerankWhen,
    Kind(
        "Whether a model reads the first hits with the query and puts the best answers first; as the settings say "
        "without it.",
        metavar="WHEN",
    ),
]
OnlyRelated: TypeAlias = Annotated[
    bool, Kind("Only what has to do with the query, which is usual without a min_score.")
]
Sources: TypeAlias = Annotated[
    Sequence[Source],
    Kind(
        "Only from these sources.",
        shortest=1,
        longest=len(get_args(Source)),
        typed="Only from this source.",
        option="--source",
    ),
]
Current: TypeAlias = Annotated[
    str, _name("The conversation that is going on: its last turn is left out.", metavar="ID")
]
ScopeName: TypeAlias = Annotated[str, _name(shortest=1)]
SharedScopes: TypeAlias = Annotated[
    str | Sequence[ScopeName],
    Kind(
        "Shared scopes to search as well: `all` that the user is a member of, `none`, or names.",
        longest=MOST_ITEMS,
        none="none",
        typed="Search this shared scope, too, instead of all of yours. `none` leaves them out.",
    ),
]
SearchPlace: TypeAlias = Annotated[LocationLike, Kind("Where the user is.", parts=place_of_search)]
RadiusKm: TypeAlias = Annotated[
    float,
    Kind(
        "Only what is at most so many kilometres away.",
        least=LEAST_RADIUS_KM,
        most=MOST_RADIUS_KM,
        for_models=True,
        option="--radius-km --location-radius-km",
    ),
]
SameRadius: TypeAlias = Annotated[float, Kind(least=LEAST_RADIUS_KM, most=MOST_RADIUS_KM, silent=True)]
PlaceWeight: TypeAlias = Annotated[
    float, _share("Share of the place in the score; without it, that of the settings.", for_models=True)
]
PlaceMode: TypeAlias = Annotated[
    LocationMode,
    Kind(
        "Whether nearness and likeness of places count (boost), or only what they are called (semantic).",
        for_models=True,
    ),
]

# What to forget, and how

ForgetQuery: TypeAlias = Annotated[
    str,
    _query(
        "What to forget, in words.",
        typed="Forget what says this; unless it says a memory itself, show candidates.",
        metavar="TEXT",
        for_models="What to forget, in the words of the memory.",
    ),
]
Session: TypeAlias = Annotated[str, _session()]
WholeSession: TypeAlias = Annotated[
    str, _session(typed="Forget a conversation, and what was learned in it and nowhere else.", metavar="ID")
]
FromSource: TypeAlias = Annotated[
    str,
    _name(
        "All memories that came from there.",
        shortest=1,
        visible=True,
        typed="Forget the memories that came from there, such as user_stated.",
    ),
]
FolderRoot: TypeAlias = Annotated[
    str | PathLike[str],
    Kind(
        "The root of a synced folder, as GET /api/files gives it. What lies in it stays.",
        shortest=1,
        longest=4_096,
        visible=True,
        typed="Forget a synced folder with its files; what lies on the disk is left alone.",
        metavar="PATH",
    ),
]
Everything: TypeAlias = Annotated[bool, Kind("All that the user has.", typed="Forget all that the user has.")]
AllOfIt: TypeAlias = Annotated[
    bool,
    Kind(
        "With a query: forget all that it finds; else only a query that says a memory itself forgets.",
        typed="With --query: forget all that it finds, several things too.",
        for_models="With a query: forget all that it finds. Only after the user has agreed to the list.",
    ),
]
AlsoSources: TypeAlias = Annotated[
    bool, Kind("With an id: the messages that the memory was captured from lose it, too.", for_models=True)
]
AllowAgain: TypeAlias = Annotated[
    bool,
    Kind(
        "With everything: a fresh start. What was ever forgotten may come again by an import or a sync.",
        typed="With --everything: a fresh start; imports and syncs may bring it again.",
        option="--and-allow-again",
    ),
]
Purge: TypeAlias = Annotated[
    bool, Kind(here="A service is purged by its operator, with `recollect purge`. Leave `purge` out.")
]
WithReceipt: TypeAlias = Annotated[
    bool, Kind("Give a signed receipt of what was forgotten, without content. Not of a dry run.")
]
DryRun: TypeAlias = Annotated[bool, Kind("Say what would go, and delete nothing.")]
FateOfDocuments: TypeAlias = Annotated[
    DocumentsFate,
    Kind(
        "With a query: what becomes of an added document that says it. It loses the sentence, and its original keeps "
        "it: `ask` names it, `keep` states that this is wanted, `forget` forgets the whole document.",
        typed="With --query: whether added documents that say it go whole, or keep their originals.",
        metavar="ask|forget|keep",
    ),
]

# What a memory is made of

MemoryText: TypeAlias = Annotated[
    str, _text(for_models="One statement that can be understood on its own, without the conversation around it.")
]
KindOfMemory: TypeAlias = Annotated[
    MemoryType,
    Kind(typed=f"What kind of memory: {', '.join(get_args(MemoryType))}.", for_models="What kind of statement it is."),
]
Importance: TypeAlias = Annotated[
    float, _share(typed="How much it matters; 0.7 when nothing is said.", for_models="How much it matters.")
]
Confidence: TypeAlias = Annotated[
    float, _share(typed="How sure it is; 1 when nothing is said.", for_models="How sure it is.")
]
SubjectText: TypeAlias = Annotated[
    str, _name(typed="What or whom it is about, such as light.office.", for_models="What it is about.")
]
KeyText: TypeAlias = Annotated[
    str,
    _name(
        typed="Which property of the subject. A new value for the same subject, key and context replaces the old one.",
        for_models="Which property of the subject it tells.",
    ),
]
BareValue: TypeAlias = Annotated[
    str,
    Kind(
        longest=100_000,
        typed="The bare value, such as 40%.",
        metavar="TEXT",
        for_models="What is so, without the sentence around it.",
    ),
]
HoldsIn: TypeAlias = Annotated[
    str, _name(typed="When or where it holds, such as after_sunset.", for_models="The context in which it holds.")
]
SaidBy: TypeAlias = Annotated[
    str,
    _name(typed="Who says so: user_stated (when nothing is said), inferred, learned, agent, file, external, tool …"),
]
SaidIn: TypeAlias = Annotated[str, _name(typed="The session it comes from.", metavar="ID")]
Happened: TypeAlias = Annotated[datetime, Kind(typed="When it happened.", option="--occurred")]
HoldsFrom: TypeAlias = Annotated[datetime, Kind(typed="Since when it is true.")]
HoldsUntil: TypeAlias = Annotated[datetime, Kind(typed="Until when it is true.", for_models="When it ceases to hold.")]
Expires: TypeAlias = Annotated[
    datetime,
    Kind(typed="When to stop recalling it: a time, or a span such as 30d, 12h, 90m.", option="--expires", span="ahead"),
]
Latitude: TypeAlias = Annotated[float, Kind(typed="Latitude of its place.", metavar="DEGREES")]
Longitude: TypeAlias = Annotated[float, Kind(typed="Longitude of its place.", metavar="DEGREES")]
Address: TypeAlias = Annotated[str, Kind(typed="Address of its place.", metavar="TEXT")]
PlaceLabel: TypeAlias = Annotated[str, Kind(typed="What its place is called, such as home.", option="--place")]
MoreFields: TypeAlias = Annotated[Mapping[str, Any], Kind(typed="Anything else, as a JSON object.", metavar="JSON")]
EventKind: TypeAlias = Annotated[
    str, _name(typed="What kind of event: state_change, user_action, automation, alert, or any.", metavar="NAME")
]
EventEntity: TypeAlias = Annotated[str, _name(typed="The thing to which it happened, such as cover.garage.")]
EventDetails: TypeAlias = Annotated[str, Kind(longest=100_000, typed="What else there is to say.", metavar="TEXT")]
FilledName: TypeAlias = Annotated[str, _name(shortest=1, visible=True)]
FilledValue: TypeAlias = Annotated[str, _text()]
OwnSentence: TypeAlias = Annotated[str, _text("The sentence to store; without it, one is made.")]
ParticipantName: TypeAlias = Annotated[str, Kind(shortest=1, longest=LONGEST_LABEL, visible=True)]
Participants: TypeAlias = Annotated[
    Sequence[ParticipantName],
    Kind("The names of those who took part", longest=MOST_ITEMS, typed="Who took part.", option="--participant"),
]
TrustTier: TypeAlias = Annotated[
    int,
    Kind("3 stated, 2 inferred, 1 the user's files, 0 external; at most what `source` has", least=0, most=3),
]
KeepSecret: TypeAlias = Annotated[
    bool,
    Kind(
        "Keep the secrets in content and value, encrypted, for `reveal`; only when a person asked for it",
        typed="Keep a password or code in it, too: encrypted, for `recollect get ID --reveal`.",
    ),
]
Wait: TypeAlias = Annotated[bool, Kind(here="Whether a vector is waited for is up to the service. Leave `wait` out.")]
Many: TypeAlias = Annotated[
    bool,
    Kind(
        "One of several values of its key: it stands beside the others",
        typed="The key has several values: this one and all later ones stand side by side.",
    ),
]

# What is said around a turn

Prompt: TypeAlias = Annotated[str | Sequence[str | Mapping[str, Any]], Kind("What the user says.", called="prompt")]
HostId: TypeAlias = Annotated[str, Kind("The host's own id: delivered twice, it is kept once.", longest=256)]
Speaker: TypeAlias = Annotated[str, Kind("Who says it, where several people talk.", longest=256)]
HostName: TypeAlias = Annotated[str, Kind(longest=256)]
Count: TypeAlias = Annotated[int, Kind(least=0, most=2**53 - 1)]
Metadata: TypeAlias = Annotated[Mapping[str, Any], Kind("Anything else.")]
WhereSaid: TypeAlias = Annotated[
    LocationLike, Kind("Where the user is.", parts=lambda place: with_location({"location": place}))
]
MostTokens: TypeAlias = Annotated[int, Kind("The block is never longer.", least=0, most=1_000_000)]
Project: TypeAlias = Annotated[str, Kind("What the session is about.", longest=LONGEST_QUERY)]

# Single memories, and what there is of them

Reveal: TypeAlias = Annotated[bool, Kind("With the secrets that it keeps.")]
PageCursor: TypeAlias = Annotated[
    str,
    Kind(
        "The cursor of the page before.",
        typed="Go on where the last page ended; it shows what to type.",
        metavar="ID",
        for_models=True,
    ),
]
Comment: TypeAlias = Annotated[str, Kind("Why.", longest=300)]
Rating: TypeAlias = Annotated[int, Kind("1, -1, or null to take it back.")]
MostClusters: TypeAlias = Annotated[
    int,
    Kind("At most this many groups, and pairs.", least=1, most=MOST_CLUSTERS, option="--limit -n", for_models=True),
]
MostExamples: TypeAlias = Annotated[int, Kind("Memories of each group.", least=1, most=MOST_EXAMPLES)]
LogDays: TypeAlias = Annotated[
    int,
    Kind(
        "How far back the search log is read.",
        least=1,
        most=90,
        typed="How far back the search log is read, at most 90.",
        metavar="DAYS",
    ),
]
MostEntries: TypeAlias = Annotated[int, Kind("At most so many entries in each list.", least=1, most=MOST_ITEMS)]
