r"""Formats of secrets: tokens with an issuer's prefix, settings with a secret's name, private keys, addresses.

Provenance of tokens: see `core.secrets.token_formats`. Settings and addresses follow the
documentation of the programs that read them. A changed rule causes every index and ledger to be redacted again
(`core.secrets.redact.rules_version`).
"""

import re
from dataclasses import dataclass

from repomem.core.secrets.token_formats import TOKEN_RULES, rule


@dataclass(frozen=True, slots=True)
class CueRule:
    """A secret that is recognised by its surroundings; `cue` is a literal that every match contains."""

    kind: str
    cue: str
    pattern: str


_ALNUM = "[0-9A-Za-z]"
_BASE64 = "[0-9A-Za-z+/]"
_FREE = r"(?:(?<![0-9A-Za-z+/-])|(?<=\\[nrt]))"  # where a token can begin: after an escape in a string, too

# Settings: the prefix is a name, and only the value is secret. Placeholders in documentation are not.
_NO_PLACEHOLDER = r"(?!\[REDACTED:|[$<{])"
_SET = r"[\"'\]]{0,2}\s{0,3}(?:=>|:=|[=:,])\s{0,3}[\"'`]?"  # between a name and its value
_AWS_SECRET = rf"{_SET}(?P<secret>(?=[A-Za-z+/]*\d)[0-9A-Za-z/+]{{40}})(?![0-9A-Za-z/+=])"
SETTINGS = (
    rule(
        "authorization",
        "Authorization authorization",
        r"[\"']?\s*[:=,]\s*[\"']?(?:[Bb]earer|[Tt]oken|[Bb]asic)\s+(?P<secret>(?=[\w.+/~-]*\d)[\w.+/~-]{16,}=*)",
    ),
    rule("npmrc-token", "_authToken", r"\s*=\s*[\"']?(?P<secret>(?=[\w.+/-]*\d)[\w.+/-]{16,}=*)"),
    rule("netrc-password", "machine", rf"\s+\S+\s+login\s+\S+\s+password\s+{_NO_PLACEHOLDER}(?P<secret>\S+)"),
    rule("azure-storage-key", "AccountKey= SharedAccessKey=", f"(?P<secret>{_BASE64}{{40,}}={{0,2}})"),
    rule("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/(?P<secret>[\w/+]{43,})"),
    rule("aws-secret-key", "AWS_SECRET_ACCESS_KEY aws_secret_access_key AWS_SECRET_KEY aws_secret_key", _AWS_SECRET),
    rule("aws-secret-key", "SecretAccessKey secretAccessKey SECRET_ACCESS_KEY secret_access_key", _AWS_SECRET),
    rule("aws-session-token", "AWS_SESSION_TOKEN aws_session_token", rf"{_SET}(?P<secret>[\w+/=%-]{{100,}})"),
    rule("signed-url", "X-Amz-Signature= X-Goog-Signature=", r"(?P<secret>[0-9a-f]{64,})"),
    rule("signed-url", "sig=", r"(?P<secret>[\w%+/]{30,}(?:%3[dD]|=))"),
    rule("zapier-webhook", "hooks.zapier.com/hooks/catch/", r"(?P<secret>\d{5,}/[0-9a-z]{6,})"),
    rule("gitlab-session", "_gitlab_session=", r"(?P<secret>[0-9a-f]{32})"),
    rule("laravel-key", "APP_KEY=base64:", rf"(?P<secret>{_BASE64}{{43}}=)"),
    rule("wireguard-key", "PrivateKey PresharedKey", rf"\s*=\s*(?P<secret>{_BASE64}{{43}}=)"),
    rule(
        "npmrc-token", "_auth= _password=", rf"[\"']?(?P<secret>(?=[A-Za-z+/]*\d){_BASE64}{{20,}}={{0,2}})(?![\w.(\[])"
    ),
    rule(
        "header-token",
        "X-Api-Key x-api-key X-API-Key X-API-KEY X-Auth-Token x-auth-token X-Vault-Token x-vault-token PRIVATE-TOKEN"
        " Private-Token private-token JOB-TOKEN X-RapidAPI-Key x-rapidapi-key",
        r"[\"']?\s*[:=,]\s*[\"']?(?P<secret>(?=[\w.+/~-]*\d)[\w.+/~-]{16,}=*)",
    ),
    rule(
        "curl-password",
        "curl",
        rf"[^\n]{{0,200}}?\s(?:-u|--user)[ =][\"']?[^\s:\"']{{0,60}}:{_NO_PLACEHOLDER}"
        r"(?P<secret>(?=\S*\d)[^\s\"'@]{6,})",
    ),
)

