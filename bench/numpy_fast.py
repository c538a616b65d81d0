"""The case studies in vectorised NumPy: the same loops as numpy_paper.py, as fast as NumPy reasonably allows.

Opinions are columns, so that every operation runs along long rows; arrays are allocated once; the sensitivity is a formula of
O(m) operations instead of a matrix with an inverse, over the whole batch at once; the steady state is exact, from one scalar
equation a person solved for everybody together; what dynamics, metrics and sensitivity share is computed once; the twenty
derivative-free trials run side by side.
"""

import sys

sys.dont_write_bytecode = True

import numpy as np

import workloads as w

KEEP = 1 - w.LAMBDA  # the pull of the initial opinion
HABIT = 1 - w.LAMBDA1 - w.LAMBDA2  # the pull of the initial choice
DRAWN = 1000  # turns whose random numbers are drawn at once


class Crowd:
    """A polarized population: opinions and initial opinions as columns, with room for a step."""

    def __init__(self, p0):
        self.p0 = np.ascontiguousarray(p0.T)
        self.p = self.p0.copy()
        self.home = KEEP * self.p0
        self.raw = np.empty_like(self.p)
        self.ones = np.ones((1, len(self.p)))
        self.norm = np.empty((1, self.p.shape[1]))

    def step(self, q):
        """p becomes p̃/‖p̃‖ with p̃ = (λI + σqqᵀ)p + (1−λ)p0."""
        pull = np.outer(q, w.SIGMA * q)
        pull.flat[:: len(q) + 1] += w.LAMBDA
        np.dot(pull, self.p, out=self.raw)
        self.raw += self.home
        np.multiply(self.raw, self.raw, out=self.p)
        np.dot(self.ones, self.p, out=self.norm)
        np.sqrt(self.norm, out=self.norm)
        np.divide(1, self.norm, out=self.norm)
        np.multiply(self.raw, self.norm, out=self.p)


class Steady:
    """The exact steady affinity of a polarized population, started from the last answer."""

    def __init__(self, p0):
        self.p0 = np.ascontiguousarray(p0.T)
        self.e = np.zeros(len(p0))
        self.rooms = np.empty((6, len(p0)))

    def affinity(self, q):
        """The mean of pᵀq over steady states p, from the root e of k²[S²/(e+s)² + C²/e²] = 1 for every person."""
        along, across, a, b, slope, de = self.rooms
        length, e = np.linalg.norm(q), self.e
        if length == 0:
            return 0.0
        s = w.SIGMA * length**2
        np.dot(q, self.p0, out=along)
        along *= KEEP / length  # kC
        np.multiply(along, along, out=across)
        np.subtract(KEEP**2, across, out=across)
        np.sqrt(np.maximum(across, 0, out=across), out=across)  # kS
        np.maximum(e, across - s, out=e)
        np.maximum(e, np.abs(along, out=a), out=e)
        for _ in range(60):
            np.add(e, s, out=slope)
            np.divide(across, slope, out=a)
            np.multiply(a, a, out=a)
            np.divide(along, e, out=b)
            np.multiply(b, b, out=b)
            np.add(a, b, out=de)
            a /= slope
            b /= e
            np.add(a, b, out=slope)
            np.divide(de, slope, out=slope)
            np.sqrt(de, out=de)
            de -= 1
            de *= slope
            e += de
            if max(de.max(), -de.min()) < 1e-9:  # Newton's error squares: the one left is below rounding
                break
        return length * np.sum(np.divide(along, e, out=a)) / len(e)


def vanilla_direction(q, p, p0):
    """The mean opinion of the sample."""
    return p.mean(axis=1)


def composite_direction(q, p, p0):
    """The mean of p + Ĥ(q, p) q with Ĥq = σ[a q + (‖q‖² − 2a²) p]/D, a = pᵀq, D = ‖p̃‖ − λ − σ(‖q‖² − a²)."""
    a, square = q @ p, q @ q
    pull = w.SIGMA * a
    raw = w.LAMBDA * p
    raw += KEEP * p0
    raw += np.outer(q, pull)
    a *= a
    gain = w.SIGMA / (np.sqrt(np.einsum("ij,ij->j", raw, raw)) - w.LAMBDA - w.SIGMA * (square - a))
    total = p @ (1 + gain * (square - 2 * a))
    total += (gain @ pull / w.SIGMA) * q
    return total / len(a)


def polarized(problem, direction):
    """The closed loop of the polarized case; reports the exact steady value."""
    q, crowd, steady = problem.q0.copy(), Crowd(problem.p0), Steady(problem.p0)
    for picks in problem.picks:
        yield q, steady.affinity(q)
        crowd.step(q)
        q = q + w.STEP * direction(q, crowd.p.take(picks, axis=1), crowd.p0.take(picks, axis=1))
        q /= max(1.0, np.sqrt(q @ q))
    yield q, steady.affinity(q)


def softmax(x):
    """exp(x), scaled to sum 1 along the last axis."""
    z = np.exp(x)
    z /= z.sum(axis=-1, keepdims=True)
    return z


def rowwise_dot(x, y):
    """The scalar products of rows."""
    return np.einsum("...j,...j->...", x, y)


