"""Run kedge and read its result folders.

    import kedge

    run = kedge.run("polarized", trials=5, set={"dynamics.lambda": 0.3})
    run.summary["algorithms"]["composite"]["gap"]["mean"]
    run.series()["gap"]          # columns: NumPy arrays, or lists without NumPy
    run.frame()                  # the same as a pandas DataFrame
    run.arrays()["optimum"]
    run.optimum.standing         # "proven", "searched" or "stationary"

    old = kedge.open("runs/polarized")
    grid = kedge.open_sweep("runs/heatmap")
"""

from ._command import run, sweep
from ._error import KedgeError
from ._folder import Point, Run, Sweep, open, open_sweep

__all__ = ["KedgeError", "Point", "Run", "Sweep", "open", "open_sweep", "run", "sweep"]
__version__ = "0.1.0"
