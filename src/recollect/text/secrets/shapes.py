# ruff: noqa: RUF001 -- dashes as people write them
"""Secrets that are known by their own shape, wherever they stand: the tokens of vendors, keys in blocks, cards.

One line per kind: its name, then the pattern. More specific kinds stand before more general ones.
"""

from recollect.text.secrets import checks
from recollect.text.secrets.kind import Kind, group, only_if
from recollect.text.secrets.numbers import account_number, card_number, card_number_after, pem_block, social_number

# What may stand before a token that has no telling beginning: no letter, unless it ends an escape such as \n or %3D.
_EDGE = r"(?:\b|\\[nrt]|%[0-9A-F]{2}|\x1b\[[0-9;]*m|_)"

# Kinds whose beginning says everything.
_TELLING = {
    "AWS access key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,20}",
    "AWS Bedrock key": r"ABSK[A-Za-z0-9+/]{60,}={0,2}",
    "GitHub token": r"gh[pousr]_[A-Za-z0-9_]{20,}|github_pat_\w{22,}",
    "GitLab token": r"gl(?:pat|ptt|rt|[df]t|soat|agent|cbt|imt|oas|ffct)-[\w-]{16,}(?:\.\w{2,}){0,3}|GR13489[\w-]{20,}",
    "Atlassian token": r"ATATT3[\w=-]{40,}|ATBB[A-Za-z0-9]{24,}|ATCTT3[\w=-]{40,}",
    "Anthropic key": r"sk-ant-[\w-]{16,}",
    "OpenRouter key": r"sk-or-(?:v\d-)?[\w-]{20,}",
    "OpenAI key": r"sk-(?:proj|svcacct|admin|None|service)-[\w-]{16,}|sess-[A-Za-z0-9]{40}",
    "Google API key": r"AIza[\w-]{30,}",
    "Google OAuth secret": r"GOCSPX-[\w-]{20,}",
    "Google access token": r"ya29\.[\w.-]{20,}[\w-]",
    "Google refresh token": r"1//0[\w-]{24,}",
    "Firebase key": r"AAAA[\w-]{7}:[\w-]{100,}",
    "Slack token": r"(?:xoxe\.)?xox[abceoprs]-[\w-]{10,}|xapp-[\w-]{20,}",
    "Slack webhook": r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/+-]{20,}",
    "Discord webhook": r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,}/[\w-]{30,}",
    "Zapier webhook": r"hooks\.zapier\.com/hooks/catch/\d+/\w+",
    "Stripe key": r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{20,}={0,2}",
    "SendGrid key": r"SG\.[\w-]{14,}\.[\w-]{20,}",
    "Brevo key": r"x(?:keysib|smtpsib)-[0-9a-f]{40,}(?:-\w{8,})?",
    "npm token": r"npm_[A-Za-z0-9]{30,}",
    "PyPI token": r"pypi-[\w-]{40,}",
    "RubyGems token": r"rubygems_[0-9a-f]{40,}",
    "Clojars token": r"CLOJARS_[a-z0-9]{40,}",
    "Docker token": r"dckr_(?:pat|oat)_[\w-]{20,}",
    "DigitalOcean token": r"do[opr]_v1_[0-9a-f]{40,}",
    "Heroku key": r"HRKU-[\w-]{30,}",
    "Shopify token": r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{24,}",
    "Square token": r"sq0(?:atp|csp|idp)-[\w-]{20,}",
    "Linear key": r"lin_(?:api|oauth|wh)_\w{24,}",
    "Notion token": r"ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,}",
    "Figma token": r"fig[doru]{1,2}_[\w-]{24,}",
    "Vault token": r"hv[sbr]\.[\w-]{20,}",
    "age key": r"AGE-SECRET-KEY-1[0-9A-Za-z]{40,}",
    "Doppler token": r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{36,}",
    "Cloudflare key": r"v1\.0-[0-9a-f]{20,}-[0-9a-f]{100,}|cf(?:ut|k|at)_[\w-]{36,}",
    "Netlify token": r"nfp_[\w-]{30,}",
    "Supabase key": r"sbp_(?:v0_)?[0-9a-f]{36,}|sb_secret_[\w-]{20,}",
    "PlanetScale token": r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}",
    "Grafana token": r"gl(?:c|sa)_[\w+/-]{30,}={0,2}",
    "New Relic key": r"NR(?:AK|JS|II|IQ|RA)-[\w-]{19,}",
    "Sentry token": r"sntry[su]_[\w+/=-]{40,}",
    "Dynatrace token": r"dt0[a-z]\d\d\.[A-Z0-9]{20,}\.[A-Z0-9]{60,}",
    "Airtable token": r"pat[A-Za-z0-9]{14}\.[0-9a-f]{60,}",
    "HubSpot token": r"pat-(?:na|eu|ap)\d-[0-9a-f-]{32,}",
    "Typeform token": r"tfp_[\w.=-]{40,}",
    "Postman key": r"PMAK-[0-9a-f]{20,}-[0-9a-f]{30,}",
    "Pulumi token": r"pul-[0-9a-f]{40}",
    "Groq key": r"gsk_[A-Za-z0-9]{40,}",
    "Replicate token": r"r8_[A-Za-z0-9]{30,}",
    "xAI key": r"xai-[A-Za-z0-9]{60,}",
    "Perplexity key": r"pplx-[A-Za-z0-9]{40,}",
    "Nvidia key": r"nvapi-[\w-]{40,}",
    "LangSmith key": r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,}",
    "Tavily key": r"tvly-[\w-]{20,}",
    "PayPal token": r"access_token\$(?:production|sandbox)\$\w{12,20}\$[0-9a-f]{32}",
    "Plaid token": r"access-(?:sandbox|development|production)-[0-9a-f-]{32,}",
    "Razorpay key": r"rzp_(?:live|test)_\w{14,}",
    "Dropbox token": r"sl\.(?:u\.)?[\w-]{60,}",
    "1Password token": r"ops_eyJ[\w-]{60,}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,6}-){4,5}[A-Z0-9]{5}",
    "Sourcegraph token": r"sgp_(?:\w{10,20}_)?[0-9a-f]{40}",
    "Shippo token": r"shippo_(?:live|test)_[0-9a-f]{40}",
    "EasyPost key": r"EZ[AT]K[A-Za-z0-9]{50,}",
    "Flutterwave key": r"FLWSECK(?:_TEST)?-[\w-]{12,}",
    "Mapbox token": r"sk\.eyJ[\w-]{40,}\.[\w-]{20,}",
    "Tailscale key": r"tskey-(?:[a-z]+-)?[\w-]{16,}",
    "Fly token": r"fm[12]r?_[A-Za-z0-9+/=_-]{60,}|fo1_[\w-]{40,}",
    "Contentful token": r"CFPAT-[\w-]{40,}",
    "Yandex key": r"AQVN[\w-]{35,}|\by[0-3]_[\w-]{50,}",
    "Alibaba key": r"LTAI[A-Za-z0-9]{16,20}",
    "Tencent key": r"AKID[A-Za-z0-9]{28,}",
    "Bitcoin extended key": r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{90,}",
    "JWT": r"eyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*){1,3}",
}