# A secret without a recognisable format, assigned to a name with both its issuer and a word such as "token". The
# issuers are those of gitleaks, and some more from their documentation.
_ISSUERS = (
    "ably adafruit algolia alibaba artifactory asana auth0 bittrex bitbucket box braintree cisco circleci clarifai"
    " clerk clickhouse cloudflare cloudinary codecov cohere coinbase confluent contentful datadog dd deepgram discord"
    " drone droneci dropbox etsy facebook fastly figma finicity finnhub flickr freshbooks gitea gitter gocardless"
    " hcloud heroku hetzner hubspot instagram intercom jenkins jfrog jira kraken kucoin launchdarkly linear linkedin"
    " linode logz looker mailchimp mailgun mailjet mapbox mattermost meraki messagebird mistral nasa netlify newrelic"
    " ngrok nytimes okta openai openweather ovh pagerduty paypal plaid postmark pusher rapidapi reddit rollbar"
    " segment sendbird sentry shodan shopify snyk sonar sparkpost spotify square squarespace strava sumo sumologic"
    " telegram travis trello twilio twitch twitter vimeo virustotal vonage vultr wakatime wandb yandex zendesk zhipu"
    " zhipuai zoom"
)
_NAMES = " ".join(spelled for name in _ISSUERS.split() for spelled in (name, name.upper(), name.capitalize()))
_MIXED = r"(?=[\w+/.:-]*\d)(?=[\w+/.:-]*[A-Za-z])[\w+/.:-]{20,200}={0,2}"
_TWO_DIGITS = r"(?=(?:[^\s\d]*\d){2})"
NAMED = (
    rule(
        "named-secret",
        _NAMES,
        rf"[\w.-]{{0,30}}?(?i:key|token|secret|passw|_pat\b)[\w-]{{0,20}}{_SET}"
        rf"(?P<secret>(?<=[\"'`]){_MIXED}(?=[\"'`])|(?<![\"'`]){_TWO_DIGITS}{_MIXED}(?=\s|\Z|[;#]|\\n))",
    ),
)

PREFIX_RULES = TOKEN_RULES + SETTINGS + NAMED

