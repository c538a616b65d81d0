package mutant

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/internal/lists"
)

// Chamber judges many changes that are compiled together, as a court does one by one, in a fraction of the time: tests are compiled once, and a change is
// only shown to those that come by it.
type Chamber struct {
	court    *Court
	all      *together
	patience time.Duration // of tests that take longer, those alone are asked that come by a change

	mu     sync.Mutex
	jurors map[juror]*tests
}

// juror names tests that are asked.
type juror struct {
	pack  string
	short bool
}

// tests are those of a package, compiled with all changes.
type tests struct {
	seat
	once sync.Once
	err  error
	path string
	lied []string // tests that failed as they were asked about a change, and without it too
}

// seat is what is known of tests once they have been seated, also for another sitting with the same changes in the same folder.
type seat struct {
	Skip   []string         // those that fail or have no patience for code that has switches in it
	Took   time.Duration    // without a change
	Passes map[int]bool     // changes that they come by
	By     map[int][]string // tests among which some come by a change; nil of quick tests, which are all asked
	Alone  bool             // they fail without a change: changes are shown to them one by one
	Broken []string         // those of Skip that fail without switches too, and say nothing of a change; all of them where Alone
}

// Seat prepares the judgement of changes; what it compiles is left in a folder.
func (c *Court) Seat(ctx context.Context, dir string, list []Mutation) (*Chamber, error) {
	all, err := c.plantTogether(ctx, dir, list)
	if err != nil {
		return nil, err
	}
	if c.Whole {
		if _, err := c.importers(ctx, ""); err != nil {
			return nil, err
		}
	}
	return &Chamber{court: c, all: all, patience: 10 * time.Second, jurors: map[juror]*tests{}}, nil
}

// Judge asks the tests of the package of a change, quick ones first, and, of a whole judgement, those of all that import it.
func (h *Chamber) Judge(ctx context.Context, s Mutation) (Verdict, string, error) {
	c := h.court
	if why := c.Except[s.Key]; why != "" {
		return Excepted, why, nil
	}
	if why, isWrong := h.all.unbuilt[s]; isWrong {
		return Unbuilt, why, nil
	}
	id, isPlanted := h.all.planted[s]
	if !isPlanted {
		return c.Judge(ctx, s)
	}
	asked := h.sides("./" + s.Package())
	if c.Whole {
		asked = append(asked, h.sides(c.tested[s.Package()]...)...)
	}
	passes := 0
	for _, a := range asked {
		v, said, err := h.ask(ctx, a, id, s)
		if err != nil || v == Killed || v == Hung {
			return v, said, err
		}
		if v == Alive {
			passes++
		}
	}
	return Alive, fmt.Sprintf("%d of %d test programs come by", passes, len(asked)), nil
}

// sides are the quick tests of packages and, unless only those are wanted, then all.
func (h *Chamber) sides(packs ...string) (asked []juror) {
	asked = lists.Of(packs, func(p string) juror { return juror{p, true} })
	for _, p := range packs {
		if !h.court.Short && h.court.hasSlow(p) {
			asked = append(asked, juror{p, false})
		}
	}
	return asked
}

// hasSlow tells whether go test -short leaves anything out.
func (c *Court) hasSlow(pack string) bool {
	files, err := filepath.Glob(filepath.Join(c.Root, pack, "*_test.go"))
	if err != nil {
		return true
	}
	return slices.ContainsFunc(files, func(path string) bool {
		text, err := os.ReadFile(path)
		return err != nil || bytes.Contains(text, []byte("testing.Short()"))
	})
}

// ask shows a change to tests. It has no verdict where they do not come by.
func (h *Chamber) ask(ctx context.Context, a juror, id int, s Mutation) (Verdict, string, error) {
	t, err := h.seat(ctx, a)
	switch {
	case err != nil:
		return "", "", err
	case t.Alone && t.Broken != nil:
		return "", "", nil
	case t.Alone:
		return h.apart(ctx, a, h.court.Run, s)
	case !t.Passes[id]:
		return "", "", nil
	}
	only := h.court.Run
	if some := t.By[id]; len(some) > 0 {
		only = names(some)
	}
	for {
		out, err := h.run(ctx, a, t, only, h.court.hangs(t.Took), chosen+"="+strconv.Itoa(id))
		v := verdict(ctx, out, err)
		if v == Killed && h.lies(ctx, a, t, out) {
			continue // without that test
		}
		if v != Alive {
			return v, a.pack + ": " + failure(string(out)), ctx.Err()
		}
		break
	}
	sound := slices.DeleteFunc(slices.Clone(t.Skip), func(name string) bool { return slices.Contains(t.Broken, name) })
	if len(sound) == 0 {
		return Alive, "", nil
	}
	return h.apart(ctx, a, names(sound), s)
}

