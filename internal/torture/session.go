package torture

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence/origin"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Wish is what somebody wants tried.
type Wish struct {
	Root   string // of the module
	Tier   Tier
	Only   []string
	Budget time.Duration // 0: no end
	Fuzz   time.Duration // of each fuzz target; 0: what the tier has
	Fresh  bool          // what an interrupted run has done is done again
	Update bool
	List   bool      // only say what there is
	Out    io.Writer // a line each as it runs
	Status io.Writer // what runs now, where somebody looks; may be nil
	Stop   <-chan struct{}
}

// Toll is what a run came to.
type Toll struct {
	Tried, Lost, Survived, Caught, Skipped, Bad, Left int
	Work                                              float64 // seconds of processors
}

// ErrLost says that something was lost, or that a planted fault was not noticed.
var ErrLost = errors.New("something was lost, or a planted fault stayed green")

// ErrStopped says that somebody ended a run early; the next one goes on.
var ErrStopped = errors.New("interrupted: the same command goes on from here, --fresh begins anew")

// Run tries a tier, prints a line of each, and sums up. The context ends what runs now, Stop the run after it.
func Run(ctx context.Context, w Wish) (s Toll, err error) {
	tree := treeOf(ctx, w.Root)
	plan, err := Make(os.DirFS(w.Root), w.Tier, w.Only, tree)
	if err != nil {
		return s, err
	}
	for i := range plan {
		if plan[i].Fuzz > 0 && w.Fuzz > 0 {
			plan[i].Fuzz = w.Fuzz
		}
	}
	if w.List {
		return s, list(w.Out, plan)
	}
	book, err := openLedger(filepath.Join(w.Root, ".torture", string(w.Tier)+".jsonl"), head{w.Tier, tree, strings.Join(w.Only, ",")}, w.Fresh)
	if err != nil {
		return s, err
	}
	rack, err := NewRack(w.Root, w.Update)
	if err != nil {
		return s, errors.Join(err, book.end(false))
	}
	defer rack.Close()
	if n := len(book.done); n > 0 {
		fmt.Fprintf(w.Out, "%d of %d were tried by a run of the same tree that was interrupted; they count\n", n, len(plan))
	}
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if w.Budget > 0 {
		bounded, cancel = context.WithTimeout(ctx, w.Budget)
	}
	defer cancel()
	begun := time.Now()
	s, err = w.try(bounded, rack, book, plan)
	spent := w.Budget > 0 && errors.Is(err, context.DeadlineExceeded)
	if spent {
		err = nil
	} else if errors.Is(err, context.Canceled) {
		err = ErrStopped
	}
	s.print(w, len(plan), time.Since(begun), spent)
	if end := book.end(err == nil && s.Left == 0); err == nil {
		err = end
	}
	if err == nil && s.Bad > 0 {
		err = ErrLost
	}
	return s, err
}

// try goes through a plan.
func (w Wish) try(ctx context.Context, rack *Rack, book *ledger, plan []Ordeal) (s Toll, err error) {
	s.Left = len(plan)
	for i, o := range plan {
		f, tried := book.done[o.ID()]
		if !tried {
			if deadline, bound := ctx.Deadline(); bound && time.Until(deadline).Seconds() < o.Seconds {
				continue // there is no time for it
			}
			select {
			case <-w.Stop:
				return s, ErrStopped
			default:
			}
			w.status("%d of %d: %s", i+1, len(plan), o.Command())
			if f, err = rack.Try(ctx, o); err == nil {
				err = book.add(f)
			}
			w.status("")
		}
		if err != nil {
			return s, err
		}
		s.count(f)
		if err := f.print(w.Out, o); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (w Wish) status(format string, args ...any) {
	if w.Status != nil {
		fmt.Fprint(w.Status, "\r\x1b[K"+phrase.Cut(fmt.Sprintf(format, args...), 100))
	}
}

func (s *Toll) count(f Fate) {
	s.Left--
	s.Tried, s.Lost, s.Work = s.Tried+f.Tried, s.Lost+f.Lost, s.Work+f.Work
	switch {
	case f.Bad():
		s.Bad++
	case f.Verdict == Caught:
		s.Caught++
	case f.Verdict == Skipped:
		s.Skipped++
	default:
		s.Survived++
	}
}

// print writes the line of a fate, and what was said if it is a bad one.
func (f Fate) print(out io.Writer, o Ordeal) error {
	ids := func(letter string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(o.Of), func(id string) bool { return !strings.HasPrefix(id, letter) }), " ")
	}
	said := ""
	if f.Verdict == Skipped {
		said = " (" + f.Said + ")"
	}
	size := ""
	if o.Short {
		size = ", short"
	}
	_, err := fmt.Fprintf(out, "%-7s %-8s %-12s %9d tried %4d lost %6.0f s %5.0f s of work  %s%s%s\n", ids("T"), ids("P"), f.Verdict, f.Tried, f.Lost, f.Seconds, f.Work, phrase.Cut(o.What, 90), size, said)
	if err == nil && f.Bad() {
		_, err = fmt.Fprintf(out, "  %s\n  %s\n", o.Command(), strings.ReplaceAll(f.Said, "\n", "\n  "))
	}
	return err
}

func (s Toll) print(w Wish, of int, took time.Duration, spent bool) {
	fmt.Fprintf(w.Out, "\n%s: %d of %d in %v, %.0f s of work: %d survived, %d planted faults caught, %d skipped, %d bad; %d cases tried, %d lost\n",
		w.Tier, of-s.Left, of, took.Round(time.Second), s.Work, s.Survived, s.Caught, s.Skipped, s.Bad, s.Tried, s.Lost)
	if s.Left > 0 && spent {
		fmt.Fprintf(w.Out, "%d were not reached within %v: the same command goes on with them\n", s.Left, w.Budget)
	} else if s.Left > 0 && w.Budget > 0 {
		fmt.Fprintf(w.Out, "%d were not tried, or take longer than %v has room for\n", s.Left, w.Budget)
	} else if s.Left > 0 {
		fmt.Fprintf(w.Out, "%d were not tried\n", s.Left)
	}
	if w.Update {
		fmt.Fprintln(w.Out, "figures were written to docs/reliability; KEDGE_UPDATE=1 go test -run Page ./internal/evidence makes the page of them")
	}
}

// list says what a tier would try.
func list(out io.Writer, plan []Ordeal) error {
	for _, o := range plan {
		if _, err := fmt.Fprintf(out, "%-14s %s\n%15s%s\n", strings.Join(o.Of, " "), phrase.Cut(o.What, 140), "", o.Command()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%d to try\n", len(plan))
	return err
}

// treeOf tells one state of the code from another: the commit and a hash of what was changed since, documents left out. Without git it is empty.
func treeOf(ctx context.Context, root string) string {
	commit := origin.Git(ctx, root, "rev-parse", "HEAD")
	changes := origin.Git(ctx, root, "diff", "HEAD", "--", ".", ":!docs") + origin.Git(ctx, root, "ls-files", "--others", "--exclude-standard", "--", ".", ":!docs")
	if changes == "" {
		return commit
	}
	return fmt.Sprintf("%s %.8x", commit, sha256.Sum256([]byte(changes)))
}
