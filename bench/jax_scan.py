"""The case studies in JAX: the loops of numpy_fast.py, each as one jitted scan on one core, rule, sample and metrics included.

Numbers are float64, as everywhere. Opinions are columns, so that loops over people are the inner ones; what XLA can fuse is left to it. Roots start
from the last answer and end as those of numpy_fast.py do; sums over entries are products with vectors, which take half the time of reductions and a third
of unrolled loops; sums along items are products with a triangle; the sort of a projection is run only where a bound is active. Who is sampled, and directions, are drawn by NumPy for a whole scan, within the time that counts.
Compiling does not count.
"""

import os
import sys

sys.dont_write_bytecode = True
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_ENABLE_X64"] = "1"
if hasattr(os, "sched_setaffinity"):  # one core, whichever it is now
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import functools
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import workloads as w

KEEP = 1 - w.LAMBDA  # the pull of the initial opinion
HABIT = 1 - w.LAMBDA1 - w.LAMBDA2  # the pull of the initial choice
SCAN = 200  # turns of a scan


def affinity(p0, q, e):
    """The mean of pᵀq over steady states p, from the root e of k²[S²/(e+s)² + C²/e²] = 1 for every person, and the roots."""
    length = jnp.sqrt(q @ q)
    s = w.SIGMA * length**2
    along = q @ p0 * (KEEP / length)
    across = jnp.sqrt(jnp.maximum(KEEP**2 - along * along, 0))
    e = jnp.maximum(jnp.maximum(e, across - s), jnp.abs(along))

    def newton(state):
        e, _ = state
        t = e + s
        a, b = (across / t) ** 2, (along / e) ** 2
        psi = a + b
        move = (jnp.sqrt(psi) - 1) * psi / (a / t + b / e)
        return e + move, jnp.max(jnp.abs(move))

    e, _ = lax.while_loop(lambda state: state[1] >= 1e-9, newton, (e, jnp.inf))
    return length * jnp.mean(along / e), e


def vanilla_direction(q, p, p0):
    """The mean opinion of the sample, whose people are columns."""
    return p.mean(axis=1)


def composite_direction(q, p, p0):
    """The mean of p + Ĥ(q, p) q, as in numpy_fast.py."""
    a, square = q @ p, q @ q
    raw = w.LAMBDA * p + KEEP * p0 + w.SIGMA * q[:, None] * a
    gain = w.SIGMA / (jnp.sqrt((raw * raw).sum(axis=0)) - w.LAMBDA - w.SIGMA * (square - a * a))
    return (p @ (1 + gain * (square - 2 * a * a)) + (gain @ a) * q) / a.size


@functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
def polarized_scan(direction, state, p0, picks):
    """Some turns; reports every decision and its value before the turn."""

    def turn(state, pick):
        p, q, e = state
        value, e = affinity(p0, q, e)
        raw = w.LAMBDA * p + KEEP * p0 + (w.SIGMA * q)[:, None] * (q @ p)
        p = raw * (1 / jnp.sqrt(jnp.ones(q.size) @ (raw * raw)))
        moved = q + w.STEP * direction(q, p[:, pick], p0[:, pick])
        return (p, moved / jnp.maximum(1, jnp.sqrt(moved @ moved)), e), (q, value)

    return lax.scan(turn, state, picks)


def polarized_start(problem):
    """State and initial opinions, as columns."""
    p0 = np.ascontiguousarray(problem.p0.T)
    return (jnp.array(p0), jnp.array(problem.q0), jnp.zeros(p0.shape[1])), jnp.array(p0)


def softmax(x):
    """exp(x), scaled to sum 1 along the last axis."""
    z = jnp.exp(x)
    return z / z.sum(axis=-1, keepdims=True)


def gain(p, q):
    """The objective pᵀ(q + ρ log p), of every row."""
    return (p * (q + w.RHO * jnp.log(p))).sum(axis=-1)


def project_simplex(v, budget):
    """The nearest points of {q ≥ 0, Σq = budget} to the rows of v. Sorts only where a bound is active."""
    shift = (v.sum(axis=-1, keepdims=True) - budget) / v.shape[-1]

    def bounded(v):
        u = -jnp.sort(-v, axis=-1)
        mean = (u.cumsum(axis=-1) - budget) / jnp.arange(1, v.shape[-1] + 1)
        last = (u > mean).sum(axis=-1, keepdims=True) - 1
        return jnp.maximum(v - jnp.take_along_axis(mean, last, axis=-1), 0)

    return lax.cond((v >= shift).all(), lambda v: v - shift, bounded, v)


class ChoiceMeter:
    """Value, relative distance to the optimum, W₁ to the own and to the optimal steady state."""

    def __init__(self, p0, optimum):
        self.pull, self.home = w.LAMBDA2 / (1 - w.LAMBDA1), HABIT / (1 - w.LAMBDA1) * p0
        self.optimum, self.scale = optimum, 1 / jnp.sqrt(optimum @ optimum)
        self.settled_optimum = self.pull * softmax(-w.EPSILON * optimum) + self.home
        self.until = jnp.array(np.triu(np.ones((p0.size, p0.size))))  # x @ until is the running sum of x

    def measure(self, p, q, z):
        """The metrics of every row of p and q, given z = softmax(−εq)."""
        settled = self.pull * z + self.home
        off = q - self.optimum
        gaps = jnp.stack([p - settled, p - self.settled_optimum]) @ self.until
        own, optimal = jnp.abs(gaps).sum(axis=-1)
        return jnp.stack([gain(settled, q), jnp.sqrt((off * off).sum(axis=-1)) * self.scale, own, optimal], axis=-1)


