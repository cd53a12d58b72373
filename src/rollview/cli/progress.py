"""Say on stderr what is going on: a spinner on a terminal, a line after a second elsewhere.

Programs, which ask for --json, are told nothing but warnings.
"""

from __future__ import annotations

import logging
import threading
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column

_SLOW = 1.0


class Activity(logging.Handler):
    """What the program is doing now; also listens to what the library logs.

    Something quick is never mentioned: on a terminal it is wiped again, elsewhere a line is
    written only when the same activity has lasted a second. `silent` leaves warnings only.
    """

    def __init__(self, console: Console | None = None) -> None:
        super().__init__(logging.INFO)
        self.silent = False
        self._console = console or Console(stderr=True)
        self._timer: threading.Timer | None = None
        self._bar: Progress | None = None
        self._total: int | None = None

    def __enter__(self) -> Activity:
        logger = logging.getLogger("rollview")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        logging.getLogger("rollview").removeHandler(self)
        self.rest()

    def emit(self, record: logging.LogRecord) -> None:
        """Show what the library reports; its warnings stay on the screen."""
        if record.levelno >= logging.WARNING:
            self._write(f"warning: {record.getMessage()}")
        else:
            self.say(record.getMessage())

    def say(self, text: str, *, done: int | None = None, total: int | None = None) -> None:
        """Name the present activity, and how many of how many are done if that is known."""
        if self.silent:
            return
        if not self._console.is_terminal:
            self._say_later(text)
            return
        if self._bar is None or self._total != total:
            self.rest()
            self._total = total
            self._bar = _display(self._console, counted=total is not None)
            self._bar.add_task(text, total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], description=text, completed=done or 0)

    def note(self, text: str) -> None:
        """Write a line that stays."""
        if not self.silent:
            self._write(text)

    def rest(self) -> None:
        """Nothing is going on: take the display away, so that results can be printed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _write(self, text: str) -> None:
        console = self._bar.console if self._bar else self._console
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _say_later(self, text: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(_SLOW, self.note, [f"{text} ..."])
        self._timer.daemon = True
        self._timer.start()


def _display(console: Console, *, counted: bool) -> Progress:
    text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
    counters = (BarColumn(bar_width=20), MofNCompleteColumn()) if counted else ()
    return Progress(
        SpinnerColumn(), text, *counters, TimeElapsedColumn(), console=console, transient=True
    )
