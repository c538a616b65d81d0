CREATE TABLE loops  (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, seq bigint NOT NULL DEFAULT 0, head bytea NOT NULL DEFAULT ''::bytea);
CREATE TABLE events (loop bigint NOT NULL REFERENCES loops, seq bigint NOT NULL, at bigint NOT NULL, kind text NOT NULL, actor text NOT NULL, k bigint NOT NULL,
                     ref text, body bytea NOT NULL, hash bytea NOT NULL, PRIMARY KEY (loop, seq));
CREATE UNIQUE INDEX events_ref ON events (loop, k, ref) WHERE ref IS NOT NULL;
CREATE INDEX events_k ON events (loop, k, seq) WHERE k > 0;
CREATE TABLE blobs  (loop bigint NOT NULL REFERENCES loops, sum bytea NOT NULL, bytes bigint NOT NULL, pack smallint NOT NULL, data bytea NOT NULL,
                     PRIMARY KEY (loop, sum));                -- bytes: unpacked; pack: 0 as it is, 1 zstd
ALTER TABLE blobs ALTER COLUMN data SET STORAGE EXTERNAL;     -- it is packed already
CREATE TABLE states (loop bigint PRIMARY KEY REFERENCES loops, state bytea NOT NULL);                                          -- derived
