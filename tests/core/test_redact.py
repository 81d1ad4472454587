"""Secrets leave, and nothing else does. The samples are put together at run time: no scanner finds one here."""

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from repomem.core.secrets.redact import is_secret_path, redact

CLEAN = (Path(__file__).parents[2] / "fixtures" / "clean" / "lines.txt").read_text("utf-8").splitlines()

MIXED = "a1B2c3D4e5F6g7H8i9J0" * 20
UPPER = "A2B3C4D5E6F7G2H3J4K5" * 5
HEX = "0a1b2c3d4e5f67899876" * 10
BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB"


def pem(kind: str, body: str, *, end: bool = True) -> str:
    words = f"{kind} PRIVATE KEY".strip()
    return "-----BEGIN " + words + "-----\n" + body + ("\n-----END " + words + "-----" if end else "")


# kind: (text before, the secret, text after)
SECRETS: list[tuple[str, str, str, str]] = [
    ("aws-access-key", "", "AKI" + "A" + UPPER[:16], ""),
    ("aws-access-key", "", "ASI" + "A" + UPPER[:16], ""),
    ("aws-bedrock-key", "", "ABS" + "K" + MIXED[:120] + "=", ""),
    ("alibaba-access-key", "", "LTA" + "I" + MIXED[:20], ""),
    ("google-api-key", "", "AIz" + "a" + MIXED[:35], ""),
    ("google-oauth-secret", "", "GOCSP" + "X-" + MIXED[:28], ""),
    ("google-oauth-token", "", "ya2" + "9." + MIXED[:80], ""),
    ("digitalocean-token", "", "dop_" + "v1_" + HEX[:64], ""),
    ("heroku-key", "", "HRKU" + "-AA" + MIXED[:58], ""),
    ("fly-token", "", "fo1" + "_" + MIXED[:43], ""),
    ("planetscale-secret", "", "pscale_" + "pw_" + MIXED[:40], ""),
    ("scalingo-token", "", "tk-" + "us-" + MIXED[:48], ""),
    ("databricks-token", "", "dap" + "i" + HEX[:32] + "-2", ""),
    ("dynatrace-token", "", "dt0" + "c01." + MIXED[:24] + "." + MIXED[:64], ""),
    ("supabase-key", "", "sb" + "p_" + HEX[:40], ""),
    ("cloudflare-origin-key", "", "v1" + ".0-" + HEX[:24] + "-" + HEX[:146], ""),
    ("github-token", "", "gh" + "p_" + MIXED[:36], ""),
    ("github-token", "", "gh" + "s_" + MIXED[:36], ""),
    ("github-pat", "", "github" + "_pat_" + MIXED[:82], ""),
    ("gitlab-token", "", "glp" + "at-" + MIXED[:20], ""),
    ("gitlab-token", "", "glp" + "at-" + MIXED[:40] + ".01." + MIXED[:9], ""),
    ("gitlab-runner-token", "", "GR13" + "48941" + MIXED[:20], ""),
    ("sourcegraph-token", "", "sg" + "p_" + HEX[:40], ""),
    ("atlassian-token", "", "ATA" + "TT3" + MIXED[:186], ""),
    ("bitbucket-token", "", "ATC" + "TT3" + MIXED[:180], ""),
    ("npm-token", "", "np" + "m_" + MIXED[:36], ""),
    ("pypi-token", "", "pyp" + "i-AgE" + "IcHlwaS5vcmc" + MIXED[:60], ""),
    ("rubygems-key", "", "ruby" + "gems_" + HEX[:48], ""),
    ("clojars-token", "", "CLO" + "JARS_" + MIXED[:60], ""),
    ("crates-token", "", "ci" + "o" + MIXED[:32], ""),
    ("docker-token", "", "dckr" + "_pat_" + MIXED[:27], ""),
    ("artifactory-key", "", "AKC" + "p" + MIXED[:69], ""),
    ("artifactory-reference", "", "cmV" + "md" + MIXED[:59], ""),
    ("nuget-key", "", "oy" + "2" + HEX[:43], ""),
    ("slack-token", "", "xox" + "b-" + "1234567890123-1234567890123-" + MIXED[:24], ""),
    ("slack-token", "", "xox" + "e-" + "1-" + MIXED[:146], ""),
    ("slack-app-token", "", "xap" + "p-" + "1-A012345-0123456789-" + HEX[:64], ""),
    ("linear-key", "", "lin_" + "api_" + MIXED[:40], ""),
    ("notion-token", "", "sec" + "ret_" + MIXED[:43], ""),
    ("notion-token", "", "nt" + "n_" + MIXED[:46], ""),
    ("intercom-token", "", "ic" + "o-" + MIXED[:32], ""),
    ("figma-token", "", "fig" + "d_" + MIXED[:40], ""),
    ("typeform-token", "", "tf" + "p_" + MIXED[:59], ""),
    ("stripe-key", "", "sk_" + "live_" + MIXED[:24], ""),
    ("stripe-key", "", "rk_" + "live_" + MIXED[:24], ""),
    ("stripe-webhook-secret", "", "whs" + "ec_" + MIXED[:32], ""),
    ("square-token", "", "EAA" + "A" + MIXED[:60], ""),
    ("square-token", "", "sq0" + "atp-" + MIXED[:22], ""),
    ("shopify-token", "", "shp" + "at_" + HEX[:32], ""),
    ("flutterwave-key", "", "FLW" + "SECK_TEST-" + HEX[:12], ""),
    ("duffel-token", "", "duffel" + "_live_" + MIXED[:43], ""),
    ("easypost-token", "", "EZ" + "AK" + MIXED[:54], ""),
    ("shippo-token", "", "shippo" + "_live_" + HEX[:40], ""),
    ("twilio-key", "", "S" + "K" + HEX[:32], ""),
    ("sendgrid-key", "", "S" + "G." + MIXED[:22] + "." + MIXED[:43], ""),
    ("mailgun-key", "", "ke" + "y-" + HEX[:32], ""),
    ("mailchimp-key", "", "m" + "d-" + MIXED[:22], ""),
    ("brevo-key", "", "xkey" + "sib-" + HEX[:64] + "-" + MIXED[:16], ""),
    ("facebook-token", "", "EAA" + "C" + MIXED[:120], ""),
    ("anthropic-key", "", "sk-" + "ant-api03-" + MIXED[:93] + "AA", ""),
    ("openai-key", "", "sk-" + "proj-" + MIXED[:74] + "T3Blbk" + "FJ" + MIXED[:74], ""),
    ("openrouter-key", "", "sk-" + "or-v1-" + HEX[:64], ""),
    ("model-provider-key", "", "sk" + "-" + MIXED[:20] + "T3Blbk" + "FJ" + MIXED[:20], ""),
    ("hugging-face-token", "", "h" + "f_" + MIXED[:34], ""),
    ("perplexity-key", "", "ppl" + "x-" + MIXED[:48], ""),
    ("groq-key", "", "gs" + "k_" + MIXED[:52], ""),
    ("replicate-token", "", "r" + "8_" + MIXED[:37], ""),
    ("xai-key", "", "xa" + "i-" + MIXED[:80], ""),
    ("vault-token", "", "hv" + "s." + MIXED[:90], ""),
    ("doppler-token", "", "dp" + ".pt." + MIXED[:43], ""),
    ("pulumi-token", "", "pu" + "l-" + HEX[:40], ""),
    ("postman-key", "", "PM" + "AK-" + HEX[:24] + "-" + HEX[:34], ""),
    ("grafana-token", "", "gls" + "a_" + MIXED[:32] + "_" + HEX[:8], ""),
    ("grafana-token", "", "gl" + "c_" + MIXED[:60] + "=", ""),
    ("grafana-key", "", "eyJ" + "rIjoi" + MIXED[:80], ""),
    ("sentry-token", "", "sntr" + "yu_" + HEX[:64], ""),
    ("new-relic-key", "", "NR" + "AK-" + UPPER[:27], ""),
    ("octopus-key", "", "AP" + "I-" + UPPER[:26], ""),
    ("openshift-token", "", "sha" + "256~" + MIXED[:43], ""),
    ("prefect-key", "", "pn" + "u_" + MIXED[:36], ""),
    ("readme-key", "", "rd" + "me_" + HEX[:70], ""),
    ("tailscale-key", "", "ts" + "key-auth-" + MIXED[:30], ""),
    ("adobe-secret", "", "p8" + "e-" + MIXED[:32], ""),
    (
        "onepassword-key",
        "",
        "A" + "3-" + f"{UPPER[:6]}-{UPPER[:6]}-{UPPER[:5]}-{UPPER[:5]}-{UPPER[:5]}-{UPPER[:5]}",
        "",
    ),
    ("onepassword-token", "", "op" + "s_eyJ" + MIXED[:260], ""),
    ("age-key", "", "AGE-SECRET-" + "KEY-1" + UPPER[:58], ""),
    ("jwt", "", "ey" + "J" + MIXED[:30] + "." + "ey" + "J" + MIXED[:40] + "." + MIXED[:43], ""),
    ("authorization", "Authorization: Bearer ", MIXED[:40], ""),
    ("authorization", '"authorization": "Basic ', "dXNlcjpwYXNzd29y" + "ZDEyMw==", '"'),
    ("npmrc-token", "//registry.example.org/:_authToken=", MIXED[:36], "\n"),
    ("netrc-password", "machine example.org\n  login me\n  password ", "s3cr3t!word", "\n"),
    ("azure-storage-key", "AccountName=me;AccountKey=", MIXED[:86] + "==", ";EndpointSuffix=core"),
    ("azure-client-secret", "", "abc8" + "Q~" + MIXED[:34], ""),
    ("slack-webhook", "https://hooks.slack.com/services/", "T0123456/B0123456/" + MIXED[:26], ""),
    ("terraform-token", "", MIXED[:14] + ".atlas" + "v1." + MIXED[:64], ""),
    ("telegram-bot-token", "", "123456789:" + "AA" + MIXED[:33], ""),
    ("discord-token", "discord_token = '", "M" + MIXED[:23] + "." + MIXED[:6] + "." + MIXED[:30], "'"),
    ("discord-webhook", "https://discord.com/api/webhooks/123456789012345678/", MIXED[:68], ""),
    (
        "teams-webhook",
        "https://x.webhook.office.com/webhookb2/",
        f"{HEX[:36]}@{HEX[:36]}/Incoming" + f"Webhook/{HEX[:32]}/{HEX[:36]}",
        "",
    ),
    ("url-password", "postgres://admin:", "s3cr3t!w0rd", "@db.example.org/app"),
    ("url-password", "redis://:", "s3cr3t!w0rd", "@localhost"),
    (
        "private-key",
        "-----BEGIN RSA PRIVATE " + "KEY-----\n",
        f"{BASE64}\n{BASE64}\nabcd",
        "\n-----END RSA PRIVATE KEY-----",
    ),
]
SEPARATED = st.sampled_from(["", " ", "\n", "'", '"', "`", "=", ": ", "(", ","])


