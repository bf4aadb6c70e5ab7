"""JSON for where `json` is too slow to import: with its regular expressions it would take a box a tenth of its start.

This is the part of `json` that is written in C, for lines of the arena's own. What bots reply is read by `json`.
"""

from __future__ import annotations

from _json import encode_basestring, make_encoder, make_scanner
from types import SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


def write_json(value: object) -> str:
    """A value as JSON without spaces, its letters as they are. Raises TypeError for what JSON has no words for."""
    return encode_basestring(value) if isinstance(value, str) else "".join(_encode(value, 0))


def read_json(text: str) -> Any:
    """The value that a text begins with. Raises ValueError or StopIteration when it begins with none."""
    return _scan(text, 0)[0]


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"JSON has no words for {type(value).__name__}.")


_encode = make_encoder(None, _refuse, encode_basestring, None, ":", ",", False, False, True)
_scan = make_scanner(
    SimpleNamespace(  # type: ignore[arg-type]  # it need only have these attributes
        strict=True, object_hook=None, object_pairs_hook=None, parse_float=float, parse_int=int, parse_constant=float
    )
)
