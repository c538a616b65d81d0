package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/kedge-opt/kedge/internal/mutant"
)

// judging is how a change is judged.
type judging func(context.Context, mutant.Mutation) (mutant.Verdict, string, error)

// journal keeps verdicts in a file, so that a draw that takes many hours can be judged in several sittings.
type journal struct {
	mu   sync.Mutex
	file *os.File // nil: nothing is kept
	name map[mutant.Mutation]string
	by   map[string]mutant.Verdict
}

// openJournal reads the verdicts of a file, each a line of its own, and refuses those of another draw.
func openJournal(path string, drawn []mutant.Mutation) (*journal, error) {
	j := &journal{name: map[mutant.Mutation]string{}, by: map[string]mutant.Verdict{}}
	if path == "" {
		return j, nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	times := map[string]int{}
	for _, s := range drawn { // two of a line may be written alike
		times[s.String()]++
		j.name[s] = fmt.Sprintf("%s (%d)", s, times[s.String()])
	}
	known := slices.Collect(maps.Values(j.name))
	for line := range strings.Lines(string(text)) {
		verdict, name, isWhole := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !isWhole || !strings.HasSuffix(line, "\n") {
			continue // cut off while it was written
		}
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s is of another draw, or of other code: %q is not drawn", path, name)
		}
		j.by[name] = mutant.Verdict(verdict)
	}
	j.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return j, err
}

// ask answers from the journal, or has a change judged and notes the verdict.
func (j *journal) ask(judge judging) judging {
	return func(ctx context.Context, s mutant.Mutation) (mutant.Verdict, string, error) {
		j.mu.Lock()
		v, isKnown := j.by[j.name[s]]
		j.mu.Unlock()
		if isKnown {
			return v, "by the journal", nil
		}
		v, said, err := judge(ctx, s)
		if err != nil || j.file == nil {
			return v, said, err
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		_, err = fmt.Fprintf(j.file, "%s\t%s\n", v, j.name[s])
		return v, said, err
	}
}

// Close ends the writing.
func (j *journal) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
