"""What to tell people about a bot and its versions: where it stands and what happens next."""

from dataclasses import dataclass

from arena.archive import BotSource
from bots.models import Bot, BotVersion
from bots.queries import OwnBot

CONTEXT_LINES = 3


@dataclass(frozen=True)
class CodeLine:
    """One line of an upload, as an excerpt shows it."""

    number: int
    text: str
    is_culprit: bool


def next_step(own: OwnBot) -> str:
    """Where the bot stands and what comes next, for its owner: a sentence or two."""
    bot, current = own.bot, own.current_number
    newest = own.versions[0] if own.versions else None
    if bot.state == Bot.State.RETIRED:
        return "Retired: it plays no more; its matches stay."
    if newest is None:
        return "Upload a first version."
    if newest.state == BotVersion.State.VALIDATING:
        then = f"Version {current} stays in play meanwhile." if current else "It enters the ladder if it passes."
        return f"Version {newest.number} is being checked. {then}"
    if bot.state == Bot.State.BENCHED:
        why = bot.benched_reason or "it failed too often."
        return f"Benched: {why} Upload a corrected version, or go back to an earlier one, to bring it back."
    if newest.state == BotVersion.State.REJECTED:
        then = f"Version {current} plays on." if current else "Read why, and upload a corrected version."
        return f"Version {newest.number} was rejected. {then}"
    if newest.state == BotVersion.State.WITHDRAWN:
        return f"Version {current} plays rated matches; the newer ones are withdrawn."
    return f"Version {newest.number} plays rated matches."


def excerpt(source: BotSource, file: str | None, line: int | None) -> list[CodeLine]:
    """The lines of the upload around `line` of `file`; empty when there is no such place."""
    if file is None or line is None or file not in source.files:
        return []
    lines = source.files[file].split("\n")
    if not 1 <= line <= len(lines):
        return []
    first, last = max(1, line - CONTEXT_LINES), min(len(lines), line + CONTEXT_LINES)
    return [CodeLine(n, lines[n - 1].rstrip("\r")[:200], n == line) for n in range(first, last + 1)]
