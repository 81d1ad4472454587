r"""Rules for tokens with an issuer's prefix.

Provenance: each issuer's documentation. Most rules were checked against the rule set that gitleaks publishes (MIT,
config/gitleaks.toml at b58d3f10), but have open ends (`{36,}` instead of `{36}`), so that longer tokens of later
versions match too. Rules that gitleaks lacks name their source; more of these are in `core.secrets.issuers`.

A pattern is the source of an `re`. The secret is the group `secret`, or the whole match without such a group.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrefixRule:
    """A token that begins with one of `prefixes` (literals), not preceded by a letter or digit."""

    kind: str
    prefixes: tuple[str, ...]
    rest: str  # the pattern that must follow


def rule(kind: str, prefixes: str, rest: str) -> PrefixRule:
    """A rule for prefixes separated by white space."""
    return PrefixRule(kind, tuple(prefixes.split()), rest)


_ALNUM = "[0-9A-Za-z]"
_WORD = r"[\w-]"
_HEX = "[0-9a-f]"
_BASE64 = "[0-9A-Za-z+/]"

CLOUDS = (
    rule("aws-access-key", "AKIA ASIA ABIA ACCA", "[0-9A-Z]{16}(?![0-9A-Za-z])"),
    rule("aws-bedrock-key", "ABSK", f"{_BASE64}{{109,}}={{0,2}}"),
    rule("alibaba-access-key", "LTAI", f"{_ALNUM}{{20}}(?!{_ALNUM})"),
    rule("google-api-key", "AIza", rf"{_WORD}{{35}}"),
    rule("google-oauth-secret", "GOCSPX-", rf"{_WORD}{{28}}"),  # Google's documentation
    rule("google-oauth-token", "ya29.", rf"{_WORD}{{60,}}"),  # Google's documentation
    rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", f"{_HEX}{{64}}"),
    rule("heroku-key", "HRKU-AA", rf"{_WORD}{{58}}"),
    rule("fly-token", "fo1_ fm1a_ fm1r_ fm2_", r"[\w+/=-]{43,}"),
    rule("planetscale-secret", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[\w=.-]{32,64}"),
    rule("scalingo-token", "tk-us-", rf"{_WORD}{{48}}"),
    rule("databricks-token", "dapi", rf"{_HEX}{{32}}(?:-\d)?"),
    rule("dynatrace-token", "dt0c01.", rf"{_ALNUM}{{24}}\.{_ALNUM}{{64}}"),
    rule("supabase-key", "sbp_", f"{_HEX}{{40}}"),  # Supabase's documentation
    rule("cloudflare-origin-key", "v1.0-", f"{_HEX}{{24}}-{_HEX}{{146}}"),
)

FORGES = (
    rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_ALNUM}{{36,}}"),
    rule("github-pat", "github_pat_", r"\w{82,}"),
    rule(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glft- glimt- glsoat- glffct- glagent- gloas- glcbt-",
        r"[\w.-]{20,}",
    ),
    rule("gitlab-runner-token", "GR1348941", rf"{_WORD}{{20}}"),
    rule("sourcegraph-token", "sgp_", rf"(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}"),
    rule("atlassian-token", "ATATT3", r"[\w=-]{186}"),
    rule("bitbucket-token", "ATCTT3", r"[\w=-]{50,}"),  # Atlassian's documentation
)

REGISTRIES = (
    rule("npm-token", "npm_", f"{_ALNUM}{{36}}"),
    rule("pypi-token", "pypi-", r"AgE[\w-]{50,}"),
    rule("rubygems-key", "rubygems_", f"{_HEX}{{48}}"),
    rule("clojars-token", "CLOJARS_", f"{_ALNUM}{{60}}"),
    rule("crates-token", "cio", f"{_ALNUM}{{32}}(?!{_ALNUM})"),  # as its registry documents it
    rule("docker-token", "dckr_pat_", rf"{_WORD}{{27,}}"),  # Docker's documentation
    rule("artifactory-key", "AKCp", f"{_ALNUM}{{69}}"),
    rule("artifactory-reference", "cmVmd", f"{_ALNUM}{{59}}"),
    rule("nuget-key", "oy2", f"[0-9a-z]{{43}}(?!{_ALNUM})"),  # NuGet's documentation
)

CHAT = (
    rule("slack-token", "xoxa- xoxb- xoxp- xoxr- xoxs- xoxo- xoxc- xoxd-", r"[\w%-]{10,}"),
    rule("slack-token", "xoxe- xoxe.xoxb- xoxe.xoxp-", r"\d-[0-9A-Za-z]{140,}"),
    rule("slack-app-token", "xapp-", r"\d-[0-9A-Z]+-\d+-[0-9a-z]+"),
    rule("linear-key", "lin_api_ lin_oauth_", f"{_ALNUM}{{40,}}"),
    rule("notion-token", "secret_", f"{_ALNUM}{{43}}(?!{_ALNUM})"),  # Notion's documentation
    rule("notion-token", "ntn_", f"{_ALNUM}{{40,}}"),
    rule("intercom-token", "ico-", f"{_ALNUM}{{32}}"),
    rule("figma-token", "figd_", rf"{_WORD}{{40}}"),  # Figma's documentation
    rule("typeform-token", "tfp_", r"[\w.-]{59}"),
)

PAYMENT_AND_MAIL = (
    rule("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", f"{_ALNUM}{{10,}}"),
    rule("stripe-webhook-secret", "whsec_", f"{_BASE64}{{32,}}=*"),  # Stripe's documentation
    rule("square-token", "EAAA", rf"{_WORD}{{60}}(?!{_WORD})"),
    rule("square-token", "sq0atp- sq0csp- sq0idp-", rf"{_WORD}{{22,}}"),
    rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[0-9a-fA-F]{32}"),
    rule("flutterwave-key", "FLWSECK_TEST- FLWSECK-", r"[0-9a-h]{12,}(?:-[0-9a-z]{8,})?(?:-X)?"),
    rule("duffel-token", "duffel_test_ duffel_live_", r"[\w=-]{43}"),
    rule("easypost-token", "EZAK EZTK", f"{_ALNUM}{{54}}"),
    rule("shippo-token", "shippo_live_ shippo_test_", "[0-9a-fA-F]{40}"),
    rule("twilio-key", "SK", f"{_HEX}{{32}}(?!{_ALNUM})"),
    rule("sendgrid-key", "SG.", rf"{_WORD}{{16,}}\.{_WORD}{{32,}}"),
    rule("mailgun-key", "key- pubkey-", f"{_HEX}{{32}}(?!{_ALNUM})"),
    rule("mailchimp-key", "md-", rf"{_ALNUM}{{22}}(?!{_WORD})"),  # Mailchimp's documentation
    rule("brevo-key", "xkeysib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    rule("facebook-token", "EAAM EAAC", f"{_ALNUM}{{100,}}"),
)

MODELS = (
    rule("anthropic-key", "sk-ant-", rf"{_WORD}{{20,}}"),
    rule("openai-key", "sk-proj- sk-svcacct- sk-admin-", rf"{_WORD}{{40,}}"),
    rule("openrouter-key", "sk-or-v1-", f"{_HEX}{{64}}"),  # OpenRouter's documentation
    rule("model-provider-key", "sk-", f"{_ALNUM}{{32,}}(?!{_ALNUM})"),  # OpenAI's old form, DeepSeek and others
    rule("hugging-face-token", "hf_ api_org_", f"{_ALNUM}{{34,}}"),
    rule("perplexity-key", "pplx-", f"{_ALNUM}{{48}}"),
    rule("groq-key", "gsk_", f"{_ALNUM}{{52}}"),  # Groq's documentation
    rule("replicate-token", "r8_", f"{_ALNUM}{{37}}"),  # Replicate's documentation
    rule("xai-key", "xai-", f"{_ALNUM}{{80}}"),  # xAI's documentation
)

OPERATIONS = (
    rule("vault-token", "hvs. hvb.", rf"{_WORD}{{24,}}"),
    rule("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa.", r"(?:[\w-]{2,35}\.)?[0-9A-Za-z]{40,}"),
    rule("pulumi-token", "pul-", f"{_HEX}{{40}}"),
    rule("postman-key", "PMAK-", f"{_HEX}{{24}}-{_HEX}{{34}}"),
    rule("grafana-token", "glsa_", f"{_ALNUM}{{32}}_[0-9A-Fa-f]{{8}}"),
    rule("grafana-token", "glc_", f"{_BASE64}{{32,}}={{0,3}}"),
    rule("grafana-key", "eyJrIjoi", f"{_BASE64}{{70,}}={{0,3}}"),
    rule("sentry-token", "sntrys_ sntryu_", r"[\w+/=]{40,}"),
    rule("new-relic-key", "NRAK- NRJS- NRII-", rf"{_WORD}{{19,}}"),
    rule("octopus-key", "API-", f"[0-9A-Z]{{26}}(?!{_ALNUM})"),
    rule("openshift-token", "sha256~", rf"{_WORD}{{43}}"),
    rule("prefect-key", "pnu_", f"{_ALNUM}{{36}}"),
    rule("readme-key", "rdme_", "[0-9a-z]{70}"),
    rule("tailscale-key", "tskey-", rf"{_WORD}{{20,}}"),  # Tailscale's documentation
    rule("adobe-secret", "p8e-", f"{_ALNUM}{{32}}"),
    rule("onepassword-key", "A3-", r"[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})(?:-[0-9A-Z]{5}){3}"),
    rule("onepassword-token", "ops_eyJ", f"{_BASE64}{{250,}}={{0,3}}"),
    rule("age-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"),
    rule("jwt", "eyJ", rf"{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}\.[\w+/=-]{{10,}}"),
)

TOKEN_RULES = CLOUDS + FORGES + REGISTRIES + CHAT + PAYMENT_AND_MAIL + MODELS + OPERATIONS
