"""Tables: casual games of a person against a bot. They are unrated, and in no list but their player's own."""

import secrets

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from bots.models import BotVersion


def new_token() -> str:
    """What a table's address ends with: 128 bits, so that nobody guesses it."""
    return secrets.token_urlsafe(16)


class Table(models.Model):
    """One game. Its cards follow from the seed and its state from the actions: whoever shows or hosts it plays them
    again (`tables.games`). Only `tables.services` writes here."""

    class State(models.TextChoices):
        QUEUED = "queued"
        """No worker hosts it, so the bot does not answer."""
        RUNNING = "running"
        FINISHED = "finished"
        FAILED = "failed"
        """The house could not go on with it."""

    class Ending(models.TextChoices):
        """Why a finished game ended: as `arena.bot.GameEnding`, and what only people do."""

        TARGET = "target"
        HAND_CAP = "hand_cap"
        FAULT = "fault"
        """The bot failed."""
        RESIGNED = "resigned"
        LEFT = "left"
        """The person did nothing for too long."""

    token = models.CharField(max_length=22, unique=True, default=new_token)
    player = models.CharField(max_length=32)
    """The person, by the browser's signed cookie (`tables.players`)."""
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="tables"
    )
    origin = models.CharField(max_length=32)
    """A keyed hash of the address that the person came from: it counts who has how many games, and tells nobody."""
    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="tables")
    """The opponent."""
    rule_set = models.CharField(max_length=30)
    """A key of `arena.rules.RULE_SETS`."""
    is_quick = models.BooleanField(default=False)
    """One hand instead of a game."""
    seat = models.PositiveSmallIntegerField()
    """The person's, 0 or 1."""
    seed = models.CharField(max_length=64)
    """In hex: every deck follows from it. Nobody gets to see it before the game is over."""
    actions = models.TextField(blank=True)
    """What both seats did, as words of `arena.actions.format_action` with spaces between."""
    moves = models.PositiveIntegerField(default=0)
    """The number of these actions: an action of the person names the number that it follows, and is played once."""
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    """Number of hosts so far: what tells a late word of a lost one from the present one's."""
    failures = models.PositiveSmallIntegerField(default=0)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(default=timezone.now)
    """Since when no worker hosts it, while none does."""
    act_by = models.DateTimeField(null=True, blank=True)
    """When the person must have acted; None while it is not their turn."""
    is_resigned = models.BooleanField(default=False)
    ending = models.CharField(max_length=8, choices=Ending, blank=True)
    winner = models.PositiveSmallIntegerField(null=True, blank=True)
    """The winning seat."""
    scores = models.JSONField(default=list, blank=True)
    """Final points by seat, once finished."""
    reason = models.TextField(blank=True)
    """What the bot did wrong, in a sentence for everybody; or for the staff, what the house did."""
    record = models.BinaryField(blank=True)
    """`MatchRecord.to_bytes()` of the one game, once finished; without what only the bot's owner may see."""
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["state"], name="table_state"),
            models.Index(fields=["player", "-created_at"], name="table_player"),
            models.Index(fields=["origin", "-created_at"], name="table_origin"),
            # `tend_tables` looks for those of long ago every few seconds.
            models.Index(fields=["created_at"], name="table_created"),
        ]

    def __str__(self) -> str:
        return f"table {self.pk}"

    def get_absolute_url(self) -> str:
        """Where it is played, and afterwards looked at."""
        return reverse("tables:table", args=[self.token])

    @property
    def is_live(self) -> bool:
        """Whether there is still something to play."""
        return self.state in LIVE and not self.is_resigned

    @property
    def outcome(self) -> str:
        """How it came out for the person, in a few words; of a game that is over."""
        if self.state == self.State.FAILED and not self.is_resigned:
            return "broken off"
        if self.is_resigned:
            return "resigned"
        if self.ending == self.Ending.LEFT:
            return "left"
        mine, other = self.scores[self.seat], self.scores[1 - self.seat]
        how = "drawn" if self.winner is None else "won" if self.winner == self.seat else "lost"
        return f"{how}, {mine} to {other}"


LIVE = (Table.State.QUEUED, Table.State.RUNNING)
