package mutant

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
)

// Draw draws so many of the changes, each at most once, the same for the same seed and code.
func Draw(all []Mutation, sample int, seed uint64) []Mutation {
	order := rand.New(rand.NewPCG(seed, 0)).Perm(len(all))
	return lists.Of(order[:min(sample, len(order))], func(i int) Mutation { return all[i] })
}

// ReadExceptions reads changes that no test can notice, one a line: file, line of code, what was, what is now, and why, with tabs between.
func ReadExceptions(r io.Reader) (map[Key]string, error) {
	known := map[Key]string{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		parts := strings.Split(text, "\t")
		if len(parts) != 5 || parts[4] == "" {
			return nil, fmt.Errorf("line %d: %d parts; want file, line of code, what was, what is now and why, with tabs between", n, len(parts))
		}
		known[Key{parts[0], parts[1], parts[2], parts[3]}] = parts[4]
	}
	return known, lines.Err()
}

// Stale are exceptions that are about no change of the code as it is now.
func Stale(known map[Key]string, all []Mutation) []Key {
	there := map[Key]bool{}
	for _, s := range all {
		there[s.Key] = true
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(known)), func(k Key) bool { return there[k] })
}
