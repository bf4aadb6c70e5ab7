"""From the tables to the API's shapes: the only place that decides what of a row is public."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from api import schemas
from bots.models import Bot, BotVersion
from ladder.bot_stats import Notable, Opponent, Stats
from ladder.head_to_head import HeadToHead
from ladder.matrix import Row
from ladder.models import Ladder, Match, Rating, Seat
from ladder.queries import PROVISIONAL_BELOW
from ladder.standings import Standing
from ladder.styles import Style, share


def ladder_out(ladder: Ladder) -> schemas.LadderOut:
    """A ladder with `fit` loaded."""
    fit = getattr(ladder, "fit", None)
    fitted = fit if fit is not None and fit.computed_at is not None else None
    return schemas.LadderOut(
        slug=ladder.slug,
        name=ladder.name,
        rule_set=ladder.rule_set,
        is_open=ladder.is_open,
        matches=ladder.public_matches,
        pairs_met=fitted and fitted.pairs_met,
        pairs_possible=fitted and fitted.pairs_possible,
        fitted_matches=fitted and fitted.matches,
        fitted_at=fitted and fitted.computed_at,
    )


def bot_ref(bot: Bot) -> schemas.BotRef:
    """A bot with `owner` loaded."""
    return schemas.BotRef(
        slug=bot.slug,
        name=bot.name,
        author=bot.owner.get_username() if bot.owner else None,
        is_house=bot.is_house,
    )


def rating_out(rating: Rating, *, ladder: str, version: int) -> schemas.RatingOut:
    """A rating with `strength` loaded."""
    strength = getattr(rating, "strength", None)
    return schemas.RatingOut(
        ladder=ladder,
        version=version,
        elo=rating.milli / 1000,
        matches=rating.matches,
        wins=rating.wins,
        draws=rating.draws,
        losses=rating.losses,
        is_provisional=rating.matches < PROVISIONAL_BELOW,
        bradley_terry=strength
        and schemas.StrengthOut(
            rating=strength.milli / 1000,
            low=strength.low_milli / 1000,
            high=strength.high_milli / 1000,
            is_anchor=strength.is_anchor,
        ),
    )


def standing_out(row: Standing, ladder: Ladder) -> schemas.StandingOut:
    """A row of a ladder."""
    return schemas.StandingOut(
        rank=row.rank,
        bot=bot_ref(row.bot),
        rating=rating_out(row.rating, ladder=ladder.slug, version=row.version.number),
        last_played=row.last_played,
        rank_before=row.rank_before,
        past=[milli / 1000 for milli in row.past],
    )


def matrix_out(rows: Sequence[Row]) -> schemas.MatrixOut:
    """The matrix of a ladder."""
    return schemas.MatrixOut(
        bots=[bot_ref(row.standing.bot) for row in rows],
        cells=[
            schemas.MatrixCellOut(
                bot=row.standing.bot.slug,
                against=cell.opponent.bot.slug,
                matches=cell.matches,
                score=cell.score,
            )
            for row in rows
            for cell in row.cells
            if cell is not None and cell.score is not None
        ],
    )


def version_out(version: BotVersion) -> schemas.VersionOut:
    """A version with `ratings`, their ladders and strengths loaded."""
    return schemas.VersionOut(
        number=version.number,
        state=version.state,
        note=version.note,
        created_at=version.created_at,
        ratings=[
            rating_out(rating, ladder=rating.ladder.slug, version=version.number) for rating in version.ratings.all()
        ],
    )


def match_out(match: Match) -> schemas.MatchOut:
    """A match as the lists show it, with seats loaded."""
    return schemas.MatchOut(
        id=match.pk,
        ladder=match.ladder.slug,
        state=match.state,
        is_rated=match.is_rated,
        queued_at=match.queued_at,
        finished_at=match.finished_at,
        sequence=match.sequence,
        sides=[_side_out(seat) for seat in match.seats.all()],
    )


def match_detail_out(match: Match) -> schemas.MatchDetailOut:
    """A match from `queries.match_detail`. Whatever tells cards to come is there only once it is finished."""
    seats = {seat.version_id: seat.index for seat in match.seats.all()}
    is_finished = match.state == Match.State.FINISHED
    return schemas.MatchDetailOut(
        **match_out(match).dict(),
        seed=match.published_seed,
        games=[
            schemas.GameOut(
                number=game.number + 1,
                ending=game.ending,
                winner=game.winner,
                points=[game.score_a, game.score_b],
                hands=game.hands,
                faults=[schemas.FaultOut(seat=fault.seat, kind=fault.kind) for fault in game.faults.all()],
            )
            for game in match.games.all()
        ],
        rating_changes=[
            schemas.ChangeOut(
                seat=seats[change.rating.version_id],
                before=change.before_milli / 1000,
                change=change.delta_milli / 1000,
            )
            for change in match.rating_changes.all()
        ],
        record=reverse("api:record", args=[match.pk]) if is_finished else None,
    )


def head_to_head_out(first: Bot, second: Bot, result: HeadToHead) -> schemas.HeadToHeadOut:
    """Two bots' results; both with `owner` loaded."""
    wins, draws, losses = result.record
    return schemas.HeadToHeadOut(
        bot=bot_ref(first),
        against=bot_ref(second),
        matches=result.matches,
        wins=wins,
        draws=draws,
        losses=losses,
        score=result.score,
        games=list(result.games),
        points=list(result.points),
        chance=result.chance,
    )


def _side_out(seat: Seat) -> schemas.SideOut:
    is_over = seat.score_quarters is not None
    return schemas.SideOut(
        bot=schemas.BotName(slug=seat.version.bot.slug, name=seat.version.bot.name),
        version=seat.version.number,
        score=seat.score_quarters / 4 if seat.score_quarters is not None else None,
        games_won=seat.games_won if is_over else None,
        points=seat.points if is_over else None,
    )


def statistics_out(ladder: Ladder, stats: Stats) -> schemas.StatisticsOut:
    """What the tallies of a bot say."""
    return schemas.StatisticsOut(
        ladder=ladder.slug,
        current=_style_out(stats.current),
        overall=_style_out(stats.overall),
        everybody=_style_out(stats.ladder),
        seats=[schemas.SeatOut(seat=row.seat, games=row.games, won=row.won, points=row.points) for row in stats.seats],
        best_win=_notable_out(stats.best) if stats.best else None,
        worst_loss=_notable_out(stats.worst) if stats.worst else None,
    )


def opponent_out(row: Opponent) -> schemas.OpponentOut:
    """One of a bot's opponents."""
    return schemas.OpponentOut(
        bot=schemas.BotName(slug=row.slug, name=row.name),
        rated=row.milli / 1000,
        matches=row.matches,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        score=row.score,
        expected=row.expected,
        surprise=row.surprise,
    )


def _style_out(style: Style) -> schemas.StyleOut:
    return schemas.StyleOut(
        hands=style.hands,
        gins=share(style.gins, style.hands),
        knocks=share(style.knocks, style.hands),
        caught=share(style.caught, style.knocks),
        undercuts=share(style.undercuts, style.faced),
        deadwood=share(style.deadwood, style.hands),
    )


def _notable_out(notable: Notable) -> schemas.NotableOut:
    against = schemas.BotName(slug=notable.slug, name=notable.opponent)
    return schemas.NotableOut(match=notable.match_id, against=against, rated=notable.opponent_milli / 1000)
