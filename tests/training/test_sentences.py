"""What the training of the model for sentences takes for a sentence."""

import json
import tarfile
from io import BytesIO
from pathlib import Path

from training.archives import Archive
from training.sentences import of_dialogues, of_package, of_wordnet, sentences


def archive(folder: Path, files: dict[str, str]) -> Archive:
    path = folder / "package.tgz"
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text.encode())
            tar.addfile(entry, BytesIO(text.encode()))
    return Archive(path)


def test_code_tables_and_fragments_are_no_sentences() -> None:
    text = (
        "It keeps the last value. Two words\n\n| 1 | 2 | 3 |\n\nfoo(bar[0], {x: 1}, y=2);\n\n- Close the\n  open file."
    )
    assert list(sentences(text)) == ["It keeps the last value.", "Close the open file."]


def test_a_package_gives_its_documentation_docstrings_and_comments(tmp_path: Path) -> None:
    files = {
        "README.md": "# Title\n\nRead the [guide](http://x.example) first.\n\n```\nnot this line here\n```\n",
        "a.py": 'def f():\n    """Return the answer at once."""\n',
        "a.js": "/**\n * Opens the door slowly.\n */\nlet a = 1;\n",
    }
    found = list(of_package(archive(tmp_path, files)))
    assert found == ["Read the guide first.", "Return the answer at once.", "Opens the door slowly."]


def test_an_entry_of_wordnet_gives_words_definition_and_examples(tmp_path: Path) -> None:
    line = '00001740 29 v 02 breathe 0 take_a_breath 0 001 @ 1 v 0000 | draw air into the lungs; "I can breathe better"'
    found = list(of_wordnet(archive(tmp_path, {"dict/data.verb": f"  1 licence | text\n{line}\n"})))
    assert found == [
        "breathe, take a breath: draw air into the lungs",
        "breathe, take a breath",
        "draw air into the lungs",
        "I can breathe better",
    ]


def test_dialogues_give_what_each_person_says(tmp_path: Path) -> None:
    said = {"1": {"messages": [[{"text": "I like long walks."}], [{"text": "ok"}, {"text": "So do I, really."}]]}}
    assert list(of_dialogues(archive(tmp_path, {"dataset.json": json.dumps(said)}))) == [
        "I like long walks.",
        "So do I, really.",
    ]
