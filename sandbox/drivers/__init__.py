"""Ways to run a bot: docker, bubblewrap, process (trusted bots only), and scripted, the fake for tests.

All of them give the same `Driver`, `Box` and `Channel` (`base.py`) and pass the same contract suite.
"""
