CREATE TABLE series (loop bigint NOT NULL, name text NOT NULL, block bigint NOT NULL, data bytea NOT NULL, PRIMARY KEY (loop, name, block));   -- derived
-- Who writes these names a loop that is there, in the same transaction: a check would look at it again for every row.
ALTER TABLE events DROP CONSTRAINT events_loop_fkey;
ALTER TABLE blobs DROP CONSTRAINT blobs_loop_fkey;
ALTER TABLE states DROP CONSTRAINT states_loop_fkey;
