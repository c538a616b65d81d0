package estimate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/report/inference"
	"github.com/kedge-opt/kedge/report/page"
)

// told is what was found, the numbers first.
func (f *fitFlags) told(e *logs.Inference) []page.Piece {
	pieces := []page.Piece{page.Heading(headline(e)), numbers(e.Found)}
	pieces = append(pieces, cautions(e.Blind)...)
	pieces = append(pieces, answered(e)...)
	pieces = append(pieces, compared(e)...)
	pieces = append(pieces, cautions(e.Warn)...)
	pieces = append(pieces, page.Bullets{Texts: append(e.Notes, how(e))})
	if e.Told() {
		run := "kedge run " + filepath.Join(f.out, logs.SpecFile)
		if folderIn(f.out) == "" { // files are found from where kedge is run
			run = "cd " + f.out + " && kedge run " + logs.SpecFile
		}
		pieces = append(pieces, page.Note{Name: "to run:", Text: run})
	}
	return pieces
}

func cautions(list []string) []page.Piece {
	return lists.Of(list, func(text string) page.Piece { return page.Caution(text) })
}

func headline(e *logs.Inference) string {
	if e.Method == logs.Matching {
		return fmt.Sprintf("%s, %s to %s: %s", e.Spec.Data.File, e.First, e.Last, phrase.CountGrouped(e.Rows, "row"))
	}
	return fmt.Sprintf("%s, %s to %s: %s of %s", e.Spec.Data.File, e.First, e.Last, phrase.CountGrouped(e.Pairs, "pair"), phrase.People(e.People))
}

// how says by which method the numbers were found.
func how(e *logs.Inference) string {
	if e.Method == logs.Matching {
		return fmt.Sprintf("Found by moments on the way, from %s, of which %d agree.", phrase.Count(e.Tried, "start"), e.Agreed)
	}
	if e.Method != logs.LeastSquares {
		for _, l := range e.Linear {
			if l.Method == e.Method {
				return fmt.Sprintf("Found %s; %s.", manner(l), errorsOf(e))
			}
		}
	}
	if e.Method == logs.Likelihood {
		return fmt.Sprintf("Found as the likeliest numbers under %s errors a step ahead, from %s, of which %d agree; standard errors hold whatever the law, and %s.", strings.Join(e.Spec.Data.Errors, ", "), phrase.Count(e.Tried, "start"), e.Agreed, strings.TrimPrefix(errorsOf(e), "errors "))
	}
	by := map[bool]string{true: "Found by maximum likelihood with random traits", false: "Found by least squares of what the model predicts a step ahead"}[e.Spec.Data.Drawn()]
	return fmt.Sprintf(by+", from %s, of which %d agree; %s.", phrase.Count(e.Tried, "start"), e.Agreed, errorsOf(e))
}

// errorsOf says what errors of one person are taken to have to do with each other.
func errorsOf(e *logs.Inference) string {
	if e.Apart {
		return "errors are taken as independent from row to row"
	}
	return "errors may go together within a person"
}

// manner is a method as the end of a sentence: its title says by what, or where.
func manner(l logs.Linear) string {
	switch l.Method {
	case logs.Within:
		return "by least squares " + l.Title
	case logs.ArellanoBond:
		return l.Title
	}
	return "by " + l.Title
}

func between(f logs.Inferred) string {
	if !f.Low.Known() && !f.High.Known() {
		return "–"
	}
	return inference.Digits(f.Low) + " … " + inference.Digits(f.High)
}

// numbers is a table of what was found.
func numbers(list []logs.Inferred) page.TextTable {
	t := page.TextTable{Columns: []page.Head{{Wide: -14}, {Name: "value", Wide: 10}, {Name: "error", Wide: 10}, {Name: "95 %", Wide: 22}, {}}, Brief: []int{0, 1, 2, 3, 4}}
	for _, f := range list {
		t.Rows = append(t.Rows, []page.TextCell{page.Words(f.Name), page.Words(inference.Digits(f.Value)), page.Words(inference.Digits(f.Error)), page.Words(between(f)), page.Words(f.Note)})
	}
	return t
}

// answered says how people answer.
func answered(e *logs.Inference) (pieces []page.Piece) {
	a := e.Answer
	if a == nil {
		return nil
	}
	t := page.TextTable{Columns: []page.Head{{Name: "one more of", Wide: -22}, {Name: "changes", Wide: -14}, {Name: "at once", Wide: 10}, {Name: "settled", Wide: 10}, {Name: "95 %", Wide: 22}}, Brief: []int{0, 1, 2, 3, 4}}
	for _, r := range a.Entries {
		t.Rows = append(t.Rows, []page.TextCell{page.Words(r.Decision), page.Words(r.State), page.Words(inference.Digits(r.Once.Value)), page.Words(inference.Digits(r.Settled.Value)), page.Words(between(r.Settled))})
	}
	pieces = append(pieces, t)
	if a.Settles {
		pieces = append(pieces, page.Paragraphs{Texts: []string{fmt.Sprintf("%s, for the median of %s as the log leaves them.", inference.HalfLife(a), phrase.People(a.People))}})
	}
	return pieces
}

// compared is the table of the usual methods for panels.
func compared(e *logs.Inference) (pieces []page.Piece) {
	if len(e.Linear) == 0 {
		return nil
	}
	t := page.TextTable{Columns: []page.Head{{Name: "by", Wide: -40}}, Brief: []int{0}}
	var notes []string
	wide := 0
	for _, l := range e.Linear {
		if l.Fault == "" && wide == 0 {
			wide = len(l.Values)
			for j, v := range l.Values[:min(wide, 6)] {
				t.Columns, t.Brief = append(t.Columns, page.Head{Name: v.Name, Wide: 16}), append(t.Brief, j+1)
			}
		}
	}
	for _, l := range e.Linear {
		if l.Fault != "" {
			notes = append(notes, l.Title+": "+l.Fault)
			continue
		}
		row := []page.TextCell{page.Words(l.Title)}
		for _, v := range l.Values[:min(wide, 6)] {
			row = append(row, page.Words(inference.Digits(v.Value)+" ("+inference.Digits(v.Error)+")"))
		}
		t.Rows = append(t.Rows, row)
		for _, note := range l.Notes {
			if note != "" {
				notes = append(notes, l.Title+": "+note)
			}
		}
	}
	if len(t.Rows) > 0 {
		pieces = append(pieces, t)
	}
	return append(pieces, page.Bullets{Texts: notes})
}

// folderIn is how files in the output folder are called by a spec in it: from here if it is below, otherwise from within, "".
func folderIn(out string) string {
	if here, err := os.Getwd(); err == nil && filepath.IsAbs(out) {
		if below, err := filepath.Rel(here, out); err == nil {
			out = below
		}
	}
	if filepath.IsLocal(out) {
		return filepath.ToSlash(filepath.Clean(out))
	}
	return ""
}
