//go:build unix

package command

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/browser"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// beholder is somebody before a screen, who reads what is there and has a keyboard.
type beholder struct{ *browser.Window }

// reads waits until the page shows some words, and returns them with what was looked for in them.
func (r beholder) reads(pattern string) []string {
	r.Helper()
	words := regexp.MustCompile(pattern)
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		text := r.Text()
		if found := words.FindStringSubmatch(text); found != nil {
			return found
		}
		if time.Now().After(end) {
			r.Fatalf("nowhere is %q; the page shows\n%s", pattern, text)
		}
	}
}

// goes goes by the keyboard to something and presses Enter.
func (r beholder) goes(role, name string) {
	r.Helper()
	r.Reach(role, name)
	r.Press("Enter")
}

// confirms types into the dialog what it asks for.
func (r beholder) confirms() {
	r.Helper()
	word := r.reads(`Type (.+) to go on`)[1]
	r.Reach("textbox", "Type "+word+" to go on")
	r.Type(word)
	r.Press("Enter")
}

// Somebody who sees the dashboard for the first time, reads what is there and has a keyboard, finds out which loop needs a person and why, what is live since when, why it
// changed, rolls back, and stops everything.
func TestDemoIsUsed(t *testing.T) {
	if !evidence.Whole() {
		t.Skip("drives a browser for minutes: KEDGE_TORTURE=1")
	}
	d := newDemo(t, "--speed", "2")
	r := beholder{browser.Open(t, d.address)}
	r.Screen(1280, 900, 1, "light")
	r.Show(d.address + "/")
	loop := r.reads(`A loop needs a person\. (\S+): Holding`)[1]
	why := r.reads(`Holding: basket is ([\d.]+) \(([\d.]+) … ([\d.]+)\), wanted at least 12`)
	t.Logf("%s needs a person: %s", loop, why[0])

	r.goes("link", loop)
	r.reads(`How it is(.|\n)*Holding: basket is [\d.]+`)
	t.Log(r.reads(`Decision \d+ is live since \d\d:\d\d(:\d\d)?`)[0])
	r.reads(`took no step: basket is [\d.]+`)

	r.goes("link", "kedge")
	r.goes("link", "party-position")
	t.Log(r.reads(`(Taxes|Schools|Roads|Parks) (rises|falls) by [\d.]+[^.]*, from [−\d.]+ to [−\d.]+: [^.]+`)[0])

	r.goes("link", "kedge")
	r.goes("link", loop)
	r.goes("link", "Safety")
	r.reads(`The way back`)
	r.goes("button", "Roll back… to the safe decision")
	t.Log(r.reads(`The next ask answers \[4, 6, 9\][^.]*`)[0])
	r.confirms()
	r.goes("link", "Log")
	r.reads(`rolled-back`)

	r.goes("link", "kedge")
	r.goes("button", "Stop all…")
	r.reads(`3 loops answer their safe decision`)
	r.confirms()
	r.reads(`(?s)killed.*killed.*killed`)
	for name, g := range d.overview() {
		if g.Mode != "killed" {
			t.Errorf("%s is %s", name, g.Mode)
		}
	}
	if list := r.Complaints(); list != nil {
		t.Errorf("the page complains: %v", list)
	}
	d.stop()
}

// demoPages are pages of a demonstration, each with words that it shows.
var demoPages = []struct{ hash, shows string }{
	{"", `Holding: basket`},
	{"loops/shop-prices", `Holding: basket`},
	{"loops/shop-prices/course", `Profit a customer`},
	{"loops/shop-prices/people", `settle`},
	{"loops/shop-prices/model", `apples`},
	{"loops/shop-prices/safety", `(?s)of the last \d+ closes.*The way back`},
	{"loops/shop-prices/log", `(?s)verified to event.*hold, .*basket`},
	{"loops/shop-prices/decisions/70", `basket`},
	{"loops/ride-prices", `How it is`},
	{"loops/ride-prices/course", `Profit a rider`},
	{"loops/ride-prices/model", `day`},
	{"loops/party-position", `How it is`},
	{"loops/party-position/people", `settle`},
	{"loops/party-position/model", `taxes`},
	{"compare/shop-prices/ride-prices", `Step`},
	{"server", `Heads of the chains`},
}

// Every page of the dashboard complains of nothing, scrolls nowhere sideways and is found accessible on what a demonstration shows, too, while people live; whole at
// three widths, light and dark, else a width and a scheme of every fourth page.
func TestPagesOfTheDemo(t *testing.T) {
	t.Parallel() // it waits for others most of the time
	if testing.Short() {
		t.Skip("drives a browser")
	}
	axe, err := os.ReadFile("../report/testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	d := newDemo(t, "--speed", "2")
	w := browser.Open(t, d.address)
	d.held()
	if os.Getenv("KEDGE_UPDATE") != "" {
		takePicture(d, w)
	}
	w.Show(d.address + "/")
	for i, p := range demoPages {
		for j, width := range []int64{360, 768, 1280} {
			for n, scheme := range []string{"light", "dark"} {
				if !evidence.Whole() && (i%4 != 0 || j != i/4%3 || n != i/8%2) {
					continue
				}
				where := fmt.Sprintf("%q at %d px, %s", p.hash, width, scheme)
				w.Screen(width, 900, 1, scheme)
				w.Eval(`(location.hash = ` + fmt.Sprintf("%q", "#/"+p.hash) + `, '')`)
				beholder{w}.reads(p.shows)
				faults := append(w.Faults(string(axe)), w.Complaints()...)
				if faults != nil {
					t.Errorf("%s: %s", where, strings.Join(faults, "; "))
				}
				if dir := os.Getenv("KEDGE_PICTURES"); dir != "" {
					os.WriteFile(fmt.Sprintf("%s/%02d-%d-%s.png", dir, i, width, scheme), w.Picture(), 0o666)
				}
			}
		}
	}
	d.stop()
}

// takePicture shows the loops some rounds after the trouble, as README has them.
func takePicture(d *demonstration, w *browser.Window) {
	d.Helper()
	w.Screen(1180, 500, 1.5, "light")
	w.Show(d.address + "/")
	calm := func() bool { // between two rounds of all loops
		text := w.Text()
		return strings.Contains(text, "Holding: basket") && strings.Count(text, "The loop decides.") == 2 && strings.Count(text, "nothing") == 3
	}
	var picture []byte
	for picture == nil || !calm() || d.overview()["shop-prices"].K < 84 {
		time.Sleep(50 * time.Millisecond)
		if picture = nil; calm() {
			picture = w.Picture()
		}
	}
	if err := os.WriteFile("../docs/img/demo.png", picture, 0o666); err != nil {
		d.Fatal(err)
	}
}
