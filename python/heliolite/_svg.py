"""Small pictures for notebooks, as SVG text."""
from __future__ import annotations

import html
import math
from typing import Dict, List, Sequence, Tuple

ROLE_COLORS = {"input": "#1f5fa8", "weight": "#2e7d4f", "output": "#b0690b"}  # as in all pictures of the program
COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f")
_WIDTH, _HEIGHT = 560, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 28, 40

Series = Tuple[str, Sequence[float], Sequence[float]]  # name, x, y


def text(x: float, y: float, words: str, anchor: str = "start", size: int = 12) -> str:
    """A line of text; y is its base line."""
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' font-size='{size}'>{html.escape(words)}</text>"


def document(width: float, height: float, parts: Sequence[str]) -> str:
    """A picture of this size in pixels."""
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
            f"font-family='sans-serif' fill='currentColor'>{''.join(parts)}</svg>")


class _Log:
    """A logarithmic axis from pixel `first` to pixel `last`; values below 1 stand at 1."""

    def __init__(self, values: Sequence[float], first: float, last: float):
        logs = [math.log10(max(v, 1.0)) for v in values] or [0.0]
        self.low, self.high = math.floor(min(logs)), math.ceil(max(logs))
        if self.low == self.high:
            self.high += 1
        self.first, self.last = first, last

    def __call__(self, value: float) -> float:
        share = (math.log10(max(value, 1.0)) - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def decades(self) -> List[int]:
        step = max(1, (self.high - self.low) // 6)
        return list(range(self.low, self.high + 1, step))


def _axes(across: _Log, up: _Log, x_title: str, y_title: str) -> List[str]:
    parts = []
    for decade in across.decades():
        x = across(10.0**decade)
        parts.append(f"<line x1='{x:.1f}' x2='{x:.1f}' y1='{_TOP}' y2='{_HEIGHT - _BOTTOM}' stroke='#8884'/>")
        parts.append(text(x, _HEIGHT - _BOTTOM + 14, f"1e{decade}", "middle", 11))
    for decade in up.decades():
        y = up(10.0**decade)
        parts.append(f"<line x1='{_LEFT}' x2='{_WIDTH - _RIGHT}' y1='{y:.1f}' y2='{y:.1f}' stroke='#8884'/>")
        parts.append(text(_LEFT - 4, y + 4, f"1e{decade}", "end", 11))
    parts.append(text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, x_title, "middle"))
    parts.append(text(4, 14, y_title))
    return parts


def _legend(series: Sequence[Series]) -> List[str]:
    parts, x = [], float(_LEFT + 140)
    for i, (name, _, _) in enumerate(series):
        parts.append(f"<rect x='{x:.0f}' y='6' width='10' height='10' fill='{COLORS[i % len(COLORS)]}'/>")
        parts.append(text(x + 14, 15, name, size=11))
        x += 26 + 6.5 * len(name)
    return parts


def plot(series: Sequence[Series], x_title: str, y_title: str, staircase: bool = False) -> str:
    """Curves over two logarithmic axes: falling staircases, or a mark for each point."""
    across = _Log([x for _, xs, _ in series for x in xs], _LEFT, _WIDTH - _RIGHT)
    up = _Log([y for _, _, ys in series for y in ys], _HEIGHT - _BOTTOM, _TOP)
    parts = _axes(across, up, x_title, y_title) + _legend(series)
    for i, (_, xs, ys) in enumerate(series):
        color = COLORS[i % len(COLORS)]
        if not staircase:
            parts += [f"<circle cx='{across(x):.1f}' cy='{up(y):.1f}' r='3' fill='{color}'/>" for x, y in zip(xs, ys)]
            continue
        path = ""
        for x, y in zip(xs, ys):
            path += f"M{across(x):.1f} {up(y):.1f}" if not path else f"H{across(x):.1f}V{up(y):.1f}"
        parts.append(f"<path d='{path}H{_WIDTH - _RIGHT}' fill='none' stroke='{color}' stroke-width='1.5'/>")
    return document(_WIDTH, _HEIGHT, parts)


Bar = Tuple[str, Sequence[Tuple[str, float]]]  # label, (part's name, length from 0 to 1)


def _colors(names: Sequence[str], roles: Dict[str, str]) -> Dict[str, str]:
    """The color of each part: the first tensor of a role has the role's, everything else the next one."""
    out: Dict[str, str] = {}
    for name in names:
        color = ROLE_COLORS.get(roles.get(name, ""))
        if color is None or color in out.values():
            color = COLORS[len(out) % len(COLORS)]
        out[name] = color
    return out


def bars(rows: Sequence[Bar], title: str = "", roles: Dict[str, str] = {}) -> str:
    """Horizontal bars of coloured parts, which have a tooltip each. `roles`: of parts that are tensors."""
    left, line, width = 110.0, 20.0, 320.0
    names = list(dict.fromkeys(name for _, pieces in rows for name, _ in pieces))
    colors = _colors(names, roles)
    parts = [text(4, 14, title)] if title else []
    y = 22.0 if title else 4.0
    for label, pieces in rows:
        parts.append(text(left - 6, y + 13, label, "end"))
        parts.append(f"<rect x='{left}' y='{y}' width='{width}' height='{line - 4}' fill='#8882'/>")
        x = left
        for name, length in pieces:
            wide = max(0.0, min(length, 1.0)) * width
            parts.append(f"<rect x='{x:.1f}' y='{y}' width='{wide:.1f}' height='{line - 4}' "
                         f"fill='{colors[name]}'>"
                         f"<title>{html.escape(name)}: {100 * length:.3g} %</title></rect>")
            x += wide
        y += line
    x = left
    for name in names:
        parts.append(f"<rect x='{x:.0f}' y='{y + 4}' width='10' height='10' fill='{colors[name]}'/>")
        parts.append(text(x + 14, y + 13, name, size=11))
        x += 30 + 6.5 * len(name)
    return document(max(left + width + 10, x), y + 22, parts)


def schedule(groups: Sequence[Dict], edges: Sequence[Dict], title: str) -> str:
    """The layers of a schedule as a graph: groups in boxes, and of each edge what crosses the outermost level."""
    row, box, lane = 24, 96, 14
    right = box + 178
    places: Dict[str, float] = {}
    legend = "green stays inside, brown crosses the outermost level (bytes)"
    parts: List = [text(8, 16, title), text(8, 32, legend, size=11)]
    y = 40.0
    for group in groups:
        high = row * len(group["layers"])
        if len(group["layers"]) > 1:
            parts.append(f"<rect x='{box - 8}' y='{y}' width='194' height='{high}' rx='6' fill='#2e7d4f22' "
                         "stroke='#2e7d4f'/>" + text(8, y + 16, str(group["level"])))
        for name in group["layers"]:
            places[name] = y + row / 2
            parts.append(f"<rect x='{box}' y='{y + 3}' width='170' height='18' rx='3' fill='none' stroke='#888'/>" +
                         text(box + 6, y + 16, name[:24]))
            y += row
    taken: List[Tuple[float, float, int]] = []
    labels: Dict[str, int] = {}
    made = [edge for edge in edges if edge["maker"] in places]
    for edge in sorted(made, key=lambda e: places[e["reader"]] - places[e["maker"]]):
        top, bottom = places[edge["maker"]] + 4, places[edge["reader"]] - 4
        mine = 1 + max((at for a, b, at in taken if a < bottom and top < b), default=0)
        taken.append((top, bottom, mine))
        color = "#2e7d4f" if edge["stays"] else "#b0690b"
        x = right - 8 + lane * mine
        parts.append(f"<path d='M {right - 8} {top} H {x} V {bottom} H {right - 8}' fill='none' stroke='{color}'/>")
        crossing = edge["bytes_read"] + edge["bytes_written"]
        said = "stays" if edge["stays"] and not crossing else f"{crossing:,}"
        place = labels.setdefault(edge["reader"], 0)
        labels[edge["reader"]] += 1
        parts.append((bottom, place, said, color))  # placed when all lanes are known
    deepest = max((at for _, _, at in taken), default=0)
    left = right + lane * deepest
    drawn = [part if isinstance(part, str) else f"<g fill='{part[3]}'>" +
             text(left + 110 * part[1], part[0] + 4, part[2], size=11) + "</g>" for part in parts]
    width = left + 240
    for group in groups:
        if group["homes"]:
            rows, wide, y = _timeline(group, y + 14)
            drawn += rows
            width = max(width, wide)
    return document(width, y + 8, drawn)


def _timeline(group: Dict, top: float) -> Tuple[List[str], float, float]:
    """What stays at the level of a group while each of its layers runs: a column for each layer, a row for each array,
    then the room that is taken. With the right and the lower end."""
    row, names, column = 20, 150, 84
    layers, homes, capacity = group["layers"], group["homes"], group["capacity_words"]
    limit = f" of {capacity:,}" if capacity else ""
    parts = [text(8, top + 12, f"words that stay in {group['level']}{limit} while each layer runs, its own tiles aside",
                  size=11)]
    y = top + 18
    parts += [text(names + column * i + 3, y + 14, name[:12], size=11) for i, name in enumerate(layers)]
    for array, words in homes.items():
        y += row
        parts.append(text(8, y + 14, array[:22], size=11))
        parts += [f"<rect x='{names + column * i}' y='{y + 2}' width='{column}' height='{row - 4}' fill='#2e7d4f33' "
                  f"stroke='#2e7d4f'/>" + text(names + column * i + 3, y + 14, f"{n:,}", size=10)
                  for i, n in enumerate(words) if n > 0]
    y += row
    parts.append(text(8, y + 14, "taken", size=11))
    for i, taken in enumerate(sum(words) for words in zip(*homes.values())):
        x, share = names + column * i, min(1.0, taken / capacity) if capacity else 0.0
        parts.append(f"<rect x='{x}' y='{y + 2}' width='{column * share:.1f}' height='{row - 4}' fill='#b0690b44'/>"
                     f"<rect x='{x}' y='{y + 2}' width='{column}' height='{row - 4}' fill='none' stroke='#888'/>" +
                     text(x + 3, y + 14, f"{taken:,}", size=10))
    return parts, names + column * len(layers) + 12, y + row
