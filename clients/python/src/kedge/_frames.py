"""Columns as a data frame of whichever library is there."""

from __future__ import annotations

import warnings
from typing import Any

from ._error import KedgeError

LIBRARIES = ("pandas", "polars", "pyarrow")


class Columns(dict):
    """A table without a library for tables: a dict of columns, all of one length."""

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"<kedge columns, {rows} rows, without pandas, polars or pyarrow: {', '.join(self)}>"


def frame(columns: dict[str, Any], library: str | None = None) -> Any:
    """Columns as a DataFrame of pandas or, where that is missing, of polars, a Table of pyarrow, or a dict of columns.

    What is not pandas comes with a warning that says so; library names one of them and is KedgeError where it is missing.
    """
    if library is not None and library not in LIBRARIES:
        raise KedgeError(f"library is {library!r}, want {', '.join(LIBRARIES)} or None")
    for name in (library,) if library else LIBRARIES:
        try:
            made = _MAKERS[name](columns)
        except ImportError as error:
            if library:
                raise KedgeError(f"there is no {library}: pip install {library}") from error
            continue
        if not library and name != LIBRARIES[0]:
            warnings.warn(f"pandas is missing, so this is a table of {name}; pip install pandas, or say frame({name!r})", stacklevel=3)
        return made
    warnings.warn("pandas, polars and pyarrow are missing, so this is a dict of columns: pip install pandas", stacklevel=3)
    return Columns(columns)


def _pandas(columns: dict[str, Any]) -> Any:
    import pandas

    return pandas.DataFrame(columns)


def _polars(columns: dict[str, Any]) -> Any:
    import polars

    return polars.DataFrame(columns)


def _pyarrow(columns: dict[str, Any]) -> Any:
    import pyarrow

    return pyarrow.table(columns)


_MAKERS = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
