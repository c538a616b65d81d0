"""POT's exact solver on instances from standard input; see bench/README.md."""
import json
import sys
import time

import numpy as np
import ot

print("POT", ot.__version__, flush=True)


def take(kind, *shape):
    """The next numbers of the input, none at its end."""
    count = int(np.prod(shape))
    return np.frombuffer(sys.stdin.buffer.read(8 * count), kind).reshape(shape if count else 0).copy()


while True:
    head = sys.stdin.buffer.read(40)
    if len(head) < 40:
        break
    n, m, states, traits, weighted = np.frombuffer(head, "<i8")
    p, q, d, e = take("<f8", n, states), take("<f8", m, states), take("<f8", n, traits), take("<f8", m, traits)
    a, b = (take("<f8", n), take("<f8", m)) if weighted else ([], [])
    start = time.perf_counter()
    costs = ot.dist(p, q, "euclidean") + ot.dist(d, e, "euclidean")
    middle = time.perf_counter()
    value = ot.emd2(a, b, costs, numItermax=100_000_000)
    end = time.perf_counter()
    print(json.dumps({"Costs": middle - start, "Solve": end - middle, "Value": float(value)}), flush=True)
