package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// pageOf renders a page with its pictures, leaving out the slow PNGs that it does not hold.
func pageOf(t *testing.T, r *folder.Result) string {
	t.Helper()
	page, err := runDocument(kind.Standard(), r, figuresOf(t, r)).HTML()
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

var (
	// What a page could fetch or run. The one script is taken out first, and links to files beside the page.
	foreign = regexp.MustCompile(`(?i)https?:|\bsrc\s*=|\bhref\s*=|@import|url\(|<script|<link|<iframe|<object|\bon[a-z]+\s*=`)
	ours    = regexp.MustCompile(`(?s)<script>.*?</script>|<script type="application/json" id="graphs">.*?</script>| href="[a-z0-9-]+\.(svg|png|pdf)"`)
)

func TestPagesStandAloneAndAreNested(t *testing.T) {
	for name, r := range cases() {
		t.Run(name, func(t *testing.T) {
			page := pageOf(t, r)
			if n := strings.Count(page, "<script>"); n != 1 {
				t.Errorf("%d scripts, want one", n)
			}
			bare := ours.ReplaceAllString(strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, ""), "")
			if found := foreign.FindString(bare); found != "" {
				t.Errorf("the page holds %q", found)
			}
			nested(t, bare)
			if strings.Contains(bare, "NaN") || strings.Contains(bare, "ZgotmplZ") || strings.Contains(bare, "%!") {
				t.Error("a number or a word went wrong")
			}
		})
	}
}

