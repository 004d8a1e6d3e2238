# ruff: noqa: RUF001 -- words of four languages
"""Secrets that are known by the words beside them: passwords, codes and keys, in programs and in four languages.

One line per kind: its name, the pattern, the check. A noun alone proves nothing ("I forgot my password"); what counts
is a value that it is given, and how that value looks.
"""

from recollect.text.secrets import values
from recollect.text.secrets.kind import Kind, group, only_if

# Nouns after which nearly any value is a secret.
STRONG = (
    r"pass(?:word|wd|phrase|code|wort|wörter|key)|pwd|\bpw\b|парол[а-яё]*|hesl(?:o|a|em|u)|kennw(?:ort|örter)|geheimzahl"
    r"|losungswort|wpa2?[-_ ]?(?:key|psk)|(?:\b|_)psk|wi-?fi[-_ ]key"
)
# Nouns that often mean something else, so that the value must look random.
WEAK = (
    r"secret|token|(?:\b|[_.-])keys?|(?-i:[a-z]Key|KEY)|(?:\b|_)(?:authorization|authentication|auth|credentials?|creds?|pass\b|pass_|sid|jwt|bearer"
    r"|session(?:[-_ ]?id)?|signature|login|sas|dsn)|токен[а-яё]*|ключ[а-яё]*|секрет[а-яё]*|klíč[a-zůí]*"
    r"|klic|tajemství|[a-zü]*schlüssel|schluessel|geheimnis|zugangsdaten|přístupov[a-zéý]+ údaj[a-z]*"
)
_CLOSED = r"[\]\"'`*_\\)»”’]{0,4}"  # what ends a quoted or emphasised noun
_GAP = r"((?:[ \t(,][^\n=:|,;\x00]{0,48}?)??)"  # "for the guest network"
_COPULA = (
    r"is|was|are|be|becomes|now|it['’]s|это|теперь|был|будет|стал|je|jsou|bylo|bude|zní|ist|sind|lautet|war|wird|heißt"
    r"|bleibt"
)
_SIGN = r"[ \t\x{a0}]*(?:=>|:=|==?|:|->|→|⇒|👉|➡️?|\||[?&]=)|[ \t]+[-–—]+[ \t]|[ \t]\("
_SEPARATOR = (
    rf"((?:{_SIGN}|[\'’]s[ \t]|,?[ \t]+(?:{_COPULA})(?:[ \t]+(?:now|just|still|set to|teď|nyní|теперь"
    rf"|jetzt))?[ \t]*:?[ \t]))"
)
_OPENED = r"[\s*(\[\\«„“👉🔑➡️→\x{a0}]{0,8}"
_VALUE = r"(?:\"([^\"\n\x00]+)\"|'([^'\n\x00]+)'|`+([^`\n\x00]+)`|[\"'`]?([^\s\"'`<>|\x00]{3,}))"
_MIXED = (
    r"(?:\"([^\"\n\x00]+)\"|'([^'\n\x00]+)'|`+([^`\n\x00]+)`"
    r"|([^\s\"'`<>|\x00]*[\d!@#$%^&*+=~][^\s\"'`<>|\x00]*|[a-z]+(?:-[a-z]+){3,}))"
)
_ANY_NOUN = f"{STRONG}|{WEAK}"

_ASSIGNED = rf"([\w-]{{0,24}}?){_CLOSED}{_GAP}{_SEPARATOR}{_OPENED}{_VALUE}"
_WHOSE = r"my|the|your|our|his|her|their|мой|наш|ваш|твой|его|её|moje|naše|tvoje|vaše|mein|unser|dein|ihr|das|der|die|a"
_TOLD = r"is|as|was|это|—|–|-|je|jako|ist|als|war"
_END = r"(?:\s*(?:[.,;!?)]|$)|\s+(?:for|to|on|in|at|от|для|na|k|ke|od|für|zum|zur|von)\b)"
_DOORS = (
    r"(?:door|gate|garage|alarm|entry|access|security|unlock|lock|safe|keypad|building|voicemail|verification|one-time|2fa"
    r"|mfa|otp|sms|locker|lockbox|elevator|puk)[- ]?(?:code|combination|kód|код)?|combination|otp|puk"
    r"|код[а-яё]* (?:доступа|подтверждения|(?:от|для|к|на) )|k[óo]d (?:od|ke?|na|do|pro) "
    r"|(?:přístupov|ověřovac|bezpečnostn|vstupn)[a-zéýí]+ kód|(?:tür|tor|zugangs|sicherheits|bestätigungs"
    r"|alarm|entsperr)-?(?:code|kode)"
    r"|code (?:für|zum|zur|vom)"
    r"|code (?:for|to|of) (?:the |my |our )?(?:\w+ )?(?:door|gate|garage|alarm|safe|building|entrance|lock"
    r"|house|office|flat)"
)
_PHRASE = (
    r"(?:seed|recovery|secret|backup|mnemonic|wallet)[- ]?(?:phrase|words|fráz\p{L}+)|mnemonic|(?:сид"
    r"|seed)[- ]?(?:фраз|fráz|phras)\p{L}*|мнемо\p{L}+|\bseed"
)
_CODES = (
    r"(?:recovery|backup|scratch|rescue|2fa|emergency)[- _]?(?:codes?|keys?)|záložní kód[yů]?"
    r"|(?:резервн|запасн)\p{L}+ код\p{L}*|wiederherstellungs-?codes?|(?:backup|ersatz)-?codes?|коды? восстановления"
)
_COMMANDS = (
    r"mysql|mysqldump|mysqladmin|sshpass|mongosh?|docker\s+login|podman\s+login|az\s+login|smbclient|redis-cli|psql"
)

