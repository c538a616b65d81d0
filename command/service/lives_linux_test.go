package service

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
	"github.com/spf13/cobra"
)

// Flags of all commands, and what they are unless they are given, are as when they were last looked at.
func TestFlagsAreAsRecorded(t *testing.T) {
	var lines []string
	var walk func(c *cobra.Command)
	list := func(c *cobra.Command) {
		lines = append(lines, strings.Split(strings.TrimRight(c.Flags().FlagUsages(), "\n"), "\n")...)
	}
	walk = func(c *cobra.Command) {
		lines = append(lines, fmt.Sprintf("%s: %d lines about it, %d of examples", c.CommandPath(), strings.Count(c.Long, "\n"), strings.Count(c.Example, "\n")))
		list(c)
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	root := &cobra.Command{Use: "kedge"}
	root.AddCommand(Commands(kind.Standard())...)
	walk(root)
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" || strings.HasPrefix(line, "kedge: ") })
	simulate := &cobra.Command{Use: "simulate"}
	s := &Simulation{}
	s.Offer(simulate, kind.Standard())
	(&Rehearsal{}).Offer(simulate)
	list(simulate)
	if s.kinds == nil {
		t.Error("the kinds are lost")
	}
	evidence.AsRecorded(t, "testdata/flags.txt", lines)
}

// started runs a command until stop is called, which returns what it wrote and its error; the address is what it serves on.
func started(t *testing.T, line string) (address string, stop func() (string, error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out := &heard{lines: make(chan string, 100)}
	root := &cobra.Command{Use: "kedge", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(Commands(kind.Standard())...)
	root.SetArgs(strings.Fields(line))
	root.SetOut(out)
	root.SetErr(&bytes.Buffer{})
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	said := ""
	for address == "" {
		select {
		case text := <-out.lines:
			said += text
			for _, word := range strings.Fields(text) {
				if strings.HasPrefix(word, "http") || strings.HasPrefix(word, "unix:") {
					address = strings.TrimSuffix(word, "/")
				}
			}
		case err := <-ended:
			t.Fatalf("%s: %v", line, err)
		}
	}
	return address, func() (string, error) {
		cancel()
		err := <-ended
		for close(out.lines); ; {
			text, more := <-out.lines
			if said += text; !more {
				return said, err
			}
		}
	}
}

// heard hands on what is written.
type heard struct{ lines chan string }

func (h *heard) Write(b []byte) (int, error) {
	h.lines <- string(b)
	return len(b), nil
}

// A service answers at a port and at a socket until it is stopped, which is no error; what it acknowledged is there when the next one starts.
func TestServicesStartAndStop(t *testing.T) {
	inFolder(t)
	for i, listen := range []string{"127.0.0.1:0", "unix:s"} {
		address, stop := started(t, "serve --data d --listen "+listen)
		c := client.Open(address)
		text := strings.Replace(smallShop, "APPROVAL", "", 1)
		if _, err := c.Create(t.Context(), fmt.Sprint("shop-", i), text, session.Live); err != nil {
			t.Fatal(err)
		}
		if offer, err := c.Loop("shop-0").Ask(t.Context()); err != nil || offer.K != 1 {
			t.Errorf("%s: decision %d, %v", listen, offer.K, err)
		}
		if refused := typed(t.Context(), "", "serve --data d --listen "+listen); !strings.Contains(refused, "in use") {
			t.Errorf("two services on one folder: %s", refused)
		}
		if tips, err := c.Loops(t.Context()); err != nil || len(tips) != i+1 {
			t.Errorf("%s: %d loops, %v", listen, len(tips), err)
		}
		if said, err := stop(); err != nil || !strings.HasPrefix(said, "kedge serves d on "+address) {
			t.Errorf("%s: %q, %v", listen, said, err)
		}
		if _, err := client.Open(address).Loop("shop-0").Ask(short(t)); err == nil {
			t.Errorf("%s is served still", listen)
		}
	}
}

func short(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// A demonstration has three loops that decide, ends by itself or when it is stopped, and leaves what it says: nothing, or a folder that is sound.
func TestDemonstrationsLive(t *testing.T) {
	inFolder(t)
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("DISPLAY", "")
	address, stop := started(t, "demo --no-browser --speed 1000")
	c := client.Open(address)
	for _, w := range worlds() {
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			s, err := c.Loop(w.name).Status(t.Context())
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("%s: %+v, %v", w.name, s, err)
			}
			if s.Turns >= 3 && s.Mode == session.Live && s.Labels["rule"] == w.labels["rule"] {
				break
			}
		}
	}
	if said, err := stop(); err != nil || !strings.HasSuffix(said, "stopped; nothing is left behind\n") {
		t.Errorf("%s, %v", said, err)
	}
	if left, err := filepath.Glob(filepath.Join(t.TempDir(), "..", "*", "kedge-demo-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for span := 300 * time.Millisecond; ; span *= 4 { // until it is long enough on a busy machine
		kept := fmt.Sprint("kept-", span)
		if said := typed(t.Context(), "", fmt.Sprintf("demo --no-browser --for %v --keep %s --port 0", span, kept)); !strings.Contains(said, "stopped; "+kept+" has all that happened") || strings.Contains(said, "exit") {
			t.Errorf("%s", said)
		}
		a, err := store.Verify(t.Context(), kept)
		if err == nil && a.Loops >= 3 && a.Events >= 6 {
			break
		}
		if err != nil || span > 20*time.Second {
			t.Fatalf("after %v: %+v, %v", span, a, err)
		}
	}
}
