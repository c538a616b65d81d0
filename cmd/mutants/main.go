// Command mutants changes kedge's code in one small place at a time and counts how often the tests notice.
//
//	go run ./cmd/mutants -sample 20 -seed 7 ./certify ./loop   # by the tests of their own packages
//	go run ./cmd/mutants -sample 300 -seed 7 -whole            # of all packages, by the tests of all that import them
//	go run ./cmd/mutants -errors -sample 50 ./folder           # errors that are dropped
//	go run ./cmd/mutants -only certify/theory.go:90-120        # every change of some lines
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/mutant"
)

// options are the flags of the command.
type options struct {
	mutant.Court
	sample   int
	seed     uint64
	only     string // lines; "": a sample
	errors   bool
	apart    bool
	jobs     int
	except   string
	journal  string
	patterns []string // of packages
}

func main() {
	o := &options{Court: mutant.Court{Root: "."}}
	flag.IntVar(&o.sample, "sample", 100, "how many changes are drawn")
	flag.Uint64Var(&o.seed, "seed", 1, "of the draw")
	flag.BoolVar(&o.Whole, "whole", false, "where the package's own tests notice nothing, ask those of all that import it")
	flag.StringVar(&o.only, "only", "", "FILE, FILE:LINE or FILE:FIRST-LAST, several with commas: all their changes instead of a sample")
	flag.StringVar(&o.Run, "run", "", "which tests are asked, as go test -run has it: for whoever writes one")
	flag.BoolVar(&o.Short, "short", false, "ask only the tests that go test -short runs: quicker, and what they notice all of them do")
	flag.BoolVar(&o.errors, "errors", false, "only changes that drop an error")
	flag.BoolVar(&o.apart, "apart", false, "compile every change apart instead of all together: slow, and as true as can be")
	flag.IntVar(&o.jobs, "jobs", 2, "how many changes are judged at a time")
	flag.StringVar(&o.except, "except", ".ci/mutants.equivalent", "the list of changes that change nothing")
	flag.StringVar(&o.journal, "journal", "", "a file to which verdicts are added; those that it already has are not asked for again, and what is compiled is kept in FILE.tests. For one state of the code, and one draw")
	flag.DurationVar(&o.Timeout, "timeout", 3*time.Minute, "of the tests of a package")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if o.patterns = flag.Args(); len(o.patterns) == 0 {
		o.patterns = []string{"./..."}
	}
	survivors, err := o.judge(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants: "+err.Error())
		os.Exit(2)
	}
	if survivors > 0 {
		os.Exit(1)
	}
}

// choose is the changes that are judged.
func (o *options) choose(all []mutant.Mutation) []mutant.Mutation {
	if o.errors {
		all = slices.DeleteFunc(all, func(s mutant.Mutation) bool { return !s.DropsError() })
	}
	if o.only != "" {
		return slices.DeleteFunc(all, func(s mutant.Mutation) bool { return !within(o.only, s) })
	}
	drawn := mutant.Draw(all, o.sample, o.seed)
	fmt.Printf("%d of %d changes, drawn with seed %d\n", len(drawn), len(all), o.seed)
	return drawn
}

// judge draws changes, has them judged, and prints what came of it.
func (o *options) judge(ctx context.Context) (survivors int, err error) {
	all, err := sites(ctx, &o.Court, o.patterns)
	if err != nil {
		return 0, err
	}
	if o.Except, err = exceptions(o.except); err != nil {
		return 0, err
	}
	if gone := mutant.Stale(o.Except, all); len(gone) > 0 && slices.Equal(o.patterns, []string{"./..."}) {
		return 0, fmt.Errorf("%s is about changes that are not in the code any more: %q", o.except, gone)
	}
	drawn := o.choose(all)
	known, err := openJournal(o.journal, drawn)
	if err != nil {
		return 0, err
	}
	defer known.Close()
	dir, leave, err := workshop(o.journal)
	if err != nil {
		return 0, err
	}
	defer leave()
	one := judging(o.Judge)
	if !o.apart && len(drawn) > 1 {
		chamber, err := o.Seat(ctx, dir, drawn)
		if err != nil {
			return 0, err
		}
		one = chamber.Judge
		defer func() {
			if list := chamber.Disturbed(); len(list) > 0 {
				fmt.Printf("asked about each change apart, since others beside it disturb them: %s\n", strings.Join(list, ", "))
			}
			if list := chamber.Broken(); len(list) > 0 {
				fmt.Printf("they fail without any change, and judged nothing: %s\n", strings.Join(list, ", "))
			}
		}()
	}
	return each(ctx, known.ask(one), drawn, o.jobs)
}

