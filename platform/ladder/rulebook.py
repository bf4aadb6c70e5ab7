"""A rule set in plain words. Every sentence is made from the values that the engine plays by."""

from __future__ import annotations

from dataclasses import dataclass

from arena.cards import Card
from arena.rules import CLASSIC, RULE_SETS, DealerRule, Opening, Rules, StockEnd
from ladder.examples import Example, end_of_game, examples

_SHORT = {
    "classic": "The game of most tables, and what this arena plays unless a ladder says otherwise.",
    "parlour": "Classic with the smaller bonuses of older books.",
    "tally": "Bonuses for the game and for each hand won are added up at the end, as on a score pad.",
    "knock-card": "The first upcard decides, hand by hand, how low a knock must be.",
    "oklahoma": "The knock card, with spades that double the hand, big gin, and a longer game.",
    "gin-only": "No knocking: a hand is won by gin or not at all.",
}


@dataclass(frozen=True)
class Outcome:
    """One way a hand ends."""

    what: str
    who: str
    points: str


@dataclass(frozen=True)
class Rulebook:
    """The page of one rule set: the passages that differ from set to set."""

    rules: Rules
    summary: str
    differences: tuple[str, ...]
    """What is not as in classic, one sentence each."""
    dealer: str
    opening: str
    taken: str
    knock: tuple[str, ...]
    gin: str
    outcomes: tuple[Outcome, ...]
    doubled: str
    """Empty when nothing doubles."""
    stock_end: str
    end: tuple[str, ...]
    examples: tuple[Example, ...]
    end_example: tuple[str, ...]

    @property
    def title(self) -> str:
        """The rule set's name for people."""
        return title_of(self.rules)

    @property
    def can_knock(self) -> bool:
        """Whether a hand can end with deadwood in the knocker's hand."""
        return self.rules.limit_from_upcard or self.rules.knock_limit > 0


@dataclass(frozen=True)
class Row:
    """A rule set in the table that compares them."""

    rules: Rules
    title: str
    knock: str
    big_gin: str
    dealer: str
    bonuses: str


def title_of(rules: Rules) -> str:
    """The rule set's name for people, such as "Knock card"."""
    return rules.name.replace("-", " ").capitalize()


def rulebook(rules: Rules) -> Rulebook:
    """The rule set in words."""
    return Rulebook(
        rules=rules,
        summary=_SHORT.get(rules.name, "A rule set of this arena's own."),
        differences=_differences(rules),
        dealer=_dealer(rules),
        opening=_opening(rules),
        taken=_taken(rules),
        knock=_knock(rules),
        gin=_gin(rules),
        outcomes=_outcomes(rules),
        doubled=_doubled(rules),
        stock_end=_stock_end(rules),
        end=_end(rules),
        examples=tuple(examples(rules)),
        end_example=tuple(end_of_game(rules)),
    )


def comparison() -> list[Row]:
    """Every named rule set, side by side."""
    return [
        Row(
            rules=rules,
            title=title_of(rules),
            knock=_short_knock(rules),
            big_gin="as gin" if rules.big_gin_bonus is None else str(rules.big_gin_bonus),
            dealer="alternates" if rules.dealer_rule is DealerRule.ALTERNATE else "the loser",
            bonuses=_short_bonuses(rules),
        )
        for rules in RULE_SETS.values()
    ]


def _dealer(rules: Rules) -> str:
    if rules.dealer_rule is DealerRule.LOSER:
        void = "is dealt again by the same dealer" if rules.void_redealt else "passes the deal to the other player"
        return f"Whoever lost the last scored hand deals the next; a hand without a result {void}."
    if rules.void_redealt:
        return "The deal alternates between the players; a hand without a result is dealt again by the same dealer."
    return "The deal alternates between the players, also after a hand without a result."


def _opening(rules: Rules) -> str:
    if rules.opening is Opening.FREE:
        return "The non-dealer begins with an ordinary turn: it takes the upcard or draws from the stock."
    return (
        "The non-dealer may take the upcard or pass. If it passes, the dealer may take it. If both pass, the "
        "non-dealer draws from the stock, and the passed card stays in the pile."
    )


def _taken(rules: Rules) -> str:
    if rules.may_discard_taken:
        return "Any card may be discarded, even the one just taken from the pile."
    return "A card just taken from the pile may not go back in the same turn; one from the stock may."


def _knock(rules: Rules) -> tuple[str, ...]:
    if rules.limit_from_upcard:
        four, queen, ace = (rules.limit_for(Card.parse(code)) for code in ("4h", "Qh", "Ah"))
        said = (
            f"The first upcard of a hand sets how low a knock must be: after a 4 the deadwood left in your hand may be "
            f"{four} or less, after a queen {queen} or less."
        )
        return said, "After an ace only gin ends the hand." if ace == 0 else f"After an ace it may be {ace}."
    if rules.knock_limit == 0:
        return ("Nobody may knock with deadwood left in the hand: only gin ends a hand.",)
    limit = f"the deadwood left in your hand is {rules.knock_limit} or less"
    return f"Instead of a plain discard you may knock with it when {limit}.", "Nobody has to."


