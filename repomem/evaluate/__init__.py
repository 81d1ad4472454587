"""Replays a repository's history: does the brief name the files that each commit changed?"""
