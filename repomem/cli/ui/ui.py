"""`repomem ui`: the local page, or the same as one file."""

from pathlib import Path

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import flush, out, tell, workspace_at


def ui_command(directory: Path, port: int, *, has_browser: bool) -> None:
    """Serve the page of a repository until Ctrl-C."""
    from repomem.ui.server import Visit, serve

    with workspace_at(directory):  # errors come before the address
        pass

    def tell_address(address: str) -> None:
        out(f"{address}\n")
        flush()
        tell("press Ctrl-C to stop; it also stops after 30 minutes without use")

    serve(Visit(directory, speaker(), port, has_browser), tell_address)
    tell("stopped")


def export_command(directory: Path, target: Path) -> None:
    """Write memories, repository and health as one file."""
    from repomem.ui.export import export

    with workspace_at(directory) as workspace:
        size = export(workspace, directory / target)
    out(f"{target}\n")
    tell(f"{size / 1024:,.0f} KB, with all memories shown here; any browser opens it, also on another machine")