@pytest.mark.parametrize(("kind", "before", "secret", "after"), SECRETS, ids=[row[0] for row in SECRETS])
def test_each_kind_of_secret_is_redacted_and_its_surroundings_stay(
    kind: str, before: str, secret: str, after: str
) -> None:
    text = f'value = "{before}{secret}{after}" # next\n'
    lines = "\n" * secret.count("\n")
    marked = rf'value = "{re.escape(before)}\[REDACTED:([a-z-]+):[0-9a-f]{{4}}\]{lines}{re.escape(after)}" # next\n'
    found = re.fullmatch(marked, redact(text))
    assert found is not None
    assert found[1] == kind


@pytest.mark.parametrize(
    "text", ['<add key="ClearTextPassword" value="[REDACTED:x:0000]" />', "_auth=[REDACTED:x:0000]"]
)
def test_a_redaction_marker_is_not_redacted(text: str) -> None:
    assert redact(text) is text


@pytest.mark.parametrize("line", CLEAN)
def test_ordinary_lines_come_back_as_the_same_object(line: str) -> None:
    assert redact(line) is line


@given(st.lists(st.tuples(st.sampled_from(SECRETS), SEPARATED, st.text(max_size=5)), max_size=4))
def test_redacting_twice_changes_nothing(drawn: list[tuple[tuple[str, str, str, str], str, str]]) -> None:
    text = "".join(f"{before}{secret}{after}{sep}{noise}" for (_, before, secret, after), sep, noise in drawn)
    once = redact(text)
    assert redact(once) == once


