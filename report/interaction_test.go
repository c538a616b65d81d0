package report

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/kedge-opt/kedge/folder"
)

// everyPart is a result that shows all that a page can hold.
func everyPart() *folder.Result {
	r := polarizedEvery(100)
	r.Partial, r.Notes = true, []string{"A note."}
	r.Sections = []folder.Section{
		{ID: "one", Title: "A check", Verdict: "✓ holds", Text: "First.\n\nSecond.", Columns: []string{"what", "bar"}, Rows: [][]string{{"a", "10"}, {"b", "9"}}},
		{ID: "two", Title: "Another check", Verdict: "✗ fails"},
	}
	return r
}

func TestPageInABrowser(t *testing.T) {
	browser := startBrowser(t)
	run := openTab(t, browser, []byte(pageOf(t, everyPart())), true)
	zooms(run)
	hovers(run)
	toggles(run)
	scales(run)
	sorts(run)
	darkens(run)
	prints(run)
	copies(run)
	run.sound()
	hostile := openTab(t, browser, []byte(pageOf(t, cases()["hostile names"])), true)
	hostile.narrow()
	hostile.quiet()
	openTab(t, browser, []byte(comparisonOf(t, twoRuns())), true).sound()
	sweep := openTab(t, browser, []byte(sweepPage(t, gridSweep(4, 3))), true)
	filters(sweep)
	sweep.sound()
	for _, name := range []string{"empty", "one turn", "hostile numbers", "zero"} {
		openTab(t, browser, []byte(pageOf(t, cases()[name])), true).quiet()
	}
	showsFiguresWithoutScripts(t, browser)
	refusesForeignScripts(t, browser)
}

// inside returns a point of the first chart, by shares of its width and height.
func (w *tab) inside(x, y float64) (float64, float64) {
	w.do(chromedp.ScrollIntoView(chromedp.CSS(".plot")))
	box := eval[[]float64](w, `(b => [b.left, b.top, b.width, b.height])(document.querySelector('.u-over').getBoundingClientRect())`)
	return box[0] + x*box[2], box[1] + y*box[3]
}

func (w *tab) mouse(kind input.DispatchMouseEventType, x, y float64) {
	var options []chromedp.MouseOption
	if kind != chromedp.MouseMoved {
		options = append(options, chromedp.ButtonLeft, chromedp.ClickCount(1))
	}
	w.do(chromedp.MouseEvent(kind, x, y, options...))
}

const span = "(s => s.max - s.min)(Page.charts[0].u.scales.x)"

// A drag over half of the chart shows about half of the 8000 turns; a double click shows all of them again.
func zooms(w *tab) {
	x, y := w.inside(.25, .5)
	w.mouse(chromedp.MouseMoved, x, y)
	w.mouse(chromedp.MousePressed, x, y)
	x, y = w.inside(.75, .5)
	w.mouse(chromedp.MouseMoved, x, y)
	w.mouse(chromedp.MouseReleased, x, y)
	want(w, "Math.round("+span+"/1000)", 4)
	w.do(chromedp.MouseClickXY(x, y, chromedp.ClickCount(2)))
	want(w, span, 8000)
	w.do(chromedp.Focus(chromedp.CSS(".plot")), chromedp.KeyEvent("+"))
	want(w, "Math.round("+span+"/1000)", 4)
	w.do(chromedp.KeyEvent(kb.Escape))
	want(w, span, 8000)
}

// Under the pointer the legend shows the values of that turn; the arrow keys go turn by turn.
func hovers(w *tab) {
	x, y := w.inside(.5, .5)
	w.mouse(chromedp.MouseMoved, x, y)
	want(w, "document.querySelector('.turn').textContent", "turn 4000")
	reading := `document.querySelector('.legend .reading').textContent`
	want(w, reading+" === (c => c.format(c.data[1][40]) + ' (' + c.format(c.data[2][40]) + ' … ' + c.format(c.data[3][40]) + ')')(Page.charts[0])", true)
	w.do(chromedp.Focus(chromedp.CSS(".plot")), chromedp.KeyEvent(kb.ArrowRight))
	want(w, "document.querySelector('.turn').textContent", "turn 4100")
	want(w, "document.querySelector('.unseen').textContent.startsWith('turn 4100: vanilla ')", true)
}

// A click or a key on the legend takes a method, its line and its band, out of the chart and brings it back.
func toggles(w *tab) {
	shown := "Page.charts[0].u.series.slice(1, 4).filter(s => s.show).length"
	w.do(chromedp.Click(chromedp.CSS(".legend button")))
	want(w, shown, 0)
	want(w, "document.querySelector('.legend button').getAttribute('aria-pressed')", "false")
	w.do(chromedp.Focus(chromedp.CSS(".legend button")), chromedp.KeyEvent(" "))
	want(w, shown, 3)
}