def gain(p, q):
    """The objective pᵀq + ρ Σ pᵢ log pᵢ = pᵀ(q + ρ log p), of every row."""
    return rowwise_dot(p, q + w.RHO * np.log(p))


def project_simplex(v, budget):
    """The nearest points of {q ≥ 0, Σq = budget} to the rows of v. Sorts only where a bound is active."""
    shift = (v.sum(axis=-1, keepdims=True) - budget) / v.shape[-1]
    if (v >= shift).all():
        return v - shift
    u = -np.sort(-v, axis=-1)
    count = np.arange(1, v.shape[-1] + 1)
    mean = (u.cumsum(axis=-1) - budget) / count
    last = (u > mean).sum(axis=-1, keepdims=True) - 1
    return np.maximum(v - np.take_along_axis(mean, last, axis=-1), 0)


class ChoiceMeter:
    """Value, relative distance to the optimum, W₁ to the own and to the optimal steady state."""

    def __init__(self, problem):
        self.pull, self.home = w.LAMBDA2 / (1 - w.LAMBDA1), HABIT / (1 - w.LAMBDA1) * problem.p0
        self.optimum, self.scale = problem.optimum, 1 / np.linalg.norm(problem.optimum)
        self.settled_optimum = self.pull * softmax(-w.EPSILON * problem.optimum) + self.home

    def measure(self, p, q, z):
        """The metrics of every row of p and q, given z = softmax(−εq)."""
        settled = self.pull * z + self.home
        off = q - self.optimum
        distance = np.sqrt(rowwise_dot(off, off)) * self.scale
        own = np.abs((p - settled).cumsum(axis=-1)).sum(axis=-1)
        optimal = np.abs((p - self.settled_optimum).cumsum(axis=-1)).sum(axis=-1)
        return gain(settled, q), distance, own, optimal


def choice(problem, composite):
    """The closed loop of the choice case, with or without the sensitivity."""
    meter, home = ChoiceMeter(problem), HABIT * problem.p0
    q, p, z = problem.q0, problem.p0, softmax(-w.EPSILON * problem.q0)
    for _ in range(problem.turns):
        yield q, meter.measure(p, q, z)
        p = w.LAMBDA1 * p + w.LAMBDA2 * z + home
        gradient = p
        if composite:
            v = q + w.RHO * (1 + np.log(p))
            gradient = p - w.EPSILON * meter.pull * (z * (v - z @ v))
        q = project_simplex(q + w.CHOICE_STEP * gradient, w.BUDGET)
        z = softmax(-w.EPSILON * q)
    yield q, meter.measure(p, q, z)


def choice_free(problem):
    """The closed loop of all derivative-free trials side by side. The first turn only observes."""
    meter, home = ChoiceMeter(problem), HABIT * problem.p0
    q = np.tile(problem.q0, (w.TRIALS, 1))
    p = np.tile(problem.p0, (w.TRIALS, 1))
    rate, before = w.FREE_STEP * q.shape[1] / w.DELTA, None
    for v in problem.directions:
        yield q, np.transpose(meter.measure(p, q, softmax(-w.EPSILON * q)))
        tried = q + w.DELTA * v
        p = w.LAMBDA1 * p + w.LAMBDA2 * softmax(-w.EPSILON * tried) + home
        now = gain(p, tried)
        if before is not None:
            q = project_simplex(q + (rate * (now - before))[:, None] * v, w.BUDGET)
        before = now
    yield q, np.transpose(meter.measure(p, q, softmax(-w.EPSILON * q)))


def picks(rng):
    """Indices sampled with replacement, turn by turn."""
    while True:
        yield from rng.integers(0, w.PEOPLE, (DRAWN, w.BATCH))


def directions(rng):
    """Points uniform on the sphere, a block of trials a turn."""
    while True:
        yield from w.unit(rng.standard_normal((w.CHUNK, w.TRIALS, w.ITEMS)))


def measure(turns):
    """Time every workload."""
    free = choice_free(w.random_choice(w.CHOICE_TURNS, directions))
    return {
        "polarized-vanilla-turn": w.seconds_per_turn(polarized(w.random_polarized(picks), vanilla_direction), turns),
        "polarized-composite-turn": w.seconds_per_turn(polarized(w.random_polarized(picks), composite_direction), turns),
        "choice-vanilla-turn": w.seconds_per_turn(choice(w.random_choice(sys.maxsize), False), w.CHOICE_TURNS),
        "choice-composite-turn": w.seconds_per_turn(choice(w.random_choice(sys.maxsize), True), w.CHOICE_TURNS),
        "choice-derivative-free-turn": w.seconds_per_turn(free, w.CHOICE_TURNS, w.TRIALS),
    }


def check_polarized(problem, target):
    """Run both rules."""
    w.write_run(target, "polarized-vanilla", polarized(problem, vanilla_direction))
    w.write_run(target, "polarized-composite", polarized(problem, composite_direction))


def check_choice(problem, target):
    """Run the three rules."""
    w.write_run(target, "choice-vanilla", choice(problem, False))
    w.write_run(target, "choice-composite", choice(problem, True))
    w.write_run(target, "choice-derivative-free", choice_free(problem))


if __name__ == "__main__":
    w.main(measure, check_polarized, check_choice)