_FLAG = r"(?:^|[\s\"'`(])--?[\w-]{0,24}?(?:password|passwd|passphrase|pass|pwd|token|secret|key|auth|credentials?)"
_HEADER = r"(?i)\b(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?"
_SCHEME = r"(?:(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|bot)[ \t]+)?"

WORDS: tuple[Kind, ...] = (
    Kind("authorization", rf"{_HEADER}{_SCHEME}([^\s\"',;]{{6,}})", values.header, "(?i)authorization"),
    Kind("bearer token", r"(?i)\bbearer[\s:=]+[\"'`]?([\w.~+/=-]{12,})", values.bearer, "(?i)bearer"),
    Kind("basic login", r"(?i)\bbasic[ \t]+([A-Za-z0-9+/]{8,}={0,2})", values.basic, "(?i)basic "),
    Kind("cookie", r"(?i)\b(?:set-)?cookie[\"']?\s*[:=]\s*[\"']?([^\n\"']{6,})", values.cookie, "(?i)cookie"),
    Kind(
        "session",
        r"(?i)\b(?:jsessionid|phpsessid|asp\.net_sessionid|connect\.sid|sess(?:ion)?_?(?:id|key)?|sid|csrf_?token|remember_token)=([^\s;\"'&]{8,})",
        values.session,
        r"(?i)(?:sess\w*|sid|token)=",
    ),
    Kind(
        "password in a URL",
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,64}:([^\s/\"'<>?#]{1,200})@[\w.\[-]",
        values.url_password,
        r"://[^\s/:@\"'<>]*:[^\s/\"'<>?#]*@",
    ),
    Kind(
        "password",
        r"(?:^|\s)(?:-u|--user|--proxy-user)[ =][\"']?[^\s:\"']{1,64}:([^\s\"']{1,128})",
        values.url_password,
        r"(?:-u|user)[ =][\"']?[^\s:\"']*:",
    ),
    Kind(
        "password",
        rf"(?i)\b(?:{_COMMANDS})\b[^\n|]{{0,80}}?\s-(?:p|a|w)[ =]?[\"']?([^\s\"'-][^\s\"']{{3,}})",
        values.flag,
        rf"(?i)\b(?:{_COMMANDS})\b",
    ),
    Kind(
        "credential",
        rf"(?i){_FLAG}(?:-\w{{1,12}})?[ =]+[\"']?([^\s\"'-][^\s\"']{{3,}})",
        values.flag,
        r"(?:^|[\s\"'`(])--?[A-Za-z]",
    ),
    Kind(
        "credential",
        rf"(?i)<[\w:.-]{{0,40}}(?:(?:name|key)=[\"']?[\w.-]{{0,40}})?(?:{_ANY_NOUN})[^<>]{{0,40}}>\s*([^<\s][^<\n]{{2,300}})</",
        values.element,
        r"</",
    ),
    Kind(
        "credential",
        rf"(?i)(?:{_ANY_NOUN})[\w-]{{0,24}}{_CLOSED}[\s,;]{{1,20}}[\"']?value[\"']?\s*[:=]\s*[\"']?([^\s\"'<>]{{4,}})",
        values.flag,
        r"(?i)value[\"']?\s*[:=]",
    ),
    Kind("password", rf"(?i)({STRONG}){_ASSIGNED}", values.password, f"(?i){STRONG}"),
    Kind(
        "password",
        rf"(?i)({STRONG})()([^\n\x00]{{0,60}}?)([\s:=«„“(]+)[\"'`]?{_MIXED}",
        values.password_nearby,
        f"(?i){STRONG}",
    ),
    Kind(
        "passphrase",
        r"(?i)(?:pass[- ]?phrase|парольн\p{L}+ фраз\p{L}+)(?:[^\n:=\"]{0,30}?(?: is|:"
        r"|=))?[ \"'`]+((?:[a-z]{3,12}[ -]){3,9}[a-z]{3,12})",
        only_if(values.seed_phrase, 1),
        r"(?i)pass[- ]?phrase|парольн",
    ),
    Kind("credential", rf"(?i)({WEAK}){_ASSIGNED}", values.credential, f"(?i){WEAK}"),
    Kind(
        "credential",
        rf"(?i)({_ANY_NOUN})([^\n\x00]{{0,60}}?)[\s\"'`(=:|]+([\w+/=.~-]{{16,}})",
        values.dense_nearby,
        f"(?i)(?:{_ANY_NOUN})",
    ),
    Kind(
        "password",
        rf"(?i)([^\s\"'`«„]{{6,}})[\"'`»“)]?[ \t]+"
        rf"(?:{_TOLD})[ \t]+(?:{_WHOSE})[ \t]+(?:[\w-]+[ \t]+){{0,2}}?(?:{_ANY_NOUN}){_END}",
        values.named_after,
        f"(?i)(?:{_TOLD})[ \t]+(?:{_WHOSE})[ \t]+(?:[\\w-]+[ \t]+){{0,2}}?(?:{_ANY_NOUN})",
    ),
    Kind(
        "PIN",
        r"(?i)(?:(?:\b|_)pins?|(?:^|[^\p{L}])пин[аоу]?м?)(?:[- ]?(?:code|kód|kod|код[а-яё]*"
        r"|number))?[\"'`]?([ (,][^\n\d]{0,40})?[\s:=–—|→#\"'`-]*(\d{4,8})\b",
        values.pin,
        r"(?i)(?:\b|_)pin|пин",
    ),
    Kind(
        "access code",
        rf"(?i)(?:\b|^|[^\w])(?:{_DOORS})\b?([^\n\d]{{0,40}}?)[\s:=–—|→#\"'`*-]+([#*]?\d[\d-]{{2,9}}[#*]?|\p{{L}}{{0,3}}\d[\p{{L}}\d]{{2,9}})(?:[^\w-]|$)",
        values.door_code,
        f"(?i){_DOORS}",
    ),
    Kind(
        "card code",
        r"(?i)(?:\b(?:cvv2?|cvc2?|csc|cvn|prüfnummer|kartenprüfnummer)|security code|код безопасности"
        r"|ověřovací kód)(?:[^\n\d\p{L}]|is|ist|je|number|code|это){0,6}(\d{3,4})\b",
        group,
        r"(?i)\bcv[vcn]|\bcsc|prüfnummer|security code|код безопасности|ověřovací kód",
    ),
    Kind(
        "social security number",
        r"(?i)\b(?:ssn|social security)[^\n\d]{0,20}(\d{3}[- ]?\d{2}[- ]?\d{4})\b",
        group,
        "(?i)ssn|social sec",
    ),
    Kind(
        "seed phrase",
        rf"(?i)(?:{_PHRASE})[^\n:=\"]{{0,40}}?[\s:=\"'`*-]+((?:\d{{1,2}}[.)]?\s*)?(?:[a-z]{{3,8}}[\s,]+(?:\d{{1,2}}[.)]?\s*)?){{11,23}}[a-z]{{3,8}})",
        only_if(values.seed_phrase, 1),
        f"(?i){_PHRASE}",
    ),
    Kind(
        "recovery codes",
        rf"(?i)(?:{_CODES})[^\n\d:]{{0,40}}?[\s:=\"'`*\[-]+((?:[0-9A-Za-z.)-]+[\s,;\"'|*•]+){{0,40}}[0-9A-Za-z-]{{4,}})",
        values.code_list,
        f"(?i){_CODES}",
    ),
    Kind(
        "private key",
        r"(?i)(?:private|secret|signing|wallet|eth\w*|приватн\p{L}+|soukrom\p{L}+|privat\p{L}+)[ _-]?(?:key|ключ"
        r"|klíč|schlüssel)[^\n]{0,40}?((?:0x)?[0-9a-f]{64})\b",
        group,
        r"(?i)key|ключ|klíč|schlüssel",
    ),
    Kind(
        "TOTP secret",
        r"(?i)(?:totp|2fa|mfa|otp|authenticator)[ _-]?(?:secret|key|seed|setup key|klíč"
        r"|ключ)[^\n]{0,24}?[\s:=\"'`]((?:[A-Z2-7]{4}[ -]?){4,16})",
        only_if(values.base32, 1),
        r"(?i)totp|2fa|mfa|otp|authenticator",
    ),
)
