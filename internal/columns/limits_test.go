package columns

import "testing"

// Limits are those that were chosen, and what a file says is numbered as Parquet has it.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ got, want int64 }{
		"bytes of a line":             {longestRecord, 1_048_576},
		"columns":                     {mostColumns, 4096},
		"bytes of a name":             {longestName, 256},
		"bytes that a word takes":     {perWord, 64},
		"structures in each other":    {deepest, 24},
		"bytes of a page's header":    {longestHeader, 65_536},
		"rows of a group":             {groupRows, 262_144},
		"bytes of a page":             {pageBytes, 262_144},
		"the older dictionaries":      {int64(plainDictionary), 2}, // PLAIN_DICTIONARY of the format's description
		"what a small file unpacks":   {(&reader{size: 4 << 20}).largestPage(), 8_388_608},
		"what an empty file unpacks":  {(&reader{}).largestPage(), 8_388_608},
		"what a larger file unpacks":  {(&reader{size: 4<<20 + 1}).largestPage(), 8_388_610},
		"what a file of 1 GB unpacks": {(&reader{size: 1e9}).largestPage(), 2e9},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}
