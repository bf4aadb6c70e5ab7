"""What the site will not do for an author, with the sentence that says why and what to do."""


class Refusal(Exception):  # noqa: N818 - a refusal, not an error
    """A request that breaks a rule of the house. `field` names the form field it belongs to, or is ''."""

    def __init__(self, code: str, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