@given(st.text())
def test_text_without_secrets_is_not_touched(text: str) -> None:
    assert redact(text) is text


@pytest.mark.parametrize("secret", [row[2] for row in SECRETS if not row[1] and row[0] != "discord-token"])
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("\\n", "\\n"), ("x=", ";"), ("<", ">"), ("\u00e9 ", "\u00e9")]
)
def test_a_token_is_found_wherever_a_word_can_begin(secret: str, before: str, after: str) -> None:
    shown = redact(before + secret + after)
    assert re.fullmatch(rf"{re.escape(before)}\[REDACTED:[a-z-]+:[0-9a-f]{{4}}\]{re.escape(after)}", shown)


def test_equal_secrets_have_equal_markers_and_others_do_not() -> None:
    first, second = "gh" + "p_" + "a1" * 18, "gh" + "p_" + "b2" * 18
    marks = redact(f"{first} {second} {first}").split(" ")
    assert marks[0] == marks[2] != marks[1]


@pytest.mark.parametrize("kind", ["", "RSA", "EC", "OPENSSH", "ENCRYPTED"])
@pytest.mark.parametrize("end", [True, False], ids=["whole", "cut off"])
def test_the_body_of_a_private_key_is_redacted(kind: str, *, end: bool) -> None:
    text = f"before\n{pem(kind, f'{BASE64}{chr(10)}{BASE64}{chr(10)}abcd==', end=end)}\nafter the key\n"
    shown = redact(text)
    assert "MII" not in shown
    assert shown.startswith("before\n-----BEGIN")
    assert shown.endswith("\nafter the key\n")


