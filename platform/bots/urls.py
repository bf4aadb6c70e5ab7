from django.urls import path

from bots import editor, views

app_name = "bots"
urlpatterns = [
    path("my/", views.mine, name="mine"),
    path("my/account/delete/", views.close_account, name="close_account"),
    path("bots/new/", views.new, name="new"),
    path("bots/new/write/", editor.write, name="write_new"),
    path("bots/<slug:slug>/write/", editor.write, name="write"),
    path("my/trials/<int:trial_id>/", editor.trial, name="trial"),
    path("starts/<slug:key>.py", editor.start, name="start"),
    path("bots/<slug:slug>/upload/", views.upload, name="upload"),
    path("bots/<slug:slug>/retire/", views.retire, name="retire"),
    path("bots/<slug:slug>/versions/<int:number>/", views.version, name="version"),
    path("bots/<slug:slug>/delete/", views.delete, name="delete"),
    path("bots/<slug:slug>/versions/<int:number>/play/", views.play, name="play"),
    path("bots/<slug:slug>/versions/<int:number>/publish/", views.publish, name="publish"),
    path("bots/<slug:slug>/versions/<int:number>/note/", views.note, name="note"),
    path("bots/<slug:slug>/versions/<int:number>/source/", views.source, name="source"),
]
