"""The case studies of the paper in plain NumPy, loop and formulas as the paper describes them [he2025].

Written as a researcher writes it down: whole-population arrays where the formula is a formula of arrays, a Python loop over the
sampled individuals, and the sensitivity as the dense matrix with its inverse. Nothing is made slow on purpose, nothing is
rearranged to be fast.
"""

import sys

sys.dont_write_bytecode = True

import numpy as np

import workloads as w

ROLLOUT = 10  # steps after which the paper's practice takes the population as settled
SETTLED = 300  # steps after which it is to 1e-10: errors shrink at least by 0.92 a step


def polarized_step(p, p0, q):
    """One step of the polarized dynamics for all individuals."""
    raw = w.LAMBDA * p + (1 - w.LAMBDA) * p0 + w.SIGMA * np.outer(p @ q, q)
    return raw / np.linalg.norm(raw, axis=1, keepdims=True)


def affinity_after(steps, p0, q):
    """The mean affinity after a roll-out of the population from its initial state."""
    p = p0
    for _ in range(steps):
        p = polarized_step(p, p0, q)
    return np.mean(p @ q)


def polarized_sensitivity(q, p, p0):
    """The matrix Ĥ(q, p) [he2025, transient polarized sensitivity]."""
    eye = np.eye(len(q))
    raw = w.LAMBDA * p + (1 - w.LAMBDA) * p0 + w.SIGMA * (p @ q) * q
    tangent = eye - np.outer(p, p)
    inverse = np.linalg.inv((w.LAMBDA * eye + w.SIGMA * np.outer(q, q)) @ tangent - np.linalg.norm(raw) * eye)
    return -w.SIGMA * ((p @ q) * eye + np.outer(p, q)) @ tangent @ inverse


def vanilla_direction(q, p, p0):
    """The mean opinion of the sample."""
    return np.mean(p, axis=0)


def composite_direction(q, p, p0):
    """The mean of p + Ĥ(q, p) q over the sample."""
    total = np.zeros_like(q)
    for i in range(len(p)):
        total += p[i] + polarized_sensitivity(q, p[i], p0[i]) @ q
    return total / len(p)


def project_ball(q):
    """The nearest point of the unit ball."""
    return q / max(1.0, np.linalg.norm(q))


def polarized(problem, direction, rollout=ROLLOUT):
    """The closed loop of the polarized case; reports the value after the roll-out."""
    p0, q = problem.p0, problem.q0
    p = p0
    for picks in problem.picks:
        yield q, affinity_after(rollout, p0, q)
        p = polarized_step(p, p0, q)
        q = project_ball(q + w.STEP * direction(q, p[picks], p0[picks]))
    yield q, affinity_after(rollout, p0, q)


def softmax(x):
    """exp(x), scaled to sum 1."""
    z = np.exp(x)
    return z / np.sum(z)


def choice_step(p, p0, q):
    """One step of the choice dynamics."""
    return w.LAMBDA1 * p + w.LAMBDA2 * softmax(-w.EPSILON * q) + (1 - w.LAMBDA1 - w.LAMBDA2) * p0


def choice_steady(p0, q):
    """The steady state of the choice dynamics."""
    return w.LAMBDA2 / (1 - w.LAMBDA1) * softmax(-w.EPSILON * q) + (1 - w.LAMBDA1 - w.LAMBDA2) / (1 - w.LAMBDA1) * p0


def gain(p, q):
    """The objective pᵀq + ρ Σ pᵢ log pᵢ."""
    return p @ q + w.RHO * np.sum(p * np.log(p))


def choice_sensitivity(q):
    """The matrix H of the choice dynamics [he2025, softmax sensitivity]."""
    z = np.exp(-w.EPSILON * q)
    total = np.sum(z)
    return -w.EPSILON * w.LAMBDA2 / (1 - w.LAMBDA1) * (total * np.diag(z) - np.outer(z, z)) / total**2


def project_simplex(v, budget):
    """The nearest point of {q ≥ 0, Σq = budget}, by sorting."""
    u = np.sort(v)[::-1]
    excess = np.cumsum(u) - budget
    count = np.arange(1, len(v) + 1)
    last = np.nonzero(u - excess / count > 0)[0][-1]
    return np.maximum(v - excess[last] / count[last], 0)


