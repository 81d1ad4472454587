"""Questions answered: brief, map, search, show, log, why."""
