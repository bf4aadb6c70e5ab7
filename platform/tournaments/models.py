"""Tournaments, who enters them, the matches played for them, and what entrants are told.

A tournament lives `draft -> open -> closed -> running <-> paused -> finished`, or is cancelled before it is finished;
only `tournaments.services` moves it. Rounds, standings and the bracket are stored nowhere: they are the fold of the
finished fixtures (`queries.cup`).
"""

from __future__ import annotations

from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from arena.tournament import Format, format_from_dict
from bots.models import Bot, BotVersion
from ladder.models import Ladder, Match

NAME_LENGTH = 60
DESCRIPTION_LENGTH = 4000


class Tournament(models.Model):
    """What its creator chose, and how far it is."""

    class State(models.TextChoices):
        DRAFT = "draft"
        """Only its creator sees it."""
        OPEN = "open"
        """Entries are taken between `opens_at` and `closes_at`."""
        CLOSED = "closed"
        """Versions and seeds are fixed; it starts at `starts_at`."""
        RUNNING = "running"
        PAUSED = "paused"
        FINISHED = "finished"
        CANCELLED = "cancelled"

    class Entrants(models.TextChoices):
        """Who may enter."""

        ANYBODY = "anybody", "Anybody"
        INVITED = "invited", "Whoever has the invitation code"
        STAFF = "staff", "Only the organizers enter bots"

    class Seeding(models.TextChoices):
        ELO = "elo", "By Elo on the ladder"
        RANDOM = "random", "Drawn by lot"
        MANUAL = "manual", "Set by hand"

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=NAME_LENGTH)
    description = models.TextField(blank=True, default="", max_length=DESCRIPTION_LENGTH)
    creator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tournaments")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="tournaments")
    """Whose rules are played, by whose Elo bots are seeded, and where rated matches count."""
    format = models.JSONField()
    """`arena.tournament.format_to_dict`."""
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    zone = models.CharField(max_length=60, default="UTC")
    """The creator's time zone by its IANA name: that in which its times are entered and shown."""
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    starts_at = models.DateTimeField()
    who_enters = models.CharField(max_length=10, choices=Entrants, default=Entrants.ANYBODY)
    is_public = models.BooleanField(default=True)
    """Whether it is listed. Who has the code sees a private one, and so do its entrants."""
    code = models.CharField(max_length=32)
    """Lets in those who have it; the organizers hand it out."""
    bots_per_author = models.PositiveSmallIntegerField(default=1)
    max_entries = models.PositiveSmallIntegerField(default=64)
    seeding = models.CharField(max_length=10, choices=Seeding, default=Seeding.ELO)
    is_rated = models.BooleanField(default=False)
    repeat_days = models.PositiveSmallIntegerField(null=True, blank=True)
    """After how many days the next one of the series takes place; None for one that is played once."""
    edition = models.PositiveIntegerField(default=1)
    previous = models.OneToOneField("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="following")
    """The one of the series before. One-to-one: a series cannot go on twice."""
    note = models.CharField(max_length=300, blank=True, default="")
    """Why it is paused or cancelled, for the reader."""
    champion = models.ForeignKey("Entry", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """Who won by the fold, once finished: kept so that lists need not fold."""
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-starts_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(opens_at__lt=models.F("closes_at")) & Q(closes_at__lte=models.F("starts_at")),
                name="tournament_opens_closes_starts",
            ),
            models.CheckConstraint(
                condition=Q(state="finished", finished_at__isnull=False)
                | (~Q(state="finished") & Q(finished_at__isnull=True)),
                name="tournament_finished_at_when_finished",
            ),
        ]
        indexes = [models.Index(fields=["state", "-starts_at"], name="tournament_by_state")]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """The name, in a series with its number."""
        return f"{self.name} #{self.edition}" if self.repeat_days or self.edition > 1 else self.name

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("tournaments:detail", args=[self.slug])

    @property
    def chosen(self) -> Format:
        """Its format."""
        return format_from_dict(self.format)

    @property
    def zone_info(self) -> ZoneInfo:
        """The creator's time zone."""
        return ZoneInfo(self.zone)


