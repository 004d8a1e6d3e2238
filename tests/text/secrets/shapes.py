"""Secrets made up by a seeded generator, and the places where people leave them.

No token stands here as it would in life: each is put together from parts, so that scanners have nothing to report.
"""

import base64
import random
import string
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from recollect.text.secrets.checks import luhn

BASE62 = string.ascii_letters + string.digits
BASE64 = BASE62 + "+/"
URL64 = BASE62 + "-_"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE58 = "".join(c for c in BASE62 if c not in "0OIl")
BASE32 = string.ascii_uppercase + "234567"

Dice = random.Random
Shape = Callable[[Dice], str]


class Planted(NamedTuple):
    """A secret in its surroundings."""

    shape: str
    context: str
    secret: str
    text: str


def chars(dice: Dice, alphabet: str, amount: int) -> str:
    """Roll characters; always some digit and some letter among them."""
    while True:
        rolled = "".join(dice.choices(alphabet, k=amount))
        if any(c.isdigit() for c in rolled) and any(c.isalpha() for c in rolled):
            return rolled


def prefixed(first: str, second: str, alphabet: str, amount: int) -> Shape:
    """Make a shape of a prefix, in two parts, and rolled characters."""
    return lambda dice: first + second + chars(dice, alphabet, amount)


def card(dice: Dice) -> str:
    """Roll a card number, in groups or without."""
    body = dice.choice(["4", "51", "53", "55"])
    body += "".join(dice.choices(string.digits, k=15 - len(body)))
    digits = next(body + d for d in string.digits if luhn(body + d))
    return dice.choice(["", " ", "-"]).join(digits[i : i + 4] for i in range(0, 16, 4))


def iban(dice: Dice) -> str:
    """Roll an account number with its check digits."""
    country, length = dice.choice([("DE", 22), ("CZ", 24), ("AT", 20), ("SK", 24)])
    body = "".join(dice.choices(string.digits, k=length - 4))
    check = 98 - int(body + "".join(str(int(c, 36)) for c in country) + "00") % 97
    account = f"{country}{check:02}{body}"
    return dice.choice([account, " ".join(account[i : i + 4] for i in range(0, length, 4))])


def jwt(dice: Dice) -> str:
    """Roll a signed token."""
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(f'{{"sub":"{dice.randrange(10**9)}"}}'.encode()).decode().rstrip("=")
    return f"{head}.{body}.{chars(dice, URL64, 43)}"


def pem(dice: Dice) -> str:
    """Roll an armoured key."""
    name = dice.choice(["RSA ", "EC ", "OPENSSH ", ""])
    lines = "\n".join(chars(dice, BASE64, 64) for _ in range(6))
    return f"-----BEGIN {name}PRIVATE" + f" KEY-----\n{lines}\n-----END {name}PRIVATE" + " KEY-----"


def discord(dice: Dice) -> str:
    """Roll a bot's token."""
    return f"M{chars(dice, BASE62, 23)}.{chars(dice, BASE62, 6)}.{chars(dice, URL64, 38)}"


def telegram(dice: Dice) -> str:
    """Roll a bot's token."""
    return f"{dice.randrange(10**8, 10**10)}:AA{chars(dice, URL64, 33)}"


def sendgrid(dice: Dice) -> str:
    """Roll a key in three parts."""
    return f"SG.{chars(dice, URL64, 22)}.{chars(dice, URL64, 43)}"


def database(dice: Dice) -> str:
    """Roll the password of an address; the address itself may stay."""
    return chars(dice, BASE62, 14)


