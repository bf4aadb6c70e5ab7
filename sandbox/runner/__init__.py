"""The part that runs inside a box: the standard library and `arena`, nothing else. Only a bot may import numpy.

A box holds one bot for one match. Its first process, the zygote (`zygote.py`), imports `arena` but never bot code, and
forks a child for each game. The child (`mind.py`) locks itself in (`lockdown.py`: resource limits, `landlock.py`,
`seccomp.py`), says so to the host, and only then loads the bot.
"""

OUT_OF_MEMORY = 86
"""Exit status of a mind in which the runner itself found no memory left."""
