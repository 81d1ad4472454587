"""SQLite, small and fsynced: file versions, views, word statistics, cached briefs."""
