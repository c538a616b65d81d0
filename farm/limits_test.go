package farm

import (
	"testing"
	"time"
)

// Limits are those that were chosen: hosts of one layout must agree on them.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ got, want int64 }{
		"letters of a secret, six bits each":         {leastSecret, (256 + 5) / 6},
		"bytes of an address":                        {mostAddress, 4096},
		"cells of a bundle":                          {mostBundled, 32},
		"cells that are published without waiting":   {window, 1024},
		"looks at which a queue is not listed":       {mostCalm, 10},
		"who write results":                          {writers, 64},
		"bytes of a result":                          {mostResult, 1_073_741_824},
		"bytes of an input":                          {mostInput, 4_294_967_296},
		"bytes of a part":                            {partSize, 524_288},
		"bytes of a message besides":                 {headRoom, 65_536},
		"how often a question is asked":              {mostAsked, 4},
		"tries among others":                         {mostAmong, 5},
		"tries alone":                                {mostAlone, 2},
		"how long an answer may take":                {int64(usualWait), 5 * int64(time.Second)},
		"how long a server may take to begin":        {int64(readyWait), 10 * int64(time.Second)},
		"how long workers may take to answer a roll": {int64(rollWait), 700 * int64(time.Millisecond)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}
