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
    matches: int = Field(description="Finished matches, but for those of private tournaments.")
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


class StyleOut(Schema):
    """How hands went; rates are shares of 1, null where nothing stands behind them."""

    hands: int = Field(description="Hands that somebody won.")
    gins: float | None = Field(description="The share that it ended with gin.")
    knocks: float | None = Field(description="The share that it ended with a knock.")
    caught: float | None = Field(description="The share of its knocks that were undercut.")
    undercuts: float | None = Field(description="The share of the knocks against it that it undercut.")
    deadwood: float | None = Field(description="Points it is left with when a hand ends, on average.")


class SeatOut(Schema):
    """A bot's games from one seat."""

    seat: int = Field(description="0 deals the first hand.")
    games: int
    won: float = Field(description="The share of games won, a draw counting half.")
    points: float = Field(description="Card points a game.")


class NotableOut(Schema):
    """A match worth a look."""

    match: int
    against: BotName
    rated: float = Field(description="The opponent's rating before it.")


class StatisticsOut(Schema):
    """A bot's rated matches on one ladder in sums, a few seconds behind the matches."""

    ladder: str
    current: StyleOut = Field(description="Of the version that plays.")
    overall: StyleOut = Field(description="Of all versions.")
    everybody: StyleOut = Field(description="Of the whole ladder.")
    seats: list[SeatOut]
    best_win: NotableOut | None = Field(description="Against the opponent that was rated highest.")
    worst_loss: NotableOut | None = Field(description="Against the opponent that was rated lowest.")


class OpponentOut(Schema):
    """A bot's rated matches against one other, over all versions of both."""

    bot: BotName
    rated: float = Field(description="The opponent's rating before they last met.")
    matches: int
    wins: int
    draws: int
    losses: int
    score: float = Field(description="The mean score a match.")
    expected: float = Field(description="The mean that the ratings before each match promised.")
    surprise: float = Field(description="Points of matches beyond that.")


class OpponentsOut(Schema):
    """A page of a bot's opponents."""

    opponents: list[OpponentOut]
    next: str | None


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
