"""The API's reference as a page: made from its OpenAPI document, with nothing loaded from elsewhere."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from api.views import api
from ladder.documents import documents


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Every address with its parameters, and every shape with its fields."""
    schema: dict[str, Any] = api.get_openapi_schema(path_prefix="/api/v1/")
    operations = [
        {"path": path, **operation, "answer": _answer(operation)}
        for path, methods in schema["paths"].items()
        for operation in methods.values()
    ]
    shapes = [
        {"name": name, **shape, "fields": [_field(key, value) for key, value in shape["properties"].items()]}
        for name, shape in sorted(schema["components"]["schemas"].items())
    ]
    context = {"operations": operations, "shapes": shapes, "documents": documents()}
    return render(request, "api/docs.html", context)


def _answer(operation: dict[str, Any]) -> dict[str, str]:
    """The shape of a success."""
    content = operation["responses"].get(200, {}).get("content")
    return _type(next(iter(content.values()))["schema"]) if content else {"words": "a file"}


def _field(name: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": value.get("description", ""), **_type(value)}


def _type(value: dict[str, Any]) -> dict[str, str]:
    """A type in words, with the shape that it names, if any."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return {"words": "", "shape": name}
    if "anyOf" in value:
        parts = [_type(each) for each in value["anyOf"]]
        shape = next((part["shape"] for part in parts if "shape" in part), "")
        return {"words": " or ".join(part["words"] for part in parts if part["words"]), "shape": shape}
    if value.get("type") == "array":
        inner = _type(value["items"])
        return inner | {"words": f"list of {inner['words']}".strip()}
    return {"words": value.get("format", value.get("type", "")).replace("date-time", "time")}
