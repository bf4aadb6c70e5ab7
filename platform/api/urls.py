from django.urls import path, re_path

from api.docs import docs
from api.views import api, nothing

urlpatterns = [
    path("v1/", docs, name="api_docs"),
    path("v1/", api.urls),
    re_path("", nothing),
]
