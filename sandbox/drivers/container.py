"""A container of the Docker engine's, once it is made: how it fares, why it ended, and its removal."""

from __future__ import annotations

import functools
import time
from http import HTTPStatus
from typing import Any

import docker
import docker.errors

from sandbox.drivers import cgroup

_KILLED = 128 + 9
"""The exit status of what ended by SIGKILL."""
_REASON_SECONDS = 2.0
"""How long the engine may take to learn that this was for memory."""


class Container:
    """An Enclosure that is a container."""

    def __init__(self, api: docker.APIClient, ident: str, *, own_kernel: bool = False) -> None:
        """With `own_kernel` it runs in gVisor, where no process is one of the host's."""
        self._api = api
        self._id = ident
        self._own_kernel = own_kernel
        self._group: cgroup.Group | None = None
        self._oom_kills = 0

    @functools.cached_property
    def kernel_pid(self) -> int | None:
        """See Enclosure."""
        if not self._own_kernel:
            return None
        pid = int(self._state().get("Pid", 0))
        self._group = cgroup.memory_group(pid)  # found now: once the process is gone nobody tells its group
        return pid

    def is_running(self) -> bool:
        """See Enclosure."""
        # Now or never: the count goes when the group does, and the engine may have missed the reason.
        self._oom_kills = self._oom_kills or (self._group.oom_kills() if self._group else 0)
        return bool(self._state().get("Running"))

    def epitaph(self) -> str:
        """See Enclosure."""
        state = self._state()
        return f"{state.get('Error') or 'the container ended'}, exit status {state.get('ExitCode')}"

    def ran_out_of_memory(self) -> bool:
        """See Enclosure.

        In gVisor the host's kernel has counted it, if it was asked in time. Else the engine says, which hears of the
        reason and of the end apart from each other, in either order.
        """
        if self._oom_kills:
            return True
        deadline = time.monotonic() + _REASON_SECONDS
        while not (state := self._state()).get("OOMKilled"):
            if state.get("ExitCode") != _KILLED or time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True

    def destroy(self) -> None:
        """See Enclosure. While the engine is away it is kept in mind, and removed when the engine is next known to be
        there: nobody else would, as long as this process lives."""
        if _remove(self._api, self._id):
            destroy_again(self._api)
        else:
            _undestroyed.add(self._id)

    def _state(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = self._api.inspect_container(self._id)["State"]
        except (docker.errors.DockerException, OSError):
            return {}
        return state


_undestroyed: set[str] = set()
"""The containers of this process that the engine did not remove when it was asked to."""


def destroy_again(api: docker.APIClient) -> int:
    """Remove the containers that could not be removed before; how many that were."""
    again = [ident for ident in tuple(_undestroyed) if _remove(api, ident)]
    _undestroyed.difference_update(again)
    return len(again)


def _remove(api: docker.APIClient, ident: str) -> bool:
    """Whether the container is gone now, or is going."""
    try:
        api.remove_container(ident, force=True, v=True)
    except docker.errors.APIError as error:
        return error.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
    except (docker.errors.DockerException, OSError):
        return False
    return True
