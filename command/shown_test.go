package command

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// terminals are such as people have: wide, usual, narrow and tiny, with colours and without, and one that only goes on.
var terminals = []page.Terminal{
	{Width: 80, Height: 24}, {Rewrites: true, Width: 80, Height: 24}, {Rewrites: true, Colour: true, Width: 80, Height: 24}, {Rewrites: true, Colour: true, Shades: true, Width: 133, Height: 40},
	{Rewrites: true, Width: 59, Height: 16}, {Rewrites: true, Width: 40, Height: 12}, {Rewrites: true, Width: 31, Height: 9}, {Rewrites: true, Width: 18, Height: 5},
}

// recorder gathers what is shown, colours as they are written in Go.
type recorder []string

func (r *recorder) add(title string, lines ...string) {
	*r = append(*r, title)
	for _, line := range lines {
		*r = append(*r, strings.ReplaceAll(strings.ReplaceAll(line, "\033", `\e`), "\r", `\r`)+"|")
	}
}

// turnsOf is a run at work.
func turnsOf(done, total int64) *lab.Progress {
	p := new(lab.Progress)
	p.Done.Store(done)
	p.Total.Store(total)
	return p
}

// What is shown while work runs is what was shown when it was last looked at, in terminals of all kinds, and never wider than they are.
func TestShownAsRecorded(t *testing.T) {
	var got recorder
	w := someSweep(t)
	for _, s := range terminals {
		title := fmt.Sprintf("# %d×%d rewrites %t colour %t shades %t", s.Width, s.Height, s.Rewrites, s.Colour, s.Shades)
		var lines []string
		for _, p := range []progress{
			{}, {draws: 40}, {drawn: 12345, draws: 20000}, {total: 30}, {done: 1, total: 3, rate: 0.0625}, {done: 15000, total: 30000, rate: 500}, {done: 15000, total: 30000, rate: 99.96}, {done: 29999, total: 30000, rate: 100},
			{done: 30000, total: 30000, rate: 1234.5}, {done: 30000, total: 30000}, {drawn: 1, draws: 2, done: 3, total: 400, rate: 12.34},
		} {
			lines = append(lines, progressLine(s, p))
		}
		for _, of := range [][2]int64{{0, 0}, {0, 1}, {1, 1}, {1, 3}, {12345, 45678}} {
			lines = append(lines, pieceLine(s, of[0], of[1]))
		}
		for i, state := range sweepStates() {
			lines = append(lines, fmt.Sprintf("sweep %d", i))
			lines = append(lines, sweepTable(s, w, state, 10*time.Second)...)
		}
		got.add(title, lines...)
		for _, line := range lines {
			if page.PrintedWidth(line) >= s.Width && s.Width > 26 { // a bar of 24 is the least of a study
				t.Errorf("in %d columns: %q", s.Width, line)
			}
		}
	}
	for _, keys := range [][]string{nil, {"hold"}, {"a.step", "b.step"}, {"a.b.step", "c.b.step", "b.step"}, {"step", "a.step"}, {"xstep", "step"}, {"a.hold", "b.step"}} {
		got.add(fmt.Sprintf("# %q is %q", keys, shortKeys(keys)))
	}
	got.add("# aligned", aligned([][]string{{"a", "bc", "d"}, {"long", "x", "y", "beyond"}, {strings.Repeat("w", 40), "–", strings.Repeat("z", 40)}, {"one"}})...)
	evidence.AsRecorded(t, "testdata/shown.txt", got)
}

