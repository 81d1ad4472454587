"""An interrupt waits for the end of a step, a second one does not, and one that is ignored stays so."""

import os
import signal

import pytest

from repomem.cli.terminal.interrupts import interruptible
from repomem.core.ports import Silence


def test_an_interrupt_is_raised_after_the_current_step(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    done = []

    def work() -> None:
        with interruptible(Silence()) as progress, progress.stage("Replaying", 2, "commits") as stage:
            os.kill(os.getpid(), signal.SIGINT)
            done.append("all of the step")
            stage.advance()
            done.append("more")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of the step"]
    assert signal.getsignal(signal.SIGINT) is before
    assert capsys.readouterr().err == "stopping after this step; press Ctrl-C again to stop at once\n"


def test_a_second_interrupt_is_raised_at_once() -> None:
    with interruptible(Silence()):
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible(Silence()) as progress, progress.stage("Replaying", 2, "commits") as stage:
            os.kill(os.getpid(), signal.SIGINT)
            stage.advance()
    finally:
        signal.signal(signal.SIGINT, before)
