"""Brackets, tables, rounds and reports of tournaments, as a reader's browser gets them."""

import itertools
import random
import re
import unicodedata
from dataclasses import replace
from itertools import chain

import pytest

from arena.tournament import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    Result,
    RoundRobin,
    SingleElimination,
    Swiss,
    Tournament,
)
from tests.web.drawn_cups import entrants_of, facts_of, new_cup, played, render
from tournaments import bracket, crosstable, report, rounds, tables
from tournaments.presentation import Entrant, anchor, score, shortened

QUOTE, DASH = "\N{RIGHT SINGLE QUOTATION MARK}", "\N{EN DASH}"
KNOCKOUTS: list[Format] = [SingleElimination(), DoubleElimination(), DoubleElimination(reset=False)]


def drawn(cup: Tournament, live: int = 0) -> bracket.Drawing:
    drawing = bracket.draw(cup, facts_of(cup, live=live))
    assert drawing is not None
    return drawing


def boxes_of(drawing: bracket.Drawing) -> list[bracket.Box]:
    return [box for part in drawing.parts for column in part.columns for box in column.boxes]


def box_of(drawing: bracket.Drawing, key: str) -> bracket.Box:
    return next(box for box in boxes_of(drawing) if box.key == key)


@pytest.mark.parametrize("chosen", KNOCKOUTS, ids=["single", "double", "double without reset"])
@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 13, 31, 33, 64, 100])
def test_a_bracket_shows_each_match_once_and_apart_from_the_others(chosen: Format, size: int) -> None:
    cup = played(new_cup(chosen, size))
    assert cup.bracket is not None
    drawing = drawn(cup)
    keys = [box.key for box in boxes_of(drawing)]
    assert sorted(keys) == sorted(match.node.key for match in cup.bracket.matches)
    # A bracket in which one defeat ends it has one match less than entrants, for each match puts one out.
    if isinstance(chosen, SingleElimination):
        assert len(keys) == size - 1
    for part in drawing.parts:
        own = [box for column in part.columns for box in column.boxes]
        for box in own:
            assert 0 <= box.x <= part.width - part.box_width
            assert 0 <= box.y <= part.height - part.box_height
        for column in part.columns:
            tops = sorted(box.y for box in column.boxes)
            assert all(low - high > part.box_height for high, low in itertools.pairwise(tops))
            assert {box.x + part.box_width // 2 for box in column.boxes} == {column.middle}
        assert len({column.middle for column in part.columns}) == len(part.columns)
    html = render("tournaments/_bracket.html", bracket=drawing)
    assert len(re.findall(r'class="box ', html)) == len(keys)
    assert html.count("<a ") == html.count("</a>") == sum(match.pairing is not None for match in cup.bracket.matches)


@pytest.mark.parametrize("size", [2, 5, 8, 13])
@pytest.mark.parametrize("chosen", KNOCKOUTS[:2], ids=["single", "double"])
def test_wires_lead_every_winner_to_its_next_match(chosen: Format, size: int) -> None:
    cup = played(new_cup(chosen, size))
    drawing = drawn(cup)
    wires = [(part.name, wire.path) for part in drawing.parts for wire in part.wires]
    assert len(set(wires)) == len(wires)
    # Every match but the last has a wire to the right; that of the losers' final begins anew in the other part.
    matches = len(boxes_of(drawing))
    assert len(wires) == matches - 1 + (len(drawing.parts) - 1)
    for part in drawing.parts:
        ends = {(box.x, box.y + part.box_height // 2) for column in part.columns for box in column.boxes}
        starts = {(x + part.box_width, y) for x, y in ends}
        for wire in part.wires:
            start, end = re.findall(r"^M(\d+) (\d+)", wire.path)[0], re.findall(r"H(\d+)$", wire.path)
            if end and int(end[0]) in {x for x, _ in ends}:
                assert tuple(map(int, start)) in starts


def test_the_champions_way_is_marked_to_the_end() -> None:
    cup = played(new_cup(SingleElimination(), 8))
    drawing = drawn(cup)
    title = [wire for wire in drawing.parts[0].wires if wire.state == "title"]
    assert [wire.entrant for wire in title] == [cup.champion, cup.champion]
    champions = [line for box in boxes_of(drawing) for line in box.lines if line.is_champion]
    assert [line.entrant for line in champions] == [cup.champion]
    unfinished = drawn(played(new_cup(SingleElimination(), 8), most=6))
    assert not [wire for wire in unfinished.parts[0].wires if wire.state == "title"]


def test_states_of_matches_and_where_they_lead() -> None:
    cup = played(new_cup(SingleElimination(), 8), most=2)
    drawing = drawn(cup, live=1)
    assert [box.state for box in boxes_of(drawing)] == ["over", "over", "live", "next", "next", "waiting", "waiting"]
    over, live, waiting = (box_of(drawing, key) for key in ("W1.1", "W1.3", "W3.1"))
    assert over.url == "/matches/1/"
    assert live.url == "/matches/3/"
    assert live.label.endswith("Playing now.")
    assert live.note == "playing now"
    assert not waiting.url
    assert waiting.label == "Final: the winner of W2.1 against the winner of W2.2. Not known yet."


def test_a_pairing_of_several_matches_leads_to_its_line_among_the_rounds() -> None:
    cup = played(new_cup(SingleElimination(matches=3), 4))
    facts = replace(facts_of(cup), round_url=lambda number: f"/cup/rounds/{number}/")
    drawing = bracket.draw(cup, facts)
    assert drawing is not None
    final = box_of(drawing, "W2.1")
    address, _, fragment = final.url.partition("#")
    assert address == "/cup/rounds/2/"
    html = render("tournaments/_rounds.html", rounds=rounds.rounds(cup, facts, {2}))
    assert f'id="{fragment}"' in html
    assert len(re.findall(r'href="/matches/\d+/"', html)) == len(cup.rounds[1].pairings[0].results)


def test_byes_are_shown_where_a_seed_enters_late() -> None:
    drawing = drawn(new_cup(SingleElimination(), 5))
    late = {line.seed for box in boxes_of(drawing) for line in box.lines if line.has_bye}
    # Of 8 places 3 are empty, so the three best seeds begin a round later.
    assert late == {1, 2, 3}


def test_the_second_grand_final_says_that_it_is_not_needed() -> None:
    cup = new_cup(DoubleElimination(), 4)
    # The better seed, which is the lower number, always wins: the unbeaten side wins the grand final.
    while cup.playable:
        cup = cup.with_results(
            *(
                Result(one.round, one.first, one.second, 1, (4, 0) if one.first < one.second else (0, 4))
                for one in cup.playable
            )
        )
    reset = box_of(drawn(cup), "F2.1")
    assert (reset.state, reset.note, reset.url) == ("unneeded", "not needed", "")
    assert box_of(drawn(cup), "F1.1").lines[0].is_champion


def test_a_double_elimination_says_who_falls_where() -> None:
    drawing = drawn(new_cup(DoubleElimination(), 8))
    assert [part.name for part in drawing.parts] == [f"Winners{QUOTE} bracket", f"Losers{QUOTE} bracket"]
    hints = [line.name for line in box_of(drawing, "L1.1").lines]
    assert hints == ["Loser of W1.1", "Loser of W1.2"]
    signs = [sign.text for part in drawing.parts for sign in part.signs]
    assert signs == [f"from the losers{QUOTE} final", "to the grand final"]


@pytest.mark.parametrize("chosen", [RoundRobin(), Swiss(rounds=3)])
def test_without_a_knockout_there_is_no_bracket(chosen: Format) -> None:
    cup = new_cup(chosen, 6)
    assert bracket.draw(cup, facts_of(cup)) is None
    assert not render("tournaments/_bracket.html", bracket=None).strip()


@pytest.mark.parametrize(
    "chosen",
    [SingleElimination(), DoubleElimination(matches=2), GroupsThenKnockout(), RoundRobin(legs=2), Swiss(rounds=4)],
)
@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_every_state_can_be_shown_whoever_leaves(chosen: Format, size: int) -> None:
    lots = random.Random(size)
    cup = new_cup(chosen, size)
    while not cup.is_over:
        gone = {withdrawal.entrant for withdrawal in cup.withdrawals}
        left = [entrant for entrant in cup.entrants if entrant not in gone]
        if left and lots.random() < 0.2:
            entrant, disqualified = lots.choice(left), lots.random() < 0.5
            cup = cup.with_withdrawal(cup.withdrawal(entrant, disqualified=disqualified))
        else:
            cup = played(cup, most=lots.randint(1, 4), seed=lots.randint(1, 99))
        facts = facts_of(cup, live=1)
        html = render("tournaments/_bracket.html", bracket=bracket.draw(cup, facts))
        matches = 0 if cup.bracket is None else len(cup.bracket.matches)
        assert html.count('<rect class="frame"') == matches
        for table in (tables.standings(cup, facts), *tables.groups(cup, facts)):
            assert render("tournaments/_standings.html", table=table).count("<tr") == len(table.rows) + 1
        for cross in crosstable.cross_tables(cup, facts):
            assert render("tournaments/_crosstable.html", table=cross).count("<tr") == len(cross.rows) + 1
        html = render("tournaments/_rounds.html", rounds=rounds.rounds(cup, facts))
        for one in cup.rounds:
            for pairing in one.pairings:
                assert html.count(f'id="{anchor(pairing)}"') == 1
    told = report.final_report(cup, facts_of(cup))
    assert told is not None
    assert (told.champion is None) == (cup.champion is None)


HOSTILE = '"><script>alert(1)</script><b x="'


def test_hostile_names_stay_text_everywhere() -> None:
    for chosen in (DoubleElimination(), Swiss(rounds=3), GroupsThenKnockout(), RoundRobin()):
        cup = played(new_cup(chosen, 9))
        nasty = {
            entrant: replace(shown, name=f"{HOSTILE}{entrant}", owner=HOSTILE)
            for entrant, shown in entrants_of(cup).items()
        }
        facts = facts_of(cup, entrants=nasty)
        html = render("tournaments/_bracket.html", bracket=bracket.draw(cup, facts))
        html += render("tournaments/_standings.html", table=tables.standings(cup, facts))
        html += render("tournaments/_rounds.html", rounds=rounds.rounds(cup, facts))
        html += render("tournaments/_report.html", report=report.final_report(cup, facts))
        for one in (*tables.groups(cup, facts), *crosstable.cross_tables(cup, facts)):
            name = "_standings" if isinstance(one, tables.Table) else "_crosstable"
            html += render(f"tournaments/{name}.html", table=one)
        assert "alert(1)" in html
        assert "<script" not in html
        assert HOSTILE not in html
        assert not re.search(r'\sstyle="|\son\w+="', html)


def test_long_names_are_cut_whole_characters_at_a_time() -> None:
    long = "Monte Carlo Nine Hundred and Ninety-Nine"
    assert shortened("Gin", 9) == "\u2068Gin\u2069"
    assert shortened(long, 9).endswith("…\u2069")
    assert long.startswith(shortened(long, 9)[1:-2])
    # An accent stays on its letter: nothing that is cut begins with one.
    accented = unicodedata.normalize("NFD", "é" * 40)
    kept = shortened(accented, 9)[1:-2]
    assert kept == accented[: len(kept)]
    assert len(kept) % 2 == 0
    # Wide letters take more room than narrow ones.
    assert len(shortened("二" * 40, 9)) < len(shortened("i" * 40, 9))


def test_the_full_name_is_there_where_it_was_cut() -> None:
    cup = new_cup(SingleElimination(), 9)
    html = render("tournaments/_bracket.html", bracket=drawn(cup))
    assert "<title>Monte Carlo Nine Hundred and Ninety-Nine Rollouts</title>" in html


@pytest.mark.parametrize(("quarters", "text"), [(0, "0"), (1, "¼"), (2, "½"), (4, "1"), (7, "1¾"), (12, "3")])
def test_scores_are_written_as_people_write_them(quarters: int, text: str) -> None:
    assert score(quarters) == text


def three_way() -> Tournament:
    """Four play all: 1, 2 and 3 beat one another in a ring, all beat 4: nothing but the seed parts them."""
    cup = new_cup(RoundRobin(), 4)
    wins = {(1, 2), (2, 3), (3, 1), (1, 4), (2, 4), (3, 4)}
    return cup.with_results(
        *(
            Result(p.round, p.first, p.second, 1, (4, 0) if (p.first, p.second) in wins else (0, 4))
            for one in cup.rounds
            for p in one.pairings
        )
    )


def test_standings_explain_what_put_one_behind_another() -> None:
    cup = three_way()
    table = tables.standings(cup, facts_of(cup))
    first, second, third, fourth = table.rows
    assert [row.points for row in table.rows] == ["2", "2", "2", "0"]
    # Each of the three has beaten one of the other two: a point among themselves. Their opponents have 2, 2 and 0.
    assert [shown.text for shown in first.breaks] == ["1", "4", "2.00"]
    assert first.why is None
    assert second.why is not None
    assert (second.why.kind.value, second.why.own, second.why.other) == ("seed", "2", "1")
    assert third.why is not None
    assert fourth.why is None
    html = render("tournaments/_standings.html", table=table)
    assert len(re.findall("<summary[^>]*>Behind", html)) == 2
    assert "Points against each other" in html
    assert "The points of all opponents but the one with the fewest." in html
    assert html.count("champion</span>") == 1


def test_a_knockouts_standings_say_how_far_each_came() -> None:
    cup = played(new_cup(SingleElimination(), 8))
    table = tables.standings(cup, facts_of(cup))
    assert [row.rank for row in table.rows] == [1, 2, 3, 3, 5, 5, 5, 5]
    assert [row.reached for row in table.rows] == [
        "Champion",
        "Out in: Final",
        *["Out in: Semi-finals"] * 2,
        *["Out in: Quarter-finals"] * 4,
    ]


def test_group_tables_mark_those_who_go_on() -> None:
    cup = played(new_cup(GroupsThenKnockout(group_size=4, qualifiers=2), 12))
    found = tables.groups(cup, facts_of(cup))
    assert [table.name for table in found] == ["Group A", "Group B", "Group C"]
    for table in found:
        assert [row.goes_on for row in table.rows] == [True, True, False, False]
    assert bracket.draw(cup, facts_of(cup)) is not None
    crossed = crosstable.cross_tables(cup, facts_of(cup))
    assert [len(table.rows) for table in crossed] == [4, 4, 4]


def test_a_cross_table_has_every_pairing_twice_and_adds_up() -> None:
    cup = played(new_cup(RoundRobin(legs=2), 7))
    (table,) = crosstable.cross_tables(cup, facts_of(cup))
    value = {score(quarters): quarters for quarters in range(60)}
    for index, row in enumerate(table.rows):
        assert row.cells[index] is None
        others = [cell for cell in row.cells if cell is not None]
        assert [len(cell) for cell in others] == [2] * 6
        assert sum(value[one.text] for cell in others for one in cell) == value[row.points]
    html = render("tournaments/_crosstable.html", table=table)
    assert len(re.findall(r'<a class="meeting', html)) == 7 * 6 * 2


def test_the_blocks_of_a_large_cross_table_are_the_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    cup = played(new_cup(RoundRobin(legs=2), 14), most=150)
    facts = facts_of(cup)
    (whole,) = crosstable.cross_tables(cup, facts)
    monkeypatch.setattr(crosstable, "MOST_CELLS", 50)
    assert crosstable.cross_tables(cup, facts) == ()
    cut = crosstable.blocks(cup)
    assert [(places[0], places[-1]) for places in cut.down] == [(1, 4), (5, 9), (10, 14)]
    cells = []
    for rows in cut.down:
        parts = [crosstable.block(cup, facts, rows, columns).rows for columns in cut.across]
        cells += [tuple(chain.from_iterable(part.cells for part in row)) for row in zip(*parts, strict=True)]
    assert cells == [row.cells for row in whole.rows]
    # Columns that the rows do not name have their names in sight.
    beside, apart = (crosstable.block(cup, facts, cut.down[0], columns) for columns in cut.across[:2])
    assert "column-name" not in render("tournaments/_crosstable.html", table=beside)
    assert "column-name" in render("tournaments/_crosstable.html", table=apart)


def test_a_swiss_is_crossed_with_its_rounds_and_adds_up_byes_too() -> None:
    cup = played(new_cup(Swiss(rounds=5, matches=3), 9))
    (table,) = crosstable.cross_tables(cup, facts_of(cup))
    assert [head.name for head in table.heads] == [f"Round {number}" for number in range(1, 6)]
    value = {score(quarters): quarters for quarters in range(80)}
    rested = 0
    for row in table.rows:
        cells = [meeting for cell in row.cells if cell for meeting in cell]
        assert sum(value[one.text] for one in cells) == value[row.points]
        assert len({one.opponent for one in cells}) == 5
        rested += sum(one.opponent == "bye" for one in cells)
        for number, one in enumerate(cells, start=1):
            if one.opponent != "bye":
                (back,) = table.rows[int(one.opponent) - 1].cells[number - 1] or ()
                assert back.opponent == str(row.place)
                assert value[back.text] + value[one.text] == 12
    assert rested == 5


@pytest.mark.parametrize(("size", "clicks"), [(20, 1), (160, 4)])
def test_from_any_round_few_links_lead_to_every_other(size: int, clicks: int) -> None:
    cup = new_cup(RoundRobin(), size)
    count = len(cup.rounds)
    linked = {number: {one.number for one in rounds.links(cup, number)} for number in range(1, count + 1)}
    assert max(map(len, linked.values())) <= 20
    reached = {1}
    for _ in range(clicks):
        reached |= {number for start in reached for number in linked[start]}
    assert reached == set(range(1, count + 1))


def test_rounds_tell_byes_and_walkovers_in_words() -> None:
    cup = played(new_cup(Swiss(rounds=3), 5), most=3)
    gone = cup.playable[0].first
    cup = cup.with_withdrawal(cup.withdrawal(gone, started=True))
    shown = rounds.rounds(cup, facts_of(cup, live=1))
    html = render("tournaments/_rounds.html", rounds=shown)
    assert "Bye, with a full score:" in html
    assert "Walkover: the other one had left, or left first." in html
    assert [len(one.lines) for one in shown[:2]] == [2, 2]
    assert shown[0].is_complete
    assert all(len(one.byes) == 1 for one in shown[:2])


def test_the_report_tells_champion_and_upsets_by_what_elo_expected() -> None:
    cup = new_cup(SingleElimination(), 4)
    cup = cup.with_results(Result(1, 4, 1, 1, (3, 1)), Result(1, 2, 3, 1, (4, 0)))
    assert report.final_report(cup, facts_of(cup)) is None
    cup = cup.with_results(Result(2, 2, 4, 1, (4, 0)))
    shown = {
        entrant: Entrant(name, milli=milli)
        for entrant, name, milli in (
            (1, "Ada", 1_900_000),
            (2, "Bob", 1_600_000),
            (3, "Cy", 1_500_000),
            (4, "Dot", 1_500_000),
        )
    }
    told = report.final_report(
        cup, facts_of(cup, entrants=shown), [report.Highlight("Longest game", "41 hands", "/matches/3/games/1/")]
    )
    assert told is not None
    assert told.champion is not None
    assert told.champion.name == "Bob"
    assert (told.entrants, told.rounds, told.matches) == (4, 2, 3)
    (surprise,) = told.upsets
    assert (surprise.winner.name, surprise.loser.name, surprise.result) == ("Dot", "Ada", f"¾{DASH}¼")
    # 400 points apart: one in eleven.
    assert surprise.expected == pytest.approx(1 / 11)
    html = " ".join(render("tournaments/_report.html", report=told).split())
    assert "its Elo let it expect 9 % of the points" in html
    assert '<a href="/matches/3/games/1/">41 hands</a>' in html


def test_without_ratings_upsets_are_told_by_seeds() -> None:
    cup = new_cup(SingleElimination(), 4).with_results(Result(1, 4, 1, 1, (4, 0)), Result(1, 3, 2, 1, (4, 0)))
    cup = cup.with_results(Result(2, 3, 4, 1, (4, 0)))
    told = report.final_report(cup, facts_of(cup, entrants={n: Entrant(f"Bot {n}") for n in cup.entrants}))
    assert told is not None
    assert [(one.winner.name, one.loser.name, one.expected) for one in told.upsets] == [("Bot 4", "Bot 1", None)]
