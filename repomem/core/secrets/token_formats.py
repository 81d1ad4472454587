r"""Rules for tokens with an issuer's prefix.

Provenance: each issuer's documentation. Most rules were checked against the rule set that gitleaks publishes (MIT,
config/gitleaks.toml at b58d3f10), but have open ends (`{36,}` instead of `{36}`), so that longer tokens of later
versions match too. Formats that gitleaks lacks, or finds only next to a variable name, are from the issuers'
documentation and from GitHub's list of tokens that its secret scanning recognises. Those with a short prefix require a
digit, which a random token has and a name in code seldom has.

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
_LOWER = "[0-9a-z]"
_WORD = r"[\w-]"
_HEX = "[0-9a-f]"
_BASE64 = "[0-9A-Za-z+/]"
_DIGIT = "(?=[A-Za-z+/_-]*[0-9])"  # random tokens have a digit, names in code seldom
_UUID = f"{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}"

TOKEN_RULES = (
    # clouds
    rule("aws-access-key", "AKIA ASIA ABIA ACCA", "[0-9A-Z]{16}(?![0-9A-Za-z])"),
    rule("aws-bedrock-key", "ABSK", f"{_BASE64}{{109,}}={{0,2}}"),
    rule("alibaba-access-key", "LTAI", f"{_ALNUM}{{20}}(?!{_ALNUM})"),
    rule("google-api-key", "AIza", rf"{_WORD}{{35}}"),
    rule("google-oauth-secret", "GOCSPX-", rf"{_WORD}{{28}}"),
    rule("google-oauth-token", "ya29.", rf"{_WORD}{{60,}}"),
    rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", f"{_HEX}{{64}}"),
    rule("heroku-key", "HRKU-AA", rf"{_WORD}{{58}}"),
    rule("fly-token", "fo1_ fm1a_ fm1r_ fm2_", r"[\w+/=-]{43,}"),
    rule("planetscale-secret", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[\w=.-]{32,64}"),
    rule("scalingo-token", "tk-us-", rf"{_WORD}{{48}}"),
    rule("databricks-token", "dapi", rf"{_HEX}{{32}}(?:-\d)?"),
    rule("dynatrace-token", "dt0c01.", rf"{_ALNUM}{{24}}\.{_ALNUM}{{64}}"),
    rule("supabase-key", "sbp_", f"{_HEX}{{40}}"),
    rule("cloudflare-origin-key", "v1.0-", f"{_HEX}{{24}}-{_HEX}{{146}}"),
    rule("aws-bedrock-key", "bedrock-api-key-", f"{_BASE64}{{60,}}={{0,2}}"),
    rule("aws-session-token", "IQoJb3JpZ2lu FwoGZXIvYXdz", r"[\w+/=%-]{100,}"),
    rule("aws-marketplace-key", "amzn.mws.", _UUID),
    rule("aws-appsync-key", "da2-", f"{_DIGIT}{_LOWER}{{26}}(?!{_ALNUM})"),
    rule("tencent-secret-id", "AKID", f"{_DIGIT}{_ALNUM}{{32}}(?!{_ALNUM})"),
    rule("google-refresh-token", "1//0", rf"{_DIGIT}{_WORD}{{40,}}"),
    rule("digitalocean-spaces-key", "DO00 DO80", f"[0-9A-Z]{{16}}(?!{_ALNUM})"),
    rule("databricks-secret", "dose dkea", f"{_HEX}{{32}}"),
    rule("dynatrace-token", "dt0s01. dt0s02. dt0s03. dt0s04. dt0s08. dt0s16.", rf"{_ALNUM}{{8,24}}\.{_ALNUM}{{64}}"),
    rule("supabase-key", "sb_secret_", rf"{_WORD}{{22,}}"),
    rule("cloudflare-token", "cfut_ cfat_ cfk_", f"{_DIGIT}{_ALNUM}{{40,}}"),
    rule("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", f"{_DIGIT}{_ALNUM}{{24,}}"),
    rule("vercel-blob-token", "vercel_blob_rw_", rf"{_ALNUM}{{8,}}_{_ALNUM}{{16,}}"),
    rule("netlify-token", "nfp_ nfc_ nfo_ nfu_", f"{_DIGIT}{_ALNUM}{{36,}}"),
    rule("render-key", "rnd_", f"{_DIGIT}{_ALNUM}{{28,}}"),
    rule("neon-key", "napi_", f"{_DIGIT}{_LOWER}{{48,}}"),
    rule("scaleway-key", "SCW", f"(?=[A-Z]*[0-9])[0-9A-Z]{{17}}(?!{_ALNUM})"),
    rule("yandex-key", "AQVN", rf"{_WORD}{{35,38}}"),
    rule("yandex-key", "YCAJ YCP YCM", rf"{_DIGIT}{_WORD}{{35,38}}(?!{_WORD})"),
    rule("yandex-token", "t1.", rf"{_WORD}{{40,}}={{0,2}}\.{_WORD}{{86}}={{0,2}}"),
    rule("yandex-token", "y0_ y1_ y2_ y3_", rf"{_DIGIT}{_WORD}{{50,}}"),
    rule("aiven-password", "AVNS_", rf"{_WORD}{{16,}}"),
    rule("confluent-secret", "cflt", f"{_DIGIT}{_BASE64}{{60}}"),
    rule("elastic-key", "essu_", r"[\w+/-]{60,}={0,2}"),
    rule("mongodb-secret", "mdb_sa_sk_", rf"{_WORD}{{36,}}"),
    rule("cockroach-key", "CCDB1_", rf"{_ALNUM}{{22}}_{_ALNUM}{{40}}"),
    rule("astra-token", "AstraCS:", rf"{_ALNUM}{{24}}:{_HEX}{{64}}"),
    rule("pinecone-key", "pcsk_", rf"{_ALNUM}{{4,8}}_{_ALNUM}{{50,}}"),
    rule("tigris-secret", "tsec_", rf"{_DIGIT}[\w+-]{{40,}}"),
    rule("backblaze-key", "K001 K002 K003 K004 K005", f"{_BASE64}{{27}}(?![0-9A-Za-z+/=])"),
    rule("clickhouse-secret", "4b1d", f"(?=[0-9a-z]*[A-Z]){_ALNUM}{{38}}(?!{_ALNUM})"),
    # forges
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
    rule("bitbucket-token", "ATCTT3", r"[\w=-]{50,}"),
    rule("gitlab-token", "glwt- glrtr- glptt-", rf"{_WORD}{{20,}}"),
    rule("bitbucket-password", "ATBB", f"(?=[A-Za-z]*[0-9]){_ALNUM}{{32}}(?!{_ALNUM})"),
    rule("atlassian-token", "ATATT3xF ATSTT3xF ATOATT3xF", r"[\w=-]{100,}"),
    rule("trello-token", "ATTA", f"{_HEX}{{64}}{_ALNUM}{{8}}"),
    rule("sourcegraph-token", "sgd_ slk_", f"{_HEX}{{64}}"),
    # registries of packages
    rule("npm-token", "npm_", f"{_ALNUM}{{36}}"),
    rule("pypi-token", "pypi-", r"AgE[\w-]{50,}"),
    rule("rubygems-key", "rubygems_", f"{_HEX}{{48}}"),
    rule("clojars-token", "CLOJARS_", f"{_ALNUM}{{60}}"),
    rule("crates-token", "cio", f"{_ALNUM}{{32}}(?!{_ALNUM})"),  # as its registry documents it
    rule("docker-token", "dckr_pat_", rf"{_WORD}{{27,}}"),
    rule("artifactory-key", "AKCp", f"{_ALNUM}{{69}}"),
    rule("artifactory-reference", "cmVmd", f"{_ALNUM}{{59}}"),
    rule("nuget-key", "oy2", f"[0-9a-z]{{43}}(?!{_ALNUM})"),
    rule("docker-token", "dckr_oat_", rf"{_WORD}{{27,}}"),
    rule("docker-swarm-token", "SWMTKN-1-", rf"{_LOWER}{{40,}}-{_LOWER}{{20,}}"),
    rule("docker-swarm-key", "SWMKEY-1-", f"{_BASE64}{{40,}}"),
    rule("packagist-token", "packagist_uut_ packagist_ort_ packagist_oat_", f"{_HEX}{{60,}}"),
    # chat and project management
    rule("slack-token", "xoxa- xoxb- xoxp- xoxr- xoxs- xoxo- xoxc- xoxd-", r"[\w%-]{10,}"),
    rule("slack-token", "xoxe- xoxe.xoxb- xoxe.xoxp-", r"\d-[0-9A-Za-z]{140,}"),
    rule("slack-app-token", "xapp-", r"\d-[0-9A-Z]+-\d+-[0-9a-z]+"),
    rule("linear-key", "lin_api_ lin_oauth_", f"{_ALNUM}{{40,}}"),
    rule("notion-token", "secret_", f"{_ALNUM}{{43}}(?!{_ALNUM})"),
    rule("notion-token", "ntn_", f"{_ALNUM}{{40,}}"),
    rule("intercom-token", "ico-", f"{_ALNUM}{{32}}"),
    rule("figma-token", "figd_", rf"{_WORD}{{40}}"),
    rule("typeform-token", "tfp_", r"[\w.-]{59}"),
    rule("airtable-token", "pat", rf"{_ALNUM}{{14}}\.{_HEX}{{64}}"),
    rule("asana-token", "1/ 2/", rf"\d{{13,19}}(?:/\d{{13,19}})?:{_HEX}{{32}}"),
    rule("clickup-token", "pk_", "\\d{6,9}_[0-9A-Z]{32}"),
    # payment and messages
    rule("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", f"{_ALNUM}{{10,}}"),
    rule("stripe-webhook-secret", "whsec_", f"{_BASE64}{{32,}}=*"),
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
    rule("mailchimp-key", "md-", rf"{_ALNUM}{{22}}(?!{_WORD})"),
    rule("brevo-key", "xkeysib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    rule("facebook-token", "EAAM EAAC", f"{_ALNUM}{{100,}}"),
    rule("klaviyo-key", "pk_", f"{_HEX}{{34}}(?!{_ALNUM})"),
    rule("twitter-bearer", "AAAAAAAAAAAAAAAAAAAAA", "(?=[A-Z]*[0-9a-z])[0-9A-Za-z%]{80,100}(?![0-9A-Za-z%+/,;=])"),
    rule("facebook-token", "EAAG EAAB EAAD EAAI EAAJ IGAA IGQV", f"{_DIGIT}{_ALNUM}{{100,}}(?![+/])"),
    rule("linkedin-secret", "WPL_AP0. WPL_AP1.", r"[\w.+/-]{16,}={0,2}"),
    rule("shopify-token", "shptka_", "[0-9a-fA-F]{32}"),
    rule("paypal-token", "access_token$", rf"(?:production|sandbox)\${_LOWER}{{16}}\${_HEX}{{32}}"),
    rule("plaid-token", "access-production- access-development- access-sandbox-", _UUID),
    rule("adyen-key", "AQE", rf"{_WORD}{{4}}hmfuXNWTK0Qc\+[\w+/=-]{{60,}}"),
    rule("razorpay-key", "rzp_live_ rzp_test_", f"{_ALNUM}{{14}}"),
    rule("lob-key", "live_ test_", f"{_HEX}{{35}}(?!{_ALNUM})"),
    rule("gocardless-token", "live_", rf"(?=[\w-]*[0-9])(?=[\w-]*[A-Z])(?=[\w-]*[a-z]){_WORD}{{30,40}}(?!{_WORD})"),
    rule("mollie-key", "test_", rf"(?=\w*[0-9])(?=\w*[A-Z])(?=\w*[a-z]){_ALNUM}{{30}}(?!{_WORD})"),
    rule("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", rf"{_LOWER}{{26}}_{_ALNUM}{{22}}_{_ALNUM}{{3}}"),
    rule("resend-key", "re_", rf"{_ALNUM}{{8}}_{_DIGIT}{_ALNUM}{{24}}(?!{_ALNUM})"),
    rule("brevo-key", "xsmtpsib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    rule("mailersend-token", "mlsn.", f"{_HEX}{{64}}"),
    rule("onesignal-key", "os_v2_app_ os_v2_org_", f"{_LOWER}{{80,}}"),
    rule("telnyx-key", "KEY01", rf"[0-9A-F]{{30}}_{_ALNUM}{{22}}"),
    # model providers
    rule("anthropic-key", "sk-ant-", rf"{_WORD}{{20,}}"),
    rule("openai-key", "sk-proj- sk-svcacct- sk-admin-", rf"{_WORD}{{40,}}"),
    rule("openrouter-key", "sk-or-v1-", f"{_HEX}{{64}}"),
    rule("model-provider-key", "sk-", f"{_ALNUM}{{32,}}(?!{_ALNUM})"),  # OpenAI's old form, DeepSeek and others
    rule("hugging-face-token", "hf_ api_org_", f"{_ALNUM}{{34,}}"),
    rule("perplexity-key", "pplx-", f"{_ALNUM}{{48}}"),
    rule("groq-key", "gsk_", f"{_ALNUM}{{52}}"),
    rule("replicate-token", "r8_", f"{_ALNUM}{{37}}"),
    rule("xai-key", "xai-", f"{_ALNUM}{{80}}"),
    rule("together-key", "tgp_v1_", rf"{_WORD}{{40,}}"),
    rule("fireworks-key", "fw_", f"{_DIGIT}{_ALNUM}{{22,28}}(?!{_WORD})"),
    rule("cerebras-key", "csk-", f"{_DIGIT}{_LOWER}{{40,}}"),
    rule("nvidia-key", "nvapi-", rf"{_WORD}{{60,}}"),
    rule("elevenlabs-key", "sk_", f"{_HEX}{{48}}(?!{_ALNUM})"),
    rule("langsmith-key", "lsv2_pt_ lsv2_sk_", rf"{_HEX}{{32}}_{_HEX}{{10}}"),
    rule("langfuse-secret", "sk-lf-", _UUID),
    rule("helicone-key", "sk-helicone-", r"[0-9a-z-]{20,}"),
    rule("runpod-key", "rpa_", f"{_DIGIT}{_ALNUM}{{40,}}"),
    rule("tavily-key", "tvly-", rf"(?:dev-|prod-)?{_DIGIT}{_WORD}{{30,}}"),
    rule("firecrawl-key", "fc-", f"{_HEX}{{32}}(?!{_ALNUM})"),
    rule("apify-token", "apify_api_", f"{_ALNUM}{{36,}}"),
    rule("browserbase-key", "bb_live_ bb_test_", rf"{_WORD}{{24,}}"),
    rule("e2b-key", "e2b_ sk_e2b_", f"{_HEX}{{40}}"),
    rule("jina-key", "jina_", rf"{_HEX}{{32}}{_WORD}{{28}}"),
    rule("voyage-key", "pa-", rf"{_DIGIT}{_WORD}{{43}}(?!{_WORD})"),
    rule("llamacloud-key", "llx-", f"{_DIGIT}{_ALNUM}{{40,}}"),
    rule("cursor-key", "crsr_ key_", f"{_HEX}{{64}}"),
    rule("wandb-key", "wandb_v1_", rf"{_WORD}{{60,}}"),
    # operations
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
    rule("tailscale-key", "tskey-", rf"{_WORD}{{20,}}"),
    rule("adobe-secret", "p8e-", f"{_ALNUM}{{32}}"),
    rule("onepassword-key", "A3-", r"[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})(?:-[0-9A-Z]{5}){3}"),
    rule("onepassword-token", "ops_eyJ", f"{_BASE64}{{250,}}={{0,3}}"),
    rule("age-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"),
    rule("jwt", "eyJ", rf"{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}\.[\w+/=-]{{10,}}"),
    rule("sonar-token", "squ_ sqp_ sqa_", f"{_HEX}{{40}}"),
    rule("snyk-token", "snyk_uat. snyk_sat.", r"[\w.-]{40,}"),
    rule("socket-token", "sktsec_", rf"{_WORD}{{40,}}"),
    rule("stackhawk-key", "hawk.", rf"{_DIGIT}{_WORD}{{20}}\.{_WORD}{{20}}(?!{_WORD})"),
    rule("circleci-token", "CCIPAT_ CCIPRJ_", rf"{_ALNUM}{{22}}_{_HEX}{{40}}"),
    rule("buildkite-token", "bkua_ bkct_ bkat_ bkpt_", f"{_DIGIT}{_ALNUM}{{40,}}"),
    rule("harness-token", "pat. sat.", rf"{_WORD}{{22}}\.{_ALNUM}{{24}}\.{_ALNUM}{{20}}"),
    rule("doppler-token", "dp.scim. dp.audit.", f"{_ALNUM}{{40,}}"),
    rule("infisical-token", "st.", rf"{_HEX}{{24}}\.{_HEX}{{32}}\.{_HEX}{{32}}"),
    rule("bitwarden-token", "0.", rf"{_UUID}\.{_ALNUM}{{30}}:{_BASE64}{{22}}=="),
    rule("vault-token", "hvr.", rf"{_WORD}{{24,}}"),
    rule("launchdarkly-key", "sdk- api- mob-", _UUID),
    rule("configcat-key", "configcat-sdk-1/", rf"{_WORD}{{22}}/{_WORD}{{22}}"),
    rule("statsig-secret", "secret-", f"{_DIGIT}{_ALNUM}{{43}}(?!{_ALNUM})"),
    rule("posthog-key", "phx_", f"{_DIGIT}{_ALNUM}{{40,}}"),
    rule("honeycomb-key", "hcaik_ hcbik_ hccik_ hcdik_ hcxik_ hcamk_", f"{_LOWER}{{58}}"),
    rule("axiom-token", "xaat- xapt-", _UUID),
    rule("checkly-key", "cu_", f"{_HEX}{{32}}(?!{_ALNUM})"),
    rule("dbt-token", "dbtc_ dbtu_ dbts_", rf"{_DIGIT}[\w=-]{{36,}}"),
    rule("inngest-key", "signkey-prod- signkey-test- signkey-branch-", f"{_HEX}{{32,}}"),
    rule("trigger-key", "tr_prod_ tr_dev_ tr_stg_ tr_pat_", f"{_DIGIT}{_ALNUM}{{20,}}"),
    rule("stytch-secret", "secret-live- secret-test-", rf"{_DIGIT}{_WORD}{{36}}=?"),
    rule("ory-token", "ory_at_ ory_rt_ ory_ac_ ory_pat_ ory_st_ ory_apikey_", rf"{_DIGIT}[\w.-]{{32,}}"),
    rule(
        "authress-key",
        "sc_ ext_ scauth_ authress_",
        rf"{_LOWER}{{5,30}}\.{_LOWER}{{4,6}}\.acc[_-][0-9a-z-]{{10,32}}\.[\w+/=-]{{30,120}}",
    ),
    rule("defined-networking-key", "dnkey-", rf"{_WORD}{{26}}-{_WORD}{{52}}"),
    rule("django-key", "django-insecure-", r"(?P<secret>[^\s\"'<>$]{40,60})"),
    rule("jwt", "ZXlK", f"{_BASE64}{{60,}}={{0,2}}"),  # encoded once more
    rule("private-key", "LS0tLS1CRUdJTi", f"(?!BDRVJU|BQVUJM|BYNTA5){_BASE64}{{100,}}={{0,2}}"),  # no certificate
    # content and data
    rule("dropbox-token", "sl.", rf"(?:u\.)?{_DIGIT}[\w=-]{{130,}}"),
    rule("contentful-token", "CFPAT-", rf"{_WORD}{{43}}"),
    rule("sanity-token", "sk", f"{_DIGIT}{_ALNUM}{{80,}}"),
    rule("onfido-token", "api_live. api_sandbox. api_live_us. api_live_ca.", rf"{_ALNUM}{{11}}\.{_WORD}{{32}}"),
    rule("persona-key", "persona_production_ persona_sandbox_", _UUID),
    rule("frameio-token", "fio-u-", r"[\w=-]{64}"),
    rule("intra42-secret", "s-s4t2ud- s-s4t2af-", f"{_HEX}{{64}}"),
    rule("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", f"{_ALNUM}{{16}}"),
    rule("beamer-key", "b_", rf"{_DIGIT}[\w=-]{{44}}(?![\w=-])"),
    rule("metabase-key", "mb_", f"{_DIGIT}{_BASE64}{{43}}="),
    rule("retool-token", "retool_", f"{_DIGIT}{_ALNUM}{{20,}}"),
    rule("mapbox-token", "sk.eyJ", rf"{_WORD}{{40,}}\.{_WORD}{{22}}"),
)
