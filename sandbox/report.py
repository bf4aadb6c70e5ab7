"""What a validation found, as data that is stored and shown."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Check:
    """One thing that was tried with the upload."""

    name: str
    """load, house_game or self_play."""
    ok: bool
    message: str
    """One sentence: what was done, or what was wrong and what to do."""
    code: str = ""
    """What kind of failure; '' when the check passed."""
    traceback: str = ""
    """For the owner only."""
    file: str | None = None
    """Path inside the upload."""
    line: int | None = None
    """Line in `file`, from 1."""


@dataclass(frozen=True)
class ValidationReport:
    """The checks in the order they ran; none runs after one that failed."""

    checks: tuple[Check, ...]
    class_name: str = ""
    """The bot class, once it was found."""
    log: str = ""
    """What the bot printed meanwhile, capped. For the owner only."""

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.ok for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """JSON data with the keys ok, class_name, checks (a list of `Check` as objects) and log."""
        return {"ok": self.ok} | asdict(self) | {"checks": [asdict(check) for check in self.checks]}
