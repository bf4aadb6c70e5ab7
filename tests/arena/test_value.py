from __future__ import annotations

import copy
import pickle

import pytest

from arena.value import Value


class Point(Value):
    x: int
    y: int = 0


class Pair(Value):
    x: int
    y: int = 0


class Options(Value, kw_only=True):
    width: int = 1
    name: str


class Nothing(Value):
    pass


def test_values_are_equal_by_class_and_fields() -> None:
    assert Point(1) == Point(1, 0)
    assert hash(Point(1)) == hash(Point(1, 0))
    assert Point(1) != Point(2)
    different: object = Pair(1)
    assert Point(1) != different
    assert Nothing() == Nothing()


def test_values_are_read_only() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="Point is read-only: x cannot be set"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del point.x
    with pytest.raises(AttributeError):
        point.z = 2
    assert point == Point(1)


def test_values_are_built_by_position_or_by_name() -> None:
    assert Options(name="a") == Options(width=1, name="a")
    assert Point(y=2, x=1) == Point(1, 2)
    with pytest.raises(TypeError):
        Options("a")  # type: ignore[call-arg, arg-type]
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]


def test_a_changed_value_is_another() -> None:
    point = Point(1, 2)
    assert point.replace(y=5) == Point(1, 5)
    assert point == Point(1, 2)
    with pytest.raises(TypeError):
        point.replace(z=1)


def test_values_read_match_and_copy() -> None:
    point = Point(1, 2)
    assert repr(point) == "Point(x=1, y=2)"
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)
    assert copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
