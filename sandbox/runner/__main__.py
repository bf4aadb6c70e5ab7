"""Entry point of a box: `python3 -I -S -B sandbox/runner FOLDER [USER GROUP]`; FOLDER holds the host's sockets.

With USER and GROUP (numbers) the runner is root when it starts, and theirs before it does anything else of note.
"""

import gc
import os
import sys

# What is imported stays, so that there is nothing to collect; a mind turns it on again (`mind.live`).
gc.disable()
# Isolated mode puts nothing but the standard library on the path; the code's own root is what this file lies in. It
# comes last, for most of what is imported is the library's.
sys.path.append(os.path.realpath(f"{os.path.dirname(__file__)}/../.."))
sys.path.append(f"{sys.path[-1]}/packages")

from sandbox.runner.lockdown import step_down  # noqa: E402
from sandbox.runner.zygote import main  # noqa: E402

if len(sys.argv) > 2:
    step_down(*map(int, sys.argv[2:]))
main(sys.argv[1])
# Nobody is left to tidy up for, and Python would take long over it.
os._exit(0)
