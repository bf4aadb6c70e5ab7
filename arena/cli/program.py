"""The author's tool, `arena` or `python -m arena`: one module a command, each with `add` (its arguments) and `run`.

    new    a commented bot and a test for it      ladder  everybody against everybody, with ratings
    check  what the site checks in an upload      replay  a recorded match in the terminal
    play   two bots, many mirrored pairs          debug   a recorded match put to one's own bot
                                                  bench   how fast this machine and a bot are

It ends with status 0, with 1 when the bot of `check` or `debug` failed or a bot ended the process that played it, with
2 after one sentence when what was asked cannot be done, and with 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from arena.cli import bench, check, debug, ladder, new, play, replay
from arena.cli.terminal import UsageError, plain, prepare

COMMANDS = {
    "new": new,
    "check": check,
    "play": play,
    "ladder": ladder,
    "replay": replay,
    "debug": debug,
    "bench": bench,
}


class Parser(argparse.ArgumentParser):
    """Says in one sentence what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        sentence = message[0].upper() + message[1:]
        stop = "" if sentence.endswith(".") else "."
        self.exit(2, f"{plain(sentence)}{stop} '{self.prog} --help' shows how it is used.\n")


class Version(argparse.Action):
    """Says which code this is; only then is it looked at, for that takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print and exit."""
        from arena.wheel import installed_version

        print(f"arena {installed_version()}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    prepare()
    try:
        try:
            status = _status(arguments)
        finally:
            sys.stdout.flush()  # also what `--help` says before it exits
    except UsageError as error:
        status = 2
        print(plain(str(error)), file=sys.stderr)
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _drop_what_is_left()
        status = 1
    except OSError as error:  # of files each command speaks itself
        _drop_what_is_left()
        status = 2
        print(f"It cannot go on, for the system says: {error.strerror or error}.", file=sys.stderr)
    sys.exit(status)


def _status(arguments: Sequence[str] | None) -> int:
    """Run the command and return its status. Raises UsageError, and SystemExit after a sentence or help."""
    parser = Parser(prog="arena", description="Write, check and play Gin Rummy bots on your own machine.")
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, module in COMMANDS.items():
        words = (module.__doc__ or "").partition("\n")[0]
        summary = words.partition(": ")[2].removesuffix(".")
        module.add(commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + "."))
    options = parser.parse_args(arguments)
    status: int = COMMANDS[options.command].run(options)
    return status


def _drop_what_is_left() -> None:
    """Of stdout, which cannot be written, so that nothing is tried again at the very end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
