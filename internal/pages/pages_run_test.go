package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// program is the kedge that pages are compared with.
var program = evidence.NewProgram()

func TestMain(m *testing.M) { os.Exit(program.Around(m)) }

// What pages show is what the program prints and draws: the commands of a page are typed one after the other in a folder of their own, in
// which the repository's examples lie, and the numbers of its prose are among what they print.
func TestPagesShowWhatIsPrinted(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("commands are typed into bash: ", err)
	}
	for _, p := range guides(t) {
		t.Run(strings.ReplaceAll(p.file, "/", "."), func(t *testing.T) {
			t.Parallel()
			p.needs(t)
			f := newTypist(t)
			f.lend(t, p)
			whole := f.visit(t, p)
			if os.Getenv("KEDGE_UPDATE") != "" {
				p.write(t)
			}
			if whole && !t.Failed() {
				p.checkNumbers(t, f.printed)
			}
		})
	}
}

// From nothing to a decision, and to what comes of it, with curl alone: the first commands of the page of the service, as they are printed.
func TestTheFirstDecisionByThePage(t *testing.T) {
	p, f := guides(t)[slices.IndexFunc(guides(t), func(p *guide) bool { return p.file == "docs/service.md" })], newTypist(t)
	p.needs(t)
	began, said := time.Now(), ""
	for _, b := range p.parts {
		if b.mark.idle != "" {
			continue
		}
		if b.mark.file != "" {
			f.put(t, b.mark.file, strings.Join(p.lines[b.open+1:b.end], "\n")+"\n")
		}
		for _, c := range b.commands {
			if !strings.Contains(c.text, "curl ") && !strings.HasPrefix(c.text, "kedge serve ") {
				t.Errorf("%s:%d: more than curl is needed: %s", p.file, c.line+1, c.text)
			}
			out, err := f.run(c.text, b.mark.exit)
			if err != nil {
				t.Fatalf("%s:%d: %s: %v", p.file, c.line+1, c.text, err)
			}
			said += out + "\n"
		}
		if len(b.commands) > 0 {
			break
		}
	}
	took := time.Since(began)
	t.Logf("from nothing to a decision and its close: %.2f s", took.Seconds())
	for _, want := range []string{`"k":1,"u":[3,3]`, `"state":"deployed"`, `"rows":2`, `"outcome":"step"`} {
		if !strings.Contains(said, want) {
			t.Errorf("nobody said %s: %s", want, said)
		}
	}
	if took > 2*time.Minute {
		t.Errorf("it took %v", took)
	}
}

// inUse is the address that pages serve at, one at a time.
var inUse sync.Mutex

// needs skips a page whose commands this machine cannot run.
func (p *guide) needs(t *testing.T) {
	t.Helper()
	text := strings.Join(p.lines, "\n")
	for _, program := range []string{"curl", "python3"} {
		if _, err := exec.LookPath(program); err != nil && strings.Contains(text, "\n$ "+program+" ") {
			t.Skip(err)
		}
	}
	if strings.Contains(text, "localhost:7070") {
		inUse.Lock()
		t.Cleanup(inUse.Unlock)
		t.Cleanup(turn(t))
		ear, err := net.Listen("tcp", "127.0.0.1:7070")
		if err != nil {
			t.Skip("somebody else serves there: ", err)
		}
		ear.Close()
	}
}

