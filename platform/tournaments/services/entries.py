"""Who takes part: entering, leaving, seeds by hand, disqualification."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from bots import clock
from bots.models import Bot
from bots.queries import current_version
from bots.refusals import Refusal
from ladder.models import Match
from tournaments import queries
from tournaments.models import Entry, Notice, Tournament
from tournaments.services import notices
from tournaments.services.locks import locked, require
from tournaments.services.settling import settle

State = Tournament.State


def enter(*, user: User, tournament: Tournament, bot: Bot, code: str = "") -> Entry:
    """Enters the bot with whatever version it plays as when entries close. Raises Refusal.

    Authors enter their own bots, organizers the house's too. A private tournament, and one that is for the invited,
    asks for its code.
    """
    with transaction.atomic():
        found = locked(tournament.pk)
        runs = queries.runs(user, found)
        _check_open(found)
        if bot.owner_id != user.pk and not (bot.is_house and runs):
            raise Refusal("not_yours", "You can enter your own bots only.", field="bot")
        if found.who_enters == Tournament.Entrants.STAFF and not runs:
            raise Refusal("organizers_only", "Only the organizers enter bots in this tournament.")
        invited = not found.is_public or found.who_enters == Tournament.Entrants.INVITED
        if invited and not runs and not queries.has_code(found, code):
            raise Refusal("no_invitation", "That is not the invitation code. Ask the organizers for it.", field="code")
        if bot.state != Bot.State.ACTIVE or current_version(bot) is None:
            raise Refusal(
                "not_playing", f"{bot} plays no matches now. Enter one that has passed its check.", field="bot"
            )
        if found.entries.filter(bot=bot).exists():
            raise Refusal("entered_already", f"{bot} is entered already.", field="bot")
        if not bot.is_house and found.entries.filter(bot__owner=bot.owner_id).count() >= found.bots_per_author:
            raise Refusal(
                "too_many_of_one",
                f"An author may enter {found.bots_per_author} here, and you have. Withdraw one to enter another.",
            )
        if found.entries.count() >= found.max_entries:
            raise Refusal("full", f"All {found.max_entries} places are taken.")
        return Entry.objects.create(tournament=found, bot=bot, entered_at=clock.now())


def leave(*, user: User, entry: Entry) -> None:
    """Withdraws a bot: its author, or an organizer. What that means for its matches is in docs/tournaments.md.

    Raises Refusal.
    """
    with transaction.atomic():
        found = locked(entry.tournament_id)
        if entry.bot.owner_id != user.pk and not queries.runs(user, found):
            raise Refusal("not_yours", "Only a bot's author and the organizers can withdraw it.")
        require(found, [State.OPEN, State.CLOSED, State.RUNNING, State.PAUSED], "left any more")
        take_out(tournament=found, entry=entry)


def disqualify(*, entry: Entry, reason: str) -> None:
    """Takes a bot out and puts it behind everybody else, also once the tournament is finished: the title goes on then.

    Raises Refusal.
    """
    with transaction.atomic():
        found = locked(entry.tournament_id)
        require(found, [State.CLOSED, State.RUNNING, State.PAUSED, State.FINISHED], "ruled on now")
        take_out(tournament=found, entry=entry, disqualified=True, reason=reason)
        text = f"{entry.bot} was disqualified. {reason}".strip()
        notices.tell(found, Notice.Kind.CHANGED, [(entry.bot.owner_id, f"disqualified-{entry.pk}", text)])


def take_out(*, tournament: Tournament, entry: Entry, disqualified: bool = False, reason: str = "") -> None:
    """Lets an entry of a locked tournament go. Before entries close it is as if it had never entered."""
    if tournament.state == State.OPEN:
        Entry.objects.filter(pk=entry.pk).delete()
        return
    fresh = Entry.objects.get(pk=entry.pk)
    if fresh.left_number is None:
        cup = queries.cup(tournament)
        if cup is None:
            raise Refusal("not_seeded", f"{entry.bot} does not take part.")
        started = any(
            fixture.match.state == Match.State.RUNNING and fixture.round == cup.current_round
            for fixture in queries.live_fixtures(tournament)
        )
        withdrawal = cup.withdrawal(fresh.pk, disqualified=disqualified, started=started)
        last: int = tournament.entries.aggregate(last=Max("left_number"))["last"] or 0
        fresh.left_number, fresh.after_round = last + 1, withdrawal.after_round
    elif not disqualified:
        raise Refusal("left_already", f"{entry.bot} has left already.")
    if disqualified:
        fresh.is_disqualified, fresh.reason = True, reason[:200]
    fresh.save(update_fields=["left_number", "after_round", "is_disqualified", "reason"])
    settle(tournament=tournament)


def set_seeds(*, tournament: Tournament, order: Sequence[Entry]) -> None:
    """Seeds the entries in that order, until the tournament starts. Raises Refusal unless it names every one."""
    with transaction.atomic():
        found = locked(tournament.pk)
        require(found, [State.OPEN, State.CLOSED], "seeded any more")
        if {entry.pk for entry in order} != set(found.entries.values_list("pk", flat=True)):
            raise Refusal("other_entries", "The entries have changed meanwhile. Look at them and set the seeds again.")
        for seed, entry in enumerate(order, start=1):
            Entry.objects.filter(pk=entry.pk).update(seed=seed)
        Tournament.objects.filter(pk=found.pk).update(seeding=Tournament.Seeding.MANUAL)


def _check_open(tournament: Tournament) -> None:
    now = clock.now()
    if tournament.state != State.OPEN or now >= tournament.closes_at:
        raise Refusal("closed", "Entries are closed.")
    if now < tournament.opens_at:
        raise Refusal("not_open_yet", f"Entries open at {tournament.opens_at:%Y-%m-%d %H:%M} UTC.")
