"""Every write to ladders, matches and ratings: keyword-only functions, each one transaction."""

from ladder.services.challenges import challenge
from ladder.services.checks import record_check
from ladder.services.ladders import ensure_default_ladder, ensure_ladder
from ladder.services.matches import (
    Claim,
    MatchRefused,
    claim_match,
    enqueue_match,
    hand_back_match,
    may_be_rated,
    release_match,
    renew_lease,
    requeue_expired,
    requeue_match,
    resend_overdue,
    void_match,
)
from ladder.services.ratings import enter_ladder, rebuild_ladder, verify_ladder, verify_newest, verify_sums
from ladder.services.records import verify_records
from ladder.services.results import RecordMismatch, finish_match
from ladder.services.strengths import claim_fit, release_fit, store_fit
from ladder.services.tallies import tally, tally_all, tally_ladders, verify_tallies
from ladder.services.trends import store_trends

__all__ = [
    "Claim",
    "MatchRefused",
    "RecordMismatch",
    "challenge",
    "claim_fit",
    "claim_match",
    "enqueue_match",
    "ensure_default_ladder",
    "ensure_ladder",
    "enter_ladder",
    "finish_match",
    "hand_back_match",
    "may_be_rated",
    "rebuild_ladder",
    "record_check",
    "release_fit",
    "release_match",
    "renew_lease",
    "requeue_expired",
    "requeue_match",
    "resend_overdue",
    "store_fit",
    "store_trends",
    "tally",
    "tally_all",
    "tally_ladders",
    "verify_ladder",
    "verify_newest",
    "verify_records",
    "verify_sums",
    "verify_tallies",
    "void_match",
]
