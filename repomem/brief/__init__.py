"""Hits to text within a budget: select, render. Pure."""
