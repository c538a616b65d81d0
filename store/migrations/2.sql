-- Blobs are packed, and large ones are files of the folder "blobs".
CREATE TABLE packed (pos INTEGER PRIMARY KEY, loop INTEGER NOT NULL REFERENCES loops, sum BLOB NOT NULL, bytes INTEGER NOT NULL,
                     pack INTEGER NOT NULL, file TEXT, data BLOB) STRICT;   -- bytes: unpacked; pack: 0 as it is, 1 zstd
INSERT INTO packed SELECT pos, loop, sum, length(data), 0, NULL, data FROM blobs;
DROP TABLE blobs;
ALTER TABLE packed RENAME TO blobs;
CREATE UNIQUE INDEX blobs_sum ON blobs (loop, sum);
CREATE INDEX blobs_file ON blobs (file) WHERE file IS NOT NULL;
ALTER TABLE events DROP COLUMN blob;   -- the body names it
DROP INDEX events_k;                    -- it was not used: the order by seq was had from another index, by reading all of a loop
CREATE INDEX events_k ON events (loop, k, seq) WHERE k > 0;
CREATE TABLE series (loop INTEGER NOT NULL REFERENCES loops, name TEXT NOT NULL, block INTEGER NOT NULL, data BLOB NOT NULL,
                     PRIMARY KEY (loop, name, block)) STRICT, WITHOUT ROWID;   -- derived: 256 float64 a block
