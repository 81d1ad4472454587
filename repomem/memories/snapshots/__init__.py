"""The memories that apply here, with their status, as one snapshot; stored for the next process."""
