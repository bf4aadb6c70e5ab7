"""The API reference: what `arena` offers to bots, read from the docstrings and annotations of its source."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from django.utils.safestring import SafeString

import arena
from ladder.documents import html_of

SECTIONS = {
    "The bot": ("arena.bot",),
    "What it sees": ("arena.view", "arena.legal"),
    "What it answers": ("arena.actions",),
    "What it hears": ("arena.events",),
    "Cards": ("arena.cards",),
    "Melds and deadwood": ("arena.melds", "arena.deadwood"),
    "The showdown": ("arena.layoffs",),
    "The rules": ("arena.rules",),
}
"""Headings, each with the modules whose public names it gathers."""


@dataclass(frozen=True)
class Member:
    """A field, value, property or method of a class."""

    name: str
    signature: str
    doc: SafeString


@dataclass(frozen=True)
class Entry:
    """One public name."""

    name: str
    kind: str
    """class, function or value."""
    signature: str
    doc: SafeString
    members: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Section:
    """The entries of one heading, classes first."""

    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class _Found:
    node: ast.stmt
    words: str
    """The text right below a value, which is its docstring."""


@cache
def reference() -> tuple[Section, ...]:
    """Every name of `arena.__all__`, by heading."""
    homes: dict[str, list[Entry]] = {title: [] for title in (*SECTIONS, "More")}
    heading = {module: title for title, modules in SECTIONS.items() for module in modules}
    for name in arena.__all__:
        module, definition = _find(name, "arena")
        homes[heading.get(module, "More")].append(_entry(name, definition))
    order = ("class", "function", "value")
    return tuple(
        Section(title, tuple(sorted(entries, key=lambda entry: (order.index(entry.kind), entry.name))))
        for title, entries in homes.items()
        if entries
    )


def _find(name: str, module: str) -> tuple[str, _Found]:
    """The module that defines the name, and its definition; imports are followed."""
    body = _source(module).body
    for number, node in enumerate(body):
        if isinstance(node, ast.ImportFrom) and node.module and any(alias.name == name for alias in node.names):
            return _find(name, node.module)
        if name in _defined(node):
            return module, _Found(node, _words_below(body, number))
    raise LookupError(f"{module} does not define {name}.")


@cache
def _source(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(importlib.import_module(module)))


def _defined(node: ast.stmt) -> list[str]:
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return [name]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case _:
            return []


def _words_below(body: list[ast.stmt], number: int) -> str:
    match body[number + 1 : number + 2]:
        case [ast.Expr(value=ast.Constant(value=str(words)))]:
            return inspect.cleandoc(words)
        case _:
            return ""


def _entry(name: str, found: _Found) -> Entry:
    match found.node:
        case ast.ClassDef() as node:
            return Entry(name, "class", name, html_of(_docstring(node)), tuple(_members(node)))
        case ast.FunctionDef() as node:
            return Entry(name, "function", name + _signature(node), html_of(_docstring(node)))
        case ast.AnnAssign() as node:
            return Entry(name, "value", f"{name}: {ast.unparse(node.annotation)}", html_of(found.words))
        case node:
            value = ast.unparse(node.value) if isinstance(node, ast.Assign) else ""
            shown = name if value.startswith("_") else f"{name} = {value}"
            return Entry(name, "value", shown, html_of(found.words))


def _members(node: ast.ClassDef) -> Iterator[Member]:
    for number, item in enumerate(node.body):
        for name in _defined(item):
            if name.startswith("_"):
                continue
            match item:
                case ast.FunctionDef():
                    is_property = any(isinstance(one, ast.Name) and "property" in one.id for one in item.decorator_list)
                    returns = f": {ast.unparse(item.returns)}" if item.returns else ""
                    signature = name + (returns if is_property else _signature(item))
                    yield Member(name, signature, html_of(_docstring(item)))
                case ast.AnnAssign():
                    default = f" = {ast.unparse(item.value)}" if item.value is not None else ""
                    signature = f"{name}: {ast.unparse(item.annotation)}{default}"
                    yield Member(name, signature, html_of(_words_below(node.body, number)))
                case ast.Assign():
                    value = ast.unparse(item.value)
                    yield Member(name, f"{name} = {value}", html_of(_words_below(node.body, number)))


def _signature(node: ast.FunctionDef) -> str:
    words = ast.unparse(node.args)
    for receiver in ("self", "cls"):
        words = words.removeprefix(receiver).removeprefix(", ")
    return f"({words})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def _docstring(node: ast.ClassDef | ast.FunctionDef) -> str:
    return ast.get_docstring(node) or ""
