"""The composite turn of jax_scan.py on the device that JAX has: python3 jax_device.py PEOPLE TURNS [float32]

Prints what a turn takes with the settled value by a fixed number of Newton steps: eight in a loop, eight or three unrolled, which XLA fuses; each begins at the
last answer. Medians and bests of five scans of so many turns, after one to compile.
"""

import os
import sys
import time

sys.dont_write_bytecode = True
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
os.environ["JAX_ENABLE_X64"] = "1"
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

N, T = int(float(sys.argv[1])), int(sys.argv[2])
kept = jnp.float32 if "float32" in sys.argv else jnp.float64
M, LAMBDA, SIGMA, STEP, BATCH = 20, 0.4, 0.5, 0.005, 50
KEEP = 1 - LAMBDA
print("jax", jax.__version__, jax.devices()[0], "people", N, "turns", T, kept.__name__, flush=True)

def newton(e, s, along, across):
    t = e + s
    a, b = (across / t) ** 2, (along / e) ** 2
    psi = a + b
    return e + (jnp.sqrt(psi) - 1) * psi / (a / t + b / e)

def affinity(p0, q, e, how):
    length = jnp.sqrt(q @ q)
    s = SIGMA * length**2
    along = (q @ p0) * (KEEP / length)
    across = jnp.sqrt(jnp.maximum(KEEP**2 - along * along, 0))
    e = jnp.maximum(jnp.maximum(e, across - s), jnp.abs(along))
    if how[0] == "loop":
        e = lax.fori_loop(0, how[1], lambda _, e: newton(e, s, along, across), e)
    else:
        for _ in range(how[1]):
            e = newton(e, s, along, across)
    return length * jnp.mean(along / e), e

def direction(q, p, p0):
    a, square = q @ p, q @ q
    raw = LAMBDA * p + KEEP * p0 + SIGMA * q[:, None] * a
    gain = SIGMA / (jnp.sqrt((raw * raw).sum(axis=0)) - LAMBDA - SIGMA * (square - a * a))
    return (p @ (1 + gain * (square - 2 * a * a)) + (gain @ a) * q) / a.size

@functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
def scan(how, state, p0, picks):
    def turn(state, pick):
        p, q, e = state
        value, e = affinity(p0, q, e, how)
        raw = LAMBDA * p + KEEP * p0 + (SIGMA * q)[:, None] * (q @ p)
        p = raw * (1 / jnp.sqrt((raw * raw).sum(axis=0)))
        moved = q + STEP * direction(q, p[:, pick], p0[:, pick])
        return (p, moved / jnp.maximum(1, jnp.sqrt(moved @ moved)), e), (q, value)
    return lax.scan(turn, state, picks)

@jax.jit
def people(key):
    x = jax.random.normal(key, (M, N), dtype=kept)
    x = x / jnp.sqrt((x * x).sum(axis=0))
    return jnp.where(x[0] < 0, -x, x)

rng = np.random.default_rng(2)
p0 = people(jax.random.key(1))
q0 = np.eye(M)[1]
for how in (("loop", 8), ("unrolled", 8), ("unrolled", 3)):
    state = (jnp.array(p0), jnp.array(q0, dtype=kept), jnp.zeros(N, dtype=kept))
    times = []
    for k in range(6):
        picks = rng.integers(0, N, (T, BATCH))
        begun = time.perf_counter()
        state, report = scan(how, state, p0, picks)
        jax.block_until_ready((state, report))
        times.append((time.perf_counter() - begun) / T)
    times = sorted(times[1:])
    print("JAX", N, kept.__name__, *how, "median_ms %.4f best_ms %.4f value %.12f" % (1e3 * times[len(times) // 2], 1e3 * times[0], float(report[1][-1])), flush=True)
    del state, report
