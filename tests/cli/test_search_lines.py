"""`search --stdin`: a question a line, an answer a line, at once and in order."""

import json
import signal

from support.command_line import Place


def test_each_line_has_its_answer_in_order_and_an_empty_one_has_no_hits(indexed: Place) -> None:
    ended = indexed.run("search", "--stdin", "-k", "1", stdin="parse_money\n\nclass Ledger\n  ")
    answers = [json.loads(line) for line in ended.out.splitlines()]
    assert (ended.code, ended.err) == (0, "")
    assert [answer["schema"] for answer in answers] == ["repomem.search/1"] * 3
    assert [[hit["path"] for hit in answer["hits"]] for answer in answers] == [
        ["src/ledgerly/money.py"],
        [],
        ["src/ledgerly/ledger.py"],
    ]


def test_every_one_of_many_lines_is_answered(indexed: Place) -> None:
    questions = ["money", "ledger", ""] * 80
    lines = indexed.run("search", "--stdin", "-k", "1", stdin="\n".join(questions) + "\n").out.splitlines()
    assert len(lines) == 240
    assert len(set(lines)) == 3
    assert lines == lines[:3] * 80


def test_empty_stdin_prints_nothing(indexed: Place) -> None:
    ended = indexed.run("search", "--stdin")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_an_answer_comes_before_the_next_question(indexed: Place) -> None:
    with indexed.start("search", "--stdin") as process:
        assert process.stdin
        assert process.stdout
        for question in ("parse_money", "Ledger"):
            process.stdin.write(f"{question}\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["hits"]
        process.stdin.close()
        assert process.wait(60) == 0


def test_an_interrupt_prints_one_line(indexed: Place) -> None:
    with indexed.start("search", "--stdin") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write("money\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == "interrupted; finished work is kept, run the command again to continue\n"


def test_a_closed_pipe_is_not_an_error(indexed: Place) -> None:
    with indexed.start("search", "--stdin") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write("money\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write("ledger\n")
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
