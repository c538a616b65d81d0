package browser_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/browser"
)

// open opens a window for a site of some pages, all but /bare of which say that they are as wide as the window.
func open(t *testing.T, pages map[string]string) (w *browser.Window, site string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser")
	}
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := pages[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		wide := `<meta name="viewport" content="width=device-width, initial-scale=1">`
		if r.URL.Path == "/bare" {
			wide = ""
		}
		fmt.Fprintf(w, `<!doctype html><html lang="en"><head>%s<title>A page</title><link rel="icon" href="data:,"></head><body>%s</body></html>`, wide, body)
	}))
	t.Cleanup(served.Close)
	return browser.Open(t, served.URL), served.URL
}

// refused is what a window ends its test with.
type refused struct {
	testing.TB
	said string
}

func (r *refused) Helper()          {}
func (r *refused) Fatal(all ...any) { r.said = fmt.Sprint(all...); runtime.Goexit() }
func (r *refused) Fatalf(format string, all ...any) {
	r.said = fmt.Sprintf(format, all...)
	runtime.Goexit()
}

// refusal is how a window ends the test of some steps, "" if it does not.
func refusal(w *browser.Window, steps func()) string {
	before, ended := w.TB, make(chan bool)
	r := &refused{TB: before}
	w.TB = r
	go func() {
		defer close(ended)
		steps()
	}()
	<-ended
	w.TB = before
	return r.said
}