// workshop is a folder to compile in: one of its own, or, beside a journal, one that the next sitting finds again.
func workshop(journal string) (dir string, leave func(), err error) {
	if journal != "" {
		dir, err = filepath.Abs(journal + ".tests")
		if err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
		return dir, func() {}, err
	}
	dir, err = os.MkdirTemp("", "kedge-mutants-")
	return dir, func() { os.RemoveAll(dir) }, err
}

// each has changes judged, several at a time, and prints verdicts as they come.
func each(ctx context.Context, judge judging, drawn []mutant.Mutation, jobs int) (survivors int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := tally{}
	var mu sync.Mutex
	_ = crew.Share(max(1, jobs), len(drawn), func(_, i int) error { // the cause of the context is the first error
		begun, s := time.Now(), drawn[i]
		v, said, err := judge(ctx, s)
		if err != nil {
			cancel(err)
			return err
		}
		said, _, _ = strings.Cut(said, "\n")
		mu.Lock()
		defer mu.Unlock()
		t.count(s.Package(), v)
		fmt.Printf("%4d of %d  %-9s  %s  (%.0f s) %s\n", i+1, len(drawn), v, s, time.Since(begun).Seconds(), said)
		return ctx.Err()
	})
	if err := context.Cause(ctx); err != nil {
		t.print()
		return 0, err
	}
	return t.print(), nil
}

// within tells whether a change is on one of the listed lines.
func within(list string, s mutant.Mutation) bool {
	for one := range strings.SplitSeq(list, ",") {
		file, lines, some := strings.Cut(one, ":")
		first, last, isRange := strings.Cut(lines, "-")
		from, _ := strconv.Atoi(first)
		to := from
		if isRange {
			to, _ = strconv.Atoi(last)
		}
		if s.File == file && (!some || from <= s.Line && s.Line <= to) {
			return true
		}
	}
	return false
}

// sites are all changes of the packages, without those whose code only serves tests and measurements.
func sites(ctx context.Context, c *mutant.Court, patterns []string) (all []mutant.Mutation, err error) {
	files, err := c.Files(ctx, patterns...)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if slices.ContainsFunc([]string{"bench/", "cmd/", "examples/", "internal/bench/", "internal/browser/", "internal/mutant/", "internal/evidence/", "internal/torture/", "internal/site/"}, func(dir string) bool { return strings.HasPrefix(file, dir) }) {
			continue
		}
		found, err := mutant.Mutations(c.Root, file)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func exceptions(path string) (map[mutant.Key]string, error) {
	f, err := os.Open(filepath.FromSlash(path))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	known, err := mutant.ReadExceptions(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return known, nil
}

// tally counts verdicts by package.
type tally map[string]map[mutant.Verdict]int

func (t tally) count(pack string, v mutant.Verdict) {
	if t[pack] == nil {
		t[pack] = map[mutant.Verdict]int{}
	}
	t[pack][v]++
}

// print writes a line for every package and one for all of them, and returns how many changes nobody noticed.
func (t tally) print() (survivors int) {
	fmt.Printf("\n%-28s %7s %7s %7s %7s\n", "package", "noticed", "alive", "equiv.", "score")
	total := map[mutant.Verdict]int{}
	for _, pack := range slices.Sorted(maps.Keys(t)) {
		line(pack, t[pack])
		for v, n := range t[pack] {
			total[v] += n
		}
	}
	line("all", total)
	fmt.Printf("%d more did not compile\n", total[mutant.Unbuilt])
	return total[mutant.Alive]
}

func line(name string, n map[mutant.Verdict]int) {
	noticed := n[mutant.Killed] + n[mutant.Hung]
	score := "–"
	if judged := noticed + n[mutant.Alive]; judged > 0 {
		score = fmt.Sprintf("%.0f %%", 100*float64(noticed)/float64(judged))
	}
	fmt.Printf("%-28s %7d %7d %7d %7s\n", name, noticed, n[mutant.Alive], n[mutant.Excepted], score)
}
