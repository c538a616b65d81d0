"""POT's exact solver on an instance from standard input; see bench/README.md."""
import json
import sys
import time

import numpy as np
import ot


def take(kind, *shape):
    """The next numbers of the input."""
    count = int(np.prod(shape))
    return np.frombuffer(sys.stdin.buffer.read(8 * count), kind).reshape(shape if count else 0).copy()


def solve(p, q, d, e, a, b):
    """The value and the moments before the costs, between the two and after the solution."""
    start = time.perf_counter()
    costs = ot.dist(p, q, "euclidean") + ot.dist(d, e, "euclidean")
    middle = time.perf_counter()
    value = ot.emd2(a, b, costs, numItermax=100_000_000)
    return float(value), start, middle, time.perf_counter()


n, m, states, traits, weighted = take("<i8", 5)
p, q, d, e = take("<f8", n, states), take("<f8", m, states), take("<f8", n, traits), take("<f8", m, traits)
a, b = (take("<f8", n), take("<f8", m)) if weighted else ([], [])
few = min(n, m, 10)
solve(p[:few], q[:few], d[:few], e[:few], [], [])  # what POT loads when it is first used takes time
value, start, middle, end = solve(p, q, d, e, a, b)
print(json.dumps({"Name": "POT " + ot.__version__, "Costs": middle - start, "Solve": end - middle, "Value": value}))
