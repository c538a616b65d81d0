package evidence

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// AsRecorded compares lines with those of a file, which KEDGE_UPDATE=1 writes. It shows that something changed, not what is right. Last digits are
// those of amd64; elsewhere the test is skipped.
func AsRecorded(t testing.TB, path string, got []string) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("recorded on amd64")
	}
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range got {
		if i >= len(want) || line != want[i] {
			t.Fatalf("%s:%d: got  %s\nwant %s", path, i+1, line, append(want, "nothing")[min(i, len(want))])
		}
	}
	if len(want) != len(got) {
		t.Errorf("%d lines, %s has %d", len(got), path, len(want))
	}
}

var long = regexp.MustCompile(`[0-9]+\.[0-9]{6,}(e[+-][0-9]+)?|[0-9]+(\.[0-9]+)?e-[0-9]+`)

// Rounded is the lines of a text with numbers of nine digits at most, and with 0 for those below 1e-11, which are rounding: for what functions of the
// standard library have a part in, whose last digit depends on the processor.
func Rounded(text string) []string {
	text = long.ReplaceAllStringFunc(text, func(s string) string {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v < 1e-11 {
			return "0"
		}
		return strconv.FormatFloat(v, 'g', 9, 64)
	})
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}
