"""Small immutable values.

A subclass of `Value` is written and type-checked like a frozen dataclass with slots. The `dataclasses` module itself
would cost a bot's process more time to import, and to set up each class, than everything else in the arena together.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from types import CodeType, FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, NoReturn, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        """Mark nothing: the mark is for type checkers."""
        return lambda marked: marked


@dataclass_transform(frozen_default=True)
class _ValueType(type):
    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, kw_only: bool = False
    ) -> _ValueType:
        fields = tuple(
            field
            for field, annotation in namespace.get("__annotations__", {}).items()
            if not str(annotation).startswith("ClassVar")
        )
        defaults = {field: namespace.pop(field) for field in fields if field in namespace}
        namespace |= {"__slots__": fields, "__match_args__": fields, "_fields": fields}
        cls = super().__new__(mcs, name, bases, namespace)
        if fields:
            cls.__init__ = _initialiser(cls, fields, defaults, kw_only=kw_only)  # type: ignore[misc]
            cls._values = attrgetter(*fields)  # type: ignore[attr-defined]
        return cls


def _initialiser(cls: type, fields: tuple[str, ...], defaults: dict[str, Any], *, kw_only: bool) -> Any:
    """Make the constructor: it fills the slots past the lock that `Value.__setattr__` is."""
    count = len(fields)
    code = _filling(count).replace(co_varnames=("self", *fields))
    if kw_only:
        code = code.replace(co_argcount=1, co_kwonlyargcount=count)
    setters = {f"set_{place}": cls.__dict__[field].__set__ for place, field in enumerate(fields)}
    constructor = FunctionType(code, setters, "__init__", None if kw_only else tuple(defaults.values()))
    constructor.__kwdefaults__ = defaults if kw_only else None
    return constructor


@lru_cache
def _filling(count: int) -> CodeType:
    """The code of a constructor with that many parameters. Classes share it, for to compile is slow."""
    parameters = "".join(f", value_{place}" for place in range(count))
    lines = [f"def __init__(self{parameters}):", *(f" set_{place}(self, value_{place})" for place in range(count))]
    names: dict[str, Any] = {}
    exec("\n".join(lines), names)
    code: CodeType = names["__init__"].__code__
    return code


class Value(metaclass=_ValueType):
    """An immutable value with the fields that its class names; equal to one of the same class with equal fields."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _values: ClassVar[Any] = staticmethod(lambda value: ())

    def replace(self, **changes: Any) -> Self:
        """Return the value with some fields changed. Raises TypeError when the class has no such field."""
        values = self._values(self) if len(self._fields) > 1 else (getattr(self, field) for field in self._fields)
        return type(self)(**(dict(zip(self._fields, values, strict=True)) | changes))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only: {name} cannot be set.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only: {name} cannot be deleted.")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(self._values(self) == self._values(other))

    def __hash__(self) -> int:
        return hash(self._values(self))

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={getattr(self, field)!r}" for field in self._fields)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), {field: getattr(self, field) for field in self._fields})


def _rebuilt(cls: type[Value], fields: dict[str, Any]) -> Value:
    return cls(**fields)
