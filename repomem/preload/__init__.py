"""A process with the libraries loaded, from which commands are forked while an agent's session or a watcher runs.

Loading libraries takes most of the time of a short command. `repomem mcp` and `repomem watch` therefore start a server
(`python -m repomem.preload`) that loads them once and then sleeps. A command connects to its socket, and the server
forks: the child gets the command's arguments, environment, folder and streams, and runs it as the command would have
run it itself. The server holds no data of any repository, and ends with the process that started it.
"""
