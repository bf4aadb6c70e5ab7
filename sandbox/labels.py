"""How the things that we make in a Docker engine are known to be ours."""

APP = "gin-rummy-arena"
"""The label `app` of every container."""

IMAGE_LABEL = "image-of"
"""The label of every image, with the value APP. It is not `app`: containers take over the labels of their image, so one
that the engine makes while it builds would look like a box that somebody left behind."""
