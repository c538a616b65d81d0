// Package estimate is the commands that go from logs to numbers.
package estimate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/report/inference"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// fitFlags are the flags of kedge fit.
type fitFlags struct {
	kinds     *kind.Catalogue
	sets      []string
	out       string
	starts    int
	bootstrap int
	workers   int
	seed      uint64
	method    string
	overwrite bool
	json      bool
	quiet     bool
	marks     string // the file by which a folder is known to be one of these
}

func newFit(kinds *kind.Catalogue) *cobra.Command {
	f := &fitFlags{kinds: kinds, marks: logs.JSONFile}
	c := &cobra.Command{
		Use:   "fit FILE.yaml",
		Short: "Find the unknown numbers of a model from a log",
		Long: `Find the numbers of model.let that are "?" from the log that the section data names: what was deployed when, and what people did
afterwards. Printed are the numbers with intervals, how people answer at once and settled, and what the log cannot tell;
docs/fitting.md says what it means.

The folder gets fitted.yaml, which kedge run, check, certify, sweep and compare take, people.csv with everybody as the log leaves
them, draws.csv with the doubt about the numbers, fit.json with all that was found, and fit.html: one page with the answer first and
figures that show whether to believe it. Where the log does not tell a number, there is
no fitted.yaml.

Exit codes: 0 all was found, 1 the log does not tell all that was asked, 64 the command, the spec or the log is wrong.`,
		Example: `  kedge fit shop.yaml
  kedge fit shop.yaml --bootstrap 200 --out found
  kedge run found/fitted.yaml
  kedge fit cigarettes.yaml --method jackknife`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().IntVar(&f.bootstrap, "bootstrap", 0, "fit again so many times with people drawn anew, for intervals and draws")
	f.offer(c, "fit", "the search", "whose answer is taken: ")
	return c
}

// offer adds the flags that all commands of the package have.
func (f *fitFlags) offer(c *cobra.Command, folder, search, method string) {
	fl := c.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "folder for what was found (default runs/NAME-"+folder+")")
	fl.StringArrayVar(&f.sets, "set", nil, "change any key of the spec, as in --set data.where='week > 10' (repeatable)")
	fl.IntVar(&f.starts, "starts", 8, "further starts of "+search+", drawn from ranges and priors")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of what is drawn")
	fl.IntVar(&f.workers, "workers", 0, "goroutines (default one a core); results do not depend on it")
	fl.StringVar(&f.method, "method", "", method+strings.Join(methods(), ", ")+" (default what the spec asks for)")
	fl.BoolVar(&f.overwrite, "overwrite", false, "write into a folder that holds something else")
	fl.BoolVar(&f.json, "json", false, "print all that was found as JSON")
	fl.BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
}

func methods() []string {
	return []string{logs.LeastSquares, logs.Pooled, logs.Within, logs.SplitPanel, logs.ArellanoBond, logs.TwoStage}
}

func (f *fitFlags) run(c *cobra.Command, target string) error {
	s, err := f.load(target, "fit")
	if err != nil {
		return err
	}
	if s.Data != nil && s.Data.Drawn() && !c.Flags().Changed("starts") {
		f.starts = 2 // each takes long
	}
	var e *logs.Inference
	err = f.watch(c, func() string { return "fitting " + s.File() }, func() (err error) {
		e, err = logs.Fit(c.Context(), s, AnyFolder{}, logs.Options{Starts: f.starts, Bootstrap: f.bootstrap, Seed: f.seed, Workers: f.hands(), Method: f.method})
		return err
	})
	if err != nil {
		return err
	}
	files, err := e.Files(folderIn(f.out))
	if err == nil {
		err = f.put(files, isOfAFit, func() (map[string][]byte, error) {
			return inference.Files(e, inference.Recipe{How: how(e), Command: f.again(target), Seed: f.seed})
		})
	}
	if err == nil {
		err = f.show(c.OutOrStdout(), files, func() []page.Piece { return f.told(e) })
	}
	if err != nil {
		return exit.Failure(err)
	}
	if !e.Told() {
		return exit.Failure(fmt.Errorf("%s: %s; there is no %s", target, strings.Join(e.Blind, "; "), logs.SpecFile))
	}
	return nil
}

// again is the command that repeats a fit.
func (f *fitFlags) again(target string) string {
	text := f.asked("fit", target)
	if f.bootstrap > 0 {
		text += fmt.Sprint(" --bootstrap ", f.bootstrap)
	}
	return text + fmt.Sprintf(" --starts %d --seed %d --out again", f.starts, f.seed)
}

// asked is the beginning of a command that repeats another.
func (f *fitFlags) asked(command, target string) string {
	text := "kedge " + command + " " + target
	for _, set := range f.sets {
		text += " --set " + strconv.Quote(set)
	}
	if f.method != "" {
		text += " --method " + f.method
	}
	return text
}

