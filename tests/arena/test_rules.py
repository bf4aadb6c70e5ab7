from typing import Any

import pytest

from arena.cards import Card
from arena.rules import CLASSIC, RULE_SETS, DealerRule, Opening, Rules, StockEnd


def test_the_named_rule_sets() -> None:
    assert list(RULE_SETS) == ["classic", "parlour", "tally", "knock-card", "oklahoma", "gin-only"]
    assert all(name == rules.name for name, rules in RULE_SETS.items())
    bonuses = {name: (r.gin_bonus, r.undercut_bonus, r.big_gin_bonus, r.target) for name, r in RULE_SETS.items()}
    assert bonuses == {
        "classic": (25, 25, None, 100),
        "parlour": (20, 10, None, 100),
        "tally": (20, 10, None, 100),
        "knock-card": (25, 25, None, 100),
        "oklahoma": (25, 25, 31, 150),
        "gin-only": (25, 0, 31, 100),
    }


def test_classic_is_the_default() -> None:
    assert Rules() == CLASSIC
    assert (CLASSIC.knock_limit, CLASSIC.stock_floor, CLASSIC.turn_cap, CLASSIC.hand_cap) == (10, 2, 200, 100)


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("classic", [10, 10, 10]),
        ("knock-card", [1, 7, 10]),
        ("oklahoma", [0, 7, 10]),
        ("gin-only", [0, 0, 0]),
    ],
)
def test_the_knock_limit_of_an_upcard(name: str, limits: list[int]) -> None:
    assert [RULE_SETS[name].limit_for(Card.parse(text)) for text in ("Ah", "7d", "Ks")] == limits


def test_a_rule_set_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="Rules is read-only"):
        CLASSIC.target = 5  # type: ignore[misc]


@pytest.mark.parametrize("rules", [*RULE_SETS.values(), Rules("own", opening=Opening.FREE, target=7)])
def test_rules_round_trip(rules: Rules) -> None:
    assert Rules.from_dict(rules.to_dict()) == rules
    assert Rules.from_wire(rules.to_wire()) == rules
    assert all(type(value) in (str, int, bool, type(None)) for value in rules.to_dict().values())


def test_a_known_set_travels_as_its_name_and_another_in_full() -> None:
    assert RULE_SETS["tally"].to_wire() == "tally"
    impostor = CLASSIC.replace(target=10)
    assert impostor.to_wire() == impostor.to_dict()


def test_options_left_out_are_classic() -> None:
    rules = Rules.from_dict({"name": "short", "target": 50, "dealer_rule": "loser", "stock_end": "reshuffle"})
    assert rules == Rules("short", target=50, dealer_rule=DealerRule.LOSER, stock_end=StockEnd.RESHUFFLE)


@pytest.mark.parametrize(
    "data",
    [
        {"knock": 10},
        {"target": "100"},
        {"target": True},
        {"void_redealt": 1},
        {"target": 1.5},
        {"opening": "closed"},
        {"big_gin_bonus": "31"},
    ],
)
def test_unknown_or_ill_typed_options_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Rules.from_dict(data)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="no rule set 'hollywood'"):
        Rules.from_wire("hollywood")
