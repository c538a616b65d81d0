package store

import (
	"testing"

	sqlite3 "modernc.org/sqlite/lib"
)

// Limits are those that were chosen: earlier programs have written maps of kills and marks of that size, and results are SQLite's own.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ got, want int64 }{
		"blobs that are files have more bytes":          {mostInside, 262_144},
		"blobs are packed from so many bytes":           {leastPacked, 2048},
		"a blob unpacks to so many bytes":               {mostUnpacked, 1_073_741_824},
		"a blob that is not packed":                     {asIs, 0},
		"a blob that is packed":                         {zipped, 1},
		"bytes of a file of a bundle":                   {mostOfBundle, 4_294_967_296},
		"bytes of a tar":                                {mostPacked, 1_073_741_824},
		"requests of a commit":                          {mostRequests, 256},
		"bytes of a commit":                             {mostBytes, 8_388_608},
		"bytes of the WAL before it is folded":          {mostWAL, 134_217_728},
		"bytes more before that is tried again":         {moreWAL, 33_554_432},
		"milliseconds that a fold waits":                {foldWait, 500},
		"the schema":                                    {schemaNumber, 2},
		"bytes of the map of kills, of 131,072 loops":   {killBytes, 131_072 / 8},
		"bytes of a mark":                               {slotBytes, 64},
		"marks, 1 MiB of them":                          {mostMarks, 1_048_576 / 64},
		"bytes of the reserve":                          {mostReserved, 16_777_216},
		"decisions of a block":                          {perBlock, 256},
		"who read at a time":                            {readers, 4},
		"tails":                                         {mostTails, 256},
		"another program writes":                        {resultBusy, sqlite3.SQLITE_BUSY},
		"another table is written":                      {resultLocked, sqlite3.SQLITE_LOCKED},
		"the disk is full":                              {resultFull, sqlite3.SQLITE_FULL},
		"there is one already":                          {resultUnique, sqlite3.SQLITE_CONSTRAINT_UNIQUE},
		"there is no room for what is shared in memory": {resultNoSharedPage, sqlite3.SQLITE_IOERR_SHMSIZE},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}
