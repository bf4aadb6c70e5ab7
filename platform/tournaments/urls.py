from django.urls import path

from tournaments import organizer_views, views

app_name = "tournaments"
urlpatterns = [
    path("tournaments/", views.index, name="index"),
    path("tournaments/new/", organizer_views.new, name="new"),
    path("tournaments/notices/", views.notices, name="notices"),
    path("tournaments/<slug:slug>/", views.detail, name="detail"),
    path("tournaments/<slug:slug>/enter/", views.enter, name="enter"),
    path("tournaments/<slug:slug>/leave/<int:entry_id>/", views.leave, name="leave"),
    path("tournaments/<slug:slug>/rounds/<int:number>/", views.round_page, name="round"),
    path("tournaments/<slug:slug>/bracket/<int:number>/", views.bracket_page, name="bracket"),
    path("tournaments/<slug:slug>/standings/<int:number>/", views.standings_page, name="standings"),
    path("tournaments/<slug:slug>/cross-table/<int:rows>/<int:columns>/", views.cross_table_page, name="cross_table"),
    path("tournaments/<slug:slug>/results.<str:kind>", views.results, name="results"),
    path("tournaments/<slug:slug>/edit/", organizer_views.edit, name="edit"),
    path("tournaments/<slug:slug>/organize/", organizer_views.organize, name="organize"),
]
