package logs

import (
	"fmt"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/record"
)

// lawful finds the laws of errors, and refuses what does not go with them.
func (w *work) lawful() error {
	d := w.spec.Data
	laws, fits := d.Laws(w.f.States)
	refuse := func(format string, args ...any) error {
		return &MisfitError{"data.errors", strings.Join(d.Errors, ", ") + ": " + fmt.Sprintf(format, args...)}
	}
	switch {
	case !fits:
		return refuse("%s for a state of %d; want one, or one for each", phrase.Count(len(d.Errors), "law"), w.f.States)
	case laws == nil:
		return nil
	case d.Effects != record.NoEffects:
		return refuse("a likelihood is of traits that are known; want data.effects none and columns for data.traits, or normal errors")
	case w.o.Method != "" && w.o.Method != Likelihood:
		return refuse("numbers under laws of errors are found by likelihood; leave --method out, or data.errors")
	}
	w.laws = laws
	return nil
}

// inRow tells of which row of the file an error is, by the rows of the file that those of a fit are.
func (w *work) inRow(err error, lines []int) error {
	if e, ok := err.(*fit.InputError); ok && e.Row >= 0 && e.Row < len(lines) {
		return &record.LineError{File: w.spec.Data.File, Rows: []int{lines[e.Row]}, What: e.What}
	}
	return err
}

// sayLaws says under which laws numbers are the likeliest, and what speaks against those.
func (w *work) sayLaws(f *fit.Fitted) {
	for e, law := range f.Laws {
		name, text := w.log.States.Names[e], ""
		switch law.Kind {
		case fit.Normal, fit.Student:
			text = fmt.Sprintf("Errors of %s are taken as %s, with a scale of %s that was found", name, lawName(law), phrase.Digits(f.Scale[e], 4))
			if !w.heavy(f, e) && law.Kind == fit.Student {
				text += "; they are no heavier than normal ones would be, so that least squares (without data.errors) would say more"
			}
		default:
			text = fmt.Sprintf("%s is taken as %s, and varies %s times as much as that says", name, lawName(law), phrase.Digits(f.Excess[e], 3))
			if f.Excess[e] > 1.5 || f.Excess[e] < 0.67 {
				text += ": the law is not quite right, which standard errors allow for and draws of new people would not"
			}
		}
		w.out.Notes = append(w.out.Notes, text+".")
	}
}

func lawName(law fit.ErrorLaw) string {
	return map[fit.LawKind]string{
		fit.Normal: "normal", fit.Student: fmt.Sprintf("Student's with %v degrees of freedom", law.Freedom), fit.Poisson: "a count of Poisson's law", fit.Bernoulli: "a yes or no of Bernoulli's law",
	}[law.Kind]
}

// heavy tells whether errors go further out than normal ones: their fourth power is in the mean more than three times the square of the second.
func (w *work) heavy(f *fit.Fitted, e int) bool {
	m, room := w.f.States, make([]float64, w.f.Width())
	second, fourth, n := 0.0, 0.0, 0.0
	for i := range w.turn {
		w.f.Rows(room, w.rows.States[i*m:(i+1)*m], f.Value, w.rows.Beside[i*w.f.Beside:(i+1)*w.f.Beside])
		off := (w.rows.After[i*m+e] - room[e]) / f.Spread[e]
		square := float64(off * off)
		second, fourth, n = second+square, fourth+float64(square*square), n+1
	}
	return math.IsNaN(fourth) || isHeavy(second, fourth, n)
}

// isHeavy judges sums of n squares and fourth powers, with four errors to spare.
func isHeavy(second, fourth, n float64) bool { return fourth*n > 3*second*second*(1+4/math.Sqrt(n)) }
