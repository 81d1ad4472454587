"""Replay of a repository's own history: would the brief have named the files that a commit changed?"""