def wasserstein(p, r):
    """W₁ of two laws on the items, by the general method for weighted points of the line that libraries offer."""
    items = np.arange(len(p))
    points = np.sort(np.concatenate((items, items)))
    below = np.searchsorted(items, points[:-1], side="right")
    own, other = (np.concatenate(([0.0], np.cumsum(x)))[below] / np.sum(x) for x in (p, r))
    return np.sum(np.abs(own - other) * np.diff(points))


def choice_metrics(p, q, p0, optimum, settled_optimum):
    """Value, relative distance to the optimum, W₁ to the own and to the optimal steady state."""
    settled = choice_steady(p0, q)
    distance = np.linalg.norm(q - optimum) / np.linalg.norm(optimum)
    return gain(settled, q), distance, wasserstein(p, settled), wasserstein(p, settled_optimum)


def choice(problem, composite):
    """The closed loop of the choice case, with or without the sensitivity."""
    p0, q, p, optimum = problem.p0, problem.q0, problem.p0, problem.optimum
    settled_optimum = choice_steady(p0, optimum)
    for _ in range(problem.turns):
        yield q, choice_metrics(p, q, p0, optimum, settled_optimum)
        p = choice_step(p, p0, q)
        gradient = p
        if composite:
            gradient = p + choice_sensitivity(q) @ (q + w.RHO * (1 + np.log(p)))
        q = project_simplex(q + w.CHOICE_STEP * gradient, w.BUDGET)
    yield q, choice_metrics(p, q, p0, optimum, settled_optimum)


def choice_free(problem, directions):
    """The closed loop of one derivative-free trial. The first turn has nothing to compare with and only observes."""
    p0, q, p, optimum = problem.p0, problem.q0, problem.p0, problem.optimum
    settled_optimum = choice_steady(p0, optimum)
    before = None
    for v in directions:
        yield q, choice_metrics(p, q, p0, optimum, settled_optimum)
        tried = q + w.DELTA * v
        p = choice_step(p, p0, tried)
        now = gain(p, tried)
        if before is not None:
            q = project_simplex(q + w.FREE_STEP * len(q) / w.DELTA * (now - before) * v, w.BUDGET)
        before = now
    yield q, choice_metrics(p, q, p0, optimum, settled_optimum)


def all_trials(problem):
    """The trials of the derivative-free rule, one after the other, reported side by side."""
    runs = [list(choice_free(problem, problem.directions[:, i])) for i in range(w.TRIALS)]
    for step in zip(*runs):
        yield [q for q, _ in step], [m for _, m in step]


def picks(rng):
    """Indices sampled with replacement, turn by turn."""
    while True:
        yield rng.integers(0, w.PEOPLE, w.BATCH)


def directions(rng):
    """Points uniform on the sphere, turn by turn."""
    while True:
        v = rng.standard_normal(w.ITEMS)
        yield v / np.linalg.norm(v)


def measure(turns):
    """Time every workload."""
    free = w.random_choice(w.CHOICE_TURNS, directions)
    return {
        "polarized-vanilla-turn": w.seconds_per_turn(polarized(w.random_polarized(picks), vanilla_direction), turns),
        "polarized-composite-turn": w.seconds_per_turn(polarized(w.random_polarized(picks), composite_direction), turns),
        "choice-vanilla-turn": w.seconds_per_turn(choice(w.random_choice(sys.maxsize), False), w.CHOICE_TURNS),
        "choice-composite-turn": w.seconds_per_turn(choice(w.random_choice(sys.maxsize), True), w.CHOICE_TURNS),
        "choice-derivative-free-turn": w.seconds_per_turn(choice_free(free, free.directions), w.CHOICE_TURNS),
    }


def check_polarized(problem, target):
    """Run both rules, with the value by the paper's roll-out and by one that is long enough."""
    rules = {"polarized-vanilla": vanilla_direction, "polarized-composite": composite_direction}
    for name, rule in rules.items():
        w.write_run(target, name + "-rollout", polarized(problem, rule))
        w.write_run(target, name, polarized(problem, rule, SETTLED))


def check_choice(problem, target):
    """Run the three rules."""
    w.write_run(target, "choice-vanilla", choice(problem, False))
    w.write_run(target, "choice-composite", choice(problem, True))
    w.write_run(target, "choice-derivative-free", all_trials(problem))


if __name__ == "__main__":
    w.main(measure, check_polarized, check_choice)
