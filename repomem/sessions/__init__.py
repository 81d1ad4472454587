"""Agent sessions: started, noted in, ended, summarised."""
