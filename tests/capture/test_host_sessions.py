"""The files of agent sessions that hooks keep: other processes write and delete them meanwhile."""

from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.capture.host_sessions import FOLDER, HostSession, host_sessions, session_file


def test_a_session_file_that_another_process_has_just_deleted_is_skipped(make_repository: MakeRepository) -> None:
    with workspace_at(make_repository(Commit({"a.py": "a = 1\n"}))) as workspace:
        kept = session_file(workspace, "claude-code", "kept")
        kept.parent.mkdir(exist_ok=True)
        kept.write_text('{"host": "claude-code", "session": "kept", "shown": [], "older_nonces": []}')
        (workspace.folder / FOLDER / "gone.json").symlink_to("nowhere.json")  # listed, but there is no file
        assert host_sessions(workspace) == [HostSession("claude-code", "kept")]
