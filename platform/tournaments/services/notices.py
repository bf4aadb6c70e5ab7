"""Telling entrants: one row a thing and user, shown on the page and mailed as far as the user wants it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User
from django.db import transaction

from arena import tournament as pure
from bots import clock
from tournaments import queries
from tournaments.models import Entry, Muted, Notice, Tournament

MAIL_FOR = dt.timedelta(days=2)
"""After that nobody wants to read it any more."""
AT_A_TIME = 50


def tell(tournament: Tournament, kind: Notice.Kind, told: Iterable[tuple[int | None, str, str]]) -> None:
    """Tells users, given with a key and a text; once a key, however often it is said. The house (None) is not told."""
    people = [(user, key, text) for user, key, text in told if user is not None]
    if not people:
        return
    off = queries.muted({user for user, _, _ in people})
    now = clock.now()
    Notice.objects.bulk_create(
        (
            Notice(
                user_id=user,
                tournament=tournament,
                kind=kind,
                key=key,
                text=text[:400],
                on_page=(user, kind.value, "page") not in off,
                mail_due=(user, kind.value, "mail") not in off,
                created_at=now,
            )
            for user, key, text in people
        ),
        ignore_conflicts=True,
    )


def tell_who_plays(
    tournament: Tournament, cup: pure.Tournament, queued: Iterable[pure.Match], entries: Mapping[int, Entry]
) -> None:
    """Tells authors whom their bots meet, in the first round of a round robin and in every round of the others."""
    one_notice = isinstance(cup.format, pure.RoundRobin)
    names = {one.number: one.name for one in cup.rounds}
    told = {}
    for match in queued:
        for own, other in ((match.first, match.second), (match.second, match.first)):
            if one_notice:
                key, text = f"plays-{own}", f"{entries[own].bot} plays its matches from now on."
            else:
                key = f"plays-{own}-{match.round}"
                text = f"{names[match.round]}: {entries[own].bot} meets {entries[other].bot}."
            told[key] = (entries[own].bot.owner_id, key, text)
    tell(tournament, Notice.Kind.PLAYS, told.values())


def tell_who_is_out(tournament: Tournament, cup: pure.Tournament) -> None:
    """Tells the authors of bots that a knockout is over for."""
    out = {line.entrant: line for line in cup.standings if line.out_in is not None}
    if not out:
        return
    names = {one.number: one.name for one in cup.rounds}
    entries = Entry.objects.filter(pk__in=out).select_related("bot")
    told = []
    for entry in entries:
        number = out[entry.pk].out_in or 0
        text = f"{entry.bot} is out ({names.get(number, f'round {number}')})."
        told.append((entry.bot.owner_id, f"out-{entry.pk}-{number}", text))
    tell(tournament, Notice.Kind.OUT, told)


def tell_who_won(tournament: Tournament, cup: pure.Tournament) -> None:
    """Tells every entrant's author who won, and how its bot came in."""
    entries = {entry.pk: entry for entry in tournament.entries.select_related("bot")}
    champion = entries.get(cup.champion or 0)
    won = f"{champion.bot} won." if champion is not None else "Nobody won."
    told = [
        (
            entries[line.entrant].bot.owner_id,
            f"won-{cup.champion}-{line.entrant}",
            f"{won} {entries[line.entrant].bot} came in at {line.rank} of {len(cup.standings)}.",
        )
        for line in cup.standings
    ]
    tell(tournament, Notice.Kind.WON, told)


def claim_mail() -> list[Notice]:
    """Notices to be mailed now, which nobody else mails: theirs is the caller's to send, or to give back."""
    fresh = Notice.objects.filter(mail_due=True, created_at__gt=clock.now() - MAIL_FOR)
    due = fresh.select_related("user", "tournament").order_by("created_at", "pk")[:AT_A_TIME]
    return [one for one in due if Notice.objects.filter(pk=one.pk, mail_due=True).update(mail_due=False)]


def give_back_mail(*, notice: Notice) -> None:
    """Its mail could not be sent: it is tried again."""
    Notice.objects.filter(pk=notice.pk).update(mail_due=True)


def set_muted(*, user: User, muted: Iterable[tuple[str, str]]) -> None:
    """Turns off exactly these kinds of notice on these channels."""
    with transaction.atomic():
        Muted.objects.filter(user=user).delete()
        Muted.objects.bulk_create(Muted(user=user, kind=kind, channel=channel) for kind, channel in set(muted))
