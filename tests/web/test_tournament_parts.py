"""Fields as large as may be: the bracket in parts, the standings in pages, and no page heavier than it may be."""

import re

import pytest
from django.contrib.auth.models import User

from arena.tournament import DoubleElimination, Format, GroupsThenKnockout, RoundRobin, SingleElimination, Swiss
from arena.tournament import Tournament as Cup
from bots.models import Bot
from tests.web import cups
from tests.web.drawn_cups import facts_of, new_cup, played
from tests.web.entering import logged_in, text_of
from tests.web.matches import make_ladder
from tournaments import bracket, parts, queries
from tournaments.models import Entry, Tournament

MOST = 300
HEAVIEST = 150_000
"""Bytes of a page, which goes out plain to whoever is logged in."""


@pytest.mark.parametrize("chosen", [SingleElimination(), DoubleElimination()], ids=["single", "double"])
@pytest.mark.parametrize("size", [64, 65, 100, MOST])
def test_end_and_parts_are_the_whole_bracket_and_each_leads_on(chosen: Format, size: int) -> None:
    cup = played(new_cup(chosen, size), most=size // 2)
    assert cup.bracket is not None
    every = {match.node.key for match in cup.bracket.matches}
    end = {match.node.key for match in parts.end_of(cup.bracket)}
    own = [{match.node.key for match in part.matches} for part in parts.parts_of(cup.bracket)]
    assert end.union(*own) == every
    assert sum(map(len, own)) == len(set().union(*own))
    assert len(end) <= 64
    assert all(len(keys) <= 48 for keys in own)
    for part, keys in zip(parts.parts_of(cup.bracket), own, strict=True):
        (drawn,) = bracket.draw(cup, facts_of(cup), part.matches).parts  # type: ignore[union-attr]
        boxes = [box for column in drawn.columns for box in column.boxes]
        assert {box.key for box in boxes} == keys
        # Whoever wins the part goes on to a round of which another drawing has the match.
        (sign,) = drawn.signs
        after = next(
            match for match in cup.bracket.matches if any(feeder.match in keys for feeder in match.node.feeders)
            and match.node.key not in keys and match.node.side is part.matches[-1].node.side
        )  # fmt: skip
        name = cup.bracket.layout.rounds[after.node.round - 1].replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
        assert sign.text.lower() == f"to {name}".lower()
        assert all(0 <= box.x <= drawn.width - drawn.box_width for box in boxes)


def test_who_is_not_known_yet_in_the_end_comes_from_a_part_by_name() -> None:
    cup = new_cup(SingleElimination(), 128)
    assert cup.bracket is not None
    drawing = bracket.draw(cup, facts_of(cup), parts.end_of(cup.bracket))
    assert drawing is not None
    (part,) = drawing.parts
    first = [[line.name for line in box.lines] for box in part.columns[0].boxes]
    # Sixteen matches of the round of 32, of which each of the four parts leads to four.
    assert first == [[f"From part {number}"] * 2 for number in (1, 2, 3, 4) for _ in range(4)]


@pytest.fixture
def large(db: None) -> Tournament:
    """A tournament whose entries are closed, with as many bots as may be."""
    make_ladder()
    made = cups.opened(User.objects.create_user("host", is_staff=True), Swiss(rounds=9), max_entries=MOST)
    bots = Bot.objects.bulk_create(
        Bot(name=f"A bot of the house, number {number}", slug=f"house-{number}", is_house=True)
        for number in range(MOST)
    )
    Entry.objects.bulk_create(Entry(tournament=made, bot=one, seed=seed) for seed, one in enumerate(bots, start=1))
    Tournament.objects.filter(pk=made.pk).update(state=Tournament.State.RUNNING)
    return made


@pytest.mark.parametrize(
    ("chosen", "size", "most"),
    [
        (SingleElimination(matches=3), MOST, None),
        (DoubleElimination(matches=3), MOST, None),
        (GroupsThenKnockout(), MOST, 100),
        (GroupsThenKnockout(), MOST, None),
        (Swiss(rounds=9), MOST, None),
        (DoubleElimination(matches=3), 64, None),
        (Swiss(rounds=7), 64, None),
        (RoundRobin(), 22, None),
        (RoundRobin(legs=2), 15, None),
        (RoundRobin(legs=2), 64, None),
    ],
    ids=["single", "double", "groups", "after groups", "swiss", "double of 64", "swiss, crossed", "all, crossed",
         "all twice, crossed", "all twice of 64"],
)  # fmt: skip
def test_no_page_of_a_large_field_is_heavy(
    large: Tournament, chosen: Format, size: int, most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = played(Cup(chosen, tuple(large.entries.values_list("pk", flat=True))[:size]), most=most)
    monkeypatch.setattr(queries, "shown", lambda _: cup)
    reader = logged_in(User.objects.create_user("reader"))
    page = text_of(reader.get(large.get_absolute_url()))
    own = rf'href="({large.get_absolute_url()}(?:bracket|standings|rounds|cross-table/\d+)/\d+/)["#]'
    linked = set(re.findall(own, page))
    firsts = {link for link in linked if link.endswith(("/1/", "/6/"))}
    kinds = {link.split("/")[3] for link in firsts}
    assert kinds >= ({"standings", "rounds"} if size > 64 else {"rounds"})
    assert ("bracket" in {link.split("/")[3] for link in linked}) == (cup.bracket is not None)
    assert ("cross-table" in kinds) == (
        isinstance(chosen, Swiss | RoundRobin) and '<table class="table crosstable' not in page
    )
    heavy = {link: len(text) for link in firsts if len(text := text_of(reader.get(link)).encode()) > HEAVIEST}
    assert len(page.encode()) <= HEAVIEST
    assert heavy == {}
