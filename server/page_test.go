package server_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/browser"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// newViewer opens a browser on the dashboard, or skips where there is none.
func newViewer(s *site) *browser.Window {
	s.Helper()
	if testing.Short() {
		s.Skip("a browser")
	}
	return browser.Open(s.T, s.url)
}

// look opens a page of the dashboard in a window of some width and scheme.
func (s *site) look(v *browser.Window, hash string, width int64, scheme string) {
	s.Helper()
	v.Screen(width, 900, 1, scheme)
	if address := s.url + "/#/" + hash; v.Eval(`location.href`) != address {
		v.Show(address)
	}
}

// round takes a loop through a decision.
func (s *site) round(loop string, k int) {
	s.Helper()
	at := fmt.Sprintf("/v1/loops/%s/decisions/%d", loop, k)
	u, _ := json.Marshal(s.want(200, "POST", "/v1/loops/"+loop+"/ask", "")["u"])
	s.want(201, "PUT", at+"/deployment", fmt.Sprintf(`{"u":%s}`, u))
	s.want(201, "PUT", at+"/batches/am", fmt.Sprintf(`{"p":[[7,%d],[7,5.5]],"d":[[10,8],[10,8.5]]}`, 4+k%3))
	s.want(200, "POST", at+"/close", "")
}

// pages are those of the dashboard, each with what shows that it is there.
var pages = []struct{ hash, there string }{
	{"", `document.querySelectorAll('.row').length === 3`},
	{"loops/mine-a", `document.querySelector('.card') && document.querySelector('.entries') && document.querySelector('.why') && document.querySelector('.guess') && document.querySelectorAll('.round').length >= 3`},
	{"loops/mine-a/course", `document.querySelectorAll('.plot canvas').length >= 9 && document.body.innerText.includes('Guardrail: sales') && document.querySelector('.round')`},
	{"loops/mine-a/people", `document.querySelectorAll('.plot canvas').length === 3 && document.body.innerText.includes('Who did not count')`},
	{"loops/mine-a/model", `document.querySelectorAll('.heat').length === 4 && document.querySelectorAll('.whisker').length === 4 && document.body.innerText.includes('Predicted and observed')`},
	{"loops/mine-a/safety", `document.querySelectorAll('tbody tr').length === 10 && document.querySelectorAll('.verdicts .verdict').length === 8 && document.querySelectorAll('.pin').length === 2`},
	{"loops/mine-a/log", `document.querySelectorAll('.log li').length > 20`},
	{"loops/mine-a/decisions/5", `document.querySelectorAll('.way').length === 2 && document.querySelectorAll('.whisker').length === 4 && document.querySelectorAll('input[type=range]').length === 2 && document.querySelector('.plot canvas')`},
	{"compare/mine-a/mine-b", `document.querySelectorAll('.plot canvas').length >= 3`},
	{"server", `document.querySelectorAll('tbody tr').length === 3`},
}

// scripts are texts that a page must show and never run.
var scripts = []string{
	`<script>console.log(1)</script>`, `<img src=x onerror=console.log(2)>`, `"><svg onload=console.log(3)>`, `javascript:console.log(4)`, `'-console.log(5)-'`, `</script><script>console.log(6)</script>`,
	`<iframe srcdoc="<script>parent.console.log(7)</script>">`, `{{constructor.constructor('console.log(8)')()}}`, `<a href="javascript:console.log(9)">x</a>`, `<style>*{display:none}</style>`, `<base href=//evil.example>`,
	`<meta http-equiv=refresh content="0;url=//evil.example">`, `<link rel=stylesheet href=//evil.example>`, `<form action=//evil.example><button autofocus onfocus=console.log(10)>`, `<details open ontoggle=console.log(11)>`,
	"`${console.log(12)}`", `\u003cscript\u003econsole.log(13)\u003c/script\u003e`, `<object data=//evil.example>`, `<math><mtext></form><form><mglyph><style></math><img src onerror=console.log(14)>`, `<!--<img src="--><img src=x onerror=console.log(15)>">`,
	`__proto__`, `=HYPERLINK("//evil.example")`, "\u202eevil",
}

