package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
)

// long is a run that nobody waits for the end of.
const long = "kedge run polarized --workers 2 --trials 2000 --set population.size=50 --set population.dim=5 --set optimum.starts=1"

// liveFaults are what is wrong with the layout of the full-screen view: the title is in the first row, axes are as wide as the terminal, there is a
// row for each method, the keys are in the last row.
func liveFaults(t *terminal, screen []string) (list []string) {
	text := strings.Join(screen, "\n")
	if !strings.HasPrefix(screen[0], "polarized  50 people") || len(screen) != t.height || !strings.HasPrefix(screen[t.height-1], "q stops the run") {
		list = append(list, fmt.Sprintf("%d rows, want %d from the title to the keys", len(screen), t.height))
	}
	for _, want := range []string{" of 32 000 000 turns, ", " left", "gap to the optimum", " ┤", "8000 turns", "━━ vanilla", "━━ composite", " % of 2000 trials  gap ", "⠒"} {
		if !strings.Contains(text, want) {
			list = append(list, fmt.Sprintf("there is no %q", want))
		}
	}
	for _, row := range screen {
		if strings.Contains(row, "└") && utf8.RuneCountInString(row) != t.width {
			list = append(list, fmt.Sprintf("the axis is %d wide, want %d: %s", utf8.RuneCountInString(row), t.width, row))
		}
	}
	return list
}

func TestLiveView(t *testing.T) {
	fits := evidence.For(t, evidence.Promise{Name: "terminal-live", Text: "the live view at 80×24, 200×50 and resized, left by q: does not fit, or the terminal is not as before", Needs: "tmux"})
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		term := open(t, size[0], size[1])
		term.line("echo before the run")
		term.wait("before the run\n")
		term.line(long + " --live --out o")
		term.becomes(liveFaults)
		term.resize(size[0]-10, size[1]-4)
		term.becomes(liveFaults)
		term.key("q")
		screen := term.wait("[130]$", "kedge: stopped; o holds the finished trials", "optimum")
		for _, row := range screen {
			if utf8.RuneCountInString(row) > term.width {
				t.Errorf("a row is wider than the terminal: %s", row)
			}
		}
		term.restored("before the run")
		fits.Case(!t.Failed(), "%v", size)
	}
}

// A view too small for a chart still says how far the run is.
func TestLiveViewInASmallTerminal(t *testing.T) {
	fits := evidence.For(t, evidence.Promise{Name: "terminal-small", Text: "the same at 38×8, left by Ctrl-C", Needs: "tmux"})
	term := open(t, 38, 8)
	term.line(long + " --live --out o")
	screen := term.wait("q stops", "composite", "% ")
	if len(screen) > 8 || strings.Contains(strings.Join(screen, ""), "┤") {
		t.Errorf("a chart in 8 rows:\n%s", strings.Join(screen, "\n"))
	}
	term.key("C-c")
	term.wait("[130]$")
	fits.Case(!t.Failed(), "38×8")
}

// Without colours every method has a mark of its own; a dumb terminal gets lines.
func TestLiveViewWithoutColours(t *testing.T) {
	term := open(t, 80, 24, "NO_COLOR=1")
	term.line(long + " --live --out o")
	term.wait("oo vanilla", "•• composite", "8000 turns", "•••")
	if text := term.tmux("capture-pane", "-p", "-e"); strings.Contains(text, "\033[3") || strings.Contains(text, "\033[1m") {
		t.Errorf("NO_COLOR is set, but there are colours:\n%q", text)
	}
	term.key("q")
	term.wait("[130]$")
	term.line("clear; TERM=dumb kedge run lq2 --live --trials 2 --out o2")
	screen := strings.Join(term.wait("[0]$"), "\n")
	if !strings.Contains(screen, "kedge: --live wants a terminal that can be written over") || !strings.Contains(screen, "100 %  ") || strings.Contains(screen, "█") {
		t.Errorf("a dumb terminal shows\n%s", screen)
	}
}

