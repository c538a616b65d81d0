package report

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// startBrowser starts a headless browser for the test, or skips where there is none.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium to drive: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, quit := chromedp.NewContext(ctx)
	t.Cleanup(quit)
	ctx, cancel := context.WithTimeout(ctx, 9*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

// tab is one open page and everything it complained about or asked for.
type tab struct {
	testing.TB
	ctx  context.Context
	file string

	mu         sync.Mutex
	complaints []string
	requests   []string
}

// openTab shows a page in a tab of its own, with or without scripts.
func openTab(t *testing.T, browser context.Context, page []byte, scripts bool) *tab {
	t.Helper()
	w := &tab{TB: t, file: filepath.Join(t.TempDir(), "report.html")}
	if err := os.WriteFile(w.file, page, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, leave := chromedp.NewContext(browser)
	t.Cleanup(leave)
	w.ctx = ctx
	w.listen()
	command(w, network.Enable, network.EnableParams{})
	command(w, cdplog.Enable, cdp.Empty{})
	command(w, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts})
	w.screen(1200, 900, false)
	w.do(chromedp.Navigate("file://" + w.file))
	return w
}

// listen notes complaints and requests from now on.
func (w *tab) listen() {
	hear(w, &w.complaints, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) string { return e.ExceptionDetails.Text })
	hear(w, &w.complaints, runtime.ConsoleAPICalled, func(e runtime.EventConsoleAPICalled) string { return fmt.Sprintf("console.%s", e.Type) })
	hear(w, &w.complaints, cdplog.EntryAdded, func(e cdplog.EventEntryAdded) string { return e.Entry.Text })
	hear(w, &w.complaints, cdppage.JavascriptDialogOpening, func(e cdppage.EventJavascriptDialogOpening) string { return "dialog: " + e.Message })
	hear(w, &w.requests, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) string { return e.Request.URL })
}

func hear[E any](w *tab, notes *[]string, event cdp.Event[E], words func(E) string) {
	events := chromedp.Events(w.ctx, event)
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			w.mu.Lock()
			*notes = append(*notes, words(e))
			w.mu.Unlock()
		}
	}()
}

func command[P, R any](w *tab, c cdp.Command[P, R], params P) {
	w.Helper()
	if _, err := chromedp.Call(w.ctx, c, params); err != nil {
		w.Fatal(err)
	}
}

func (w *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	w.Helper()
	if err := chromedp.Do(w.ctx, actions...); err != nil {
		w.Fatal(err)
	}
}

// screen gives the page a size in CSS pixels.
func (w *tab) screen(width, height int64, phone bool) {
	command(w, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: phone})
}

// eval returns the value of an expression in the page; promises are waited for.
func eval[T any](w *tab, expression string) T {
	w.Helper()
	value, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.Fatalf("%.200s: %v", expression, err)
	}
	return value
}

// patience is how long a browser may take, to start or to draw what a click changed: it draws when it gets to it.
const patience = 60 * time.Second

// want waits for an expression to have a value.
func want[T comparable](w *tab, expression string, value T) {
	w.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got := eval[T](w, expression)
		if got == value {
			return
		}
		if time.Now().After(end) {
			w.Fatalf("%s is %v, want %v", expression, got, value)
		}
	}
}

// quiet wants that the page neither complained nor asked for anything but itself.
func (w *tab) quiet() {
	w.Helper()
	time.Sleep(50 * time.Millisecond) // for what is still on its way
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.complaints {
		w.Errorf("the page complains: %s", c)
	}
	for _, r := range w.requests {
		if r != "file://"+w.file && !strings.HasPrefix(r, "blob:") && !strings.HasPrefix(r, "data:") {
			w.Errorf("the page asks for %s", r)
		}
	}
}

// media shows the page as a medium and colour scheme want it.
func (w *tab) media(medium, scheme string) {
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	command(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: features})
}

// accessible runs the checks of axe-core and wants nothing serious, in light and in dark.
func (w *tab) accessible() {
	w.Helper()
	axe, err := os.ReadFile("testdata/axe/axe.min.js")
	if err != nil {
		w.Fatal(err)
	}
	eval[int](w, string(axe)+"\n;0")
	w.media("screen", "dark")
	for _, found := range findings(w, "runOnly: ['color-contrast']") { // all that a scheme can change
		w.Errorf("axe finds in dark %s", found)
	}
	w.media("screen", "light")
	for _, found := range findings(w, "resultTypes: ['violations']") {
		w.Errorf("axe finds in light %s", found)
	}
}

func findings(w *tab, options string) []string {
	text := eval[string](w, `axe.run({`+options+`}).then(r => JSON.stringify(r.violations
		.filter(v => v.impact === 'serious' || v.impact === 'critical')
		.map(v => v.impact + ': ' + v.help + ': ' + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3).join(' ; '))))`)
	var list []string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		w.Fatal(err)
	}
	return list
}

// narrow wants that nothing on the page makes a phone scroll sideways.
func (w *tab) narrow() {
	w.Helper()
	w.screen(390, 844, true)
	want(w, `[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > 391 &&
		!e.closest('.scroll, pre, svg, .unseen')).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join(' ; ')`, "") // wider than a phone
	want(w, "document.documentElement.scrollWidth", 390)
	w.screen(1200, 900, false)
}

// sound is what every page must be.
func (w *tab) sound() {
	w.Helper()
	w.accessible()
	w.narrow()
	w.quiet()
}