// Every page at every width, light and dark, shows what it should and complains of nothing, scrolls nowhere sideways and is found accessible, though names, labels
// and reasons are made to break it.
func TestPagesOfTheDashboard(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a browser")
	}
	w := evidence.For(t, evidence.Promise{Name: "service-dashboard", Text: "every page of the dashboard at 360, 768 and 1,280 px, light and dark, with hostile labels and reasons: console messages, breaches of its policy, requests to other hosts, pages that scroll sideways, findings of axe-core", Short: "one width and one scheme a page"})
	s := newSite(t)
	labels, _ := json.Marshal(map[string]string{scripts[0]: scripts[1], "team": scripts[2]})
	for _, name := range []string{"mine-a", "mine-b", "mine-c"} {
		spec := strings.Replace(shop, "live: {", `live: {mix: {of: [0]}, guardrails: [{name: sales, kind: metric, of: "mean(p[0])", least: 1}], `, 1)
		s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":%q,"spec":%s,"mode":"live","labels":%s}`, name, quoted(spec), labels))
	}
	for k := 1; k <= 8; k++ {
		s.round("mine-a", k)
		s.round("mine-b", k)
	}
	for i, text := range scripts {
		word := []string{"pause", "resume"}[i%2]
		reason, _ := json.Marshal(map[string]string{"reason": text})
		s.want(200, "POST", "/v1/loops/mine-a/"+word, string(reason))
	}
	s.want(200, "POST", "/v1/loops/mine-a/resume", `{"reason":"<b>on</b>"}`)
	s.want(200, "POST", "/v1/loops/mine-a/ask", "")
	v := newViewer(s)
	axe, err := os.ReadFile("../report/testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	s.look(v, "", 1280, "light")
	v.Until(pages[0].there)
	widths, schemes := []int64{360, 768, 1280}, []string{"light", "dark"}
	for i, p := range pages {
		for j, width := range widths {
			for n, scheme := range schemes {
				if whole := evidence.Whole(); !whole && (j != 0 || n != i%2) {
					continue
				}
				v.Eval(`(location.hash = ` + fmt.Sprintf("%q", "#/"+p.hash) + `, '')`)
				v.Screen(width, 900, 1, scheme)
				v.Until(p.there)
				where := fmt.Sprintf("%q at %d px, %s", p.hash, width, scheme)
				faults := v.Faults(string(axe))
				w.Case(len(faults) == 0, "%s: %s", where, strings.Join(faults, "\n"))
				for _, c := range v.Complaints() {
					w.Case(false, "%s: the page complains: %s", where, c)
				}
			}
		}
	}
	if !strings.Contains(v.Eval(`(location.hash = '#/loops/mine-a/log', document.title)`), "kedge") {
		t.Error("the page has lost its title")
	}
	v.Until(`document.querySelectorAll('.log li').length > 20`)
	text := v.Eval(`document.querySelector('.log').innerText`)
	for _, h := range scripts {
		w.Case(strings.Contains(text, strings.TrimSpace(h)) || strings.Contains(h, "\u202e"), "the log does not show %q", h)
	}
}

// A slider shows what the model guesses of another decision, and a guardrail is tried on closes that were.
func TestWhatIf(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a browser")
	}
	s := newSite(t)
	s.create("mine-a", "live")
	for k := 1; k <= 3; k++ {
		s.round("mine-a", k)
	}
	v := newViewer(s)
	s.look(v, "loops/mine-a/decisions/3", 1280, "light")
	v.Until(`document.querySelectorAll('input[type=range]').length === 2 && document.querySelectorAll('.whisker').length === 4`)
	for i, to := range []float64{6, 2} {
		v.Eval(fmt.Sprintf(`(e => { Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(e, %g); e.dispatchEvent(new Event('input', {bubbles: true})); return ''; })(document.querySelectorAll('input[type=range]')[%d])`, to, i))
		v.Until(`document.querySelectorAll('.whisker').length === 5`)
	}
	want := worthSettled([2]float64{6, 2}, [][2]float64{{10, 8}, {10, 8.5}}) // those of round
	v.Until(fmt.Sprintf(`[...document.querySelectorAll('tr')].some(r => r.innerText.includes('Settled under yours') && r.innerText.includes('[6, 2]') && r.cells[2].innerText === '%g')`, want))
	if text := v.Eval(`document.querySelector('.what-if').innerText`); !strings.Contains(text, "the model’s guess") || !strings.Contains(text, "times as far from what is live as the cap allows") {
		t.Errorf("what if: %s", text)
	}
	s.look(v, "loops/mine-a/safety", 1280, "light")
	v.Until(`document.querySelectorAll('form.pin').length === 2`)
	v.Eval(`(f => { f.of.value = 'mean(p[0])'; f.bound.value = '6.5'; f.requestSubmit(); return ''; })(document.querySelector('form.pin'))`) // all have 7
	v.Until(`document.body.innerText.includes('Of 3 closes it passes 0, fails 3, and of 0 it cannot tell. It would have acted.')`)
	if list := v.Complaints(); list != nil {
		t.Errorf("the page complains: %v", list)
	}
}

