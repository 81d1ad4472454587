"""LanceDB is imported without the client that nothing here calls, and whoever calls it has it."""

import subprocess
import sys

LOADS_STORE = "import sys, repomem.adapters.lance.tables\n"


def ended(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_store_does_not_load_the_rest_client() -> None:
    modules = ended(LOADS_STORE + "print([name for name in sys.modules if name.startswith('lance_namespace_url')])")

    assert "lance_namespace_urllib3_client.models" in modules
    assert "lance_namespace_urllib3_client.api" not in modules


def test_the_rest_client_can_still_be_imported() -> None:
    script = LOADS_STORE + (
        "from lance_namespace_urllib3_client import ApiClient, NamespaceApi\n"
        "import lance_namespace_urllib3_client as client\n"
        "print(ApiClient.__name__, NamespaceApi.__name__, client.__version__ != '', type(client).__name__)"
    )
    assert ended(script) == "ApiClient NamespaceApi True module"
