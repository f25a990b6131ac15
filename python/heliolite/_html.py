"""Tables and text for notebooks. Everything that comes from a file is escaped."""
from __future__ import annotations

import html
from typing import Any, Mapping, Sequence

MOST_ROWS = 200  # that a table shows; the rest is counted


def number(x: float) -> str:
    """Six digits, with separators below a million."""
    if x == int(x) and abs(x) < 1e15:
        return f"{int(x):,}"
    return f"{x:,.6g}" if abs(x) < 1e6 else f"{x:.5e}"


def cell(value: Any) -> str:
    """The value as the inside of a table's cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, (list, tuple)):
        return html.escape(", ".join(str(v) for v in value))
    if isinstance(value, dict):
        return html.escape(", ".join(f"{k} {v}" for k, v in value.items()))
    return html.escape(str(value))


def table(columns: Mapping[str, Sequence[Any]], title: str = "") -> str:
    """A table with a heading for each column; numbers stand to the right."""
    names = list(columns)
    count = len(columns[names[0]]) if names else 0
    out = ["<table>"]
    if title:
        out.append(f"<caption style='text-align:left'>{html.escape(title)}</caption>")
    out.append("<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names) + "</tr>")
    for i in range(min(count, MOST_ROWS)):
        row = [columns[name][i] for name in names]
        out.append("<tr>" + "".join(_data(value) for value in row) + "</tr>")
    if count > MOST_ROWS:
        out.append(f"<tr><td colspan='{len(names)}'>and {count - MOST_ROWS:,} more rows</td></tr>")
    return "".join(out) + "</table>"


def _data(value: Any) -> str:
    side = "right" if isinstance(value, (int, float)) and not isinstance(value, bool) else "left"
    return f"<td style='text-align:{side}'>{cell(value)}</td>"
