package postgres

import (
	"testing"
	"time"
)

// Limits are those that were chosen, and so is what waits of a journal that is open.
func TestLimits(t *testing.T) {
	j := opened(t, emptied(t, running(t)))
	for name, c := range map[string]struct{ got, want int64 }{
		"who write":                        {writers, 2},
		"who ask":                          {askers, 2},
		"connections at least":             {leastPool, 14},
		"how long an answer may take":      {int64(wait), 30 * int64(time.Second)},
		"how often is looked at loops":     {int64(glance), 500 * int64(time.Millisecond)},
		"how often is looked at all loops": {int64(survey), 10 * int64(time.Second)},
		"requests of a commit":             {mostRequests, 256},
		"bytes of a commit":                {mostBytes, 8_388_608},
		"events of a page":                 {pageEvents, 1024},
		"events of the first page":         {firstPage, 64},
		"the schema":                       {schemaNumber, 2},
		"questions that wait":              {int64(cap(j.asking)), 1024},
		"news that wait":                   {int64(cap(j.telling)), 1024},
		"prompts that wait":                {int64(cap(j.prompt)), 1},
		"letters of a name":                {int64(len(j.name)), 12},
		"how long a connection may take":   {int64(j.config.ConnectTimeout), 5 * int64(time.Second)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}
