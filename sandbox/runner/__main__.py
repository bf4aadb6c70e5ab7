"""Entry point of a box: `python3 -I -S -B sandbox/runner FOLDER [USER GROUP]`; FOLDER holds the host's sockets.

With USER and GROUP (numbers) the runner is root when it starts, and theirs before it does anything else of note.
"""

import sys
from pathlib import Path

# Isolated mode puts nothing but the standard library on the path; the code's own root is what this file lies in.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "packages"))

from sandbox.runner.lockdown import step_down
from sandbox.runner.zygote import main

if len(sys.argv) > 2:
    step_down(*map(int, sys.argv[2:]))
main(sys.argv[1])
