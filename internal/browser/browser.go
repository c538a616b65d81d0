// Package browser is a real browser for tests: what a page shows and complains of, and what a keyboard does to it.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Window is a window of a browser, and what its pages complained of or asked for.
type Window struct {
	testing.TB
	site string // the only one that pages may ask for anything
	ctx  context.Context

	mu         sync.Mutex
	complaints []string
	requests   []string
}

// Open opens a window for the pages of a site, such as http://127.0.0.1:7070, or skips the test where there is no browser.
func Open(t testing.TB, site string) *Window {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no chromium to drive: apt-get install chromium")
	}
	options := append([]chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience)}, chromedp.DefaultExecAllocatorOptions[:]...)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, quit := chromedp.NewContext(ctx)
	t.Cleanup(quit)
	ctx, cancel := context.WithTimeout(ctx, 9*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	w := &Window{TB: t, site: site, ctx: ctx}
	note(w, &w.complaints, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) string {
		return fmt.Sprint("exception: ", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	})
	note(w, &w.complaints, runtime.ConsoleAPICalled, func(e runtime.EventConsoleAPICalled) string { return fmt.Sprintf("console.%s", e.Type) })
	note(w, &w.complaints, cdplog.EntryAdded, func(e cdplog.EventEntryAdded) string { return e.Entry.Text })
	note(w, &w.complaints, cdppage.JavascriptDialogOpening, func(e cdppage.EventJavascriptDialogOpening) string { return "dialog: " + e.Message })
	note(w, &w.requests, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) string { return e.Request.URL })
	call(w, network.Enable, network.EnableParams{})
	call(w, cdplog.Enable, cdp.Empty{})
	return w
}

func note[E any](w *Window, notes *[]string, event cdp.Event[E], words func(E) string) {
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

func call[P, R any](w *Window, c cdp.Command[P, R], params P) R {
	w.Helper()
	r, err := chromedp.Call(w.ctx, c, params)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// Show opens an address.
func (w *Window) Show(address string) {
	w.Helper()
	if err := chromedp.Do(w.ctx, chromedp.Navigate(address)); err != nil {
		w.Fatal(err)
	}
}

// Screen gives the window a size in CSS pixels, each of so many of the screen, and a scheme, light or dark.
func (w *Window) Screen(width, height int64, sharp float64, scheme string) {
	w.Helper()
	call(w, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: sharp, Mobile: width < 500})
	call(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "screen", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// Eval is the text of an expression in the page; promises are waited for.
func (w *Window) Eval(expression string) string {
	w.Helper()
	text, err := chromedp.Run(w.ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.Fatalf("%.200s: %v", expression, err)
	}
	return text
}

// Text is what the page shows in words.
func (w *Window) Text() string {
	w.Helper()
	return w.Eval(`document.body.innerText`)
}

// patience is how long a page may take.
const patience = 60 * time.Second

// Until waits for an expression to be true.
func (w *Window) Until(expression string) {
	w.Helper()
	for end := time.Now().Add(patience); w.Eval(`String(!!(`+expression+`))`) != "true"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			text := w.Text()
			w.mu.Lock()
			defer w.mu.Unlock()
			w.Fatalf("never: %s\nthe page shows: %.1500s\nit complains of %v", expression, text, w.complaints)
		}
	}
}

// Complaints are all that pages said or did that they must not, since that was last asked.
func (w *Window) Complaints() (list []string) {
	time.Sleep(30 * time.Millisecond) // for what is still on its way
	w.mu.Lock()
	defer w.mu.Unlock()
	list, w.complaints = w.complaints, nil
	for _, r := range w.requests {
		if !strings.HasPrefix(r, w.site+"/") && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") && r != "about:blank" {
			list = append(list, "asks for "+r)
		}
	}
	w.requests = nil
	return list
}

// Faults are what is wrong with the page as it stands: it scrolls sideways, has targets below 44 px, or is found wanting by axe-core, which is given as a script.
func (w *Window) Faults(axe string) (list []string) {
	w.Helper()
	if wide := w.Eval(`(e => String(Math.max(0, e.scrollWidth - e.clientWidth)))(document.documentElement)`); wide != "0" { // innerWidth is that of what scrolls, on phones
		list = append(list, "it scrolls sideways by "+wide+" px")
	}
	if w.Eval(`typeof axe`) == "undefined" {
		w.Eval(axe + "\n;''") // stays while the address changes behind the #
	}
	if found := w.Eval(`axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 2).join(' ; ')).join('\n'))`); found != "" {
		list = append(list, "axe finds "+found)
	}
	if small := w.Eval(`[...document.querySelectorAll('main button, main select, main input, header button, header a, .tabs a')].filter(e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && (r.height < 43.5 || r.width < 43.5); }).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join(' ; ')`); small != "" {
		list = append(list, "smaller than 44 px: "+small)
	}
	return list
}

// Picture is the window as a PNG.
func (w *Window) Picture() []byte {
	w.Helper()
	return call(w, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{}).Data
}

// Press presses a key: Tab, Shift+Tab, Enter or Escape.
func (w *Window) Press(key string) {
	w.Helper()
	var held int64
	if rest, ok := strings.CutPrefix(key, "Shift+"); ok {
		key, held = rest, 8
	}
	code := map[string]int64{"Tab": 9, "Enter": 13, "Escape": 27}[key]
	text := map[string]string{"Enter": "\r"}[key]
	call(w, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Modifiers: held, Key: key, Code: key, WindowsVirtualKeyCode: code, Text: text})
	call(w, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Modifiers: held, Key: key, Code: key, WindowsVirtualKeyCode: code})
}

// Type types a text.
func (w *Window) Type(text string) {
	w.Helper()
	call(w, input.InsertText, input.InsertTextParams{Text: text})
}

// Focused is what somebody who cannot see hears of where the keyboard is: what it is, as link, button or textbox, and its name.
func (w *Window) Focused() (role, name string) {
	w.Helper()
	on := call(w, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.activeElement"}).Result
	for _, n := range call(w, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: on.ObjectID, FetchRelatives: new(bool)}).Nodes {
		if !n.Ignored {
			return spoken(n.Role), spoken(n.Name)
		}
	}
	return "", ""
}

func spoken(v *accessibility.Value) (text string) {
	if v != nil {
		json.Unmarshal(v.Value, &text)
	}
	return text
}

// Reach presses Tab until the keyboard is on something of a role and a name, as in button and Stop all…; who has passed many things without it goes back,
// and further, with Shift.
func (w *Window) Reach(role, name string) {
	w.Helper()
	const forth, back = 60, 200
	var passed []string
	for n := range forth + back {
		key := "Tab"
		if n >= forth {
			key = "Shift+Tab"
		}
		w.Press(key)
		r, called := w.Focused()
		if called == name && r == role {
			return
		}
		passed = append(passed, r+" "+called)
	}
	w.Fatalf("no Tab leads to the %s %q, only to %q", role, name, passed)
}
