"""What a notebook shows of a folder: HTML that needs nothing else, in which every text is escaped."""

from __future__ import annotations

import base64
import math
import re
from html import escape
from typing import Any, Iterable, Sequence

_STYLE = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.4;max-width:56em"
_CELL = "padding:2px 10px;text-align:{};border-bottom:1px solid #8884"


def number(value: Any) -> str:
    """A number with six digits; a dash where there is none."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return "–"
    return f"{value:.6g}" if isinstance(value, (int, float)) else str(value)


def percent(value: Any) -> str:
    """A relative number with three digits, as a percentage while that reads well."""
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.3g} %" if value == 0 or 1e-5 <= abs(value) < 1e4 else f"{value:.3g}"


def count(n: int, noun: str) -> str:
    """So many things."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table whose first columns hold words and the others numbers."""

    def line(tag: str, cells: Sequence[str]) -> str:
        aligned = (_CELL.format("left" if i < words else "right") for i in range(len(cells)))
        return "<tr>" + "".join(f'<{tag} style="{style}">{escape(cell)}</{tag}>' for style, cell in zip(aligned, cells)) + "</tr>"

    return f'<table style="border-collapse:collapse;margin:6px 0">{line("th", head)}{"".join(line("td", row) for row in rows)}</table>'


def page(title: str, about: str, verdict: Verdict | None, body: str, notes: Iterable[str], figure: bytes | None) -> str:
    """Everything in one piece. The figure is an image, in which no script of a drawing runs."""
    out = [f'<div style="{_STYLE}"><div><b>{escape(title)}</b> · {escape(about)}</div>']
    if verdict:
        out.append(f"<div><b>{escape(verdict.headline)}</b></div>")
    out.append(body)
    out += [f"<div>! {escape(note)}</div>" for note in notes]
    if figure:
        src = base64.b64encode(figure).decode("ascii")
        out.append(f'<img alt="{escape(title)}" style="max-width:100%" src="data:image/svg+xml;base64,{src}">')
    return "".join(out) + "</div>"


class Verdict:
    """What a report concludes: headline, a sentence or two, and reasons, a list of them."""

    def __init__(self, headline: str, reasons: list[str]) -> None:
        self.headline, self.reasons = headline, reasons

    def __repr__(self) -> str:
        return f"<kedge verdict: {self.headline}>"

    def __str__(self) -> str:
        return "\n".join([self.headline, *(f"- {reason}" for reason in self.reasons)])


def verdict_in(report: str) -> Verdict | None:
    """The verdict of a report.md, None where it has none."""
    _, found, rest = report.partition("\n## The verdict\n")
    lines = rest.partition("\n## ")[0].strip().split("\n")
    if not found or not lines[0].startswith("**"):
        return None
    reasons = [_unescaped(line[2:]) for line in lines[1:] if line.startswith("- ")]
    return Verdict(_unescaped(lines[0].strip("*")), reasons)


def _unescaped(text: str) -> str:
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
