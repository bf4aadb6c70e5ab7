from django.urls import path

from tables import replay_pages, views

app_name = "tables"
urlpatterns = [
    path("play/", views.play, name="play"),
    path("play/names/", views.names, name="names"),
    path("play/<slug:token>/", views.table, name="table"),
    path("play/<slug:token>/state.json", views.state, name="state"),
    path("play/<slug:token>/act/", views.act, name="act"),
    path("play/<slug:token>/resign/", views.resign, name="resign"),
    path("play/<slug:token>/replay/", replay_pages.replay, name="replay"),
    path("play/<slug:token>/replay/steps.json", replay_pages.steps, name="steps"),
    path("play/<slug:token>/replay/decisions/<int:step>.json", replay_pages.decision, name="decision"),
]
