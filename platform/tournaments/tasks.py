"""Celery's entrances. Each may be delivered twice and may die anywhere: the database decides what happens."""

from __future__ import annotations

import logging

from celery import shared_task
from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse

from bots.queries import sandbox_status
from tournaments import services

logger = logging.getLogger(__name__)


@shared_task
def run() -> None:
    """Beat: takes every tournament a step further. One that fails holds up no other."""
    services.note_hands()
    sandbox = sandbox_status()
    house_only = sandbox is None or not sandbox.runs_uploads
    for tournament_id in services.due():
        try:
            services.close_entries(tournament_id=tournament_id)
            services.start(tournament_id=tournament_id)
            services.advance(tournament_id=tournament_id, house_only=house_only)
        except Exception:
            logger.exception("Tournament %s could not be taken further.", tournament_id)


@shared_task
def mail_notices() -> None:
    """Beat: mails what entrants want to be told."""
    for notice in services.claim_mail():
        if not notice.user.email:
            continue
        subject = f"{notice.tournament}: {notice.get_kind_display().lower()}"
        text = (
            f"{notice.text}\n\n{settings.SITE_URL}{notice.tournament.get_absolute_url()}\n\n"
            f"Which of these letters you get is yours to choose: {settings.SITE_URL}{reverse('tournaments:notices')}\n"
        )
        try:
            send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [notice.user.email])
        except OSError:
            logger.exception("A notice could not be mailed to user %s.", notice.user_id)
            services.give_back_mail(notice=notice)