TOKENS: Mapping[str, Shape] = {
    "AWS access key": prefixed("AK", "IA", UPPER, 16),
    "AWS secret key": lambda dice: chars(dice, BASE64, 40),
    "GitHub classic": prefixed("gh", "p_", BASE62, 36),
    "GitHub OAuth": prefixed("gh", "o_", BASE62, 36),
    "GitHub server": prefixed("gh", "s_", BASE62, 36),
    "GitHub fine-grained": prefixed("github", "_pat_", BASE62, 82),
    "GitLab": prefixed("gl", "pat-", URL64, 20),
    "OpenAI": prefixed("sk", "-", BASE62, 48),
    "OpenAI project": prefixed("sk-", "proj-", URL64, 64),
    "Anthropic": prefixed("sk-", "ant-api03-", URL64, 93),
    "Google API": prefixed("AI", "za", URL64, 35),
    "Google OAuth": prefixed("GOC", "SPX-", URL64, 28),
    "Google access": prefixed("ya", "29.", URL64, 60),
    "Slack bot": lambda dice: "xo" + f"xb-{dice.randrange(10**11)}-{dice.randrange(10**11)}-{chars(dice, BASE62, 24)}",
    "Slack app": lambda dice: "xa" + f"pp-1-A{chars(dice, UPPER, 10)}-{dice.randrange(10**12)}-{chars(dice, HEX, 64)}",
    "Stripe": prefixed("sk_", "live_", BASE62, 24),
    "Stripe restricted": prefixed("rk_", "live_", BASE62, 24),
    "Stripe webhook": prefixed("wh", "sec_", BASE62, 32),
    "Twilio": prefixed("S", "K", HEX, 32),
    "SendGrid": sendgrid,
    "Mailgun": prefixed("ke", "y-", HEX, 32),
    "Mailchimp": lambda dice: chars(dice, HEX, 32) + f"-us{dice.randrange(1, 22)}",
    "npm": prefixed("np", "m_", BASE62, 36),
    "PyPI": prefixed("py", "pi-AgEIcHlwaS5vcmc", URL64, 70),
    "Docker": prefixed("dckr", "_pat_", URL64, 27),
    "Hugging Face": prefixed("h", "f_", BASE62, 34),
    "DigitalOcean": prefixed("dop", "_v1_", HEX, 64),
    "Telegram": telegram,
    "Discord": discord,
    "Shopify": prefixed("shp", "at_", HEX, 32),
    "Square": prefixed("sq0", "atp-", URL64, 22),
    "Databricks": prefixed("da", "pi", HEX, 32),
    "Linear": prefixed("lin", "_api_", BASE62, 40),
    "Notion": prefixed("nt", "n_", BASE62, 46),
    "Figma": prefixed("fi", "gd_", URL64, 40),
    "Vault": prefixed("hv", "s.", URL64, 90),
    "age": prefixed("AGE-SECRET-", "KEY-1", UPPER, 58),
    "Bitcoin": prefixed("", "K", BASE58, 51),
    "JWT": jwt,
    "PEM": pem,
    "card": card,
    "IBAN": iban,
}

# Without a shape of their own: only where words say what they are.
NAMELESS: Mapping[str, Shape] = {
    "hex key": lambda dice: chars(dice, HEX, 32),
    "long hex": lambda dice: chars(dice, HEX, 40),
    "base62": lambda dice: chars(dice, BASE62, 28),
    "base64": lambda dice: chars(dice, BASE64, 43) + "=",
    "id": lambda dice: "-".join(chars(dice, HEX, n) for n in (8, 4, 4, 4, 12)),
    "short": lambda dice: chars(dice, BASE62, 16),
}

PASSWORDS: Mapping[str, Shape] = {
    "word and year": lambda dice: (
        dice.choice(["Sommer", "Praha", "kotik", "winter", "Dragon"]) + str(dice.randrange(10, 9999))
    ),
    "leet": lambda dice: (
        dice.choice(["Tr0ub4dor", "p4ssw0rd", "s3cr3tz", "H4llo"]) + dice.choice(["&3", "!", "#9", ""])
    ),
    "rolled": lambda dice: chars(dice, BASE62, 12),
    "signs": lambda dice: chars(dice, BASE62 + "!#$%*+@", 14),
    "words": lambda dice: "-".join(dice.sample(["correct", "horse", "battery", "staple", "tiger", "cloud"], 4)),
}