// nested wants every element of an HTML page closed in order, and h1 before h2 before h3.
func nested(t *testing.T, page string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(page))
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	level := '0'
	var open []string
	for {
		token, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local != "meta" {
				open = append(open, e.Name.Local)
			}
			if n := e.Name.Local; len(n) == 2 && n[0] == 'h' && n[1] >= '1' && n[1] <= '6' {
				if rune(n[1]) > level+1 {
					t.Errorf("heading %s follows h%c", n, level)
				}
				level = rune(n[1])
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != e.Name.Local {
				t.Fatalf("</%s> closes %v", e.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
}

func TestPageShowsEveryFigureWithWords(t *testing.T) {
	page := pageOf(t, polarizedEvery(100))
	if page != pageOf(t, polarizedEvery(100)) {
		t.Error("two pages of one result differ")
	}
	for _, tag := range []string{`<svg xmlns`, `role="img" aria-label="`, "<figcaption>", `<h3 id="figure-`} {
		if n := strings.Count(page, tag); n != 5 {
			t.Errorf("%d times %s, want one a figure", n, tag)
		}
	}
	if n := strings.Count(page, `data-graph="`); n != 3 {
		t.Errorf("%d interactive charts, want those of gap, distance and value", n)
	}
}

// Every turn of a paper-scale run measured, the page is below 3 MB, and so is one of many algorithms.
func TestPagesStaySmall(t *testing.T) {
	for name, r := range map[string]*folder.Result{"polarized": polarizedEvery(1), "choice": choice(), "many algorithms": cases()["many algorithms"]} {
		size := len(pageOf(t, r))
		t.Logf("%s: %d kB", name, size/1000)
		if size > 3e6 {
			t.Errorf("the page of %s has %d bytes", name, size)
		}
	}
}

// Thinning keeps the outline: the greatest and the least of every quantity are in the graph.
func TestGraphsKeepExtremes(t *testing.T) {
	r := polarizedEvery(1)
	run := r.Runs[1]
	run.Trials[3].Of("gap")[4321] = 1e3
	g := runDocument(kind.Standard(), r, nil).Graphs[0]
	line := g.Lines[1]
	if n := len(line.Mean.Values); n >= 8001 || n < 2000 {
		t.Errorf("%d of 8001 turns are kept", n)
	}
	if got := slices.Max(line.High.Values); got != 1e3 {
		t.Errorf("the greatest gap is %v, want that of the spike", got)
	}
}

func TestPageEscapesWhatPeopleNamed(t *testing.T) {
	r := polarizedEvery(100)
	r.Case, r.Spec = "<i>case</i>", "a: <i>spec</i>"
	r.Notes = []string{"<i>note</i>"}
	r.Runs[0].Name, r.Build.Version = "<i>name</i>", "<i>version</i>"
	page := pageOf(t, r)
	if strings.Contains(page, "<i>") {
		t.Error("markup came through")
	}
	for _, what := range []string{"case", "spec", "note", "name", "version"} {
		if !strings.Contains(page, "&lt;i&gt;"+what+"&lt;/i&gt;") {
			t.Errorf("the %s is not shown", what)
		}
	}
}

// The title attributes hold the numbers bit for bit.
func TestPageKeepsFullPrecision(t *testing.T) {
	r := polarizedEvery(100)
	page := pageOf(t, r)
	for _, v := range []float64{final(r.Runs[0], "gap").Mean, final(r.Runs[1], "value").Mean, r.Optimum.Value, r.Stable.Distance, r.Reference.True.Gap} {
		if exact := strconv.FormatFloat(v, 'g', -1, 64); !strings.Contains(page, `value="`+exact+`"`) {
			t.Errorf("%s is not on the page", exact)
		}
	}
}

func TestPageSaysWhatIsMissingAndWhy(t *testing.T) {
	r := polarizedEvery(100)
	r.Partial, r.Runs[0].Trials = true, r.Runs[0].Trials[:7]
	page := strings.ReplaceAll(pageOf(t, r), phrase.ThinSpace, " ")
	for _, want := range []string{
		"stopped before its end. Finished trials: vanilla 7 of 20, composite 20 of 20",
		"The 10-step optimum maximizes the value after 10 steps from the start",
		"0.471755 by then, but 0.489712 once settled", "(0.489987)", "2.40 % apart",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct {
		text func(float64) string
		v    float64
		want string
	}{
		{phrase.Percent, 2.92e-4, "0.0292 %"}, {phrase.Percent, 7.0471e-3, "0.705 %"}, {phrase.Percent, 0.09996, "10.0 %"}, {phrase.Percent, 1.1, "110 %"},
		{phrase.Percent, 1.1e-11, "1.10 × 10⁻¹¹"}, {phrase.Percent, 9.996e-6, "1.00 × 10⁻⁵"}, {phrase.Percent, -3e-4, "−0.0300 %"}, {phrase.Percent, 0, "0"},
		{phrase.Percent, math.Inf(1), "+∞"}, {phrase.Percent, math.Inf(-1), "−∞"}, {phrase.Percent, 1e9, "1.00 × 10⁹"},
		{phrase.Plain, 246.9, "247"}, {phrase.Plain, 12.345, "12.3"}, {phrase.Plain, -4.5e-15, "−4.50 × 10⁻¹⁵"}, {phrase.Plain, 0, "0"},
		{valueFormat(polarizedEvery(100)), 0.489986623191, "0.489987"}, {valueFormat(choiceEvery(10)), 2.08092824416, "2.08092824416"},
		{valueFormat(polarizedEvery(100)), 3e-9, "3.00 × 10⁻⁹"}, {valueFormat(polarizedEvery(100)), 0, "0"},
	} {
		if got := strings.ReplaceAll(c.text(c.v), phrase.ThinSpace, " "); got != c.want {
			t.Errorf("%g is shown as %q, want %q", c.v, got, c.want)
		}
	}
	if n := page.Number(math.NaN(), phrase.Percent); n.Text != "–" || n.Exact != "not measured" {
		t.Errorf("NaN is shown as %+v", n)
	}
}

func TestPagesHoldTheirFigures(t *testing.T) {
	r := polarizedEvery(100)
	r.Angles, r.Reference = nil, nil
	d, err := Document(kind.Standard(), r)
	if err != nil {
		t.Fatal(err)
	}
	files, err := d.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gap", "distance"} {
		if svg := files[name+".svg"]; len(svg) == 0 || !bytes.Contains(files["report.html"], svg) || len(files[name+".png"]) == 0 || len(files[name+".pdf"]) == 0 {
			t.Errorf("%s.svg is not in the page, or another of its files is missing", name)
		}
	}
}
