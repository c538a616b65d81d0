"""Run kedge and read its result folders.

    import kedge

    run = kedge.run("polarized", trials=5, set={"dynamics.lambda": 0.3})
    run.answer                   # what to do: the decision by name, with intervals
    run                          # in a notebook: the verdict, a table and a figure
    run.summary["algorithms"]["composite"]["gap"]["mean"]
    run.series()["gap"]          # columns: NumPy arrays, or lists without NumPy
    run.frame()                  # the same as a data frame of pandas, polars or pyarrow
    run.arrays()["optimum"]
    run.optimum.standing         # "proven", "searched" or "stationary"

    mine = kedge.run({"model": {…}, "population": {…}}, name="mine")
    kedge.compare("lq2", methods=["vanilla", "composite"])
    old = kedge.open("runs/polarized")
    grid = kedge.open_sweep("runs/heatmap")
    kedge.runs(tags=["baseline"])

    loop = kedge.connect("http://127.0.0.1:7070").loop("shop")
    with loop.round() as r:      # ask; an exception abandons
        push(r.u); r.deployed(r.u)
        r.tell(frame, state=["a", "b"], trait=["x", "y"])
"""

from ._command import compare, run, runs, sweep
from ._display import Verdict
from ._error import KedgeError
from ._folder import Answer, Comparison, Estimate, Point, Run, Sweep, open, open_comparison, open_sweep
from ._frames import Columns
from ._service import Loop, Offer, Round, Service, ServiceError, Unreachable, connect

__all__ = ["Answer", "Columns", "Comparison", "Estimate", "KedgeError", "Loop", "Offer", "Point", "Round", "Run", "Service", "ServiceError", "Sweep", "Unreachable", "Verdict", "compare", "connect", "open", "open_comparison", "open_sweep", "run", "runs", "sweep"]
__version__ = "0.1.0"
