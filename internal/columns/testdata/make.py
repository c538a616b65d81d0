"""Makes the Parquet files of this folder (pyarrow 26, DuckDB 2.0, polars, fastparquet): one table by several writers."""
import duckdb
import fastparquet
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

rows = 40
table = pa.table({
    "name": pa.array([["left", "right", None][i % 3] for i in range(rows)]),
    "double": pa.array([i / 7 for i in range(rows)], pa.float64()),
    "gaps": pa.array([None if i % 5 == 0 else -i / 3 for i in range(rows)], pa.float64()),
    "single": pa.array([i / 4 for i in range(rows)], pa.float32()),
    "small": pa.array([i - 20 for i in range(rows)], pa.int32()),
    "large": pa.array([(i - 20) * 2**40 for i in range(rows)], pa.int64()),
    "unsigned": pa.array([2**32 - 1 - i for i in range(rows)], pa.uint32()),
    "empty": pa.array([None] * rows, pa.float64()),
})
numbers = table.drop_columns(["name"])
for codec in ("none", "snappy", "gzip", "zstd"):
    for version in ("1.0", "2.0"):
        pq.write_table(table, f"arrow-{codec}-{version[0]}.parquet", compression=codec, data_page_version=version, row_group_size=17)
pq.write_table(table, "arrow-plain.parquet", use_dictionary=False, compression="zstd", data_page_size=64, write_batch_size=8)
pq.write_table(numbers, "arrow-split.parquet", use_dictionary=False, use_byte_stream_split=True)
duckdb.sql("copy (select * from 'arrow-none-1.parquet') to 'duckdb.parquet'")
pl.read_parquet("arrow-none-1.parquet").write_parquet("polars.parquet")
fastparquet.write("fastparquet.parquet", pd.read_parquet("arrow-none-1.parquet"), compression="SNAPPY")
pq.write_table(pa.table({"list": pa.array([[1.0], [2.0]])}), "nested.parquet")
pq.write_table(pa.table({"day": pa.array([1, 2], pa.date32())}), "date.parquet")
pq.write_table(pa.table({"yes": pa.array([True, False])}), "bool.parquet")
pq.write_table(pa.table({"huge": pa.array([2**53 + 1])}), "inexact.parquet")
pq.write_table(pa.table({"x": pa.array([1, 2])}), "delta.parquet", use_dictionary=False, column_encoding="DELTA_BINARY_PACKED")
pq.write_table(pa.table({"x": pa.array([1.0] * 1000)}), "lz4.parquet", compression="lz4")
pq.write_table(pa.table({"x": pa.array([0.5] * 1_000_000)}), "bomb.parquet")
