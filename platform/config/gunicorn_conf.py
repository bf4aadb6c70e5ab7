"""How gunicorn serves the site; `--bind` comes from the command line."""

import gc
import os
from typing import Any

from config import env

wsgi_app = "config.wsgi"
workers = env.number("WEB_WORKERS", min(4, len(os.sched_getaffinity(0))), least=1)
worker_class = "gthread"
# A second thread would only share the core: each page takes more than twice as long, and fewer get done
# (`python -m bench.pages`). Behind a proxy that sends whole requests nothing else is to be waited for; a browser, asked
# directly, opens connections ahead and leaves them silent for seconds.
threads = 1 if env.flag("ARENA_PRODUCTION", default=False) else 2
timeout = 60
graceful_timeout = 10
loglevel = "warning"
# The heartbeat file of a worker must not wait for a disk.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
control_socket_disable = True


def post_worker_init(worker: Any) -> None:
    """Keeps what is loaded for good out of the collector's sight: a walk over it would hold up a reader for 0.1 s."""
    gc.collect()
    gc.freeze()