func scales(w *tab) {
	want(w, "Page.charts[0].u.scales.y.distr", 3)
	w.do(chromedp.Click(chromedp.CSS(".axis button:last-child")))
	want(w, "Page.charts[0].u.scales.y.distr", 1)
	want(w, "document.querySelector('.axis button:last-child').getAttribute('aria-pressed')", "true")
	w.do(chromedp.Click(chromedp.CSS(".axis button:first-child")))
	want(w, "Page.charts[0].u.scales.y.distr", 3)
}

// The trials by gap: 40 numbers in order, by click upwards and by key downwards.
func sorts(w *tab) {
	const head = "[aria-labelledby=trials] th:nth-child(4)"
	order := func(sign string) string {
		return `(v => v.length + ' ' + v.every((x, i) => !i || ` + sign + `(x - v[i-1]) >= 0))([...document.querySelectorAll('[aria-labelledby=trials] td:nth-child(4) data')].map(d => +d.value))`
	}
	want(w, order("1*"), "40 false")
	w.do(chromedp.Click(chromedp.CSS(head + " button")))
	want(w, order("1*"), "40 true")
	want(w, "document.querySelector('"+head+"').getAttribute('aria-sort')", "ascending")
	w.do(chromedp.Focus(chromedp.CSS(head+" button")), chromedp.KeyEvent(kb.Enter))
	want(w, order("-1*"), "40 true")
	want(w, "document.querySelector('"+head+"').getAttribute('aria-sort')", "descending")
}

// The page follows the system and, after a click, the reader; charts are drawn in the colours of the page.
func darkens(w *tab) {
	const ground, ink = "getComputedStyle(document.body).backgroundColor", "Page.charts[0].u.series[1].stroke()"
	want(w, ground, "rgb(255, 255, 255)")
	light := eval[string](w, ink)
	w.media("screen", "dark")
	want(w, ground, "rgb(20, 24, 29)")
	want(w, ink+" !== '"+light+"'", true)
	w.do(chromedp.Click(chromedp.CSS(".theme")))
	want(w, ground, "rgb(255, 255, 255)")
	want(w, ink, light)
	w.do(chromedp.Click(chromedp.CSS(".theme")))
	want(w, ground, "rgb(20, 24, 29)")
	eval[chromedp.Void](w, "delete document.documentElement.dataset.theme")
	w.media("screen", "light")
}

// On paper the figures stand in for the charts, on white even if the reader sees dark.
func prints(w *tab) {
	w.do(chromedp.Click(chromedp.CSS(".theme")))
	w.media("print", "dark")
	want(w, "getComputedStyle(document.querySelector('.charts')).display", "none")
	want(w, "document.querySelector('.twin figcaption').offsetHeight > 0", true)
	want(w, "getComputedStyle(document.body).backgroundColor", "rgb(255, 255, 255)")
	w.media("", "light")
	pdf, err := chromedp.Run(w.ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	if err != nil {
		w.Fatal(err)
	}
	if n := strings.Count(string(pdf), "/Type /Page\n"); !strings.HasPrefix(string(pdf), "%PDF") || n < 2 || n > 8 {
		w.Errorf("%d bytes and %d pages of PDF", len(pdf), n)
	}
	eval[chromedp.Void](w, "delete document.documentElement.dataset.theme")
}

func copies(w *tab) {
	eval[chromedp.Void](w, "navigator.clipboard.writeText = async s => window.copied = s")
	w.do(chromedp.Click(chromedp.CSS(".copy")))
	want(w, "window.copied.startsWith('seed: 1\\niterations: 8000\\n')", true)
}

// A menu of a swept key hides the rows of its other values.
func filters(w *tab) {
	const shown = "[...document.querySelectorAll('[aria-labelledby=cells] tbody tr')].filter(r => r.offsetHeight).length"
	want(w, shown, 18)
	w.do(chromedp.SetValue(chromedp.CSS(".filters select"), "is 0.2"))
	eval[chromedp.Void](w, "document.querySelector('.filters select').dispatchEvent(new Event('change'))")
	want(w, shown, 6)
	want(w, "document.querySelector('.filters [role=status]').textContent", "6 of 18 rows")
}

func showsFiguresWithoutScripts(t *testing.T, browser context.Context) {
	w := openTab(t, browser, []byte(pageOf(t, everyPart())), false)
	want(w, "getComputedStyle(document.querySelector('.charts')).display", "none")
	want(w, "document.querySelector('.twin figcaption').offsetHeight > 0 && document.querySelector('.twin svg').clientHeight > 100", true)
	want(w, "document.querySelectorAll('button').length", 0)
}

// A script that comes into the page by whatever way does not run, and the page's own cannot ask the network.
func refusesForeignScripts(t *testing.T, browser context.Context) {
	w := openTab(t, browser, []byte(pageOf(t, everyPart())), true)
	eval[chromedp.Void](w, `document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hit = 1'}))`)
	want(w, "typeof window.hit", "undefined")
	want(w, "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')", "refused")
	for _, r := range w.requests {
		if strings.HasPrefix(r, "http") {
			t.Errorf("the page asks for %s", r)
		}
	}
}