// turn waits until no other run of these tests on this machine serves pages: whoever listens at the port below theirs does.
func turn(t *testing.T) (end func()) {
	t.Helper()
	for range 3000 {
		if mark, err := net.Listen("tcp", "127.0.0.1:7069"); err == nil {
			return func() { mark.Close() }
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Skip("another run of these tests serves at 127.0.0.1:7070")
	return nil
}

// typist types the commands of a page.
type typist struct {
	root, dir string
	printed   []string // by all commands of the page
}

// newTypist makes a folder with the program and the examples.
func newTypist(t *testing.T) *typist {
	t.Helper()
	kedge, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	f := &typist{root: root, dir: t.TempDir()}
	t.Cleanup(f.stop)
	for name, target := range map[string]string{"kedge": kedge, "examples": filepath.Join(root, "examples")} {
		if err := os.Symlink(target, filepath.Join(f.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// lend puts a log that is not part of the repository into the folder of the page that needs it, from beside the repository or where KEDGE_CIGAR says, or skips the page.
func (f *typist) lend(t *testing.T, p *guide) {
	t.Helper()
	const name = "cigar.csv"
	if !strings.Contains(strings.Join(p.lines, "\n"), "\n  file: "+name+"\n") {
		return
	}
	for _, file := range []string{os.Getenv("KEDGE_CIGAR"), filepath.Join(f.root, "..", "shared", "data", name), filepath.Join(f.root, name)} {
		if _, err := os.Stat(file); err == nil {
			if err := os.Symlink(file, filepath.Join(f.dir, name)); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Skip("there is no " + name + ": KEDGE_CIGAR=FILE says where it is")
}

// stop ends what a page has started and noted in a file with the ending .pid.
func (f *typist) stop() {
	notes, _ := filepath.Glob(filepath.Join(f.dir, "*.pid"))
	for _, name := range notes {
		text, _ := os.ReadFile(name)
		if id, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && id > 1 {
			if p, err := os.FindProcess(id); err == nil {
				p.Kill()
				for n := 0; n < 200 && p.Signal(syscall.Signal(0)) == nil; n++ { // until it is gone, and its address free
					time.Sleep(10 * time.Millisecond)
				}
			}
		}
	}
}

// visit runs what can be run of a page. It says whether everything was.
func (f *typist) visit(t *testing.T, p *guide) (whole bool) {
	t.Helper()
	whole = true
	for i := range p.parts {
		b := &p.parts[i]
		switch {
		case b.mark.file != "":
			f.put(t, b.mark.file, strings.Join(p.lines[b.open+1:b.end], "\n")+"\n")
		case b.mark.excerpt != "":
			f.compareExcerpt(t, p, b)
		case b.mark.idle != "":
		case b.drawn != "":
			f.compareFigure(t, p, b, whole)
		case b.mark.long && os.Getenv("KEDGE_TORTURE") == "":
			whole = false
		default:
			for j := range b.commands {
				f.check(t, p, b, &b.commands[j])
			}
		}
	}
	return whole
}

// put writes a file that a page tells its reader to write.
func (f *typist) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compareExcerpt wants the lines of a block in a file, in their order, whatever comments say.
func (f *typist) compareExcerpt(t *testing.T, p *guide, b *part) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.root, b.mark.excerpt))
	if err != nil {
		t.Fatal(err)
	}
	bare := func(line string) string {
		line, _, _ = strings.Cut(line, "  #")
		return strings.TrimRight(line, " ")
	}
	rest := strings.Split(string(text), "\n")
	for i, line := range p.lines[b.open+1 : b.end] {
		at := slices.IndexFunc(rest, func(other string) bool { return bare(other) == bare(line) })
		if at < 0 {
			t.Errorf("%s:%d: %s has no line %q here", p.file, b.open+2+i, b.mark.excerpt, line)
			continue
		}
		rest = rest[at+1:]
	}
}

// compareFigure wants a figure to be what the commands above it draw, unless those that draw it were left out.
func (f *typist) compareFigure(t *testing.T, p *guide, b *part, whole bool) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(f.dir, b.drawn))
	if errors.Is(err, fs.ErrNotExist) && !whole {
		return
	}
	if err != nil {
		t.Fatalf("%s:%d: %v", p.file, b.open+1, err)
	}
	file := filepath.Join(f.root, b.figure)
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if was, err := os.ReadFile(file); err != nil || !bytes.Equal(was, got) {
		t.Errorf("%s:%d: %s is not %s as it is drawn today (%v); KEDGE_UPDATE=1 draws it anew", p.file, b.open+1, b.figure, b.drawn, err)
	}
}

// check types a command and compares what it prints with what the page shows, if it shows something.
func (f *typist) check(t *testing.T, p *guide, b *part, c *shown) {
	t.Helper()
	began := time.Now()
	out, err := f.run(c.text, b.mark.exit)
	if err != nil {
		t.Fatalf("%s:%d: %s: %v", p.file, c.line+1, c.text, err)
	}
	t.Logf("%s:%d: %.1f s: %s", p.file, c.line+1, time.Since(began).Seconds(), c.text)
	lines := steadyLines(out)
	f.printed = append(f.printed, lines...)
	if len(c.output) == 0 {
		return
	}
	got := pickLines(lines, b.mark.pick)
	if os.Getenv("KEDGE_UPDATE") != "" {
		c.output = got
		return
	}
	if !slices.Equal(got, c.output) {
		t.Errorf("%s:%d: %s\nprints\n%s\nthe page shows\n%s\nKEDGE_UPDATE=1 writes it anew", p.file, c.line+1, c.text, strings.Join(got, "\n"), strings.Join(c.output, "\n"))
	}
}

var buildForm = regexp.MustCompile(`^go build -o (\S+) (\S+)$`)

// run types a command. Building the program is done already, other programs of the repository are built into the folder.
func (f *typist) run(text string, exit int) (string, error) {
	if found := buildForm.FindStringSubmatch(text); found != nil {
		if found[1] == "kedge" {
			return "", nil
		}
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(f.dir, found[1]), found[2])
		build.Dir = f.root
		out, err := build.CombinedOutput()
		return string(out), err
	}
	c := exec.Command("bash", "-ec", text)
	c.Dir = f.dir
	c.Env = append(os.Environ(), "PATH="+f.dir+string(os.PathListSeparator)+os.Getenv("PATH"), "COLUMNS=80")
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	err := c.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == exit {
		return out.String() + complaints.String(), nil
	}
	if err == nil && exit != 0 {
		err = fmt.Errorf("exit code 0, want %d", exit)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s%s", err, out.String(), complaints.String())
	}
	return out.String(), nil
}

var timedLine = regexp.MustCompile(`^(took|rate:|estimate:) `)

// steadyLines are the lines of an output without what differs from machine to machine: what it took, and the column of seconds.
func steadyLines(out string) (lines []string) {
	var cut func(line string) string
	for line := range strings.SplitSeq(strings.TrimRight(out, "\n"), "\n") {
		before, after, header := strings.Cut(line, " seconds")
		switch {
		case timedLine.MatchString(line):
			continue
		case header && after == "":
			cut = lastColumn(len(strings.Fields(line)))
			line = before
		case header && strings.HasPrefix(after, "  "):
			cut = middleColumn(len([]rune(strings.TrimRight(before, " "))), len([]rune(before))+len(" seconds"))
			line = cut(line)
		case line == "" || !strings.Contains(line, "   "):
			cut = nil
		case cut != nil:
			line = cut(line)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// lastColumn cuts the last of so many numbers off a line that has all of them.
func lastColumn(numbers int) func(line string) string {
	form := regexp.MustCompile(fmt.Sprintf(`^(.*( +[-0-9.e+]+){%d}) +[0-9.]+$`, numbers-1))
	return func(line string) string {
		if found := form.FindStringSubmatch(line); found != nil {
			return found[1]
		}
		return line
	}
}

// middleColumn cuts places out of a line.
func middleColumn(from, to int) func(line string) string {
	return func(line string) string {
		letters := []rune(line)
		return string(slices.Delete(letters, min(from, len(letters)), min(to, len(letters))))
	}
}

// pickLines are those lines that a page asks for, all without ranges. What is left out is "…".
func pickLines(lines []string, ranges [][2]int) (list []string) {
	if ranges == nil {
		return lines
	}
	next := 1
	for _, r := range append(ranges, [2]int{len(lines) + 1, len(lines)}) {
		if r[0] > next {
			list = append(list, "…")
		}
		list = append(list, lines[min(r[0]-1, len(lines)):min(r[1], len(lines))]...)
		next = r[1] + 1
	}
	return list
}

// write writes what the commands print into the page.
func (p *guide) write(t *testing.T) {
	t.Helper()
	for _, b := range slices.Backward(p.parts) {
		if b.language != "console" {
			continue
		}
		for i, c := range slices.Backward(b.commands) {
			end := b.end
			if i+1 < len(b.commands) {
				end = b.commands[i+1].line
			}
			start := c.line + 1
			for start < end && strings.HasSuffix(p.lines[start-1], `\`) {
				start++
			}
			p.lines = slices.Concat(p.lines[:start], c.output, p.lines[end:])
		}
	}
	if err := os.WriteFile(filepath.Join("../..", p.file), []byte(strings.Join(p.lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	fresh, err := readGuide(p.file, strings.Join(p.lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	*p = *fresh
}