// The progress of a run is one line that fits, below what it is about to take, and the result stands below it.
func TestProgressInATerminal(t *testing.T) {
	fits := evidence.For(t, evidence.Promise{Name: "terminal-progress", Text: "the progress of a run in 80 and 36 columns", Needs: "tmux"})
	for _, width := range []int{80, 36} {
		term := open(t, width, 70)
		term.line("clear; kedge run polarized --trials 3 --set population.size=50 --set optimum.starts=1 --out o")
		rows := term.wait("turns", "% ", "estimate: about ")
		at := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "% ") })
		if first := rows[at]; utf8.RuneCountInString(first) >= width || width == 80 && !strings.ContainsAny(first, "█░") { // in 36 columns a bar has room only at first
			t.Errorf("at %d columns: %s", width, first)
		}
		text := strings.Join(term.wait("[0]$", "rate:"), "\n")
		if strings.Count(text, " turns") != 1 || !strings.Contains(text, "100 %  48 000 of 48 000") {
			t.Errorf("at %d columns:\n%s", width, text)
		}
		fits.Case(!t.Failed(), "%d columns", width)
	}
}

func TestPromptsInATerminal(t *testing.T) {
	fits := evidence.For(t, evidence.Promise{Name: "terminal-prompts", Text: "the questions of `kedge new`, answered and left by Ctrl-C", Needs: "tmux"})
	term := open(t, 80, 24)
	term.line("clear; kedge new")
	for _, step := range []struct{ question, answer string }{
		{"File [mine.yaml]:", "first.yaml"}, {"Which [polarized]:", "choice"}, {"decided [10]:", "4"}, {"Which [revenue]:", ""},
		{"Which [capped-simplex]:", "box"}, {"people are there [100]:", "30"}, {"trial [4000]:", "20"}, {"trials [10]:", "1"},
	} {
		for _, row := range term.wait(step.question) {
			fits.Case(utf8.RuneCountInString(row) <= 80, "a row is too wide: %s", row)
		}
		term.line(step.answer)
	}
	term.wait("run it with: kedge run first.yaml", "[0]$")
	term.line("clear; kedge run first.yaml --quiet --out o && ls o/report.html")
	term.wait("o/report.html", "[0]$")
	term.line("clear; kedge new")
	term.wait("File [mine.yaml]:")
	term.key("C-c")
	term.wait("kedge: stopped, nothing was written", "[130]$")
	fits.Case(!t.Failed(), "Ctrl-C")
}

// When something panics while the view is shown, the terminal is as before and the panic is there to read.
func TestPanicLeavesTheTerminalInOrder(t *testing.T) {
	order := evidence.For(t, evidence.Promise{Name: "terminal-panic", Text: "the terminal after a panic under the live view: not as before, or the panic is not told", Needs: "tmux"})
	term := open(t, 80, 24)
	test, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	term.line("echo before the run; KEDGE_TEST_PANIC=1 " + test)
	term.wait("q stops the run")
	term.wait("[2]$")
	term.restored("before the run")
	history := term.tmux("capture-pane", "-p", "-S", "-")
	order.Case(!t.Failed() && strings.Contains(history, "panic: broken row"), "the panic is not told:\n%s", history)
}

// What goes into a pipe that nobody reads ends without a word.
func TestBrokenPipe(t *testing.T) {
	term := open(t, 80, 24)
	term.line("clear; kedge spec schema 2>err | head -1; cat err; kedge spec explain 2>>err | true; cat err; echo end")
	if rows := term.wait("\nend"); rows[0] != "{" || rows[1] != "end" {
		t.Errorf("got\n%s", strings.Join(rows, "\n"))
	}
}

// panicBehindTheView is a run whose worker panics, as far as the view is concerned.
func panicBehindTheView() {
	l := &live{title: "a run that panics", progress: new(lab.Progress), watch: new(lab.Watch), turns: 1, stop: func() {}}
	defer l.start(os.Stderr)()
	err := crew.Share(2, 2, func(hand, _ int) error {
		time.Sleep(time.Second)
		panic("broken row")
	})
	panic(err)
}
