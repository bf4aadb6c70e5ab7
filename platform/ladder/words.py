"""What the editor completes: the names of `arena` with their members and meanings, from the reference."""

from __future__ import annotations

import html
from functools import cache
from typing import Any

from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from ladder.reference import Entry, Member, reference

Words = dict[str, dict[str, Any]]


@cache
def words() -> Words:
    """By name: kind (class, function or value), signature, doc and, by name, members.

    A member has kind (method or value), signature, doc and, where one class of `arena` comes of it, that class as type.
    """
    entries = {entry.name: entry for section in reference() for entry in section.entries}
    classes = {name for name, entry in entries.items() if entry.kind == "class"}
    return {name: _word(entry, classes) for name, entry in sorted(entries.items())}


def _word(entry: Entry, classes: set[str]) -> dict[str, Any]:
    members = {member.name: _member(member, classes) for member in entry.members}
    return {"kind": entry.kind, "signature": entry.signature, "doc": _text(entry.doc), "members": members}


def _member(member: Member, classes: set[str]) -> dict[str, Any]:
    is_method = member.signature.startswith(f"{member.name}(")
    _, _, annotation = member.signature.rpartition(" -> " if is_method else ": ")
    of_class = annotation.partition(" = ")[0].removesuffix(" | None")
    return {
        "kind": "method" if is_method else "value",
        "signature": member.signature,
        "doc": _text(member.doc),
        "type": of_class if of_class in classes else "",
    }


def _text(doc: SafeString) -> str:
    """The first paragraph, without its markup."""
    return " ".join(html.unescape(strip_tags(doc.partition("</p>")[0])).split())
