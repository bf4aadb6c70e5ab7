from django.urls import path

from ladder import (
    bot_page,
    challenges,
    duel_pages,
    editor_pages,
    live_pages,
    picture_pages,
    replay_pages,
    views,
)

app_name = "ladder"
urlpatterns = [
    path("", views.index, name="index"),
    path("bots/<slug:slug>/", bot_page.bot, name="bot"),
    path("bots/<slug:slug>/against/<slug:other>/", duel_pages.head_to_head, name="head_to_head"),
    path("bots/<slug:slug>/challenge/", challenges.challenge, name="challenge"),
    path("against/", duel_pages.compare, name="compare"),
    path("against/names/", duel_pages.names, name="names"),
    path("matrix/", duel_pages.matrix, name="matrix"),
    path("matches/", views.matches, name="matches"),
    path("matches/<int:match_id>/", views.match, name="match"),
    path("matches/<int:match_id>/picture.png", picture_pages.match_picture, name="picture"),
    path("now/", live_pages.now, name="now"),
    # People count games from 1, the record from 0; moves both count from the deal, 0.
    path("matches/<int:match_id>/games/<int:number>/", replay_pages.replay, name="replay"),
    path("matches/<int:match_id>/games/<int:number>/embed/", replay_pages.embed, name="embed"),
    path("matches/<int:match_id>/games/<int:number>/steps.json", replay_pages.steps, name="steps"),
    path("matches/<int:match_id>/games/<int:number>/moves.txt", replay_pages.text, name="text"),
    path("matches/<int:match_id>/games/<int:number>/decisions/<int:step>.json", replay_pages.decision, name="decision"),
    path("matches/<int:match_id>/games/<int:number>/decisions/<int:step>.py", replay_pages.position, name="position"),
    path("matches/<int:match_id>/record", replay_pages.record, name="record"),
    path("my/trials/<int:trial_id>/games/<int:number>/", editor_pages.trial, name="trial"),
    path("my/trials/<int:trial_id>/games/<int:number>/steps.json", editor_pages.steps, name="trial_steps"),
    path("rules/", views.rules, name="rules"),
    path("rules/<slug:name>/", views.rules, name="rules"),
    path("guide/", views.guide, name="guide"),
    path("guide/words.json", editor_pages.words, name="words"),
    path("guide/api/", views.api, name="api"),
    path("guide/<slug:slug>/", views.document, name="document"),
    path("starter.py", views.starter, name="starter"),
    path("tool/<str:filename>", views.tool, name="tool"),
    path("healthz", views.healthz, name="healthz"),
]