# A key in a file, in a string literal (quotes, `\n`, `+`) or cut off before its end. Its BEGIN and END lines are kept,
# so that a reader sees what was redacted. The groups are atomic because `+` is both glue and base64, and a long run
# must be scanned only once; not possessive, since Python before 3.11.5 misreads `(?:…){0,9}+` (python/cpython#106052).
_KEY_GLUE = r"(?>(?:\\[nrt]|[\s\"'`,.#*|>;()&+\\-]){1,80})"
_KEY_HEADER = rf"{_KEY_GLUE}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{{0,120}}+"
_KEY_LINE = r"[0-9A-Za-z+/]{24,}+={0,2}+"  # longer than the words that may follow a key without an end
_KEY_TAIL = (
    rf"(?>(?:{_KEY_GLUE}{_KEY_LINE}){{0,200}})"
    rf"(?>(?:{_KEY_GLUE}=?[0-9A-Za-z+/]{{1,23}}+={{0,2}}+(?={_KEY_GLUE}END )){{0,2}})"
)
_KEY_BEGIN = r"-----BEGIN (?:[0-9A-Z]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"-----END (?:[0-9A-Z]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"

# Placeholders for passwords in documentation.
_PLACEHOLDER = (
    r"(?!\[REDACTED:)(?![$%{<(*.:\[]|(?i:pass(?:word|wd|phrase)?|pwd?|secret|token|key|x+|user(?:name)?|changeme|foo|bar"
    r"|[a-z_]*password[a-z_]*|your[\w-]*|my[\w-]*)@)"
)

# Microsoft's keys have a marker near the end; the key is the number of characters before it.
_AZURE = {
    76: ("AZDO", "ACDb", "+ASt", "+ABa"),  # Azure DevOps, Cosmos DB, Storage, Batch
    52: ("JQQJ99",),  # the newer ones, of every service
    42: ("+ACR", "AzSe"),  # Container Registry, Search
    33: ("AzCa",),  # Redis; those of buses and hubs are in connection strings
}

CUE_RULES = (
    CueRule(
        "private-key",
        "PRIVATE KEY",
        rf"{_KEY_BEGIN}(?>(?:{_KEY_HEADER}){{0,6}}){_KEY_GLUE}(?P<secret>{_KEY_LINE}{_KEY_TAIL})",
    ),
    CueRule(
        "private-key",
        "PRIVATE KEY",  # a key of which only the end is here
        rf"(?<![0-9A-Za-z+/])(?P<secret>{_KEY_LINE}{_KEY_TAIL})(?=(?>(?:\\[nrt]|[\s\"'+,]){{0,40}}){_KEY_END})",
    ),
    CueRule(
        "url-password",
        "://",
        rf"://[^\s\"'`<>/:@\[\]]{{0,80}}:{_PLACEHOLDER}(?P<secret>[^\s\"'`<>/@]{{3,200}})@[\w.\[-]",
    ),
    CueRule(
        "azure-client-secret", "Q~", r"(?:(?<![\w.~-])|(?<=\\[nrt]))(?P<secret>[\w.~]{3}\dQ~[\w.~-]{31,34})(?![\w.~-])"
    ),
    CueRule(
        "terraform-token", ".atlasv1.", r"(?:(?<![0-9A-Za-z])|(?<=\\[nrt]))[0-9A-Za-z]{14}\.atlasv1\.[\w=-]{60,70}"
    ),
    CueRule("firebase-key", ":APA91b", r"(?<![\w-])[\w-]{7,11}:APA91b[\w-]{100,}"),
    CueRule("telegram-bot-token", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])"),
    CueRule("discord-webhook", "iscord", r"api/webhooks/\d{17,20}/(?P<secret>[\w-]{60,})"),
    CueRule("discord-token", "iscord", r"(?<![\w.-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])"),
    CueRule(
        "teams-webhook", "/webhookb2/", r"/webhookb2/(?P<secret>[\w@-]{36,}/IncomingWebhook/[0-9a-f]{32}/[\w-]{36})"
    ),
    CueRule("url-password", "://", r"://(?P<secret>(?=(?:[A-Za-z_-]*\d){3})[\w-]{20,200})(?=@[\w.-])"),
    CueRule(
        "connection-password",
        "assword=",
        rf"(?<=[;?&])(?i:password)={_NO_PLACEHOLDER}(?P<secret>(?=[^\s;&\"'<>{{}}$%()]*\d)[^\s;&\"'<>{{}}$%()]{{6,200}})",
    ),
    CueRule(
        "connection-password",
        "PWD=",
        rf"(?<=;)PWD={_NO_PLACEHOLDER}(?P<secret>(?=[^\s;&\"'<>{{}}$%()]*\d)[^\s;&\"'<>{{}}$%()]{{6,200}})",
    ),
    CueRule("docker-auth", '"auth"', rf'"auth"\s*:\s*"(?P<secret>(?=[A-Za-z+/]*\d){_BASE64}{{20,}}={{0,2}})"'),
    CueRule("nuget-password", 'Password" value', r'key="(?:ClearText)?Password" value="(?P<secret>[^"%${]{6,})"'),
    *(
        CueRule(
            "azure-key",
            mark,
            rf"{_FREE}{_BASE64}{{{place}}}{re.escape(mark)}{_BASE64}{{4,26}}={{0,2}}(?!{_BASE64})",
        )
        for place, marks in _AZURE.items()
        for mark in marks
    ),
    CueRule("azure-key", "AzFu", r"[\w-]{40,}AzFu[\w-]{4,}={0,2}"),
    CueRule("new-relic-key", "NRAL", rf"{_FREE}[0-9a-f]{{36}}NRAL(?!{_ALNUM})"),
    CueRule("mailchimp-key", "-us", rf"[0-9a-f]{{32}}-us\d{{1,2}}(?!{_ALNUM})"),
    CueRule("maxmind-key", "_mmk", rf"{_FREE}[0-9A-Za-z]{{6}}_[0-9A-Za-z]{{29}}_mmk(?!{_ALNUM})"),
)
