"""How the things that we make in a Docker engine are known to be ours."""

APP = "gin-rummy-arena"
"""The label `app` of every container and image."""