# Kinds whose beginning is short: it must stand at an edge, and the rest must fall like dice.
_SHORT = {
    "OpenAI key": r"sk-[\w-]{20,}",
    "Hugging Face token": r"(?:hf|api_org)_[A-Za-z0-9]{30,}",
    "Twilio key": r"(?:SK|AC)(?:[0-9a-f]{32}|[0-9A-F]{32})",
    "Databricks token": r"dapi[0-9a-f]{32}(?:-\d)?",
    "Square token": r"EAAA[\w-]{56,}",
    "Facebook token": r"EAA[A-Za-z0-9]{60,}",
    "Vault token": r"s\.[A-Za-z0-9]{24}",
    "Resend key": r"re_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}",
    "Bitcoin key": r"(?:5[1-9A-HJ-NP-Za-km-z]{50}|[KLc][1-9A-HJ-NP-Za-km-z]{51})\b",
}

# Kinds that begin like any word: the hint is what is rare in them.
_INNER = {
    "Mailgun key": (
        r"key-[0-9a-f]{32}|[0-9a-f]-[0-9a-f]{8}-[0-9a-f]{8}\b",
        r"key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b",
    ),
    "Mailchimp key": (r"[0-9a-f]-us\d", r"[0-9a-f]{32}-us\d{1,2}"),
    "Azure client secret": (r"\dQ~", r"[\w~.-]{3}\dQ~[\w~.-]{30,}"),
    "Azure key": (
        r"JQQJ99|\+A(?:St|Ci|Db|IoT)",
        r"[A-Za-z0-9]{40,60}JQQJ99[A-Za-z0-9]{20,}|[A-Za-z0-9+/]{70,90}\+?A(?:St|Ci|Db|IoT)[\w+/]{5,}={0,2}",
    ),
    "Terraform token": (r"\.atlasv1\.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}"),
    "Teams webhook": (r"\.webhook\.office\.com", r"\w+\.webhook\.office\.com/webhookb2/[\w@/-]{40,}"),
    "Telegram bot token": (r"\d{6}:[\w-]{33}", r"\d{6,12}:[\w-]{33,40}"),
    "Discord token": (r"\.[\w-]{6,7}\.[\w-]{27}", r"[A-Za-z0-9][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,}"),
    "Asana token": (r"[0-2]/\d{10}", r"[0-2]/\d{10,}[:/](?:\d{10,}:)?[0-9a-f]{32}"),
    "API token": (r"[_-][A-Za-z0-9]{24}", r"[A-Za-z][A-Za-z0-9]{1,11}(?:[_-][a-z0-9]{2,10}){0,2}[_-][A-Za-z0-9]{24,}"),
}

