"""Charts as data, drawn as SVG: lines over numbers, or bars over names. No dependency, no clock.

The same chart gives the same text, so a report that is written again changes only where the
numbers did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 170, 36, 48
COLOURS = ("#1b6ca8", "#c8553d", "#3d8b5f", "#8a5a9e", "#b8860b", "#555555", "#d07aa0", "#2a9d9d")
_INNER_WIDTH, _INNER_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM


@dataclass(frozen=True)
class Series:
    """One line: a name, and points of x and y."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Chart:
    """Lines over numbers; with ``names``, bars: the x of a point is the position of a name."""

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    names: tuple[str, ...] = ()


def svg(chart: Chart) -> str:
    """The chart as a picture."""
    points = [point for one in chart.series for point in one.points]
    if not points:
        return _picture([_text(WIDTH / 2, HEIGHT / 2, f"{chart.title}: nothing measured")])
    across = _scale([x for x, _ in points], chart.log_x, LEFT, _INNER_WIDTH)
    if chart.names:
        across = _places(len(chart.names))
    up = _scale([*(y for _, y in points), *([] if chart.log_y else [0.0])], chart.log_y, 0, 1)

    def height(y: float) -> float:
        return TOP + _INNER_HEIGHT * (1 - up.at(y))

    parts = [_text(LEFT, 20, chart.title, anchor="start", size=14)]
    parts += _axes(chart, across, up, height)
    for number, one in enumerate(chart.series):
        colour = COLOURS[number % len(COLOURS)]
        parts += (
            _bars(chart, one, number, colour, across, height)
            if chart.names
            else _line(one, colour, across, height)
        )
        legend = TOP + 8 + 16 * number
        parts.append(_rectangle(WIDTH - RIGHT + 12, legend - 8, 10, 10, colour))
        parts.append(_text(WIDTH - RIGHT + 28, legend + 1, one.name, anchor="start"))
    return _picture(parts)


def png(chart: Chart, path: Path) -> bool:
    """The chart as a file of pixels, if Matplotlib is there; False if it is not."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(WIDTH / 80, HEIGHT / 80), layout="constrained")
    axes = figure.add_subplot()
    for number, one in enumerate(chart.series):
        xs, ys = [x for x, _ in one.points], [y for _, y in one.points]
        colour = COLOURS[number % len(COLOURS)]
        if chart.names:
            width = 0.8 / len(chart.series)
            axes.bar([x + number * width for x in xs], ys, width, label=one.name, color=colour)
        else:
            axes.plot(xs, ys, marker="o", label=one.name, color=colour)
    if chart.names:
        axes.set_xticks(range(len(chart.names)), chart.names, rotation=60)
    axes.set_xscale("log" if chart.log_x else "linear")
    axes.set_yscale("log" if chart.log_y else "linear")
    axes.set(title=chart.title, xlabel=chart.x, ylabel=chart.y)
    if chart.series:
        axes.legend(fontsize="small")
    figure.savefig(path, dpi=120, metadata={"Software": None})
    return True


@dataclass(frozen=True)
class _Axis:
    """Where a value lies, and the values to write beside it."""

    at: Callable[[float], float]
    ticks: tuple[float, ...]


def ticks(low: float, high: float, log: bool) -> tuple[float, ...]:
    """A few round numbers within a range."""
    if log:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        return tuple(10.0**power for power in range(first, last + 1))
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough)
    count = math.ceil(high / step - 1e-9) - math.floor(low / step + 1e-9)
    start = math.floor(low / step + 1e-9)
    return tuple(round((start + number) * step, 10) for number in range(count + 1))


def _scale(values: Iterable[float], log: bool, start: float, length: float) -> _Axis:
    found = [value for value in values if not log or value > 0]
    low, high = min(found, default=1.0), max(found, default=1.0)
    if low == high:
        low, high = (low / 2, high * 2) if log else (low - 1, high + 1)
    marks = ticks(low, high, log)
    first, last = (math.log10(marks[0]), math.log10(marks[-1])) if log else (marks[0], marks[-1])

    def at(value: float) -> float:
        place = math.log10(max(value, marks[0])) if log else value
        return start + length * (place - first) / (last - first)

    return _Axis(at, marks)


def _places(count: int) -> _Axis:
    step = _INNER_WIDTH / count
    return _Axis(lambda position: LEFT + step * position, tuple(map(float, range(count))))


def _axes(chart: Chart, across: _Axis, up: _Axis, height: Callable[[float], float]) -> list[str]:
    bottom = TOP + _INNER_HEIGHT
    parts = []
    for value in up.ticks:
        y = height(value)
        parts.append(_stroke(LEFT, y, LEFT + _INNER_WIDTH, y, "#dddddd"))
        parts.append(_text(LEFT - 6, y + 4, shown(value), anchor="end"))
    for value in across.ticks:
        x = across.at(value)
        if chart.names:
            middle = x + _INNER_WIDTH / len(chart.names) / 2
            parts.append(_text(middle, bottom + 14, chart.names[int(value)], size=9))
        else:
            parts.append(_stroke(x, bottom, x, bottom + 4, "#888888"))
            parts.append(_text(x, bottom + 16, shown(value)))
    parts.append(_stroke(LEFT, bottom, LEFT + _INNER_WIDTH, bottom, "#888888"))
    parts.append(_text(LEFT + _INNER_WIDTH / 2, HEIGHT - 10, chart.x))
    turned = f'transform="rotate(-90 14 {TOP + _INNER_HEIGHT / 2:.1f})"'
    parts.append(_text(14, TOP + _INNER_HEIGHT / 2, chart.y, more=turned))
    return parts


def _line(one: Series, colour: str, across: _Axis, height: Callable[[float], float]) -> list[str]:
    places = [(across.at(x), height(y)) for x, y in sorted(one.points)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    line = f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    return [line, *dots]


def _bars(
    chart: Chart,
    one: Series,
    number: int,
    colour: str,
    across: _Axis,
    height: Callable[[float], float],
) -> list[str]:
    width = 0.8 * _INNER_WIDTH / len(chart.names) / len(chart.series)
    bottom = TOP + _INNER_HEIGHT
    gap = 0.1 * _INNER_WIDTH / len(chart.names)
    return [
        _rectangle(
            across.at(x) + gap + number * width, height(y), width, bottom - height(y), colour
        )
        for x, y in one.points
    ]


def shown(value: float) -> str:
    """A number as short as it can be said."""
    if value and (abs(value) >= 100_000 or abs(value) < 0.001):
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:g}"


def _picture(parts: Iterable[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">'
    )
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    return "\n".join([head, back, *parts, "</svg>"]) + "\n"


def _text(
    x: float, y: float, text: str, *, anchor: str = "middle", size: int = 11, more: str = ""
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" {more}>'
        f"{escape(text)}</text>"
    )


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
    )
