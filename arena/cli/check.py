"""`arena check`: all that the site checks in an upload, with the same sentences.

The bot is loaded, plays a game against a house bot and a pair against itself, on the site's clock, in a child process
that it may end. What only a sandbox can know is left out: memory, and what the walls forbid.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import signal
from multiprocessing.connection import Connection

from arena.archive import BotSource, UploadRejected
from arena.checks import CHECKS, Check, ValidationReport, examine
from arena.cli.bots import read_source
from arena.cli.pool import interrupt_held_back
from arena.cli.terminal import GREEN, RED, Progress, UsageError, paint, path_from, plain
from arena.local import UploadContestant
from arena.player import FaultKind, HouseFailure

_IMPORTS_NUMPY = re.compile(r"^\s*(?:import|from)\s+numpy\b", re.MULTILINE)


def add(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("upload", metavar="FILE", type=path_from, help="a .py file, a .zip, or a folder")


def run(options: argparse.Namespace) -> int:
    """Check and report: 0 if the site would take the bot, else 1. Raises UsageError."""
    try:
        source = read_source(options.upload)
    except UploadRejected as refusal:
        print(_line(Check("upload", ok=False, message=refusal.message)))
        return 1
    report = _checked(source)
    for check in report.checks:
        print(_line(check))
        if check.file:
            print(f"        {plain(check.file)}" + (f", line {check.line}" if check.line else ""))
        if check.traceback:
            print("\n".join(f"        {line}" for line in plain(check.traceback).splitlines()))
    if report.log:
        print(f"\nIt printed:\n{plain(report.log.rstrip())}")
    if report.ok and any(_IMPORTS_NUMPY.search(text) for text in source.files.values()):
        print('\nIt imports numpy, which not every site has: its page "Write a bot" says.')
    return 0 if report.ok else 1


def _line(check: Check) -> str:
    verdict = paint("ok    ", GREEN) if check.ok else paint("failed", RED)
    return f"{verdict}  {plain(check.message)}"


def _checked(source: BotSource) -> ValidationReport:
    """The report of a child process; if that is lost, what it told before and whose doing it was."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_examine, args=(source.to_bytes(), theirs), daemon=True)
    with interrupt_held_back():
        child.start()
    theirs.close()
    report, is_done = ValidationReport(()), False
    progress = Progress(len(CHECKS), "checks")
    try:
        while not is_done:
            progress.update(len(report.checks), "being checked")
            answer = ours.recv()
            if isinstance(answer, str):
                raise UsageError(answer)
            report, is_done = answer
    except EOFError:
        child.join()
        lost = Check(CHECKS[len(report.checks)], ok=False, message=_ended(child.exitcode), code=FaultKind.CRASH.value)
        report = ValidationReport((*report.checks, lost), report.class_name, report.log)
    finally:
        progress.clear()
        child.terminate()
        child.join()
    return report


def _examine(source: bytes, parent: Connection) -> None:
    """In the child: send each report with whether it is the last, or a sentence."""

    def enter(entered: BotSource) -> UploadContestant:
        return UploadContestant(entered.files, entered.entry, clocked=True)

    # What came while this process was made and loaded is for the parent, who ends it. From now on it is the clock's; a
    # shell may have given us another handler for the background.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        report = examine(BotSource.from_bytes(source), enter, progress=lambda so_far: parent.send((so_far, False)))
        parent.send((report, True))
    except HouseFailure as failure:
        parent.send(str(failure))
    except KeyboardInterrupt:  # a person's: the parent has it too
        return


def _ended(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"The bot's process was ended by {signal.Signals(-exit_code).name}."
    return f"The bot's process ended itself with exit code {exit_code}."
