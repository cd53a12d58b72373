"""ComputeDelta: the delta of a query by forward queries and recursive compensation.

Salem et al. (2000), section 3.2, Figure 4 and Equations 1 to 3. The paper's names:

    ComputeDelta(Q, tau_old, t_new)   `compute_delta`, its first generation of queries, and
                                      `compensation`, each following one
    Q'                                `Todo.query`: one window more than Q
    tau_intended                      `Todo.targets`
    t_exec <- Execute(Q')             ``seen``, which `compensation` is told

``V(a,b]`` is a sum with one term for each relation (Equation 2): relations left of it as they were
at a, those right of it as they are at b. Live relations are seen later than that. The difference
is a delta of the very query that saw them, ``-Q'`` from where it should have seen them to where it
did, so the same sum compensates for it, until only windows are left. Every query runs at a moment
of its own. Live relations alone: one that keeps versions is read where it is wanted.

``t_new`` and ``t_exec`` are vectors here, since live relations may belong to several origins, which
no transaction sees at one moment.
"""

from __future__ import annotations

from rollview.errors import InternalError
from rollview.rolling.control import Target, Todo, Vector
from rollview.rolling.query import Query, Window


def compute_delta(query: Query, old: Vector, new: Vector) -> tuple[Todo, ...]:
    """The forward queries of a query from one vector to another."""
    todos = []
    for relation in range(len(query.entries)):
        if not query.is_present(relation) or old[relation] >= new[relation]:
            continue
        window = Window(old[relation], new[relation])
        intended = (*old[:relation], *new[relation:])
        targets = tuple(Target(at, at) for at in intended)
        todos.append(Todo(query.with_entry(relation, window), targets))
    return tuple(todos)


def compensation(todo: Todo, seen: Vector) -> tuple[Todo, ...]:
    """The queries that bring what a query saw back to what it should have seen."""
    if todo.targets is None:
        raise InternalError("a query without targets is compensated for by later ones")
    intended = tuple(target.until for target in todo.targets)
    return compute_delta(todo.query.negated(), intended, seen)
