from django.urls import path, re_path

from api.docs import docs
from api.tournaments import router as tournaments
from api.views import api, nothing, reading

api.add_router("/tournaments", tournaments)
_patterns, _, _namespace = api.urls
for _pattern in _patterns:
    assert _pattern.callback is not None
    _pattern.callback = reading(_pattern.callback)

urlpatterns = [
    path("v1/", docs, name="api_docs"),
    path("v1/", (_patterns, "api", _namespace)),
    re_path("", nothing),
]
