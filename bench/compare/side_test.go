package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is missing is said by name, with the package to install.
func TestMissingTools(t *testing.T) {
	tl := rivalTools(t)
	tl.python, tl.compiler = "no-such-python", "no-such-compiler"
	for want, err := range map[string]error{
		"python3-numpy":       tl.findNumPy(t.Context()),
		"pip install jax":     tl.findJAX(t.Context()),
		"Debian package gcc,": tl.buildKernel(t.Context()),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "no-such-") {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// kedge's figures come from any command that prints them.
func TestKedgeFigures(t *testing.T) {
	tl := rivalTools(t)
	file := filepath.Join(t.TempDir(), "figures.json")
	text := `{"polarized-step-1e3": {"ns_per_individual": 20, "best": 19, "individuals": 1000}}`
	must(t, os.WriteFile(file, []byte(text), 0o600))
	tl.kedge = "cat " + file
	f, err := tl.kedgeSide(t.Context()).figures(t.Context())
	must(t, err)
	if f["polarized-step-1e3"].NsPerIndividual != 20 {
		t.Errorf("figures %+v", f)
	}
}

// A failing command's last complaint is in the error.
func TestOutputComplains(t *testing.T) {
	_, err := output(t.Context(), ".", "go", "no-such-verb")
	if err == nil || !strings.Contains(err.Error(), "go help") {
		t.Errorf("error %v, want the go command's complaint", err)
	}
}

// An interrupt ends the run without a table.
func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	o, err := parse(nil, io.Discard)
	must(t, err)
	if err := run(ctx, o, &out, io.Discard); err == nil || out.Len() > 0 {
		t.Errorf("error %v, output %q", err, out.String())
	}
}

func TestParseRefuses(t *testing.T) {
	for _, args := range [][]string{{"--turns", "0"}, {"--rounds", "0"}, {"extra"}, {"--no-such-flag"}} {
		var complaint bytes.Buffer
		if _, err := parse(args, &complaint); err == nil || complaint.Len() == 0 {
			t.Errorf("parse %v: error %v, complaint %q", args, err, complaint.String())
		}
	}
}
