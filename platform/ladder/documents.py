"""The documents of docs/ as pages: the repository's Markdown is the one source of both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

ORDER = ("writing-a-bot", "tool", "protocol")
"""What a reader wants first; documents that are not named here follow."""


@dataclass(frozen=True)
class Document:
    """One document, ready for a page."""

    slug: str
    """Its file name in docs/ without the suffix."""
    title: str
    body: SafeString
    """HTML below the title."""
    source: str

    def get_absolute_url(self) -> str:
        """Where its page is."""
        return reverse("ladder:document", args=[self.slug])


@cache
def documents() -> tuple[Document, ...]:
    """Every document of docs/, in the order of reading."""
    found = {path.stem: path.read_text(encoding="utf-8") for path in (settings.ROOT / "docs").glob("*.md")}
    slugs = [slug for slug in ORDER if slug in found] + sorted(found.keys() - set(ORDER))
    return tuple(_document(slug, found[slug]) for slug in slugs)


def document(slug: str) -> Document | None:
    """The document of that name, if there is one."""
    return next((one for one in documents() if one.slug == slug), None)


def code_blocks(source: str, language: str) -> list[str]:
    """The fenced blocks of a document in one language."""
    return [token.content for token in _markdown().parse(source) if token.type == "fence" and token.info == language]


def small_bot() -> str:
    """The smallest bot worth playing: the first example of the document on writing one."""
    guide = document("writing-a-bot")
    assert guide is not None
    return code_blocks(guide.source, "python")[0]


def html_of(text: str) -> SafeString:
    """Markdown as HTML; markup in it is shown, not obeyed."""
    # Safe, for markdown-it escapes what it is given.
    return SafeString(_markdown().render(text))


def _document(slug: str, text: str) -> Document:
    heading, _, rest = text.partition("\n")
    return Document(slug, heading.removeprefix("# "), html_of(rest), text)


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.core.ruler.push("site", _for_the_site)
    markdown.add_render_rule("fence", _fence)
    return markdown


def _for_the_site(state: Any) -> None:
    """Anchors on headings, scrolling tables, links between documents."""
    tokens: list[Token] = state.tokens
    for at, token in enumerate(tokens):
        if token.attrs.pop("style", None) == "text-align:right":
            # The policy forbids inline styles.
            token.attrSet("class", "num")
        if token.type == "heading_open":
            token.attrSet("id", slugify(tokens[at + 1].content))
        elif token.type == "th_open" and not tokens[at + 1].content:
            # A heading without words is none.
            token.tag = tokens[at + 2].tag = "td"
        elif token.type == "table_open":
            token.attrSet("class", "table panel")
        elif token.type == "inline":
            for child in token.children or ():
                if child.type == "link_open":
                    child.attrSet("href", _address(str(child.attrGet("href"))))
    state.tokens = list(_scrolling(tokens))


def _scrolling(tokens: Sequence[Token]) -> Any:
    """The tokens, each table in a box that scrolls and that a keyboard reaches."""
    count = 0
    for token in tokens:
        if token.type == "table_open":
            count += 1
            box = Token("html_block", "", 0)
            box.content = f'<div class="table-scroll" tabindex="0" role="region" aria-label="Table {count}">\n'
            yield box
        yield token
        if token.type == "table_close":
            end = Token("html_block", "", 0)
            end.content = "</div>\n"
            yield end


def _fence(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    """Code that scrolls and that a keyboard reaches."""
    return renderer.fence(tokens, index, options, env).replace("<pre>", '<pre tabindex="0">', 1)


def _address(link: str) -> str:
    """Where a document's link leads on the site."""
    if sibling := re.fullmatch(r"([\w-]+)\.md(#.*)?", link):
        return reverse("ladder:document", args=[sibling[1]]) + (sibling[2] or "")
    return link
