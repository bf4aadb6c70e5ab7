"""The lowest rung of the ladder: legal actions at random."""

from arena import Bot, Discard, Draw, View


class RandomBot(Bot):
    """Plays anything the rules allow, and knocks every other time it may."""

    def choose_draw(self, view: View) -> Draw:
        """Any legal draw."""
        return self.random.choice([action for action in view.legal if isinstance(action, Draw)])

    def choose_discard(self, view: View) -> Discard:
        """Any card; of the knocks, the one that leaves the least deadwood."""
        if view.knock_options and self.random.random() < 0.5:
            return view.knock_options[0]
        return Discard(self.random.choice(view.legal_discards))
