"""The shapes of what the API answers; their descriptions are its reference."""

from __future__ import annotations

import datetime as dt

from ninja import Field, Schema


class Problem(Schema):
    """What every answer that is no success says."""

    error: str = Field(description="What was wrong and what to do, in a sentence.")


class LadderOut(Schema):
    """A table of ratings under one rule set."""

    slug: str
    name: str
    rule_set: str
    is_open: bool = Field(description="Whether matches are played on it.")
    matches: int = Field(description="Finished matches.")
    pairs_met: int | None = Field(
        description="Pairs of current bots that have met in a rated match; null before a fit."
    )
    pairs_possible: int | None = Field(description="Pairs of current bots that may meet.")
    fitted_matches: int | None = Field(description="Rated matches in the newest Bradley-Terry fit.")
    fitted_at: dt.datetime | None = Field(description="When that was computed.")


class BotName(Schema):
    """What a bot is called, in addresses and in words."""

    slug: str
    name: str


class BotRef(BotName):
    """A bot in short."""

    author: str | None = Field(description="The owner's user name; null for the house.")
    is_house: bool


class StrengthOut(Schema):
    """A Bradley-Terry rating with its 95 % interval, in Elo points."""

    rating: float
    low: float
    high: float
    is_anchor: bool = Field(description="Whether this version is 1500 by definition.")


class RatingOut(Schema):
    """A version's standing on a ladder."""

    ladder: str = Field(description="The ladder's slug.")
    version: int
    elo: float
    matches: int = Field(description="Rated matches of this version.")
    wins: int
    draws: int
    losses: int
    is_provisional: bool = Field(description="Whether too few matches stand behind it.")
    bradley_terry: StrengthOut | None = Field(description="Null until the first fit with this version in it.")


class StandingOut(Schema):
    """A row of a ladder."""

    rank: int | None = Field(description="From 1; null until the first rated match.")
    bot: BotRef
    rating: RatingOut
    last_played: dt.datetime | None
    rank_before: int | None = Field(
        description="The bot's rank 24 hours before the last full hour; null when it had none."
    )
    past: list[float] = Field(description="Its Elo day by day up to then, at most two weeks, oldest first.")


class StandingsOut(Schema):
    """A page of a ladder, best first."""

    total: int = Field(description="Bots on the whole ladder.")
    found: int = Field(description="Those of them that `q` and `show` ask for.")
    rows: list[StandingOut]
    next: str | None = Field(description="The address of the next page; null at the end.")


class MatrixCellOut(Schema):
    """A bot's rated matches against one other on the ladder, over all versions of both."""

    bot: str = Field(description="By slug.")
    against: str
    matches: int
    score: float = Field(description="Its mean score a match.")


class MatrixOut(Schema):
    """The top of a ladder, all against all."""

    bots: list[BotRef] = Field(description="Best first.")
    cells: list[MatrixCellOut] = Field(description="Of the pairs that have met, both ways round.")


class BotOut(BotRef):
    """A bot with the ratings of its newest playing version."""

    state: str = Field(description="active, benched or retired.")
    description: str = Field(description="What a house bot is like; empty for others.")
    created_at: dt.datetime
    ratings: list[RatingOut]


class VersionOut(Schema):
    """One upload, with its ratings."""

    number: int
    state: str = Field(description="validating, active, rejected or withdrawn.")
    note: str = Field(description="What the owner says is new.")
    created_at: dt.datetime
    ratings: list[RatingOut]


class VersionsOut(Schema):
    """A page of a bot's versions, newest first."""

    versions: list[VersionOut]
    next: str | None


class SideOut(Schema):
    """One seat of a match."""

    bot: BotName
    version: int
    score: float | None = Field(description="0, 0.25, 0.5, 0.75 or 1; null until finished.")
    games_won: int | None
    points: int | None = Field(description="Card points over all games.")


class MatchOut(Schema):
    """A match, seat 0 first."""

    id: int
    ladder: str
    state: str = Field(description="queued, running, finished or void.")
    is_rated: bool
    queued_at: dt.datetime
    finished_at: dt.datetime | None
    sequence: int | None = Field(description="Its place in the order in which the ladder's matches finished.")
    sides: list[SideOut]


class MatchesOut(Schema):
    """A page of matches, newest first."""

    matches: list[MatchOut]
    next: str | None


class FaultOut(Schema):
    """A bot that failed in a game."""

    seat: int
    kind: str = Field(description="start, exception, illegal, time, memory, crash, protocol or output.")


class GameOut(Schema):
    """One game of a finished match; odd games are the one before with the seats swapped."""

    number: int = Field(description="From 1.")
    ending: str
    winner: int | None = Field(description="The match's seat; null for a draw.")
    points: list[int] = Field(description="By the match's seats.")
    hands: int
    faults: list[FaultOut]


class ChangeOut(Schema):
    """What the match did to the rating of a seat."""

    seat: int
    before: float
    change: float


class MatchDetailOut(MatchOut):
    """A match with its games."""

    seed: str | None = Field(description="The deck seed in hex, once the match is finished.")
    games: list[GameOut]
    rating_changes: list[ChangeOut]
    record: str | None = Field(description="The address of the full move log, once the match is finished.")


class HeadToHeadOut(Schema):
    """All rated matches between two bots, as the first sees them."""

    bot: BotRef
    against: BotRef
    matches: int
    wins: int
    draws: int
    losses: int
    score: float | None = Field(description="The mean score a match; null before the first.")
    games: list[int] = Field(description="Games won by each.")
    points: list[int] = Field(description="Card points of each.")
    chance: float = Field(description="How likely equal bots part at least this far.")
