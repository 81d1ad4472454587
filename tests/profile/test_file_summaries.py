"""What a file says it is for, read from its docstring or leading comment."""

import pytest

from repomem.profile.file_summaries import LONGEST, READ, describes, summary_of

LICENCE = "/*\n * Copyright (c) 2020 Ada\n * Licensed under the MIT licence\n */\n"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", '"""Queues of jobs. More text."""\nx = 1\n', "Queues of jobs."),
        (
            "python",
            '#!/usr/bin/env python\n# coding: utf-8\n"""\njobs.queue\n~~~~~~~~~~\n\nHolds the queue.\n"""\n',
            "Holds the queue.",
        ),
        ("rust", "//! Walks the tree of files.\n//! In parallel.\nuse std::fs;\n", "Walks the tree of files."),
        (
            "go",
            "// Copyright 2020 Ada\n\n// Package chi routes HTTP requests.\npackage chi\n",
            "Package chi routes HTTP requests.",
        ),
        ("c", LICENCE + "\n/* Growable arrays of values */\n#include <x.h>\n", "Growable arrays of values"),
        (
            "cpp",
            "// Text formatting library - the core API\n//\n// Copyright (c) Ada\n#ifndef X\n",
            "Text formatting library - the core API",
        ),
        (
            "ruby",
            "# frozen_string_literal: true\n\n# Parses requests of clients.\nclass Client\n",
            "Parses requests of clients.",
        ),
        (
            "elixir",
            'defmodule Jobs do\n  @moduledoc """\n  Runs all the jobs.\n\n  More.\n  """\n',
            "Runs all the jobs.",
        ),
        (
            "typescript",
            "// Type definitions for trees\n// Original definitions by: Ada <https://x>, Ben <https://y>\nexport {}\n",
            "Type definitions for trees",
        ),
        (
            "typescript",
            (
                "// Project: https://x.org/trees.git, http://trees.io\n// Definitions by: Ada <https://x>\n"
                "//                 Ben <https://y>\n//                 Cy Dee\n// TypeScript Version: 2\nexport {}\n"
            ),
            "",
        ),
        (
            "typescript",
            "// Type definitions for trees\n// Project: https://x.org\n// Authors: Ada,\n//   Ben\nexport {}\n",
            "Type definitions for trees",
        ),
        ("c", "/*\n * Author: Ada <a@x.org>\n * Holds the queue of jobs.\n */\n", "Holds the queue of jobs."),
        (
            "rust",
            (
                "//! [![docs]](https://docs.rs/trees)\n//!\n//! [docs]: https://img.shields.io/badge/docs-fc8d62?logo=rust\n"
                "//!\n//! Walks the tree of [Node]s\n//! [Node]: https://x.org\nuse std::fs;\n"
            ),
            "Walks the tree of `Node`s",
        ),
        ("python", '"""\n* push adds one job;\n* pop takes one job.\n\nHolds the queue.\n"""\n', "Holds the queue."),
        (
            "c",
            "/*\n * - push adds one job;\n * - pop takes one job.\n *\n * Holds the queue.\n */\n",
            "Holds the queue.",
        ),
        (
            "elixir",
            'defmodule Api do\n  @moduledoc """\n  Entry point for generated clients.\n\n  | a | b |\n  """\n',
            "Entry point for generated clients.",
        ),
        (
            "c",
            "/**\n * @file queue.h\n * @brief Growable queues of jobs.\n * @author Ada of the team\n */\n",
            "Growable queues of jobs.",
        ),
        (
            "java",
            LICENCE + "\n/**\n * Streams of {@link Job}s.\n */\npackage jobs;\n",
            "Streams of `Job`s.",
        ),
        (
            "elixir",
            '@moduledoc """\nAdapter for [mint](https://a.example/mint).\n"""\n',
            "Adapter for mint.",
        ),
        ("rust", "//! The crate of [`Queue`] and [Job].\n", "The crate of `Queue` and `Job`."),
        (
            "python",
            '"""A registry of :class:`Schema <jobs.Schema>` classes."""\n',
            "A registry of `Schema` classes.",
        ),
        (
            "c",
            "/* Conversion of numbers as Ada M. Byron describes it. Slow. */\nint x;\n",
            "Conversion of numbers as Ada M. Byron describes it.",
        ),
        ("c", "/* A writer of C. It is fast. */\nint x;\n", "A writer of C."),
        (
            "elixir",
            '@moduledoc """\nUse URLs with parameters (`:id`, `{id}`).\n\nUseful when logging URLs.\n"""\n',
            "Use URLs with parameters (`:id`, `{id}`).",
        ),
        ("rust", "//! On lists\n//!\n//! This module provides:\n//!\n//! * one\n//!\n//! It makes lists equal.\n", ""),
        ("lua", "-- Linearizes the syntax tree\nlocal x\n", "Linearizes the syntax tree"),
        ("lua", "-- Ast stands for a syntax tree. Linearizes it in place.\nlocal x\n", "Linearizes it in place."),
        ("lua", "-- Ast stands for a syntax tree.\nlocal x\n", "Ast stands for a syntax tree."),
        ("javascript", "// timeago.js - https://example.org/timeago.js\nrun()\n", ""),
        (
            "python",
            '"""\n.. testsetup::\n\n    from queues import Queue, Job\n    q = Queue()\n\nHolds the queue.\n"""\n',
            "Holds the queue.",
        ),
        (
            "rust",
            "//! This module shows an example of code generated by the macro. **NO USE**.\n//!\n//! Usually, more.\n",
            "This module shows an example of code generated by the macro.",
        ),
        ("rust", "// Copyright Ada\n\n/*!\nMakes the queue.\n*/\nmod a;\n", "Makes the queue."),
        ("rust", "//! Searches in `&[u8]` haystacks.\nmod a;\n", "Searches in `&[u8]` haystacks."),
        ("c", "/* Permission to use and copy this software is given. */\n/* Holds the queue. */\nint x;\n", ""),
    ],
)
def test_the_first_sentence_about_the_file_is_its_summary(language: str, text: str, expected: str) -> None:
    assert summary_of(language, text) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", LICENCE + "int x;\n"),
        ("c", LICENCE + "/*\n * Redistribution in source and binary forms is permitted.\n */\nint x;\n"),
        ("javascript", "/* eslint-disable no-console */\nconst x = 1\n"),
        ("c", LICENCE + "\n/* disable warnings about old functions in MSVC */\nint x;\n"),
        ("python", "x = 1\n'''a string of many words'''\n"),
        ("python", '"""Two words"""\n'),
        ("elixir", '@moduledoc """\nJobs.\n\n```\nmp = New.new()\n\nresponse is client.post(url, mp)\n```\n"""\n'),
        ("rust", "//! use axum::{body, routing};\n"),
        ("go", "package chi\n\n// Route registers a handler for a path.\nfunc Route() {}\n"),
        ("rust", "/// A walker of the tree of files.\nstruct Walker;\n"),
        ("", "a text without any language\n"),
        ("javascript", "// Maintained by the people of that team\nconst x = 1\n"),
        ("c", "/* This file is part of jobs, distributed under the GNU GPL v2 with an exception. */\nint x;\n"),
        ("javascript", "/**\n * Module dependencies.\n * @private\n */\nimport a from 'a'\n"),
        ("elixir", '@moduledoc """\n| where | what |\n| --- | --- |\n"""\n'),
        ("rust", "//! There are six kinds of queues:\n//!\n//! 1. First in.\n"),
        ("ruby", "# Authors: Ada, Ben and others\nclass Client\n"),
        ("ruby", "# AUTHOR: Ada <a@x.org>; ada#x@irc.x.org\n# bugrep: Grace Hopper\nclass Client\n"),
        ("python", '"""\nerrors\n\nAll errors are defined in the following hierarchy::\n\n    Error\n"""\n'),
        ("c", "/*\n * The author of this software is Ada M. Byron.\n */\nint x;\n"),
        ("python", '"""This guide outlines how to use the queue."""\n'),
        ("cpp", '// "Tell them I was a writer.\n//  A maker of software."\n//  - Pieter Hintjens\nint x;\n'),
        ("c", "/* This requires that the shell be opened by the tool. */\nint x;\n"),
        ("go", "// Code generated by protoc from queue.proto.\n\npackage jobs\n"),
        ("python", '"""This file was generated by the parser of the team."""\n'),
        ("java", "/* Tables of the queue. Generated from queue.xml by a tool. */\nclass Queue {}\n"),
        ("javascript", "// queue.js is generated from the grammar of jobs\nrun()\n"),
        ("ruby", "# Tables of the queue of jobs; do not edit them\nclass Queue\n"),
        ("rust", "//! Usually, when you call the macro, only one type would be visible.\n"),
    ],
)
def test_licences_instructions_to_tools_and_comments_on_code_are_no_summary(language: str, text: str) -> None:
    assert summary_of(language, text) == ""


