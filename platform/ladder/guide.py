"""The facts of the guide page that no other module holds as text."""

SMALL_BOT = '''\
from arena import Bot, Discard, Draw


class MyBot(Bot):
    """Takes the upcard when it becomes part of a meld; knocks as soon as it may."""

    def choose_draw(self, view):
        if view.upcard and view.would_meld(view.upcard) and Draw.UPCARD in view.legal:
            return Draw.UPCARD
        return Draw.STOCK if Draw.STOCK in view.legal else Draw.PASS

    def choose_discard(self, view):
        if view.knock_options:
            return view.knock_options[0]
        best = min(view.legal_discards, key=lambda card: (view.deadwood_after(card), -card.points))
        return Discard(best)
'''

VIEW_FIELDS = (
    ("hand", "your cards: ten, or eleven between draw and discard"),
    ("upcard", "the top of the discard pile, or None"),
    ("discard_pile", "the whole pile, bottom first"),
    ("known_opponent_cards", "cards the other player took from the pile and still holds"),
    ("stock_size", "how many cards the stock has left"),
    ("legal", "every action you may take now"),
    ("legal_discards", "the cards you may discard now"),
    ("knock_options", "the discards with which you may knock, least deadwood first"),
    ("deadwood", "the least deadwood your hand can be arranged to"),
    ("best_melds", "the melds of that arrangement"),
    ("deadwood_after(card)", "the least deadwood once you discard that card"),
    ("deadwood_taking(card)", "the least deadwood if you take that card and discard another"),
    ("would_meld(card)", "whether the card makes a meld with cards you hold"),
    ("drawn, taken", "the card you drew this turn; taken is set when it came from the pile"),
    ("my_score, opponent_score", "points in this game before the hand"),
    ("seat, dealer", "your seat (0 or 1) and the dealer's"),
    ("hand_number, turns", "which hand this is, and how many turns it has had"),
    ("rules, knock_limit", "the rule set, and the most deadwood a knock may leave"),
    ("knocker_melds", "what the other player showed, when it has knocked"),
    ("time_left", "seconds of thinking left for the game, or None without a clock"),
)
"""Names of `arena.view.View` an author needs, each with what it is."""