class Entry(models.Model):
    """A bot in a tournament. Its version and seed are fixed when entries close."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries", db_index=False)
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entries")
    version = models.ForeignKey(BotVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    seed = models.PositiveIntegerField(null=True, blank=True)
    """From 1. Before entries close, the organizers' wish."""
    milli = models.IntegerField(null=True, blank=True)
    """Its Elo when entries closed, in thousandths of a point; None if it had none."""
    entered_at = models.DateTimeField(default=timezone.now)
    left_number = models.PositiveIntegerField(null=True, blank=True)
    """Its place in the order of those who left, from 1; None while it plays."""
    after_round = models.PositiveIntegerField(null=True, blank=True)
    """The last round that pairs it (`arena.tournament.Withdrawal`)."""
    is_disqualified = models.BooleanField(default=False)
    reason = models.CharField(max_length=200, blank=True, default="")
    """Why it was disqualified, for the reader."""

    class Meta:
        ordering = ["tournament", "seed", "pk"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "bot"], name="entry_once_a_bot"),
            models.UniqueConstraint(fields=["tournament", "left_number"], name="entry_leaves_in_order"),
            models.CheckConstraint(
                condition=Q(left_number__isnull=True, after_round__isnull=True)
                | Q(left_number__isnull=False, after_round__isnull=False),
                name="entry_leaves_after_a_round",
            ),
        ]

    def __str__(self) -> str:
        return self.bot.name


class Fixture(models.Model):
    """A match played for a tournament, and which one of its schedule it is."""

    match = models.OneToOneField(Match, on_delete=models.PROTECT, primary_key=True, related_name="fixture")
    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="fixtures", db_index=False)
    round = models.PositiveIntegerField()
    """From 1 through the whole tournament."""
    first = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+", db_index=False)
    """In seat 0."""
    second = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+", db_index=False)
    number = models.PositiveIntegerField()
    """Which match of the pairing, from 1."""
    draw = models.PositiveIntegerField(default=1)
    """How often this one was put on the schedule: once more after each void match and each round played again."""
    is_set_aside = models.BooleanField(default=False)
    """It counts no more: its round is played again, or its pairing is no longer asked for."""
    # The hand of the match with the most moves; null until somebody has looked (`services.note_hands`).
    most_moves = models.PositiveIntegerField(null=True, blank=True)
    most_game = models.PositiveSmallIntegerField(null=True, blank=True)
    """The game that it is of, from 1."""
    most_hand = models.PositiveSmallIntegerField(null=True, blank=True)
    """Its number in the game, from 1."""
    most_step = models.PositiveIntegerField(null=True, blank=True)
    """The step of the replay at which it is dealt."""

    class Meta:
        ordering = ["tournament", "round", "match"]
        indexes = [
            models.Index(fields=["tournament", "-most_moves"], name="fixture_most_played"),
            models.Index(fields=["match"], name="fixture_to_look_at", condition=Q(most_moves__isnull=True)),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "round", "first", "second", "number", "draw"], name="fixture_once_a_draw"
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.round}, match {self.match_id}"


class Notice(models.Model):
    """Something an entrant is told, on a page and by mail as far as it wants to be."""

    class Kind(models.TextChoices):
        CLOSED = "closed", "Entries closed, and the seed of my bot"
        PLAYS = "plays", "My bot plays in a round"
        OUT = "out", "My bot is out"
        WON = "won", "Who won"
        CHANGED = "changed", "A tournament was cancelled, or my bot was taken out"

    class Channel(models.TextChoices):
        PAGE = "page", "On this site"
        MAIL = "mail", "By e-mail"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices", db_index=False)
    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=10, choices=Kind)
    key = models.CharField(max_length=40)
    """What it is about within its kind: nobody is told one thing twice."""
    text = models.CharField(max_length=400)
    on_page = models.BooleanField(default=True)
    """Whether the user wanted it on the page when it was written."""
    mail_due = models.BooleanField(default=False)
    """Whether it has to be mailed still."""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "tournament", "kind", "key"], name="notice_told_once"),
        ]
        indexes = [
            models.Index(fields=["user", "-created_at"], name="notice_newest"),
            models.Index(fields=["created_at"], name="notice_to_mail", condition=Q(mail_due=True)),
        ]

    def __str__(self) -> str:
        return self.text


class Muted(models.Model):
    """A kind of notice that a user turned off on one of the two ways."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="muted", db_index=False)
    kind = models.CharField(max_length=10, choices=Notice.Kind)
    channel = models.CharField(max_length=10, choices=Notice.Channel)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind", "channel"], name="muted_once")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.channel}"
