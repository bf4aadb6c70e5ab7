"""`manage.py ladder verify --records`: every stored record against the result that is stored of its match."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from arena.bots.simple import Simple
from ladder import services
from ladder.models import Fault, Game, Match, MatchRecordBlob, Seat
from tests.web.games import Forgetful, played
from tests.web.matches import make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return played(make_ladder(), [make_version("Gin"), make_version("Rummy")])


def verified(*options: str) -> str:
    out = io.StringIO()
    call_command("ladder", "verify", *options, stdout=out)
    return out.getvalue()


def test_verify_plays_the_records_again_and_names_those_that_differ(match: Match) -> None:
    versions = [seat.version for seat in match.seats.order_by("index")]
    matches = [match, *(played(match.ladder, versions, (Forgetful, Simple), decks=decks) for decks in range(2, 7))]
    services.tally_all(ladder=match.ladder)
    assert "records" not in verified()
    assert "classic: 6 records give" in verified("--records", "all")
    assert "classic: 4 records give" in verified("classic", "--records=4")
    MatchRecordBlob.objects.filter(match=matches[0]).update(data=b"")
    MatchRecordBlob.objects.filter(match=matches[1]).update(data=matches[2].record_blob.data)
    Game.objects.filter(match=matches[2], number=1).update(hands=F("hands") + 1)
    Game.objects.filter(match=matches[3], number=0).update(score_a=F("score_a") + 1)
    assert Fault.objects.filter(game__match=matches[4]).first() is not None
    Fault.objects.filter(game__match=matches[4]).update(message="It was tired.")
    out = io.StringIO()
    named = ", ".join(str(one.pk) for one in matches[:5])
    with pytest.raises(CommandError, match=f"the stored results of 5 matches: {named}[.]"):
        call_command("ladder", "verify", "--records", "all", stdout=out)
    told = [line for line in out.getvalue().splitlines() if "classic: match" in line]
    assert [line.split(": ")[2].split()[:2] for line in told] == [["The", "record"]] * 2 + [["The", "games"]] * 2 + [
        ["Other", "faults"]
    ]
    for wrong in ("0", "some"):
        with pytest.raises(CommandError, match="neither a number from 1"):
            verified("--records", wrong)
    with pytest.raises(CommandError, match="--records goes with verify"):
        call_command("ladder", "rebuild", "--records", "all")


def test_verify_finds_a_side_with_another_score_than_its_record(match: Match) -> None:
    Seat.objects.filter(match=match, index=0).update(points=F("points") + 1)
    ((_, difference),) = services.verify_records(ladder=match.ladder)
    assert difference == "The sides are stored with other scores than the record gives."
