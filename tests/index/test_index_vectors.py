"""Vectors from the configured model: made at once or later, and at a known price; the old ones serve meanwhile."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from support.model_server import Manner, Server, serving
from support.models import bert_model, static_model
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.sqlite.catalog_rows import TableStamp
from repomem.core.errors import ConfigError, EmbeddingError
from repomem.core.types.indexed import Hit
from repomem.index import vectors as index_vectors
from repomem.index.maintenance import maintain
from repomem.index.report import unchanged_report
from repomem.index.run import index
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.search.likeness import LikenessToMemories
from repomem.memories.snapshots.snapshot import memories_now
from repomem.ranking.query import Query
from repomem.recall.answer import search_now
from repomem.setup.doctor import HealthState, health_checks
from repomem.setup.status import StatusReport, status_of
from repomem.workspace.ledger import Speaker
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope
from repomem.workspace.workspace import are_vectors_complete, opened

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the libraries of models
FILES = {
    "auth.py": "def refresh():\n    return 'session token expire'\n",
    "money.py": "def rounded():\n    return 'amount cent balance'\n",
    "work.py": "def again():\n    return 'deliver queue timeout'\n",
}
Serve = Callable[[Manner], Server]


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    return make_repository(Commit(FILES))


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Configure the embedding."""

    def chosen(model: str, **others: object) -> None:
        for key, value in {"model": model, **others}.items():
            monkeypatch.setenv(f"REPOMEM_EMBEDDING_{key.upper()}", str(value))

    return chosen


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr("repomem.adapters.models.litellm_vectors.WAITS", ())
    with ExitStack() as stack:
        yield lambda manner: stack.enter_context(serving(manner))


RUN = Run()


def indexed(folder: Path, run: Run = RUN) -> StatusReport:
    with opened(folder, os.environ) as workspace:
        index(workspace, run)
        return status_of(workspace)


def found(folder: Path, question: str, *, is_hurried: bool = False) -> tuple[list[Hit], list[str]]:
    """The hits, and what was said of them."""
    with opened(folder, os.environ) as workspace:
        workspace.is_hurried = is_hurried
        [hits], _ = search_now(workspace, [question], Scope(), 5, Run())
        return hits, workspace.notices


def by_vector(hits: list[Hit]) -> list[str]:
    """The paths that a vector spoke for."""
    return [hit.file.path for hit in hits if "vector" in hit.why]


def tables(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / ".git/repomem/store").glob("vectors-*.lance"))


def test_the_built_in_model_serves_from_the_first_run_on(place: Path) -> None:
    status = indexed(place)
    assert (status.model, status.embedded) == ("builtin", status.report.chunks)
    assert status.serving.startswith("static:builtin@")
    assert len(tables(place)) == 1


def test_a_static_model_finds_by_meaning(place: Path, tmp_path: Path, choose: Callable[..., None]) -> None:
    choose(f"model2vec:{static_model(tmp_path / 'small')}")
    status = indexed(place)
    assert (status.dimensions, status.embedded) == (8, status.report.chunks)
    hits, notices = found(place, "login alive")
    assert (by_vector(hits)[0], notices) == ("auth.py", [])


def test_a_transformer_is_used_by_index_runs_and_unhurried_questions(
    place: Path, tmp_path: Path, choose: Callable[..., None]
) -> None:
    choose(f"sentence-transformers:{bert_model(tmp_path / 'small')}", device="cpu")
    _, notices = found(place, "session token")  # indexes the words, and nothing else
    assert (tables(place), notices) == ([], [])
    status = indexed(place)
    assert (status.dimensions, status.embedded) == (16, status.report.chunks)
    hits, notices = found(place, "session token")
    assert (bool(by_vector(hits)), notices) == (True, [])
    assert by_vector(found(place, "session token", is_hurried=True)[0]) == []