def test_an_introductory_sentence_is_skipped() -> None:
    text = '"""When it comes to many queues you need a broker.\n\nThis module implements such a broker.\n"""\n'
    assert summary_of("python", text) == "This module implements such a broker."


def test_a_topic_may_begin_like_an_introduction() -> None:
    assert summary_of("python", '"""When to try again: with jitter."""\n') == "When to try again: with jitter."


def test_a_long_sentence_is_cut() -> None:
    assert len(summary_of("python", '"""' + "word " * 100 + '"""')) <= LONGEST


@pytest.mark.parametrize(
    ("language", "start"),
    [("rust", "/*!\n"), ("python", '"""'), ("elixir", '@moduledoc """\n'), ("java", "/**\n")],
)
def test_documentation_longer_than_what_is_read_has_a_summary(language: str, start: str) -> None:
    assert summary_of(language, f"{start}Holds the queue.\n\n" + "More of it.\n" * READ) == "Holds the queue."
    licence = "Licensed under the Apache License.\n\nTERMS AND CONDITIONS FOR USE AND COPIES\n\n"
    assert summary_of(language, f"{start}{licence}") == ""


def test_a_list_of_labels_is_no_description() -> None:
    assert summary_of("ruby", "# Prevented attack:: CSRF of every kind of request\n# Supported browsers:: all\n") == ""


@pytest.mark.parametrize(
    ("summary", "name", "expected"),
    [
        ("The cJSON structure", "cJSON", False),
        ("Represents the jobQueue class.", "job_queue", False),
        ("The queue of jobs", "queue", True),
        ("中文的说明 of the queue", "queue", True),
    ],
)
def test_a_summary_of_the_name_alone_describes_nothing(summary: str, name: str, expected: bool) -> None:
    assert describes(summary, name) is expected
