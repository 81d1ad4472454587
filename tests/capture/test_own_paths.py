"""What a command and its output say of one machine or one person is not kept."""

import pytest

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.own_paths import anonymous


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("cd /w/repo && /w/repo/.venv/bin/pytest /w/repo/tests", "cd . && .venv/bin/pytest tests"),
        ("cd /w/repo/ && make", "cd . && make"),
        ("cd /w/repo-two && make", "cd /w/repo-two && make"),
        ("PYTHONPATH=/w/repo/src:/home/ada/lib pytest", "PYTHONPATH=src:~/lib pytest"),
        ("/Users/ada/bin/go test ./...", "~/bin/go test ./..."),
        ("/root/.local/bin/uv run pytest", "~/.local/bin/uv run pytest"),
        ("cat docs/home/ada.md /homes/x", "cat docs/home/ada.md /homes/x"),
        ("DB_PASSWORD=hunter2 pytest -q", "DB_PASSWORD=*** pytest -q"),
        ("export API_TOKEN='a b' && make test", "export API_TOKEN=*** && make test"),
        ("./deploy.sh --password hunter2 --dry", "./deploy.sh --password *** --dry"),
        ("PYTHONPATH=src KEYS=3 make test", "PYTHONPATH=src KEYS=3 make test"),
    ],
)
def test_paths_are_relative_and_values_of_secrets_masked(command: str, kept: str) -> None:
    step = anonymous(Step("k", StepKind.RAN, command, output=command), ["/w/repo"])
    assert (step.text, step.output) == (kept, kept)
