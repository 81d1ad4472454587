"""`python -m repomem.preload`, which `repomem mcp` and `repomem watch` start; ends when its stdin is closed."""

from repomem.preload.child import become
from repomem.preload.server import serve

if call := serve():
    become(call)
    from repomem.cli.program import run

    run()
