"""What many readers ask for alike is made once in a while, and anew after an error."""

import time

import pytest
from pytest_django import Settings

from ladder.fresh import MAKING_SECONDS, SHARE, Fresh


def test_a_thing_is_kept_as_long_as_the_settings_say_or_its_making_demands(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, costs, made = [100.0], [0.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def make(key: str) -> int:
        made.append(key)
        now[0] += costs[0]
        return len(made)

    kept = Fresh(make)
    settings.LADDER_FRESH_SECONDS = 3
    assert [kept("a"), kept("b"), kept("a"), kept("b")] == [1, 2, 1, 2]
    now[0] += 2.9
    assert kept("a") == 1
    now[0] += 0.2
    costs[0] = 1.0
    assert kept("a") == 3
    now[0] += 1 / SHARE - 0.1
    assert kept("a") == 3
    now[0] += 0.2
    assert kept("a") == 4
    settings.LADDER_FRESH_SECONDS = 0
    now[0] += 1 / SHARE
    assert [kept("a"), kept("a")] == [5, 6]


def test_what_could_not_be_made_is_tried_again(settings: Settings) -> None:
    settings.LADDER_FRESH_SECONDS = 3
    divisors = iter([0, 1])

    def make(_: str) -> int:
        return 1 // next(divisors)

    kept = Fresh(make)
    with pytest.raises(ZeroDivisionError):
        kept("a")
    assert kept("a") == 1


def test_who_comes_while_it_is_made_takes_the_old_one_for_some_time(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LADDER_FRESH_SECONDS = 3
    now, seen = [100.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    made = iter(range(1, 9))

    def make(_: str) -> int:
        mine = next(made)
        if mine == 2:  # as others would see it that come meanwhile
            seen.append(kept("a"))
            now[0] += MAKING_SECONDS + 1
            seen.append(kept("a"))
        return mine

    kept = Fresh(make)
    assert kept("a") == 1
    now[0] += 4
    assert kept("a") == 2
    assert seen == [1, 3]
