package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// poppler runs one of its programs on a PDF, two arguments before its name and the others after, and returns what it prints.
func poppler(t *testing.T, pdf []byte, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not here (poppler-utils): %v", program, err)
	}
	file := filepath.Join(t.TempDir(), "figure.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, append([]string{args[0], args[1], file}, args[2:]...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return string(out)
}

// Whatever is drawn, poppler finds nothing to complain about, the page is small, and it has no date.
func TestPDFsAreSoundAndSmall(t *testing.T) {
	for name, r := range cases() {
		for _, s := range sketches(r) {
			pdf, err := s.PDF()
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(pdf, []byte("Date")) || len(pdf) > 150_000 {
				t.Errorf("%s %s: %d bytes, dated %v", name, s.Name, len(pdf), bytes.Contains(pdf, []byte("Date")))
			}
			if name == "hostile names" || name == "hostile numbers" {
				if out := poppler(t, pdf, "pdftoppm", "-r", "20"); strings.Contains(out, "Error") {
					t.Errorf("%s %s: %.200s", name, s.Name, out)
				}
			}
		}
	}
}