@functools.partial(jax.jit, static_argnums=(0, 1))
def choice_scan(composite, turns, state, p0, optimum):
    """Some turns of the choice case, with or without the sensitivity."""
    meter, home = ChoiceMeter(p0, optimum), HABIT * p0

    def turn(state, _):
        p, q, z = state
        report = q, meter.measure(p, q, z)
        p = w.LAMBDA1 * p + w.LAMBDA2 * z + home
        gradient = p
        if composite:
            v = q + w.RHO * (1 + jnp.log(p))
            gradient = p - w.EPSILON * meter.pull * (z * (v - z @ v))
        q = project_simplex(q + w.CHOICE_STEP * gradient, w.BUDGET)
        return (p, q, softmax(-w.EPSILON * q)), report

    return lax.scan(turn, state, None, turns)


def choice_start(problem):
    """The first state."""
    return jnp.array(problem.p0), jnp.array(problem.q0), softmax(-w.EPSILON * jnp.array(problem.q0))


@jax.jit
def free_scan(state, p0, optimum, directions):
    """Some turns of all derivative-free trials side by side. A trial without an earlier loss only observes."""
    meter, home = ChoiceMeter(p0, optimum), HABIT * p0
    rate = w.FREE_STEP * p0.size / w.DELTA

    def turn(state, v):
        p, q, before = state
        report = q, meter.measure(p, q, softmax(-w.EPSILON * q))
        tried = q + w.DELTA * v
        p = w.LAMBDA1 * p + w.LAMBDA2 * softmax(-w.EPSILON * tried) + home
        now = gain(p, tried)
        rise = jnp.where(jnp.isnan(before), 0, now - before)
        return (p, project_simplex(q + (rate * rise)[:, None] * v, w.BUDGET), now), report

    return lax.scan(turn, state, directions)


def free_start(problem):
    """The first state of all trials."""
    q, p = (jnp.tile(jnp.array(x), (w.TRIALS, 1)) for x in (problem.q0, problem.p0))
    return p, q, jnp.full(w.TRIALS, jnp.nan)


def timed(scan, state, draw, turns, width=1):
    """Time scans one after the other, after one to compile and warm up; each runs SCAN turns of width trials."""
    chunks = []
    for _ in range(1 + max(1, -(-turns // SCAN))):
        start = time.perf_counter()
        state, report = scan(state, draw())
        jax.block_until_ready((state, report))
        chunks.append((time.perf_counter() - start) / (SCAN * width))
    del chunks[0]
    return {"seconds_per_turn": float(np.mean(chunks)), "best": min(chunks), "turns": SCAN * len(chunks) * width}


def measure(turns):
    """Time every workload."""
    figures, rng = {}, np.random.default_rng(2)
    people, shop = w.random_polarized(lambda rng: None), w.random_choice(sys.maxsize)
    for name, direction in ("vanilla", vanilla_direction), ("composite", composite_direction):
        state, p0 = polarized_start(people)
        figures[f"polarized-{name}-turn"] = timed(
            lambda state, picks: polarized_scan(direction, state, p0, picks), state,
            lambda: rng.integers(0, w.PEOPLE, (SCAN, w.BATCH)), turns)
        figures[f"choice-{name}-turn"] = timed(
            lambda state, _: choice_scan(name == "composite", SCAN, state, shop.p0, shop.optimum), choice_start(shop), lambda: None, w.CHOICE_TURNS)
    figures["choice-derivative-free-turn"] = timed(
        lambda state, v: free_scan(state, shop.p0, shop.optimum, v), free_start(shop),
        lambda: w.unit(rng.standard_normal((SCAN, w.TRIALS, w.ITEMS))), w.CHOICE_TURNS, w.TRIALS)
    return figures


def rows(report, last):
    """What scans reported, and what is to be reported after the last turn."""
    yield from zip(*map(np.asarray, report))
    yield from zip(*(np.asarray(x)[:1] for x in last))


def check_polarized(problem, target):
    """Run both rules."""
    for name, direction in ("vanilla", vanilla_direction), ("composite", composite_direction):
        state, p0 = polarized_start(problem)
        state, report = polarized_scan(direction, state, p0, np.asarray(problem.picks))
        _, last = polarized_scan(direction, state, p0, np.zeros((1, w.BATCH), int))
        w.write_run(target, f"polarized-{name}", rows(report, last))


def check_choice(problem, target):
    """Run the three rules."""
    p0, optimum = jnp.array(problem.p0), jnp.array(problem.optimum)
    for name in "vanilla", "composite":
        state, report = choice_scan(name == "composite", problem.turns, choice_start(problem), p0, optimum)
        _, last = choice_scan(name == "composite", 1, state, p0, optimum)
        w.write_run(target, f"choice-{name}", rows(report, last))
    state, report = free_scan(free_start(problem), p0, optimum, np.asarray(problem.directions))
    _, last = free_scan(state, p0, optimum, np.zeros((1, w.TRIALS, w.ITEMS)))
    w.write_run(target, "choice-derivative-free", rows(report, last))


if __name__ == "__main__":
    w.main(measure, check_polarized, check_choice)
