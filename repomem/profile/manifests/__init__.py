"""Reads what a project says about its commands and versions: manifests, task files, CI workflows, code blocks."""
