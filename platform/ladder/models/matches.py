"""A match from the queue to its record: who sat where, how each game ended, what bots did wrong and printed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from bots.models import Bot, BotVersion
from ladder.models.ladders import Ladder


class Match(models.Model):
    """A mirrored pair of games between two pinned bot versions."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        VOID = "void"

    class Origin(models.TextChoices):
        """Why the match is played; it decides in which queue its message waits (`services.matches`)."""

        LADDER = "ladder"
        """The scheduler chose it."""
        CHALLENGE = "challenge"
        """`asked_by` asked for it: unrated."""
        TOURNAMENT = "tournament"
        """A tournament's schedule asks for it (`tournaments.models.Fixture`)."""

    # As with other keys below, an index of the table's own begins with the column.
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="matches", db_index=False)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    origin = models.CharField(max_length=10, choices=Origin, default=Origin.LADDER)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    """Who challenged; None for what the scheduler chose, and once the account is gone."""
    is_rated = models.BooleanField(default=True)
    is_private = models.BooleanField(default=False)
    """In no list; its pages are for those whom `ladder.privacy` lets in. Never rated: a rating's history is public."""
    seed = models.CharField(max_length=64, blank=True, default="")
    """The deck seed in hex, drawn when the match is claimed. Show `published_seed`, never this."""
    attempt = models.PositiveIntegerField(default=0)
    """Number of claims so far: the fencing token by which a late result is told from the current one."""
    failures = models.PositiveIntegerField(default=0)
    """Attempts the house lost (a broken sandbox, a dead worker) since the match was queued by hand or scheduler."""
    worker = models.CharField(max_length=120, blank=True, default="")
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(default=timezone.now)
    resend_at = models.DateTimeField(default=timezone.now)
    """While queued: when the broker's message counts as lost and is sent again."""
    claimed_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    sequence = models.PositiveBigIntegerField(null=True, blank=True)
    """Place in the order of the ladder's finished matches, from 1; rated in this order."""
    error = models.TextField(blank=True, default="")
    """The house's last failure, for the operator; never shown as a bot's."""

    class Meta:
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(fields=["ladder", "sequence"], name="match_one_sequence_a_ladder"),
            models.CheckConstraint(
                condition=Q(state="running", lease_expires_at__isnull=False)
                | (~Q(state="running") & Q(lease_expires_at__isnull=True)),
                name="match_lease_only_while_running",
            ),
            models.CheckConstraint(
                condition=Q(state="finished", sequence__isnull=False, finished_at__isnull=False)
                | (~Q(state="finished") & Q(sequence__isnull=True, finished_at__isnull=True)),
                name="match_sequence_only_when_finished",
            ),
            models.CheckConstraint(
                condition=~Q(origin="challenge") | Q(is_rated=False), name="match_no_challenge_is_rated"
            ),
            models.CheckConstraint(
                condition=Q(is_private=False) | Q(is_rated=False), name="match_no_private_one_is_rated"
            ),
        ]
        indexes = [
            # Recovery and the scheduler look at live matches only: a handful among millions.
            models.Index(
                fields=["state", "resend_at"], name="match_live", condition=Q(state__in=["queued", "running"])
            ),
            models.Index(fields=["ladder", "claimed_at"], name="match_pace"),
            models.Index(fields=["ladder", "-id"], name="match_newest"),
            models.Index(fields=["asked_by", "-id"], name="match_asked_by", condition=Q(asked_by__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"Match {self.pk}"

    @property
    def published_seed(self) -> str | None:
        """The deck seed in hex once the match is finished; None before, for it would tell the cards to come."""
        return self.seed if self.state == self.State.FINISHED else None


class Seat(models.Model):
    """One side of a match: seat 0 or 1, the version that sits there, and what it scored.

    Seat `index` is the match's; in game 0 it is also the game's seat, in game 1 the seats are swapped.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats", db_index=False)
    index = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="seats", db_index=False)
    # What never changes is repeated here, so that the lists of a bot, and of two bots, read from one index each.
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="+", db_index=False)
    """`match.ladder`."""
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    """`version.bot`."""
    opponent = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    """The bot in the other seat."""
    score_quarters = models.PositiveSmallIntegerField(null=True, blank=True)
    """0..4 quarters of the match's point; the two seats' sum is 4. Null until finished."""
    games_won = models.PositiveSmallIntegerField(default=0)
    points = models.PositiveIntegerField(default=0)
    """Card points over all games of the match."""
    faults = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["match", "index"]
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="seat_once_a_match"),
            models.CheckConstraint(condition=Q(index__in=[0, 1]), name="seat_index_is_0_or_1"),
            models.CheckConstraint(
                condition=Q(score_quarters__isnull=True) | Q(score_quarters__lte=4), name="seat_score_in_quarters"
            ),
        ]
        indexes = [
            models.Index(fields=["version", "-match"], name="seat_newest_of_version"),
            models.Index(fields=["bot", "-match"], name="seat_newest_of_bot"),
            models.Index(fields=["bot", "ladder", "-match"], name="seat_newest_on_ladder"),
            models.Index(fields=["bot", "opponent", "-match"], name="seat_newest_of_two"),
            models.Index(fields=["bot", "-match"], name="seat_newest_with_faults", condition=Q(faults__gt=0)),
        ]

    def __str__(self) -> str:
        return f"seat {self.index} of match {self.match_id}"


class Game(models.Model):
    """The outcome of one game of a finished match. Every seat number here is the match's (`Seat.index`)."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="games", db_index=False)
    number = models.PositiveSmallIntegerField()
    """From 0; odd games replay the decks of the game before with the seats swapped."""
    seat0_index = models.PositiveSmallIntegerField()
    """The `Seat.index` that sat in the game's seat 0."""
    ending = models.CharField(max_length=20)
    """A value of `arena.bot.GameEnding`."""
    winner = models.PositiveSmallIntegerField(null=True, blank=True)
    """`Seat.index` of the winner; null for a draw."""
    score_a = models.PositiveIntegerField()
    """Card points of the match's seat 0."""
    score_b = models.PositiveIntegerField()
    """Card points of the match's seat 1."""
    hands = models.PositiveSmallIntegerField()
    style = models.TextField(blank=True, default="")
    """How each side played (`ladder.styles.to_text`); empty for games older than that, until they are tallied."""

    class Meta:
        ordering = ["match", "number"]
        constraints = [models.UniqueConstraint(fields=["match", "number"], name="game_once_a_match")]

    def __str__(self) -> str:
        return f"game {self.number} of match {self.match_id}"


class Fault(models.Model):
    """A bot's own failure in a game (never the house's). Traceback, file and line are for the bot's owner only."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="faults", db_index=False)
    seat = models.PositiveSmallIntegerField()
    """`Seat.index` of the side that failed."""
    kind = models.CharField(max_length=20)
    """A value of `arena.player.FaultKind`."""
    message = models.TextField()
    traceback = models.TextField(blank=True, default="")
    file = models.CharField(max_length=255, blank=True, default="")
    line = models.PositiveIntegerField(null=True, blank=True)
    step = models.PositiveIntegerField(null=True, blank=True)
    """The step of the replay at which it had to decide, and failed; null where it failed to start, or is not known."""

    class Meta:
        ordering = ["game", "seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="fault_once_a_seat_and_game")]

    def __str__(self) -> str:
        return f"{self.kind} of seat {self.seat}"


class BotLog(models.Model):
    """What a bot printed during one game: for its owner only."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="logs", db_index=False)
    seat = models.PositiveSmallIntegerField()
    """`Seat.index` of the side that printed."""
    text = models.TextField()
    marks = models.JSONField(default=list, blank=True)
    """`arena.prints.Mark`s: where in it the prints of each step begin. None in logs of before they were kept."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="log_once_a_seat_and_game")]

    def __str__(self) -> str:
        return f"log of seat {self.seat}"


class MatchRecordBlob(models.Model):
    """The full move log of a finished match, in a table of its own so that lists of matches never read it."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True, related_name="record_blob")
    data = models.BinaryField()
    """`arena.record.MatchRecord.public().to_bytes()`: nothing in it is for an owner alone."""

    def __str__(self) -> str:
        return f"record of match {self.match_id}"
