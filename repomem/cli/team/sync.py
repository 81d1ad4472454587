"""`repomem sync`, and `repomem trust WRITER`."""

from typing import Any

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import asked, out, out_lines, tell
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.text.counts import counted, listed
from repomem.core.text.escape import one_line, visible
from repomem.sync.run import Synced, SyncRequest, sync
from repomem.workspace.ledger import check_is_person
from repomem.workspace.workspace import Workspace
from repomem.workspace.writer_trust import distrust_writer, trust_writer
from repomem.workspace.writers import Writer, writer_named

SCHEMA = "repomem.sync/1"
SHOWN_NAMES = 3
LONGEST_NAME = 60


def sync_command(workspace: Workspace, ask: SyncRequest, form: Format, *, is_quiet: bool) -> None:
    """Merge the remote's ledger with this one, and print what was sent and received."""
    done = sync(workspace, ask)
    if is_quiet:
        return
    if form is Format.JSON:
        out_json(_json(done))
        return
    out_lines(_lines(done))
    if done.erased and not done.is_dry_run:
        tell(
            f"note: {counted(done.erased, 'purged record')} removed from the remote. Clones that synced earlier keep"
            " them until they sync again; forks and backups keep them for good. Change any secret that they contained"
        )
    if done.refused:
        tell(
            f"note: {counted(done.refused, 'record')} ignored: not signed by the writer that they name. Somebody else"
            " or an older repomem wrote them; they count once that writer syncs again"
        )
    if done.purged_by_others:
        tell(
            f"note: others purged {done.purged_by_others} of your memories: this clone keeps them but no longer sends"
            " them; repomem forget --purge ID erases them here"
        )


def trust_writer_command(workspace: Workspace, wanted: str, *, is_sure: bool) -> None:
    """Trust a writer, after printing the names it uses; RepomemError for an agent."""
    writer = writer_named(workspace, wanted)
    if writer.is_trusted:
        tell(f"{writer.id} is already trusted in this repository")
        return
    out(f"{_who(writer)}\n")
    doubt = "" if writer.key else " Its records are not signed: anyone who can push to the remote can use its id."
    question = f"Trust this writer like yourself?{doubt}"
    hint = f"let a person run repomem trust {writer.id[:8]} on a terminal"
    check_is_person(speaker(), "trust a writer", hint)
    if not (is_sure or asked(question)):
        tell("no writer was trusted")
        return
    trust_writer(workspace, writer.id, ", ".join(writer.names))
    tell(f"trusted in this repository: {writer.id}")


def distrust_writer_command(workspace: Workspace, wanted: str) -> None:
    """Stop trusting a writer."""
    writer = writer_named(workspace, wanted)
    distrust_writer(workspace, writer.id)
    tell(f"no longer trusted in this repository: {writer.id}")


def _lines(done: Synced) -> list[str]:
    sent, records = counted(done.sent, "memory", "memories"), counted(done.records, "record")
    counts = f"sent {sent}, received {done.received}; {records} (memories and their changes) in the shared ledger"
    if done.is_dry_run:
        counts = f"would send {sent} and receive {done.received}; the shared ledger would then have {records}"
    lines = [f"{visible(done.remote)}: {counts}"]
    lines += [f"  {count} not sent: {reason.value}" for reason, count in sorted(done.stays.items())]
    lines += [f"  {_who(each)}, {'trusted' if each.is_trusted else 'not trusted'}" for each in done.writers]
    if any(not each.is_trusted for each in done.writers):
        lines.append("  memories of untrusted writers are marked as such; to trust one: repomem trust WRITER")
    return lines


def _who(writer: Writer) -> str:
    names = listed(writer.names, SHOWN_NAMES, lambda name: one_line(visible(name), LONGEST_NAME))
    key = f"signed by key {writer.fingerprint}" if writer.key else "not signed"
    return f"writer {writer.id} ({names}): {counted(writer.memories, 'memory', 'memories')}, {key}"


def _json(done: Synced) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "remote": done.remote,
        "dry_run": done.is_dry_run,
        "sent": done.sent,
        "received": done.received,
        "records": done.records,
        "erased": done.erased,
        "purged_by_others": done.purged_by_others,
        "refused": done.refused,
        "stays": {reason.name.lower(): count for reason, count in sorted(done.stays.items())},
        "writers": [
            {
                "id": each.id,
                "names": list(each.names),
                "memories": each.memories,
                "trusted": each.is_trusted,
                "key": each.key,
            }
            for each in done.writers
        ],
    }