CONTEXTS: Mapping[str, str] = {
    "sentence": "Please keep {} somewhere safe for me",
    "env line": "API_KEY={}",
    "JSON": '{{"name": "prod", "api_key": "{}", "active": true}}',
    "YAML": "service:\n  token: {}\n  retries: 3",
    "shell export": "export SERVICE_TOKEN='{}'",
    "curl": "curl -H 'Authorization: Bearer {}' https://api.service.dev/v1/me",
    "URL query": "https://api.service.dev/v1/me?api_key={}&page=2",
    "Python": 'client = Client(api_key="{}", timeout=3)',
    "log line": "2026-03-01T10:00:00Z INFO auth token={} user=42 ok",
    "code block": "Use this:\n```\n{}\n```\nthanks",
    "inline code": "The key is `{}` as of today",
    "Russian": "Вот мой ключ: {} — никому не показывай",
    "Czech": "Můj token je {} a platí do konce roku",
    "German": "Mein API-Schlüssel lautet {} und gilt bis Mai",
    "quoted": 'He wrote "{}" on the board',
    "full stop": "The token for staging is {}.",
    "multiline": "Notes from today\n\nsecret:\n{}\n\nCall Anna",
    "parentheses": "I rotated the key ({}) yesterday",
    "colon": "Here you go: {}",
    "table row": "| production | api key | {} | Anna |",
    "flag": "deploy --env prod --token {} --verbose",
    "emoji": "🔑 {} 🎉 done",
    "escaped": '"message": "first line\\n{}\\nlast line"',
    "comma": "keys: {}, and nothing else",
    "header": "wget --header='X-Auth-Token: {}' https://a.dev",
    "clone": "git clone https://oauth2:{}@gitlab.com/a/b.git",
    "XML": "<apiKey>{}</apiKey>",
    "escaped JSON": 'body: {{\\"api_key\\": \\"{}\\"}}',
    "PowerShell": '$env:TOKEN = "{}"',
    "Dockerfile": "ENV API_KEY {}",
    "Go": 'apiSecret := "{}"',
    "named after": "{} is my API key",
    "dash": "My OpenAI key — {}",
    "Russian gap": "API ключ {} действует до мая",
    "Czech colon": "přístupový token: {}, platí do 5.5.",
    "next line": "API-Key\n{}",
}

SPOKEN_CONTEXTS: Mapping[str, str] = {
    "is": "my password is {}",
    "wifi": "The wifi password at the cabin is {}, in case you need it",
    "colon": "Password: {}",
    "env": "DB_PASSWORD={}",
    "JSON": '{{"user": "bob", "password": "{}"}}',
    "YAML": "db:\n  user: bob\n  password: {}\n",
    "quoted": "The password is '{}'.",
    "flag": "backup --user bob --password {} --all",
    "export": 'export PGPASSWORD="{}"',
    "Russian": "пароль от вайфая: {}",
    "Russian is": "Мой пароль от почты это {}, запомни",
    "Czech": "heslo je {}",
    "Czech gap": "Heslo na wifi u babičky je {} a nikomu ho neříkej",
    "German": "das Passwort lautet {}",
    "German gap": "Das Passwort für das WLAN ist {}.",
    "connection": "Server=db;User Id=sa;Password={};Encrypt=true",
    "code": "config['password'] = '{}'",
    "changed": "I changed the admin password to {} this morning",
    "table": "| bob | password | {} |",
    "bold": "**Password:** {}",
    "Python": 'connect(user="bob", password="{}")',
    "bare": "password {} works",
    "login": "user admin, pass: {}",
    "arrow": "netflix password → {}",
    "named after": "{} is the wifi password",
    "command": "sshpass -p '{}' ssh a@b",
    "netrc": "machine x.dev login bob password {}",
    "short": "pw: {}",
    "Russian bare": "логин admin пароль {}",
    "Czech verb": "nové heslo zní {}",
    "German colon": "Das WLAN-Passwort lautet: {}",
}


def planted(seed: int, rounds: int = 1) -> Iterator[Planted]:
    """Plant every secret in every place that suits it."""
    dice = random.Random(seed)
    keyed = {name: text for name, text in CONTEXTS.items() if name not in UNSAID}
    for _ in range(rounds):
        for shapes, contexts in ((TOKENS, CONTEXTS), (NAMELESS, keyed), (PASSWORDS, SPOKEN_CONTEXTS)):
            for shape, make in shapes.items():
                for context, template in contexts.items():
                    secret = make(dice)
                    yield Planted(shape, context, secret, template.format(secret))


UNSAID = ("sentence", "code block", "quoted", "colon", "emoji", "escaped", "comma")


def is_gone(secret: str, text: str) -> bool:
    """Whether no telling part of the secret is left."""
    parts = [part for part in secret.split("\n") if not part.startswith("-----")]
    return not any(part in text for part in parts) and secret[len(secret) // 3 :] not in text
