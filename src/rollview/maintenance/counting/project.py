"""Projection is linear (Blakeley, Larson, Tompa 1986, section 5.2, with bags for counters)."""

from __future__ import annotations

from rollview.algebra.relations import Named, Project, Relation
from rollview.maintenance.flow import Flow
from rollview.maintenance.program import Note, RuleName
from rollview.maintenance.signed import WEIGHT, WEIGHT_REF


def delta_project(project: Project, flow: Flow) -> Relation | None:
    """``d(P(Q)) = P(d(Q))``, weights untouched."""
    flow.note(project, Note(RuleName.LINEAR))
    below = flow.delta(project.child)
    if below is None:
        return None
    return Project(below, (*project.items, Named(WEIGHT, WEIGHT_REF)))
