"""Rolling propagation: the delta of a join in small steps, long after the changes were made.

Salem, Beyer, Lindsay, Cochrane (2000), *How To Roll a Join*. Nothing here runs a query or writes a
file: an algorithm is a pure function from the control state to the next query, which is ordinary
algebra, and from what that query saw to the next control state. An `Executor` runs the queries, a
`Journal` keeps rows and control state; both are somebody else's.
"""
