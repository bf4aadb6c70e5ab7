"""The rules pages: they say what the engine does, for every rule set and every option one could have."""

import re
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.test import Client

from arena.bots.simple import Simple
from arena.cards import parse_cards
from arena.game import Game
from arena.local import LocalContestant
from arena.referee import play_match
from arena.rules import CLASSIC, RULE_SETS, DealerRule, Opening, Rules, StockEnd
from ladder.examples import PLAIN, SPADE, Example, examples
from ladder.models import Ladder
from ladder.rulebook import rulebook
from ladder.scoring import game_sums, hand_terms

pytestmark = pytest.mark.django_db


def text(html: str) -> str:
    """The text of a page: tags gone, spaces single."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return text(response.content.decode())


FACTS = {
    "classic": ["is 10 or less", "reaches 100 points", "the difference + 25", "the defender's deadwood + 25",
                "Eleven melded cards are gin too", "The deal alternates", "also after a hand without a result"],
    "parlour": ["is 10 or less", "the difference + 10", "the defender's deadwood + 20", "Gin is worth 20, not 25."],
    "tally": ["Whoever lost the last scored hand deals the next", "dealt again by the same dealer", "gets 100 more",
              "200 if the loser won no hand", "20 for each hand that they won"],
    "knock-card": ["The first upcard of a hand sets how low a knock must be",
                   "after a 4 the deadwood left in your hand may be 4",
                   "After an ace it may be 1.", "after a queen 10 or less"],
    "oklahoma": ["After an ace only gin ends the hand.", "reaches 150 points", "the whole hand counts double",
                 "the defender's deadwood + 31", "declare big gin instead"],
    "gin-only": ["only gin ends a hand", "the defender's deadwood + 31", "the defender's deadwood + 25"],
}  # fmt: skip
"""What the rules say, set by set; written down from the rules and not from the code."""


@pytest.mark.parametrize("name", RULE_SETS)
def test_each_rule_set_has_a_page_with_its_facts(client: Client, name: str) -> None:
    page = words(client, f"/rules/{name}/")
    for fact in (*FACTS[name], "void after 200 turns", "ends after 100 hands", "2 cards in the stock or fewer"):
        assert fact in page, fact
    assert ("Undercut: the defender" in page) == (name != "gin-only")
    assert ("What is not as in classic" in page) == (name != "classic")


def test_the_rules_begin_with_classic_and_lead_to_the_others(client: Client) -> None:
    page = client.get("/rules/").content.decode()
    assert "The rules: Classic" in page
    assert set(re.findall(r'href="/rules/([\w-]+)/"', page)) == set(RULE_SETS)
    assert client.get("/rules/canasta/").status_code == 404


def test_the_page_names_the_ladders_that_play_it(client: Client) -> None:
    Ladder.objects.create(slug="wild", name="Wild nights", rule_set="oklahoma")
    Ladder.objects.create(slug="shut", name="Closed house", rule_set="oklahoma", is_open=False)
    page = words(client, "/rules/oklahoma/")
    assert "Played on Wild nights" in page
    assert "Closed house" not in page
    assert "No ladder plays it now." in words(client, "/rules/tally/")


OTHERS: dict[str, object] = {
    "target": 130, "knock_limit": 7, "limit_from_upcard": True, "ace_means_gin": True, "spades_double": True,
    "gin_bonus": 33, "undercut_bonus": 17, "big_gin_bonus": 41, "dealer_rule": DealerRule.LOSER, "void_redealt": True,
    "opening": Opening.FREE, "may_discard_taken": True, "stock_floor": 3, "stock_end": StockEnd.RESHUFFLE,
    "turn_cap": 77, "hand_cap": 55, "game_bonus": 100, "shutout_bonus": 150, "box_bonus": 20,
}  # fmt: skip


def told(rules: Rules) -> str:
    """The page of a rule set of any options."""
    return text(render_to_string("ladder/rules.html", {"book": rulebook(rules), "comparison": [], "ladders": []}))


@pytest.mark.parametrize("option", Rules._fields)
def test_no_option_of_a_rule_set_is_left_unsaid(option: str) -> None:
    if option == "name":
        return
    before = CLASSIC.replace(limit_from_upcard=option == "ace_means_gin")
    value = OTHERS[option]
    after = before.replace(**{option: value})
    said = told(after)
    assert said != told(before)
    if type(value) is int:
        assert re.search(rf"\b{value}\b", said)


def example(rules: Rules, title: str) -> Example:
    return next(one for one in examples(rules) if one.title == title)


SUMS = [
    # Left over: K + 5 + 2 after the 7 of spades is laid off, against a 3.
    ("classic", "A knock", "17 \N{MINUS SIGN} 3 = 14 points for Ann."),
    # 6, 7 and 9 of spades go: a king against an ace.
    ("classic", "Laying off several steps deep", "10 \N{MINUS SIGN} 1 = 9 points for Ann."),
    # 6 and 10 of hearts and the 2 of spades go: an ace against a 5.
    ("classic", "An undercut", "5 \N{MINUS SIGN} 1 + 25 = 29 points for Ben."),
    ("parlour", "An undercut", "5 \N{MINUS SIGN} 1 + 10 = 14 points for Ben."),
    ("classic", "A tie is an undercut", "5 \N{MINUS SIGN} 5 + 25 = 25 points for Ben."),
    # 6 + 9 + 9 + 2
    ("classic", "Gin", "26 + 25 = 51 points for Ann."),
    ("tally", "Gin", "26 + 20 = 46 points for Ann."),
    ("gin-only", "Big gin", "26 + 31 = 57 points for Ann."),
    ("oklahoma", "A spade doubles", "17 \N{MINUS SIGN} 3 = 14, doubled for the spade: 28 points for Ann."),
]


@pytest.mark.parametrize(("name", "title", "total"), SUMS)
def test_the_examples_come_to_these_sums(client: Client, name: str, title: str, total: str) -> None:
    assert example(RULE_SETS[name], title).sums[-1] == total
    assert total in words(client, f"/rules/{name}/")


def test_a_layoff_goes_several_steps_deep_and_every_card_is_on_the_table_once() -> None:
    deep = example(CLASSIC, "Laying off several steps deep")
    assert {group.cards for group in deep.defender if group.caption.startswith("laid off")} == {"6s 7s", "9s"}
    for rules in RULE_SETS.values():
        for shown in examples(rules):
            laid = [parse_cards(group.cards) for group in (*shown.knocker, *shown.defender)]
            cards = [card for group in laid for card in group]
            assert len(cards) == len(set(cards)) == (21 if shown.title == "Big gin" else 20)
            assert not {*parse_cards(f"{PLAIN} {SPADE}")} & {*cards} or shown.upcard not in map(str, cards)


def test_only_gin_is_shown_where_only_gin_ends_a_hand() -> None:
    assert [one.title for one in examples(RULE_SETS["gin-only"])] == ["Gin", "Big gin"]


def test_the_end_of_a_tally_game_is_summed_as_the_engine_does(client: Client) -> None:
    page = words(client, "/rules/tally/")
    assert "Ann: 108 + 100 for the game + 5 \N{MULTIPLICATION SIGN} 20 for hands won = 308." in page
    assert "Ben: 61 + 3 \N{MULTIPLICATION SIGN} 20 for hands won = 121." in page
    rules = RULE_SETS["tally"]
    for decks in range(6):
        record = play_match(rules, bytes([decks]) * 32, LocalContestant(Simple), LocalContestant(Simple))
        game: Game = record.games[0].replay()
        sums = game_sums(rules, ("Ann", "Ben"), game.scores, game.boxes, game.winner)
        totals = {line.partition(":")[0]: int(line.rpartition("= ")[2].rstrip(".")) for line in sums}
        for seat, name in enumerate(("Ann", "Ben")):
            assert totals.get(name, game.scores[seat]) == game.totals[seat]
    assert game_sums(CLASSIC, ("Ann", "Ben"), (100, 3), (5, 1), 0) == []


def test_the_terms_of_a_hand_follow_its_first_upcard() -> None:
    terms = {
        ("classic", "Ks"): "knock at 10 or less",
        ("gin-only", "4h"): "only gin ends it",
        ("knock-card", "Ah"): "knock at 1 or less",
        ("oklahoma", "Ah"): "only gin ends it",
        ("oklahoma", "Qs"): "knock at 10 or less, counts double",
    }
    for (name, upcard), expected in terms.items():
        assert hand_terms(RULE_SETS[name], parse_cards(upcard)[0]) == expected