func axe(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("../../report/testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// Of a page in order there is nothing to say, and it is shown as large, sharp and dark as is asked for. Windows under 500 px are those of a phone,
// which takes a page that does not say how wide it is for one of 980 px.
func TestAPageInOrder(t *testing.T) {
	w, site := open(t, map[string]string{"/": `<main><h1>In order</h1><button style="width:44px;height:44px">Go</button></main>`, "/bare": "<h1>Bare</h1>"})
	for _, c := range []struct {
		width, layout int64
		sharp         float64
		scheme        string
	}{{499, 980, 2, "dark"}, {500, 500, 1, "light"}} {
		w.Screen(c.width, 400, c.sharp, c.scheme)
		w.Show(site + "/")
		w.Until(`document.querySelector('h1')`)
		if faults, complaints := w.Faults(axe(t)), w.Complaints(); len(faults)+len(complaints) > 0 {
			t.Errorf("%d px: faults %q, complaints %q", c.width, faults, complaints)
		}
		got := w.Eval(`[innerWidth, innerHeight, devicePixelRatio, matchMedia('(prefers-color-scheme: dark)').matches].join(' ')`)
		if want := fmt.Sprint(c.width, 400, c.sharp, c.scheme == "dark"); got != want {
			t.Errorf("the window is %s, want %s", got, want)
		}
		if text := w.Text(); !strings.Contains(text, "In order") {
			t.Errorf("the page shows %q", text)
		}
		picture, err := png.DecodeConfig(bytes.NewReader(w.Picture()))
		if wide := int(float64(c.width) * c.sharp); err != nil || picture.Width != wide || picture.Height != int(400*c.sharp) {
			t.Errorf("a picture of %d × %d, %v", picture.Width, picture.Height, err)
		}
		w.Show(site + "/bare")
		if got := w.Eval(`String(document.documentElement.clientWidth)`); got != fmt.Sprint(c.layout) {
			t.Errorf("a page that does not say how wide it is has %s px, want %d", got, c.layout)
		}
		if said := w.Complaints(); len(said) > 0 {
			t.Errorf("complaints %q", said)
		}
	}
	if got := w.Eval(`new Promise(done => setTimeout(() => done('kept')))`); got != "kept" {
		t.Errorf("a promise is %q", got)
	}
}

// Each fault of a page is told, on a desk and on a phone, and only it: what is wide, what axe-core finds, what is too small for a finger one way or the other.
func TestFaultsOfAPage(t *testing.T) {
	body := func(more string) string { return "<main><h1>Heading</h1>" + more + "</main>" }
	pages := map[string]struct{ body, fault string }{
		"/wide":    {`<p style="width:1000px">wide</p>`, "it scrolls sideways by "},
		"/unnamed": {`<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`, "axe finds image-alt: "},
		"/low":     {`<button style="width:60px;height:43px">low</button>`, "smaller than 44 px: <button style=\"width:60px;height:43px\">low"},
		"/narrow":  {`<button style="width:43px;height:60px">x</button>`, "smaller than 44 px: <button style=\"width:43px;height:60px\">x"},
		"/enough":  {`<button style="width:43.5px;height:43.5px">x</button><button style="width:0;height:0;padding:0;border:0" aria-label="none"></button>`, ""},
		"/fits":    {`<p style="width:100px">narrow</p>`, ""},
		"/tall":    {`<p style="height:3000px">tall</p>`, ""},
	}
	served := map[string]string{}
	for path, p := range pages {
		served[path] = body(p.body)
	}
	w, site := open(t, served)
	script := axe(t)
	for _, width := range []int64{800, 360} {
		w.Screen(width, 600, 1, "light")
		for path, p := range pages {
			w.Show(site + path)
			faults := w.Faults(script)
			if again := w.Faults(""); !slices.Equal(again, faults) {
				t.Errorf("%s at %d px: asked again, faults are %q", path, width, again)
			}
			if p.fault == "" && len(faults) > 0 || p.fault != "" && (len(faults) != 1 || !strings.HasPrefix(faults[0], p.fault)) {
				t.Errorf("%s at %d px: faults %q, want %q", path, width, faults, p.fault)
			}
		}
	}
}

// What a page says on its console, throws, misses, opens and asks of others is told once.
func TestComplaintsOfAPage(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	w, site := open(t, map[string]string{"/": `<h1>Bad</h1>`, "/fine": `<h1>Fine</h1>`})
	for _, c := range []struct{ does, said string }{
		{`console.warn('x')`, "console.warn"},
		{`setTimeout(() => { throw new Error('broken') })`, "exception: "},
		{`fetch('/missing')`, "Failed to load resource"},
		{`fetch('` + other.URL + `/there', {mode: 'no-cors'})`, "asks for " + other.URL + "/there"},
		{`fetch('/fine')`, ""}, {`fetch('data:,x')`, ""}, {`fetch(URL.createObjectURL(new Blob(['x'])))`, ""},
		{`setTimeout(() => alert('hear me'))`, "dialog: hear me"}, // the last, since nobody answers
	} {
		if c.said != "dialog: hear me" {
			w.Show(site + "/")
		}
		w.Complaints()
		w.Eval(`(` + c.does + `, '')`)
		var said []string
		for range 100 { // it may be a while on its way
			said = append(said, w.Complaints()...)
			if c.said == "" || strings.Contains(strings.Join(said, "\n"), c.said) {
				break
			}
		}
		if c.said == "" && len(said) > 0 || c.said != "" && !strings.Contains(strings.Join(said, "\n"), c.said) {
			t.Errorf("%s: %q", c.does, said)
		}
	}
}

// The keyboard goes on and back, types, chooses and leaves, and what it is on has a role and a name.
func TestAKeyboard(t *testing.T) {
	many := strings.Repeat(`<button>one of many</button>`, 70)
	w, site := open(t, map[string]string{"/": `<button>First</button><a href="#there">Second</a><label>Third<input></label>` + many})
	w.Show(site + "/")
	at := func(role, name string) {
		t.Helper()
		if r, n := w.Focused(); r != role || n != name {
			t.Errorf("the keyboard is on the %s %q, not on the %s %q", r, n, role, name)
		}
	}
	w.Press("Tab")
	at("button", "First")
	w.Press("Tab")
	at("link", "Second")
	w.Press("Shift+Tab")
	at("button", "First")
	w.Reach("textbox", "Third")
	at("textbox", "Third")
	w.Type("héllo")
	if got := w.Eval(`document.querySelector('input').value`); got != "héllo" {
		t.Errorf("typed %q", got)
	}
	w.Reach("link", "Second") // is behind: too far ahead to be reached by going on
	at("link", "Second")
	w.Press("Enter")
	w.Until(`location.hash === '#there'`)
	w.Eval(`(addEventListener('keydown', e => { document.title = e.key + e.code + e.keyCode; }), '')`)
	w.Press("Escape")
	w.Until(`document.title.startsWith('Escape')`)
	if title := w.Eval(`document.title`); title != "EscapeEscape27" && title != "Escape27" {
		t.Errorf("the key is %q", title)
	}
	if said := refusal(w, func() { w.Reach("link", "Nowhere") }); !strings.HasPrefix(said, `no Tab leads to the link "Nowhere", only to [`) || !strings.Contains(said, "link Second") {
		t.Errorf("%.300q", said)
	}
}

// An expression that fails, a text that is none and an address where nobody is end a test.
func TestWhatAWindowCannotDo(t *testing.T) {
	w, site := open(t, map[string]string{"/": `<h1>Here</h1>`})
	w.Show(site + "/")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, c := range map[string]struct {
		steps func()
		want  string
	}{
		"in order": {func() { w.Eval(`'text'`) }, ""},
		"thrown":   {func() { w.Eval(`nothing.there`) }, "nothing.there: "},
		"no text":  {func() { w.Eval(`3`) }, "3: "},
		"nobody":   {func() { w.Show(gone.URL) }, "ERR_CONNECTION_REFUSED"},
		"no key":   {func() { w.Press("Tab") }, ""},
	} {
		if said := refusal(w, c.steps); !strings.Contains(said, c.want) || (c.want == "") != (said == "") {
			t.Errorf("%s: %q", name, said)
		}
	}
}
