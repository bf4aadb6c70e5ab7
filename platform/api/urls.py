from django.urls import path, re_path

from api.docs import docs
from api.views import api, nothing, reading

_patterns, _, _namespace = api.urls
for _pattern in _patterns:
    assert _pattern.callback is not None
    _pattern.callback = reading(_pattern.callback)

urlpatterns = [
    path("v1/", docs, name="api_docs"),
    path("v1/", (_patterns, "api", _namespace)),
    re_path("", nothing),
]
