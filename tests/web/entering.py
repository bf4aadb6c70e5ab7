"""What the tests of accounts and uploads share: an author, an open arena, a posted file, a sandbox that is none."""

from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client

from bots import services
from bots.models import Bot, BotVersion
from tests.sandbox.faulty import PLAYS

PASSWORD = "a long enough pass phrase"


class FakeDriver:
    """As much of a driver as the tasks look at."""

    name = "fake"
    trusted_only = False

    def reap(self) -> int:
        return 0


def author(username: str = "ada") -> User:
    """A user who can log in with PASSWORD."""
    return User.objects.create_user(username, password=PASSWORD)


def logged_in(user: User) -> Client:
    """A browser in which `user` is logged in; it checks CSRF tokens like a real one only where a test asks it to."""
    client = Client()
    client.force_login(user)
    return client


def open_uploads() -> None:
    """As if a worker had reported a safe sandbox."""
    services.record_sandbox(driver="docker", runs_uploads=True)


def posted(filename: str, data: bytes) -> SimpleUploadedFile:
    """A file as a browser sends it."""
    return SimpleUploadedFile(filename, data, content_type="application/octet-stream")


def post_new(client: Client, name: str, filename: str, data: bytes, note: str = "") -> Any:
    """Submit the form for a new bot."""
    return client.post("/bots/new/", {"name": name, "note": note, "file": posted(filename, data)})


def entered(user: User, name: str = "Gin Fizz", text: str = PLAYS) -> BotVersion:
    """A bot's first version, not validated yet."""
    return services.enter_bot(owner=user, name=name, filename="bot.py", data=text.encode())


def bot_named(name: str) -> Bot:
    """The bot, which must be there."""
    return Bot.objects.get(name=name)


def text_of(response: HttpResponseBase) -> str:
    """The page as a reader sees it: without the entities that escape quotes."""
    assert isinstance(response, HttpResponse)
    return response.content.decode().replace("&#x27;", "'").replace("&quot;", '"').replace("&gt;", ">")
