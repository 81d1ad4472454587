r"""What secrets look like: one rule for each kind of token that names its issuer.

Provenance: the shapes are public facts of each issuer's documentation; most were checked against the rule set that
gitleaks publishes (MIT, config/gitleaks.toml at b58d3f10), rewritten here with open ends (`{36,}` where it says
`{36}`), so that a longer token of a later version is gone too. Families that gitleaks lacks say so.

A pattern is a plain `re` source. A rule takes its whole match for the secret, or its group `secret` where it has one.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrefixRule:
    """A token that begins with one of `prefixes` (literals) after a character that is no letter or digit."""

    kind: str
    prefixes: tuple[str, ...]
    rest: str  # the pattern that must follow


@dataclass(frozen=True, slots=True)
class CueRule:
    """A secret that is known by what stands around it; `cue` is a literal that every match contains."""

    kind: str
    cue: str
    pattern: str


def _rule(kind: str, prefixes: str, rest: str) -> PrefixRule:
    return PrefixRule(kind, tuple(prefixes.split()), rest)


_ALNUM = "[0-9A-Za-z]"
_WORD = r"[\w-]"
_HEX = "[0-9a-f]"
_BASE64 = "[0-9A-Za-z+/]"

CLOUDS = (
    _rule("aws-access-key", "AKIA ASIA ABIA ACCA", "[0-9A-Z]{16}(?![0-9A-Za-z])"),
    _rule("aws-bedrock-key", "ABSK", f"{_BASE64}{{109,}}={{0,2}}"),
    _rule("alibaba-access-key", "LTAI", f"{_ALNUM}{{20}}(?!{_ALNUM})"),
    _rule("google-api-key", "AIza", rf"{_WORD}{{35}}"),
    _rule("google-oauth-secret", "GOCSPX-", rf"{_WORD}{{28}}"),  # Google's documentation
    _rule("google-oauth-token", "ya29.", rf"{_WORD}{{60,}}"),  # Google's documentation
    _rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", f"{_HEX}{{64}}"),
    _rule("heroku-key", "HRKU-AA", rf"{_WORD}{{58}}"),
    _rule("fly-token", "fo1_ fm1a_ fm1r_ fm2_", r"[\w+/=-]{43,}"),
    _rule("planetscale-secret", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[\w=.-]{32,64}"),
    _rule("scalingo-token", "tk-us-", rf"{_WORD}{{48}}"),
    _rule("databricks-token", "dapi", rf"{_HEX}{{32}}(?:-\d)?"),
    _rule("dynatrace-token", "dt0c01.", rf"{_ALNUM}{{24}}\.{_ALNUM}{{64}}"),
    _rule("supabase-key", "sbp_", f"{_HEX}{{40}}"),  # Supabase's documentation
    _rule("cloudflare-origin-key", "v1.0-", f"{_HEX}{{24}}-{_HEX}{{146}}"),
)

FORGES = (
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_ALNUM}{{36,}}"),
    _rule("github-pat", "github_pat_", r"\w{82,}"),
    _rule(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glft- glimt- glsoat- glffct- glagent- gloas- glcbt-",
        r"[\w.-]{20,}",
    ),
    _rule("gitlab-runner-token", "GR1348941", rf"{_WORD}{{20}}"),
    _rule("sourcegraph-token", "sgp_", rf"(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}"),
    _rule("atlassian-token", "ATATT3", r"[\w=-]{186}"),
    _rule("bitbucket-token", "ATCTT3", r"[\w=-]{50,}"),  # Atlassian's documentation
)

REGISTRIES = (
    _rule("npm-token", "npm_", f"{_ALNUM}{{36}}"),
    _rule("pypi-token", "pypi-", r"AgE[\w-]{50,}"),
    _rule("rubygems-key", "rubygems_", f"{_HEX}{{48}}"),
    _rule("clojars-token", "CLOJARS_", f"{_ALNUM}{{60}}"),
    _rule("crates-token", "cio", f"{_ALNUM}{{32}}(?!{_ALNUM})"),  # as its registry documents it
    _rule("docker-token", "dckr_pat_", rf"{_WORD}{{27,}}"),  # Docker's documentation
    _rule("artifactory-key", "AKCp", f"{_ALNUM}{{69}}"),
    _rule("artifactory-reference", "cmVmd", f"{_ALNUM}{{59}}"),
    _rule("nuget-key", "oy2", f"[0-9a-z]{{43}}(?!{_ALNUM})"),  # NuGet's documentation
)

CHAT = (
    _rule("slack-token", "xoxa- xoxb- xoxp- xoxr- xoxs- xoxo- xoxc- xoxd-", r"[\w%-]{10,}"),
    _rule("slack-token", "xoxe- xoxe.xoxb- xoxe.xoxp-", r"\d-[0-9A-Za-z]{140,}"),
    _rule("slack-app-token", "xapp-", r"\d-[0-9A-Z]+-\d+-[0-9a-z]+"),
    _rule("linear-key", "lin_api_ lin_oauth_", f"{_ALNUM}{{40,}}"),
    _rule("notion-token", "secret_", f"{_ALNUM}{{43}}(?!{_ALNUM})"),  # Notion's documentation
    _rule("notion-token", "ntn_", f"{_ALNUM}{{40,}}"),
    _rule("intercom-token", "ico-", f"{_ALNUM}{{32}}"),
    _rule("figma-token", "figd_", rf"{_WORD}{{40}}"),  # Figma's documentation
    _rule("typeform-token", "tfp_", r"[\w.-]{59}"),
)

PAYMENT_AND_MAIL = (
    _rule("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", f"{_ALNUM}{{10,}}"),
    _rule("stripe-webhook-secret", "whsec_", f"{_BASE64}{{32,}}=*"),  # Stripe's documentation
    _rule("square-token", "EAAA", rf"{_WORD}{{60}}(?!{_WORD})"),
    _rule("square-token", "sq0atp- sq0csp- sq0idp-", rf"{_WORD}{{22,}}"),
    _rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[0-9a-fA-F]{32}"),
    _rule("flutterwave-key", "FLWSECK_TEST- FLWSECK-", r"[0-9a-h]{12,}(?:-X)?"),
    _rule("duffel-token", "duffel_test_ duffel_live_", r"[\w=-]{43}"),
    _rule("easypost-token", "EZAK EZTK", f"{_ALNUM}{{54}}"),
    _rule("shippo-token", "shippo_live_ shippo_test_", "[0-9a-fA-F]{40}"),
    _rule("twilio-key", "SK", f"{_HEX}{{32}}(?!{_ALNUM})"),
    _rule("sendgrid-key", "SG.", rf"{_WORD}{{16,}}\.{_WORD}{{32,}}"),
    _rule("mailgun-key", "key- pubkey-", f"{_HEX}{{32}}(?!{_ALNUM})"),
    _rule("mailchimp-key", "md-", rf"{_ALNUM}{{22}}(?!{_WORD})"),  # Mailchimp's documentation
    _rule("brevo-key", "xkeysib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    _rule("facebook-token", "EAAM EAAC", f"{_ALNUM}{{100,}}"),
)

MODELS = (
    _rule("anthropic-key", "sk-ant-", rf"{_WORD}{{20,}}"),
    _rule("openai-key", "sk-proj- sk-svcacct- sk-admin-", rf"{_WORD}{{40,}}"),
    _rule("openrouter-key", "sk-or-v1-", f"{_HEX}{{64}}"),  # OpenRouter's documentation
    _rule("model-provider-key", "sk-", f"{_ALNUM}{{32,}}(?!{_ALNUM})"),  # OpenAI's old form, DeepSeek and others
    _rule("hugging-face-token", "hf_ api_org_", f"{_ALNUM}{{34,}}"),
    _rule("perplexity-key", "pplx-", f"{_ALNUM}{{48}}"),
    _rule("groq-key", "gsk_", f"{_ALNUM}{{52}}"),  # Groq's documentation
    _rule("replicate-token", "r8_", f"{_ALNUM}{{37}}"),  # Replicate's documentation
    _rule("xai-key", "xai-", f"{_ALNUM}{{80}}"),  # xAI's documentation
)

OPERATIONS = (
    _rule("vault-token", "hvs. hvb.", rf"{_WORD}{{24,}}"),
    _rule("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa.", r"(?:[\w-]{2,35}\.)?[0-9A-Za-z]{40,}"),
    _rule("pulumi-token", "pul-", f"{_HEX}{{40}}"),
    _rule("postman-key", "PMAK-", f"{_HEX}{{24}}-{_HEX}{{34}}"),
    _rule("grafana-token", "glsa_", f"{_ALNUM}{{32}}_[0-9A-Fa-f]{{8}}"),
    _rule("grafana-token", "glc_", f"{_BASE64}{{32,}}={{0,3}}"),
    _rule("grafana-key", "eyJrIjoi", f"{_BASE64}{{70,}}={{0,3}}"),
    _rule("sentry-token", "sntrys_ sntryu_", r"[\w+/=]{40,}"),
    _rule("new-relic-key", "NRAK- NRJS- NRII-", rf"{_WORD}{{19,}}"),
    _rule("octopus-key", "API-", f"[0-9A-Z]{{26}}(?!{_ALNUM})"),
    _rule("openshift-token", "sha256~", rf"{_WORD}{{43}}"),
    _rule("prefect-key", "pnu_", f"{_ALNUM}{{36}}"),
    _rule("readme-key", "rdme_", "[0-9a-z]{70}"),
    _rule("tailscale-key", "tskey-", rf"{_WORD}{{20,}}"),  # Tailscale's documentation
    _rule("adobe-secret", "p8e-", f"{_ALNUM}{{32}}"),
    _rule("onepassword-key", "A3-", r"[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})(?:-[0-9A-Z]{5}){3}"),
    _rule("onepassword-token", "ops_eyJ", f"{_BASE64}{{250,}}={{0,3}}"),
    _rule("age-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"),
    _rule("jwt", "eyJ", rf"{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}\.[\w+/=-]{{10,}}"),
)

# Here the prefix says what follows, and only a part of it is secret. What a document writes in its place is not.
_NO_PLACEHOLDER = r"(?!\[REDACTED:|[$<{])"
SETTINGS = (
    _rule(
        "authorization",
        "Authorization authorization",
        r"[\"']?\s*[:=,]\s*[\"']?(?:[Bb]earer|[Tt]oken|[Bb]asic)\s+(?P<secret>(?=[\w.+/~-]*\d)[\w.+/~-]{16,}=*)",
    ),
    _rule("npmrc-token", "_authToken", r"\s*=\s*[\"']?(?P<secret>(?=[\w.+/-]*\d)[\w.+/-]{16,}=*)"),
    _rule("netrc-password", "machine", rf"\s+\S+\s+login\s+\S+\s+password\s+{_NO_PLACEHOLDER}(?P<secret>\S+)"),
    _rule("azure-storage-key", "AccountKey=", f"(?P<secret>{_BASE64}{{40,}}={{0,2}})"),
    _rule("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/(?P<secret>[\w/+]{43,})"),
)

PREFIX_RULES = CLOUDS + FORGES + REGISTRIES + CHAT + PAYMENT_AND_MAIL + MODELS + OPERATIONS + SETTINGS

# A key in a file, in a string of source code (quotes, `\n`, `+`) or cut off before its end. The lines that begin and
# end it are kept, so that a reader sees what stood there. Atomic groups: `+` is both glue and base64, and a long run
# of either must be gone through once.
_KEY_GLUE = r"(?>(?:\\[nrt]|[\s\"'`,.#*|>;()&+\\-]){1,80})"
_KEY_HEADER = rf"{_KEY_GLUE}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{{0,120}}+"
_KEY_LINE = r"[0-9A-Za-z+/]{24,}+={0,2}+"  # longer than the words that may follow a key without an end
_KEY_TAIL = (
    rf"(?:{_KEY_GLUE}{_KEY_LINE}){{0,200}}+(?:{_KEY_GLUE}=?[0-9A-Za-z+/]{{1,23}}+={{0,2}}+(?={_KEY_GLUE}END )){{0,2}}+"
)
_KEY_BEGIN = r"-----BEGIN (?:[0-9A-Z]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"-----END (?:[0-9A-Z]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"

# What a document writes where a password would stand.
_PLACEHOLDER = (
    r"(?!\[REDACTED:)(?![$%{<(*.:\[]|(?i:pass(?:word|wd|phrase)?|pwd?|secret|token|key|x+|user(?:name)?|changeme|foo|bar"
    r"|[a-z_]*password[a-z_]*|your[\w-]*|my[\w-]*)@)"
)

CUE_RULES = (
    CueRule(
        "private-key",
        "PRIVATE KEY",
        rf"{_KEY_BEGIN}(?:{_KEY_HEADER}){{0,6}}+{_KEY_GLUE}(?P<secret>{_KEY_LINE}{_KEY_TAIL})",
    ),
    CueRule(
        "private-key",
        "PRIVATE KEY",  # a key of which only the end is here
        rf"(?<![0-9A-Za-z+/])(?P<secret>{_KEY_LINE}{_KEY_TAIL})(?=(?>\\[nrt]|[\s\"'+,]){{0,40}}+{_KEY_END})",
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
    CueRule("telegram-bot-token", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])"),
    CueRule("discord-webhook", "iscord", r"api/webhooks/\d{17,20}/(?P<secret>[\w-]{60,})"),
    CueRule("discord-token", "iscord", r"(?<![\w.-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])"),
    CueRule(
        "teams-webhook", "/webhookb2/", r"/webhookb2/(?P<secret>[\w@-]{36,}/IncomingWebhook/[0-9a-f]{32}/[\w-]{36})"
    ),
)
