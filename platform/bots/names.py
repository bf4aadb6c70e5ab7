"""Names of bots: what one may look like, the slug that follows from it, and which would be taken for another's."""

import hashlib
import re
import unicodedata

from arena.bots import HOUSE_BOTS
from bots.refusals import Refusal

SHORTEST = 2
LONGEST = 40

_RESERVED_SLUGS = {"new"}
DELETED_SLUG = "deleted-bot-"
"""Begins the slug of every deleted bot; its key follows."""
_LOOK_ALIKES = str.maketrans(
    # digits, Cyrillic, Greek
    "0135|" + "аеікмнорстухѕј" + "αεικνορτυχ",
    "oiesi" + "aeikmhopctyxsj" + "aeikvoptux",
)
"""Digits, Cyrillic and Greek letters to the Latin ones they are mistaken for."""


def checked_name(name: str) -> str:
    """`name` with composed accents and single spaces. Raises Refusal for one that the rules do not allow."""
    clean = " ".join(unicodedata.normalize("NFC", name).split())
    if not SHORTEST <= len(clean) <= LONGEST:
        raise Refusal(
            "name_length",
            f"A bot's name has {SHORTEST} to {LONGEST} characters; this one has {len(clean)}.",
            field="name",
        )
    strange = next((c for c in clean if not (_is_letter_or_digit(c) or c in " -_")), None)
    if strange is not None:
        what = f"“{strange}”" if strange.isprintable() else f"the invisible character U+{ord(strange):04X}"
        raise Refusal(
            "name_character",
            f"A bot's name is made of letters, digits, spaces, dashes and underscores; {what} is none of them.",
            field="name",
        )
    if not any(_is_letter_or_digit(c) for c in clean):
        raise Refusal("name_blank", "A bot's name needs at least one letter or digit.", field="name")
    if slug_of(clean) in _RESERVED_SLUGS or slug_of(clean).startswith(DELETED_SLUG):
        raise Refusal("name_reserved", f"The name “{clean}” is kept for the site. Choose another.", field="name")
    for house_bot in HOUSE_BOTS:
        if skeleton(clean) == skeleton(house_bot.name):
            raise Refusal(
                "name_of_house_bot",
                f"“{clean}” would be taken for the house bot {house_bot.name}. Choose another name.",
                field="name",
            )
    return clean


def typed(text: str, longest: int = LONGEST) -> str:
    """What somebody looks for, as names have it: with single spaces and no NUL, which no database takes."""
    return " ".join(text.replace("\0", "").split())[:longest]


def slug_of(name: str) -> str:
    """The part of the bot's address: lower-case ASCII, the same for names that differ only in case, accents or spacing.

    A name with letters that have no ASCII base (Cyrillic, Chinese ...) gets a short fingerprint, so that two such
    names never share an address.
    """
    letters = [c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c)]
    base = re.sub(r"[^a-z0-9]+", "-", "".join(c for c in letters if c.isascii())).strip("-")
    if all(c.isascii() for c in letters):
        return base
    fingerprint = hashlib.sha256(" ".join("".join(letters).split()).encode()).hexdigest()[:8]
    return f"{base}-{fingerprint}" if base else f"bot-{fingerprint}"


def skeleton(name: str) -> str:
    """What the eye keeps of a name: no case, accents or separators, and one letter for all that look like it."""
    letters = unicodedata.normalize("NFKD", name.casefold()).translate(_LOOK_ALIKES)
    return "".join(c for c in letters.replace("l", "i") if c.isalnum())


def _is_letter_or_digit(char: str) -> bool:
    return unicodedata.category(char).startswith("L") or unicodedata.category(char) == "Nd"
