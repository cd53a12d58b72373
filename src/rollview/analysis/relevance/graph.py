"""The graph of a conjunction, and what is left of it when the rows of other tables are unknown.

Rosenkrantz and Hunt (1980), as used by Blakeley, Larson, Tompa (1986), section 4: a node for every
variable, an edge ``(x, y, c)`` for every ``x <= y + c``; the conjunction cannot be satisfied if and
only if a cycle has a negative sum. Floyd's algorithm run over the variables of other tables alone
closes the invariant part once. What it leaves between the columns of the changed row and the
constants is what a row must satisfy: for integers and dates no more and no less; with integers and
decimals on one way it may be too little. A node is taken out as soon as all ways through it are
known, those with few neighbours first, so that long chains of joins stay cheap.

A bound is a sum and whether it may be reached: 0 if not (strict), 1 if it may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rollview.algebra.expressions import ColumnRef, Literal
from rollview.analysis.relevance.conditions import NO, YES
from rollview.analysis.relevance.domains import Number, is_before
from rollview.analysis.relevance.formulas import Edge
from rollview.analysis.relevance.linear import Node

Bound = tuple[Number, int]
Bounds = dict[tuple[int, int], Bound]
_NOTHING: Bound = (0, 1)


def left_of(edges: Iterable[Edge], is_at_hand: Callable[[ColumnRef], bool]) -> list[Edge] | None:
    """The edges that are left between constants and columns at hand; None if none can satisfy all.

    Edges that follow from others are not among them, nor are those between constants alone.
    """
    graph = _graph(edges)
    unknown = {
        number
        for number, node in enumerate(graph.nodes)
        if isinstance(node, ColumnRef) and not is_at_hand(node)
    }
    if not graph.closed(unknown):
        return None
    bounds = graph.bounds()
    if not graph.closed(set(range(len(graph.nodes))) - unknown):
        return None
    return [
        Edge(graph.nodes[low], graph.nodes[high], bound[0], bound[1] == 0)
        for (low, high), bound in _needed(bounds, graph.nodes).items()
    ]


def is_satisfiable(edges: Iterable[Edge]) -> bool:
    """Whether some values satisfy all edges, as far as the graph can tell."""
    graph = _graph(edges)
    return graph.closed(set(range(len(graph.nodes))))


@dataclass(slots=True)
class _Graph:
    """Nodes by number, and the tightest edges out of each and into each."""

    nodes: list[Node] = field(default_factory=list)
    numbers: dict[Node, int] = field(default_factory=dict)
    out: list[dict[int, Bound]] = field(default_factory=list)
    into: list[dict[int, Bound]] = field(default_factory=list)
    is_negative: bool = False

    def number(self, node: Node) -> int:
        """The number of a node, which is new or known."""
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
            self.out.append({})
            self.into.append({})
        return self.numbers[node]

    def tighten(self, low: int, high: int, bound: Bound) -> None:
        """Add an edge, unless there is a tighter one; one from a node to itself says little."""
        if low == high:
            self.is_negative = self.is_negative or bound < _NOTHING
            return
        found = self.out[low].get(high)
        if found is None or bound < found:
            self.out[low][high] = bound
            self.into[high][low] = bound

    def closed(self, through: set[int]) -> bool:
        """Put edges in the place of nodes and all ways through them; False on a negative cycle."""
        left = set(through)
        while left and not self.is_negative:
            middle = min(left, key=lambda n: len(self.into[n]) * len(self.out[n]))
            left.remove(middle)
            into, out = self.into[middle], self.out[middle]
            for low in into:
                del self.out[low][middle]
            for high in out:
                del self.into[high][middle]
            for low, first in into.items():
                for high, second in out.items():
                    self.tighten(low, high, _plus(first, second))
            self.into[middle], self.out[middle] = {}, {}
        return not self.is_negative

    def bounds(self) -> Bounds:
        """All edges that are there."""
        return {(low, high): b for low, row in enumerate(self.out) for high, b in row.items()}


def _graph(edges: Iterable[Edge]) -> _Graph:
    """The graph of some edges, and of what is known of the constants among its nodes."""
    graph = _Graph()
    for edge in edges:
        bound = (edge.weight, 0 if edge.strict else 1)
        graph.tighten(graph.number(edge.low), graph.number(edge.high), bound)
    truths = [node for node in graph.nodes if node.type == "BOOLEAN"]
    for node in truths:
        graph.tighten(graph.number(NO), graph.number(node), _NOTHING)
        graph.tighten(graph.number(node), graph.number(YES), _NOTHING)
    constants = [node for node in graph.nodes if isinstance(node, Literal)]
    for one in constants:
        for two in constants:
            if is_before(one, two):
                graph.tighten(graph.number(one), graph.number(two), (0, 0))
    return graph


def _plus(one: Bound, two: Bound) -> Bound:
    return one[0] + two[0], min(one[1], two[1])


def _needed(bounds: Bounds, nodes: list[Node]) -> Bounds:
    """The edges of columns that do not follow from the others; those with constants stay rather."""
    columns = [isinstance(node, ColumnRef) for node in nodes]
    left = dict(bounds)
    for pair in sorted(bounds, key=lambda pair: not (columns[pair[0]] and columns[pair[1]])):
        if not (columns[pair[0]] or columns[pair[1]]):
            continue
        own = left.pop(pair)
        found = _shortest(left, pair)
        if found is None or found > own:
            left[pair] = own
    return {(low, high): b for (low, high), b in left.items() if columns[low] or columns[high]}


def _shortest(bounds: Bounds, pair: tuple[int, int]) -> Bound | None:
    """The shortest way from one node to another; there are no negative cycles."""
    reached: dict[int, Bound] = {pair[0]: _NOTHING}
    grown = True
    while grown:
        grown = False
        for (low, high), bound in bounds.items():
            if low in reached:
                way = _plus(reached[low], bound)
                if high not in reached or way < reached[high]:
                    reached[high], grown = way, True
    return reached.get(pair[1])