def _gin(rules: Rules) -> str:
    gin = "No deadwood at all is gin; you may go on playing all the same."
    if rules.big_gin_bonus is None:
        return f"{gin} Eleven melded cards are gin too: discard one that leaves the other ten melded."
    return f"{gin} With all eleven cards melded you may declare big gin instead, without a discard."


def _outcomes(rules: Rules) -> tuple[Outcome, ...]:
    rows = []
    if rules.limit_from_upcard or rules.knock_limit:
        rows += [
            Outcome("Knock: the knocker has less deadwood", "knocker", "the difference"),
            Outcome(
                "Undercut: the defender has no more than the knocker",
                "defender",
                f"the difference + {rules.undercut_bonus}",
            ),
        ]
    gin = f"the defender's deadwood + {rules.gin_bonus}"
    rows.append(Outcome("Gin: the knocker has none (nothing is laid off)", "knocker", gin))
    if rules.big_gin_bonus is not None:
        big = f"the defender's deadwood + {rules.big_gin_bonus}"
        rows.append(Outcome("Big gin: all eleven cards melded", "knocker", big))
    if rules.stock_end is StockEnd.VOID:
        rows.append(Outcome(f"Only {_cards(rules.stock_floor)} left in the stock after a turn", "nobody", "0"))
    rows.append(Outcome(f"{rules.turn_cap} turns without a knock", "nobody", "0"))
    return tuple(rows)


def _doubled(rules: Rules) -> str:
    return (
        "When the first upcard is a spade, the whole hand counts double, bonus included." if rules.spades_double else ""
    )


def _stock_end(rules: Rules) -> str:
    when = f"When a completed turn leaves {_cards(rules.stock_floor)} in the stock or fewer and nobody has knocked,"
    if rules.stock_end is StockEnd.RESHUFFLE:
        return f"{when} the discard pile under its top card is shuffled and put under the stock, and play goes on."
    return f"{when} the hand is void: nobody scores."


def _end(rules: Rules) -> tuple[str, ...]:
    said = [f"The first to reach {rules.target} points wins the game."]
    if rules.game_bonus or rules.shutout_bonus:
        said.append(f"The winner then gets {rules.game_bonus} more, or {rules.shutout_bonus} if the loser won no hand.")
    if rules.box_bonus:
        said.append(f"Both players get {rules.box_bonus} for each hand that they won.")
    if len(said) > 1:
        said.append("These bonuses count for the points of the match; who won the game is settled before them.")
    return tuple(said)


def _differences(rules: Rules) -> tuple[str, ...]:
    """Sentences for the options whose values are not those of classic."""
    said = []
    if (rules.limit_from_upcard, rules.knock_limit) != (CLASSIC.limit_from_upcard, CLASSIC.knock_limit):
        said.append(" ".join(_knock(rules)))
    if rules.gin_bonus != CLASSIC.gin_bonus:
        said.append(f"Gin is worth {rules.gin_bonus}, not {CLASSIC.gin_bonus}.")
    if rules.undercut_bonus != CLASSIC.undercut_bonus and (rules.limit_from_upcard or rules.knock_limit):
        said.append(f"An undercut is worth {rules.undercut_bonus}, not {CLASSIC.undercut_bonus}.")
    if rules.big_gin_bonus is not None:
        said.append(f"Big gin, all eleven cards melded, is worth {rules.big_gin_bonus}.")
    if rules.spades_double:
        said.append(_doubled(rules))
    if rules.target != CLASSIC.target:
        said.append(f"A game goes to {rules.target} points, not {CLASSIC.target}.")
    options = (_dealer, _opening, _taken, _stock_end)
    return (*said, *(option(rules) for option in options if option(rules) != option(CLASSIC)), *_end(rules)[1:])


def _short_knock(rules: Rules) -> str:
    if rules.limit_from_upcard:
        return "the first upcard; ace: gin only" if rules.ace_means_gin else "the first upcard"
    return f"{rules.knock_limit} or less" if rules.knock_limit else "gin only"


def _short_bonuses(rules: Rules) -> str:
    parts = []
    if rules.game_bonus or rules.shutout_bonus:
        parts.append(f"winner +{rules.game_bonus}, shutout +{rules.shutout_bonus}")
    if rules.box_bonus:
        parts.append(f"each hand won +{rules.box_bonus}")
    return "; ".join(parts) or "none"


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"
