# Least squares with dummies, in two stages, and clustered by unit: from a JSON table on standard input to JSON on standard output.
import json, sys
import numpy as np

t = json.load(sys.stdin)
y, X = np.array(t["Y"]), np.array(t["X"]).T
unit, time = np.array(t["Unit"]), np.array(t["Time"])
Z = np.array(t["Instruments"]).T if t["Instruments"] else np.zeros((len(y), 0))


def dummies(labels):
    return (labels[:, None] == np.unique(labels)[None, :]).astype(float)


out = {}
for effects, D in {
    "0": np.ones((len(y), 1)),
    "1": dummies(unit),
    "2": dummies(time),
    "3": np.hstack([dummies(unit), dummies(time)[:, 1:]]),
}.items():
    for stages in (1, 2):
        if stages == 2 and not Z.shape[1]:
            continue
        full = np.hstack([X, D])
        used, F = full, None
        if stages == 2:  # the first column is endogenous
            W = np.hstack([X[:, 1:], Z, D])
            first = W @ np.linalg.lstsq(W, X[:, 0], rcond=None)[0]
            short = np.hstack([X[:, 1:], D])
            r0 = X[:, 0] - short @ np.linalg.lstsq(short, X[:, 0], rcond=None)[0]
            r1 = X[:, 0] - first
            F = (r0 @ r0 - r1 @ r1) / Z.shape[1] / (r1 @ r1 / (len(y) - W.shape[1]))
            used = np.hstack([first[:, None], X[:, 1:], D])
        b = np.linalg.lstsq(used, y, rcond=None)[0]
        e = y - full @ b
        k = X.shape[1]
        bread = np.linalg.inv(used.T @ used)
        n, K, G = len(y), full.shape[1], len(np.unique(unit))
        meat = sum(np.outer(s, s) for s in (used[unit == g].T @ e[unit == g] for g in np.unique(unit)))
        cov = bread @ meat @ bread * G / (G - 1) * (n - 1) / (n - K)
        s2 = e @ e / (n - K)
        out[f"{effects}/{stages}"] = {
            "Value": list(b[:k]), "Error": list(np.sqrt(np.diag(cov)[:k])), "Plain": list(np.sqrt(np.diag(bread)[:k] * s2)), "Sigma": float(np.sqrt(s2)), "F": F,
        }
json.dump(out, sys.stdout)
