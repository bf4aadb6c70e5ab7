"""A bot, its immutable versions, and what the workers say about their sandbox.

Plain tables. `bots.services` writes them, and beside it `validations`, `trials`, `resending` and `closing`, each its
own part; every shared read goes through `bots.queries`.
"""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

NOTE_LENGTH = 200


class Bot(models.Model):
    """One competitor. It plays as its current version: the newest active one (`queries.current_version`)."""

    class State(models.TextChoices):
        ACTIVE = "active", "active"
        BENCHED = "benched", "benched"
        """Faulted too often; a new version brings it back."""
        RETIRED = "retired", "retired"
        """Taken out for good by its owner."""
        DELETED = "deleted", "deleted"
        """Hidden by its owner: name, page and place in lists are gone, its matches stay under a number."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="bots"
    )
    """None for a house bot."""
    name = models.CharField(max_length=40)
    slug = models.SlugField(max_length=64, unique=True)
    """Follows from the name (`names.slug_of`): two names that read alike have one slug."""
    is_house = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=State, default=State.ACTIVE)
    benched_reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(is_house=True, owner__isnull=True) | models.Q(is_house=False, owner__isnull=False),
                name="house_bots_alone_have_no_owner",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The public page of the bot."""
        return f"/bots/{self.slug}/"


class BotVersion(models.Model):
    """One upload. The source never changes; the outcome of its validation is written later, once, and from then on its
    owner may withdraw it and bring it back. Who may read it, its owner may change at any time."""

    class State(models.TextChoices):
        VALIDATING = "validating", "being checked"
        ACTIVE = "active", "active"
        REJECTED = "rejected", "rejected"
        WITHDRAWN = "withdrawn", "withdrawn"
        """It passed and has played, but its owner went back to an earlier version."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    """1, 2, 3 ... for each bot."""
    sha256 = models.CharField(max_length=64)
    source = models.BinaryField()
    """`BotSource.to_bytes()`."""
    filename = models.CharField(max_length=100)
    """The uploaded file's name, shortened for display."""
    class_name = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.VALIDATING)
    report = models.JSONField(default=dict, blank=True)
    """`ValidationReport.to_dict()`: while it is being checked, what was found so far."""
    note = models.CharField(max_length=NOTE_LENGTH, blank=True)
    """What the owner says is new."""
    is_source_public = models.BooleanField(default=False)
    """Whether the owner lets everybody read the files; those of house bots are public anyway."""
    created_at = models.DateTimeField(auto_now_add=True)
    validated_at = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    """How often a worker claimed the validation; the claim's number."""
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    """Until then the validation belongs to whoever claimed it; after that anybody may."""
    resend_at = models.DateTimeField(default=timezone.now)
    """While it is to be checked and nobody does: when the broker's message counts as lost and is sent again."""
    house_error = models.TextField(blank=True)
    """What failed on the house's side at the last attempt; never the bot's fault."""

    class Meta:
        ordering = ["bot", "-number"]
        constraints = [models.UniqueConstraint(fields=["bot", "number"], name="one_number_a_version")]
        indexes = [models.Index(fields=["state", "lease_expires_at"], name="versions_to_validate")]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"

    def get_absolute_url(self) -> str:
        """The page of the validation."""
        return reverse("bots:version", args=[self.bot.slug, self.number])


class Trial(models.Model):
    """A draft tried out against a house bot: one match that rates nobody and that only the draft's author sees.

    A table of its own, so that no list of bots or matches can show one by mistake. Kept for a day (`bots.trials`).
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        FAILED = "failed"
        """The house could not play it, in several attempts."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="trials", db_index=False)
    source = models.BinaryField()
    """The draft: `BotSource.to_bytes()`."""
    opponent = models.CharField(max_length=40)
    """The slug of one of `arena.bots.HOUSE_BOTS`."""
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    hands = models.PositiveSmallIntegerField(default=0)
    """Played so far."""
    record = models.BinaryField(null=True, blank=True)
    """`MatchRecord.to_bytes()` once finished, with all that its author may see; the draft is side A."""
    created_at = models.DateTimeField()
    """By the database's clock, as the lease."""
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    """While running: until then the trial belongs to whoever claimed it."""
    resend_at = models.DateTimeField(default=timezone.now)
    """While queued: when the broker's message counts as lost and is sent again."""
    house_error = models.TextField(blank=True)
    """What failed on the house's side at the last attempt, for the operator."""

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-created_at"], name="trial_newest"),
            models.Index(fields=["created_at"], name="trial_oldest"),
        ]

    def __str__(self) -> str:
        return f"Trial {self.pk}"

    def get_absolute_url(self) -> str:
        """The page that follows it, for its owner alone."""
        return reverse("bots:trial", args=[self.pk])


class SandboxStatus(models.Model):
    """What the workers of a machine last said about its sandbox: the site itself has no access to it.

    A machine that has gone quiet loses its row when another reports (`services.record_sandbox`).
    """

    machine = models.CharField(max_length=255, unique=True)
    """Its host name; a container is a machine of its own."""
    driver = models.CharField(max_length=40)
    """The driver's name; empty when none passed its check."""
    runs_uploads = models.BooleanField()
    """False when there is none, or only one for trusted code."""
    message = models.TextField(blank=True)
    """Why not, and what to do."""
    numpy = models.CharField(max_length=40, blank=True)
    """The release that bots may import; empty when there is none."""
    checked_at = models.DateTimeField()
    """By the database's clock."""

    class Meta:
        verbose_name_plural = "sandbox status"

    def __str__(self) -> str:
        return f"{self.machine}: {self.driver or 'no sandbox'}"
