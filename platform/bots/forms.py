"""The upload forms. They only gather the fields: every rule is in `names`, `services` and `arena.archive`."""

from typing import cast

from django import forms
from django.core.files.uploadedfile import UploadedFile

from arena.refusal import LIMITS, size_text
from bots.models import NOTE_LENGTH
from bots.names import LONGEST
from bots.refusals import Refusal
from bots.trials import DRAFT_FILE


def note_field() -> forms.CharField:
    """What a version's author says of it."""
    return forms.CharField(
        label="What is new (optional)",
        required=False,
        max_length=NOTE_LENGTH,
        error_messages={"max_length": "A note has at most %(limit_value)d characters; this one has %(show_value)d."},
        help_text="A line that everybody can read, beside the version.",
    )


class VersionForm(forms.Form):
    """A file and what is new in it."""

    use_required_attribute = True
    file = forms.FileField(
        label="Your bot",
        help_text=f"One .py file of at most {size_text(LIMITS.file_bytes)}, or a .zip of at most "
        f"{size_text(LIMITS.zip_bytes)} with bot.py and the modules it imports.",
        allow_empty_file=True,  # `read_upload` says it better
        error_messages={"required": "Choose the file that holds your bot."},
        widget=forms.FileInput(attrs={"accept": ".py,.zip"}),
    )
    note = note_field()

    def upload(self) -> tuple[str, bytes]:
        """The file's name and its bytes (as many as `uploads.CappedUploadHandler` kept)."""
        file = cast("UploadedFile[bytes]", self.cleaned_data["file"])
        return file.name or "", file.read()

    def refuse(self, refusal: Refusal) -> None:
        """Show the refusal at its field, or above the form when it has none."""
        self.add_error(refusal.field if refusal.field in self.fields else None, refusal.message)


class NoteForm(forms.Form):
    """Another note for a version that is there."""

    note = note_field()


class DraftForm(forms.Form):
    """A bot in one file, written in the browser, and what is new in it."""

    use_required_attribute = True
    code = forms.CharField(
        label="Your bot",
        strip=False,
        error_messages={"required": "There is nothing here yet. Write a bot, or begin from one that plays."},
        widget=forms.Textarea(attrs={"rows": 26, "wrap": "off", "spellcheck": "false", "autocapitalize": "off"}),
    )
    note = note_field()

    def only_to_try(self) -> None:
        """Ask for nothing that a trial does not need, and hold nothing else against a rule."""
        for name, field in self.fields.items():
            if name != "code":
                field.required, field.validators = False, []

    def clean_code(self) -> str:
        """With the ends of lines as the file has them, for a form sends others."""
        code: str = self.cleaned_data["code"]
        return code.replace("\r\n", "\n")

    def upload(self) -> tuple[str, bytes]:
        """The file's name and its bytes."""
        return DRAFT_FILE, self.cleaned_data["code"].encode()

    def refuse(self, refusal: Refusal) -> None:
        """Show the refusal at its field, or above the form when it has none."""
        field = "code" if refusal.field == "file" else refusal.field
        self.add_error(field if field in self.fields else None, refusal.message)


class CloseAccountForm(forms.Form):
    """The password, from whoever would delete the account: a session left open is not enough."""

    use_required_attribute = True
    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class NameForm(forms.Form):
    """What a new bot is called."""

    name = forms.CharField(
        label="Name",
        strip=True,
        max_length=1000,  # `checked_name` counts, and says what it counted
        help_text=f"2 to {LONGEST} letters, digits, spaces, dashes or underscores. Everybody sees it.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "maxlength": None}),
    )


class BotForm(VersionForm, NameForm):
    """A new bot with its first version."""

    field_order = ["name", "file", "note"]


class DraftBotForm(DraftForm, NameForm):
    """A new bot with its first version, written in the browser."""

    field_order = ["code", "name", "note"]