// Somebody with a keyboard alone gets from the list of loops to a finished kill.
func TestKillByKeyboard(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a browser")
	}
	s := newSite(t)
	s.create("mine-a", "live")
	s.round("mine-a", 1)
	v := newViewer(s)
	s.look(v, "", 1280, "light")
	v.Until(`document.querySelector('.row')`)
	reach := func(expression string) {
		t.Helper()
		for range 60 {
			if v.Press("Tab"); v.Eval(`String(!!(`+expression+`))`) == "true" {
				return
			}
		}
		t.Fatalf("no Tab leads to %s; the focus is on %s", expression, v.Eval(`document.activeElement.outerHTML.slice(0, 200)`))
	}
	reach(`document.activeElement.matches('.row .name')`)
	v.Press("Enter")
	v.Until(`document.querySelector('.acts button.danger')`)
	reach(`document.activeElement.matches('.acts button.danger')`)
	v.Press("Enter")
	v.Until(`document.querySelector('dialog[open]')`)
	if text := v.Eval(`document.querySelector('dialog').innerText`); !strings.Contains(text, "[4, 4]") {
		t.Errorf("the dialog does not say what will be live: %s", text)
	}
	reach(`document.activeElement.matches('dialog .field:last-of-type input') && document.activeElement.closest('label').innerText.includes('mine-a')`)
	v.Type("mine-")
	v.Press("Enter")
	if mode := s.want(200, "GET", "/v1/loops/mine-a", "")["mode"]; mode != "live" {
		t.Errorf("half of the name was enough: the loop is %v", mode)
	}
	v.Type("a")
	v.Press("Enter")
	v.Until(`document.querySelector('.banner') && !document.querySelector('dialog')`)
	if mode := s.want(200, "GET", "/v1/loops/mine-a", "")["mode"]; mode != "killed" {
		t.Errorf("the loop is %v", mode)
	}
	if list := v.Complaints(); list != nil {
		t.Errorf("the page complains: %v", list)
	}
}

// While the server is away the page says since when, and when it is back no point is missing or there twice.
func TestServerComesBackUnderThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a browser")
	}
	folder := t.TempDir()
	serve := func(address string) (*site, func()) {
		j, err := store.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Build: "test"})
		web := httptest.NewUnstartedServer(own)
		if address != "" {
			web.Listener.Close()
			web.Listener = listenAgain(t, address)
		}
		web.Start()
		return &site{T: t, url: web.URL, stop: own.Stop}, func() { own.Stop(); web.CloseClientConnections(); web.Close(); j.Close() }
	}
	s, stop := serve("")
	s.create("mine-a", "live")
	for k := 1; k <= 3; k++ {
		s.round("mine-a", k)
	}
	v := newViewer(s)
	s.look(v, "loops/mine-a/course", 1280, "light")
	v.Until(`document.querySelector('.plot canvas')`)
	v.Eval(`(document.querySelector('.chart button').click(), '')`) // its table
	shown := `[...document.querySelectorAll('.chart table tbody tr')].map(r => r.cells[0].innerText).join()`
	v.Until(shown + ` === '3,2,1'`)
	s.round("mine-a", 4)
	v.Until(shown + ` === '4,3,2,1'`)
	s.look(v, "loops/mine-a/log", 1280, "light")
	seqs := `[...document.querySelectorAll('.log .seq')].map(e => e.innerText).join()`
	v.Until(seqs + ` === '17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1'`) // made, then four events a round
	address := strings.TrimPrefix(s.url, "http://")
	stop()
	v.Until(`document.querySelector('.pulse.lost')?.innerText.startsWith('not live since')`)
	_, stop = serve(address)
	defer stop()
	s.round("mine-a", 5)
	s.round("mine-a", 6)
	v.Until(seqs + ` === '25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1' && !document.querySelector('.pulse.lost')`)
	s.look(v, "loops/mine-a/course", 1280, "light")
	v.Until(`document.querySelector('.plot canvas')`)
	v.Eval(`(document.querySelector('.chart button').click(), '')`)
	v.Until(shown + ` === '6,5,4,3,2,1'`)
}
