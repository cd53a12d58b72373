"""Has the definition changed? A digest of everything that decides a view's contents."""

from __future__ import annotations

import hashlib
import json

from rollview.algebra.codec import encode
from rollview.algebra.definition import Definition
from rollview.algebra.relations import Relation


def fingerprint(definition: Definition) -> str:
    """Equal for definitions with the same query, sources, dependencies and settings.

    A DataFrame has no text; its serialized plan differs from run to run (expression ids), so it is
    told apart by its algebra, and by the plan itself only where there is no algebra.
    """
    data = encode(definition)
    if definition.relation is not None:
        data.pop("plan")
        data.pop("text")
    text = json.dumps(data, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def meaning(definition: Definition) -> str:
    """A digest of what decides the rows, and of nothing that a later version may say otherwise."""
    data = encode(definition)
    told = ("relation", "dependencies", "settings", *(() if data["relation"] else ("text", "plan")))
    text = json.dumps({key: data[key] for key in told}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def digest(relation: Relation) -> str:
    """A short digest of a relation, equal for equal relations in every process."""
    return hashlib.sha256(repr(relation).encode("utf-8")).hexdigest()[:8]