_PEM = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-{1,4}[^-])*(?:-----END [A-Z0-9 ]{0,40}-----)?"

_SCATTERED = 0.4  # a token of letters alone
_LEAST_DIFFERENT = 20  # characters in a secret of forty


def _random_rest(value: str) -> bool:
    random = checks.is_random(value) or checks.is_hex(value[-32:]) or checks.scatter(value) >= _SCATTERED
    return random and not checks.is_placeholder(value)


def _dense_rest(value: str) -> bool:
    return (
        not checks.is_digest(value)
        and checks.is_dense(value.replace("_", "-").rpartition("-")[2])
        and not checks.is_placeholder(value)
    )


def _bare_secret(value: str) -> bool:
    return checks.is_dense(value) and len(set(value)) > _LEAST_DIFFERENT


def _real(value: str) -> bool:
    return not checks.is_placeholder(value)


SHAPES: tuple[Kind, ...] = (
    Kind("private key", _PEM, pem_block, "PRIVATE KEY"),
    *(Kind(name, pattern, only_if(_real), pattern) for name, pattern in _TELLING.items()),
    *(
        Kind(name, f"{_EDGE}({pattern})", only_if(_random_rest, 1), f"{_EDGE}(?:{pattern})")
        for name, pattern in _SHORT.items()
    ),
    *(
        Kind(name, f"{_EDGE}({pattern})", only_if(_dense_rest if name == "API token" else _random_rest, 1), hint)
        for name, (hint, pattern) in _INNER.items()
    ),
    Kind(
        "AWS secret key",
        r"(?:^|\\[nrt]|%3D|[^A-Za-z0-9+/_.-])([A-Za-z0-9+/]{40})(?:$|[^A-Za-z0-9+/=_-])",
        only_if(_bare_secret, 1),
        r"[A-Za-z0-9+/]{40}",
    ),
    Kind(
        "Azure storage key",
        r"(?i)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/%]{20,}={0,2})",
        group,
        "(?i)AccessKey=|AccountKey=",
    ),
    Kind(
        "signature",
        r"(?i)[?&;](?:sig|x-amz-signature|x-goog-signature|signature)=([\w%+/=-]{20,})",
        group,
        "(?i)[?&;](?:sig|x-)",
    ),
    Kind("TOTP secret", r"(?i)otpauth://[^\s\"'<>]{0,300}?secret=([A-Z2-7=]{8,})", group, "(?i)otpauth:"),
    Kind("card number", r"(?:^|[^\d])(\d(?:[  .–-]?\d){12,18})(?:[^\d]|$)", card_number, r"\d(?:[  .–-]?\d){12}"),
    Kind(
        "card code",
        r"\d{4}[\s,;/|]{1,3}(?:exp\w*\.?:?\s?)?\d{1,2}\s?/\s?\d{2,4}[\s,;/|]{1,3}(?:cv[vc]2?:?\s?)?(\d{3,4})\b",
        card_number_after,
        r"\d{4}[\s,;/|]{1,3}(?:exp\w*\.?:?\s?)?\d{1,2}\s?/\s?\d{2}",
    ),
    Kind(
        "IBAN",
        r"(?:\b|\\[nrt])([A-Za-z]{2}\d{2}(?:[  -]?[A-Za-z0-9]){11,30})",
        account_number,
        r"[A-Za-z]{2}\d{2}[  -]?[A-Za-z0-9]{4}",
    ),
    Kind("social security number", r"\b\d{3}-\d{2}-\d{4}\b", social_number, r"\d-\d{2}-\d{4}"),
)
