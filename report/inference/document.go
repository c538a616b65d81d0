// Package inference is the page of what a log says of a model: the numbers with their doubt first, then figures that show whether to believe them.
package inference

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// File is the name of the page.
const File = "fit.html"

// Recipe says how an inference came about, in words.
type Recipe struct {
	How     string // numbers were found
	Command string // that repeats it
	Seed    uint64
}

// Files are the page, which stands alone, and its figures, by name. The same inference gives the same bytes.
func Files(e *logs.Inference, by Recipe) (map[string][]byte, error) {
	d, err := Document(e, by)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range d.Figures {
		files[f.Name+ending] = f.SVG
	}
	files[File], err = d.HTML()
	return files, err
}

// IsFigure tells whether a file is called like a figure of a page.
func IsFigure(name string) bool {
	return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, ending)
}

// Document is what the page says.
func Document(e *logs.Inference, by Recipe) (*page.Document, error) {
	name := strings.TrimSuffix(path.Base(e.Spec.File()), path.Ext(e.Spec.File()))
	d := &page.Document{
		Title: name + ": what the log says", Facts: facts(e), Single: true,
		Answer: answer(e, by), First: append([]page.TextTable{numbers(e)}, replies(e)...),
		Verdict: verdict(e), Tables: tables(e), Spec: string(e.Spec.YAML()), Repeat: by.Command,
		Headings: page.Headings{
			Verdict: "Is it any good?", Charts: "Bands hold the middle eight tenths of people or, of answers, 95 of 100 draws.", Figures: "Figures",
			Same: "The same version, build, spec and log give the same numbers bit for bit, on any number of cores.",
		},
		Origin: []page.Term{
			{Name: "log", Text: fmt.Sprintf("%s, %s", e.Spec.Data.File, phrase.CountGrouped(e.Rows, "row"))}, {Name: "method", Text: e.Method},
			{Name: "seed", Text: fmt.Sprint(by.Seed)}, {Name: "draws", Text: cmp.Or(e.DrawOf, "none")},
		},
	}
	if list := remarks(e); len(list) > 0 {
		d.Sections = []page.Chapter{{ID: "remarks", Title: "What to know of the methods", Paragraphs: list}}
	}
	if len(e.Notes) > 0 {
		d.Sections = append(d.Sections, page.Chapter{ID: "notes", Title: "What to know of the log", Paragraphs: e.Notes})
	}
	for _, p := range pictures(e) {
		if len(p.sketch.Panels) == 0 {
			continue
		}
		svg, err := p.sketch.SVG()
		if err != nil {
			return nil, fmt.Errorf("draw figure %s: %w", p.sketch.Name, err)
		}
		d.Figures = append(d.Figures, draw.Figure{Name: p.sketch.Name, Title: p.sketch.Title, Caption: p.sketch.Caption, SVG: svg})
		if p.graph != nil {
			d.Graphs = append(d.Graphs, *p.graph)
		}
	}
	return d, nil
}

func facts(e *logs.Inference) string {
	seen := phrase.CountGrouped(e.Pairs, "pair") + " of rows a turn apart, of " + phrase.People(e.People)
	if e.Pairs == 0 {
		seen = phrase.CountGrouped(e.Rows, "row")
	}
	return fmt.Sprintf("%s, %s to %s: %s", e.Spec.Data.File, e.First, e.Last, seen)
}

// mostNamed is how many numbers a headline names.
const mostNamed = 4

// answer is the numbers in a sentence, what cannot be told, and how people answer.
func answer(e *logs.Inference, by Recipe) *page.Finding {
	var told, dark []string
	for _, f := range e.Found {
		if f.Value.Known() {
			told = append(told, f.Name+" is "+inWords(f))
		} else {
			dark = append(dark, f.Name)
		}
	}
	out := &page.Finding{Cautions: append(lists.Of(e.Blind, capital), e.Warn...)}
	switch {
	case len(told) == 0:
		out.Headline = "The log does not tell what was asked."
	case len(told) > mostNamed:
		out.Headline = fmt.Sprintf("%d of %d numbers were found; the table has them, with intervals that hold them in 95 of 100 such logs.", len(told), len(e.Found))
	default:
		out.Headline = phrase.Enumerate(told) + ", with 95 % intervals."
	}
	if len(told) > 0 && len(dark) > 0 {
		out.Headline += " Not told by this log: " + phrase.Enumerate(dark) + "."
	}
	if a := e.Answer; a != nil {
		for _, r := range a.Entries[:min(len(a.Entries), mostNamed)] {
			out.Reasons = append(out.Reasons, fmt.Sprintf("One more of %s changes %s by %s at once and by %s once people have settled.", r.Decision, r.State, inWords(r.Once), inWords(r.Settled)))
		}
		if a.Settles {
			out.Reasons = append(out.Reasons, HalfLife(a)+".")
		}
	}
	out.Reasons = append(out.Reasons, by.How)
	return out
}

// verdict says how the model does beside simpler ways, and what is doubtful about its errors and numbers.
func verdict(e *logs.Inference) page.Finding {
	q := e.Quality
	if q == nil {
		return page.Finding{Headline: "Nothing was predicted, so that nothing can be said of it."}
	}
	out := page.Finding{Headline: "It was not forecast from past dates: how the model does on what it has not seen cannot be told.", Reasons: q.Notes}
	if n := len(q.Steps); n > 0 {
		first, last := q.Steps[0], q.Steps[n-1]
		out.Headline = fmt.Sprintf("Fitted on what was known then, forecasts %s %s no change.", ahead(first, last), beats(last))
		out.Reasons = append([]string{fmt.Sprintf("From %s, %s to %s; %s: the squares of its errors %s.",
			phrase.Count(q.Origins, "past date"), q.From, q.To, turnsAhead(last.Ahead), gained(last))}, out.Reasons...)
	}
	for _, echo := range q.Echoes {
		text := fmt.Sprintf("%s of an error in %s comes back a turn later (standard error %s)", phrase.Percent(float64(echo.Share)), echo.State, phrase.Percent(float64(echo.Error)))
		off, lasts := float64(echo.Share), ". The model forgets something that lasts, and what it says stays of the last state may be wrong."
		if e.Spec.Data.HasPeople() {
			bias := 1 / max(1, float64(e.Pairs)/max(1, float64(e.People)))
			text += fmt.Sprintf("; with traits that were found, about %s is no sign of anything", phrase.Percent(-bias))
			off, lasts = off+bias, ". The model forgets something that lasts."
		}
		if math.Abs(off) > 3*float64(echo.Error) {
			out.Cautions = append(out.Cautions, text+lasts)
		} else {
			out.Reasons = append(out.Reasons, text+".")
		}
	}
	for _, h := range q.Halves {
		if float64(h.Chance) < 0.01 {
			out.Cautions = append(out.Cautions, fmt.Sprintf("%s drifts: %s in the earlier half of the dates, %s in the later; were it the same, such a difference would have a chance of %s.",
				h.Name, figured(h.Before), figured(h.After), phrase.FourDigits(float64(h.Chance))))
		}
	}
	return out
}
