"""Who to play, and by which rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from arena.bots import HOUSE_BOTS, HouseBot
from bots.models import Bot, BotVersion
from bots.names import LONGEST, slug_of, typed
from bots.queries import current_version
from ladder.models import Ladder

LEVELS = ("beginner", "improver", "club player", "strong player", "expert")
"""The first words of a house bot's description, the weakest first."""
FIRST = "novice"
"""Chosen until the person chooses: it loses to whoever knows the rules."""


def by_strength() -> list[HouseBot]:
    """The house bots, the weakest first."""
    return sorted(HOUSE_BOTS, key=_level)


def _level(bot: HouseBot) -> int:
    return next((index for index, level in enumerate(LEVELS) if f" {level} " in bot.description), len(LEVELS))


class DealForm(forms.Form):
    """`bot` is a house bot's slug, `name` any bot's name instead."""

    bot = forms.CharField(required=False, max_length=64)
    name = forms.CharField(required=False, max_length=LONGEST)
    rules = forms.CharField(required=False)
    length = forms.ChoiceField(choices=[("game", "game"), ("hand", "hand")], required=False)

    def __init__(self, data: Any, *, ladders: Sequence[Ladder]) -> None:
        super().__init__(data)
        self.rule_sets = {ladder.rule_set for ladder in ladders}
        self.version: BotVersion | None = None

    def clean_rules(self) -> str:
        """Those of a ladder."""
        rules: str = self.cleaned_data["rules"]
        if rules not in self.rule_sets:
            raise forms.ValidationError("No ladder is played by such rules. Choose from the list.")
        return rules

    def clean(self) -> dict[str, Any]:
        """Find the opponent."""
        data = super().clean() or self.cleaned_data
        name = typed(data.get("name", ""))
        slug = slug_of(name) if name else data.get("bot", "")
        found = Bot.objects.filter(slug=slug, state=Bot.State.ACTIVE).first() if slug else None
        self.version = None if found is None else current_version(found)
        if self.version is None:
            if name:
                self.add_error(
                    "name", f"No bot named {name} plays at the moment. Choose one of those that are offered."
                )
            else:
                self.add_error("bot", "Choose a bot to play against.")
        return data

    @property
    def is_quick(self) -> bool:
        """Whether it is one hand."""
        return bool(self.cleaned_data["length"] == "hand")
