"""script/server: makes the machine ready, then hands over to `manage.py serve`. Standard library only."""

import argparse
import os
import socket
from pathlib import Path

import machine

SANDBOX_NEEDS = {
    "bubblewrap": machine.on_path("bwrap"),
    "libseccomp2": machine.has_library("libseccomp.so.2"),
}
"""What the bubblewrap sandbox needs, by Debian package. It is the one for machines without Docker."""


def main() -> None:
    """Ends in `manage.py serve`, or with one sentence."""
    parser = argparse.ArgumentParser(
        prog="script/server",
        description="Sets the arena up on this machine and runs it. Everything it keeps is in var/ (ARENA_VAR).",
    )
    parser.add_argument("--host", default=os.environ.get("HOST") or "127.0.0.1", help="address to listen on (HOST)")
    parser.add_argument("--port", default=os.environ.get("PORT") or "8000", help="port to listen on (PORT)")
    options = parser.parse_args()
    need_free_port(options.host, options.port)
    machine.need_writable(Path(os.environ.get("ARENA_VAR") or machine.ROOT / "var"))
    need_packages()
    machine.install(machine.ROOT / "requirements.txt")
    manage = str(machine.ROOT / "manage.py")
    python = str(machine.PYTHON)
    os.execv(python, [python, manage, "serve", "--host", options.host, "--port", options.port])


def need_free_port(host: str, port: str) -> None:
    """Says early, before minutes of set-up, that the port is taken."""
    if not port.isdecimal() or not 0 < int(port) < 65536:
        machine.fail(f"PORT must be a number from 1 to 65535, not {port!r}.")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        machine.fail(
            f"The arena cannot listen on {host} port {port} ({error.strerror}): end what runs there, "
            f"or choose another port with PORT=8080 script/server."
        )


def need_packages() -> None:
    """As root installs the system packages, all at once; else names those for a sandbox, without which it can start."""
    sandbox = machine.missing_packages(SANDBOX_NEEDS)
    venv = [] if machine.has_venv() else [machine.venv_package()]
    if machine.can_install() and (sandbox or venv):
        error = machine.apt_install([*sandbox, *venv])
        if error is not None:
            machine.say(f"These packages could not be installed: {error}")
    elif sandbox and not machine.engine_answers():
        machine.say(
            f"No sandbox for uploaded bots yet: install one with `apt-get install {' '.join(sandbox)}` "
            "or start a Docker engine. Until then only the house bots play."
        )


if __name__ == "__main__":
    main()
