"""Reads a result folder with every library there is and prints, as JSON, a checksum of each column and array.

Arrays of numbers are hashed as little-endian float64, with one NaN for all that is missing; texts line by line.
"""
import hashlib
import importlib
import json
import sys

import numpy as np

folder = sys.argv[1]
series = folder + "/series.parquet"
text = folder + "/series.csv"


def digest(column):
    if len(column) and isinstance(column[0], str):
        return hashlib.sha256("\n".join(column).encode()).hexdigest()
    x = np.asarray(np.ma.filled(np.ma.asarray(column).astype("<f8"), np.nan))
    return hashlib.sha256(np.where(np.isnan(x), np.nan, x).tobytes()).hexdigest()


def duckdb(lib):
    return lib.sql(f"select * from '{series}'").fetchnumpy()


def pyarrow(lib):
    return importlib.import_module("pyarrow.parquet").read_table(series).to_pydict()


def pandas(lib):
    return lib.read_csv(text, float_precision="round_trip")


def polars(lib):
    return lib.read_parquet(series).to_dict(as_series=False)


def numpy(lib):
    return {name: a.ravel() for name, a in lib.load(folder + "/arrays.npz").items()}


found = {}
for read in (duckdb, pyarrow, pandas, polars, numpy):
    try:
        library = importlib.import_module(read.__name__)
    except ImportError:
        continue
    table = read(library)
    columns = {name: list(table[name]) for name in (table.keys() if hasattr(table, "keys") else table)}
    clean = {n: [np.nan if v is None or v is np.ma.masked else v for v in c] for n, c in columns.items()}
    found[read.__name__] = {n: digest(c) for n, c in clean.items()}
json.dump(found, sys.stdout)
