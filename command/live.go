package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/report/page"
	"golang.org/x/term"
)

// live is the full-screen view of a run.
type live struct {
	style    page.Terminal
	title    string
	progress *lab.Progress
	watch    *lab.Watch
	pace     *pace
	turns    int
	stop     context.CancelFunc // of the run
}

// canLive tells whether there is a terminal to show a full screen on and to read keys from.
func canLive(out io.Writer) bool {
	return page.TerminalOf(out).Rewrites && term.IsTerminal(int(os.Stdin.Fd()))
}

// start shows the view until the returned function is called or somebody stops the run. That function leaves the terminal as
// it was, with the last state of the view printed.
func (l *live) start(out *os.File) (leave func()) {
	l.style, l.pace = page.TerminalOf(out), new(pace)
	p := tea.NewProgram(l, tea.WithOutput(out), tea.WithInput(os.Stdin), tea.WithoutSignalHandler())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	return func() {
		p.Quit()
		if err := <-ended; err != nil {
			fmt.Fprintln(out, "kedge: the live view ended:", err)
		}
		s := page.TerminalOf(out)
		fmt.Fprintln(out, strings.Join(l.draw(s, min(s.Height-1, 16+len(l.watch.Methods()))), "\n")+"\n")
	}
}

// liveTitle says what is run and how large it is.
func liveTitle(p *problem.Problem) string {
	return fmt.Sprintf("%s  %s people, %s turns, %s", phrase.Safe(p.Name), phrase.Grouped(p.Individuals()), phrase.Grouped(p.Spec.Iterations), phrase.CountGrouped(p.Spec.Trials, "trial"))
}

type liveTick struct{}

func nextTick() tea.Cmd {
	return tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return liveTick{} })
}

// Init begins to look at the run.
func (l *live) Init() tea.Cmd { return nextTick() }

// Update answers a key, a new size of the terminal or the clock.
func (l *live) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		l.style.Width, l.style.Height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q", "esc", "ctrl+c":
			l.stop()
			return l, tea.Quit
		}
	case liveTick:
		return l, nextTick()
	}
	return l, nil
}

// View draws the screen.
func (l *live) View() tea.View {
	lines := l.draw(l.style, l.style.Height-1)
	lines = append(lines, l.style.Faint(page.Fit("q stops the run and keeps the trials that are finished", l.style.Width)))
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.WindowTitle = "kedge " + l.title
	return v
}

// draw lays the view out: what is run, how far it is, the chart and a row for every method.
func (l *live) draw(s page.Terminal, height int) []string {
	head := []string{s.Bold(page.Fit(l.title, s.Width)), progressLine(s, l.pace.look(l.progress, time.Now())), ""}
	methods := l.watch.Methods()
	tail := methodRows(s, methods)
	room := height - len(head) - len(tail) - 2
	if room >= 6 && s.Width >= 40 {
		head = append(head, s.Faint(page.Fit("gap to the optimum, mean over the trials so far", s.Width)))
		head = append(head, l.chart(s, methods).Draw(s.Width, room)...)
		head = append(head, "")
	}
	lines := append(head, tail...)
	return lines[:max(0, min(len(lines), height))]
}

func (l *live) chart(s page.Terminal, methods []*lab.Watched) page.CharChart {
	c, colours := page.CharChart{Terminal: s, Turns: l.turns}, seriesOf(methods)
	for i, m := range methods {
		line := page.CharLine{Series: colours[i]}
		for _, g := range m.Gaps() {
			line.Turn, line.Value = append(line.Turn, g.Turn), append(line.Value, g.Mean)
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// seriesOf gives methods the colours that they have in figures; others get those that are left.
func seriesOf(methods []*lab.Watched) []int {
	usual, next := map[string]int{"composite": 0, "vanilla": 1, "derivative-free": 2}, 3
	list := make([]int, len(methods))
	for i, m := range methods {
		known, ok := usual[m.Name]
		if !ok {
			known = next
			next++
		}
		list[i] = known
	}
	return list
}

// methodRows is the legend: the colour or mark of every method, how far it is and its gap now.
func methodRows(s page.Terminal, methods []*lab.Watched) (rows []string) {
	colours := seriesOf(methods)
	names := padded(lists.Of(methods, func(m *lab.Watched) string { return page.Fit(m.Name, 18) }))
	states := padded(lists.Of(methods, methodState))
	for i, m := range methods {
		mark := "━━"
		if !s.Colour {
			mark = strings.Repeat(page.LineMark(colours[i]), 2)
		}
		row, used := s.Series(colours[i], mark)+" ", 3+page.PrintedWidth(names[i]+states[i])
		if cells := min(24, s.Width-used-2); cells >= 6 {
			rows = append(rows, row+names[i]+" "+s.Series(colours[i], page.Bar(m.Share(), cells))+" "+states[i])
			continue
		}
		rows = append(rows, row+page.Fit(names[i]+" "+states[i], s.Width-3))
	}
	return rows
}

func methodState(m *lab.Watched) string {
	gap := "–"
	if all := m.Gaps(); len(all) > 0 {
		gap = fmt.Sprintf("%.3g", all[len(all)-1].Mean)
	}
	return fmt.Sprintf("%3d %% of %s  gap %-9s", percent(m.Share()), phrase.CountGrouped(m.Trials, "trial"), gap)
}

// padded makes texts equally wide.
func padded(texts []string) []string {
	widest := slices.Max(append(lists.Of(texts, page.PrintedWidth), 0))
	return lists.Of(texts, func(text string) string { return page.Pad(text, -widest) })
}
