"""A change judged against memories and history."""
