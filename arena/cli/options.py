"""The arguments that several commands take."""

from __future__ import annotations

import argparse
import json
import secrets
from hashlib import sha256

from arena.cli.pool import MAX_JOBS
from arena.cli.terminal import number_from
from arena.rules import RULE_SETS, Rules

MAX_PAIRS = 100_000


def add_play_options(parser: argparse.ArgumentParser, *, pairs: int, pairs_help: str) -> None:
    """The number of pairs, rules, processes and the seed."""
    parser.add_argument(
        "-n",
        "--pairs",
        metavar="N",
        type=number_from(1, MAX_PAIRS, "a number of pairs"),
        default=pairs,
        help=f"{pairs_help} (default {pairs})",
    )
    parser.add_argument(
        "--rules",
        metavar="NAME",
        type=rules_by_name,
        default="classic",
        help=f"one of {', '.join(RULE_SETS)} (default classic), with options of your own as in classic,target=50",
    )
    parser.add_argument(
        "--jobs", metavar="N", type=number_from(1, MAX_JOBS, "a number of processes"), default=1, help="processes"
    )
    parser.add_argument("--seed", metavar="TEXT", help="the same text gives the same games (default: a new one)")


def seed_of(text: str | None) -> tuple[str, bytes]:
    """The seed's text, a new one if there is none, and the match seed made from it."""
    text = secrets.token_hex(4) if text is None else text
    return text, sha256(text.encode(errors="surrogateescape")).digest()


def rules_by_name(text: str) -> Rules:
    """A type for argparse: the rule set of that name, with the options changed that follow it as `,option=value`.

    A value is written as in JSON, a word without its quotes.
    """
    name, *changes = text.split(",")
    if name not in RULE_SETS:
        raise argparse.ArgumentTypeError(f"there is no rule set {name!r}; there are {', '.join(RULE_SETS)}")
    if not changes:
        return RULE_SETS[name]
    options = RULE_SETS[name].to_dict() | {"name": text}
    for change in changes:
        option, _, value = change.partition("=")
        if option == "name":
            raise argparse.ArgumentTypeError("a rule set is named by what is changed in it, so its name is no option")
        try:
            options[option] = json.loads(value)
        except ValueError:
            options[option] = value
        if isinstance(options[option], int) and options[option] < 0:
            raise argparse.ArgumentTypeError(f"{option} is a number of cards, points or hands, so it is 0 or more")
    try:
        return Rules.from_dict(options)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
