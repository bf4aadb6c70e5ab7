"""Who plays whom in a round robin and in groups, and who goes on from them to which place in a bracket."""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[int, int]


def round_robin(entrants: Sequence[int], legs: int = 1) -> list[tuple[list[Pair], int | None]]:
    """The rounds, each with its pairs and who rests: every two meet once a leg, everybody plays once a round.

    The circle method: of an even number one stays put while the others go round it. Everybody is first and second
    about as often, to within one match a leg, and a second leg swaps them.
    """
    turning = list(entrants[: len(entrants) - 1 + len(entrants) % 2])
    fixed = entrants[-1] if len(entrants) % 2 == 0 else None
    rounds: list[tuple[list[Pair], int | None]] = []
    for number in range(len(turning)):
        alone = turning[number]
        pairs = [
            (turning[(number + step) % len(turning)], turning[number - step])
            for step in range(1, len(turning) // 2 + 1)
        ]
        if fixed is None:
            rounds.append((pairs, alone))
        else:
            rounds.append(([(alone, fixed) if number % 2 == 0 else (fixed, alone), *pairs], None))
    if legs == 2:
        rounds += [([(second, first) for first, second in pairs], rests) for pairs, rests in rounds]
    return rounds


def draw_groups(entrants: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Groups of at most that many from entrants in seed order, dealt out to and fro (1 2 3 4, 4 3 2 1, 1 2 ...)."""
    count = -(-len(entrants) // size)
    groups: list[list[int]] = [[] for _ in range(count)]
    for index, entrant in enumerate(entrants):
        lap, place = divmod(index, count)
        groups[place if lap % 2 == 0 else count - 1 - place].append(entrant)
    return [tuple(group) for group in groups]


def group_name(index: int) -> str:
    """A to Z, then AA, AB and so on."""
    return (group_name(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


def bracket_order(size: int) -> list[int]:
    """The seeds from top to bottom in a bracket of so many places, a power of two: 1 8 4 5 2 7 3 6.

    If the better seed always wins, 1 and 2 meet in the final, 1 to 4 are in the semi-finals, and so on.
    """
    order = [1]
    while len(order) < size:
        order = [place for seed in order for place in (seed, 2 * len(order) + 1 - seed)]
    return order


def bracket_size(entrants: int) -> int:
    """The places of the smallest bracket that holds them: a power of two."""
    return 1 << (entrants - 1).bit_length()


def seed_qualifiers(groups: Sequence[Sequence[int]]) -> list[int]:
    """The qualifiers of each group, best first, in seed order for a bracket.

    All group winners come before all seconds, and so on, each in the order of the groups as far as that keeps those
    of one group apart for as long as can be: with two of a group they can meet again only in the final.
    """
    total = sum(map(len, groups))
    places = {seed: place for place, seed in enumerate(bracket_order(bracket_size(total)))}
    seeded: list[int] = []
    taken: dict[int, list[int]] = {index: [] for index in range(len(groups))}
    for tier in range(max(map(len, groups))):
        waiting = [index for index, group in enumerate(groups) if len(group) > tier]
        while waiting:
            place = places[len(seeded) + 1]
            # Two places meet in the round after which they are one: the highest bit in which they differ.
            apart = {
                index: min(((place ^ other).bit_length() for other in taken[index]), default=99) for index in waiting
            }
            chosen = max(waiting, key=lambda index: (apart[index], -index))
            waiting.remove(chosen)
            taken[chosen].append(place)
            seeded.append(groups[chosen][tier])
    return seeded
