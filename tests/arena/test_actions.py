import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.actions import Action, Arrange, BigGin, Defend, Discard, Draw, format_action, parse_action
from arena.cards import DECK, Card, cards_of
from arena.layoffs import LayOff
from arena.melds import Meld

RUNS = [Meld.of(DECK[s * 13 + i : s * 13 + j]) for s in range(4) for i in range(11) for j in range(i + 3, 14)]
SETS = [
    Meld.of(cards_of(mask << rank))
    for rank in range(13)
    for mask in (1 | 1 << 13 | 1 << 26 | 1 << 39, 1 | 1 << 13 | 1 << 39)
]

cards = st.sampled_from(DECK)
melds = st.none() | st.lists(st.sampled_from(RUNS + SETS), max_size=3).map(tuple)
layoffs = st.none() | st.lists(st.builds(LayOff, cards, st.integers(0, 3)), max_size=4).map(tuple)
actions = st.one_of(
    st.sampled_from(Draw),
    st.builds(Discard, cards, st.booleans()),
    st.just(BigGin()),
    st.builds(Arrange, melds),
    st.builds(Defend, melds, layoffs),
)


@given(actions)
def test_an_action_survives_its_text(action: Action) -> None:
    text = format_action(action)
    assert parse_action(text) == action
    assert " " not in text


def test_the_words() -> None:
    sixes = Meld.parse("6c6h6d")
    words = {
        "u": Draw.UPCARD,
        "s": Draw.STOCK,
        "p": Draw.PASS,
        "5h": Discard(Card.parse("5h")),
        "5h!": Discard(Card.parse("5h"), knock=True),
        "big": BigGin(),
        "a": Arrange(),
        "a=": Arrange(()),
        "a=3s4s5s,6c6h6d": Arrange((Meld.parse("3s4s5s"), sixes)),
        "d": Defend(),
        "d=6c6h6d/*": Defend((sixes,), None),
        "d=/": Defend((), ()),
        "d=*/6s:0,7s:0": Defend(None, (LayOff(Card.parse("6s"), 0), LayOff(Card.parse("7s"), 0))),
    }
    assert {word: parse_action(word) for word in words} == words


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "5", "5h?", "5h!!", "5H", " 5h", "a=5h", "a=3s4s5s,", "a=5s4s3s", "d=", "d=*/*", "d=*/6s"),
        *("d=*/6s:-1", "d=*/6s:\u0661", "d=*/6s:00", "d=*/6s:999", "a=" + "3s4s5s" * 1000),
    ],
)
def test_what_is_not_an_action_is_refused(text: str) -> None:
    with pytest.raises(ValueError) as refusal:
        parse_action(text)
    assert str(refusal.value).endswith(".")
    assert len(str(refusal.value)) < 200
