"""The forms of tournaments. They gather the fields; the rules are in `services` and `arena.tournament`."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.utils import timezone

from arena.tournament import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from bots.models import Bot
from bots.refusals import Refusal
from ladder.models import Ladder
from tournaments.models import DESCRIPTION_LENGTH, NAME_LENGTH, Entry, Tournament
from tournaments.services import Plan

FORMATS = {
    "round_robin": "Round robin: everybody plays everybody",
    "double_round_robin": "Double round robin: everybody plays everybody twice",
    "swiss": "Swiss: a fixed number of rounds between equals",
    "single_elimination": "Single elimination: one defeat and out",
    "double_elimination": "Double elimination: two defeats and out",
    "groups_then_knockout": "Groups, then single elimination",
}
ONLY_FOR = {
    "rounds": "swiss",
    "group_size": "groups_then_knockout",
    "qualifiers": "groups_then_knockout",
    "knockout_matches": "groups_then_knockout",
}
"""Fields that one format alone has; of the others css/tournament.css hides them."""
REPEATS = {"": "Played once", "1": "Every day", "7": "Every week", "14": "Every two weeks", "28": "Every four weeks"}
MOST_MATCHES = 15
MOST_ROUNDS = 20
MOST_ENTRIES = 300
_WALL = "%Y-%m-%dT%H:%M"


def _number(label: str, initial: int, most: int, least: int = 1, help_text: str = "") -> forms.IntegerField:
    said = f"Choose {least} to {most}."
    messages = {"min_value": said, "max_value": said, "invalid": said, "required": said}
    return forms.IntegerField(
        label=label, initial=initial, min_value=least, max_value=most, help_text=help_text, error_messages=messages
    )


def _moment(label: str, help_text: str = "", *, required: bool = True) -> forms.DateTimeField:
    said = "Give a day and a time, as 2026-05-31 20:00."
    return forms.DateTimeField(
        label=label,
        required=required,
        help_text=help_text,
        error_messages={"required": said, "invalid": said},
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=_WALL),
    )


class TournamentForm(forms.Form):
    """All that is chosen of a tournament."""

    use_required_attribute = True
    name = forms.CharField(
        label="Name",
        max_length=NAME_LENGTH,
        error_messages={"max_length": f"A name has at most {NAME_LENGTH} characters.", "required": "Give it a name."},
    )
    description = forms.CharField(
        label="Description (optional)",
        required=False,
        max_length=DESCRIPTION_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"max_length": f"A description has at most {DESCRIPTION_LENGTH} characters."},
    )
    ladder = forms.ModelChoiceField(
        label="Rules",
        queryset=Ladder.objects.filter(is_open=True),
        empty_label=None,
        help_text="Those of this ladder; its Elo also seeds.",
    )
    format = forms.ChoiceField(label="Format", choices=list(FORMATS.items()))
    # Not `matches`: a field of that name hides a form's own method of it from every script.
    each = _number("Matches a pairing", 1, MOST_MATCHES, help_text="Each is a mirrored pair of games.")
    rounds = _number("Rounds of a Swiss", 7, MOST_ROUNDS)
    group_size = _number("Most bots in a group", 4, 16, least=3)
    qualifiers = _number("Qualifiers of each group", 2, 8)
    knockout_matches = _number("Matches a pairing after the groups", 1, MOST_MATCHES)
    seeding = forms.ChoiceField(label="Seeding", choices=Tournament.Seeding.choices)
    zone = forms.ChoiceField(
        label="Time zone", choices=[(name, name) for name in sorted(available_timezones())], initial="UTC"
    )
    opens_at = _moment("Entries open", "Times are those of the time zone above.")
    closes_at = _moment("Entries close", "Versions and seeds are fixed then.")
    starts_at = _moment("Start (optional)", "As soon as entries are closed, if left empty.", required=False)
    repeat_days = forms.ChoiceField(label="Repeats", choices=list(REPEATS.items()), required=False)
    who_enters = forms.ChoiceField(label="Who enters bots", choices=Tournament.Entrants.choices)
    bots_per_author = _number("Bots an author may enter", 1, 10)
    max_entries = _number("Places", 64, MOST_ENTRIES, least=2)
    is_public = forms.BooleanField(label="Listed for everybody", required=False, initial=True)
    is_rated = forms.BooleanField(label="Rated: its matches move the ratings of the ladder", required=False)

    def __init__(self, data: Any = None, *, may_rate: bool, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial)
        if not may_rate:
            del self.fields["is_rated"]

    def clean(self) -> dict[str, Any]:
        """The moments in the chosen zone, and in their order; what the format does not have is not looked at."""
        values = super().clean() or {}
        for name, kind in ONLY_FOR.items():
            if values.get("format") not in (None, kind):
                self.errors.pop(name, None)
        zone = ZoneInfo(values.get("zone") or "UTC")
        for name in ("opens_at", "closes_at", "starts_at"):
            if isinstance(moment := values.get(name), dt.datetime):
                # Django took it for UTC: what was typed is the zone's.
                values[name] = moment.replace(tzinfo=zone)
        opens, closes, starts = (values.get(name) for name in ("opens_at", "closes_at", "starts_at"))
        if opens and closes and closes <= opens:
            self.add_error("closes_at", "Entries close after they open.")
        elif closes and closes <= timezone.now():
            self.add_error("closes_at", "Entries close in the future.")
        if closes and starts and starts < closes:
            self.add_error("starts_at", "It starts when entries are closed, or later.")
        size, go_on = values.get("group_size"), values.get("qualifiers")
        if values.get("format") == "groups_then_knockout" and size and go_on and go_on >= size:
            self.add_error("qualifiers", "Fewer go on than a group has.")
        return values

    def plan(self) -> Plan:
        """What was chosen, of a valid form."""
        values = self.cleaned_data
        closes = values["closes_at"]
        return Plan(
            name=values["name"],
            description=values["description"],
            ladder=values["ladder"],
            format=self._format(),
            zone=values["zone"],
            opens_at=values["opens_at"],
            closes_at=closes,
            starts_at=values["starts_at"] or closes,
            who_enters=values["who_enters"],
            is_public=values["is_public"],
            bots_per_author=values["bots_per_author"],
            max_entries=values["max_entries"],
            seeding=values["seeding"],
            is_rated=values.get("is_rated", False),
            repeat_days=int(values["repeat_days"]) if values["repeat_days"] else None,
        )

    def _format(self) -> Format:
        values = self.cleaned_data
        matches = values["each"]
        match values["format"]:
            case "swiss":
                return Swiss(rounds=values["rounds"], matches=matches)
            case "single_elimination":
                return SingleElimination(matches=matches)
            case "double_elimination":
                return DoubleElimination(matches=matches)
            case "groups_then_knockout":
                return GroupsThenKnockout(
                    matches=matches,
                    knockout_matches=values["knockout_matches"],
                    group_size=values["group_size"],
                    qualifiers=values["qualifiers"],
                )
        return RoundRobin(matches=matches, legs=2 if values["format"] == "double_round_robin" else 1)

    def refuse(self, refusal: Refusal) -> None:
        """Show the refusal at its field, or above the form when it has none."""
        self.add_error(refusal.field if refusal.field in self.fields else None, refusal.message)


def initial_of(tournament: Tournament) -> dict[str, Any]:
    """What the form shows of a tournament that is changed."""
    chosen = dict(tournament.format)
    kind = chosen.pop("kind")
    if kind == "round_robin" and chosen.pop("legs") == 2:
        kind = "double_round_robin"
    times = {
        name: getattr(tournament, name).astimezone(tournament.zone_info).strftime(_WALL)
        for name in ("opens_at", "closes_at", "starts_at")
    }
    same = ("name", "description", "ladder", "seeding", "zone", "who_enters", "bots_per_author", "max_entries")
    return {
        **chosen,
        "each": chosen["matches"],
        **times,
        **{name: getattr(tournament, name) for name in (*same, "is_public", "is_rated")},
        "format": kind,
        "repeat_days": str(tournament.repeat_days or ""),
    }


class EntryForm(forms.Form):
    """One of the bots that the user may enter, and the code where one is asked for."""

    use_required_attribute = True
    bot = forms.ChoiceField(label="Bot", error_messages={"invalid_choice": "Choose one of your bots that play."})
    code = forms.CharField(label="Invitation code", required=False, max_length=64)

    def __init__(self, data: Any = None, *, bots: list[Bot], asks_code: bool, code: str = "") -> None:
        super().__init__(data, initial={"code": code})
        self.bots = {bot.slug: bot for bot in bots}
        self.fields["bot"].choices = [(bot.slug, bot.name) for bot in bots]  # type: ignore[attr-defined]
        if not asks_code:
            del self.fields["code"]

    def chosen(self) -> Bot:
        """The bot, of a valid form."""
        return self.bots[self.cleaned_data["bot"]]


class SeedsForm(forms.Form):
    """A place for each entry; equal ones stay in the order in which they stood."""

    def __init__(self, data: Any = None, *, entries: list[Entry]) -> None:
        super().__init__(data)
        self.entries = entries
        for place, entry in enumerate(entries, start=1):
            field = _number(entry.bot.name, place, len(entries))
            self.fields[f"seed-{entry.pk}"] = field

    def order(self) -> list[Entry]:
        """The entries, best seed first, of a valid form."""
        return sorted(self.entries, key=lambda entry: self.cleaned_data[f"seed-{entry.pk}"])
