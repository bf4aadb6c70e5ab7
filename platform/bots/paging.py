"""Pages of the staff's lists: a table of millions is not counted to show its first hundred rows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import QuerySet

if TYPE_CHECKING:
    _Paginator = Paginator[Any]
else:  # generic for the type checker alone
    _Paginator = Paginator


class CappedPaginator(_Paginator):
    """Shows the first MOST rows and says so many; what lies further down is found by a filter or a search."""

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        """The number of rows, at most MOST."""
        assert isinstance(self.object_list, QuerySet)
        # Without the order the database may stop at any MOST of them.
        return int(self.object_list.order_by()[: self.MOST].count())
