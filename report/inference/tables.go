package inference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/report/page"
)

// cell is a number to read and to sort by.
func cell(n logs.Amount) page.TextCell {
	if !n.Known() {
		return page.Words(phrase.Absent)
	}
	return page.Number(float64(n), phrase.FourDigits)
}

// numbers is the table of what was asked.
func numbers(e *logs.Inference) page.TextTable {
	t := page.TextTable{ID: "numbers", Title: "The numbers", About: "An interval holds the number in 95 of 100 such logs if the model is right. A dash is what cannot be told.",
		Columns: append(page.Heads("number", "value", "error", "from", "to"), page.Titled("remark"))}
	for _, f := range e.Found {
		t.Rows = append(t.Rows, []page.TextCell{page.Words(f.Name), cell(f.Value), cell(f.Error), cell(f.Low), cell(f.High), page.Words(f.Note)})
	}
	return t
}

// replies is the table of answers, none where nothing is known of them.
func replies(e *logs.Inference) []page.TextTable {
	a := e.Answer
	if a == nil || len(a.Entries) == 0 {
		return nil
	}
	t := page.TextTable{ID: "answers", Title: "How people answer", About: fmt.Sprintf("What one more of a decision changes, at once and once people have settled, on average over %s as the log leaves them. "+
		"Where both are logarithms these are elasticities, of the short and of the long run. %s", phrase.People(a.People), settling(a))}
	t.Columns = append([]page.Head{page.Titled("one more of"), page.Titled("changes")}, page.Heads("", "at once", "from", "to", "settled", "from", "to")[1:]...)
	for _, r := range a.Entries {
		t.Rows = append(t.Rows, []page.TextCell{page.Words(r.Decision), page.Words(r.State), cell(r.Once.Value), cell(r.Once.Low), cell(r.Once.High), cell(r.Settled.Value), cell(r.Settled.Low), cell(r.Settled.High)})
	}
	return []page.TextTable{t}
}

func settling(a *logs.Response) string {
	if !a.Settles {
		return "With these numbers people do not settle."
	}
	return HalfLife(a) + "."
}

// tables are those behind the answer.
func tables(e *logs.Inference) (list []page.TextTable) {
	list = append(list, methods(e))
	if e.Quality != nil {
		list = append(list, forecasts(e), halves(e))
	}
	return slices.DeleteFunc(list, func(t page.TextTable) bool { return len(t.Rows) == 0 })
}

// methods are the usual estimates for panels, a row each.
func methods(e *logs.Inference) page.TextTable {
	t := page.TextTable{ID: "methods", Title: "By each method", Columns: []page.Head{page.Titled("by")}, About: "Standard errors in small print."}
	for _, l := range e.Linear {
		if l.Fault == "" && len(t.Columns) == 1 {
			t.Columns = append(t.Columns, lists.Of(l.Values, func(f logs.Inferred) page.Head { return page.Head{Name: f.Name, Numeric: true} })...)
			t.Columns = append(t.Columns, lists.Of(l.LongRun, func(f logs.Inferred) page.Head { return page.Head{Name: f.Name + ", in the long run", Numeric: true} })...)
		}
	}
	for _, l := range e.Linear {
		all := append(append([]logs.Inferred(nil), l.Values...), l.LongRun...)
		row := make([]page.TextCell, len(t.Columns))
		row[0] = page.Words(l.Title)
		if l.Method == e.Method {
			row[0].Small = []string{"the answer"}
		}
		for j := range len(row) - 1 {
			row[j+1] = page.Words(phrase.Absent)
			if j < len(all) && l.Fault == "" {
				row[j+1] = cell(all[j].Value)
				row[j+1].Small = []string{"± " + figured(all[j].Error)}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// remarks are what methods say of themselves.
func remarks(e *logs.Inference) (list []string) {
	for _, l := range e.Linear {
		for _, text := range append(slices.Clone(l.Notes), l.Fault) {
			if text != "" {
				list = append(list, capital(strings.TrimSuffix(l.Title+": "+text, ".")))
			}
		}
	}
	return list
}

// forecasts is by how much each way missed.
func forecasts(e *logs.Inference) page.TextTable {
	t := page.TextTable{ID: "forecasts", Title: "Forecasts from past dates", About: "Roots of mean squares of what was missed, in units of the state, beside no change, a person's mean before, and a static regression on all but the state.",
		Columns: page.Heads("of", "turns ahead", "forecasts", "the model", "no change", "mean before", "static")}
	for s, state := range e.Log.States.Names {
		for _, m := range e.Quality.Steps {
			t.Rows = append(t.Rows, []page.TextCell{page.Words(state), page.Count(m.Ahead), page.Count(m.Forecasts), cell(m.Model[s]), cell(m.Last[s]), cell(m.Usual[s]), cell(m.Static[s])})
		}
	}
	return t
}

// halves is what each half of the dates says by itself.
func halves(e *logs.Inference) page.TextTable {
	t := page.TextTable{ID: "halves", Title: "Do the numbers stay the same?",
		About:   "Fitted on the earlier and on the later half of the dates alone. The chance is that of such a difference were the number the same.",
		Columns: page.Heads("number", "earlier", "error", "later", "error", "chance")}
	for _, h := range e.Quality.Halves {
		t.Rows = append(t.Rows, []page.TextCell{page.Words(h.Name), cell(h.Before), cell(h.BeforeError), cell(h.After), cell(h.AfterError), cell(h.Chance)})
	}
	return t
}
