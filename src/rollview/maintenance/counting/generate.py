"""A generator makes rows of each input row alone, so it is linear.

None of the papers has it: it is a join of each row with a bag that depends on that row alone, so
the rule is that of a projection (Blakeley, Larson, Tompa 1986, section 5.2) for many rows.
"""

from __future__ import annotations

from dataclasses import replace

from rollview.algebra.relations import Generate, Relation
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.signed import signed


def delta_generate(generate: Generate, flow: Flow) -> Relation | None:
    """``d(G(Q)) = G(d(Q))``, the weight with every row made."""
    flow.note(generate, Note(RuleName.LINEAR))
    below = flow.delta(generate.child)
    if below is None:
        return None
    return signed(replace(generate, child=below), generate.columns)