func someSweep(t *testing.T) *family.Sweep {
	t.Helper()
	w, err := family.Parse(kind.Standard(), "tiny.yaml", []byte(tinySweep), nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// sweepStates are sweeps from their beginning to their end: kept cells, failed ones, more of them than there is room for.
func sweepStates() []lab.SweepState {
	ended := func(n int) (list []folder.CellResult) {
		for i := range n {
			c := folder.CellResult{ID: fmt.Sprintf("%08d-and-more", i), Values: []string{"0.1", fmt.Sprint(i)}}
			switch {
			case i%5 == 3:
				c.Err = "the population does not settle"
			case i%5 == 1:
				c.Summary = &folder.Summary{Order: []string{"vanilla"}, Algorithms: map[string]folder.SummaryAlgorithm{"vanilla": {Gap: &folder.Spread{Mean: float64(i) / 7}}}}
			default:
				c.Summary = &folder.Summary{Order: []string{"vanilla", "composite"}, Algorithms: map[string]folder.SummaryAlgorithm{"vanilla": {Gap: &folder.Spread{Mean: 1.25}}, "composite": {Gap: &folder.Spread{Mean: float64(i) / 1000}}}}
			}
			list = append(list, c)
		}
		return list
	}
	running := func(n int) (list []lab.RunningCell) {
		for i := range n {
			list = append(list, lab.RunningCell{ID: fmt.Sprintf("%08d-at-work", i), Values: []string{"0.2", fmt.Sprint(i)}, Turns: turnsOf(int64(i), 8)})
		}
		return list
	}
	all := []lab.SweepState{{}, {Kept: 3}, {Kept: 3, Total: 9}, {Total: 6, Running: running(2)}, {Total: 40, Failed: 1, Last: ended(4)[3:], Running: running(1)}, {Kept: 2, Total: 6, Done: 5, Failed: 1, Last: ended(6)}}
	for _, n := range []int{2, 3, 5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19} { // at each of these some terminal is full
		all = append(all, lab.SweepState{Total: 60, Done: n - n/5, Failed: n / 5, Last: ended(n), Running: running(n % 9)})
	}
	return all
}

// What is printed above a drawing stays, also a single line; a drawing is cut to the height of the terminal, with a row for the cursor.
func TestCanvasByBytes(t *testing.T) {
	var b bytes.Buffer
	c, s := &canvas{out: &b}, page.Terminal{Rewrites: true, Width: 10, Height: 4}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { c.print(s) }, ""},
		{func() { c.print(s, "one note") }, "\033[Jone note\n"},
		{func() { c.draw(s, "a", "", "0123456789", "no room") }, "\ra\033[K\n\r\033[K\n\r0123456789\033[K\n\033[J"},
		{func() { c.print(s) }, ""},
		{func() { c.print(s, "first", "second") }, "\033[3A\033[Jfirst\nsecond\n"},
		{func() { c.draw(s) }, "\033[J"},
		{func() { c.draw(s, "01234567890") }, "\r01234567890\033[K\n\033[J"}, // one more than the width takes two rows
		{func() { c.draw(s, "x") }, "\033[2A\rx\033[K\n\033[J"},
	} {
		b.Reset()
		if step.do(); b.String() != step.want {
			t.Errorf("%q, want %q", b.String(), step.want)
		}
	}
}

