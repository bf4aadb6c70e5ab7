"""The sandbox of this process. Only workers call this; the site goes by what they report (`services.uploads_open`)."""

from functools import cache

from django.conf import settings

from bots import services
from sandbox.drivers.base import Driver, DriverUnavailable
from sandbox.select import choose_driver


@cache
def get_driver() -> Driver:
    """The driver that ARENA_SANDBOX names, checked once in this process. Raises DriverUnavailable."""
    return choose_driver(settings.ARENA_SANDBOX)


def report_sandbox() -> str:
    """Check the sandbox again, keep the outcome for the site, and return it as a sentence."""
    # Chosen, and with that checked, anew: an engine may have come or gone.
    get_driver.cache_clear()
    try:
        driver = get_driver()
    except DriverUnavailable as unavailable:
        services.record_sandbox(driver="", runs_uploads=False, message=str(unavailable))
        return f"No sandbox: {unavailable}"
    if driver.trusted_only:
        message = f"The sandbox {driver.name} is for trusted code only: house bots play and uploads are refused."
        services.record_sandbox(driver=driver.name, runs_uploads=False, message=message)
        return message
    services.record_sandbox(driver=driver.name, runs_uploads=True)
    return f"Bots play in the sandbox {driver.name}."