func (f *fitFlags) hands() int {
	return cmp.Or(max(0, f.workers), runtime.GOMAXPROCS(0))
}

// load reads the spec, and finds the folder for what a command makes of it.
func (f *fitFlags) load(target, command string) (*problem.Spec, error) {
	if f.starts < 0 || f.starts > 10_000 || f.bootstrap < 0 || f.bootstrap > 100_000 {
		return nil, fmt.Errorf("--starts %d and --bootstrap %d: want 0 to 10000 starts and 0 to 100000 repeats", f.starts, f.bootstrap)
	}
	if f.method != "" && !slices.Contains(methods(), f.method) {
		return nil, fmt.Errorf("--method %s: want one of %s", f.method, strings.Join(methods(), ", "))
	}
	src, err := problem.ReadFile(target)
	if err != nil {
		return nil, err
	}
	s, err := problem.Parse(f.kinds, target, src, lists.Of(f.sets, problem.Assign)...)
	if err != nil {
		return nil, err
	}
	f.out = cmp.Or(f.out, filepath.Join("runs", strings.TrimSuffix(filepath.Base(target), filepath.Ext(target))+"-"+command))
	return s, f.spare()
}

// spare refuses a folder that holds something else.
func (f *fitFlags) spare() error {
	found, err := os.ReadDir(f.out)
	switch {
	case errors.Is(err, fs.ErrNotExist) || f.overwrite:
		return nil
	case err != nil:
		return err
	case len(found) == 0 || slices.ContainsFunc(found, func(e fs.DirEntry) bool { return e.Name() == f.marks }):
		return nil
	}
	return fmt.Errorf("%s holds something else; want another folder with --out, or --overwrite", f.out)
}

// lockFile is there, and locked, while a command writes its files.
const lockFile = ".kedge.lock"

// put adds pages to files, writes all of them into the folder, and takes those away that are from a time before and not among them.
func (f *fitFlags) put(files map[string][]byte, isOld func(name string) bool, pages func() (map[string][]byte, error)) error {
	shown, err := pages()
	if err != nil {
		return err
	}
	maps.Copy(files, shown)
	if _, err := (disk.Disk{}).MakeAll(f.out); err != nil {
		return err
	}
	dir, err := disk.Disk{}.Open(f.out)
	if err != nil {
		return err
	}
	defer dir.Close()
	lock, err := dir.Lock(lockFile)
	if err != nil {
		return err
	}
	defer lock.Release()
	if isOld != nil { // until all other files are in their places none of them is named by a spec of another fit
		if err := errors.Join(dir.Remove(logs.SpecFile), dir.Sync(".")); err != nil {
			return err
		}
	}
	found, err := os.ReadDir(f.out)
	if err != nil {
		return err
	}
	for _, old := range found {
		if name := old.Name(); isOld != nil && files[name] == nil && isOld(name) {
			if err := dir.Remove(name); err != nil {
				return err
			}
		}
	}
	for _, name := range specLast(slices.Sorted(maps.Keys(files))) {
		if err := dir.Replace(name, func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// specLast puts the spec behind the files that it names.
func specLast(names []string) []string {
	if i := slices.Index(names, logs.SpecFile); i >= 0 {
		names = append(slices.Delete(names, i, i+1), logs.SpecFile)
	}
	return names
}

// isOfAFit tells whether a fit writes a file of that name, and not always.
func isOfAFit(name string) bool {
	return inference.IsFigure(name) || slices.Contains([]string{logs.SpecFile, record.PeopleFile, logs.DrawsFile}, name)
}

// watch says what is under way once that takes long, and that it was stopped.
func (f *fitFlags) watch(c *cobra.Command, what func() string, do func() error) error {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if f.quiet || f.json {
			return
		}
		begun := time.Now()
		for wait := 2 * time.Second; ; wait = 10 * time.Second {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
				fmt.Fprintf(c.ErrOrStderr(), "%s, %.0f s\n", what(), time.Since(begun).Seconds())
			}
		}
	}()
	err := do()
	stop()
	<-done
	if c.Context().Err() != nil {
		return exit.With(exit.Interrupted, errors.New("stopped; nothing was written"))
	}
	return err
}

// show prints what was found: all of it as JSON, or pieces of it.
func (f *fitFlags) show(w io.Writer, files map[string][]byte, pieces func() []page.Piece) error {
	switch {
	case f.quiet:
		return nil
	case f.json:
		_, err := w.Write(files[f.marks])
		return err
	}
	_, err := io.WriteString(w, page.TerminalOf(w).Render(pieces()...))
	return err
}

// AnyFolder opens files wherever they are, from the working folder on.
type AnyFolder struct{}

// Open implements [fs.FS].
func (AnyFolder) Open(name string) (fs.File, error) { return plain.Open(filepath.FromSlash(name)) }

// Stat implements [fs.StatFS].
func (AnyFolder) Stat(name string) (fs.FileInfo, error) { return os.Stat(filepath.FromSlash(name)) }