// watchedRun is a small run that was watched; trials that nobody asked for make it look as if it were not at its end.
func watchedRun(t *testing.T, moreTrials int) *lab.Watch {
	t.Helper()
	text, _ := problem.Case("lq2")
	s, err := problem.Parse(kind.Standard(), "lq2", text, problem.Assign("iterations=200"), problem.Assign("trials=2"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("lq2", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := liveTitle(p), "lq2  4 people, 200 turns, 2 trials"; got != want && moreTrials == 0 {
		t.Errorf("the title is %q, want %q", got, want)
	}
	w := new(lab.Watch)
	if _, err := lab.Execute(t.Context(), p, lab.Options{Workers: 1, Watch: w}); err != nil {
		t.Fatal(err)
	}
	for _, m := range w.Methods() {
		m.Trials += moreTrials
	}
	return w
}

// The live view is as recorded, and is cut to the height that it has.
func TestLiveAsRecorded(t *testing.T) {
	var got recorder
	for _, more := range []int{0, 3} {
		l := &live{title: "lq2  4 people, a title that is longer than some terminals are wide", progress: turnsOf(int64(800/(2+more)), 400), watch: watchedRun(t, more), pace: new(pace), turns: 200}
		for _, s := range append([]page.Terminal{{Rewrites: true, Width: 39, Height: 18}}, terminals...) {
			l.style = s
			view := l.View()
			got.add(fmt.Sprintf("# %d more trials, %d×%d, colour %t, view %q, alone %t", more, s.Width, s.Height, s.Colour, view.WindowTitle, view.AltScreen), strings.Split(view.Content, "\n")...)
		}
		for height := -1; height < 15; height++ {
			got.add(fmt.Sprintf("# %d rows", height), l.draw(terminals[5], height)...)
		}
		for width := 52; width < 64; width++ {
			got.add(fmt.Sprintf("# %d columns", width), methodRows(page.Terminal{Rewrites: true, Width: width, Height: 9}, l.watch.Methods())...)
		}
	}
	none := &live{title: "before", progress: new(lab.Progress), watch: new(lab.Watch), pace: new(pace)}
	got.add("# before the first trial", none.draw(terminals[1], 12)...)
	for _, names := range [][]string{{"vanilla", "composite", "derivative-free"}, {"mine", "composite", "yours"}} {
		var list []*lab.Watched
		for _, name := range names {
			list = append(list, &lab.Watched{Name: name, Trials: 1, Turns: 3})
		}
		got.add(fmt.Sprintf("# colours %v of %q", seriesOf(list), names), methodRows(terminals[5], list)...)
	}
	evidence.AsRecorded(t, "testdata/live.txt", got)
}

// Keys that mean an end stop the run and the view, others do nothing; a new size is taken, and the clock goes on.
func TestKeysOfTheLiveView(t *testing.T) {
	for key, stops := range map[string]bool{"q": true, "esc": true, "ctrl+c": true, "x": false, "ctrl+q": false} {
		stopped := false
		l := &live{stop: func() { stopped = true }}
		msg := tea.KeyPressMsg{Code: rune(key[len(key)-1]), Text: key}
		switch key {
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "ctrl+c", "ctrl+q":
			msg = tea.KeyPressMsg{Code: rune(key[5]), Mod: tea.ModCtrl}
		}
		if msg.String() != key {
			t.Fatalf("%q is typed for %q", msg.String(), key)
		}
		if _, next := l.Update(msg); stopped != stops || (next != nil) != stops {
			t.Errorf("%s: stopped %t, ends %t", key, stopped, next != nil)
		} else if stops && next() != tea.Quit() {
			t.Errorf("%s ends by %v", key, next())
		}
	}
	l := new(live)
	if _, next := l.Update(tea.WindowSizeMsg{Width: 70, Height: 20}); next != nil || l.style.Width != 70 || l.style.Height != 20 {
		t.Errorf("a new size is taken as %+v", l.style)
	}
	if _, next := l.Update(liveTick{}); next == nil || l.Init() == nil {
		t.Error("the clock stands still")
	}
}

// Where nothing can be written over, a run and a sweep say at their end how far they are, in a line; notes come at once unless nobody wants them, and a study says nothing.
func TestShownInAFile(t *testing.T) {
	var b bytes.Buffer
	for _, c := range []struct {
		show func()
		want string
	}{
		{func() { watch(&b, turnsOf(300, 1200), &notes{out: &b})() }, " 25 %  300 of 1200 turns\n"},
		{func() { watchSweep(&b, someSweep(t), new(lab.SweepProgress))() }, "  0 %  0 of 0 cells done, 0 running, 0 failed, looking what is finished\n"},
		{func() { progress, stop := watchPieces(&b); progress(3, 4); stop() }, ""},
		{func() { (&notes{out: &b}).add("heard") }, "heard\n"},
		{func() { (&notes{out: &b, quiet: true}).add("unheard") }, ""},
		{func() { (&notes{out: &b}).add("one\x1b[0m") }, "one\\u001b[0m\n"},
	} {
		b.Reset()
		if c.show(); b.String() != c.want {
			t.Errorf("%q, want %q", b.String(), c.want)
		}
	}
}
