"""The checks of an upload (`arena.checks`), all in the sandbox."""

from arena.archive import BotSource
from arena.checks import Progress, ValidationReport, examine
from sandbox.drivers.base import Driver, Limits
from sandbox.player import SandboxContestant


def validate(
    driver: Driver, source: BotSource, limits: Limits, *, progress: Progress | None = None
) -> ValidationReport:
    """Run every check in `driver`, as far as they pass. Raises HouseFailure."""
    return examine(source, lambda entered: SandboxContestant(driver, entered, limits), progress=progress)
