"""Whether a run came to a good end: read from the database alone, and from what the machine still holds."""

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg

from tests.chaos import engine
from tests.chaos.stage import Stage

STUCK_SECONDS = 120.0
STATES = "select id, state, attempt, failures from ladder_match"


@dataclass
class Watch:
    """How long every unfinished match has been the same: in one state, at one attempt."""

    seen: dict[int, tuple[tuple[str, int, int], float]] = field(default_factory=dict)
    longest: float = 0
    """Seconds that any match was the same before it went on."""

    def look(self, rows: list[tuple[int, str, int, int]]) -> None:
        """Take note of the matches as they are now."""
        now = time.monotonic()
        for match, state, attempt, failures in rows:
            before, since = self.seen.get(match, (None, now))
            if state in ("queued", "running"):
                self.longest = max(self.longest, now - since)
            if before != (state, attempt, failures):
                self.seen[match] = (state, attempt, failures), now


def problems(stage: Stage, watch: Watch, matches: int) -> Iterator[str]:
    """One line for everything that is wrong with the matches."""
    from arena.record import MatchRecord
    from ladder.models import Fault, Game, Match, MatchRecordBlob, Rating, RatingChange, Seat

    states = Counter(Match.objects.values_list("state", flat=True))
    if states != {"finished": matches}:
        yield f"{matches} matches were asked for, and they are: {dict(states)}"
    for match in Match.objects.filter(state="void"):
        yield f"match {match.pk} is void: {match.error}"
    sequences = list(Match.objects.order_by("sequence").values_list("sequence", flat=True))
    if sequences != list(range(1, matches + 1)):
        yield "the sequence numbers are not 1, 2, 3 and so on"
    counts = {"games": Game.objects.count(), "changes of ratings": RatingChange.objects.count()}
    counts["matches in the ratings"] = sum(Rating.objects.values_list("matches", flat=True))
    counts["quarters in the seats"] = sum(q or 0 for q in Seat.objects.values_list("score_quarters", flat=True)) // 2
    for what, count in counts.items():
        if count != 2 * matches:
            yield f"{count} {what} instead of {2 * matches}"
    records = 0
    for blob in MatchRecordBlob.objects.iterator():
        records += 1
        record = MatchRecord.from_bytes(bytes(blob.data))
        record.replay()
        first = Seat.objects.get(match_id=blob.match_id, index=0)
        if record.score_quarters() != first.score_quarters:
            yield f"the record of match {blob.match_id} has another score"
    if records != matches:
        yield f"{records} records instead of {matches}"
    # The house's bots do not fail: every fault is a failure of ours that a bot was blamed for.
    for fault in Fault.objects.select_related("game"):
        yield f"match {fault.game.match_id}: a bot was blamed: {fault.kind}: {fault.message}"
    try:
        stage.manage("ladder", "verify")
    except subprocess.CalledProcessError as failed:
        yield f"ladder verify: {failed.stdout}{failed.stderr}"
    if watch.longest > STUCK_SECONDS:
        yield f"a match was stuck for {watch.longest:.0f} s"


def left_over(stage: Stage) -> Iterator[str]:
    """One line for everything that the stage's programs left on the machine, after the next start's reaping."""
    from sandbox.drivers.owner import Owner
    from sandbox.select import DRIVERS

    DRIVERS[stage.driver]().reap()
    yield from (f"process {line}" for line in stage.processes())
    if stage.driver == "docker":
        for container in engine.containers(stage.run_dir):
            owner = Owner.parse(container["Labels"]["owner"])
            alive = {True: "alive", False: "dead", None: "unknown"}[owner.is_alive()]
            yield f"container {container['Id'][:12]}, {container['Status']}, its owner {owner.pid} {alive}"
    yield from (f"socket folder {folder.name}" for folder in stage.run_dir.iterdir())


def states(stage: Stage) -> list[tuple[int, str, int, int]] | None:
    """Every match's state, attempt and failures; None while the database is away."""
    try:
        with psycopg.connect(stage.postgres.url, connect_timeout=2) as connection:
            return connection.execute(STATES).fetchall()
    except psycopg.OperationalError:
        return None
