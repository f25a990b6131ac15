"""Tables of answers: as rows, as columns, for pandas and for notebooks."""
from __future__ import annotations

from typing import Any, Dict, List

from . import _html


class Table:
    """What has rows. A row is a dict; all rows have the same keys."""

    def rows(self) -> List[Dict[str, Any]]:
        """One dict for each row."""
        raise NotImplementedError

    def columns(self) -> Dict[str, List[Any]]:
        """One list for each column: what `pandas.DataFrame` and most plotting libraries take."""
        rows = self.rows()
        return {key: [row[key] for row in rows] for key in (rows[0] if rows else {})}

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`; pandas must be installed."""
        import pandas

        return pandas.DataFrame(self.columns())

    def _title(self) -> str:
        return ""

    def _repr_html_(self) -> str:
        return _html.table(self.columns(), self._title())