// lies tells whether the test that failed does so without a change as well, where it is asked as it was: alone, on a busy machine, or with -failfast.
// It is not asked again.
func (h *Chamber) lies(ctx context.Context, a juror, t *tests, out []byte) bool {
	m := failedTest.FindSubmatch(out)
	if m == nil {
		return false
	}
	if _, err := h.run(ctx, a, t, names([]string{string(m[1])}), h.court.Timeout, chosen+"=0"); err == nil || ctx.Err() != nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t.lied = append(t.lied, string(m[1]))
	return true
}

// hangs is how long tests may take with a change that take so long without one: what counts as hung takes several times as long.
func (c *Court) hangs(took time.Duration) time.Duration {
	return max(3*took, min(c.Timeout, max(30*time.Second, 5*took)))
}

// apart shows a change to some tests of a package as the court does, with no other beside it.
func (h *Chamber) apart(ctx context.Context, a juror, run string, s Mutation) (Verdict, string, error) {
	dir, err := os.MkdirTemp("", "kedge-mutant-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	c := Court{Root: h.court.Root, Timeout: h.court.Timeout, Run: run, Short: a.short}
	overlay, err := c.plant(dir, s)
	if err != nil {
		return "", "", err
	}
	return c.test(ctx, overlay, a.pack)
}

func verdict(ctx context.Context, out []byte, err error) Verdict {
	switch {
	case err == nil:
		return Alive
	case ctx.Err() != nil:
		return ""
	case bytes.Contains(out, []byte("panic: test timed out after")) || bytes.HasSuffix(out, []byte(tooLong)):
		return Hung
	}
	return Killed
}

const tooLong = "\nit took too long"

func names(tests []string) string { return "^(" + strings.Join(tests, "|") + ")$" }

// seat compiles tests and runs them without a change, to see how long they take, which of them the switches disturb, and which changes they come by.
func (h *Chamber) seat(ctx context.Context, a juror) (*tests, error) {
	h.mu.Lock()
	t := h.jurors[a]
	if t == nil {
		t = &tests{}
		h.jurors[a] = t
	}
	h.mu.Unlock()
	t.once.Do(func() { t.err = h.compile(ctx, a, t) })
	return t, t.err
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

func (h *Chamber) compile(ctx context.Context, a juror, t *tests) error {
	name := strings.ReplaceAll(strings.TrimPrefix(a.pack, "."), "/", "_") + ".test"
	t.path = filepath.Join(h.all.dir, name)
	if _, err := os.Stat(t.path); err != nil {
		if out, err := h.court.command(ctx, "go", "test", "-c", "-vet=off", "-overlay="+h.all.overlay, "-o", t.path, a.pack); err != nil {
			return fmt.Errorf("compile tests of %s: %w: %s", a.pack, err, out)
		}
	}
	kept := fmt.Sprintf("%s.%t.seat", t.path, a.short)
	if h.court.Run == "" && t.recall(kept) {
		return nil
	}
	log := fmt.Sprintf("%s.%t.passed", t.path, a.short)
	t.Alone = true
	for range 3 {
		begun := time.Now()
		out, err := h.run(ctx, a, t, h.court.Run, 3*h.court.Timeout, passed+"="+log)
		t.Took = time.Since(begun)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			t.Alone = false
			break
		}
		for _, m := range failedTest.FindAllSubmatch(out, -1) {
			t.Skip = append(t.Skip, string(m[1]))
		}
	}
	if err := h.sift(ctx, a, t); err != nil {
		return err
	}
	// What they came by in runs that failed counts as well: the tests that are left out are asked apart.
	var err error
	if t.Passes, err = readPassed(log); err != nil || h.court.Run != "" {
		return err
	}
	if !t.Alone && t.Took >= h.patience {
		if err := h.apportion(ctx, a, t); err != nil {
			return err
		}
	}
	text, err := json.Marshal(t.seat)
	if err != nil {
		return err
	}
	return os.WriteFile(kept, text, 0o600)
}

// sift finds the tests that fail in code without any change: on a machine that lacks what they need, or is busy. They would take every change for a fault.
func (h *Chamber) sift(ctx context.Context, a juror, t *tests) error {
	overlay, err := writeOverlay(h.all.dir, "none", map[string]string{})
	if err != nil {
		return err
	}
	asked := t.Skip
	if t.Alone {
		asked = []string{cmp.Or(h.court.Run, ".")}
	}
	for _, name := range asked {
		c := Court{Root: h.court.Root, Timeout: 3 * h.court.Timeout, Run: name, Short: a.short}
		if !t.Alone {
			c.Run = names([]string{name})
		}
		if v, _, err := c.test(ctx, overlay, a.pack); err != nil {
			return err
		} else if v != Alive {
			t.Broken = append(t.Broken, name)
		}
	}
	return nil
}

// recall takes what another sitting knew; nothing of a file that is not there or not whole.
func (t *tests) recall(path string) bool {
	text, err := os.ReadFile(path)
	var s seat
	if err != nil || json.Unmarshal(text, &s) != nil {
		return false
	}
	t.seat = s
	return true
}

// readPassed reads which changes tests came by.
func readPassed(log string) (map[int]bool, error) {
	text, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	passes := map[int]bool{}
	for line := range strings.Lines(string(text)) {
		if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			passes[id] = true
		}
	}
	return passes, nil
}

