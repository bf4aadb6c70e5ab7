"""The arguments that several commands take."""

from __future__ import annotations

import argparse
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
        help=f"one of {', '.join(RULE_SETS)} (default classic)",
    )
    parser.add_argument(
        "--jobs", metavar="N", type=number_from(1, MAX_JOBS, "a number of processes"), default=1, help="processes"
    )
    parser.add_argument("--seed", metavar="TEXT", help="the same text gives the same games (default: a new one)")


def seed_of(text: str | None) -> tuple[str, bytes]:
    """The seed's text, a new one if there is none, and the match seed made from it."""
    text = secrets.token_hex(4) if text is None else text
    return text, sha256(text.encode(errors="surrogateescape")).digest()


def rules_by_name(name: str) -> Rules:
    """A type for argparse: the rule set of that name."""
    if name not in RULE_SETS:
        raise argparse.ArgumentTypeError(f"there is no rule set {name!r}; there are {', '.join(RULE_SETS)}")
    return RULE_SETS[name]