def test_the_lines_after_a_private_key_keep_their_numbers() -> None:
    body = f"{BASE64}\n{BASE64}"
    text = f"first = 1\nkey = {pem('RSA', body)!r}\n{pem('EC', body)}\nlast = 2\n"
    clean = redact(text)
    assert clean.count("REDACTED") == 2
    assert clean.split("\n").index("last = 2") == text.split("\n").index("last = 2")


@pytest.mark.parametrize(
    "text",
    [
        pem("RSA", f"Proc-Type: 4,ENCRYPTED\nDEK-Info: DES-CBC,0011223344556677\n\n{BASE64}\n{BASE64}"),
        pem("PGP", f"Version: 1\n\n{BASE64}\n{BASE64}\n=abcd").replace("KEY-----", "KEY BLOCK-----"),
        pem("", f"{BASE64}\n{BASE64}").replace("\n", "\\n"),
        pem("", f"{BASE64}\n{BASE64}").replace("\n", '\\n" +\n    "'),
        pem("", f"{BASE64}\n{BASE64}").replace("\n", "\n        "),
        pem("", f"{BASE64}\n{BASE64}").partition("\n")[2],
    ],
    ids=["with headers", "pgp", "escaped on one line", "in joined strings", "indented", "end only"],
)
def test_a_private_key_is_found_in_every_form(text: str) -> None:
    assert BASE64 not in redact(text)


@pytest.mark.slow
def test_a_long_run_of_starts_takes_linear_time() -> None:
    for start in (
        "-----BEGIN PRIVATE KEY-----",
        "://a:",
        "eyJ",
        "sk-",
        "machine a login ",
        "A" * 40 + "\n",
        "discord M",
    ):
        text = start * 20_000 + "PRIVATE KEY"
        assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "path",
    [
        *(".env", "app/.env.production", "id_rsa", "home/.ssh/id_ed25519", "tls/server.key", "certs/site.PEM", "a.pfx"),
        *(".netrc", "gcp/credentials.json", "x/.htpasswd", "passwords.kdbx", "prod.tfvars", ".git-credentials"),
    ],
)
def test_a_file_of_secrets_is_recognised_by_its_name(path: str) -> None:
    assert is_secret_path(path)


@pytest.mark.parametrize(
    "path",
    [
        *(".env.example", "app/.env.sample", ".env.template", "id_rsa.pub", "keys.py", "src/environment.ts", "monkey"),
        *("credentials.py", ".envoy.yaml", "docs/pem.md", ".npmrc", "secrets.py"),
    ],
)
def test_templates_and_code_are_not_files_of_secrets(path: str) -> None:
    assert not is_secret_path(path)
