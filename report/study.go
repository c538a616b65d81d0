package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// SaveStudy writes the data of a study and its pages to the folder that was taken for it. It returns what the pages say.
func SaveStudy(c *folder.Taken, r *study.Result) (*page.Document, error) {
	id := folder.CurrentIdentity(nil)
	d, pages, err := paged(studyDocument(r, id.Build))
	if err != nil {
		return nil, err
	}
	return d, c.Commit(folder.Manifest{Case: r.Name, Seed: r.Seed, Identity: id}, folder.Contents{
		folder.StudyFile: r.Encode, "table.csv": r.Table.WriteCSV, "table.parquet": r.Table.WriteParquet,
	}.With(pages), nil)
}

// studyDocument says what a study asked, measured and found.
func studyDocument(r *study.Result, build folder.Build) (d *page.Document, err error) {
	d = &page.Document{
		Title: studyTitle(r), Facts: studyFacts(r), Verdict: page.Finding{Headline: r.Headline, Reasons: r.Reasons}, Tables: []page.TextTable{claimTable(r)},
		Question: []page.Term{{Name: "What is asked", Text: r.Question}, {Name: "What the theory says", Text: r.Theory}, {Name: "How it is measured", Text: r.Design}},
		Spec:     r.Spec, Repeat: repeatStudy(r), Origin: origin(r.Seed, build),
	}
	d.Brief = []page.Piece{page.Heading(d.Title), page.Plainly{""}, page.Paragraphs{Texts: []string{r.Question}}, page.Plainly{""}, d.Verdict}
	d.Figures, err = draw.Render(lists.Of(r.Charts, chartSketch)...)
	return d, err
}

// studyTitle is the title, behind the theorems of the paper that are measured.
func studyTitle(r *study.Result) string {
	if len(r.Theorems) == 0 {
		return r.Title
	}
	return phrase.Enumerate(r.Theorems) + ": " + r.Title
}

func studyFacts(r *study.Result) string {
	list := []string{"study " + r.Name, phrase.Count(r.Trials, "trial") + " a point", fmt.Sprintf("seed %d", r.Seed)}
	if r.Quick {
		list = append(list, "quick")
	}
	return strings.Join(list, " · ")
}

func repeatStudy(r *study.Result) string {
	command := fmt.Sprintf("kedge study %s --seed %d --trials %d", r.Name, r.Seed, r.Trials)
	if r.Trials < 2 {
		command = fmt.Sprintf("kedge study %s --seed %d", r.Name, r.Seed)
	}
	if r.Quick {
		command += " --quick"
	}
	return command
}

// claimTable has one row a claim of the theory.
func claimTable(r *study.Result) page.TextTable {
	t := page.TextTable{
		ID: "claims", Title: "The theory and the measurement",
		About:   "All intervals together hold with 95 %. Of a bound, smaller is better: exponents are those of errors.",
		Columns: append(page.Heads("quantity", "measured", "theory"), page.Head{Name: "the theory gives"}, page.Head{Name: "verdict"}),
	}
	for _, c := range r.Claims {
		m := page.Number(c.Measured, phrase.Shortest, reach(folder.Spread{Min: c.Low, Max: c.High}, phrase.Shortest)...)
		kind := "a bound"
		if c.Exact {
			kind = "the number"
		}
		t.Rows = append(t.Rows, []page.TextCell{page.Words(c.What), m, page.Number(c.Theory, phrase.Shortest), page.Words(kind), page.Words(string(c.Verdict))})
	}
	return t
}

// chartSketch is a chart of a study: measured curves with marks and bands, the theory dashed.
func chartSketch(c study.Chart) draw.Sketch {
	g := draw.Grid{Columns: 1}
	var lines, marked draw.Lines
	styles := chartStyles(c)
	for _, s := range c.Series {
		one := chartCurve(s, styles)
		if s.Name != "" {
			g.Legend = append(g.Legend, draw.Entry{Sample: &one, Words: s.Name, Dot: s.Points})
		}
		if !s.Points {
			lines = append(lines, one)
		}
		if !s.Theory {
			marked = append(marked, one)
		}
	}
	p := draw.Panel{Layers: []draw.Layer{lines, draw.Whiskers(marked), draw.Marks(marked)}}
	x, y := draw.Extents(p)
	p.X, p.Y = draw.Axis{Ruler: draw.NewRuler(x, c.LogX), Label: c.X}, draw.Axis{Ruler: draw.NewRuler(y, c.LogY), Label: c.Y}
	g.Panels = []draw.Panel{p}
	return g.Sketch(c.Name, c.Title, c.Caption, false)
}

// chartStyles gives every measured series a style: algorithms their own, other things all colours of the palette.
func chartStyles(c study.Chart) map[string]draw.Style {
	var names []string
	for _, s := range c.Series {
		if !s.Theory {
			names = append(names, s.Name)
		}
	}
	known := plot.StylesOf(nil)
	if slices.ContainsFunc(names, func(n string) bool { return known[n].Mark != nil }) {
		return plot.StylesOf(names)
	}
	return draw.Styles(names[:min(3, len(names))], names)
}

// chartCurve is a series as it is drawn; one of the theory takes the colour of the series that it is about, without marks.
func chartCurve(s study.Series, styles map[string]draw.Style) draw.Line {
	look := styles[s.Name]
	if s.Theory {
		look = draw.Style{Ink: draw.Pale(), Dash: draw.Dashes(1)}
		if like, ok := styles[s.Like]; ok {
			look.Ink = like.Ink
		}
	}
	return draw.Line{Name: s.Name, Style: look, Banded: s.Low != nil && !s.Points, Points: chartRows(s)}
}

func chartRows(s study.Series) []draw.LinePoint {
	rows := make([]draw.LinePoint, len(s.X))
	for i, x := range s.X {
		rows[i] = draw.LinePoint{X: x, Mean: s.Y[i], Low: s.Y[i], High: s.Y[i]}
		if s.Low != nil {
			rows[i].Low, rows[i].High = s.Low[i], s.High[i]
		}
	}
	return rows
}