var listedTest = regexp.MustCompile(`(?m)^(Test|Fuzz|Example)\w*$`)

// mostParts is into how many parts tests are divided at most, each of which is run once to see what it comes by.
const mostParts = 40

// apportion runs the tests of a package in parts, to see which of them come by which change: where all of them take long, those parts alone are asked. A part that does not
// hold by itself is asked about every change.
func (h *Chamber) apportion(ctx context.Context, a juror, t *tests) error {
	cmd := exec.CommandContext(ctx, t.path, "-test.list", ".")
	cmd.Dir = filepath.Join(h.court.Root, a.pack)
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list tests of %s: %w", a.pack, err)
	}
	all := slices.DeleteFunc(listedTest.FindAllString(string(list), -1), func(name string) bool { return slices.Contains(t.Skip, name) })
	t.By = map[int][]string{}
	for part := range slices.Chunk(all, max(1, (len(all)+mostParts-1)/mostParts)) {
		log := fmt.Sprintf("%s.%t.%s.passed", t.path, a.short, part[0])
		_, failed := h.run(ctx, a, t, names(part), h.court.Timeout, passed+"="+log)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		passes, err := readPassed(log)
		if err != nil {
			return err
		}
		if failed != nil {
			passes = t.Passes
		}
		for id := range passes {
			t.By[id] = append(t.By[id], part...)
		}
	}
	return nil
}

// run runs compiled tests; what they build has the changes, too.
func (h *Chamber) run(ctx context.Context, a juror, t *tests, only string, limit time.Duration, variable string) ([]byte, error) {
	within, cancel := context.WithTimeout(ctx, limit+30*time.Second)
	defer cancel()
	args := []string{"-test.count=1", "-test.timeout", limit.String(), "-test.short=" + strconv.FormatBool(a.short), "-test.run", only}
	if strings.HasPrefix(variable, chosen+"=") {
		args = append(args, "-test.failfast")
	}
	h.mu.Lock()
	skip := slices.Concat(t.Skip, t.lied)
	h.mu.Unlock()
	if len(skip) > 0 {
		args = append(args, "-test.skip", names(skip))
	}
	cmd := exec.CommandContext(within, t.path, args...)
	cmd.Dir = filepath.Join(h.court.Root, a.pack)
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "KEDGE_TORTURE=", "KEDGE_UPDATE=", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+h.all.overlay), variable)
	out, err := cmd.CombinedOutput()
	if within.Err() != nil && ctx.Err() == nil {
		out = append(out, tooLong...)
	}
	return out, err
}

// Disturbed are tests that could not be asked about changes together, by package; they were asked about each apart.
func (h *Chamber) Disturbed() []string {
	return h.list(func(t *tests) []string {
		return slices.DeleteFunc(slices.Clone(t.Skip), func(name string) bool { return slices.Contains(t.Broken, name) })
	})
}

// Broken are tests that fail without any change, by package: they judged nothing.
func (h *Chamber) Broken() []string {
	return h.list(func(t *tests) []string { return slices.Concat(t.Broken, t.lied) })
}

func (h *Chamber) list(of func(*tests) []string) (list []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range slices.SortedFunc(maps.Keys(h.jurors), func(a, b juror) int { return strings.Compare(a.pack, b.pack) }) {
		for _, name := range of(h.jurors[a]) {
			list = append(list, a.pack+" "+name)
		}
	}
	return slices.Compact(list)
}
