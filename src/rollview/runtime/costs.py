"""Whether recomputing a view takes less time than deriving its change, by what both took before.

A refresh from changes runs several statements, however little changed. Against a view that is
recomputed in a second they do not pay.
"""

from __future__ import annotations

from collections.abc import Sequence

from rollview.runtime.report import Mode, RefreshReport

LOOKED_AT = 20  # refreshes of the past that count: what was slow once may be so no more
_FIXED, _EACH = 1.0, 0.25  # seconds that a first refresh from changes is expected to take


def why_whole(past: Sequence[RefreshReport], operators: int) -> str | None:
    """Why the whole view is cheaper, by its newest reports, newest first; None if it is not.

    ``operators`` says how much there is to derive, for views that never were refreshed that way.
    """
    whole = _last(past, Mode.FULL)
    if whole is None:
        return None
    derived = _last(past, Mode.INCREMENTAL, Mode.PARTIAL)
    if derived is None:
        derived, how = _FIXED + _EACH * operators, "is expected to take"
    else:
        how = "took"
    if derived <= whole:
        return None
    return f"recomputing the view took {whole:.1f} s, and deriving a change {how} {derived:.1f} s"


def _last(past: Sequence[RefreshReport], *modes: Mode) -> float | None:
    """The shortest of the last two: the first one in a process is slower than all others.

    Of the time that views were refreshed side by side, each has had its share.
    """
    seconds = [
        r.seconds.get("share", r.seconds.get("total", 0.0))
        for r in past
        if r.mode in modes and r.error is None
    ]
    return min(seconds[:2], default=None)
