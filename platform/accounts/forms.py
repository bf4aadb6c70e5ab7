from django import forms

from accounts.look import Deck, Look, Scheme, Table


class LookForm(forms.Form):
    """One choice of each kind."""

    scheme = forms.ChoiceField(choices=Scheme.choices, label="Light or dark", widget=forms.RadioSelect)
    deck = forms.ChoiceField(
        choices=Deck.choices, label="Cards", widget=forms.RadioSelect, help_text="In replays, in the rules, everywhere."
    )
    table = forms.ChoiceField(
        choices=Table.choices, label="Table", widget=forms.RadioSelect, help_text="What the cards of a replay lie on."
    )

    def look(self) -> Look:
        """What a valid form chose."""
        return Look(**self.cleaned_data)
