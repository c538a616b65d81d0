"""The workloads that every side of the comparison runs: parameters, inputs, timing and the form of the output.

A competitor is a module that gives, for every workload, a generator. The generator runs the closed loop and yields before
every turn what there is to report, (decision, metrics). README.md describes the workloads, the files and the JSON.
"""

import argparse
import json
import math
import pathlib
import time
from dataclasses import dataclass

import numpy as np

PEOPLE, DIM, BATCH = 1000, 20, 50
LAMBDA, SIGMA, STEP = 0.4, 0.5, 0.005

ITEMS, TRIALS = 100, 20
LAMBDA1, LAMBDA2, EPSILON, RHO, BUDGET = 0.2, 0.5, 0.5, 0.1, 250.0
CHOICE_STEP, FREE_STEP, DELTA = 0.5, 0.1, 2.0

CHOICE_TURNS = 6000  # of a trial, all of which are timed
CHUNK = 20  # turns between two looks at the clock


@dataclass(frozen=True)
class Polarized:
    """The polarized case: initial opinions p0 (a row a person), the first decision, and who is sampled in every turn."""

    p0: np.ndarray
    q0: np.ndarray
    picks: object  # iterable of index arrays, one a turn


@dataclass(frozen=True)
class Choice:
    """The choice case: the habit p0, the first decision, the optimum to measure against, and search directions.

    directions is iterable and gives one (trials, items) block of unit rows a turn; None where nothing is random.
    """

    p0: np.ndarray
    q0: np.ndarray
    optimum: np.ndarray
    turns: int
    directions: object = None


def unit(x):
    """Scale the rows of x to length 1."""
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def random_polarized(draw):
    """People uniform on a hemisphere; draw(rng) gives the picks."""
    rng = np.random.default_rng(1)
    p0, pole = unit(rng.standard_normal((PEOPLE, DIM))), rng.standard_normal(DIM)
    p0[p0 @ pole < 0] *= -1
    return Polarized(p0, unit(rng.standard_normal(DIM)), draw(rng))


def random_choice(turns, draw=None):
    """A random habit and random fees; draw(rng) gives the directions. What is timed does not depend on the optimum."""
    rng = np.random.default_rng(1)
    p0, q0, optimum = rng.random((3, ITEMS))
    return Choice(p0 / p0.sum(), q0 * (BUDGET / q0.sum()), optimum * (BUDGET / optimum.sum()), turns,
                  draw(rng) if draw else None)


def seconds_per_turn(loop, turns, width=1):
    """Time a generator in chunks of turns, after a chunk to warm up; it runs width trials at once. The figure is the mean."""
    chunks = []
    next(loop)
    for _ in range(1 + math.ceil(turns / CHUNK)):
        start = time.perf_counter()
        for _ in range(CHUNK):
            next(loop)
        chunks.append((time.perf_counter() - start) / (CHUNK * width))
    del chunks[0]
    return {"seconds_per_turn": float(np.mean(chunks)), "best": min(chunks), "turns": CHUNK * len(chunks) * width}


def read_polarized(folder):
    """Read people.f64, q0.f64 and picks.i32."""
    q0 = np.fromfile(folder / "q0.f64", "<f8")
    picks = np.fromfile(folder / "picks.i32", "<i4").reshape(-1, BATCH)
    return Polarized(np.fromfile(folder / "people.f64", "<f8").reshape(-1, q0.size), q0, picks)


def read_choice(folder):
    """Read p0.f64, q0.f64, optimum.f64 and directions.f64, which says how many turns there are."""
    p0, q0, optimum = (np.fromfile(folder / name, "<f8") for name in ("p0.f64", "q0.f64", "optimum.f64"))
    directions = np.fromfile(folder / "directions.f64", "<f8").reshape(-1, TRIALS, p0.size)
    return Choice(p0, q0, optimum, len(directions), directions)


def write_run(folder, name, loop):
    """Run a generator to its end and write every decision and every metric it reports, turn by turn."""
    decisions, metrics = [], []
    for decision, metric in loop:
        decisions.append(np.array(decision))
        metrics.append(np.array(metric))
    np.array(decisions).astype("<f8").tofile(folder / f"{name}.decisions.f64")
    np.array(metrics).astype("<f8").tofile(folder / f"{name}.metrics.f64")


def main(measure, check_polarized, check_choice):
    """Time the workloads and print JSON, or run them on given inputs."""
    p = argparse.ArgumentParser(description="Time one side of the comparison; see README.md.")
    p.add_argument("--turns", type=int, default=200, help="turns to time of the polarized workloads; those of choice are whole trials")
    p.add_argument("--check", nargs=3, metavar=("CASE", "IN", "OUT"),
                   help="run CASE (polarized or choice) on the files of IN and write what comes out to OUT")
    args = p.parse_args()
    if args.check:
        case, source, target = args.check[0], *map(pathlib.Path, args.check[1:])
        if case == "polarized":
            check_polarized(read_polarized(source), target)
        elif case == "choice":
            check_choice(read_choice(source), target)
        else:
            p.error(f"there is no case {case!r}; the cases are polarized and choice")
        return
    print(json.dumps(measure(max(1, args.turns))))