def test_the_old_vectors_serve_until_the_new_are_complete(
    place: Path, tmp_path: Path, choose: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(f"model2vec:{static_model(tmp_path / 'old')}")
    old = indexed(place)
    choose(f"model2vec:{static_model(tmp_path / 'new', dimensions=12)}")
    monkeypatch.setattr(index_vectors, "FIRST_KEPT", 1)
    monkeypatch.setattr(index_vectors, "MOST_KEPT", 1)
    made = index_vectors._Embedding._embed
    done: list[int] = []

    def killed_at_the_second(self: object, versions: list[int], left: int) -> None:
        done.extend(versions)
        if len(done) > 1:
            raise KeyboardInterrupt
        made(self, versions, left)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(index_vectors._Embedding, "_embed", killed_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            indexed(place)
    with opened(place, os.environ) as workspace:
        status = status_of(workspace)
        assert unchanged_report(workspace) is None
    assert (status.serving, status.embedded) == (old.serving, 1)
    assert by_vector(found(place, "login alive")[0])[0] == "auth.py"

    asked: list[int] = []

    def counted(self: object, versions: list[int], left: int) -> None:
        asked.extend(versions)
        made(self, versions, left)  # type: ignore[arg-type]

    monkeypatch.setattr(index_vectors._Embedding, "_embed", counted)
    status = indexed(place)
    assert (len(asked), status.dimensions, status.embedded) == (2, 12, 3)
    assert len(tables(place)) == 2
    for path in (place / ".git/repomem/store").glob("vectors-*/_versions"):
        os.utime(path, (0, 0))
    with opened(place, os.environ) as workspace:
        maintain(workspace)
        assert tables(place) == [f"{workspace.space.table}.lance"] if workspace.space else []


def test_a_retrained_folder_is_another_model(place: Path, tmp_path: Path, choose: Callable[..., None]) -> None:
    folder = static_model(tmp_path / "m")
    choose(f"model2vec:{folder}")
    before = indexed(place).serving
    folder.rename(tmp_path / "was")
    static_model(folder, turned=1.5)
    hits, notices = found(place, "login alive")
    assert (by_vector(hits), "is not the model that the index was made with" in notices[0]) == ([], True)
    assert indexed(place).serving != before
    assert by_vector(found(place, "login alive")[0])[0] == "auth.py"


def test_a_damaged_table_of_vectors_costs_no_other(place: Path) -> None:
    indexed(place)
    hits, _ = found(place, "session token")
    [name] = tables(place)
    store = place / ".git/repomem/store"
    chunks = (store / "chunks.lance").stat().st_ino
    for path in (store / name / "data").iterdir():
        path.write_bytes(b"")
    again, notices = found(place, "session token")
    assert (again, len(notices)) == (hits, 1)
    assert (store / "chunks.lance").stat().st_ino == chunks


def test_a_provider_gets_what_is_new_and_nothing_twice(
    place: Path, choose: Callable[..., None], serve: Serve, run_git: RunGit
) -> None:
    server = serve(Manner())
    choose("litellm:openai/small", api_base=server.address)
    told: list[str] = []
    status = indexed(place, replace(RUN, tell=told.append))
    assert (status.dimensions, status.embedded) == (6, 3)
    assert "an unknown price" in told[0]
    assert sorted(text.split()[0] for batch in server.manner.asked[1:] for text in batch) == sorted(FILES)
    server.manner.asked.clear()
    (place / "copy.py").write_text(FILES["money.py"])
    (place / "money.py").write_text(FILES["money.py"] + "\n\ndef key():\n    return 'AKIAIOSFODNN7EXAMPLQ'\n")
    indexed(place)
    sent = [text for batch in server.manner.asked for text in batch]
    assert {text.split()[0] for text in sent} == {"one", "copy.py", "money.py"}
    assert "AKIAIOSFODNN7EXAMPLQ" not in "".join(sent)
    assert by_vector(found(place, "amount")[0])


def test_without_the_provider_words_answer_and_index_says_why(
    place: Path, choose: Callable[..., None], serve: Serve
) -> None:
    server = serve(Manner())
    choose("litellm:openai/small", api_base=server.address)
    indexed(place)
    server.manner.way = "500"
    hits, notices = found(place, "amount cent")
    assert (hits[0].file.path, by_vector(hits)) == ("money.py", [])
    assert "searched by words only: openai/small refused" in notices[0]
    (place / "late.py").write_text("def late():\n    return 'late login'\n")
    with pytest.raises(EmbeddingError, match="refused"):
        indexed(place)
    assert found(place, "late login")[0][0].file.path == "late.py"


def test_a_changed_length_starts_over_and_mixes_nothing(place: Path, choose: Callable[..., None], serve: Serve) -> None:
    server = serve(Manner())
    choose("litellm:openai/small", api_base=server.address)
    indexed(place)
    server.manner.dimensions = 4
    _, notices = found(place, "amount cent")
    assert "gives 4 dimensions, but the index has 6" in notices[0]
    (place / "late.py").write_text("def late():\n    return 'late login'\n")
    status = indexed(place)
    assert (status.dimensions, status.embedded) == (4, 4)


def test_what_costs_more_than_was_allowed_is_asked_for(
    place: Path, choose: Callable[..., None], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(Manner(model="text-embedding-3-small"))
    choose("litellm:openai/text-embedding-3-small", api_base=server.address, ask_above_cents=0)
    with pytest.raises(EmbeddingError, match="nothing was sent") as caught:
        indexed(place)
    assert "terminal" in caught.value.hint
    assert all(batch == ["one"] for batch in server.manner.asked)
    questions: list[str] = []

    def agreed(question: str) -> bool:
        questions.append(question)
        return True

    assert indexed(place, replace(RUN, agrees=agreed)).embedded == 3
    assert "$0.00" in questions[0]


@pytest.mark.parametrize("model", ["built-in", "model2vec:", "litellm:small", "openai/small"])
def test_a_name_that_means_no_model_is_refused(place: Path, choose: Callable[..., None], model: str) -> None:
    choose(model)
    with pytest.raises(ConfigError, match="is not a model"):
        indexed(place)


def test_a_model_that_is_gone_is_reported_and_words_answer(
    place: Path, tmp_path: Path, choose: Callable[..., None]
) -> None:
    folder = static_model(tmp_path / "m")
    choose(f"model2vec:{folder}")
    indexed(place)
    folder.rename(tmp_path / "gone")
    hits, notices = found(place, "amount cent")
    assert (hits[0].file.path, "no model in" in notices[0]) == ("money.py", True)
    (place / "late.py").write_text("def late():\n    return 'late login'\n")
    with pytest.raises(EmbeddingError, match="no model in"):
        indexed(place)
    assert found(place, "late login")[0][0].file.path == "late.py"


def test_what_is_indexed_while_vectors_are_made_gets_its_own(
    place: Path, tmp_path: Path, choose: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(f"sentence-transformers:{bert_model(tmp_path / 'small')}", device="cpu")
    made = index_vectors._Embedding._embed
    rounds: list[list[int]] = []

    def meanwhile(self: object, versions: list[int], left: int) -> None:
        made(self, versions, left)  # type: ignore[arg-type]
        rounds.append(list(versions))
        if len(rounds) == 1:
            (place / "late.py").write_text("def late():\n    return 'late login'\n")
            found(place, "late login")  # indexes the words, and leaves the vectors to whoever makes them now

    monkeypatch.setattr(index_vectors._Embedding, "_embed", meanwhile)
    indexed(place)
    assert [len(each) for each in rounds] == [3, 1]
    with opened(place, os.environ) as workspace:
        assert are_vectors_complete(workspace)
        assert status_of(workspace).embedded == 4


def test_rows_that_are_gone_are_rebuilt_and_no_run_goes_on_for_ever(
    place: Path, tmp_path: Path, choose: Callable[..., None]
) -> None:
    indexed(place)
    with opened(place, os.environ) as workspace:
        workspace.store.delete("chunks", list(workspace.catalog.file_versions.live_chunks())[:1])
        version, rows = workspace.store.stamp("chunks")
        workspace.catalog.stamp_table("chunks", TableStamp(version, rows))
    choose(f"model2vec:{static_model(tmp_path / 'small')}")
    status = indexed(place)
    assert (status.embedded, status.dimensions) == (3, 8)


def test_doctor_misses_vectors_that_are_gone_and_has_them_made(place: Path) -> None:
    indexed(place)
    with opened(place, os.environ) as workspace:
        assert workspace.space
        workspace.store.delete(workspace.space.table, list(workspace.catalog.file_versions.live_chunks())[:1])
        workspace.catalog.forget_table(workspace.space.table)
    for is_mending, states in ((False, [HealthState.BROKEN]), (True, [HealthState.OK]), (False, [HealthState.OK])):
        with opened(place, os.environ) as workspace:
            assert [
                each.state for each in health_checks(workspace, is_mending=is_mending) if each.name == "tables"
            ] == states


def remembered(folder: Path) -> dict[str, bytes]:
    """The vectors of three memories by the configured model, after an index run that nobody waits for."""
    with opened(folder, os.environ) as workspace:
        for text in ("the session token expires", "an amount is in cents", "the queue delivers twice"):
            remember(workspace, NewMemory(text), Speaker(is_person=True))
        index(workspace, Run())
        return workspace.catalog.memory_cache.vectors(workspace.embedder.model_id, memories_now(workspace).states)


def best_memory(folder: Path, question: str) -> str:
    with opened(folder, os.environ) as workspace:
        known = memories_now(workspace)
        states = known.states
        cosines = LikenessToMemories(workspace, known, states)(Query(question)).cosines
        assert workspace.notices == []
        return states[max(cosines, key=lambda name: cosines[name])].memory.said.text


def test_memories_have_vectors_of_a_transformer(place: Path, tmp_path: Path, choose: Callable[..., None]) -> None:
    choose(f"sentence-transformers:{bert_model(tmp_path / 'small')}", device="cpu")
    vectors = remembered(place)
    assert len([name for name in vectors if not name.startswith("unrelated")]) == 3
    assert {len(vector) for vector in vectors.values()} == {2 * 16}
    assert best_memory(place, "an amount is in cents") == "an amount is in cents"


def test_memories_have_vectors_of_a_provider(place: Path, serve: Serve, choose: Callable[..., None]) -> None:
    server = serve(Manner())
    choose("litellm:openai/small", api_base=server.address)
    vectors = remembered(place)
    assert len([name for name in vectors if not name.startswith("unrelated")]) == 3
    assert best_memory(place, "the queue delivers twice") == "the queue delivers twice"
