"""Entry point of a box: `python3 -I -S -B sandbox/runner FOLDER`, where FOLDER holds the host's sockets."""

import sys
from pathlib import Path

# Isolated mode puts nothing but the standard library on the path; the code's own root is what this file lies in.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "packages"))

from sandbox.runner.zygote import main

main(sys.argv[1])
